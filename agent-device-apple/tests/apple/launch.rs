//! Building and launching, with stand-ins of Xcode's tools: what goes wrong is told by its cause, and a build is made once.

use std::{fs, time::Duration};

use agent_device_apple::{Apple, AppleTarget, Platform, Profile, RunnerState};
use agent_device_core::{
    Call, Error, ErrorCode, Interactor as _, SnapshotBackend as _,
    action::{Action, OpenTarget},
    dispatch,
};
use serde_json::json;

use crate::{
    peers::{Tools, UDID, UNKNOWN_APP, attached, call, fast, says_port, tap_at},
    scripted::{Act, Scripted, failed, ok},
};

async fn connect(tools: &Tools) -> Result<Apple, Error> {
    Apple::connect(tools.simulator(), tools.config()).await
}

async fn refused(tools: &Tools) -> Error {
    let error = connect(tools).await.unwrap_err();
    assert!(error.dispatched().is_no(), "{error:?}");
    error
}

/// A detail of an error that is a text.
fn detail<'e>(error: &'e Error, name: &str) -> &'e str {
    error.detail(name).unwrap().as_str().unwrap()
}

#[tokio::test]
async fn the_cause_of_a_failed_build_is_told_with_its_line_and_its_cure() {
    let tools = Tools::new("exit 0");
    // microsoft/azure-pipelines-tasks#4216.
    let output = "=== BUILD TARGET R OF PROJECT R ===\nSigning for \"R\" requires a development team. Select a development team in the \
        project editor.\nCode signing is required for product type 'Application' in SDK 'iOS 10.3'\n** BUILD FAILED **\n";
    fs::write(tools.folder.path().join("build-output"), output).unwrap();
    let error = refused(&tools).await;
    assert_eq!(
        error.reason(),
        Some("signing_no_development_team"),
        "{error:?}"
    );
    assert!(detail(&error, "line").contains("requires a development team"));
    assert!(
        error.hint().contains("development team"),
        "{}",
        error.hint()
    );
    fs::write(
        tools.folder.path().join("build-output"),
        "a line that nobody knows\n** BUILD FAILED **\n",
    )
    .unwrap();
    let error = refused(&tools).await;
    assert_eq!(error.reason(), Some("build_failed_unclassified"));
    assert!(detail(&error, "output").contains("nobody knows"));
}

#[tokio::test]
async fn an_xcodebuild_that_ends_early_is_noticed_at_once() {
    // lionheart/openradar-mirror#17121.
    let tools = Tools::new(
        "echo 'xcodebuild: error: Unable to find a destination matching the provided destination specifier:' >&2; exit 70",
    );
    let started = tokio::time::Instant::now();
    let error = refused(&tools).await;
    assert_eq!(error.reason(), Some("destination_not_found"), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(15));
    let tools = Tools::new("echo nothing to say; exit 65");
    let error = refused(&tools).await;
    assert_eq!(error.reason(), Some("xcodebuild_exited_early"));
    assert!(detail(&error, "output").contains("nothing to say"));
    let tools =
        Tools::new("echo 'AGENT_DEVICE_RUNNER_LISTENER_FAILED=address in use'; exec sleep 600");
    assert_eq!(
        refused(&tools).await.reason(),
        Some("runner_listener_failed")
    );
}

#[tokio::test]
async fn a_runner_that_says_something_before_it_listens_is_not_asked_without_a_pause() {
    let nobody = agent_device_testbed::fault::refused_address().unwrap();
    let tools = Tools::new(&says_port(nobody.port()));
    let mut config = tools.config();
    config.startup_timeout = Duration::from_secs(2);
    let apple = Apple::new(tools.simulator(), config);
    let error = apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap_err();
    assert_eq!(error.reason(), Some("runner_connect_timeout"), "{error:?}");
    assert!(apple.round_trips() < 10, "{}", apple.round_trips());
}

#[tokio::test]
async fn another_process_can_borrow_a_runner_as_long_as_it_lives() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    let keeper = connect(&tools).await.unwrap();
    let address = keeper.runner_address().await.unwrap();
    assert_eq!(address, runner.address);
    // Whoever borrows it may wait for it as long as the clock goes.
    let mut config = fast();
    (config.startup_timeout, config.command_timeout) = (Duration::MAX, Duration::MAX);
    config.preflight_timeout = Duration::MAX;
    let guest = attached(address, config);
    guest.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
    guest.close().await;
    keeper.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
    assert_eq!(runner.requests("tap").len(), 2);
    keeper.close().await;
    assert_eq!(keeper.runner_address().await, None);
}

#[tokio::test]
async fn a_runner_that_never_answers_costs_its_time_and_is_killed() {
    let tools = Tools::new("echo $$ > \"$here/pid\"; exec sleep 600");
    let mut config = tools.config();
    config.startup_timeout = Duration::from_millis(800);
    let error = Apple::connect(tools.simulator(), config).await.unwrap_err();
    assert_eq!(error.reason(), Some("runner_connect_timeout"), "{error:?}");
    assert_eq!(error.retriable(), Some(true));
    let pid: i32 = tools.folder.read("pid").trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    for _ in 0..100 {
        if rustix::process::test_kill_process(pid).is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the runner lives on");
}

#[tokio::test]
async fn a_build_is_made_once_for_each_source() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    drop(connect(&tools).await.unwrap());
    drop(connect(&tools).await.unwrap());
    let builds = || tools.calls().matches("build-for-testing").count();
    assert_eq!(builds(), 1, "{}", tools.calls());
    fs::write(tools.folder.path().join("src/a.swift"), "// another one").unwrap();
    drop(connect(&tools).await.unwrap());
    assert_eq!(builds(), 2);
    // What was patched for a launch goes with it.
    let mut open = vec![tools.folder.path().join("home")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            assert!(
                !entry
                    .file_name()
                    .to_string_lossy()
                    .contains(".env.session-"),
                "{entry:?}"
            );
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            }
        }
    }
}

