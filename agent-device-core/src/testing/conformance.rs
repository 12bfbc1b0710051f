//! The conformance suite: what must hold for a device, whatever drives it.
//!
//! [`conformance`] runs every screen of the fixture app on a [`Body`], [`fault_matrix`] runs every mutation under every fault,
//! and [`contract`] checks the part that needs no fixture app, for any backend. Legal differences between bodies are data
//! ([`Body::limits`], [`Body::arm`]), never a branch on who the backend is. The event log of the body is the judge.

use std::{fmt::Write as _, panic::AssertUnwindSafe, pin::Pin, time::Duration};

use async_trait::async_trait;
use futures::FutureExt as _;
use serde_json::Value;

use super::{Event, EventKind, Fault, Knob, Screen};
use crate::{
    Device, Dispatched, Error, ErrorCode, Ref, Role, Selector, Settle,
    action::{Action, Operation, Text},
    device::{Outcome, Predicate},
    geometry::{Direction, Point},
    gesture::Gesture,
    reason,
    selector::{id, label, role},
    snapshot::{CaptureOptions, Checked, Keyboard, Snapshot},
    text::FillCheck,
    wait::Movement,
};

/// The fixture app on some platform, and the ways to it that don't lead through the backend under test.
///
#[doc = include_str!("fixture.md")]
#[async_trait]
pub trait Body: Send + Sync {
    /// A device with a session of its own on the body's backend.
    fn device(&self) -> Device;

    /// Beside the backend: a fresh app on this screen with an empty event log.
    async fn open(&self, screen: Screen, knobs: &[(Knob, u64)]);

    /// Beside the backend: the events since [`open`](Self::open), after everything that is under way has been logged.
    async fn events(&self) -> Vec<Event>;

    /// The screens that this body can't show, each with the reason.
    fn limits(&self) -> &[(Screen, &'static str)] {
        &[]
    }

    /// How many captures the backend has served, if the body counts them.
    fn captures(&self) -> Option<u64> {
        None
    }

    /// Breaks the next request that mutates. `false`: the transport of this body can't fail in this way.
    async fn arm(&self, fault: Fault) -> bool;

    /// Mends the transport, also after a fault that has not struck, and brings the device back.
    async fn disarm(&self);

    /// How far the body's clock and the log may be apart for a gesture.
    fn gesture_tolerance(&self) -> Duration {
        Duration::from_millis(16)
    }
}

type Run = for<'a> fn(&'a dyn Body) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

macro_rules! scenarios {
    ($($screen:ident $name:ident;)*) => {
        const SCENARIOS: &[(Screen, &str, Run)] = &[
            $((Screen::$screen, stringify!($name), |body| Box::pin($name(body))),)*
        ];
    };
}

scenarios! {
    Home a_row_of_home_opens_its_screen;
    Counter every_press_is_one_tap;
    Counter a_press_on_a_present_target_costs_one_capture;
    Counter double_and_long_presses_are_what_they_say;
    Counter a_place_is_pressed_without_a_look;
    Counter a_ref_works_until_something_acts;
    Login a_form_is_filled_and_verified_and_its_secret_kept;
    Login a_disabled_button_is_refused;
    Longtext a_long_text_is_cleared_completely;
    Late a_scripted_press_waits_and_a_plain_one_does_not;
    Never readiness_ends_with_its_budget;
    Vanish a_target_that_left_is_like_any_missing_one;
    Covered a_covered_target_is_refused_by_name;
    Drawer an_off_screen_target_is_refused_with_direction;
    Drawer a_visible_twin_is_not_preferred_by_geometry;
    Rows equal_rows_are_ambiguous_and_their_candidates_can_be_pressed;
    Wrapper a_wrapper_and_its_control_are_one;
    Childbutton a_cell_is_pressed_clear_of_its_button;
    List fixed_tabs_are_in_every_capture_and_rows_are_scrolled_to;
    Reveal content_that_loads_at_the_end_takes_its_passes;
    End a_scroll_that_moves_nothing_does_not_claim_to;
    Toggle states_are_read_and_absent_is_not_false;
    Alert alerts_are_read_and_answered_one_by_one;
    Keyboard what_lies_behind_the_keyboard_is_refused;
    Animate an_endless_animation_stops_nobody;
    Slow slow_captures_are_joined_within_bounds;
    Sparse a_degraded_tree_proves_nothing;
    Stale an_old_tree_is_not_acted_on;
    Deep the_innermost_button_is_found;
    Zoo odd_labels_are_selectable_by_their_exact_text;
    Gesture strokes_are_what_was_planned;
    Frames buttons_in_frames_and_shadows_are_pressed;
    Windows a_new_window_is_told_and_not_switched_to;
}

/// Runs every screen that the body shows.
///
/// # Panics
///
/// When a scenario fails, after all of them have run, with the names of those that failed.
pub async fn conformance(body: &dyn Body) {
    conformance_of(body, |_| true).await;
}

/// Runs the scenarios whose name `wanted` accepts.
///
/// # Panics
///
/// As [`conformance`], and when no scenario is wanted.
pub async fn conformance_of(body: &dyn Body, wanted: impl Fn(&str) -> bool) {
    let mut failed = String::new();
    let mut count = 0;
    for (screen, name, run) in SCENARIOS.iter().filter(|(_, name, _)| wanted(name)) {
        if let Some((_, why)) = body.limits().iter().find(|(limit, _)| limit == screen) {
            println!("not shown: {screen}: {why}");
            continue;
        }
        count += 1;
        if let Err(panic) = AssertUnwindSafe(run(body)).catch_unwind().await {
            let _ = write!(failed, "\n{name} ({screen}): {}", words(&*panic));
        }
        body.disarm().await;
    }
    assert!(failed.is_empty(), "the body does not conform:{failed}");
    assert!(count > 0, "no scenario ran");
}

