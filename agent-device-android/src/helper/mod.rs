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

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;

use std::{
    fmt,
    sync::{Arc, atomic::AtomicU64, atomic::Ordering},
    time::Duration,
};

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    dispatch::{DispatchDisclosure as _, Verdict},
};
use tokio::{
    sync::{Mutex, MutexGuard},
    time::Instant,
};

use crate::{
    adb::{AdbDevice, Remote, ShellCommand, ShellEvent, ShellStream},
    apps::Ports,
    config::{AndroidConfig, KeyboardChoice, SessionScope},
    error::{AdbFailure, Phase},
    word::{random, word},
};

pub(crate) use base64::{decode, encode};
pub(crate) use ended::Ended;
pub(crate) use failure::HelperFailure;
use keyboard::Keyboard;
pub(crate) use reply::{Facts, Reply};

/// How long a session that is given up may take to end in good order.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// How much of what the instrumentation prints is looked at.
const MAX_PRINTED: usize = 256 * 1024;
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
    captures: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    installed: bool,
    keyboard: Keyboard,
    session: Option<Session>,
    requests: u64,
    /// Whether the device makes no local sockets for apps. Then the session listens on a port of its loopback.
    by_port: bool,
    /// Until when a start that failed is not tried again, and why it failed.
    backoff: Option<(Instant, String)>,
}

