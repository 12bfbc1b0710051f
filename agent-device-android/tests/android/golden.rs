//! Every golden row of the adb layer, driven by the real client: against a real adb server where one can be made to fail so,
//! else against a server that follows a script.

use std::time::Duration;

use agent_device_android::{
    AdbConfig, Android, AndroidConfig, Apps, DeviceChoice, HelperInstall, KeyboardChoice,
    Permission,
    adb::{AdbServer, DeviceSelector, DeviceState, Endpoint, ShellCommand},
};
use agent_device_core::{
    Call, Error,
    dispatch::{Row, rows::android_adb as rows},
    testing::Gate,
};

use crate::peers::{
    DeadDevice, Folder, Reach, RealServer, Scripted, Step, adb, fail, fake_adb, frame, free_port,
    okay,
};

fn call() -> Call {
    Call::standalone(Duration::from_secs(10))
}

fn tap() -> ShellCommand {
    let command = ShellCommand::new("input").unwrap();
    command.args(["tap", "1", "1"]).unwrap()
}

async fn tap_on(server: &AdbServer, device: impl Into<DeviceSelector>) -> Error {
    let device = server.device(device).unwrap().with_features("shell_v2");
    let result = device.shell(&tap(), &call()).await;
    result
        .and_then(|output| output.checked(&tap()))
        .expect_err("the tap must fail")
}

async fn scripted(script: Vec<Step>) -> Error {
    let peer = Scripted::start(vec![script]).await;
    tap_on(&peer.server, "x").await
}

fn service(rest: Vec<Step>) -> Vec<Step> {
    [vec![Step::Request, okay(), Step::Request], rest].concat()
}

/// A command that prints this and ends with 0.
fn printed(text: &str) -> Vec<Step> {
    let (out, end) = (frame(1, text.as_bytes()), frame(3, &[0]));
    service(vec![okay(), Step::Send(out), Step::Send(end)])
}

/// Waits until the server says this of a device.
async fn until(server: &AdbServer, address: &str, state: DeviceState) {
    let mut tracker = server.track_devices(&call()).await.unwrap();
    loop {
        let devices = tracker.next(&call()).await.unwrap();
        if devices
            .iter()
            .any(|device| device.serial == address && device.state == state)
        {
            return;
        }
    }
}

