//! The helper's session: its start, its last words, its end.

use std::{sync::Arc, time::Duration};

use agent_device_core::{
    Call, Error, ErrorCode, Result, last_work,
    observe::{End, Judgement, Schedule, observe_until},
};
use tokio::time::Instant;

use super::{
    Command, Ended, Helper, MAX_DEPTH, MAX_NODES, SMALL, State,
    left::{Left, START},
    reply::Protocol,
};
use crate::{
    adb::{AdbDevice, Remote, ShellCommand, ShellEvent, ShellOutput, ShellStream},
    word::{random, word},
};

/// How long the last work on a device may take when it is let go of.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(3);
/// How long a helper may take to say that it ends.
const QUIT: Duration = Duration::from_secs(1);
/// How long giving back what was borrowed may take.
pub(super) const ENDING: Duration = Duration::from_secs(5);
/// What a command needs for its way back: its refusal comes before this side gives up.
const WAY_BACK: Duration = Duration::from_millis(100);
/// How long a helper that was stopped may take until it is gone, and how often it is looked for.
const ENDS: Duration = Duration::from_secs(1);
const END_PAUSE: Duration = Duration::from_millis(250);
/// How much of what the instrumentation prints is looked at.
const MAX_PRINTED: usize = 256 * 1024;

/// How the helper names the failure of its socket. Nothing else that it does before it is ready is input or output.
const SOCKET_FAILURES: [&str; 2] = [
    "errorType=java.io.IOException",
    "errorType=java.net.SocketException",
];

#[derive(Debug)]
pub(super) struct Session {
    pub(super) socket: Remote,
    /// `None`: the helper knows no words before a command.
    token: Option<String>,
    /// What `am instrument` prints. Closing it does not end the session.
    printed: ShellStream,
    /// What a host that died has left behind.
    pub(super) left: Left,
    /// Until when a command may run on the device whose answer did not come, or was not waited for.
    pub(super) late: Option<Instant>,
}

impl Helper {
    /// Starts a session and waits until it says that it is ready. That ends any other run of the helper on the device.
    pub(super) async fn start(&self, by_port: bool, call: &Call) -> Result<Session, Start> {
        let (argument, value, socket) = if by_port {
            let port = any_port();
            ("sessionPort", port.to_string(), Remote::Tcp(port))
        } else {
            let name = format!("agent-device-{}", word());
            ("sessionSocket", name.clone(), Remote::LocalAbstract(name))
        };
        let token = self.config.helper.is_bundled().then(word);
        // Also for a session that is meant to last: nobody else ends it when this program is killed.
        let idle = self.config.idle_timeout.as_millis().to_string();
        let (depth, nodes) = (MAX_DEPTH.to_string(), MAX_NODES.to_string());
        let mut arguments = vec![("emitChunks", "false"), (argument, value.as_str())];
        match &token {
            Some(token) => {
                arguments.extend([
                    ("sessionToken", token.as_str()),
                    ("sessionIdleTimeoutMs", &idle),
                ]);
            }
            // Another helper takes the bounds of its captures once, at its start.
            None => arguments.extend([("maxDepth", depth.as_str()), ("maxNodes", &nodes)]),
        }
        let command = self.instrument(&arguments).map_err(Start::Adb)?;
        let limit = self.config.session_timeout.min(call.remaining());
        let deadline = Instant::now() + limit;
        let started = async {
            let printed = self.device.spawn(&command, call).await;
            let mut printed = printed.map_err(Start::Adb)?;
            let text = until_ready(&mut printed, deadline, call).await?;
            Ok::<_, Start>((printed, text))
        };
        match started.await {
            Ok((printed, text)) => {
                tracing::debug!(name: "agent_device.android.session", "the helper's session is ready");
                Ok(Session {
                    socket,
                    token,
                    printed,
                    left: Left::read(&String::from_utf8_lossy(&text)),
                    late: None,
                })
            }
            Err(start) => {
                // Closing what it prints does not end it, and it may hold the device already.
                if start.may_run() && self.stop().await.is_err() {
                    tracing::debug!(name: "agent_device.android.session_left", "a session could not be ended");
                }
                Err(start)
            }
        }
    }

