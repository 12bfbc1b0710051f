//! A real adb daemon: Debian's `adbd` in the testbed's device, behind a real adb server.

use std::time::Duration;

use agent_device_android::{
    AdbConfig,
    adb::{AdbDevice, AdbServer, DeviceState, Endpoint, Remote, ShellCommand, ShellEvent},
};
use agent_device_core::{Call, dispatch::rows::android_adb as rows};
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::TestRunner,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::{
    peers::{RealServer, adb},
    quoting::{joined, words},
    testbed::TestbedDevice,
};

fn call() -> Call {
    Call::standalone(Duration::from_secs(30))
}

fn command(words: &[&str]) -> ShellCommand {
    let command = ShellCommand::new(words[0]).unwrap();
    command.args(&words[1..]).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_daemon_does_what_it_is_asked() {
    let Some(peer) = TestbedDevice::up().await else {
        return;
    };
    let mut config = AdbConfig::default();
    config.max_output = 8 << 20;
    for real in RealServer::each(config).await {
        println!("{:?}", real.server.version(&call()).await);
        one_server(&peer, real).await;
    }
}

async fn one_server(peer: &TestbedDevice, real: RealServer) {
    let device = peer.on(&real.server).await;
    assert_eq!(device.state(&call()).await.unwrap(), "device");
    assert!(device.features(&call()).await.unwrap().has("shell_v2"));
    let listed = real.server.devices(&call()).await.unwrap();
    assert_eq!(listed[0].serial, peer.address);
    assert!(listed[0].transport_id.is_some());

    shell(&device).await;
    let legacy = real.server.device(peer.address.as_str()).unwrap();
    without_shell_v2(&legacy.with_features("cmd")).await;
    by_the_program(&real.server, &peer.address).await;
    every_word_arrives(&device, 40).await;
    streams(&device).await;
    files(&device).await;
    forwards(&device).await;
    a_command_costs_two_round_trips(&device).await;
    a_device_that_goes_away_leaves_it_unknown(&device, &peer.address).await;
    a_device_that_comes_back_is_asked_once_more(&real.server, peer).await;
    real.stop().await;
}

async fn shell(device: &AdbDevice) {
    let script = ShellCommand::script("echo out; echo err >&2; exit \"$1\"");
    let output = device
        .shell(&script.arg("7").unwrap(), &call())
        .await
        .unwrap();
    assert_eq!(
        (
            output.stdout_text().as_ref(),
            output.stderr_text().as_ref(),
            output.code
        ),
        ("out\n", "err\n", 7)
    );
    let missing = command(&["no-such-program"]);
    assert_eq!(device.shell(&missing, &call()).await.unwrap().code, 127);

    // The command would read for ever if its input did not end.
    assert_eq!(
        device
            .shell(&command(&["cat"]), &call())
            .await
            .unwrap()
            .code,
        0
    );
    let input: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
    let echo = device
        .shell_with_input(&command(&["cat"]), &input, &call())
        .await
        .unwrap();
    assert!(
        echo.stdout == input,
        "input and output keep every byte, both ways at once"
    );
    // A command that ends before it has read everything: its exit code comes, its output may be lost by the daemon.
    let head = command(&["head", "-c", "1"]);
    let head = device
        .shell_with_input(&head, &input, &call())
        .await
        .unwrap();
    assert!(head.code == 0 && head.stdout.len() <= 1);
    let raw = device
        .exec(&command(&["head", "-c", "3000000", "/dev/zero"]), &call())
        .await
        .unwrap();
    assert!(raw.len() == 3_000_000 && raw.iter().all(|byte| *byte == 0));

    let endless = device
        .shell(&command(&["cat", "/dev/zero"]), &call())
        .await
        .unwrap_err();
    assert_eq!(endless.row(), Some(rows::OUTPUT_TOO_LARGE.row()));
    let short = Call::standalone(Duration::from_millis(300));
    let slow = device
        .shell(&command(&["sleep", "20"]), &short)
        .await
        .unwrap_err();
    assert_eq!(slow.row(), Some(rows::TIMEOUT_AFTER_REQUEST.row()));
}

async fn without_shell_v2(device: &AdbDevice) {
    let script = ShellCommand::script("printf 'out\\n\\0'; echo err >&2; exit \"$1\"");
    let output = device
        .shell(&script.arg("9").unwrap(), &call())
        .await
        .unwrap();
    assert_eq!(output.stdout, b"out\n\0err\n");
    assert_eq!(output.code, 9);
    assert_eq!(
        device
            .shell(&command(&["cat"]), &call())
            .await
            .unwrap()
            .code,
        0
    );
    every_word_arrives(device, 10).await;
}

/// adb passes on what a command prints to stderr, and the command may use adb's own words.
async fn by_the_program(server: &AdbServer, address: &str) {
    let (Some(program), Endpoint::Tcp { port, .. }) = (adb(), server.endpoint()) else {
        return;
    };
    let mut config = AdbConfig::default();
    config.program = Some(program);
    let server = AdbServer::new(Endpoint::Program(format!("tcp:127.0.0.1:{port}")), config);
    let device = server.device(address).unwrap();
    let file = "/data/local/tmp/agent-device-ran";
    let script = "echo ran >>\"$1\"; echo 'error: device offline' >&2; exit 1";
    let script = ShellCommand::script(script).arg(file).unwrap();
    let output = device.shell(&script, &call()).await.unwrap();
    assert_eq!(
        (output.stdout_text().as_ref(), output.code),
        ("", 1),
        "{output:?}"
    );
    let failed = output.checked(&script).unwrap_err();
    assert!(!failed.dispatched().is_no(), "{failed:?}");
    let raw = device
        .exec(&command(&["cat", file]), &call())
        .await
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&raw), "ran\n", "it ran once");
    let remove = command(&["rm", file]);
    device.shell(&remove, &call()).await.unwrap();
    every_word_arrives(&device, 5).await;
}

