//! What can go wrong between us and a device, and what that says about dispatch.
//!
//! The verdict comes from how far a command got ([`Phase`]) and from who refused it, never from a message. Selecting a device
//! changes nothing on it, so whatever fails up to there is a proven `no`; from the first byte of the service request on, only
//! the command's own answer tells what became of it.

use std::{io, path::PathBuf, time::Duration};

use agent_device_core::{
    DispatchDisclosure, Error, ErrorCode,
    dispatch::{
        Verdict,
        rows::{android_adb as rows, core},
    },
    reason,
};

use crate::{
    adb::{HostRefusal, refusal},
    install::printed,
};

/// The reason of an answer that is larger than what is read.
pub(crate) const TOO_LARGE: &str = "output_too_large";

/// How far a command got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Up to the selection of the device: no byte of the service request was written.
    Selecting,
    /// A service of the adb server itself was asked for, as a whole or in part: one that a device runs nothing for.
    HostService,
    /// The service request was written, as a whole or in part.
    Requested,
}

/// A failed command, or one that was never sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AdbFailure {
    #[error("{}", match .program { Some(path) => format!("adb can't be started: {}", path.display()), None => "adb was not found".to_owned() })]
    ToolMissing {
        program: Option<PathBuf>,
        #[source]
        source: Option<io::Error>,
    },
    #[error("no connection to the adb server at {address}")]
    Unreachable {
        address: String,
        #[source]
        source: Option<io::Error>,
    },
    #[error("adb start-server failed")]
    StartFailed { output: String },
    #[error("{refusal}")]
    Refused {
        refusal: HostRefusal,
        /// The server's own words.
        text: String,
    },
    #[error("the adb server refused: {text}")]
    HostService { text: String },
    #[error("the device did not open the service: {text}")]
    ServiceRefused { text: String },
    #[error("the connection to the adb server ended early")]
    Lost {
        phase: Phase,
        #[source]
        source: Option<io::Error>,
    },
    #[error("the adb server's answer is no adb protocol: {what}")]
    Garbage { phase: Phase, what: &'static str },
    #[error("the answer is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("adb did not answer within {after:?}")]
    Timeout { phase: Phase, after: Duration },
    #[error("the caller cancelled")]
    Canceled { phase: Phase },
    #[error("the device refused the file {path}: {text}")]
    File { path: String, text: String },
    #[error("{command} ended with code {code}")]
    Exit {
        command: String,
        code: i32,
        stdout: String,
        stderr: String,
        /// Printed by adb on this machine, not by the device.
        host: bool,
        /// What it was: a service of adb's own, or a command that the device ran.
        phase: Phase,
    },
}

impl AdbFailure {
    /// Whether the device was refused as offline, which is the one refusal that waiting cures.
    pub(crate) fn is_offline(&self) -> bool {
        matches!(
            self,
            Self::Refused {
                refusal: HostRefusal::Offline,
                ..
            }
        )
    }

