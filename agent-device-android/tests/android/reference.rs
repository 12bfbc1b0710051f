//! The crate on a device with another project's released helper: what it reads through it, and what it refuses.

use std::time::Duration;

use agent_device_android::{
    AdbConfig, Android, AndroidConfig, Apps, HelperSource, InstallOptions, adb::ShellCommand,
};
use agent_device_core::{Call, Device, ErrorCode, selector::id, snapshot::QualityState};
use tokio::process::Command;

use crate::peers::{RealServer, TestbedDevice, at_root, skip};

const PACKAGE: &str = "com.callstack.agentdevice.snapshothelper";
const FIXTURE: &str = "dev.agentdevice.fixture/.FixtureActivity";

fn call() -> Call {
    Call::standalone(Duration::from_secs(120))
}

/// The APK of the released package.
async fn released() -> Option<Vec<u8>> {
    const FIND: &str =
        r#". testbed/reference/lib.sh; cat "$(unpacked)"/android/snapshot-helper/dist/*.apk"#;
    let output = Command::new("bash")
        .args(["-c", FIND])
        .current_dir(at_root(""))
        .output()
        .await
        .unwrap();
    if !output.status.success() {
        skip(
            "the reference's package",
            String::from_utf8_lossy(&output.stderr).trim(),
        );
        return None;
    }
    Some(output.stdout)
}

#[tokio::test(flavor = "multi_thread")]
async fn screens_are_read_through_a_helper_that_nobody_here_wrote() {
    let Some(apk) = released().await else {
        return;
    };
    let Some(peer) = TestbedDevice::up().await else {
        return;
    };
    let Some(real) = RealServer::start(AdbConfig::default()).await else {
        return;
    };
    real.server.connect(&peer.address, &call()).await.unwrap();
    let adb = real.server.device(peer.address.as_str()).unwrap();
    adb.wait_for("device", &call()).await.unwrap();
    let apps = Apps::of(&adb);
    let options = InstallOptions::default();
    apps.install_bytes(&apk, &options, &call()).await.unwrap();
    let fixture = at_root("helper-apk/dist/fixture.apk");
    apps.install(fixture, &options, &call()).await.unwrap();
    let start = ShellCommand::new("am").unwrap();
    let start = start
        .args(["start", "-W", "-n", FIXTURE, "-d", "fixture://counter"])
        .unwrap();
    adb.shell(&start, &call()).await.unwrap();

    let mut config = AndroidConfig::default();
    config.helper = HelperSource::Installed("nonsense".to_owned());
    let error = Android::connect(adb.clone(), config.clone())
        .await
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgs);

    config.helper = HelperSource::Installed(format!("{PACKAGE}/.SnapshotInstrumentation"));
    let android = std::sync::Arc::new(Android::connect(adb.clone(), config).await.unwrap());
    let device = Device::new(std::sync::Arc::clone(&android));
    let snapshot = device.snapshot().await.unwrap();
    let view = snapshot.view().to_string();
    for button in ["Counter: 0", "Dead", "Double", "Hold"] {
        assert!(view.contains(&format!("[button] \"{button}\"")), "{view}");
    }
    assert_eq!(snapshot.quality().state, QualityState::Healthy, "{view}");
    assert!(android.captures() > 0);

    // What it does not offer is refused, and that is a proof that nothing was done.
    let error = device.locate(id("counter")).press().await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::UnsupportedOperation, "{error:?}");
    assert!(error.dispatched().is_no());
    assert_eq!(device.snapshot().await.unwrap().view().to_string(), view);

    android.close().await.unwrap();
    assert!(!apps.is_running(PACKAGE, &call()).await.unwrap());
    let ours = ShellCommand::new("pm").unwrap();
    let ours = ours.args(["path", "dev.agentdevice.helper"]).unwrap();
    let output = adb.shell(&ours, &call()).await.unwrap();
    assert_eq!(output.stdout_text().trim(), "", "ours is not installed");
    real.stop().await;
}
