//! From a name to a touch point: the resolution pipeline.
//!
//! The stages run in one order: candidacy → match and ambiguity → promotion → occlusion → off-screen → touch point → keyboard.
//! A caller names one policy; a policy that skips a stage says so as a value. The stages themselves are private, so no
//! caller can forget one. Nothing here captures or acts.

mod geometry;
mod refs;
mod refuse;

pub(crate) use refs::RefFrames;
pub use refs::{Ref, RefFrame};
pub(crate) use refuse::Refusal;

use std::sync::Arc;

use serde::Serialize;

use crate::{
    error::Error,
    geometry::{Point, Rect},
    role::Role,
    selector::{self, Selector, is_editable, normalize},
    snapshot::{Flag, Node, NodeId, Snapshot, Target},
};

/// How a caller names what it means.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum By {
    /// By its properties.
    Selector(Selector),
    /// By the ref that a snapshot gave it.
    Ref(Ref),
    /// By a place. Says nothing about what is there.
    Point(Point),
    /// By a part of its text, best match first.
    Find(Find),
}

impl From<Selector> for By {
    fn from(selector: Selector) -> Self {
        Self::Selector(selector)
    }
}

impl From<Ref> for By {
    fn from(reference: Ref) -> Self {
        Self::Ref(reference)
    }
}

impl From<Point> for By {
    fn from(point: Point) -> Self {
        Self::Point(point)
    }
}

impl From<Find> for By {
    fn from(find: Find) -> Self {
        Self::Find(find)
    }
}

/// Finds by a part of a text: a whole match beats one that only contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Find {
    field: FindField,
    wanted: String,
    normal: String,
    pick: Pick,
}

/// Where [`Find`] looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FindField {
    /// In label, value and identifier.
    #[default]
    Any,
    /// In the first of label, value and identifier that is not empty.
    Text,
    /// In the label.
    Label,
    /// In the value.
    Value,
    /// In the word of the role.
    Role,
    /// In the identifier.
    Id,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pick {
    Only,
    First,
    Last,
}

impl Find {
    /// Elements of which label, value or identifier contains this, without case.
    pub fn new(wanted: impl Into<String>) -> Self {
        let wanted = wanted.into();
        Self {
            field: FindField::Any,
            normal: normalize(&wanted).collect(),
            wanted,
            pick: Pick::Only,
        }
    }

    /// Looks only there.
    #[must_use]
    pub fn within(mut self, field: FindField) -> Self {
        self.field = field;
        self
    }

    /// Of several, takes the first in document order.
    #[must_use]
    pub fn first(mut self) -> Self {
        self.pick = Pick::First;
        self
    }

    /// Of several, takes the last in document order.
    #[must_use]
    pub fn last(mut self) -> Self {
        self.pick = Pick::Last;
        self
    }

    fn score(&self, node: Node<'_>) -> u8 {
        let one = |text: Option<&str>| {
            let Some(text) = text else { return 0 };
            let text: String = normalize(text).collect();
            match text {
                text if text == self.normal => 2,
                text if text.contains(&self.normal) => 1,
                _ => 0,
            }
        };
        match self.field {
            FindField::Any => one(node.label())
                .max(one(node.value()))
                .max(one(node.identifier())),
            FindField::Text => one(node.text()),
            FindField::Label => one(node.label()),
            FindField::Value => one(node.value()),
            FindField::Role => one(Some(node.role().as_str())),
            FindField::Id => one(node.identifier()),
        }
    }
}

impl By {
    /// Refuses what names nothing, before anything is looked for: everyone who takes a [`By`] calls this first.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self {
            Self::Selector(selector) => selector.check(),
            Self::Find(find) if find.normal.is_empty() => {
                Err(Error::invalid("find", "there is no text to find"))
            }
            Self::Point(point) => point.check(),
            Self::Find(find) => selector::check_length("find", find.wanted.len()),
            Self::Ref(_) => Ok(()),
        }
    }

    /// The key of the detail in which an error names it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Selector(_) | Self::Find(_) => "selector",
            Self::Ref(_) => "ref",
            Self::Point(_) => "point",
        }
    }
}