#[tokio::test]
async fn two_devices_that_need_the_same_build_make_one() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    fs::write(tools.folder.path().join("slow-build"), "").unwrap();
    let second = "6A8A2F7C-0D3B-4C55-9D3E-222222222222";
    let list = tools.folder.read("devices.json");
    let (head, device) = list.split_once('{').unwrap();
    let other = list.replace(UDID, second).replace("iOS-18-2", "iOS-18-1");
    let both = format!(
        "{head}{{{},{}",
        device.strip_suffix("}}").unwrap(),
        other.split_once("{\"devices\":{").unwrap().1
    );
    fs::write(tools.folder.path().join("devices.json"), both).unwrap();
    let other = AppleTarget::Simulator {
        platform: Platform::Ios,
        udid: second.to_owned(),
    };
    let (first, other) = tokio::join!(connect(&tools), Apple::connect(other, tools.config()));
    drop((first.unwrap(), other.unwrap()));
    let calls = tools.calls();
    assert_eq!(calls.matches("build-for-testing").count(), 1, "{calls}");
    assert_eq!(calls.matches("test-without-building").count(), 2, "{calls}");
}

#[tokio::test]
async fn a_kept_build_that_does_not_start_or_is_not_whole_is_made_anew() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    let start = |script: &str| fs::write(tools.folder.path().join("runner"), script).unwrap();
    let builds = || tools.calls().matches("build-for-testing").count();
    drop(connect(&tools).await.unwrap());
    // A cause that is not the build's costs no build.
    start(
        "echo 'Unable to find a destination matching the provided destination specifier' >&2; exit 70",
    );
    refused(&tools).await;
    start(&says_port(runner.address.port()));
    drop(connect(&tools).await.unwrap());
    assert_eq!(builds(), 1);
    for (broken, timeout) in [("exit 65", 45_000), ("exec sleep 600", 500)] {
        start(broken);
        let mut config = tools.config();
        config.startup_timeout = Duration::from_millis(timeout);
        Apple::connect(tools.simulator(), config).await.unwrap_err();
        let before = builds();
        start(&says_port(runner.address.port()));
        drop(connect(&tools).await.unwrap());
        assert_eq!(builds(), before + 1, "{broken}");
    }
    let before = builds();
    let mut open = vec![tools.folder.path().join("home")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("AgentDeviceRunnerUITests-Runner.app") {
                fs::remove_dir_all(path).unwrap();
            } else if path.is_dir() {
                open.push(path);
            }
        }
    }
    drop(connect(&tools).await.unwrap());
    assert_eq!(builds(), before + 1);
}

#[tokio::test]
async fn a_build_that_was_broken_off_is_begun_anew() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    let slow = tools.folder.path().join("slow-build");
    fs::write(&slow, "").unwrap();
    let broken = async {
        while !tools.calls().contains("build-for-testing") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // Its products are there by now, and it has not ended.
        tokio::time::sleep(Duration::from_millis(300)).await;
    };
    tokio::select! {
        _ = connect(&tools) => panic!("the build takes a second"),
        () = broken => {}
    }
    fs::remove_file(slow).unwrap();
    drop(connect(&tools).await.unwrap());
    drop(connect(&tools).await.unwrap());
    assert_eq!(tools.calls().matches("build-for-testing").count(), 2);
}

#[tokio::test]
async fn closing_what_does_not_run_is_fine_and_any_other_failure_is_not() {
    let runner = Scripted::start(|_, _, _| None).await;
    let close = Action::Close(Some("com.example.app".to_owned()));
    // Not recorded: the words of `simctl terminate` as clients of it look for them, and the system's word for ESRCH.
    let nothing = "found nothing to terminate";
    let gone = "The operation couldn\u{2019}t be completed. No such process";
    for (said, is_fine) in [(nothing, true), ("Invalid device", false)] {
        let tools = Tools::new("exit 0");
        tools.xcrun(&format!(
            "case $2 in terminate) echo '{said}' >&2; exit 3;; esac"
        ));
        let apple = Apple::new(tools.simulator(), tools.config());
        let closed = apple.perform(&close, &call()).await;
        assert_eq!(closed.is_ok(), is_fine, "{said}: {closed:?}");
    }
    for (said, is_fine) in [(gone, true), ("The device is locked.", false)] {
        let tools = Tools::new("exec sleep 600");
        let (phone, _daemon) = phone(&tools, &runner).await;
        tools.xcrun(&format!(
            "case \"$*\" in *'process terminate'*) echo '{said}' >&2; exit 1;; esac\n{DEVICECTL}"
        ));
        let closed = phone.perform(&close, &call()).await;
        assert_eq!(closed.is_ok(), is_fine, "{said}: {closed:?}");
    }
}

/// The number of the runner's process, which its script has written.
fn process_of(tools: &Tools) -> rustix::process::Pid {
    let pid = tools.folder.read("pid").trim().parse().unwrap();
    rustix::process::Pid::from_raw(pid).unwrap()
}