/// Refusals of a real server: to our sockets, and to a real adb program that says them in its own words.
async fn refusals(real: RealServer, cites: &mut (dyn FnMut(&'static Row, &Error) + Send)) {
    let error = tap_on(&real.server, "nope").await;
    cites(rows::INPUT_TAP_HOST_REFUSED_DEVICE_NOT_FOUND.row(), &error);
    let error = tap_on(&real.server, DeviceSelector::Any).await;
    cites(rows::INPUT_TAP_HOST_REFUSED_NO_DEVICES.row(), &error);
    let silent = DeadDevice::start(Reach::Silent).await;
    let locked = DeadDevice::start(Reach::Locked).await;
    for device in [&silent, &locked] {
        // The server answers when the handshake has ended or its patience has; the list knows the device before.
        let short = Call::standalone(Duration::from_secs(2));
        let _ = real.server.connect(&device.address, &short).await;
    }
    until(&real.server, &silent.address, DeviceState::Offline).await;
    until(&real.server, &locked.address, DeviceState::Unauthorized).await;
    let found = real.server.discover(&call()).await.unwrap();
    let error = DeviceChoice::Only.pick(&found).unwrap_err();
    cites(rows::DEVICE_NOT_CHOSEN.row(), &error);
    let error = tap_on(&real.server, silent.address.as_str()).await;
    cites(rows::INPUT_TAP_HOST_REFUSED_DEVICE_OFFLINE.row(), &error);
    let error = tap_on(&real.server, locked.address.as_str()).await;
    cites(
        rows::INPUT_TAP_HOST_REFUSED_DEVICE_UNAUTHORIZED.row(),
        &error,
    );
    let error = tap_on(&real.server, DeviceSelector::Any).await;
    cites(rows::INPUT_TAP_HOST_REFUSED_MULTIPLE_DEVICES.row(), &error);
    let error = real
        .server
        .disconnect("192.0.2.1:1", &call())
        .await
        .unwrap_err();
    cites(rows::HOST_SERVICE_FAILED.row(), &error);

    let Endpoint::Tcp { port, .. } = real.server.endpoint() else {
        panic!("the server listens on a port");
    };
    let mut config = AdbConfig::default();
    config.program = adb();
    let by_program = AdbServer::new(Endpoint::Program(format!("tcp:127.0.0.1:{port}")), config);
    let refused = |row: &Row, error: &Error| assert_eq!(error.row(), Some(row), "{error:?}");
    for (device, row) in [
        (
            DeviceSelector::from("nope"),
            rows::INPUT_TAP_HOST_REFUSED_DEVICE_NOT_FOUND,
        ),
        (
            silent.address.as_str().into(),
            rows::INPUT_TAP_HOST_REFUSED_DEVICE_OFFLINE,
        ),
        (
            locked.address.as_str().into(),
            rows::INPUT_TAP_HOST_REFUSED_DEVICE_UNAUTHORIZED,
        ),
        (
            DeviceSelector::Any,
            rows::INPUT_TAP_HOST_REFUSED_MULTIPLE_DEVICES,
        ),
    ] {
        refused(row.row(), &tap_on(&by_program, device).await);
    }
    for device in [&silent, &locked] {
        let _ = real.server.disconnect(&device.address, &call()).await;
    }
    let error = tap_on(&by_program, DeviceSelector::Any).await;
    refused(rows::INPUT_TAP_HOST_REFUSED_NO_DEVICES.row(), &error);
    real.stop().await;
}

#[tokio::test]
async fn every_row_of_the_adb_layer_is_what_really_happens() {
    let mut config = AdbConfig::default();
    config.offline_wait = Duration::from_millis(300);
    let servers = RealServer::each(config).await;
    if servers.is_empty() {
        return;
    }
    let mut gate = Gate::new(rows::ROWS);
    let mut first = Some(&mut gate);
    for real in servers {
        refusals(real, &mut |row, error| match &mut first {
            Some(gate) => gate.cites(row, error),
            None => assert_eq!(error.row(), Some(row), "{error:?}"),
        })
        .await;
        first = None;
    }
    // No server, no program.
    let mut config = AdbConfig::default();
    config.start_server = false;
    let closed = AdbServer::new(Endpoint::local(free_port().await), config.clone());
    gate.cites(rows::SERVER_UNREACHABLE.row(), &tap_on(&closed, "x").await);
    config.start_server = true;
    config.program = Some("/no/such/adb".into());
    let missing = AdbServer::new(Endpoint::local(free_port().await), config);
    gate.cites(
        rows::INPUT_TAP_TOOL_MISSING.row(),
        &tap_on(&missing, "x").await,
    );

    // Servers that follow a script.
    let error = scripted(vec![
        Step::Request,
        fail("insufficient permissions for device"),
    ])
    .await;
    gate.cites(rows::DEVICE_REFUSED.row(), &error);
    gate.cites(
        rows::LOST_BEFORE_REQUEST.row(),
        &scripted(vec![Step::Request]).await,
    );
    // Written, perhaps done, and not answered: by the end of the connection or of the time.
    let unanswered = async |script: Vec<Step>| {
        let peer = Scripted::start(vec![script]).await;
        let short = Call::standalone(Duration::from_millis(300));
        let ended = peer.server.disconnect("192.0.2.1:1", &short).await;
        ended.unwrap_err()
    };
    let error = unanswered(vec![Step::Request]).await;
    gate.cites(rows::HOST_SERVICE_LOST.row(), &error);
    let error = unanswered(vec![Step::Request, Step::Hang]).await;
    assert_eq!(error.row(), Some(rows::HOST_SERVICE_LOST.row()));
    gate.cites(
        rows::LOST_AFTER_REQUEST.row(),
        &scripted(service(vec![])).await,
    );
    gate.cites(
        rows::SERVICE_CLOSED.row(),
        &scripted(service(vec![fail("closed")])).await,
    );
    let ended = service(vec![
        okay(),
        Step::Send(frame(2, b"Killed\n")),
        Step::Send(frame(3, &[1])),
    ]);
    gate.cites(rows::INPUT_TAP_FAILED.row(), &scripted(ended).await);

    let peer = Scripted::start(vec![service(vec![okay(), Step::Hang])]).await;
    let device = peer.server.device("x").unwrap().with_features("shell_v2");
    let short = Call::standalone(Duration::from_millis(200));
    let error = device.shell(&tap(), &short).await.unwrap_err();
    gate.cites(rows::TIMEOUT_AFTER_REQUEST.row(), &error);

    let mut config = AdbConfig::default();
    config.max_output = 1000;
    let script = service(vec![okay(), Step::Flood(frame(1, &[b'x'; 100]))]);
    let peer = Scripted::start_with(vec![script], config).await;
    gate.cites(
        rows::OUTPUT_TOO_LARGE.row(),
        &tap_on(&peer.server, "x").await,
    );

    let refusal = b"FAIL\x09\0\0\0no space.".to_vec();
    let peer = Scripted::start(vec![service(vec![
        okay(),
        Step::Send(refusal),
        Step::Drain,
    ])])
    .await;
    let device = peer.server.device("x").unwrap();
    let error = device
        .push(&b"data"[..], "/x", 0o644, &call())
        .await
        .unwrap_err();
    gate.cites(rows::FILE_REFUSED.row(), &error);

    // Apps, by a device that says odd things.
    let here = || printed("package:/data/app/base.apk\n");
    let apps = async |scripts: Vec<Vec<Step>>| {
        let peer = Scripted::start(scripts).await;
        let device = peer.server.device("x").unwrap().with_features("shell_v2");
        (Apps::of(&device), peer)
    };
    let (two, _peer) = apps(vec![printed("package:com.a.shop\npackage:com.b.shop\n")]).await;
    let error = two.find("shop", &call()).await.unwrap_err();
    gate.cites(rows::APP_NOT_FOUND.row(), &error);
    let (silent, _peer) = apps(vec![here(), printed("Unknown command\n")]).await;
    let call_of_it = call();
    let error = silent.grant("com.a.shop", &Permission::Camera, &call_of_it);
    gate.cites(rows::USER_UNKNOWN.row(), &error.await.unwrap_err());
    let (busy, _peer) = apps(vec![here(), printed("Failure [DELETE_FAILED_IN_USE]\n")]).await;
    let error = busy.uninstall("com.a.shop", &call()).await.unwrap_err();
    gate.cites(rows::PACKAGE_MANAGER_REFUSED.row(), &error);
    let (lively, _peer) = apps(vec![here(), printed(""), printed("4711\n--\n")]).await;
    let error = lively.stop("com.a.shop", &call()).await.unwrap_err();
    gate.cites(rows::APP_STILL_THERE.row(), &error);

    // A keyboard that a device does not remember is not exchanged.
    let nothing = || printed("");
    let ready = Step::Send(frame(1, crate::helper_golden::READY));
    let session = service(vec![okay(), ready, Step::Hang]);
    let peer = Scripted::start(vec![session, nothing(), printed("com.x/.Y\n"), nothing()]).await;
    let device = peer.server.device("x").unwrap().with_features("shell_v2");
    let mut config = AndroidConfig::default();
    config.install = HelperInstall::Never;
    config.keyboard = KeyboardChoice::Invisible;
    let error = Android::connect(device, config).await.unwrap_err();
    let cause = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<Error>());
    gate.cites(rows::KEYBOARD_NOT_RECORDED.row(), cause.unwrap());

    // The adb program, where no socket of ours reaches the server.
    let folder = Folder::new("fake-adb");
    let mut config = AdbConfig::default();
    config.program = Some(fake_adb(
        &folder,
        "echo 'error: device offline' >&2; echo Killed >&2; exit 1",
    ));
    let server = AdbServer::new(Endpoint::Program("localfilesystem:/x".into()), config);
    gate.cites(
        rows::INPUT_TAP_REFUSAL_TEXT_BESIDE_OTHER_OUTPUT.row(),
        &tap_on(&server, "x").await,
    );

    gate.finish();
}
