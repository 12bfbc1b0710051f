use agent_device_core::{
    geometry::Direction,
    snapshot::{Checked, QualityState},
};
use serde_json::{Value, json};

use super::*;

const EXPECTED: Expected<'static> = Expected {
    request_id: "7",
    pid: 42,
    generation: "g",
};

fn read(reply: &[u8]) -> Result<Described, AxFailure> {
    decode(
        reply,
        &EXPECTED,
        &CaptureOptions::default(),
        &AxLimits::default(),
    )
}

fn reply(tree: &Value) -> Value {
    json!({
        "protocolVersion": 1, "sourceVersion": "agent-device-ax-1", "requestId": "7", "ok": true, "pid": 42, "generation": "g",
        "truncated": false, "recovery": {"requests": 3, "rejected": 1, "continuations": 1, "acceptedLevels": 32, "elapsedMs": 12},
        "tree": tree,
    })
}

fn element(number: u64, label: &str, frame: [f64; 4], children: &[Value]) -> Value {
    json!({
        "XC_kAXXCAttributeAutomationType": number, "XC_kAXXCAttributeLabel": label,
        "XC_kAXXCAttributeFrame": {"X": frame[0], "Y": frame[1], "Width": frame[2], "Height": frame[3]},
        "XC_kAXXCAttributeChildren": children,
    })
}

fn app(children: &[Value]) -> Value {
    element(2, "App", [0.0, 0.0, 390.0, 844.0], children)
}

fn with(mut element: Value, facts: &Value) -> Value {
    for (name, value) in facts.as_object().unwrap() {
        element[format!("XC_kAXXCAttribute{name}")] = value.clone();
    }
    element
}

fn tree(children: &[Value]) -> Snapshot {
    read(reply(&app(children)).to_string().as_bytes())
        .unwrap()
        .snapshot
}

fn failure(reply: &Value) -> AxFailure {
    read(reply.to_string().as_bytes()).unwrap_err()
}

#[test]
fn a_reply_becomes_a_snapshot() {
    let place = [10.0, 20.0, 100.0, 40.0];
    let snapshot = tree(&[
        with(
            element(9, "Pay", place, &[]),
            &json!({"Traits": 1, "Identifier": "pay"}),
        ),
        with(element(9, "Off", place, &[]), &json!({"Traits": 0x101})),
        with(element(40, "Wifi", place, &[]), &json!({"Value": 1})),
        with(element(50, "PIN", place, &[]), &json!({"Value": "••••"})),
        with(
            element(49, "Name", place, &[]),
            &json!({"Value": "Your name", "PlaceholderValue": "Your name"}),
        ),
        with(
            element(49, "City", place, &[]),
            &json!({"Value": "Bern", "PlaceholderValue": "Your city"}),
        ),
        with(element(33, "Volume", place, &[]), &json!({"Value": 0.5})),
        with(
            element(48, "Head", place, &[]),
            &json!({"Traits": 0x1_0048}),
        ),
        with(
            element(0, "Old", place, &[]),
            &json!({"ElementType": "MyCell", "ElementBaseType": "UITableViewCell"}),
        ),
    ]);
    let node = |label: &str| {
        snapshot
            .nodes()
            .find(|node| node.label() == Some(label))
            .unwrap()
    };
    assert_eq!(
        (node("Pay").role(), node("Pay").identifier()),
        (Role::Button, Some("pay"))
    );
    assert_eq!(
        (
            node("Pay").flag(Flag::Enabled),
            node("Pay").flag(Flag::Hittable)
        ),
        (Some(true), Some(true))
    );
    assert_eq!(
        node("Pay").bounds(),
        Some(Rect::new(10.0, 20.0, 100.0, 40.0))
    );
    assert_eq!(
        (
            node("Off").flag(Flag::Enabled),
            node("Off").flag(Flag::Hittable)
        ),
        (Some(false), Some(false))
    );
    assert_eq!(
        node("Wifi").flag(Flag::Enabled),
        None,
        "absent is not false"
    );
    assert_eq!(
        (node("Wifi").checked(), node("Wifi").value()),
        (Some(Checked::On), None)
    );
    assert!(
        node("PIN").is(Flag::Secure)
            && node("PIN")
                .text_field(agent_device_core::snapshot::TextField::Value)
                .is_none()
    );
    assert_eq!(
        (node("Name").value(), node("Name").placeholder()),
        (Some(""), Some("Your name"))
    );
    assert!(node("Name").is(Flag::HintShowing) && node("Name").is(Flag::Editable));
    assert_eq!(
        (node("City").value(), node("City").is(Flag::HintShowing)),
        (Some("Bern"), false)
    );
    assert_eq!(node("Volume").value(), Some("0.5"));
    assert!(node("Head").is(Flag::Heading) && node("Head").is(Flag::Selected));
    assert_eq!(
        (node("Old").role(), node("Old").native_type()),
        (Role::Cell, Some("Cell"))
    );
    let info = snapshot.info();
    assert_eq!(info.viewport, Some(Rect::new(0.0, 0.0, 390.0, 844.0)));
    assert_eq!(
        (info.lineage.as_deref(), info.acquisition),
        (Some("g"), Some(Duration::from_millis(12)))
    );
    assert_eq!(
        (snapshot.quality().state, snapshot.quality().source.as_ref()),
        (QualityState::Healthy, SOURCE)
    );
    assert!(snapshot.proves_absence());
}

