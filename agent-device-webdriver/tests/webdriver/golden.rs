//! The golden gate: every row of the table is driven by a failure that really happens.
//!
//! Where a driver can be brought to a code, it is: the request is held back at the proxy after the backend has checked the target,
//! the page is changed beside it, and the request goes on. Codes that no driver here gives come from the proxy in place of
//! the real answer.

use std::{net::Ipv4Addr, time::Duration};

use agent_device_core::{
    Call, Error, Interactor as _,
    action::{Action, OpenTarget, Orientation},
    dispatch::{Row, rows::webdriver as rows},
    geometry::Point,
    gesture::{GesturePlan, Sample},
    testing::Gate,
};
use agent_device_testbed::{
    fault::{FaultServer, Reply, Rule, WireFault, refused_address},
    page::EventKind,
};
use agent_device_webdriver::{Chromium, Config, WebDriver};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::harness::*;

const BUTTON: &str = "<button id=it style='margin:40px'>It</button>";

fn fast() -> Config {
    let mut config = Config::new();
    config.action_timeout = Duration::from_secs(4);
    config.read_timeout = Duration::from_secs(4);
    config.capture_timeout = Duration::from_secs(4);
    config.busy_timeout = Duration::from_millis(300);
    config.script_timeout = Duration::from_secs(3);
    config
}

/// A press that meets a fault on its way to the driver.
async fn faulty(bench: &Bench, fault: WireFault) -> Error {
    let target = bench.show_it(BUTTON).await;
    bench.wire.plan().set(Rule::on("POST", "/click", fault));
    let error = act(&bench.browser, Action::Tap(target)).await.unwrap_err();
    bench.wire.plan().clear();
    let clicks = bench.wire.requests_to("POST", "/click");
    assert!(
        clicks.len() <= 1 && clicks.iter().all(|click| click.forwarded <= 1),
        "sent twice"
    );
    bench.session();
    bench.wire.forget();
    if error.dispatched().is_no() {
        assert_eq!(bench.taps(), 0, "a false no: {error:?}");
    }
    // The driver may owe an answer: whatever comes next sees to it.
    let _ = bench.browser.app_state(&call()).await;
    error
}

/// A press whose target changes after the backend has checked it.
async fn overtaken(bench: &Bench, script: &str) -> Error {
    let target = bench.show_it(BUTTON).await;
    let press = act(&bench.browser, Action::Tap(target));
    let result = bench
        .meanwhile("/click", press, async || drop(bench.script(script).await))
        .await;
    assert_eq!(bench.taps(), 0);
    result.unwrap_err()
}

fn gesture(points: &[(u64, f64, f64)]) -> Action {
    let samples = points.iter().map(|(at, x, y)| Sample {
        offset: Duration::from_millis(*at),
        point: Point::new(*x, *y),
    });
    Action::Gesture(GesturePlan::custom(vec![samples.collect()]).unwrap())
}

async fn refused(bench: &Bench, html: &str) -> Error {
    let target = bench.show_it(html).await;
    let error = act(&bench.browser, Action::Tap(target)).await.unwrap_err();
    assert_eq!(bench.taps(), 0);
    error
}

async fn unfillable(bench: &Bench, html: &str, text: &str) -> Error {
    let target = bench.show_it(html).await;
    act(&bench.browser, Action::Fill(target, text.to_owned().into()))
        .await
        .unwrap_err()
}

/// A server that says what it is told.
async fn scripted(capabilities: Value) -> (FaultServer, WebDriver) {
    let server = FaultServer::start().await.unwrap();
    let session = json!({"value": {"sessionId": "s", "capabilities": capabilities}});
    server.reply("POST", "/session", Reply::json(200, &session));
    server.reply("", "/session/s", w3c(404, "unknown command"));
    server.reply(
        "DELETE",
        "/session/s",
        Reply::json(200, &json!({"value": null})),
    );
    let mut wanted = serde_json::Map::new();
    wanted.insert("browserName".into(), json!("any"));
    let browser = WebDriver::connect(&server.url(), wanted, fast())
        .await
        .unwrap();
    (server, browser)
}

