//! What can go wrong between us and the helper, and what that says about dispatch.

use agent_device_core::{
    DispatchDisclosure, Error, ErrorCode,
    dispatch::{
        Verdict,
        rows::{android_adb, android_helper as rows, core},
    },
    reason,
};

use super::{Ended, TOLD, owner};
use crate::error::{AdbFailure, HOST_REFUSAL, TOO_LARGE};

/// How the helper's word for a failure ends when the time was over before the command's turn came.
const TOO_LATE: &str = "TimeoutException";
/// The reason when accessibility itself did not answer in time.
pub(super) const TREE_TIMEOUT: &str = "accessibility-timeout";
pub(super) const PICTURE: &str = "The screen's tree can't be had now: take a screenshot, which does not need it. An app that never rests holds it up.";
/// And when the command is none for the field that it was meant for.
const UNSUPPORTED: &str = "UnsupportedOperationException";

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

    /// Whether it is the caller whose time is over, or who cancelled.
    pub(crate) fn is_over(&self) -> bool {
        matches!(
            self.reason(),
            reason::DEADLINE_EXCEEDED | reason::REQUEST_CANCELED
        )
    }

    /// Whether the answer was larger than what is read.
    pub(crate) fn is_too_large(&self) -> bool {
        matches!(self, Self::Lost(AdbFailure::TooLarge { .. }))
    }

    /// Whether a command that only reads may be tried once more.
    pub(crate) fn is_transport(&self) -> bool {
        match self {
            Self::Unreadable { .. } => true,
            Self::Died { .. } => true,
            Self::Unopened(failure) | Self::Lost(failure) => !matches!(
                failure,
                AdbFailure::Timeout { .. }
                    | AdbFailure::Canceled { .. }
                    // It would be as large again.
                    | AdbFailure::TooLarge { .. }
            ),
            _ => false,
        }
    }

    /// Whether it is certain that nothing was done, and that it can't be done in this way.
    pub(crate) fn is_unsupported(&self) -> bool {
        matches!(self, Self::Refused { kind, .. } if kind.ends_with(UNSUPPORTED))
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
                | ErrorCode::DeviceInUse
                | ErrorCode::AmbiguousMatch
                | ErrorCode::ToolMissing) => code,
                _ => ErrorCode::CommandFailed,
            },
            _ if self.is_unsupported() => ErrorCode::UnsupportedOperation,
            _ => ErrorCode::CommandFailed,
        }
    }

    fn reason(&self) -> &str {
        match (self, self.adb()) {
            (_, Some(AdbFailure::Timeout { .. })) => reason::DEADLINE_EXCEEDED,
            (_, Some(AdbFailure::Canceled { .. })) => reason::REQUEST_CANCELED,
            (_, Some(AdbFailure::TooLarge { .. })) => TOO_LARGE,
            (Self::NotStarted { source }, _) => match source.reason() {
                Some(
                    reason @ (reason::DEADLINE_EXCEEDED
                    | reason::REQUEST_CANCELED
                    | owner::TAKEN
                    | "android_device_in_use"
                    | "android_helper_stuck"),
                ) => reason,
                // The host's refusal of the device.
                Some(reason) if source.detail(HOST_REFUSAL).is_some() => reason,
                _ => "android_helper_not_started",
            },
            (Self::Unopened(_), _) => "android_helper_unreachable",
            (Self::Lost(_), _) => "android_helper_lost",
            (Self::Died { .. }, _) => "android_helper_died",
            (Self::Unreadable { .. }, _) => "android_helper_unreadable",
            (Self::Refused { kind, .. }, _) if kind.ends_with(TOO_LATE) => {
                reason::DEADLINE_EXCEEDED
            }
            (Self::Refused { .. }, _) => "android_helper_refused",
            (Self::Failed { kind, .. }, _) if kind.ends_with(TOO_LATE) => TREE_TIMEOUT,
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
            Self::Lost(AdbFailure::TooLarge { .. }) => android_adb::OUTPUT_TOO_LARGE.into(),
            Self::Lost(_) | Self::Died { .. } => rows::LOST_AFTER_REQUEST.into(),
            Self::Unreadable { .. } => rows::UNREADABLE_REPLY.into(),
            Self::Refused { .. } => rows::REFUSED_BEFORE_START.into(),
            Self::Failed { .. } => rows::FAILED_AFTER_START.into(),
        })
    }
}

