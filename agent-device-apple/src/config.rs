//! What a caller can set: which runner, how long it may take, where things are kept.

use std::{ffi::OsString, net::SocketAddr, path::PathBuf, time::Duration};

#[cfg(unix)]
use crate::ax::AxConfig;
use crate::profile::{Kind, Platform, Profile};

/// How an [`Apple`](crate::Apple) device is driven.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppleConfig {
    /// The bundle id of the app under test. Commands are addressed to it; without one they go to what the runner has in front.
    pub app: Option<String>,
    /// How the runner gets built and launched.
    pub runner: RunnerConfig,
    /// Where `xcrun` and `xcodebuild` are looked for. `None`: on `PATH`.
    pub tool_path: Option<OsString>,
    /// Where builds and leases are kept. `None`: `~/.agent-device/apple-runner`.
    pub home: Option<PathBuf>,
    /// Another set of simulators than the user's own.
    pub simulator_set: Option<PathBuf>,
    /// The socket of the daemon that owns cables to phones: `/var/run/usbmuxd`.
    pub usbmux_socket: PathBuf,
    /// How long a build of the runner may take: 10 min. It is not part of [`startup_timeout`](Self::startup_timeout).
    pub build_timeout: Duration,
    /// Until when a launched runner must have answered: 45 s. Never more than the call has left.
    pub startup_timeout: Duration,
    /// How long one command may take beside its own duration: 45 s. Never more than the call has left.
    pub command_timeout: Duration,
    /// How long the question whether a runner is there may take: 1 s.
    pub preflight_timeout: Duration,
    /// How long the question what became of a command may take: 3 s.
    pub status_timeout: Duration,
    /// For how long an action that worked proves that the runner is there: 5 s.
    pub healthy_for: Duration,
    /// After how much silence the runner is stopped: 5 min. The next operation starts it again.
    pub idle_stop: Duration,
    /// Whether the runner looks a target up by its identifier when it is touched or filled, if the identifier is unique in a
    /// healthy tree: a target that has gone since is then refused instead of what has taken its place being touched. True by
    /// default; it costs the runner one query for each touch. Double taps and long presses, which the runner takes at points
    /// alone, cost a question of its own before.
    pub check_target: bool,
    /// Whether the trees of an app in an iOS simulator are read from the simulator's accessibility server first, and how: XCTest
    /// can't serialise some trees, and grinds for minutes on others. What it doesn't answer, the runner does. On by default on a
    /// Mac, where the program that does it can be compiled; on other machines there is no simulator to read. `tool_path` and
    /// `simulator_set` are those of this configuration unless it names its own.
    #[cfg(unix)]
    pub simulator_ax: Option<AxConfig>,
    /// The largest tree that is read, in bytes: 64 MiB.
    pub max_capture: usize,
    /// The largest picture that is read, in bytes of its PNG: 64 MiB.
    pub max_picture: usize,
}

impl Default for AppleConfig {
    fn default() -> Self {
        Self {
            app: None,
            runner: RunnerConfig::default(),
            tool_path: None,
            home: None,
            simulator_set: None,
            usbmux_socket: PathBuf::from("/var/run/usbmuxd"),
            build_timeout: Duration::from_secs(600),
            startup_timeout: Duration::from_secs(45),
            command_timeout: Duration::from_secs(45),
            preflight_timeout: Duration::from_secs(1),
            status_timeout: Duration::from_secs(3),
            healthy_for: Duration::from_secs(5),
            idle_stop: Duration::from_secs(300),
            check_target: true,
            #[cfg(unix)]
            simulator_ax: cfg!(target_os = "macos").then(AxConfig::default),
            max_capture: 64 << 20,
            max_picture: 64 << 20,
        }
    }
}

/// The runner's project in this repository, wherever the crate was compiled from.
const PROJECT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../runner-swift/Xcode/AgentDeviceRunner.xcodeproj"
);

