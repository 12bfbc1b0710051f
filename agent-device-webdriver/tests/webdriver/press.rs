//! Pressing what is there, and refusing what isn't.

use agent_device_core::action::Action;
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
