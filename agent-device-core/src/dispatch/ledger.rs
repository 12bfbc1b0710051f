//! The record of what a request has sent.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

/// Counts the sends of one request. It outranks every verdict that comes later.
///
/// A send is opened before the first byte and closed by its outcome. While it is open, and for ever if it is never closed
/// because its future was dropped or panicked, it counts as possibly landed. A nested ledger tells its parent at once, so a
/// batch knows of a press that is still in flight in one of its steps.
#[derive(Debug, Default)]
pub struct Ledger {
    landed: AtomicU32,
    open: AtomicU32,
    parent: Option<Arc<Ledger>>,
}

impl Ledger {
    /// How many sends are known to have gone out.
    pub fn steps(&self) -> u32 {
        self.landed.load(Ordering::Acquire)
    }

    /// Whether nothing went out, and nothing is or may be on its way.
    pub fn is_empty(&self) -> bool {
        self.steps() == 0 && self.open.load(Ordering::Acquire) == 0
    }

    /// The ledger of a nested request.
    #[must_use]
    pub fn nest(self: &Arc<Self>) -> Arc<Ledger> {
        Arc::new(Ledger {
            parent: Some(Arc::clone(self)),
            ..Ledger::default()
        })
    }

    /// Opens a send. Close it with what became of it; dropping it open means that it may have landed.
    #[must_use = "a send that is dropped at once counts as possibly landed"]
    pub fn open_send(self: &Arc<Self>) -> SendGuard {
        self.with_parents(|ledger| add(&ledger.open, 1));
        SendGuard {
            ledger: Arc::clone(self),
        }
    }

    fn with_parents(self: &Arc<Self>, change: impl Fn(&Ledger)) {
        let mut next = Some(self);
        while let Some(ledger) = next {
            change(ledger);
            next = ledger.parent.as_ref();
        }
    }
}

/// Saturating: a count that wrapped to 0 would turn into a false `no`.
fn add(counter: &AtomicU32, by: u32) {
    let _ = counter.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| {
        Some(n.saturating_add(by))
    });
}

fn close(ledger: &Ledger) {
    let _ = ledger
        .open
        .fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| {
            // A count that has saturated is no count any more: it stays.
            (n < u32::MAX).then(|| n.saturating_sub(1))
        });
}

/// A send whose outcome is not known yet. Dropping it leaves it so.
#[derive(Debug)]
pub struct SendGuard {
    ledger: Arc<Ledger>,
}

impl SendGuard {
    /// The send returned: it went out.
    pub fn landed(self) {
        self.ledger.with_parents(|ledger| {
            // First counted, then closed: at no moment does the ledger look empty.
            add(&ledger.landed, 1);
            close(ledger);
        });
    }

    /// The send failed with a proof that nothing reached the device.
    pub fn refused(self, _proof: super::NoRow) {
        self.discard();
    }

    /// Nothing was sent under this guard after all: what it stood for has been counted elsewhere, or its refusal is proven.
    pub(crate) fn discard(self) {
        self.ledger.with_parents(close);
    }

    /// The send failed and may have landed. The same as dropping the guard, said aloud.
    pub fn uncertain(self) {}
}
