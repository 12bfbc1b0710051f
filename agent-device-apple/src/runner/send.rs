//! One command on its way: the one place where something goes out that the app may notice.

use std::{convert::Infallible, time::Duration};

use agent_device_core::{
    Call, DispatchDisclosure as _,
    dispatch::{SendGuard, Verdict, rows::ios_runner as rows},
    observe::{End, Judgement, Schedule, observe_until},
};
use tokio::{
    sync::{Mutex, MutexGuard},
    time::Instant,
};

use super::{
    Command, Data, Meta, NoReply, Parse, Runner, RunnerError, Shared, Skip, Unwritten,
    command::{Preflight, Traits},
    recover::Journal,
    reply::read,
    session::Session,
    transport::{Reply, Unanswered},
};
use crate::{
    error::{Fate, RunnerFailure, Told},
    tools::Patience,
};

/// How often a read that was refused as busy is sent in all, and the pauses between.
const BUSY_TRIES: u32 = 8;
const BUSY_PAUSE: Duration = Duration::from_millis(200);
const BUSY_LONGEST: Duration = Duration::from_secs(1);
/// Codes after which a runner is not used any more.
const FATAL_CODES: [&str; 3] = [
    "XCTEST_RECORDED_FAILURE",
    "RUNNER_WEDGED",
    "IOS_AX_SNAPSHOT_FAILED",
];
const INVALID_AFTER_CONNECT: &str = "runner_connect_failed_before_command_send";
const INVALID_AFTER_PREFLIGHT: &str = "runner_readiness_preflight_failed_before_command_send";

/// What one request has used up.
#[derive(Debug, Default)]
pub(super) struct Spent {
    /// Its one new runner in place of a broken one.
    pub(super) recycled: bool,
    /// An attempt of which nothing was written.
    pub(super) unwritten: bool,
    /// What a repeated read is reported as when it fails again.
    pub(super) read_again: Option<Fate>,
}

impl Spent {
    fn recycle(&mut self, else_: RunnerFailure) -> Result<(), RunnerFailure> {
        if self.recycled {
            return Err(else_);
        }
        self.recycled = true;
        Ok(())
    }
}

impl Runner {
    /// One command, by the runner's own fields.
    pub(crate) async fn ask(&self, command: &Command, call: &Call) -> Result<Data, RunnerFailure> {
        self.run(command, &plain, call).await
    }

    /// One command. A read that the runner refuses as busy goes out again.
    pub(crate) async fn run<T>(
        &self,
        command: &Command,
        parse: Parse<'_, T>,
        call: &Call,
    ) -> Result<T, RunnerFailure> {
        let spent = Mutex::<Spent>::default();
        let send = || async {
            self.send(command, parse, &mut *spent.lock().await, call)
                .await
        };
        let first = send().await;
        if command.verb.traits().mutates || !is_busy(&first) {
            return first;
        }
        let verdict = |answer: &Result<T, RunnerFailure>, _: Option<&_>, sent_again: u32| {
            let pause = BUSY_PAUSE
                .saturating_mul(1 << sent_again.min(8))
                .min(BUSY_LONGEST);
            let tries = sent_again + 1;
            if is_busy(answer) && tries < BUSY_TRIES && pause < call.remaining() {
                Judgement::Continue {
                    budget: None,
                    pause: Some(pause),
                }
            } else {
                Judgement::Done(())
            }
        };
        let observed = observe_until(
            Schedule::new("runner-busy", BUSY_PAUSE, call.remaining()),
            call.cancel(),
            Some(first),
            |_| async { Ok::<_, Infallible>(send().await) },
            |_| false,
            verdict,
        );
        match observed.await.end {
            End::Done { value, .. } => value,
            End::Expired {
                last: Some(answer), ..
            } => answer,
            _ => Err(RunnerFailure::lost(NoReply::Canceled, None)),
        }
    }

