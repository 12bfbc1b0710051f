//! What of a tree a caller sees: the regular, interactive and raw presentation, scope, depth, and the line form.
//!
//! interactive ⊆ regular ⊆ raw holds for source nodes by construction: each predicate only adds reasons to remove. Every
//! source node gets a [`Disposition`], so nothing disappears without a word.

use std::fmt::{self, Write as _};

use serde::Serialize;

use super::{Checked, Flag, Node, NodeId, Sides, Snapshot};
use crate::geometry::{Direction, Rect};

/// How a tree is taken and presented.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureOptions {
    /// Only what can be acted on. The normal view for acting.
    pub interactive_only: bool,
    /// The faithful tree of the device: noisy, an error stays an error, never compared.
    pub raw: bool,
    /// Only this many levels of the presented tree.
    pub depth: Option<u16>,
    /// Only the subtree of the first node, in document order, whose label, value or identifier contains this text without
    /// case. Nothing matches: an empty view, never the whole tree.
    pub scope: Option<String>,
}

impl CaptureOptions {
    /// The user-visible tree.
    pub fn regular() -> Self {
        Self::default()
    }

    /// Only what can be acted on.
    pub fn interactive() -> Self {
        Self {
            interactive_only: true,
            ..Self::default()
        }
    }

    /// The faithful tree of the device.
    pub fn raw() -> Self {
        Self {
            raw: true,
            ..Self::default()
        }
    }
}

/// Why a source node is in a view or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disposition {
    /// It is in the view.
    Presented,
    /// It holds no information of its own; its children take its place.
    Folded,
    /// It lies outside its scroll container or the screen; the container has a hint instead.
    OutOfSight,
    /// The platform says that nobody can see it.
    Invisible,
    /// It can't be acted on.
    NotActionable,
    /// It lies outside the scope.
    OutOfScope,
    /// It lies deeper than asked for.
    TooDeep,
}

/// A node of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewNode {
    /// The source node.
    pub id: NodeId,
    /// How deep it lies among the presented nodes.
    pub depth: u16,
    /// The position in the view of the presented node around it.
    pub parent: Option<u32>,
    /// The sides on which it hides more content.
    pub hidden: Sides,
}

/// What of a tree a caller sees.
pub struct View<'a> {
    snapshot: &'a Snapshot,
    nodes: Vec<ViewNode>,
    dispositions: Vec<Disposition>,
    options: CaptureOptions,
    /// For each presented scroll container and side: how many elements lie there, and the labels of the first three.
    hidden: Vec<HiddenContent<'a>>,
}

/// What lies beyond one side of a scroll container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenContent<'a> {
    /// The container.
    pub container: NodeId,
    /// The side.
    pub side: Direction,
    /// How many elements that can be acted on lie there.
    pub count: usize,
    /// The texts of the first three.
    pub labels: Vec<&'a str>,
}

