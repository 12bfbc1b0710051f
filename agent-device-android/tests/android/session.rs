//! The helper's session: for how long it is there, who else may hold the device, how it ends, and what a host that dies leaves
//! behind.

use std::{process::Stdio, time::Duration};

use agent_device_android::{
    AdbConfig, Android, AndroidConfig, Apps, InstallOptions, KeyboardChoice, SessionScope,
    adb::{AdbDevice, AdbServer, Endpoint, Remote, ShellCommand},
};
use agent_device_core::{
    Call, Device, ErrorCode, Interactor as _,
    action::{Action, OpenTarget, Orientation, Text, Touch},
    geometry::Point,
    selector,
};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Command,
};

use crate::{
    peers::{RealServer, at_root},
    testbed::TestbedDevice,
};

const HELPER: &str = "dev.agentdevice.helper";

fn call() -> Call {
    Call::standalone(Duration::from_secs(60))
}

async fn said(device: &AdbDevice, words: &[&str]) -> String {
    let command = ShellCommand::new(words[0]).unwrap();
    let command = command.args(&words[1..]).unwrap();
    let output = device.shell(&command, &call()).await.unwrap();
    output.stdout_text().trim().to_owned()
}

async fn keyboard(device: &AdbDevice) -> String {
    said(
        device,
        &["settings", "get", "secure", "default_input_method"],
    )
    .await
}

async fn runs(device: &AdbDevice) -> bool {
    !said(device, &["pidof", HELPER]).await.is_empty()
}

