//! Servers that fail in every phase: what the failure says about dispatch, and that nothing is sent twice.

use std::time::Duration;

use agent_device_android::{
    AdbConfig, Apps, InstallOptions, Permission,
    adb::{AdbDevice, DeviceSelector, Remote, ShellCommand, ShellEvent},
};
use agent_device_core::{Call, ErrorCode};

use crate::peers::{Folder, Scripted, Step, fail, frame, okay, okay_text};

fn call() -> Call {
    Call::standalone(Duration::from_secs(10))
}

fn tap() -> ShellCommand {
    let command = ShellCommand::new("input").unwrap();
    command.args(["tap", "1", "1"]).unwrap()
}

fn device(peer: &Scripted) -> AdbDevice {
    peer.server.device("x").unwrap().with_features("shell_v2")
}

/// Selects the device and takes the service request.
fn started(rest: Vec<Step>) -> Vec<Step> {
    [vec![Step::Request, okay(), Step::Request], rest].concat()
}

#[tokio::test]
async fn a_fault_before_the_service_request_is_a_no_and_after_it_unknown() {
    let send = |bytes: &[u8]| Step::Send(bytes.to_vec());
    let table = [
        ("closed at once", vec![], true),
        ("reset at once", vec![Step::Reset], true),
        ("closed after the selection", vec![Step::Request], true),
        (
            "reset after the selection",
            vec![Step::Request, Step::Reset],
            true,
        ),
        ("half a status", vec![Step::Request, send(b"OK")], true),
        (
            "garbage for a status",
            vec![Step::Request, send(b"HTTP/1.1 400")],
            true,
        ),
        (
            "a failure without its text",
            vec![Step::Request, send(b"FAIL")],
            true,
        ),
        (
            "a failure with half a length",
            vec![Step::Request, send(b"FAIL00")],
            true,
        ),
        (
            "a failure with a wild length",
            vec![Step::Request, send(b"FAILzzzz")],
            true,
        ),
        (
            "a failure cut short",
            vec![Step::Request, send(b"FAIL00ffoff")],
            true,
        ),
        ("closed after the request", started(vec![]), false),
        ("reset after the request", started(vec![Step::Reset]), false),
        (
            "garbage for the service",
            started(vec![send(b"\0\0\0\0")]),
            false,
        ),
        ("no service", started(vec![fail("closed")]), false),
        (
            "offline in place of a service",
            started(vec![fail("device offline")]),
            false,
        ),
        ("closed before a frame", started(vec![okay()]), false),
        (
            "half a frame",
            started(vec![okay(), send(&[1, 9, 0, 0, 0, b'x'])]),
            false,
        ),
        (
            "output without an end",
            started(vec![okay(), Step::Send(frame(1, b"x"))]),
            false,
        ),
        (
            "reset in the output",
            started(vec![okay(), Step::Send(frame(1, b"x")), Step::Reset]),
            false,
        ),
        (
            "a frame of 4 GiB",
            started(vec![
                okay(),
                send(&[1, 255, 255, 255, 255]),
                Step::Flood(vec![b'x'; 65536]),
            ]),
            false,
        ),
        (
            "output without limit",
            started(vec![okay(), Step::Flood(frame(2, &[b'x'; 4096]))]),
            false,
        ),
        (
            "garbage for frames",
            started(vec![okay(), send(b"garbage garbage")]),
            false,
        ),
    ];
    for (name, script, no) in table {
        let started = script.len() > 3
            || script
                .iter()
                .filter(|step| matches!(step, Step::Request))
                .count()
                > 1;
        let mut config = AdbConfig::default();
        config.max_output = 1 << 20;
        let peer = Scripted::start_with(vec![script], config).await;
        let error = device(&peer).shell(&tap(), &call()).await.unwrap_err();
        assert_eq!(error.dispatched().is_no(), no, "{name}: {error:?}");
        assert!(error.row().is_some(), "{name}: {error:?}");
        let sent = peer
            .requests()
            .iter()
            .filter(|request| request.starts_with("shell"))
            .count();
        assert_eq!(sent, usize::from(started), "{name}: sent once or never");
    }
}