fn words(panic: &(dyn std::any::Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without words")
}

// --- what the scenarios share ---------------------------------------------------------------------------------------------

async fn opened(body: &dyn Body, screen: Screen) -> Device {
    body.open(screen, &[]).await;
    body.device()
}

fn count(events: &[Event], kind: EventKind, element: &str) -> usize {
    let wanted = |event: &&Event| event.kind == kind && event.element == element;
    events.iter().filter(wanted).count()
}

/// Events that an action of ours causes. Screens also scroll and navigate on their own.
fn acted(events: &[Event]) -> Vec<&Event> {
    events
        .iter()
        .filter(|event| !matches!(event.kind, EventKind::Navigate | EventKind::Scroll))
        .collect()
}

async fn taps(body: &dyn Body, element: &str) -> usize {
    count(&body.events().await, EventKind::Tap, element)
}

async fn nothing_happened(body: &dyn Body) {
    let events = body.events().await;
    assert!(acted(&events).is_empty(), "{events:?}");
}

fn refused(error: &Error, reason: &str) {
    assert_eq!(error.reason(), Some(reason), "{error:?}");
    assert!(error.dispatched().is_no(), "{error:?}");
    assert!(!error.hint().is_empty());
}

fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

async fn shows(device: &Device, by: Selector) {
    if let Err(error) = device.locate(by).wait(secs(5)).await {
        panic!("{error:?}");
    }
}

fn done<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error:?}"),
    }
}

fn failure<T: std::fmt::Debug>(result: Result<T, Error>) -> Error {
    match result {
        Ok(value) => panic!("it should have been refused: {value:?}"),
        Err(error) => error,
    }
}

fn offers(device: &Device, operation: Operation) -> bool {
    device.capabilities().offers(operation)
}

// --- the screens ----------------------------------------------------------------------------------------------------------

async fn a_row_of_home_opens_its_screen(body: &dyn Body) {
    let device = opened(body, Screen::Home).await;
    assert!(done(
        device
            .locate(role(Role::Heading) & label("Proving Ground"))
            .is(Predicate::Exists)
            .await
    ));
    done(device.locate(label("counter")).press().await);
    shows(&device, label("Counter: 0")).await;
    let events = body.events().await;
    let navigated = |event: &&Event| event.kind == EventKind::Navigate && event.detail == "counter";
    assert!(events.iter().any(|event| navigated(&event)), "{events:?}");
}

async fn every_press_is_one_tap(body: &dyn Body) {
    let device = opened(body, Screen::Counter).await;
    done(device.locate(label("Counter: 0")).press().await);
    done(device.locate(id("counter")).press().count(2).await);
    shows(&device, label("Counter: 3")).await;
    assert_eq!(taps(body, "counter").await, 3);
    let before = body.events().await.len();
    done(device.locate(label("Dead")).press().await);
    assert_eq!(
        body.events().await.len(),
        before,
        "the dead button logs nothing"
    );
}

async fn a_press_on_a_present_target_costs_one_capture(body: &dyn Body) {
    let device = opened(body, Screen::Counter).await;
    let Some(before) = body.captures() else {
        return;
    };
    let outcome = done(
        device
            .locate(id("counter"))
            .press()
            .ready_within(secs(2))
            .await,
    );
    assert_eq!(body.captures(), Some(before + 1));
    assert!(outcome.readiness.is_none(), "one look is no wait");
}

async fn double_and_long_presses_are_what_they_say(body: &dyn Body) {
    let device = opened(body, Screen::Counter).await;
    if offers(&device, Operation::DoubleTap) {
        done(device.locate(label("Double")).double_press().await);
        assert_eq!(
            count(&body.events().await, EventKind::DoubleTap, "double"),
            1
        );
    }
    if offers(&device, Operation::LongPress) {
        done(device.locate(label("Hold")).long_press().await);
        assert_eq!(count(&body.events().await, EventKind::LongPress, "hold"), 1);
    }
}

async fn a_place_is_pressed_without_a_look(body: &dyn Body) {
    let device = opened(body, Screen::Counter).await;
    let bounds = done(device.locate(id("counter")).get().await).bounds;
    let point = bounds.map(|bounds| bounds.center()).unwrap_or_default();
    let before = body.captures();
    done(device.locate(point).press().await);
    assert_eq!(body.captures(), before);
    assert_eq!(taps(body, "counter").await, 1);
    let error = failure(device.locate(Point::new(f64::NAN, 1.0)).press().await);
    assert_eq!(
        (error.code(), error.dispatched().is_no()),
        (ErrorCode::InvalidArgs, true)
    );
    let error = failure(device.locate(point).press().ready_within(secs(1)).await);
    assert_eq!(error.detail("field"), Some(&Value::from("ready_within")));
}

fn ref_of(device: &Device, snapshot: &Snapshot, identifier: &str) -> Ref {
    let node = snapshot
        .nodes()
        .find(|node| node.identifier() == Some(identifier));
    let node = node.unwrap_or_else(|| panic!("{identifier} is not on the screen"));
    let number = snapshot
        .view()
        .ref_number(node.id())
        .unwrap_or_else(|| panic!("{identifier} has no ref"));
    assert!(device.ref_frame().is_some_and(|frame| frame.is_active()));
    Ref::new(u32::try_from(number).unwrap_or_default())
}

