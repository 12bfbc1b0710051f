//! The rules that keep a long-lived runner honest, each by its name: when it is asked whether it is there, what proves its health,
//! what ends it, and how often one request may replace it.

use std::time::Duration;

use agent_device_apple::Apple;
use agent_device_core::{Dispatched, SnapshotBackend as _, snapshot::CaptureOptions};
use serde_json::json;

use crate::{
    peers::{attached, call, fast, tap_at},
    scripted::{Act, Scripted, failed, ok},
};

async fn tap(apple: &Apple) -> agent_device_core::Result<()> {
    use agent_device_core::Interactor as _;
    apple.perform(&tap_at(1.0, 1.0), &call()).await.map(drop)
}

async fn look(apple: &Apple) {
    apple
        .capture(&CaptureOptions::default(), &call())
        .await
        .unwrap();
}

#[tokio::test]
async fn a_ready_runner_is_asked_before_a_read_but_not_before_the_first() {
    let runner = Scripted::start(|_, _, _| None).await;
    let apple = attached(runner.address, fast());
    look(&apple).await;
    look(&apple).await;
    assert_eq!(
        runner.commands(),
        ["uptime", "snapshot", "uptime", "snapshot"],
        "the first question is that of the start"
    );
}

#[tokio::test]
async fn a_skip_of_the_question_dies_with_the_runners_session() {
    let runner = Scripted::start(|command, _, count| {
        (command == "tap" && count == 2).then(|| Act::Reply(failed("RUNNER_WEDGED")))
    })
    .await;
    let apple = attached(runner.address, fast());
    tap(&apple).await.unwrap();
    tap(&apple).await.unwrap_err();
    tap(&apple).await.unwrap();
    assert_eq!(
        runner.commands(),
        ["uptime", "uptime", "tap", "tap", "uptime", "uptime", "tap"],
        "the second tap was not asked for, the third was"
    );
}

#[tokio::test]
async fn a_fatal_answer_never_refreshes_health() {
    let runner = Scripted::start(|command, _, count| {
        (command == "tap" && count == 1).then(|| {
            Act::Reply(ok(
                json!({ "runnerFatal": true, "runnerFatalReason": "ax_snapshot_unavailable" }),
            ))
        })
    })
    .await;
    let apple = attached(runner.address, fast());
    tap(&apple).await.unwrap();
    tap(&apple).await.unwrap();
    assert_eq!(
        runner.commands(),
        ["uptime", "uptime", "tap", "uptime", "uptime", "tap"]
    );
}

#[tokio::test]
async fn a_wedged_runner_is_replaced_after_its_answer_and_a_busy_one_is_kept() {
    for (code, starts) in [("RUNNER_WEDGED", 2), ("RUNNER_BUSY", 1)] {
        let runner = Scripted::start(move |command, _, count| {
            (command == "tap" && count == 1).then(|| Act::Reply(failed(code)))
        })
        .await;
        let apple = attached(runner.address, fast());
        let error = tap(&apple).await.unwrap_err();
        assert!(
            error.dispatched().is_no(),
            "{code}: the command was not begun"
        );
        tap(&apple).await.unwrap();
        assert_eq!(apple.starts(), starts, "{code}");
    }
}

#[tokio::test]
async fn one_request_replaces_its_runner_once_and_then_fails_fast() {
    // It answers when it starts, and never before a command.
    let runner = Scripted::start(|command, _, count| {
        (command == "uptime" && count % 2 == 0).then_some(Act::Hang)
    })
    .await;
    let apple = attached(runner.address, fast());
    let error = tap(&apple).await.unwrap_err();
    assert_eq!(
        error.detail("recovery"),
        Some(&json!("runner_recycle_budget_exhausted"))
    );
    assert!(error.dispatched().is_no(), "{error:?}");
    assert_eq!(
        (apple.starts(), runner.requests("tap").len()),
        (2, 0),
        "one replacement, nothing sent"
    );
}

#[tokio::test]
async fn a_timeout_after_a_skip_says_so_and_is_not_sent_again() {
    let runner =
        Scripted::start(|command, _, count| (command == "tap" && count == 2).then_some(Act::Hang))
            .await;
    let mut config = fast();
    config.command_timeout = Duration::from_millis(300);
    let apple = attached(runner.address, config);
    tap(&apple).await.unwrap();
    let error = tap(&apple).await.unwrap_err();
    assert_eq!(error.dispatched(), Dispatched::Unknown);
    assert_eq!(
        error.detail("runnerReadinessPreflightSkipped"),
        Some(&json!(true)),
        "{error:?}"
    );
    assert_eq!(runner.requests("tap").len(), 2);
}
