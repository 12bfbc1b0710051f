//! Finding devices and handling apps, on a device of the testbed.

use std::{process::Stdio, time::Duration};

use agent_device_android::{
    AdbConfig, Android, AndroidConfig, AppKind, Apps, Connection, Cure, DeviceChoice, FormFactor,
    InstallFailure, InstallMethod, InstallOptions, Permission,
    adb::{AdbDevice, AdbServer, ShellCommand},
};
use agent_device_core::{
    Call, ErrorCode, Interactor as _,
    action::{Action, OpenTarget},
    dispatch::rows::android_adb as rows,
};
use tokio::{io::AsyncWriteExt as _, net::TcpListener, process::Command};

use crate::{
    peers::{DeadDevice, Reach, RealServer, at_root},
    testbed::TestbedDevice,
};

const FIXTURE: &str = "dev.agentdevice.fixture";
const HELPER: &str = "dev.agentdevice.helper";
const KEYBOARD: &str = "dev.agentdevice.ime";

fn call() -> Call {
    Call::standalone(Duration::from_secs(60))
}

fn command(words: &[&str]) -> ShellCommand {
    let command = ShellCommand::new(words[0]).unwrap();
    command.args(&words[1..]).unwrap()
}

async fn said(device: &AdbDevice, words: &[&str]) -> String {
    let output = device.shell(&command(words), &call()).await.unwrap();
    output.stdout_text().trim().to_owned()
}

