use super::*;
use crate::geometry::Direction;
use proptest::prelude::*;

/// A random tree: for each node how far its parent lies above the latest one, its role, flags and place.
fn trees() -> impl Strategy<Value = Snapshot> {
    let node = (
        0_usize..5,
        0..Role::ALL.len(),
        any::<(bool, bool, bool, bool)>(),
        (0..20_i32, 0..20_i32, 0..20_i32),
        "[a-c]{0,2}",
    );
    (proptest::collection::vec(node, 0..60), any::<bool>()).prop_map(|(nodes, derive)| {
        let mut builder = SnapshotBuilder::new(CaptureOptions::default());
        let mut depth = 0_usize;
        for (up, role, (a, b, c, d), (x, y, size), label) in nodes {
            depth = (depth + 1).saturating_sub(up);
            let mut node = builder.at_depth(depth, Role::ALL[role]).unwrap();
            depth = depth.min(node.id().index());
            if a {
                node.flag(Flag::Interactive, b);
            }
            if c {
                node.flag(Flag::VisibleToUser, d);
            }
            if a && d {
                node.flag(Flag::Transparent, true);
            }
            if b {
                node.text(TextField::Label, &label);
            }
            let at = |n: i32| f64::from(n * 20 - 100);
            node.bounds(Rect::new(at(x), at(y), f64::from(size * 10), 30.0));
        }
        if derive {
            builder.derive_outside(Some(Rect::new(0.0, 0.0, 200.0, 200.0)));
        }
        builder.finish(SnapshotInfo::default())
    })
}

fn presented(snapshot: &Snapshot, options: &CaptureOptions) -> Vec<NodeId> {
    let view = snapshot.view_as(options);
    assert_eq!(view.dispositions().len(), snapshot.len());
    let by_disposition: Vec<_> = snapshot
        .nodes()
        .filter(|node| view.dispositions()[node.id().index()] == Disposition::Presented)
        .map(Node::id)
        .collect();
    let by_view: Vec<_> = view.nodes().iter().map(|node| node.id).collect();
    assert_eq!(
        by_disposition, by_view,
        "every source node has its disposition"
    );
    by_view
}

proptest! {
    #[test]
    fn interactive_is_within_regular_is_within_raw(snapshot in trees()) {
        let raw = presented(&snapshot, &CaptureOptions::raw());
        let regular = presented(&snapshot, &CaptureOptions::regular());
        let interactive = presented(&snapshot, &CaptureOptions::interactive());
        prop_assert_eq!(raw.len(), snapshot.len());
        prop_assert!(regular.iter().all(|id| raw.contains(id)));
        prop_assert!(interactive.iter().all(|id| regular.contains(id)));
    }

    #[test]
    fn depth_and_scope_only_remove(snapshot in trees(), depth in 0_u16..5) {
        let regular = presented(&snapshot, &CaptureOptions::regular());
        let limited = CaptureOptions { depth: Some(depth), ..CaptureOptions::regular() };
        prop_assert!(presented(&snapshot, &limited).iter().all(|id| regular.contains(id)));
        prop_assert!(snapshot.view_as(&limited).nodes().iter().all(|node| node.depth < depth));
        let scoped = CaptureOptions { scope: Some("A".into()), ..CaptureOptions::raw() };
        let first = snapshot.nodes().find(|node| node.label().is_some_and(|label| label.contains('a')));
        let expected: Vec<_> = first
            .into_iter()
            .flat_map(|node| std::iter::once(node).chain(node.descendants()))
            .map(Node::id)
            .collect();
        prop_assert_eq!(presented(&snapshot, &scoped), expected);
    }

    #[test]
    fn parents_depths_and_refs_of_a_view_agree(snapshot in trees()) {
        for options in [CaptureOptions::regular(), CaptureOptions::interactive(), CaptureOptions::raw()] {
            let view = snapshot.view_as(&options);
            for (at, node) in view.nodes().iter().enumerate() {
                prop_assert_eq!(view.ref_number(node.id), Some(at + 1));
                let source = snapshot.get(node.id).unwrap();
                let parent = source.ancestors().find(|up| view.ref_number(up.id()).is_some());
                prop_assert_eq!(node.parent.map(|at| view.nodes()[at as usize].id), parent.map(Node::id));
                prop_assert_eq!(node.depth, node.parent.map_or(0, |at| view.nodes()[at as usize].depth + 1));
            }
        }
    }

    #[test]
    fn children_and_descendants_agree_with_parents(snapshot in trees()) {
        for node in snapshot.nodes() {
            let children: Vec<_> = node.children().map(Node::id).collect();
            let expected: Vec<_> = snapshot
                .nodes()
                .filter(|other| other.parent().map(Node::id) == Some(node.id()))
                .map(Node::id)
                .collect();
            prop_assert_eq!(children, expected);
            for other in snapshot.nodes() {
                let around = other.ancestors().any(|up| up.id() == node.id());
                prop_assert_eq!(node.is_ancestor_of(other), around);
            }
        }
    }

    #[test]
    fn the_digest_does_not_depend_on_order_and_sees_every_node(labels in proptest::collection::vec("[ab]{1,2}", 1..12)) {
        let build = |labels: &[String]| {
            let mut builder = SnapshotBuilder::new(CaptureOptions::default());
            for label in labels {
                builder.root(Role::Text).unwrap().text(TextField::Label, label);
            }
            builder.finish(SnapshotInfo::default()).digest()
        };
        let mut turned = labels.clone();
        turned.reverse();
        prop_assert_eq!(build(&labels), build(&turned));
        // Under XOR this pair would cancel out.
        let mut doubled = labels.clone();
        doubled.extend(["x".to_owned(), "x".to_owned()]);
        let mut other = labels.clone();
        other.extend(["y".to_owned(), "y".to_owned()]);
        prop_assert_ne!(build(&doubled), build(&other));
    }
}