fn with(change: impl FnOnce(&mut AndroidConfig)) -> AndroidConfig {
    let mut config = AndroidConfig::default();
    change(&mut config);
    config
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_there_as_long_as_it_is_meant_to_be() {
    let Some(peer) = TestbedDevice::up().await else {
        return;
    };
    let Some(real) = RealServer::start(AdbConfig::default()).await else {
        return;
    };
    let device = peer.on(&real.server).await;
    scopes(&device).await;
    a_death_is_named(&device).await;
    a_foreign_owner_is_named(&device, &peer).await;
    the_keyboard_comes_back(&device).await;
    the_display_comes_back(&device).await;
    what_is_in_use_outlasts_a_session(&device).await;
    a_host_that_dies_leaves_nothing_for_long(&device, &peer, &real).await;
    a_host_that_dies_at_its_work_leaves_nothing_for_long(&device, &peer, &real).await;
    a_device_that_another_process_drives_is_refused(&device, &peer, &real).await;
    real.stop().await;
}

async fn scopes(device: &AdbDevice) {
    let short = Duration::from_millis(1500);
    for (scope, after_a_command, after_silence) in [
        (SessionScope::Command, false, false),
        (SessionScope::UntilIdle, true, false),
    ] {
        let config = with(|config| {
            config.session = scope;
            config.idle_timeout = short;
        });
        let android = Android::connect(device.clone(), config).await.unwrap();
        android.app_state(&call()).await.unwrap();
        assert_eq!(runs(device).await, after_a_command, "{scope:?}");
        tokio::time::sleep(short * 2).await;
        assert_eq!(runs(device).await, after_silence, "{scope:?}");
        // Whatever became of it, the next command has one.
        android.app_state(&call()).await.unwrap();
        android.close().await.unwrap();
        assert!(!runs(device).await, "{scope:?}: released");
    }
}

async fn a_death_is_named(device: &AdbDevice) {
    let android = Android::connect(device.clone(), AndroidConfig::default())
        .await
        .unwrap();
    let touch = Touch {
        point: Point::new(500.0, 500.0),
        target: None,
    };
    let hold = Action::LongPress(touch, Duration::from_secs(4));
    let killer = async {
        tokio::time::sleep(Duration::from_millis(1000)).await;
        said(device, &["am", "force-stop", HELPER]).await;
    };
    let call_of_it = call();
    let (held, ()) = tokio::join!(android.perform(&hold, &call_of_it), killer);
    let error = held.unwrap_err();
    assert_eq!(error.reason(), Some("android_helper_died"), "{error:?}");
    assert_eq!(error.detail("helperEnded"), Some(&"crashed".into()));
    assert!(error.message().contains("died"), "{error}");
    assert!(!error.dispatched().is_no());
    // The next one finds a new session.
    android.app_state(&call()).await.unwrap();
    android.close().await.unwrap();
}

async fn a_foreign_owner_is_named(device: &AdbDevice, peer: &TestbedDevice) {
    let other = "io.appium.uiautomator2.server";
    peer.fault(&["ui-owner", other]).await;
    let connect = async || Android::connect(device.clone(), AndroidConfig::default()).await;
    let error = connect().await.unwrap_err();
    assert_eq!(
        error.detail("uiAutomationOwner"),
        Some(&other.into()),
        "{error:?}"
    );
    assert!(error.hint().contains("Appium"), "{}", error.hint());
    assert!(error.dispatched().is_no());
    assert_eq!(
        said(device, &["sh", "-c", "ps -A | grep -c appium"]).await,
        "1",
        "nobody was ended"
    );
    // A start that is given up while the helper still waits for its turn leaves none behind.
    let hasty = with(|config| config.session_timeout = Duration::from_secs(3));
    let error = Android::connect(device.clone(), hasty).await.unwrap_err();
    assert!(error.dispatched().is_no(), "{error:?}");
    assert!(!runs(device).await, "it was stopped: {error:?}");
    peer.fault(&["clear"]).await;
    connect().await.unwrap().close().await.unwrap();
}

async fn the_keyboard_comes_back(device: &AdbDevice) {
    let own = keyboard(device).await;
    let invisible = || with(|config| config.keyboard = KeyboardChoice::Invisible);
    let android = Android::connect(device.clone(), invisible()).await.unwrap();
    assert_eq!(
        keyboard(device).await,
        "dev.agentdevice.ime/.TestInputMethodService"
    );
    android.close().await.unwrap();
    assert_eq!(keyboard(device).await, own);
    let android = Android::connect(device.clone(), invisible()).await.unwrap();
    assert_ne!(keyboard(device).await, own);
    tokio::task::spawn_blocking(move || drop(android))
        .await
        .unwrap();
    assert_eq!(keyboard(device).await, own, "also when it is dropped");
    let record = ["settings", "get", "secure", "agent_device_keyboard_before"];
    assert_eq!(said(device, &record).await, "null");
}

/// How the display is set to turn.
async fn rotation(device: &AdbDevice) -> [String; 2] {
    let get = async |key| said(device, &["settings", "get", "system", key]).await;
    [
        get("accelerometer_rotation").await,
        get("user_rotation").await,
    ]
}

async fn the_display_comes_back(device: &AdbDevice) {
    let own = rotation(device).await;
    let android = Android::connect(device.clone(), AndroidConfig::default())
        .await
        .unwrap();
    let turn = Action::SetOrientation(Orientation::LandscapeLeft);
    android.perform(&turn, &call()).await.unwrap();
    assert_ne!(rotation(device).await, own);
    // As if its host had died here: the next start puts it in order.
    let next = Android::connect(device.clone(), AndroidConfig::default())
        .await
        .unwrap();
    assert_eq!(rotation(device).await, own);
    next.close().await.unwrap();
    android.close().await.unwrap();
    assert_eq!(rotation(device).await, own);
}

/// A session that starts finds the records of what its own host has in use: that is not left by a dead one.
async fn what_is_in_use_outlasts_a_session(device: &AdbDevice) {
    let own = (keyboard(device).await, rotation(device).await);
    let config = with(|config| {
        config.session = SessionScope::Command;
        config.keyboard = KeyboardChoice::Invisible;
    });
    let android = Android::connect(device.clone(), config).await.unwrap();
    let turn = Action::SetOrientation(Orientation::LandscapeLeft);
    android.perform(&turn, &call()).await.unwrap();
    let turned = rotation(device).await;
    assert_ne!(turned, own.1);
    let link = Action::Open(OpenTarget::Url(
        "fixture://localhost:18083/login".to_owned(),
    ));
    // Whether anything opens it: the port comes first.
    let _ = android.perform(&link, &call()).await;
    for _ in 0..2 {
        android.app_state(&call()).await.unwrap();
        assert_eq!(rotation(device).await, turned);
        assert_ne!(keyboard(device).await, own.0);
        assert_eq!(device.reverses(&call()).await.unwrap().len(), 1);
    }
    android.close().await.unwrap();
    assert_eq!((keyboard(device).await, rotation(device).await), own);
    let no_port = async || {
        assert_eq!(device.reverses(&call()).await.unwrap(), []);
        let record = ["settings", "get", "secure", "agent_device_ports"];
        assert_eq!(said(device, &record).await, "null");
    };
    no_port().await;
    let android = Android::connect(device.clone(), AndroidConfig::default());
    let android = android.await.unwrap();
    let _ = android.perform(&link, &call()).await;
    assert_eq!(device.reverses(&call()).await.unwrap().len(), 1);
    let drop = tokio::task::spawn_blocking(move || drop(android));
    drop.await.unwrap();
    no_port().await;
}

/// Where the host that dies finds its device.
const PLACE: &str = "AGENT_DEVICE_TEST_DIES_ON";

/// Runs in a process of its own, which is killed.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_at_any_time() {
    let Ok(place) = std::env::var(PLACE) else {
        return;
    };
    let mut words = place.split(' ');
    let (port, address) = (words.next().unwrap(), words.next().unwrap());
    let work = words.next().unwrap();
    let mut config = AdbConfig::default();
    config.start_server = false;
    let server = AdbServer::new(Endpoint::local(port.parse().unwrap()), config);
    if work != "connects" {
        let builder = Android::builder().server(server).serial(address);
        let android = builder.connect().await.unwrap();
        println!("begun");
        return works(android, work.parse().unwrap()).await;
    }
    let config = with(|config| config.keyboard = KeyboardChoice::Invisible);
    loop {
        let builder = Android::builder().server(server.clone()).serial(address);
        let android = builder.config(config.clone()).connect().await.unwrap();
        let device = Device::new(std::sync::Arc::new(android));
        for _ in 0..3 {
            let _ = device.snapshot().await;
        }
    }
}

