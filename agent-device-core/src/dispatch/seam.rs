//! The one place where effect, ledger and a producer's verdict become the answer that a caller sees.

use super::{Ledger, rows};
use crate::error::Error;

/// What an operation does to the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A repeat may repeat something that the app notices.
    Mutates,
    /// Looks only. A repeat is harmless.
    Observes,
}

/// Settles the verdict of a failed operation or request.
///
/// 1. The ledger holds a send, or one that may have landed: `unknown`, with the count. No verdict outranks this.
/// 2. The operation only reads: `no`, by the producer's own row if that is a `no`.
/// 3. It mutates: the producer's verdict stands; an unclassified failure is `unknown`.
///
/// Applying it twice with the same ledger changes nothing.
pub fn disclose(effect: Effect, ledger: &Ledger, error: Error) -> Error {
    if !ledger.is_empty() {
        error.sent(ledger.steps())
    } else if effect == Effect::Observes {
        error.proven_otherwise(rows::core::READ_ONLY)
    } else {
        error.unclassified_is_unknown()
    }
}