#[derive(Debug)]
struct Session {
    socket: Remote,
    token: String,
    /// What `am instrument` prints. Closing it does not end the session.
    printed: ShellStream,
    /// Whether a host that died has left the device without its own keyboard.
    keyboard_left: bool,
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
            captures: AtomicU64::new(0),
        }
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
        self.after_command(&mut state, call).await;
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
        self.after_command(&mut state, call).await;
        result
    }

    /// A session for one command ends with it. What fails there shows at the next start.
    async fn after_command(&self, state: &mut State, call: &Call) {
        if self.config.session == SessionScope::Command {
            let _ = self.end_session(state, call).await;
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
        let had_one = state.session.is_some();
        self.ready(state, call).await?;
        match self.send(state, command, ledger, call).await {
            Err(failure) if failure.is_gone() => {
                state.session = None;
                if !had_one {
                    return Err(failure);
                }
                self.ready(state, call).await?;
                self.send(state, command, ledger, call).await
            }
            other => other,
        }
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
            requests,
            ..
        } = state
        else {
            return Err(HelperFailure::Unreadable {
                what: "there is no session",
            });
        };
        *requests += 1;
        let id = format!("{}-{requests}", command.action);
        let socket = self
            .device
            .connect_to(&session.socket, call)
            .await
            .map_err(HelperFailure::Unopened)?;
        // A command that waits for its turn behind a slow one must not run when nobody waits for it any more.
        let patience = call.remaining().as_millis();
        let line = format!(
            "@token={} @ttl={patience} {} {id} {}\n",
            session.token, command.action, command.payload
        );
        // From here on something may land.
        let guard = ledger.map(Call::send);
        let answer = socket.ask(line.as_bytes(), command.limit, call).await;
        let result = match answer {
            Ok(bytes) => Reply::read(bytes, &id),
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
        match (guard, &result) {
            (Some(guard), Ok(_)) => guard.landed(),
            (Some(guard), Err(failure)) => match failure.verdict() {
                Some(Verdict::No(row)) => guard.refused(row),
                _ => guard.uncertain(),
            },
            (None, _) => {}
        }
        result
    }

    /// Sees to it that there is a session.
    async fn ready(&self, state: &mut State, call: &Call) -> Result<(), HelperFailure> {
        let not_started = |source| HelperFailure::NotStarted { source };
        if state.session.is_some() {
            return self.keep_keyboard(state, call).await.map_err(not_started);
        }
        let backoff = state.backoff.as_ref();
        if let Some((_, why)) = backoff.filter(|(until, _)| Instant::now() < *until) {
            let error = Error::new(
                ErrorCode::CommandFailed,
                "the helper failed to start a moment ago",
            );
            return Err(not_started(error.with_detail("earlier", why)));
        }
        self.install(state, call).await.map_err(not_started)?;
        let started = Instant::now();
        let mut start = self.start(state.by_port, call).await;
        if !state.by_port && matches!(start, Err(Start::Helper(_))) {
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
            Err(Start::Helper(error)) => {
                let error = match owner::of(&self.device, call).await {
                    Some(owner) => owner.name_in(error),
                    None => error,
                };
                let pause = started
                    .elapsed()
                    .clamp(Duration::from_secs(10), Duration::from_secs(60));
                state.backoff = Some((Instant::now() + pause, error.message().to_owned()));
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
            KeyboardChoice::Own => {}
            KeyboardChoice::Invisible => {
                let policy = self.config.install;
                state.keyboard.keep(&self.device, policy, call).await?;
            }
        }
        Ok(())
    }

    async fn install(&self, state: &mut State, call: &Call) -> Result<()> {
        if !state.installed {
            apk::HELPER
                .ensure(&self.device, self.config.install, call)
                .await?;
            state.installed = true;
        }
        Ok(())
    }

    /// Starts a session and waits until it says that it is ready. That ends any other run of the helper on the device.
    async fn start(&self, by_port: bool, call: &Call) -> Result<Session, Start> {
        let token = word();
        let (argument, value, socket) = if by_port {
            // The dynamic ports of Linux begin above.
            let port = 20_000 + u16::try_from(random() % 12_000).unwrap_or(0);
            ("sessionPort", port.to_string(), Remote::Tcp(port))
        } else {
            let name = format!("agent-device-{}", word());
            ("sessionSocket", name.clone(), Remote::LocalAbstract(name))
        };
        let command = self
            .instrument(&[
                ("emitChunks", "false"),
                (argument, &value),
                ("sessionToken", &token),
                (
                    "sessionIdleTimeoutMs",
                    &match self.config.session {
                        SessionScope::Value => "0".to_owned(),
                        _ => self.config.idle_timeout.as_millis().to_string(),
                    },
                ),
            ])
            .map_err(Start::Adb)?;
        let limit = self.config.session_timeout.min(call.remaining());
        let deadline = Instant::now() + limit;
        let mut printed = self
            .device
            .spawn(&command, call)
            .await
            .map_err(Start::Adb)?;
        let mut text = Vec::new();
        loop {
            let event = tokio::time::timeout_at(deadline, printed.next(call)).await;
            let said = |text: &[u8]| tail(text);
            match event {
                Err(_) => {
                    return Err(Start::Helper(
                        not_ready("the helper's session was not ready in time", said(&text))
                            .with_reason("android_snapshot_helper_session_ready_timeout"),
                    ));
                }
                Ok(Err(error)) => return Err(Start::Adb(error)),
                Ok(Ok(Some(ShellEvent::Stdout(bytes) | ShellEvent::Stderr(bytes)))) => {
                    text.extend_from_slice(&bytes);
                    if memchr::memmem::find(&text, b"sessionReady=true").is_some() {
                        break;
                    }
                    if text.len() > MAX_PRINTED {
                        return Err(Start::Helper(not_ready(
                            "the helper prints without end",
                            said(&text),
                        )));
                    }
                }
                Ok(Ok(Some(ShellEvent::Exit(_)) | None)) => {
                    let how = Ended::of(&said(&text)).unwrap_or(Ended::Silently);
                    let error = not_ready("the helper ended before it was ready", said(&text))
                        .with_reason("android_snapshot_helper_session_exited_before_ready")
                        .with_detail("helperEnded", how.as_str());
                    return Err(Start::Helper(match how {
                        // What it said is known, and it is not that another tool is in the way.
                        Ended::NotInstalled | Ended::Denied(_) | Ended::SystemCrashed => {
                            error.with_hint(how.hint())
                        }
                        _ => error,
                    }));
                }
            }
        }
        tracing::debug!(name: "agent_device.android.session", "the helper's session is ready");
        Ok(Session {
            socket,
            token,
            printed,
            keyboard_left: keyboard::is_left_behind(&String::from_utf8_lossy(&text)),
        })
    }

    fn instrument(&self, arguments: &[(&str, &str)]) -> Result<ShellCommand> {
        let mut command = ShellCommand::script(keyboard::START);
        let quiet = self.config.quiet.as_millis().to_string();
        let limit = self.config.quiet_limit.as_millis().to_string();
        let always = [
            ("waitForIdleQuietMs", quiet.as_str()),
            ("waitForIdleTimeoutMs", limit.as_str()),
        ];
        for (key, value) in always.iter().chain(arguments) {
            command = command.args(["-e", key, value])?;
        }
        command.arg(apk::RUNNER)
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
        let output = self.device.shell(&command, call).await?;
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
        let session = self.end_session(&mut state, call).await;
        self.ports.close(call).await?;
        session.and(keyboard)
    }

    async fn end_session(&self, state: &mut State, call: &Call) -> Result<()> {
        if state.session.is_none() {
            return Ok(());
        }
        let quit = self.send(state, Command::new("quit", ""), None, call).await;
        let Some(mut session) = state.session.take() else {
            return Ok(());
        };
        if quit.is_ok() {
            let end = async {
                loop {
                    match session.printed.next(call).await {
                        Ok(Some(ShellEvent::Exit(code))) => break code == Some(0),
                        Ok(Some(_)) => {}
                        Ok(None) | Err(_) => break false,
                    }
                }
            };
            if tokio::time::timeout(LAST_WORDS, end).await == Ok(true) {
                return Ok(());
            }
        }
        let stop = ShellCommand::new("am")?.args(["force-stop", apk::HELPER.package])?;
        self.device.shell(&stop, call).await?.checked(&stop)?;
        // Only a process list without it is a proof.
        self.await_end(call).await
    }

    async fn await_end(&self, call: &Call) -> Result<()> {
        const LOOKS: u32 = 3;
        let ask = ShellCommand::script("pidof \"$1\" || echo none").arg(apk::HELPER.package)?;
        for look in 0..LOOKS {
            if look > 0 {
                tokio::time::sleep(Duration::from_millis(250).min(call.remaining())).await;
            }
            let output = self.device.shell(&ask, call).await?;
            if output.stdout_text().trim() == "none" {
                return Ok(());
            }
        }
        Err(Error::new(
            ErrorCode::CommandFailed,
            "the helper was stopped and still runs",
        )
        .with_reason("android_snapshot_helper_runtime_occupied")
        .with_hint("Repeat; if it stays so, restart the device."))
    }

    /// Ends the session from outside any runtime, within a bounded time: the runtime of the caller may be ending, too.
    pub(crate) fn end_from_a_thread(&self) {
        // Nobody can hold the lock but a command whose future outlives the device.
        let Ok(mut state) = self.state.try_lock() else {
            return;
        };
        let session = state.session.take();
        if session.is_none() && !state.keyboard.is_taken() {
            return;
        }
        let mut keyboard = std::mem::take(&mut state.keyboard);
        let device = self.device.clone();
        let (finish, finished) = std::sync::mpsc::channel();
        let end = move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            if let Ok(runtime) = runtime {
                let call = Call::standalone(LAST_WORDS);
                let ended = runtime.block_on(async {
                    let back = keyboard.give_back(&device, &call).await;
                    let Some(session) = session else {
                        return back.ok();
                    };
                    let socket = device.connect_to(&session.socket, &call).await.ok()?;
                    let line = format!("@token={} quit quit-0\n", session.token);
                    socket.ask(line.as_bytes(), SMALL, &call).await.ok()?;
                    back.ok()
                });
                if ended.is_none() {
                    tracing::debug!(name: "agent_device.android.session_left", "a session could not be ended");
                }
            }
            let _ = finish.send(());
        };
        let started = std::thread::Builder::new()
            .name("android-end".to_owned())
            .spawn(end);
        if started.is_ok() {
            let _ = finished.recv_timeout(LAST_WORDS);
        }
    }
}