async fn connect(endpoint: &str) -> Error {
    let mut config = Config::new();
    config.connect_timeout = Some(Duration::from_millis(500));
    let wanted = serde_json::Map::new();
    WebDriver::connect(endpoint, wanted, config)
        .await
        .unwrap_err()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_row_has_a_driver_and_every_driver_a_row() {
    let Some(bench) = Bench::with(Chromium::builder().config(fast())).await else {
        return;
    };
    let mut gate = Gate::new(rows::ROWS);
    transport(&bench, &mut gate).await;
    servers(&mut gate).await;
    codes(&bench, &mut gate).await;
    refusals(&bench, &mut gate).await;
    fills(&bench, &mut gate).await;
    ends(bench, &mut gate).await;
    starts(&mut gate).await;
    gate.finish();
}

async fn transport(bench: &Bench, gate: &mut Gate) {
    let mut meets = async |row: &'static Row, fault: WireFault| {
        gate.cites(row, &faulty(bench, fault).await);
    };
    meets(rows::TIMEOUT_AFTER_SEND.row(), WireFault::ForwardThenHang).await;
    meets(rows::CLOSED_AFTER_SEND.row(), WireFault::ForwardThenClose).await;
    meets(rows::RESET_AFTER_SEND.row(), WireFault::ForwardThenReset).await;
    meets(rows::TRUNCATED_RESPONSE.row(), WireFault::Truncate).await;
    meets(rows::UNREADABLE_REPLY.row(), WireFault::ForwardThenGarbage).await;
    let unavailable = Reply::new(503, "text/html", "<h1>Service Unavailable");
    meets(
        rows::HTTP_5XX_AFTER_SEND.row(),
        WireFault::ForwardThenStatus(unavailable),
    )
    .await;
    let too_large = Reply::new(413, "text/plain", "too large");
    meets(
        rows::HTTP_REFUSED_BEFORE_HANDLER.row(),
        WireFault::Status(too_large),
    )
    .await;
    let forbidden = Reply::new(403, "text/plain", "no");
    meets(
        rows::HTTP_STATUS_UNCLASSIFIED.row(),
        WireFault::Status(forbidden),
    )
    .await;
    let elsewhere = Reply::new(307, "text/plain", "").header("location", &bench.wire.url());
    meets(
        rows::REDIRECT_NOT_FOLLOWED.row(),
        WireFault::ForwardThenStatus(elsewhere),
    )
    .await;
    let driver_error = w3c(500, "unknown error");
    meets(
        rows::DRIVER_ERROR.row(),
        WireFault::ForwardThenStatus(driver_error),
    )
    .await;

    let target = bench.show_it(BUTTON).await;
    bench.wire.refuse().await;
    let error = act(&bench.browser, Action::Tap(target)).await.unwrap_err();
    bench.wire.listen().await;
    gate.cites(rows::CONNECT_REFUSED.row(), &error);
    assert_eq!(error.reason(), Some("webdriver_connect_refused"));
    assert_eq!(bench.taps(), 0);
}

