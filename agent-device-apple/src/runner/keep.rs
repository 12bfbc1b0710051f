//! Keeping a runner: one is there before a command goes out, it is asked whether it answers, given up, or stopped.

use std::{sync::atomic::Ordering, time::Duration};

use super::{
    Bound, Command, NoReply, Runner, RunnerState, Shared, Skip, Verb,
    command::{Preflight, Traits},
    reply::read,
    send::Spent,
    session::{self, Session},
    transport::{Posted, Reply, Unanswered, exchange},
};
use crate::{
    error::{Fate, RunnerFailure, StartFailure},
    tools::Patience,
};

impl Shared {
    /// One request of the runner, and its answer.
    pub(super) async fn exchange(
        &self,
        session: &Session,
        body: Vec<u8>,
        bound: Bound,
        limit: Duration,
        patience: &Patience,
    ) -> Result<Reply, Unanswered> {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        let gone = async {
            match &session.process {
                Some(process) => process.running.exited().await,
                None => std::future::pending().await,
            }
        };
        let posted = Posted {
            body: body.into(),
            token: session.token.as_deref(),
            bound,
        };
        let route = session.route();
        let answer = exchange(&route, posted, limit, patience);
        tokio::pin!(answer);
        tokio::select! {
            biased;
            answer = &mut answer => answer,
            // A process that has ended answers nothing more; what is on its way arrives within a moment.
            _ = gone => match tokio::time::timeout(Duration::from_millis(100), answer).await {
                Ok(answer) => answer,
                Err(_) => Err(Unanswered::Written(NoReply::Closed(None))),
            },
        }
    }

    /// Sees to it that there is a session whose runner can be used.
    pub(super) async fn ready(
        &self,
        runner: &Runner,
        slot: &mut Option<Session>,
        spent: &mut Spent,
        patience: &Patience,
    ) -> Result<(), RunnerFailure> {
        if let Some(session) = slot.as_ref() {
            // Neither has used up anything of this request.
            let why = match &session.doomed {
                _ if session.has_ended() => Some("runner_process_ended".to_owned()),
                doomed => doomed.clone(),
            };
            if let Some(why) = why {
                self.invalidate(slot, &why, patience).await;
            }
        }
        if slot.is_some() {
            return Ok(());
        }
        // It may have gone with the runner of before, whose end then goes on behind this and still has the lease.
        if patience.remaining().is_zero() {
            return Err(RunnerFailure::DeadlineUnsent(
                "the end of a runner that can't be used",
            ));
        }
        let mut phase = self.phase(RunnerState::Starting);
        match session::start(self, runner, patience).await {
            Ok(session) => {
                *slot = Some(session);
                self.starts.fetch_add(1, Ordering::Relaxed);
                phase.after = RunnerState::Ready;
                Ok(())
            }
            Err(start) => Err(match start {
                StartFailure::Gone => RunnerFailure::DeviceGone,
                start if spent.unwritten => RunnerFailure::Unreached {
                    source: Some(start.into()),
                },
                start if spent.read_again.is_some() => RunnerFailure::ReplyLost {
                    fate: Fate::ReadAgain,
                    skip: None,
                    source: Some(start.into()),
                },
                StartFailure::Canceled => RunnerFailure::CanceledUnsent,
                start => RunnerFailure::NotStarted(start),
            }),
        }
    }

    /// Asks whether the runner is there, unless something has just proven it.
    pub(super) async fn preflight(
        &self,
        session: &mut Session,
        traits: Traits,
        app: Option<&str>,
        patience: &Patience,
    ) -> Result<Option<Skip>, Unanswered> {
        let healthy = session.healthy.as_ref();
        let why = match traits.preflight {
            Preflight::Never => return Ok(None),
            Preflight::UnlessFirst if session.fresh => return Ok(None),
            Preflight::UnlessFirst | Preflight::Always => "conservative_command",
            Preflight::UnlessHealthy => match healthy.map(|(app, at)| (app, at.elapsed())) {
                None => "no_recent_healthy_mutation",
                Some((touched, _)) if touched.as_deref() != app => "app_activation_uncertain",
                Some((_, age)) if age > self.config.healthy_for => "healthy_mutation_stale",
                Some(_) if session.busy => "main_thread_busy",
                Some((_, age)) => {
                    return Ok(Some(Skip {
                        reason: "recent_healthy_mutation",
                        age,
                    }));
                }
            },
        };
        tracing::trace!(name: "agent_device.apple.preflight", why, "asking whether the runner is there");
        session.busy = self
            .uptime(session, self.config.preflight_timeout, patience)
            .await?;
        Ok(None)
    }

    /// Whether the runner answers. What it says of its main thread.
    pub(super) async fn uptime(
        &self,
        session: &Session,
        limit: Duration,
        patience: &Patience,
    ) -> Result<bool, Unanswered> {
        let body = Command::new(Verb::Uptime).body(None, None);
        let answer = self
            .exchange(session, body, Bound::SMALL, limit, patience)
            .await?;
        match answer.read(read) {
            Some(Ok(data)) => Ok(data.runner_main_thread_busy),
            _ => Err(Unanswered::Written(NoReply::Garbage)),
        }
    }

    /// Gives a runner up that can't be relied on, within the caller's time. It is not asked to end: it would not answer, or
    /// answer and not be able to.
    pub(super) async fn invalidate(
        &self,
        slot: &mut Option<Session>,
        why: &str,
        patience: &Patience,
    ) {
        let Some(session) = slot.take() else { return };
        tracing::debug!(name: "agent_device.apple.invalidate", why, "giving a runner up");
        let _phase = self.phase(RunnerState::Draining);
        session.give_up(patience).await;
    }

    /// Ends a runner that answers: it is asked to, then told to. One that somebody else keeps is left alone.
    pub(super) async fn stop(&self, slot: &mut Option<Session>) {
        const ASK: Duration = Duration::from_secs(15);
        const END: Duration = Duration::from_secs(10);
        let Some(mut session) = slot.take() else {
            return;
        };
        let _phase = self.phase(RunnerState::Draining);
        if session.process.is_some() && !session.has_ended() && session.doomed.is_none() {
            let body = Command::new(Verb::Shutdown).body(None, None);
            let asked = self
                .exchange(&session, body, Bound::SMALL, ASK, &Patience::alone(ASK))
                .await;
            if asked.is_ok()
                && let Some(process) = &mut session.process
            {
                process.ends_itself(END).await;
            }
        }
        session.give_up(&Patience::alone(END)).await;
    }
}
