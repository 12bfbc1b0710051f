//! What lies under what, by the order in which siblings are drawn.
//!
//! A node is covered when a sibling that is drawn later paints nine tenths of its shown area and holds something to act on.
//! Both conditions are needed: frameworks lay transparent wrappers over whole screens, and taking those for covers would hide
//! real controls. What a subtree paints are the rectangles of its elements that act, scroll or show something; a container
//! without any of this is as large as what its children paint.

use super::{Occlusion, value::Edges};

/// A node as far as covering is concerned.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shape {
    /// What can be seen of it: clipped by its window and by the scroll containers around it. Empty if nothing.
    pub(super) shown: Edges,
    /// The smallest rectangle around what the subtree paints.
    pub(super) painted: Edges,
    /// One past the last descendant.
    pub(super) end: u32,
    /// Its place in the drawing order of its siblings; negative when unknown.
    pub(super) order: i32,
    pub(super) paints: bool,
    /// It reacts to input.
    pub(super) acts: bool,
    /// It or a descendant reacts to input.
    pub(super) holds_action: bool,
    /// Worth an annotation: it acts, or has a text or an id.
    pub(super) named: bool,
}

/// How many rectangles of one cover are put together exactly. More of them don't count as a cover.
const PIECES: usize = 128;

/// Work that may be done for one tree.
struct Budget(usize);

impl Budget {
    fn spend(&mut self, units: usize) -> Option<()> {
        self.0 = self.0.checked_sub(units)?;
        Some(())
    }
}

/// Finds the covered nodes among `shapes`, which are in document order, and calls `mark(covered, by)` for each that is worth an
/// annotation.
pub(super) fn scan(shapes: &[Shape], mut mark: impl FnMut(usize, usize)) -> Occlusion {
    if shapes.iter().all(|shape| shape.order < 0) {
        return Occlusion::NoDrawingOrder;
    }
    let mut budget = Budget((shapes.len() * 128).max(1024));
    let mut found = Vec::new();
    let mut scratch = Scratch::default();
    for parent in 0..shapes.len() {
        if among_children(shapes, parent, &mut budget, &mut scratch, &mut found).is_none() {
            return Occlusion::GaveUp;
        }
    }
    // In document order a covered subtree comes before what is covered in it, which is then marked already.
    found.sort_unstable();
    let mut until = 0;
    for (covered, by) in found {
        let end = shapes[covered].end as usize;
        let inside = shapes.iter().enumerate().take(end).skip(covered.max(until));
        for (node, shape) in inside {
            if shape.named && !shape.shown.is_empty() {
                mark(node, by);
            }
        }
        until = until.max(end);
    }
    Occlusion::Scanned
}

#[derive(Default)]
struct Scratch {
    /// Children by the height of their centres.
    children: Vec<(i64, usize)>,
    pieces: Vec<Edges>,
    columns: Vec<i32>,
    spans: Vec<(i32, i32)>,
}

/// The positions of a node's children.
fn children(shapes: &[Shape], parent: usize) -> impl Iterator<Item = usize> {
    let end = shapes.get(parent).map_or(0, |shape| shape.end as usize);
    let next = move |child: &usize| shapes.get(*child).map(|shape| shape.end as usize);
    std::iter::successors(Some(parent + 1), next).take_while(move |child| *child < end)
}

fn among_children(
    shapes: &[Shape],
    parent: usize,
    budget: &mut Budget,
    scratch: &mut Scratch,
    found: &mut Vec<(usize, usize)>,
) -> Option<()> {
    let end = shapes[parent].end as usize;
    let first = parent + 1;
    // One child has nobody to lie under.
    if first >= end || shapes[first].end as usize >= end {
        return Some(());
    }
    scratch.children.clear();
    let mut covers = false;
    for child in children(shapes, parent) {
        budget.spend(1)?;
        let shape = &shapes[child];
        covers |= shape.holds_action && shape.order > 0 && !shape.painted.is_empty();
        if !shape.shown.is_empty() {
            scratch.children.push((center(shape.shown), child));
        }
    }
    if !covers || scratch.children.len() < 2 {
        return Some(());
    }
    scratch.children.sort_unstable();
    for cover in children(shapes, parent) {
        let shape = &shapes[cover];
        if !shape.holds_action || shape.order <= 0 || shape.painted.is_empty() {
            continue;
        }
        // Whatever lies under nine tenths of a rectangle has its centre in it.
        let (top, bottom) = (
            2 * i64::from(shape.painted.top),
            2 * i64::from(shape.painted.bottom),
        );
        let from = scratch
            .children
            .partition_point(|(center, _)| *center < top);
        for at in from..scratch.children.len() {
            let (center, child) = scratch.children[at];
            if center > bottom {
                break;
            }
            budget.spend(1)?;
            let below = &shapes[child];
            if below.order < 0 || below.order >= shape.order || !most(below.shown, shape.painted) {
                continue;
            }
            let by = paints_over(shapes, cover, below.shown, budget, scratch)?;
            if let Some(by) = by {
                found.push((child, by));
            }
        }
    }
    Some(())
}