    /// One command, on a session that will not be used again. For looking once more before it goes.
    pub(crate) async fn ask_last<T>(
        &self,
        command: &Command,
        parse: Parse<'_, T>,
        call: &Call,
    ) -> Result<T, RunnerFailure> {
        let mut slot = self.turn(call).await?;
        let session = there(&mut slot)?;
        let id = Shared::next_id(command.verb);
        let app = self.app();
        let answer = self
            .post(session, command, &id, app.as_deref(), &Patience::of(call))
            .await;
        match answer.map(|reply| reply.read(parse)) {
            Ok(Some(Ok((value, _)))) => Ok(value),
            Ok(Some(Err(error))) => Err(RunnerFailure::Said {
                error,
                told: Told::Reply,
                skip: None,
            }),
            Ok(None) => Err(RunnerFailure::lost(NoReply::Garbage, None)),
            Err(Unanswered::Unwritten(why)) => Err(RunnerFailure::unwritten(why)),
            Err(Unanswered::Written(why)) => Err(RunnerFailure::lost(why, None)),
        }
    }

    /// Waits until the command before is done.
    pub(super) async fn turn(
        &self,
        call: &Call,
    ) -> Result<MutexGuard<'_, Option<Session>>, RunnerFailure> {
        tokio::select! {
            biased;
            slot = self.shared.session.lock() => Ok(slot),
            () = call.cancel().cancelled() => Err(RunnerFailure::CanceledUnsent),
            () = tokio::time::sleep_until(call.deadline()) => Err(RunnerFailure::DeadlineUnsent("the command before it")),
        }
    }

    /// Sends a command to a runner that answers: to a second one only if nothing of it was written to the first, or if it only
    /// reads.
    async fn send<T>(
        &self,
        command: &Command,
        parse: Parse<'_, T>,
        spent: &mut Spent,
        call: &Call,
    ) -> Result<T, RunnerFailure> {
        let patience = Patience::of(call);
        let traits = command.verb.traits();
        let mut slot = self.turn(call).await?;
        // One app for the whole command: another one may be opened meanwhile.
        let app = self.app();
        let app = app.as_deref();
        loop {
            let skip = self.reach(&mut slot, traits, app, spent, &patience).await?;
            let session = there(&mut slot)?;
            // Until an action has worked again, nothing proves that the runner is there.
            let healthy = session.healthy.take();
            let id = Shared::next_id(command.verb);
            let guard = traits.mutates.then(|| call.send());
            let why = match self.post(session, command, &id, app, &patience).await {
                Ok(reply) => match reply.read(parse) {
                    Some(answer) => {
                        let heard = Heard {
                            told: Told::Reply,
                            app,
                            healthy,
                            skip,
                        };
                        return self.heed(session, traits, answer, heard, guard);
                    }
                    None => NoReply::Garbage,
                },
                Err(Unanswered::Unwritten(why)) => {
                    settle(
                        guard,
                        Some(rows::PRE_SEND_CONNECT_REFUSED_BEFORE_WRITE.into()),
                    );
                    if !matches!(why, Unwritten::Refused(_) | Unwritten::Timeout) {
                        return Err(RunnerFailure::unwritten(why));
                    }
                    spent.recycle(RunnerFailure::unwritten(why))?;
                    self.shared
                        .invalidate(&mut slot, INVALID_AFTER_CONNECT, &patience)
                        .await;
                    spent.unwritten = true;
                    continue;
                }
                Err(Unanswered::Written(why)) => why,
            };
            if matches!(
                why,
                NoReply::Timeout | NoReply::Deadline | NoReply::Canceled | NoReply::TooLarge(_)
            ) {
                settle(guard, None);
                return Err(RunnerFailure::lost(why, skip));
            }
            let journal = self.shared.journal(session, &id, command.verb).await;
            let told = match &journal {
                Journal::Reply(json) => parse(json.as_bytes()),
                Journal::Failed(error) => Some(Err(error.clone())),
                _ => None,
            };
            if let Some(answer) = told {
                let heard = Heard {
                    told: Told::Journal,
                    app,
                    healthy,
                    skip,
                };
                return self.heed(session, traits, answer, heard, guard);
            }
            settle(guard, None);
            let garbage = matches!(why, NoReply::Garbage);
            let fate = self
                .fate_of(&mut slot, command, spent, &journal, garbage, &patience)
                .await;
            if let Some(fate) = fate {
                let source = match why {
                    NoReply::Closed(source) => source,
                    _ => None,
                };
                return Err(RunnerFailure::ReplyLost { fate, skip, source });
            }
        }
    }

    /// Sees to it that a runner is there and answers. Why it was not asked, if it was not.
    async fn reach(
        &self,
        slot: &mut Option<Session>,
        traits: Traits,
        app: Option<&str>,
        spent: &mut Spent,
        patience: &Patience,
    ) -> Result<Option<Skip>, RunnerFailure> {
        loop {
            self.shared.ready(self, slot, spent, patience).await?;
            let asked = self.shared.preflight(there(slot)?, traits, app, patience);
            match asked.await {
                Ok(skip) => return Ok(skip),
                Err(
                    Unanswered::Unwritten(Unwritten::Canceled)
                    | Unanswered::Written(NoReply::Canceled),
                ) => return Err(RunnerFailure::CanceledUnsent),
                Err(
                    Unanswered::Unwritten(Unwritten::Deadline)
                    | Unanswered::Written(NoReply::Deadline),
                ) => {
                    return Err(RunnerFailure::DeadlineUnsent(
                        "the runner to say that it is there",
                    ));
                }
                Err(Unanswered::Unwritten(Unwritten::Gone)) => {
                    return Err(RunnerFailure::DeviceGone);
                }
                Err(_) => {
                    spent.recycle(RunnerFailure::Preflight)?;
                    self.shared
                        .invalidate(slot, INVALID_AFTER_PREFLIGHT, patience)
                        .await;
                }
            }
        }
    }

    /// Writes the command, once.
    async fn post(
        &self,
        session: &mut Session,
        command: &Command,
        id: &str,
        app: Option<&str>,
        patience: &Patience,
    ) -> Result<Reply, Unanswered> {
        let body = command.body(Some(id), app);
        let limit = self
            .config()
            .command_timeout
            .saturating_add(command.duration);
        let answer = self
            .shared
            .exchange(session, body, command.bound, limit, patience)
            .await;
        session.used = Instant::now();
        answer
    }

    /// What an answer means for the caller, for the runner's session and for the ledger.
    fn heed<T>(
        &self,
        session: &mut Session,
        traits: Traits,
        answer: Result<(T, Meta), RunnerError>,
        heard: Heard<'_>,
        guard: Option<SendGuard>,
    ) -> Result<T, RunnerFailure> {
        let Heard {
            told,
            app,
            healthy,
            skip,
        } = heard;
        session.fresh = false;
        match answer {
            Ok((value, meta)) => {
                if let Some(guard) = guard {
                    guard.landed();
                }
                session.busy = meta.busy;
                session.healthy = match (traits.preflight, &meta.fatal) {
                    (_, Some(_)) => None,
                    (Preflight::UnlessHealthy, None) => {
                        Some((app.map(str::to_owned), Instant::now()))
                    }
                    // A read proves nothing about actions, and takes nothing from one.
                    _ => healthy,
                };
                session.doomed = meta.fatal.or(session.doomed.take());
                Ok(value)
            }
            Err(error) => {
                if FATAL_CODES.contains(&error.code.as_str()) {
                    session.doomed = Some(error.code.to_lowercase());
                } else {
                    session.healthy = healthy;
                }
                let failure = RunnerFailure::Said { error, told, skip };
                settle(guard, failure.verdict());
                Err(failure)
            }
        }
    }
}

