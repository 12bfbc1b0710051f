//! The backend against real browsers, and against transports that fail on purpose.
#![allow(clippy::unwrap_used, reason = "a test that unwraps in vain has failed")]

mod dialogs;
mod fill;
mod golden;
mod harness;
mod hostile;
mod input;
mod leaks;
mod press;
mod roles;
mod suite;
mod wire;
