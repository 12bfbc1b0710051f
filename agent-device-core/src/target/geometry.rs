//! The geometric stages of the pipeline. Each answers one question about one element.

use crate::{
    geometry::{Direction, Point, Rect},
    role::Role,
    snapshot::{Flag, Keyboard, Node, NodeId, Snapshot},
};

/// How far a parent's own touch point stays from its children and from its edge, in points.
const CLEARANCE: f64 = 12.0;
/// Of how many children the edges are considered when a free point is looked for.
const EDGES: usize = 16;
/// How close the lowest key is to the bottom of the screen when the keyboard is docked, in points.
const KEYBOARD_DOCK: f64 = 80.0;

/// What lies over `node`: what the backend reported, or an overlay that comes later in the tree.
pub(super) fn cover_of(node: Node<'_>) -> Option<NodeId> {
    if let Some(by) = node.covered_by() {
        return Some(by.id());
    }
    // A backend that tests hits knows better than any guess.
    if node.flag(Flag::Hittable).is_some() {
        return None;
    }
    let bounds = node.usable_bounds()?;
    let center = bounds.center();
    let point = node.snapshot().points(1.0);
    let viewport = node.snapshot().info().viewport;
    let overlays = node
        .snapshot()
        .nodes()
        .rev()
        .take_while(|other| other.id() > node.id());
    overlays
        .filter(|other| other.role().is_overlay() && !other.is_covered())
        .filter(|other| {
            other.outside().is_empty() && other.flag(Flag::VisibleToUser) != Some(false)
        })
        .find(|other| {
            let Some(over) = other.usable_bounds() else {
                return false;
            };
            let related = node.is_ancestor_of(*other) || other.is_ancestor_of(node);
            let chrome = matches!(
                other.role(),
                Role::TabBar | Role::Toolbar | Role::NavigationBar
            );
            let whole = chrome && viewport.is_some_and(|viewport| over.agrees(viewport, point));
            // Two bars of one size side by side are siblings of a layout, not layers.
            let sibling = chrome
                && other.role() == node.role()
                && other.parent().map(Node::id) == node.parent().map(Node::id);
            over.contains(center) && !related && over != bounds && !whole && !sibling
        })
        .map(Node::id)
}

/// Why an element is not on the screen.
pub(super) struct Off {
    pub(super) viewport: Rect,
    pub(super) direction: Direction,
}

/// Whether the centre of the element can be seen: it lies in the root viewport, and the element touches the part of its
/// scroll container that is in sight. No rectangle or no viewport counts as visible.
pub(super) fn on_screen(node: Node<'_>, live: Option<Rect>) -> Result<(), Off> {
    let Some(bounds) = live.or(node.usable_bounds()) else {
        // What was clipped to nothing still lies somewhere.
        return match node.outside().iter().next() {
            Some(direction) => Err(Off {
                direction,
                viewport: effective_viewport(node)
                    .or(node.snapshot().info().viewport)
                    .unwrap_or_default(),
            }),
            None => Ok(()),
        };
    };
    let root = root_viewport(node.snapshot(), bounds.center());
    if live.is_none()
        && let Some(direction) = node.outside().iter().next()
    {
        let viewport = effective_viewport(node).or(root).unwrap_or_default();
        return Err(Off {
            direction: viewport.overshoot(bounds.center()).unwrap_or(direction),
            viewport,
        });
    }
    let Some(root) = root else {
        return Ok(());
    };
    if let Some(direction) = root.overshoot(bounds.center()) {
        return Err(Off {
            viewport: root,
            direction,
        });
    }
    match effective_viewport(node) {
        Some(viewport) if live.is_none() && !bounds.touches(viewport) => Err(Off {
            viewport,
            direction: viewport
                .overshoot(bounds.center())
                .unwrap_or(Direction::Down),
        }),
        _ => Ok(()),
    }
}

