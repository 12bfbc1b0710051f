use agent_device_core::{
    Role, Snapshot,
    geometry::{Direction, Point, Rect},
    snapshot::{CaptureOptions, Checked, Flag, Node},
};

use super::{
    Act, Limits, Target, act_arguments, act_expression, act_script,
    answer::{self, Control, HiddenBy, Status},
    capture_expression, capture_script, decode, library_expression,
    text::Problem,
};

const ROLES: &str = include_str!("testdata/roles.txt");
const LAYERS: &str = include_str!("testdata/layers.txt");

fn decode(reply: &str) -> decode::Capture {
    decode::capture(reply, CaptureOptions::default()).expect("the sample is a capture")
}

fn by_id<'a>(snapshot: &'a Snapshot, id: &str) -> Node<'a> {
    snapshot
        .nodes()
        .find(|node| node.identifier() == Some(id))
        .unwrap_or_else(|| panic!("no node {id}"))
}

fn by_label<'a>(snapshot: &'a Snapshot, label: &str) -> Node<'a> {
    snapshot
        .nodes()
        .find(|node| node.label() == Some(label))
        .unwrap_or_else(|| panic!("no node {label}"))
}

#[test]
fn a_capture_becomes_a_tree_with_roles_names_and_states() {
    let capture = decode(ROLES);
    let tree = &capture.snapshot;
    assert!(tree.len() > 350);
    assert_eq!(tree.root().map(Node::role), Some(Role::Application));
    assert_eq!(tree.info().title.as_deref(), Some("Roles and names"));
    assert!(!tree.info().truncated);
    let field = by_id(tree, "f1");
    assert_eq!(field.role(), Role::TextField);
    assert_eq!(field.label(), Some("First name"));
    assert_eq!(field.placeholder(), Some("Ada"));
    assert_eq!(field.flag(Flag::HintShowing), Some(true));
    assert_eq!(field.flag(Flag::Focused), Some(true));
    assert_eq!(capture.focused, Some(field.id()));
    assert_eq!(field.native_type(), Some("input.text"));
    assert_eq!(by_label(tree, "Terms").checked(), Some(Checked::On));
    assert_eq!(by_id(tree, "ind").checked(), Some(Checked::Mixed));
    assert_eq!(by_id(tree, "plain").checked(), None);
    assert_eq!(by_id(tree, "plain").flag(Flag::Enabled), Some(true));
    assert_eq!(
        by_label(tree, "Aria disabled").flag(Flag::Enabled),
        Some(false)
    );
    assert_eq!(by_label(tree, "Inert button").flag(Flag::Inert), Some(true));
    assert_eq!(by_id(tree, "s1").value(), Some("Japan"));
    assert_eq!(by_id(tree, "s1").flag(Flag::Editable), Some(false));
    let inner = by_id(tree, "inner");
    assert!(inner.ancestors().any(|up| up.role() == Role::WebView));
    let heading = by_label(tree, "Aria heading");
    assert_eq!((heading.role(), heading.level()), (Role::Heading, Some(3)));
}

#[test]
fn secrets_are_named_but_never_carried() {
    let tree = decode(ROLES).snapshot;
    for id in ["pw", "otp", "cc", "pw2"] {
        let field = by_id(&tree, id);
        assert_eq!(field.role(), Role::SecureTextField, "{id}");
        assert_eq!(field.flag(Flag::Secure), Some(true), "{id}");
        assert_eq!(field.value(), None, "{id}");
    }
    for secret in ["hunter2", "123456", "4111", "topsecret"] {
        assert!(!ROLES.contains(secret));
    }
}