async fn a_ref_works_until_something_acts(body: &dyn Body) {
    let device = opened(body, Screen::Counter).await;
    let snapshot = done(device.snapshot_with(CaptureOptions::interactive()).await);
    let counter = ref_of(&device, &snapshot, "counter");
    done(device.locate(counter).press().await);
    assert_eq!(taps(body, "counter").await, 1);
    refused(
        &failure(device.locate(counter).press().await),
        reason::REF_FRAME_EXPIRED,
    );
    let retained = done(device.locate(counter).get().await);
    assert!(retained.stale && retained.identifier.as_deref() == Some("counter"));
    done(device.snapshot_with(CaptureOptions::interactive()).await);
    let generation = device.ref_frame().map_or(0, |frame| frame.generation());
    refused(
        &failure(device.locate(counter.pinned(generation - 1)).press().await),
        reason::REF_GENERATION_MISMATCH,
    );
    refused(
        &failure(device.locate(Ref::new(9999)).press().await),
        reason::REF_NOT_FOUND,
    );
    assert_eq!(taps(body, "counter").await, 1);
}

const SECRET: &str = "Tr0ub4dor&3";

async fn a_form_is_filled_and_verified_and_its_secret_kept(body: &dyn Body) {
    let device = opened(body, Screen::Login).await;
    let mut said = String::new();
    let fill = async |field: &str, text: Text| -> Outcome {
        done(device.locate(id(field)).fill(text).await)
    };
    let email = fill("email", "anna@example.org".into()).await;
    assert_eq!(email.fill, Some(FillCheck::Verified));
    let password = fill("password", SECRET.into()).await;
    assert!(matches!(
        password.fill,
        Some(FillCheck::Verified | FillCheck::Unobserved)
    ));
    let _ = write!(
        said,
        "{password:?} {}",
        serde_json::to_string(&password).unwrap_or_default()
    );
    let phone = fill("phone", "5551234567".into()).await;
    assert_eq!(phone.fill, Some(FillCheck::Reformatted));
    let city = fill("city", "".into()).await;
    assert_eq!(
        city.fill,
        Some(FillCheck::Verified),
        "a value that equals its hint is cleared, too"
    );
    let events = body.events().await;
    assert_eq!(count(&events, EventKind::Clear, "city"), 1, "{events:?}");
    let last = |field: &str| {
        let mut texts = events
            .iter()
            .filter(|event| event.kind == EventKind::Text && event.element == field);
        texts.next_back().map(|event| event.detail.clone())
    };
    assert_eq!(last("email"), Some(Value::from("anna@example.org")));
    assert_eq!(last("phone"), Some(Value::from("(555) 123-4567")));
    assert_eq!(
        last("password"),
        Some(serde_json::json!({ "length": SECRET.len() }))
    );
    done(device.locate(id("sign-in")).press().await);
    shows(&device, label("Welcome, anna@example.org")).await;
    shows(&device, label("Sign-ins: 1")).await;
    assert_eq!(taps(body, "sign-in").await, 1);
    let snapshot = done(device.snapshot_with(CaptureOptions::raw()).await);
    let _ = write!(
        said,
        "{snapshot:?} {} {}",
        snapshot.view(),
        serde_json::to_string(&snapshot.view()).unwrap_or_default()
    );
    assert!(!said.contains(SECRET), "the secret is on a surface");
}

async fn a_disabled_button_is_refused(body: &dyn Body) {
    let device = opened(body, Screen::Login).await;
    refused(
        &failure(device.locate(id("sign-in")).press().await),
        reason::TARGET_DISABLED,
    );
    nothing_happened(body).await;
}

async fn a_long_text_is_cleared_completely(body: &dyn Body) {
    let device = opened(body, Screen::Longtext).await;
    let outcome = done(device.locate(id("note")).fill("").await);
    assert_eq!(outcome.fill, Some(FillCheck::Verified));
    let events = body.events().await;
    assert_eq!(count(&events, EventKind::Clear, "note"), 1, "{events:?}");
}

async fn a_scripted_press_waits_and_a_plain_one_does_not(body: &dyn Body) {
    let device = opened(body, Screen::Late).await;
    let error = failure(device.locate(label("Continue")).press().await);
    refused(&error, reason::SELECTOR_NOT_FOUND);
    assert!(error.detail("readiness").is_none());
    let outcome = done(
        device
            .locate(label("Continue"))
            .press()
            .ready_within(secs(2))
            .await,
    );
    assert!(
        outcome
            .readiness
            .is_some_and(|readiness| readiness.polls > 1)
    );
    shows(&device, label("Done")).await;
    assert_eq!(taps(body, "continue").await, 1);
}

async fn readiness_ends_with_its_budget(body: &dyn Body) {
    let device = opened(body, Screen::Never).await;
    let error = failure(
        device
            .locate(id("nothing"))
            .press()
            .ready_within(ms(500))
            .await,
    );
    refused(&error, reason::SELECTOR_NOT_FOUND);
    let readiness = error.detail("readiness").cloned().unwrap_or_default();
    assert!(
        readiness["polls"].as_u64().is_some_and(|polls| polls >= 2),
        "{readiness}"
    );
    assert!(
        ["expired", "stalled"]
            .iter()
            .any(|end| readiness["end"] == *end),
        "{readiness}"
    );
    let error = failure(device.locate(id("nothing")).wait(ms(400)).await);
    refused(&error, reason::WAIT_TARGET_ABSENT);
    let error = failure(device.wait_for_text("nothing like it", ms(400)).await);
    refused(&error, reason::WAIT_TARGET_ABSENT);
}

