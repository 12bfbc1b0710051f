//! What the adb host refuses, by its own words. The only place where texts of adb are compared.
//!
//! Two sources, two rules. A `FAIL` of the server while a device is being selected is a refusal whatever it says: the service
//! was not asked for yet, so the text only decides how it is called. The output of an adb process is evidence only if a
//! refusal is all of it: anything beside it may mean that the command ran. A command of the device can print the same words to
//! stderr, which adb passes on; its shell prints a word to stdout before, so that they are never all of it.

use std::fmt;

use crate::install::printed;

/// Why the adb host did not pass a command on to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostRefusal {
    /// The device has not allowed this computer.
    Unauthorized,
    /// The device is known and does not answer.
    Offline,
    /// Several devices are there, and none was named.
    MultipleDevices,
    /// No device is there.
    NoDevices,
    /// No device has this serial number.
    NotFound,
    /// Anything else: no permissions on the USB device, a state in which it takes no commands.
    Other,
}

impl fmt::Display for HostRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unauthorized => "the device has not allowed this computer",
            Self::Offline => "the device is offline",
            Self::MultipleDevices => "several devices are connected and none was named",
            Self::NoDevices => "no device is connected",
            Self::NotFound => "no device has this serial number",
            Self::Other => "the adb server can't use the device",
        })
    }
}

impl HostRefusal {
    /// The word in `details.adbFailure`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unauthorized => "device_unauthorized",
            Self::Offline => "device_offline",
            Self::MultipleDevices => "multiple_devices",
            Self::NoDevices => "no_devices",
            Self::NotFound => "device_not_found",
            Self::Other => "device_refused",
        }
    }

    /// Names what the server said in place of selecting a device.
    pub(super) fn of_server(text: &str) -> Self {
        let text = text.trim().to_ascii_lowercase();
        let first = text.lines().next().unwrap_or_default().trim_end();
        if first.starts_with("device unauthorized") || first == "device still authorizing" {
            Self::Unauthorized
        } else if first == "device offline"
            || first == "device still connecting"
            || (first.starts_with("device '") && first.ends_with("' offline"))
        {
            Self::Offline
        } else if first.starts_with("more than one device") || first == "more than one emulator" {
            Self::MultipleDevices
        } else if matches!(
            first,
            "no devices/emulators found" | "no devices found" | "no emulators found"
        ) {
            Self::NoDevices
        } else if first == "device not found"
            || (first.starts_with("device '") && first.ends_with("' not found"))
            || first.starts_with("no device with transport id ")
        {
            Self::NotFound
        } else {
            Self::Other
        }
    }

    /// The refusal that is the whole output of an adb process. `None`: the command may have run. Whoever has adb run something on
    /// the device makes its shell print to stdout first.
    pub(super) fn of_output(stdout: &[u8], stderr: &str) -> Option<Self> {
        if !stdout.is_empty() {
            return None;
        }
        let mut lines = stderr.trim_end().lines().map(str::trim_end);
        let refusal = Self::of_line(lines.next()?)?;
        let trailer = |line: &str| {
            refusal == Self::Unauthorized
                && (is_vendor_keys(line)
                    || line == "Try 'adb kill-server' if that seems wrong."
                    || line == "Otherwise check for a confirmation dialog on your device.")
        };
        lines.all(trailer).then_some(refusal)
    }

    /// Whether some line looks like a refusal. No evidence, only a name for the failure.
    pub(crate) fn resembles(output: &str) -> bool {
        output
            .lines()
            .any(|line| Self::of_line(line.trim_end()).is_some())
    }

    fn of_line(line: &str) -> Option<Self> {
        let text = ["adb: ", "error: ", "adb.exe: "]
            .iter()
            .find_map(|prefix| line.strip_prefix(prefix))?;
        let text = text.to_ascii_lowercase();
        let serial = |end: &str| {
            text.strip_prefix("device '")
                .and_then(|rest| rest.strip_suffix(end))
                .is_some_and(|serial| !serial.is_empty() && !serial.contains('\''))
        };
        match text.as_str() {
            "device unauthorized." => Some(Self::Unauthorized),
            "device offline" => Some(Self::Offline),
            "more than one device/emulator" => Some(Self::MultipleDevices),
            "no devices/emulators found" => Some(Self::NoDevices),
            _ if serial("' offline") => Some(Self::Offline),
            _ if serial("' not found") => Some(Self::NotFound),
            _ => None,
        }
    }
}

fn is_vendor_keys(line: &str) -> bool {
    line.starts_with("This adb server's $ADB_VENDOR_KEYS is ")
}