    /// Whether nobody listened where the server should be.
    pub(crate) fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }

    fn reason(&self) -> Option<&'static str> {
        Some(match self {
            Self::Unreachable { .. } | Self::StartFailed { .. } => "server_unreachable",
            Self::Refused { refusal, .. } => refusal.as_str(),
            Self::ServiceRefused { .. } => "transport_closed",
            Self::Lost { .. } | Self::Garbage { .. } => "connection_dropped",
            Self::Timeout { .. } => "timeout",
            // What a program on the device prints says nothing about adb.
            Self::Exit {
                stdout,
                stderr,
                host,
                ..
            } => if *host {
                refusal::class_of_output(stdout, stderr)
            } else {
                printed(stdout)
                    .or_else(|| printed(stderr))
                    .map(|failure| failure.class())
            }
            .unwrap_or("command_failed"),
            Self::Canceled { .. } => reason::REQUEST_CANCELED,
            Self::TooLarge { .. } => TOO_LARGE,
            Self::File { .. } => "file_refused",
            Self::ToolMissing { .. } | Self::HostService { .. } => return None,
        })
    }

    fn code(&self) -> ErrorCode {
        match self {
            Self::ToolMissing { .. } => ErrorCode::ToolMissing,
            Self::Refused { refusal, .. } => match refusal {
                HostRefusal::Unauthorized => ErrorCode::Unauthorized,
                HostRefusal::MultipleDevices => ErrorCode::AmbiguousMatch,
                HostRefusal::NoDevices | HostRefusal::NotFound => ErrorCode::DeviceNotFound,
                HostRefusal::Offline | HostRefusal::Other => ErrorCode::CommandFailed,
            },
            _ => ErrorCode::CommandFailed,
        }
    }

    pub(crate) fn hint(&self) -> Option<&'static str> {
        Some(match self.reason()? {
            "device_unauthorized" => {
                "Unlock the device and allow this computer in the dialog that it shows, then repeat."
            }
            "device_offline" => {
                "Wait until the device has booted, or reconnect it (`adb reconnect`), then repeat."
            }
            "multiple_devices" => "Name the device by its serial number.",
            "no_devices" => "Start an emulator or connect a device.",
            "device_not_found" => "Compare the serial number with the list of `adb devices`.",
            "device_refused" => {
                "`adb devices` shows the state of the device and what this computer may do with it."
            }
            "server_unreachable" => {
                "Run `adb start-server`, and check ADB_SERVER_SOCKET and ANDROID_ADB_SERVER_PORT."
            }
            "server_version_mismatch" => {
                "Two adb versions restart each other's server: use one adb in all tools."
            }
            "connection_dropped" => {
                "The connection broke off. Look at the screen before repeating unless dispatched is no; `adb kill-server` helps \
                 when it happens again."
            }
            "transport_closed" => {
                "The device closed the connection, perhaps after it ran the command: look at the screen before repeating."
            }
            TOO_LARGE => {
                "Raise the limit of what was asked for: max_capture or max_picture of AndroidConfig, max_output or max_file of \
                 AdbConfig."
            }
            _ => return None,
        })
    }

    fn retriable(&self) -> Option<bool> {
        matches!(
            self.reason(),
            Some(
                "device_offline"
                    | "device_not_found"
                    | "server_version_mismatch"
                    | "connection_dropped"
            )
        )
        .then_some(true)
    }
}

impl DispatchDisclosure for AdbFailure {
    fn verdict(&self) -> Option<Verdict> {
        Some(match self {
            Self::ToolMissing { .. } => rows::INPUT_TAP_TOOL_MISSING.into(),
            Self::Unreachable { .. } | Self::StartFailed { .. } => rows::SERVER_UNREACHABLE.into(),
            Self::Refused { refusal, .. } => match refusal {
                HostRefusal::Unauthorized => {
                    rows::INPUT_TAP_HOST_REFUSED_DEVICE_UNAUTHORIZED.into()
                }
                HostRefusal::Offline => rows::INPUT_TAP_HOST_REFUSED_DEVICE_OFFLINE.into(),
                HostRefusal::MultipleDevices => {
                    rows::INPUT_TAP_HOST_REFUSED_MULTIPLE_DEVICES.into()
                }
                HostRefusal::NoDevices => rows::INPUT_TAP_HOST_REFUSED_NO_DEVICES.into(),
                HostRefusal::NotFound => rows::INPUT_TAP_HOST_REFUSED_DEVICE_NOT_FOUND.into(),
                HostRefusal::Other => rows::DEVICE_REFUSED.into(),
            },
            Self::HostService { .. }
            | Self::Exit {
                phase: Phase::HostService,
                ..
            } => rows::HOST_SERVICE_FAILED.into(),
            Self::ServiceRefused { .. } => rows::SERVICE_CLOSED.into(),
            Self::Lost { phase, .. } | Self::Garbage { phase, .. } => match phase {
                Phase::Selecting => rows::LOST_BEFORE_REQUEST.into(),
                Phase::HostService => rows::HOST_SERVICE_LOST.into(),
                Phase::Requested => rows::LOST_AFTER_REQUEST.into(),
            },
            Self::TooLarge { .. } => rows::OUTPUT_TOO_LARGE.into(),
            Self::Timeout { phase, .. } => match phase {
                Phase::Selecting => core::REFUSAL_DEADLINE_BEFORE_SEND.into(),
                Phase::HostService => rows::HOST_SERVICE_LOST.into(),
                Phase::Requested => rows::TIMEOUT_AFTER_REQUEST.into(),
            },
            Self::Canceled { phase } => match phase {
                Phase::Selecting => core::REFUSAL_CANCELED_BEFORE_SEND.into(),
                Phase::HostService => rows::HOST_SERVICE_LOST.into(),
                Phase::Requested => core::CANCELED_IN_FLIGHT.into(),
            },
            Self::File { .. } => rows::FILE_REFUSED.into(),
            Self::Exit {
                host: true, stderr, ..
            } if HostRefusal::resembles(stderr) => {
                rows::INPUT_TAP_REFUSAL_TEXT_BESIDE_OTHER_OUTPUT.into()
            }
            Self::Exit { .. } => rows::INPUT_TAP_FAILED.into(),
        })
    }
}

