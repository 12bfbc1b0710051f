//! The rules of a runner's session, on a runner that follows a script.

use std::{sync::Arc, time::Duration};

use agent_device_apple::{Apple, AppleConfig, RunnerState};
use agent_device_core::{
    Call, Device, Dispatched, Interactor as _, SnapshotBackend as _,
    action::{Action, OpenTarget, Text, Touch},
    geometry::Point,
    gesture::{GesturePlan, Sample},
    selector::id,
    snapshot::CaptureOptions,
    text::FillCheck,
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    peers::{attached, call, fast, tap_at},
    scripted::{Act, Scripted, failed, ok, tree},
};

async fn look(apple: &Apple) -> agent_device_core::Result<agent_device_core::Snapshot> {
    apple.capture(&CaptureOptions::default(), &call()).await
}

async fn tap(apple: &Apple) {
    apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
}

fn fatal(mut answer: Value) -> Value {
    answer["data"]["runnerFatal"] = json!(true);
    answer["data"]["runnerFatalReason"] = json!("ax_snapshot_unavailable");
    answer
}

#[tokio::test]
async fn a_read_that_is_refused_as_busy_is_sent_again_and_an_action_is_not() {
    let runner = Scripted::start(|command, _, count| match command {
        "snapshot" if count <= 2 => Some(Act::Reply(failed("RUNNER_BUSY"))),
        "tap" => Some(Act::Reply(failed("RUNNER_BUSY"))),
        _ => None,
    })
    .await;
    let apple = attached(runner.address, fast());
    look(&apple).await.unwrap();
    assert_eq!(runner.requests("snapshot").len(), 3);
    let ids: std::collections::BTreeSet<_> = runner
        .requests("snapshot")
        .iter()
        .map(|it| it["commandId"].to_string())
        .collect();
    assert_eq!(ids.len(), 3, "an id is used once");
    let error = apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap_err();
    assert_eq!(
        (runner.requests("tap").len(), error.retriable()),
        (1, Some(true))
    );
    assert!(error.dispatched().is_no());
    assert_eq!(apple.starts(), 1, "a busy runner is kept");
}

#[tokio::test]
async fn a_runner_with_too_many_connections_did_nothing_and_one_that_kept_no_reply_may_have() {
    let runner = Scripted::start(|command, _, count| {
        let busy = failed("RUNNER_BUSY").to_string();
        let head = format!(
            "HTTP/1.1 503 Service Unavailable\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            busy.len()
        );
        (command == "tap").then(|| match count {
            1 => Act::Raw((head + &busy).into_bytes()),
            _ => Act::Reply(failed("COMMAND_ALREADY_COMPLETED")),
        })
    })
    .await;
    let apple = attached(runner.address, fast());
    let tap = tap_at(1.0, 1.0);
    let error = apple.perform(&tap, &call()).await.unwrap_err();
    assert!(error.dispatched().is_no(), "{error:?}");
    let error = apple.perform(&tap, &call()).await.unwrap_err();
    assert_eq!(error.dispatched(), Dispatched::Unknown, "{error:?}");
    assert_eq!(runner.requests("tap").len(), 2);
}