/// Which runner, and how it is built.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunnerConfig {
    /// The Xcode project of the runner: `AgentDeviceRunner.xcodeproj`. A build is keyed by its folder and by the local packages
    /// that it refers to. By default the one that came with this crate's source, beside it.
    pub project: Option<PathBuf>,
    /// The scheme, which is also the name of the runner's app.
    pub scheme: String,
    /// A build of the caller's own: an `.xctestrun` file. Then nothing is built.
    pub xctestrun: Option<PathBuf>,
    /// The bundle id of the runner's app. `None`: that of the project. A free team needs one of its own.
    pub app_bundle: Option<String>,
    /// The bundle id of the runner's tests. `None`: that of the project.
    pub test_bundle: Option<String>,
    /// The development team, for devices.
    pub team: Option<String>,
    /// The signing identity, for devices.
    pub identity: Option<String>,
    /// The provisioning profile, for devices. Signing is then manual.
    pub profile: Option<String>,
    /// What the runner wants to be shown with each command: its port may be reached from the device's network. `None`: a
    /// word of its own for each launch, and nothing for a runner that somebody else has started.
    pub token: Option<String>,
    /// Whether the runner is built with the way to make taps look failed: it then records a failure after as many of them as the
    /// file `/tmp/agent-device-inject-tap-recorded-failure-for-testing` on its machine says. For tests of what becomes of such
    /// a failure. False by default.
    pub failure_injection: bool,
    /// Further variables of the runner's environment.
    pub environment: Vec<(String, String)>,
}

impl std::fmt::Debug for RunnerConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The token and the environment may hold secrets.
        f.debug_struct("RunnerConfig")
            .field("project", &self.project)
            .field("scheme", &self.scheme)
            .field("xctestrun", &self.xctestrun)
            .finish_non_exhaustive()
    }
}

impl RunnerConfig {
    /// The bundle id of the app that Xcode makes to host the runner's tests, unless a build says it itself.
    pub(crate) fn test_host(&self) -> String {
        const APP: &str = "dev.agentdevice.runner";
        let tests = self
            .test_bundle
            .clone()
            .unwrap_or_else(|| format!("{}.uitests", self.app_bundle.as_deref().unwrap_or(APP)));
        tests + ".xctrunner"
    }
}

impl Default for RunnerConfig {
    fn default() -> Self {
        Self {
            project: Some(PathBuf::from(PROJECT)),
            scheme: "AgentDeviceRunner".to_owned(),
            xctestrun: None,
            app_bundle: None,
            test_bundle: None,
            team: None,
            identity: None,
            profile: None,
            token: None,
            failure_injection: false,
            environment: Vec::new(),
        }
    }
}

/// What is driven.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AppleTarget {
    /// A simulator of this Mac, by its number (`xcrun simctl list devices`).
    Simulator {
        /// Its platform. There is none of macOS.
        platform: Platform,
        /// Its number.
        udid: String,
    },
    /// A device beside this Mac, by its number (`xcrun devicectl list devices`).
    Device {
        /// Its platform. A Mac is none: see [`Mac`](Self::Mac).
        platform: Platform,
        /// Its number.
        udid: String,
    },
    /// This Mac.
    Mac,
    /// A runner that somebody else has started and keeps. Xcode's tools are not used.
    Runner {
        /// What it drives.
        profile: Profile,
        /// Where it listens.
        address: SocketAddr,
    },
}

impl AppleTarget {
    /// The platform and what runs it.
    pub fn profile(&self) -> Profile {
        match self {
            Self::Simulator { platform, .. } => Profile::new(*platform, Kind::Simulator),
            Self::Device { platform, .. } => Profile::new(*platform, Kind::Device),
            Self::Runner { profile, .. } => *profile,
            Self::Mac => Profile::MACOS,
        }
    }

    /// By what it is told from others.
    pub(crate) fn id(&self) -> String {
        match self {
            Self::Simulator { udid, .. } | Self::Device { udid, .. } => udid.clone(),
            Self::Mac => "mac".to_owned(),
            Self::Runner { address, .. } => address.to_string(),
        }
    }
}
