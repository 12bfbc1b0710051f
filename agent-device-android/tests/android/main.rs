//! The crate against real peers: an adb server, an adb daemon, and servers that fail on purpose.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that unwraps in vain has failed")]

mod apidemos;
mod apps;
mod corpus;
mod device;
mod faults;
mod fill;
mod golden;
mod guard;
mod helper_golden;
mod host;
mod keyboard;
mod logs;
mod odd;
mod peers;
mod program;
mod quoting;
mod reference;
mod session;
mod stuck;
mod suite;
mod testbed;