impl std::fmt::Display for By {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Selector(selector) => selector.fmt(f),
            Self::Ref(reference) => reference.fmt(f),
            Self::Point(point) => write!(f, "({}, {})", point.x, point.y),
            Self::Find(find) => write!(f, "find {:?}", find.wanted),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ambiguity {
    /// Several are refused with the candidates. Geometry never decides.
    Reject,
    /// Several are refused when visibility, depth and area don't single one out. Reads only.
    Disambiguate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occlusion {
    /// Covered elements are no candidates; if nothing else matches, the covered one is named.
    ExcludeAndRefuse,
    Ignore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promotion {
    /// A touch goes to the element that reacts to it.
    HittableAncestor,
    None,
}

/// How one kind of command resolves its target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    ambiguity: Ambiguity,
    needs_bounds: bool,
    occlusion: Occlusion,
    refuse_offscreen: bool,
    refuse_disabled: bool,
    promotion: Promotion,
    prefers_fields: bool,
}

impl Policy {
    /// Press and long press.
    pub(crate) const PROMOTED_TARGET: Self = Self {
        ambiguity: Ambiguity::Reject,
        needs_bounds: true,
        occlusion: Occlusion::ExcludeAndRefuse,
        refuse_offscreen: true,
        refuse_disabled: true,
        promotion: Promotion::HittableAncestor,
        prefers_fields: false,
    };
    /// Hover, focus and the ends of a drag: the element itself.
    pub(crate) const RESOLVED_TARGET: Self = Self {
        promotion: Promotion::None,
        refuse_disabled: false,
        ..Self::PROMOTED_TARGET
    };
    /// Fill and type: the field itself takes the text.
    pub(crate) const FIELD: Self = Self {
        prefers_fields: true,
        refuse_disabled: true,
        ..Self::RESOLVED_TARGET
    };
    /// Reading a text: the most plausible one, and which rule chose it is disclosed.
    pub(crate) const READ_TEXT: Self = Self {
        ambiguity: Ambiguity::Disambiguate,
        needs_bounds: false,
        occlusion: Occlusion::Ignore,
        refuse_offscreen: false,
        refuse_disabled: false,
        promotion: Promotion::None,
        prefers_fields: false,
    };
    /// Reading facts of one element, and checking them.
    pub(crate) const READ_UNIQUE: Self = Self {
        ambiguity: Ambiguity::Reject,
        ..Self::READ_TEXT
    };
    /// The container of a scroll: the element itself, wherever it is.
    pub(crate) const CONTAINER: Self = Self {
        needs_bounds: true,
        refuse_offscreen: true,
        ..Self::READ_UNIQUE
    };
}

/// How the winner was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResolutionKind {
    /// One element matched.
    Unique,
    /// Several matched and a rule chose one.
    Disambiguated,
    /// A ref named it.
    Exact,
    /// The caller named a place.
    NotObserved,
}

/// Which rule chose among several matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Tiebreak {
    /// They lie in one another and all mean the same element.
    StructuralEquivalence,
    /// One is a control and the others are plain text, such as its caption.
    Control,
    /// Only one takes text.
    Field,
    /// Only one is in sight.
    Visible,
    /// It lies deepest.
    Deepest,
    /// It is the smallest.
    SmallestArea,
    /// The caller asked for the first or last.
    Position,
}

/// How the target was found, for the caller.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolutionInfo {
    /// How.
    pub kind: ResolutionKind,
    /// How many elements matched.
    pub match_count: usize,
    /// Which rule chose, if several matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiebreak: Option<Tiebreak>,
    /// At most 5 of the elements that were not chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
    /// Why the element that is touched is another one than the one that matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promotion: Option<&'static str>,
}

impl ResolutionInfo {
    fn exact() -> Self {
        Self {
            kind: ResolutionKind::Exact,
            match_count: 1,
            tiebreak: None,
            alternatives: Vec::new(),
            promotion: None,
        }
    }

    pub(crate) fn not_observed() -> Self {
        Self {
            kind: ResolutionKind::NotObserved,
            match_count: 0,
            ..Self::exact()
        }
    }
}

/// A resolved target.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub(crate) target: Target,
    pub(crate) point: Point,
    pub(crate) info: ResolutionInfo,
}

impl Resolved {
    /// `Some(false)` when the platform says that a touch would not reach it: told, never refused, because such flags are
    /// unreliable on deep trees.
    pub(crate) fn hittable(&self) -> Option<bool> {
        self.target.node().flag(Flag::Hittable)
    }
}

/// A winner among the matches.
struct Winner<'a> {
    node: Node<'a>,
    info: ResolutionInfo,
}

