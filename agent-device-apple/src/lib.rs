//! iOS, tvOS, macOS and visionOS for [`agent_device_core`]: a client of the runner, Xcode's tools, and the decoders of what a
//! device shows.
//!
//! | to do what | look at |
//! | --- | --- |
//! | drive a device | `Apple`, with `agent_device_core::Device` (feature `host`) |
//! | find a device | `Apple::discover`, `DeviceChoice` (feature `host`) |
//! | install apps, clear their data, set their permissions | `Apps` (feature `host`) |
//! | read the trees of a simulator's app without XCTest | `ax` (feature `host`, not on Windows) |
//! | turn a reply or a page source into a [`Snapshot`](agent_device_core::Snapshot) | [`tree`] |
//!
//! # How a device is driven
//!
//! A runner runs on it: an XCTest process that serves commands over HTTP and does them to the app under test. This crate builds
//! and launches it with `xcodebuild`, keeps one for each device, and replaces it when it breaks. A command that the app can
//! notice is written once: to a runner that answers, over a connection of its own. If its answer is lost, the runner's journal
//! says what became of it; if that is lost, too, the error says `unknown`.
//!
//! The runner's Xcode project is taken from the repository that this crate was compiled from. Name another place in
//! [`RunnerConfig::project`] if that is gone where the program runs, or a build of it in [`RunnerConfig::xctestrun`].
//!
//! Trees of apps in iOS simulators come from the simulator's accessibility server first, on a Mac: see
//! [`AppleConfig::simulator_ax`].
//!
//! ```no_run
//! use agent_device_apple::{Apple, AppleConfig, AppleTarget, Platform};
//! use agent_device_core::{Device, selector::id};
//!
//! # async fn run() -> agent_device_core::Result<()> {
//! let mut config = AppleConfig::default();
//! config.app = Some("com.example.app".to_owned());
//! let target = AppleTarget::Simulator { platform: Platform::Ios, udid: "6A8A…".to_owned() };
//! let device = Device::new(Apple::connect(target, config).await?);
//! device.locate(id("sign-in")).press().await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Apple::discover`] lists what can be driven, and what is missing where something can't:
//!
//! ```no_run
//! use std::time::Duration;
//! use agent_device_apple::{Apple, AppleConfig, DeviceChoice, Kind};
//! use agent_device_core::Call;
//!
//! # async fn run() -> agent_device_core::Result<()> {
//! let config = AppleConfig::default();
//! let call = Call::standalone(Duration::from_secs(60));
//! let found = Apple::discover(&[Kind::Simulator, Kind::Device], &config, &call).await?;
//! let chosen = DeviceChoice::Named("iPhone 16".to_owned()).pick(&found)?;
//! let apple = Apple::connect(chosen.target(), config).await?;
//! apple.apps().install("build/Example.app", &call).await?;
//! # Ok(())
//! # }
//! ```
//!
//! A runner that this crate has launched belongs to the tokio runtime in which it was: it ends with that runtime, and the next
//! command launches another. Tests that share a device share a runtime, or keep the runner beside them ([`AppleTarget::Runner`]).
//!
//! # Targets
//!
//! | to drive | target | beside it |
//! | --- | --- | --- |
//! | an iPhone, iPad, Apple TV or Vision Pro simulator | [`AppleTarget::Simulator`] | it is booted if it sleeps |
//! | a device | [`AppleTarget::Device`] | [`AppleConfig::runner`]: the team that signs the runner; a free team also needs bundle ids of its own |
//! | this Mac | [`AppleTarget::Mac`] | Xcode's helper must be allowed to control the computer (Privacy & Security, Accessibility) |
//! | what another process launched | [`AppleTarget::Runner`] | Xcode's tools are not used |
//!
//! On a television a press selects what has the focus, and is refused as `target_not_focused` for anything else; scrolling in a
//! direction moves the focus.
//!
//! [`Apple::close`], [`Apple::state`] and [`Apple::runner_address`] stay in reach of who keeps an `Arc<Apple>` and gives
//! `Device::new` a clone.
//!
//! # What a command costs
//!
//! One round trip if an action on the same app has worked within [`AppleConfig::healthy_for`], two otherwise: the runner is first
//! asked whether it is there. [`Apple::round_trips`] counts.
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `host` (default) | everything that drives a device. Without it the crate has no sockets and no processes. |

#[cfg(feature = "host")]
mod act;
#[cfg(feature = "host")]
mod apps;
#[cfg(all(feature = "host", unix))]
pub mod ax;
#[cfg(feature = "host")]
mod backend;
#[cfg(feature = "host")]
mod choice;
#[cfg(feature = "host")]
mod config;
#[cfg(feature = "host")]
mod corroborate;
#[cfg(feature = "host")]
mod discovery;
#[cfg(feature = "host")]
mod error;
#[cfg(all(unix, feature = "host", any(test, feature = "fuzzing")))]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(feature = "host")]
mod profile;
#[cfg(feature = "host")]
mod runner;
#[cfg(feature = "host")]
mod see;
#[cfg(feature = "host")]
mod tools;
pub mod tree;

#[cfg(feature = "host")]
pub use apps::{AppKind, Apps, Permission};
#[cfg(feature = "host")]
pub use backend::Apple;
#[cfg(feature = "host")]
pub use choice::DeviceChoice;
#[cfg(feature = "host")]
pub use config::{AppleConfig, AppleTarget, RunnerConfig};
#[cfg(feature = "host")]
pub use discovery::{Cure, FoundDevice};
#[cfg(feature = "host")]
pub use profile::{Kind, Platform, Profile};
#[cfg(feature = "host")]
pub use runner::RunnerState;