/// The detail that marks what the host says of a device.
pub(crate) const HOST_REFUSAL: &str = "adbHostRefusal";

/// How many candidates an error lists.
pub(crate) const LISTED: usize = 10;

/// How much of an output an error carries.
const SHOWN: usize = 2048;

pub(crate) fn shown(text: &str) -> String {
    let text = text.trim_end();
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    let mut from = text.len() - SHOWN;
    while !text.is_char_boundary(from) {
        from += 1;
    }
    format!("…{}", &text[from..])
}

impl From<AdbFailure> for Error {
    fn from(failure: AdbFailure) -> Self {
        let mut error = Error::new(failure.code(), failure.to_string()).disclosed_by(&failure);
        match &failure {
            AdbFailure::Timeout { .. } => error = error.with_reason(reason::DEADLINE_EXCEEDED),
            AdbFailure::Canceled { .. } => error = error.with_reason(reason::REQUEST_CANCELED),
            _ => {
                if let Some(reason) = failure.reason() {
                    error = error.with_reason(reason);
                }
            }
        }
        if let Some(reason) = failure.reason() {
            error = error.with_detail("adbFailure", reason);
        }
        if let Some(hint) = failure.hint() {
            error = error.with_hint(hint);
        }
        if let Some(retriable) = failure.retriable() {
            error = error.with_retriable(retriable);
        }
        match failure {
            AdbFailure::ToolMissing { source, .. } => {
                let error = error.with_detail("tool", "adb").with_hint(
                    "Install the Android platform tools (Debian: apt-get install adb) and put adb on PATH, or set ANDROID_HOME.",
                );
                match source {
                    Some(source) => error.with_source(source),
                    None => error,
                }
            }
            AdbFailure::Unreachable { source, .. } | AdbFailure::Lost { source, .. } => {
                match source {
                    Some(source) => error.with_source(source),
                    None => error,
                }
            }
            AdbFailure::StartFailed { output } => error.with_detail("stderr", shown(&output)),
            AdbFailure::Refused { text, .. } => error
                .with_detail(HOST_REFUSAL, true)
                .with_detail("adbMessage", shown(&text)),
            AdbFailure::Exit {
                code,
                stdout,
                stderr,
                ..
            } => error
                .with_detail("exitCode", code)
                .with_detail("processExitError", true)
                .with_detail("stdout", shown(&stdout))
                .with_detail("stderr", shown(&stderr)),
            _ => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_fails_before_the_service_request_is_a_no() {
        for failure in [
            AdbFailure::Lost {
                phase: Phase::Selecting,
                source: None,
            },
            AdbFailure::Garbage {
                phase: Phase::Selecting,
                what: "x",
            },
            AdbFailure::Timeout {
                phase: Phase::Selecting,
                after: Duration::ZERO,
            },
            AdbFailure::Canceled {
                phase: Phase::Selecting,
            },
        ] {
            assert!(Error::from(failure).dispatched().is_no());
        }
        for failure in [
            AdbFailure::Lost {
                phase: Phase::Requested,
                source: None,
            },
            AdbFailure::Garbage {
                phase: Phase::Requested,
                what: "x",
            },
            AdbFailure::Timeout {
                phase: Phase::Requested,
                after: Duration::ZERO,
            },
            AdbFailure::Canceled {
                phase: Phase::Requested,
            },
            AdbFailure::ServiceRefused {
                text: "device offline".into(),
            },
        ] {
            assert!(!Error::from(failure).dispatched().is_no());
        }
    }

    #[test]
    fn long_outputs_are_shown_by_their_end() {
        let text = format!("{}é", "é".repeat(SHOWN));
        let shown = shown(&text);
        assert!(shown.len() <= SHOWN + 4 && shown.starts_with('…'));
    }
}