    pub(super) fn instrument(&self, arguments: &[(&str, &str)]) -> Result<ShellCommand> {
        let mut command = ShellCommand::script(START);
        let quiet = self.config.quiet.as_millis().to_string();
        let limit = self.config.quiet_limit.as_millis().to_string();
        let always = [
            ("waitForIdleQuietMs", quiet.as_str()),
            ("waitForIdleTimeoutMs", limit.as_str()),
        ];
        for (key, value) in always.iter().chain(arguments) {
            command = command.args(["-e", key, value])?;
        }
        command.arg(self.config.helper.runner())
    }

    /// Has time of its own: a command that took all of its call still ends its session. So has each of its steps: a helper that
    /// does not answer any more must not use up what stopping it takes.
    pub(super) async fn end_session(&self, state: &mut State) -> Result<()> {
        if state.session.is_none() {
            return Ok(());
        }
        let (quit, call) = (Command::new("quit", ""), Call::standalone(QUIT));
        let quit = self.send(state, quit, None, &call).await;
        let Some(mut session) = state.session.take() else {
            return Ok(());
        };
        if quit.is_ok() {
            let call = &Call::standalone(LAST_WORDS);
            let end = async {
                loop {
                    match session.printed.next(call).await {
                        Ok(Some(ShellEvent::Exit(code))) => break code == Some(0),
                        Ok(Some(_)) => {}
                        Ok(None) | Err(_) => break false,
                    }
                }
            };
            if end.await {
                return Ok(());
            }
        }
        self.stop().await?;
        // Only a process list without it is a proof.
        self.await_end(&Call::standalone(LAST_WORDS)).await
    }

    /// Stops whatever runs of the helper, in a time of its own.
    pub(super) async fn stop(&self) -> Result<()> {
        let call = Call::standalone(LAST_WORDS);
        stop(&self.device, self.config.helper.package(), &call).await
    }

    async fn await_end(&self, call: &Call) -> Result<()> {
        let ask =
            ShellCommand::script("pidof \"$1\" || echo none").arg(self.config.helper.package())?;
        let observed = observe_until(
            Schedule::new("helper-end", END_PAUSE, ENDS.min(call.remaining())),
            call.cancel(),
            None,
            |_| self.device.shell(&ask, call),
            |_| false,
            // What fails to look has not seen that nothing is there.
            |output: &ShellOutput, _, _| match output.stdout_text().trim() {
                "none" if output.stderr.is_empty() => Judgement::Done(()),
                _ => Judgement::go_on(),
            },
        )
        .await;
        match observed.end {
            End::Done { .. } => Ok(()),
            End::Failed { error, .. } => Err(error),
            _ => Err(Error::new(
                ErrorCode::CommandFailed,
                "the helper was stopped and still runs",
            )
            .with_reason("android_snapshot_helper_runtime_occupied")
            .with_hint("Repeat; if it stays so, restart the device.")),
        }
    }