/// Resolves a selector or a find in `snapshot`.
pub(crate) fn resolve(
    snapshot: &Arc<Snapshot>,
    by: &By,
    policy: Policy,
    keyboard: Option<Rect>,
) -> Result<Resolved, Refusal> {
    let winner = choose(snapshot, by, policy)?;
    settle_target(snapshot, winner, policy, keyboard, None)
}

/// Resolves the element that a ref names.
pub(crate) fn resolve_node(
    snapshot: &Arc<Snapshot>,
    id: NodeId,
    policy: Policy,
    keyboard: Option<Rect>,
) -> Result<Resolved, Refusal> {
    let node = snapshot.get(id).ok_or(Refusal::NotFound)?;
    let info = ResolutionInfo::exact();
    settle_target(snapshot, Winner { node, info }, policy, keyboard, None)
}

/// Goes on with an element that was refused as off-screen, at the place where the device says that it is.
pub(crate) fn resolve_rescued(
    snapshot: &Arc<Snapshot>,
    id: NodeId,
    info: ResolutionInfo,
    policy: Policy,
    live: Rect,
) -> Result<Resolved, Refusal> {
    let node = snapshot.get(id).ok_or(Refusal::NotFound)?;
    // It was promoted before it was refused.
    let policy = Policy {
        promotion: Promotion::None,
        ..policy
    };
    let keyboard = keyboard_band(snapshot);
    settle_target(
        snapshot,
        Winner { node, info },
        policy,
        keyboard,
        Some(live),
    )
}

/// Every match in document order, for lists and predicates.
pub(crate) fn matches<'a>(snapshot: &'a Snapshot, by: &By) -> Vec<Node<'a>> {
    match by {
        By::Selector(selector) => selector
            .alternatives()
            .iter()
            .map(|alternative| {
                snapshot
                    .nodes()
                    .filter(|node| alternative.matches(*node))
                    .collect::<Vec<_>>()
            })
            .find(|found| !found.is_empty())
            .unwrap_or_default(),
        By::Find(find) => {
            let scored: Vec<_> = snapshot
                .nodes()
                .map(|node| (find.score(node), node))
                .filter(|(score, _)| *score > 0)
                .collect();
            let best = scored.iter().map(|(score, _)| *score).max();
            scored
                .into_iter()
                .filter(|(score, _)| Some(*score) == best)
                .map(|(_, node)| node)
                .collect()
        }
        By::Ref(_) | By::Point(_) => Vec::new(),
    }
}

// --- candidacy, match and ambiguity ---------------------------------------------------------------------------------------

fn choose<'a>(snapshot: &'a Arc<Snapshot>, by: &By, policy: Policy) -> Result<Winner<'a>, Refusal> {
    // Alternatives are tried in order: one whose only matches are covered gives way to the next, and is named if none is left.
    let groups: Vec<Vec<Node<'a>>> = match by {
        By::Selector(selector) => selector
            .alternatives()
            .iter()
            .map(|alternative| {
                snapshot
                    .nodes()
                    .filter(|node| alternative.matches(*node))
                    .collect()
            })
            .collect(),
        other => vec![matches(snapshot, other)],
    };
    let mut covered = None;
    for mut found in groups {
        if found.is_empty() {
            continue;
        }
        if policy.occlusion == Occlusion::ExcludeAndRefuse {
            let first = found[0];
            found.retain(|node| geometry::cover_of(*node).is_none());
            if found.is_empty() {
                covered.get_or_insert(first);
                continue;
            }
        }
        return pick(found, by, policy);
    }
    Err(match covered {
        Some(node) => Refusal::covered(node),
        None => Refusal::NotFound,
    })
}

