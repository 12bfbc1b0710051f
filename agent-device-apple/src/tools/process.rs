//! The one place of this crate where a process is started.
//!
//! Every process has a process group of its own, a bounded output, and an owner: dropping the owner kills the group. A tool
//! that is run to its end has a deadline as well.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, Command},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::running::{Signal, signal_group};

/// Where Apple's tools are looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolPath(Option<OsString>);

impl ToolPath {
    /// These folders, or those of the environment.
    pub(crate) fn new(path: Option<OsString>) -> Self {
        Self(path)
    }

    fn folders(&self) -> OsString {
        self.0
            .clone()
            .or_else(|| std::env::var_os("PATH"))
            .unwrap_or_default()
    }

    /// The program of this name.
    pub(crate) fn find(&self, name: &'static str) -> Result<PathBuf, ToolFailure> {
        std::env::split_paths(&self.folders())
            .map(|folder| folder.join(name))
            .find(|path| is_program(path))
            .ok_or(ToolFailure::Missing {
                tool: name,
                source: None,
            })
    }

    pub(super) fn command(&self, tool: &Tool) -> Result<Command, ToolFailure> {
        let mut command = Command::new(self.find(tool.name)?);
        command
            .args(&tool.arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(path) = &self.0 {
            // A tool that starts another one finds it in the same folders.
            command.env("PATH", path);
        }
        #[cfg(unix)]
        command.process_group(0);
        Ok(command)
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// One call of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) arguments: Vec<OsString>,
    /// What the tool reads from its input.
    pub(crate) input: Option<Vec<u8>>,
    /// How long it may take.
    pub(crate) limit: Duration,
}

/// What a tool prints is small, but for pictures.
const MAX_OUTPUT: usize = 64 << 20;

impl Tool {
    pub(crate) fn new(name: &'static str, limit: Duration) -> Self {
        Self {
            name,
            arguments: Vec::new(),
            input: None,
            limit,
        }
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        let words = arguments.into_iter().map(|word| word.as_ref().to_owned());
        self.arguments.extend(words);
        self
    }

    pub(crate) fn input(mut self, bytes: Vec<u8>) -> Self {
        self.input = Some(bytes);
        self
    }

    /// The tool with the words that say what it does, for errors. Contents that a caller typed are never arguments.
    fn words(&self) -> String {
        // Which set of simulators is meant comes before what is done with it.
        let set = self.arguments.get(1).is_some_and(|word| word == "--set");
        let words = self
            .arguments
            .iter()
            .take(1)
            .chain(self.arguments.iter().skip(if set { 3 } else { 1 }).take(2));
        words.fold(self.name.to_owned(), |text, word| {
            format!("{text} {}", word.to_string_lossy())
        })
    }
}

/// What a tool printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Output {
    pub(crate) fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.stdout)
    }
}

/// A tool that could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolFailure {
    #[error("{tool} was not found or can't be started")]
    Missing {
        tool: &'static str,
        #[source]
        source: Option<io::Error>,
    },
    #[error("{command} ended with code {code}")]
    Exit {
        command: String,
        code: i32,
        stdout: String,
        stderr: String,
    },
    #[error("the simulator's runtime is missing: {why}")]
    NoRuntime { why: String },
    /// The system that starts and ends the apps of a simulator does not know this one.
    #[error("the simulator does not know the app")]
    UnknownApp { stderr: String },
    #[error("{}", .nearest.said_of(.command, *.after))]
    Timeout {
        command: String,
        after: Duration,
        nearest: Nearest,
    },
    #[error("{command} was given up because the caller cancelled")]
    Canceled { command: String },
    #[error("{command} printed more than {limit} bytes")]
    TooLarge { command: String, limit: usize },
    #[error("the output of {command} is not what it should be: {what}")]
    Unreadable { command: String, what: &'static str },
    #[error("{command} could not be talked to")]
    Lost {
        command: String,
        #[source]
        source: io::Error,
    },
}

/// Which of several limits comes first, and so is the one to blame when the time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nearest {
    /// That of the work itself, or of a phase that it is part of.
    Limit,
    /// The deadline of the call.
    Call,
}

