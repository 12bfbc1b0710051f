//! The adb program: where it is, starting the server with it, and running commands through it where no socket of ours reaches
//! the server. The only place of this crate where a process is started.
//!
//! A process is weak evidence: its text says a refusal only if a refusal is all of it, and everything else may have run. What
//! runs on the device must say on stdout that it has begun, for its stderr is passed on as if it were adb's own.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{Child, Command},
};

use super::{Endpoint, HostRefusal, link::Progress};
use crate::{
    config::AdbConfig,
    error::{AdbFailure, Phase},
};

/// How much output of a starting server is kept.
const START_OUTPUT: usize = 16 * 1024;

/// The adb program, set to one server.
#[derive(Debug)]
pub(super) struct Program {
    path: PathBuf,
    /// What names the server to it, if not the environment.
    server: Vec<OsString>,
}

impl Program {
    /// Looks where the SDK usually is, then on `PATH`.
    pub(super) fn find(config: &AdbConfig, endpoint: &Endpoint) -> Result<Self, AdbFailure> {
        let path = match &config.program {
            Some(path) if is_program(path) => Some(path.clone()),
            Some(path) => {
                return Err(AdbFailure::ToolMissing {
                    program: Some(path.clone()),
                    source: None,
                });
            }
            None => places(|name| std::env::var_os(name))
                .into_iter()
                .find(|path| is_program(path)),
        };
        Ok(Self {
            path: path.ok_or(AdbFailure::ToolMissing {
                program: None,
                source: None,
            })?,
            server: vec!["-L".into(), endpoint.socket().into()],
        })
    }

    fn command(&self, server: &[OsString], arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(&self.path);
        command
            .args(server)
            .args(arguments)
            // The arguments name the server; what the environment says beside them would confuse the daemon that starts.
            .env_remove("ADB_SERVER_SOCKET")
            .env_remove("ANDROID_ADB_SERVER_ADDRESS")
            .env_remove("ANDROID_ADB_SERVER_PORT")
            .env_remove("ANDROID_SERIAL")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        command
    }

    fn spawn(&self, mut command: Command) -> Result<Running, AdbFailure> {
        match command.spawn() {
            Ok(child) => Ok(Running { child: Some(child) }),
            Err(source) => Err(AdbFailure::ToolMissing {
                program: Some(self.path.clone()),
                source: Some(source),
            }),
        }
    }

    /// `adb start-server`. What it starts outlives it, in a process group of its own.
    pub(super) async fn start_server(&self, port: u16, limit: Duration) -> Result<(), AdbFailure> {
        tracing::debug!(name: "agent_device.android.start_server", port, "starting the adb server");
        // `-P`: `-L` with an address would make the server listen for all it accepts there, and warn.
        let server = ["-P".into(), port.to_string().into()];
        let mut running = self.spawn(self.command(&server, &["start-server"]))?;
        let mut output = Vec::new();
        let ended = async {
            let child = running.child_mut()?;
            let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
            // Not until the end of the streams: the daemon may hold them open for ever.
            let status = child.wait().await?;
            let mut spare = Vec::new();
            let last_words = async {
                // What can't be read is not among its last words.
                let _ = tokio::join!(
                    read(stderr, &mut output, START_OUTPUT),
                    read(stdout, &mut spare, START_OUTPUT)
                );
            };
            if !status.success() {
                let _ = tokio::time::timeout(Duration::from_millis(200), last_words).await;
            }
            Ok::<_, io::Error>(status.success())
        };
        let done = tokio::time::timeout(limit, ended).await;
        match done {
            Ok(Ok(true)) => {
                running.release();
                Ok(())
            }
            Ok(Ok(false)) => Err(AdbFailure::StartFailed {
                output: String::from_utf8_lossy(&output).into_owned(),
            }),
            Ok(Err(error)) => Err(AdbFailure::StartFailed {
                output: error.to_string(),
            }),
            Err(_) => Err(AdbFailure::StartFailed {
                output: format!("it did not end within {limit:?}"),
            }),
        }
    }

