//! Android for [`agent_device_core`]: a client of the adb server, and the decoder of what the device shows.
//!
//! | to do what | look at |
//! | --- | --- |
//! | drive a device | `Android`, with `agent_device_core::Device` (feature `adb`) |
//! | find a device | `adb::AdbServer::discover`, `DeviceChoice` (feature `adb`) |
//! | install, open and stop apps | `Apps` (feature `adb`); beside a `Device`: see `Android` |
//! | read a device's log | `Android::follow_log`, `logs` (feature `adb`) |
//! | talk to a device | `adb::AdbServer`, `adb::AdbDevice` (feature `adb`) |
//! | build a remote command line | `adb::ShellCommand` (feature `adb`) |
//! | turn a hierarchy into a [`Snapshot`](agent_device_core::Snapshot) | [`hierarchy`] |
//!
//! # Why not the adb program
//!
//! A process for each command costs some ten milliseconds, and its text output is weak evidence: whether a command reached the
//! device must then be guessed from what was printed. The server's own protocol says it.
//!
//! ```no_run
//! use std::time::Duration;
//! use agent_device_android::adb::{AdbServer, ShellCommand};
//! use agent_device_core::Call;
//!
//! # async fn run() -> agent_device_core::Result<()> {
//! let device = AdbServer::from_env()?.device("emulator-5554")?;
//! let call = Call::standalone(Duration::from_secs(10));
//! let output = device.shell(&ShellCommand::new("getprop")?.arg("ro.product.model")?, &call).await?;
//! println!("{}", output.stdout_text());
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `adb` (default) | the client of the adb server. Without it the crate has no sockets and no processes. |

#[cfg(feature = "adb")]
mod act;
#[cfg(feature = "adb")]
pub mod adb;
#[cfg(feature = "adb")]
mod apps;
#[cfg(feature = "adb")]
mod backend;
#[cfg(feature = "adb")]
mod choice;
#[cfg(feature = "adb")]
mod config;
#[cfg(feature = "adb")]
mod connect;
#[cfg(feature = "adb")]
mod discovery;
#[cfg(feature = "adb")]
mod error;
#[cfg(all(feature = "adb", any(test, feature = "fuzzing")))]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(feature = "adb")]
mod helper;
pub mod hierarchy;
#[cfg(feature = "adb")]
mod install;
#[cfg(feature = "adb")]
pub mod logs;
#[cfg(feature = "adb")]
mod see;
#[cfg(feature = "adb")]
mod word;

#[cfg(feature = "adb")]
pub use apps::{AppKind, Apps, Opened, Permission};
#[cfg(feature = "adb")]
pub use backend::{Android, DeviceFacts};
#[cfg(feature = "adb")]
pub use choice::DeviceChoice;
#[cfg(feature = "adb")]
pub use config::{
    AdbConfig, AndroidConfig, HelperInstall, HelperSource, KeyboardChoice, SessionScope,
};
#[cfg(feature = "adb")]
pub use connect::AndroidBuilder;
#[cfg(feature = "adb")]
pub use discovery::{Connection, Cure, FormFactor, FoundDevice, Properties};
#[cfg(feature = "adb")]
pub use install::{InstallFailure, InstallMethod, InstallOptions};