fn apk(name: &str) -> std::path::PathBuf {
    at_root(&format!("helper-apk/dist/{name}.apk"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_is_found_and_its_apps_do_what_they_are_told() {
    let Some(peer) = TestbedDevice::up().await else {
        return;
    };
    let Some(real) = RealServer::start(AdbConfig::default()).await else {
        return;
    };
    discovery(&real.server, &peer).await;
    let device = real.server.device(peer.address.as_str()).unwrap();
    let apps = Apps::of(&device);
    installing(&device, &apps, &peer).await;
    opening_and_stopping(&device, &apps).await;
    permissions(&apps, &device).await;
    own_apps(&device, &peer).await;
    local_addresses(&real.server, &device, &peer).await;
    real.stop().await;
}

async fn discovery(server: &AdbServer, peer: &TestbedDevice) {
    let none = DeviceChoice::Only
        .pick(&server.discover(&call()).await.unwrap())
        .unwrap_err();
    assert_eq!(
        (none.code(), none.reason()),
        (ErrorCode::DeviceNotFound, Some("no_devices"))
    );

    let locked = DeadDevice::start(Reach::Locked).await;
    let short = Call::standalone(Duration::from_secs(2));
    let _ = server.connect(&locked.address, &short).await;
    server.connect(&peer.address, &call()).await.unwrap();
    let device = server.device(peer.address.as_str()).unwrap();
    device.wait_for("device", &call()).await.unwrap();
    let found = loop {
        let found = server.discover(&call()).await.unwrap();
        let states: Vec<_> = found
            .iter()
            .filter_map(agent_device_android::FoundDevice::cure)
            .collect();
        if found.len() == 2 && states == [Cure::AllowOnScreen] {
            break found;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let usable = DeviceChoice::Only.pick(&found).unwrap();
    assert_eq!(usable.serial(), peer.address);
    assert_eq!(usable.connection, Connection::Network);
    assert_eq!(usable.name(), "Proving Ground");
    let known = usable.properties.as_ref().unwrap();
    assert_eq!(
        (known.api, known.form_factor, known.booted),
        (Some(34), FormFactor::Phone, true)
    );
    let by_name = DeviceChoice::Named("proving_ground".into());
    assert_eq!(by_name.pick(&found).unwrap().serial(), peer.address);
    let refused = DeviceChoice::Serial(locked.address.clone())
        .pick(&found)
        .unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Unauthorized);
    assert_eq!(refused.row(), Some(rows::DEVICE_NOT_CHOSEN.row()));
    let by_builder = Android::builder()
        .server(server.clone())
        .named("Testbed Proving Ground");
    assert_eq!(
        by_builder
            .find(&call())
            .await
            .unwrap()
            .selector()
            .to_string(),
        peer.address
    );
    // An address that the server does not know yet is connected to.
    server.disconnect(&peer.address, &call()).await.unwrap();
    let by_address = Android::builder()
        .server(server.clone())
        .serial(&peer.address);
    let device = by_address.find(&call()).await.unwrap();
    device.wait_for("device", &call()).await.unwrap();
}

async fn installing(device: &AdbDevice, apps: &Apps, peer: &TestbedDevice) {
    let options = InstallOptions::default();
    let fixture = apk("fixture");
    assert_eq!(
        apps.install(&fixture, &options, &call()).await.unwrap(),
        InstallMethod::Streamed
    );
    // A device without `cmd` gets a file.
    let old = device.server().device(peer.address.as_str()).unwrap();
    let old = Apps::of(&old.with_features("shell_v2"));
    let bytes = std::fs::read(apk("ime")).unwrap();
    let method = old.install_bytes(&bytes, &options, &call()).await.unwrap();
    assert_eq!(method, InstallMethod::Pushed);
    let left = said(device, &["sh", "-c", "ls /data/local/tmp | grep apk"]).await;
    assert_eq!(left, "", "the file is gone");
    apps.uninstall(KEYBOARD, &call()).await.unwrap();
    let error = apps.clear(KEYBOARD, &call()).await.unwrap_err();
    assert_eq!(
        (error.code(), error.dispatched().is_no()),
        (ErrorCode::AppNotInstalled, true)
    );

    let call_of_it = call();
    let broken = apps.install_bytes(b"PK nonsense", &options, &call_of_it);
    let error = broken.await.unwrap_err();
    assert_eq!(
        InstallFailure::of(&error),
        Some(InstallFailure::InvalidApk),
        "{error:?}"
    );
    assert_eq!(error.row(), Some(rows::PACKAGE_MANAGER_REFUSED.row()));
    peer.fault(&["refuse-installs", "INSTALL_FAILED_USER_RESTRICTED"])
        .await;
    let error = apps.install(&fixture, &options, &call()).await.unwrap_err();
    assert_eq!(
        InstallFailure::of(&error),
        Some(InstallFailure::UserRestricted)
    );
    assert!(error.hint().contains("Install via USB"), "{}", error.hint());
    peer.fault(&["clear"]).await;
    // One that nobody confirms.
    peer.fault(&["hang", "cmd"]).await;
    let mut impatient = options.clone();
    impatient.timeout = Duration::from_millis(700);
    let error = apps
        .install(&fixture, &impatient, &call())
        .await
        .unwrap_err();
    assert!(
        error.hint().contains("screen") && !error.dispatched().is_no(),
        "{error:?}"
    );
    peer.fault(&["clear"]).await;
    let error = apps
        .install("/no/such.apk", &options, &call())
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.dispatched().is_no()),
        (ErrorCode::InvalidArgs, true)
    );

    let installed = apps.list(AppKind::Installed, &call()).await.unwrap();
    assert_eq!(installed, [FIXTURE]);
    assert!(apps.list(AppKind::All, &call()).await.unwrap().len() > 3);
    assert_eq!(apps.find("fixture", &call()).await.unwrap(), FIXTURE);
    let error = apps.find("android", &call()).await;
    assert_eq!(error.unwrap(), "android", "a whole name is itself");
    let error = apps.find("com", &call()).await.unwrap_err();
    assert_eq!(error.row(), Some(rows::APP_NOT_FOUND.row()));
    assert_eq!(
        apps.find("nothing", &call()).await.unwrap_err().code(),
        ErrorCode::AppNotInstalled
    );
}

async fn opening_and_stopping(device: &AdbDevice, apps: &Apps) {
    for name in [
        "fixture",
        FIXTURE,
        "dev.agentdevice.fixture/.FixtureActivity",
    ] {
        let opened = apps.open(name, &call()).await.unwrap();
        assert_eq!(opened.package.as_deref(), Some(FIXTURE));
        assert!(opened.drawn, "{opened:?}");
        assert!(apps.is_running(FIXTURE, &call()).await.unwrap());
        assert_eq!(
            apps.in_front(&call()).await.unwrap().as_deref(),
            Some(FIXTURE)
        );
        apps.stop(FIXTURE, &call()).await.unwrap();
        assert_eq!(said(device, &["pidof", FIXTURE]).await, "");
        assert_ne!(
            apps.in_front(&call()).await.unwrap().as_deref(),
            Some(FIXTURE)
        );
    }
    let error = apps
        .open("dev.agentdevice.fixture/.None", &call())
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some("android_open_failed"), "{error:?}");
    assert!(!error.dispatched().is_no());
    assert_eq!(
        apps.open("com.example.none", &call())
            .await
            .unwrap_err()
            .code(),
        ErrorCode::AppNotInstalled
    );
    let opened = apps.open("settings", &call()).await.unwrap();
    assert_eq!(opened.package.as_deref(), Some("com.android.settings"));
}

async fn permissions(apps: &Apps, device: &AdbDevice) {
    assert_eq!(apps.current_user(&call()).await.unwrap(), 0);
    // The fixture does not ask for this one, so the package manager refuses.
    let call_of_it = call();
    let refused = apps.grant(FIXTURE, &Permission::Microphone, &call_of_it);
    let error = refused.await.unwrap_err();
    assert_eq!(
        error.row(),
        Some(rows::PACKAGE_MANAGER_REFUSED.row()),
        "{error:?}"
    );
    let asked = Permission::Camera;
    apps.grant(FIXTURE, &asked, &call()).await.unwrap();
    apps.open(FIXTURE, &call()).await.unwrap();
    assert!(
        apps.revoke(FIXTURE, &asked, &call()).await.unwrap(),
        "the app was ended"
    );
    apps.grant(FIXTURE, &asked, &call()).await.unwrap();
    apps.clear(FIXTURE, &call()).await.unwrap();
    assert_eq!(said(device, &["pidof", FIXTURE]).await, "");
}

/// The helper: what is there decides, and another's signature makes way.
async fn own_apps(device: &AdbDevice, peer: &TestbedDevice) {
    let connect = async || {
        let android = Android::connect(device.clone(), AndroidConfig::default()).await?;
        android.close().await
    };
    let installs = async || {
        let log = said(device, &["logcat", "-d", "-v", "time"]).await;
        log.lines()
            .filter(|line| line.contains(&format!("installed {HELPER}")))
            .count()
    };
    connect().await.unwrap();
    assert_eq!(installs().await, 1, "missing");
    connect().await.unwrap();
    assert_eq!(installs().await, 1, "the same");
    // The same version, signed by another key: refused as an update, so it is uninstalled first.
    let Some(other) = resigned(&apk("helper"), "other-key").await else {
        return;
    };
    Apps::of(device).uninstall(HELPER, &call()).await.unwrap();
    Apps::of(device)
        .install_bytes(&other, &InstallOptions::default(), &call())
        .await
        .unwrap();
    connect().await.unwrap();
    assert_eq!(installs().await, 3, "mismatched, then incompatible");
    let path = said(device, &["pm", "path", HELPER]).await;
    let there = device
        .pull(path.trim_start_matches("package:"), &call())
        .await
        .unwrap();
    assert!(there == std::fs::read(apk("helper")).unwrap());
    // A refusal of the device's maker says so.
    Apps::of(device).uninstall(HELPER, &call()).await.unwrap();
    peer.fault(&["refuse-installs", "INSTALL_FAILED_ABORTED"])
        .await;
    let error = connect().await.unwrap_err();
    assert!(error.hint().contains("confirm"), "{error:?}");
    assert!(error.dispatched().is_no());
    peer.fault(&["clear"]).await;
}

/// The APK with another signature.
async fn resigned(apk: &std::path::Path, name: &str) -> Option<Vec<u8>> {
    let folder = crate::peers::Folder::new("resigned");
    let (key, out) = (folder.path().join("key"), folder.path().join("out.apk"));
    let run = async |program: &str, arguments: Vec<&std::ffi::OsStr>| {
        let status = Command::new(program)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.await.is_ok_and(|status| status.success())
    };
    let mut words: Vec<&std::ffi::OsStr> = [
        "-genkeypair",
        "-keyalg",
        "RSA",
        "-alias",
        "x",
        "-storepass",
        "android",
        "-dname",
        "CN=x",
        "-keystore",
    ]
    .iter()
    .map(|word| word.as_ref())
    .collect();
    words.push(key.as_ref());
    let made = run("keytool", words).await;
    let mut words: Vec<&std::ffi::OsStr> = vec!["sign".as_ref(), "--ks".as_ref(), key.as_ref()];
    words.extend(
        ["--ks-pass", "pass:android", "--out"]
            .iter()
            .map(|word| std::ffi::OsStr::new(*word)),
    );
    words.extend([out.as_os_str(), apk.as_os_str()]);
    if made && run("apksigner", words).await {
        return std::fs::read(&out).ok();
    }
    crate::peers::skip(
        "apksigner",
        &format!("apt-get install apksigner (for {name})"),
    );
    None
}

/// `localhost` in a link is this machine, not the device.
async fn local_addresses(server: &AdbServer, device: &AdbDevice, peer: &TestbedDevice) {
    let apps = Apps::of(device);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"here").await;
        }
    });
    let android = Android::builder()
        .server(server.clone())
        .serial(&peer.address)
        .connect()
        .await
        .unwrap();
    let open = |url: String| Action::Open(OpenTarget::Url(url));
    // Whatever opens it or nothing: the way stands before.
    let url = format!("fixture://localhost:{port}/home");
    let _ = android.perform(&open(url.clone()), &call()).await;
    let ports = device.reverses(&call()).await.unwrap();
    assert_eq!(ports.len(), 1, "{ports:?}");
    assert_eq!(ports[0].local, format!("tcp:{port}"));
    let ask = ShellCommand::script("sleep 1 | toybox nc 127.0.0.1 \"$1\"")
        .arg(port.to_string())
        .unwrap();
    let answer = tokio::time::timeout(Duration::from_secs(10), device.shell(&ask, &call())).await;
    assert_eq!(answer.unwrap().unwrap().stdout_text(), "here");
    let _ = android.perform(&open(url.clone()), &call()).await;
    assert_eq!(device.reverses(&call()).await.unwrap().len(), 1);
    android.close().await.unwrap();
    assert_eq!(
        device.reverses(&call()).await.unwrap(),
        [],
        "what was made is gone"
    );

    // Somebody else's port stays, and one that leads elsewhere is refused before anything is opened.
    let theirs = device.reverse(port, port, &call()).await.unwrap();
    let _ = android.perform(&open(url.clone()), &call()).await;
    drop(android);
    assert_eq!(device.reverses(&call()).await.unwrap().len(), 1);
    theirs.close(&call()).await.unwrap();
    let elsewhere = device.reverse(port, 1, &call()).await.unwrap();
    let android = Android::connect(device.clone(), AndroidConfig::default())
        .await
        .unwrap();
    let error = android.perform(&open(url), &call()).await.unwrap_err();
    assert_eq!(
        error.row(),
        Some(rows::HOST_SERVICE_FAILED.row()),
        "{error:?}"
    );
    tokio::task::spawn_blocking(move || drop(elsewhere))
        .await
        .unwrap();
    assert_eq!(
        device.reverses(&call()).await.unwrap(),
        [],
        "dropping removes it"
    );
    // The testbed can't hand a link to a running app of this kind.
    apps.stop(FIXTURE, &call()).await.unwrap();
    // A link that opens the app, in words that a shell would read differently.
    let link = Action::Open(OpenTarget::Url(
        "fixture://late?delay=1&x=$(reboot)'".to_owned(),
    ));
    android.perform(&link, &call()).await.unwrap();
    assert_eq!(
        apps.in_front(&call()).await.unwrap().as_deref(),
        Some(FIXTURE)
    );
    android
        .perform(&Action::Close(Some(FIXTURE.to_owned())), &call())
        .await
        .unwrap();
    android.close().await.unwrap();
}