/// Twice the height of the centre, which stays a whole number.
fn center(edges: Edges) -> i64 {
    i64::from(edges.top) + i64::from(edges.bottom)
}

/// Whether `over` covers at least nine tenths of `below`.
fn most(below: Edges, over: Edges) -> bool {
    below.intersection(over).area() as i128 * 10 >= below.area() as i128 * 9
}

/// Whether what the subtree paints covers nine tenths of `below`; then the element of it that covers most. `None`: the budget
/// is spent.
#[expect(
    clippy::option_option,
    reason = "the budget and the question are two things"
)]
fn paints_over(
    shapes: &[Shape],
    cover: usize,
    below: Edges,
    budget: &mut Budget,
    scratch: &mut Scratch,
) -> Option<Option<usize>> {
    scratch.pieces.clear();
    let mut best = (false, 0, cover);
    let end = shapes[cover].end as usize;
    let mut at = cover;
    let mut sum = 0_i128;
    while at < end {
        budget.spend(1)?;
        let shape = &shapes[at];
        if !shape.paints {
            at += 1;
            continue;
        }
        let piece = shape.shown.intersection(below);
        if !piece.is_empty() {
            sum += i128::from(piece.area());
            best = best.max((shape.acts, piece.area(), at));
            if most(below, piece) {
                return Some(Some(best.2));
            }
            scratch.pieces.push(piece);
        }
        at = shape.end as usize;
    }
    if sum * 10 < i128::from(below.area()) * 9 || scratch.pieces.len() > PIECES {
        return Some(None);
    }
    budget.spend(scratch.pieces.len() * scratch.pieces.len() / 4)?;
    let covered = union_area(scratch) * 10 >= i128::from(below.area()) * 9;
    Some(covered.then_some(best.2))
}

