//! The runner of one device: its session, and one command at a time.
//!
//! A command that the app can notice is written once. It goes to another runner only if not a byte of it was written to the first;
//! whatever was written and lost is looked up in the runner's journal, and reported. Reads may go out again.
//!
//! What may not be here: knowledge of what actions mean.

mod command;
mod launch;
mod lease;
mod markers;
mod recover;
mod reply;
mod session;
mod transport;
mod tunnel;
mod usbmux;

use std::{
    sync::{
        Arc, Mutex as Lock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use agent_device_core::{
    Call, DispatchDisclosure as _,
    dispatch::{SendGuard, Verdict, rows::ios_runner as rows},
};
use tokio::{
    sync::{Mutex, MutexGuard},
    time::Instant,
};

pub(crate) use command::{Command, Verb};
pub(crate) use launch::{Apps, LaunchFailure, Launcher};
pub(crate) use reply::{Data, RunnerError};
pub(crate) use transport::{Lost, Unwritten};

use self::{
    command::{Preflight, Traits},
    recover::Journal,
    reply::read,
    session::Session,
    transport::{Posted, Unanswered, exchange},
};
use crate::{
    config::AppleConfig,
    error::{After, RunnerFailure, StartFailure, Told},
    tools::Patience,
};

/// Where a runner's session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunnerState {
    /// No runner runs for us. The next operation starts one.
    Stopped,
    /// One is being started.
    Starting,
    /// It has answered.
    Ready,
    /// It is being told to end.
    Draining,
}

/// Why the runner was not asked whether it is there, before a command that then failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skip {
    pub(crate) reason: &'static str,
    pub(crate) age: Duration,
}

/// What an answer says about the runner itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meta {
    /// The answer is usable, the runner is not any more.
    pub(crate) fatal: Option<String>,
    /// Work that it gave up on still holds its main thread.
    pub(crate) busy: bool,
}

/// Reads an answer; `None` if it is none.
pub(crate) type Parse<'a, T> = &'a (dyn Fn(&[u8]) -> Option<Result<(T, Meta), RunnerError>> + Sync);

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

/// The runner of one device.
#[derive(Clone, Debug)]
pub(crate) struct Runner {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    launcher: Launcher,
    config: AppleConfig,
    app: Lock<Option<String>>,
    session: Mutex<Option<Session>>,
    phase: Lock<RunnerState>,
    round_trips: AtomicU64,
    commands: AtomicU64,
    starts: AtomicU64,
}

/// What one request has used up.
#[derive(Debug, Default)]
struct Spent {
    /// Its one new runner in place of a broken one.
    recycled: bool,
    /// An attempt of which nothing was written.
    unwritten: bool,
    /// What a repeated read is reported as when it fails again.
    read_again: Option<After>,
    busy: u32,
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
    pub(crate) fn new(launcher: Launcher, config: AppleConfig) -> Self {
        Self {
            shared: Arc::new(Shared {
                launcher,
                app: Lock::new(config.app.clone()),
                config,
                session: Mutex::default(),
                phase: Lock::new(RunnerState::Stopped),
                round_trips: AtomicU64::new(0),
                commands: AtomicU64::new(0),
                starts: AtomicU64::new(0),
            }),
        }
    }

    pub(crate) fn launcher(&self) -> &Launcher {
        &self.shared.launcher
    }

    pub(crate) fn config(&self) -> &AppleConfig {
        &self.shared.config
    }

    /// The app that commands are addressed to.
    pub(crate) fn app(&self) -> Option<String> {
        self.shared.app()
    }

    pub(crate) fn set_app(&self, app: Option<&str>) {
        *self
            .shared
            .app
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = app.map(str::to_owned);
    }

