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