async fn wait_for(what: impl Fn() -> bool) {
    for _ in 0..500 {
        if what() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it did not happen");
}

#[tokio::test]
async fn a_silent_runner_is_ended_with_its_process_and_its_lease() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new(&format!(
        "echo $$ > \"$here/pid\"; {}",
        says_port(runner.address.port())
    ));
    let mut config = tools.config();
    config.idle_stop = Duration::from_millis(300);
    let apple = Apple::connect(tools.simulator(), config).await.unwrap();
    let pid = process_of(&tools);
    assert!(rustix::process::test_kill_process(pid).is_ok());
    let ended = || rustix::process::test_kill_process(pid).is_err();
    tokio::time::timeout(Duration::from_secs(30), async {
        while apple.state() != RunnerState::Stopped {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .unwrap();
    wait_for(ended).await;
    wait_for(|| tools.lease(UDID).is_null()).await;
    assert_eq!(runner.requests("shutdown").len(), 1);
    apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
    assert_eq!(apple.starts(), 2);
}

#[tokio::test]
async fn the_runner_of_a_mac_gets_time_to_put_the_screen_saver_back() {
    let runner = Scripted::start(|_, _, _| None).await;
    // No shell: one that was started with INT ignored, as in the background of another, can't listen to it.
    let tools = Tools::new(&format!(
        r#"exec perl - "$here" {} <<'END'
my ($here, $port) = @ARGV;
sub noted {{ open(my $file, $_[0], "$here/$_[1]"); print $file $_[2]; close($file); }}
$SIG{{$_}} = sub {{ noted(">>", "signals", "$_[0]\n") }} for ("INT", "TERM");
noted(">", "pid", $$);
$| = 1;
print "AGENT_DEVICE_RUNNER_PORT=$port\n";
sleep(1) while 1;
END"#,
        runner.address.port()
    ));
    tools.folder.script(
        "DevToolsSecurity",
        "echo 'Developer mode is currently enabled.'",
    );
    let mac = Apple::connect(AppleTarget::Mac, tools.config())
        .await
        .unwrap();
    let pid = process_of(&tools);
    mac.close().await;
    wait_for(|| rustix::process::test_kill_process(pid).is_err()).await;
    let signals = tools.folder.read("signals");
    assert_eq!(signals.lines().collect::<Vec<_>>(), ["INT", "TERM"]);
}

#[tokio::test]
async fn a_boot_that_does_not_end_is_told_as_one() {
    let tools = Tools::new("exit 0");
    let list = tools.folder.read("devices.json");
    fs::write(
        tools.folder.path().join("devices.json"),
        list.replace("Booted", "Shutdown"),
    )
    .unwrap();
    tools.xcrun("case \"$*\" in *bootstatus*) exec sleep 600;; esac");
    for set in [None, Some("/set".into())] {
        let mut config = tools.config();
        config.simulator_set = set;
        let apple = Apple::new(tools.simulator(), config);
        let short = Call::standalone(Duration::from_millis(800));
        let error = apple.perform(&tap_at(1.0, 1.0), &short).await.unwrap_err();
        assert_eq!(error.reason(), Some("deadline_exceeded"), "{error:?}");
        assert!(error.message().contains("simctl bootstatus"), "{error:?}");
        assert!(error.message().contains("time of the call"), "{error:?}");
        assert_eq!(error.retriable(), Some(true));
        assert!(error.hint().contains("bootstatus"), "{}", error.hint());
    }
}

#[tokio::test]
async fn a_build_of_ones_own_is_launched_without_building() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    drop(connect(&tools).await.unwrap());
    let products = tools.folder.path().join("home/derived/ios-simulator");
    let cache = fs::read_dir(products)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let mut config = tools.config();
    config.runner.project = None;
    config.runner.xctestrun =
        Some(cache.join("Build/Products/AgentDeviceRunner_iphonesimulator18.2-arm64.xctestrun"));
    let before = tools.calls().matches("-version").count();
    Apple::connect(tools.simulator(), config.clone())
        .await
        .unwrap();
    assert_eq!(
        tools.calls().matches("-version").count(),
        before,
        "no toolchain was asked for"
    );
    config.runner.xctestrun = Some("/nowhere.xctestrun".into());
    let error = Apple::connect(tools.simulator(), config.clone())
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some("runner_build_unusable"));
    config.runner.xctestrun = None;
    let error = Apple::connect(tools.simulator(), config).await.unwrap_err();
    assert_eq!(
        (error.code(), error.reason()),
        (ErrorCode::InvalidArgs, Some("runner_source_missing"))
    );
}

#[tokio::test]
async fn a_simulator_that_is_not_there_is_not_found_and_one_that_sleeps_is_booted() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    let other = AppleTarget::Simulator {
        platform: Platform::Ios,
        udid: "none".to_owned(),
    };
    let error = Apple::connect(other, tools.config()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::DeviceNotFound);
    let list = tools
        .folder
        .read("devices.json")
        .replace("Booted", "Shutdown");
    fs::write(tools.folder.path().join("devices.json"), list).unwrap();
    connect(&tools).await.unwrap();
    assert!(
        tools
            .calls()
            .contains(&format!("simctl bootstatus {UDID} -b")),
        "{}",
        tools.calls()
    );
}

#[tokio::test]
async fn this_mac_is_not_driven_by_the_name_of_another_device() {
    let tools = Tools::new("exec sleep 600");
    let udid = UDID.to_owned();
    let platform = Platform::MacOs;
    for target in [
        AppleTarget::Simulator {
            platform,
            udid: udid.clone(),
        },
        AppleTarget::Device { platform, udid },
    ] {
        let error = Apple::connect(target, tools.config()).await.unwrap_err();
        assert_eq!(
            (error.code(), error.reason()),
            (ErrorCode::InvalidArgs, Some("target_is_this_mac"))
        );
        assert!(error.dispatched().is_no());
    }
    assert_eq!(tools.calls(), "");
}

