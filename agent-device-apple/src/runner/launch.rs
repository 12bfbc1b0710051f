//! Getting a runner to run: build, port, environment, xcodebuild. What comes out is a way to it and the process that keeps it
//! alive, not a runner that is ready.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

use super::{
    lease::{Lease, Unleased},
    markers::{Marker, marker_in},
    transport::Route,
    tunnel::Tunnel,
    usbmux::Usbmux,
};
use crate::{
    config::{AppleConfig, AppleTarget},
    profile::{Kind, Platform, Profile},
    tools::{
        Build, BuildFailure, BuildSettings, Cause, Devicectl, OnLine, PATCHED, Patience, Running,
        Signal, Simctl, Tool, ToolFailure, ToolPath, Unusable, cause_in, launch_tool, word,
    },
};

/// What the launch of a runner printed so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    pub(crate) ready: bool,
    pub(crate) port: Option<u16>,
    pub(crate) failed: Option<String>,
    pub(crate) cause: Option<Cause>,
}

/// A runner's process, with the file that it was launched by.
#[derive(Debug)]
pub(crate) struct RunnerProcess {
    pub(crate) running: Running,
    pub(crate) heard: watch::Receiver<Heard>,
    _file: PatchedFile,
    is_mac: bool,
    /// What has to be ended beside the process, and what keeps others from starting theirs until it is.
    rest: Option<(RunnerApp, Lease)>,
    /// What makes its build one that is found again, if it is from before.
    kept_build: Option<PathBuf>,
}

impl RunnerProcess {
    /// Its build did not become a runner that answers: the next start makes another one.
    pub(crate) fn forget_build(&self) {
        if let Some(metadata) = &self.kept_build {
            tracing::warn!(name: "agent_device.apple.build.dropped", "a kept build did not start, and is not used again");
            let _ = std::fs::remove_file(metadata);
        }
    }

    async fn note_start(&mut self, patience: &Patience) {
        if let Some((_, lease)) = &mut self.rest {
            lease.note_start(patience).await;
        }
    }

    /// Waits so long for the end that it was asked for. Then nothing of it is left.
    pub(crate) async fn ends_itself(&mut self, within: Duration) {
        let ended = tokio::time::timeout(within, self.running.exited()).await;
        if ended.is_ok()
            && let Some((_, mut lease)) = self.rest.take()
        {
            lease.settle();
        }
    }

    /// Ends it, and what is left of it. On a Mac the test process gets time to put the screen saver back. What takes longer
    /// than the caller has goes on without the caller, and without courtesy.
    pub(crate) async fn end(&mut self, patience: &Patience) {
        let steps: &[_] = if self.is_mac {
            &[
                (Signal::Interrupt, Duration::from_secs(5)),
                (Signal::Terminate, Duration::from_secs(2)),
            ]
        } else {
            &[(Signal::Terminate, Duration::from_secs(2))]
        };
        let end = async {
            self.running.stop(steps).await;
            if let Some(rest) = self.end_rest() {
                let _ = rest.await;
            }
        };
        let end = tokio::time::timeout_at(patience.deadline, end);
        patience.cancel.run_until_cancelled(end).await;
    }

    /// In a task of its own: whoever waits for it may go. The next runner has the same app, so the lease is given back last.
    fn end_rest(&mut self) -> Option<JoinHandle<()>> {
        let (app, mut lease) = self.rest.take()?;
        // Without one, as at the end of a program, the next holder of the lease does it.
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        Some(runtime.spawn(async move {
            app.end().await;
            lease.settle();
        }))
    }
}

impl Drop for RunnerProcess {
    fn drop(&mut self) {
        self.running.kill();
        drop(self.end_rest());
    }
}

/// The runner's app in a simulator. It is the simulator's child, and outlives an xcodebuild that is killed.
#[derive(Debug)]
struct RunnerApp(Option<(Simctl, String)>);

impl RunnerApp {
    async fn end(&self) {
        const LIMIT: Duration = Duration::from_secs(2);
        if let Self(Some((simctl, bundle))) = self {
            // That it can't be ended, or is gone, changes nothing.
            let _ = simctl.terminate(bundle, &Patience::alone(LIMIT)).await;
        }
    }
}

/// A file made for one launch. Removed when dropped.
#[derive(Debug)]
struct PatchedFile(PathBuf);

impl Drop for PatchedFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A launched runner.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) route: Route,
    /// What has to be shown to it.
    pub(crate) token: Option<String>,
    /// `None` for a runner that somebody else keeps.
    pub(crate) process: Option<RunnerProcess>,
}

