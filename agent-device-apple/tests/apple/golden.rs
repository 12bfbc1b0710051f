//! The golden gate: every row of the table is driven by the real crate, against sockets and tools that fail in that way.

use std::time::Duration;

use agent_device_apple::{Apple, AppleTarget, DeviceChoice, Platform};
use agent_device_core::{
    Call, Device, Error, ErrorCode, Interactor as _, SnapshotBackend as _,
    action::{Action, OpenTarget, Touch},
    dispatch::{NoRow, Row, rows::ios_runner as rows},
    geometry::Point,
    selector::id,
    snapshot::CaptureOptions,
    testing::Gate,
};
use serde_json::{Value, json};

use crate::{
    peers::{Tools, UNKNOWN_APP, attached, call, fast, says_port, tap_at},
    scripted::{Act, Scripted, failed, ok, tree},
    usbmux::Daemon,
};

type Reading = fn(&str, &Value, usize) -> Option<Act>;

/// A tap on a runner that follows this script. It was sent once at most.
async fn tap(script: impl Fn(&str, &Value, usize) -> Option<Act> + Send + Sync + 'static) -> Error {
    let runner = Scripted::start(script).await;
    let mut config = fast();
    config.command_timeout = Duration::from_millis(400);
    let apple = attached(runner.address, config);
    let error = apple.perform(&tap_at(1.0, 2.0), &call()).await.unwrap_err();
    assert!(
        runner.requests("tap").len() <= 1,
        "sent twice: {:?}",
        runner.commands()
    );
    error
}

/// A capture on a runner that follows this script.
async fn look(script: Reading) -> Error {
    let runner = Scripted::start(script).await;
    let apple = attached(runner.address, fast());
    apple
        .capture(&CaptureOptions::default(), &call())
        .await
        .unwrap_err()
}

/// A tap whose answer is lost, on a runner whose journal says this.
async fn journal(says: Value) -> Error {
    tap(move |command, _, _| match command {
        "tap" => Some(Act::Close),
        "status" => Some(Act::Reply(ok(says.clone()))),
        _ => None,
    })
    .await
}

