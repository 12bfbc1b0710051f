//! The program in the simulator: compiled once, started on first use, started again when it has ended.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agent_device_core::observe::{Judgement, Schedule, observe_until};
use sha2::{Digest as _, Sha256};
use tokio::{sync::watch, task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    client::{Client, MAX_SOCKET_PATH},
    failure::AxFailure,
};
use crate::tools::{
    Patience, Running, Scratch, Simctl, Tool, ToolFailure, ToolPath, scratch, word,
};

/// A name and what the file of that name holds.
type Source = (&'static str, &'static str);

macro_rules! sources {
    ($($name:literal in $folder:literal,)*) => {
        &[$(($name, include_str!(concat!("../../../runner-swift/Sources/", $folder, "/", $name))),)*]
    };
}

/// The guest's source. All Swift files are compiled as one module.
const SOURCES: &[Source] = sources![
    "Capture.swift" in "AXService",
    "DescribeRequest.swift" in "AXService",
    "Failure.swift" in "AXService",
    "Frame.swift" in "AXService",
    "Reply.swift" in "AXService",
    "ServeOptions.swift" in "AXService",
    "Service.swift" in "AXService",
    "SocketServer.swift" in "AXService",
    "Tree.swift" in "AXService",
    "TreeSource.swift" in "AXService",
    "Watchdog.swift" in "AXService",
    "Wire.swift" in "AXService",
    "SimulatorSource.swift" in "AXGuest",
    "main.swift" in "AXGuest",
    "AXDeclarations.h" in "AXGuest",
    "AXPrivate.h" in "AXGuest",
    "AXPrivate.m" in "AXGuest",
];

const PROGRAM: &str = "ax-guest";
/// How long each of the two compilers may take. The first use of a new Xcode alone can take twenty seconds.
const COMPILE: Duration = Duration::from_secs(120);
/// How long the started program may take until it listens.
const LISTEN: Duration = Duration::from_secs(10);
/// The guest ends itself after so long without a request, so that none outlives its host for long.
const IDLE_SECONDS: u32 = 60;

/// A simulator as the place where the guest runs.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) tools: ToolPath,
    pub(super) simctl: Simctl,
    /// Where compiled programs are kept.
    pub(super) cache: PathBuf,
    /// A program that somebody else has compiled.
    pub(super) program: Option<PathBuf>,
}

/// A guest that listens. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Guest {
    pub(super) client: Client,
    running: Running,
    _folder: Scratch,
}

impl Guest {
    fn has_ended(&self) -> bool {
        self.running.exit_code().is_some()
    }
}

impl Host {
    pub(super) fn udid(&self) -> &str {
        self.simctl.udid()
    }

    /// `simctl spawn`: runs a program in the simulator.
    fn spawn_tool<A: AsRef<std::ffi::OsStr>>(
        &self,
        limit: Duration,
        arguments: impl IntoIterator<Item = A>,
    ) -> Tool {
        self.simctl
            .tool(limit)
            .args(["spawn", self.udid()])
            .args(arguments)
    }

    pub(super) async fn launchctl_list(&self, patience: &Patience) -> Result<String, AxFailure> {
        let tool = self.spawn_tool(Duration::from_secs(5), ["launchctl", "list"]);
        Ok(self.simctl.run(tool, patience).await?.text().into_owned())
    }

    /// Everything from the source to a program that listens.
    async fn start(&self) -> Result<Guest, AxFailure> {
        // New simulators have both switched off, and readers then see an app without content.
        for setting in ["AccessibilityEnabled", "ApplicationAccessibilityEnabled"] {
            let write = [
                "defaults",
                "write",
                "com.apple.Accessibility",
                setting,
                "-bool",
                "true",
            ];
            let tool = self.spawn_tool(Duration::from_secs(15), write);
            self.tools
                .run(tool, &Patience::alone(Duration::from_secs(15)))
                .await?;
        }
        let program = match &self.program {
            Some(program) => program.clone(),
            None => self.compiled().await?,
        };
        let unprepared = |what: String| AxFailure::Unprepared { what };
        let folder = scratch("ax")
            .map_err(|error| unprepared(format!("no folder for the socket: {error}")))?;
        let socket = folder.path().join("s");
        if socket.as_os_str().len() > MAX_SOCKET_PATH {
            return Err(unprepared(format!(
                "{} is too long for a socket",
                socket.display()
            )));
        }
        let idle = IDLE_SECONDS.to_string();
        let serve = [
            program.as_os_str(),
            "serve".as_ref(),
            socket.as_os_str(),
            "--idle-timeout".as_ref(),
            idle.as_ref(),
            "--exit-on-disconnect".as_ref(),
            "false".as_ref(),
        ];
        let tool = self.spawn_tool(Duration::MAX, serve);
        let running = self
            .tools
            .spawn(&tool, Arc::new(|line| tracing::trace!(line, "ax guest")))?;
        let guest = Guest {
            client: Client::new(socket),
            running,
            _folder: folder,
        };
        guest.listens().await?;
        Ok(guest)
    }

