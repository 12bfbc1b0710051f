use agent_device_core::{
    Role, Snapshot,
    geometry::{Direction, Rect},
    snapshot::{CaptureOptions, Flag, Keyboard, Node, QualityReason},
};

use super::*;

fn decoded(document: &str, facts: &Facts<'_>) -> Decoded {
    decode(
        document.as_bytes(),
        CaptureOptions::default(),
        facts,
        &Limits::default(),
    )
    .unwrap()
}

fn hierarchy(nodes: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">{nodes}</hierarchy>"
    )
}

fn screen(nodes: &str) -> Snapshot {
    decoded(&hierarchy(nodes), &Facts::default()).snapshot
}

fn window(kind: i32, attributes: &str, bounds: &str, nodes: &str) -> String {
    format!(
        "<node index=\"0\" window-index=\"0\" window-type=\"{kind}\" window-layer=\"{kind}\" window-bounds=\"{bounds}\" {attributes} \
         class=\"android.widget.FrameLayout\" package=\"com.app\" visible-to-user=\"true\" bounds=\"{bounds}\">{nodes}</node>"
    )
}

const SCREEN: &str = "[0,0][100,200]";
const LEADS: &str = "window-active=\"true\" window-focused=\"true\"";

fn node(attributes: &str) -> String {
    format!("<node index=\"0\" {attributes} />")
}

fn labelled<'a>(snapshot: &'a Snapshot, label: &str) -> Node<'a> {
    snapshot
        .nodes()
        .find(|node| node.label() == Some(label))
        .unwrap()
}

#[test]
fn every_fact_of_a_node_is_taken_over() {
    let snapshot = screen(&window(
        1,
        LEADS,
        SCREEN,
        &node(
            "text=\"On &amp; off\" content-desc=\"a switch\" resource-id=\"com.app:id/power\" class=\"android.widget.Switch\" \
             package=\"com.app\" visible-to-user=\"true\" clickable=\"true\" checkable=\"true\" checked=\"true\" enabled=\"false\" \
             focusable=\"true\" focused=\"false\" selected=\"false\" heading=\"true\" password=\"false\" bounds=\"[1,2][11,22]\"",
        ),
    ));
    assert_eq!(snapshot.root().unwrap().role(), Role::Window);
    let node = labelled(&snapshot, "On & off");
    assert_eq!(node.role(), Role::Switch);
    assert_eq!(node.value(), None, "only a field holds its text");
    assert_eq!(node.identifier(), Some("com.app:id/power"));
    assert_eq!(node.native_type(), Some("android.widget.Switch"));
    assert_eq!(
        node.text_field(agent_device_core::snapshot::TextField::Description),
        Some("a switch")
    );
    assert_eq!(node.bounds(), Some(Rect::new(1.0, 2.0, 10.0, 20.0)));
    for (flag, wanted) in [
        (Flag::Enabled, Some(false)),
        (Flag::Checked, Some(true)),
        (Flag::Focused, Some(false)),
        (Flag::Selected, Some(false)),
        (Flag::Heading, Some(true)),
        (Flag::Secure, Some(false)),
        (Flag::VisibleToUser, Some(true)),
        (Flag::Interactive, Some(true)),
        (Flag::Scrollable, Some(false)),
        (Flag::Editable, Some(false)),
        (Flag::HintShowing, None),
        (Flag::Expanded, None),
    ] {
        assert_eq!(node.flag(flag), wanted, "{flag:?}");
    }
    let bare = screen(&node_in_window("class=\"\""));
    let bare = bare.nodes().nth(1).unwrap();
    assert_eq!(
        (bare.label(), bare.value(), bare.identifier(), bare.bounds()),
        (None, None, None, None)
    );
    assert_eq!(bare.flag(Flag::Enabled), None);
}

fn node_in_window(attributes: &str) -> String {
    window(1, LEADS, SCREEN, &node(attributes))
}

