//! Whether a screen changed: a digest to keep, and surfaces to compare.

use std::{
    collections::HashMap,
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
};

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{Flag, Node, Snapshot};
use crate::{geometry::Rect, role::Role};

/// An order-independent digest of a tree: the sum of the hashes of all nodes, and their number.
///
/// Role, label and identifier go in; rectangles, values and states don't: it detects another screen, not a movement. Adding
/// instead of XOR keeps pairs of equal nodes from cancelling out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest {
    sum: u128,
    nodes: u64,
}

impl Digest {
    fn of<'a>(nodes: impl Iterator<Item = Node<'a>>) -> Self {
        let mut digest = Self { sum: 0, nodes: 0 };
        for node in nodes {
            let mut hash = Sha256::new();
            for text in [
                Some(node.role().as_str()),
                node.native_type(),
                node.label(),
                node.identifier(),
            ] {
                // The length keeps texts apart that hold the separator.
                let length = text.map_or(u64::MAX, |text| text.len() as u64);
                hash.update(length.to_le_bytes());
                hash.update(text.unwrap_or_default());
            }
            let hash = hash.finalize();
            let mut half = [0; 16];
            half.copy_from_slice(&hash[..16]);
            digest.sum = digest.sum.wrapping_add(u128::from_le_bytes(half));
            digest.nodes += 1;
        }
        digest
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hash = Sha256::new();
        hash.update(self.sum.to_le_bytes());
        hash.update(self.nodes.to_le_bytes());
        f.write_str("ax2:")?;
        for byte in &hash.finalize()[..8] {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Snapshot {
    /// The digest of what is in sight.
    pub fn digest(&self) -> Digest {
        Digest::of(self.view_as(&super::CaptureOptions::regular()).iter())
    }

    /// The surface of what is in sight, for comparisons within one process.
    pub fn surface(&self) -> Surface {
        Surface::of(self, None)
    }

    /// The surface within a rectangle: only elements whose centre lies in it.
    pub fn surface_within(&self, bounds: Rect) -> Surface {
        Surface::of(self, Some(bounds))
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    key: u64,
    ordinal: u32,
    bounds: Rect,
    /// Whether it tells one state of the screen from another: not a bar or the root, which stay when content moves.
    discriminating: bool,
}

/// What can be seen of a screen, in a form that compares quickly: identity, state and place of each element.
#[derive(Clone, Debug)]
pub struct Surface {
    entries: Vec<Entry>,
    key: Option<super::ComparisonKey>,
}

/// What two surfaces say about each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Something moved, came and went.
    Changed,
    /// Nothing that tells states apart differs.
    Unchanged,
    /// They share nothing, or can't be compared.
    Ambiguous,
}

impl Surface {
    fn of(snapshot: &Snapshot, within: Option<Rect>) -> Self {
        let viewport = snapshot.info().viewport;
        let mut ordinals: HashMap<u64, u32> = HashMap::new();
        let view = snapshot.view_as(&super::CaptureOptions::regular());
        let chrome = chrome_of(snapshot);
        let mut entries: Vec<Entry> = view
            .iter()
            .filter(|node| node.role() != Role::ScrollBar)
            .filter_map(|node| {
                let bounds = node.usable_bounds()?;
                if within.is_some_and(|within| !within.contains(bounds.center())) {
                    return None;
                }
                let key = key_of(node);
                let ordinal = ordinals.entry(key).or_default();
                *ordinal += 1;
                let whole = viewport.is_some_and(|viewport| bounds.agrees(viewport, 1.0));
                Some(Entry {
                    key,
                    ordinal: *ordinal,
                    bounds: Rect::new(
                        bounds.x.round(),
                        bounds.y.round(),
                        bounds.width.round(),
                        bounds.height.round(),
                    ),
                    discriminating: !whole && !chrome[node.id().index()],
                })
            })
            .collect();
        entries.sort_by_key(|entry| (entry.key, entry.ordinal));
        Self {
            entries,
            key: snapshot.comparison_key(),
        }
    }

    /// Whether a difference between the two means something.
    pub fn is_comparable_with(&self, other: &Self) -> bool {
        self.key.is_some() && self.key == other.key
    }

    /// Whether nothing changed between the two: the same elements in the same states, each edge within `tolerance`.
    pub fn is_still(&self, other: &Self, tolerance: f64) -> bool {
        self.is_comparable_with(other)
            && self.entries.len() == other.entries.len()
            && self.entries.iter().zip(&other.entries).all(|(a, b)| {
                (a.key, a.ordinal) == (b.key, b.ordinal) && a.bounds.agrees(b.bounds, tolerance)
            })
    }

    /// What this surface says about `baseline`, judged by the elements that tell states apart.
    pub fn evidence_against(&self, baseline: &Self) -> Change {
        if !self.is_comparable_with(baseline) {
            return Change::Ambiguous;
        }
        let (mut shared, mut only_here, mut only_there) = (0, 0, 0);
        let ours = self.entries.iter().filter(|entry| entry.discriminating);
        let theirs: HashMap<_, _> = baseline
            .entries
            .iter()
            .filter(|entry| entry.discriminating)
            .map(|entry| ((entry.key, entry.ordinal), entry.bounds))
            .collect();
        for entry in ours {
            match theirs.get(&(entry.key, entry.ordinal)) {
                Some(bounds) if bounds.agrees(entry.bounds, 1.0) => shared += 1,
                Some(_) => return Change::Changed,
                None => only_here += 1,
            }
        }
        only_there += theirs.len() - shared;
        match (shared, only_here, only_there) {
            (0, 0, 0) => Change::Unchanged,
            (0, _, _) => Change::Ambiguous,
            (_, 0, _) | (_, _, 0) => Change::Unchanged,
            _ => Change::Changed,
        }
    }

    /// How many elements it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

fn key_of(node: Node<'_>) -> u64 {
    let mut hash = DefaultHasher::new();
    node.role().hash(&mut hash);
    node.native_type().hash(&mut hash);
    node.identifier().hash(&mut hash);
    node.label().hash(&mut hash);
    node.value().hash(&mut hash);
    for flag in [Flag::Enabled, Flag::Selected, Flag::Hittable, Flag::Checked] {
        node.flag(flag).hash(&mut hash);
    }
    hash.finish()
}

/// For each node whether it is a root, a bar or within one. One pass: parents come first.
fn chrome_of(snapshot: &Snapshot) -> Vec<bool> {
    let mut bars: Vec<bool> = Vec::with_capacity(snapshot.len());
    for node in snapshot.nodes() {
        let own = matches!(
            node.role(),
            Role::TabBar | Role::NavigationBar | Role::Toolbar | Role::Keyboard
        );
        let around = node.parent().is_some_and(|up| bars[up.id().index()]);
        bars.push(own || around);
    }
    let roots = snapshot.nodes().map(|node| node.role().is_root());
    bars.iter()
        .zip(roots)
        .map(|(bar, root)| *bar || root)
        .collect()
}
