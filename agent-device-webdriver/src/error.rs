//! What can go wrong between us and a driver, and what that says about dispatch.
//!
//! The verdict of a failure comes from three facts: how far the request got, the error code that the server named, and what
//! the request was ([`Kind`]). It never comes from a message. A code proves that nothing happened only where the driver checks
//! before the first event of the request; in a sequence of ticks an earlier one may have landed, and where the page's own code
//! runs before the answer, it can bring about any code.

use std::time::Duration;

use agent_device_core::{
    DispatchDisclosure, Error, ErrorCode,
    dispatch::{
        Verdict,
        rows::{core, webdriver as rows},
    },
    reason,
};

use crate::client::{BoxError, NoConnection, Phase, W3cError};

/// The reason of an error: nobody listens at the endpoint.
pub(crate) const CONNECT_REFUSED: &str = "webdriver_connect_refused";

/// What a request is to the app: decides which error codes prove that nothing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Changes nothing.
    Read,
    /// Makes or ends a session.
    Session,
    /// A click on an element: everything is checked before its first event.
    Click,
    /// Clears a field, types into it or chooses an option. The page has a say before the answer: the field gets the focus
    /// first, and chromedriver acts by scripts in the page and passes on as its own the code that they throw.
    Field,
    /// The path for a file chooser, which is checked first.
    File,
    /// Input actions whose first tick with a place is the only one.
    SingleTick,
    /// Input actions with several places.
    Ticks,
    /// Another page.
    Navigate,
    /// A script that changes something. The page has a say before the answer, as with a field.
    Script,
    /// The answer to a dialog.
    Alert,
    /// Chooses a window by its name.
    Window,
    /// Closes a window.
    CloseWindow,
    /// A setting of the device.
    Device,
}

/// A failed request, or one that was never made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WireFailure {
    #[error("no connection to the WebDriver server: {}", describe(*.why))]
    NoConnection {
        why: NoConnection,
        #[source]
        source: Option<BoxError>,
    },
    #[error("the request could not be built")]
    Unbuildable {
        #[source]
        source: Option<BoxError>,
    },
    #[error("the WebDriver server did not answer within {after:?}")]
    Timeout { after: Duration },
    #[error("the time of the call was over before the WebDriver server answered")]
    OutOfTime,
    #[error("the connection to the WebDriver server ended before its answer was complete")]
    Lost {
        phase: Phase,
        #[source]
        source: Option<BoxError>,
    },
    #[error("the WebDriver server answered {} with HTTP status {status} and no error code", .kind.as_str())]
    Status {
        status: u16,
        body: String,
        kind: Kind,
    },
    #[error("the WebDriver server's answer can't be read")]
    Unreadable { status: Option<u16> },
    #[error("the browser failed to {}: {}", .kind.as_str(), .error.code)]
    W3c {
        error: W3cError,
        kind: Kind,
        /// Whether dialogs survive commands that they get in the way of.
        prompts_ignored: bool,
    },
    #[error("the WebDriver server knows none of the routes for this")]
    RoutesRefused { attempts: Vec<(String, String)> },
    #[error("the WebDriver session still works on an earlier command")]
    Busy,
    #[error("the WebDriver session has ended")]
    Dead,
    #[error("the caller cancelled")]
    CanceledBeforeSend,
    #[error("the caller cancelled")]
    CanceledInFlight,
    #[error("the deadline passed before anything was sent")]
    DeadlineBeforeSend,
}

fn describe(why: NoConnection) -> &'static str {
    match why {
        NoConnection::Dns => "its name does not resolve",
        NoConnection::Refused => "nobody listens there",
        NoConnection::Timeout => "connecting took too long",
        NoConnection::Tls => "TLS could not be agreed on",
    }
}

