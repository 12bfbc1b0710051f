//! How runners end, and what is left of them: after silence, when they can't be used any more, when their start fails, and when
//! the process that had started them is killed.

use std::{
    fs,
    process::Stdio,
    time::{Duration, Instant},
};

use agent_device_apple::{Apple, RunnerState};
use agent_device_core::{
    Call, Interactor as _,
    action::{Action, OpenTarget},
};
use rustix::process::{Pid, test_kill_process};

use crate::{
    peers::{Folder, Tools, UDID, attached, call, fast, says_port, tap_at},
    scripted::{Act, Scripted, failed, ok},
};

/// What ends the runner's app in the simulator.
fn app_ended(tools: &Tools) -> usize {
    let app = "dev.agentdevice.runner.uitests.xctrunner";
    let end = format!("simctl terminate {UDID} {app}");
    tools.calls().matches(&end).count()
}

async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..500 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{what}: not within 10 s");
}

fn lives(pid: i32) -> bool {
    test_kill_process(Pid::from_raw(pid).unwrap()).is_ok()
}

#[tokio::test]
async fn a_command_waits_for_a_runner_that_is_being_stopped_and_starts_the_next_one() {
    let folder = Folder::new();
    let asked = folder.path().join("asked");
    let runner = {
        let asked = asked.clone();
        let script = move |command: &str, _: &_, _| {
            if command == "shutdown" {
                fs::write(&asked, "").unwrap();
            }
            None
        };
        Scripted::start(script).await
    };
    // It takes its time to end after it was asked to.
    let port = runner.address.port();
    let asked = asked.display();
    let tools = Tools::new(&format!(
        "echo 'AGENT_DEVICE_RUNNER_PORT={port}'; while ! rm {asked} 2> /dev/null; do sleep 0.05; done; sleep 1.5"
    ));
    let mut config = tools.config();
    config.idle_stop = Duration::from_millis(300);
    let apple = Apple::connect(tools.simulator(), config).await.unwrap();
    until("it is stopped", || apple.state() == RunnerState::Draining).await;
    let hurried = Call::standalone(Duration::from_millis(300));
    let error = apple
        .perform(&tap_at(1.0, 1.0), &hurried)
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some("deadline_exceeded"), "{error:?}");
    assert!(error.dispatched().is_no());
    apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
    assert_eq!((apple.starts(), runner.requests("tap").len()), (2, 1));
    assert_eq!(app_ended(&tools), 0, "it has ended itself");
}

#[tokio::test]
async fn a_runner_that_is_used_is_not_stopped() {
    let runner = Scripted::start(|_, _, _| None).await;
    let mut config = fast();
    config.idle_stop = Duration::from_secs(1);
    let apple = attached(runner.address, config);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(2500) {
        apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(apple.starts(), 1);
    until("it is stopped", || apple.state() == RunnerState::Stopped).await;
}

#[tokio::test]
async fn a_runner_that_is_wedged_is_ended_unasked_with_its_app_and_within_the_callers_time() {
    let wedged = |command: &str, _: &_, count| {
        (command == "tap" && count % 2 == 1).then(|| Act::Reply(failed("RUNNER_WEDGED")))
    };
    let runner = Scripted::start(wedged).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    let apple = Apple::connect(tools.simulator(), tools.config())
        .await
        .unwrap();
    let tap = tap_at(1.0, 1.0);
    apple.perform(&tap, &call()).await.unwrap_err();
    assert_eq!(app_ended(&tools), 0);
    apple.perform(&tap, &call()).await.unwrap();
    assert_eq!((apple.starts(), app_ended(&tools)), (2, 1));
    assert!(
        runner.requests("shutdown").is_empty(),
        "{:?}",
        runner.commands()
    );

    // One that heeds no signal but the last.
    let runner = Scripted::start(wedged).await;
    let port = runner.address.port();
    let stubborn = format!("trap '' TERM; echo $$ > \"$here/pid\"; {}", says_port(port));
    let tools = Tools::new(&stubborn);
    let apple = Apple::connect(tools.simulator(), tools.config())
        .await
        .unwrap();
    apple.perform(&tap, &call()).await.unwrap_err();
    let pid = tools.folder.read("pid").trim().parse().unwrap();
    let begun = Instant::now();
    let hurried = Call::standalone(Duration::from_millis(300));
    let error = apple.perform(&tap, &hurried).await.unwrap_err();
    assert_eq!(error.reason(), Some("deadline_exceeded"), "{error:?}");
    assert!(begun.elapsed() < Duration::from_millis(1500), "{error:?}");
    until("the process ends", || !lives(pid)).await;
    until("so does its app", || app_ended(&tools) == 1).await;
    apple.perform(&tap, &call()).await.unwrap();
}

#[tokio::test]
async fn a_start_that_fails_or_is_given_up_leaves_no_app_and_no_state() {
    let tools = Tools::new("exec sleep 600");
    let mut config = tools.config();
    config.startup_timeout = Duration::from_millis(500);
    let error = Apple::connect(tools.simulator(), config).await.unwrap_err();
    assert_eq!(error.reason(), Some("runner_connect_timeout"), "{error:?}");
    until("its app is ended", || app_ended(&tools) == 1).await;

    let apple = Apple::new(tools.simulator(), tools.config());
    let (tap, call) = (tap_at(1.0, 1.0), call());
    let given_up = async {
        let started = || tools.calls().matches("test-without-building").count() == 2;
        until("it is launched", started).await;
        assert_eq!(apple.state(), RunnerState::Starting);
    };
    tokio::select! {
        _ = apple.perform(&tap, &call) => panic!("nobody answers"),
        () = given_up => {}
    }
    assert_eq!(apple.state(), RunnerState::Stopped);
    until("its app is ended", || app_ended(&tools) == 2).await;
}

#[tokio::test]
async fn what_a_killed_host_has_left_is_cleared_away_also_if_it_was_killed_at_once() {
    let runner = Scripted::start(|_, _, _| None).await;
    // It keeps its command line, as xcodebuild does.
    let port = runner.address.port();
    let tools = Tools::new(&format!(
        "echo 'AGENT_DEVICE_RUNNER_PORT={port}'; sleep 600 & wait"
    ));
    // The host is killed before it has found out when its runner was started.
    let slow = Folder::new();
    slow.script("ps", "exec sleep 600");
    let path = std::env::var("PATH").unwrap();
    let mut host = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "life::host", "--ignored"])
        .env("AGENT_DEVICE_TEST_FOLDER", tools.folder.path())
        .env("PATH", format!("{}:{path}", slow.path().display()))
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let note = || tools.lease(UDID);
    until("its runner is noted", || note()["runnerPid"].is_i64()).await;
    host.kill().await.unwrap();
    let left = note();
    assert!(left["runnerStartTime"].is_null(), "{left}");
    let pid = i32::try_from(left["runnerPid"].as_i64().unwrap()).unwrap();
    let file = left["xctestrunPath"].as_str().unwrap();
    assert!(lives(pid) && fs::exists(file).unwrap());

    let next = Apple::connect(tools.simulator(), tools.config())
        .await
        .unwrap();
    until("the runner that was left ends", || !lives(pid)).await;
    assert!(!fs::exists(file).unwrap(), "its file holds a token");
    assert_eq!(app_ended(&tools), 1);
    next.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
}

