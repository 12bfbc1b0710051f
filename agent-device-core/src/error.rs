//! The one error type.
//!
//! An [`Error`] says what kind of failure it was ([`ErrorCode`], with a finer [`reason`](Error::reason)), whether it reached
//! the device ([`Error::dispatched`]), and what to do next ([`Error::hint`]). It serialises to the wire shape
//! `{code, message, hint, details, cause?, retriable?}`. Secrets are redacted when an error is made, not when it is printed.

use std::{borrow::Cow, collections::BTreeMap, error::Error as StdError, fmt};

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value, json};

use crate::{
    dispatch::{DispatchDisclosure, Dispatched, NoRow, Row, UnknownRow, Verdict, proof, rows},
    operation::Operation,
};

mod secret;

pub(crate) use secret::Secret;
use secret::{REDACTED, chain_contains, edit_strings, names_secret, redact_text, redact_value};

/// The result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// An argument is not valid; [`Error::details`] names it as `field`. Proven not sent.
    InvalidArgs,
    /// No device answers to the description. Nothing was sent.
    DeviceNotFound,
    /// Another client holds the device. Retriable.
    DeviceInUse,
    /// A program on the host that the backend needs is missing.
    ToolMissing,
    /// The app is not installed.
    AppNotInstalled,
    /// The platform is not one that the backend knows.
    UnsupportedPlatform,
    /// The backend can't do it. Proven not sent when it comes from the capability facts.
    UnsupportedOperation,
    /// Several elements or devices match where one is needed. Proven not sent.
    AmbiguousMatch,
    /// The session with the device has ended.
    SessionNotFound,
    /// The device or a service refused the credentials.
    Unauthorized,
    /// The operation failed; the reason says more.
    CommandFailed,
    /// A code that this library has no name for; [`Error::code_str`] has it verbatim.
    Foreign,
}

impl ErrorCode {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArgs => "INVALID_ARGS",
            Self::DeviceNotFound => "DEVICE_NOT_FOUND",
            Self::DeviceInUse => "DEVICE_IN_USE",
            Self::ToolMissing => "TOOL_MISSING",
            Self::AppNotInstalled => "APP_NOT_INSTALLED",
            Self::UnsupportedPlatform => "UNSUPPORTED_PLATFORM",
            Self::UnsupportedOperation => "UNSUPPORTED_OPERATION",
            Self::AmbiguousMatch => "AMBIGUOUS_MATCH",
            Self::SessionNotFound => "SESSION_NOT_FOUND",
            Self::Unauthorized => "UNAUTHORIZED",
            Self::CommandFailed => "COMMAND_FAILED",
            Self::Foreign => "UNKNOWN",
        }
    }
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $word:literal => $hint:literal;)*) => {
        /// Reasons that the core gives. Backends add their own words.
        pub mod reason {
            $($(#[$doc])* pub const $name: &str = $word;)*
        }

        fn reason_hint(reason: &str) -> Option<&'static str> {
            match reason {
                $($word => Some($hint),)*
                _ => None,
            }
        }
    };
}