impl Nearest {
    fn said_of(self, command: &str, after: Duration) -> String {
        match self {
            Self::Limit => format!("{command} did not end within {after:?}"),
            Self::Call => {
                format!("the time of the call was over while it waited for {command} ({after:?})")
            }
        }
    }
}

/// Until when somebody waits.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    pub(crate) deadline: Instant,
    pub(crate) nearest: Nearest,
    pub(crate) cancel: CancellationToken,
}

/// So much later than now; a time that the clock can't hold is as good as never.
fn later(limit: Duration) -> Instant {
    const NEVER: Duration = Duration::from_secs(86_400 * 365 * 30);
    let now = Instant::now();
    now.checked_add(limit).unwrap_or(now + NEVER)
}

impl Patience {
    pub(crate) fn of(call: &agent_device_core::Call) -> Self {
        Self {
            deadline: call.deadline(),
            nearest: Nearest::Call,
            cancel: call.cancel().clone(),
        }
    }

    /// This long, whatever a caller says: for cleaning up.
    pub(crate) fn alone(limit: Duration) -> Self {
        Self {
            deadline: later(limit),
            nearest: Nearest::Limit,
            cancel: CancellationToken::new(),
        }
    }

    /// At most this long.
    pub(crate) fn within(&self, limit: Duration) -> Self {
        let mut patience = self.clone();
        let own = later(limit);
        if own < self.deadline {
            (patience.deadline, patience.nearest) = (own, Nearest::Limit);
        }
        patience
    }

    pub(crate) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}

impl ToolPath {
    /// Runs a tool to its end. An exit code other than 0 is a failure.
    ///
    /// Dropping the future kills the tool and what it started.
    pub(crate) async fn run(&self, tool: Tool, patience: &Patience) -> Result<Output, ToolFailure> {
        let output = self.run_any(tool.clone(), patience).await?;
        if output.code == 0 {
            return Ok(output);
        }
        Err(ToolFailure::Exit {
            command: tool.words(),
            code: output.code,
            stdout: output.text().into_owned(),
            stderr: output.stderr,
        })
    }

    /// Runs a tool to its end, whatever its exit code.
    pub(crate) async fn run_any(
        &self,
        mut tool: Tool,
        patience: &Patience,
    ) -> Result<Output, ToolFailure> {
        let command = tool.words();
        let input = tool.input.take();
        let mut running = Group::spawn(
            self.command(&tool)?.stdin(if input.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            }),
            tool.name,
        )?;
        let patience = patience.within(tool.limit);
        let started = Instant::now();
        let ended = async {
            let (stdin, out, err) = running.streams();
            let feed = async {
                if let (Some(mut stdin), Some(input)) = (stdin, input) {
                    // A tool that doesn't read is judged by its exit code.
                    let _ = stdin.write_all(&input).await;
                }
            };
            let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
            let ((), out, err) =
                tokio::join!(feed, drain(out, &mut stdout), drain(err, &mut stderr));
            if out? || err? {
                return Ok(None);
            }
            let status = running.wait().await?;
            Ok::<_, io::Error>(Some(Output {
                stdout,
                stderr: String::from_utf8_lossy(&stderr).into_owned(),
                code: status.code().unwrap_or(-1),
            }))
        };
        tokio::select! {
            biased;
            ended = ended => match ended {
                Ok(Some(output)) => Ok(output),
                Ok(None) => Err(ToolFailure::TooLarge { command, limit: MAX_OUTPUT }),
                Err(source) => Err(ToolFailure::Lost { command, source }),
            },
            () = patience.cancel.cancelled() => Err(ToolFailure::Canceled { command }),
            () = tokio::time::sleep_until(patience.deadline) => {
                let (after, nearest) = (started.elapsed(), patience.nearest);
                Err(ToolFailure::Timeout { command, after, nearest })
            }
        }
    }
}

/// Reads to the end; says whether there was more than is kept.
async fn drain(stream: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>) -> io::Result<bool> {
    let Some(stream) = stream else {
        return Ok(false);
    };
    let bound = u64::try_from(MAX_OUTPUT)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    stream.take(bound).read_to_end(into).await?;
    Ok(into.len() > MAX_OUTPUT)
}