#[tokio::test]
async fn a_runner_that_stays_busy_is_asked_eight_times() {
    let runner = Scripted::start(|command, _, _| {
        (command == "snapshot").then(|| Act::Reply(failed("RUNNER_BUSY")))
    })
    .await;
    let apple = attached(runner.address, fast());
    let started = Instant::now();
    assert!(look(&apple).await.is_err());
    assert_eq!(runner.requests("snapshot").len(), 8);
    assert!(started.elapsed() > Duration::from_secs(5));
    // A caller's time is not overrun by a pause.
    let short = Call::standalone(Duration::from_millis(700));
    let started = Instant::now();
    assert!(
        apple
            .capture(&CaptureOptions::default(), &short)
            .await
            .is_err()
    );
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_fatal_answer_is_used_and_its_runner_is_not() {
    let runner = Scripted::start(|command, _, count| match (command, count) {
        ("snapshot", 1) => Some(Act::Reply(fatal(tree("It")))),
        ("tap", 2) => Some(Act::Reply(fatal(ok(json!({ "message": "tapped" }))))),
        _ => None,
    })
    .await;
    let apple = attached(runner.address, fast());
    assert_eq!(look(&apple).await.unwrap().len(), 3);
    tap(&apple).await;
    assert_eq!(apple.starts(), 2, "what comes next gets another runner");
    // A fatal answer proves no health, although the action worked.
    tap(&apple).await;
    let before = runner.requests("uptime").len();
    tap(&apple).await;
    assert_eq!(apple.starts(), 3);
    assert_eq!(
        runner.requests("uptime").len() - before,
        2,
        "one for its start, one before the tap"
    );
}

#[tokio::test]
async fn codes_that_end_a_runner_end_it_after_the_answer() {
    for code in [
        "RUNNER_WEDGED",
        "XCTEST_RECORDED_FAILURE",
        "IOS_AX_SNAPSHOT_FAILED",
    ] {
        let runner = Scripted::start(move |command, _, count| {
            (command == "longPress" && count == 1).then(|| Act::Reply(failed(code)))
        })
        .await;
        let apple = attached(runner.address, fast());
        let touch = Touch {
            point: Point::new(1.0, 1.0),
            target: None,
        };
        let press = Action::LongPress(touch, Duration::from_millis(50));
        apple.perform(&press, &call()).await.unwrap_err();
        assert_eq!(apple.starts(), 1);
        apple.perform(&press, &call()).await.unwrap();
        assert_eq!(
            (apple.starts(), runner.requests("longPress").len()),
            (2, 2),
            "{code}"
        );
    }
}

#[tokio::test]
async fn health_is_proven_for_one_app_and_not_by_reads() {
    let runner = Scripted::start(|_, _, _| None).await;
    let apple = attached(runner.address, fast());
    let asked = || runner.requests("uptime").len();
    tap(&apple).await;
    let before = asked();
    tap(&apple).await;
    assert_eq!(asked(), before);
    apple
        .perform(
            &Action::Open(OpenTarget::App("com.example.other".to_owned())),
            &call(),
        )
        .await
        .unwrap();
    tap(&apple).await;
    assert_eq!(asked(), before + 1, "another app");
    assert_eq!(
        runner.requests("tap").last().unwrap()["appBundleId"],
        "com.example.other"
    );
    // Typing is no touch: it is asked before, and proves nothing for what follows.
    apple
        .perform(&Action::TypeText("x".into()), &call())
        .await
        .unwrap();
    assert_eq!(asked(), before + 2);
}

#[tokio::test]
async fn a_failure_after_a_skipped_question_says_so() {
    let runner = Scripted::start(|command, _, count| {
        (command == "tap" && count == 2).then(|| Act::Reply(failed("COMMAND_FAILED")))
    })
    .await;
    let apple = attached(runner.address, fast());
    tap(&apple).await;
    let error = apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap_err();
    assert_eq!(
        error.detail("runnerReadinessPreflightSkipped"),
        Some(&json!(true)),
        "{error:?}"
    );
    assert!(
        error
            .detail("runnerReadinessPreflightSkippedAgeMs")
            .is_some()
    );
}

#[tokio::test]
async fn a_lost_answer_takes_the_proof_of_health_with_it() {
    let runner = Scripted::start(|command, _, count| match (command, count) {
        ("tap", 2) => Some(Act::Reset),
        ("status", _) => Some(Act::Reply(ok(json!({ "lifecycleState": "started" })))),
        _ => None,
    })
    .await;
    let apple = attached(runner.address, fast());
    tap(&apple).await;
    let error = apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap_err();
    assert_eq!(error.dispatched(), Dispatched::Unknown);
    let before = runner.requests("uptime").len();
    tap(&apple).await;
    assert_eq!(
        (runner.requests("uptime").len() - before, apple.starts()),
        (1, 1),
        "the runner is kept, and asked"
    );
}

#[tokio::test]
async fn a_command_that_is_given_up_leaves_no_proof_and_is_not_sent_again() {
    let runner =
        Scripted::start(|command, _, count| (command == "tap" && count == 2).then_some(Act::Hang))
            .await;
    let apple = attached(runner.address, fast());
    tap(&apple).await;
    let wait = call();
    let second = tap_at(1.0, 1.0);
    let given_up = tokio::time::timeout(Duration::from_millis(200), apple.perform(&second, &wait));
    assert!(given_up.await.is_err());
    assert!(!wait.ledger().is_empty(), "it may have landed");
    let before = runner.requests("uptime").len();
    tap(&apple).await;
    assert_eq!(
        (
            runner.requests("tap").len(),
            runner.requests("uptime").len() - before
        ),
        (3, 1)
    );
    // Told to stop, it stops at once.
    let runner =
        Scripted::start(|command, _, _| (command == "snapshot").then_some(Act::Hang)).await;
    let apple = attached(runner.address, fast());
    let wait = call();
    let stop = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        wait.cancel().cancel();
    };
    let options = CaptureOptions::default();
    let (result, ()) = tokio::join!(apple.capture(&options, &wait), stop);
    assert_eq!(result.unwrap_err().reason(), Some("request_canceled"));
}

