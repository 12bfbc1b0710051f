//! Odd states of a real device, as whoever drives it meets them: what is said about them, what was done, and that the next
//! command is as good as ever once the state is over. A foreign owner of UiAutomation is in `session`, crashes and silent apps
//! in `suite` and `guard`, refused installs in `apps` and `keyboard`.

use std::time::{Duration, Instant};

use agent_device_android::{
    AdbConfig, Android, AndroidConfig, Apps, InstallOptions,
    adb::{AdbDevice, DeviceState, ShellCommand},
};
use agent_device_core::{
    Call, Error, ErrorCode, Interactor as _, SnapshotBackend as _,
    action::{Action, OpenTarget, Touch},
    dispatch::{
        NoRow,
        rows::{android_adb as adb, android_helper as rows, post_action_guard},
    },
    geometry::Point,
    snapshot::CaptureOptions,
};

use crate::{
    peers::{DeadDevice, Reach, RealServer, at_root},
    testbed::TestbedDevice,
};

const HELPER: &str = "dev.agentdevice.helper";
const FIXTURE: &str = "dev.agentdevice.fixture";

fn call() -> Call {
    Call::standalone(Duration::from_secs(60))
}

fn press(hold: u64) -> Action {
    let touch = Touch {
        point: Point::new(500.0, 1200.0),
        target: None,
    };
    Action::LongPress(touch, Duration::from_millis(hold))
}

fn with(change: impl FnOnce(&mut AndroidConfig)) -> AndroidConfig {
    let mut config = AndroidConfig::default();
    change(&mut config);
    config
}

async fn connect(device: &AdbDevice) -> Result<Android, Error> {
    Android::connect(device.clone(), AndroidConfig::default()).await
}

async fn is_as_ever(android: &Android) {
    let state = android.app_state(&call()).await.unwrap();
    assert!(state.app.is_some(), "{state:?}");
    android.perform(&press(20), &call()).await.unwrap();
}

async fn helper_runs(device: &AdbDevice) -> bool {
    let command = ShellCommand::new("pidof").unwrap().arg(HELPER).unwrap();
    let output = device.shell(&command, &call()).await.unwrap();
    !output.stdout_text().trim().is_empty()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_odd_state_is_named_and_does_not_last() {
    let Some(peer) = TestbedDevice::up().await else {
        return;
    };
    let mut config = AdbConfig::default();
    config.offline_wait = Duration::from_secs(8);
    let Some(real) = RealServer::start(config).await else {
        return;
    };
    let device = peer.on(&real.server).await;
    let apk = at_root("helper-apk/dist/fixture.apk");
    let options = InstallOptions::default();
    let apps = Apps::of(&device);
    apps.install(apk, &options, &call()).await.unwrap();

    let android = connect(&device).await.unwrap();
    a_connection_that_is_cut_leaves_it_unknown(&android, &peer, &real).await;
    a_device_that_can_not_be_used_is_named(&android, &peer, &real).await;
    a_screen_that_stands_still_costs_its_deadline(&android, &peer).await;
    android.close().await.unwrap();

    what_comes_to_the_front_under_a_press_is_told(&device, &peer).await;
    two_devices_are_not_chosen_between(&peer, &real).await;
    a_command_that_dies_or_hangs_is_not_believed(&device, &peer).await;
    a_slow_shell_is_slow(&device, &peer).await;
    without_exit_codes_it_is_the_same(&peer, &real).await;
    real.stop().await;
}

/// adbd dies, or the helper's connection is reset, while a finger is down and while the screen is read.
async fn a_connection_that_is_cut_leaves_it_unknown(
    android: &Android,
    peer: &TestbedDevice,
    real: &RealServer,
) {
    for fault in [&["adbd", "kill"], &["reset-sockets", HELPER]] {
        let (holding, call_of_it) = (press(2000), call());
        let cut = async {
            tokio::time::sleep(Duration::from_millis(700)).await;
            peer.fault(fault).await;
        };
        let (pressed, ()) = tokio::join!(android.perform(&holding, &call_of_it), cut);
        let error = pressed.unwrap_err();
        assert_eq!(
            error.row(),
            Some(rows::LOST_AFTER_REQUEST.row()),
            "{fault:?}: {error:?}"
        );
        assert!(
            error.hint().contains("before repeating"),
            "{fault:?}: {error:?}"
        );
        assert_eq!(error.retriable(), None, "{error:?}");
        peer.on(&real.server).await;
        is_as_ever(android).await;

        // What only reads is asked once more.
        let cut = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            peer.fault(fault).await;
        };
        let looks = async {
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(1500) {
                let look = android.capture(&CaptureOptions::default(), &call()).await;
                look.unwrap_or_else(|error| panic!("{fault:?}: {error:?}"));
            }
        };
        tokio::join!(looks, cut);
    }
}