fn pick<'a>(mut found: Vec<Node<'a>>, by: &By, policy: Policy) -> Result<Winner<'a>, Refusal> {
    let match_count = found.len();
    let win = |node: Node<'a>, tiebreak: Option<Tiebreak>, found: &[Node<'a>]| Winner {
        node,
        info: ResolutionInfo {
            kind: if match_count == 1 {
                ResolutionKind::Unique
            } else {
                ResolutionKind::Disambiguated
            },
            match_count,
            tiebreak,
            alternatives: found
                .iter()
                .filter(|other| other.id() != node.id())
                .take(5)
                .map(|other| crate::snapshot::Line::bare(*other).to_string())
                .collect(),
            promotion: None,
        },
    };
    if let [only] = found[..] {
        return Ok(win(only, None, &found));
    }
    if let By::Find(find) = by {
        let picked = match find.pick {
            Pick::Only => None,
            Pick::First => found.first(),
            Pick::Last => found.last(),
        };
        if let Some(node) = picked {
            return Ok(win(*node, Some(Tiebreak::Position), &found));
        }
        if policy.ambiguity == Ambiguity::Reject {
            // A root contains every text of its screen only by name; it is never what a find for acting means.
            let without_roots: Vec<_> = found
                .iter()
                .copied()
                .filter(|node| !node.role().is_root())
                .collect();
            if !without_roots.is_empty() {
                found = without_roots;
            }
            if let [only] = found[..] {
                return Ok(win(only, Some(Tiebreak::Control), &found));
            }
        }
    }
    if policy.prefers_fields {
        let mut fields = found.iter().copied().filter(|node| is_editable(*node));
        if let (Some(field), None) = (fields.next(), fields.next()) {
            return Ok(win(field, Some(Tiebreak::Field), &found));
        }
    }
    if let Some(node) = same_element(&found, policy) {
        return Ok(win(node, Some(Tiebreak::StructuralEquivalence), &found));
    }
    if policy.promotion == Promotion::HittableAncestor
        && let Some(node) = only_control(&found)
    {
        return Ok(win(node, Some(Tiebreak::Control), &found));
    }
    if policy.ambiguity == Ambiguity::Disambiguate
        && let Some((node, tiebreak)) = most_plausible(&found)
    {
        return Ok(win(node, Some(tiebreak), &found));
    }
    Err(Refusal::Ambiguous {
        matches: match_count,
        candidates: found.iter().take(5).map(|node| node.id()).collect(),
    })
}

/// All matches lie on one chain from ancestor to descendant and mean the same element.
fn same_element<'a>(found: &[Node<'a>], policy: Policy) -> Option<Node<'a>> {
    if found
        .windows(2)
        .any(|pair| !pair[0].is_ancestor_of(pair[1]))
    {
        return None;
    }
    let deepest = *found.last()?;
    if policy.promotion == Promotion::HittableAncestor {
        let (actionable, _) = promote(deepest);
        if found
            .iter()
            .all(|node| promote(*node).0.id() == actionable.id())
        {
            return Some(deepest);
        }
    }
    // A wrapper that reports its control's name and, within a point, its place. One control, seen twice.
    let bounds = deepest.usable_bounds()?;
    let tolerance = deepest.snapshot().points(1.0);
    let wrapped = deepest.role().is_touch_target()
        && found.iter().all(|node| {
            node.usable_bounds()
                .is_some_and(|other| other.agrees(bounds, tolerance))
        });
    wrapped.then_some(deepest)
}

/// One match is a control and every other is plain text that does nothing: the caption beside or in it.
fn only_control<'a>(found: &[Node<'a>]) -> Option<Node<'a>> {
    let plain = |node: &Node<'_>| {
        matches!(node.role(), Role::Text | Role::Paragraph | Role::Heading)
            && !node.is(Flag::Interactive)
    };
    let mut controls = found.iter().filter(|node| !plain(node));
    match (controls.next(), controls.next()) {
        (Some(control), None) if control.role().is_touch_target() => Some(*control),
        _ => None,
    }
}

fn most_plausible<'a>(found: &[Node<'a>]) -> Option<(Node<'a>, Tiebreak)> {
    let single = |group: &[Node<'a>]| match group {
        [only] => Some(*only),
        _ => None,
    };
    let visible: Vec<_> = found
        .iter()
        .copied()
        .filter(|node| geometry::on_screen(*node, None).is_ok() && node.usable_bounds().is_some())
        .collect();
    if let Some(node) = single(&visible) {
        return Some((node, Tiebreak::Visible));
    }
    let pool = if visible.is_empty() { found } else { &visible };
    let depth = pool.iter().map(|node| node.depth()).max()?;
    let deepest: Vec<_> = pool
        .iter()
        .copied()
        .filter(|node| node.depth() == depth)
        .collect();
    if let Some(node) = single(&deepest) {
        return Some((node, Tiebreak::Deepest));
    }
    let area = |node: &Node<'_>| node.bounds().map_or(f64::INFINITY, Rect::area);
    let smallest = deepest.iter().map(area).min_by(f64::total_cmp)?;
    let small: Vec<_> = deepest
        .iter()
        .copied()
        .filter(|node| area(node) == smallest)
        .collect();
    single(&small).map(|node| (node, Tiebreak::SmallestArea))
}

// --- promotion ------------------------------------------------------------------------------------------------------------