    pub(crate) fn state(&self) -> RunnerState {
        *self
            .shared
            .phase
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// How many requests were made of runners, questions whether they are there among them.
    pub(crate) fn round_trips(&self) -> u64 {
        self.shared.round_trips.load(Ordering::Relaxed)
    }

    /// How many runners were started, or taken over.
    pub(crate) fn starts(&self) -> u64 {
        self.shared.starts.load(Ordering::Relaxed)
    }

    /// One command, by the runner's own fields.
    pub(crate) async fn ask(&self, command: &Command, call: &Call) -> Result<Data, RunnerFailure> {
        self.run(command, &plain, call).await
    }

    /// One command, on a session that will not be used again. For looking once more before it goes.
    pub(crate) async fn ask_last<T>(
        &self,
        command: &Command,
        parse: Parse<'_, T>,
        call: &Call,
    ) -> Result<T, RunnerFailure> {
        let mut slot = self.turn(call).await?;
        let Some(session) = slot.as_mut() else {
            return Err(RunnerFailure::Unreached { source: None });
        };
        let patience = Patience::of(call);
        let limit = self.shared.config.command_timeout;
        let id = self.shared.next_id(command.verb);
        let app = self.app();
        let body = command.body(Some(&id), app.as_deref());
        let answer = self
            .shared
            .exchange(session, body, command.limit, limit, &patience)
            .await;
        match answer.map(|body| parse(&body)) {
            Ok(Some(Ok((value, _)))) => Ok(value),
            Ok(Some(Err(error))) => Err(RunnerFailure::Said {
                error,
                told: Told::Reply,
                skip: None,
            }),
            Ok(None) => Err(RunnerFailure::lost(Lost::Garbage, None)),
            Err(Unanswered::Unwritten(why)) => Err(RunnerFailure::unwritten(why)),
            Err(Unanswered::Lost(lost)) => Err(RunnerFailure::lost(lost, None)),
        }
    }

    /// One command: the one place where something goes out that the app may notice.
    pub(crate) async fn run<T>(
        &self,
        command: &Command,
        parse: Parse<'_, T>,
        call: &Call,
    ) -> Result<T, RunnerFailure> {
        let patience = Patience::of(call);
        let mut slot = self.turn(call).await?;
        let mut spent = Spent::default();
        loop {
            self.shared
                .ready(self, &mut slot, &mut spent, &patience)
                .await?;
            let Some(session) = slot.as_mut() else {
                return Err(RunnerFailure::Unreached { source: None });
            };
            let app = self.app();
            let skip = match self
                .shared
                .preflight(session, command.verb.traits(), app.as_deref(), &patience)
                .await
            {
                Ok(skip) => skip,
                Err(
                    Unanswered::Unwritten(Unwritten::Canceled) | Unanswered::Lost(Lost::Canceled),
                ) => {
                    return Err(RunnerFailure::CanceledUnsent);
                }
                Err(_) if patience.remaining().is_zero() => {
                    return Err(RunnerFailure::DeadlineUnsent);
                }
                Err(Unanswered::Unwritten(Unwritten::Gone)) => {
                    return Err(RunnerFailure::DeviceGone);
                }
                Err(_) => {
                    self.shared
                        .invalidate(&mut slot, INVALID_AFTER_PREFLIGHT)
                        .await;
                    spent.recycle(RunnerFailure::Preflight)?;
                    continue;
                }
            };
            // Until an action has worked again, nothing proves that the runner is there.
            let healthy = session.healthy.take();
            let id = self.shared.next_id(command.verb);
            let guard = command.verb.traits().mutates.then(|| call.send());
            let limit = self
                .shared
                .config
                .command_timeout
                .saturating_add(command.duration);
            let body = command.body(Some(&id), app.as_deref());
            let answer = match self
                .shared
                .exchange(session, body, command.limit, limit, &patience)
                .await
            {
                Ok(body) => parse(&body).ok_or(Lost::Garbage),
                Err(Unanswered::Unwritten(why)) => {
                    close(
                        guard,
                        Some(rows::PRE_SEND_CONNECT_REFUSED_BEFORE_WRITE.into()),
                    );
                    if !matches!(why, Unwritten::Refused(_) | Unwritten::Timeout) {
                        return Err(RunnerFailure::unwritten(why));
                    }
                    self.shared
                        .invalidate(&mut slot, INVALID_AFTER_CONNECT)
                        .await;
                    spent.recycle(RunnerFailure::unwritten(why))?;
                    spent.unwritten = true;
                    continue;
                }
                Err(Unanswered::Lost(lost)) => Err(lost),
            };
            let (answer, told) = match answer {
                Ok(answer) => (answer, Told::Reply),
                Err(lost @ (Lost::Timeout | Lost::Canceled | Lost::TooLarge)) => {
                    close(guard, None);
                    return Err(RunnerFailure::lost(lost, skip));
                }
                Err(lost) => {
                    let journal = self.shared.journal(session, &id).await;
                    let told = match &journal {
                        Journal::Reply(json) => parse(json.as_bytes()),
                        Journal::Failed(error) => Some(Err(error.clone())),
                        _ => None,
                    };
                    let Some(answer) = told else {
                        close(guard, None);
                        let garbage = matches!(lost, Lost::Garbage);
                        let after = self
                            .after(&mut slot, command, &mut spent, &journal, garbage)
                            .await;
                        let Some(after) = after else { continue };
                        let source = match lost {
                            Lost::Closed(source) => source,
                            _ => None,
                        };
                        return Err(RunnerFailure::Lost {
                            after,
                            skip,
                            source,
                        });
                    };
                    (answer, Told::Journal)
                }
            };
            match answer {
                Ok((value, meta)) => {
                    if let Some(guard) = guard {
                        guard.landed();
                    }
                    session.fresh = false;
                    session.busy = meta.busy;
                    session.healthy = match (command.verb.traits().preflight, &meta.fatal) {
                        (_, Some(_)) => None,
                        (Preflight::UnlessHealthy, None) => Some((app, Instant::now())),
                        // A read proves nothing about actions, and takes nothing from one.
                        _ => healthy,
                    };
                    session.doomed = meta.fatal.or(session.doomed.take());
                    return Ok(value);
                }
                Err(error) => {
                    let retry = error.code == "RUNNER_BUSY"
                        && !command.verb.traits().mutates
                        && told == Told::Reply
                        && spent.busy + 1 < BUSY_TRIES;
                    session.fresh = false;
                    if FATAL_CODES.contains(&error.code.as_str()) {
                        session.doomed = Some(error.code.to_lowercase());
                    } else {
                        session.healthy = healthy;
                    }
                    let failure = RunnerFailure::Said { error, told, skip };
                    close(guard, failure.verdict());
                    let pause = BUSY_PAUSE
                        .saturating_mul(1 << spent.busy.min(8))
                        .min(BUSY_LONGEST);
                    if !retry || pause >= patience.remaining() {
                        return Err(failure);
                    }
                    spent.busy += 1;
                    tokio::select! {
                        () = tokio::time::sleep(pause) => {}
                        () = patience.cancel.cancelled() => return Err(failure),
                    }
                }
            }
        }
    }

    /// Waits until the command before is done.
    async fn turn(&self, call: &Call) -> Result<MutexGuard<'_, Option<Session>>, RunnerFailure> {
        tokio::select! {
            biased;
            slot = self.shared.session.lock() => Ok(slot),
            () = call.cancel().cancelled() => Err(RunnerFailure::CanceledUnsent),
            () = tokio::time::sleep_until(call.deadline()) => Err(RunnerFailure::DeadlineUnsent),
        }
    }

