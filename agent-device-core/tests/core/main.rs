//! What the core promises, checked from outside.
#![allow(clippy::unwrap_used, reason = "a test that unwraps in vain has failed")]

mod answers;
mod compile;
mod golden;
mod laws;
mod minimal;
mod sim;
mod spans;