/// The class of an adb process's failure that is no refusal, by the table of its messages. Never evidence.
pub(crate) fn class_of_output(stdout: &str, stderr: &str) -> Option<&'static str> {
    let lower = stderr.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let between = |from: &str, to: &str| {
        lower
            .split_once(from)
            .is_some_and(|(_, rest)| rest.contains(to))
    };
    if has(&["device unauthorized", "device still authorizing"]) {
        Some("device_unauthorized")
    } else if has(&["device offline"]) || between("device '", "' offline") {
        Some("device_offline")
    } else if has(&[
        "more than one device/emulator",
        "more than one device and emulator",
    ]) {
        Some("multiple_devices")
    } else if has(&["no devices/emulators found", "no devices found"]) {
        Some("no_devices")
    } else if has(&["device not found"]) || between("device '", "' not found") {
        Some("device_not_found")
    } else if between("adb server version (", "doesn't match this client") {
        Some("server_version_mismatch")
    } else if has(&[
        "transport error",
        "connection reset",
        "broken pipe",
        "protocol fault",
    ]) {
        Some("connection_dropped")
    } else if has(&["cannot connect to daemon"]) {
        Some("server_unreachable")
    } else if let Some(failure) = printed(stdout).or_else(|| printed(stderr)) {
        Some(failure.class())
    } else if matches!(lower.trim(), "error: closed" | "adb: error: closed") {
        Some("transport_closed")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_of_a_server_has_a_name() {
        for (text, wanted) in [
            (
                "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\nTry 'adb kill-server' if that seems wrong.",
                HostRefusal::Unauthorized,
            ),
            ("device still authorizing", HostRefusal::Unauthorized),
            ("device offline", HostRefusal::Offline),
            ("device 'x' offline", HostRefusal::Offline),
            ("device still connecting", HostRefusal::Offline),
            (
                "more than one device/emulator",
                HostRefusal::MultipleDevices,
            ),
            (
                "more than one device and emulator",
                HostRefusal::MultipleDevices,
            ),
            ("no devices/emulators found", HostRefusal::NoDevices),
            ("no emulators found", HostRefusal::NoDevices),
            ("device 'nope' not found", HostRefusal::NotFound),
            ("device not found", HostRefusal::NotFound),
            ("no device with transport id '77'", HostRefusal::NotFound),
            ("insufficient permissions for device", HostRefusal::Other),
            ("", HostRefusal::Other),
        ] {
            assert_eq!(HostRefusal::of_server(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_refusal_of_a_process_counts_only_if_it_is_all_that_was_said() {
        let refusal = |text: &str| HostRefusal::of_output(b"", text);
        for (text, wanted) in [
            (
                "error: device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\nTry 'adb kill-server' if that seems wrong.\nOtherwise check for a confirmation dialog on your device.\n",
                HostRefusal::Unauthorized,
            ),
            ("adb: device unauthorized.", HostRefusal::Unauthorized),
            ("error: device offline\n", HostRefusal::Offline),
            ("adb.exe: device offline\r\n", HostRefusal::Offline),
            ("adb: device 'emulator-5554' offline", HostRefusal::Offline),
            (
                "error: more than one device/emulator",
                HostRefusal::MultipleDevices,
            ),
            ("adb: no devices/emulators found", HostRefusal::NoDevices),
            ("error: device 'nope' not found\n", HostRefusal::NotFound),
        ] {
            assert_eq!(refusal(text), Some(wanted), "{text}");
        }
        for text in [
            "",
            "device offline",
            "error: device offline, giving up",
            "error: device offline\nKilled",
            " error: device offline",
            "\nerror: device offline",
            "adb server version (41) doesn't match this client (39); killing...\nerror: device offline",
            "* daemon started successfully\nerror: device offline",
            "error: device offline\nTry 'adb kill-server' if that seems wrong.",
            "error: closed",
            "error: device 'a' is 'b' not found",
            "error: device '' not found",
            "adb: error: device 'nope' not found",
        ] {
            assert_eq!(refusal(text), None, "{text}");
        }
        assert_eq!(
            HostRefusal::of_output(b"Killed", "error: device offline"),
            None
        );
        assert_eq!(HostRefusal::of_output(b"\n", "error: device offline"), None);
    }

    #[test]
    fn failures_of_a_process_are_classed_by_the_first_match() {
        // Each row of the table in the words of adb, with its prefixes of several systems.
        for (text, wanted) in [
            ("device unauthorized.", "device_unauthorized"),
            ("device still authorizing", "device_unauthorized"),
            ("device offline", "device_offline"),
            ("device 'emulator-5554' offline", "device_offline"),
            ("more than one device/emulator", "multiple_devices"),
            ("more than one device and emulator", "multiple_devices"),
            ("no devices/emulators found", "no_devices"),
            ("no devices found", "no_devices"),
            ("device not found", "device_not_found"),
            ("device 'x' not found", "device_not_found"),
            (
                "adb server version (41) doesn't match this client (39); killing...",
                "server_version_mismatch",
            ),
            ("transport error", "connection_dropped"),
            ("connection reset", "connection_dropped"),
            ("write failed: Broken pipe", "connection_dropped"),
            (
                "protocol fault (couldn't read status): Success",
                "connection_dropped",
            ),
            (
                "cannot connect to daemon at tcp:5037: Connection refused",
                "server_unreachable",
            ),
            (
                "INSTALL_FAILED_INSUFFICIENT_STORAGE",
                "install_insufficient_storage",
            ),
            (
                "INSTALL_FAILED_UPDATE_INCOMPATIBLE: x",
                "install_update_incompatible",
            ),
            (
                "INSTALL_FAILED_VERSION_DOWNGRADE",
                "install_version_downgrade",
            ),
            ("INSTALL_FAILED_TEST_ONLY", "install_failed"),
            ("INSTALL_PARSE_FAILED_NO_CERTIFICATES", "install_failed"),
        ] {
            for prefix in [
                "",
                "adb: ",
                "error: ",
                "adb.exe: ",
                "* daemon started successfully\n",
            ] {
                let stderr = format!("{prefix}{text}\n");
                assert_eq!(class_of_output("", &stderr), Some(wanted), "{stderr}");
            }
        }
        for (stdout, stderr, wanted) in [
            (
                "",
                "device still authorizing; broken pipe",
                Some("device_unauthorized"),
            ),
            (
                "Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: x]",
                "",
                Some("install_update_incompatible"),
            ),
            ("device offline", "", None),
            ("", "error: closed", Some("transport_closed")),
            ("", "adb: error: closed", Some("transport_closed")),
            ("", "* daemon started successfully", None),
            ("", "* daemon not running; starting now at tcp:5037", None),
            ("", "Killed", None),
            ("", "", None),
        ] {
            assert_eq!(class_of_output(stdout, stderr), wanted, "{stdout}{stderr}");
        }
    }
}