impl From<HelperFailure> for Error {
    fn from(failure: HelperFailure) -> Self {
        // What the host says of the device has nothing to do with the helper.
        if let HelperFailure::Unopened(source @ AdbFailure::Refused { .. }) = failure {
            return source.into();
        }
        let mut error = Error::new(failure.code(), failure.to_string())
            .disclosed_by(&failure)
            .with_reason(failure.reason().to_owned());
        match failure {
            HelperFailure::NotStarted { source } => {
                if let Some(retriable) = source.retriable() {
                    error = error.with_retriable(retriable);
                }
                let hint = source.hint().to_owned();
                for key in TOLD {
                    if let Some(value) = source.detail(key) {
                        error = error.with_detail(key, value);
                    }
                }
                error.with_hint(hint).with_source(source)
            }
            HelperFailure::Unopened(source) | HelperFailure::Lost(source) => {
                if let Some(hint) = source.hint() {
                    error = error.with_hint(hint);
                }
                error.with_source(Error::from(source))
            }
            HelperFailure::Died { how, source } => error
                .with_hint(how.hint())
                .with_detail("helperEnded", how.as_str())
                .with_source(Error::from(source)),
            HelperFailure::Refused { kind, message } | HelperFailure::Failed { kind, message } => {
                if error.reason() == Some(TREE_TIMEOUT) {
                    error = error.with_hint(PICTURE);
                }
                error
                    .with_detail("helperError", kind)
                    .with_detail("helperMessage", message)
            }
            HelperFailure::Unreadable { .. } => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_known_by_its_class_whatever_its_words_are() {
        let refused = |kind: &str| {
            Error::from(HelperFailure::Refused {
                kind: kind.to_owned(),
                message: "any words".to_owned(),
            })
        };
        for (kind, code, reason) in [
            (
                "java.util.concurrent.TimeoutException",
                ErrorCode::CommandFailed,
                reason::DEADLINE_EXCEEDED,
            ),
            (
                "java.lang.UnsupportedOperationException",
                ErrorCode::UnsupportedOperation,
                "android_helper_refused",
            ),
            (
                "java.lang.IllegalStateException",
                ErrorCode::CommandFailed,
                "android_helper_refused",
            ),
        ] {
            let error = refused(kind);
            assert_eq!(
                (error.code(), error.reason()),
                (code, Some(reason)),
                "{kind}"
            );
            assert!(error.dispatched().is_no());
        }
    }

    #[test]
    fn a_tree_that_did_not_come_in_time_is_told_from_a_turn_that_did_not() {
        let error = Error::from(HelperFailure::Failed {
            kind: "java.util.concurrent.TimeoutException".to_owned(),
            message: "Timed out waiting for Android UiAutomation to connect".to_owned(),
        });
        assert_eq!(error.reason(), Some(TREE_TIMEOUT));
        assert!(error.hint().contains("screenshot"), "{}", error.hint());
    }

    #[test]
    fn an_answer_that_is_too_large_is_named_and_not_asked_for_again() {
        let large = || HelperFailure::Lost(AdbFailure::TooLarge { limit: 7 });
        assert!(!large().is_transport());
        let error = Error::from(large());
        assert_eq!(error.reason(), Some(TOO_LARGE));
        assert!(!error.dispatched().is_no());
        assert!(error.hint().contains("max_capture"), "{}", error.hint());
    }
}