async fn a_target_that_left_is_like_any_missing_one(body: &dyn Body) {
    let device = opened(body, Screen::Vanish).await;
    done(device.locate(id("gone")).wait(secs(5)).await);
    done(device.locate(id("gone")).wait_absent(secs(5)).await);
    refused(
        &failure(device.locate(id("gone")).press().await),
        reason::SELECTOR_NOT_FOUND,
    );
    nothing_happened(body).await;
}

async fn a_covered_target_is_refused_by_name(body: &dyn Body) {
    let device = opened(body, Screen::Covered).await;
    for wait in [Duration::ZERO, secs(2)] {
        let error = failure(device.locate(id("pay")).press().ready_within(wait).await);
        refused(&error, reason::TARGET_COVERED);
        let by = error
            .detail("coveredBy")
            .map(Value::to_string)
            .unwrap_or_default();
        assert!(
            by.contains("sheet") || by.contains("Accept") || by.contains("Terms"),
            "{by}"
        );
    }
    nothing_happened(body).await;
    done(device.locate(id("accept")).press().await);
    done(device.locate(id("pay")).press().ready_within(secs(2)).await);
    assert_eq!(taps(body, "pay").await, 1);
}

async fn an_off_screen_target_is_refused_with_direction(body: &dyn Body) {
    let device = opened(body, Screen::Drawer).await;
    let error = failure(device.locate(label("Settings")).press().await);
    refused(&error, reason::OFFSCREEN_SELECTOR);
    assert_eq!(error.detail("scrollDirection"), Some(&Value::from("left")));
    assert!(!done(
        device
            .locate(label("Settings"))
            .is(Predicate::Visible)
            .await
    ));
    nothing_happened(body).await;
}

async fn a_visible_twin_is_not_preferred_by_geometry(body: &dyn Body) {
    body.open(Screen::Drawer, &[(Knob::Twin, 1)]).await;
    let device = body.device();
    let error = failure(device.locate(label("Settings")).press().await);
    assert_eq!(error.code(), ErrorCode::AmbiguousMatch, "{error:?}");
    nothing_happened(body).await;
    done(device.locate(id("settings-twin")).press().await);
    assert_eq!(taps(body, "settings-twin").await, 1);
}

fn candidates(error: &Error) -> Vec<Ref> {
    let lines = error
        .detail("candidates")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    lines
        .iter()
        .filter_map(|line| line.as_str()?.split_whitespace().next()?.parse().ok())
        .collect()
}

async fn equal_rows_are_ambiguous_and_their_candidates_can_be_pressed(body: &dyn Body) {
    let device = opened(body, Screen::Rows).await;
    let error = failure(device.locate(label("Delete")).press().await);
    assert_eq!(error.code(), ErrorCode::AmbiguousMatch);
    assert!(error.dispatched().is_no());
    assert_eq!(error.detail("matches"), Some(&Value::from(4)));
    let candidates = candidates(&error);
    assert_eq!(candidates.len(), 4, "{error:?}");
    nothing_happened(body).await;
    let plain = Ref::new(candidates[2].number());
    refused(
        &failure(device.locate(plain).press().await),
        reason::PLAIN_REF_REQUIRES_COMPLETE_FRAME,
    );
    done(device.locate(candidates[2]).press().await);
    let events = body.events().await;
    assert_eq!(acted(&events).len(), 1, "{events:?}");
    assert_eq!(count(&events, EventKind::Tap, "delete-3"), 1, "{events:?}");
}

async fn a_wrapper_and_its_control_are_one(body: &dyn Body) {
    let device = opened(body, Screen::Wrapper).await;
    done(device.locate(label("Save")).press().await);
    let events = body.events().await;
    assert_eq!(acted(&events).len(), 1, "{events:?}");
}

async fn a_cell_is_pressed_clear_of_its_button(body: &dyn Body) {
    let device = opened(body, Screen::Childbutton).await;
    done(device.locate(id("cell")).press().await);
    assert_eq!(
        (taps(body, "cell").await, taps(body, "inner").await),
        (1, 0)
    );
    done(device.locate(id("inner")).press().await);
    assert_eq!(
        (taps(body, "cell").await, taps(body, "inner").await),
        (1, 1)
    );
}

fn hidden(snapshot: &Snapshot, identifier: &str) -> (bool, bool) {
    let view = snapshot.view();
    let found = view.nodes().iter().find(|node| {
        snapshot
            .get(node.id)
            .is_some_and(|node| node.identifier() == Some(identifier))
    });
    let found = found.unwrap_or_else(|| panic!("{identifier} is not in the view:\n{view}"));
    (
        found.hidden.has(Direction::Up),
        found.hidden.has(Direction::Down),
    )
}