reasons! {
    /// Nothing matches the selector.
    SELECTOR_NOT_FOUND = "selector_not_found" => "Selectors match whole texts, without case. Look at a snapshot for the exact text, or set ready_within if the target appears later.";
    /// A condition does not hold.
    PREDICATE_FAILED = "predicate_failed" => "Take a snapshot to see the present state of the element.";
    /// The centre of the target lies outside the screen (selector).
    OFFSCREEN_SELECTOR = "offscreen_selector" => "Scroll in details.scrollDirection until the selector shows, then use the same selector again.";
    /// The centre of the target lies outside the screen (ref).
    OFFSCREEN_REF = "offscreen_ref" => "Scroll in details.scrollDirection, then name the target by a selector: the scroll expires the ref.";
    /// The target lies under another element.
    TARGET_COVERED = "target_covered" => "Act on the covering element that details.coveredBy names, or dismiss it first.";
    /// The target is disabled.
    TARGET_DISABLED = "target_disabled" => "Complete what enables the target first.";
    /// The target takes no text.
    TARGET_NOT_A_FIELD = "target_not_a_field" => "Press it instead, or name the field itself.";
    /// No point of the target is its own.
    COVERED_BY_INTERACTIVE_DESCENDANTS = "covered_by_interactive_descendants" => "Press one of the children that details.competitorRefs names.";
    /// The touch point lies behind the keyboard.
    TAP_KEYBOARD_OCCLUDES_TARGET = "tap_keyboard_occludes_target" => "Dismiss the keyboard, then repeat.";
    /// The scroll surface lies behind the keyboard.
    SCROLL_KEYBOARD_OCCLUDES_SURFACE = "scroll_keyboard_occludes_surface" => "Dismiss the keyboard, then repeat.";
    /// The ref is not in its frame.
    REF_NOT_FOUND = "ref_not_found" => "Take a new snapshot and use a ref of it, or name the target by a selector.";
    /// The target has no usable rectangle.
    TARGET_BOUNDS_INVALID = "target_bounds_invalid" => "Take a new snapshot and use a ref of it, or name the target by a selector.";
    /// The ref has no label to wait for.
    REF_UNLABELED = "ref_unlabeled" => "Take a new snapshot and use a ref of it, or name the target by a selector.";
    /// A side effect has expired the frame of the ref.
    REF_FRAME_EXPIRED = "ref_frame_expired" => "Something acted since the ref was issued. Take a new snapshot, or name the target by a selector.";
    /// The ref pins another generation.
    REF_GENERATION_MISMATCH = "ref_generation_mismatch" => "The ref belongs to an older snapshot. Take a new snapshot, or name the target by a selector.";
    /// The frame is partial and wants pinned refs.
    PLAIN_REF_REQUIRES_COMPLETE_FRAME = "plain_ref_requires_complete_frame" => "Use the ref with its pin (@e1~s2), or take a whole snapshot.";
    /// The partial frame did not issue this ref.
    REF_NOT_ISSUED = "ref_not_issued" => "Only the refs that were listed may be used. Take a whole snapshot for others.";
    /// The tree is degraded or was cut at a limit, so absence proves nothing.
    CAPTURE_SPARSE = "capture_sparse" => "The tree is degraded. Repeat when the screen has settled, or take a screenshot.";
    /// The caller cancelled.
    REQUEST_CANCELED = "request_canceled" => "The caller cancelled. Look at the screen before repeating unless dispatched is no.";
    /// The deadline of the request passed.
    DEADLINE_EXCEEDED = "deadline_exceeded" => "Look at the screen before repeating unless dispatched is no; give the operation more time if it needs it.";
    /// Nothing moved although the container hides content that way.
    SCROLL_NO_PROGRESS = "scroll_no_progress" => "Dismiss the keyboard, aim at the inner scroll container, or drag by coordinates.";
    /// An edge scroll is stuck.
    SCROLL_EDGE_NO_PROGRESS = "scroll_edge_no_progress" => "Dismiss the keyboard, aim at the inner scroll container, or drag by coordinates.";
    /// An edge scroll hit its limit of passes.
    SCROLL_EDGE_PASS_LIMIT = "scroll_edge_pass_limit" => "The content may be endless. Scroll until a selector shows instead.";
    /// A scroll-until is stuck.
    SCROLL_UNTIL_NO_PROGRESS = "scroll_until_no_progress" => "Dismiss the keyboard, aim at the inner scroll container, or drag by coordinates.";
    /// A scroll-until hit its limit of passes.
    SCROLL_UNTIL_PASS_LIMIT = "scroll_until_pass_limit" => "Check the selector against a snapshot, or scroll further and repeat.";
    /// A scroll-until reached the end of the content.
    SCROLL_UNTIL_EDGE_REACHED = "scroll_until_edge_reached" => "The content ends here. Check the selector, or scroll the other way.";
    /// A scroll-until could not read the screen.
    SCROLL_UNTIL_CAPTURE_UNREADABLE = "scroll_until_capture_unreadable" => "Take a snapshot or a screenshot to see why the screen can't be read.";
    /// A wait ended without its target.
    WAIT_TARGET_ABSENT = "wait_target_absent" => "Look at a snapshot for the exact text, or allow more time.";
    /// A wait for absence ended with the target still there.
    WAIT_TARGET_PRESENT = "wait_target_present" => "The element is still there; details.firstMatch shows it.";
    /// A wait never got a readable capture.
    WAIT_CAPTURE_STALLED = "wait_capture_stalled" => "No capture was readable in time. Retry, or take a screenshot.";
    /// A capture ate the rest of the wait's budget.
    WAIT_DEADLINE_EXCEEDED = "wait_deadline_exceeded" => "The last capture took longer than the wait had left. Allow more time.";
    /// The screen never came to rest.
    WAIT_STABLE_TIMEOUT = "wait_stable_timeout" => "Something keeps changing. Act without waiting for a still screen.";
    /// The field does not hold the text that was typed.
    FILL_UNVERIFIED = "fill_unverified" => "Take a snapshot to see what the field holds. The app may have reformatted or refused the text.";
    /// A gesture leaves the viewport.
    GESTURE_TRAJECTORY_OUT_OF_BOUNDS = "gesture_trajectory_out_of_bounds" => "Move the gesture away from the edge, or shorten its travel.";
    /// A gesture holds a coordinate that is not a number.
    GESTURE_TRAJECTORY_NON_FINITE = "gesture_trajectory_non_finite" => "Check the arithmetic that made the coordinates.";
    /// Nothing to answer: no alert is open.
    ALERT_NOT_FOUND = "alert_not_found" => "Wait for the alert, or take a snapshot to see what is open.";
}

