//! What can go wrong between us and an app, and what that says about dispatch.
//!
//! The verdict comes from how far a command got, from the runner's code, and from its journal; never from a message. A `no` of
//! the runner's is a code that it gives only before it has done anything.

mod start;
mod tool;

use agent_device_core::{
    DispatchDisclosure, Error, ErrorCode,
    dispatch::{
        Verdict,
        rows::{core, ios_runner as rows},
    },
    reason,
};

pub(crate) use start::StartFailure;
use tool::shown;

use crate::runner::{Bound, LaunchFailure, NoReply, RunnerError, Skip, Unwritten};

/// A command of the runner that failed, or that was never sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunnerFailure {
    /// No runner came up.
    #[error("the runner could not be started: {0}")]
    NotStarted(#[source] StartFailure),
    /// Nothing was written, and no other runner took the place of the one that is gone.
    #[error("nobody listens where the runner should be")]
    Unreached {
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    #[error("the device is not attached")]
    DeviceGone,
    #[error("the caller cancelled")]
    CanceledUnsent,
    #[error("the time of the call was over before the command was sent: it waited for {0}")]
    DeadlineUnsent(&'static str),
    #[error("the runner does not answer, and neither does the one that took its place")]
    Preflight,
    /// The runner's own failure.
    #[error("{}", if .error.message.is_empty() { "the runner failed" } else { .error.message.as_str() })]
    Said {
        error: RunnerError,
        /// How the failure came to be known.
        told: Told,
        skip: Option<Skip>,
    },
    /// Written, and no answer came.
    #[error("{}", words(*.fate))]
    ReplyLost {
        fate: Fate,
        skip: Option<Skip>,
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}

/// How the runner's failure came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// By its answer.
    Reply,
    /// By its journal, after the answer was lost.
    Journal,
}

/// What is known about a command whose answer was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It did not come within the time for a command.
    Timeout,
    /// The caller's own time was over.
    Deadline,
    /// The caller cancelled.
    Canceled,
    /// It is none.
    Unreadable,
    /// It is larger than this.
    TooLarge(Bound),
    /// The runner is gone.
    RunnerGone,
    /// The same, and the repetition of a read was lost, too.
    ReadAgain,
    /// The first attempt was never written, the second was lost.
    Replay,
    /// The journal says: completed. The answer is not kept.
    Completed,
    /// The same for a read whose repetition failed, too.
    ReadCompleted,
    /// The journal says: in the queue.
    Accepted,
    /// The journal says: at work.
    Started,
    /// The journal does not know it.
    NotAccepted,
    /// The journal could not be asked.
    ProbeFailed,
    /// There is no journal.
    NoJournal,
}

fn words(fate: Fate) -> &'static str {
    match fate {
        Fate::Timeout => "the runner did not answer within the time for a command",
        Fate::Deadline => "the time of the call was over before the runner answered",
        Fate::Canceled => "the caller cancelled",
        Fate::Unreadable => "the runner's answer can't be read",
        Fate::TooLarge(_) => "the runner's answer is larger than the limit",
        Fate::RunnerGone => "the runner ended before it answered",
        Fate::ReadAgain => "the runner ended before it answered, twice",
        Fate::Replay => "the runner that took the place of another ended before it answered",
        Fate::Completed | Fate::ReadCompleted => {
            "the command has completed, and its answer is lost"
        }
        Fate::Accepted => "the answer is lost, and the command is still in the runner's queue",
        Fate::Started => "the answer is lost, and the runner is still at work on the command",
        Fate::NotAccepted => "the answer is lost, and the runner does not know the command",
        Fate::ProbeFailed => {
            "the answer is lost, and the runner does not say what became of the command"
        }
        Fate::NoJournal => "the answer is lost, and the runner keeps no record of commands",
    }
}

impl RunnerFailure {
    /// A failure to reach the runner of which nothing was written.
    pub(crate) fn unwritten(why: Unwritten) -> Self {
        match why {
            Unwritten::Refused(error) => Self::Unreached {
                source: Some(error.into()),
            },
            Unwritten::Timeout => Self::Unreached { source: None },
            Unwritten::Gone => Self::DeviceGone,
            Unwritten::Canceled => Self::CanceledUnsent,
            Unwritten::Deadline => Self::DeadlineUnsent("a connection to the runner"),
        }
    }