/// A process and everything that it started. Dropping it kills them.
#[derive(Debug)]
pub(super) struct Group {
    child: Child,
    pub(super) pid: Option<u32>,
}

pub(super) type Streams = (
    Option<tokio::process::ChildStdin>,
    Option<tokio::process::ChildStdout>,
    Option<tokio::process::ChildStderr>,
);

impl Group {
    pub(super) fn spawn(command: &mut Command, tool: &'static str) -> Result<Self, ToolFailure> {
        match command.spawn() {
            Ok(child) => Ok(Self {
                pid: child.id(),
                child,
            }),
            Err(source) => Err(ToolFailure::Missing {
                tool,
                source: Some(source),
            }),
        }
    }

    pub(super) fn streams(&mut self) -> Streams {
        (
            self.child.stdin.take(),
            self.child.stdout.take(),
            self.child.stderr.take(),
        )
    }

    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(pid) = self.pid {
            signal_group(pid, Signal::Kill);
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn shell(script: &str, limit: Duration) -> Tool {
        Tool::new("sh", limit).args(["-c", script])
    }

    pub(crate) fn now() -> Patience {
        Patience::alone(Duration::from_secs(10))
    }

    fn lives(pid: u32) -> bool {
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        rustix::process::test_kill_process_group(pid).is_ok()
    }

    #[tokio::test]
    async fn a_tool_that_hangs_costs_its_limit_and_nothing_of_it_is_left() {
        let folder = std::env::temp_dir().join(format!("apple-tools-{}", std::process::id()));
        let mark = folder.display().to_string();
        let script = format!("echo $$ > {mark}; sleep 60 & sleep 60");
        let started = Instant::now();
        let failure = ToolPath::default()
            .run(shell(&script, Duration::from_millis(300)), &now())
            .await
            .unwrap_err();
        assert!(
            matches!(failure, ToolFailure::Timeout { .. }),
            "{failure:?}"
        );
        assert!(started.elapsed() < Duration::from_secs(5));
        let pid = std::fs::read_to_string(&folder).unwrap();
        let _ = std::fs::remove_file(&folder);
        for _ in 0..100 {
            if !lives(pid.trim().parse().unwrap()) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the group lives on");
    }

    #[tokio::test]
    async fn the_nearest_limit_is_to_blame() {
        let blamed = async |patience: &Patience, limit: u64| {
            let tool = shell("sleep 60", Duration::from_millis(limit));
            match ToolPath::default().run(tool, patience).await {
                Err(ToolFailure::Timeout { nearest, .. }) => nearest,
                other => panic!("{other:?}"),
            }
        };
        let call = |ms| agent_device_core::Call::standalone(Duration::from_millis(ms));
        let long = Duration::from_secs(50);
        let call_ends = Patience::of(&call(200)).within(long);
        assert_eq!(blamed(&call_ends, 40_000).await, Nearest::Call);
        let tool_ends = Patience::of(&call(60_000)).within(long);
        assert_eq!(blamed(&tool_ends, 200).await, Nearest::Limit);
        let phase_ends = Patience::of(&call(60_000)).within(Duration::from_millis(200));
        assert_eq!(
            blamed(&phase_ends.within(long), 40_000).await,
            Nearest::Limit
        );
        assert_eq!(
            blamed(&Patience::alone(Duration::from_millis(200)), 40_000).await,
            Nearest::Limit
        );
    }

    #[tokio::test]
    async fn input_is_fed_and_codes_are_told() {
        let tools = ToolPath::default();
        let tool = shell("cat; echo bad >&2; exit 3", Duration::from_secs(5));
        let output = tools
            .run_any(tool.input(b"hello".to_vec()), &now())
            .await
            .unwrap();
        assert_eq!((output.text().as_ref(), output.code), ("hello", 3));
        assert_eq!(output.stderr, "bad\n");
        let missing = Tool::new("there-is-no-such-tool", Duration::from_secs(1));
        let failure = tools.run(missing, &now()).await.unwrap_err();
        assert!(matches!(failure, ToolFailure::Missing { .. }));
    }
}
