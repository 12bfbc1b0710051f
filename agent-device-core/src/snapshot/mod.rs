//! What a screen is: an immutable tree in one arena, with a verdict on how good it is.
//!
//! Nodes lie in one vector in document order, parents by index; all text of a capture lies in one buffer that nodes refer to
//! by ranges; yes/no facts are bits with an *absent* state. A decoder fills a [`SnapshotBuilder`] in one pass and allocates
//! nothing per node. Nothing here does I/O or knows a backend.

mod builder;
mod diff;
mod digest;
mod json;
mod limits;
mod node;
mod quality;
mod target;
mod view;

pub use builder::{BuildError, NodeBuilder, SnapshotBuilder};
pub use diff::{Diff, DiffKind, DiffLine};
pub use digest::{Change, Digest, Surface};
pub use limits::Limits;
pub use node::{Checked, Flag, Node, NodeId, Sides, TextField};
pub use quality::{ComparisonKey, Keyboard, Quality, QualityReason, QualityState};
pub use target::Target;
pub(crate) use view::escaped;
pub use view::{CaptureOptions, Disposition, HiddenContent, Line, View, ViewNode};

use std::{collections::BTreeMap, time::Duration};

use crate::{geometry::Rect, role::Role};
use node::{NodeData, TextRange};

/// What holds for a capture as a whole. The default says that the tree is healthy: a backend that can't say so must say what
/// is wrong.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SnapshotInfo {
    /// How good the tree is.
    pub quality: Quality,
    /// Who made it: captures of different producers are never compared.
    pub producer: &'static str,
    /// The visible part of the screen, in the backend's coordinate unit.
    pub viewport: Option<Rect>,
    /// Picture pixels for each unit of the coordinates, 0 when unknown.
    pub scale: f64,
    /// Coordinate units for each density-independent point: 1 where coordinates are points, as on Apple platforms and in
    /// browsers; 2.625 on an Android display of that density. 0 when unknown, which counts as 1. Distances that are meant for
    /// a finger are scaled by it.
    pub density: f64,
    /// Whether content is missing because a limit of size or depth was hit. A truncated tree proves no absence.
    pub truncated: bool,
    /// The app in front: bundle id, package or address.
    pub app: Option<String>,
    /// The title of the window.
    pub title: Option<String>,
    /// The on-screen keyboard, as far as the backend knows.
    pub keyboard: Keyboard,
    /// Names the document or process that was captured; a change proves that older elements are gone.
    pub lineage: Option<String>,
    /// A system surface over the app, by its name (notification shade, share sheet).
    pub system_surface: Option<String>,
    /// How long the device took, without the transport.
    pub acquisition: Option<Duration>,
    /// What else the backend tells of this capture, in its own words: how it was taken, what could not be looked for.
    pub details: BTreeMap<&'static str, String>,
}

impl SnapshotInfo {
    /// A tree of this quality, made by this producer. The other fields are public.
    pub fn new(producer: &'static str, quality: Quality) -> Self {
        Self {
            producer,
            quality,
            ..Self::default()
        }
    }
}

/// When a capture was asked for, in the counts of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Its number; refs are pinned to it. 0 outside of a device.
    pub(crate) generation: u64,
    /// How many actions had been started by then. A capture that was begun before an action shows what was, not what is.
    pub(crate) acts: u64,
}

/// An immutable capture of a screen.
pub struct Snapshot {
    nodes: Vec<NodeData>,
    text: String,
    info: SnapshotInfo,
    options: CaptureOptions,
    stamp: Stamp,
}

impl Snapshot {
    /// Adds to what the backend tells of this capture.
    #[must_use]
    pub fn with_detail(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.info.details.insert(key, value.into());
        self
    }

    /// A snapshot of a tree that could not be read: a single root without content, with the verdict `sparse`.
    pub fn sparse(reason: QualityReason, info: SnapshotInfo) -> Self {
        let mut builder = SnapshotBuilder::new(CaptureOptions::default());
        if let Ok(mut root) = builder.root(Role::Application)
            && let Some(viewport) = info.viewport
        {
            root.bounds(viewport);
        }
        let quality = Quality {
            state: QualityState::Sparse,
            reason: Some(reason),
            ..info.quality
        };
        builder.finish(SnapshotInfo { quality, ..info })
    }

    /// How many nodes the device reported.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the device reported no node at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What holds for the capture as a whole.
    pub fn info(&self) -> &SnapshotInfo {
        &self.info
    }

    /// With which options it was taken.
    pub fn options(&self) -> &CaptureOptions {
        &self.options
    }

    /// How good the tree is.
    pub fn quality(&self) -> &Quality {
        &self.info.quality
    }

    /// The same tree with another verdict: for a backend whose capture another source had failed at first.
    #[must_use]
    pub fn with_quality(self, quality: Quality) -> Self {
        Self {
            info: SnapshotInfo {
                quality,
                ..self.info
            },
            ..self
        }
    }

    pub(crate) fn stamped(self, stamp: Stamp) -> Self {
        Self { stamp, ..self }
    }

    pub(crate) fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Whether a missing element is really missing: the tree is neither empty, sparse nor truncated, and was not limited by
    /// scope or depth.
    pub fn proves_absence(&self) -> bool {
        !self.nodes.is_empty()
            && self.info.quality.state != QualityState::Sparse
            && !self.info.truncated
            && self.info.quality.effective_depth.is_none()
            && self.options.scope.is_none()
            && self.options.depth.is_none()
    }

    /// So many density-independent points in the coordinate unit of this capture.
    pub(crate) fn points(&self, points: f64) -> f64 {
        let density = self.info.density;
        // A density that no display has is none.
        let known = (0.25..=16.0).contains(&density);
        points * if known { density } else { 1.0 }
    }

    /// The node with this id.
    pub fn get(&self, id: NodeId) -> Option<Node<'_>> {
        self.nodes.get(id.index()).map(|data| Node {
            snapshot: self,
            data,
            id,
        })
    }

    /// The nodes in document order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = Node<'_>> + ExactSizeIterator {
        self.nodes.iter().enumerate().map(|(index, data)| Node {
            snapshot: self,
            data,
            id: NodeId::at(index),
        })
    }

    /// The first node, in document order.
    pub fn root(&self) -> Option<Node<'_>> {
        self.get(NodeId::at(0))
    }

    /// What of the tree a caller should see, by the options of the capture.
    pub fn view(&self) -> View<'_> {
        View::new(self, &self.options)
    }

    /// What of the tree a caller should see, by other options.
    pub fn view_as(&self, options: &CaptureOptions) -> View<'_> {
        View::new(self, options)
    }

    /// The bytes that the tree takes in memory: nodes and text.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<NodeData>() + self.text.capacity()
    }

    fn text(&self, range: TextRange) -> Option<&str> {
        range.of(&self.text)
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The content of a screen does not belong into logs.
        f.debug_struct("Snapshot")
            .field("nodes", &self.nodes.len())
            .field("text_bytes", &self.text.len())
            .field("quality", &self.info.quality)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
