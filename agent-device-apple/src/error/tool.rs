//! A tool of Xcode that failed, and what that says about dispatch.

use agent_device_core::{
    DispatchDisclosure, Error, ErrorCode,
    dispatch::{
        Verdict,
        rows::{core, ios_runner as rows},
    },
    reason,
};

use crate::tools::ToolFailure;

pub(super) fn tool_reason(failure: &ToolFailure) -> &'static str {
    match failure {
        ToolFailure::Missing { .. } => "tool_missing",
        ToolFailure::Timeout { command, .. }
            if command.starts_with("xcodebuild -version") || command.contains("--show-sdk") =>
        {
            "apple_toolchain_probe_unavailable"
        }
        ToolFailure::Timeout { command, .. } if command.starts_with("xcodebuild build") => {
            "runner_phase_budget_exhausted"
        }
        ToolFailure::Timeout { command, .. } if command.contains("simctl bootstatus") => {
            "boot_timeout"
        }
        ToolFailure::Timeout { .. } => "tool_unanswered",
        ToolFailure::Canceled { .. } => reason::REQUEST_CANCELED,
        _ => "tool_failed",
    }
}

impl DispatchDisclosure for ToolFailure {
    fn verdict(&self) -> Option<Verdict> {
        Some(match self {
            Self::Missing { .. } => rows::TOOL_MISSING.into(),
            Self::Timeout { .. } => rows::TOOL_UNANSWERED.into(),
            Self::Canceled { .. } => core::CANCELED_IN_FLIGHT.into(),
            _ => rows::TOOL_FAILED.into(),
        })
    }
}

pub(super) const BOOT: &str = "The first boot of a simulator takes minutes: run `xcrun simctl bootstatus UDID -b` once by hand, then repeat.";

pub(super) const INSTALL: &str =
    "Install Xcode, select it with xcode-select, and put its tools on PATH.";

/// How much of an output an error carries.
const SHOWN: usize = 2048;

pub(super) fn shown(text: &str) -> String {
    let text = text.trim_end();
    let mut from = text.len().saturating_sub(SHOWN);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..].to_owned()
}

impl From<ToolFailure> for Error {
    fn from(failure: ToolFailure) -> Self {
        let code = match &failure {
            ToolFailure::Missing { .. } => ErrorCode::ToolMissing,
            _ => ErrorCode::CommandFailed,
        };
        let error = Error::new(code, failure.to_string())
            .disclosed_by(&failure)
            .with_reason(tool_reason(&failure));
        match failure {
            ToolFailure::Missing { tool, source } => {
                let error = error.with_detail("tool", tool).with_hint(INSTALL);
                match source {
                    Some(source) => error.with_source(source),
                    None => error,
                }
            }
            ToolFailure::Exit {
                code,
                stdout,
                stderr,
                ..
            } => error
                .with_detail("exitCode", code)
                .with_detail("processExitError", true)
                .with_detail("stdout", shown(&stdout))
                .with_detail("stderr", shown(&stderr)),
            ToolFailure::Lost { source, .. } => error.with_source(source),
            ToolFailure::Timeout { .. } if error.reason() == Some("boot_timeout") => {
                error.with_retriable(true).with_hint(BOOT)
            }
            _ => error,
        }
    }
}
