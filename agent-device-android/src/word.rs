//! Words that nobody guesses.

use std::hash::{BuildHasher as _, Hasher as _};

/// 32 hex digits.
pub(crate) fn word() -> String {
    format!("{:016x}{:016x}", random(), random())
}

/// Seeded by the system for each use.
pub(crate) fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}
