//! What goes over the wire: each mutation once, on a connection of its own, and nothing after a refusal.

use std::{sync::Arc, time::Duration};

use agent_device_core::{
    Call, Error, ErrorCode, Interactor as _, SnapshotBackend as _,
    action::{Action, OpenTarget, Target},
    dispatch::rows::webdriver as rows,
    reason,
    snapshot::CaptureOptions,
};
use agent_device_testbed::fault::{FaultServer, Reply, Rule, WireFault};
use agent_device_webdriver::{Chromium, Config, Credentials, WebDriver};
use serde_json::json;

use crate::harness::*;

#[tokio::test]
async fn mutations_never_share_a_connection_and_reads_do() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("counter").await;
    bench.wire.forget();
    let snapshot = capture(&bench.browser).await;
    let mut counter = by_id(&snapshot, "counter");
    for _ in 0..5 {
        act(&bench.browser, Action::Tap(counter.clone()))
            .await
            .unwrap();
        counter.target = counter.target.map(Target::repeated);
    }
    let requests = bench.wire.requests();
    let clicks: Vec<_> = requests
        .iter()
        .filter(|request| request.path.ends_with("/click"))
        .collect();
    assert_eq!(clicks.len(), 5);
    for click in &clicks {
        assert_eq!(click.on_connection, 1, "a mutation on a used connection");
        let sharing = requests
            .iter()
            .filter(|request| request.connection == click.connection);
        assert_eq!(sharing.count(), 1, "a connection used after a mutation");
    }
    let reads = requests
        .iter()
        .filter(|request| !request.path.ends_with("/click"));
    assert!(
        reads
            .max_by_key(|read| read.on_connection)
            .unwrap()
            .on_connection
            > 5
    );
}

/// Every fault after which a client might be tempted to try again.
#[tokio::test]
async fn no_fault_makes_a_second_request() {
    let Some(bench) = Bench::with_config(|config| {
        config.action_timeout = Duration::from_millis(1500);
    })
    .await
    else {
        return;
    };
    let location = format!("{}/elsewhere", bench.wire.url());
    let redirect = |status| Reply::new(status, "text/plain", "").header("location", &location);
    let faults = [
        WireFault::ResetBeforeRead,
        WireFault::CloseBeforeRead,
        WireFault::ResetAfterRead,
        WireFault::CloseAfterRead,
        WireFault::ForwardThenReset,
        WireFault::ForwardThenClose,
        WireFault::Truncate,
        WireFault::TruncateHead,
        WireFault::Hang,
        WireFault::ForwardThenHang,
        WireFault::Garbage,
        WireFault::ForwardThenGarbage,
        WireFault::ForwardThenStatus(redirect(307)),
        WireFault::ForwardThenStatus(redirect(308)),
        WireFault::ForwardThenStatus(redirect(302)),
        WireFault::ForwardThenStatus(Reply::new(503, "text/plain", "").header("retry-after", "0")),
        WireFault::ForwardThenStatus(Reply::new(408, "text/plain", "")),
    ];
    bench.open("counter").await;
    for fault in faults {
        bench.app.clear();
        bench.wire.forget();
        let snapshot = capture(&bench.browser).await;
        bench
            .wire
            .plan()
            .set(Rule::on("POST", "/click", fault.clone()).times(1));
        let tap = Action::Tap(by_id(&snapshot, "counter"));
        let error = act(&bench.browser, tap).await.unwrap_err();
        bench.wire.plan().clear();
        assert_eq!(bench.wire.strikes().len(), 1, "{fault:?} did not strike");
        let clicks = bench.wire.requests_to("POST", "/click").len();
        assert_eq!(
            clicks,
            usize::from(!fault.before_read()),
            "{fault:?} was sent again"
        );
        assert!(bench.wire.requests_to("", "/elsewhere").is_empty());
        assert!(!error.dispatched().is_no(), "{fault:?}: {error:?}");
        assert_eq!(bench.taps(), fault.deliveries() as usize, "{fault:?}");
    }
}

#[tokio::test]
async fn a_dropped_press_counts_as_possibly_landed_and_the_session_recovers() {
    let Some(bench) = Bench::own().await else {
        return;
    };
    bench.open("counter").await;
    let snapshot = capture(&bench.browser).await;
    let tap = Action::Tap(by_id(&snapshot, "counter"));
    let hold = WireFault::LateForward(Duration::from_millis(700));
    bench
        .wire
        .plan()
        .set(Rule::on("POST", "/click", hold).times(1));
    let call = call();
    let pressing = tokio::time::timeout(
        Duration::from_millis(400),
        bench.browser.perform(&tap, &call),
    );
    assert!(pressing.await.is_err());
    assert!(!call.ledger().is_empty());
    let error = settle(
        &tap,
        &call,
        Error::new(ErrorCode::CommandFailed, "given up"),
    );
    assert!(!error.dispatched().is_no());
    bench.wire.forget();
    capture(&bench.browser).await;
    let first = &bench.wire.requests()[0];
    assert!(
        first.path.ends_with("/timeouts"),
        "the driver was not asked: {}",
        first.path
    );
    bench.wait_for_taps(1).await;
}

