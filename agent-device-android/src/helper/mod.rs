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
mod ended;
mod failure;
mod keyboard;
mod owner;
mod records;
mod reply;
mod session;
mod source;
mod typing;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;

use std::{
    fmt,
    sync::{Arc, atomic::AtomicU64, atomic::Ordering},
    time::Duration,
};

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    dispatch::{DispatchDisclosure as _, SendGuard, Verdict},
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
pub(crate) use ended::Ended;
pub(crate) use failure::HelperFailure;
use keyboard::Keyboard;
use reply::Protocol;
pub(crate) use reply::{Facts, Reply};
pub(crate) use session::LAST_WORDS;
use session::{Session, Start};
pub(crate) use typing::Typed;

/// How deep the helper walks, and how many nodes it takes: apps of nested containers pass its defaults.
const MAX_DEPTH: usize = 1024;
const MAX_NODES: usize = 50_000;
/// Replies without a body are small.
const SMALL: usize = 1 << 20;

/// One command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command<'a> {
    action: &'static str,
    payload: &'a str,
    limit: usize,
}

impl<'a> Command<'a> {
    pub(crate) fn new(action: &'static str, payload: &'a str) -> Self {
        Self {
            action,
            payload,
            limit: SMALL,
        }
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
    pub(crate) ports: Ports,
    state: Arc<Mutex<State>>,
    requests: AtomicU64,
    captures: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    installed: bool,
    keyboard: Keyboard,
    session: Option<Session>,
    /// Whether the device makes no local sockets for apps. Then the session listens on a port of its loopback.
    by_port: bool,
    /// Until when a start that failed is not tried again, why it failed, and what helps.
    backoff: Option<(Instant, String, String)>,
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
            ports: Ports::default(),
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
        // From here on something may land.
        let guard = ledger.map(Call::send);
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
        settle(guard, &result);
        result
    }

    /// Sees to it that there is a session.
    async fn ready(&self, state: &mut State, call: &Call) -> Result<(), HelperFailure> {
        let not_started = |source| HelperFailure::NotStarted { source };
        if state.session.is_some() {
            return self.keep_keyboard(state, call).await.map_err(not_started);
        }
        let backoff = state.backoff.as_ref();
        if let Some((_, why, hint)) = backoff.filter(|(until, ..)| Instant::now() < *until) {
            let error = Error::new(
                ErrorCode::CommandFailed,
                "the helper failed to start a moment ago",
            );
            let error = error.with_detail("earlier", why).with_hint(hint.clone());
            return Err(not_started(error));
        }
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
        match start {
            Ok(session) => {
                state.backoff = None;
                state.session = Some(session);
                self.keep_keyboard(state, call).await.map_err(not_started)
            }
            Err(Start::Adb(error)) => Err(not_started(error)),
            Err(Start::Helper { error, .. }) => {
                let error = match owner::of(&self.device, call).await {
                    Some(owner) => owner.name_in(error),
                    None => error,
                };
                let pause = started
                    .elapsed()
                    .clamp(Duration::from_secs(10), Duration::from_secs(60));
                let (why, hint) = (error.message().to_owned(), error.hint().to_owned());
                state.backoff = Some((Instant::now() + pause, why, hint));
                state.installed = false;
                Err(not_started(error))
            }
        }
    }

    async fn keep_keyboard(&self, state: &mut State, call: &Call) -> Result<()> {
        let left = state
            .session
            .as_mut()
            .is_some_and(|session| std::mem::take(&mut session.keyboard_left));
        match self.config.keyboard {
            KeyboardChoice::Own if left => keyboard::recover(&self.device, call).await?,
            // One that was borrowed and not given back.
            KeyboardChoice::Own => state.keyboard.give_back(&self.device, call).await?,
            KeyboardChoice::Invisible => {
                let policy = self.config.install;
                state.keyboard.keep(&self.device, policy, call).await?;
            }
        }
        Ok(())
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
        let walk = call.remaining().as_millis().clamp(1, 120_000);
        let payload = format!("walkTimeoutMs={walk},maxDepth={MAX_DEPTH},maxNodes={MAX_NODES}");
        let command = Command::new("snapshot", &payload).up_to(self.config.max_capture);
        match self.read(command, call).await {
            Ok(reply) => Ok((reply.facts.clone(), reply.into_body(), "helper")),
            // The adb layer failed: another way through it fails, too.
            Err(failure) if !self.may_run_alone(&failure, call) => Err(failure.into()),
            Err(failure) => {
                tracing::debug!(name: "agent_device.android.one_shot", %failure, "capturing without a session");
                let (facts, body) = self.one_shot(call).await?;
                Ok((facts, body, "helper-one-shot"))
            }
        }
    }

    fn may_run_alone(&self, failure: &HelperFailure, call: &Call) -> bool {
        let helpers_own = match failure {
            HelperFailure::NotStarted { source } => {
                // Everything else was said by adb, or by the caller.
                source.row().is_none() && source.reason() != Some("deadline_exceeded")
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
        self.install(&mut state, call).await?;
        let walk = call.remaining().as_millis().clamp(1, 120_000).to_string();
        let command = self.instrument(&[
            ("mode", "snapshot"),
            ("walkTimeoutMs", &walk),
            ("maxDepth", &MAX_DEPTH.to_string()),
            ("maxNodes", &MAX_NODES.to_string()),
        ])?;
        // Base64 in pieces with their heads is half as large again.
        let limit = self.config.max_capture.saturating_mul(2);
        let limit = limit.saturating_add(SMALL);
        let output = self.device.shell_up_to(limit, &command, call).await?;
        let printed = output.stdout_text();
        match records::snapshot(&printed) {
            Ok(whole) => Ok(whole),
            Err(failure) => {
                let said = format!("{printed}\n{}", output.stderr_text());
                let error = Error::from(failure);
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
        let keyboard = state.keyboard.give_back(&self.device, call).await;
        let session = self.end_session(&mut state).await;
        self.ports.close(call).await?;
        session.and(keyboard)
    }
}
