//! One runner that has answered, and how it comes to be.

use std::{
    convert::Infallible,
    sync::{Arc, Weak},
    time::Duration,
};

use agent_device_core::observe::{End, Judgement, Schedule, observe_until};
use tokio::{sync::OwnedMutexGuard, task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    Runner, Shared,
    launch::{Launched, RunnerProcess},
    transport::{Route, Unanswered, Unwritten},
};
use crate::{
    error::StartFailure,
    tools::{Nearest, Patience},
};

/// How long a runner that somebody else keeps may refuse connections until it counts as gone.
const KEPT: Duration = Duration::from_secs(1);
/// How long a phone may be away while a runner starts on it. A choice: enough for a plug that sits loose.
const AWAY: Duration = Duration::from_secs(3);
/// One question while a runner starts.
const QUESTION: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(300);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A runner that has answered.
#[derive(Debug)]
pub(super) struct Session {
    route: Route,
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
    /// When it was last used.
    pub(super) used: Instant,
    _idle: AbortOnDrop,
}

impl Session {
    pub(super) fn has_ended(&self) -> bool {
        self.process
            .as_ref()
            .is_some_and(|process| process.running.exit_code().is_some())
    }

    /// Ends its process, without a question. What takes longer than the caller has goes on behind it.
    pub(super) async fn give_up(mut self, patience: &Patience) {
        if let Some(process) = &mut self.process {
            process.end(patience).await;
        }
    }

    /// The way to it. It says itself where it listens; usually where it was told to.
    pub(super) fn route(&self) -> Route {
        let said = self
            .process
            .as_ref()
            .and_then(|process| process.heard.borrow().port);
        match said {
            Some(port) => self.route.at(port),
            None => self.route.clone(),
        }
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
        () = patience.cancel.cancelled() => return Err(StartFailure::Canceled),
        launched = shared.launcher.launch(patience) => launched.map_err(StartFailure::Launch)?,
    };
    let Launched {
        route,
        token,
        process,
    } = launched;
    let mut session = Session {
        route,
        token,
        process,
        healthy: None,
        fresh: true,
        busy: false,
        doomed: None,
        used: Instant::now(),
        _idle: AbortOnDrop(tokio::spawn(stop_when_idle(
            Arc::downgrade(&runner.shared),
            shared.config.idle_stop,
        ))),
    };
    let time = patience.within(shared.config.startup_timeout);
    // By somebody else: there is no process of ours to look at.
    let is_kept = session.process.is_none();
    let begun = Instant::now();
    let mut seen = begun;
    let mut pause = PAUSE;
    let observed = observe_until(
        // The pauses are within the looks: a sign of the process ends them.
        Schedule::new("runner-start", Duration::ZERO, time.remaining()),
        &time.cancel,
        None,
        |_| {
            let look = look(shared, &session, jittered(pause), &time);
            pause = (pause * 2).min(LONGEST_PAUSE);
            look
        },
        |_| false,
        |look, _, _| match look {
            Look::Ready { .. } => Judgement::Done(()),
            Look::Gone if seen.elapsed() >= AWAY => Judgement::Done(()),
            Look::Gone => Judgement::go_on(),
            Look::Refused { at } if is_kept && at.duration_since(begun) >= KEPT => {
                Judgement::Done(())
            }
            Look::Refused { .. } | Look::Silent => {
                seen = Instant::now();
                Judgement::go_on()
            }
        },
    );
    let failure = match observed.await.end {
        End::Done {
            value: Look::Ready { busy },
            ..
        } => {
            (session.busy, session.used) = (busy, Instant::now());
            return Ok(session);
        }
        End::Done {
            value: Look::Refused { .. },
            ..
        }
        | End::Expired {
            last: Some(Look::Refused { .. }),
            ..
        } if is_kept => StartFailure::NobodyThere(session.route.to_string()),
        End::Done { .. } => StartFailure::Gone,
        End::Failed { error, .. } => error,
        End::Canceled => StartFailure::Canceled,
        End::Expired { .. } | End::Stalled { .. } => {
            ended(&session).unwrap_or_else(|| not_ready(&session, time.nearest))
        }
    };
    if let Some(process) = session.process.as_ref().filter(|_| failure.is_of_build()) {
        process.forget_build();
    }
    session.give_up(patience).await;
    Err(failure)
}

