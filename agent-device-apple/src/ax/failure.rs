//! Why there is no tree from here.

use std::{borrow::Cow, io, time::Duration};

use agent_device_core::{Error, ErrorCode, reason};

use crate::tools::ToolFailure;

/// What the guest says that it could not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RefusalKind {
    BadRequest,
    Unsupported,
    ApplicationUnavailable,
    ApplicationNotResponding,
    ReaderUnavailable,
    MalformedTree,
    ResponseLimitExceeded,
    /// A word of a later version.
    Unknown,
}

impl RefusalKind {
    pub(super) fn parse(word: &str) -> Self {
        match word {
            "bad_request" => Self::BadRequest,
            "unsupported" => Self::Unsupported,
            "application_unavailable" => Self::ApplicationUnavailable,
            "application_not_responding" => Self::ApplicationNotResponding,
            "reader_unavailable" => Self::ReaderUnavailable,
            "malformed_tree" => Self::MalformedTree,
            "response_limit_exceeded" => Self::ResponseLimitExceeded,
            _ => Self::Unknown,
        }
    }
}

/// A failed capture.
#[derive(Debug, thiserror::Error)]
pub(super) enum AxFailure {
    #[error("the accessibility reader of the simulator is still being prepared")]
    Preparing,
    #[error("the accessibility reader of the simulator could not be prepared: {what}")]
    Unprepared { what: String },
    #[error("the app {bundle} does not run in the simulator")]
    NotRunning { bundle: String },
    #[error("a tool of Xcode failed")]
    Tool(#[from] ToolFailure),
    #[error("the accessibility reader can't be reached")]
    Unreachable(#[source] io::Error),
    #[error("the connection to the accessibility reader ended")]
    Lost(#[source] io::Error),
    #[error("the accessibility reader did not answer within {after:?}")]
    Timeout { after: Duration },
    #[error("the capture was given up because the caller cancelled")]
    Canceled,
    #[error("the {what} has {bytes} bytes, more than {limit}")]
    TooLarge {
        what: &'static str,
        bytes: usize,
        limit: usize,
    },
    #[error("the reply of the accessibility reader is not what it should be: {field}")]
    Unreadable { field: &'static str },
    #[error("the reply of the accessibility reader belongs to something else: {field}")]
    Identity { field: &'static str },
    #[error("the accessibility reader refused: {message}")]
    Refused {
        kind: RefusalKind,
        code: String,
        message: String,
    },
    #[error("a web page of another process is on the screen, and can't be read from here")]
    RemoteContent,
    #[error("the app has no rectangle, so nobody can say what of it is on the screen")]
    NoViewport,
    #[error("the tree holds nothing but containers")]
    Sparse,
    #[error("this source does not answer such a capture")]
    Ineligible,
    #[error("this source failed for this process of the app before: {why}")]
    Disabled { why: Cow<'static, str> },
}

/// How long a failure right after the launch of an app is waited out, by its code: the app is not there yet, or the one before
/// is still in front.
const PATIENCE: &[(&str, Duration)] = &[
    ("application-element-missing", Duration::from_secs(5)),
    ("application-server-unavailable", Duration::from_secs(5)),
    ("foreground-owner-unverified", Duration::from_secs(1)),
    ("foreground-owner-changed", Duration::from_secs(1)),
];

impl AxFailure {
    pub(super) fn unreadable(field: &'static str) -> Self {
        Self::Unreadable { field }
    }

    /// How long it is waited out right after the launch of the app.
    pub(super) fn patience(&self) -> Option<Duration> {
        let Self::Refused { code, .. } = self else {
            return None;
        };
        PATIENCE
            .iter()
            .find(|(known, _)| known == code)
            .map(|(_, time)| *time)
    }

    /// Whether this source is not asked again for this process of the app. Not so where the failure says nothing about the
    /// reader.
    pub(super) fn disables(&self) -> bool {
        !matches!(
            self,
            Self::Preparing
                | Self::Unprepared { .. }
                | Self::Canceled
                | Self::Sparse
                | Self::Ineligible
                | Self::NotRunning { .. }
                | Self::Disabled { .. }
        )
    }

    /// Whether another source may be asked without a word: nothing went wrong.
    pub(super) fn is_expected(&self) -> bool {
        matches!(
            self,
            Self::Preparing | Self::Ineligible | Self::NotRunning { .. } | Self::Sparse
        )
    }

    /// Whether the connection can't be used again: what comes next on it may belong to something else.
    pub(super) fn spoils_connection(&self) -> bool {
        !matches!(
            self,
            Self::Refused { .. } | Self::RemoteContent | Self::NoViewport | Self::Sparse
        )
    }

    /// The reason in errors.
    pub(super) fn reason(&self) -> Cow<'static, str> {
        let word = match self {
            Self::Preparing => "ax-preparing",
            Self::Unprepared { .. } | Self::Tool(_) => "ax-unprepared",
            Self::NotRunning { .. } => "ax-app-not-running",
            Self::Unreachable(_) => "ax-unreachable",
            Self::Lost(_) => "ax-connection-lost",
            Self::Timeout { .. } => reason::DEADLINE_EXCEEDED,
            Self::Canceled => reason::REQUEST_CANCELED,
            Self::TooLarge { .. } => "ax-too-large",
            Self::Unreadable { .. } => "ax-unreadable",
            Self::Identity { .. } => "ax-identity-mismatch",
            Self::Refused { code, .. } => return Cow::Owned(code.clone()),
            Self::RemoteContent => "remote-content-boundary",
            Self::NoViewport => "missing-viewport",
            Self::Sparse => reason::CAPTURE_SPARSE,
            Self::Ineligible => "ax-ineligible",
            Self::Disabled { .. } => "ax-disabled",
        };
        Cow::Borrowed(word)
    }
}

impl From<AxFailure> for Error {
    fn from(failure: AxFailure) -> Self {
        let code = match &failure {
            AxFailure::Tool(ToolFailure::Missing { .. }) => ErrorCode::ToolMissing,
            _ => ErrorCode::CommandFailed,
        };
        let error = Self::new(code, failure.to_string())
            .with_reason(failure.reason())
            .with_retriable(!failure.disables());
        match failure {
            AxFailure::Refused { kind, .. } => error.with_detail("kind", format!("{kind:?}")),
            AxFailure::TooLarge { bytes, limit, .. } => error
                .with_detail("bytes", bytes)
                .with_detail("limit", limit),
            AxFailure::Unreadable { field } | AxFailure::Identity { field } => {
                error.with_detail("field", field)
            }
            AxFailure::Tool(source) => error.with_source(source),
            AxFailure::Unreachable(source) | AxFailure::Lost(source) => error.with_source(source),
            _ => error,
        }
    }
}