#[tokio::test]
async fn a_deadline_and_a_cancellation_know_whether_the_command_was_sent() {
    for (script, no) in [
        (vec![Step::Request, Step::Hang], true),
        (started(vec![Step::Hang]), false),
        (started(vec![okay(), Step::Hang]), false),
    ] {
        let peer = Scripted::start(vec![script]).await;
        let device = device(&peer);
        let short = Call::standalone(Duration::from_millis(150));
        let error = device.shell(&tap(), &short).await.unwrap_err();
        assert_eq!(error.dispatched().is_no(), no, "{error:?}");
        assert_eq!(error.reason(), Some("deadline_exceeded"));

        let (call, tap) = (call(), tap());
        let cancel = call.cancel().clone();
        let stop = async move {
            tokio::time::sleep(Duration::from_millis(150)).await;
            cancel.cancel();
            std::future::pending::<()>().await;
        };
        let error = tokio::select! {
            result = device.shell(&tap, &call) => result.unwrap_err(),
            () = stop => unreachable!(),
        };
        assert_eq!(error.dispatched().is_no(), no, "{error:?}");
        assert_eq!(error.reason(), Some("request_canceled"));
    }
}

#[tokio::test]
async fn a_call_that_is_over_sends_nothing() {
    let peer = Scripted::start(vec![started(vec![okay()])]).await;
    let canceled = call();
    canceled.cancel().cancel();
    for call in [canceled, Call::standalone(Duration::ZERO)] {
        let error = device(&peer).shell(&tap(), &call).await.unwrap_err();
        assert!(error.dispatched().is_no(), "{error:?}");
    }
    assert!(peer.requests().is_empty());
}

#[tokio::test]
async fn output_and_exit_code_are_read_however_the_stream_is_cut() {
    let stream = [
        frame(1, b"out"),
        frame(7, b"a channel of the future"),
        frame(2, b"err"),
        frame(1, b""),
        frame(1, b"put"),
        frame(3, &[42]),
    ]
    .concat();
    let mut script = vec![okay()];
    script.extend(stream.iter().map(|byte| Step::Send(vec![*byte])));
    let peer = Scripted::start(vec![started(script)]).await;
    let output = device(&peer).shell(&tap(), &call()).await.unwrap();
    assert_eq!(output.stdout, b"output");
    assert_eq!(output.stderr, b"err");
    assert_eq!(output.code, 42);
    assert_eq!(
        peer.requests(),
        ["host:transport:x", "shell,v2,raw:input tap 1 1"]
    );
    let error = output.checked(&tap()).unwrap_err();
    assert!(!error.dispatched().is_no());
    assert_eq!(error.detail("exitCode"), Some(&42.into()));
}

#[tokio::test]
async fn a_stream_that_is_given_up_between_pieces_loses_nothing() {
    let cut = frame(1, b"piece");
    // A head in two parts: the second comes when this end asks for it.
    let script = vec![
        okay(),
        Step::Send(frame(1, b"a")),
        Step::Send(cut[..3].to_vec()),
        Step::Line,
        Step::Send(cut[3..].to_vec()),
        Step::Hang,
    ];
    let peer = Scripted::start(vec![started(script)]).await;
    let mut stream = device(&peer).spawn(&tap(), &call()).await.unwrap();
    assert_eq!(
        stream.next(&call()).await.unwrap(),
        Some(ShellEvent::Stdout(b"a".to_vec()))
    );
    let short = Call::standalone(Duration::from_millis(100));
    let error = stream.next(&short).await.unwrap_err();
    assert!(!error.dispatched().is_no());
    stream.write(b"\n", &call()).await.unwrap();
    let mut told = Vec::new();
    while told.len() < 5 {
        match stream.next(&call()).await.unwrap() {
            Some(ShellEvent::Stdout(data)) => told.extend(data),
            other => panic!("{other:?} after {told:?}"),
        }
    }
    assert_eq!(told, b"piece");
    let script = started(vec![
        okay(),
        Step::Send(frame(2, b"b")),
        Step::Send(frame(3, &[0])),
    ]);
    let peer = Scripted::start(vec![script]).await;
    let mut stream = device(&peer).spawn(&tap(), &call()).await.unwrap();
    assert_eq!(
        stream.next(&call()).await.unwrap(),
        Some(ShellEvent::Stderr(b"b".to_vec()))
    );
    assert_eq!(
        stream.next(&call()).await.unwrap(),
        Some(ShellEvent::Exit(Some(0)))
    );
    assert_eq!(stream.next(&call()).await.unwrap(), None);
}