#[tokio::test]
async fn commands_go_one_after_the_other() {
    let runner = Scripted::start(|_, _, _| None).await;
    let apple = attached(runner.address, fast());
    let (look, call) = (CaptureOptions::default(), call());
    let (one, two, three) = (tap_at(1.0, 1.0), tap_at(2.0, 2.0), tap_at(3.0, 3.0));
    let (a, b, c, d) = tokio::join!(
        apple.perform(&one, &call),
        apple.perform(&two, &call),
        apple.capture(&look, &call),
        apple.perform(&three, &call)
    );
    assert!(a.is_ok() && b.is_ok() && c.is_ok() && d.is_ok());
    assert_eq!(apple.starts(), 1);
    let commands = runner.commands();
    assert_eq!(
        commands,
        [
            "uptime", "uptime", "tap", "tap", "uptime", "snapshot", "tap"
        ]
    );
}

#[tokio::test]
async fn replies_are_bounded() {
    let runner = Scripted::start(|command, _, _| match command {
        "snapshot" => Some(Act::Reply(tree(&"x".repeat(100_000)))),
        "tap" => Some(Act::Raw(
            b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{".to_vec(),
        )),
        _ => None,
    })
    .await;
    let mut config: AppleConfig = fast();
    config.max_capture = 10_000;
    let apple = attached(runner.address, config);
    let error = look(&apple).await.unwrap_err();
    assert_eq!(error.reason(), Some("runner_reply_too_large"), "{error:?}");
    assert_eq!(error.detail("limit"), Some(&json!("max_capture")));
    assert_eq!(error.detail("limitBytes"), Some(&json!(10_000)));
    assert!(error.hint().contains("max_capture"), "{}", error.hint());
    // Nothing that a caller can set bounds the answer to an action.
    let error = apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap_err();
    assert_eq!(
        error.row().map(|row| row.id()),
        Some("ios-runner.transport.unreadable-reply")
    );
    assert_eq!(error.reason(), Some("runner_reply_too_large"), "{error:?}");
    assert_eq!(error.detail("limit"), None);
}

#[tokio::test]
async fn a_success_under_the_status_of_a_failure_is_not_believed_and_the_journal_is() {
    let told = |journal: Option<Value>| {
        Scripted::start(move |command, _, _| match command {
            "tap" => Some(Act::Under(500, ok(json!({})))),
            "snapshot" => Some(Act::Under(404, tree("It"))),
            "status" => Some(match &journal {
                Some(says) => Act::Reply(ok(says.clone())),
                None => Act::Under(500, ok(json!({ "lifecycleState": "completed" }))),
            }),
            _ => None,
        })
    };
    let runner = told(None).await;
    let apple = attached(runner.address, fast());
    let error = apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap_err();
    assert_eq!(error.reason(), Some("runner_reply_unreadable"), "{error:?}");
    assert_eq!(error.dispatched().as_str(), "unknown");
    assert_eq!(runner.requests("tap").len(), 1);
    look(&apple).await.unwrap_err();

    let kept = json!({ "lifecycleState": "completed", "lifecycleResponseJson": ok(json!({})).to_string() });
    let runner = told(Some(kept)).await;
    let apple = attached(runner.address, fast());
    apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();

    // What says itself that it failed may do so under any status.
    let runner = Scripted::start(|command, _, _| {
        (command == "tap").then(|| Act::Under(500, failed("RUNNER_BUSY")))
    })
    .await;
    let apple = attached(runner.address, fast());
    let error = apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap_err();
    assert!(error.dispatched().is_no(), "{error:?}");
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_told_by_whose_time_was_over() {
    let runner = Scripted::start(|command, _, _| (command == "tap").then_some(Act::Hang)).await;
    let tap = async |limit: u64, call_ms: u64| {
        let mut config = fast();
        config.command_timeout = Duration::from_millis(limit);
        let apple = attached(runner.address, config);
        let call = Call::standalone(Duration::from_millis(call_ms));
        apple.perform(&tap_at(1.0, 1.0), &call).await.unwrap_err()
    };
    let error = tap(300, 30_000).await;
    assert_eq!(error.reason(), Some("runner_unanswered"), "{error:?}");
    assert!(error.hint().contains("command_timeout"), "{}", error.hint());
    let error = tap(30_000, 300).await;
    assert_eq!(error.reason(), Some("deadline_exceeded"), "{error:?}");
    assert_eq!(
        error.row().map(|row| row.id()),
        Some("core.deadline-in-flight")
    );
    assert!(error.message().contains("time of the call"), "{error:?}");
}

#[tokio::test]
async fn what_the_runner_read_back_is_not_looked_for_again() {
    for (said, secret, check, looks) in [
        (json!("verified"), false, FillCheck::Verified, 1),
        (json!("verified"), true, FillCheck::Verified, 1),
        (json!("unobserved"), false, FillCheck::Unobserved, 1),
        (json!("reformatted"), false, FillCheck::Reformatted, 2),
        (json!(null), false, FillCheck::Reformatted, 2),
    ] {
        let reply = ok(
            json!({ "message": "typed", "textEntryRoute": "xctest-element", "textEntryVerification": said }),
        );
        let runner = Scripted::start(move |command, _, _| match command {
            "type" => Some(Act::Reply(reply.clone())),
            "snapshot" => Some(Act::Reply(ok(json!({ "nodes": [
                { "index": 0, "type": "Application", "rect": rect(402.0, 874.0), "depth": 0 },
                { "index": 1, "type": "TextField", "identifier": "it", "value": "(555) 1234", "rect": rect(200.0, 44.0), "depth": 1, "parentIndex": 0 },
            ], "snapshotQuality": { "state": "healthy", "backend": "tree" } })))),
            _ => None,
        })
        .await;
        let device = Device::new(attached(runner.address, fast()));
        let text = if secret {
            Text::secret("5551234")
        } else {
            "5551234".into()
        };
        let outcome = device.locate(id("it")).fill(text).await.unwrap();
        assert_eq!(outcome.fill, Some(check), "{said}");
        assert_eq!(runner.requests("snapshot").len(), looks, "{said}");
    }
}

#[tokio::test]
async fn a_text_that_became_another_or_does_not_show_is_no_success_and_a_filled_field_is_read() {
    for code in ["TEXT_ENTRY_MISMATCH", "TEXT_INPUT_COMMIT_NOT_OBSERVED"] {
        for (held, is_success) in [("abc", true), ("ab", false)] {
            let runner = Scripted::start(move |command, _, _| match command {
                "type" => Some(Act::Reply(failed(code))),
                "snapshot" => {
                    let mut screen = tree("It");
                    screen["data"]["nodes"][2]["value"] = json!(held);
                    Some(Act::Reply(screen))
                }
                _ => None,
            })
            .await;
            let apple = Arc::new(attached(runner.address, fast()));
            let typing = Action::TypeText("abc".into());
            let error = apple.perform(&typing, &call()).await.unwrap_err();
            assert_eq!(error.dispatched(), Dispatched::Unknown);
            assert_eq!(error.detail("runnerErrorCode"), Some(&json!(code)));

            let device = Device::new(Arc::clone(&apple));
            let filled = device.locate(id("field")).fill("abc").await;
            match filled {
                Ok(_) => assert!(is_success, "{code} {held}"),
                Err(error) => {
                    assert!(!is_success, "{error:?}");
                    assert_eq!(error.reason(), Some("fill_unverified"), "{error:?}");
                }
            }
            assert_eq!(runner.requests("type").len(), 2, "once each");
        }
    }
}

fn rect(width: f64, height: f64) -> Value {
    json!({ "x": 0.0, "y": 100.0, "width": width, "height": height })
}

#[tokio::test]
async fn a_secret_is_sent_and_said_nowhere() {
    const SECRET: &str = "Tr0ub4dor&3";
    let echo = |command: &str, request: &Value, _: usize| {
        (command == "type").then(|| {
            let text = request["text"].as_str().unwrap().to_owned();
            Act::Reply(json!({ "ok": false, "error": { "code": "COMMAND_FAILED", "message": format!("typed {text} in vain") } }))
        })
    };
    let runner = Scripted::start(echo).await;
    let apple = Arc::new(attached(runner.address, fast()));
    let touch = Touch {
        point: Point::new(50.0, 220.0),
        target: None,
    };
    let fill = Action::Fill(touch, Text::secret(SECRET));
    let error = apple.perform(&fill, &call()).await.unwrap_err();
    assert_eq!(runner.requests("type")[0]["text"], SECRET);
    let said = format!(
        "{error} {error:?} {} {apple:?}",
        serde_json::to_string(&error).unwrap()
    );
    assert!(!said.contains(SECRET), "{said}");
    let device = Device::new(apple);
    let error = device
        .locate(id("field"))
        .fill(Text::secret(SECRET))
        .await
        .unwrap_err();
    assert!(!format!("{error:?}").contains(SECRET));
}

#[tokio::test]
async fn a_target_is_named_to_the_runner_only_if_it_is_the_only_one_of_its_name() {
    let runner = Scripted::start(|_, _, _| None).await;
    let apple = Arc::new(attached(runner.address, fast()));
    let device = Device::new(Arc::clone(&apple));
    device.locate(id("it")).press().await.unwrap();
    let tap = &runner.requests("tap")[0];
    assert_eq!(
        (&tap["selectorValue"], &tap["x"], &tap["synthesized"]),
        (&json!("it"), &json!(60.0), &json!(true))
    );
    device.locate(id("field")).fill("").await.unwrap();
    let fill = &runner.requests("type")[0];
    assert_eq!(
        (
            &fill["selectorKey"],
            &fill["selectorValue"],
            &fill["x"],
            &fill["allowNonHittableCoordinateFallback"]
        ),
        (&json!("id"), &json!("field"), &json!(60.0), &json!(true))
    );
    let mut config = fast();
    config.check_target = false;
    let device = Device::new(attached(runner.address, config));
    device.locate(id("it")).press().await.unwrap();
    device.locate(id("field")).fill("").await.unwrap();
    assert_eq!(runner.requests("tap")[1].get("selectorValue"), None);
    assert_eq!(runner.requests("type")[1].get("selectorValue"), None);
}

#[tokio::test]
async fn a_touch_that_the_runner_takes_at_a_point_asks_first_whether_its_target_is_there() {
    let node = |x: f64| json!({ "found": true, "nodes": [{ "hittable": true, "rect": { "x": x, "y": 100.0, "width": 100.0, "height": 40.0 } }] });
    for (answer, there) in [
        (node(10.0), true),
        (node(200.0), false),
        (json!({ "found": false }), false),
    ] {
        let runner = Scripted::start(move |command, _, _| {
            (command == "querySelector").then(|| Act::Reply(ok(answer.clone())))
        })
        .await;
        let device = Device::new(attached(runner.address, fast()));
        let target = device.locate(id("it"));
        for outcome in [
            target.double_press().await,
            target.long_press().hold(Duration::from_millis(100)).await,
        ] {
            match outcome {
                Ok(_) => assert!(there),
                Err(error) => {
                    assert!(!there && error.dispatched().is_no(), "{error:?}");
                    assert_eq!(error.reason(), Some("target_gone"));
                }
            }
        }
        let touched = runner.requests("sequence").len() + runner.requests("longPress").len();
        assert_eq!(touched, if there { 2 } else { 0 });
        assert_eq!(runner.requests("querySelector")[0]["selectorValue"], "it");
    }
}

#[tokio::test]
async fn a_question_before_a_touch_that_fails_proves_that_nothing_was_touched() {
    for answer in [
        Act::Reply(failed("MAIN_THREAD_TIMEOUT")),
        Act::Reply(failed("COMMAND_FAILED")),
        Act::Hang,
    ] {
        let runner = Scripted::start(move |command, _, _| {
            matches!(command, "querySelector" | "gestureViewport").then(|| answer.clone())
        })
        .await;
        let mut config = fast();
        config.command_timeout = Duration::from_millis(300);
        let device = Device::new(attached(runner.address, config.clone()));
        let held = device.locate(id("it")).long_press().await.unwrap_err();
        let apple = attached(runner.address, config);
        let at = |millis, x| Sample {
            offset: Duration::from_millis(millis),
            point: Point::new(x, 5.0),
        };
        let plan = GesturePlan::custom(vec![vec![at(0, 1.0), at(100, 60.0)]]).unwrap();
        let panned = apple.perform(&Action::Gesture(plan), &call()).await;
        for error in [held, panned.unwrap_err()] {
            assert!(error.dispatched().is_no(), "{error:?}");
        }
        let touched = runner.requests("longPress").len() + runner.requests("gesture").len();
        assert_eq!(touched, 0);
    }
}

#[tokio::test]
async fn the_state_follows_the_session() {
    let runner = Scripted::start(|_, _, _| None).await;
    let apple = attached(runner.address, fast());
    assert_eq!(apple.state(), RunnerState::Stopped);
    tap(&apple).await;
    assert_eq!(apple.state(), RunnerState::Ready);
    apple.close().await;
    apple.close().await;
    assert_eq!(apple.state(), RunnerState::Stopped);
    assert!(
        runner.requests("shutdown").is_empty(),
        "a runner that somebody else keeps is left alone"
    );
}
