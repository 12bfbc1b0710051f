//! The helper app on the device: getting it there, its session, and one command at a time.
//!
//! The session listens on a socket in the device's abstract name space, which only root and shell may talk to; its name and its
//! token are drawn for each session. A command has a connection of its own, opened as a service of the adb server, so whatever
//! fails before its first byte is a proven `no`. Nothing that changes the device is sent twice; one that provably did not begin,
//! because nobody serves the session any more, is sent to the next session.
//!
//! What may not be here: knowledge of what actions mean.

pub(crate) mod apk;
mod base64;
mod claim;
mod ended;
mod failure;
mod keyboard;
mod left;
mod owner;
mod records;
mod reply;
mod rotation;
mod session;
mod source;
mod typing;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;

use std::{
    convert::Infallible,
    fmt,
    sync::{Arc, atomic::AtomicU64, atomic::Ordering},
    time::Duration,
};

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    dispatch::{DispatchDisclosure as _, SendGuard, Verdict},
    observe::{End, Judgement, Schedule, observe_until},
};
use tokio::{
    sync::{Mutex, MutexGuard},
    time::Instant,
};

use crate::{
    adb::AdbDevice,
    apps::Ports,
    config::{AndroidConfig, KeyboardChoice, SessionScope},
    error::{AdbFailure, Phase},
};

pub(crate) use base64::{decode, encode};
use claim::Claim;
pub(crate) use ended::Ended;
pub(crate) use failure::HelperFailure;
use keyboard::Keyboard;
use left::Left;
use reply::Protocol;
pub(crate) use reply::{Facts, Reply};
use rotation::Rotation;
pub(crate) use rotation::{BY_ITSELF, CHOSEN, put};
pub(crate) use session::LAST_WORDS;
use session::{Session, Start};
pub(crate) use typing::Typed;

/// How deep the helper walks, and how many nodes it takes: apps of nested containers pass its defaults.
const MAX_DEPTH: usize = 1024;
const MAX_NODES: usize = 50_000;
/// The helper walks no longer than this, in milliseconds.
const LONGEST_WALK: u128 = 120_000;
/// How soon after a failed start the next one is tried, at least; six times this at most.
const BACKOFF: Duration = Duration::from_secs(10);
/// How long a command may run on the device beyond its time, before the session counts as stuck.
const GRACE: Duration = Duration::from_secs(2);
/// How long a session may take to say that it is there, and how soon it is asked again while a command runs.
const PING: Duration = Duration::from_secs(2);
const PING_AGAIN: Duration = Duration::from_millis(100);
/// The exit code of a process that got SIGKILL.
const KILLED: i32 = 137;
/// What of the failure of a start its callers are told.
const TOLD: [&str; 4] = [
    "uiAutomationOwner",
    "helperEnded",
    "installFailure",
    "ownerPid",
];
/// Replies without a body are small.
const SMALL: usize = 1 << 20;

/// One command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command<'a> {
    action: &'static str,
    payload: &'a str,
    limit: usize,
    lasts: Duration,
}

impl<'a> Command<'a> {
    pub(crate) fn new(action: &'static str, payload: &'a str) -> Self {
        Self {
            action,
            payload,
            limit: SMALL,
            lasts: Duration::ZERO,
        }
    }

    /// How long it takes by what it is: a finger that is held.
    pub(crate) fn lasting(mut self, lasts: Duration) -> Self {
        self.lasts = lasts;
        self
    }

    /// How large the reply may be.
    pub(crate) fn up_to(mut self, limit: usize) -> Self {
        self.limit = limit.saturating_add(SMALL);
        self
    }
}

/// The helper of one device. All commands go one after the other.
pub(crate) struct Helper {
    pub(crate) device: AdbDevice,
    pub(crate) config: AndroidConfig,
    /// Ports of the device that were made to lead here.
    pub(crate) ports: Arc<Ports>,
    state: Arc<Mutex<State>>,
    requests: AtomicU64,
    captures: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    /// Held from the first start of a session until it has ended.
    claim: Option<Arc<Claim>>,
    installed: bool,
    keyboard: Keyboard,
    rotation: Rotation,
    session: Option<Session>,
    /// Whether the device makes no local sockets for apps. Then the session listens on a port of its loopback.
    by_port: bool,
    backoff: Option<Backoff>,
}

/// No session is started for a while.
#[derive(Debug)]
struct Backoff {
    until: Instant,
    /// Why: what failed then.
    error: Error,
}

