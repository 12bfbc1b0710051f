//! Each screen, and what must hold on it.

use serde_json::json;

use super::*;
use crate::{
    action::{FieldState, OpenTarget, Orientation},
    dispatch::Dispatched,
    error::ErrorCode,
    geometry::{Direction, Rect},
    gesture::{Gesture, ScrollAmount, ScrollPlan},
    reason,
    role::Role,
    snapshot::{Checked, Flag, Keyboard, Sides},
};

fn field(performed: &Performed) -> Option<FieldState> {
    performed.field.clone()
}

async fn scroll(device: &SimulatedDevice, id: &str, direction: Direction) -> Performed {
    let snapshot = capture(device).await;
    let surface = node(&snapshot, id).bounds().unwrap();
    let plan = ScrollPlan::new(direction, ScrollAmount::default(), surface, None, None).unwrap();
    act(device, Action::Scroll(plan)).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn home_has_a_row_for_each_screen_and_each_row_opens_it() {
    let device = SimulatedDevice::new();
    let snapshot = capture(&device).await;
    assert_eq!(labelled(&snapshot, "Proving Ground").len(), 1);
    let limits = SimulatedDevice::LIMITS;
    let shown = |screen: &Screen| limits.iter().all(|(limit, _)| limit != screen);
    for screen in Screen::rows().filter(shown) {
        device.reset(Screen::Home);
        device.log().clear();
        let row = format!("open-{screen}");
        tap(&device, &row).await.unwrap();
        assert_eq!(device.screen(), screen.as_str());
        assert_eq!(
            story(&device),
            [(EventKind::Tap, row.clone()), (EventKind::Navigate, row)]
        );
        assert_eq!(device.log().events()[1].detail, json!(screen.as_str()));
        act(&device, Action::Back).await.unwrap();
        assert_eq!(device.screen(), "home");
    }
}

#[tokio::test(start_paused = true)]
async fn links_open_screens_with_their_knobs_and_bad_ones_are_refused_with_proof() {
    let device = SimulatedDevice::new();
    let open = |link: &str| Action::Open(OpenTarget::Url(link.to_owned()));
    act(&device, open("fixture://late?delay=50")).await.unwrap();
    tokio::time::sleep(ms(50)).await;
    assert!(has(&*capture(&device).await, "continue"));
    for bad in [
        "https://example.org",
        "fixture://",
        "fixture://frames",
        "fixture://late?twin=1",
        "fixture://late?colour=1",
        "fixture://late?delay=soon",
    ] {
        let error = act(&device, open(bad)).await.unwrap_err();
        assert!(error.dispatched().is_no(), "{bad}");
        assert_eq!(error.reason(), Some("link_unknown"));
        assert!(device.open_link(bad).is_err());
    }
    let twin: Link = "fixture://drawer/?twin".parse().unwrap();
    assert_eq!(twin.knobs, [(Knob::Twin, 1)]);
    assert_eq!(
        device.set("delay", "x"),
        Err(LinkError::BadValue {
            knob: Knob::Delay,
            value: "x".to_owned()
        })
    );
    let error = act(&device, Action::Open(OpenTarget::App("other".to_owned())))
        .await
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::AppNotInstalled);
}

#[tokio::test(start_paused = true)]
async fn the_counter_shows_as_many_taps_as_the_log_holds() {
    let device = SimulatedDevice::on(Screen::Counter);
    for _ in 0..3 {
        tap(&device, "counter").await.unwrap();
    }
    tap(&device, "dead").await.unwrap();
    let snapshot = capture(&device).await;
    assert_eq!(node(&snapshot, "counter").label(), Some("Counter: 3"));
    assert_eq!(device.log().len(), 3);
    assert_eq!(device.log().taps("counter"), 3);

    device.log().clear();
    let on = |id: &str| touch(&snapshot, id);
    act(&device, Action::DoubleTap(on("double"))).await.unwrap();
    act(&device, Action::LongPress(on("hold"), ms(600)))
        .await
        .unwrap();
    tokio::time::sleep(ms(1000)).await;
    act(&device, Action::Tap(on("double"))).await.unwrap();
    act(&device, Action::Tap(on("hold"))).await.unwrap();
    act(&device, Action::LongPress(on("counter"), ms(600)))
        .await
        .unwrap();
    let expected = [
        (EventKind::DoubleTap, "double"),
        (EventKind::LongPress, "hold"),
        (EventKind::Tap, "double"),
        (EventKind::Tap, "hold"),
        (EventKind::Tap, "counter"),
    ];
    assert_eq!(
        story(&device),
        expected.map(|(kind, id)| (kind, id.to_owned()))
    );
}

