//! Filling a snapshot in one pass.

use super::{
    CaptureOptions, Flag, NodeId, Sides, Snapshot, SnapshotInfo, Stamp, TextField,
    node::{NodeData, TextRange},
};
use crate::{
    geometry::{Direction, Rect},
    role::Role,
};

/// A tree that can't be: a fault of the decoder or of the bytes it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The parent is not the latest node or an ancestor of it.
    #[error(
        "node {node} names {parent} as its parent, which is not on the path to the node before it"
    )]
    NotInDocumentOrder {
        /// The node that was added.
        node: usize,
        /// The parent that it named.
        parent: usize,
    },
    /// Too many nodes or too much text for one snapshot.
    #[error("the tree is larger than a snapshot can hold")]
    TooLarge,
}

/// So many nodes are an error, whatever a decoder's own [`Limits`](super::Limits) are: no screen has them, and a backend that
/// forgets its limits must not take all memory of a test run.
const MAX_NODES: usize = 1_000_000;
/// Text beyond so many bytes is left out, and the tree is marked as truncated.
const MAX_TEXT: usize = 64 << 20;

/// Fills a [`Snapshot`]: nodes in document order, each with the parent that it lies in. A tree has 1 000 000 nodes and 64 MiB of
/// text at most.
#[derive(Debug)]
pub struct SnapshotBuilder {
    nodes: Vec<NodeData>,
    text: String,
    options: CaptureOptions,
    /// The path from a root to the latest node.
    open: Vec<u32>,
    overflow: bool,
}

impl SnapshotBuilder {
    /// An empty tree that is taken with these options.
    pub fn new(options: CaptureOptions) -> Self {
        Self::with_capacity(options, 0, 0)
    }

    /// An empty tree with room for so many nodes and bytes of text.
    pub fn with_capacity(options: CaptureOptions, nodes: usize, text: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(nodes),
            text: String::with_capacity(text),
            options,
            open: Vec::new(),
            overflow: false,
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a node without a parent.
    ///
    /// # Errors
    ///
    /// The tree is too large.
    pub fn root(&mut self, role: Role) -> Result<NodeBuilder<'_>, BuildError> {
        self.close_to(0);
        self.push(role)
    }

    /// Adds a node in `parent`, which must be the latest node or around it.
    ///
    /// # Errors
    ///
    /// The parent is elsewhere, or the tree is too large.
    pub fn child(&mut self, parent: NodeId, role: Role) -> Result<NodeBuilder<'_>, BuildError> {
        let at = self
            .nodes
            .get(parent.index())
            .map(|node| node.depth as usize)
            .filter(|depth| self.open.get(*depth) == Some(&parent.raw()))
            // A depth that saturated can't index the path.
            .or_else(|| self.open.iter().rposition(|open| *open == parent.raw()))
            .ok_or(BuildError::NotInDocumentOrder {
                node: self.nodes.len(),
                parent: parent.index(),
            })?;
        self.close_to(at + 1);
        self.push(role)
    }

    /// Adds a node at `depth`: in the latest node above that depth. For streams that only know how deep they are.
    ///
    /// # Errors
    ///
    /// The tree is too large.
    pub fn at_depth(&mut self, depth: usize, role: Role) -> Result<NodeBuilder<'_>, BuildError> {
        self.close_to(depth);
        self.push(role)
    }

    pub(super) fn close_to(&mut self, depth: usize) {
        let end = self.nodes.len() as u32;
        while self.open.len() > depth {
            if let Some(node) = self
                .open
                .pop()
                .and_then(|open| self.nodes.get_mut(open as usize))
            {
                node.end = end;
            }
        }
    }

    fn push(&mut self, role: Role) -> Result<NodeBuilder<'_>, BuildError> {
        let index = u32::try_from(self.nodes.len())
            .ok()
            .filter(|index| (*index as usize) < MAX_NODES)
            .ok_or(BuildError::TooLarge)?;
        self.nodes.push(NodeData {
            bounds: Rect::default(),
            texts: [TextRange::ABSENT; TextField::COUNT],
            parent: self.open.last().copied().unwrap_or(NodeId::NONE),
            end: index + 1,
            covered_by: NodeId::NONE,
            known: 0,
            set: 0,
            depth: u16::try_from(self.open.len()).unwrap_or(u16::MAX),
            role,
            level: 0,
            hidden: Sides::NONE,
            outside: Sides::NONE,
            has_bounds: false,
        });
        self.open.push(index);
        let mut node = NodeBuilder {
            builder: self,
            index: index as usize,
        };
        node.secure_by_role();
        Ok(node)
    }

    /// The node with this id, to add facts that are known only now.
    pub fn edit(&mut self, id: NodeId) -> Option<NodeBuilder<'_>> {
        (id.index() < self.nodes.len()).then(|| NodeBuilder {
            index: id.index(),
            builder: self,
        })
    }

    pub(super) fn node_mut(&mut self, index: usize) -> Option<&mut NodeData> {
        self.nodes.get_mut(index)
    }

    /// The finished tree. A tree whose text did not fit is marked as truncated.
    pub fn finish(mut self, mut info: SnapshotInfo) -> Snapshot {
        self.close_to(0);
        let count = self.nodes.len() as u32;
        for (index, node) in (0..).zip(&mut self.nodes) {
            // Nothing covers itself.
            if node.covered_by >= count || node.covered_by == index {
                node.covered_by = NodeId::NONE;
            }
        }
        info.truncated |= self.overflow;
        Snapshot {
            nodes: self.nodes,
            text: self.text,
            info,
            options: self.options,
            stamp: Stamp::default(),
        }
    }
}