    /// The compiled program, from the cache if it is there.
    async fn compiled(&self) -> Result<PathBuf, AxFailure> {
        let home = self.cache.join(key(SOURCES));
        let program = home.join(PROGRAM);
        if program.is_file() {
            return Ok(program);
        }
        let failed = |error: std::io::Error| AxFailure::Unprepared {
            what: format!("{}: {error}", self.cache.display()),
        };
        // Beside its place, so that nobody ever sees half of it; the last of several that compile at once wins.
        let work = self.cache.join(format!("build-{}", word()));
        fs::create_dir_all(&work).map_err(failed)?;
        let built = self.compile(&work).await;
        let placed = match built {
            Ok(()) => fs::create_dir_all(&home)
                .and_then(|()| fs::rename(work.join(PROGRAM), &program))
                .map_err(failed),
            Err(failure) => Err(failure),
        };
        let _ = fs::remove_dir_all(&work);
        placed.map(|()| program)
    }

    async fn compile(&self, folder: &Path) -> Result<(), AxFailure> {
        let mut swift = Vec::new();
        for (name, text) in SOURCES {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|error| AxFailure::Unprepared {
                what: format!("{}: {error}", path.display()),
            })?;
            if name.ends_with(".swift") {
                swift.push(path.into_os_string());
            }
        }
        let at = |name: &str| folder.join(name).into_os_string();
        let xcrun = || Tool::new("xcrun", COMPILE).args(["--sdk", "iphonesimulator"]);
        let patience = Patience::alone(COMPILE * 2);
        let object = xcrun()
            .args(CLANG)
            .args(["-target", &target(), "-c"])
            .args([at("AXPrivate.m"), "-o".into(), at("AXPrivate.o")]);
        self.tools.run(object, &patience).await?;
        let whole = xcrun()
            .args(SWIFTC)
            .args(["-target", &target(), "-import-objc-header"])
            .args([at("AXPrivate.h")])
            .args(swift)
            .args([at("AXPrivate.o"), "-o".into(), at(PROGRAM)]);
        self.tools.run(whole, &patience).await?;
        Ok(())
    }
}

const CLANG: &[&str] = &[
    "clang",
    "-fobjc-arc",
    "-fobjc-exceptions",
    "-fmodules",
    "-O2",
    "-Wall",
    "-Werror",
];
const SWIFTC: &[&str] = &[
    "swiftc",
    "-swift-version",
    "6",
    "-O",
    "-whole-module-optimization",
    "-module-name",
    "AXGuest",
];

/// The simulators of a Mac run programs of its own architecture.
fn target() -> String {
    let architecture = match std::env::consts::ARCH {
        "aarch64" => "arm64",
        other => other,
    };
    format!("{architecture}-apple-ios15.0-simulator")
}