impl Kind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Session => "make or end a session",
            Self::Click => "click an element",
            Self::Field => "change a field",
            Self::File => "choose a file",
            Self::SingleTick | Self::Ticks => "play input actions",
            Self::Navigate => "navigate",
            Self::Script => "change the page by script",
            Self::Alert => "answer a dialog",
            Self::Window => "choose the window",
            Self::CloseWindow => "close the window",
            Self::Device => "change the device",
        }
    }

    /// Whether code of the page runs between the start of the command and its answer, so that no code proves anything.
    fn runs_page_code(self) -> bool {
        matches!(self, Self::Field | Self::Script)
    }

    /// Whether the code tells that the command has no handler: nothing ran.
    fn has_no_route(self, code: &str) -> bool {
        !self.runs_page_code() && matches!(code, "unknown command" | "unknown method")
    }
}

fn w3c_verdict(code: &str, kind: Kind, prompts_ignored: bool) -> Verdict {
    match code {
        "no such window" if kind == Kind::Window => rows::WINDOW_NOT_FOUND.into(),
        "no such window" => rows::NO_SUCH_WINDOW_ON_MUTATION.into(),
        "invalid session id" => rows::INVALID_SESSION_ON_MUTATION.into(),
        "javascript error" => rows::SCRIPT_FAILED.into(),
        "script timeout" => rows::SCRIPT_TIMEOUT.into(),
        "unexpected alert open" if !prompts_ignored => rows::ALERT_OPEN_AUTO_HANDLED.into(),
        _ if kind.runs_page_code() => rows::PAGE_CODE_RAN.into(),
        code if kind.has_no_route(code) => rows::UNKNOWN_COMMAND.into(),
        // A server that installs or starts what was asked for may find out late.
        "session not created" | "invalid argument" if kind == Kind::Session => {
            rows::SESSION_NOT_CREATED.into()
        }
        "invalid argument" if kind != Kind::Device => rows::INVALID_ARGUMENT.into(),
        "no such element"
        | "stale element reference"
        | "detached shadow root"
        | "no such shadow root" => match kind {
            Kind::Click => rows::STALE_BEFORE_CLICK.into(),
            Kind::SingleTick | Kind::Ticks => rows::ACTIONS_LATER_STALE_ORIGIN.into(),
            _ => rows::DRIVER_ERROR.into(),
        },
        "element click intercepted" if kind == Kind::Click => rows::CLICK_INTERCEPTED.into(),
        "element not interactable" | "invalid element state" if kind == Kind::Click => {
            rows::NOT_INTERACTABLE.into()
        }
        "move target out of bounds" | "invalid coordinates" => match kind {
            Kind::SingleTick => rows::ACTIONS_FIRST_MOVE_OUT_OF_BOUNDS.into(),
            Kind::Ticks => rows::ACTIONS_LATER_MOVE_OUT_OF_BOUNDS.into(),
            _ => rows::DRIVER_ERROR.into(),
        },
        "no such alert" if kind == Kind::Alert => rows::NO_SUCH_ALERT.into(),
        "unexpected alert open" if kind != Kind::Ticks => rows::ALERT_OPEN_IGNORED.into(),
        _ => rows::DRIVER_ERROR.into(),
    }
}