#[test]
fn covered_scrolled_and_clipped_are_three_different_things() {
    let capture = decode(LAYERS);
    let tree = &capture.snapshot;
    let pay = by_id(tree, "pay");
    assert!(pay.is_covered());
    assert_eq!(pay.flag(Flag::Hittable), Some(false));
    let cover = pay.covered_by().expect("it is named");
    assert!(
        cover
            .usable_bounds()
            .is_some_and(|bounds| bounds.contains(Point::new(20.0, 20.0)))
    );
    assert_eq!(by_id(tree, "free").flag(Flag::Hittable), Some(true));
    assert_eq!(by_id(tree, "accept").flag(Flag::Hittable), Some(true));
    let settings = by_label(tree, "Settings");
    assert!(settings.outside().has(Direction::Left));
    assert!(!settings.is_covered());
    let list = by_id(tree, "list");
    assert_eq!(list.role(), Role::ScrollArea);
    assert!(list.hidden_content().has(Direction::Down));
    assert!(!list.hidden_content().has(Direction::Up));
    let row = by_label(tree, "Row 9");
    assert!(row.outside().has(Direction::Down));
    assert_eq!(row.flag(Flag::VisibleToUser), None);
    assert_eq!(
        by_label(tree, "clipped").flag(Flag::VisibleToUser),
        Some(false)
    );
    assert!(by_label(tree, "Far below").outside().has(Direction::Down));
    assert!(
        tree.root()
            .is_some_and(|root| root.hidden_content().has(Direction::Down))
    );
    assert_eq!(by_id(tree, "tab-home").flag(Flag::Hittable), Some(true));
    assert_eq!(capture.closed_roots.len(), 1);
    assert_eq!(by_id(tree, "pin").value(), None);
    assert_eq!(by_id(tree, "ro").flag(Flag::ReadOnly), Some(true));
    by_label(tree, "a|b~c}d");
}

#[test]
fn a_target_is_the_way_through_all_records_above() {
    let tree = decode(LAYERS).snapshot;
    let target = Target::of(by_id(&tree, "tab-home")).expect("it has a handle");
    assert_eq!(target.role, "button");
    assert_eq!(target.name.as_deref(), Some("Home"));
    assert!(
        target.path.starts_with("1.") && target.path.matches('.').count() == 2,
        "{}",
        target.path
    );
    assert_eq!(Some(target.token.as_str()), tree.info().lineage.as_deref());
    let cover = by_id(&tree, "pay")
        .covered_by()
        .and_then(Target::of)
        .expect("it has a handle");
    assert_eq!(cover.role, "");
}

#[test]
fn every_shorter_reply_is_an_error() {
    for end in (0..LAYERS.len()).filter(|end| LAYERS.is_char_boundary(*end)) {
        let error = decode::capture(&LAYERS[..end], CaptureOptions::default());
        assert!(error.is_err(), "cut at {end}");
    }
}

/// A small generator: the same garbage in every run.
struct Garbage(u64);

