//! One element of a snapshot.

use serde::Serialize;

use super::Snapshot;
use crate::{
    geometry::{Direction, Rect},
    role::Role,
};

/// The position of a node in its snapshot, in document order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct NodeId(u32);

impl NodeId {
    pub(super) const NONE: u32 = u32::MAX;

    /// The id of the node at `index`.
    ///
    /// # Panics
    ///
    /// When `index` is not below `u32::MAX`; no snapshot is that large.
    pub fn at(index: usize) -> Self {
        let index = u32::try_from(index).expect("a snapshot holds fewer than 2^32 nodes");
        Self(index)
    }

    /// The position.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn raw(self) -> u32 {
        self.0
    }

    pub(super) fn from_raw(raw: u32) -> Option<Self> {
        (raw != Self::NONE).then_some(Self(raw))
    }
}

/// A piece of the snapshot's text buffer, or its absence.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextRange {
    start: u32,
    len: u32,
}

impl TextRange {
    pub(super) const ABSENT: Self = Self {
        start: u32::MAX,
        len: 0,
    };

    pub(super) fn new(start: usize, end: usize) -> Option<Self> {
        Some(Self {
            start: u32::try_from(start)
                .ok()
                .filter(|start| *start != u32::MAX)?,
            len: u32::try_from(end - start).ok()?,
        })
    }

    pub(super) fn of(self, text: &str) -> Option<&str> {
        if self.start == u32::MAX {
            return None;
        }
        let start = self.start as usize;
        text.get(start..start + self.len as usize)
    }
}

/// The texts of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum TextField {
    /// What the element is called: its accessible name.
    Label,
    /// What it holds: the content of a field, the state of a slider.
    Value,
    /// The developer's name for it: resource id, accessibility identifier, `id` attribute.
    Identifier,
    /// The platform's own word for its kind: class name, element type, tag.
    NativeType,
    /// The hint that an empty field shows.
    Placeholder,
    /// A further description.
    Description,
    /// By what the backend finds the element again. Opaque to everyone else.
    Handle,
}

impl TextField {
    pub(super) const COUNT: usize = 7;
}

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// A fact that is true, false, or absent because nobody reported it. Absent is not false.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum Flag {
            $($(#[$doc])* $name,)*
        }

        impl Flag {
            /// Every flag.
            pub const ALL: &[Flag] = &[$(Flag::$name,)*];

            /// The key in JSON.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Flag::$name => $word,)*
                }
            }

            pub(super) fn bit(self) -> u32 {
                1 << (self as u32)
            }
        }
    };
}

flags! {
    /// It reacts to input.
    Enabled = "enabled",
    /// It is the chosen one.
    Selected = "selected",
    /// A box that can be checked is checked.
    Checked = "checked",
    /// A box that can be checked is in the mixed state.
    Mixed = "mixed",
    /// It has the input focus.
    Focused = "focused",
    /// What it can open is open.
    Expanded = "expanded",
    /// A toggle button is pressed.
    Pressed = "pressed",
    /// Text can be put in.
    Editable = "editable",
    /// Text can't be changed.
    ReadOnly = "readOnly",
    /// It must be filled in.
    Required = "required",
    /// Its content is secret and was not read.
    Secure = "password",
    /// The text that it shows is its hint, not its content.
    HintShowing = "hintShowing",
    /// It is a heading.
    Heading = "heading",
    /// A touch at its centre reaches it.
    Hittable = "hittable",
    /// The platform says that people can see it.
    VisibleToUser = "visibleToUser",
    /// It reacts to touches of its own.
    Interactive = "interactive",
    /// Its content can be moved.
    Scrollable = "scrollable",
    /// It is excluded from interaction as a part of something inert.
    Inert = "inert",
    /// Its content could not be looked into (a foreign frame).
    Opaque = "opaque",
    /// Its label was cut.
    TextCut = "textCut",
    /// It holds no information of its own; it may be folded into its parent in a view.
    Transparent = "transparent",
}

/// The sides of a scroll container beyond which there is more content, or of which an element lies outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sides(u8);

impl Sides {
    /// No side.
    pub const NONE: Self = Self(0);

    fn bit(direction: Direction) -> u8 {
        match direction {
            Direction::Up => 1,
            Direction::Down => 2,
            Direction::Left => 4,
            Direction::Right => 8,
        }
    }

    /// The sides of which `present` is true.
    pub fn from_fn(present: impl Fn(Direction) -> bool) -> Self {
        Direction::ALL
            .into_iter()
            .filter(|direction| present(*direction))
            .fold(Self::NONE, Self::with)
    }

    /// With this side added.
    #[must_use]
    pub fn with(self, direction: Direction) -> Self {
        Self(self.0 | Self::bit(direction))
    }

    /// Whether the side is among them.
    pub fn has(self, direction: Direction) -> bool {
        self.0 & Self::bit(direction) != 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The sides.
    pub fn iter(self) -> impl Iterator<Item = Direction> {
        Direction::ALL
            .into_iter()
            .filter(move |direction| self.has(*direction))
    }
}

/// The state of a check box, switch or toggle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Checked {
    /// Off.
    Off,
    /// On.
    On,
    /// Neither, or both.
    Mixed,
}

#[derive(Clone, Debug)]
pub(super) struct NodeData {
    pub(super) bounds: Rect,
    pub(super) texts: [TextRange; TextField::COUNT],
    pub(super) parent: u32,
    /// One past the last descendant.
    pub(super) end: u32,
    pub(super) covered_by: u32,
    pub(super) known: u32,
    pub(super) set: u32,
    pub(super) depth: u16,
    pub(super) role: Role,
    pub(super) level: u8,
    pub(super) hidden: Sides,
    pub(super) outside: Sides,
    pub(super) has_bounds: bool,
}