#[tokio::test]
async fn without_xcode_every_target_says_how_to_get_it() {
    let tools = Tools::new("");
    let mut config = tools.config();
    config.tool_path = Some("/nowhere".into());
    let udid = UDID.to_owned();
    let platform = Platform::Ios;
    for target in [
        AppleTarget::Simulator {
            platform,
            udid: udid.clone(),
        },
        AppleTarget::Device { platform, udid },
        AppleTarget::Mac,
    ] {
        let error = Apple::connect(target, config.clone()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::ToolMissing, "{error:?}");
        assert_eq!(
            error.row(),
            Some(dispatch::rows::ios_runner::TOOL_MISSING.row()),
            "{error:?}"
        );
        assert!(error.hint().contains("Install Xcode"), "{error:?}");
        assert!(error.detail("tool").is_some());
    }
}

#[tokio::test]
async fn a_relaunch_keeps_the_runner_and_resets_its_target() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    tools.xcrun("echo com.example.app: 4711");
    let apple = connect(&tools).await.unwrap();
    let open = Action::Open(OpenTarget::App("com.example.app".to_owned()));
    apple.perform(&open, &call()).await.unwrap();
    assert_eq!(
        (runner.requests("targetReset").len(), apple.starts()),
        (1, 1)
    );
    assert_eq!(
        runner.requests("targetReset")[0]["appBundleId"],
        "com.example.app"
    );
    apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
    assert_eq!(runner.requests("tap")[0]["appBundleId"], "com.example.app");
    let close = Action::Close(None);
    apple.perform(&close, &call()).await.unwrap();
    let calls = tools.calls();
    assert!(
        calls.contains(&format!(
            "simctl launch --terminate-running-process {UDID} com.example.app"
        )),
        "{calls}"
    );
    assert!(
        calls.contains(&format!("simctl terminate {UDID} com.example.app")),
        "{calls}"
    );
    assert_eq!(
        apple.state(),
        RunnerState::Ready,
        "closing an app does not end the runner"
    );
}

#[tokio::test]
async fn an_app_that_the_simulator_does_not_know_yet_is_opened_when_it_does() {
    let tools = Tools::new("exit 0");
    let open = Action::Open(OpenTarget::App("com.example.app".to_owned()));
    let launches = || tools.calls().matches("simctl launch").count();
    tools.xcrun(&format!(
        "if [ $2 = launch ] && ! [ -f \"$here/known\" ]; then touch \"$here/known\"\n{UNKNOWN_APP}\nfi"
    ));
    let apple = Apple::new(tools.simulator(), tools.config());
    let wait = call();
    apple.perform(&open, &wait).await.unwrap();
    assert_eq!((launches(), wait.ledger().steps()), (2, 1));

    // After any other refusal the app may have been begun, or the one of before ended: ryanmcgrath/cacao#155.
    let denied = "echo 'An error was encountered processing the command (domain=FBSOpenApplicationServiceErrorDomain, code=1):' >&2; exit 1";
    tools.xcrun(&format!("if [ $2 = launch ]; then {denied}; fi"));
    let error = apple.perform(&open, &call()).await.unwrap_err();
    assert_eq!(
        (error.reason(), error.dispatched().as_str()),
        (Some("tool_failed"), "unknown")
    );
    assert_eq!(launches(), 3);

    // One that stays unknown costs the time of its caller, who may repeat. Who cancels is heard between two tries.
    tools.xcrun(&format!("if [ $2 = launch ]; then {UNKNOWN_APP}\nfi"));
    let short = Call::standalone(Duration::from_millis(2500));
    let error = apple.perform(&open, &short).await.unwrap_err();
    assert_eq!(
        (error.reason(), error.retriable()),
        (Some("app_unknown_to_simulator"), Some(true))
    );
    assert!(error.dispatched().is_no() && short.ledger().is_empty());
    assert_eq!(launches(), 5);
    let wait = call();
    let cancel = async {
        wait_for(|| launches() == 6).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        wait.cancel().cancel();
    };
    let started = tokio::time::Instant::now();
    let (opened, ()) = tokio::join!(apple.perform(&open, &wait), cancel);
    assert_eq!(opened.unwrap_err().reason(), Some("request_canceled"));
    assert!(started.elapsed() < Duration::from_secs(1));
    assert_eq!(launches(), 6);
}

fn accepted(runner: &Scripted) -> usize {
    let requests = runner.requests("alert");
    requests
        .iter()
        .filter(|it| it["action"] == "accept")
        .count()
}

