//! The adb server and the adb program, as Debian ships them.

use std::time::Duration;

use agent_device_android::{
    AdbConfig,
    adb::{AdbServer, DeviceState, Endpoint, Remote, ShellCommand},
};
use agent_device_core::{Call, ErrorCode};

use crate::peers::{DeadDevice, Folder, Reach, RealServer, adb, fake_adb, free_port};

fn call() -> Call {
    Call::standalone(Duration::from_secs(20))
}

#[tokio::test]
async fn a_real_server_tells_what_it_knows() {
    for real in RealServer::each(AdbConfig::default()).await {
        what_it_knows(real).await;
    }
}

async fn what_it_knows(real: RealServer) {
    let server = &real.server;
    assert!(server.version(&call()).await.unwrap() >= 39);
    assert!(server.features(&call()).await.unwrap().has("shell_v2"));
    assert_eq!(server.devices(&call()).await.unwrap(), []);
    assert_eq!(server.forwards(&call()).await.unwrap(), []);
    let answer = server.connect("127.0.0.1:1", &call()).await.unwrap();
    assert!(
        answer.contains("failed to connect") || answer.contains("cannot connect"),
        "{answer}"
    );

    let nobody = server.device("nope").unwrap();
    for error in [
        nobody.features(&call()).await.unwrap_err(),
        nobody.state(&call()).await.unwrap_err(),
        nobody.forward(&Remote::Tcp(1), &call()).await.unwrap_err(),
        nobody.stat("/x", &call()).await.unwrap_err(),
    ] {
        assert_eq!(error.code(), ErrorCode::DeviceNotFound, "{error:?}");
        assert!(error.dispatched().is_no());
    }
    let short = Call::standalone(Duration::from_millis(200));
    let error = nobody.wait_for("device", &short).await.unwrap_err();
    assert!(error.dispatched().is_no());
    real.stop().await;
}

#[tokio::test]
async fn devices_that_can_not_be_used_are_listed_with_their_state() {
    for real in RealServer::each(AdbConfig::default()).await {
        unusable_devices(real).await;
    }
}

async fn unusable_devices(real: RealServer) {
    let mut tracker = real.server.track_devices(&call()).await.unwrap();
    assert_eq!(tracker.next(&call()).await.unwrap(), []);
    let silent = DeadDevice::start(Reach::Silent).await;
    let short = Call::standalone(Duration::from_secs(1));
    let _ = real.server.connect(&silent.address, &short).await;
    let devices = loop {
        let devices = tracker.next(&call()).await.unwrap();
        if devices
            .iter()
            .any(|device| device.state == DeviceState::Offline)
        {
            break devices;
        }
    };
    assert_eq!(devices.len(), 1);
    assert_eq!(devices[0].serial, silent.address);
    real.stop().await;
}

#[tokio::test]
async fn a_server_that_does_not_run_is_started_once() {
    let Some(adb) = adb() else { return };
    // The server takes its home from us; a wrapper gives it one of its own and counts.
    let folder = Folder::new("adb-start");
    let home = folder.path().display();
    let script = format!(
        "echo run >>{home}/runs; HOME={home} exec {} \"$@\"",
        adb.display()
    );
    let mut config = AdbConfig::default();
    config.program = Some(fake_adb(&folder, &script));
    let server = AdbServer::new(Endpoint::local(free_port().await), config);
    let (call_a, call_b) = (call(), call());
    let (a, b) = tokio::join!(server.version(&call_a), server.version(&call_b));
    assert_eq!(a.unwrap(), b.unwrap());
    let runs = std::fs::read_to_string(folder.path().join("runs")).unwrap();
    assert_eq!(runs.lines().count(), 1);
    server.kill(&call()).await.unwrap();
}

#[tokio::test]
async fn a_start_that_fails_or_hangs_is_a_no_within_its_deadline() {
    let folder = Folder::new("adb-broken");
    for (script, code) in [
        ("echo 'cannot bind' >&2; exit 1", ErrorCode::CommandFailed),
        ("sleep 60", ErrorCode::CommandFailed),
    ] {
        let mut config = AdbConfig::default();
        config.program = Some(fake_adb(&folder, script));
        config.start_timeout = Duration::from_millis(300);
        let server = AdbServer::new(Endpoint::local(free_port().await), config);
        let error = server.version(&call()).await.unwrap_err();
        assert_eq!(error.code(), code);
        assert_eq!(error.reason(), Some("server_unreachable"));
        assert!(error.dispatched().is_no());
    }
}

#[tokio::test]
async fn the_program_stands_in_for_a_server_that_only_it_can_reach() {
    let folder = Folder::new("adb-program");
    let run = async |script: &str| {
        let mut config = AdbConfig::default();
        config.program = Some(fake_adb(&folder, script));
        let server = AdbServer::new(Endpoint::Program("localfilesystem:/x".into()), config);
        let device = server.device("x").unwrap();
        let command = ShellCommand::new("echo").unwrap().arg("a b").unwrap();
        device.shell(&command, &call()).await
    };
    // As adb does: the last argument is for the shell of the device.
    let output =
        run("printf '%s|' \"$1\" \"$2\" \"$3\" \"$4\" \"$5\"; sh -c \"$6\"; echo e >&2; exit 7")
            .await
            .unwrap();
    assert_eq!(
        output.stdout_text(),
        "-L|localfilesystem:/x|-s|x|shell|a b\n"
    );
    assert_eq!((output.stderr_text().as_ref(), output.code), ("e\n", 7));

    for (script, no) in [
        ("echo \"error: device 'x' not found\" >&2; exit 1", true),
        ("echo 'adb: device offline' >&2; exit 1", true),
        (
            "printf 'error: device unauthorized.\\nTry '\\''adb kill-server'\\'' if that seems wrong.\\n' >&2; exit 1",
            true,
        ),
    ] {
        assert_eq!(
            run(script).await.unwrap_err().dispatched().is_no(),
            no,
            "{script}"
        );
    }
    // A refusal beside anything else proves nothing: it is only an output.
    let output = run("echo out; echo 'error: device offline' >&2; exit 1")
        .await
        .unwrap();
    assert_eq!(output.code, 1);

    // Offline is waited for, once, and then asked once more.
    let mark = folder.path().join("waited");
    let (waits, marks) = (format!("touch {0}", mark.display()), mark.display());
    let script = format!(
        "case \"$*\" in *wait-for-device) {waits};; *) [ -e {marks} ] && echo done && exit 0; echo 'error: device offline' >&2; exit 1;; esac"
    );
    assert_eq!(run(&script).await.unwrap().stdout_text(), "done\n");

    // A program that hangs costs its deadline, and what it started goes with it.
    let mark = folder.path().join("alive");
    let script = format!("(sleep 1; touch {}) & sleep 60", mark.display());
    let mut config = AdbConfig::default();
    config.program = Some(fake_adb(&folder, &script));
    let server = AdbServer::new(Endpoint::Program("localfilesystem:/x".into()), config);
    let short = Call::standalone(Duration::from_millis(300));
    let device = server.device("x").unwrap();
    let command = ShellCommand::new("id").unwrap();
    let error = device.shell(&command, &short).await.unwrap_err();
    assert!(
        !error.dispatched().is_no(),
        "a started process may have done its work"
    );
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert!(!mark.exists());
}