/// Goes on for ever with whatever leaves something on a device when it is cut: a finger that is down, a keyboard that is
/// borrowed, a display that is turned, a port that leads elsewhere.
async fn works(android: Android, seed: u64) {
    let point = Point::new(540.0, 1200.0);
    let hold = |ms| {
        let touch = Touch {
            point,
            target: None,
        };
        Action::LongPress(touch, Duration::from_millis(ms))
    };
    let field = selector::id("password");
    let device = Device::new(std::sync::Arc::new(android));
    for round in seed.. {
        // What fails does so for the device's own reasons: the next one follows.
        match round % 5 {
            0 => drop(device.perform(hold(400)).await),
            1 => {
                let turn = Action::SetOrientation(match round % 2 {
                    0 => Orientation::LandscapeLeft,
                    _ => Orientation::LandscapeRight,
                });
                drop(device.perform(turn).await);
            }
            2 => drop(device.open_url("fixture://login").await),
            // Only a keyboard types this into a secret that holds something.
            3 => {
                drop(device.locate(field.clone()).fill(Text::secret("abc")).await);
                drop(device.type_text("\u{1f600}").await);
            }
            _ => drop(device.open_url("fixture://localhost:18081/login").await),
        }
    }
}

/// A host of its own that does this on the device.
fn host(port: u16, peer: &TestbedDevice, work: &str) -> Command {
    let mut host = Command::new(std::env::current_exe().unwrap());
    host.args([
        "--exact",
        "session::a_host_that_is_killed_at_any_time",
        "--nocapture",
    ])
    .env(PLACE, format!("{port} {} {work}", peer.address))
    .env("RUST_BACKTRACE", "0")
    .stdout(Stdio::null())
    .stderr(Stdio::null())
    .kill_on_drop(true);
    host
}

fn port_of(real: &RealServer) -> u16 {
    match real.server.endpoint() {
        Endpoint::Tcp { port, .. } => *port,
        other => panic!("the server listens on a port: {other:?}"),
    }
}

/// Waits until a host says that it has connected.
async fn begun(host: &mut Command) -> tokio::process::Child {
    let mut child = host.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let begun = async {
        while lines
            .next_line()
            .await
            .unwrap()
            .is_some_and(|line| !line.contains("begun"))
        {}
    };
    let begun = tokio::time::timeout(Duration::from_secs(60), begun).await;
    begun.expect("the host connects");
    child
}

