//! What goes wrong between a backend and its device, and when.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{action::Operation, dispatch::Effect};

/// One way in which the transport fails.
///
/// Whether the app got the request is a fact of the fault. What the backend may claim is less: a client can prove only
/// [`Refuse`](Self::Refuse).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The connection is refused. The app gets nothing, and the client knows it.
    Refuse,
    /// The connection is reset after the request was written and before it was read. The app gets nothing, but the client
    /// sees the same as with [`ResetAfterRead`](Self::ResetAfterRead).
    ResetBeforeRead,
    /// The app acts, then the connection is reset.
    ResetAfterRead,
    /// The app acts, and the reply breaks off.
    Truncate,
    /// The app acts, and no reply ever comes.
    Hang,
    /// The app acts, and the reply comes this much later. Harmless within the deadline.
    Slow(Duration),
    /// The request is delivered twice. The device knows it by its id and acts once.
    Duplicate,
    /// The app acts, then the process at the far end dies: the reply is lost and the next connection is refused once.
    Restart,
    /// The app acts, and the reply is not one.
    Garbage,
}

impl Fault {
    /// One of each kind, for tables of faults.
    pub const ALL: &[Fault] = &[
        Self::Refuse,
        Self::ResetBeforeRead,
        Self::ResetAfterRead,
        Self::Truncate,
        Self::Hang,
        Self::Slow(Duration::from_millis(50)),
        Self::Duplicate,
        Self::Restart,
        Self::Garbage,
    ];

    /// Whether the app gets a request that meets this fault.
    pub fn delivers(self) -> bool {
        !matches!(self, Self::Refuse | Self::ResetBeforeRead)
    }
}

#[derive(Clone, Copy, Debug)]
enum Aim {
    /// The request with this number among those of the same effect.
    Nth(Effect, u64),
    Next(Operation),
    Every(Operation),
}

#[derive(Debug, Default)]
struct State {
    plan: Vec<(Aim, Fault)>,
    mutations: u64,
    captures: u64,
    seen: BTreeMap<Operation, u64>,
}

/// Which requests meet which fault, and how many requests there were. Clones share one plan.
#[derive(Clone, Debug, Default)]
pub struct FaultPlan {
    state: Arc<Mutex<State>>,
}

impl FaultPlan {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Breaks the `n`th mutating request from now on, the next one being 1.
    pub fn nth_mutation(&self, n: u64, fault: Fault) {
        let mut state = self.state();
        let at = state.mutations + n;
        state.plan.push((Aim::Nth(Effect::Mutates, at), fault));
    }

    /// Breaks the `n`th capture from now on, the next one being 1.
    pub fn nth_capture(&self, n: u64, fault: Fault) {
        let mut state = self.state();
        let at = state.captures + n;
        state.plan.push((Aim::Nth(Effect::Observes, at), fault));
    }

    /// Breaks the next request of an operation.
    pub fn next(&self, operation: Operation, fault: Fault) {
        self.state().plan.push((Aim::Next(operation), fault));
    }

    /// Breaks all requests of an operation, until [`clear`](Self::clear).
    pub fn every(&self, operation: Operation, fault: Fault) {
        self.state().plan.push((Aim::Every(operation), fault));
    }

    /// Forgets the faults that have not struck. Counters stay.
    pub fn clear(&self) {
        self.state().plan.clear();
    }

    /// How many faults have not struck yet; those of [`every`](Self::every) always count.
    pub fn pending(&self) -> usize {
        self.state().plan.len()
    }

    /// How many mutating requests the transport has seen, refused ones too.
    pub fn mutations(&self) -> u64 {
        self.state().mutations
    }

    /// How many captures the transport has seen, refused ones too.
    pub fn captures(&self) -> u64 {
        self.state().captures
    }

    /// How many requests of an operation the transport has seen, refused ones too.
    pub fn seen(&self, operation: Operation) -> u64 {
        self.state()
            .seen
            .get(&operation)
            .copied()
            .unwrap_or_default()
    }

    /// Counts a request and takes the first fault that is meant for it.
    pub(super) fn meet(&self, operation: Operation) -> Option<Fault> {
        let mut state = self.state();
        *state.seen.entry(operation).or_default() += 1;
        let effect = operation.effect();
        let number = match operation {
            _ if effect == Effect::Mutates => {
                state.mutations += 1;
                Some(state.mutations)
            }
            Operation::Capture => {
                state.captures += 1;
                Some(state.captures)
            }
            _ => None,
        };
        let at = state.plan.iter().position(|(aim, _)| match aim {
            Aim::Nth(aimed, n) => *aimed == effect && number == Some(*n),
            Aim::Next(aimed) | Aim::Every(aimed) => *aimed == operation,
        })?;
        match state.plan[at] {
            (Aim::Every(_), fault) => Some(fault),
            _ => Some(state.plan.remove(at).1),
        }
    }
}