impl<'a> View<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, options: &CaptureOptions) -> Self {
        let mut view = Self {
            snapshot,
            nodes: Vec::with_capacity(snapshot.len()),
            dispositions: Vec::with_capacity(snapshot.len()),
            options: options.clone(),
            hidden: Vec::new(),
        };
        let scope = match &options.scope {
            None => Some(0..snapshot.len()),
            Some(text) => view.scope_of(text),
        };
        // Position in the view of the nearest presented node around, for each open source node.
        let mut path: Vec<(u32, Option<u32>)> = Vec::new();
        for node in snapshot.nodes() {
            while path.last().is_some_and(|(end, _)| *end <= node.id().raw()) {
                path.pop();
            }
            let parent = path.last().and_then(|(_, parent)| *parent);
            let depth = parent.map_or(0, |at| view.nodes[at as usize].depth.saturating_add(1));
            let disposition = match &scope {
                Some(scope) if scope.contains(&node.id().index()) => {
                    judge(node, options, depth, scope.start == node.id().index())
                }
                _ => Disposition::OutOfScope,
            };
            view.dispositions.push(disposition);
            let at = if disposition == Disposition::Presented {
                let at = u32::try_from(view.nodes.len()).unwrap_or(u32::MAX);
                view.nodes.push(ViewNode {
                    id: node.id(),
                    depth,
                    parent,
                    hidden: node.hidden_content(),
                });
                Some(at)
            } else {
                if disposition == Disposition::OutOfSight {
                    view.note_hidden(node, parent);
                }
                parent
            };
            path.push((node.data.end, at));
        }
        view
    }

    fn scope_of(&self, text: &str) -> Option<std::ops::Range<usize>> {
        let wanted = text.to_lowercase();
        let contains =
            |text: Option<&str>| text.is_some_and(|text| text.to_lowercase().contains(&wanted));
        self.snapshot
            .nodes()
            .find(|node| {
                contains(node.label()) || contains(node.value()) || contains(node.identifier())
            })
            .map(|node| node.id().index()..node.data.end as usize)
    }

    fn note_hidden(&mut self, node: Node<'a>, parent: Option<u32>) {
        let mut at = parent;
        let container = loop {
            let Some(index) = at else { return };
            let candidate = self.nodes[index as usize];
            let source = self.snapshot.get(candidate.id);
            if source.is_some_and(|node| scrolls(node) || node.parent().is_none()) {
                break index;
            }
            at = candidate.parent;
        };
        let container = &mut self.nodes[container as usize];
        for side in node.outside().iter() {
            container.hidden = container.hidden.with(side);
            if !is_actionable(node) {
                continue;
            }
            let found = self
                .hidden
                .iter_mut()
                .find(|hidden| hidden.container == container.id && hidden.side == side);
            let entry = match found {
                Some(entry) => entry,
                None => {
                    self.hidden.push(HiddenContent {
                        container: container.id,
                        side,
                        count: 0,
                        labels: Vec::new(),
                    });
                    self.hidden.last_mut().expect("pushed above")
                }
            };
            entry.count += 1;
            if entry.labels.len() < 3
                && let Some(text) = node.text()
            {
                entry.labels.push(text);
            }
        }
    }

    /// The presented nodes in document order.
    pub fn nodes(&self) -> &[ViewNode] {
        &self.nodes
    }

    /// The presented source nodes in document order.
    pub fn iter(&self) -> impl Iterator<Item = Node<'a>> {
        self.nodes
            .iter()
            .filter_map(|node| self.snapshot.get(node.id))
    }

    /// What became of each source node, by its position.
    pub fn dispositions(&self) -> &[Disposition] {
        &self.dispositions
    }

    /// What lies beyond the sides of scroll containers.
    pub fn hidden_content(&self) -> &[HiddenContent<'a>] {
        &self.hidden
    }

    /// The snapshot behind the view.
    pub fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// The options of the view.
    pub fn options(&self) -> &CaptureOptions {
        &self.options
    }

    /// The number of a node's ref in this view: 12 for `@e12`; `None` when it isn't in the view. Dense, from 1.
    pub fn ref_number(&self, id: NodeId) -> Option<usize> {
        self.nodes
            .binary_search_by_key(&id, |node| node.id)
            .ok()
            .map(|at| at + 1)
    }

    /// One line of the compact form: indent, ref, role, label, flags.
    pub fn line(&self, at: usize) -> Option<Line<'a>> {
        let node = self.nodes.get(at)?;
        Some(Line {
            node: self.snapshot.get(node.id)?,
            depth: node.depth,
            hidden: node.hidden,
            number: Some(at + 1),
        })
    }

    /// The compact form: one line for each presented node.
    pub fn lines(&self) -> impl Iterator<Item = Line<'a>> {
        (0..self.nodes.len()).filter_map(|at| self.line(at))
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("nodes", &self.nodes.len())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

fn judge(node: Node<'_>, options: &CaptureOptions, depth: u16, scope_root: bool) -> Disposition {
    if options.depth.is_some_and(|max| depth >= max) {
        return Disposition::TooDeep;
    }
    if options.raw {
        return Disposition::Presented;
    }
    if node.flag(Flag::VisibleToUser) == Some(false) {
        return Disposition::Invisible;
    }
    if !node.outside().is_empty() && !scope_root {
        return Disposition::OutOfSight;
    }
    if node.is(Flag::Transparent) && !scope_root {
        return Disposition::Folded;
    }
    if options.interactive_only && !is_actionable(node) {
        return Disposition::NotActionable;
    }
    Disposition::Presented
}

