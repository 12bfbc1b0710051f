//! What a device shows, as the core's snapshot: from the XML of the helper, of `uiautomator dump` and of Appium's server.
//!
//! [`decode`] makes one pass over the bytes. There is no tree in between, and nothing is allocated for a node beside its place
//! in the snapshot. Bounded in size, nodes and depth; no bytes make it panic.
//!
//! The document describes a screen that an app under test controls, so nothing of it is trusted: illegal characters, invalid
//! references and unknown attributes are lived with, a document that ends early or whose structure is broken is an error.
//! A part of a tree is never taken for the whole.
//!
//! What may not be here: sockets, processes, clocks.

mod attributes;
mod class;
mod content;
mod cover;
mod decode;
mod value;

pub use agent_device_core::snapshot::Limits;
pub use content::{Content, Counts, Unusable};
#[cfg(feature = "adb")]
pub(crate) use decode::SYSTEM_DIALOG;
pub use decode::decode;

use std::{borrow::Cow, time::Duration};

use agent_device_core::{Error, ErrorCode, Snapshot, geometry::Rect, snapshot::BuildError};

/// What is known about a capture beside its document. All of it may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Facts<'a> {
    /// Where the document came from, for the verdict of the snapshot: `helper` if empty.
    pub source: &'static str,
    /// The package of the app that should be on the screen.
    pub app: Option<&'a str>,
    /// The package of the active input method.
    pub input_method: Option<&'a str>,
    /// Width and height of the display in pixels, if both reads of a capture agreed.
    pub display: Option<(u32, u32)>,
    /// Picture pixels for each unit of the coordinates, which are pixels: 1 when a screenshot has the display's size. 0: unknown.
    pub scale: f64,
    /// Pixels for each density-independent point, as the display is set. 0: unknown.
    pub density: f64,
    /// Whether an identifier that starts with the node's own package is called by its bare name: `power` for
    /// `com.app:id/power`.
    pub bare_ids: bool,
    /// Whether only the active window was captured: then nothing is known about other windows.
    pub active_window_only: bool,
    /// Whether the helper hit a limit.
    pub truncated: bool,
    /// The types of the windows that had no root, if the helper said so.
    pub missing_windows: Option<Cow<'a, [i32]>>,
    /// Whether the helper found the root of any window.
    pub root_present: Option<bool>,
    /// How many windows the helper serialised.
    pub windows: Option<usize>,
    /// How long the helper took.
    pub elapsed: Option<Duration>,
    /// Whether a picture of the app's window shows more than one colour. Asked for when [`Decoded::hollow`] is true.
    pub picture_shows: Option<bool>,
}

/// A decoded document.
#[derive(Debug)]
#[non_exhaustive]
pub struct Decoded {
    /// The tree. Sparse if [`content`](Self::content) is unusable.
    pub snapshot: Snapshot,
    /// Whether the tree is what a person would see.
    pub content: Content,
    /// What was counted to tell.
    pub counts: Counts,
    /// The window in front of an app in which there is nothing but what the framework builds in every window. The screen may
    /// be empty, or the app draws without telling: only a picture says which.
    pub hollow: Option<Rect>,
    /// Whether it is known what lies over what.
    pub occlusion: Occlusion,
}

/// Whether it was worked out which elements lie under others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Occlusion {
    /// It was: see [`covered_by`](agent_device_core::snapshot::Node::covered_by).
    Scanned,
    /// The device doesn't say in which order it draws (Android 6).
    NoDrawingOrder,
    /// The tree is too entangled to work it out in bounded time. Nothing is marked.
    GaveUp,
}

/// Why a document is no snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// There is no hierarchy in it.
    #[error("the document holds no hierarchy")]
    NoHierarchy,
    /// It ends before the hierarchy does.
    #[error("the document ends within the hierarchy, after {nodes} nodes")]
    CutShort {
        /// How many nodes came before.
        nodes: usize,
    },
    /// Its structure is broken.
    #[error("the document is broken at byte {at}")]
    Malformed {
        /// Where, in bytes of the document as UTF-8.
        at: u64,
    },
    /// It is larger than [`Limits::bytes`].
    #[error("the document is larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// It does not fit into a snapshot.
    #[error("the tree can't be built")]
    Build(#[source] BuildError),
}

impl From<BuildError> for DecodeError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Self {
        Error::new(ErrorCode::CommandFailed, error.to_string())
            .with_reason("android_hierarchy_unreadable")
            .with_hint("The capture broke off or is no hierarchy. Capture again.")
            .with_retriable(true)
            .with_source(error)
    }
}

#[cfg(test)]
mod tests;