#[tokio::test]
async fn an_address_is_handed_over_once_and_only_its_own_question_is_answered() {
    let alert = |title: &'static str, buttons: &'static [&'static str]| {
        move |command: &str, request: &serde_json::Value, _: usize| {
            (command == "alert" && request["action"] == "get").then(|| {
                Act::Reply(json!({ "ok": true, "data": { "message": title, "items": buttons } }))
            })
        }
    };
    let open = Action::Open(OpenTarget::Url("fixture://counter".to_owned()));
    let ask = "Open in “Proving Ground”?";
    let theirs = "Open in “Proving Ground Beta”?";
    let other = "Allow “Proving Ground” to track you?";
    let foreign = Some("launch_confirmation_foreign_app");
    for (title, scheme, buttons, answers, reason) in [
        (ask, "fixture", &["Cancel", "Open"][..], 1, None),
        // Two apps may have one scheme, and one name.
        (theirs, "fixture", &["Cancel", "Open"][..], 0, foreign),
        (ask, "elsewhere", &["Cancel", "Open"][..], 0, foreign),
        (other, "fixture", &["No", "Yes"][..], 0, None),
    ] {
        let runner = Scripted::start(alert(title, buttons)).await;
        let tools = Tools::new(&says_port(runner.address.port()));
        tools.app("Proving Ground", scheme);
        let mut config = tools.config();
        config.app = Some("org.example.proving-ground".to_owned());
        let apple = Apple::connect(tools.simulator(), config).await.unwrap();
        let opened = apple.perform(&open, &call()).await;
        match &opened {
            Ok(performed) => assert_eq!((performed.warnings.len(), reason), (1, None)),
            Err(error) => {
                assert_eq!(error.reason(), reason, "{error:?}");
                assert_eq!(error.dispatched().as_str(), "unknown");
            }
        }
        assert_eq!(accepted(&runner), answers, "{title} {scheme}");
        assert_eq!(tools.calls().matches("simctl openurl").count(), 1);
        let wait = runner.requests("alert")[0]["timeoutMs"].as_u64().unwrap();
        assert!((4000..=10_000).contains(&wait), "{wait}");
    }
    // The tool hangs: the time is over, nothing is known, and nothing is handed over again.
    let runner = Scripted::start(|command, _, _| {
        (command == "alert").then(|| Act::Reply(failed("ALERT_NOT_FOUND")))
    })
    .await;
    let tools = Tools::new(&says_port(runner.address.port()));
    let apple = connect(&tools).await.unwrap();
    tools.xcrun("exec sleep 600");
    let error = apple
        .perform(&open, &Call::standalone(Duration::from_millis(400)))
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some("deadline_exceeded"));
    assert!(error.message().contains("simctl openurl"), "{error:?}");
    assert_eq!(error.dispatched().as_str(), "unknown");
    assert_eq!(tools.calls().matches("simctl openurl").count(), 1);
    let bad = Action::Open(OpenTarget::Url("--help".to_owned()));
    assert_eq!(
        apple.perform(&bad, &call()).await.unwrap_err().code(),
        ErrorCode::InvalidArgs
    );
}

/// An alert as the system asks it.
fn asks(command: &str, request: &serde_json::Value) -> Option<Act> {
    let sheet = json!({ "message": "Open in “Proving Ground”?", "items": ["Cancel", "Open"] });
    (command == "alert" && request["action"] == "get").then(|| Act::Reply(ok(sheet)))
}

async fn proving_ground(tools: &Tools) -> Apple {
    let mut config = tools.config();
    config.app = Some("org.example.proving-ground".to_owned());
    Apple::connect(tools.simulator(), config).await.unwrap()
}

#[tokio::test]
async fn a_question_that_holds_the_tool_up_is_answered_and_the_address_stays_unknown() {
    let open = Action::Open(OpenTarget::Url("fixture://counter".to_owned()));
    let runner = Scripted::start(|command, request, _| asks(command, request)).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    let apple = proving_ground(&tools).await;
    tools.app("Proving Ground", "fixture");
    // Not recorded: POSIX error 60 is ETIMEDOUT, which the tool gives up with.
    let more = tools.folder.read("xcrun-more");
    tools.xcrun(&format!(
        "{more}\n[ \"$2\" != openurl ] || {{ echo 'An error was encountered processing the command (domain=NSPOSIXErrorDomain, code=60):' >&2; exit 60; }}"
    ));
    let error = apple.perform(&open, &call()).await.unwrap_err();
    assert_eq!(
        (error.reason(), error.dispatched().as_str()),
        (Some("tool_failed"), "unknown"),
        "{error:?}"
    );
    assert_eq!(accepted(&runner), 1);
    assert_eq!(tools.calls().matches("simctl openurl").count(), 1);
}

#[tokio::test]
async fn a_question_that_can_not_be_read_is_a_warning_that_names_the_step() {
    let open = Action::Open(OpenTarget::Url("fixture://counter".to_owned()));
    let fails = |action: &'static str| {
        move |command: &str, request: &serde_json::Value, _: usize| {
            if command == "alert" && request["action"] == action {
                return Some(Act::Reply(failed("MAIN_THREAD_TIMEOUT")));
            }
            asks(command, request)
        }
    };
    for (action, owner, step) in [
        ("get", true, "alert-read"),
        ("accept", true, "alert-accept"),
        ("none", false, "url-owner"),
    ] {
        let runner = Scripted::start(fails(action)).await;
        let tools = Tools::new(&says_port(runner.address.port()));
        let apple = proving_ground(&tools).await;
        if owner {
            tools.app("Proving Ground", "fixture");
        }
        let performed = apple.perform(&open, &call()).await.unwrap();
        let warnings = performed.warnings.join("; ");
        assert!(
            warnings.contains(&format!("ios_launch_confirmation_unreadable: {step}:")),
            "{action}: {warnings}"
        );
    }
    // Nobody is there to look.
    let tools = Tools::new("exit 0");
    let apple = Apple::new(tools.simulator(), tools.config());
    let performed = apple.perform(&open, &call()).await.unwrap();
    assert!(performed.warnings[0].contains(": runner:"), "{performed:?}");
}

#[tokio::test]
async fn a_link_of_the_web_leaves_an_app_that_runs_alone() {
    let runner = Scripted::start(|command, request, _| asks(command, request)).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    let apple = proving_ground(&tools).await;
    let open = Action::Open(OpenTarget::Url("https://example.com/a".to_owned()));
    apple.perform(&open, &call()).await.unwrap();
    let calls = tools.calls();
    let at = |what: &str| {
        calls
            .find(what)
            .unwrap_or_else(|| panic!("{what}: {calls}"))
    };
    let launch = at(&format!("simctl launch {UDID} org.example.proving-ground"));
    assert!(launch < at(&format!("simctl openurl {UDID} https://example.com/a")));
    assert!(!calls.contains("--terminate-running-process"), "{calls}");
    assert!(runner.requests("alert").is_empty(), "the web asks nothing");
}