/// `None`: it depends on the verdict.
fn code_hint(code: ErrorCode) -> Option<&'static str> {
    Some(match code {
        ErrorCode::InvalidArgs => "Correct the argument that details.field names.",
        ErrorCode::DeviceNotFound => "List the devices, start the one that is meant, and repeat.",
        ErrorCode::DeviceInUse => {
            "Wait until the other client is done, then repeat. Within a batch, use the device that the closure gets."
        }
        ErrorCode::ToolMissing => "Install the tool that the message names, or give its path.",
        ErrorCode::AppNotInstalled => "Install the app first.",
        ErrorCode::UnsupportedPlatform | ErrorCode::UnsupportedOperation => {
            "Ask Device::capabilities for what this backend offers."
        }
        ErrorCode::AmbiguousMatch => {
            "Add terms to the selector, or act on one of details.candidates by its ref."
        }
        ErrorCode::SessionNotFound => "Start a new session.",
        ErrorCode::Unauthorized => "Check the credentials.",
        ErrorCode::CommandFailed | ErrorCode::Foreign => return None,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disclosure {
    Unclassified,
    No(NoRow),
    Unknown(Option<UnknownRow>),
}

struct Inner {
    code: ErrorCode,
    foreign: Option<Box<str>>,
    message: Cow<'static, str>,
    reason: Option<Cow<'static, str>>,
    hint: Option<Cow<'static, str>>,
    details: BTreeMap<String, Value>,
    retriable: Option<bool>,
    disclosure: Disclosure,
    producer_steps: u32,
    ledger_steps: u32,
    /// A ledger has settled it: something went out or may have.
    ledger_sent: bool,
    operation: Option<Operation>,
    backend: Option<Cow<'static, str>>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// A failed operation.
///
/// `Display` prints the message of this level only; the chain is in [`source`](StdError::source).
pub struct Error(Box<Inner>);

impl Error {
    /// A failure that nobody has classified yet: it reads as `unknown`.
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            code,
            foreign: None,
            message: redact_text(message.into()),
            reason: None,
            hint: None,
            details: BTreeMap::new(),
            retriable: (code == ErrorCode::DeviceInUse).then_some(true),
            disclosure: Disclosure::Unclassified,
            producer_steps: 0,
            ledger_steps: 0,
            ledger_sent: false,
            operation: None,
            backend: None,
            source: None,
        }))
    }

    /// A failure with a code that this library has no name for; the code passes through verbatim.
    pub fn foreign(code: &str, message: impl Into<Cow<'static, str>>) -> Self {
        let mut error = Self::new(ErrorCode::Foreign, message);
        error.0.foreign = Some(code.into());
        error
    }

    /// A refusal that never reached the device, with the row that proves it.
    pub fn refused(row: NoRow, code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(code, message).proven(row)
    }

    /// An argument that is not valid, named by `field`. Proven not sent.
    pub fn invalid(field: &str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::refused(
            rows::core::REFUSAL_ARGUMENTS,
            ErrorCode::InvalidArgs,
            message,
        )
        .with_detail("field", field)
    }

    /// An operation that the backend does not offer. Proven not sent.
    pub fn unsupported(operation: Operation) -> Self {
        Self::refused(
            rows::core::REFUSAL_UNSUPPORTED,
            ErrorCode::UnsupportedOperation,
            format!("{} is not supported by this backend", operation.as_str()),
        )
        .with_operation(operation)
    }

    /// Takes over the verdict and the count of a producer's own failure.
    #[must_use]
    pub fn disclosed_by(mut self, failure: &(impl DispatchDisclosure + ?Sized)) -> Self {
        if self.0.ledger_sent {
            return self;
        }
        self.0.producer_steps = failure.steps();
        self.0.disclosure = match failure.verdict() {
            _ if self.0.producer_steps > 0 => Disclosure::Unknown(match failure.verdict() {
                Some(Verdict::Unknown(row)) => Some(row),
                _ => None,
            }),
            Some(Verdict::No(row)) => Disclosure::No(row),
            Some(Verdict::Unknown(row)) => Disclosure::Unknown(Some(row)),
            None => Disclosure::Unclassified,
        };
        self
    }

    /// The error of a producer's own failure: its message, its verdict, and the failure as the source.
    pub fn of<F>(code: ErrorCode, failure: F) -> Self
    where
        F: DispatchDisclosure + StdError + Send + Sync + 'static,
    {
        Self::new(code, failure.to_string())
            .disclosed_by(&failure)
            .with_source(failure)
    }

    /// States that nothing reached the device, by the row that proves it. A ledger that holds a send outranks this, also in
    /// hindsight, and so do inputs that a producer has counted.
    #[must_use]
    pub fn proven(mut self, row: NoRow) -> Self {
        if self.0.ledger_sent {
            return self;
        }
        self.0.disclosure = if self.0.producer_steps == 0 {
            Disclosure::No(row)
        } else {
            Disclosure::Unknown(None)
        };
        self
    }

    /// The same, unless its producer has already proven it.
    pub(crate) fn proven_otherwise(self, row: NoRow) -> Self {
        match self.0.disclosure {
            Disclosure::No(_) => self,
            _ => self.proven(row),
        }
    }

    /// States that the action may have landed, by the row that describes the failure.
    #[must_use]
    pub fn uncertain(mut self, row: UnknownRow) -> Self {
        self.0.disclosure = Disclosure::Unknown(Some(row));
        self
    }

    pub(crate) fn sent(mut self, ledger_steps: u32) -> Self {
        if !matches!(self.0.disclosure, Disclosure::Unknown(_)) {
            self.0.disclosure = Disclosure::Unknown(None);
        }
        self.0.ledger_steps = ledger_steps;
        self.0.ledger_sent = true;
        self
    }

    pub(crate) fn unclassified_is_unknown(mut self) -> Self {
        if self.0.disclosure == Disclosure::Unclassified {
            self.0.disclosure = Disclosure::Unknown(Some(rows::core::UNCLASSIFIED));
        }
        self
    }

    /// Sets the finer reason; [`reason`] has the words of the core.
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<Cow<'static, str>>) -> Self {
        self.0.reason = Some(reason.into());
        self
    }

    /// Sets what to do next, where the hint of the reason and the code would mislead.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.0.hint = Some(redact_text(hint.into()));
        self
    }

    /// Adds a machine-readable fact. Values of keys that name a secret are replaced.
    #[must_use]
    pub fn with_detail(mut self, key: &str, value: impl Serialize) -> Self {
        let value = if names_secret(key) {
            json!(REDACTED)
        } else {
            redact_value(serde_json::to_value(value).unwrap_or(Value::Null))
        };
        self.0.details.insert(key.to_owned(), value);
        self
    }

    /// Says whether the same call may succeed later.
    #[must_use]
    pub fn with_retriable(mut self, retriable: bool) -> Self {
        self.0.retriable = Some(retriable);
        self
    }

    /// Keeps the error below this one.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Names the failed operation. The first name stays.
    #[must_use]
    pub fn with_operation(mut self, operation: Operation) -> Self {
        self.0.operation.get_or_insert(operation);
        self
    }

    /// Names the backend. The first name stays.
    #[must_use]
    pub fn with_backend(mut self, backend: impl Into<Cow<'static, str>>) -> Self {
        self.0.backend.get_or_insert(backend.into());
        self
    }

    /// Replaces every occurrence of `secret` in message, hint and details, and what a cut has left of it at their edges.
    #[must_use]
    pub fn without_secret(self, secret: &str) -> Self {
        self.without(&Secret::new(secret))
    }

    pub(crate) fn without(mut self, secret: &Secret) -> Self {
        let clean = |text: &str| secret.hide(text);
        self.0.message = clean(&self.0.message).into();
        self.0.hint = self.0.hint.map(|hint| clean(&hint).into());
        for value in self.0.details.values_mut() {
            edit_strings(value, &clean);
        }
        if let Some(source) = &self.0.source
            && chain_contains(source.as_ref(), secret)
        {
            self.0.source = None;
        }
        self
    }

    /// What kind of failure it was.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The code as a word, also for a foreign one.
    pub fn code_str(&self) -> &str {
        self.0
            .foreign
            .as_deref()
            .unwrap_or_else(|| self.0.code.as_str())
    }

    /// What happened, for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The finer class within the code.
    pub fn reason(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }

    /// What to do next.
    pub fn hint(&self) -> &str {
        match (&self.0.hint, self.reason()) {
            (Some(hint), _) => hint,
            (None, Some(reason)) => reason_hint(reason).unwrap_or(self.code_hint()),
            (None, None) => self.code_hint(),
        }
    }

    fn code_hint(&self) -> &'static str {
        match code_hint(self.0.code) {
            Some(hint) => hint,
            None if self.dispatched().is_no() => {
                "Nothing was sent: the same call may be made again once the cause is gone."
            }
            None => "It may have happened: take a snapshot before deciding whether to repeat.",
        }
    }

    /// One machine-readable fact.
    pub fn detail(&self, key: &str) -> Option<&Value> {
        self.0.details.get(key)
    }

    /// Whether the same call may succeed later; `None` when nobody knows.
    pub fn retriable(&self) -> Option<bool> {
        self.0.retriable
    }

    /// The failed operation.
    pub fn operation(&self) -> Option<Operation> {
        self.0.operation
    }

    /// The backend that failed.
    pub fn backend(&self) -> Option<&str> {
        self.0.backend.as_deref()
    }

    /// Whether the action reached the device. An error that nobody classified is [`Dispatched::Unknown`].
    pub fn dispatched(&self) -> Dispatched {
        match self.0.disclosure {
            Disclosure::No(row) => Dispatched::No(proof(row)),
            Disclosure::Unknown(_) | Disclosure::Unclassified => Dispatched::Unknown,
        }
    }

    /// How many inputs are known to have gone out before the failure. 0 with `no`.
    pub fn dispatched_steps(&self) -> u32 {
        match self.0.disclosure {
            Disclosure::No(_) => 0,
            _ => self.0.producer_steps.saturating_add(self.0.ledger_steps),
        }
    }

    /// The golden row that the failure is an instance of, if it was classified.
    pub fn row(&self) -> Option<&'static Row> {
        match self.0.disclosure {
            Disclosure::No(row) => Some(row.row()),
            Disclosure::Unknown(row) => row.map(UnknownRow::row),
            Disclosure::Unclassified => None,
        }
    }

    /// All facts, with the verdict among them, as they go over the wire.
    pub fn details(&self) -> Map<String, Value> {
        let mut details: Map<String, Value> = self
            .0
            .details
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if let Some(reason) = self.reason() {
            details.insert("reason".into(), json!(reason));
        }
        details.insert("dispatched".into(), json!(self.dispatched().as_str()));
        if self.dispatched_steps() > 0 {
            details.insert("dispatchedSteps".into(), json!(self.dispatched_steps()));
        }
        if let Some(row) = self.row() {
            details.insert("disclosureRow".into(), json!(row.id()));
        }
        if let Some(operation) = self.operation() {
            details.insert("operation".into(), json!(operation.as_str()));
        }
        if let Some(backend) = self.backend() {
            details.insert("backend".into(), json!(backend));
        }
        details
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("code", &self.code_str())
            .field("message", &self.0.message)
            .field("operation", &self.0.operation)
            .field("backend", &self.0.backend)
            .field("details", &self.details())
            .field("hint", &self.hint())
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}