    /// Ends the session: the runner is asked to end, then its process is told to.
    pub(crate) async fn close(&self) {
        let mut slot = self.shared.session.lock().await;
        self.shared.stop(&mut slot).await;
    }
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

fn close(guard: Option<SendGuard>, verdict: Option<Verdict>) {
    let Some(guard) = guard else { return };
    match verdict {
        Some(Verdict::No(row)) => guard.refused(row),
        _ => guard.uncertain(),
    }
}

impl Shared {
    fn app(&self) -> Option<String> {
        self.app
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn enter(&self, phase: RunnerState) {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner) = phase;
    }

    /// Ids are never used twice, also not by two of us that share a runner.
    fn next_id(&self, verb: Verb) -> String {
        static PROCESS: std::sync::LazyLock<String> = std::sync::LazyLock::new(crate::tools::word);
        static COUNT: AtomicU64 = AtomicU64::new(0);
        self.commands.fetch_add(1, Ordering::Relaxed);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        format!("{}-{}-{count}", verb.as_str(), *PROCESS)
    }

    async fn exchange(
        &self,
        session: &Session,
        body: Vec<u8>,
        max_reply: usize,
        limit: Duration,
        patience: &Patience,
    ) -> Result<Vec<u8>, Unanswered> {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        let gone = async {
            match &session.process {
                Some(process) => process.running.exited().await,
                None => std::future::pending().await,
            }
        };
        let posted = Posted {
            body,
            token: session.token.as_deref(),
            max_reply,
        };
        let answer = exchange(&session.route, posted, limit, patience);
        tokio::pin!(answer);
        tokio::select! {
            biased;
            answer = &mut answer => answer,
            // A process that has ended answers nothing more; what is on its way arrives within a moment.
            _ = gone => match tokio::time::timeout(Duration::from_millis(100), answer).await {
                Ok(answer) => answer,
                Err(_) => Err(Unanswered::Lost(Lost::Closed(None))),
            },
        }
    }