async fn servers(gate: &mut Gate) {
    let error = connect("http://no-such-host.invalid:4444/wd/hub").await;
    gate.cites(rows::DNS_FAILED.row(), &error);
    assert_eq!(error.reason(), Some("webdriver_host_unknown"));
    let plain = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .unwrap();
    let address = plain.local_addr().unwrap();
    let talk = async {
        let (mut stream, _) = plain.accept().await.unwrap();
        stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .await
            .unwrap();
        let mut heard = [0; 1];
        stream.read_exact(&mut heard).await.unwrap();
        heard[0]
    };
    let url = format!("https://{address}");
    let (error, heard) = tokio::join!(connect(&url), talk);
    gate.cites(rows::TLS_HANDSHAKE_FAILED.row(), &error);
    assert_eq!(error.reason(), Some("webdriver_tls_failed"));
    assert_eq!(heard, 0x16, "a handshake and no request");

    // A queue of one that is full: the kernel drops whoever knocks.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let deaf = socket.listen(1).unwrap();
    let address = deaf.local_addr().unwrap();
    let mut waiting = Vec::new();
    loop {
        let knock = tokio::net::TcpStream::connect(address);
        match tokio::time::timeout(Duration::from_millis(200), knock).await {
            Ok(stream) => waiting.push(stream.unwrap()),
            Err(_) => break,
        }
    }
    let error = connect(&format!("http://{address}")).await;
    gate.cites(rows::CONNECT_TIMEOUT.row(), &error);
    assert_eq!(error.reason(), Some("webdriver_connect_timeout"));

    let (server, browser) =
        scripted(json!({"browserName": "any", "platformName": "Android"})).await;
    let error = act(&browser, Action::Back).await.unwrap_err();
    gate.cites(rows::UNKNOWN_COMMAND.row(), &error);
    let turn = Action::SetOrientation(Orientation::LandscapeLeft);
    let error = act(&browser, turn).await.unwrap_err();
    gate.cites(rows::ROUTE_REFUSED_EVERYWHERE.row(), &error);
    assert_eq!(
        error.detail("attempts").unwrap().as_array().unwrap().len(),
        2
    );
    let mut answers = Vec::new();
    for status in [404, 405] {
        let nothing = Reply::new(status, "text/plain", "nothing here");
        server.reply("POST", "/back", nothing);
        let error = act(&browser, Action::Back).await.unwrap_err();
        assert_eq!(error.row().unwrap(), rows::NO_HANDLER.row());
        answers.push(error);
    }
    gate.cites(rows::NO_HANDLER.row(), &answers[0]);
}