/// What a compiled program is kept under: other source or other arguments make another program.
fn key(sources: &[Source]) -> String {
    let mut hash = Sha256::new();
    let arguments = [CLANG.join(" "), SWIFTC.join(" "), target()];
    let parts = arguments
        .iter()
        .map(String::as_str)
        .chain(sources.iter().flat_map(|(name, text)| [*name, *text]));
    for part in parts {
        hash.update(part);
        hash.update([0]);
    }
    hash.finalize()
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

impl Guest {
    /// Waits until the program takes a connection.
    async fn listens(&self) -> Result<(), AxFailure> {
        let schedule = Schedule::new("ax-listen", Duration::from_millis(20), LISTEN);
        let observation = observe_until(
            schedule,
            &CancellationToken::new(),
            None,
            |_| self.client.connect(),
            |_| !self.has_ended(),
            |(), _, _| Judgement::Done(()),
        )
        .await;
        if matches!(
            observation.end,
            agent_device_core::observe::End::Done { .. }
        ) {
            return Ok(());
        }
        let what = match self.running.exit_code() {
            Some(code) => format!(
                "the program ended with code {code}: {}",
                self.running.tail().trim()
            ),
            None => format!(
                "the program does not listen on {}",
                self.client.socket().display()
            ),
        };
        Err(AxFailure::Unprepared { what })
    }
}

type Outcome = Option<Result<Arc<Guest>, String>>;

/// What is known about the guest.
#[derive(Debug, Default)]
enum State {
    #[default]
    None,
    /// It is being prepared, or has been.
    Begun {
        at: Instant,
        outcome: watch::Receiver<Outcome>,
        task: JoinHandle<()>,
    },
}

impl Drop for State {
    fn drop(&mut self) {
        if let Self::Begun { task, .. } = self {
            task.abort();
        }
    }
}

/// Has the guest prepared, and says whether it is there.
#[derive(Debug)]
pub(super) struct Keeper {
    host: Arc<Host>,
    state: Mutex<State>,
    /// How long after its beginning a preparation is waited for.
    pub(super) first_wait: Duration,
    /// How long after its beginning a failed preparation is begun again.
    pub(super) again_after: Duration,
}

impl Keeper {
    pub(super) fn new(host: Host, first_wait: Duration, again_after: Duration) -> Self {
        Self {
            host: Arc::new(host),
            state: Mutex::default(),
            first_wait,
            again_after,
        }
    }

    pub(super) fn host(&self) -> &Host {
        &self.host
    }

    /// Begins to prepare the guest, unless it is there, on its way, or failed a short while ago. Doesn't wait.
    pub(super) fn begin(&self) -> (Instant, watch::Receiver<Outcome>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Begun { at, outcome, .. } = &*state {
            let stands = match &*outcome.borrow() {
                None => true,
                Some(Ok(guest)) => !guest.has_ended(),
                Some(Err(_)) => at.elapsed() < self.again_after,
            };
            if stands {
                return (*at, outcome.clone());
            }
        }
        let (sender, outcome) = watch::channel(None);
        let host = Arc::clone(&self.host);
        let task = tokio::spawn(async move {
            let prepared = host.start().await;
            let prepared = prepared.map(Arc::new).map_err(|failure| cause(&failure));
            sender.send_replace(Some(prepared));
        });
        let at = Instant::now();
        *state = State::Begun {
            at,
            outcome: outcome.clone(),
            task,
        };
        (at, outcome)
    }

    /// The guest. Waits a moment for one that is being prepared.
    pub(super) async fn guest(&self, patience: &Patience) -> Result<Arc<Guest>, AxFailure> {
        let (at, mut outcome) = self.begin();
        let until = patience.deadline.min(at + self.first_wait);
        let wait = tokio::time::timeout_at(until, outcome.wait_for(Option::is_some));
        let waited = patience
            .cancel
            .run_until_cancelled(wait)
            .await
            .ok_or(AxFailure::Canceled)?;
        match waited
            .ok()
            .and_then(Result::ok)
            .and_then(|outcome| outcome.clone())
        {
            Some(Ok(guest)) => Ok(guest),
            Some(Err(what)) => Err(AxFailure::Unprepared { what }),
            None => Err(AxFailure::Preparing),
        }
    }
}

/// How much of what a compiler said goes into an error.
const COMPLAINT: usize = 500;

/// All that is known about why the guest is not there.
fn cause(failure: &AxFailure) -> String {
    match failure {
        AxFailure::Unprepared { what } => what.clone(),
        AxFailure::Tool(tool @ ToolFailure::Exit { stderr, .. }) => {
            let complaint: String = stderr.trim().chars().take(COMPLAINT).collect();
            format!("{tool}: {complaint}")
        }
        AxFailure::Tool(tool) => tool.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_source_makes_another_program() {
        let sources = [("a.swift", "let a = 1"), ("b.swift", "let b = 2")];
        let same = key(&sources);
        assert_eq!((same.len(), key(&sources)), (32, same.clone()));
        for other in [
            [("a.swift", "let a = 2"), sources[1]],
            [("c.swift", "let a = 1"), sources[1]],
            [sources[1], sources[0]],
        ] {
            assert_ne!(key(&other), same);
        }
    }

    #[test]
    fn the_source_is_all_of_the_source() {
        let folder = |name: &str| {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../runner-swift/Sources")
                .join(name)
        };
        let mut files: Vec<_> = ["AXService", "AXGuest"]
            .into_iter()
            .flat_map(|name| fs::read_dir(folder(name)).unwrap())
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_type().unwrap().is_file())
            .map(|entry| entry.file_name().into_string().unwrap())
            .filter(|name| name.contains('.'))
            .collect();
        files.sort();
        let mut known: Vec<_> = SOURCES.iter().map(|(name, _)| (*name).to_owned()).collect();
        known.sort();
        assert_eq!(known, files);
    }
}