    /// Sees to it that there is a session whose runner can be used.
    async fn ready(
        &self,
        runner: &Runner,
        slot: &mut Option<Session>,
        spent: &mut Spent,
        patience: &Patience,
    ) -> Result<(), RunnerFailure> {
        if let Some(session) = slot.as_ref() {
            if session.has_ended() {
                self.invalidate(slot, "runner_process_ended").await;
                // It ended between two requests: this one has not used up anything yet.
            } else if session.doomed.is_some() {
                self.stop(slot).await;
            }
        }
        if slot.is_some() {
            return Ok(());
        }
        self.enter(RunnerState::Starting);
        match session::start(self, runner, patience).await {
            Ok(session) => {
                *slot = Some(session);
                self.starts.fetch_add(1, Ordering::Relaxed);
                self.enter(RunnerState::Ready);
                Ok(())
            }
            Err(start) => {
                self.enter(RunnerState::Stopped);
                Err(match start {
                    start if spent.unwritten => RunnerFailure::Unreached {
                        source: Some(start.into()),
                    },
                    start if spent.read_again.is_some() => RunnerFailure::Lost {
                        after: After::ReadAgain,
                        skip: None,
                        source: Some(start.into()),
                    },
                    StartFailure::Canceled => RunnerFailure::CanceledUnsent,
                    start => RunnerFailure::NotStarted(start),
                })
            }
        }
    }

    /// Asks whether the runner is there, unless something has just proven it.
    async fn preflight(
        &self,
        session: &mut Session,
        traits: Traits,
        app: Option<&str>,
        patience: &Patience,
    ) -> Result<Option<Skip>, Unanswered> {
        match traits.preflight {
            Preflight::Never => return Ok(None),
            Preflight::UnlessFirst if session.fresh => return Ok(None),
            Preflight::UnlessHealthy => {
                if let Some((healthy, at)) = &session.healthy
                    && !session.busy
                    && healthy.as_deref() == app
                    && at.elapsed() <= self.config.healthy_for
                {
                    let age = at.elapsed();
                    return Ok(Some(Skip {
                        reason: "recent_healthy_mutation",
                        age,
                    }));
                }
            }
            _ => {}
        }
        session.busy = self
            .uptime(session, self.config.preflight_timeout, patience)
            .await?;
        Ok(None)
    }

    /// Whether the runner answers. What it says of its main thread.
    async fn uptime(
        &self,
        session: &Session,
        limit: Duration,
        patience: &Patience,
    ) -> Result<bool, Unanswered> {
        let body = Command::new(Verb::Uptime).body(None, None);
        let answer = self
            .exchange(session, body, 64 << 10, limit, patience)
            .await?;
        match read(&answer) {
            Some(Ok(data)) => Ok(data.runner_main_thread_busy),
            _ => Err(Unanswered::Lost(Lost::Garbage)),
        }
    }

    /// Gives a runner up that can't be relied on. It is not asked to end: it would not answer.
    async fn invalidate(&self, slot: &mut Option<Session>, why: &'static str) {
        let Some(session) = slot.take() else { return };
        tracing::debug!(name: "agent_device.apple.invalidate", why, "giving a runner up");
        self.enter(RunnerState::Draining);
        if let Some(process) = &session.process {
            process.stop().await;
        }
        drop(session);
        self.enter(RunnerState::Stopped);
    }

    /// Ends a runner that answers: it is asked to, then told to. One that somebody else keeps is left alone.
    async fn stop(&self, slot: &mut Option<Session>) {
        const ASK: Duration = Duration::from_secs(15);
        const END: Duration = Duration::from_secs(10);
        let Some(session) = slot.take() else { return };
        self.enter(RunnerState::Draining);
        if let Some(process) = &session.process
            && !session.has_ended()
        {
            let patience = Patience::alone(ASK);
            let body = Command::new(Verb::Shutdown).body(None, None);
            let asked = self
                .exchange(&session, body, 64 << 10, ASK, &patience)
                .await;
            if asked.is_ok() {
                let _ = tokio::time::timeout(END, process.running.exited()).await;
            }
            process.stop().await;
        }
        drop(session);
        self.enter(RunnerState::Stopped);
    }
}
