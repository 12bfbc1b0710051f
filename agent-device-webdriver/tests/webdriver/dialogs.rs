//! Dialogs and windows.

use agent_device_core::{
    Interactor as _, Role,
    action::{Action, Window},
    reason,
};
use agent_device_testbed::page::EventKind;

use crate::harness::*;

#[tokio::test]
async fn an_open_dialog_is_a_tree_of_its_own_and_its_buttons_are_pressed() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    for (button, answer) in [("OK", true), ("Cancel", false)] {
        let it = bench
            .show_it("<button id=it onclick=\"setTimeout(function () { log('alert', confirm('Delete item?') ? 'yes' : 'no') })\">It</button>")
            .await;
        act(&bench.browser, Action::Tap(it)).await.unwrap();
        let snapshot = loop {
            let snapshot = capture(&bench.browser).await;
            if snapshot.root().unwrap().role() == Role::Alert {
                break snapshot;
            }
        };
        assert_eq!(snapshot.root().unwrap().label(), Some("Delete item?"));
        assert_eq!(
            bench.browser.alert(&call()).await.unwrap().unwrap().text,
            "Delete item?"
        );
        let press = Action::Tap(find(&snapshot, |node| node.label() == Some(button)));
        act(&bench.browser, press).await.unwrap();
        let logged = if answer { "yes" } else { "no" };
        let enough = |events: &[_]| events.len() > 1;
        bench
            .app
            .wait_for(enough, std::time::Duration::from_secs(5))
            .await
            .unwrap();
        assert_eq!(bench.app.events_of(EventKind::Alert, logged).len(), 1);
        assert_eq!(bench.browser.alert(&call()).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_dialog_stands_in_the_way_with_proof_and_survives_reads() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let it = bench.show_it("<button id=it>It</button>").await;
    bench
        .script("setTimeout(function () { window.answer = prompt('Name?') })")
        .await;
    while bench.browser.alert(&call()).await.unwrap().is_none() {}
    for _ in 0..3 {
        capture(&bench.browser).await;
        assert!(bench.browser.screenshot(&call()).await.is_err());
    }
    let error = act(&bench.browser, Action::Tap(it)).await.unwrap_err();
    assert_eq!(error.reason(), Some("webdriver_dialog_open"));
    assert!(error.dispatched().is_no());
    assert_eq!(bench.browser.windows(&call()).await.unwrap().len(), 1);
    act(&bench.browser, Action::AcceptAlert(Some("Anna".into())))
        .await
        .unwrap();
    assert_eq!(bench.script("return window.answer").await, "Anna");
    let error = act(&bench.browser, Action::AcceptAlert(None))
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some(reason::ALERT_NOT_FOUND));
    assert!(error.dispatched().is_no());
}

#[tokio::test]
async fn a_new_window_is_told_never_switched_to_and_can_be_selected() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("windows").await;
    let snapshot = capture(&bench.browser).await;
    let performed = act(&bench.browser, Action::Tap(by_id(&snapshot, "open-tab")))
        .await
        .unwrap();
    let [opened] = &performed.opened_windows[..] else {
        panic!("{performed:?}")
    };
    let selected = |windows: &[Window]| {
        windows
            .iter()
            .find(|window| window.selected)
            .map(|window| window.id.clone())
    };
    let windows = bench.browser.windows(&call()).await.unwrap();
    assert_eq!(windows.len(), 2);
    let first = selected(&windows).unwrap();
    assert_ne!(&first, opened);
    assert!(
        capture(&bench.browser)
            .await
            .info()
            .app
            .as_ref()
            .unwrap()
            .ends_with("/windows")
    );

    act(&bench.browser, Action::SelectWindow(opened.clone()))
        .await
        .unwrap();
    let tab = capture(&bench.browser).await;
    act(&bench.browser, Action::Tap(by_id(&tab, "in-tab")))
        .await
        .unwrap();
    assert_eq!(bench.app.events_of(EventKind::Tap, "in-tab").len(), 1);
    act(&bench.browser, Action::Close(None)).await.unwrap();
    let windows = bench.browser.windows(&call()).await.unwrap();
    assert_eq!(
        (windows.len(), selected(&windows)),
        (1, None),
        "none is selected by itself"
    );
    let error = act(&bench.browser, Action::Tap(by_id(&tab, "in-tab")))
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some("webdriver_window_closed"));
    assert!(
        error.dispatched().is_no(),
        "only the target was looked for: {error:?}"
    );
    act(&bench.browser, Action::SelectWindow(first))
        .await
        .unwrap();
    capture(&bench.browser).await;
}

#[tokio::test]
async fn the_app_state_is_the_address_and_the_title() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("counter").await;
    let state = bench.browser.app_state(&call()).await.unwrap();
    assert_eq!(state.app.as_deref(), Some(&*bench.app.url("counter")));
    assert!(state.title.unwrap().starts_with("Proving Ground"));
    bench
        .browser
        .navigate(&bench.app.url("home"))
        .await
        .unwrap();
    act(&bench.browser, Action::Back).await.unwrap();
    let snapshot = loop {
        let snapshot = capture(&bench.browser).await;
        if snapshot
            .nodes()
            .any(|node| node.identifier() == Some("counter"))
        {
            break snapshot;
        }
    };
    assert!(snapshot.info().app.as_ref().unwrap().ends_with("/counter"));
}

#[tokio::test]
async fn a_screenshot_is_a_png_with_its_scale() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("counter").await;
    let shot = bench.browser.screenshot(&call()).await.unwrap();
    assert!(shot.png.starts_with(b"\x89PNG"));
    let width = u32::from_be_bytes(shot.png[16..20].try_into().unwrap());
    let viewport = capture(&bench.browser).await.info().viewport.unwrap();
    assert_eq!(f64::from(width), viewport.width * shot.scale);
}