    /// A lost answer that the journal was not asked about.
    pub(crate) fn lost(why: NoReply, skip: Option<Skip>) -> Self {
        let (fate, source) = match why {
            NoReply::Timeout => (Fate::Timeout, None),
            NoReply::Canceled => (Fate::Canceled, None),
            NoReply::Deadline => (Fate::Deadline, None),
            NoReply::Garbage => (Fate::Unreadable, None),
            NoReply::TooLarge(bound) => (Fate::TooLarge(bound), None),
            NoReply::Closed(source) => (Fate::RunnerGone, source),
        };
        Self::ReplyLost { fate, skip, source }
    }

    /// The runner's code, if it gave one.
    pub(crate) fn code(&self) -> Option<&str> {
        match self {
            Self::Said { error, .. } => Some(error.code.as_str()),
            _ => None,
        }
    }

    fn reason(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotStarted(start) => start.reason(),
            Self::Unreached { .. } => "runner_connect_refused",
            Self::DeviceGone => "usbmux_device_unattached",
            Self::CanceledUnsent => reason::REQUEST_CANCELED,
            Self::DeadlineUnsent(_) => reason::DEADLINE_EXCEEDED,
            Self::Preflight => "runner_readiness_preflight_failed",
            Self::Said { error, .. } => return said_reason(&error.code),
            Self::ReplyLost { fate, .. } => match fate {
                Fate::Timeout => "runner_unanswered",
                Fate::Deadline => reason::DEADLINE_EXCEEDED,
                Fate::Canceled => reason::REQUEST_CANCELED,
                Fate::Unreadable => "runner_reply_unreadable",
                Fate::TooLarge(_) => "runner_reply_too_large",
                _ => "runner_reply_lost",
            },
        })
    }
}

/// What a target that was seen is not any more: at its place, or there at all.
pub(crate) const TARGET_GONE: &str = "target_gone";

/// Reasons of the core for what the runner says in its own words.
fn said_reason(code: &str) -> Option<&'static str> {
    Some(match code {
        "ALERT_NOT_FOUND" => reason::ALERT_NOT_FOUND,
        "SCROLL_KEYBOARD_OCCLUDES_SURFACE" => reason::SCROLL_KEYBOARD_OCCLUDES_SURFACE,
        "ELEMENT_OFFSCREEN" => reason::OFFSCREEN_SELECTOR,
        "RUNNER_BUSY" => "runner_busy_refusal",
        "RUNNER_WEDGED" => "runner_main_thread_wedged",
        "APP_NOT_RUNNING" => "app_not_running",
        "MAIN_THREAD_TIMEOUT" => "main_thread_timeout",
        "XCTEST_RECORDED_FAILURE" => "xctest_recorded_failure",
        "ELEMENT_NOT_FOUND" => TARGET_GONE,
        "TARGET_NOT_FOCUSED" => "target_not_focused",
        "APP_SCREEN_WINDOW_UNRESOLVED" => "app_screen_window_unresolved",
        "APP_SCREEN_UNRESOLVED" => "app_screen_unresolved",
        "APP_SCREEN_CAPTURE_UNRENDERABLE" => "app_screen_capture_unrenderable",
        _ => return None,
    })
}

