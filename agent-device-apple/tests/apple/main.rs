//! The crate against real peers: a runner on a simulated app, servers that fail on purpose, stand-ins for Xcode's tools.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that unwraps in vain has failed")]

mod apps;
mod ax;
mod corpus;
mod discovery;
mod golden;
mod launch;
mod life;
mod peers;
mod rules;
mod scripted;
mod session;
mod sim;
mod simulator;
mod soak;
mod suite;
mod usbmux;