fn scrolls(node: Node<'_>) -> bool {
    node.is(Flag::Scrollable) || (node.role().scrolls() && node.flag(Flag::Scrollable).is_none())
}

/// Whether an element belongs into the interactive view.
fn is_actionable(node: Node<'_>) -> bool {
    node.is(Flag::Interactive)
        || node.is(Flag::Editable)
        || node.is(Flag::Focused)
        || node.role().is_touch_target()
        || node.role().is_root()
        || (scrolls(node) && !node.hidden_content().is_empty())
        || matches!(
            node.role(),
            crate::role::Role::Alert | crate::role::Role::Dialog | crate::role::Role::Sheet
        )
}

impl super::SnapshotBuilder {
    /// Works out which nodes lie outside their scroll container or the viewport, for backends whose device doesn't say. Call
    /// it once, after the last node. Nodes for which the backend has said it already keep their sides.
    ///
    /// A platform that clips places to the display leaves a line of what lies beside it: an invisible node without width or
    /// without height on an edge lies beyond that edge.
    pub fn derive_outside(&mut self, viewport: Option<Rect>) {
        // What is still open would end at its first child.
        self.close_to(0);
        let mut path: Vec<(u32, Option<Rect>)> = Vec::new();
        for index in 0..self.len() {
            let raw = index as u32;
            while path.last().is_some_and(|(end, _)| *end <= raw) {
                path.pop();
            }
            let clip = path.last().map_or(viewport, |(_, clip)| *clip);
            let Some(data) = self.node_mut(index) else {
                return;
            };
            let bounds = (data.has_bounds && data.bounds.is_usable()).then_some(data.bounds);
            if let Some(clip) = clip
                && data.outside.is_empty()
            {
                data.outside = match bounds {
                    Some(bounds) => beyond(bounds, clip),
                    None if data.clips_to_a_line() => at_an_edge(data.bounds, clip),
                    None => Sides::NONE,
                };
            }
            let clips = data.set & Flag::Scrollable.bit() != 0
                || (data.role.scrolls() && data.known & Flag::Scrollable.bit() == 0);
            let inner = match bounds {
                Some(bounds) if clips => {
                    // An empty intersection clips everything away: keep the container's own rectangle, so that its content
                    // is judged against something.
                    clip.map_or(Some(bounds), |clip| {
                        bounds.intersection(clip).or(Some(bounds))
                    })
                }
                _ => clip,
            };
            let end = data.end;
            path.push((end.max(raw + 1), inner));
        }
    }
}

/// The sides of `clip` beyond which `bounds` lies.
fn beyond(bounds: Rect, clip: Rect) -> Sides {
    Sides::from_fn(|side| match side {
        Direction::Up => bounds.bottom() < clip.y,
        Direction::Down => bounds.y > clip.bottom(),
        Direction::Left => bounds.right() < clip.x,
        Direction::Right => bounds.x > clip.right(),
    })
}

/// The side of `clip` to which a place was clipped.
fn at_an_edge(line: Rect, clip: Rect) -> Sides {
    let upright = line.width <= 0.0;
    Sides::from_fn(|side| match side {
        Direction::Up => !upright && line.bottom() <= clip.y,
        Direction::Down => !upright && line.y >= clip.bottom(),
        Direction::Left => upright && line.right() <= clip.x,
        Direction::Right => upright && line.x >= clip.right(),
    })
}

/// One line of the compact form of a view.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    pub(super) node: Node<'a>,
    pub(super) depth: u16,
    pub(super) hidden: Sides,
    pub(super) number: Option<usize>,
}

impl<'a> Line<'a> {
    /// The line of a node without a ref, for error messages.
    pub fn bare(node: Node<'a>) -> Self {
        Self {
            node,
            depth: 0,
            hidden: node.hidden_content(),
            number: None,
        }
    }

    /// Without indentation.
    #[must_use]
    pub fn flat(self) -> Self {
        Self { depth: 0, ..self }
    }

    /// Without its ref: what is compared in a diff.
    #[must_use]
    pub fn without_ref(self) -> Self {
        Self {
            number: None,
            ..self
        }
    }

