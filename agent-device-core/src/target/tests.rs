use super::*;
use crate::{
    error::{Error, ErrorCode, reason},
    geometry::Direction,
    selector::{id, label, role},
    snapshot::{
        CaptureOptions, Keyboard, NodeBuilder, SnapshotBuilder, SnapshotInfo, Stamp, TextField,
    },
};

const SCREEN: Rect = Rect::new(0.0, 0.0, 400.0, 800.0);

struct Ui {
    builder: SnapshotBuilder,
    info: SnapshotInfo,
}

impl Ui {
    fn new() -> Self {
        let mut builder = SnapshotBuilder::new(CaptureOptions::default());
        builder.root(Role::Application).unwrap().bounds(SCREEN);
        let info = SnapshotInfo {
            viewport: Some(SCREEN),
            ..SnapshotInfo::default()
        };
        Self { builder, info }
    }

    fn add(
        &mut self,
        parent: usize,
        role: Role,
        name: &str,
        bounds: Rect,
        more: impl FnOnce(&mut NodeBuilder<'_>),
    ) -> usize {
        let mut node = self.builder.child(NodeId::at(parent), role).unwrap();
        node.text(TextField::Label, name).bounds(bounds);
        more(&mut node);
        node.id().index()
    }

    fn button(&mut self, name: &str, bounds: Rect) -> usize {
        self.add(0, Role::Button, name, bounds, |_| {})
    }

    fn done(mut self) -> Arc<Snapshot> {
        self.builder.derive_outside(Some(SCREEN));
        Arc::new(self.builder.finish(self.info))
    }
}

fn press(snapshot: &Arc<Snapshot>, by: impl Into<By>) -> Result<Resolved, Refusal> {
    resolve(
        snapshot,
        &by.into(),
        Policy::PROMOTED_TARGET,
        keyboard_band(snapshot),
    )
}

fn error(snapshot: &Arc<Snapshot>, by: impl Into<By> + Clone) -> Error {
    let refusal = press(snapshot, by.clone()).unwrap_err();
    let frame = RefFrame::partial(7, snapshot, &refusal.named_nodes());
    let error = refusal.into_error(&by.into(), snapshot, Some(&frame));
    assert!(
        error.dispatched().is_no(),
        "a refusal of the pipeline has sent nothing"
    );
    assert!(!error.hint().is_empty());
    error
}

fn at(resolved: &Resolved) -> (usize, Point) {
    (resolved.target.node().id().index(), resolved.point)
}

const A: Rect = Rect::new(20.0, 100.0, 360.0, 50.0);
const B: Rect = Rect::new(20.0, 200.0, 360.0, 50.0);

#[test]
fn one_match_is_touched_in_its_middle() {
    let mut ui = Ui::new();
    let ok = ui.button("OK", A);
    let found = press(&ui.done(), label("ok")).unwrap();
    assert_eq!(at(&found), (ok, A.center()));
    assert_eq!(found.info.kind, ResolutionKind::Unique);
}

#[test]
fn equal_controls_are_never_told_apart_by_geometry() {
    let mut ui = Ui::new();
    for row in 0..7 {
        ui.button(
            "Delete",
            Rect::new(20.0, f64::from(row) * 100.0, 50.0 + f64::from(row), 40.0),
        );
    }
    let error = error(&ui.done(), label("Delete"));
    assert_eq!(error.code(), ErrorCode::AmbiguousMatch);
    assert_eq!(error.detail("matches").unwrap(), 7);
    let candidates = error.detail("candidates").unwrap().as_array().unwrap();
    assert_eq!(candidates.len(), 5);
    assert_eq!(candidates[1], "@e2~s7 [button] \"Delete\"");
}

#[test]
fn an_off_screen_twin_is_still_a_twin() {
    let mut ui = Ui::new();
    ui.button("Settings", Rect::new(-320.0, 200.0, 300.0, 50.0));
    ui.button("Settings", A);
    assert_eq!(
        error(&ui.done(), label("Settings")).code(),
        ErrorCode::AmbiguousMatch
    );
}

#[test]
fn an_off_screen_target_is_refused_with_the_way_to_it() {
    let mut ui = Ui::new();
    ui.button("Settings", Rect::new(-320.0, 200.0, 300.0, 50.0));
    ui.button("Graze", Rect::new(-50.0, 400.0, 50.07, 50.0));
    let snapshot = ui.done();
    for name in ["Settings", "Graze"] {
        let error = error(&snapshot, label(name));
        assert_eq!(error.reason(), Some(reason::OFFSCREEN_SELECTOR), "{name}");
        assert_eq!(error.detail("scrollDirection").unwrap(), "left");
    }
}

#[test]
fn a_row_scrolled_out_of_its_list_is_off_screen_though_its_place_is_not() {
    let mut ui = Ui::new();
    let list = ui.add(
        0,
        Role::List,
        "list",
        Rect::new(0.0, 100.0, 400.0, 300.0),
        |_| {},
    );
    ui.add(
        list,
        Role::Button,
        "Row 9",
        Rect::new(0.0, 500.0, 400.0, 40.0),
        |_| {},
    );
    let error = error(&ui.done(), label("Row 9"));
    assert_eq!(error.detail("scrollDirection").unwrap(), "down");
}

#[test]
fn a_text_in_a_button_means_the_button() {
    let mut ui = Ui::new();
    let button = ui.button("Pay", A);
    let text = ui.add(button, Role::Text, "Pay", A.inset(10.0), |_| {});
    let snapshot = ui.done();
    let found = press(&snapshot, label("Pay")).unwrap();
    assert_eq!(at(&found).0, button);
    assert_eq!(found.info.tiebreak, Some(Tiebreak::StructuralEquivalence));
    let found = press(&snapshot, role(Role::Text) & label("Pay")).unwrap();
    assert_eq!(
        (at(&found).0, found.info.promotion),
        (button, Some("hittable-ancestor"))
    );
    assert_ne!(at(&found).0, text);
}

#[test]
fn a_wrapper_within_a_point_of_its_control_is_the_same_control() {
    let mut ui = Ui::new();
    let wrapper = ui.add(0, Role::Group, "Save", A, |_| {});
    let shifted = Rect::new(A.x + 0.667, A.y, A.width - 1.0, A.height);
    let control = ui.add(wrapper, Role::Button, "Save", shifted, |_| {});
    assert_eq!(at(&press(&ui.done(), label("Save")).unwrap()).0, control);

    let mut ui = Ui::new();
    let cell = ui.add(0, Role::Cell, "Save", A, |_| {});
    ui.add(cell, Role::Button, "Save", A.inset(10.0), |_| {});
    assert_eq!(
        error(&ui.done(), label("Save")).code(),
        ErrorCode::AmbiguousMatch
    );
}

#[test]
fn a_caption_beside_its_control_is_not_a_second_control() {
    let mut ui = Ui::new();
    ui.add(0, Role::Text, "Wi-Fi", A, |_| {});
    let switch = ui.add(0, Role::Switch, "Wi-Fi", B, |_| {});
    let found = press(&ui.done(), label("Wi-Fi")).unwrap();
    assert_eq!(
        (at(&found).0, found.info.tiebreak),
        (switch, Some(Tiebreak::Control))
    );
}

#[test]
fn a_field_is_filled_rather_than_its_caption() {
    let mut ui = Ui::new();
    ui.add(0, Role::Button, "Email", A, |_| {});
    let field = ui.add(0, Role::TextField, "Email", B, |_| {});
    let snapshot = ui.done();
    let found = resolve(&snapshot, &label("Email").into(), Policy::FIELD, None).unwrap();
    assert_eq!(
        (at(&found).0, found.info.tiebreak),
        (field, Some(Tiebreak::Field))
    );
    assert!(press(&snapshot, label("Email")).is_err());
}

#[test]
fn a_screen_sized_ancestor_is_not_touched_in_the_place_of_a_text() {
    let mut ui = Ui::new();
    let broad = ui.add(0, Role::Group, "", SCREEN, |node| {
        node.flag(Flag::Interactive, true);
    });
    let text = ui.add(broad, Role::Text, "Hello", A, |_| {});
    let found = press(&ui.done(), label("Hello")).unwrap();
    assert_eq!(
        (at(&found).0, found.info.promotion),
        (text, Some("overly-broad-ancestor"))
    );
}

#[test]
fn a_covered_target_is_refused_by_name_of_its_cover() {
    let mut ui = Ui::new();
    let pay = ui.button("Pay", A);
    let sheet = ui.add(
        0,
        Role::Sheet,
        "Terms",
        Rect::new(0.0, 50.0, 400.0, 750.0),
        |_| {},
    );
    ui.add(sheet, Role::Button, "Accept", B, |_| {});
    let snapshot = ui.done();
    let error = error(&snapshot, label("Pay"));
    assert_eq!(error.reason(), Some(reason::TARGET_COVERED));
    assert_eq!(
        error.detail("coveredBy").unwrap(),
        "@e1~s7 [sheet] \"Terms\""
    );
    assert!(
        press(&snapshot, label("Accept")).is_ok(),
        "what lies in the cover is free"
    );
    let reading = resolve(&snapshot, &label("Pay").into(), Policy::READ_UNIQUE, None).unwrap();
    assert_eq!(at(&reading).0, pay, "reading ignores covers");
}

#[test]
fn an_alternative_that_is_covered_gives_way_to_the_next() {
    let mut ui = Ui::new();
    ui.button("Pay", A);
    ui.add(
        0,
        Role::Sheet,
        "Terms",
        Rect::new(0.0, 50.0, 400.0, 120.0),
        |_| {},
    );
    let later = ui.button("Later", B);
    let snapshot = ui.done();
    assert_eq!(
        at(&press(&snapshot, label("Pay") | label("Later")).unwrap()).0,
        later
    );
    assert!(matches!(
        press(&snapshot, label("Pay") | label("Nothing")),
        Err(Refusal::Covered { .. })
    ));
}

#[test]
fn a_backend_that_tests_hits_outranks_the_guess_about_overlays() {
    let mut ui = Ui::new();
    let pay = ui.add(0, Role::Button, "Pay", A, |node| {
        node.flag(Flag::Hittable, true);
    });
    ui.add(
        0,
        Role::Toolbar,
        "bar",
        Rect::new(0.0, 50.0, 400.0, 200.0),
        |_| {},
    );
    assert_eq!(at(&press(&ui.done(), label("Pay")).unwrap()).0, pay);
}

#[test]
fn a_parent_is_touched_clear_of_its_children() {
    let mut ui = Ui::new();
    let cell = ui.add(0, Role::Cell, "Order", A, |_| {});
    let inner = Rect::new(150.0, 105.0, 100.0, 40.0);
    ui.add(cell, Role::Button, "More", inner, |_| {});
    let (node, point) = at(&press(&ui.done(), label("Order")).unwrap());
    assert_eq!(node, cell);
    assert!(inner.distance_to(point) >= 12.0, "{point:?}");
    assert!(A.depth_of(point) >= 12.0, "{point:?}");
    assert_eq!(point.y, A.center().y, "as near to the centre as can be");
}

#[test]
fn a_parent_without_room_of_its_own_names_its_children() {
    let mut ui = Ui::new();
    let cell = ui.add(0, Role::Cell, "Order", A, |_| {});
    ui.add(
        cell,
        Role::Button,
        "Left",
        Rect::new(20.0, 100.0, 180.0, 50.0),
        |_| {},
    );
    ui.add(
        cell,
        Role::Button,
        "Right",
        Rect::new(200.0, 100.0, 180.0, 50.0),
        |_| {},
    );
    let error = error(&ui.done(), label("Order"));
    assert_eq!(
        error.reason(),
        Some(reason::COVERED_BY_INTERACTIVE_DESCENDANTS)
    );
    assert_eq!(
        error.detail("competitorRefs").unwrap(),
        &serde_json::json!(["@e1~s7", "@e2~s7"])
    );
}

#[test]
fn a_touch_point_behind_the_keyboard_is_refused_by_point_not_by_overlap() {
    let mut ui = Ui::new();
    ui.info.keyboard = Keyboard::Visible {
        frame: Rect::new(0.0, 500.0, 400.0, 300.0),
    };
    ui.button("Tab", Rect::new(0.0, 750.0, 100.0, 50.0));
    ui.button("Tall", Rect::new(150.0, 300.0, 100.0, 300.0));
    let keyboard = ui.add(
        0,
        Role::Keyboard,
        "",
        Rect::new(0.0, 500.0, 400.0, 300.0),
        |_| {},
    );
    ui.add(
        keyboard,
        Role::Key,
        "q",
        Rect::new(0.0, 550.0, 40.0, 40.0),
        |_| {},
    );
    let snapshot = ui.done();
    let refused = error(&snapshot, label("Tab"));
    let by_keyboard = [reason::TAP_KEYBOARD_OCCLUDES_TARGET, reason::TARGET_COVERED];
    assert!(by_keyboard.contains(&refused.reason().unwrap()));
    assert!(press(&snapshot, label("Tall")).is_ok());
    assert!(
        press(&snapshot, label("q")).is_ok(),
        "keys belong to the keyboard"
    );
}

#[test]
fn a_keyboard_band_is_worked_out_from_its_keys() {
    let keys = |columns: &[f64], bottom: f64| {
        let mut ui = Ui::new();
        for x in columns {
            ui.add(
                0,
                Role::Key,
                "k",
                Rect::new(*x, bottom - 200.0, 100.0, 200.0),
                |_| {},
            );
        }
        keyboard_band(&ui.done())
    };
    let all = [0.0, 100.0, 200.0, 300.0];
    assert_eq!(keys(&all, 780.0), Some(Rect::new(0.0, 580.0, 400.0, 220.0)));
    assert_eq!(keys(&all, 700.0), None, "it floats");
    assert_eq!(keys(&[0.0, 100.0, 300.0], 780.0), None, "it is split");
    assert_eq!(keys(&[0.0], 780.0), None, "it is taller than wide");
}

#[test]
fn a_disabled_target_is_refused() {
    let mut ui = Ui::new();
    ui.add(0, Role::Button, "Sign in", A, |node| {
        node.flag(Flag::Enabled, false);
    });
    assert_eq!(
        error(&ui.done(), label("Sign in")).reason(),
        Some(reason::TARGET_DISABLED)
    );
}

#[test]
fn reads_single_out_the_most_plausible_match_and_say_how() {
    let mut ui = Ui::new();
    let out = Rect::new(-320.0, 0.0, 300.0, 50.0);
    let read = |ui: Ui| {
        resolve(&ui.done(), &label("Total").into(), Policy::READ_TEXT, None)
            .map(|found| (found.target.node().id().index(), found.info.tiebreak))
    };
    ui.add(0, Role::Text, "Total", out, |_| {});
    let seen = ui.add(0, Role::Text, "Total", A, |_| {});
    assert_eq!(read(ui), Ok((seen, Some(Tiebreak::Visible))));

    let mut ui = Ui::new();
    ui.add(0, Role::Text, "Total", A, |_| {});
    let group = ui.add(0, Role::Group, "", B, |_| {});
    let deep = ui.add(group, Role::Text, "Total", B, |_| {});
    assert_eq!(read(ui), Ok((deep, Some(Tiebreak::Deepest))));

    let mut ui = Ui::new();
    ui.add(0, Role::Text, "Total", A, |_| {});
    let small = ui.add(0, Role::Text, "Total", B.inset(5.0), |_| {});
    assert_eq!(read(ui), Ok((small, Some(Tiebreak::SmallestArea))));

    let mut ui = Ui::new();
    ui.add(0, Role::Text, "Total", A, |_| {});
    ui.add(0, Role::Text, "Total", B, |_| {});
    assert!(matches!(
        read(ui),
        Err(Refusal::Ambiguous { matches: 2, .. })
    ));
}

#[test]
fn a_find_takes_whole_matches_before_parts() {
    let mut ui = Ui::new();
    ui.button("Pay now", A);
    let exact = ui.button("Pay", B);
    let later = ui.button("Pay later", Rect::new(20.0, 300.0, 360.0, 50.0));
    let snapshot = ui.done();
    assert_eq!(at(&press(&snapshot, Find::new("pay")).unwrap()).0, exact);
    assert!(press(&snapshot, Find::new("pay ")).is_ok());
    assert!(matches!(
        press(&snapshot, Find::new("a")),
        Err(Refusal::Ambiguous { .. })
    ));
    let last = press(&snapshot, Find::new("pay l")).unwrap();
    assert_eq!(at(&last).0, later);
    assert_eq!(
        at(&press(&snapshot, Find::new("p").last()).unwrap()).0,
        later
    );
}

#[test]
fn the_selector_of_a_node_finds_it_again() {
    let mut ui = Ui::new();
    ui.add(0, Role::Button, "Pay", A, |node| {
        node.text(TextField::Identifier, "pay");
    });
    ui.button("Pay", B);
    ui.add(0, Role::Group, "", B, |_| {});
    let snapshot = ui.done();
    let written = |at: usize, fill| {
        Selector::for_node(snapshot.get(NodeId::at(at)).unwrap(), fill).to_string()
    };
    assert_eq!(
        written(1, false),
        r#"id="pay" || role="button" label="Pay" || label="Pay""#
    );
    assert_eq!(
        written(2, true),
        r#"role="button" label="Pay" editable || label="Pay" editable"#
    );
    assert_eq!(written(3, false), r#"role="group""#);
    assert_eq!(
        at(&press(&snapshot, id("pay") | label("Pay")).unwrap()).0,
        1
    );
}

#[test]
fn refs_are_read_strictly() {
    assert_eq!("@e12".parse::<Ref>().unwrap(), Ref::new(12));
    assert_eq!("e3~s4".parse::<Ref>().unwrap(), Ref::new(3).pinned(4));
    for text in [
        "",
        "@",
        "@e",
        "@e0",
        "@e-1",
        "@e+1",
        "e1~",
        "e1~s",
        "e1~sx",
        "@e99999999999",
        "12",
    ] {
        assert_eq!(
            text.parse::<Ref>().unwrap_err().detail("field").unwrap(),
            "ref",
            "{text}"
        );
    }
}

#[test]
fn frames_admit_only_what_they_issued_while_they_are_active() {
    let mut ui = Ui::new();
    ui.button("OK", A);
    let snapshot = Arc::into_inner(ui.done()).unwrap();
    let snapshot = Arc::new(snapshot.stamped(Stamp {
        generation: 3,
        acts: 0,
    }));
    let node = NodeId::at(1);
    let mut frames = RefFrames::default();
    let admit = |frames: &RefFrames, wanted: Ref| frames.admit(wanted).map(|(_, node)| node);
    assert_eq!(admit(&frames, Ref::new(1)), Err(reason::REF_NOT_FOUND));
    frames.issue(RefFrame::partial(4, &snapshot, &[node]));
    assert_eq!(
        admit(&frames, Ref::new(1)),
        Err(reason::PLAIN_REF_REQUIRES_COMPLETE_FRAME)
    );
    frames.issue(RefFrame::complete(&snapshot));
    assert_eq!(admit(&frames, Ref::new(2)), Ok(node));
    assert_eq!(admit(&frames, Ref::new(2).pinned(3)), Ok(node));
    assert_eq!(Ref::of(&snapshot, node), Some(Ref::new(2).pinned(3)));
    assert_eq!(
        admit(&frames, Ref::new(1).pinned(4)),
        Ok(node),
        "a whole snapshot leaves the refs of an error alone"
    );
    assert_eq!(
        admit(&frames, Ref::new(2).pinned(4)),
        Err(reason::REF_NOT_ISSUED)
    );
    for number in [0, 9] {
        assert_eq!(admit(&frames, Ref::new(number)), Err(reason::REF_NOT_FOUND));
    }
    assert_eq!(
        admit(&frames, Ref::new(2).pinned(2)),
        Err(reason::REF_GENERATION_MISMATCH)
    );
    frames.expire();
    assert_eq!(admit(&frames, Ref::new(2)), Err(reason::REF_FRAME_EXPIRED));
    assert_eq!(
        admit(&frames, Ref::new(1).pinned(4)),
        Err(reason::REF_FRAME_EXPIRED)
    );
    let recalled = frames.recall(Ref::new(2)).map(|(_, node)| node);
    assert_eq!(recalled, Ok(node), "reads still get an answer");
}

#[test]
fn a_cell_full_of_buttons_is_searched_within_bounds() {
    let mut ui = Ui::new();
    let cell = ui.add(0, Role::Cell, "Cell", SCREEN.inset(1.0), |_| {});
    for at in 0..3200 {
        let place = Rect::new(
            f64::from(at % 40) * 10.0,
            f64::from(at / 40) * 10.0,
            9.0,
            9.0,
        );
        ui.add(cell, Role::Button, "b", place, |_| {});
    }
    assert!(matches!(
        press(&ui.done(), label("Cell")),
        Err(Refusal::CoveredByDescendants { count: 3200, .. })
    ));
}

#[test]
fn directions_of_an_overshoot_name_the_farther_edge() {
    assert_eq!(
        SCREEN.overshoot(Point::new(-10.0, 900.0)),
        Some(Direction::Down)
    );
    assert_eq!(
        SCREEN.overshoot(Point::new(-200.0, 900.0)),
        Some(Direction::Left)
    );
    assert_eq!(SCREEN.overshoot(Point::new(10.0, 10.0)), None);
}

#[test]
fn distances_for_a_finger_grow_with_the_density() {
    let tree = |density: f64| {
        let mut tree = Ui::new();
        tree.info.density = density;
        let outer = tree.add(
            0,
            Role::Other,
            "Save",
            Rect::new(9.0, 99.0, 102.0, 52.0),
            |_| {},
        );
        tree.add(
            outer,
            Role::Button,
            "Save",
            Rect::new(12.0, 102.0, 96.0, 46.0),
            |_| {},
        );
        tree.done()
    };
    // Three pixels are one point at this density, and three points without it.
    assert!(press(&tree(3.0), label("Save")).is_ok());
    assert!(matches!(
        press(&tree(0.0), label("Save")),
        Err(Refusal::Ambiguous { .. })
    ));
    // A density that no display has is none.
    assert!(press(&tree(f64::NAN), label("Save")).is_err());
    assert!(press(&tree(1e9), label("Save")).is_err());
}

#[test]
fn a_place_that_was_clipped_to_a_line_lies_beyond_that_edge() {
    let tree = |line: Rect, seen: bool| {
        let mut tree = Ui::new();
        tree.add(0, Role::Button, "Settings", line, |node| {
            node.flag(Flag::VisibleToUser, seen);
        });
        tree.done()
    };
    for (line, direction) in [
        (Rect::new(0.0, 120.0, 0.0, 48.0), "left"),
        (Rect::new(SCREEN.right(), 120.0, 0.0, 48.0), "right"),
        (Rect::new(0.0, 0.0, 90.0, 0.0), "up"),
        (Rect::new(0.0, SCREEN.bottom(), 90.0, -3.0), "down"),
    ] {
        let error = error(&tree(line, false), label("Settings"));
        assert_eq!(error.reason(), Some(reason::OFFSCREEN_SELECTOR), "{line:?}");
        assert_eq!(error.detail("scrollDirection"), Some(&direction.into()));
    }
    // One that is said to be seen, one in the middle, and one without any size have no place.
    for (line, seen) in [
        (Rect::new(0.0, 120.0, 0.0, 48.0), true),
        (Rect::new(50.0, 120.0, 0.0, 48.0), false),
        (Rect::new(0.0, 0.0, 0.0, 0.0), false),
    ] {
        let error = error(&tree(line, seen), label("Settings"));
        assert_eq!(
            error.reason(),
            Some(reason::TARGET_BOUNDS_INVALID),
            "{line:?}"
        );
    }
}