impl DispatchDisclosure for WireFailure {
    fn verdict(&self) -> Option<Verdict> {
        Some(match self {
            Self::NoConnection { why, .. } => match why {
                NoConnection::Dns => rows::DNS_FAILED.into(),
                NoConnection::Refused => rows::CONNECT_REFUSED.into(),
                NoConnection::Timeout => rows::CONNECT_TIMEOUT.into(),
                NoConnection::Tls => rows::TLS_HANDSHAKE_FAILED.into(),
            },
            Self::Unbuildable { .. } => core::REFUSAL_ARGUMENTS.into(),
            Self::Timeout { .. } | Self::OutOfTime => rows::TIMEOUT_AFTER_SEND.into(),
            Self::Lost { phase, .. } => match phase {
                Phase::Reset => rows::RESET_AFTER_SEND.into(),
                Phase::Truncated => rows::TRUNCATED_RESPONSE.into(),
                Phase::Garbage | Phase::TooLarge => rows::UNREADABLE_REPLY.into(),
                Phase::Closed | Phase::Build | Phase::Connect(_) => rows::CLOSED_AFTER_SEND.into(),
            },
            Self::Status { status, .. } => match status {
                401 | 407 | 413 | 414 | 415 | 431 => rows::HTTP_REFUSED_BEFORE_HANDLER.into(),
                404 | 405 => rows::NO_HANDLER.into(),
                408 | 500.. => rows::HTTP_5XX_AFTER_SEND.into(),
                300..=399 => rows::REDIRECT_NOT_FOLLOWED.into(),
                _ => rows::HTTP_STATUS_UNCLASSIFIED.into(),
            },
            Self::Unreadable { .. } => rows::UNREADABLE_REPLY.into(),
            Self::W3c {
                error,
                kind,
                prompts_ignored,
            } => w3c_verdict(&error.code, *kind, *prompts_ignored),
            Self::RoutesRefused { .. } => rows::ROUTE_REFUSED_EVERYWHERE.into(),
            Self::Busy => rows::SESSION_BUSY.into(),
            Self::Dead => rows::SESSION_KNOWN_DEAD.into(),
            Self::CanceledBeforeSend => core::REFUSAL_CANCELED_BEFORE_SEND.into(),
            Self::CanceledInFlight => core::CANCELED_IN_FLIGHT.into(),
            Self::DeadlineBeforeSend => core::REFUSAL_DEADLINE_BEFORE_SEND.into(),
        })
    }
}

impl WireFailure {
    /// The code that the server named.
    pub(crate) fn code(&self) -> Option<&str> {
        match self {
            Self::W3c { error, .. } => Some(&error.code),
            _ => None,
        }
    }

    pub(crate) fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout { .. } | Self::OutOfTime)
    }

    /// The text of the dialog that is in the way.
    pub(crate) fn open_dialog(&self) -> Option<&str> {
        match self {
            Self::W3c { error, .. } if error.code == "unexpected alert open" => {
                Some(error.dialog.as_deref().unwrap_or_default())
            }
            _ => None,
        }
    }

    /// Whether the session leaves an open dialog alone, so that it is still there.
    pub(crate) fn dialog_stays(&self) -> bool {
        matches!(
            self,
            Self::W3c {
                prompts_ignored: true,
                ..
            }
        )
    }

    /// Whether the server has no handler for the route. Only this permits trying another one.
    pub(crate) fn is_route_refusal(&self) -> bool {
        match self {
            Self::W3c { error, kind, .. } => kind.has_no_route(&error.code),
            Self::Status { status, .. } => matches!(status, 404 | 405),
            _ => false,
        }
    }
}

/// A failed read. Nothing is lost by repeating it: its verdict can't be `unknown`, unless the driver answered a dialog on
/// the way.
#[derive(Debug)]
pub(crate) struct ReadFailure(pub(crate) WireFailure);

impl std::ops::Deref for ReadFailure {
    type Target = WireFailure;

    fn deref(&self) -> &WireFailure {
        &self.0
    }
}

impl DispatchDisclosure for ReadFailure {
    fn verdict(&self) -> Option<Verdict> {
        let own = self.0.verdict();
        match own {
            Some(Verdict::No(_)) => own,
            Some(verdict) if verdict == rows::ALERT_OPEN_AUTO_HANDLED.into() => own,
            _ => Some(core::READ_ONLY.into()),
        }
    }
}

impl From<ReadFailure> for Error {
    fn from(failure: ReadFailure) -> Self {
        let verdict = failure.verdict();
        let error = Error::from(failure.0);
        match verdict {
            Some(Verdict::No(row)) => error.proven(row),
            _ => error,
        }
    }
}

