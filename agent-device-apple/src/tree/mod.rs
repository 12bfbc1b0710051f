//! What a device shows, as the core's snapshot: from the runner's reply, and from the page source of Appium and WebDriverAgent.
//!
//! [`decode`] makes one pass over the bytes of a reply. There is no document in between, and nothing is allocated for a node
//! beside its place in the snapshot. Bounded in size, nodes and depth; no bytes make it panic. The tree comes from an app under
//! test, so nothing of it is trusted.
//!
//! What may not be here: sockets, processes, clocks.

mod decode;
mod element;
mod members;
mod quality;
mod source;
mod write;

pub use agent_device_core::snapshot::Limits;
pub use decode::decode;
#[cfg(all(feature = "host", unix))]
pub(crate) use element::kind_of;
pub use source::decode_source;
#[cfg(all(feature = "host", unix))]
pub(crate) use write::Said;

use agent_device_core::Snapshot;

/// What is known about a capture beside the reply. All of it may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Facts<'a> {
    /// Who made the tree, for comparisons: captures of different producers are never compared. `apple-runner` if empty.
    pub producer: &'static str,
    /// The bundle id of the app that was asked for.
    pub app: Option<&'a str>,
    /// What names the process of that app; a change proves that older elements are gone.
    pub lineage: Option<&'a str>,
    /// Picture pixels for each point, 0 when unknown.
    pub scale: f64,
    /// By what the capture itself is found again: becomes the handle of its root.
    pub handle: Option<&'a str>,
}

/// A decoded reply.
#[derive(Debug)]
#[non_exhaustive]
pub struct Decoded {
    /// The tree, with the runner's verdict on it.
    pub snapshot: Snapshot,
    /// Why the runner is not to be used any more, if it says so.
    pub fatal: Option<String>,
    /// Whether work that the runner gave up on holds its main thread.
    pub busy: bool,
}

/// Why a reply is no snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// It is no answer of the runner, or no page source.
    #[error("the reply is not of the form that holds a tree")]
    Malformed,
    /// It is larger than the limit.
    #[error("the reply is larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The runner says that it failed.
    #[error("{message}")]
    Refused {
        /// Its code; empty if it gave none.
        code: String,
        /// Its message.
        message: String,
        /// What it advises.
        hint: Option<String>,
    },
}