async fn codes(bench: &Bench, gate: &mut Gate) {
    let covered = "document.body.insertAdjacentHTML('beforeend', '<div style=\"position:fixed;inset:0\"></div>')";
    gate.cites(
        rows::CLICK_INTERCEPTED.row(),
        &overtaken(bench, covered).await,
    );
    let hidden = "document.getElementById('it').style.display = 'none'";
    gate.cites(
        rows::NOT_INTERACTABLE.row(),
        &overtaken(bench, hidden).await,
    );
    let removed = "document.getElementById('it').remove()";
    gate.cites(
        rows::STALE_BEFORE_CLICK.row(),
        &overtaken(bench, removed).await,
    );
    let dialog = "setTimeout(function () { alert('In the way') }, 0)";
    let error = overtaken(bench, dialog).await;
    gate.cites(rows::ALERT_OPEN_IGNORED.row(), &error);
    assert_eq!(error.detail("dialogText").unwrap(), "In the way");
    act(&bench.browser, Action::AcceptAlert(None))
        .await
        .unwrap();
    let error = act(&bench.browser, Action::DismissAlert).await.unwrap_err();
    gate.cites(rows::NO_SUCH_ALERT.row(), &error);
    let error = act(&bench.browser, Action::SelectWindow("nobody".into()))
        .await
        .unwrap_err();
    gate.cites(rows::WINDOW_NOT_FOUND.row(), &error);

    // The window shrinks between the check of the points and their arrival.
    let whole = bench.raw("GET", "/window/rect", Value::Null).await;
    let shrink = async || {
        drop(
            bench
                .raw("POST", "/window/rect", json!({"width": 600, "height": 500}))
                .await,
        );
    };
    bench
        .show("<body style='height:90vh' onpointerdown=\"log('tap', 'down')\">")
        .await;
    let tap = act(&bench.browser, Action::Tap(at(1100.0, 100.0)));
    let error = bench.meanwhile("/actions", tap, shrink).await.unwrap_err();
    gate.cites(rows::ACTIONS_FIRST_MOVE_OUT_OF_BOUNDS.row(), &error);
    assert_eq!(bench.taps(), 0);
    bench.raw("POST", "/window/rect", whole.clone()).await;
    let stroke = act(
        &bench.browser,
        gesture(&[(0, 50.0, 50.0), (50, 1100.0, 50.0)]),
    );
    let error = bench
        .meanwhile("/actions", stroke, shrink)
        .await
        .unwrap_err();
    gate.cites(rows::ACTIONS_LATER_MOVE_OUT_OF_BOUNDS.row(), &error);
    // The pointer went down before the move failed.
    bench.wait_for_taps(1).await;
    bench.raw("POST", "/window/rect", whole).await;

    // No sequence of ours refers to an element, but a driver could still say so.
    let stale = WireFault::ForwardThenStatus(w3c(404, "stale element reference"));
    bench.wire.plan().set(Rule::on("POST", "/actions", stale));
    let stroke = gesture(&[(0, 50.0, 50.0), (50, 60.0, 50.0)]);
    let error = act(&bench.browser, stroke).await.unwrap_err();
    bench.wire.plan().clear();
    gate.cites(rows::ACTIONS_LATER_STALE_ORIGIN.row(), &error);

    let nowhere = Action::Open(OpenTarget::Url(format!(
        "http://{}/",
        refused_address().unwrap()
    )));
    let error = act(&bench.browser, nowhere).await.unwrap_err();
    gate.cites(rows::NAVIGATION_FAILED.row(), &error);

    // An answer that the driver owes: it is asked, and the press is not sent.
    let target = bench.show_it(BUTTON).await;
    bench
        .wire
        .plan()
        .set(Rule::on("GET", "/url", WireFault::Hang));
    bench
        .wire
        .plan()
        .add(Rule::on("GET", "/timeouts", WireFault::Hang));
    bench.browser.app_state(&call()).await.unwrap_err();
    let error = act(&bench.browser, Action::Tap(target.clone()))
        .await
        .unwrap_err();
    gate.cites(rows::SESSION_BUSY.row(), &error);
    assert_eq!(error.reason(), Some("webdriver_session_busy"));
    bench.wire.plan().clear();
    act(&bench.browser, Action::Tap(target)).await.unwrap();
    assert_eq!(bench.taps(), 1);
}

async fn refusals(bench: &Bench, gate: &mut Gate) {
    let target = bench.show_it(BUTTON).await;
    bench.show(BUTTON).await;
    let error = act(&bench.browser, Action::Tap(target)).await.unwrap_err();
    gate.cites(rows::RESOLVE_DOCUMENT_CHANGED.row(), &error);
    let target = bench.show_it(BUTTON).await;
    bench.script("document.getElementById('it').remove()").await;
    let error = act(&bench.browser, Action::Tap(target)).await.unwrap_err();
    gate.cites(rows::RESOLVE_TARGET_GONE.row(), &error);
    let error = refused(bench, "<button id=it disabled>It</button>").await;
    gate.cites(rows::RESOLVE_TARGET_DISABLED.row(), &error);
    assert!(error.message().contains("\"It\""), "{error}");
    let error = refused(bench, "<div inert><button id=it>It</button></div>").await;
    gate.cites(rows::RESOLVE_TARGET_INERT.row(), &error);
    let covered = "<button id=it>It</button><dialog open id=sheet style='position:fixed;inset:0;width:100%;height:100%'>Sheet</dialog>";
    let error = refused(bench, covered).await;
    gate.cites(rows::RESOLVE_TARGET_COVERED.row(), &error);
    assert!(error.message().contains("id=sheet"), "{error}");
    let below = "<div style='height:3000px'></div><button id=it>It</button>";
    let error = refused(bench, below).await;
    gate.cites(rows::RESOLVE_TARGET_OFFSCREEN.row(), &error);
    assert_eq!(error.detail("scrollDirection").unwrap(), "down");
    assert_eq!(error.reason(), Some("webdriver_target_offscreen"));
    let error = act(&bench.browser, Action::Tap(at(5000.0, 10.0)))
        .await
        .unwrap_err();
    gate.cites(rows::COORDINATES_OUTSIDE_VIEWPORT.row(), &error);
    let error = act(&bench.browser, Action::TypeText("lost".into()))
        .await
        .unwrap_err();
    gate.cites(rows::TYPE_WITHOUT_FOCUS.row(), &error);
    let target = bench.show_it("<input id=it onfocus='this.blur()'>").await;
    let error = act(&bench.browser, Action::Focus(target))
        .await
        .unwrap_err();
    gate.cites(rows::FOCUS_NOT_OBSERVED.row(), &error);
    assert_eq!(error.dispatched_steps(), 1);
}

