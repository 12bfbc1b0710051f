//! An app that is not ours, driven as a test author would: Google's ApiDemos, as Appium packs them for npm. What the app shows
//! is the judge.

use std::{path::PathBuf, time::Duration};

use agent_device_android::{
    AdbConfig, Android, AndroidConfig, Apps, InstallOptions, adb::ShellCommand,
};
use agent_device_core::{
    Call, Device, Role,
    action::{Action, OpenTarget},
    device::Predicate,
    geometry::Direction,
    selector::{id, label, role},
    snapshot::Checked,
    text::FillCheck,
};
use tokio::process::Command;

use crate::{
    peers::{RealServer, skip},
    testbed::TestbedDevice,
};

const APP: &str = "io.appium.android.apis";
const PACKAGE: &str = "android-apidemos@5.0.0";

fn call() -> Call {
    Call::standalone(Duration::from_secs(120))
}

fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// The app, from npm, once.
async fn apk() -> Option<PathBuf> {
    let cache = std::env::var_os("AGENT_DEVICE_CACHE");
    let cache = cache.map_or_else(|| PathBuf::from("/var/cache/agent-device"), PathBuf::from);
    let folder = cache.join("android/npm/android-apidemos_5.0.0");
    let apk = folder.join("package/apks/ApiDemos-debug.apk");
    if apk.is_file() {
        return Some(apk);
    }
    let fetch = format!("npm pack --silent {PACKAGE} && tar xzf ./*.tgz");
    if std::fs::create_dir_all(&folder).is_ok() {
        let fetched = Command::new("sh")
            .args(["-c", &fetch])
            .current_dir(&folder)
            .output();
        let _ = tokio::time::timeout(secs(300), fetched).await;
    }
    if !apk.is_file() {
        skip(
            "ApiDemos",
            &format!("npm pack {PACKAGE} in {}", folder.display()),
        );
        return None;
    }
    Some(apk)
}

/// Presses what has this label; what lies further down is scrolled to.
async fn choose(device: &Device, text: &str) {
    let there = device.locate(label(text));
    if there.wait(secs(5)).await.is_err() {
        let found = device.scroll(Direction::Down).until(label(text)).await;
        if let Err(error) = found {
            panic!(
                "{text:?} is not there: {error:?}\n{}",
                device.snapshot().await.unwrap().view()
            );
        }
    }
    if let Err(error) = there.press().ready_within(secs(2)).await {
        panic!("{error:?}\n{}", device.snapshot().await.unwrap().view());
    }
}

async fn shows(device: &Device, text: &str) {
    if let Err(error) = device.locate(label(text)).wait(secs(60)).await {
        panic!(
            "{text:?} is not shown: {error:?}\n{}",
            device.snapshot().await.unwrap().view()
        );
    }
}