impl From<WireFailure> for Error {
    fn from(failure: WireFailure) -> Self {
        let message = failure.to_string();
        let code = match &failure {
            WireFailure::Dead => ErrorCode::SessionNotFound,
            WireFailure::Unbuildable { .. } => ErrorCode::InvalidArgs,
            WireFailure::Status {
                status: 401 | 407, ..
            } => ErrorCode::Unauthorized,
            WireFailure::W3c { error, .. } if error.code == "invalid session id" => {
                ErrorCode::SessionNotFound
            }
            WireFailure::RoutesRefused { .. } => ErrorCode::UnsupportedOperation,
            failure if failure.is_route_refusal() => ErrorCode::UnsupportedOperation,
            _ => ErrorCode::CommandFailed,
        };
        let mut error = Error::new(code, message).disclosed_by(&failure);
        let reason = match &failure {
            WireFailure::NoConnection { why, .. } => Some(match why {
                NoConnection::Dns => "webdriver_host_unknown",
                NoConnection::Refused => CONNECT_REFUSED,
                NoConnection::Timeout => "webdriver_connect_timeout",
                NoConnection::Tls => "webdriver_tls_failed",
            }),
            WireFailure::Timeout { .. } => Some("webdriver_request_timeout"),
            WireFailure::Busy => Some("webdriver_session_busy"),
            WireFailure::Dead => Some("webdriver_session_ended"),
            WireFailure::CanceledBeforeSend | WireFailure::CanceledInFlight => {
                Some(reason::REQUEST_CANCELED)
            }
            WireFailure::OutOfTime | WireFailure::DeadlineBeforeSend => {
                Some(reason::DEADLINE_EXCEEDED)
            }
            WireFailure::W3c { error, .. } => match error.code.as_str() {
                "no such alert" => Some(reason::ALERT_NOT_FOUND),
                "unexpected alert open" => Some("webdriver_dialog_open"),
                "no such window" => Some("webdriver_window_closed"),
                "invalid session id" => Some("webdriver_session_ended"),
                _ => None,
            },
            _ => None,
        };
        if let Some(reason) = reason {
            error = error.with_reason(reason);
        }
        let hint = match &failure {
            WireFailure::NoConnection { .. } => {
                Some("Check that the driver runs at the endpoint and that the endpoint is right.")
            }
            WireFailure::Busy => Some(
                "An earlier command was given up and still runs. Wait until it is done, then repeat.",
            ),
            WireFailure::Dead => Some("The browser or its driver is gone. Start a new session."),
            WireFailure::W3c { error, .. } => match error.code.as_str() {
                "unexpected alert open" => Some("Accept or dismiss the dialog first."),
                "no such window" => {
                    Some("The window was closed. List the windows and select one of them.")
                }
                "invalid session id" => {
                    Some("The browser or its driver is gone. Start a new session.")
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(hint) = hint {
            error = error.with_hint(hint);
        }
        if matches!(failure, WireFailure::Busy) {
            error = error.with_retriable(true);
        }
        match failure {
            WireFailure::NoConnection { source, .. }
            | WireFailure::Unbuildable { source }
            | WireFailure::Lost { source, .. } => match source {
                Some(source) => error.with_source(source),
                None => error,
            },
            WireFailure::Status { status, body, .. } => {
                let error = error.with_detail("httpStatus", status);
                if body.is_empty() {
                    error
                } else {
                    error.with_detail("body", body)
                }
            }
            WireFailure::Unreadable {
                status: Some(status),
            } => error.with_detail("httpStatus", status),
            WireFailure::W3c { error: w3c, .. } => {
                let error = error
                    .with_detail("webdriverCode", w3c.code)
                    .with_detail("httpStatus", w3c.status)
                    .with_detail("driverMessage", w3c.message);
                match w3c.dialog {
                    Some(text) => error.with_detail("dialogText", text),
                    None => error,
                }
            }
            WireFailure::RoutesRefused { attempts } => error.with_detail(
                "attempts",
                attempts
                    .into_iter()
                    .map(|(route, error)| serde_json::json!({"transport": route, "error": error}))
                    .collect::<Vec<_>>(),
            ),
            _ => error,
        }
    }
}
