//! Trees of apps in simulators, read without XCTest.
//!
//! XCTest can't serialise every tree: some apps make it fail or grind for minutes although the screen is fine. Inside a
//! simulator the accessibility server that XCTest asks can be asked directly. A small program (`runner-swift/Sources/AXGuest`)
//! does that: it is compiled once, started in the simulator by `simctl spawn`, and asked over a Unix socket.
//!
//! | file | holds |
//! | --- | --- |
//! | `wire` | what both ends agree on: limits, requests, frames |
//! | `reply` | one pass over the bytes of a reply into the core's snapshot |
//! | `node` | what the attributes of an element mean |
//! | `client` | the connection |
//! | `guest` | compiling, starting, stopping |
//! | `app` | which process of the app is meant |
//! | `backend` | [`SimulatorAx`]: when it answers and when it doesn't |
//! | `first` | [`AxFirst`]: this source before another one |
//!
//! [`SimulatorAx`] is a [`SnapshotBackend`](agent_device_core::SnapshotBackend) of its own and knows no other source.
//! [`Apple`](crate::Apple) puts it before the runner's with [`AxFirst`] and needs nothing else of this module. Only the root of
//! its snapshots has a handle, by which the capture is found again: what is done with their elements is done at points.
//!
//! # What is proven
//!
//! Both ends of the protocol, the lifecycle and every failure run on Linux, against the same service over a scripted app
//! (`runner-swift/Sources/AXPeer`). That the private accessibility calls behave as they are declared, and that the program builds
//! with Xcode, only a Mac can prove.

mod app;
mod backend;
mod client;
mod failure;
mod first;
mod guest;
mod member;
mod node;
mod reply;
mod wire;

pub use backend::{AxConfig, SimulatorAx};
pub use first::AxFirst;
pub(crate) use reply::SOURCE;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use reply::fuzz;
pub use wire::AxLimits;