/// A command that prints this and ends.
fn printed(text: &str, code: u8) -> Vec<Step> {
    started(vec![
        okay(),
        Step::Send(frame(1, text.as_bytes())),
        Step::Send(frame(3, &[code])),
    ])
}

#[tokio::test]
async fn an_operation_of_several_sends_never_denies_those_that_landed() {
    // Each connection serves one command; the last one is cut before the device is selected, which alone would be a `no`.
    let cut = || vec![Step::Request];
    let here = || printed("package:/data/app/base.apk\n", 0);
    let (user, level) = (|| printed("0\n", 0), || printed("34\n", 0));
    let (nothing, running) = (|| printed("", 0), || printed("--\n", 0));
    let (permission, call) = (Permission::Location, call());
    let apps = async |scripts: Vec<Vec<Step>>| {
        let peer = Scripted::start(scripts).await;
        (Apps::of(&device(&peer)), peer)
    };
    let app = "com.a.shop";
    let (cleared, _peer) = apps(vec![here(), nothing(), cut()]).await;
    let cleared = cleared.clear(app, &call).await.unwrap_err();
    let (granted, _peer) = apps(vec![here(), user(), level(), nothing(), cut()]).await;
    let granted = granted.grant(app, &permission, &call).await.unwrap_err();
    let scripts = vec![running(), here(), user(), level(), nothing(), cut()];
    let (revoked, _peer) = apps(scripts).await;
    let revoked = revoked.revoke(app, &permission, &call).await.unwrap_err();
    let scripts = vec![here(), user(), level(), nothing(), nothing(), cut()];
    let (reset, _peer) = apps(scripts).await;
    let reset = reset.reset(app, &permission, &call).await.unwrap_err();
    for (error, steps) in [(cleared, 1), (granted, 1), (revoked, 1), (reset, 2)] {
        assert!(!error.dispatched().is_no(), "{error:?}");
        assert_eq!(error.dispatched_steps(), steps, "{error:?}");
    }
    assert_eq!(call.ledger().steps(), 5, "the request knows of all");

    // What one operation of a request has sent is not the next one's.
    let (unsent, _peer) = apps(vec![here(), cut()]).await;
    let unsent = unsent.clear(app, &call).await.unwrap_err();
    assert!(unsent.dispatched().is_no(), "{unsent:?}");
}

#[tokio::test]
async fn a_package_manager_that_died_does_not_deny_an_app() {
    let peer = Scripted::start(vec![printed("", 137)]).await;
    let apps = Apps::of(&device(&peer));
    for error in [
        apps.open("com.a.shop", &call()).await.unwrap_err(),
        apps.clear("com.a.shop", &call()).await.unwrap_err(),
    ] {
        assert_eq!(error.code(), ErrorCode::CommandFailed, "{error:?}");
    }
}