async fn a_device_that_can_not_be_used_is_named(
    android: &Android,
    peer: &TestbedDevice,
    real: &RealServer,
) {
    let row = |row: NoRow| row.row();
    for (state, told, code, reason, refusal, cure) in [
        (
            "offline",
            DeviceState::Offline,
            ErrorCode::CommandFailed,
            "device_offline",
            row(adb::INPUT_TAP_HOST_REFUSED_DEVICE_OFFLINE),
            "adb reconnect",
        ),
        (
            "unauthorized",
            DeviceState::Unauthorized,
            ErrorCode::Unauthorized,
            "device_unauthorized",
            row(adb::INPUT_TAP_HOST_REFUSED_DEVICE_UNAUTHORIZED),
            "allow this computer",
        ),
    ] {
        peer.fault(&["adbd", state]).await;
        let _ = real.server.disconnect(&peer.address, &call()).await;
        let short = Call::standalone(Duration::from_secs(2));
        let _ = real.server.connect(&peer.address, &short).await;
        let mut tracker = real.server.track_devices(&call()).await.unwrap();
        while !tracker
            .next(&call())
            .await
            .unwrap()
            .iter()
            .any(|entry| entry.state == told)
        {}
        // A session that was there, and one that should begin.
        let pressed = android.perform(&press(20), &call()).await.unwrap_err();
        let began = connect(android.adb()).await.unwrap_err();
        for error in [&pressed, &began] {
            assert_eq!(
                (error.code(), error.reason()),
                (code, Some(reason)),
                "{error:?}"
            );
            assert!(error.dispatched().is_no(), "{error:?}");
            assert!(error.hint().contains(cure), "{error:?}");
        }
        assert_eq!(pressed.row(), Some(refusal));
        for error in [&pressed, &began] {
            let passes = (state == "offline").then_some(true);
            assert_eq!(error.retriable(), passes, "{error:?}");
        }
        let chosen = Android::builder().server(real.server.clone()).connect();
        let error = chosen.await.unwrap_err();
        assert_eq!(error.row(), Some(adb::DEVICE_NOT_CHOSEN.row()), "{error:?}");
        assert_eq!(error.reason(), Some(reason));
        peer.fault(&["adbd", "normal"]).await;
        peer.on(&real.server).await;
        is_as_ever(android).await;
    }
    // Gone altogether, and the server has been told so.
    peer.fault(&["adbd", "down"]).await;
    let gone = real.server.disconnect(&peer.address, &call()).await;
    gone.unwrap();
    let error = android.perform(&press(20), &call()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::DeviceNotFound, "{error:?}");
    assert_eq!(error.reason(), Some("device_not_found"));
    assert!(error.dispatched().is_no(), "{error:?}");
    peer.fault(&["adbd", "normal"]).await;
    peer.on(&real.server).await;
    is_as_ever(android).await;
}

/// The main thread of the app in front, which answers all that is asked about its screen.
async fn a_screen_that_stands_still_costs_its_deadline(android: &Android, peer: &TestbedDevice) {
    peer.fault(&["block", "3000"]).await;
    let start = Instant::now();
    let short = Call::standalone(Duration::from_secs(2));
    let look = android.capture(&CaptureOptions::default(), &short).await;
    let error = look.unwrap_err();
    assert_eq!(error.reason(), Some("deadline_exceeded"), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(3));
    is_as_ever(android).await;
}

async fn what_comes_to_the_front_under_a_press_is_told(device: &AdbDevice, peer: &TestbedDevice) {
    let config = with(|config| config.app = Some(FIXTURE.to_owned()));
    let android = Android::connect(device.clone(), config).await.unwrap();
    let open = Action::Open(OpenTarget::App(FIXTURE.to_owned()));
    android.perform(&open, &call()).await.unwrap();
    let (holding, call_of_it) = (press(1500), call());
    let launcher = "com.android.launcher3";
    let comes = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        peer.fault(&["front", launcher]).await;
    };
    let (pressed, ()) = tokio::join!(android.perform(&holding, &call_of_it), comes);
    let error = pressed.unwrap_err();
    assert_eq!(
        error.row(),
        Some(post_action_guard::ANDROID_PRESS_LEFT_APP.row()),
        "{error:?}"
    );
    assert_eq!(error.detail("foregroundPackage"), Some(&launcher.into()));
    android.close().await.unwrap();
}