    /// Ends the session from outside any runtime, within a bounded time: the runtime of the caller may be ending, too.
    pub(crate) fn end_from_a_thread(&self) {
        // Nobody can hold the lock but a command whose future outlives the device.
        let Ok(mut state) = self.state.try_lock() else {
            return;
        };
        let session = state.session.take();
        let ports = Arc::clone(&self.ports);
        if session.is_none()
            && !state.keyboard.is_taken()
            && !state.rotation.is_taken()
            && !ports.is_recorded()
        {
            return;
        }
        let mut keyboard = std::mem::take(&mut state.keyboard);
        let mut rotation = std::mem::take(&mut state.rotation);
        let claim = state.claim.take();
        let device = self.device.clone();
        let package = self.config.helper.package().to_owned();
        let end = move || async move {
            let call = Call::standalone(LAST_WORDS);
            let ended = async {
                match &session {
                    Some(session) if !quits(&device, session).await => {
                        stop(&device, &package, &call).await.is_ok()
                    }
                    _ => true,
                }
            };
            let given = async {
                let keyboard = keyboard.give_back(&device, &call).await.is_ok();
                let rotation = rotation.give_back(&device, &call).await.is_ok();
                ports.close(&device, &call).await.is_ok() && keyboard && rotation
            };
            let (ended, given) = tokio::join!(ended, given);
            drop(claim);
            ended && given
        };
        last_work("android-end", LAST_WORDS, end, || {
            tracing::debug!(name: "agent_device.android.session_left", "a session could not be ended");
        });
    }
}

/// Whether a helper says that it ends.
async fn quits(device: &AdbDevice, session: &Session) -> bool {
    let call = Call::standalone(QUIT);
    let Ok(socket) = device.connect_to(&session.socket, &call).await else {
        return false;
    };
    let line = session.line(Command::new("quit", ""), "quit-0", &call);
    socket.ask(line.as_bytes(), SMALL, &call).await.is_ok()
}

async fn stop(device: &AdbDevice, package: &str, call: &Call) -> Result<()> {
    let stop = ShellCommand::new("am")?.args(["force-stop", package])?;
    device.shell(&stop, call).await?.checked(&stop)?;
    Ok(())
}

/// A port of the device for a session. The dynamic ports of Linux begin above.
pub(super) fn any_port() -> u16 {
    20_000 + u16::try_from(random() % 12_000).unwrap_or(0)
}

/// How long a command may wait for its turn: behind a slow one it must not run when nobody waits for it any more.
pub(super) fn ttl(call: &Call) -> String {
    format!("@ttl={}", patience(call, Duration::ZERO))
}

/// How long something on the device may take so that its answer is here in time, in milliseconds. `besides` is what it does before
/// that takes time, too.
pub(super) fn patience(call: &Call, besides: Duration) -> u128 {
    let left = call.remaining();
    let patience = left.saturating_sub(WAY_BACK + besides).max(left / 2);
    patience.as_millis().max(1)
}

impl Session {
    /// A command as its helper reads it.
    pub(super) fn line(&self, command: Command<'_>, id: &str, call: &Call) -> String {
        let Command {
            action, payload, ..
        } = command;
        match &self.token {
            Some(token) => format!("@token={token} {} {action} {id} {payload}\n", ttl(call)),
            None => format!("{action} {id} {payload}\n"),
        }
    }

    /// What became of it, if it has ended. An end that is on its way takes a moment to arrive.
    pub(super) async fn last_words(&mut self) -> Option<Ended> {
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
                Ok(Some(ShellEvent::Exit(Some(_)))) => {
                    return Some(Ended::of(&tail(&text)).unwrap_or(Ended::Silently));
                }
                // What is printed can be lost while the helper lives on.
                Ok(Some(ShellEvent::Exit(None)) | None) | Err(_) => {
                    return Ended::of(&tail(&text));
                }
            }
        }
    }
}

/// Why there is no session.
pub(super) enum Start {
    /// The device was not reached, or the caller's time is over.
    Adb(Error),
    /// The helper itself does not start: trying again at once would cost every command the same.
    Helper {
        error: Error,
        /// How its run has ended, if it has.
        ended: Option<Ended>,
        /// Whether it was its socket that could not be made.
        by_socket: bool,
    },
}

