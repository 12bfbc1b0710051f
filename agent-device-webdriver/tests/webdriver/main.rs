//! The backend against real browsers, and against transports that fail on purpose.

mod harness;
mod press;
mod suite;
