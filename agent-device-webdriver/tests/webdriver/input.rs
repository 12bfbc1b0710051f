//! Pointers, wheels and keys, judged by the page's log.

use std::time::Duration;

use agent_device_core::{
    Interactor as _,
    action::{Action, Operation, Touch},
    geometry::{Direction, Point},
    gesture::{Gesture, GesturePlan, Sample, ScrollAmount, ScrollPlan},
};
use agent_device_testbed::page::EventKind;

use crate::harness::*;

fn middle(touch: &Touch) -> Point {
    touch.point
}

#[tokio::test]
async fn taps_of_every_kind_are_told_apart() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("counter").await;
    let snapshot = capture(&bench.browser).await;
    act(
        &bench.browser,
        Action::DoubleTap(by_id(&snapshot, "double")),
    )
    .await
    .unwrap();
    assert_eq!(bench.app.events_of(EventKind::DoubleTap, "double").len(), 1);
    let hold = Duration::from_millis(700);
    act(
        &bench.browser,
        Action::LongPress(by_id(&snapshot, "hold"), hold),
    )
    .await
    .unwrap();
    assert_eq!(bench.app.events_of(EventKind::LongPress, "hold").len(), 1);
    let place = middle(&by_id(&snapshot, "counter"));
    let performed = act(&bench.browser, Action::Tap(at(place.x, place.y)))
        .await
        .unwrap();
    assert_eq!(performed.method, Some("coordinates"));
    assert_eq!(bench.app.events_of(EventKind::Tap, "counter").len(), 1);
}

#[tokio::test]
async fn a_pointer_hovers_and_enter_is_pressed() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let it = bench
        .show_it("<form onsubmit=\"log('tap', 'sent'); return false\"><input id=it onmouseover=\"log('tap', 'over')\"></form>")
        .await;
    act(&bench.browser, Action::Hover(it.clone()))
        .await
        .unwrap();
    bench.wait_for_taps(1).await;
    act(&bench.browser, Action::Focus(it)).await.unwrap();
    act(&bench.browser, Action::KeyboardEnter).await.unwrap();
    assert_eq!(bench.app.events_of(EventKind::Tap, "sent").len(), 1);
}

#[tokio::test]
async fn a_wheel_turns_in_the_direction_that_is_asked_for() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.show("<div id=it style='width:300px;height:300px;overflow:auto'><div style='width:3000px;height:3000px'>x</div></div>").await;
    let snapshot = capture(&bench.browser).await;
    let container = by_id(&snapshot, "it");
    let surface = container.target.as_ref().unwrap().node().bounds().unwrap();
    for (direction, want) in [
        (Direction::Down, (0, 100)),
        (Direction::Right, (100, 100)),
        (Direction::Up, (100, 0)),
        (Direction::Left, (0, 0)),
    ] {
        let plan = ScrollPlan::new(
            direction,
            ScrollAmount::Pixels(100.0),
            surface,
            container.target.clone(),
            None,
        );
        act(&bench.browser, Action::Scroll(plan.unwrap()))
            .await
            .unwrap();
        let begun = std::time::Instant::now();
        loop {
            let offset = bench.script("var it = document.getElementById('it'); return [Math.round(it.scrollLeft), Math.round(it.scrollTop)]").await;
            if offset == serde_json::json!([want.0, want.1]) {
                break;
            }
            assert!(
                begun.elapsed() < Duration::from_secs(5),
                "{direction:?}: {offset} is not {want:?}"
            );
        }
    }
}

#[tokio::test]
async fn two_fingers_play_what_the_plan_says() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("gesture").await;
    let snapshot = capture(&bench.browser).await;
    let viewport = snapshot.info().viewport.unwrap();
    let pinch = Gesture::Pinch {
        center: Some(middle(&by_id(&snapshot, "pad"))),
        scale: 2.0,
    };
    act(
        &bench.browser,
        Action::Gesture(pinch.plan(viewport).unwrap()),
    )
    .await
    .unwrap();
    let strokes = bench
        .app
        .wait_for(|events| !events.is_empty(), Duration::from_secs(5))
        .await
        .unwrap();
    let stroke = &strokes[0];
    assert_eq!(stroke.kind, EventKind::Stroke);
    assert_eq!(stroke.detail["pointers"], 2, "{stroke}");
}

#[tokio::test]
async fn numbers_that_are_none_and_points_outside_never_reach_the_driver() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("counter").await;
    bench.wire.forget();
    let long = "x".repeat(10 << 20);
    let everywhere = [f64::NAN, f64::INFINITY, -1.0, 1e300];
    for number in everywhere {
        for action in [
            Action::Tap(at(number, 10.0)),
            Action::DoubleTap(at(10.0, number)),
            Action::LongPress(at(number, number), Duration::from_millis(500)),
            Action::Hover(at(number, 0.0)),
            Action::Focus(at(number, 0.0)),
            Action::Fill(at(number, 0.0), "x".into()),
        ] {
            let error = act(&bench.browser, action).await.unwrap_err();
            assert!(error.dispatched().is_no(), "{error:?}");
        }
    }
    let error = act(&bench.browser, Action::TypeText(long.into()))
        .await
        .unwrap_err();
    assert!(error.dispatched().is_no());
    let sample = |at: u64, x: f64| Sample {
        offset: Duration::from_millis(at),
        point: Point::new(x, 100.0),
    };
    let far = GesturePlan::custom(vec![vec![sample(0, 10.0), sample(50, 90_000.0)]]).unwrap();
    let error = act(&bench.browser, Action::Gesture(far)).await.unwrap_err();
    assert!(error.dispatched().is_no());
    assert!(bench.wire.requests_to("POST", "/actions").is_empty());
    assert_eq!(bench.app.events().len(), 0);
}

#[tokio::test]
async fn a_sequence_that_failed_leaves_nothing_pressed() {
    let Some(bench) = Bench::own().await else {
        return;
    };
    bench.open("counter").await;
    let snapshot = capture(&bench.browser).await;
    let counter = middle(&by_id(&snapshot, "counter"));
    let held = Action::LongPress(at(counter.x, counter.y), Duration::from_secs(2));
    let short = agent_device_core::Call::standalone(Duration::from_millis(800));
    let error = act_within(&bench.browser, held, &short).await.unwrap_err();
    assert!(!error.dispatched().is_no());
    tokio::time::sleep(Duration::from_secs(2)).await;
    bench.wire.forget();
    act(&bench.browser, Action::Tap(at(counter.x, counter.y)))
        .await
        .unwrap();
    assert_eq!(bench.wire.requests_to("DELETE", "/actions").len(), 1);
}

#[tokio::test]
async fn the_capabilities_are_what_perform_offers() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let offered = bench.browser.capabilities();
    assert_eq!(offered.max_pointers, 2);
    for (action, operation) in [
        (Action::Home, Operation::Home),
        (Action::AppSwitcher, Operation::AppSwitcher),
        (Action::KeyboardDismiss, Operation::KeyboardDismiss),
        (
            Action::WriteClipboard("x".into()),
            Operation::WriteClipboard,
        ),
    ] {
        assert!(!offered.offers(operation));
        let error = act(&bench.browser, action).await.unwrap_err();
        assert!(error.dispatched().is_no());
    }
    assert!(bench.browser.clipboard(&call()).await.is_err());
}