/// Reads what a start prints until the helper says that it is ready.
async fn until_ready(
    printed: &mut ShellStream,
    deadline: Instant,
    call: &Call,
) -> Result<Vec<u8>, Start> {
    let still_runs = |error| Start::Helper {
        error,
        ended: None,
        by_socket: false,
    };
    let mut text = Vec::new();
    loop {
        match tokio::time::timeout_at(deadline, printed.next(call)).await {
            Err(_) => {
                return Err(still_runs(
                    not_ready("the helper's session was not ready in time", tail(&text))
                        .with_reason("android_snapshot_helper_session_ready_timeout"),
                ));
            }
            Ok(Err(error)) => return Err(Start::Adb(error)),
            Ok(Ok(Some(ShellEvent::Stdout(bytes) | ShellEvent::Stderr(bytes)))) => {
                text.extend_from_slice(&bytes);
                // Lines of one record, in any order.
                let said = |what: &str| memchr::memmem::find(&text, what.as_bytes()).is_some();
                if said(Protocol::Helper.name()) && said("sessionReady=true") {
                    return Ok(text);
                }
                if text.len() > MAX_PRINTED {
                    let error = not_ready("the helper prints without end", tail(&text));
                    return Err(still_runs(error));
                }
            }
            Ok(Ok(Some(ShellEvent::Exit(_)) | None)) => return Err(ended_early(&tail(&text))),
        }
    }
}

fn ended_early(said: &str) -> Start {
    let how = Ended::of(said).unwrap_or(Ended::Silently);
    let mut error = not_ready("the helper ended before it was ready", said.to_owned())
        .with_reason("android_snapshot_helper_session_exited_before_ready");
    // A run that failed and says so ends in good order, which is no news.
    if how != Ended::InGoodOrder {
        error = error.with_detail("helperEnded", how.as_str());
    }
    Start::Helper {
        error: match &how {
            // What it said is known, and it is not that another tool is in the way.
            Ended::NotInstalled | Ended::Denied(_) | Ended::SystemCrashed => {
                error.with_hint(how.hint())
            }
            _ => error,
        },
        ended: Some(how),
        by_socket: SOCKET_FAILURES.iter().any(|kind| said.contains(kind)),
    }
}

impl Start {
    /// Whether a helper may run nevertheless.
    fn may_run(&self) -> bool {
        match self {
            Self::Adb(error) => !error.dispatched().is_no(),
            Self::Helper { ended, .. } => ended.is_none(),
        }
    }

    /// Whether the device does not have the helper.
    pub(super) fn is_missing(&self) -> bool {
        let missing = Some(Ended::NotInstalled);
        matches!(self, Self::Helper { ended, .. } if *ended == missing)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn by_socket(said: &str) -> bool {
        matches!(
            ended_early(said),
            Start::Helper {
                by_socket: true,
                ..
            }
        )
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_device_does_ends_before_its_answer_is_given_up() {
        let call = |ms| Call::standalone(Duration::from_millis(ms));
        let quiet = Duration::from_millis(300);
        assert_eq!(patience(&call(90_000), quiet), 89_600);
        assert_eq!(patience(&call(90_000), Duration::ZERO), 89_900);
        assert_eq!(patience(&call(500), quiet), 250, "never below half");
        assert_eq!(patience(&call(0), quiet), 1);
    }

    #[test]
    fn only_a_socket_that_was_not_made_is_a_reason_for_a_port() {
        let failed = |kind: &str, message: &str| {
            format!(
                "INSTRUMENTATION_RESULT: errorType={kind}\nINSTRUMENTATION_RESULT: message={message}\n\
                 INSTRUMENTATION_RESULT: ok=false\nINSTRUMENTATION_CODE: 1\n"
            )
        };
        assert!(by_socket(&failed(
            "java.io.IOException",
            "Permission denied"
        )));
        let taken = failed(
            "java.util.concurrent.TimeoutException",
            "Timed out waiting for Android UiAutomation to connect",
        );
        assert!(!by_socket(&taken));
        assert!(!by_socket("INSTRUMENTATION_FAILED: a/b\n"));
        let Start::Helper { error, .. } = ended_early(&taken) else {
            panic!("it has ended");
        };
        assert_eq!(error.detail("helperEnded"), None);
    }
}