async fn fills(bench: &Bench, gate: &mut Gate) {
    let error = unfillable(bench, "<input id=it readonly value=old>", "new").await;
    gate.cites(rows::RESOLVE_TARGET_READONLY.row(), &error);
    let error = unfillable(bench, "<input id=it type=date>", "30.11.2026").await;
    gate.cites(rows::FILL_VALUE_NOT_ACCEPTED.row(), &error);

    let too_large = WireFault::Status(Reply::new(413, "text/plain", "too large"));
    bench.wire.plan().set(Rule::on("POST", "/value", too_large));
    let error = unfillable(bench, "<input id=it value=old>", "new").await;
    bench.wire.plan().clear();
    gate.cites(rows::FILL_CLEAR_THEN_TYPE_REFUSED.row(), &error);
    assert_eq!(error.dispatched_steps(), 1);

    let file = std::env::temp_dir().join(format!("agent-device-upload-{}", std::process::id()));
    std::fs::write(&file, "x").unwrap();
    let target = bench.show_it("<input id=it type=file>").await;
    let path = file.to_str().unwrap().to_owned();
    let fill = act(&bench.browser, Action::Fill(target, path.into()));
    let error = bench
        .meanwhile("/value", fill, async || {
            std::fs::remove_file(&file).unwrap()
        })
        .await;
    gate.cites(rows::INVALID_ARGUMENT.row(), &error.unwrap_err());

    let throwing = "<script>EventTarget.prototype.dispatchEvent = function () { throw new Error('mine') }</script>";
    let error = unfillable(
        bench,
        &format!("{throwing}<input id=it type=color>"),
        "#ff8800",
    )
    .await;
    gate.cites(rows::SCRIPT_FAILED.row(), &error);
    // This one has the number of a driver's code.
    let throwing = throwing.replace(
        "new Error('mine')",
        "new DOMException('', 'NotSupportedError')",
    );
    let error = unfillable(
        bench,
        &format!("{throwing}<input id=it type=color>"),
        "#ff8800",
    )
    .await;
    gate.cites(rows::PAGE_CODE_RAN.row(), &error);
}