#[test]
fn what_a_host_without_time_to_end_it_has_left_is_ended_by_the_next_one() {
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    let (first, second) = (runtime(), runtime());
    let runner = second.block_on(Scripted::start(|_, _, _| None));
    let tools = Tools::new(&says_port(runner.address.port()));
    let connect = || Apple::connect(tools.simulator(), tools.config());
    let apple = first.block_on(connect()).unwrap();
    // As at the end of a program: nothing can wait for a tool any more.
    drop(first);
    drop(apple);
    assert_eq!(app_ended(&tools), 0);
    second.block_on(connect()).unwrap();
    assert_eq!(app_ended(&tools), 1);
}

/// The host that is killed.
#[tokio::test]
#[ignore = "runs in a process of its own, which the test beside it kills"]
async fn host() {
    let folder = std::env::var_os("AGENT_DEVICE_TEST_FOLDER").unwrap();
    let tools = std::mem::ManuallyDrop::new(Tools {
        leash: None,
        folder: Folder::at(folder.into()),
    });
    let _apple = Apple::connect(tools.simulator(), tools.config()).await;
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_second_runner_that_goes_silent_is_kept_and_the_error_says_so() {
    let silent =
        |command: &str, _: &_, count| (command == "uptime" && count % 2 == 0).then_some(Act::Hang);
    let runner = Scripted::start(silent).await;
    let apple = attached(runner.address, fast());
    let error = apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap_err();
    let recovery = error.detail("recovery").unwrap();
    assert_eq!(recovery, "runner_recycle_budget_exhausted");
    assert_eq!((apple.starts(), apple.state()), (2, RunnerState::Ready));
}

#[tokio::test]
async fn health_is_noted_for_the_app_that_was_touched() {
    let late = |command: &str, _: &_, count| {
        let answer = || Act::Late(ok(serde_json::json!({})), Duration::from_millis(700));
        (command == "tap" && count == 1).then(answer)
    };
    let runner = Scripted::start(late).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    let mut config = tools.config();
    config.app = Some("com.example.first".to_owned());
    let apple = Apple::connect(tools.simulator(), config).await.unwrap();
    let open = Action::Open(OpenTarget::App("com.example.second".to_owned()));
    let (first, second) = (call(), call());
    let tap = tap_at(1.0, 1.0);
    let (tapped, opened) = tokio::join!(apple.perform(&tap, &first), apple.perform(&open, &second));
    tapped.unwrap();
    opened.unwrap();
    let asked = || runner.requests("uptime").len();
    let before = asked();
    apple.perform(&tap, &call()).await.unwrap();
    let apps: Vec<_> = runner
        .requests("tap")
        .iter()
        .map(|it| it["appBundleId"].clone())
        .collect();
    assert_eq!(apps, ["com.example.first", "com.example.second"]);
    assert_eq!(asked(), before + 1, "nothing was proven for the second app");
}