    /// The source node.
    pub fn node(&self) -> Node<'a> {
        self.node
    }

    /// The number of its ref.
    pub fn number(&self) -> Option<usize> {
        self.number
    }
}

/// Texts longer than this, or of several lines, are summarised.
const LONG_TEXT: usize = 80;
/// To how many characters a summary is cut.
const SUMMARY: usize = 48;

/// Writes a text in quotes on one line, cut when it is long.
fn write_summary(out: &mut impl fmt::Write, text: &str) -> fmt::Result {
    let long = text.chars().nth(LONG_TEXT).is_some() || text.contains(['\n', '\r']);
    let cut = if long { SUMMARY } else { usize::MAX };
    out.write_char('"')?;
    let mut characters = text.chars();
    for c in characters.by_ref().take(cut) {
        write_escaped(out, c)?;
    }
    let rest = characters.count();
    out.write_char('"')?;
    if rest > 0 {
        write!(out, "…(+{rest})")?;
    }
    Ok(())
}

fn write_escaped(out: &mut impl fmt::Write, c: char) -> fmt::Result {
    match c {
        '"' => out.write_str("\\\""),
        '\\' => out.write_str("\\\\"),
        '\n' => out.write_str("\\n"),
        c if c.is_control() || turns_text(c) => write!(out, "\\u{{{:x}}}", c as u32),
        c => out.write_char(c),
    }
}

/// The marks that let text run the other way, by Unicode's Bidi_Control: with them a label can show as another one.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text as lines show it, whole.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        // Writing to a `String` does not fail.
        let _ = write_escaped(&mut out, c);
    }
    out
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = self.node;
        for _ in 0..self.depth {
            f.write_str("  ")?;
        }
        if let Some(number) = self.number {
            write!(f, "@e{number} ")?;
        }
        write!(f, "[{}]", node.role().as_str())?;
        if let Some(label) = node.label().filter(|label| !label.is_empty()) {
            f.write_char(' ')?;
            write_summary(f, label)?;
        }
        if let Some(value) = node.value().filter(|value| Some(*value) != node.label()) {
            f.write_str(" value=")?;
            write_summary(f, value)?;
        }
        if let Some(identifier) = node.identifier().filter(|text| !text.is_empty()) {
            f.write_str(" id=")?;
            write_summary(f, identifier)?;
        }
        let mut flags = Vec::new();
        if node.flag(Flag::Enabled) == Some(false) {
            flags.push("disabled");
        }
        match node.checked() {
            Some(Checked::On) => flags.push("checked"),
            Some(Checked::Off) => flags.push("unchecked"),
            Some(Checked::Mixed) => flags.push("mixed"),
            None => {}
        }
        for (flag, word) in [
            (Flag::Selected, "selected"),
            (Flag::Focused, "focused"),
            (Flag::Expanded, "expanded"),
            (Flag::Pressed, "pressed"),
            (Flag::Secure, "secure"),
            (Flag::HintShowing, "hint"),
            (Flag::Inert, "inert"),
            (Flag::Opaque, "opaque"),
        ] {
            if node.is(flag) {
                flags.push(word);
            }
        }
        if node.is_covered() {
            flags.push("covered");
        }
        for side in self.hidden.iter() {
            flags.push(match side {
                Direction::Up => "more-above",
                Direction::Down => "more-below",
                Direction::Left => "more-left",
                Direction::Right => "more-right",
            });
        }
        for side in node.outside().iter() {
            flags.push(match side {
                Direction::Up => "out-above",
                Direction::Down => "out-below",
                Direction::Left => "out-left",
                Direction::Right => "out-right",
            });
        }
        if !flags.is_empty() {
            write!(f, " [{}]", flags.join(" "))?;
        }
        Ok(())
    }
}

impl fmt::Display for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.lines() {
            writeln!(f, "{line}")?;
        }
        for hidden in &self.hidden {
            let number = self.ref_number(hidden.container).unwrap_or_default();
            write!(
                f,
                "… @e{number} {}: {} more",
                hidden.side.as_str(),
                hidden.count
            )?;
            for (at, label) in hidden.labels.iter().enumerate() {
                f.write_str(if at == 0 { ": " } else { ", " })?;
                write_summary(f, label)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