async fn fixed_tabs_are_in_every_capture_and_rows_are_scrolled_to(body: &dyn Body) {
    let device = opened(body, Screen::List).await;
    let snapshot = done(device.snapshot().await);
    for tab in ["tab-home", "tab-search"] {
        assert!(
            snapshot
                .view()
                .iter()
                .any(|node| node.identifier() == Some(tab)),
            "{}",
            snapshot.view()
        );
    }
    assert_eq!(hidden(&snapshot, "list"), (false, true));
    let scrolled = done(device.scroll(Direction::Down).await);
    assert_eq!(scrolled.movement, Movement::Moved);
    let events = body.events().await;
    assert!(count(&events, EventKind::Scroll, "list") >= 1, "{events:?}");
    let snapshot = done(device.snapshot().await);
    assert_eq!(hidden(&snapshot, "list"), (true, true));
    let found = done(
        device
            .scroll(Direction::Down)
            .fraction(0.8)
            .until(label("Row 30"))
            .await,
    );
    assert!(found.passes > 0);
    done(device.locate(label("Row 30")).press().await);
    let events = body.events().await;
    let pressed = events
        .iter()
        .filter(|event| event.kind == EventKind::Tap && event.element.starts_with("row"));
    assert_eq!(pressed.count(), 1, "{events:?}");
    let error = failure(device.scroll(Direction::Up).until(label("Row 9999")).await);
    assert_eq!(error.reason(), Some(reason::SCROLL_UNTIL_EDGE_REACHED));
    assert_eq!(error.dispatched(), Dispatched::Unknown);
    assert!(error.dispatched_steps() > 0);
    let nowhere = failure(device.scroll(Direction::Up).until(label("Row 9999")).await);
    assert!(
        nowhere.dispatched().is_no(),
        "at the edge nothing is sent: {nowhere:?}"
    );
    let error = failure(device.scroll(Direction::Down).pixels(-1.0).await);
    assert_eq!(error.code(), ErrorCode::InvalidArgs);
}

async fn content_that_loads_at_the_end_takes_its_passes(body: &dyn Body) {
    let device = opened(body, Screen::Reveal).await;
    let scrolled = done(device.scroll(Direction::Down).fraction(0.8).to_edge().await);
    assert!(scrolled.passes >= 3, "{scrolled:?}");
    assert_eq!(scrolled.movement, Movement::AtEdge);
    shows(&device, label("Pages: 3")).await;
}

async fn a_scroll_that_moves_nothing_does_not_claim_to(body: &dyn Body) {
    let device = opened(body, Screen::End).await;
    let ended = done(device.locate(id("ended")).scroll(Direction::Down).await);
    assert_eq!(ended.movement, Movement::AtEdge);
    match device.locate(id("stubborn")).scroll(Direction::Down).await {
        Ok(outcome) => assert_ne!(outcome.movement, Movement::Moved, "{outcome:?}"),
        Err(error) => {
            assert_eq!(
                error.reason(),
                Some(reason::SCROLL_NO_PROGRESS),
                "{error:?}"
            );
            assert_eq!(error.dispatched(), Dispatched::Unknown);
        }
    }
}

async fn states_are_read_and_absent_is_not_false(body: &dyn Body) {
    let device = opened(body, Screen::Toggle).await;
    let checked = async |name: &str| done(device.locate(id(name)).get().await).checked;
    assert_eq!(
        (checked("wifi").await, checked("terms").await),
        (Some(Checked::Off), Some(Checked::Off))
    );
    assert_eq!(checked("one").await, None, "a tab has no check mark");
    done(device.locate(id("wifi")).press().await);
    done(device.locate(id("terms")).press().await);
    assert_eq!(
        (checked("wifi").await, checked("terms").await),
        (Some(Checked::On), Some(Checked::On))
    );
    let events = body.events().await;
    for name in ["wifi", "terms"] {
        assert_eq!(count(&events, EventKind::Toggle, name), 1, "{events:?}");
    }
    assert!(done(device.locate(id("one")).is(Predicate::Selected).await));
    done(device.locate(id("two")).press().await);
    assert!(done(device.locate(id("two")).is(Predicate::Selected).await));
    assert!(!done(
        device.locate(id("one")).is(Predicate::Selected).await
    ));
    let error = failure(device.locate(id("one")).expect(Predicate::Selected).await);
    refused(&error, reason::PREDICATE_FAILED);
}

async fn alerts_are_read_and_answered_one_by_one(body: &dyn Body) {
    let device = opened(body, Screen::Alert).await;
    if !offers(&device, Operation::ReadAlert) {
        return;
    }
    assert_eq!(done(device.alert().await), None);
    refused(
        &failure(device.dismiss_alert().await),
        reason::ALERT_NOT_FOUND,
    );
    for (accept, result) in [(true, "Result: deleted"), (false, "Result: cancelled")] {
        done(device.locate(id("delete-item")).press().await);
        let alert = done(device.wait_for_alert(secs(5)).await);
        assert!(alert.text.contains("Delete item?"), "{alert:?}");
        let snapshot = done(device.snapshot().await);
        let dialogs = snapshot.view();
        let dialog = |role| matches!(role, Role::Alert | Role::Dialog);
        assert!(dialogs.iter().any(|node| dialog(node.role())), "{dialogs}");
        if accept {
            done(device.accept_alert(None).await);
        } else {
            done(device.dismiss_alert().await);
        }
        shows(&device, label(result)).await;
    }
    done(device.locate(id("delete-two")).press().await);
    done(device.wait_for_alert(secs(5)).await);
    done(device.accept_alert(None).await);
    let next = done(device.wait_for_alert(secs(5)).await);
    assert!(
        next.text.contains("next"),
        "the second alert is not taken for the first: {next:?}"
    );
    done(device.dismiss_alert().await);
    let events = body.events().await;
    let answers = events
        .iter()
        .filter(|event| event.kind == EventKind::Alert)
        .count();
    assert_eq!(answers, 4, "{events:?}");
}