async fn two_devices_are_not_chosen_between(peer: &TestbedDevice, real: &RealServer) {
    let Some(other) = TestbedDevice::up_at(36).await else {
        return;
    };
    other.on(&real.server).await;
    let locked = DeadDevice::start(Reach::Locked).await;
    let short = Call::standalone(Duration::from_secs(2));
    let _ = real.server.connect(&locked.address, &short).await;
    let chosen = Android::builder().server(real.server.clone()).connect();
    let error = chosen.await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::AmbiguousMatch, "{error:?}");
    assert_eq!(error.row(), Some(adb::DEVICE_NOT_CHOSEN.row()));
    let told = format!("{:?}", error.details());
    for address in [&peer.address, &other.address] {
        assert!(told.contains(address.as_str()), "{told}");
    }
    // The name of one is enough, also beside one that can't be used.
    let named = Android::builder()
        .server(real.server.clone())
        .serial(other.address.as_str());
    let named = named.connect().await.unwrap();
    assert_eq!(named.facts().api, 36);
    named.close().await.unwrap();
    for address in [&other.address, &locked.address] {
        let _ = real.server.disconnect(address, &call()).await;
    }
}

async fn a_command_that_dies_or_hangs_is_not_believed(device: &AdbDevice, peer: &TestbedDevice) {
    // The start of the helper itself.
    peer.fault(&["die-before", "am"]).await;
    let error = connect(device).await.unwrap_err();
    assert_eq!(
        error.row(),
        Some(rows::SESSION_NOT_STARTED.row()),
        "{error:?}"
    );
    let android = connect(device).await.unwrap();
    // Whether an app was opened by a command that died says nobody: it may have been.
    let apps = Apps::of(device);
    for fault in ["die-before", "die-after"] {
        peer.fault(&[fault, "am"]).await;
        let error = apps.open(FIXTURE, &call()).await.unwrap_err();
        assert_eq!(error.row(), Some(rows::OPEN_FAILED.row()), "{error:?}");
        assert!(!error.dispatched().is_no(), "{fault}: {error:?}");
        assert_eq!(error.dispatched_steps(), 1, "{fault}: {error:?}");
    }
    apps.open(FIXTURE, &call()).await.unwrap();
    is_as_ever(&android).await;
    android.close().await.unwrap();

    peer.fault(&["hang", "am"]).await;
    let start = Instant::now();
    let hasty = with(|config| config.session_timeout = Duration::from_secs(2));
    let error = Android::connect(device.clone(), hasty).await.unwrap_err();
    assert_eq!(
        error.row(),
        Some(rows::SESSION_NOT_STARTED.row()),
        "{error:?}"
    );
    // The start, and stopping it, which hangs as well.
    assert!(start.elapsed() < Duration::from_secs(8), "{start:?}");
    peer.fault(&["clear"]).await;
    connect(device).await.unwrap().close().await.unwrap();
    assert!(!helper_runs(device).await);
}

async fn a_slow_shell_is_slow(device: &AdbDevice, peer: &TestbedDevice) {
    peer.fault(&["slow", "700"]).await;
    let android = connect(device).await.unwrap();
    // The session needs no shell.
    let start = Instant::now();
    is_as_ever(&android).await;
    assert!(start.elapsed() < Duration::from_millis(700));
    android.close().await.unwrap();
    peer.fault(&["clear"]).await;
    assert!(!helper_runs(device).await);
}

/// The shell of Android 6 and before: that it ends is no proof of anything.
async fn without_exit_codes_it_is_the_same(peer: &TestbedDevice, real: &RealServer) {
    peer.fault(&["adbd", "no-shell-v2"]).await;
    let _ = real.server.disconnect(&peer.address, &call()).await;
    let device = peer.on(&real.server).await;
    assert!(!device.features(&call()).await.unwrap().has("shell_v2"));
    let android = connect(&device).await.unwrap();
    is_as_ever(&android).await;
    let look = android.capture(&CaptureOptions::default(), &call()).await;
    assert_eq!(look.unwrap().info().quality.source, "helper");
    android.close().await.unwrap();
    assert!(!helper_runs(&device).await, "close proves it");
    peer.fault(&["adbd", "normal"]).await;
    let _ = real.server.disconnect(&peer.address, &call()).await;
}