async fn ends(bench: Bench, gate: &mut Gate) {
    // The window of the session is closed by somebody else while a press is on its way.
    let first = bench.raw("GET", "/window", Value::Null).await;
    let other = bench
        .raw("POST", "/window/new", json!({"type": "tab"}))
        .await["handle"]
        .clone();
    bench.raw("POST", "/window", json!({"handle": other})).await;
    let target = bench.show_it(BUTTON).await;
    let press = act(&bench.browser, Action::Tap(target));
    let close = async || drop(bench.raw("DELETE", "/window", Value::Null).await);
    let error = bench.meanwhile("/click", press, close).await.unwrap_err();
    gate.cites(rows::NO_SUCH_WINDOW_ON_MUTATION.row(), &error);
    bench.raw("POST", "/window", json!({"handle": first})).await;

    // The browser dies during a gesture, after its first contact landed.
    bench
        .show("<body style='height:90vh' onpointerdown=\"log('tap', 'down')\">")
        .await;
    let rest = gesture(&[(0, 50.0, 50.0), (3000, 50.0, 50.0), (3100, 60.0, 50.0)]);
    let kill = async {
        let limit = Duration::from_secs(10);
        let down = bench.app.wait_for(|events| !events.is_empty(), limit).await;
        down.expect("the pointer went down");
        crate::leaks::kill(bench.browser.browser_id().expect("the driver says it"));
    };
    let (result, ()) = tokio::join!(act(&bench.browser, rest), kill);
    gate.cites(
        rows::INVALID_SESSION_ON_MUTATION.row(),
        &result.unwrap_err(),
    );
    assert_eq!(bench.taps(), 1);
    let before = bench.browser.requests();
    let error = act(&bench.browser, Action::Back).await.unwrap_err();
    gate.cites(rows::SESSION_KNOWN_DEAD.row(), &error);
    assert_eq!(bench.browser.requests(), before, "nothing was sent");

    let answering = Chromium::builder()
        .config(fast())
        .capability("unhandledPromptBehavior", "dismiss and notify");
    let bench = Bench::with(answering).await.expect("it was there before");
    let target = bench.show_it(BUTTON).await;
    let press = act(&bench.browser, Action::Tap(target));
    let open = async || {
        drop(
            bench
                .script("setTimeout(function () { alert(1) }, 0)")
                .await,
        )
    };
    let error = bench.meanwhile("/click", press, open).await.unwrap_err();
    gate.cites(rows::ALERT_OPEN_AUTO_HANDLED.row(), &error);

    // Last: the page stays busy for ever.
    let endless = "<input id=it type=color oninput=\"log('tap', 'input'); for (;;) {}\">";
    let error = unfillable(&bench, endless, "#ff8800").await;
    gate.cites(rows::SCRIPT_TIMEOUT.row(), &error);
    assert_eq!(
        bench.taps(),
        1,
        "the script had changed the field before it hung"
    );
}

async fn starts(gate: &mut Gate) {
    let missing = Chromium::builder().driver_path("/no/such/chromedriver");
    let error = missing.start().await.unwrap_err();
    gate.cites(rows::HOST_TOOL_MISSING.row(), &error);
    assert!(error.hint().contains("apt-get install chromium-driver"));

    let folder = std::env::temp_dir().join(format!("agent-device-fake-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let fake = folder.join("chromedriver");
    crate::leaks::program(
        &fake,
        "case $1 in --version) exec chromedriver --version;; esac; echo broken; exit 1",
    );
    let error = Chromium::builder()
        .driver_path(&fake)
        .start()
        .await
        .unwrap_err();
    gate.cites(rows::DRIVER_NOT_STARTED.row(), &error);
    assert!(
        error
            .detail("driverOutput")
            .unwrap()
            .as_str()
            .unwrap()
            .contains("broken")
    );
    crate::leaks::program(
        &fake,
        "case $1 in --version) echo ChromeDriver 1.2.3; exit;; esac; exit 1",
    );
    let error = Chromium::builder()
        .driver_path(&fake)
        .start()
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some("webdriver_version_mismatch"));
    std::fs::remove_dir_all(&folder).unwrap();

    let driver = Chromium::builder().start_driver().await.unwrap();
    let mut wanted = serde_json::Map::new();
    wanted.insert("goog:chromeOptions".into(), json!({"binary": "/bin/false"}));
    let url = format!("http://{}", driver.address());
    let error = WebDriver::connect(&url, wanted, Config::new())
        .await
        .unwrap_err();
    gate.cites(rows::SESSION_NOT_CREATED.row(), &error);
}

#[tokio::test]
async fn a_deadline_before_the_first_send_is_a_proof() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let call = Call::standalone(Duration::ZERO);
    let error = act_within(&bench.browser, Action::Back, &call)
        .await
        .unwrap_err();
    assert!(error.dispatched().is_no());
}