#[test]
fn a_box_of_an_old_dump_is_checked_only_if_it_can_be() {
    let state = |attributes: &str| {
        screen(&node_in_window(attributes))
            .nodes()
            .nth(1)
            .unwrap()
            .flag(Flag::Checked)
    };
    assert_eq!(state("checkable=\"false\" checked=\"false\""), None);
    assert_eq!(state("checkable=\"true\" checked=\"false\""), Some(false));
    assert_eq!(state("checked=\"true\""), Some(true));
    assert_eq!(state(""), None);
}

#[test]
fn a_hint_is_no_content_and_a_password_is_never_read() {
    let field = "class=\"android.widget.EditText\" bounds=\"[0,0][9,9]\"";
    let snapshot = screen(&window(
        1,
        LEADS,
        SCREEN,
        &[
            node(&format!("text=\"E-mail\" hint-showing=\"true\" {field}")),
            node(&format!(
                "text=\"a@b.c\" hint=\"E-mail\" hint-showing=\"false\" {field}"
            )),
            node(&format!(
                "text=\"hunter2\" password=\"true\" hint=\"Password\" {field}"
            )),
            node(&format!(
                "text=\"PIN\" password=\"true\" hint-showing=\"true\" {field}"
            )),
            node(&format!("text=\"note\" {field}")),
            node(&format!("text=\"\" {field}")),
        ]
        .concat(),
    ));
    let facts: Vec<_> = snapshot
        .nodes()
        .skip(1)
        .map(|node| (node.role(), node.label(), node.value(), node.placeholder()))
        .collect();
    assert_eq!(
        facts,
        [
            (Role::TextField, Some("E-mail"), Some(""), Some("E-mail")),
            (
                Role::TextField,
                Some("E-mail"),
                Some("a@b.c"),
                Some("E-mail")
            ),
            (
                Role::SecureTextField,
                Some("Password"),
                None,
                Some("Password")
            ),
            (Role::SecureTextField, Some("PIN"), None, Some("PIN")),
            (Role::TextField, Some("note"), Some("note"), None),
            (Role::TextField, None, Some(""), None),
        ]
    );
    let text = snapshot.nodes().all(|node| {
        node.text_field(agent_device_core::snapshot::TextField::Value) != Some("hunter2")
    });
    assert!(text && !format!("{}", snapshot.view_as(&CaptureOptions::raw())).contains("hunter2"));
}

#[test]
fn what_lies_in_something_invisible_is_invisible() {
    let inner =
        node("text=\"in\" visible-to-user=\"true\" clickable=\"true\" bounds=\"[0,0][9,9]\"");
    let outer = format!(
        "<node visible-to-user=\"false\" text=\"out\" bounds=\"[0,0][9,9]\">{inner}</node>"
    );
    let snapshot = screen(&window(1, LEADS, SCREEN, &outer));
    assert_eq!(
        labelled(&snapshot, "in").flag(Flag::VisibleToUser),
        Some(false)
    );
    assert!(!format!("{}", snapshot.view()).contains("in\""));
    assert!(format!("{}", snapshot.view_as(&CaptureOptions::raw())).contains("in\""));
}

#[test]
fn windows_of_apps_behind_the_active_one_are_stale() {
    let content = |text: &str| {
        node(&format!(
            "text=\"{text}\" visible-to-user=\"true\" bounds=\"[0,0][9,9]\""
        ))
    };
    let nodes = [
        window(1, "window-active=\"true\"", SCREEN, &content("front"))
            .replace("window-layer=\"1\"", "window-layer=\"5\""),
        window(1, "", SCREEN, &content("behind")),
        window(3, "", SCREEN, &content("status")),
    ];
    let snapshot = screen(&nodes.concat());
    let visible = |label: &str| labelled(&snapshot, label).flag(Flag::VisibleToUser);
    assert_eq!(visible("front"), Some(true));
    assert_eq!(visible("behind"), Some(false));
    assert_eq!(visible("status"), Some(true));
    // Nobody is in front: nothing is hidden.
    let nodes = [
        window(1, "", SCREEN, &content("a")),
        window(1, "", SCREEN, &content("b")),
    ];
    let snapshot = screen(&nodes.concat());
    assert_eq!(
        labelled(&snapshot, "b").flag(Flag::VisibleToUser),
        Some(true)
    );
}