#[tokio::test(start_paused = true)]
async fn login_fills_verify_and_the_secret_is_nowhere() {
    let device = SimulatedDevice::on(Screen::Login);
    let snapshot = capture(&device).await;
    assert_eq!(node(&snapshot, "sign-in").flag(Flag::Enabled), Some(false));
    assert_eq!(node(&snapshot, "sign-in").flag(Flag::Hittable), Some(false));
    assert_eq!(node(&snapshot, "email").placeholder(), Some("Email"));
    assert_eq!(node(&snapshot, "email").flag(Flag::HintShowing), Some(true));
    tap(&device, "sign-in").await.unwrap();
    assert!(device.log().is_empty(), "a disabled button does nothing");

    let done = fill(&device, "email", "ada@example.org").await.unwrap();
    assert_eq!(
        field(&done),
        Some(FieldState::Text("ada@example.org".to_owned()))
    );
    let done = fill(&device, "password", "hunter2!").await.unwrap();
    assert_eq!(field(&done), Some(FieldState::Length(8)));
    let done = fill(&device, "phone", "5551234567").await.unwrap();
    assert_eq!(
        field(&done),
        Some(FieldState::Text("(555) 123-4567".to_owned()))
    );
    assert_eq!(
        device.log().of(EventKind::Text)[1].detail,
        json!({ "length": 8 })
    );

    let snapshot = capture(&device).await;
    let city = node(&snapshot, "city");
    assert_eq!(
        (city.value(), city.flag(Flag::HintShowing)),
        (Some("City"), Some(false))
    );
    let done = fill(&device, "city", "").await.unwrap();
    assert_eq!(field(&done), Some(FieldState::Text(String::new())));
    let snapshot = capture(&device).await;
    let city = node(&snapshot, "city");
    assert_eq!(
        (city.value(), city.flag(Flag::HintShowing)),
        (Some(""), Some(true))
    );
    assert_eq!(device.log().count("city", EventKind::Clear), 1);

    for n in 1..=2 {
        tap(&device, "sign-in").await.unwrap();
        let snapshot = capture(&device).await;
        assert_eq!(
            node(&snapshot, "welcome").label(),
            Some("Welcome, ada@example.org")
        );
        let count = format!("Sign-ins: {n}");
        assert_eq!(node(&snapshot, "sign-ins").label(), Some(count.as_str()));
    }
    let snapshot = capture(&device).await;
    let password = node(&snapshot, "password");
    assert_eq!(
        (password.value(), password.flag(Flag::Secure)),
        (None, Some(true))
    );
    let shown = format!(
        "{:?} {device:?} {}",
        device.log().events(),
        serde_json::to_string(&*snapshot).unwrap()
    );
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn typing_goes_to_the_focus_and_nowhere_else() {
    let device = SimulatedDevice::on(Screen::Login);
    let error = act(&device, Action::TypeText("x".into()))
        .await
        .unwrap_err();
    assert!(error.dispatched().is_no());
    let snapshot = capture(&device).await;
    act(&device, Action::Focus(touch(&snapshot, "phone")))
        .await
        .unwrap();
    act(&device, Action::TypeText("5551".into())).await.unwrap();
    act(&device, Action::TypeText("234567".into()))
        .await
        .unwrap();
    assert_eq!(
        node(&*capture(&device).await, "phone").value(),
        Some("(555) 123-4567")
    );
    assert_eq!(
        node(&*capture(&device).await, "phone").flag(Flag::Focused),
        Some(true)
    );
    let error = act(&device, Action::Focus(touch(&snapshot, "sign-in")))
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some("not_a_text_field"));
    act(&device, Action::KeyboardEnter).await.unwrap();
    assert_eq!(device.keyboard(&call()).await.unwrap(), Keyboard::Absent);
    act(&device, Action::KeyboardEnter).await.unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn a_long_text_is_cleared_at_once_by_elements_and_by_keys() {
    for options in [SimOptions::new(), SimOptions::new().coordinates_only()] {
        let device = SimulatedDevice::with(options);
        device.reset(Screen::Longtext);
        let snapshot = capture(&device).await;
        let note = node(&snapshot, "note").value().unwrap();
        assert_eq!(note.chars().count(), 5000);
        let done = fill(&device, "note", "").await.unwrap();
        assert_eq!(field(&done), Some(FieldState::Text(String::new())));
        assert_eq!(device.log().count("note", EventKind::Clear), 1);
        act(&device, Action::TypeText("a".into())).await.unwrap();
        act(&device, Action::KeyboardEnter).await.unwrap();
        assert_eq!(node(&*capture(&device).await, "note").value(), Some("a\n"));
    }
}

#[tokio::test(start_paused = true)]
async fn the_late_button_comes_after_its_delay_and_not_before() {
    let device = SimulatedDevice::on(Screen::Late);
    tokio::time::sleep(ms(799)).await;
    assert!(!has(&*capture(&device).await, "continue"));
    tokio::time::sleep(ms(1)).await;
    tap(&device, "continue").await.unwrap();
    let snapshot = capture(&device).await;
    assert_eq!(node(&snapshot, "done").label(), Some("Done"));
    assert_eq!(device.log().taps("continue"), 1);
    act(&device, Action::Back).await.unwrap();
    assert_eq!(device.screen(), "late");
}

#[tokio::test(start_paused = true)]
async fn never_stays_empty() {
    let device = SimulatedDevice::on(Screen::Never);
    tokio::time::sleep(ms(3_600_000)).await;
    assert_eq!(capture(&device).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_vanishing_button_comes_and_goes_and_can_no_longer_be_tapped() {
    let device = SimulatedDevice::on(Screen::Vanish);
    assert!(!has(&*capture(&device).await, "gone"));
    tokio::time::sleep(ms(300)).await;
    let snapshot = capture(&device).await;
    act(&device, Action::Tap(touch(&snapshot, "gone")))
        .await
        .unwrap();
    tokio::time::sleep(ms(300)).await;
    assert!(!has(&*capture(&device).await, "gone"));
    let error = act(&device, Action::Tap(touch(&snapshot, "gone")))
        .await
        .unwrap_err();
    assert_eq!(error.row().map(|row| row.id()), Some("sim.element-gone"));
    assert_eq!(device.log().taps("gone"), 1);
}

#[tokio::test(start_paused = true)]
async fn the_covered_button_names_its_cover_and_works_once_it_is_gone() {
    let device = SimulatedDevice::on(Screen::Covered);
    let snapshot = capture(&device).await;
    let pay = node(&snapshot, "pay");
    let cover = pay.covered_by().unwrap();
    assert_eq!(
        (cover.role(), cover.identifier()),
        (Role::Sheet, Some("sheet"))
    );
    assert_eq!(pay.flag(Flag::Hittable), Some(false));
    assert!(node(&snapshot, "accept").covered_by().is_none());

    let error = tap(&device, "pay").await.unwrap_err();
    assert_eq!(error.row().map(|row| row.id()), Some("sim.element-gone"));
    act(&device, Action::Tap(at(200.0, 624.0))).await.unwrap();
    assert!(
        device.log().is_empty(),
        "the sheet swallows what is meant for no element"
    );
    tap(&device, "accept").await.unwrap();
    assert!(!node(&*capture(&device).await, "pay").is_covered());
    tap(&device, "pay").await.unwrap();
    assert_eq!(device.log().taps("pay"), 1);
}

#[tokio::test(start_paused = true)]
async fn the_closed_drawer_lies_to_the_left_and_its_twin_can_be_seen() {
    let device = SimulatedDevice::on(Screen::Drawer);
    let snapshot = capture(&device).await;
    let settings = node(&snapshot, "settings");
    assert_eq!(settings.bounds().unwrap().x, -320.0);
    assert_eq!(settings.outside(), Sides::NONE.with(Direction::Left));
    assert_eq!(labelled(&snapshot, "Settings").len(), 1);
    let error = tap(&device, "settings").await.unwrap_err();
    assert!(error.dispatched().is_no());

    device.set("twin", true).unwrap();
    let snapshot = capture(&device).await;
    assert_eq!(labelled(&snapshot, "Settings").len(), 2);
    tap(&device, "settings-twin").await.unwrap();
    tap(&device, "menu").await.unwrap();
    let snapshot = capture(&device).await;
    assert!(node(&snapshot, "settings").outside().is_empty());
    tap(&device, "settings").await.unwrap();
    assert_eq!(device.log().taps("settings"), 1);
    assert_eq!(device.log().taps("settings-twin"), 1);
}

#[tokio::test(start_paused = true)]
async fn four_rows_have_the_same_button_and_the_log_tells_them_apart() {
    let device = SimulatedDevice::on(Screen::Rows);
    let snapshot = capture(&device).await;
    let buttons = labelled(&snapshot, "Delete");
    assert_eq!(buttons.len(), 4);
    assert!(
        buttons
            .iter()
            .all(|id| snapshot.get(*id).unwrap().identifier().is_none())
    );
    act(&device, Action::Tap(touch_node(&snapshot, buttons[2])))
        .await
        .unwrap();
    assert_eq!(story(&device), [(EventKind::Tap, "delete-3".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn a_wrapper_and_its_control_differ_by_a_point_and_take_one_tap() {
    let device = SimulatedDevice::on(Screen::Wrapper);
    let snapshot = capture(&device).await;
    let both = labelled(&snapshot, "Save");
    let [outer, inner] = both.as_slice() else {
        panic!("two nodes, not {both:?}");
    };
    let (outer, inner) = (snapshot.get(*outer).unwrap(), snapshot.get(*inner).unwrap());
    assert!(outer.is_ancestor_of(inner));
    assert!(outer.bounds().unwrap().agrees(inner.bounds().unwrap(), 1.0));
    assert_ne!(outer.bounds(), inner.bounds());
    assert_eq!(
        (outer.flag(Flag::Hittable), inner.flag(Flag::Hittable)),
        (None, None)
    );
    for id in [outer.id(), inner.id()] {
        device.log().clear();
        act(&device, Action::Tap(touch_node(&snapshot, id)))
            .await
            .unwrap();
        assert_eq!(story(&device), [(EventKind::Tap, "control".to_owned())]);
    }
}

#[tokio::test(start_paused = true)]
async fn the_centre_of_the_cell_belongs_to_the_button_in_it() {
    let device = SimulatedDevice::on(Screen::Childbutton);
    let snapshot = capture(&device).await;
    let cell = node(&snapshot, "cell").bounds().unwrap();
    let inner = node(&snapshot, "inner").bounds().unwrap();
    assert_eq!(cell.center(), inner.center());
    let mut beside = touch(&snapshot, "cell");
    beside.point = Point::new(inner.x - 30.0, cell.center().y);
    act(&device, Action::Tap(beside)).await.unwrap();
    act(&device, Action::Tap(at(cell.center().x, cell.center().y)))
        .await
        .unwrap();
    assert_eq!(
        (device.log().taps("cell"), device.log().taps("inner")),
        (1, 1)
    );
    let text = labelled(&snapshot, "Order 7")[1];
    act(&device, Action::Tap(touch_node(&snapshot, text)))
        .await
        .unwrap();
    assert_eq!(
        device.log().taps("cell"),
        2,
        "a text passes its touch on to the cell"
    );
}

#[tokio::test(start_paused = true)]
async fn the_list_has_all_rows_with_their_sides_and_the_bar_at_the_end() {
    let device = SimulatedDevice::on(Screen::List);
    let snapshot = capture(&device).await;
    assert_eq!(
        snapshot
            .nodes()
            .filter(|node| node.role() == Role::Cell)
            .count(),
        200
    );
    let last = snapshot.nodes().next_back().unwrap();
    assert_eq!(last.identifier(), Some("tab-search"));
    assert_eq!(
        node(&snapshot, "list").hidden_content(),
        Sides::NONE.with(Direction::Down)
    );
    assert_eq!(
        node(&snapshot, "row-150").outside(),
        Sides::NONE.with(Direction::Down)
    );
    assert!(has_in_view(&snapshot, "tab-home"));
    assert!(!has_in_view(&snapshot, "row-150"));
    // Row 16 begins above the bar and has its middle behind it.
    let cut = node(&snapshot, "row-16");
    assert!(cut.outside().is_empty());
    assert_eq!(cut.covered_by().map(|by| by.role()), Some(Role::Tab));

    let mut passes = 0;
    while !has_in_view(&*capture(&device).await, "row-150") {
        scroll(&device, "list", Direction::Down).await;
        passes += 1;
    }
    let snapshot = capture(&device).await;
    let both = Sides::NONE.with(Direction::Down).with(Direction::Up);
    assert_eq!(node(&snapshot, "list").hidden_content(), both);
    assert_eq!(
        node(&snapshot, "row-1").outside(),
        Sides::NONE.with(Direction::Up)
    );
    assert_eq!(device.log().count("list", EventKind::Scroll), passes);
    device.log().clear();
    tap(&device, "tab-search").await.unwrap();
    tap(&device, "row-150").await.unwrap();
    assert_eq!(
        story(&device),
        [
            (EventKind::Tap, "tab-search".to_owned()),
            (EventKind::Tap, "row-150".to_owned())
        ]
    );
}

fn has_in_view(snapshot: &Snapshot, id: &str) -> bool {
    snapshot
        .view()
        .iter()
        .any(|node| node.identifier() == Some(id))
}

#[tokio::test(start_paused = true)]
async fn three_passes_reveal_the_end() {
    let device = SimulatedDevice::with(SimOptions::new().reporting_movement());
    device.reset(Screen::Reveal);
    let down = Sides::NONE.with(Direction::Down);
    for pass in 1..=3 {
        let snapshot = capture(&device).await;
        assert!(
            node(&snapshot, "feed")
                .hidden_content()
                .has(Direction::Down),
            "{pass}"
        );
        let pages = format!("Pages: {pass}");
        assert_eq!(node(&snapshot, "pages").label(), Some(pages.as_str()));
        assert!(scroll(&device, "feed", Direction::Down).await.moved > Some(0.0));
    }
    let snapshot = capture(&device).await;
    assert_ne!(node(&snapshot, "feed").hidden_content(), down);
    assert!(has_in_view(&snapshot, "feed-end"));
    assert_eq!(device.log().count("feed", EventKind::Scroll), 3);

    device.set("load", 150).unwrap();
    scroll(&device, "feed", Direction::Down).await;
    tokio::time::sleep(ms(149)).await;
    let pages = |snapshot: &Snapshot| node(snapshot, "pages").label().map(str::to_owned);
    assert_eq!(pages(&*capture(&device).await).as_deref(), Some("Pages: 1"));
    tokio::time::sleep(ms(1)).await;
    assert_eq!(pages(&*capture(&device).await).as_deref(), Some("Pages: 2"));
}

#[tokio::test(start_paused = true)]
async fn containers_that_do_not_move_log_nothing() {
    let device = SimulatedDevice::with(SimOptions::new().reporting_movement());
    device.reset(Screen::End);
    let snapshot = capture(&device).await;
    assert_eq!(
        node(&snapshot, "ended").hidden_content(),
        Sides::NONE.with(Direction::Up)
    );
    assert_eq!(
        node(&snapshot, "stubborn").hidden_content(),
        Sides::NONE.with(Direction::Down)
    );
    for id in ["ended", "stubborn"] {
        assert_eq!(scroll(&device, id, Direction::Down).await.moved, Some(0.0));
    }
    assert!(device.log().is_empty());
    scroll(&device, "ended", Direction::Up).await;
    assert_eq!(device.log().count("ended", EventKind::Scroll), 1);
}

#[tokio::test(start_paused = true)]
async fn states_are_told_and_absent_is_not_false() {
    let device = SimulatedDevice::on(Screen::Toggle);
    let snapshot = capture(&device).await;
    assert_eq!(node(&snapshot, "wifi").checked(), Some(Checked::Off));
    assert_eq!(node(&snapshot, "wifi").flag(Flag::Selected), None);
    assert_eq!(node(&snapshot, "one").checked(), None);
    assert_eq!(node(&snapshot, "one").flag(Flag::Selected), Some(true));
    assert_eq!(node(&snapshot, "two").flag(Flag::Selected), Some(false));
    for id in ["wifi", "terms", "two"] {
        tap(&device, id).await.unwrap();
    }
    let snapshot = capture(&device).await;
    assert_eq!(node(&snapshot, "wifi").checked(), Some(Checked::On));
    assert_eq!(node(&snapshot, "terms").checked(), Some(Checked::On));
    assert_eq!(node(&snapshot, "one").flag(Flag::Selected), Some(false));
    let expected = [
        (EventKind::Toggle, "wifi"),
        (EventKind::Toggle, "terms"),
        (EventKind::Tap, "two"),
    ];
    assert_eq!(
        story(&device),
        expected.map(|(kind, id)| (kind, id.to_owned()))
    );
}

#[tokio::test(start_paused = true)]
async fn alerts_are_answered_one_by_one() {
    let device = SimulatedDevice::on(Screen::Alert);
    let error = act(&device, Action::AcceptAlert(None)).await.unwrap_err();
    assert_eq!(error.reason(), Some(reason::ALERT_NOT_FOUND));
    assert!(error.dispatched().is_no());

    tap(&device, "delete-item").await.unwrap();
    let alert = device.alert(&call()).await.unwrap().unwrap();
    assert_eq!(
        (alert.text.as_str(), alert.buttons),
        (
            "Delete item?",
            vec!["Cancel".to_owned(), "Delete".to_owned()]
        )
    );
    let snapshot = capture(&device).await;
    let cover = node(&snapshot, "delete-item").covered_by().unwrap();
    assert_eq!(cover.role(), Role::Alert);
    act(&device, Action::AcceptAlert(None)).await.unwrap();
    let result = |snapshot: &Snapshot| node(snapshot, "result").label().map(str::to_owned);
    assert_eq!(
        result(&*capture(&device).await).as_deref(),
        Some("Result: deleted")
    );
    assert_eq!(device.alert(&call()).await.unwrap(), None);

    tap(&device, "delete-two").await.unwrap();
    act(&device, Action::DismissAlert).await.unwrap();
    let alert = device.alert(&call()).await.unwrap().unwrap();
    assert_eq!(alert.text, "Delete the next item?");
    let snapshot = capture(&device).await;
    let delete = labelled(&snapshot, "Delete")[0];
    act(&device, Action::Tap(touch_node(&snapshot, delete)))
        .await
        .unwrap();
    assert_eq!(
        result(&*capture(&device).await).as_deref(),
        Some("Result: 1 deleted")
    );
    let answers = device.log().of(EventKind::Alert);
    let buttons: Vec<_> = answers
        .iter()
        .map(|event| event.detail["button"].clone())
        .collect();
    assert_eq!(buttons, ["Delete", "Cancel", "Delete"]);

    tap(&device, "rename").await.unwrap();
    act(&device, Action::AcceptAlert(Some("Ada".into())))
        .await
        .unwrap();
    assert_eq!(
        result(&*capture(&device).await).as_deref(),
        Some("Result: Ada")
    );
    tap(&device, "notice").await.unwrap();
    let error = act(&device, Action::AcceptAlert(Some("x".into())))
        .await
        .unwrap_err();
    assert!(error.dispatched().is_no());
    act(&device, Action::DismissAlert).await.unwrap();
    assert_eq!(
        result(&*capture(&device).await).as_deref(),
        Some("Result: noticed")
    );
}

#[tokio::test(start_paused = true)]
async fn the_keyboard_covers_the_bar_until_it_is_put_away() {
    let device = SimulatedDevice::on(Screen::Keyboard);
    tap(&device, "field").await.unwrap();
    let frame = Rect::new(0.0, 500.0, 400.0, 300.0);
    let snapshot = capture(&device).await;
    assert_eq!(snapshot.info().keyboard, Keyboard::Visible { frame });
    assert!(frame.contains(node(&snapshot, "tab-home").bounds().unwrap().center()));
    assert_eq!(
        node(&snapshot, "tab-home").flag(Flag::Hittable),
        Some(false)
    );
    assert!(
        !node(&snapshot, "tab-home").is_covered(),
        "the keyboard is a fact of its own"
    );
    device.log().clear();
    let error = tap(&device, "tab-home").await.unwrap_err();
    assert!(error.dispatched().is_no());
    act(&device, Action::Tap(at(100.0, 768.0))).await.unwrap();
    assert!(device.log().is_empty());

    act(&device, Action::KeyboardDismiss).await.unwrap();
    assert_eq!(device.screen(), "keyboard");
    tap(&device, "tab-home").await.unwrap();
    assert_eq!(device.log().taps("tab-home"), 1);

    tap(&device, "field").await.unwrap();
    act(&device, Action::Back).await.unwrap();
    assert_eq!(device.screen(), "keyboard");
    assert_eq!(capture(&device).await.info().keyboard, Keyboard::Absent);
}

#[tokio::test(start_paused = true)]
async fn the_animation_never_rests_and_the_still_button_does() {
    let device = SimulatedDevice::on(Screen::Animate);
    let mut before = capture(&device).await;
    for _ in 0..10 {
        tokio::time::sleep(ms(60)).await;
        let after = capture(&device).await;
        assert_ne!(
            node(&before, "ticker").label(),
            node(&after, "ticker").label()
        );
        assert_ne!(
            node(&before, "mover").bounds(),
            node(&after, "mover").bounds()
        );
        assert_eq!(
            node(&before, "still").bounds(),
            node(&after, "still").bounds()
        );
        before = after;
    }
    tap(&device, "still").await.unwrap();
    assert_eq!(device.log().taps("still"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_slow_capture_takes_its_cost_or_the_deadline() {
    let device = SimulatedDevice::on(Screen::Slow);
    device.set("cost", 700).unwrap();
    let start = tokio::time::Instant::now();
    assert!(has(&*capture(&device).await, "slow"));
    assert_eq!(start.elapsed(), ms(700));
    let options = CaptureOptions::regular();
    let error = device
        .capture(&options, &Call::standalone(ms(100)))
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some(reason::DEADLINE_EXCEEDED));
    assert_eq!(start.elapsed(), ms(800));
}

#[tokio::test(start_paused = true)]
async fn the_tree_degrades_while_the_pixels_stay() {
    let device = SimulatedDevice::on(Screen::Sparse);
    let snapshot = capture(&device).await;
    assert!(snapshot.quality().is_sparse() && !snapshot.proves_absence());
    assert_eq!(snapshot.len(), 1);
    act(&device, Action::Tap(at(200.0, 100.0))).await.unwrap();
    assert_eq!(device.log().taps("back"), 1);
    let raw = device.capture(&CaptureOptions::raw(), &call()).await;
    assert_eq!(raw.unwrap_err().reason(), Some(reason::CAPTURE_SPARSE));
    tokio::time::sleep(ms(1500)).await;
    let snapshot = capture(&device).await;
    assert!(snapshot.proves_absence() && has(&snapshot, "back"));
}

#[tokio::test(start_paused = true)]
async fn the_old_tree_of_a_stale_screen_can_not_be_acted_on() {
    let device = SimulatedDevice::on(Screen::Stale);
    tap(&device, "next").await.unwrap();
    let old = capture(&device).await;
    assert!(has(&old, "next"), "the tree lags");
    let error = act(&device, Action::Tap(touch(&old, "next")))
        .await
        .unwrap_err();
    assert_eq!(error.row().map(|row| row.id()), Some("sim.element-gone"));
    assert_eq!(device.log().taps("buy"), 0);
    tokio::time::sleep(ms(1000)).await;
    let new = capture(&device).await;
    assert!(has(&new, "buy") && !has(&new, "next"));
    assert_eq!(
        node(&old, "next").bounds(),
        node(&new, "buy").bounds(),
        "coordinates alone would buy"
    );
    act(&device, Action::Tap(at(200.0, 100.0))).await.unwrap();
    assert_eq!(device.log().taps("buy"), 1);
}

#[tokio::test(start_paused = true)]
async fn the_innermost_button_is_found_and_pressed() {
    let device = SimulatedDevice::on(Screen::Deep);
    let snapshot = capture(&device).await;
    assert_eq!(node(&snapshot, "deep").depth(), 151);
    tap(&device, "deep").await.unwrap();
    assert_eq!(device.log().taps("deep"), 1);
    device.set("depth", 3).unwrap();
    assert_eq!(node(&*capture(&device).await, "deep").depth(), 4);
}

#[tokio::test(start_paused = true)]
async fn odd_labels_arrive_unharmed_and_can_be_pressed() {
    let device = SimulatedDevice::on(Screen::Zoo);
    let snapshot = capture(&device).await;
    for part in [
        "👩‍👩‍👧‍👦",
        "確認",
        "שמור",
        "e\u{301}",
        "\"hello\"",
        "||",
        "\u{0}",
        "\u{1b}",
    ] {
        assert!(
            snapshot
                .nodes()
                .any(|node| node.label().is_some_and(|label| label.contains(part))),
            "{part:?}"
        );
    }
    let long = node(&snapshot, "zoo-long");
    assert_eq!(long.label().map(str::len), Some(10_000));
    let zoo = ids(&snapshot);
    for id in &zoo {
        tap(&device, id).await.unwrap();
        assert_eq!(device.log().taps(id), 1);
    }
    assert!(zoo.len() >= 17);
}

#[tokio::test(start_paused = true)]
async fn the_pad_logs_what_the_plan_said() {
    let device = SimulatedDevice::on(Screen::Gesture);
    let viewport = capture(&device).await.info().viewport.unwrap();
    let gestures = [
        Gesture::Swipe(Direction::Left),
        Gesture::Fling {
            direction: Direction::Up,
            from: None,
            distance: None,
        },
        Gesture::Pan {
            from: Point::new(60.0, 200.0),
            to: Point::new(300.0, 500.0),
            duration: None,
            pointers: 1,
        },
        Gesture::Pan {
            from: Point::new(150.0, 200.0),
            to: Point::new(200.0, 500.0),
            duration: None,
            pointers: 2,
        },
        Gesture::Pinch {
            center: None,
            scale: 2.0,
        },
        Gesture::Rotate {
            center: None,
            degrees: 90.0,
        },
    ];
    for (n, gesture) in gestures.iter().enumerate() {
        device.log().clear();
        let plan = gesture.plan(viewport).unwrap();
        let start = tokio::time::Instant::now();
        act(&device, Action::Gesture(plan.clone())).await.unwrap();
        assert_eq!(start.elapsed(), plan.duration());
        let events = device.log().events();
        assert_eq!(events.len(), 1, "{gesture:?}");
        assert_eq!(
            (events[0].kind, events[0].element.as_str()),
            (EventKind::Stroke, "pad")
        );
        let detail = &events[0].detail;
        assert_eq!(detail["pointers"], json!(plan.pointers().len()));
        assert_eq!(
            detail["duration"],
            json!(plan.duration().as_secs_f64() * 1000.0)
        );
        let points: Vec<Vec<(f64, f64, f64)>> =
            serde_json::from_value(detail["points"].clone()).unwrap();
        for (logged, planned) in points.iter().zip(plan.pointers()) {
            assert_eq!(logged.len(), planned.len());
            for ((millis, x, y), sample) in logged.iter().zip(planned) {
                assert!((millis - sample.offset.as_secs_f64() * 1000.0).abs() < 16.0);
                assert!(Point::new(*x, *y).distance(sample.point) < 1.0);
            }
        }
        let strokes = format!("Strokes: {}", n + 1);
        assert_eq!(
            node(&*capture(&device).await, "strokes").label(),
            Some(strokes.as_str())
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_window_is_reported_and_driven_only_when_it_is_selected() {
    let device = SimulatedDevice::on(Screen::Windows);
    let done = tap(&device, "open-tab").await.unwrap();
    assert_eq!(done.opened_windows, ["window-2"]);
    let windows = device.windows(&call()).await.unwrap();
    let selected: Vec<_> = windows
        .iter()
        .map(|it| (it.id.as_str(), it.selected))
        .collect();
    assert_eq!(selected, [("main", true), ("window-2", false)]);
    assert!(has(&*capture(&device).await, "open-tab"));
    act(&device, Action::SelectWindow("window-2".to_owned()))
        .await
        .unwrap();
    tap(&device, "in-tab").await.unwrap();
    assert_eq!(device.log().taps("in-tab"), 1);
    act(&device, Action::Close(None)).await.unwrap();
    assert_eq!(device.windows(&call()).await.unwrap().len(), 1);
    let error = act(&device, Action::SelectWindow("window-2".to_owned()))
        .await
        .unwrap_err();
    assert!(error.dispatched().is_no());
}

#[tokio::test(start_paused = true)]
async fn dialogs_of_the_system_stay_until_somebody_answers_them() {
    let device = SimulatedDevice::on(Screen::System);
    tap(&device, "ask-permission").await.unwrap();
    let snapshot = capture(&device).await;
    assert_eq!(
        snapshot.info().system_surface.as_deref(),
        Some("permission-prompt")
    );
    let error = act(&device, Action::Tap(touch(&snapshot, "after")))
        .await
        .unwrap_err();
    assert!(error.dispatched().is_no(), "nothing is answered silently");
    assert_eq!(device.log().count("ask-permission", EventKind::Alert), 0);
    act(&device, Action::AcceptAlert(None)).await.unwrap();
    assert_eq!(
        node(&*capture(&device).await, "camera").label(),
        Some("Camera: Allow")
    );

    tap(&device, "hang").await.unwrap();
    let snapshot = capture(&device).await;
    let wait = labelled(&snapshot, "Wait")[0];
    act(&device, Action::Tap(touch_node(&snapshot, wait)))
        .await
        .unwrap();
    tap(&device, "after").await.unwrap();
    tap(&device, "hang").await.unwrap();
    act(&device, Action::DismissAlert).await.unwrap();
    let state = device.app_state(&call()).await.unwrap();
    assert_eq!(state.app.as_deref(), Some("org.example.launcher"));
    assert_eq!(device.screen(), "launcher");
}

#[tokio::test(start_paused = true)]
async fn home_the_launcher_and_a_closed_app() {
    let device = SimulatedDevice::on(Screen::Counter);
    tap(&device, "counter").await.unwrap();
    let before = capture(&device).await;
    act(&device, Action::Home).await.unwrap();
    assert!(has(&*capture(&device).await, "launch"));
    tap(&device, "launch").await.unwrap();
    let snapshot = capture(&device).await;
    assert_eq!(node(&snapshot, "counter").label(), Some("Counter: 1"));
    assert_eq!(before.info().lineage, snapshot.info().lineage);
    act(&device, Action::Close(None)).await.unwrap();
    act(
        &device,
        Action::Open(OpenTarget::App("org.example.proving-ground".to_owned())),
    )
    .await
    .unwrap();
    assert_eq!(device.screen(), "home");
    assert_ne!(capture(&device).await.info().lineage, before.info().lineage);
    let error = act(&device, Action::Tap(touch(&before, "counter")))
        .await
        .unwrap_err();
    assert_eq!(error.row().map(|row| row.id()), Some("sim.element-gone"));
}

#[tokio::test(start_paused = true)]
async fn the_screen_turns_and_the_clipboard_holds() {
    let device = SimulatedDevice::on(Screen::List);
    act(&device, Action::SetOrientation(Orientation::LandscapeLeft))
        .await
        .unwrap();
    assert_eq!(
        device.orientation(&call()).await.unwrap(),
        Orientation::LandscapeLeft
    );
    let snapshot = capture(&device).await;
    assert_eq!(
        snapshot.info().viewport,
        Some(Rect::new(0.0, 0.0, 800.0, 400.0))
    );
    assert_eq!(
        node(&snapshot, "tab-home").bounds(),
        Some(Rect::new(0.0, 336.0, 400.0, 64.0))
    );
    act(&device, Action::WriteClipboard("copied".into()))
        .await
        .unwrap();
    assert_eq!(device.clipboard(&call()).await.unwrap(), "copied");
}

#[tokio::test(start_paused = true)]
async fn capabilities_are_exact() {
    let device =
        SimulatedDevice::with(SimOptions::new().without(crate::action::Operation::Gesture));
    let offered = device.capabilities();
    let snapshot = capture(&device).await;
    let plan = Gesture::Swipe(Direction::Left)
        .plan(snapshot.info().viewport.unwrap())
        .unwrap();
    for action in [
        Action::Hover(at(1.0, 1.0)),
        Action::AppSwitcher,
        Action::Gesture(plan),
    ] {
        assert!(!offered.offers(action.operation()));
        assert!(offered.unavailable(action.operation()).is_some());
        let error = act(&device, action).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::UnsupportedOperation);
        assert!(matches!(error.dispatched(), Dispatched::No(_)));
    }
    assert_eq!(device.sends(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_device_may_find_texts_and_confirm_elements_on_its_own() {
    let usual = SimulatedDevice::on(Screen::Sparse);
    assert_eq!(usual.find_text("Back", &call()).await.unwrap(), None);
    let device = SimulatedDevice::with(SimOptions::new().finding_text().confirming_visibility());
    device.reset(Screen::Sparse);
    assert_eq!(device.find_text("Back", &call()).await.unwrap(), Some(true));
    assert_eq!(
        device.find_text("Front", &call()).await.unwrap(),
        Some(false)
    );
    device.reset(Screen::Drawer);
    let snapshot = capture(&device).await;
    let settings = touch(&snapshot, "settings").target.unwrap();
    assert_eq!(
        device.confirm_visible(&settings, &call()).await.unwrap(),
        None
    );
    tap(&device, "menu").await.unwrap();
    let place = Rect::new(0.0, 120.0, 320.0, 48.0);
    assert_eq!(
        device.confirm_visible(&settings, &call()).await.unwrap(),
        Some(place)
    );
}

#[tokio::test(start_paused = true)]
async fn a_picture_shows_the_screen_even_where_the_tree_does_not() {
    let device = SimulatedDevice::on(Screen::Sparse);
    let picture = device.screenshot(&call()).await.unwrap();
    assert!(picture.png.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert_eq!(picture.png[16..24], [0, 0, 0, 200, 0, 0, 1, 144]);
    assert_eq!(picture.scale, 0.5);
    assert_eq!(device.screenshot(&call()).await.unwrap(), picture);
    device.reset(Screen::Never);
    assert_ne!(device.screenshot(&call()).await.unwrap(), picture);
}
