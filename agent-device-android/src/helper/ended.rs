//! How a run of the helper ended, by what `am instrument` printed about it.

use std::fmt;

/// Why nobody serves the session any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Its process died: an exception, a signal, a killer of background processes.
    Crashed(String),
    /// The system's own process died, and everything with it.
    SystemCrashed,
    /// The device doesn't know the helper.
    NotInstalled,
    /// The device refuses to run it.
    Denied(String),
    /// It said that it ends: it was told to, or nobody had talked to it for long.
    InGoodOrder,
    /// It ended without a word.
    Silently,
}

impl Ended {
    /// Reads the last words. `None`: it has not ended by them.
    pub(crate) fn of(printed: &str) -> Option<Self> {
        let lines = || printed.lines().map(str::trim);
        let after =
            |head: &str| lines().find_map(|line| Some(line.split_once(head)?.1.trim().to_owned()));
        if let Some(message) = after("INSTRUMENTATION_RESULT: shortMsg=") {
            let longer = after("INSTRUMENTATION_RESULT: longMsg=").unwrap_or(message);
            return Some(Self::Crashed(longer.chars().take(500).collect()));
        }
        if after("INSTRUMENTATION_ABORTED:").is_some() {
            return Some(Self::SystemCrashed);
        }
        if let Some(line) = lines().find(|line| line.contains("Permission Denial")) {
            return Some(Self::Denied(line.chars().take(500).collect()));
        }
        if after("INSTRUMENTATION_FAILED:").is_some() {
            return Some(Self::NotInstalled);
        }
        let result = after("INSTRUMENTATION_CODE:").is_some();
        result.then_some(Self::InGoodOrder)
    }

    /// The word in `details.helperEnded`.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Crashed(_) => "crashed",
            Self::SystemCrashed => "system-crashed",
            Self::NotInstalled => "not-installed",
            Self::Denied(_) => "denied",
            Self::InGoodOrder => "in-good-order",
            Self::Silently => "silently",
        }
    }

    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Crashed(_) | Self::Silently => {
                "The device may kill processes in the background to save power or memory: exempt dev.agentdevice.helper from battery \
                 optimisation, close other apps, and look at `adb logcat` for the reason."
            }
            Self::SystemCrashed => "Wait until the device has booted again, then repeat.",
            Self::NotInstalled => "Let the helper be installed: HelperInstall::MissingOrOutdated.",
            Self::Denied(_) => {
                "Uninstall dev.agentdevice.helper, then repeat: the one on the device is signed by another key."
            }
            Self::InGoodOrder => {
                "Another client of the helper may have taken the device over: one at a time can have it."
            }
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crashed(message) => write!(f, "its process died: {message}"),
            Self::SystemCrashed => f.write_str("the device's system died"),
            Self::NotInstalled => f.write_str("the device does not know it"),
            Self::Denied(line) => write!(f, "the device refuses it: {line}"),
            Self::InGoodOrder => f.write_str("it ended by itself or was told to"),
            Self::Silently => f.write_str("it ended without a word"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_has_its_name() {
        for (printed, wanted) in [
            (
                "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n",
                Some("crashed"),
            ),
            (
                "INSTRUMENTATION_STATUS_CODE: 2\nINSTRUMENTATION_RESULT: shortMsg=java.lang.NullPointerException\n\
                 INSTRUMENTATION_RESULT: longMsg=java.lang.NullPointerException: x\r\n\nINSTRUMENTATION_CODE: 0",
                Some("crashed"),
            ),
            (
                "INSTRUMENTATION_ABORTED: System has crashed.\n",
                Some("system-crashed"),
            ),
            (
                "INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{a/b}\n\
                 INSTRUMENTATION_STATUS_CODE: -1\nandroid.util.AndroidException: INSTRUMENTATION_FAILED: a/b\n",
                Some("not-installed"),
            ),
            (
                "INSTRUMENTATION_STATUS: Error=Permission Denial: starting instrumentation a/b from pid=1, uid=2000 not allowed\n\
                 INSTRUMENTATION_FAILED: a/b\n",
                Some("denied"),
            ),
            (
                "INSTRUMENTATION_RESULT: sessionEnded=true\nINSTRUMENTATION_CODE: 0\n",
                Some("in-good-order"),
            ),
            (
                "INSTRUMENTATION_STATUS: sessionReady=true\nINSTRUMENTATION_STATUS_CODE: 2\n",
                None,
            ),
            ("", None),
        ] {
            let ended = Ended::of(printed);
            assert_eq!(ended.as_ref().map(Ended::as_str), wanted, "{printed}");
        }
        let crash =
            Ended::of("INSTRUMENTATION_RESULT: shortMsg=a\nINSTRUMENTATION_RESULT: longMsg=b: c\n");
        assert_eq!(crash, Some(Ended::Crashed("b: c".to_owned())));
    }
}