#[tokio::test]
async fn what_is_no_file_is_not_waited_for() {
    let folder = Folder::new("no-apk");
    let pipe = folder.path().join("pipe");
    let made = tokio::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.await.unwrap().success());
    let peer = Scripted::start(vec![]).await;
    let apps = Apps::of(&device(&peer));
    for path in [pipe.as_path(), folder.path()] {
        let (options, call) = (InstallOptions::default(), call());
        let install = apps.install(path, &options, &call);
        let error = tokio::time::timeout(Duration::from_secs(5), install).await;
        // Lets go whoever waits for a writer: the runtime would wait for it.
        let _both = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(&pipe);
        let error = error.expect("it must not hang").unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgs, "{error:?}");
        assert_eq!(error.detail("field"), Some(&"apk".into()), "{error:?}");
        assert!(error.dispatched().is_no());
    }
    assert!(peer.requests().is_empty());
}

/// A file that was pushed for an install goes, also when the push breaks off or the install never answers.
#[tokio::test(flavor = "multi_thread")]
async fn a_pushed_app_is_removed_however_its_install_ends() {
    let removed = || started(vec![okay(), Step::Send(frame(3, &[0]))]);
    let mut broken = started(vec![okay()]);
    broken.push(Step::Reset);
    let held = started(vec![okay(), Step::Hang]);
    for scripts in [vec![broken, removed()], vec![held, removed()]] {
        let peer = Scripted::start(scripts).await;
        let apps = Apps::of(&device(&peer));
        let mut options = InstallOptions::default();
        options.timeout = Duration::from_millis(300);
        let error = apps.install_bytes(b"PK", &options, &call()).await;
        error.unwrap_err();
        let requests = peer.requests();
        let last = requests.last().unwrap();
        assert!(
            last.contains("rm -f /data/local/tmp/agent-device-"),
            "{requests:?}"
        );
    }
}

#[tokio::test]
async fn a_device_that_was_offline_is_waited_for_and_asked_once_more() {
    let refused = vec![Step::Request, fail("device offline")];
    let waited = vec![Step::Request, okay(), okay()];
    let done = started(vec![okay(), Step::Send(frame(3, &[0]))]);
    let peer = Scripted::start(vec![refused.clone(), waited, done]).await;
    assert_eq!(device(&peer).shell(&tap(), &call()).await.unwrap().code, 0);
    assert_eq!(
        peer.requests(),
        [
            "host:transport:x",
            "host-serial:x:wait-for-any-device",
            "host:transport:x",
            "shell,v2,raw:input tap 1 1"
        ]
    );

    // One that stays offline is not waited for again.
    let waited = vec![Step::Request, okay(), okay()];
    let peer = Scripted::start(vec![refused.clone(), waited, refused]).await;
    for wanted in [3, 4] {
        let error = device(&peer).shell(&tap(), &call()).await.unwrap_err();
        assert!(error.dispatched().is_no());
        assert_eq!(error.reason(), Some("device_offline"));
        assert_eq!(error.retriable(), Some(true));
        assert_eq!(peer.requests().len(), wanted);
    }
}