#[tokio::test]
async fn a_simulator_that_sleeps_is_woken_before_an_app_counts_as_missing() {
    let tools = Tools::new("exit 0");
    let list = tools.folder.read("devices.json");
    fs::write(
        tools.folder.path().join("devices.json"),
        list.replace("Booted", "Shutdown"),
    )
    .unwrap();
    // Not recorded: only that the tool fails while the simulator is shut down matters.
    tools.xcrun(
        "case $2 in\nbootstatus) sed -i s/Shutdown/Booted/ \"$here/devices.json\" ;;\n\
         *) grep -q Booted \"$here/devices.json\" || { echo 'Unable to lookup in current state: Shutdown' >&2; exit 149; } ;;\nesac",
    );
    let apple = Apple::new(tools.simulator(), tools.config());
    let open = Action::Open(OpenTarget::App("com.example.app".to_owned()));
    apple.perform(&open, &call()).await.unwrap();
    assert!(tools.calls().contains("bootstatus"), "{}", tools.calls());
    // An address is handed over to a simulator that is up, too.
    fs::write(
        tools.folder.path().join("devices.json"),
        list.replace("Booted", "Shutdown"),
    )
    .unwrap();
    let open = Action::Open(OpenTarget::Url("fixture://x".to_owned()));
    apple.perform(&open, &call()).await.unwrap();
    fs::write(tools.folder.path().join("devices.json"), "{\"devices\":{}}").unwrap();
    let error = apple.perform(&open, &call()).await.unwrap_err();
    assert_eq!(
        (error.code(), error.dispatched().is_no()),
        (ErrorCode::DeviceNotFound, true)
    );
}

#[tokio::test]
async fn a_simulator_that_can_not_be_asked_or_booted_says_so_of_itself_and_not_of_the_app() {
    let tools = Tools::new("exit 0");
    let apple = Apple::new(tools.simulator(), tools.config());
    let open = Action::Open(OpenTarget::App("com.example.app".to_owned()));
    // Not recorded: any code but that of ENOENT.
    tools.xcrun("echo 'CoreSimulator is out of date' >&2; exit 60");
    let error = apple.perform(&open, &call()).await.unwrap_err();
    assert_eq!(error.reason(), Some("tool_failed"), "{error:?}");
    assert!(error.dispatched().is_no(), "{error:?}");
    let list = tools.folder.read("devices.json");
    // FilledStacks/device_finder, `test/test_data.dart`.
    let gone = "\"availabilityError\":\"runtime profile not found\",\"isAvailable\":false";
    let list = list.replace("\"isAvailable\":true", gone);
    fs::write(tools.folder.path().join("devices.json"), list).unwrap();
    for error in [
        apple.perform(&open, &call()).await.unwrap_err(),
        connect(&tools).await.unwrap_err(),
    ] {
        assert_eq!(error.reason(), Some("simulator_runtime_missing"));
        assert!(error.dispatched().is_no() && error.hint().contains("runtime"));
        let told = format!("{error:?}");
        assert!(told.contains("runtime profile not found"), "{told}");
    }
    assert!(!tools.calls().contains("bootstatus"), "{}", tools.calls());
}

#[tokio::test]
async fn an_alert_that_opens_is_waited_for_and_answered_once() {
    let absent = |from: usize| {
        move |command: &str, _: &serde_json::Value, count: usize| {
            (command == "alert" && count < from).then(|| Act::Reply(failed("ALERT_NOT_FOUND")))
        }
    };
    let runner = Scripted::start(absent(3)).await;
    let apple = crate::peers::attached(runner.address, crate::peers::fast());
    apple
        .perform(&Action::AcceptAlert(None), &call())
        .await
        .unwrap();
    assert_eq!(accepted(&runner), 3);
    // One that never opens costs two seconds, and nothing was pressed.
    let runner = Scripted::start(absent(usize::MAX)).await;
    let apple = crate::peers::attached(runner.address, crate::peers::fast());
    let started = tokio::time::Instant::now();
    let error = apple
        .perform(&Action::DismissAlert, &call())
        .await
        .unwrap_err();
    assert!(error.dispatched().is_no(), "{error:?}");
    let took = started.elapsed();
    assert!(
        (Duration::from_secs(2)..Duration::from_secs(5)).contains(&took),
        "{took:?}"
    );
    // Any other failure is reported at once.
    let runner = Scripted::start(|command, _, _| {
        (command == "alert").then(|| Act::Reply(failed("MAIN_THREAD_TIMEOUT")))
    })
    .await;
    let apple = crate::peers::attached(runner.address, crate::peers::fast());
    let error = apple
        .perform(&Action::AcceptAlert(None), &call())
        .await
        .unwrap_err();
    assert_eq!(
        (accepted(&runner), error.dispatched().as_str()),
        (1, "unknown")
    );
}

#[tokio::test]
async fn the_sides_of_a_screen_that_has_turned_are_not_those_of_before() {
    let runner = Scripted::start(|command, _, _| {
        let picture = "iVBORw0KGgoAAAANSUhEUgAAAyQ=";
        (command == "screenshot").then(|| Act::Reply(ok(json!({ "imageBase64": picture }))))
    })
    .await;
    let apple = crate::peers::attached(runner.address, crate::peers::fast());
    apple
        .capture(
            &agent_device_core::snapshot::CaptureOptions::default(),
            &call(),
        )
        .await
        .unwrap();
    assert_eq!(apple.screenshot(&call()).await.unwrap().scale, 2.0);
    let turn = Action::SetOrientation(agent_device_core::action::Orientation::LandscapeLeft);
    apple.perform(&turn, &call()).await.unwrap();
    assert_eq!(apple.screenshot(&call()).await.unwrap().scale, 0.0);
}

