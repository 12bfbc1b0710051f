//! What can go wrong between us and the helper, and what that says about dispatch.

use agent_device_core::{
    DispatchDisclosure, Error, ErrorCode,
    dispatch::{
        Verdict,
        rows::{android_helper as rows, core},
    },
    reason,
};

use super::Ended;
use crate::error::AdbFailure;

/// A command of the helper that failed, or that was never sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HelperFailure {
    #[error("the helper on the device is not available")]
    NotStarted {
        #[source]
        source: Error,
    },
    #[error("the helper's session can't be reached")]
    Unopened(#[source] AdbFailure),
    #[error("the helper's answer did not come")]
    Lost(#[source] AdbFailure),
    #[error("the helper ended before it answered: {how}")]
    Died {
        how: Ended,
        #[source]
        source: AdbFailure,
    },
    #[error("the helper's answer is not readable: {what}")]
    Unreadable { what: &'static str },
    #[error("the helper refused: {message}")]
    Refused { kind: String, message: String },
    #[error("the helper failed: {message}")]
    Failed { kind: String, message: String },
}

impl HelperFailure {
    /// Whether nobody serves the session any more. Nothing was written then.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Self::Unopened(AdbFailure::ServiceRefused { .. }))
    }

    /// Whether the helper itself said what is wrong.
    pub(crate) fn is_answer(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Failed { .. })
    }

    /// Whether a command that only reads may be tried once more.
    pub(crate) fn is_transport(&self) -> bool {
        match self {
            Self::Unreadable { .. } => true,
            Self::Died { .. } => true,
            Self::Unopened(failure) | Self::Lost(failure) => !matches!(
                failure,
                AdbFailure::Timeout { .. } | AdbFailure::Canceled { .. }
            ),
            _ => false,
        }
    }

    fn adb(&self) -> Option<&AdbFailure> {
        match self {
            Self::Unopened(failure) | Self::Lost(failure) => Some(failure),
            _ => None,
        }
    }

    fn code(&self) -> ErrorCode {
        match self {
            Self::NotStarted { source } => match source.code() {
                // The device's own failures keep their name, not those of the helper.
                code @ (ErrorCode::DeviceNotFound
                | ErrorCode::Unauthorized
                | ErrorCode::AmbiguousMatch
                | ErrorCode::ToolMissing) => code,
                _ => ErrorCode::CommandFailed,
            },
            Self::Refused { kind, .. } if kind.ends_with("UnsupportedOperationException") => {
                ErrorCode::UnsupportedOperation
            }
            _ => ErrorCode::CommandFailed,
        }
    }

    fn reason(&self) -> &'static str {
        match (self, self.adb()) {
            (_, Some(AdbFailure::Timeout { .. })) => reason::DEADLINE_EXCEEDED,
            (_, Some(AdbFailure::Canceled { .. })) => reason::REQUEST_CANCELED,
            (Self::NotStarted { source }, _) => match source.reason() {
                Some(reason::DEADLINE_EXCEEDED) => reason::DEADLINE_EXCEEDED,
                Some(reason::REQUEST_CANCELED) => reason::REQUEST_CANCELED,
                Some("android_ui_automation_taken") => "android_ui_automation_taken",
                _ => "android_helper_not_started",
            },
            (Self::Unopened(_), _) => "android_helper_unreachable",
            (Self::Lost(_), _) => "android_helper_lost",
            (Self::Died { .. }, _) => "android_helper_died",
            (Self::Unreadable { .. }, _) => "android_helper_unreadable",
            // The command's turn did not come in time.
            (Self::Refused { message, .. }, _) if message.starts_with("not begun within ") => {
                reason::DEADLINE_EXCEEDED
            }
            (Self::Refused { .. }, _) => "android_helper_refused",
            (Self::Failed { .. }, _) => "android_helper_failed",
        }
    }
}

impl DispatchDisclosure for HelperFailure {
    fn verdict(&self) -> Option<Verdict> {
        Some(match self {
            Self::NotStarted { .. } => rows::SESSION_NOT_STARTED.into(),
            Self::Unopened(failure) => match failure.verdict() {
                // The adb layer knows more exactly why.
                Some(Verdict::No(row)) => row.into(),
                _ => rows::CONNECT_FAILED.into(),
            },
            Self::Lost(AdbFailure::Timeout { .. }) => rows::TIMEOUT_AFTER_REQUEST.into(),
            Self::Lost(AdbFailure::Canceled { .. }) => core::CANCELED_IN_FLIGHT.into(),
            Self::Lost(_) | Self::Died { .. } => rows::LOST_AFTER_REQUEST.into(),
            Self::Unreadable { .. } => rows::UNREADABLE_REPLY.into(),
            Self::Refused { .. } => rows::REFUSED_BEFORE_START.into(),
            Self::Failed { .. } => rows::FAILED_AFTER_START.into(),
        })
    }
}

impl From<HelperFailure> for Error {
    fn from(failure: HelperFailure) -> Self {
        let mut error = Error::new(failure.code(), failure.to_string())
            .disclosed_by(&failure)
            .with_reason(failure.reason());
        match failure {
            HelperFailure::NotStarted { source } => {
                let hint = source.hint().to_owned();
                for key in ["uiAutomationOwner", "helperEnded", "installFailure"] {
                    if let Some(value) = source.detail(key) {
                        error = error.with_detail(key, value);
                    }
                }
                error.with_hint(hint).with_source(source)
            }
            HelperFailure::Unopened(source) | HelperFailure::Lost(source) => {
                error.with_source(Error::from(source))
            }
            HelperFailure::Died { how, source } => error
                .with_hint(how.hint())
                .with_detail("helperEnded", how.as_str())
                .with_source(Error::from(source)),
            HelperFailure::Refused { kind, message } | HelperFailure::Failed { kind, message } => {
                error = error
                    .with_detail("helperError", kind)
                    .with_detail("helperMessage", message);
                error
            }
            HelperFailure::Unreadable { .. } => error,
        }
    }
}