async fn what_lies_behind_the_keyboard_is_refused(body: &dyn Body) {
    let device = opened(body, Screen::Keyboard).await;
    if !offers(&device, Operation::ReadKeyboard) {
        return;
    }
    done(device.locate(id("field")).focus().await);
    assert!(matches!(
        done(device.keyboard().await),
        Keyboard::Visible { .. }
    ));
    let error = failure(device.locate(id("tab-home")).press().await);
    assert!(error.dispatched().is_no(), "{error:?}");
    let by_keyboard = [reason::TAP_KEYBOARD_OCCLUDES_TARGET, reason::TARGET_COVERED];
    assert!(
        by_keyboard.contains(&error.reason().unwrap_or_default()),
        "{error:?}"
    );
    done(device.perform(Action::KeyboardDismiss).await);
    assert_eq!(done(device.keyboard().await), Keyboard::Absent);
    done(device.locate(id("tab-home")).press().await);
    assert_eq!(taps(body, "tab-home").await, 1);
    shows(&device, id("field")).await;
}

async fn an_endless_animation_stops_nobody(body: &dyn Body) {
    let device = opened(body, Screen::Animate).await;
    let settle = Settle::quiet(ms(300)).within(ms(1200));
    let outcome = done(
        device
            .locate(id("still"))
            .press()
            .settle(settle)
            .verify()
            .await,
    );
    assert_eq!(taps(body, "still").await, 1);
    let settled = outcome.settled.map(|settled| settled.settled);
    assert_eq!(
        settled,
        Some(false),
        "it never settles, and that fails nothing"
    );
    refused(
        &failure(device.wait_stable(settle).await),
        reason::WAIT_STABLE_TIMEOUT,
    );
    let quiet = opened(body, Screen::Counter).await;
    let outcome = done(
        quiet
            .locate(id("counter"))
            .press()
            .settle(settle)
            .verify()
            .await,
    );
    let settled = outcome
        .settled
        .unwrap_or_else(|| panic!("it was asked to settle"));
    assert!(settled.settled, "{settled:?}");
    let diff = settled
        .diff
        .map(|diff| diff.to_string())
        .unwrap_or_default();
    assert!(diff.contains("Counter: 1"), "{diff}");
    assert_eq!(
        outcome
            .evidence
            .and_then(|evidence| evidence.changed_from_before),
        Some(true)
    );
}

async fn slow_captures_are_joined_within_bounds(body: &dyn Body) {
    body.open(Screen::Slow, &[(Knob::Cost, 300)]).await;
    let device = body.device();
    let started = tokio::time::Instant::now();
    let error = failure(
        device
            .locate(id("nothing"))
            .press()
            .ready_within(ms(400))
            .await,
    );
    refused(&error, reason::SELECTOR_NOT_FOUND);
    assert!(started.elapsed() < secs(30));
    done(
        device
            .locate(id("slow"))
            .press()
            .ready_within(ms(400))
            .await,
    );
    assert_eq!(taps(body, "slow").await, 1);
}

async fn a_degraded_tree_proves_nothing(body: &dyn Body) {
    body.open(Screen::Sparse, &[(Knob::For, 3000)]).await;
    let device = body.device();
    let error = failure(
        device
            .locate(id("back"))
            .press()
            .ready_within(secs(2))
            .await,
    );
    refused(&error, reason::CAPTURE_SPARSE);
    let error = failure(device.locate(id("back")).is(Predicate::Absent).await);
    refused(&error, reason::CAPTURE_SPARSE);
    assert!(
        device
            .locate(id("nothing"))
            .wait_absent(ms(300))
            .await
            .is_err()
    );
    let before = device.ref_frame().map(|frame| frame.generation());
    done(device.snapshot().await);
    assert_eq!(
        device.ref_frame().map(|frame| frame.generation()),
        before,
        "a sparse tree issues no refs"
    );
    nothing_happened(body).await;
    shows(&device, id("back")).await;
}

async fn an_old_tree_is_not_acted_on(body: &dyn Body) {
    let device = opened(body, Screen::Stale).await;
    let snapshot = done(device.snapshot().await);
    let pressable: Vec<_> = snapshot
        .nodes()
        .filter(|node| node.role() == Role::Button)
        .filter_map(|node| node.identifier().map(str::to_owned))
        .collect();
    let [first, ..] = &pressable[..] else {
        panic!("there is nothing to press:\n{}", snapshot.view());
    };
    // The first press leads to a screen that the tree does not show yet; pressing from the old tree must not hit the new one.
    done(device.locate(id(first.clone())).press().await);
    let after_first = acted(&body.events().await).len();
    for name in &pressable {
        if let Err(error) = device.locate(id(name.clone())).press().await {
            assert!(error.dispatched().is_no(), "{error:?}");
        }
    }
    let events = body.events().await;
    for event in acted(&events).iter().skip(after_first) {
        assert!(
            pressable.contains(&event.element),
            "hit another element than the one meant: {event:?}"
        );
    }
}

async fn the_innermost_button_is_found(body: &dyn Body) {
    let device = opened(body, Screen::Deep).await;
    done(device.locate(label("Deep")).press().await);
    assert_eq!(taps(body, "deep").await, 1);
}