async fn connect(tools: &Tools, target: AppleTarget) -> Result<Apple, Error> {
    Apple::connect(target, tools.config()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_row_is_what_really_happens() {
    let mut gate = Gate::new(rows::ROWS);
    // It takes as long as the tool may.
    let unanswered = tokio::spawn(unanswered_tool());
    replies(&mut gate).await;
    series(&mut gate).await;
    before_the_send(&mut gate).await;
    lost_answers(&mut gate).await;
    journals(&mut gate).await;
    tools(&mut gate).await;
    gate.cites(rows::TOOL_UNANSWERED, &unanswered.await.unwrap());
    gate.finish();
}

async fn unanswered_tool() -> Error {
    let tools = Tools::new("exit 0");
    tools.xcrun("exec sleep 600");
    let apple = Apple::new(tools.simulator(), tools.config());
    let open = Action::Open(OpenTarget::Url("fixture://counter".to_owned()));
    let error = apple.perform(&open, &call()).await.unwrap_err();
    assert_eq!(error.reason(), Some("tool_unanswered"), "{error:?}");
    assert_eq!(tools.calls().matches("openurl").count(), 1);
    error
}

async fn replies(gate: &mut Gate) {
    let refusals: [(NoRow, &str); 14] = [
        (rows::REPLY_INVALID_ARGS, "INVALID_ARGS"),
        (rows::REPLY_RUNNER_BUSY, "RUNNER_BUSY"),
        (rows::REPLY_RUNNER_WEDGED, "RUNNER_WEDGED"),
        (rows::REPLY_APP_NOT_RUNNING, "APP_NOT_RUNNING"),
        (
            rows::REPLY_SCROLL_KEYBOARD_OCCLUDES_SURFACE,
            "SCROLL_KEYBOARD_OCCLUDES_SURFACE",
        ),
        (rows::REPLY_ALERT_NOT_FOUND, "ALERT_NOT_FOUND"),
        (
            rows::REPLY_APP_SCREEN_WINDOW_UNRESOLVED,
            "APP_SCREEN_WINDOW_UNRESOLVED",
        ),
        (rows::REPLY_APP_SCREEN_UNRESOLVED, "APP_SCREEN_UNRESOLVED"),
        (
            rows::REPLY_APP_SCREEN_CAPTURE_UNRENDERABLE,
            "APP_SCREEN_CAPTURE_UNRENDERABLE",
        ),
        (rows::REPLY_ELEMENT_NOT_FOUND, "ELEMENT_NOT_FOUND"),
        (rows::REPLY_ELEMENT_OFFSCREEN, "ELEMENT_OFFSCREEN"),
        (rows::REPLY_TARGET_NOT_FOCUSED, "TARGET_NOT_FOCUSED"),
        (rows::REPLY_AMBIGUOUS_MATCH, "AMBIGUOUS_MATCH"),
        (rows::REPLY_UNAUTHORIZED, "UNAUTHORIZED"),
    ];
    let said = |code: &'static str| {
        tap(move |command, _, _| (command == "tap").then(|| Act::Reply(failed(code))))
    };
    for (row, code) in refusals {
        let error = said(code).await;
        assert_eq!(error.detail("runnerErrorCode"), Some(&json!(code)));
        let is_told = error.code() != ErrorCode::CommandFailed || error.reason().is_some();
        assert!(is_told, "{code} has no code of the core and no reason");
        gate.cites(row, &error);
    }
    gate.cites(
        rows::REPLY_MAIN_THREAD_TIMEOUT,
        &said("MAIN_THREAD_TIMEOUT").await,
    );
    gate.cites(
        rows::REPLY_UNSUPPORTED_OPERATION,
        &said("UNSUPPORTED_OPERATION").await,
    );
    gate.cites(
        rows::REPLY_UNLISTED_CODE,
        &said("XCTEST_RECORDED_FAILURE").await,
    );
}

async fn series(gate: &mut Gate) {
    let runner = Scripted::start(|command, _, count| {
        (command == "tap" && count > 20).then(|| Act::Reply(failed("RUNNER_BUSY")))
    })
    .await;
    let device = Device::new(attached(runner.address, fast()));
    let press = device.locate(Point::new(5.0, 5.0)).press().count(25);
    let error = press.await.unwrap_err();
    assert_eq!(error.dispatched_steps(), 20);
    assert_eq!(runner.requests("tap").len(), 21);
    gate.holds(rows::SERIES_LATER_CHUNK_REFUSED, &error);

    let apple = attached(runner.address, fast());
    let nowhere = Action::DoubleTap(Touch {
        point: Point::new(f64::NAN, 1.0),
        target: None,
    });
    let error = apple.perform(&nowhere, &call()).await.unwrap_err();
    assert_eq!(error.reason(), Some("runner_sequence_invalid"));
    gate.cites(rows::SERIES_INVALID_STEP_BEFORE_SEND, &error);
}

async fn before_the_send(gate: &mut Gate) {
    // Nobody there at all.
    let nobody = attached(
        agent_device_testbed::fault::refused_address().unwrap(),
        fast(),
    );
    let error = nobody
        .perform(&tap_at(1.0, 1.0), &call())
        .await
        .unwrap_err();
    gate.cites(rows::PRE_SEND_SESSION_START_FAILED, &error);

    // It answers the question, and is gone when the command comes; nobody takes its place.
    let error = tap(|command, _, count| {
        (command == "uptime" && count == 2).then(|| Act::ReplyThenRefuse(ok(json!({})), 60))
    })
    .await;
    assert_eq!(error.retriable(), Some(true));
    gate.cites(rows::PRE_SEND_CONNECT_REFUSED_BEFORE_WRITE, &error);

    // It answers at its start and never again, and so does the next one.
    let error =
        tap(|command, _, count| (command == "uptime" && count % 2 == 0).then_some(Act::Hang)).await;
    assert_eq!(
        error.detail("recovery"),
        Some(&json!("runner_recycle_budget_exhausted"))
    );
    gate.cites(rows::PRE_SEND_READINESS_PREFLIGHT_AFTER_RESTART, &error);

    // The cable is pulled.
    let runner = Scripted::start(|_, _, _| None).await;
    let daemon = Daemon::start("00008110-001A2B3C", runner.address);
    let tools = Tools::new("exec sleep 600");
    let mut config = tools.config();
    config.usbmux_socket = daemon.socket();
    let target = AppleTarget::Device {
        platform: Platform::Ios,
        udid: "00008110-001A2B3C".to_owned(),
    };
    let phone = Apple::connect(target, config).await.unwrap();
    phone.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
    daemon.plug(false);
    let error = phone.perform(&tap_at(1.0, 1.0), &call()).await.unwrap_err();
    gate.cites(rows::PRE_SEND_DEVICE_GONE, &error);
    assert_eq!(runner.requests("tap").len(), 1);

    // What was seen is not there when it should be held.
    let runner = Scripted::start(|command, _, _| {
        (command == "querySelector").then(|| Act::Reply(ok(json!({ "found": false }))))
    })
    .await;
    let device = Device::new(attached(runner.address, fast()));
    let error = device.locate(id("it")).long_press().await.unwrap_err();
    assert_eq!(error.reason(), Some("target_gone"), "{error:?}");
    gate.cites(rows::PRE_SEND_TARGET_GONE, &error);

    // Somebody else has the device.
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    let first = connect(&tools, tools.simulator()).await.unwrap();
    let second = Apple::new(tools.simulator(), tools.config());
    let soon = Call::standalone(Duration::from_millis(500));
    let error = second.perform(&tap_at(1.0, 1.0), &soon).await.unwrap_err();
    assert_eq!(error.detail("ownerPid"), Some(&json!(std::process::id())));
    assert!(error.message().contains("this process"), "{error:?}");
    gate.cites(rows::PRE_SEND_DEVICE_LEASED, &error);
    first.close().await;
}

async fn lost_answers(gate: &mut Gate) {
    let error = tap(|command, _, _| (command == "tap").then_some(Act::CloseThenRefuse(10))).await;
    assert_eq!(error.reason(), Some("runner_reply_lost"));
    gate.cites(rows::TRANSPORT_WRITTEN_THEN_LOST, &error);
    let error =
        look(|command, _, _| matches!(command, "snapshot" | "status").then_some(Act::Reset)).await;
    gate.cites(rows::TRANSPORT_READ_ONLY_WRITTEN_THEN_LOST, &error);
    let error = tap(|command, _, count| match (command, count) {
        ("uptime", 2) => Some(Act::ReplyThenRefuse(ok(json!({})), 4)),
        ("tap" | "status", _) => Some(Act::Close),
        _ => None,
    })
    .await;
    gate.cites(
        rows::TRANSPORT_REPLAY_FAILED_AFTER_UNWRITTEN_FIRST_ATTEMPT,
        &error,
    );
    let error = tap(|command, _, _| (command == "tap").then_some(Act::Hang)).await;
    gate.cites(rows::TRANSPORT_TIMEOUT_AFTER_SEND, &error);
    let error = tap(|command, _, _| {
        matches!(command, "tap" | "status").then(|| Act::Raw(b"\x00\xffgarbage\r\n\r\n".to_vec()))
    })
    .await;
    gate.cites(rows::TRANSPORT_UNREADABLE_REPLY, &error);
}

async fn journals(gate: &mut Gate) {
    let state = |state: &str| json!({ "commandId": "x", "lifecycleState": state });
    let failed_with =
        |code: &str| json!({ "lifecycleState": "failed", "lifecycleErrorCode": code });
    gate.cites(
        rows::STATUS_FAILED,
        &journal(failed_with("COMMAND_FAILED")).await,
    );
    gate.cites(
        rows::STATUS_FAILED_RUNNER_BUSY,
        &journal(failed_with("RUNNER_BUSY")).await,
    );
    gate.cites(
        rows::STATUS_COMPLETED_WITHOUT_RETAINED_REPLY,
        &journal(state("completed")).await,
    );
    gate.cites(rows::STATUS_ACCEPTED, &journal(state("accepted")).await);
    gate.cites(rows::STATUS_STARTED, &journal(state("started")).await);
    gate.cites(
        rows::STATUS_NOTACCEPTED,
        &journal(state("notAccepted")).await,
    );
    gate.cites(rows::STATUS_UNAVAILABLE, &journal(json!({})).await);
    let error = tap(|command, _, _| match command {
        "tap" => Some(Act::Close),
        "status" => Some(Act::Hang),
        _ => None,
    })
    .await;
    gate.cites(rows::STATUS_PROBE_FAILED, &error);
    let error = look(|command, _, _| match command {
        "snapshot" => Some(Act::Truncate(tree("It"))),
        "status" => Some(Act::Reply(ok(json!({ "lifecycleState": "completed" })))),
        _ => None,
    })
    .await;
    gate.cites(
        rows::STATUS_READ_ONLY_COMPLETED_WITHOUT_RETAINED_REPLY,
        &error,
    );
}

#[tokio::test]
async fn a_journal_that_speaks_of_another_command_is_not_believed() {
    for mut told in [
        json!({ "lifecycleState": "failed", "lifecycleErrorCode": "RUNNER_BUSY" }),
        json!({ "lifecycleState": "completed", "lifecycleResponseJson": ok(json!({})).to_string() }),
    ] {
        told["lifecycleCommand"] = json!("snapshot");
        let error = journal(told).await;
        assert_eq!(
            error.row(),
            Some(rows::STATUS_UNAVAILABLE.row()),
            "{error:?}"
        );
        assert!(!error.dispatched().is_no());
    }
}

async fn tools(gate: &mut Gate) {
    let open = |target: OpenTarget| Action::Open(target);
    let app = || open(OpenTarget::App("com.example.app".to_owned()));
    let url = || open(OpenTarget::Url("fixture://counter".to_owned()));
    let tools = Tools::new("exit 0");
    let apple = Apple::new(tools.simulator(), tools.config());

    gate.cites(
        rows::DEVICE_NOT_CHOSEN,
        &DeviceChoice::Only.pick(&[]).unwrap_err(),
    );

    // `simctl get_app_container` of an app that is not there, in the words of the tool (Xcode 15).
    tools.xcrun("echo 'An error was encountered processing the command (domain=NSPOSIXErrorDomain, code=2):' >&2; exit 2");
    gate.cites(
        rows::APP_NOT_INSTALLED,
        &apple.perform(&app(), &call()).await.unwrap_err(),
    );
    tools.xcrun("case $2 in get_app_container) echo /x.app;; *) exit 4;; esac");
    gate.cites(
        rows::TOOL_FAILED,
        &apple.perform(&app(), &call()).await.unwrap_err(),
    );
    tools.xcrun(&format!(
        "if [ $2 = get_app_container ]; then echo /x.app; else {UNKNOWN_APP}\nfi"
    ));
    let short = Call::standalone(Duration::from_millis(500));
    let error = apple.perform(&app(), &short).await.unwrap_err();
    gate.cites(rows::TOOL_APP_UNKNOWN, &error);
    let mut config = tools.config();
    config.tool_path = Some("/nowhere".into());
    let bare = Apple::new(tools.simulator(), config);
    gate.cites(
        rows::TOOL_MISSING,
        &bare.perform(&url(), &call()).await.unwrap_err(),
    );

    // The app is opened anew, and the runner does not say that it has let go of the old one.
    let runner = Scripted::start(|command, _, _| {
        (command == "targetReset").then(|| Act::Reply(failed("COMMAND_FAILED")))
    })
    .await;
    let tools = Tools::new(&says_port(runner.address.port()));
    tools.xcrun("echo com.example.app: 1");
    let apple = connect(&tools, tools.simulator()).await.unwrap();
    let error = apple.perform(&app(), &call()).await.unwrap_err();
    gate.cites(rows::TARGET_RESET_UNCONFIRMED, &error);
    assert_eq!(apple.state(), agent_device_apple::RunnerState::Stopped);

    // The address was handed over, and another app of the same scheme would get it.
    let runner = Scripted::start(|command, _, _| {
        let sheet = json!({ "message": "Open in “Other”?", "items": ["Cancel", "Open"] });
        (command == "alert").then(|| Act::Reply(ok(sheet)))
    })
    .await;
    let tools = Tools::new(&says_port(runner.address.port()));
    tools.app("Ours", "fixture");
    let mut config = tools.config();
    config.app = Some("com.example.app".to_owned());
    let apple = Apple::connect(tools.simulator(), config).await.unwrap();
    let error = apple.perform(&url(), &call()).await.unwrap_err();
    gate.cites(rows::LAUNCH_CONFIRMATION_FOREIGN_APP, &error);
}

#[test]
fn the_table_names_no_row_twice() {
    let ids: std::collections::BTreeSet<_> = rows::ROWS.iter().map(|row: &&Row| row.id()).collect();
    assert_eq!(ids.len(), rows::ROWS.len());
}