/// The area of all pieces together, overlaps once.
fn union_area(scratch: &mut Scratch) -> i128 {
    let Scratch {
        pieces,
        columns,
        spans,
        ..
    } = scratch;
    columns.clear();
    columns.extend(pieces.iter().flat_map(|piece| [piece.left, piece.right]));
    columns.sort_unstable();
    columns.dedup();
    let mut area = 0;
    for pair in columns.windows(2) {
        let &[left, right] = pair else { continue };
        spans.clear();
        spans.extend(
            pieces
                .iter()
                .filter(|piece| piece.left <= left && piece.right >= right)
                .map(|piece| (piece.top, piece.bottom)),
        );
        spans.sort_unstable();
        let mut reached = i32::MIN;
        let mut height = 0_i128;
        for &(top, bottom) in spans.iter() {
            if bottom > reached {
                height += i128::from(bottom) - i128::from(top.max(reached));
                reached = bottom;
            }
        }
        area += height * (i128::from(right) - i128::from(left));
    }
    area
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edges(left: i32, top: i32, right: i32, bottom: i32) -> Edges {
        Edges {
            left,
            top,
            right,
            bottom,
        }
    }

    fn shape(end: u32, order: i32, at: Edges) -> Shape {
        Shape {
            shown: at,
            painted: at,
            end,
            order,
            paints: true,
            acts: true,
            holds_action: true,
            named: true,
        }
    }

    fn marks(shapes: &[Shape]) -> Vec<(usize, usize)> {
        let mut marks = Vec::new();
        assert_eq!(
            scan(shapes, |node, by| marks.push((node, by))),
            Occlusion::Scanned
        );
        marks
    }

    #[test]
    fn a_later_sibling_covers_what_it_paints_over() {
        let all = edges(0, 0, 100, 100);
        let parent = Shape {
            paints: false,
            acts: false,
            ..shape(3, 0, all)
        };
        let under = shape(2, 1, edges(10, 10, 20, 20));
        let over = shape(3, 2, edges(10, 10, 20, 19));
        assert_eq!(marks(&[parent, under, over]), [(1, 2)]);
        let less = shape(3, 2, edges(10, 10, 20, 18));
        assert_eq!(marks(&[parent, under, less]), []);
        let passive = Shape {
            acts: false,
            holds_action: false,
            ..over
        };
        assert_eq!(marks(&[parent, under, passive]), []);
        let earlier = Shape { order: 0, ..over };
        assert_eq!(
            marks(&[parent, under, earlier]),
            [(2, 1)],
            "then it is the other way round"
        );
        let unknown = Shape { order: -1, ..under };
        assert_eq!(marks(&[parent, unknown, over]), []);
    }

    #[test]
    fn several_elements_cover_together_and_gaps_count() {
        let all = edges(0, 0, 100, 100);
        let parent = Shape {
            paints: false,
            ..shape(5, 0, all)
        };
        let under = shape(2, 1, edges(0, 0, 100, 100));
        let wrapper = Shape {
            paints: false,
            acts: false,
            ..shape(5, 2, all)
        };
        let (left, right) = (
            shape(4, 0, edges(0, 0, 60, 100)),
            shape(5, 0, edges(50, 0, 100, 100)),
        );
        assert_eq!(marks(&[parent, under, wrapper, left, right]), [(1, 3)]);
        let narrow = shape(5, 0, edges(50, 0, 85, 100));
        assert_eq!(marks(&[parent, under, wrapper, left, narrow]), []);
    }

    #[test]
    fn everything_in_a_covered_subtree_is_covered_once() {
        let all = edges(0, 0, 100, 100);
        let tree = [
            shape(5, 0, all),
            shape(4, 1, all),
            shape(3, 1, edges(0, 0, 10, 10)),
            Shape {
                order: 2,
                ..shape(4, 2, edges(0, 0, 10, 10))
            },
            shape(5, 2, all),
        ];
        assert_eq!(marks(&tree), [(1, 4), (2, 4), (3, 4)]);
    }

    #[test]
    fn a_long_list_costs_little_and_an_entangled_tree_is_given_up() {
        let count = 5000;
        let mut list = vec![shape(count + 1, 0, edges(0, 0, 100, 100))];
        list.extend((1..=count).map(|at| {
            let top = i32::try_from(at).unwrap() * 10;
            shape(
                at + 1,
                i32::try_from(at).unwrap(),
                edges(0, top, 100, top + 10),
            )
        }));
        assert_eq!(marks(&list), []);
        let heap: Vec<Shape> = list
            .iter()
            .map(|shape| Shape {
                shown: edges(0, 0, 9, 9),
                painted: edges(0, 0, 9, 9),
                paints: false,
                ..*shape
            })
            .collect();
        assert_eq!(
            scan(&heap, |_, _| panic!("nothing is marked")),
            Occlusion::GaveUp
        );
        let flat: Vec<Shape> = list
            .iter()
            .map(|shape| Shape {
                order: -1,
                ..*shape
            })
            .collect();
        assert_eq!(
            scan(&flat, |_, _| panic!("nothing is marked")),
            Occlusion::NoDrawingOrder
        );
    }

    proptest! {
        #[test]
        fn the_area_of_a_union_is_what_counting_gives(pieces in proptest::collection::vec((0..12, 0..12, 1..6, 1..6), 0..8)) {
            let pieces = pieces.iter().map(|&(x, y, w, h)| edges(x, y, x + w, y + h)).collect();
            let mut scratch = Scratch { pieces, ..Scratch::default() };
            let inside = |x: i32, y: i32| {
                scratch.pieces.iter().any(|piece| piece.left <= x && x < piece.right && piece.top <= y && y < piece.bottom)
            };
            let counted = (0..20).flat_map(|x| (0..20).map(move |y| (x, y))).filter(|&(x, y)| inside(x, y)).count();
            prop_assert_eq!(union_area(&mut scratch), counted as i128);
        }
    }
}
