//! The simulated device: the fixture app, a transport that fails on request, and a log that tells what really happened.
//!
//! [`SimulatedDevice`] is a backend like any other, so everything that holds for real devices can be tried on it, in process
//! and on paused time. Three parts keep the judgement honest:
//!
//! - the fixture app ([`Screen`] lists its screens) is a deterministic state machine without I/O. It decides by its own layers
//!   what a touch hits, and logs one [`Event`] for each thing that really happened to it;
//! - [`EventLog`] is read beside the backend, never through it. It, not a reply, decides whether an action happened once,
//!   twice or never;
//! - [`FaultPlan`] breaks the transport between the two. Whether the app got the request follows from the kind of
//!   [`Fault`]; what the backend may say about it follows from what a client can know.
//!
//! ```
//! use std::time::Duration;
//! use agent_device_core::{Call, Interactor, action::{Action, Touch}, geometry::Point};
//! use agent_device_core::testing::{Fault, Screen, SimulatedDevice};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let device = SimulatedDevice::new();
//! device.reset(Screen::Counter);
//! device.faults().nth_mutation(1, Fault::ResetAfterRead);
//!
//! let tap = Action::Tap(Touch { point: Point::new(200.0, 100.0), target: None });
//! let error = device.perform(&tap, &Call::standalone(Duration::from_secs(1))).await.unwrap_err();
//!
//! assert_eq!(error.dispatched().as_str(), "unknown");
//! assert_eq!(device.log().taps("counter"), 1);
//! # }
//! ```
//!
//! Nothing here is needed in production.

mod agent;
mod app;
mod capture;
mod conformance;
mod contract;
mod event;
mod fault;
mod gate;
mod link;
mod picture;
mod sim;
mod zoo;

pub use conformance::{Body, conformance, conformance_of, fault_matrix};
pub use contract::contract;
pub use event::{Event, EventKind, EventLog};
pub use fault::{Fault, FaultPlan};
pub use gate::Gate;
pub use link::{Knob, Link, LinkError, Screen};
pub use sim::{SimOptions, SimulatedDevice, sim_rows};
pub use zoo::zoo;

#[cfg(test)]
mod tests;