#[test]
fn the_keyboard_is_known_only_if_every_window_was_looked_at() {
    let app = window(1, LEADS, SCREEN, "");
    let keys = |bounds: &str, region: &str| window(2, region, bounds, "");
    let both = [
        app.clone(),
        keys("[0,150][100,200]", ""),
        keys("[0,140][100,150]", ""),
    ]
    .concat();
    let keyboard = |document: &str, facts: &Facts<'_>| {
        decoded(&hierarchy(document), facts)
            .snapshot
            .info()
            .keyboard
    };
    let facts = Facts::default();
    let frame = Rect::new(0.0, 140.0, 100.0, 60.0);
    assert_eq!(keyboard(&both, &facts), Keyboard::Visible { frame });
    assert_eq!(keyboard(&app, &facts), Keyboard::Absent);
    for (document, facts) in [
        (node("text=\"a dump without windows\""), Facts::default()),
        (
            app.clone(),
            Facts {
                active_window_only: true,
                ..Facts::default()
            },
        ),
        (
            app.clone(),
            Facts {
                truncated: true,
                ..Facts::default()
            },
        ),
        (
            app.clone(),
            Facts {
                missing_windows: Some(vec![2].into()),
                ..Facts::default()
            },
        ),
        (
            [app.clone(), keys("[0,0][0,0]", "")].concat(),
            Facts::default(),
        ),
        (
            [
                app.clone(),
                keys("[0,0][9,9]", "window-region-rect=\"false\""),
            ]
            .concat(),
            Facts::default(),
        ),
    ] {
        assert_eq!(keyboard(&document, &facts), Keyboard::Unknown, "{document}");
    }
    let snapshot = screen(&both);
    assert_eq!(
        snapshot
            .nodes()
            .filter(|node| node.role() == Role::Keyboard)
            .count(),
        2
    );
}

#[test]
fn scroll_containers_say_on_which_sides_there_is_more() {
    let list = |attributes: &str, child: &str| {
        let child = node(&format!("bounds=\"{child}\""));
        format!("<node scrollable=\"true\" bounds=\"[0,0][100,100]\" {attributes}>{child}</node>")
    };
    let more = |attributes: &str, child: &str| {
        let snapshot = screen(&window(1, LEADS, SCREEN, &list(attributes, child)));
        let hidden = snapshot.nodes().nth(1).unwrap().hidden_content();
        hidden.iter().collect::<Vec<_>>()
    };
    let both = "can-scroll-forward=\"true\" can-scroll-backward=\"true\"";
    let on = "can-scroll-forward=\"true\" can-scroll-backward=\"false\"";
    assert_eq!(more(on, "[0,0][100,150]"), [Direction::Down]);
    assert_eq!(
        more(both, "[0,-9][100,150]"),
        [Direction::Up, Direction::Down]
    );
    assert_eq!(more(on, "[0,0][130,100]"), [Direction::Right]);
    assert_eq!(more(on, "[0,0][116,100]"), [Direction::Down]);
    // Documents of others don't tell: then what sticks out does.
    assert_eq!(more("", "[0,0][100,150]"), [Direction::Down]);
    assert_eq!(
        more("", "[0,-9][100,150]"),
        [Direction::Up, Direction::Down]
    );
    assert_eq!(more("", "[0,0][130,100]"), [Direction::Right]);
    assert_eq!(more("", "[0,0][100,100]"), []);
    let none = "can-scroll-forward=\"false\" can-scroll-backward=\"false\"";
    assert_eq!(more(none, "[0,-9][100,150]"), []);
    let across = format!("class=\"android.widget.HorizontalScrollView\" {both}");
    assert_eq!(
        more(&across, "[0,0][100,100]"),
        [Direction::Left, Direction::Right]
    );
}

