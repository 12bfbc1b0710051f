//! The runner of one device: its session, and one command at a time.
//!
//! A command that the app can notice is written once. It goes to another runner only if not a byte of it was written to the first;
//! whatever was written and lost is looked up in the runner's journal, and reported. Reads may go out again.
//!
//! What may not be here: knowledge of what actions mean.

mod command;
mod keep;
mod launch;
mod lease;
mod markers;
mod recover;
mod reply;
mod send;
mod session;
mod transport;
mod tunnel;
mod usbmux;

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex as Lock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use agent_device_core::{Call, observe::Judgement};
use tokio::sync::Mutex;

pub(crate) use command::{Command, Verb};
pub(crate) use launch::{Apps, LaunchFailure, Launcher};
pub(crate) use reply::{Data, RunnerError};
pub(crate) use transport::{Bound, NoReply, Unwritten};

use self::{session::Session, transport::Route};
use crate::{config::AppleConfig, tools::Patience};

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
    // Shared, so that a task that stops the session holds it as long as a command would.
    session: Arc<Mutex<Option<Session>>>,
    phase: Lock<RunnerState>,
    round_trips: AtomicU64,
    starts: AtomicU64,
}

impl Runner {
    pub(crate) fn new(launcher: Launcher, config: AppleConfig) -> Self {
        Self {
            shared: Arc::new(Shared {
                launcher,
                app: Lock::new(config.app.clone()),
                config,
                session: Arc::default(),
                phase: Lock::new(RunnerState::Stopped),
                round_trips: AtomicU64::new(0),
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

    /// Where the runner listens.
    pub(crate) async fn address(&self) -> Option<SocketAddr> {
        match self.shared.session.lock().await.as_ref()?.route() {
            Route::Tcp(address) => Some(address),
            Route::Device { .. } => None,
        }
    }

    /// How many requests were made of runners, questions whether they are there among them.
    pub(crate) fn round_trips(&self) -> u64 {
        self.shared.round_trips.load(Ordering::Relaxed)
    }

    /// How many runners were started, or taken over.
    pub(crate) fn starts(&self) -> u64 {
        self.shared.starts.load(Ordering::Relaxed)
    }

    /// Ends the session: the runner is asked to end, then its process is told to.
    pub(crate) async fn close(&self) {
        let mut slot = self.shared.session.lock().await;
        self.shared.stop(&mut slot).await;
    }

    /// Gives the runner up that did not do what it must do. It is not asked to end.
    pub(crate) async fn give_up(&self, why: &str, call: &Call) {
        if let Ok(mut slot) = self.turn(call).await {
            let patience = Patience::of(call);
            self.shared.invalidate(&mut slot, why, &patience).await;
        }
    }
}

impl Shared {
    fn app(&self) -> Option<String> {
        self.app
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Something is done to the session. Unless it gets to its end, nothing runs afterwards.
    fn phase(&self, now: RunnerState) -> Phase<'_> {
        self.set_phase(now);
        Phase {
            shared: self,
            after: RunnerState::Stopped,
        }
    }

    fn set_phase(&self, phase: RunnerState) {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner) = phase;
    }

    /// Ids are never used twice, also not by two of us that share a runner.
    fn next_id(verb: Verb) -> String {
        static PROCESS: std::sync::LazyLock<String> = std::sync::LazyLock::new(crate::tools::word);
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        format!("{}-{}-{count}", verb.as_str(), *PROCESS)
    }
}

/// Something that is being done to the session. What is true when it is over, or given up, is told then.
struct Phase<'a> {
    shared: &'a Shared,
    after: RunnerState,
}

impl Drop for Phase<'_> {
    fn drop(&mut self) {
        self.shared.set_phase(self.after);
    }
}

/// What the fuzzer reads with.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing {
    pub(crate) use super::usbmux::fuzz as frame;

    pub(crate) fn reply(body: &[u8]) {
        if let Some(Ok(data)) = super::reply::read(body) {
            drop(super::recover::of(&data, super::Verb::Tap));
        }
    }

    pub(crate) fn marks(printed: &str) {
        printed
            .lines()
            .for_each(|line| drop(super::markers::marker_in(line)));
    }
}

fn done_if(done: bool) -> Judgement<()> {
    if done {
        Judgement::Done(())
    } else {
        Judgement::go_on()
    }
}
