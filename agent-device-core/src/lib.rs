//! Core.
extern crate self as agent_device_core;
pub mod action;
mod backend;
pub mod dispatch;
mod error;
pub mod geometry;
pub mod gesture;
mod observe;
mod role;
pub mod snapshot;

pub use backend::{Backend, Call, Interactor, SnapshotBackend};
pub use dispatch::{DispatchDisclosure, Dispatched, Proof};
pub use error::{Error, ErrorCode, Result, reason};
pub use observe::*;
pub use role::Role;
#[cfg(feature = "testing")]
pub mod testing;
