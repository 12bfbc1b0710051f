//! Keeping a runner: one is there before a command goes out, it is asked whether it answers, given up, or stopped.

use std::{sync::atomic::Ordering, time::Duration};

use super::{
    Command, Lost, Runner, RunnerState, Shared, Skip, Verb,
    command::{Preflight, Traits},
    reply::read,
    send::Spent,
    session::{self, Session},
    transport::{Posted, Unanswered, exchange},
};
use crate::{
    error::{After, RunnerFailure, StartFailure},
    tools::Patience,
};

impl Shared {
    /// One request of the runner, and its answer.
    pub(super) async fn exchange(
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
        let route = session.route();
        let answer = exchange(&route, posted, limit, patience);
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
    pub(super) async fn ready(
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
    pub(super) async fn preflight(
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
    pub(super) async fn uptime(
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
    pub(super) async fn invalidate(&self, slot: &mut Option<Session>, why: &'static str) {
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
    pub(super) async fn stop(&self, slot: &mut Option<Session>) {
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