impl NodeData {
    /// Whether it can't be seen and has a length without a breadth.
    pub(super) fn clips_to_a_line(&self) -> bool {
        let invisible = Flag::VisibleToUser.bit();
        let Rect { width, height, .. } = self.bounds;
        self.has_bounds
            && self.known & invisible != 0
            && self.set & invisible == 0
            && ((width <= 0.0 && height > 0.0) || (height <= 0.0 && width > 0.0))
    }
}

/// One element of a snapshot, borrowed from it.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) data: &'a NodeData,
    pub(super) id: NodeId,
}

impl<'a> Node<'a> {
    /// Its position in document order.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// What it is.
    pub fn role(self) -> Role {
        self.data.role
    }

    /// How deep it lies; a root is at 0.
    pub fn depth(self) -> u16 {
        self.data.depth
    }

    /// One of its texts; `None` when the device reported none, which is not the same as empty. The value of a secret field is
    /// never given, whatever a decoder has stored.
    pub fn text_field(self, field: TextField) -> Option<&'a str> {
        if field == TextField::Value && self.is(Flag::Secure) {
            return None;
        }
        self.snapshot.text(self.data.texts[field as usize])
    }

    /// What it is called.
    pub fn label(self) -> Option<&'a str> {
        self.text_field(TextField::Label)
    }

    /// What it holds. Never the content of a secret field.
    pub fn value(self) -> Option<&'a str> {
        self.text_field(TextField::Value)
    }

    /// The developer's name for it.
    pub fn identifier(self) -> Option<&'a str> {
        self.text_field(TextField::Identifier)
    }

    /// The platform's own word for its kind.
    pub fn native_type(self) -> Option<&'a str> {
        self.text_field(TextField::NativeType)
    }

    /// The hint that it shows while empty.
    pub fn placeholder(self) -> Option<&'a str> {
        self.text_field(TextField::Placeholder)
    }

    /// By what the backend finds it again.
    pub fn handle(self) -> Option<&'a str> {
        self.text_field(TextField::Handle)
    }

    /// The first of label, value and identifier that is not empty.
    pub fn text(self) -> Option<&'a str> {
        [TextField::Label, TextField::Value, TextField::Identifier]
            .into_iter()
            .filter_map(|field| self.text_field(field))
            .find(|text| !text.is_empty())
    }

    /// Where it is, if the device said so.
    pub fn bounds(self) -> Option<Rect> {
        self.data.has_bounds.then_some(self.data.bounds)
    }

    /// Where it is, if something there can be touched.
    pub fn usable_bounds(self) -> Option<Rect> {
        self.bounds().filter(|bounds| bounds.is_usable())
    }

    /// A fact; `None` when nobody reported it.
    pub fn flag(self, flag: Flag) -> Option<bool> {
        (self.data.known & flag.bit() != 0).then_some(self.data.set & flag.bit() != 0)
    }

    /// Whether a fact is known to be true.
    pub fn is(self, flag: Flag) -> bool {
        self.data.set & flag.bit() != 0
    }

    /// The state of a check box, switch or toggle; `None` for an element that has none.
    pub fn checked(self) -> Option<Checked> {
        match (self.flag(Flag::Mixed), self.flag(Flag::Checked)) {
            (Some(true), _) => Some(Checked::Mixed),
            (_, Some(true)) => Some(Checked::On),
            (_, Some(false)) => Some(Checked::Off),
            _ => None,
        }
    }

    /// The level of a heading or tree entry.
    pub fn level(self) -> Option<u8> {
        (self.data.level > 0).then_some(self.data.level)
    }

    /// The element that lies over it.
    pub fn covered_by(self) -> Option<Node<'a>> {
        NodeId::from_raw(self.data.covered_by).and_then(|id| self.snapshot.get(id))
    }

    /// Whether the device reported that something lies over it.
    pub fn is_covered(self) -> bool {
        self.data.covered_by != NodeId::NONE
    }

    /// The sides on which it hides more content. For scroll containers.
    pub fn hidden_content(self) -> Sides {
        self.data.hidden
    }

    /// The sides of its scroll container or of the screen beyond which it lies; none when it can be seen.
    pub fn outside(self) -> Sides {
        self.data.outside
    }

    /// The element around it.
    pub fn parent(self) -> Option<Node<'a>> {
        NodeId::from_raw(self.data.parent).and_then(|id| self.snapshot.get(id))
    }

    /// The elements around it, nearest first.
    pub fn ancestors(self) -> impl Iterator<Item = Node<'a>> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// The elements in it, at any depth, in document order.
    pub fn descendants(self) -> impl Iterator<Item = Node<'a>> {
        (self.id.raw() + 1..self.data.end).filter_map(move |raw| self.snapshot.get(NodeId(raw)))
    }

    /// The elements directly in it.
    pub fn children(self) -> impl Iterator<Item = Node<'a>> {
        let first = self.snapshot.get(NodeId(self.id.raw() + 1));
        let end = self.data.end;
        std::iter::successors(first, move |node| self.snapshot.get(NodeId(node.data.end)))
            .take_while(move |node| node.id.raw() < end)
    }

    /// Whether `self` lies around `other`.
    pub fn is_ancestor_of(self, other: Node<'_>) -> bool {
        self.id < other.id && other.id.raw() < self.data.end
    }

    /// The snapshot that holds it.
    pub fn snapshot(self) -> &'a Snapshot {
        self.snapshot
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node")
            .field("id", &self.id.raw())
            .field("role", &self.role().as_str())
            .field("bounds", &self.bounds())
            .finish_non_exhaustive()
    }
}