async fn odd_labels_are_selectable_by_their_exact_text(body: &dyn Body) {
    let device = opened(body, Screen::Zoo).await;
    let snapshot = done(device.snapshot_with(CaptureOptions::raw()).await);
    let animals: Vec<(String, String)> = snapshot
        .nodes()
        .filter(|node| node.role() == Role::Button)
        .filter_map(|node| Some((node.identifier()?.to_owned(), node.label()?.to_owned())))
        .filter(|(name, _)| name.starts_with("zoo-"))
        .collect();
    assert!(animals.len() >= 10, "{}", snapshot.view());
    let longest = animals.iter().map(|(_, text)| text.chars().count()).max();
    assert!(
        longest >= Some(10_000),
        "the longest label has {longest:?} characters"
    );
    for (name, text) in &animals {
        let selector: Selector = done(label(text.clone()).to_string().parse());
        if !done(device.locate(id(name.clone())).is(Predicate::Visible).await) {
            done(device.scroll(Direction::Down).until(id(name.clone())).await);
        }
        done(device.locate(selector).press().await);
        assert_eq!(taps(body, name).await, 1, "{name}");
    }
}

async fn strokes_are_what_was_planned(body: &dyn Body) {
    let device = opened(body, Screen::Gesture).await;
    if !offers(&device, Operation::Gesture) {
        return;
    }
    let bounds = done(device.locate(id("pad")).get().await)
        .bounds
        .unwrap_or_default();
    let center = bounds.center();
    let reach = bounds.width.min(bounds.height) / 4.0;
    let at = |dx: f64, dy: f64| Point::new((center.x + dx).round(), (center.y + dy).round());
    let (from, to) = (at(-reach, -reach / 2.0), at(reach, reach / 2.0));
    done(
        device
            .gesture(Gesture::Pan {
                from,
                to,
                duration: Some(ms(400)),
                pointers: 1,
            })
            .await,
    );
    let strokes = strokes(body).await;
    let [stroke] = &strokes[..] else {
        panic!("{strokes:?}");
    };
    assert_eq!(stroke["pointers"], 1);
    let duration = stroke["duration"].as_f64().unwrap_or_default();
    let tolerance = body.gesture_tolerance().as_secs_f64() * 1000.0;
    assert!((duration - 400.0).abs() <= tolerance, "{duration}");
    let samples = stroke["points"][0].as_array().cloned().unwrap_or_default();
    for (sample, wanted) in [(samples.first(), from), (samples.last(), to)] {
        let sample = sample.cloned().unwrap_or_default();
        let point = Point::new(
            sample[1].as_f64().unwrap_or_default(),
            sample[2].as_f64().unwrap_or_default(),
        );
        assert!(point.distance(wanted) <= 1.5, "{point:?} is not {wanted:?}");
    }
    if device.capabilities().max_pointers >= 2 {
        let pinch = Gesture::Pinch {
            center: Some(center),
            scale: 1.5,
        };
        done(device.gesture(pinch).await);
        let strokes = self::strokes(body).await;
        assert_eq!(strokes.len(), 2, "{strokes:?}");
        assert_eq!(strokes[1]["pointers"], 2);
    }
    let out = Gesture::Fling {
        direction: Direction::Left,
        from: Some(Point::new(20.0, center.y)),
        distance: Some(300.0),
    };
    refused(
        &failure(device.gesture(out).await),
        reason::GESTURE_TRAJECTORY_OUT_OF_BOUNDS,
    );
}

async fn strokes(body: &dyn Body) -> Vec<Value> {
    let events = body.events().await;
    let strokes = events
        .into_iter()
        .filter(|event| event.kind == EventKind::Stroke);
    strokes.map(|event| event.detail).collect()
}

async fn buttons_in_frames_and_shadows_are_pressed(body: &dyn Body) {
    let device = opened(body, Screen::Frames).await;
    for name in ["same", "cross", "open-button", "closed-button"] {
        done(device.locate(id(name)).press().ready_within(secs(2)).await);
        assert_eq!(taps(body, name).await, 1, "{name}");
    }
}

async fn a_new_window_is_told_and_not_switched_to(body: &dyn Body) {
    let device = opened(body, Screen::Windows).await;
    if !offers(&device, Operation::ReadWindows) {
        return;
    }
    let before = done(device.windows().await);
    let selected = |windows: &[crate::action::Window]| {
        let found = windows.iter().find(|window| window.selected);
        found.map(|window| window.id.clone())
    };
    done(device.locate(id("open-tab")).press().await);
    let after = done(device.windows().await);
    assert!(after.len() > before.len() || after.len() == 2, "{after:?}");
    assert_eq!(
        selected(&after),
        selected(&before),
        "nothing is switched silently"
    );
    shows(&device, id("open-tab")).await;
    let other = after.iter().find(|window| !window.selected);
    let other = other.unwrap_or_else(|| panic!("{after:?}")).id.clone();
    done(device.perform(Action::SelectWindow(other.clone())).await);
    assert_eq!(selected(&done(device.windows().await)), Some(other));
}

// --- the fault matrix -----------------------------------------------------------------------------------------------------

type Step = for<'a> fn(&'a Device) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

/// One mutation of the matrix: where it happens, how it is done, and which events are its effect.
struct Mutation {
    name: &'static str,
    screen: Screen,
    needs: Operation,
    /// What must be done before, without a fault.
    prepare: Step,
    act: Step,
    is_effect: fn(&Event) -> bool,
    /// How often one such action may be noticed at most.
    at_most: usize,
}