#[test]
fn what_lies_outside_is_told_by_its_side() {
    let snapshot = tree(&[element(
        26,
        "List",
        [0.0, 100.0, 390.0, 500.0],
        &[
            element(75, "Above", [0.0, 0.0, 390.0, 44.0], &[]),
            element(75, "Here", [0.0, 200.0, 390.0, 44.0], &[]),
            element(75, "Below", [0.0, 700.0, 390.0, 44.0], &[]),
            element(75, "Far below", [0.0, 900.0, 390.0, 44.0], &[]),
        ],
    )]);
    let side = |label: &str| {
        snapshot
            .nodes()
            .find(|node| node.label() == Some(label))
            .unwrap()
            .outside()
    };
    assert!(
        side("Above").has(Direction::Up)
            && side("Below").has(Direction::Down)
            && side("Here").is_empty()
    );
    let hidden: Vec<_> = snapshot
        .view()
        .hidden_content()
        .iter()
        .map(|hidden| (hidden.side, hidden.count))
        .collect();
    assert_eq!(hidden, [(Direction::Up, 1), (Direction::Down, 2)]);
    let far = snapshot
        .nodes()
        .find(|node| node.label() == Some("Far below"))
        .unwrap();
    assert_eq!(far.flag(Flag::Hittable), Some(false));
}

#[test]
fn members_may_come_in_any_order() {
    // serde_json sorts members by name: children come before frame and label here, and the tree before the version.
    let snapshot = tree(&[element(
        9,
        "Z",
        [0.0, 0.0, 9.0, 9.0],
        &[element(48, "A", [1.0, 1.0, 2.0, 2.0], &[])],
    )]);
    let labels: Vec<_> = snapshot
        .nodes()
        .map(|node| (node.depth(), node.label()))
        .collect();
    assert_eq!(labels, [(0, Some("App")), (1, Some("Z")), (2, Some("A"))]);
    let backwards = br#"{"tree":{"XC_kAXXCAttributeChildren":[{"XC_kAXXCAttributeLabel":"x","XC_kAXXCAttributeAutomationType":9}],
        "XC_kAXXCAttributeFrame":{"Height":2,"Width":2,"Y":0,"X":0}},"generation":"g","pid":42,"ok":true,"requestId":"7",
        "sourceVersion":"agent-device-ax-1","protocolVersion":1,"later":{"tree":[{"pid":1}]}}"#;
    assert_eq!(read(backwards).unwrap().snapshot.len(), 2);
}