#[tokio::test]
async fn a_runner_whose_process_has_ended_is_replaced_without_being_asked() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new(&format!(
        "echo $$ > \"$here/pid\"; {}",
        says_port(runner.address.port())
    ));
    let apple = connect(&tools).await.unwrap();
    let pid: i32 = tools.folder.read("pid").trim().parse().unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    apple.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
    assert_eq!((apple.starts(), runner.requests("tap").len()), (2, 1));
    assert!(
        runner.requests("shutdown").is_empty(),
        "{:?}",
        runner.commands()
    );
}

#[tokio::test]
async fn the_clipboard_of_a_simulator_is_read_and_written_by_its_tool() {
    let tools = Tools::new("exit 0");
    tools.xcrun("case $2 in pbcopy) cat > \"$here/board\";; pbpaste) cat \"$here/board\";; esac");
    let apple = Apple::new(tools.simulator(), tools.config());
    apple
        .perform(&Action::WriteClipboard("käse 🧀".into()), &call())
        .await
        .unwrap();
    assert_eq!(apple.clipboard(&call()).await.unwrap(), "käse 🧀");
    assert!(
        !tools.calls().contains("käse"),
        "what is typed is no argument of a process"
    );
    // That it was written is counted also where a caller goes round the facade.
    let wait = call();
    apple
        .perform(&Action::WriteClipboard("x".into()), &wait)
        .await
        .unwrap();
    assert_eq!(wait.ledger().steps(), 1);
}

#[tokio::test]
async fn a_mac_that_would_ask_for_a_password_is_told_how_to_cure_it() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new(&says_port(runner.address.port()));
    // DevToolsSecurity(1).
    tools.folder.script(
        "DevToolsSecurity",
        "echo 'Developer mode is currently disabled.'",
    );
    let error = Apple::connect(AppleTarget::Mac, tools.config())
        .await
        .unwrap_err();
    assert_eq!(
        error.reason(),
        Some("devtools_security_developer_mode_disabled"),
        "{error:?}"
    );
    assert!(error.hint().contains("DevToolsSecurity -enable"));
    tools.folder.script(
        "DevToolsSecurity",
        "echo 'Developer mode is currently enabled.'",
    );
    let mac = Apple::connect(AppleTarget::Mac, tools.config())
        .await
        .unwrap();
    assert!(
        tools.calls().contains("platform=macOS,arch="),
        "{}",
        tools.calls()
    );
    let plan = agent_device_core::gesture::ScrollPlan::new(
        agent_device_core::geometry::Direction::Down,
        agent_device_core::gesture::ScrollAmount::Pixels(100.0),
        agent_device_core::geometry::Rect::new(0.0, 0.0, 400.0, 800.0),
        None,
        None,
    );
    mac.perform(&Action::Scroll(plan.unwrap()), &call())
        .await
        .unwrap();
    assert_eq!(runner.requests("desktopScroll")[0]["pixels"], 100.0);
}

#[tokio::test]
async fn a_tv_is_driven_by_its_remote() {
    let runner = Scripted::start(|_, _, _| None).await;
    let profile = Profile::TVOS_SIMULATOR;
    let tv = Apple::new(
        AppleTarget::Runner {
            profile,
            address: runner.address,
        },
        crate::peers::fast(),
    );
    tv.perform(&Action::Back, &call()).await.unwrap();
    tv.perform(&Action::Home, &call()).await.unwrap();
    let buttons: Vec<_> = runner
        .requests("remotePress")
        .iter()
        .map(|it| it["remoteButton"].clone())
        .collect();
    assert_eq!(buttons, ["menu", "home"]);
    let error = tv
        .perform(&Action::KeyboardDismiss, &call())
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.dispatched().is_no()),
        (ErrorCode::UnsupportedOperation, true)
    );
    assert!(runner.requests("keyboardDismiss").is_empty());
}

/// `devicectl` writes what it knows to a file. Keys of its JSON: `result.apps[].bundleIdentifier` and `url`,
/// `result.runningProcesses[].executable` and `processIdentifier` (Xcode 15, as other open-source clients read them).
const DEVICECTL: &str = r#"
words="$*"
while [ $# -gt 0 ]; do [ "$1" = --json-output ] && file=$2; shift; done
case "$words" in
*"info apps"*) echo '{"result":{"apps":[{"bundleIdentifier":"com.example.app","name":"App","url":"file:///private/var/containers/Bundle/Application/X/App.app/"}]}}' > "$file" ;;
*"info processes"*) echo '{"result":{"runningProcesses":[{"executable":"file:///private/var/containers/Bundle/Application/X/App.app/App","processIdentifier":41},{"executable":"file:///private/var/containers/Bundle/Application/X/App.appetizer/Y","processIdentifier":42}]}}' > "$file" ;;
*"process launch"*|*"process terminate"*) ;;
*) exit 64 ;;
esac
"#;

#[tokio::test]
async fn apps_of_a_phone_are_opened_and_closed_by_devicectl() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new("exec sleep 600");
    tools.xcrun(DEVICECTL);
    let (phone, _daemon) = phone(&tools, &runner).await;
    let open = |app: &str| Action::Open(OpenTarget::App(app.to_owned()));
    phone
        .perform(&open("com.example.app"), &call())
        .await
        .unwrap();
    assert_eq!(runner.requests("targetReset").len(), 1);
    let error = phone
        .perform(&open("com.example.none"), &call())
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.dispatched().is_no()),
        (ErrorCode::AppNotInstalled, true)
    );
    phone
        .perform(
            &Action::Open(OpenTarget::Url("fixture://x".to_owned())),
            &call(),
        )
        .await
        .unwrap();
    phone.perform(&Action::Close(None), &call()).await.unwrap();
    let calls = tools.calls();
    assert_eq!(calls.matches("process launch").count(), 2, "{calls}");
    assert!(
        calls.contains("process launch --device U --payload-url fixture://x com.example.app"),
        "an address leaves an app that runs as it is: {calls}"
    );
    assert!(
        calls.contains("--pid 41 --kill") && !calls.contains("--pid 42"),
        "{calls}"
    );
    assert!(
        calls.contains("CODE_SIGN_STYLE=Automatic -allowProvisioningUpdates"),
        "{calls}"
    );
}

