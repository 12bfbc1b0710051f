//! The contract of agent-device.

// Lets macros and doc examples name the crate in the same way inside and outside.
extern crate self as agent_device_core;

pub mod action;
mod backend;
pub mod device;
pub mod dispatch;
mod error;
pub mod geometry;
pub mod gesture;
pub mod observe;
mod operation;
mod role;
pub mod selector;
pub mod snapshot;
pub mod target;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
pub mod wait;

pub use action::Action;
pub use backend::{Backend, Call, Interactor, SnapshotBackend};
pub use device::{Device, Locator};
pub use dispatch::{DispatchDisclosure, Dispatched, Proof};
pub use error::{Error, ErrorCode, Result, reason};
pub use observe::observe_until;
pub use operation::Operation;
pub use role::Role;
pub use selector::Selector;
pub use snapshot::Snapshot;
pub use target::{By, Ref};
pub use wait::Settle;