/// Codes that prove of a click that nothing happened.
#[tokio::test]
async fn a_code_proves_nothing_where_the_page_has_a_say() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let goes_away = "onfocus=\"log('text', 'focus'); this.remove()\"";
    let alerts = "onfocus=\"this.onfocus = null; log('text', 'focus'); alert(1)\"";
    // What the page throws is the driver's answer to what it does by scripts in the page.
    let throws = |what: &str| {
        format!(
            "<script>EventTarget.prototype.dispatchEvent = function () {{ log('text', 'event'); throw {what} }}</script>"
        )
    };
    let unsupported = throws("new DOMException('', 'NotSupportedError')");
    let wrong_state = throws("new DOMException('', 'InvalidStateError')");
    let argument = throws("{code: 61}");
    let dialog = throws("{code: 105}");
    for (html, text, code) in [
        (
            format!("<input id=it {goes_away}>"),
            "new",
            "element not interactable",
        ),
        (
            format!("<input id=it {alerts}>"),
            "new",
            "element not interactable",
        ),
        (
            format!("{unsupported}<input id=it value=old>"),
            "",
            "unknown command",
        ),
        (
            format!("{wrong_state}<input id=it value=old>"),
            "",
            "element not interactable",
        ),
        (
            format!("{unsupported}<input id=it type=color>"),
            "#ff8800",
            "unknown command",
        ),
        (
            format!("{argument}<input id=it type=color>"),
            "#ff8800",
            "invalid argument",
        ),
        (
            format!("{dialog}<input id=it type=color>"),
            "#ff8800",
            "unexpected alert open",
        ),
    ] {
        let target = bench.show_it(&html).await;
        // Until a page was touched, Chromium may tell it of a focus late.
        act(&bench.browser, Action::Tap(at(700.0, 400.0)))
            .await
            .unwrap();
        let fill = Action::Fill(target, text.to_owned().into());
        let error = act(&bench.browser, fill).await.unwrap_err();
        assert_eq!(
            error.detail("webdriverCode"),
            Some(&code.into()),
            "{html}: {error:?}"
        );
        let events = bench.app.events();
        assert!(
            events.iter().any(|event| event.kind == EventKind::Text),
            "{html}"
        );
        assert_eq!(error.row().unwrap(), rows::PAGE_CODE_RAN.row(), "{html}");
        assert_eq!(error.dispatched().as_str(), "unknown", "{html}");
        bench.dismiss_dialogs().await.unwrap();
    }
}

#[tokio::test]
async fn an_option_is_chosen_by_events_that_the_page_can_spoil() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let throws = "<script>EventTarget.prototype.dispatchEvent = function () { log('text', 'event'); throw new DOMException('', 'NotSupportedError') }</script>";
    let target = bench
        .show_it(&format!(
            "{throws}<select size=3><option>A<option id=it>It</select>"
        ))
        .await;
    let error = act(&bench.browser, Action::Tap(target)).await.unwrap_err();
    assert_eq!(error.row().unwrap(), rows::PAGE_CODE_RAN.row());
    assert!(!bench.app.events().is_empty());
}

#[tokio::test]
async fn the_refusal_of_a_file_is_no_proof_where_the_chooser_gets_the_focus_first() {
    let strict = Chromium::builder().capability("strictFileInteractability", true);
    let Some(bench) = Bench::with(strict).await else {
        return;
    };
    let file = std::env::temp_dir().join(format!("agent-device-strict-{}", std::process::id()));
    std::fs::write(&file, "x").unwrap();
    let target = bench.show_it("<input id=it type=file>").await;
    let path = file.to_str().unwrap().to_owned();
    let fill = act(&bench.browser, Action::Fill(target, path.into()));
    let gone = async || std::fs::remove_file(&file).unwrap();
    let error = bench.meanwhile("/value", fill, gone).await.unwrap_err();
    assert_eq!(error.detail("webdriverCode").unwrap(), "invalid argument");
    assert_eq!(error.row().unwrap(), rows::PAGE_CODE_RAN.row());
}