async fn a_host_that_dies_at_its_work_leaves_nothing_for_long(
    device: &AdbDevice,
    peer: &TestbedDevice,
    real: &RealServer,
) {
    let apk = at_root("helper-apk/dist/fixture.apk");
    let apps = Apps::of(device);
    let options = InstallOptions::default();
    apps.install(apk, &options, &call()).await.unwrap();
    let own = (keyboard(device).await, rotation(device).await);
    let (mut borrowed, mut turned, mut led) = (0, 0, 0);
    // Other times with each run, and those of a run that failed again.
    let seed = match std::env::var("AGENT_DEVICE_TEST_SEED") {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => u64::from(std::process::id()),
    };
    println!("AGENT_DEVICE_TEST_SEED={seed}");
    let mut random = seed;
    for round in 0..20 {
        // Knuth's constants.
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let time = (random >> 33) % 2500;
        let mut host = host(port_of(real), peer, &(random >> 60).to_string());
        let mut child = begun(&mut host).await;
        tokio::time::sleep(Duration::from_millis(time)).await;
        child.kill().await.unwrap();
        borrowed += u32::from(keyboard(device).await != own.0);
        turned += u32::from(rotation(device).await != own.1);
        led += u32::from(!device.reverses(&call()).await.unwrap().is_empty());

        let at = format!("round {round} of seed {seed}, after {time} ms");
        let next = Android::connect(device.clone(), AndroidConfig::default()).await;
        let next = next.unwrap_or_else(|error| panic!("{at}: {error:?}"));
        let now = (keyboard(device).await, rotation(device).await);
        assert_eq!(now, own, "{at}");
        assert_eq!(device.reverses(&call()).await.unwrap(), [], "{at}");
        // No finger is down: what is pressed now is pressed.
        next.perform(&Action::Home, &call()).await.unwrap();
        next.close().await.unwrap();
        assert!(!runs(device).await, "{at}");
        assert_eq!(real.server.forwards(&call()).await.unwrap(), []);
    }
    println!(
        "killed 20 times at work: {borrowed} times with a borrowed keyboard, {turned} times turned, {led} times with a port"
    );
    assert!(turned >= 1, "the kills must hit something");
}

async fn a_device_that_another_process_drives_is_refused(
    device: &AdbDevice,
    peer: &TestbedDevice,
    real: &RealServer,
) {
    let mut child = begun(&mut host(port_of(real), peer, "0")).await;
    let error = Android::connect(device.clone(), AndroidConfig::default())
        .await
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::DeviceInUse, "{error:?}");
    assert_eq!(error.detail("ownerPid"), Some(&child.id().into()));
    assert!(error.dispatched().is_no());
    child.kill().await.unwrap();
    let next = Android::connect(device.clone(), AndroidConfig::default());
    next.await.unwrap().close().await.unwrap();
}

async fn a_host_that_dies_leaves_nothing_for_long(
    device: &AdbDevice,
    peer: &TestbedDevice,
    real: &RealServer,
) {
    let own = keyboard(device).await;
    let (mut taken, mut running) = (0, 0);
    for round in 0..20_u64 {
        let mut child = host(port_of(real), peer, "connects").spawn().unwrap();
        // Times that fall into every phase: installing, starting, exchanging, working, ending.
        let time = 60 + round * 131 % 1700;
        tokio::time::sleep(Duration::from_millis(time)).await;
        child.kill().await.unwrap();
        taken += u32::from(keyboard(device).await != own);
        running += u32::from(runs(device).await);

        let next = Android::connect(device.clone(), AndroidConfig::default()).await;
        let next = next.unwrap_or_else(|error| panic!("round {round}, after {time} ms: {error:?}"));
        assert_eq!(
            keyboard(device).await,
            own,
            "round {round}, after {time} ms"
        );
        next.close().await.unwrap();
        assert!(!runs(device).await, "round {round}, after {time} ms");
        assert_eq!(real.server.forwards(&call()).await.unwrap(), []);
        assert_eq!(device.reverses(&call()).await.unwrap(), []);
    }
    println!(
        "killed 20 times: {taken} times without the own keyboard, {running} times with a running helper"
    );
    assert!(
        taken >= 3 && running >= 3,
        "the kills must hit something: {taken}, {running}"
    );
    // Somebody else's way into the device is not ours to remove.
    let theirs = device.forward(&Remote::Tcp(1), &call()).await.unwrap();
    let next = Android::connect(device.clone(), AndroidConfig::default())
        .await
        .unwrap();
    next.close().await.unwrap();
    assert_eq!(real.server.forwards(&call()).await.unwrap().len(), 1);
    theirs.close(&call()).await.unwrap();
    let nobody = Android::builder()
        .server(real.server.clone())
        .serial("nobody")
        .connect()
        .await;
    assert_eq!(nobody.unwrap_err().code(), ErrorCode::DeviceNotFound);
}