#[tokio::test]
async fn a_cancelled_capture_ends_soon_and_the_session_recovers() {
    let Some(bench) = Bench::own().await else {
        return;
    };
    bench.open("counter").await;
    bench
        .wire
        .plan()
        .set(Rule::on("POST", "/cdp", WireFault::ForwardThenHang).times(1));
    let call = call();
    let options = CaptureOptions::default();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        call.cancel().cancel();
    };
    let (result, ()) = tokio::join!(bench.browser.capture(&options, &call), cancel);
    assert_eq!(result.unwrap_err().reason(), Some("request_canceled"));
    assert!(bench.browser.honours_cancel());
    assert!(capture(&bench.browser).await.len() > 1);
}

#[tokio::test]
async fn commands_of_one_session_take_turns() {
    let Some(bench) = Bench::own().await else {
        return;
    };
    bench.open("counter").await;
    let Bench { browser, app, .. } = &bench;
    let snapshot = capture(browser).await;
    let first = by_id(&snapshot, "counter");
    let mut second = first.clone();
    second.target = second.target.map(Target::repeated);
    let (a, b, c) = tokio::join!(
        act(browser, Action::Tap(first)),
        capture(browser),
        act(browser, Action::Tap(second))
    );
    a.unwrap();
    c.unwrap();
    assert_eq!(b.len(), snapshot.len());
    assert_eq!(app.events().len(), 2);
}

async fn server(reply: Reply) -> (FaultServer, WebDriver) {
    let server = FaultServer::start().await.unwrap();
    let session = json!({"value": {"sessionId": "s", "capabilities": {"browserName": "any"}}});
    server.reply("POST", "/session", Reply::json(200, &session));
    server.reply("", "/session/s/", reply);
    server.reply(
        "DELETE",
        "/session/s",
        Reply::json(200, &json!({"value": null})),
    );
    let mut config = Config::new();
    config.max_capture_bytes = 1 << 20;
    config.credentials = Some(Credentials::new("me", "tops3cret"));
    let browser = WebDriver::connect(&server.url(), serde_json::Map::new(), config)
        .await
        .unwrap();
    // From here on every route under the session answers the same.
    (server, browser)
}

#[tokio::test]
async fn replies_that_are_no_answer_are_errors_and_nothing_more() {
    let deep = format!("{{\"value\":{}", "[".repeat(200_000));
    let bodies: [Vec<u8>; 9] = [
        b"".to_vec(),
        b"null".to_vec(),
        b"{}".to_vec(),
        b"{\"value\":7}".to_vec(),
        b"{\"value\":\"AD1|\"}".to_vec(),
        b"{\"value\":\"AD1|t|1|1|1|0|0|1|1|-1|999999999|0|0|0|u|t~~~\"}".to_vec(),
        b"\xff\xfe\x00".to_vec(),
        deep.into_bytes(),
        format!("{{\"value\":\"{}\"}}", "x".repeat(2 << 20)).into_bytes(),
    ];
    for body in bodies {
        let length = body.len();
        let (_server, browser) = server(Reply::new(200, "application/json", body)).await;
        let error = browser
            .capture(&CaptureOptions::default(), &call())
            .await
            .unwrap_err();
        assert!(error.dispatched().is_no(), "{length}: {error:?}");
        let error = browser.screenshot(&call()).await.unwrap_err();
        assert!(error.dispatched().is_no(), "{length}: {error:?}");
    }
}

#[tokio::test]
async fn an_endless_reply_is_cut_off() {
    let (_server, browser) = server(Reply::new(
        200,
        "application/json",
        format!("{{\"value\":\"{}\"}}", "x".repeat(40 << 20)),
    ))
    .await;
    let error = act(&browser, Action::Back).await.unwrap_err();
    assert_eq!(error.row().unwrap(), rows::UNREADABLE_REPLY.row());
    assert!(!error.dispatched().is_no());
}