fn list(offset: f64) -> Snapshot {
    let viewport = Rect::new(0.0, 0.0, 100.0, 100.0);
    let mut builder = SnapshotBuilder::new(CaptureOptions::default());
    let root = builder
        .root(Role::Application)
        .unwrap()
        .bounds(viewport)
        .id();
    let list = builder
        .child(root, Role::List)
        .unwrap()
        .bounds(Rect::new(0.0, 0.0, 100.0, 80.0))
        .id();
    for row in 0..10 {
        builder
            .child(list, Role::Button)
            .unwrap()
            .text(TextField::Label, &format!("Row {row}"))
            .bounds(Rect::new(0.0, f64::from(row) * 20.0 - offset, 100.0, 19.0));
    }
    let bar = builder
        .child(root, Role::TabBar)
        .unwrap()
        .bounds(Rect::new(0.0, 80.0, 100.0, 20.0))
        .id();
    builder
        .child(bar, Role::Tab)
        .unwrap()
        .text(TextField::Label, "Home")
        .flag(Flag::Selected, true)
        .bounds(Rect::new(0.0, 80.0, 50.0, 20.0));
    builder.derive_outside(Some(viewport));
    let info = SnapshotInfo {
        viewport: Some(viewport),
        ..SnapshotInfo::default()
    };
    builder.finish(info)
}

#[test]
fn rows_out_of_sight_become_hints_and_the_late_tab_bar_stays() {
    let snapshot = list(40.0);
    let view = snapshot.view();
    let text = view.to_string();
    assert!(text.contains("[list] [more-above more-below]"), "{text}");
    assert!(
        !text.contains("[button] \"Row 0\"") && text.contains("[button] \"Row 3\""),
        "{text}"
    );
    assert!(text.contains("[tab] \"Home\" [selected]"), "{text}");
    assert!(
        text.contains("… @e2 down: 3 more: \"Row 7\", \"Row 8\", \"Row 9\""),
        "{text}"
    );
    assert!(
        text.contains("… @e2 up: 2 more: \"Row 0\", \"Row 1\""),
        "{text}"
    );
    let above: Vec<_> = view
        .hidden_content()
        .iter()
        .filter(|hidden| hidden.side == Direction::Up)
        .map(|hidden| (hidden.count, hidden.labels.clone()))
        .collect();
    assert_eq!(above, [(2, vec!["Row 0", "Row 1"])]);
}

#[test]
fn the_json_form_leaves_absent_facts_out() {
    let json = serde_json::to_value(list(0.0).view()).unwrap();
    let tab = json["nodes"].as_array().unwrap().last().unwrap();
    assert_eq!(
        *tab,
        serde_json::json!({
            "index": 8, "ref": "e9", "kind": "tab", "depth": 2, "parentIndex": 7, "label": "Home",
            "selected": true, "rect": { "x": 0.0, "y": 80.0, "width": 50.0, "height": 20.0 },
        })
    );
    assert_eq!(json["snapshotQuality"]["state"], "healthy");
}

