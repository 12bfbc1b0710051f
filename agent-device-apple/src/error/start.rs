//! Why no runner came up.

use agent_device_core::{ErrorCode, reason};

use super::tool::{slow, tool_reason};
use crate::{
    runner::LaunchFailure,
    tools::{BuildFailure, Cause, Nearest, ToolFailure},
};

/// Why no runner came up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartFailure {
    #[error(transparent)]
    Launch(LaunchFailure),
    #[error("xcodebuild ended with code {code} before the runner answered")]
    Exited {
        code: i32,
        cause: Option<Cause>,
        output: String,
    },
    #[error("{}", match .nearest {
        Nearest::Limit => "the runner did not answer within the time for its start",
        Nearest::Call => "the time of the call was over before the runner answered",
    })]
    NotReady {
        cause: Option<Cause>,
        output: String,
        nearest: Nearest,
    },
    #[error("the runner can't listen: {0}")]
    Listener(String),
    #[error("the caller cancelled")]
    Canceled,
    #[error("nobody listens at {0}")]
    NobodyThere(String),
    #[error("the device is not attached")]
    Gone,
}

impl StartFailure {
    /// Whether the build may be to blame: nothing else that is known is.
    pub(crate) fn is_of_build(&self) -> bool {
        let unknown = |cause: &Option<Cause>| cause.as_ref().is_none_or(Cause::is_general);
        match self {
            Self::Exited { cause, .. } => unknown(cause),
            // A caller without the time for a start says nothing about the build.
            Self::NotReady { cause, nearest, .. } => *nearest == Nearest::Limit && unknown(cause),
            _ => false,
        }
    }

    pub(super) fn cause(&self) -> Option<&Cause> {
        match self {
            Self::Exited { cause, .. } | Self::NotReady { cause, .. } => cause.as_ref(),
            Self::Launch(LaunchFailure::Cause(cause)) => Some(cause),
            Self::Launch(LaunchFailure::Build(BuildFailure::Failed { cause, .. })) => {
                cause.as_ref()
            }
            _ => None,
        }
    }

    /// What failed of a tool that the launch itself or a build asked.
    fn tool(&self) -> Option<&ToolFailure> {
        match self {
            Self::Launch(
                LaunchFailure::Tool(failure) | LaunchFailure::Build(BuildFailure::Tool(failure)),
            ) => Some(failure),
            _ => None,
        }
    }

    /// The tool that is not there.
    pub(super) fn missing_tool(&self) -> Option<&'static str> {
        match self.tool()? {
            ToolFailure::Missing { tool, .. } => Some(tool),
            _ => None,
        }
    }

    pub(super) fn output(&self) -> Option<&str> {
        match self {
            Self::Exited { output, .. } | Self::NotReady { output, .. } => Some(output),
            Self::Launch(LaunchFailure::Build(BuildFailure::Failed { output, .. })) => Some(output),
            _ => None,
        }
    }

    pub(super) fn reason(&self) -> &'static str {
        if let Some(cause) = self.cause() {
            return cause.reason.as_str();
        }
        match self {
            Self::Exited { .. } => "xcodebuild_exited_early",
            Self::NotReady {
                nearest: Nearest::Call,
                ..
            } => reason::DEADLINE_EXCEEDED,
            Self::NotReady { .. } => "runner_connect_timeout",
            Self::Listener(_) => "runner_listener_failed",
            Self::Canceled => reason::REQUEST_CANCELED,
            Self::NobodyThere(_) => "runner_connect_refused",
            Self::Gone => "usbmux_device_unattached",
            Self::Launch(launch) => match launch {
                LaunchFailure::Leased { .. } => "device_leased",
                LaunchFailure::NoMac => "target_is_this_mac",
                LaunchFailure::NoDevice { .. } => "device_not_found",
                LaunchFailure::Cause(cause) => cause.reason.as_str(),
                LaunchFailure::Io(_) | LaunchFailure::Patch(_) => "runner_launch_failed",
                LaunchFailure::Tool(tool) | LaunchFailure::Build(BuildFailure::Tool(tool)) => {
                    tool_reason(tool)
                }
                LaunchFailure::Build(BuildFailure::NoSource) => "runner_source_missing",
                LaunchFailure::Build(BuildFailure::Failed { .. }) => "build_failed_unclassified",
                LaunchFailure::Build(_) => "runner_build_unusable",
            },
        }
    }

    fn is_own_lease(&self) -> bool {
        let own = std::process::id();
        matches!(self, Self::Launch(LaunchFailure::Leased { owner }) if *owner == Some(own))
    }

    pub(super) fn code(&self) -> ErrorCode {
        match self {
            Self::Launch(LaunchFailure::Leased { .. }) => ErrorCode::DeviceInUse,
            Self::Launch(LaunchFailure::NoDevice { .. }) => ErrorCode::DeviceNotFound,
            Self::Launch(LaunchFailure::NoMac | LaunchFailure::Build(BuildFailure::NoSource)) => {
                ErrorCode::InvalidArgs
            }
            _ if self.missing_tool().is_some() => ErrorCode::ToolMissing,
            _ => ErrorCode::CommandFailed,
        }
    }

    pub(super) fn retriable(&self) -> Option<bool> {
        match (self, self.cause()) {
            (_, Some(cause)) => Some(cause.reason.is_passing()),
            (Self::NotReady { .. }, _) => Some(true),
            _ => matches!(self.tool(), Some(ToolFailure::Timeout { .. })).then_some(true),
        }
    }

    pub(super) fn hint(&self) -> Option<&'static str> {
        if let Some(cause) = self.cause() {
            return Some(cause.reason.fix());
        }
        if self.missing_tool().is_some() {
            return Some(super::tool::INSTALL);
        }
        if let Some(slow) = self.tool().and_then(slow) {
            return Some(slow.hint);
        }
        Some(match self.reason() {
            reason::DEADLINE_EXCEEDED => {
                "The first operation starts the runner, which may take as long as startup_timeout: give it that time, or connect first."
            }
            "runner_connect_timeout" => {
                "Look at the device: a dialog or a lock screen may hold the runner up. details.output has what xcodebuild said."
            }
            "xcodebuild_exited_early" => "Read the last lines of the output in details.output.",
            "runner_source_missing" => {
                "Name the runner's Xcode project, or an .xctestrun file of a build, in the configuration."
            }
            "device_leased" if self.is_own_lease() => {
                "This process drives the device already: share its backend, or close it first."
            }
            "device_leased" => "End the other process, or wait until it is done with the device.",
            "simulator_runtime_missing" => crate::discovery::NO_RUNTIME,
            "target_is_this_mac" => "Use AppleTarget::Mac to drive this Mac.",
            "runner_connect_refused" => "Start the runner first, or check its address.",
            _ => return None,
        })
    }
}