/// What a look at a runner that starts found.
enum Look {
    /// It has answered.
    Ready { busy: bool },
    /// Not yet.
    Silent,
    /// Nor did anybody listen then.
    Refused { at: Instant },
    /// Nor is its device there.
    Gone,
}

/// Asks whether the runner is there. If it does not answer, waits for a sign of its process, but no longer than the pause.
async fn look(
    shared: &Shared,
    session: &Session,
    pause: Duration,
    patience: &Patience,
) -> Result<Look, StartFailure> {
    let process = session.process.as_ref();
    let mut heard = process.map(|process| process.heard.clone());
    if let Some(heard) = &mut heard {
        heard.mark_unchanged();
    }
    if let Some(failure) = ended(session) {
        return Err(failure);
    }
    let found = match shared.uptime(session, QUESTION, patience).await {
        Ok(busy) => return Ok(Look::Ready { busy }),
        Err(Unanswered::Unwritten(Unwritten::Refused(_))) => Look::Refused { at: Instant::now() },
        Err(Unanswered::Unwritten(Unwritten::Gone)) => Look::Gone,
        Err(_) => Look::Silent,
    };
    let sign = async {
        match (process, &mut heard) {
            (Some(process), Some(heard)) => tokio::select! {
                _ = heard.changed() => {}
                _ = process.running.exited() => {}
            },
            _ => std::future::pending().await,
        }
    };
    let sign = tokio::time::timeout(pause.min(patience.remaining()), sign);
    // Without a sign it is asked again all the same.
    patience.cancel.run_until_cancelled(sign).await;
    Ok(found)
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

fn not_ready(session: &Session, nearest: Nearest) -> StartFailure {
    let process = session.process.as_ref();
    StartFailure::NotReady {
        cause: process.and_then(|process| process.heard.borrow().cause.clone()),
        output: process.map_or_else(String::new, |process| process.running.tail()),
        nearest,
    }
}

/// Stops the session after silence. A runner holds the device awake, and its tests hold a Mac's screen saver.
async fn stop_when_idle(shared: Weak<Shared>, idle: Duration) {
    let look = || {
        let Some(shared) = shared.upgrade() else {
            return Silence::Over;
        };
        // Whoever holds the lock is using the session.
        let Ok(slot) = Arc::clone(&shared.session).try_lock_owned() else {
            return Silence::For(Duration::ZERO);
        };
        match slot.as_ref().map(|session| session.used.elapsed()) {
            Some(silent) if silent < idle => Silence::For(silent),
            _ => Silence::Long(shared, slot),
        }
    };
    let never = CancellationToken::new();
    let observed = observe_until(
        Schedule::new("runner-idle", idle, Duration::MAX),
        &never,
        None,
        |_| std::future::ready(Ok::<_, Infallible>(look())),
        |_| false,
        |silence, _, _| match silence {
            Silence::For(silent) => Judgement::Continue {
                budget: None,
                pause: Some(idle.saturating_sub(*silent)),
            },
            _ => Judgement::Done(()),
        },
    );
    if let End::Done {
        value: Silence::Long(shared, mut slot),
        ..
    } = observed.await.end
    {
        // This task belongs to the session, and ends with it. The slot stays taken: a command that comes meanwhile waits for its
        // turn, and starts a runner when this one has given the device back.
        tokio::spawn(async move { shared.stop(&mut slot).await });
    }
}

/// How long nothing was asked of a session.
enum Silence {
    For(Duration),
    /// As long as it takes. It is the looker's now.
    Long(Arc<Shared>, OwnedMutexGuard<Option<Session>>),
    /// All that could ask are gone.
    Over,
}