/// The verdict of a code by which the runner says that it did not do it, or may have.
fn verdict_of_code(code: &str) -> Verdict {
    match code {
        "INVALID_ARGS" => rows::REPLY_INVALID_ARGS.into(),
        "RUNNER_BUSY" => rows::REPLY_RUNNER_BUSY.into(),
        "RUNNER_WEDGED" => rows::REPLY_RUNNER_WEDGED.into(),
        "APP_NOT_RUNNING" => rows::REPLY_APP_NOT_RUNNING.into(),
        "SCROLL_KEYBOARD_OCCLUDES_SURFACE" => rows::REPLY_SCROLL_KEYBOARD_OCCLUDES_SURFACE.into(),
        "UNAUTHORIZED" => rows::REPLY_UNAUTHORIZED.into(),
        "ALERT_NOT_FOUND" => rows::REPLY_ALERT_NOT_FOUND.into(),
        "APP_SCREEN_WINDOW_UNRESOLVED" => rows::REPLY_APP_SCREEN_WINDOW_UNRESOLVED.into(),
        "APP_SCREEN_UNRESOLVED" => rows::REPLY_APP_SCREEN_UNRESOLVED.into(),
        "APP_SCREEN_CAPTURE_UNRENDERABLE" => rows::REPLY_APP_SCREEN_CAPTURE_UNRENDERABLE.into(),
        "ELEMENT_NOT_FOUND" => rows::REPLY_ELEMENT_NOT_FOUND.into(),
        "ELEMENT_OFFSCREEN" => rows::REPLY_ELEMENT_OFFSCREEN.into(),
        "TARGET_NOT_FOCUSED" => rows::REPLY_TARGET_NOT_FOCUSED.into(),
        "AMBIGUOUS_MATCH" => rows::REPLY_AMBIGUOUS_MATCH.into(),
        "MAIN_THREAD_TIMEOUT" => rows::REPLY_MAIN_THREAD_TIMEOUT.into(),
        "UNSUPPORTED_OPERATION" => rows::REPLY_UNSUPPORTED_OPERATION.into(),
        _ => rows::REPLY_UNLISTED_CODE.into(),
    }
}

impl DispatchDisclosure for RunnerFailure {
    fn verdict(&self) -> Option<Verdict> {
        Some(match self {
            Self::NotStarted(StartFailure::Launch(LaunchFailure::Leased { .. })) => {
                rows::PRE_SEND_DEVICE_LEASED.into()
            }
            Self::NotStarted(start) if start.missing_tool().is_some() => rows::TOOL_MISSING.into(),
            Self::NotStarted(_) => rows::PRE_SEND_SESSION_START_FAILED.into(),
            Self::Unreached { .. } => rows::PRE_SEND_CONNECT_REFUSED_BEFORE_WRITE.into(),
            Self::DeviceGone => rows::PRE_SEND_DEVICE_GONE.into(),
            Self::CanceledUnsent => core::REFUSAL_CANCELED_BEFORE_SEND.into(),
            Self::DeadlineUnsent(_) => core::REFUSAL_DEADLINE_BEFORE_SEND.into(),
            Self::Preflight => rows::PRE_SEND_READINESS_PREFLIGHT_AFTER_RESTART.into(),
            Self::Said {
                error,
                told: Told::Reply,
                ..
            } => verdict_of_code(&error.code),
            Self::Said {
                error,
                told: Told::Journal,
                ..
            } => match error.code.as_str() {
                "RUNNER_BUSY" => rows::STATUS_FAILED_RUNNER_BUSY.into(),
                _ => rows::STATUS_FAILED.into(),
            },
            Self::ReplyLost { fate, .. } => match fate {
                Fate::Timeout => rows::TRANSPORT_TIMEOUT_AFTER_SEND.into(),
                Fate::Deadline => core::DEADLINE_IN_FLIGHT.into(),
                Fate::Canceled => core::CANCELED_IN_FLIGHT.into(),
                Fate::Unreadable | Fate::TooLarge(_) => rows::TRANSPORT_UNREADABLE_REPLY.into(),
                Fate::RunnerGone => rows::TRANSPORT_WRITTEN_THEN_LOST.into(),
                Fate::ReadAgain => rows::TRANSPORT_READ_ONLY_WRITTEN_THEN_LOST.into(),
                Fate::Replay => rows::TRANSPORT_REPLAY_FAILED_AFTER_UNWRITTEN_FIRST_ATTEMPT.into(),
                Fate::Completed => rows::STATUS_COMPLETED_WITHOUT_RETAINED_REPLY.into(),
                Fate::ReadCompleted => {
                    rows::STATUS_READ_ONLY_COMPLETED_WITHOUT_RETAINED_REPLY.into()
                }
                Fate::Accepted => rows::STATUS_ACCEPTED.into(),
                Fate::Started => rows::STATUS_STARTED.into(),
                Fate::NotAccepted => rows::STATUS_NOTACCEPTED.into(),
                Fate::ProbeFailed => rows::STATUS_PROBE_FAILED.into(),
                Fate::NoJournal => rows::STATUS_UNAVAILABLE.into(),
            },
        })
    }
}