/// The reported viewport; else the largest application or window around the point; else the largest of all.
fn root_viewport(snapshot: &Snapshot, point: Point) -> Option<Rect> {
    if let Some(viewport) = snapshot.info().viewport.filter(|rect| rect.is_usable()) {
        return Some(viewport);
    }
    let roots = || {
        snapshot
            .nodes()
            .filter(|node| node.role().is_root())
            .filter_map(Node::usable_bounds)
    };
    let largest = |a: &Rect, b: &Rect| a.area().total_cmp(&b.area());
    roots()
        .filter(|bounds| bounds.contains(point))
        .max_by(largest)
        .or_else(|| roots().max_by(largest))
}

/// The nearest scroll container around the element that has a place.
fn effective_viewport(node: Node<'_>) -> Option<Rect> {
    node.ancestors()
        .filter(|up| up.flag(Flag::Scrollable).unwrap_or(up.role().scrolls()))
        .find_map(Node::usable_bounds)
}

/// The `is visible` predicate: geometric, with the platform's own word as a veto.
pub(super) fn is_visible(node: Node<'_>) -> bool {
    if node.flag(Flag::VisibleToUser) == Some(false) {
        return false;
    }
    if node.usable_bounds().is_some() {
        return on_screen(node, None).is_ok();
    }
    // An element without a place is seen through the nearest one around it that has one and is not a mere container.
    node.ancestors()
        .filter(|up| !up.role().is_root() && !up.role().scrolls())
        .find(|up| up.usable_bounds().is_some())
        .is_some_and(|up| on_screen(up, None).is_ok())
}

/// An ancestor so large that a touch in its middle would not mean `node`.
pub(super) fn overly_broad(ancestor: Node<'_>, node: Node<'_>) -> bool {
    let (Some(outer), Some(inner)) = (ancestor.usable_bounds(), node.usable_bounds()) else {
        return false;
    };
    if outer == inner {
        return false;
    }
    if ancestor
        .flag(Flag::Scrollable)
        .unwrap_or(ancestor.role().scrolls())
    {
        return true;
    }
    let Some(viewport) = root_viewport(node.snapshot(), inner.center()) else {
        return false;
    };
    let common = outer.intersection(viewport).map_or(0.0, Rect::area);
    common >= 0.9 * viewport.area() && common >= 0.8 * outer.area()
}