#[test]
fn what_is_drawn_later_covers_what_lies_under_it() {
    let item = |label: &str, order: i32, bounds: &str| {
        node(&format!(
            "text=\"{label}\" drawing-order=\"{order}\" clickable=\"true\" enabled=\"true\" visible-to-user=\"true\" bounds=\"{bounds}\""
        ))
    };
    let nodes = [
        item("under", 1, "[0,0][50,50]"),
        item("over", 2, "[0,0][60,60]"),
        item("beside", 1, "[70,0][90,9]"),
    ];
    let document = hierarchy(&window(1, LEADS, SCREEN, &nodes.concat()));
    let decoded = decoded(&document, &Facts::default());
    assert_eq!(decoded.occlusion, Occlusion::Scanned);
    let snapshot = decoded.snapshot;
    let cover = labelled(&snapshot, "under").covered_by().unwrap();
    assert_eq!(cover.label(), Some("over"));
    assert_eq!(
        labelled(&snapshot, "under").flag(Flag::Hittable),
        Some(false)
    );
    assert!(
        !labelled(&snapshot, "over").is_covered() && !labelled(&snapshot, "beside").is_covered()
    );
    let old = hierarchy(&window(1, LEADS, SCREEN, &node("text=\"x\"")));
    assert_eq!(
        super::tests::decoded(&old, &Facts::default()).occlusion,
        Occlusion::NoDrawingOrder
    );
}

#[test]
fn containers_that_only_arrange_are_folded_in_a_view() {
    let leaf = node(
        "text=\"Pay\" class=\"android.widget.Button\" clickable=\"true\" bounds=\"[0,0][9,9]\"",
    );
    let wrap = |attributes: &str| {
        format!(
            "<node class=\"android.view.ViewGroup\" bounds=\"[0,0][9,9]\" {attributes}>{leaf}</node>"
        )
    };
    let folded = |attributes: &str| {
        screen(&window(1, LEADS, SCREEN, &wrap(attributes)))
            .nodes()
            .nth(1)
            .unwrap()
            .is(Flag::Transparent)
    };
    assert!(folded(""));
    assert!(folded("resource-id=\"com.app:id/row\""));
    assert!(
        !folded("resource-id=\"checkout\""),
        "a test id of React Native"
    );
    assert!(!folded("clickable=\"true\""));
    assert!(!folded("content-desc=\"row\""));
}

#[test]
fn a_poor_tree_is_sparse_and_says_why() {
    let poor = hierarchy(&window(1, LEADS, SCREEN, ""));
    let decoded = decoded(
        &poor,
        &Facts {
            app: Some("com.app"),
            ..Facts::default()
        },
    );
    assert_eq!(
        decoded.content,
        Content::Unusable(Unusable::ContentPoorAppWindow)
    );
    assert!(decoded.snapshot.quality().is_sparse() && !decoded.snapshot.proves_absence());
    let empty = super::tests::decoded(&hierarchy(""), &Facts::default());
    assert_eq!(
        empty.snapshot.quality().reason,
        Some(QualityReason::NoNodes)
    );
    assert!(empty.snapshot.is_empty());
    let self_closed = super::tests::decoded("<hierarchy rotation=\"0\"/>", &Facts::default());
    assert!(self_closed.snapshot.is_empty());
}