async fn phone(tools: &Tools, runner: &Scripted) -> (Apple, crate::usbmux::Daemon) {
    let daemon = crate::usbmux::Daemon::start("U", runner.address);
    let mut config = tools.config();
    config.usbmux_socket = daemon.socket();
    let target = AppleTarget::Device {
        platform: Platform::Ios,
        udid: "U".to_owned(),
    };
    (Apple::connect(target, config).await.unwrap(), daemon)
}

#[tokio::test]
async fn an_app_of_two_processes_that_was_ended_half_is_not_called_untouched() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new("exec sleep 600");
    let (phone, _daemon) = phone(&tools, &runner).await;
    // The second call of the tool finds no tool any more.
    tools.xcrun(&format!(
        "case \"$*\" in *'process terminate'*) mv \"$here/xcrun\" \"$here/gone\";; esac\n{}",
        DEVICECTL.replace("App.appetizer", "App.app/PlugIns")
    ));
    let device = agent_device_core::Device::new(phone);
    let error = device
        .perform(Action::Close(Some("com.example.app".to_owned())))
        .await
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::ToolMissing);
    assert_eq!(error.dispatched().as_str(), "unknown", "{error:?}");
    assert_eq!(error.dispatched_steps(), 1);
}

#[tokio::test]
async fn an_app_whose_place_is_not_told_ends_nobody() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new("exec sleep 600");
    let (phone, _daemon) = phone(&tools, &runner).await;
    let nowhere = DEVICECTL
        .replace("\"url\":", "\"elsewhere\":")
        .replace("\"executable\":\"file://", "\"executable\":\"");
    tools.xcrun(&nowhere);
    let close = Action::Close(Some("com.example.app".to_owned()));
    let error = phone.perform(&close, &call()).await.unwrap_err();
    assert!(error.message().contains("`url`"), "{error:?}");
    assert!(error.dispatched().is_no(), "{error:?}");
    let calls = tools.calls();
    assert!(!calls.contains("process terminate"), "{calls}");
}

#[tokio::test]
async fn a_phone_that_devicectl_does_not_know_is_driven_by_the_runner_alone() {
    let runner = Scripted::start(|_, _, _| None).await;
    let tools = Tools::new("exec sleep 600");
    let (phone, _daemon) = phone(&tools, &runner).await;
    tools.xcrun("case \"$*\" in *devicectl*) echo 'ERROR: The specified device was not found. (Name: U) (com.apple.dt.CoreDeviceError error 1000.)' >&2; exit 1;; esac");
    let open = |target| Action::Open(target);
    phone
        .perform(
            &open(OpenTarget::App("com.example.app".to_owned())),
            &call(),
        )
        .await
        .unwrap();
    phone.perform(&Action::Close(None), &call()).await.unwrap();
    for verb in ["activate", "terminate"] {
        assert_eq!(
            runner.requests(verb)[0]["appBundleId"],
            "com.example.app",
            "{:?}",
            runner.commands()
        );
    }
    let error = phone
        .perform(&open(OpenTarget::Url("fixture://x".to_owned())), &call())
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.dispatched().is_no()),
        (ErrorCode::UnsupportedOperation, true)
    );
}

#[tokio::test]
async fn a_runner_that_can_not_see_leaves_the_picture_to_the_simulator() {
    let runner = Scripted::start(|command, _, _| {
        (command == "screenshot").then(|| Act::Reply(failed("COMMAND_FAILED")))
    })
    .await;
    let tools = Tools::new(&says_port(runner.address.port()));
    // The first picture is not all there yet.
    let header = "\\211PNG\\r\\n\\032\\n\\000\\000\\000\\rIHDR\\000\\000\\003\\044";
    tools.xcrun(&format!(
        "case $4 in screenshot) for file; do :; done; printf '{header}' > \"$file\"\n\
         [ -f \"$here/taken\" ] && printf 'IEND\\256B`\\202' >> \"$file\"; touch \"$here/taken\";; esac"
    ));
    let apple = connect(&tools).await.unwrap();
    let picture = apple.screenshot(&call()).await.unwrap();
    assert_eq!(picture.png.len(), 28);
    assert_eq!(tools.calls().matches(" screenshot ").count(), 2);
    assert_eq!(picture.scale, 0.0, "the screen was not looked at yet");
    apple
        .capture(
            &agent_device_core::snapshot::CaptureOptions::default(),
            &call(),
        )
        .await
        .unwrap();
    assert_eq!(apple.screenshot(&call()).await.unwrap().scale, 2.0);
    let mut config = tools.config();
    config.max_picture = 27;
    let small = Apple::connect(
        AppleTarget::Simulator {
            platform: Platform::Ios,
            udid: UDID.to_owned(),
        },
        config,
    );
    apple.close().await;
    assert!(small.await.unwrap().screenshot(&call()).await.is_err());
    // A runner of somebody else's has no tool beside it.
    let bare = crate::peers::attached(runner.address, crate::peers::fast());
    assert!(bare.screenshot(&call()).await.is_err());
}