/// A point of `bounds` that belongs to the element itself and not to a child that reacts to touches: the centre, or the
/// free point nearest to it. `Err` holds the children that leave no room.
pub(super) fn own_point(node: Node<'_>, bounds: Rect) -> Result<Point, Vec<NodeId>> {
    let one = node.snapshot().points(1.0);
    let aside = node.snapshot().points(CLEARANCE);
    let competitors: Vec<(NodeId, Rect)> = node
        .descendants()
        .filter(|child| child.role().is_touch_target() && child.outside().is_empty())
        .filter_map(|child| Some((child.id(), child.usable_bounds()?)))
        .filter(|(_, rect)| *rect != bounds && !rect.agrees(bounds, one))
        .filter(|(_, rect)| rect.intersection(bounds).is_some())
        .collect();
    let visible = node
        .snapshot()
        .info()
        .viewport
        .and_then(|viewport| bounds.intersection(viewport))
        .unwrap_or(bounds);
    let center = bounds.center();
    if competitors.is_empty() {
        return Ok(if visible.contains(center) {
            center
        } else {
            visible.center()
        });
    }
    let from_edge = aside.min((bounds.width.min(bounds.height) / 2.0).floor() - one);
    // Candidates are the centre, the lines just inside the edges, and the middles of the gaps between children.
    let axis = |low: f64, high: f64, edges: &mut Vec<f64>| {
        edges.extend([low, high, low + aside, high - aside, (low + high) / 2.0]);
        edges.sort_by(f64::total_cmp);
        let gaps: Vec<f64> = edges
            .windows(2)
            .map(|pair| (pair[0] + pair[1]) / 2.0)
            .collect();
        edges.extend(gaps);
    };
    // Bounded: the edges of the children nearest to the centre make the candidates, however many children there are.
    let mut nearest: Vec<&(NodeId, Rect)> = competitors.iter().collect();
    nearest.sort_by(|a, b| a.1.distance_to(center).total_cmp(&b.1.distance_to(center)));
    let considered = &nearest[..nearest.len().min(EDGES)];
    let mut xs: Vec<f64> = considered
        .iter()
        .flat_map(|(_, rect)| [rect.x - aside, rect.right() + aside])
        .collect();
    let mut ys: Vec<f64> = considered
        .iter()
        .flat_map(|(_, rect)| [rect.y - aside, rect.bottom() + aside])
        .collect();
    axis(bounds.x, bounds.right(), &mut xs);
    axis(bounds.y, bounds.bottom(), &mut ys);
    let mut best: Option<(f64, f64, Point)> = None;
    for y in &ys {
        for x in &xs {
            let point = Point::new(*x, *y);
            if !visible.contains(point) || bounds.depth_of(point) < from_edge {
                continue;
            }
            let distance = point.distance(center);
            if best.is_some_and(|(least, ..)| distance > least) {
                continue;
            }
            // The nearest children first: a point that is not free is found out early.
            let mut clearance = f64::INFINITY;
            for (_, rect) in &nearest {
                clearance = clearance.min(rect.distance_to(point));
                if clearance < aside {
                    break;
                }
            }
            if clearance < aside {
                continue;
            }
            // Nearest to the centre, then the most room, then the topmost and leftmost.
            let better = best.is_none_or(|(least, room, at)| {
                (distance, -clearance, point.y, point.x) < (least, -room, at.y, at.x)
            });
            if better {
                best = Some((distance, clearance, point));
            }
        }
    }
    best.map(|(_, _, point)| point)
        .ok_or_else(|| competitors.into_iter().map(|(id, _)| id).collect())
}

/// Whether the element is a part of the keyboard.
pub(super) fn owned_by_keyboard(node: Node<'_>) -> bool {
    let keyboard = |node: Node<'_>| matches!(node.role(), Role::Keyboard | Role::Key);
    keyboard(node) || node.ancestors().any(keyboard)
}

/// The band that the keyboard takes.
pub(super) fn keyboard_band(snapshot: &Snapshot) -> Option<Rect> {
    match snapshot.info().keyboard {
        Keyboard::Absent => return None,
        Keyboard::Visible { frame } => return Some(frame),
        Keyboard::Unknown => {}
    }
    let viewport = snapshot.info().viewport?;
    let mut parts: Vec<Rect> = snapshot
        .nodes()
        .filter(|node| matches!(node.role(), Role::Keyboard | Role::Key))
        .filter_map(Node::usable_bounds)
        .filter(|bounds| bounds.touches(viewport))
        .collect();
    if parts.is_empty() {
        return None;
    }
    let edge = |value: fn(Rect) -> f64, pick: fn(f64, f64) -> f64, start: f64| {
        parts.iter().map(|part| value(*part)).fold(start, pick)
    };
    let top = edge(|part| part.y, f64::min, f64::INFINITY);
    let bottom = edge(Rect::bottom, f64::max, f64::NEG_INFINITY);
    let left = edge(|part| part.x, f64::min, f64::INFINITY);
    let right = edge(Rect::right, f64::max, f64::NEG_INFINITY);
    let band = Rect::new(left, top, right - left, viewport.bottom() - top);
    if viewport.bottom() - bottom > snapshot.points(KEYBOARD_DOCK) || band.width <= band.height {
        return None;
    }
    // Keys that leave a column free are no docked keyboard.
    parts.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut reached = left;
    for part in &parts {
        if part.x - reached > snapshot.points(2.0) {
            return None;
        }
        reached = reached.max(part.right());
    }
    Some(band)
}