/// Adds facts to one node.
#[derive(Debug)]
pub struct NodeBuilder<'a> {
    builder: &'a mut SnapshotBuilder,
    index: usize,
}

impl NodeBuilder<'_> {
    fn data(&mut self) -> &mut NodeData {
        &mut self.builder.nodes[self.index]
    }

    /// The id of the node.
    pub fn id(&self) -> NodeId {
        NodeId::at(self.index)
    }

    /// Sets what it is.
    pub fn role(&mut self, role: Role) -> &mut Self {
        self.data().role = role;
        self.secure_by_role()
    }

    /// A field that is secret by its role is secret: the fact has one home, [`Flag::Secure`].
    fn secure_by_role(&mut self) -> &mut Self {
        if self.data().role == Role::SecureTextField {
            self.flag(Flag::Secure, true);
        }
        self
    }

    /// Sets where it is, in the backend's coordinate unit.
    pub fn bounds(&mut self, bounds: Rect) -> &mut Self {
        let data = self.data();
        data.bounds = bounds;
        data.has_bounds = true;
        self
    }

    /// Sets one of its texts. Empty is a fact, too: leave it out when the device reported nothing.
    pub fn text(&mut self, field: TextField, text: &str) -> &mut Self {
        self.text_with(field, |buffer| buffer.push_str(text))
    }

    /// Sets one of its texts by writing to the end of the buffer, for texts that must be unescaped first.
    pub fn text_with(&mut self, field: TextField, write: impl FnOnce(&mut String)) -> &mut Self {
        let start = self.builder.text.len();
        write(&mut self.builder.text);
        // A writer may only append.
        let end = self.builder.text.len().max(start);
        match TextRange::new(start, end).filter(|_| end <= MAX_TEXT) {
            Some(range) => self.data().texts[field as usize] = range,
            None => {
                self.builder.text.truncate(start);
                self.builder.overflow = true;
            }
        }
        self
    }

    /// Sets a fact.
    pub fn flag(&mut self, flag: Flag, value: bool) -> &mut Self {
        let data = self.data();
        data.known |= flag.bit();
        data.set = if value {
            data.set | flag.bit()
        } else {
            data.set & !flag.bit()
        };
        self
    }

    /// Sets a fact if it is known.
    pub fn flag_if_known(&mut self, flag: Flag, value: Option<bool>) -> &mut Self {
        match value {
            Some(value) => self.flag(flag, value),
            None => self,
        }
    }

    /// Sets the level of a heading or tree entry.
    pub fn level(&mut self, level: u8) -> &mut Self {
        self.data().level = level;
        self
    }

    /// Says that the node `by` lies over it. `by` may come later.
    pub fn covered_by(&mut self, by: NodeId) -> &mut Self {
        self.data().covered_by = by.raw();
        self
    }

    /// Says that there is more content beyond this side of the container.
    pub fn hidden_content(&mut self, side: Direction) -> &mut Self {
        let data = self.data();
        data.hidden = data.hidden.with(side);
        self
    }

    /// Says that it lies beyond this side of its scroll container or of the screen.
    pub fn outside(&mut self, side: Direction) -> &mut Self {
        let data = self.data();
        data.outside = data.outside.with(side);
        self
    }
}
