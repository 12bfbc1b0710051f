//! The record of what a request has sent.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

/// Counts the sends of one request. It outranks every verdict that comes later.
///
/// A send is opened before the first byte and closed by its outcome. One that is never closed, because its future was
/// dropped or panicked, counts as possibly landed.
#[derive(Debug, Default)]
pub struct Ledger {
    landed: AtomicU32,
    uncertain: AtomicU32,
}

impl Ledger {
    /// How many sends are known to have gone out.
    pub fn steps(&self) -> u32 {
        self.landed.load(Ordering::Acquire)
    }

    /// Whether a send went out, or may have.
    pub fn is_empty(&self) -> bool {
        self.steps() == 0 && self.uncertain.load(Ordering::Acquire) == 0
    }

    fn add(counter: &AtomicU32, by: u32) {
        // Saturating: a count that wrapped to 0 would turn into a false `no`.
        let _ = counter.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| {
            Some(n.saturating_add(by))
        });
    }

    /// Opens a send. Close it with what became of it; dropping it open means that it may have landed.
    #[must_use = "a send that is dropped at once counts as possibly landed"]
    pub fn open_send(self: &Arc<Self>) -> SendGuard {
        SendGuard {
            ledger: Some(Arc::clone(self)),
        }
    }

    /// A fresh ledger for a nested request, merged into this one when the guard is dropped: after success, failure, panic
    /// and cancellation alike.
    #[must_use = "the nested ledger merges when the guard is dropped"]
    pub fn nest(self: &Arc<Self>) -> LedgerGuard {
        LedgerGuard {
            own: Arc::new(Ledger::default()),
            parent: Some(Arc::clone(self)),
        }
    }
}

/// A send whose outcome is not known yet.
#[derive(Debug)]
pub struct SendGuard {
    ledger: Option<Arc<Ledger>>,
}

impl SendGuard {
    /// The send returned: it went out.
    pub fn landed(mut self) {
        if let Some(ledger) = self.ledger.take() {
            Ledger::add(&ledger.landed, 1);
        }
    }

    /// The send failed with a proof that nothing reached the device.
    pub fn refused(mut self, _proof: super::NoRow) {
        self.ledger = None;
    }

    /// Nothing was sent under this guard after all: what it stood for has been counted elsewhere, or its refusal is proven.
    pub(crate) fn discard(mut self) {
        self.ledger = None;
    }

    /// The send failed and may have landed. The same as dropping the guard, said aloud.
    pub fn uncertain(self) {}
}

impl Drop for SendGuard {
    fn drop(&mut self) {
        if let Some(ledger) = self.ledger.take() {
            Ledger::add(&ledger.uncertain, 1);
        }
    }
}

/// The ledger of one request. Merges into the parent's when dropped.
#[derive(Debug)]
pub struct LedgerGuard {
    own: Arc<Ledger>,
    parent: Option<Arc<Ledger>>,
}

impl LedgerGuard {
    /// The ledger of a request that has no parent.
    pub fn root() -> Self {
        Self {
            own: Arc::default(),
            parent: None,
        }
    }

    /// The ledger itself.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.own
    }
}

impl Drop for LedgerGuard {
    fn drop(&mut self) {
        if let Some(parent) = &self.parent {
            Ledger::add(&parent.landed, self.own.steps());
            Ledger::add(
                &parent.uncertain,
                self.own.uncertain.load(Ordering::Acquire),
            );
        }
    }
}