    /// Runs a command to its end: one for the device, or a service of adb's own. The caller bounds the time; dropping the future kills the process and what it started.
    pub(super) async fn run(
        &self,
        arguments: &[impl AsRef<OsStr>],
        phase: Phase,
        limit: usize,
        progress: &Progress,
    ) -> Result<ProcessOutput, AdbFailure> {
        let mut running = self.spawn(self.command(&self.server, arguments))?;
        // A started process may do what it is for at any time.
        progress.reached(phase);
        let lost = |source| AdbFailure::Lost {
            phase: progress.phase(),
            source: Some(source),
        };
        let child = running.child_mut().map_err(lost)?;
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let (out, err) = tokio::join!(read(out, &mut stdout, limit), read(err, &mut stderr, limit));
        if out.map_err(lost)? || err.map_err(lost)? {
            return Err(AdbFailure::TooLarge { limit });
        }
        let status = child.wait().await.map_err(lost)?;
        running.release();
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        let code = status.code().unwrap_or(-1);
        if code != 0
            && let Some(refusal) = HostRefusal::of_output(&stdout, &stderr)
        {
            return Err(AdbFailure::Refused {
                refusal,
                text: stderr,
            });
        }
        Ok(ProcessOutput {
            stdout,
            stderr,
            code,
            phase,
        })
    }
}

/// A process with everything that it started. Dropping it kills the group.
#[derive(Debug)]
struct Running {
    child: Option<Child>,
}

impl Running {
    fn child_mut(&mut self) -> io::Result<&mut Child> {
        self.child
            .as_mut()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// It has ended in good order: what it left behind is meant to stay.
    fn release(&mut self) {
        self.child = None;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self
            .child
            .as_ref()
            .and_then(Child::id)
            .and_then(|id| i32::try_from(id).ok())
            .and_then(rustix::process::Pid::from_raw)
        {
            // It may have ended by itself.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

/// Reads to the end of the stream or up to `limit`; says whether there was more.
async fn read(
    stream: Option<impl AsyncRead + Unpin>,
    into: &mut Vec<u8>,
    limit: usize,
) -> io::Result<bool> {
    let Some(stream) = stream else {
        return Ok(false);
    };
    let bound = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    stream.take(bound).read_to_end(into).await?;
    Ok(into.len() > limit)
}

/// What an adb process printed, and how it ended.
#[derive(Debug)]
pub(super) struct ProcessOutput {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    pub(super) code: i32,
    phase: Phase,
}

impl ProcessOutput {
    pub(super) fn stdout_text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.stdout)
    }

    /// Fails for an exit code other than 0.
    pub(super) fn checked(self, command: &str) -> Result<Self, AdbFailure> {
        if self.code == 0 {
            return Ok(self);
        }
        Err(AdbFailure::Exit {
            command: command.to_owned(),
            code: self.code,
            stdout: self.stdout_text().into_owned(),
            stderr: self.stderr,
            host: true,
            phase: self.phase,
        })
    }
}

/// Where adb may be, best first.
fn places(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let name = if cfg!(windows) { "adb.exe" } else { "adb" };
    let folder = |name: &str| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let sdks = [
        folder("ANDROID_SDK_ROOT"),
        folder("ANDROID_HOME"),
        folder("HOME").map(|home| home.join("Android/Sdk")),
        folder("HOME")
            .filter(|_| cfg!(target_os = "macos"))
            .map(|home| home.join("Library/Android/sdk")),
        folder("LOCALAPPDATA").map(|local| local.join("Android").join("Sdk")),
    ];
    let mut places: Vec<PathBuf> = sdks
        .into_iter()
        .flatten()
        .map(|sdk| sdk.join("platform-tools").join(name))
        .collect();
    let path = variable("PATH").unwrap_or_default();
    places.extend(std::env::split_paths(&path).map(|folder| folder.join(name)));
    places
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adb_is_looked_for_in_the_sdk_before_the_path() {
        let places = places(|name| {
            Some(match name {
                "ANDROID_HOME" => "/sdk".into(),
                "HOME" => "/home/x".into(),
                "PATH" => "/usr/bin:/bin".into(),
                _ => return None,
            })
        });
        let wanted = [
            "/sdk/platform-tools/adb",
            "/home/x/Android/Sdk/platform-tools/adb",
        ];
        assert_eq!(&places[..2], wanted.map(PathBuf::from));
        if cfg!(not(target_os = "macos")) {
            assert_eq!(places.last(), Some(&PathBuf::from("/bin/adb")));
        }
    }
}