impl Session {
    /// What became of it, if it has ended. An end that is on its way takes a moment to arrive.
    async fn last_words(&mut self) -> Option<Ended> {
        let call = Call::standalone(Duration::from_millis(300));
        let mut text = Vec::new();
        loop {
            match self.printed.next(&call).await {
                Ok(Some(ShellEvent::Stdout(bytes) | ShellEvent::Stderr(bytes))) => {
                    text.extend_from_slice(&bytes);
                    if text.len() > MAX_PRINTED {
                        return None;
                    }
                }
                Ok(Some(ShellEvent::Exit(_)) | None) => {
                    return Some(Ended::of(&tail(&text)).unwrap_or(Ended::Silently));
                }
                Err(_) => return Ended::of(&tail(&text)),
            }
        }
    }
}

/// Why there is no session.
enum Start {
    /// The device was not reached, or the caller's time is over.
    Adb(Error),
    /// The helper itself does not start: trying again at once would cost every command the same.
    Helper(Error),
}

fn not_ready(message: &'static str, said: String) -> Error {
    Error::new(ErrorCode::CommandFailed, message)
        .with_detail("printed", said)
        .with_hint(
            "Another tool may hold the device's UiAutomation (Appium, uiautomator, Espresso): end it, then repeat. Look at the \
             screen for a dialog.",
        )
}

fn tail(text: &[u8]) -> String {
    let from = text.len().saturating_sub(2000);
    String::from_utf8_lossy(text.get(from..).unwrap_or_default()).into_owned()
}
