//! Driver processes on this machine: found, compared, started, and gone without a trace afterwards.
//!
//! The only place of the crate where processes are started. A process kind builds a [`process::Launch`]; [`DriverProcess`] runs it.

mod chromium;
mod process;
mod tools;

pub use chromium::{Chromium, ChromiumBuilder, ChromiumDriver};
pub(crate) use process::DriverProcess;