/// How an answer came to be known, and what was known before it was asked for.
struct Heard<'a> {
    told: Told,
    /// The app that the command was for.
    app: Option<&'a str>,
    healthy: Option<(Option<String>, Instant)>,
    skip: Option<Skip>,
}

fn there(slot: &mut Option<Session>) -> Result<&mut Session, RunnerFailure> {
    slot.as_mut()
        .ok_or(RunnerFailure::Unreached { source: None })
}

/// Whether the runner itself has just refused it for the work that it has.
fn is_busy<T>(answer: &Result<T, RunnerFailure>) -> bool {
    matches!(answer, Err(RunnerFailure::Said { error, told: Told::Reply, .. }) if error.code == "RUNNER_BUSY")
}

fn plain(body: &[u8]) -> Option<Result<(Data, Meta), RunnerError>> {
    let answer = read(body)?;
    Some(answer.map(|mut data| {
        let meta = Meta {
            fatal: data
                .runner_fatal
                .then(|| data.runner_fatal_reason.take().unwrap_or_default()),
            busy: data.runner_main_thread_busy,
        };
        (data, meta)
    }))
}

fn settle(guard: Option<SendGuard>, verdict: Option<Verdict>) {
    let Some(guard) = guard else { return };
    match verdict {
        Some(Verdict::No(row)) => guard.refused(row),
        _ => guard.uncertain(),
    }
}