async fn back(device: &Device) {
    device.perform(Action::Back).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_foreign_app_is_driven_through_its_menus() {
    let Some(apk) = apk().await else { return };
    let Some(peer) = TestbedDevice::up().await else {
        return;
    };
    let Some(real) = RealServer::start(AdbConfig::default()).await else {
        return;
    };
    let adb = peer.on(&real.server).await;
    Apps::of(&adb)
        .install(&apk, &InstallOptions::default(), &call())
        .await
        .unwrap();
    // Its first start on a device of the testbed translates its code, which takes longer than an app may.
    let start = ShellCommand::new("monkey")
        .unwrap()
        .args(["-p", APP, "1"])
        .unwrap();
    adb.shell(&start, &call()).await.unwrap();
    let mut config = AndroidConfig::default();
    config.app = Some(APP.to_owned());
    let android = std::sync::Arc::new(Android::connect(adb, config).await.unwrap());
    let device = Device::new(std::sync::Arc::clone(&android));
    device
        .perform(Action::Open(OpenTarget::App(APP.to_owned())))
        .await
        .unwrap();

    comes_back(&device).await;
    controls(&device).await;
    dialogs(&device).await;
    a_long_list(&device).await;
    android.close().await.unwrap();
    real.stop().await;
}

/// An app that runs is opened where it was, as its icon does it.
async fn comes_back(device: &Device) {
    choose(device, "App").await;
    shows(device, "Alert Dialogs").await;
    device.perform(Action::Home).await.unwrap();
    let again = OpenTarget::App(APP.to_owned());
    device.perform(Action::Open(again)).await.unwrap();
    shows(device, "Alert Dialogs").await;
    back(device).await;
    shows(device, "Views").await;
}

/// Fields, boxes, switches and a spinner.
async fn controls(device: &Device) {
    choose(device, "Views").await;
    choose(device, "Controls").await;
    choose(device, "1. Light Theme").await;
    let field = device.locate(id("edit"));
    field.wait(secs(60)).await.unwrap();
    let filled = field.fill("Grüße, 日本 😀").await.unwrap();
    assert_eq!(filled.fill, Some(FillCheck::Verified), "{filled:?}");
    let typed = field.type_text("!").await.unwrap();
    assert!(typed.warnings.is_empty(), "{typed:?}");
    assert_eq!(
        field.get().await.unwrap().value.as_deref(),
        Some("Grüße, 日本 😀!")
    );
    assert_eq!(
        field.fill("").await.unwrap().fill,
        Some(FillCheck::Verified)
    );
    device.perform(Action::KeyboardDismiss).await.unwrap();

    let checked = async |name: &str| device.locate(label(name)).get().await.unwrap().checked;
    assert_eq!(checked("Checkbox 1").await, Some(Checked::Off));
    device.locate(label("Checkbox 1")).press().await.unwrap();
    device.locate(label("RadioButton 2")).press().await.unwrap();
    assert_eq!(checked("Checkbox 1").await, Some(Checked::On));
    assert_eq!(checked("RadioButton 2").await, Some(Checked::On));
    assert_eq!(checked("RadioButton 1").await, Some(Checked::Off));

    let spinner = device.locate(id("spinner1"));
    if !spinner.is(Predicate::Visible).await.unwrap() {
        device
            .scroll(Direction::Down)
            .until(id("spinner1"))
            .await
            .unwrap();
    }
    spinner.press().await.unwrap();
    choose(device, "Jupiter").await;
    shows(device, "Jupiter").await;
    back(device).await;
    shows(device, "2. Dark Theme").await;
    back(device).await;
    shows(device, "Controls").await;
    back(device).await;
    shows(device, "Views").await;
}

/// Dialogs that are read and answered.
async fn dialogs(device: &Device) {
    choose(device, "App").await;
    choose(device, "Alert Dialogs").await;
    choose(device, "OK Cancel dialog with a message").await;
    let alert = device.wait_for_alert(secs(60)).await.unwrap();
    assert!(alert.text.starts_with("Lorem ipsum"), "{alert:?}");
    assert_eq!(alert.buttons.len(), 2, "{alert:?}");
    device.accept_alert(None).await.unwrap();
    assert_eq!(device.alert().await.unwrap(), None);
    choose(device, "List dialog").await;
    choose(device, "Command two").await;
    shows(device, "You selected: 1 , Command two").await;
    back(device).await;
    choose(device, "Single choice list").await;
    choose(device, "Street view").await;
    device.dismiss_alert().await.unwrap();
    assert_eq!(device.alert().await.unwrap(), None);
    back(device).await;
    shows(device, "Alert Dialogs").await;
    back(device).await;
    shows(device, "Views").await;
}

/// Rows that come into being by scrolling.
async fn a_long_list(device: &Device) {
    choose(device, "Views").await;
    choose(device, "Lists").await;
    choose(device, "01. Array").await;
    shows(device, "Abbaye de Belloc").await;
    let found = device
        .scroll(Direction::Down)
        .until(label("Baylough"))
        .await
        .unwrap();
    assert!(found.passes > 0, "{found:?}");
    assert!(
        !device
            .locate(label("Abbaye de Belloc"))
            .is(Predicate::Exists)
            .await
            .unwrap()
    );
    let up = device
        .scroll(Direction::Up)
        .until(label("Abbaye de Belloc"))
        .await
        .unwrap();
    assert!(up.passes > 0, "{up:?}");
    let rows = device.snapshot().await.unwrap();
    let texts = rows
        .nodes()
        .filter(|node| node.role() == Role::Text)
        .count();
    assert!(texts >= 10, "{}", rows.view());
    assert!(
        device
            .locate(role(Role::List))
            .is(Predicate::Exists)
            .await
            .unwrap()
    );
}