macro_rules! mutation {
    ($name:literal, $screen:ident, $needs:ident, $device:ident => $act:expr, $event:ident => $effect:expr) => {
        mutation!(@ nothing_before, $name, $screen, $needs, $device => $act, $event => $effect, 1)
    };
    ($name:literal, $screen:ident, $needs:ident, $device:ident => $act:expr, $event:ident => $effect:expr, $at_most:expr) => {
        mutation!(@ nothing_before, $name, $screen, $needs, $device => $act, $event => $effect, $at_most)
    };
    ($name:literal, $screen:ident, $needs:ident, $ready:ident => $prepare:expr, $device:ident => $act:expr, $event:ident => $effect:expr, $at_most:expr) => {
        mutation!(@ |$ready| Box::pin(async move { $prepare.await.map(drop) }), $name, $screen, $needs, $device => $act, $event => $effect, $at_most)
    };
    (@ $prepare:expr, $name:literal, $screen:ident, $needs:ident, $device:ident => $act:expr, $event:ident => $effect:expr, $at_most:expr) => {
        Mutation {
            name: $name,
            screen: Screen::$screen,
            needs: Operation::$needs,
            prepare: $prepare,
            act: |$device| Box::pin(async move { $act.await.map(drop) }),
            is_effect: |$event| $effect,
            at_most: $at_most,
        }
    };
}

fn nothing_before(_: &Device) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send + '_>> {
    Box::pin(async { Ok(()) })
}

const MUTATIONS: &[Mutation] = &[
    mutation!("press", Counter, Tap, device => device.locate(id("counter")).press(),
        event => event.kind == EventKind::Tap && event.element == "counter"),
    mutation!("press at a place", Counter, Tap, device => async {
        let bounds = device.locate(id("counter")).get().await?.bounds.unwrap_or_default();
        device.locate(bounds.center()).press().await
    }, event => event.kind == EventKind::Tap && event.element == "counter"),
    mutation!("scripted press", Late, Tap, device => device.locate(id("continue")).press().ready_within(secs(2)),
        event => event.kind == EventKind::Tap && event.element == "continue"),
    mutation!("double press", Counter, DoubleTap, device => device.locate(id("double")).double_press(),
        event => event.kind == EventKind::DoubleTap && event.element == "double"),
    mutation!("long press", Counter, LongPress, device => device.locate(id("hold")).long_press(),
        event => event.kind == EventKind::LongPress && event.element == "hold"),
    mutation!("toggle", Toggle, Tap, device => device.locate(id("wifi")).press(),
        event => event.kind == EventKind::Toggle && event.element == "wifi"),
    mutation!("clear", Login, Fill, device => device.locate(id("city")).fill(""),
        event => event.kind == EventKind::Clear && event.element == "city"),
    mutation!("type", Login, TypeText, device => device.locate(id("email")).type_text("x"),
        event => event.kind == EventKind::Text && event.element == "email"),
    mutation!("fill", Login, Fill, device => device.locate(id("email")).fill("x"),
        event => event.kind == EventKind::Text && event.element == "email"),
    mutation!("accept alert", Alert, AcceptAlert, device => async {
        device.locate(id("delete-item")).press().await?;
        device.wait_for_alert(secs(5)).await
    }, device => device.accept_alert(None), event => event.kind == EventKind::Alert, 1),
    mutation!("scroll", List, Scroll, device => device.scroll(Direction::Down),
        event => event.kind == EventKind::Scroll && event.element == "list", usize::MAX),
    mutation!("stroke", Gesture, Gesture, device => async {
        let center = device.locate(id("pad")).get().await?.bounds.unwrap_or_default().center();
        let to = Point::new(center.x + 40.0, center.y);
        device.gesture(Gesture::Pan { from: center, to, duration: None, pointers: 1 }).await
    }, event => event.kind == EventKind::Stroke),
];

/// Runs every mutation under every fault that the body's transport can have, and compares what the failure says with what the
/// log says: never `no` with an event, never two events for one action.
///
/// # Panics
///
/// When the two disagree, or when a mutation that the body offers could not be broken by any fault.
pub async fn fault_matrix(body: &dyn Body) {
    let mut table = String::new();
    let mut offered = 0;
    for mutation in MUTATIONS {
        if body
            .limits()
            .iter()
            .any(|(limit, _)| *limit == mutation.screen)
        {
            continue;
        }
        let mut struck: Option<u32> = None;
        for fault in Fault::ALL {
            body.open(mutation.screen, &[]).await;
            let device = body.device().with_budget(secs(3));
            if !offers(&device, mutation.needs) {
                continue;
            }
            let struck = struck.get_or_insert(0);
            done((mutation.prepare)(&device).await);
            if !body.arm(*fault).await {
                continue;
            }
            *struck += 1;
            let result = (mutation.act)(&device).await;
            body.disarm().await;
            let events = body.events().await;
            let effects = events
                .iter()
                .filter(|event| (mutation.is_effect)(event))
                .count();
            let said = match &result {
                Ok(()) => "ok",
                Err(error) => error.dispatched().as_str(),
            };
            let case = format!(
                "{} under {fault:?}: {said}, {effects} events",
                mutation.name
            );
            let _ = writeln!(table, "{case}");
            assert!(
                effects <= mutation.at_most,
                "acted twice: {case}\n{events:?}\n{result:?}"
            );
            match said {
                "no" => assert_eq!(effects, 0, "a false no: {case}\n{events:?}\n{result:?}"),
                "ok" => assert!(effects >= 1, "a false success: {case}\n{result:?}"),
                _ => {}
            }
        }
        assert_ne!(struck, Some(0), "no fault was armed for {}", mutation.name);
        offered += u32::from(struck.is_some());
    }
    println!("{table}");
    assert!(offered > 0, "the body offers no mutation");
}