/// The element that reacts to a touch of `node`, and why it is another one.
fn promote(node: Node<'_>) -> (Node<'_>, Option<&'static str>) {
    let bounds = node.usable_bounds();
    let mut inner = node;
    loop {
        let mut children = inner.children();
        let (Some(only), None) = (children.next(), children.next()) else {
            break;
        };
        if !reacts(only) || only.usable_bounds() != bounds || bounds.is_none() {
            break;
        }
        inner = only;
    }
    if inner.id() != node.id() {
        return (inner, Some("same-rect-descendant"));
    }
    if node.role().is_touch_target() {
        return (node, None);
    }
    let Some(ancestor) = node.ancestors().find(|up| reacts(*up)) else {
        return (node, None);
    };
    if ancestor.is_covered() || ancestor.usable_bounds().is_none() {
        return (node, None);
    }
    if geometry::overly_broad(ancestor, node) {
        return (node, Some("overly-broad-ancestor"));
    }
    if reacts(node) && !ancestor.role().is_touch_target() {
        return (node, None);
    }
    (ancestor, Some("hittable-ancestor"))
}

/// Whether text can be put into the element, as far as anyone knows. A control that is pressed is no field, unless the backend
/// says that it takes text (a file chooser).
fn may_take_text(node: Node<'_>) -> bool {
    let pressed = matches!(
        node.role(),
        Role::Button
            | Role::Link
            | Role::MenuItem
            | Role::Tab
            | Role::Checkbox
            | Role::Radio
            | Role::Switch
            | Role::Image
            | Role::Heading
    );
    !pressed || node.is(Flag::Editable)
}

fn reacts(node: Node<'_>) -> bool {
    node.flag(Flag::Interactive)
        .unwrap_or_else(|| node.flag(Flag::Hittable) == Some(true) || node.role().is_touch_target())
}

// --- occlusion, off-screen, touch point, keyboard -------------------------------------------------------------------------

fn settle_target(
    snapshot: &Arc<Snapshot>,
    winner: Winner<'_>,
    policy: Policy,
    keyboard: Option<Rect>,
    live: Option<Rect>,
) -> Result<Resolved, Refusal> {
    let Winner { mut node, mut info } = winner;
    if policy.promotion == Promotion::HittableAncestor {
        (node, info.promotion) = promote(node);
    }
    if policy.prefers_fields && !may_take_text(node) {
        return Err(Refusal::NotAField(node.id()));
    }
    if policy.refuse_disabled && node.flag(Flag::Enabled) == Some(false) {
        return Err(Refusal::Disabled(node.id()));
    }
    if policy.occlusion == Occlusion::ExcludeAndRefuse && geometry::cover_of(node).is_some() {
        return Err(Refusal::covered(node));
    }
    let bounds = live.or(node.usable_bounds());
    if policy.refuse_offscreen {
        geometry::on_screen(node, live).map_err(|off| Refusal::Offscreen {
            node: node.id(),
            rect: bounds.unwrap_or_default(),
            viewport: off.viewport,
            direction: off.direction,
            info: Box::new(info.clone()),
        })?;
    }
    let point = match bounds {
        Some(bounds) if policy.occlusion == Occlusion::ExcludeAndRefuse => {
            let point = geometry::own_point(node, bounds).map_err(|competitors| {
                Refusal::CoveredByDescendants {
                    node: node.id(),
                    count: competitors.len(),
                    competitors: competitors.into_iter().take(5).collect(),
                }
            })?;
            if let Some(band) = keyboard
                && band.contains(point)
                && !geometry::owned_by_keyboard(node)
            {
                return Err(Refusal::Keyboard {
                    node: node.id(),
                    point,
                    band,
                });
            }
            point
        }
        Some(bounds) => bounds.center(),
        None if policy.needs_bounds => return Err(Refusal::NoBounds(node.id())),
        None => Point::default(),
    };
    let target = Target::new(Arc::clone(snapshot), node.id()).ok_or(Refusal::NotFound)?;
    Ok(Resolved {
        target,
        point,
        info,
    })
}

/// The band of the screen that the keyboard takes, told by the backend or worked out from keyboard nodes.
pub(crate) fn keyboard_band(snapshot: &Snapshot) -> Option<Rect> {
    geometry::keyboard_band(snapshot)
}

/// Whether an element can be seen: the `is visible` predicate.
pub(crate) fn is_visible(node: Node<'_>) -> bool {
    geometry::is_visible(node)
}

#[cfg(test)]
mod tests;