#[test]
fn long_and_odd_texts_stay_on_one_line() {
    let mut builder = SnapshotBuilder::new(CaptureOptions::default());
    for label in ["say \"hi\"\\", "two\nlines", &"x".repeat(100), "nul\0"] {
        builder
            .root(Role::Text)
            .unwrap()
            .text(TextField::Label, label);
    }
    let lines: Vec<_> = builder
        .finish(SnapshotInfo::default())
        .view()
        .lines()
        .map(|line| line.to_string())
        .collect();
    assert_eq!(lines[0], r#"@e1 [text] "say \"hi\"\\""#);
    assert_eq!(lines[1], r#"@e2 [text] "two\nlines""#);
    assert_eq!(lines[2], format!("@e3 [text] \"{}\"…(+52)", "x".repeat(48)));
    assert_eq!(lines[3], r#"@e4 [text] "nul\u{0}""#);
}

#[test]
fn a_diff_names_what_came_and_went() {
    let diff = list(40.0).diff_since(&list(0.0));
    let text = diff.to_string();
    assert!(text.contains("-    [button] \"Row 0\""), "{text}");
    assert!(text.contains("+    @e6 [button] \"Row 5\""), "{text}");
    assert!(list(40.0).diff_since(&list(40.0)).is_empty());
}

#[test]
fn surfaces_tell_movement_from_rest() {
    let (here, there) = (list(0.0).surface(), list(40.0).surface());
    assert!(here.is_still(&list(0.5).surface(), 1.0));
    assert!(!here.is_still(&there, 1.0));
    assert_eq!(there.evidence_against(&here), Change::Changed);
    assert_eq!(here.evidence_against(&here), Change::Unchanged);
    let bar_only = Rect::new(0.0, 90.0, 100.0, 10.0);
    let tabs = list(0.0).surface_within(bar_only);
    assert!(tabs.is_still(&list(40.0).surface_within(bar_only), 1.0));
}

#[test]
fn a_sparse_or_limited_tree_proves_no_absence() {
    assert!(list(0.0).proves_absence());
    let sparse = Snapshot::sparse(QualityReason::SparseTree, SnapshotInfo::default());
    assert!(!sparse.proves_absence() && sparse.comparison_key().is_none());
    let scoped = CaptureOptions {
        scope: Some("x".into()),
        ..CaptureOptions::default()
    };
    let limited = SnapshotBuilder::new(scoped).finish(SnapshotInfo::default());
    assert!(!limited.proves_absence());
}

#[test]
fn a_parent_that_is_not_on_the_path_is_a_typed_error() {
    let mut builder = SnapshotBuilder::new(CaptureOptions::default());
    let root = builder.root(Role::Group).unwrap().id();
    let first = builder.child(root, Role::Group).unwrap().id();
    builder.child(root, Role::Group).unwrap();
    assert_eq!(
        builder.child(first, Role::Group).unwrap_err(),
        BuildError::NotInDocumentOrder { node: 3, parent: 1 }
    );
    assert!(builder.child(NodeId::at(99), Role::Group).is_err());
}

#[test]
fn deep_trees_need_no_stack_and_nodes_stay_small() {
    let mut builder = SnapshotBuilder::new(CaptureOptions::default());
    for depth in 0..100_000 {
        builder.at_depth(depth, Role::Group).unwrap();
    }
    builder.derive_outside(Some(Rect::new(0.0, 0.0, 10.0, 10.0)));
    let snapshot = builder.finish(SnapshotInfo::default());
    assert_eq!(snapshot.view().nodes().len(), 100_000);
    assert!(
        size_of::<node::NodeData>() <= 160,
        "{}",
        size_of::<node::NodeData>()
    );
}

#[test]
fn a_container_that_nothing_follows_clips_all_of_its_content() {
    let mut builder = SnapshotBuilder::new(CaptureOptions::default());
    let tree = [
        (0, Role::Application, 0.0, 200.0),
        (1, Role::List, 100.0, 50.0),
        (2, Role::Cell, 110.0, 10.0),
        (2, Role::Cell, 180.0, 10.0),
    ];
    for (depth, role, y, height) in tree {
        let mut node = builder.at_depth(depth, role).unwrap();
        node.bounds(Rect::new(0.0, y, 100.0, height));
    }
    builder.derive_outside(Some(Rect::new(0.0, 0.0, 100.0, 200.0)));
    let snapshot = builder.finish(SnapshotInfo::default());
    let below = snapshot.get(NodeId::at(3)).unwrap().outside();
    assert!(below.has(Direction::Down), "{below:?}");
    assert_eq!(snapshot.get(NodeId::at(2)).unwrap().outside(), Sides::NONE);
}

#[test]
fn a_builder_without_limits_of_its_own_is_bounded() {
    let mut many = SnapshotBuilder::new(CaptureOptions::default());
    let refused = (0..2_000_000).find_map(|_| many.root(Role::Group).err());
    assert_eq!(refused, Some(BuildError::TooLarge));
    assert_eq!(many.len(), 1_000_000);

    let mut long = SnapshotBuilder::new(CaptureOptions::default());
    let piece = "x".repeat(1 << 20);
    for _ in 0..65 {
        long.root(Role::Text)
            .unwrap()
            .text(TextField::Label, &piece);
    }
    let long = long.finish(SnapshotInfo::default());
    assert!(long.info().truncated);
    assert_eq!(
        long.nodes().filter(|node| node.label().is_some()).count(),
        64
    );
}

#[test]
fn nothing_covers_itself() {
    let mut tree = SnapshotBuilder::new(CaptureOptions::default());
    tree.root(Role::Button).unwrap().covered_by(NodeId::at(0));
    let tree = tree.finish(SnapshotInfo::default());
    assert!(tree.root().unwrap().covered_by().is_none());
}
