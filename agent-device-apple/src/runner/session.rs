//! One runner that has answered, and how it comes to be.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{task::JoinHandle, time::Instant};

use super::{
    Runner, Shared,
    launch::{Launched, RunnerProcess},
    transport::{Route, Unanswered, Unwritten},
};
use crate::{error::StartFailure, tools::Patience};

/// How long a runner that somebody else keeps may refuse connections until it counts as gone.
const KEPT: Duration = Duration::from_secs(1);
/// One question while a runner starts.
const QUESTION: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(300);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A runner that has answered.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) route: Route,
    pub(super) token: Option<String>,
    pub(super) process: Option<RunnerProcess>,
    /// The app to which an action last worked, and when. It dies with the session.
    pub(super) healthy: Option<(Option<String>, Instant)>,
    /// Whether no command was answered yet but the question whether it is there.
    pub(super) fresh: bool,
    /// Whether work that it gave up on holds its main thread.
    pub(super) busy: bool,
    /// Why it is not to be used any more.
    pub(super) doomed: Option<String>,
    _idle: AbortOnDrop,
}

impl Session {
    pub(super) fn has_ended(&self) -> bool {
        self.process
            .as_ref()
            .is_some_and(|process| process.running.exit_code().is_some())
    }
}

#[derive(Debug)]
struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Launches a runner and waits until it has answered a question.
pub(super) async fn start(
    shared: &Shared,
    runner: &Runner,
    patience: &Patience,
) -> Result<Session, StartFailure> {
    let launched = tokio::select! {
        biased;
        launched = shared.launcher.launch(patience) => launched.map_err(StartFailure::Launch)?,
        () = patience.cancel.cancelled() => return Err(StartFailure::Canceled),
    };
    let Launched {
        route,
        token,
        process,
    } = launched;
    let kept = process.is_none();
    let mut session = Session {
        route,
        token,
        process,
        healthy: None,
        fresh: true,
        busy: false,
        doomed: None,
        _idle: AbortOnDrop(tokio::spawn(stop_when_idle(
            Arc::downgrade(&runner.shared),
            shared.config.idle_stop,
        ))),
    };
    let patience = patience.within(shared.config.startup_timeout);
    let begun = Instant::now();
    let mut pause = PAUSE;
    loop {
        if let Some(failure) = ended(&session) {
            return Err(failure);
        }
        adopt_port(&mut session);
        let mut heard = session
            .process
            .as_ref()
            .map(|process| process.heard.clone());
        let answer = shared.uptime(&session, QUESTION, &patience).await;
        match answer {
            Ok(busy) => {
                session.busy = busy;
                return Ok(session);
            }
            Err(_) if patience.cancel.is_cancelled() => return Err(StartFailure::Canceled),
            Err(_) if ended(&session).is_some() => continue,
            Err(Unanswered::Unwritten(Unwritten::Refused(_)))
                if kept && begun.elapsed() >= KEPT =>
            {
                return Err(not_ready(&session));
            }
            Err(_) if pause >= patience.remaining() => return Err(not_ready(&session)),
            Err(_) => {}
        }
        let woken = async {
            match (&session.process, &mut heard) {
                (Some(process), Some(heard)) => tokio::select! {
                    _ = heard.changed() => {}
                    _ = process.running.exited() => {}
                },
                _ => std::future::pending().await,
            }
        };
        tokio::select! {
            () = woken => {}
            () = tokio::time::sleep(jittered(pause)) => pause = (pause * 2).min(LONGEST_PAUSE),
            () = patience.cancel.cancelled() => return Err(StartFailure::Canceled),
        }
    }
}

/// A fifth more or less, so that several starts don't knock at the same times.
fn jittered(pause: Duration) -> Duration {
    use std::hash::{BuildHasher as _, Hasher as _};
    let random = std::hash::RandomState::new().build_hasher().finish() % 41;
    pause * u32::try_from(80 + random).unwrap_or(100) / 100
}

fn ended(session: &Session) -> Option<StartFailure> {
    let process = session.process.as_ref()?;
    let heard = process.heard.borrow();
    if let Some(why) = &heard.failed {
        return Some(StartFailure::Listener(why.clone()));
    }
    process
        .running
        .exit_code()
        .map(|code| StartFailure::Exited {
            code,
            cause: heard.cause.clone(),
            output: process.running.tail(),
        })
}

fn not_ready(session: &Session) -> StartFailure {
    match &session.process {
        Some(process) => StartFailure::NotReady {
            cause: process.heard.borrow().cause.clone(),
            output: process.running.tail(),
        },
        None => StartFailure::NobodyThere(match &session.route {
            Route::Tcp(address) => address.to_string(),
            Route::Device { port, .. } => format!("port {port}"),
        }),
    }
}

/// The runner says where it listens; usually where it was told to.
fn adopt_port(session: &mut Session) {
    let said = session
        .process
        .as_ref()
        .and_then(|process| process.heard.borrow().port);
    match (&mut session.route, said) {
        (Route::Tcp(address), Some(said)) => address.set_port(said),
        (Route::Device { port, .. }, Some(said)) => *port = said,
        _ => {}
    }
}

/// Stops the session after silence. A runner holds the device awake, and its tests hold a Mac's screen saver.
async fn stop_when_idle(shared: Weak<Shared>, idle: Duration) {
    use std::sync::atomic::Ordering;
    let mut seen = None;
    loop {
        tokio::time::sleep(idle).await;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        let now = shared.commands.load(Ordering::Relaxed);
        if seen.replace(now) != Some(now) {
            continue;
        }
        // Whoever holds the lock is using the session.
        if let Ok(mut slot) = shared.session.try_lock() {
            // The task that runs this belongs to the session: it is let go of before it is stopped.
            let stopping = Arc::clone(&shared);
            if let Some(session) = slot.take() {
                drop(slot);
                tokio::spawn(async move {
                    let mut slot = Some(session);
                    stopping.stop(&mut slot).await;
                });
            }
            return;
        }
    }
}