fn code_of(runner: &str) -> ErrorCode {
    match runner {
        "INVALID_ARGS" => ErrorCode::InvalidArgs,
        "UNSUPPORTED_OPERATION" => ErrorCode::UnsupportedOperation,
        "AMBIGUOUS_MATCH" => ErrorCode::AmbiguousMatch,
        "UNAUTHORIZED" => ErrorCode::Unauthorized,
        // The rest of the runner's codes are finer than ours: they are in the details.
        _ => ErrorCode::CommandFailed,
    }
}

impl From<RunnerFailure> for Error {
    fn from(failure: RunnerFailure) -> Self {
        let code = match &failure {
            RunnerFailure::NotStarted(start) => start.code(),
            RunnerFailure::DeviceGone => ErrorCode::DeviceNotFound,
            RunnerFailure::Said { error, .. } => code_of(&error.code),
            _ => ErrorCode::CommandFailed,
        };
        let mut error = Error::new(code, failure.to_string()).disclosed_by(&failure);
        if let Some(reason) = failure.reason() {
            error = error.with_reason(reason);
        }
        match failure {
            RunnerFailure::NotStarted(start) => {
                if let Some(cause) = start.cause() {
                    error = error.with_detail("line", &cause.line);
                }
                if let Some(output) = start.output() {
                    error = error.with_detail("output", shown(output));
                }
                if let StartFailure::Launch(LaunchFailure::Leased { owner: Some(owner) }) = &start {
                    error = error.with_detail("ownerPid", owner);
                }
                if let Some(tool) = start.missing_tool() {
                    error = error.with_detail("tool", tool);
                }
                if let Some(hint) = start.hint() {
                    error = error.with_hint(hint);
                }
                if let Some(retriable) = start.retriable() {
                    error = error.with_retriable(retriable);
                }
                error.with_source(start)
            }
            RunnerFailure::Unreached { source } => with_source(error, source)
                .with_retriable(true)
                .with_hint("The runner has ended and could not be replaced. Repeat; if it ends again, look at the device."),
            RunnerFailure::Preflight => error
                .with_detail("recovery", "runner_recycle_budget_exhausted")
                .with_hint("Two runners in a row went silent. Look at the device, close the app, then repeat."),
            RunnerFailure::Said { error: said, skip, .. } => {
                let busy = matches!(said.code.as_str(), "RUNNER_BUSY" | "APP_NOT_RUNNING");
                let mut error = error.with_detail("runnerErrorCode", &said.code);
                if busy {
                    error = error.with_retriable(true);
                }
                if let Some(hint) = said.hint {
                    error = error.with_hint(hint);
                }
                skipped(error, skip)
            }
            RunnerFailure::ReplyLost { fate, skip, source } => {
                let error = match fate {
                    Fate::Timeout => error.with_hint(UNANSWERED),
                    Fate::TooLarge(bound) => too_large(error, bound),
                    _ => error,
                };
                skipped(with_source(error, source), skip)
            }
            _ => error,
        }
    }
}

const UNANSWERED: &str = "Look at the screen before repeating unless dispatched is no; raise command_timeout of AppleConfig if the \
    runner needs longer.";

fn too_large(error: Error, bound: Bound) -> Error {
    let error = error.with_detail("limitBytes", bound.bytes);
    match bound.name {
        Some(name) => error
            .with_detail("limit", name)
            .with_hint(format!("Raise {name} of AppleConfig.")),
        None => error,
    }
}

fn with_source(error: Error, source: Option<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    match source {
        Some(source) => error.with_source(source),
        None => error,
    }
}

fn skipped(error: Error, skip: Option<Skip>) -> Error {
    let Some(skip) = skip else { return error };
    error
        .with_detail("runnerReadinessPreflightSkipped", true)
        .with_detail("runnerReadinessPreflightSkipReason", skip.reason)
        .with_detail(
            "runnerReadinessPreflightSkippedAgeMs",
            u64::try_from(skip.age.as_millis()).unwrap_or(u64::MAX),
        )
}
