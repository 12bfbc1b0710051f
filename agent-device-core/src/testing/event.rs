//! What really happened to the app, told beside the backend.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EventKind {
    /// An element was tapped. Detail: `{x, y}`.
    Tap,
    /// An element that knows double taps got one; the tap that its first half was is taken back. Detail: `{x, y}`.
    DoubleTap,
    /// An element that knows long presses got one. Detail: `{x, y}`.
    LongPress,
    /// A field holds another text. Detail: the text, or `{length}` for a secret field.
    Text,
    /// A field that held something is empty.
    Clear,
    /// A switch or box changed. Detail: its new state. No tap is logged with it.
    Toggle,
    /// A container moved its content. Detail: its new offset as `{x, y}`.
    Scroll,
    /// All pointers have left the pad. Detail: `{pointers, duration, points}`, with one list of `[ms, x, y]` for each pointer.
    Stroke,
    /// Another screen came to the front. The element is what led to it, or empty; the detail names the screen.
    Navigate,
    /// An alert was answered. The element is what opened it. Detail: `{message, button}`, and `value` for a prompt.
    Alert,
}

/// One thing that really happened to the app. Every body of the fixture app logs events of this shape.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Counts up from 1, also across [`EventLog::clear`].
    pub seq: u64,
    /// The screen on which it happened.
    pub screen: String,
    /// The id of the element, or the name that the app has for one without an id; empty where no element led to it.
    pub element: String,
    /// What happened.
    pub kind: EventKind,
    /// What else is known, by the kind.
    #[serde(default)]
    pub detail: Value,
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#{} {:?} {}/{} {}",
            self.seq, self.kind, self.screen, self.element, self.detail
        )
    }
}

#[derive(Debug, Default)]
struct Entries {
    seq: u64,
    events: Vec<Event>,
}

/// The judge: a list of events that a test reads beside the backend under test. Clones share one list.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    entries: Arc<Mutex<Entries>>,
}

impl EventLog {
    /// An empty log, for another body of the fixture app.
    pub fn new() -> Self {
        Self::default()
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        // Entries are whole after every statement, so a panic elsewhere leaves nothing half done.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event; the log numbers it.
    pub fn record(
        &self,
        screen: impl Into<String>,
        element: impl Into<String>,
        kind: EventKind,
        detail: Value,
    ) {
        let mut entries = self.entries();
        entries.seq += 1;
        let event = Event {
            seq: entries.seq,
            screen: screen.into(),
            element: element.into(),
            kind,
            detail,
        };
        entries.events.push(event);
    }

    /// All events since the last [`clear`](Self::clear), oldest first.
    pub fn events(&self) -> Vec<Event> {
        self.entries().events.clone()
    }

    /// The events of one kind.
    pub fn of(&self, kind: EventKind) -> Vec<Event> {
        let entries = self.entries();
        let wanted = entries.events.iter().filter(|event| event.kind == kind);
        wanted.cloned().collect()
    }

    /// How often an element was tapped.
    pub fn taps(&self, element: &str) -> usize {
        self.count(element, EventKind::Tap)
    }

    /// How often something happened to an element.
    pub fn count(&self, element: &str, kind: EventKind) -> usize {
        let entries = self.entries();
        let wanted = |event: &&Event| event.kind == kind && event.element == element;
        entries.events.iter().filter(wanted).count()
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.entries().events.len()
    }

    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all events.
    pub fn clear(&self) {
        self.entries().events.clear();
    }

    /// Takes back the latest event if it is this one: a tap that turned out to be half of a double tap.
    pub(super) fn take_back(&self, element: &str, kind: EventKind) {
        let mut entries = self.entries();
        let latest = entries.events.last();
        if latest.is_some_and(|event| event.element == element && event.kind == kind) {
            entries.events.pop();
        }
    }
}
