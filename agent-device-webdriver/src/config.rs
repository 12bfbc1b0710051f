//! What a caller can set: how long calls may take, how large replies may be, what is looked for beside the action.

use std::time::Duration;

/// How a [`WebDriver`](crate::WebDriver) talks to its server. The defaults suit a driver on this machine and a grid alike.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// Until a connection must stand. `None`: 2 s on loopback, 10 s elsewhere.
    pub connect_timeout: Option<Duration>,
    /// Until a read must be answered: 15 s.
    pub read_timeout: Duration,
    /// Until a capture or a screenshot must be answered: 30 s.
    pub capture_timeout: Duration,
    /// Until an action must be answered, beside the time that it takes by its own nature: 15 s.
    pub action_timeout: Duration,
    /// How long the browser may load a page: 20 s. A navigation is given 5 s more than this, so that the driver answers first
    /// and the failure has a code.
    pub page_load_timeout: Duration,
    /// How long the browser may run one script: 10 s.
    pub script_timeout: Duration,
    /// Until a new session must be there: 180 s. Never repeated: a hub may still allocate what it was asked for.
    pub session_timeout: Duration,
    /// Until the end of a session must be answered: 15 s.
    pub delete_timeout: Duration,
    /// How long a driver that owes an answer is asked whether it is free again: 2 s.
    pub busy_timeout: Duration,
    /// The largest reply of a capture or a screenshot: 64 MiB.
    pub max_capture_bytes: usize,
    /// The largest reply of any other command: 4 MiB.
    pub max_reply_bytes: usize,
    /// When the list of windows is compared after a tap.
    pub report_windows: ReportWindows,
    /// How many frames of other origins a capture enters: 16. Each costs round trips of its own.
    pub max_foreign_frames: usize,
    /// User name and key for the server, if they are not in its address.
    pub credentials: Option<Credentials>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            connect_timeout: None,
            read_timeout: Duration::from_secs(15),
            capture_timeout: Duration::from_secs(30),
            action_timeout: Duration::from_secs(15),
            page_load_timeout: Duration::from_secs(20),
            script_timeout: Duration::from_secs(10),
            session_timeout: Duration::from_secs(180),
            delete_timeout: Duration::from_secs(15),
            busy_timeout: Duration::from_secs(2),
            max_capture_bytes: 64 << 20,
            max_reply_bytes: 4 << 20,
            report_windows: ReportWindows::default(),
            max_foreign_frames: 16,
            credentials: None,
        }
    }
}

impl Config {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }
}

/// When the list of windows is compared after a tap, to report those that opened. Costs one round trip each time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReportWindows {
    /// Never.
    Never,
    /// After a tap on a link.
    #[default]
    Links,
    /// After every tap.
    Always,
}

/// A user name and a key. The key prints as dots.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    user: String,
    key: String,
}

impl Credentials {
    /// This user with this key.
    pub fn new(user: impl Into<String>, key: impl Into<String>) -> Self {
        Self {
            user: user.into(),
            key: key.into(),
        }
    }

    pub(crate) fn pair(&self) -> (&str, &str) {
        (&self.user, &self.key)
    }
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials")
            .field("user", &self.user)
            .field("key", &"••••")
            .finish()
    }
}