impl Backoff {
    fn after(elapsed: Duration, error: &Error) -> Self {
        Self {
            until: Instant::now() + elapsed.clamp(BACKOFF, BACKOFF * 6),
            error: again(error),
        }
    }
}

/// What a command is told because of an earlier failure.
fn again(error: &Error) -> Error {
    let told = Error::new(error.code(), "the helper failed a moment ago")
        .with_hint(error.hint().to_owned());
    let mut told = match error.detail("earlier") {
        Some(earlier) => told.with_detail("earlier", earlier),
        None => told.with_detail("earlier", error.message()),
    };
    if let Some(reason) = error.reason() {
        told = told.with_reason(reason.to_owned());
    }
    for key in TOLD {
        if let Some(value) = error.detail(key) {
            told = told.with_detail(key, value);
        }
    }
    told
}

/// What a session says when it is asked beside a command that may still run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pulse {
    Free,
    Busy,
    /// Nothing, though it is answered at once.
    Silent,
}

/// What became of a send, if it was one.
fn settle(guard: Option<SendGuard>, result: &Result<Reply, HelperFailure>) {
    let Some(guard) = guard else { return };
    match result.as_ref().map_err(HelperFailure::verdict) {
        Ok(_) => guard.landed(),
        Err(Some(Verdict::No(row))) => guard.refused(row),
        Err(_) => guard.uncertain(),
    }
}

/// Lets go of the device, whoever let go of this: also a connect that failed half-way.
impl Drop for Helper {
    fn drop(&mut self) {
        self.end_from_a_thread();
    }
}

impl fmt::Debug for Helper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Helper")
            .field("device", &self.device.selector())
            .finish_non_exhaustive()
    }
}

impl Helper {
    pub(crate) fn new(device: AdbDevice, config: AndroidConfig) -> Self {
        Self {
            device,
            config,
            ports: Arc::default(),
            state: Arc::default(),
            requests: AtomicU64::new(0),
            captures: AtomicU64::new(0),
        }
    }

    /// What the helper says of itself. One that was found on the device says nothing.
    pub(crate) async fn introduction(&self, call: &Call) -> Result<Facts> {
        self.config.helper.check()?;
        if !self.config.helper.is_bundled() {
            return Ok(Facts::default());
        }
        Ok(self.read(Command::new("ping", ""), call).await?.facts)
    }

    /// A command that changes nothing. Sent once more if its answer was lost.
    pub(crate) async fn read(
        &self,
        command: Command<'_>,
        call: &Call,
    ) -> Result<Reply, HelperFailure> {
        let mut state = self.turn(call).await?;
        let result = match self.exchange(&mut state, command, None, call).await {
            Err(failure) if failure.is_transport() => {
                self.exchange(&mut state, command, None, call).await
            }
            other => other,
        };
        self.after_command(&mut state).await;
        result
    }

    /// A command that the app may notice: the one place where such a thing goes out.
    pub(crate) async fn mutate(
        &self,
        command: Command<'_>,
        call: &Call,
    ) -> Result<Reply, HelperFailure> {
        let mut state = self.turn(call).await?;
        let result = self.exchange(&mut state, command, Some(call), call).await;
        self.after_command(&mut state).await;
        result
    }

    /// A session for one command ends with it. What fails there shows at the next start.
    async fn after_command(&self, state: &mut State) {
        if self.config.session == SessionScope::Command {
            let _ = Box::pin(self.end_session(state)).await;
            state.claim = None;
        }
    }

