//! Pressing what is there, and refusing what isn't.

use agent_device_core::{
    Role,
    action::{Action, Target},
};
use agent_device_testbed::page::EventKind;

use crate::harness::*;

#[tokio::test]
async fn a_press_is_one_capture_one_look_and_one_click() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("counter").await;
    let before = bench.browser.requests();
    let snapshot = capture(&bench.browser).await;
    let captured = bench.browser.requests();
    assert_eq!(captured.reads - before.reads, 1);
    let performed = act(&bench.browser, Action::Tap(by_id(&snapshot, "counter")))
        .await
        .unwrap();
    let after = bench.browser.requests();
    assert_eq!(performed.method, Some("element"));
    assert_eq!(
        (
            after.reads - captured.reads,
            after.mutations - captured.mutations
        ),
        (1, 1)
    );
    assert_eq!(bench.app.events_of(EventKind::Tap, "counter").len(), 1);
}

#[tokio::test]
async fn a_press_that_renames_its_target_can_be_repeated() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("counter").await;
    let snapshot = capture(&bench.browser).await;
    let mut counter = by_id(&snapshot, "counter");
    for _ in 0..3 {
        act(&bench.browser, Action::Tap(counter.clone()))
            .await
            .unwrap();
        counter.target = counter.target.map(Target::repeated);
    }
    assert_eq!(bench.app.events_of(EventKind::Tap, "counter").len(), 3);
}

#[tokio::test]
async fn another_element_in_the_place_of_the_target_is_not_pressed() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench
        .show("<body><ul><li><button onclick=\"this.parentNode.remove()\">A</button><li><button>B</button></ul>")
        .await;
    let snapshot = capture(&bench.browser).await;
    let first = find(&snapshot, |node| node.label() == Some("A"));
    act(&bench.browser, Action::Tap(first.clone()))
        .await
        .unwrap();
    let error = act(&bench.browser, Action::Tap(first)).await.unwrap_err();
    assert_eq!(error.reason(), Some("webdriver_target_changed"));
    assert!(error.dispatched().is_no());
}

#[tokio::test]
async fn a_series_does_not_go_on_with_the_next_row() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    for names in [["A", "B"], ["Delete", "Delete"]] {
        bench
            .show(&format!(
                "<body><ul><li><button onclick=\"this.parentNode.remove()\">{}</button><li><button \
                 onclick=\"document.title = 'wrong'\">{}</button></ul>",
                names[0], names[1]
            ))
            .await;
        let snapshot = capture(&bench.browser).await;
        let mut buttons = snapshot.nodes().filter(|node| node.role() == Role::Button);
        let mut first = touch(&snapshot, buttons.next().unwrap().id());
        act(&bench.browser, Action::Tap(first.clone()))
            .await
            .unwrap();
        first.target = first.target.map(Target::repeated);
        let error = act(&bench.browser, Action::Tap(first)).await.unwrap_err();
        assert_eq!(error.reason(), Some("webdriver_target_changed"));
        assert_ne!(bench.script("return document.title").await, "wrong");
    }
}

#[tokio::test]
async fn frames_and_shadows_are_seen_and_pressed() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("frames").await;
    let snapshot = capture(&bench.browser).await;
    for id in ["same", "cross", "open-button", "closed-button"] {
        act(&bench.browser, Action::Tap(by_id(&snapshot, id)))
            .await
            .unwrap_or_else(|error| panic!("{id}: {error:?}"));
        assert_eq!(bench.app.events_of(EventKind::Tap, id).len(), 1, "{id}");
        let top = bench.script("return window === window.top").await;
        assert_eq!(top, true, "the session is still in the frame of {id}");
    }
    // The session is back at the top.
    let again = capture(&bench.browser).await;
    assert_eq!(again.info().app, snapshot.info().app);
    assert_eq!(again.len(), snapshot.len());
}
