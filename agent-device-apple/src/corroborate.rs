//! What to make of a tap after which XCTest has recorded a failure: it often records one although the tap has landed, because it
//! looks the element up again and the app has moved on.
//!
//! The screen of before and one of after are compared. If elements came or went, or the target is not what it was, the tap has
//! landed. If not, or if they can't be compared, nothing is known: texts beside the target change by themselves, such as clocks.
//! Nothing is ever tapped twice.

use std::time::Duration;

use agent_device_core::{
    Call, Role, Snapshot, SnapshotBackend as _,
    action::{Target, Touch},
    snapshot::{CaptureOptions, Node},
};

use crate::{backend::Apple, see};

/// A screen that was captured earlier than this is no witness any more.
const OLDEST: Duration = Duration::from_secs(15);

/// Whether the screen proves that the tap has landed.
pub(crate) async fn has_landed(apple: &Apple, touch: &Touch, call: &Call) -> bool {
    let Some(target) = &touch.target else {
        return false;
    };
    let before = target.snapshot();
    if !is_witness(apple, before) {
        return false;
    }
    let after = look_again(apple, before, call).await;
    after.is_some_and(|after| {
        before.is_comparable_with(&after) && shape(before, target) != shape(&after, target)
    })
}

/// What each element in sight is and is called, in any order. Of texts that are not the target, only that they are there.
fn shape(screen: &Snapshot, target: &Target) -> Vec<[Option<String>; 4]> {
    let kind = |node: Node<'_>| {
        [
            Some(node.role().as_str().to_owned()),
            node.native_type().map(str::to_owned),
            node.identifier().map(str::to_owned),
        ]
    };
    let target = kind(target.node());
    let view = screen.view_as(&CaptureOptions::regular());
    let mut shape: Vec<_> = view
        .iter()
        .map(|node| {
            let [role, native, identifier] = kind(node);
            let is_target = [&role, &native, &identifier] == target.each_ref();
            let counts = node.role() != Role::Text || is_target;
            let label = node.label().filter(|_| counts).map(str::to_owned);
            [role, native, identifier, label]
        })
        .collect();
    shape.sort_unstable();
    shape
}

/// From the same source: two sources see different screens where there is one.
async fn look_again(apple: &Apple, before: &Snapshot, call: &Call) -> Option<Snapshot> {
    let source = before.quality().source.as_ref();
    #[cfg(unix)]
    if source == crate::ax::SOURCE {
        let ax = apple.simulator_ax()?;
        return ax.capture(before.options(), call).await.ok();
    }
    // Sweeps of queries can't be asked for.
    let source = ["tree", "private-ax"].contains(&source).then_some(source);
    see::last_capture(apple, before.options(), source, call)
        .await
        .ok()
}

fn is_witness(apple: &Apple, before: &Snapshot) -> bool {
    let age = apple.memory.age_of(before);
    let usable = !before.is_empty() && !before.quality().is_sparse() && !before.options().raw;
    usable && age.is_some_and(|age| age <= OLDEST)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agent_device_core::snapshot::{SnapshotBuilder, SnapshotInfo, TextField};

    use super::*;

    /// A button, a clock beside it, and a list of this many cells.
    fn screen(button: &str, clock: &str, cells: usize) -> Arc<Snapshot> {
        let mut tree = SnapshotBuilder::new(CaptureOptions::default());
        let mut add = |depth, role, label: &str| {
            let mut node = tree.at_depth(depth, role).unwrap();
            node.text(TextField::Label, label);
        };
        add(0, Role::Application, "Shop");
        add(1, Role::Button, button);
        add(1, Role::Text, clock);
        (0..cells).for_each(|_| add(1, Role::Cell, "Row"));
        Arc::new(tree.finish(SnapshotInfo::default()))
    }

    #[test]
    fn a_clock_is_no_witness_of_a_tap_and_what_came_or_changed_by_it_is() {
        let before = screen("Count", "12:00", 2);
        let button = before.nodes().nth(1).unwrap().id();
        let clock = before.nodes().nth(2).unwrap().id();
        let of = |id| Target::new(Arc::clone(&before), id).unwrap();
        let changes = |after: &Snapshot, target| {
            let target = of(target);
            shape(&before, &target) != shape(after, &target)
        };
        assert!(!changes(&screen("Count", "12:01", 2), button));
        assert!(changes(&screen("Count 1", "12:00", 2), button));
        assert!(changes(&screen("Count", "12:00", 3), button));
        assert!(changes(&screen("Count", "12:01", 2), clock), "it was meant");
    }
}