    /// Waits until the command before is done.
    async fn turn(&self, call: &Call) -> Result<MutexGuard<'_, State>, HelperFailure> {
        let start = Instant::now();
        let phase = Phase::Selecting;
        tokio::select! {
            biased;
            state = self.state.lock() => Ok(state),
            () = call.cancel().cancelled() => Err(HelperFailure::Unopened(AdbFailure::Canceled { phase })),
            // The deadline of a wait for a lock: nothing is polled.
            () = tokio::time::sleep_until(call.deadline()) => {
                let after = start.elapsed();
                Err(HelperFailure::Unopened(AdbFailure::Timeout { phase, after }))
            }
        }
    }

    /// One command on the session, which is started if there is none. If nobody serves it any more, that is a proof that
    /// nothing began, and the next session gets the command.
    async fn exchange(
        &self,
        state: &mut State,
        command: Command<'_>,
        ledger: Option<&Call>,
        call: &Call,
    ) -> Result<Reply, HelperFailure> {
        self.config.helper.admits(command)?;
        let had_one = state.session.is_some();
        if state.session.as_ref().is_some_and(|it| it.late.is_some()) {
            Box::pin(self.relieve(state, call)).await?;
        }
        // Starts are rare and their futures large.
        Box::pin(self.ready(state, call)).await?;
        match self.send(state, command, ledger, call).await {
            Err(failure) if failure.is_gone() => {
                state.session = None;
                if !had_one {
                    return Err(failure);
                }
                Box::pin(self.ready(state, call)).await?;
                self.send(state, command, ledger, call).await
            }
            other => other,
        }
    }

    fn next_id(&self, command: Command<'_>) -> String {
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{}-{number}", command.action)
    }

    async fn send(
        &self,
        state: &mut State,
        command: Command<'_>,
        ledger: Option<&Call>,
        call: &Call,
    ) -> Result<Reply, HelperFailure> {
        let State {
            session: Some(session),
            ..
        } = state
        else {
            return Err(HelperFailure::Unreadable {
                what: "there is no session",
            });
        };
        let id = self.next_id(command);
        let socket = self
            .device
            .connect_to(&session.socket, call)
            .await
            .map_err(HelperFailure::Unopened)?;
        let line = session.line(command, &id, call);
        // From here on something may land. Any answer shows that it runs no more; a future that is dropped gets none.
        let guard = ledger.map(Call::send);
        let before = session.late;
        let until = call.deadline().max(Instant::now() + command.lasts) + GRACE;
        session.late = before.max(Some(until));
        let answer = socket.ask(line.as_bytes(), command.limit, call).await;
        let result = match answer {
            Ok(bytes) => Reply::read(bytes, &id, Protocol::Helper),
            Err(failure) => Err(HelperFailure::Lost(failure)),
        };
        // A connection that broke off, or an answer cut short: the helper's last words say whether it is still there.
        let result = match result {
            Err(failure) if failure.is_transport() => Err(match session.last_words().await {
                None => failure,
                Some(how) => {
                    let source = match failure {
                        HelperFailure::Lost(source) => source,
                        _ => AdbFailure::Lost {
                            phase: Phase::Requested,
                            source: None,
                        },
                    };
                    HelperFailure::Died { how, source }
                }
            }),
            other => other,
        };
        if !matches!(result, Err(HelperFailure::Lost(_))) {
            session.late = before;
        }
        settle(guard, &result);
        result
    }

    /// Waits for a command that was given up and may still run, as long as it may. A session that does not answer any more, or
    /// whose command runs on and on, is ended: otherwise it would cost every further command all of its time.
    async fn relieve(&self, state: &mut State, call: &Call) -> Result<(), HelperFailure> {
        let session = state.session.as_ref();
        let Some((session, until)) = session.and_then(|it| Some((it, it.late?))) else {
            return Ok(());
        };
        let start = Instant::now();
        let budget = until.saturating_duration_since(start).min(call.remaining());
        let look = |_| async { Ok::<_, Infallible>(self.pulse(session, call).await) };
        let observed = observe_until(
            Schedule::new("helper-busy", PING_AGAIN, budget),
            call.cancel(),
            None,
            look,
            |_| false,
            |pulse: &Pulse, _, _| match pulse {
                Pulse::Free => Judgement::Done(true),
                Pulse::Silent => Judgement::Done(false),
                Pulse::Busy => Judgement::go_on(),
            },
        )
        .await;
        let (phase, after) = (Phase::Selecting, start.elapsed());
        match observed.end {
            End::Done { result: true, .. } => {
                if let Some(session) = &mut state.session {
                    session.late = None;
                }
                Ok(())
            }
            End::Canceled => Err(HelperFailure::Unopened(AdbFailure::Canceled { phase })),
            _ if call.remaining().is_zero() => Err(HelperFailure::Unopened(AdbFailure::Timeout {
                phase,
                after,
            })),
            _ => self.give_up(state).await,
        }
    }

    async fn pulse(&self, session: &Session, call: &Call) -> Pulse {
        let bundled = self.config.helper.is_bundled();
        // Another helper has no word that is answered beside a running command.
        let (ping, silent) = match bundled {
            true => (Command::new("ping", ""), Pulse::Silent),
            false => (Command::new("viewport", "0"), Pulse::Busy),
        };
        let call = call.at_most(PING);
        let id = self.next_id(ping);
        let Ok(socket) = self.device.connect_to(&session.socket, &call).await else {
            // Whatever is wrong, the command itself finds out.
            return Pulse::Free;
        };
        let line = session.line(ping, &id, &call);
        match socket.ask(line.as_bytes(), ping.limit, &call).await {
            Ok(bytes) => match Reply::read(bytes, &id, Protocol::Helper) {
                Ok(reply) if reply.facts.is("busy") == Some(true) => Pulse::Busy,
                _ => Pulse::Free,
            },
            Err(AdbFailure::Timeout { .. }) => silent,
            Err(_) => Pulse::Free,
        }
    }

    /// Stops a helper that is stuck, and starts none for a while.
    async fn give_up(&self, state: &mut State) -> Result<(), HelperFailure> {
        tracing::debug!(name: "agent_device.android.stuck", "the helper is stuck: it is stopped");
        state.session = None;
        let stopped = self.stop().await;
        let error = Error::new(
            ErrorCode::CommandFailed,
            "the helper did not answer any more and was stopped",
        )
        .with_reason("android_helper_stuck")
        .with_hint("An app that blocks accessibility holds it up: look at the screen. The next commands start it again.");
        let error = match stopped {
            Ok(()) => error,
            Err(stop) => error.with_source(stop),
        };
        state.backoff = Some(Backoff::after(Duration::ZERO, &error));
        Err(HelperFailure::NotStarted { source: error })
    }

    /// Sees to it that there is a session.
    async fn ready(&self, state: &mut State, call: &Call) -> Result<(), HelperFailure> {
        let not_started = |source| HelperFailure::NotStarted { source };
        if state.session.is_some() {
            return self.keep_keyboard(state, call).await.map_err(not_started);
        }
        let backoff = state.backoff.as_ref();
        if let Some(backoff) = backoff.filter(|backoff| Instant::now() < backoff.until) {
            return Err(not_started(again(&backoff.error)));
        }
        state.backoff = None;
        self.claim(state, call).await.map_err(not_started)?;
        let was_there = state.installed;
        self.install(state, call).await.map_err(not_started)?;
        let started = Instant::now();
        let by_port = state.by_port || !self.config.helper.is_bundled();
        let mut start = self.start(by_port, call).await;
        if !by_port
            && matches!(
                start,
                Err(Start::Helper {
                    by_socket: true,
                    ..
                })
            )
        {
            start = self.start(true, call).await;
            state.by_port = start.is_ok();
        }
        // Somebody has taken it off the device since it was looked for.
        if was_there && start.as_ref().is_err_and(Start::is_missing) {
            state.installed = false;
            self.install(state, call).await.map_err(not_started)?;
            start = self.start(state.by_port || by_port, call).await;
        }
        match start {
            Ok(mut session) => {
                // What this side has in use itself is recorded, too, and not left behind.
                session.left = session.left.without(Left {
                    keyboard: state.keyboard.is_taken(),
                    rotation: state.rotation.is_taken(),
                    ports: self.ports.is_recorded(),
                });
                state.session = Some(session);
                self.keep_keyboard(state, call).await.map_err(not_started)
            }
            Err(Start::Adb(error)) => Err(not_started(error)),
            Err(Start::Helper { error, .. }) => {
                let error = match owner::of(&self.device, call).await {
                    Some(owner) => owner.name_in(error),
                    None => error,
                };
                state.backoff = Some(Backoff::after(started.elapsed(), &error));
                state.installed = false;
                Err(not_started(error))
            }
        }
    }

    async fn keep_keyboard(&self, state: &mut State, call: &Call) -> Result<()> {
        if let Some(session) = &mut state.session {
            session.left.recover(&self.device, call).await?;
        }
        match self.config.keyboard {
            // One that was borrowed and not given back.
            KeyboardChoice::Own => state.keyboard.give_back(&self.device, call).await?,
            KeyboardChoice::Invisible => {
                let policy = self.config.install;
                state.keyboard.keep(&self.device, policy, call).await?;
            }
        }
        Ok(())
    }

    /// Keeps other processes from the device.
    async fn claim(&self, state: &mut State, call: &Call) -> Result<()> {
        if state.claim.is_none() {
            state.claim = Some(Claim::take(&self.device, call).await?);
        }
        Ok(())
    }

    /// Records how the display is set to turn, so that it can be set back.
    pub(crate) async fn keep_rotation(&self, call: &Call) -> Result<()> {
        let mut state = self.turn(call).await?;
        state.rotation.keep(&self.device, call).await
    }

    async fn install(&self, state: &mut State, call: &Call) -> Result<()> {
        if !state.installed && self.config.helper.is_bundled() {
            apk::HELPER
                .ensure(&self.device, self.config.install, call)
                .await?;
            state.installed = true;
        }
        Ok(())
    }

    /// The hierarchy of the screen: from the session, else from a run of the helper for this capture alone.
    pub(crate) async fn snapshot(&self, call: &Call) -> Result<(Facts, Vec<u8>, &'static str)> {
        self.captures.fetch_add(1, Ordering::Relaxed);
        let walk = session::patience(call, self.config.quiet_limit).min(LONGEST_WALK);
        let payload = format!("walkTimeoutMs={walk},maxDepth={MAX_DEPTH},maxNodes={MAX_NODES}");
        let command = Command::new("snapshot", &payload).up_to(self.config.max_capture);
        match self.read(command, call).await {
            Ok(reply) => Ok((reply.facts.clone(), reply.into_body(), "helper")),
            // The adb layer failed: another way through it fails, too.
            Err(failure) if !self.may_run_alone(&failure, call) => Err(failure.into()),
            Err(failure) => {
                tracing::debug!(name: "agent_device.android.one_shot", %failure, "capturing without a session");
                let alone = self.one_shot(call).await;
                let (facts, body) = alone.map_err(|error| {
                    // The first failure says more about the device, and is the one that lasts.
                    Error::from(failure)
                        .with_detail("oneShot", error.message())
                        .with_detail("oneShotReason", error.reason())
                })?;
                Ok((facts, body, "helper-one-shot"))
            }
        }
    }

    fn may_run_alone(&self, failure: &HelperFailure, call: &Call) -> bool {
        let helpers_own = match failure {
            HelperFailure::NotStarted { source } => {
                // Everything else was said by adb, or by the caller; and of what somebody else holds there is only one.
                source.row().is_none()
                    && !matches!(source.reason(), Some("deadline_exceeded" | owner::TAKEN))
            }
            HelperFailure::Unreadable { .. } => true,
            failure => failure.is_gone(),
        };
        helpers_own && !call.remaining().is_zero() && !call.cancel().is_cancelled()
    }

    /// One capture by a run of its own. Ends a session that may be running.
    async fn one_shot(&self, call: &Call) -> Result<(Facts, Vec<u8>)> {
        let mut state = self.turn(call).await?;
        state.session = None;
        self.claim(&mut state, call).await?;
        self.install(&mut state, call).await?;
        let walk = session::patience(call, self.config.quiet_limit).min(LONGEST_WALK);
        let walk = walk.to_string();
        let command = self.instrument(&[
            ("mode", "snapshot"),
            ("walkTimeoutMs", &walk),
            ("maxDepth", &MAX_DEPTH.to_string()),
            ("maxNodes", &MAX_NODES.to_string()),
        ])?;
        // Base64 in pieces with their heads is half as large again.
        let limit = self.config.max_capture.saturating_mul(2);
        let limit = limit.saturating_add(SMALL);
        let output = match self.device.shell_up_to(limit, &command, call).await {
            Ok(output) => output,
            Err(error) => {
                // Whoever stops listening does not end it, and it holds the device.
                if !error.dispatched().is_no() && self.stop().await.is_err() {
                    tracing::debug!(name: "agent_device.android.run_left", "a run of the helper could not be ended");
                }
                return Err(error);
            }
        };
        let printed = output.stdout_text();
        match records::snapshot(&printed) {
            Ok(whole) => Ok(whole),
            Err(failure) => {
                let said = format!("{printed}\n{}", output.stderr_text());
                let error = match output.code {
                    // What a shell says of a process that was killed, as Android does when a tree takes it too long.
                    KILLED => Error::from(failure)
                        .with_reason(failure::TREE_TIMEOUT)
                        .with_hint(failure::PICTURE),
                    _ => Error::from(failure),
                };
                Err(match Ended::of(&said) {
                    None | Some(Ended::InGoodOrder) => error,
                    Some(how) => error
                        .with_detail("helperEnded", how.as_str())
                        .with_hint(how.hint()),
                })
            }
        }
    }

    /// How many hierarchies were asked for so far.
    pub(crate) fn captures(&self) -> u64 {
        self.captures.load(Ordering::Relaxed)
    }

    /// Ends the session. Its end is proven by the exit of the instrumentation, else the helper is stopped.
    pub(crate) async fn close(&self, call: &Call) -> Result<()> {
        let mut state = self.turn(call).await?;
        let rotation = state.rotation.give_back(&self.device, call).await;
        let keyboard = state.keyboard.give_back(&self.device, call).await;
        let session = self.end_session(&mut state).await;
        state.claim = None;
        self.ports.close(&self.device, call).await?;
        session.and(keyboard).and(rotation)
    }
}
