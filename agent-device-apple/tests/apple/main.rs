//! The crate against real peers.