#[test]
fn a_page_of_another_process_is_a_boundary() {
    let inside = [0.0, 100.0, 390.0, 300.0];
    let outside = [0.0, 900.0, 390.0, 300.0];
    let remote = |frame| {
        with(
            element(1, "", frame, &[]),
            &json!({"ElementType": "AXRemoteElement"}),
        )
    };
    let placeless = json!({"XC_kAXXCAttributeElementType": "AXRemoteElement"});
    let web = |child: Value| {
        reply(&app(&[element(
            58,
            "Page",
            inside,
            &[element(1, "", inside, &[child])],
        )]))
    };
    assert!(matches!(
        failure(&web(remote(inside))),
        AxFailure::RemoteContent
    ));
    assert!(matches!(failure(&web(placeless)), AxFailure::RemoteContent));
    assert!(read(web(remote(outside)).to_string().as_bytes()).is_ok());
    let beside = reply(&app(&[element(9, "Pay", inside, &[]), remote(inside)]));
    assert!(
        read(beside.to_string().as_bytes()).is_ok(),
        "only web views lose their content"
    );
}

#[test]
fn a_tree_that_says_nothing_is_sparse() {
    let place = [0.0, 0.0, 390.0, 844.0];
    for children in [
        vec![],
        vec![element(4, "", place, &[element(1, " ", place, &[])])],
    ] {
        assert!(matches!(
            failure(&reply(&app(&children))),
            AxFailure::Sparse
        ));
    }
    assert_eq!(
        tree(&[with(
            element(1, "", place, &[]),
            &json!({"Identifier": "root"})
        )])
        .len(),
        2
    );
    for frame in [[0.0; 4], [0.0, 0.0, -1.0, 10.0]] {
        assert!(matches!(
            failure(&reply(&element(2, "App", frame, &[]))),
            AxFailure::NoViewport
        ));
    }
}

#[test]
fn a_reply_must_say_what_it_answers() {
    let good = reply(&app(&[element(9, "Pay", [0.0, 0.0, 9.0, 9.0], &[])]));
    for (field, other) in [
        ("protocolVersion", json!(2)),
        ("sourceVersion", json!("x")),
        ("requestId", json!("8")),
        ("pid", json!(43)),
        ("generation", json!("h")),
        ("generation", Value::Null),
    ] {
        let mut wrong = good.clone();
        wrong[field] = other;
        assert!(
            matches!(failure(&wrong), AxFailure::Identity { field: named } if named == field),
            "{field}"
        );
        wrong.as_object_mut().unwrap().remove(field);
        assert!(
            matches!(failure(&wrong), AxFailure::Identity { field: named } if named == field),
            "no {field}"
        );
    }
    let mut refused = good.clone();
    refused["ok"] = json!(false);
    assert!(matches!(
        failure(&refused),
        AxFailure::Unreadable {
            field: "error_code"
        }
    ));
    refused["error_kind"] = json!("application_not_responding");
    refused["error_code"] = json!("application-timeout");
    let AxFailure::Refused { kind, code, .. } = failure(&refused) else {
        panic!()
    };
    assert_eq!(
        (kind, code.as_str()),
        (RefusalKind::ApplicationNotResponding, "application-timeout")
    );
}

#[test]
fn what_is_wrong_is_named() {
    let place = [0.0, 0.0, 9.0, 9.0];
    for (wrong, field) in [
        (
            with(element(9, "x", place, &[]), &json!({"Label": 5})),
            "Label",
        ),
        (
            with(element(9, "x", place, &[]), &json!({"Identifier": true})),
            "Identifier",
        ),
        (
            with(element(9, "x", place, &[]), &json!({"AutomationType": "9"})),
            "AutomationType",
        ),
        (
            with(element(9, "x", place, &[]), &json!({"AutomationType": -1})),
            "AutomationType",
        ),
        (
            with(element(9, "x", place, &[]), &json!({"Traits": 1.5})),
            "Traits",
        ),
        (
            with(element(9, "x", place, &[]), &json!({"Frame": {"X": "1"}})),
            "Frame",
        ),
        (json!("text"), "Children"),
    ] {
        let read = failure(&reply(&app(&[wrong])));
        assert!(
            matches!(read, AxFailure::Unreadable { field: named } if named == field),
            "{field}: {read}"
        );
    }
    for odd in ["", "{", "[]", "null", "{}x", "\"\"", "{\"ok\":true}"] {
        assert!(read(odd.as_bytes()).is_err(), "{odd}");
    }
    let mut hollow = reply(&app(&[]));
    hollow["tree"] = Value::Null;
    assert!(matches!(
        failure(&hollow),
        AxFailure::Unreadable { field: "tree" }
    ));
    let twice = reply(&app(&[]))
        .to_string()
        .replace("\"tree\":", "\"tree\":{},\"tree\":");
    assert!(matches!(
        read(twice.as_bytes()),
        Err(AxFailure::Unreadable { field: "tree" })
    ));
}

