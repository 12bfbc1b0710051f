//! An element together with the snapshot that holds it.

use std::sync::Arc;

use super::{Node, NodeId, Snapshot};

/// The element that an action is meant for, within the snapshot in which it was found.
#[derive(Clone, Debug)]
pub struct Target {
    snapshot: Arc<Snapshot>,
    node: NodeId,
    acted_on: bool,
}

impl Target {
    /// The element `node` of `snapshot`; `None` when the snapshot doesn't hold it.
    pub fn new(snapshot: Arc<Snapshot>, node: NodeId) -> Option<Self> {
        snapshot.get(node)?;
        Some(Self {
            snapshot,
            node,
            acted_on: false,
        })
    }

    /// The same element in a later repetition of one series: what it is called may have changed by the repetitions before.
    #[must_use]
    pub fn repeated(mut self) -> Self {
        self.acted_on = true;
        self
    }

    /// Whether an earlier repetition of the same series has acted on it, so that another name doesn't make it another element.
    pub fn is_repeated(&self) -> bool {
        self.acted_on
    }

    /// The element.
    pub fn node(&self) -> Node<'_> {
        self.snapshot
            .get(self.node)
            .expect("checked when the target was made")
    }

    /// The snapshot in which it was found.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }
}
