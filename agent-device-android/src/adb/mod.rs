//! A client of the adb server: its socket protocol, spoken directly.
//!
//! [`AdbServer`] finds the server (and starts it if need be), [`AdbDevice`] runs commands, moves files and forwards ports. A
//! command costs one connection and two round trips on loopback, and no process. The adb program is needed to start the server
//! and for servers that only it can reach ([`Endpoint::Program`]).
//!
//! Each command has a connection of its own, so it is known how far it got: selecting a device changes nothing on it, and
//! whatever fails up to there is a proven `no`. Nothing is sent twice, with one exception: a device that the server refused as
//! offline, with proof, is waited for and selected once more.
//!
//! What may not be here: knowledge of what the commands mean.

mod at_once;
mod device;
mod endpoint;
mod forward;
mod link;
mod process;
pub(crate) mod refusal;
mod reverse;
mod server;
mod shell;
mod socket;
mod stream;
mod sync;
mod wire;
mod word;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;

pub use device::{AdbDevice, DeviceSelector, Features};
pub use endpoint::Endpoint;
pub(crate) use endpoint::is_address;
pub use forward::{Forward, ForwardEntry, Remote};
pub use refusal::HostRefusal;
pub use reverse::Reverse;
pub use server::{AdbServer, DeviceTracker};
pub use shell::ShellOutput;
pub use stream::{ShellEvent, ShellStream};
pub use sync::FileStat;
pub use wire::{DeviceEntry, DeviceState};
pub use word::{MAX_COMMAND, ShellCommand, ShellWord};