#[test]
fn limits_that_the_guest_was_told_are_held() {
    let line = |levels: usize| {
        (0..levels).fold(element(9, "end", [0.0, 0.0, 9.0, 9.0], &[]), |inner, _| {
            element(1, "", [0.0, 0.0, 9.0, 9.0], &[inner])
        })
    };
    let limits = AxLimits {
        depth: 12,
        nodes: 20,
        ..AxLimits::default()
    };
    let bounded = |tree: &Value| {
        decode(
            reply(tree).to_string().as_bytes(),
            &EXPECTED,
            &CaptureOptions::default(),
            &limits,
        )
    };
    assert_eq!(bounded(&app(&[line(11)])).unwrap().snapshot.len(), 13);
    assert!(matches!(
        bounded(&app(&[line(12)])),
        Err(AxFailure::Unreadable { field: "tree" })
    ));
    let many: Vec<_> = (0..19)
        .map(|_| element(9, "x", [0.0, 0.0, 9.0, 9.0], &[]))
        .collect();
    assert_eq!(bounded(&app(&many)).unwrap().snapshot.len(), 20);
    let more = [many, vec![json!({})]].concat();
    assert!(matches!(
        bounded(&app(&more)),
        Err(AxFailure::Unreadable { field: "tree" })
    ));
    for bracket in ["[", "{\"a\":", "{\"tree\":{\"XC_kAXXCAttributeChildren\":["] {
        let bottomless = bracket.repeat(100_000);
        assert!(
            matches!(
                read(bottomless.as_bytes()),
                Err(AxFailure::Unreadable { .. })
            ),
            "{bracket}"
        );
    }
}

#[test]
fn a_truncated_tree_proves_no_absence() {
    let mut cut = reply(&app(&[element(9, "Pay", [0.0, 0.0, 9.0, 9.0], &[])]));
    cut["truncated"] = json!(true);
    assert!(
        !read(cut.to_string().as_bytes())
            .unwrap()
            .snapshot
            .proves_absence()
    );
}

/// The same numbers on every machine, so that a failure can be run again (xorshift64*, Vigna 2014).
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(number).unwrap() % bound.max(1)
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let place = [0.0, 0.0, 9.0, 9.0];
    let leaf = with(
        element(9, "ü\n\u{1F600}", place, &[]),
        &json!({"Value": 1.5, "Traits": 257, "ElementType": "AXRemoteElement"}),
    );
    let good = reply(&app(&[element(58, "Page", place, &[leaf.clone(), leaf])]))
        .to_string()
        .into_bytes();
    let pieces: [&[u8]; 12] = [
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b":",
        b"\"",
        b"\\u",
        b"null",
        b"1e999",
        b"\"tree\":{",
        b"\xff",
    ];
    for seed in 1..=20_000 {
        let mut random = Seeded(seed);
        let mut bytes = good.clone();
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len());
            match random.below(5) {
                0 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
                1 if bytes.len() > 1 => drop(bytes.remove(at)),
                2 => bytes.truncate(at.max(1)),
                3 => {
                    let piece = pieces[random.below(pieces.len())];
                    bytes.splice(at..at, piece.iter().copied());
                }
                _ => {
                    let end = (at + random.below(40)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    let to = random.below(bytes.len());
                    bytes.splice(to..to, copy);
                }
            }
        }
        if let Ok(described) = read(&bytes) {
            assert!(
                described.snapshot.len() <= AxLimits::default().nodes,
                "seed {seed}"
            );
            drop(described.snapshot.view());
        }
    }
}
