//! A tool of Xcode that failed, and what that says about dispatch.

use agent_device_core::{
    DispatchDisclosure, Error, ErrorCode,
    dispatch::{
        Verdict,
        rows::{core, ios_runner as rows},
    },
    reason,
};

use crate::{
    discovery::NO_RUNTIME,
    tools::{Nearest, ToolFailure},
};

pub(super) fn tool_reason(failure: &ToolFailure) -> &'static str {
    match failure {
        ToolFailure::Missing { .. } => "tool_missing",
        ToolFailure::Timeout {
            nearest: Nearest::Call,
            ..
        } => reason::DEADLINE_EXCEEDED,
        ToolFailure::Timeout { .. } => slow(failure).map_or("tool_unanswered", |slow| slow.reason),
        ToolFailure::Canceled { .. } => reason::REQUEST_CANCELED,
        ToolFailure::UnknownApp { .. } => "app_unknown_to_simulator",
        ToolFailure::NoRuntime { .. } => "simulator_runtime_missing",
        _ => "tool_failed",
    }
}

/// Work that may take a tool longer than anybody has waited for it, most of all the first time.
pub(super) struct Slow {
    /// Words of the commands that do it.
    marks: &'static [&'static str],
    /// What it means that it did not get done within the limit of its own.
    reason: &'static str,
    pub(super) hint: &'static str,
}

const SLOW: [Slow; 3] = [
    Slow {
        marks: &["xcodebuild -version", "--show-sdk"],
        reason: "apple_toolchain_probe_unavailable",
        hint: "xcodebuild did not answer. Run `xcodebuild -version` once by hand, then repeat.",
    },
    Slow {
        marks: &["xcodebuild build"],
        reason: "runner_phase_budget_exhausted",
        hint: "A build of the runner takes minutes: give the first connection that time, or raise build_timeout.",
    },
    Slow {
        marks: &["simctl bootstatus"],
        reason: "boot_timeout",
        hint: "The first boot of a simulator takes minutes: run `xcrun simctl bootstatus UDID -b` once by hand, then repeat.",
    },
];

/// What did not get done in time, if it is known to take long.
pub(super) fn slow(failure: &ToolFailure) -> Option<&'static Slow> {
    let ToolFailure::Timeout { command, .. } = failure else {
        return None;
    };
    SLOW.iter()
        .find(|slow| slow.marks.iter().any(|mark| command.contains(mark)))
}

impl DispatchDisclosure for ToolFailure {
    fn verdict(&self) -> Option<Verdict> {
        Some(match self {
            Self::Missing { .. } => rows::TOOL_MISSING.into(),
            Self::Timeout { nearest, .. } => match nearest {
                Nearest::Limit => rows::TOOL_UNANSWERED.into(),
                Nearest::Call => core::DEADLINE_IN_FLIGHT.into(),
            },
            Self::Canceled { .. } => core::CANCELED_IN_FLIGHT.into(),
            Self::UnknownApp { .. } => rows::TOOL_APP_UNKNOWN.into(),
            _ => rows::TOOL_FAILED.into(),
        })
    }
}

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
        let error = match slow(&failure) {
            Some(slow) => error.with_retriable(true).with_hint(slow.hint),
            None => error,
        };
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
            ToolFailure::UnknownApp { stderr } => error
                .with_detail("stderr", shown(&stderr))
                .with_retriable(true)
                .with_hint("The simulator may still be starting, or installing the app: repeat. If it stays so, install the app again."),
            ToolFailure::NoRuntime { .. } => error.with_hint(NO_RUNTIME),
            ToolFailure::Lost { source, .. } => error.with_source(source),
            _ => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_tool_that_is_slow_is_told_as_such_and_a_call_that_is_short_as_that() {
        let told = |command: &str, nearest| {
            let error = Error::from(ToolFailure::Timeout {
                command: command.to_owned(),
                after: Duration::from_secs(3),
                nearest,
            });
            let row = error.row().map(|row| row.id()).unwrap_or_default();
            assert!(error.message().contains(command), "{error:?}");
            (
                error.reason().unwrap().to_owned(),
                row,
                error.hint().to_owned(),
            )
        };
        for (command, reason, hint) in [
            ("xcrun simctl bootstatus", "boot_timeout", "bootstatus"),
            (
                "xcodebuild build-for-testing",
                "runner_phase_budget_exhausted",
                "build_timeout",
            ),
            (
                "xcodebuild -version",
                "apple_toolchain_probe_unavailable",
                "-version",
            ),
            ("xcrun simctl openurl", "tool_unanswered", ""),
        ] {
            let (by_limit, row, words) = told(command, Nearest::Limit);
            assert_eq!(
                (by_limit.as_str(), row),
                (reason, "ios-runner.tool.unanswered")
            );
            assert!(words.contains(hint), "{words}");
            let (by_call, row, words) = told(command, Nearest::Call);
            assert_eq!(
                (by_call.as_str(), row),
                ("deadline_exceeded", "core.deadline-in-flight")
            );
            assert!(words.contains(hint), "{words}");
        }
    }
}