impl DispatchDisclosure for Error {
    fn verdict(&self) -> Option<Verdict> {
        match self.0.disclosure {
            Disclosure::No(row) => Some(row.into()),
            Disclosure::Unknown(row) => row.map(Verdict::from),
            Disclosure::Unclassified => None,
        }
    }

    fn steps(&self) -> u32 {
        self.dispatched_steps()
    }
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", self.code_str())?;
        map.serialize_entry("message", self.message())?;
        map.serialize_entry("hint", self.hint())?;
        map.serialize_entry("details", &self.details())?;
        if let Some(source) = &self.0.source {
            let code = source.downcast_ref::<Error>().map(|error| error.code_str());
            let message = redact_text(source.to_string().into());
            map.serialize_entry("cause", &json!({ "message": message, "code": code }))?;
        }
        if let Some(retriable) = self.0.retriable {
            map.serialize_entry("retriable", &retriable)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_nobody_classified_reads_as_unknown() {
        let error = Error::new(ErrorCode::CommandFailed, "lost");
        assert_eq!(error.dispatched(), Dispatched::Unknown);
        assert!(error.row().is_none());
    }

    #[test]
    fn the_hint_of_a_plain_failure_goes_by_its_verdict() {
        let failed = || Error::new(ErrorCode::CommandFailed, "lost");
        assert!(failed().hint().starts_with("It may have happened"));
        let refused = failed().proven(rows::core::READ_ONLY);
        assert!(refused.hint().starts_with("Nothing was sent"));
    }

    #[test]
    fn the_wire_shape_has_code_message_hint_details_cause_and_retriable() {
        let inner = Error::foreign("E_ODD", "below");
        let error = Error::refused(
            rows::core::REFUSAL_COVERED,
            ErrorCode::CommandFailed,
            "covered",
        )
        .with_reason(reason::TARGET_COVERED)
        .with_detail("coveredBy", "@e3")
        .with_source(inner)
        .with_retriable(false);
        assert_eq!(
            serde_json::to_value(&error).unwrap(),
            json!({
                "code": "COMMAND_FAILED",
                "message": "covered",
                "hint": "Act on the covering element that details.coveredBy names, or dismiss it first.",
                "details": {
                    "reason": "target_covered", "coveredBy": "@e3", "dispatched": "no",
                    "disclosureRow": "core.refusal.covered",
                },
                "cause": { "message": "below", "code": "E_ODD" },
                "retriable": false,
            })
        );
    }

    #[test]
    fn secrets_are_gone_from_every_surface() {
        let error = Error::new(
            ErrorCode::CommandFailed,
            "POST http://bob:hunter2@grid/x?access_token=hunter2&a=1 Authorization: Bearer hunter2, password=\"hunter2\"",
        )
        .with_detail("api-key", "hunter2")
        .with_detail("body", json!({ "cookie": "hunter2", "deep": ["token: hunter2"] }))
        .with_hint("typed hunter2-secret");
        let seen = format!(
            "{error} {error:?} {}",
            serde_json::to_string(&error).unwrap()
        );
        assert_eq!(
            seen.matches("hunter2").count(),
            2,
            "only the hint, which no pattern gives away, for people and on the wire: {seen}"
        );
        let error = error.without_secret("hunter2-secret");
        let seen = format!(
            "{error} {error:?} {}",
            serde_json::to_string(&error).unwrap()
        );
        assert!(!seen.contains("hunter2"), "{seen}");
        assert!(seen.contains("a=1"), "{seen}");
    }
}