#[tokio::test]
async fn credentials_are_sent_and_shown_nowhere() {
    let (_server, browser) = server(w3c(500, "unknown error")).await;
    let error = act(&browser, Action::Back).await.unwrap_err();
    let shown = format!(
        "{browser:?} {error:?} {error} {:?}",
        Credentials::new("me", "tops3cret")
    );
    assert!(!shown.contains("tops3cret"), "{shown}");
    assert!(!shown.contains("bWU6"), "{shown}");
    let refused = format!(
        "http://me:tops3cret@{}",
        agent_device_testbed::fault::refused_address().unwrap()
    );
    let error = WebDriver::connect(&refused, serde_json::Map::new(), Config::new())
        .await
        .unwrap_err();
    assert!(error.dispatched().is_no());
    let mut shown = format!("{error:?}");
    let mut source = std::error::Error::source(&error);
    while let Some(error) = source {
        shown.push_str(&format!("{error} {error:?}"));
        source = error.source();
    }
    assert!(!shown.contains("tops3cret"), "{shown}");
}

#[tokio::test]
async fn a_session_that_the_browser_left_is_refused_without_a_request() {
    let Some(bench) = Bench::own().await else {
        return;
    };
    bench.open("counter").await;
    let closed = act(&bench.browser, Action::Close(None)).await.unwrap();
    assert!(closed.warnings[0].contains("session has ended"));
    bench.wire.forget();
    let error = bench
        .browser
        .capture(&CaptureOptions::default(), &call())
        .await
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::SessionNotFound);
    assert!(bench.wire.requests().is_empty());
}

#[tokio::test]
async fn a_click_does_not_wait_for_the_next_page_and_a_navigation_does() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let slow = bench.app.slow_url(Duration::from_secs(2));
    let link = bench
        .show_it(&format!("<a id=it href='{slow}'>Slow</a>"))
        .await;
    let begun = std::time::Instant::now();
    act(&bench.browser, Action::Tap(link)).await.unwrap();
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );
    bench.browser.navigate(&slow).await.unwrap();
    let state = bench.browser.app_state(&call()).await.unwrap();
    assert_eq!(state.app.as_deref(), Some(&*slow));
}

#[tokio::test]
async fn bad_addresses_are_refused_before_anything_is_sent() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("counter").await;
    bench.wire.forget();
    for url in [
        "",
        "nonsense",
        "/relative",
        "javascript:alert(1)",
        "http://",
    ] {
        let open = Action::Open(OpenTarget::Url(url.into()));
        let error = act(&bench.browser, open).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgs, "{url}");
        assert!(error.dispatched().is_no());
    }
    let open = Action::Open(OpenTarget::App("com.example".into()));
    assert!(
        act(&bench.browser, open)
            .await
            .unwrap_err()
            .dispatched()
            .is_no()
    );
    assert!(bench.wire.requests().is_empty());
}

#[tokio::test]
async fn a_driver_that_owes_an_answer_is_not_sent_more() {
    let Some(bench) = Bench::with(Chromium::builder().config({
        let mut config = Config::new();
        config.busy_timeout = Duration::from_millis(200);
        config
    }))
    .await
    else {
        return;
    };
    // A real one: the driver runs a script that takes its time, the next command queues behind it.
    bench.open("counter").await;
    let snapshot = capture(&bench.browser).await;
    bench.script("window.slow = true; Object.defineProperty(document, 'activeElement', {get() { const end = Date.now() + 3000; while (Date.now() < end); return null }})").await;
    let short = Call::standalone(Duration::from_millis(300));
    let typed = act_within(&bench.browser, Action::TypeText("x".into()), &short).await;
    assert!(typed.unwrap_err().dispatched().is_no());
    bench.wire.forget();
    let tap = Action::Tap(by_id(&snapshot, "counter"));
    let error = act(&bench.browser, tap.clone()).await.unwrap_err();
    assert_eq!(error.reason(), Some("webdriver_session_busy"));
    assert_eq!(error.retriable(), Some(true));
    assert!(
        bench
            .wire
            .requests()
            .iter()
            .all(|request| request.path.ends_with("/timeouts"))
    );
    tokio::time::sleep(Duration::from_secs(3)).await;
    bench.script("delete document.activeElement").await;
    act(&bench.browser, tap).await.unwrap();
    assert_eq!(bench.taps(), 1);
}

#[tokio::test]
async fn concurrent_holders_share_one_session() {
    let Some(bench) = Bench::own().await else {
        return;
    };
    bench.open("counter").await;
    let shared = Arc::new(bench.browser);
    let other = Arc::clone(&shared);
    let seen = tokio::spawn(async move { capture(&other).await.len() });
    assert_eq!(capture(&shared).await.len(), seen.await.unwrap());
}

#[tokio::test]
async fn a_call_that_is_out_of_time_says_so() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench
        .wire
        .plan()
        .set(Rule::on("GET", "/url", WireFault::Hang));
    let call = Call::standalone(Duration::from_millis(1));
    let error = bench.browser.app_state(&call).await.unwrap_err();
    bench.wire.plan().clear();
    assert!(error.message().contains("time of the call"), "{error}");
    assert_eq!(error.reason(), Some(reason::DEADLINE_EXCEEDED));
}