#[test]
fn what_is_known_beside_the_document_is_in_the_snapshot() {
    let facts = Facts {
        display: Some((100, 200)),
        scale: 1.0,
        elapsed: Some(Duration::from_millis(7)),
        ..Facts::default()
    };
    let below = node("text=\"below\" bounds=\"[0,300][9,310]\"");
    let decoded = decoded(&hierarchy(&window(1, LEADS, SCREEN, &below)), &facts);
    let info = decoded.snapshot.info();
    assert_eq!(info.viewport, Some(Rect::new(0.0, 0.0, 100.0, 200.0)));
    assert_eq!(
        (
            info.producer,
            info.quality.source.as_ref(),
            info.app.as_deref()
        ),
        ("android", "helper", Some("com.app"))
    );
    assert_eq!(info.acquisition, Some(Duration::from_millis(7)));
    assert!(
        labelled(&decoded.snapshot, "below")
            .outside()
            .has(Direction::Down)
    );
}

#[test]
fn limits_cut_a_tree_and_refuse_a_document() {
    let leaf = node("text=\"x\"");
    let wide = hierarchy(&window(1, LEADS, SCREEN, &leaf.repeat(50)));
    let mut limits = Limits {
        nodes: 10,
        ..Limits::default()
    };
    let cut = decode(
        wide.as_bytes(),
        CaptureOptions::default(),
        &Facts::default(),
        &limits,
    )
    .unwrap();
    assert_eq!(cut.snapshot.len(), 10);
    assert!(cut.snapshot.info().truncated && !cut.snapshot.proves_absence());
    let deep = hierarchy(&format!(
        "{}{}",
        "<node text=\"d\">".repeat(5000),
        "</node>".repeat(5000)
    ));
    let cut = decode(
        deep.as_bytes(),
        CaptureOptions::default(),
        &Facts::default(),
        &Limits::default(),
    )
    .unwrap();
    assert_eq!(cut.snapshot.len(), Limits::default().depth);
    assert!(cut.snapshot.info().truncated);
    limits.bytes = 100;
    let refused = decode(
        wide.as_bytes(),
        CaptureOptions::default(),
        &Facts::default(),
        &limits,
    );
    assert_eq!(refused.unwrap_err(), DecodeError::TooLarge { limit: 100 });
}

#[test]
fn what_is_no_hierarchy_is_an_error_of_its_own() {
    let error = |document: &[u8]| {
        decode(
            document,
            CaptureOptions::default(),
            &Facts::default(),
            &Limits::default(),
        )
        .unwrap_err()
    };
    for document in [
        &b""[..],
        b"{}",
        b"<html></html>",
        b"ERROR: null root node returned by UiTestAutomationBridge.",
        b"<",
        b"\xff\xfe",
    ] {
        assert_eq!(error(document), DecodeError::NoHierarchy, "{document:?}");
    }
    assert_eq!(
        error(b"<hierarchy><node>"),
        DecodeError::CutShort { nodes: 1 }
    );
    assert_eq!(
        error(b"<hierarchy><node text=\"a"),
        DecodeError::CutShort { nodes: 0 }
    );
    assert!(matches!(
        error(b"<hierarchy><node text=a/></hierarchy>"),
        DecodeError::Malformed { .. }
    ));
    let core: agent_device_core::Error = error(b"").into();
    assert_eq!(core.reason(), Some("android_hierarchy_unreadable"));
}

#[test]
fn illegal_characters_of_an_old_helper_are_lived_with() {
    let snapshot = screen(&node_in_window(
        "text=\"a\u{0}\u{1}\u{b}\u{fffe}b&#0;\" content-desc='single \"quotes\"'",
    ));
    let node = snapshot.nodes().nth(1).unwrap();
    assert_eq!(node.label(), Some("a\u{0}\u{1}\u{b}\u{fffe}b&#0;"));
    let document = hierarchy("<node text=\"caf").into_bytes();
    let document = [
        &document[..document.len() - 12],
        b"\x92\" />",
        b"</hierarchy>",
    ]
    .concat();
    let decoded = decode(
        &document,
        CaptureOptions::default(),
        &Facts::default(),
        &Limits::default(),
    )
    .unwrap();
    assert_eq!(
        decoded.snapshot.root().unwrap().label(),
        Some("caf\u{fffd}")
    );
}