async fn every_word_arrives(device: &AdbDevice, cases: u32) {
    let mut runner = TestRunner::deterministic();
    for _ in 0..cases {
        let words = words().new_tree(&mut runner).unwrap().current();
        let line = command(&["printf", "%s\\0"]).args(&words).unwrap();
        let output = device.shell(&line, &call()).await.unwrap();
        assert_eq!(output.stdout, joined(&words));
    }
}

async fn streams(device: &AdbDevice) {
    let script = ShellCommand::script("while read line; do echo \"<$line>\"; done; exit 3");
    let mut stream = device.spawn(&script, &call()).await.unwrap();
    for word in ["a", "b"] {
        stream
            .write(format!("{word}\n").as_bytes(), &call())
            .await
            .unwrap();
        let answer = stream.next(&call()).await.unwrap();
        assert_eq!(
            answer,
            Some(ShellEvent::Stdout(format!("<{word}>\n").into_bytes()))
        );
    }
    let short = Call::standalone(Duration::from_millis(100));
    assert!(stream.next(&short).await.is_err(), "nothing comes");
    stream.close_stdin(&call()).await.unwrap();
    assert_eq!(
        stream.next(&call()).await.unwrap(),
        Some(ShellEvent::Exit(Some(3)))
    );
    assert_eq!(stream.next(&call()).await.unwrap(), None);
}

async fn files(device: &AdbDevice) {
    let data: Vec<u8> = (0..1_000_001_u32).map(|at| (at % 253) as u8).collect();
    for (path, data) in [
        ("/data/local/tmp/agent device/ünï,code;'x'", &data[..]),
        ("/data/local/tmp/agent device/empty", b""),
        ("/data/local/tmp/agent device/whole", &data[..65536]),
    ] {
        device.push(data, path, 0o640, &call()).await.unwrap();
        assert!(device.pull(path, &call()).await.unwrap() == data, "{path}");
        let stat = device.stat(path, &call()).await.unwrap().unwrap();
        assert!(stat.is_file() && !stat.is_dir());
        assert_eq!(stat.size as usize, data.len());
    }
    let folder = device
        .stat("/data/local/tmp", &call())
        .await
        .unwrap()
        .unwrap();
    assert!(folder.is_dir());
    assert_eq!(device.stat("/no/such/file", &call()).await.unwrap(), None);
    for error in [
        device.pull("/no/such/file", &call()).await.unwrap_err(),
        device
            .push(&data[..], "/proc/version", 0o644, &call())
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.row(), Some(rows::FILE_REFUSED.row()), "{error:?}");
    }
    let remove = command(&["rm", "-r", "/data/local/tmp/agent device"]);
    device
        .shell(&remove, &call())
        .await
        .unwrap()
        .checked(&remove)
        .unwrap();
}