#[tokio::test]
async fn other_refusals_are_not_waited_for() {
    for (text, code) in [
        (
            "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set",
            ErrorCode::Unauthorized,
        ),
        ("device 'x' not found", ErrorCode::DeviceNotFound),
        ("more than one device/emulator", ErrorCode::AmbiguousMatch),
    ] {
        let peer = Scripted::start(vec![vec![Step::Request, fail(text)]]).await;
        let error = device(&peer).shell(&tap(), &call()).await.unwrap_err();
        assert!(error.dispatched().is_no());
        assert_eq!(error.code(), code);
        assert_eq!(error.detail("adbHostRefusal"), Some(&true.into()));
        assert_eq!(peer.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_device_without_shell_v2_tells_the_exit_code_by_a_marker() {
    let features = vec![Step::Request, okay_text("cmd,stat_v2")];
    let silent = started(vec![okay(), Step::Send(b"output".to_vec())]);
    let peer = Scripted::start(vec![features, silent]).await;
    let device = peer.server.device(DeviceSelector::TransportId(3)).unwrap();
    let error = device.shell(&tap(), &call()).await.unwrap_err();
    // The end of the stream alone may be the end of the device.
    assert!(!error.dispatched().is_no(), "{error:?}");
    let requests = peer.requests();
    assert_eq!(
        requests[..2],
        ["host-transport-id:3:features", "host:transport-id:3"]
    );
    assert!(requests[2].starts_with("exec:{ input tap 1 1\n} </dev/null 2>&1; echo agent-device-"));
    let error = device
        .shell_with_input(&tap(), b"x", &call())
        .await
        .unwrap_err();
    assert!(error.dispatched().is_no());
}

#[tokio::test]
async fn a_pulled_file_is_bounded_and_a_broken_one_is_no_file() {
    let data = |length: u32, bytes: &[u8]| {
        let mut message = b"DATA".to_vec();
        message.extend_from_slice(&length.to_le_bytes());
        message.extend_from_slice(bytes);
        Step::Send(message)
    };
    let done = Step::Send(b"DONE\0\0\0\0".to_vec());
    for (name, steps) in [
        ("too large a piece", vec![data(65537, b"")]),
        ("a piece of 4 GiB", vec![data(u32::MAX, b"")]),
        ("cut short", vec![data(10, b"abc")]),
        ("no end", vec![data(3, b"abc")]),
        ("garbage", vec![Step::Send(b"garbage!garbage!".to_vec())]),
        (
            "too large a file",
            vec![
                data(60_000, &[0; 60_000]),
                data(60_000, &[0; 60_000]),
                done.clone(),
            ],
        ),
    ] {
        let mut config = AdbConfig::default();
        config.max_file = 100_000;
        let script = [started(vec![okay()]), steps].concat();
        let peer = Scripted::start_with(vec![script], config).await;
        let result = device(&peer).pull("/x", &call()).await;
        assert!(result.is_err(), "{name}");
    }
    let script = [
        started(vec![okay()]),
        vec![data(3, b"abc"), data(0, b""), data(1, b"d"), done],
    ]
    .concat();
    let peer = Scripted::start(vec![script]).await;
    assert_eq!(device(&peer).pull("/x", &call()).await.unwrap(), b"abcd");
    for bad in ["", "a\0b", &"x".repeat(2000)] {
        let error = device(&peer).pull(bad, &call()).await.unwrap_err();
        assert!(error.dispatched().is_no());
    }
}

#[tokio::test]
async fn a_forward_is_removed_when_it_is_dropped() {
    let forward = vec![
        Step::Request,
        okay(),
        okay(),
        Step::Send(b"000534567".to_vec()),
    ];
    let removed = vec![Step::Request, okay(), okay()];
    let peer = Scripted::start(vec![forward.clone(), removed]).await;
    let remote = Remote::LocalAbstract("agent".into());
    let forward = device(&peer).forward(&remote, &call()).await.unwrap();
    assert_eq!(forward.port(), 34567);
    // Dropping blocks for an instant, so the peer needs a thread of its own.
    tokio::task::spawn_blocking(move || drop(forward))
        .await
        .unwrap();
    assert_eq!(
        peer.requests(),
        [
            "host-serial:x:forward:tcp:0;localabstract:agent",
            "host-serial:x:killforward:tcp:34567"
        ]
    );
}

#[tokio::test]
async fn the_list_of_devices_is_followed_over_cut_texts() {
    let list = |text: &str| format!("{:04x}{text}", text.len()).into_bytes();
    let (first, second) = (list("a\tdevice\n"), list("a\toffline\nb\tdevice\n"));
    let cut = [first.clone(), second[..6].to_vec()].concat();
    let script = vec![
        Step::Request,
        okay(),
        Step::Send(cut),
        Step::Send(second[6..].to_vec()),
        Step::Send(b"oops".to_vec()),
    ];
    let peer = Scripted::start(vec![script]).await;
    let mut tracker = peer.server.track_devices(&call()).await.unwrap();
    assert_eq!(tracker.next(&call()).await.unwrap().len(), 1);
    assert_eq!(tracker.next(&call()).await.unwrap().len(), 2);
    assert!(tracker.next(&call()).await.is_err());
}
