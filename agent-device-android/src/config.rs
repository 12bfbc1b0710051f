//! What a caller can set: where adb is, how long connecting may take, how large answers may be.

use std::{path::PathBuf, time::Duration};

/// How an [`AdbServer`](crate::adb::AdbServer) is found, started and bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdbConfig {
    /// The adb program. `None`: the usual places of the SDK, then `PATH`.
    pub program: Option<PathBuf>,
    /// Whether a server on this machine that does not run is started with `adb start-server`. True by default.
    pub start_server: bool,
    /// Until a connection to the server must stand: 2 s on loopback, 10 s elsewhere if `None`.
    pub connect_timeout: Option<Duration>,
    /// How long `adb start-server` may take: 20 s.
    pub start_timeout: Duration,
    /// The longest wait for a device that was offline, before the one repeat of a refused command: 15 s. Never more than half
    /// of what the call has left.
    pub offline_wait: Duration,
    /// The largest output of a shell command, of stdout and stderr together, in bytes: 16 MiB.
    pub max_output: usize,
    /// The largest file that is pulled, in bytes: 256 MiB.
    pub max_file: usize,
}

impl Default for AdbConfig {
    fn default() -> Self {
        Self {
            program: None,
            start_server: true,
            connect_timeout: None,
            start_timeout: Duration::from_secs(20),
            offline_wait: Duration::from_secs(15),
            max_output: 16 << 20,
            max_file: 256 << 20,
        }
    }
}

/// When the helper app is installed on the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HelperInstall {
    /// When it is missing, older than the one in this crate, or of the same version with another content.
    #[default]
    MissingOrOutdated,
    /// Always.
    Always,
    /// Never: somebody else sees to it.
    Never,
}

/// Which helper app reads the screen and plays gestures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HelperSource {
    /// The one in this crate.
    #[default]
    Bundled,
    /// One that is on the device already and speaks `android-snapshot-helper-v1`, by its component:
    /// `com.example.helper/.Runner`. It is never installed or updated. It takes snapshots and plays gestures. A press is a
    /// gesture that stays where it is; the helper does not look whether the target is still there. Keys and pictures are left
    /// to the shell. Double presses, text and the clipboard are refused as unsupported before anything is sent. Its session
    /// listens on a port of the device without a token, so every app of the device can reach it, and it doesn't end by itself
    /// when this program dies.
    Installed(String),
}

/// Which on-screen keyboard the device has while it is driven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyboardChoice {
    /// Its own. Text is set by accessibility; where a field does not take it so, the invisible keyboard is borrowed for that
    /// one edit, which takes a few seconds when it has to be installed first.
    #[default]
    Own,
    /// One of ours without a picture: nothing lies over the screen, and text is typed by it, as apps are used to. The device
    /// gets its own back when the session ends; after a crash of this program with the next connection, or by itself after
    /// 5 min.
    Invisible,
}

/// For how long the helper's session holds the device's UiAutomation, of which there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionScope {
    /// For one command: other tools can have the device between any two. Each command pays a start.
    Command,
    /// As long as it is used: it ends by itself after [`AndroidConfig::idle_timeout`] of silence, and the next command starts it
    /// again.
    #[default]
    UntilIdle,
}

/// How an [`Android`](crate::Android) device is driven.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AndroidConfig {
    /// The package of the app under test, if it is known: a tree without it is then not taken for a healthy one, and
    /// [`Action::Close`](agent_device_core::Action::Close) without a name closes it. A press that began in it and ends in the
    /// launcher, the settings or the system's own surfaces fails as `unknown`, and when it does not respond it is closed and
    /// opened again.
    pub app: Option<String>,
    /// Whether identifiers of an app's own resources are called by their bare name: `power` for `com.app:id/power`, as they are
    /// on other platforms. True by default. Those of other packages keep their full name.
    pub bare_ids: bool,
    /// Which helper is used.
    pub helper: HelperSource,
    /// When the helper, and the invisible keyboard if one is needed, are installed.
    pub install: HelperInstall,
    /// Which on-screen keyboard the device has meanwhile.
    pub keyboard: KeyboardChoice,
    /// For how long the helper's session is kept.
    pub session: SessionScope,
    /// How long [`connect`](crate::Android::connect) may take: 90 s. The first install of an app takes its time.
    pub connect_timeout: Duration,
    /// How long the helper may take to be ready: 15 s, never more than the call has left.
    pub session_timeout: Duration,
    /// After how much silence the helper's session ends by itself and lets go of the device: 5 min.
    pub idle_timeout: Duration,
    /// How long the screen must be quiet before a capture reads it: 50 ms.
    pub quiet: Duration,
    /// How long a capture waits for that at most: 300 ms. An animation that never ends costs so much for each capture.
    pub quiet_limit: Duration,
    /// The largest hierarchy that is read, in bytes: 64 MiB.
    pub max_capture: usize,
    /// The largest picture that is read, in bytes: 64 MiB.
    pub max_picture: usize,
}

impl Default for AndroidConfig {
    fn default() -> Self {
        Self {
            app: None,
            bare_ids: true,
            helper: HelperSource::default(),
            install: HelperInstall::default(),
            keyboard: KeyboardChoice::default(),
            session: SessionScope::default(),
            connect_timeout: Duration::from_secs(90),
            session_timeout: Duration::from_secs(15),
            idle_timeout: Duration::from_secs(300),
            quiet: Duration::from_millis(50),
            quiet_limit: Duration::from_millis(300),
            max_capture: 64 << 20,
            max_picture: 64 << 20,
        }
    }
}