impl Garbage {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).expect("it is below a usize")
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let mut garbage = Garbage(0x9e37_79b9_7f4a_7c15);
    let alphabet: Vec<char> = "~|,.;}0123456789-eiXHvkKFzABnuAD1SVx\u{e9}\u{1f600}\0 "
        .chars()
        .collect();
    for round in 0..4_000 {
        let mut text: Vec<char> = if round % 2 == 0 {
            LAYERS.chars().collect()
        } else {
            Vec::new()
        };
        for _ in 0..1 + garbage.next(40) {
            let letter = alphabet[garbage.next(alphabet.len())];
            let at = garbage.next(text.len() + 1);
            match garbage.next(3) {
                0 if at < text.len() => text[at] = letter,
                1 if at < text.len() => {
                    text.remove(at);
                }
                _ => text.insert(at, letter),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(capture) = decode::capture(&text, CaptureOptions::default()) {
            for node in capture.snapshot.nodes() {
                let _ = (Target::of(node), node.covered_by(), node.text());
            }
        }
        let _ = answer::read(&text);
        let _ = answer::read(&format!("AR1|ok|{text}"));
    }
}

#[test]
fn errors_name_the_field() {
    let error =
        |reply: &str| decode::capture(reply, CaptureOptions::default()).expect_err("it is bad");
    let header = "AD1|1|800|600|1|0|0|800|600|-1|1|1|0|0||~";
    assert_eq!(error("").field, "reply");
    assert_eq!(error("hello~").field, "version");
    assert_eq!(error("AD1|1|800|600|1|0|0|800|600|-1|1|1|0~").field, "cut");
    assert_eq!(
        error(&format!("{header}|document,html~~0,|0,0,1|~")).field,
        "rectangle"
    );
    assert_eq!(
        error(&format!("{header}|document,html~~7,|0,0,1,1|~")).field,
        "kind"
    );
    assert_eq!(
        error(&format!("{header}|document,html~~0,5|0,0,1,1|~")).field,
        "level"
    );
    assert_eq!(
        error(&format!("{header}|document,html~~0,?|0,0,1,1|~")).field,
        "flags"
    );
    assert_eq!(
        error(&format!("{header}|document,html~0,9~0,|0,0,1,1|~")).field,
        "covers"
    );
    let two = error(&format!("{header}|document,html~~0,|0,0,1,1|~0,|0,0,1,1|~"));
    assert_eq!((two.field, two.problem), ("records", Problem::Inconsistent));
}

#[test]
fn an_unseen_number_is_that_of_the_record_before() {
    let reply = "AD1|1|800|600|1|0|0|800|600|-1|3|3|0|0||~|document,html|text,p~~0,|0,0,800,600|~1,|1.5,-2,,18|1.0~1,1|,16,,|1.1|nx~";
    let tree = decode(reply).snapshot;
    let nodes: Vec<_> = tree.nodes().collect();
    assert_eq!(nodes[1].bounds(), Some(Rect::new(1.5, -2.0, 800.0, 18.0)));
    assert_eq!(nodes[2].bounds(), Some(Rect::new(1.5, 16.0, 800.0, 18.0)));
    assert_eq!(
        nodes[2].parent().map(Node::id),
        nodes.first().map(|root| root.id())
    );
}

#[test]
fn answers_are_read_with_all_their_facts() {
    let answer = answer::read(
        "AR1|covered|cbutton,button,accept,Acc}1ept|x27.48|y18.5|knone|R8,8,38.97,21|V8,8,38.97,21",
    )
    .expect("it is fine");
    assert_eq!(answer.status, Status::Covered);
    assert_eq!(answer.point, Some(Point::new(27.48, 18.5)));
    assert_eq!(
        answer.covered_by.map(|by| by.name),
        Some("Acc|ept".to_owned())
    );
    let answer = answer::read("AR1|offscreen|ddown|wscroll|kselect").expect("it is fine");
    assert_eq!(
        (answer.side, answer.hidden_by),
        (Some(Direction::Down), Some(HiddenBy::Scroll))
    );
    assert_eq!(answer.control, Control::Select);
    let answer = answer::read("AR1|ok|ktext|n3|q1|s1|vleaked").expect("it is fine");
    assert_eq!(
        (answer.length, answer.equal, answer.secret),
        (Some(3), Some(true), true)
    );
    assert_eq!(answer.value, None);
    assert!(!format!("{:?}", answer::read("AR1|ok|ktext|vtext")).contains("vtext"));
    assert_eq!(
        answer::read("AR1|ok|Znonsense")
            .expect_err("it is bad")
            .field,
        "field"
    );
}

#[test]
fn scripts_carry_no_comments_and_no_raw_arguments() {
    for source in [super::COMMON, super::WALKER, super::RESOLVER] {
        // A quote in a comment would open a string.
        for line in source.lines().filter(|line| !line.trim().starts_with("//")) {
            assert!(!line.contains(['`', '"']) && !line.contains("/*"), "{line}");
            assert_eq!(
                line.replace("\\'", "").matches('\'').count() % 2,
                0,
                "{line}"
            );
        }
    }
    for script in [capture_script(), act_script(), library_expression()] {
        assert!(!script.contains("//") && !script.contains("  ") && !script.contains('`'));
        assert!(script.len() < 50_000, "{}", script.len());
    }
    if let Some(folder) = std::env::var_os("AGENT_DEVICE_DUMP_SCRIPTS") {
        for (name, script) in [
            ("capture.js", capture_script()),
            ("act.js", act_script()),
            ("library.js", library_expression()),
        ] {
            std::fs::write(std::path::Path::new(&folder).join(name), script)
                .expect("the folder is there");
        }
    }
    let target = Target {
        frames: Vec::new(),
        token: String::new(),
        path: "1.0".into(),
        role: "button".into(),
        name: Some("\u{2028}\"</script>\0".into()),
    };
    let expression = act_expression(Act::Read(Some("x")), &target);
    assert!(expression.ends_with(r#"("read",["","1.0","button","\u2028\"</script>\u0000","x"])"#));
    assert!(capture_expression(Limits::default()).ends_with(r#"({"max":16000000,"ms":8000})"#));
    assert_eq!(
        act_arguments(Act::Resolve(Some(Point::new(1.0, 2.5))), &target, &[])[1][5],
        2.5
    );
}

#[test]
fn a_foreign_frame_lies_where_its_element_is() {
    let top = "AD1|7|800|600|1|0|0|800|600|1|4|4|0|0|u|t~|document,html|iframe,iframe|button,button~1,3~0,|0,0,800,600|~1,FHf|100,50,304,154|1.0|o2,2~1,1FHi|100,700,,|1.1|o2,2~2,1eiH|100,50,20,20|1.2|nTop~";
    let inner = "AD1|9|300|150|1|0|0|300|900|1|4|4|0|0|u2|t2~|document,html|button,button|text,p~2,1~0,B|0,0,300,150|~1,eiHf|10,20,50,20|1.0|nInner~1,1eiH|15,20,50,20|1.1|nSecond~2,1Xv|0,800,300,20|1.2|nDeep~";
    let alone = decode(top);
    assert_eq!(alone.foreign_frames.len(), 2);
    let frames: Vec<_> = alone
        .foreign_frames
        .iter()
        .map(|id| decode::Foreign {
            record: id.index(),
            reply: inner,
            frames: Vec::new(),
        })
        .collect();
    let capture =
        decode::capture_with_frames(top, &frames, CaptureOptions::default()).expect("it is fine");
    let tree = &capture.snapshot;
    assert_eq!(tree.len(), 10);
    assert!(capture.foreign_frames.is_empty());
    let button = by_label(tree, "Inner");
    assert_eq!(button.bounds(), Some(Rect::new(112.0, 72.0, 50.0, 20.0)));
    assert_eq!(button.flag(Flag::Hittable), Some(true));
    assert_eq!(button.parent().map(Node::role), Some(Role::WebView));
    let second = by_label(tree, "Second");
    assert_eq!(second.covered_by().and_then(Node::label), Some("Inner"));
    assert!(by_label(tree, "Deep").outside().has(Direction::Down));
    // The frame's own cover and the order of what follows survive.
    assert_eq!(
        button
            .parent()
            .and_then(Node::covered_by)
            .and_then(Node::label),
        Some("Top")
    );
    let lower = tree
        .nodes()
        .filter(|node| node.label() == Some("Inner"))
        .nth(1)
        .expect("it is there twice");
    assert!(lower.outside().has(Direction::Down));
    assert_eq!(lower.flag(Flag::Hittable), Some(false));
    assert_eq!(capture.focused, Some(button.id()));
    assert_eq!(lower.flag(Flag::Focused), None);
    let target = Target::of(button).expect("it has a handle");
    assert_eq!((target.token.as_str(), target.path.as_str()), ("9", "1.0"));
    assert_eq!(target.frames.len(), 1);
    assert_eq!(
        (
            target.frames[0].token.as_str(),
            target.frames[0].path.as_str()
        ),
        ("7", "1.0")
    );
    for end in (0..inner.len()).filter(|end| inner.is_char_boundary(*end)) {
        let cut = [decode::Foreign {
            record: 1,
            reply: &inner[..end],
            frames: Vec::new(),
        }];
        assert!(decode::capture_with_frames(top, &cut, CaptureOptions::default()).is_err());
    }
}
