//! Pages that don't mean well: policies, patched built-ins, sizes.

use agent_device_core::action::Action;

use crate::harness::*;

async fn press_it(bench: &Bench) {
    let snapshot = capture(&bench.browser).await;
    let it = by_id(&snapshot, "it");
    assert_eq!(it.target.as_ref().unwrap().node().label(), Some("It"));
    act(&bench.browser, Action::Tap(it)).await.unwrap();
}

#[tokio::test]
async fn a_strict_policy_stops_neither_captures_nor_presses() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let policy = "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'; sandbox allow-scripts allow-same-origin";
    bench.app.serve_with(
        "/strict",
        "<!doctype html><button id=it>It</button>",
        &[("content-security-policy", policy)],
    );
    bench
        .browser
        .navigate(&format!("{}/strict", bench.app.origin()))
        .await
        .unwrap();
    press_it(&bench).await;
    let focused = bench.script("return document.activeElement.id").await;
    assert_eq!(focused, "it", "the press arrived");
}

#[tokio::test]
async fn patched_built_ins_mislead_nobody() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let page = |patches: &str| {
        format!(
            "<button id=it>It</button><script>var lie = function () {{ return undefined }}; {patches}</script>"
        )
    };
    bench
        .show(&page(
            "Array.prototype.map = Array.prototype.push = Array.prototype.slice = Array.prototype.join = lie;
            Array.prototype.indexOf = Array.prototype.concat = Object.keys = JSON.parse = lie;
            String.prototype.trim = String.prototype.split = String.prototype.replace = String.prototype.slice = lie;
            window.Map = window.Set = window.WeakMap = Element.prototype.closest = Element.prototype.matches = lie;",
        ))
        .await;
    for _ in 0..4 {
        press_it(&bench).await;
    }
    assert_eq!(bench.taps(), 4);

    // The one built-in without which chromedriver can't act at all: what is left is an honest verdict.
    bench.show(&page("JSON.stringify = lie;")).await;
    let snapshot = capture(&bench.browser).await;
    let error = act(&bench.browser, Action::Tap(by_id(&snapshot, "it")))
        .await
        .unwrap_err();
    assert!(!error.dispatched().is_no(), "{error:?}");
    assert_eq!(bench.taps(), 0);
}

#[tokio::test]
async fn a_large_page_is_captured_in_one_round_trip() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench
        .show(
            "<div id=all></div><script>
            var html = '';
            for (var i = 0; i < 25000; i++) html += '<p>Row <b>' + i + '</b></p>';
            document.getElementById('all').innerHTML = html;
            </script><button id=it style='position:fixed;left:0;top:0'>It</button>",
        )
        .await;
    let before = bench.browser.requests();
    let snapshot = capture(&bench.browser).await;
    assert_eq!(bench.browser.requests().total() - before.total(), 1);
    assert!(snapshot.len() > 25_000, "{}", snapshot.len());
    act(&bench.browser, Action::Tap(by_id(&snapshot, "it")))
        .await
        .unwrap();
    assert_eq!(bench.taps(), 1);
}

#[tokio::test]
async fn a_label_of_ten_megabytes_is_cut_and_pressed() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench
        .show(
            "<button id=it style='width:200px;height:40px;overflow:hidden'></button><script>
            document.getElementById('it').setAttribute('aria-label', 'x'.repeat(10 << 20));
            </script>",
        )
        .await;
    let snapshot = capture(&bench.browser).await;
    let it = by_id(&snapshot, "it");
    assert!(it.target.as_ref().unwrap().node().label().unwrap().len() <= 40_000);
    act(&bench.browser, Action::Tap(it)).await.unwrap();
    assert_eq!(bench.taps(), 1);
}

#[tokio::test]
async fn captures_of_one_document_are_alike_whichever_way_they_come() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("counter").await;
    let first = capture(&bench.browser).await;
    for _ in 0..5 {
        let again = capture(&bench.browser).await;
        assert_eq!(again.digest(), first.digest());
    }
    // A document that came without a navigation of ours has no library at first, and gets one.
    bench.script("location.reload()").await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let before = bench.browser.requests().total();
    for _ in 0..6 {
        let again = capture(&bench.browser).await;
        assert_eq!(again.len(), first.len());
    }
    let spent = bench.browser.requests().total() - before;
    assert!(spent <= 8, "{spent} round trips for six captures");
}