async fn forwards(device: &AdbDevice) {
    let count = async || device.server().forwards(&call()).await.unwrap().len();
    let before = count().await;
    let echo = command(&["toybox", "nc", "-s", "127.0.0.1", "-p", "7654", "-l", "cat"]);
    let listening = device.spawn(&echo, &call()).await.unwrap();
    let forward = device.forward(&Remote::Tcp(7654), &call()).await.unwrap();
    assert_eq!(count().await, before + 1);
    let mut answer = Vec::new();
    for _ in 0..50 {
        // Until the listener stands, the connection is taken by the server and ends at once.
        let mut stream = tokio::net::TcpStream::connect(forward.address().unwrap())
            .await
            .unwrap();
        let _ = stream.write_all(b"hello").await;
        let mut bytes = [0; 5];
        if stream.read_exact(&mut bytes).await.is_ok() {
            answer = bytes.to_vec();
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(answer, b"hello");
    drop(listening);
    forward.close(&call()).await.unwrap();
    assert_eq!(count().await, before);
    let forward = device
        .forward(&Remote::LocalAbstract("nobody".into()), &call())
        .await
        .unwrap();
    assert_eq!(count().await, before + 1);
    drop(forward);
    assert_eq!(count().await, before);
}

async fn a_command_costs_two_round_trips(device: &AdbDevice) {
    let nothing = command(&["true"]);
    let mut times = Vec::new();
    for _ in 0..50 {
        let start = std::time::Instant::now();
        device.shell(&nothing, &call()).await.unwrap();
        times.push(start.elapsed());
    }
    times.sort();
    println!("shell true: median {:?}, best {:?}", times[25], times[0]);
}

async fn a_device_that_goes_away_leaves_it_unknown(device: &AdbDevice, address: &str) {
    let sleep = command(&["sleep", "20"]);
    let call_of_it = call();
    let running = device.shell(&sleep, &call_of_it);
    let server = device.server().clone();
    let address = address.to_owned();
    let leave = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        server.disconnect(&address, &call()).await.unwrap();
    });
    let error = running.await.unwrap_err();
    leave.await.unwrap();
    assert_eq!(
        error.row(),
        Some(rows::LOST_AFTER_REQUEST.row()),
        "{error:?}"
    );
    let error = device.shell(&sleep, &call()).await.unwrap_err();
    assert!(error.dispatched().is_no(), "{error:?}");
}

/// adbd is replaced by one that takes connections and never answers, which the server calls offline; then the real one is back,
/// and the server finds it by itself.
async fn a_device_that_comes_back_is_asked_once_more(server: &AdbServer, peer: &TestbedDevice) {
    server.connect(&peer.address, &call()).await.unwrap();
    let device = server.device(peer.address.as_str()).unwrap();
    device.wait_for("device", &call()).await.unwrap();
    peer.fault(&["adbd", "offline"]).await;
    let mut tracker = server.track_devices(&call()).await.unwrap();
    while !tracker
        .next(&call())
        .await
        .unwrap()
        .iter()
        .any(|entry| entry.serial == peer.address && entry.state == DeviceState::Offline)
    {}
    let back = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        peer.fault(&["adbd", "normal"]).await;
    };
    let count = command(&[
        "sh",
        "-c",
        "echo x >>/data/local/tmp/count; wc -l </data/local/tmp/count",
    ]);
    let call_of_it = call();
    let asked = device.shell(&count, &call_of_it);
    let (output, ()) = tokio::join!(asked, back);
    assert_eq!(
        output.unwrap().stdout_text().trim(),
        "1",
        "it ran, and once"
    );
    let remove = command(&["rm", "/data/local/tmp/count"]);
    device.shell(&remove, &call()).await.unwrap();
}