/// Why a runner was not launched. Nothing was sent to one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchFailure {
    #[error(transparent)]
    Tool(#[from] ToolFailure),
    #[error(transparent)]
    Build(#[from] BuildFailure),
    #[error("a Mac is neither a simulator nor a device beside one: name it as AppleTarget::Mac")]
    NoMac,
    #[error("there is no device {udid}")]
    NoDevice { udid: String },
    #[error("{}", .0.line)]
    Cause(Cause),
    #[error("the device is driven by {}", if *.owner == Some(std::process::id()) { "this process already" } else { "another process" })]
    Leased { owner: Option<u32> },
    #[error("the launch of the runner could not be prepared")]
    Io(#[source] std::io::Error),
    #[error("the environment of the runner can't be written: {0}")]
    Patch(Unusable),
}

/// How runners of one device are launched.
#[derive(Debug)]
pub(crate) struct Launcher {
    target: AppleTarget,
    config: AppleConfig,
    tools: ToolPath,
    home: PathBuf,
}

/// How long a holder of the lease that is about to end is waited for: as long as the orderly end of a runner takes.
const LEASE_WAIT: Duration = Duration::from_secs(30);

impl Launcher {
    pub(crate) fn new(target: AppleTarget, config: AppleConfig, tools: ToolPath) -> Self {
        let home = config.home.clone().unwrap_or_else(|| {
            let home = std::env::var_os("HOME")
                .map(PathBuf::from)
                .unwrap_or_default();
            home.join(".agent-device").join("apple-runner")
        });
        Self {
            target,
            config,
            tools,
            home,
        }
    }

    pub(crate) fn profile(&self) -> Profile {
        self.target.profile()
    }

    /// Launches one. The time for building is the settings' own, beside the caller's.
    pub(crate) async fn launch(&self, patience: &Patience) -> Result<Launched, LaunchFailure> {
        if let AppleTarget::Runner { address, .. } = &self.target {
            return Ok(Launched {
                route: Route::Tcp(*address),
                token: self.config.runner.token.clone(),
                process: None,
            });
        }
        if self.profile().platform == Platform::MacOs && self.target != AppleTarget::Mac {
            return Err(LaunchFailure::NoMac);
        }
        let udid = self.target.id();
        let mut lease = self.lease(&udid, patience).await?;
        self.prepare(&udid, patience).await?;
        let settings = BuildSettings {
            profile: self.profile(),
            runner: self.config.runner.clone(),
            root: self.home.clone(),
            limit: self.config.build_timeout,
        };
        let mut build = Build::get(&settings, &self.tools, patience).await?;
        tracing::debug!(name: "agent_device.apple.build", origin = ?build.origin, "a build of the runner is there");

        let host = build
            .run
            .test_host()
            .unwrap_or_else(|| self.config.runner.test_host());
        let port = free_port().await.map_err(LaunchFailure::Io)?;
        let token = self
            .config
            .runner
            .token
            .clone()
            .unwrap_or_else(|| word() + &word());
        let mut environment = vec![
            ("AGENT_DEVICE_RUNNER_PORT", port.to_string()),
            ("AGENT_DEVICE_RUNNER_TOKEN", token.clone()),
        ];
        let own = self.config.runner.environment.iter();
        environment.extend(own.map(|(key, value)| (key.as_str(), value.clone())));
        build.run.patch(&environment);
        // Paths in the file are relative to its folder.
        let folder = build.path.parent().unwrap_or(Path::new("."));
        let name = format!(
            "{}{PATCHED}{}-{}-{port}.xctestrun",
            self.config.runner.scheme,
            udid.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_"),
            word(),
        );
        let file = PatchedFile(folder.join(name));
        build.run.write(&file.0).map_err(LaunchFailure::Patch)?;
        lease.note_launch(port, &file.0, &host);

        let (tell, heard) = watch::channel(Heard::default());
        let on_line: OnLine = Arc::new(move |line| {
            let (marker, cause) = (marker_in(line), cause_in(line));
            if marker.is_none() && cause.is_none() {
                return;
            }
            tell.send_modify(|heard| {
                match marker {
                    Some(Marker::Ready) => heard.ready = true,
                    Some(Marker::Port(port)) => heard.port = Some(port),
                    Some(Marker::ListenerFailed(why)) => heard.failed = Some(why),
                    None => {}
                }
                if let Some(cause) = cause {
                    heard.cause = Some(match heard.cause.take() {
                        Some(before) => before.or_better(cause),
                        None => cause,
                    });
                }
            });
        });
        let set = self.config.simulator_set.as_deref();
        let tool = launch_tool(
            self.profile(),
            &self.config.runner.scheme,
            &udid,
            set,
            &file.0,
            &build.derived,
        );
        let running = self.tools.spawn(&tool, on_line)?;
        lease.note_runner(running.pid());
        let mut process = RunnerProcess {
            running,
            heard,
            _file: file,
            is_mac: self.profile().platform == Platform::MacOs,
            rest: Some((self.runner_app(&udid, host), lease)),
            kept_build: build.metadata(),
        };
        process.note_start(patience).await;
        Ok(Launched {
            route: self.route(udid, port),
            token: Some(token),
            process: Some(process),
        })
    }

    fn route(&self, udid: String, port: u16) -> Route {
        match self.profile().kind {
            // A simulator's ports are those of its Mac.
            Kind::Simulator | Kind::Mac => {
                Route::Tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
            }
            Kind::Device => {
                let usbmux = Usbmux::new(self.config.usbmux_socket.clone(), udid.clone());
                let devicectl = Devicectl::new(self.tools.clone(), udid);
                Route::Device {
                    tunnel: Arc::new(Tunnel::new(usbmux, devicectl)),
                    port,
                }
            }
        }
    }

    async fn lease(&self, udid: &str, patience: &Patience) -> Result<Lease, LaunchFailure> {
        let folder = self.home.join("leases");
        let end_app = async |host| self.runner_app(udid, host).end().await;
        match Lease::take(&folder, udid, LEASE_WAIT, patience, end_app).await {
            Ok(lease) => Ok(lease),
            Err(Unleased::Held { owner }) => Err(LaunchFailure::Leased { owner }),
            Err(Unleased::Io(error)) => Err(LaunchFailure::Io(error)),
        }
    }

    fn runner_app(&self, udid: &str, host: String) -> RunnerApp {
        RunnerApp((self.profile().kind == Kind::Simulator).then(|| (self.simctl(udid), host)))
    }

    /// Sees to it that the device is there and up.
    async fn prepare(&self, udid: &str, patience: &Patience) -> Result<(), LaunchFailure> {
        match self.profile().kind {
            Kind::Simulator => {}
            Kind::Mac => return self.developer_mode(patience).await,
            Kind::Device => return Ok(()),
        }
        let simctl = self.simctl(udid);
        let woken = simctl.wake(patience).await?;
        woken.map(drop).ok_or_else(|| LaunchFailure::NoDevice {
            udid: udid.to_owned(),
        })
    }

    /// Without it, every test asks for a password that nobody types.
    async fn developer_mode(&self, patience: &Patience) -> Result<(), LaunchFailure> {
        let tool = Tool::new("DevToolsSecurity", Duration::from_secs(2)).args(["-status"]);
        // That it can't be asked says nothing.
        let Ok(output) = self.tools.run_any(tool, patience).await else {
            return Ok(());
        };
        let text = format!("{}\n{}", output.text(), output.stderr);
        match text.lines().find_map(cause_in) {
            Some(cause) => Err(LaunchFailure::Cause(cause)),
            None => Ok(()),
        }
    }

    pub(crate) fn simctl(&self, udid: &str) -> Simctl {
        let set = self
            .config
            .simulator_set
            .clone()
            .map(PathBuf::into_os_string);
        Simctl::new(self.tools.clone(), udid.to_owned(), set)
    }

    /// The tool that manages apps on the device, if there is one.
    pub(crate) fn apps(&self) -> Apps {
        match &self.target {
            AppleTarget::Simulator { udid, .. } => Apps::Simulator(self.simctl(udid)),
            AppleTarget::Device { udid, .. } => {
                Apps::Device(Devicectl::new(self.tools.clone(), udid.clone()))
            }
            AppleTarget::Mac | AppleTarget::Runner { .. } => Apps::Runner,
        }
    }
}

/// Who opens and closes apps.
#[derive(Clone, Debug)]
pub(crate) enum Apps {
    Simulator(Simctl),
    Device(Devicectl),
    /// The runner itself.
    Runner,
}

/// A port that is free now. The runner takes it a few seconds later; one that is taken meanwhile makes the start fail.
async fn free_port() -> std::io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    Ok(listener.local_addr()?.port())
}
