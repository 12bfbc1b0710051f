//! Drives browsers over W3C WebDriver: a backend for [`agent_device_core`].
//!
//! [`Chromium`] starts a browser of its own; [`WebDriver::connect`] takes a session of any server that speaks WebDriver: a
//! chromedriver, a grid, an Appium server with a browser behind it. Both give a [`WebDriver`], which is a
//! [`Backend`](agent_device_core::Backend).
//!
//! ```no_run
//! use agent_device_core::Device;
//! use agent_device_webdriver::Chromium;
//!
//! # async fn run() -> agent_device_core::Result<()> {
//! let browser = std::sync::Arc::new(Chromium::builder().start().await?);
//! browser.navigate("https://example.com/").await?;
//! let device = Device::new(browser.clone());
//! println!("{}", device.snapshot().await?.view());
//! browser.close().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Why not one of the WebDriver clients
//!
//! They retry, pool, follow redirects or drop the status somewhere, and none of them says in which phase a request failed. This
//! crate sends each mutation once, over a connection of its own, and knows for every failure whether the driver can have seen it.
//!
//! # What a press costs
//!
//! One capture (one round trip), one look at the target at act time (one), one click (one). [`WebDriver::requests`] counts.
//! The third capture in a row of one document costs one round trip more: it leaves the capture's code in the browser, and those
//! that follow are twice as fast. Frames of other origins cost three round trips each and one to come back; an element that
//! may hide a closed shadow root costs two, once.
//!
//! # Page load
//!
//! Sessions are asked for with `pageLoadStrategy: none`. Measured with chromedriver 156 and a link to a page that takes 3 s:
//! a click answered after 70 ms, with `eager` and `normal` after 3.1 s. With either of those a landed click turns into a
//! timeout when the next page is slow; with `none` it is the next capture that waits, and that is a read.
//! [`WebDriver::navigate`] itself waits until the document is parsed, in one more round trip.
//!
//! # Windows and sessions
//!
//! `Action::Close(None)` closes the page in the selected window. Other windows live on and none is selected by itself; with the
//! last one the session ends. [`WebDriver::close`] ends the session and, if this crate started them, driver and browser. Dropping
//! does what can be done at once: a local driver, its browser and its profile are gone when `drop` returns (some ten
//! milliseconds), a remote session is asked to end within two seconds. If the whole process is killed, a guard process ends
//! the local browser; a remote session then lives until its server's idle timeout.
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `tls` | `https` endpoints through rustls |

mod act;
mod backend;
mod client;
mod config;
mod driver;
mod error;
mod page;
mod see;

pub use backend::WebDriver;
pub use client::Requests;
pub use config::{Config, Credentials, ReportWindows};
pub use driver::{Chromium, ChromiumBuilder, ChromiumDriver};
