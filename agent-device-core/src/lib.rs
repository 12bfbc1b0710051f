//! The contract of agent-device: what a test framework needs to drive a phone, a simulator or a browser, and to know
//! afterwards what it did.
//!
//! - A failed action says whether it reached the device ([`Error::dispatched`]); a `no` cites its proof ([`dispatch`]).
//! - A scripted press waits for a target that isn't there yet, and for nothing else ([`device::Press::ready_within`]).
//! - A capture says how good it is ([`snapshot::Quality`]); a degraded tree is never taken for an empty screen.
//!
//! This crate has no sockets, no processes and no platform words. Backends live in crates of their own and implement three
//! small traits: [`SnapshotBackend`] captures, [`Interactor`] acts and reads, [`Backend`] joins them. They inherit everything
//! above without writing code for it.
//!
//! # Why not a driver's own client
//!
//! Drivers answer "timed out" where a test must know whether the tap landed; clients retry, pool, or wait for more than the
//! target; each backend has rules of its own about which of several elements is meant. Here these are one library, with one
//! conformance suite that judges every backend by the app's own log.
//!
//! # Map
//!
//! | to do what | look at |
//! | --- | --- |
//! | drive a device | [`Device`], [`Locator`] |
//! | name an element | [`selector`], [`By`], [`Ref`] |
//! | look at a screen | [`Snapshot`], [`snapshot::View`] |
//! | decide after a failure | [`Error`], [`Dispatched`], [`reason`] |
//! | wait | [`wait::Settle`], [`Locator::wait`], [`observe_until`] |
//! | gestures and scrolling | [`gesture`], [`device::Scroll`] |
//! | write a backend | [`SnapshotBackend`], [`Interactor`], [`DispatchDisclosure`], [`Call`], [`last_work`] |
//! | test one | the module `testing` |
//!
//! A device is used within a tokio runtime that has time enabled.
//!
//! # Example
//!
//! On the simulated device, whose transport loses the reply of the second press:
//!
//! ```
//! # #[cfg(feature = "testing")]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> agent_device_core::Result<()> {
//! use agent_device_core::{Device, Dispatched, selector::id, testing::{Fault, Screen, SimulatedDevice}};
//!
//! let sim = SimulatedDevice::on(Screen::Counter);
//! let device = Device::new(sim.clone());
//! device.locate(id("counter")).press().await?;
//!
//! sim.faults().nth_mutation(1, Fault::ResetAfterRead);
//! let error = device.locate(id("counter")).press().await.unwrap_err();
//! assert_eq!(error.dispatched(), Dispatched::Unknown); // so look before pressing again:
//! assert_eq!(device.locate(id("counter")).text().await?, "Counter: 2");
//! # Ok(()) }
//! # #[cfg(not(feature = "testing"))] fn main() {}
//! ```
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `testing` | the simulated device, fault plans, the conformance suite, the contract check, the golden gate |
//!
//! # Spans
//!
//! Requests, polls, reads and sends are `tracing` spans at debug level: `agent_device.request` (`op`, `backend`, `device`,
//! `dispatched`, `sends`, `elapsed_ms`), `agent_device.poll` (`phase`, `poll`, `outcome`, `elapsed_ms`), `agent_device.read` and
//! `agent_device.send` (`op`, `dispatched`, `elapsed_ms`). Names and fields are part of the interface.
//!
//! # Stability
//!
//! Golden row ids, reasons, error codes and span names are stable within a minor version. Enums that may grow are
//! `#[non_exhaustive]`.

// Lets macros and doc examples name the crate in the same way inside and outside.
extern crate self as agent_device_core;

pub mod action;
mod backend;
pub mod device;
pub mod dispatch;
mod error;
pub mod geometry;
pub mod gesture;
mod last_work;
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
/// What backends write above their implementations of the traits.
pub use async_trait::async_trait;
pub use backend::{Backend, Call, Interactor, SnapshotBackend};
pub use device::{Device, Locator};
pub use dispatch::{DispatchDisclosure, Dispatched, Proof};
pub use error::{Error, ErrorCode, Result, reason};
pub use last_work::last_work;
pub use observe::observe_until;
pub use operation::Operation;
pub use role::Role;
pub use selector::Selector;
pub use snapshot::Snapshot;
pub use target::{By, Ref};
/// What cancels requests: see [`Device::with_cancel`].
pub use tokio_util::sync::CancellationToken;
pub use wait::Settle;
