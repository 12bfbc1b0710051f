//! Apps: listed, installed, cleared and allowed things by stand-ins of Xcode's tools that keep what they are told in a folder.

use std::{fs, path::PathBuf, time::Duration};

use agent_device_apple::{AppKind, Apple, AppleTarget, Apps, Permission, Platform};
use agent_device_core::{Call, Error, ErrorCode, dispatch::rows};

use crate::peers::{Folder, Tools, UDID, attached, call, fast, local};

const APP: &str = "com.example.app";

/// Subcommands of `simctl help`, and of `devicectl device`. That an app which is not there is uninstalled and allowed things without
/// a word, that it has no container (code 2, ENOENT), and that nothing can be asked of a simulator that sleeps (SimError 405, whose
/// lowest byte is the exit code): as other open-source clients record it. The real `simctl listapps` prints a property list of the
/// oldest kind, which plutil reads as it does any other.
const SIMCTL: &str = r#"
grep -q Booted "$here/devices.json" || case $2 in
bootstatus) sed -i s/Shutdown/Booted/ "$here/devices.json"; exit ;;
*) echo 'Unable to lookup in current state: Shutdown' >&2; exit 149 ;;
esac
case $2 in
listapps) cat "$here/listapps" ;;
get_app_container) [ -d "$here/apps/$4" ] || { echo 'No such file or directory' >&2; exit 2; }; echo "$here/apps/$4/App.app" ;;
install) mkdir -p "$here/apps/com.example.app"; cp -R "$4" "$here/apps/com.example.app/App.app" ;;
uninstall) rm -rf "$here/apps/$4" ;;
privacy) [ "$5" != notifications ] || { echo 'Operation not permitted' >&2; exit 1; } ;;
esac
"#;

fn simulator() -> (Tools, Apps) {
    let tools = Tools::new("exit 0");
    tools.plutil();
    tools.xcrun(SIMCTL);
    let apps = Apple::new(tools.simulator(), tools.config()).apps();
    (tools, apps)
}

fn phone(tools: &Tools) -> Apps {
    let (platform, udid) = (Platform::Ios, "U".to_owned());
    Apple::new(AppleTarget::Device { platform, udid }, tools.config()).apps()
}

/// A build of an app.
fn build(folder: &Folder) -> PathBuf {
    let app = folder.path().join("App.app");
    fs::create_dir_all(&app).unwrap();
    fs::write(app.join("App"), "a program").unwrap();
    app
}

fn made(tools: &Tools, what: &str) -> usize {
    tools
        .calls()
        .lines()
        .filter(|line| line.contains(what))
        .count()
}

#[tokio::test]
async fn an_app_of_a_simulator_is_installed_and_uninstalled() {
    let (tools, apps) = simulator();
    let app = build(&tools.folder);
    assert!(!apps.is_installed(APP, &call()).await.unwrap());
    let wait = call();
    apps.install(&app, &wait).await.unwrap();
    assert_eq!(wait.ledger().steps(), 1);
    assert!(
        tools
            .calls()
            .contains(&format!("simctl install {UDID} {}", app.display()))
    );
    assert!(apps.is_installed(APP, &call()).await.unwrap());
    apps.uninstall(APP, &call()).await.unwrap();
    assert!(!apps.is_installed(APP, &call()).await.unwrap());

    let wait = call();
    let error = apps.uninstall(APP, &wait).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::AppNotInstalled);
    assert!(
        error.dispatched().is_no() && wait.ledger().is_empty(),
        "{error:?}"
    );
    assert_eq!(made(&tools, "simctl uninstall"), 1);
}

#[tokio::test]
async fn what_is_no_app_is_refused_before_any_tool_runs() {
    let (tools, apps) = simulator();
    let socket = tools.folder.path().join("socket");
    let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for path in [tools.folder.path().join("none.app"), socket, PathBuf::new()] {
        let error = apps.install(&path, &call()).await.unwrap_err();
        assert_eq!(
            (error.code(), error.detail("field")),
            (ErrorCode::InvalidArgs, Some(&"path".into()))
        );
        assert!(error.dispatched().is_no());
    }
    for app in ["", "-x", "a b"] {
        let error = apps.uninstall(app, &call()).await.unwrap_err();
        assert_eq!(
            (error.code(), error.detail("field")),
            (ErrorCode::InvalidArgs, Some(&"app".into()))
        );
    }
    for word in ["", "-x", "Camera", "a b"] {
        let permission = Permission::Named(word.to_owned());
        let error = apps.grant(APP, &permission, &call()).await.unwrap_err();
        assert_eq!(
            (error.code(), error.detail("field")),
            (ErrorCode::InvalidArgs, Some(&"permission".into()))
        );
    }
    assert_eq!(tools.calls(), "");
}

#[tokio::test]
async fn a_simulator_that_sleeps_is_booted_for_its_apps() {
    let (tools, apps) = simulator();
    let list = tools.folder.read("devices.json");
    let sleep = || {
        fs::write(
            tools.folder.path().join("devices.json"),
            list.replace("Booted", "Shutdown"),
        )
        .unwrap()
    };
    sleep();
    apps.install(build(&tools.folder), &call()).await.unwrap();
    sleep();
    assert!(apps.is_installed(APP, &call()).await.unwrap());
    sleep();
    fs::write(tools.folder.path().join("listapps"), "{}").unwrap();
    apps.list(AppKind::All, &call()).await.unwrap();
    assert_eq!(made(&tools, "bootstatus"), 3, "{}", tools.calls());

    fs::write(tools.folder.path().join("devices.json"), "{\"devices\":{}}").unwrap();
    let error = apps
        .install(build(&tools.folder), &call())
        .await
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::DeviceNotFound);
    assert!(error.dispatched().is_no());
}

#[tokio::test]
async fn an_app_is_cleared_by_being_installed_again_from_itself() {
    let (tools, apps) = simulator();
    let error = apps.clear(APP, &call()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::AppNotInstalled);
    let app = build(&tools.folder);
    apps.install(&app, &call()).await.unwrap();
    fs::remove_dir_all(app).unwrap();
    let home = tools.folder.path().join("apps").join(APP);
    fs::write(home.join("data"), "of a user").unwrap();
    let wait = call();
    apps.clear(APP, &wait).await.unwrap();
    assert_eq!(wait.ledger().steps(), 2);
    assert!(!home.join("data").exists());
    assert_eq!(
        fs::read_to_string(home.join("App.app/App")).unwrap(),
        "a program"
    );

    tools.xcrun(&format!("[ $2 != install ] || exit 1\n{SIMCTL}"));
    let error = apps.clear(APP, &call()).await.unwrap_err();
    assert_eq!(
        (error.dispatched().as_str(), error.dispatched_steps()),
        ("unknown", 1)
    );
    assert!(error.hint().contains("install it again"), "{error:?}");
}

#[tokio::test]
async fn permissions_are_changed_by_their_words() {
    let (tools, apps) = simulator();
    let microphone = &Permission::Microphone;
    let error = apps.grant(APP, microphone, &call()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::AppNotInstalled);
    apps.install(build(&tools.folder), &call()).await.unwrap();
    apps.grant(APP, microphone, &call()).await.unwrap();
    apps.revoke(APP, &Permission::PhotosAdd, &call())
        .await
        .unwrap();
    apps.reset(APP, &Permission::All, &call()).await.unwrap();
    let calls = tools.calls();
    let words: Vec<_> = calls
        .lines()
        .filter_map(|line| line.split_once("privacy "))
        .map(|(_, words)| words)
        .collect();
    let words: Vec<_> = words.iter().map(|words| words.replace(UDID, "-")).collect();
    assert_eq!(
        words,
        [
            "- grant microphone com.example.app",
            "- revoke photos-add com.example.app",
            "- reset all com.example.app"
        ]
    );
    let unknown = Permission::Named("notifications".to_owned());
    let error = apps.grant(APP, &unknown, &call()).await.unwrap_err();
    assert_eq!(
        (error.reason(), error.dispatched().as_str()),
        (Some("tool_failed"), "unknown")
    );
    assert!(
        error
            .detail("stderr")
            .unwrap()
            .as_str()
            .unwrap()
            .contains("not permitted")
    );
}

#[tokio::test]
async fn apps_are_listed_by_where_they_came_from() {
    let (tools, apps) = simulator();
    let listed = "<plist version=\"1.0\"><dict><key>com.apple.Maps</key><dict><key>ApplicationType</key><string>System</string></dict>\
         <key>com.example.app</key><dict><key>ApplicationType</key><string>User</string><key>CFBundleVersion</key><string>7</string>\
         </dict><key>broken</key><string>x</string></dict></plist>";
    let file = tools.folder.path().join("listapps");
    fs::write(&file, listed).unwrap();
    let of = async |apps: &Apps, kind| apps.list(kind, &call()).await.unwrap();
    assert_eq!(of(&apps, AppKind::All).await, ["com.apple.Maps", APP]);
    assert_eq!(of(&apps, AppKind::Installed).await, [APP]);
    assert_eq!(of(&apps, AppKind::System).await, ["com.apple.Maps"]);
    fs::write(&file, "[]").unwrap();
    let error = apps.list(AppKind::All, &call()).await.unwrap_err();
    assert!(
        error.message().contains("bundle ids") && error.dispatched().is_no(),
        "{error:?}"
    );

    tools.xcrun(DEVICECTL);
    let apps = phone(&tools);
    assert_eq!(of(&apps, AppKind::All).await, ["com.apple.Maps", APP]);
    assert_eq!(of(&apps, AppKind::Installed).await, [APP]);
    assert_eq!(of(&apps, AppKind::System).await, ["com.apple.Maps"]);
}

/// What the tool writes, with the keys that appium/appium-xcuitest-driver shows. Its short list leaves out what came with the system.
const DEVICECTL: &str = r#"
words="$*"
while [ $# -gt 0 ]; do [ "$1" = --json-output ] && file=$2; shift; done
user='{"appClip":false,"builtByDeveloper":true,"bundleIdentifier":"com.example.app","defaultApp":false,"internalApp":false,"url":"file:///x/App.app/"}'
system='{"appClip":false,"builtByDeveloper":false,"bundleIdentifier":"com.apple.Maps","defaultApp":true,"internalApp":false,"url":"file:///Applications/Maps.app/"}'
case "$words" in
*"info details"*) echo '{"result":{"connectionProperties":{}}}' > "$file" ;;
*"info apps --include-all-apps"*) echo "{\"result\":{\"apps\":[$user,$system,7]}}" > "$file" ;;
*"info apps --bundle-id com.example.app"*) echo "{\"result\":{\"apps\":[$user]}}" > "$file" ;;
*"info apps --bundle-id"*) echo '{"result":{"apps":[]}}' > "$file" ;;
*"device install app"*|*"device uninstall app"*) ;;
*) exit 64 ;;
esac
"#;

#[tokio::test]
async fn apps_of_a_phone_are_installed_by_devicectl() {
    let tools = Tools::new("exit 0");
    tools.xcrun(DEVICECTL);
    let apps = phone(&tools);
    let app = build(&tools.folder);
    apps.install(&app, &call()).await.unwrap();
    apps.uninstall(APP, &call()).await.unwrap();
    let calls = tools.calls();
    for wanted in [
        format!(
            "devicectl device install app --device U {}\n",
            app.display()
        ),
        format!("devicectl device uninstall app --device U {APP}\n"),
    ] {
        assert!(calls.contains(&wanted), "{calls}");
    }
    assert!(apps.is_installed("com.apple.Maps", &call()).await.unwrap());
    assert!(
        !apps
            .is_installed("com.example.none", &call())
            .await
            .unwrap()
    );
    let error = apps.clear(APP, &call()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::UnsupportedOperation);
    // An answer without the list is no proof that an app is not there.
    tools.xcrun("while [ $# -gt 0 ]; do [ \"$1\" = --json-output ] && echo '{\"result\":{}}' > \"$2\"; shift; done");
    let error = apps.is_installed(APP, &call()).await.unwrap_err();
    assert!(error.message().contains("result.apps"), "{error:?}");
}

async fn all(apps: &Apps, path: &PathBuf) -> Vec<Error> {
    let permission = Permission::Photos;
    vec![
        apps.list(AppKind::All, &call()).await.unwrap_err(),
        apps.is_installed(APP, &call()).await.unwrap_err(),
        apps.install(path, &call()).await.unwrap_err(),
        apps.uninstall(APP, &call()).await.unwrap_err(),
        apps.clear(APP, &call()).await.unwrap_err(),
        apps.reset(APP, &permission, &call()).await.unwrap_err(),
    ]
}

#[tokio::test]
async fn a_device_whose_apps_no_tool_manages_says_so() {
    let tools = Tools::new("exit 0");
    let app = build(&tools.folder);
    let unsupported = |errors: Vec<Error>| {
        for error in errors {
            assert_eq!(error.code(), ErrorCode::UnsupportedOperation, "{error:?}");
            assert!(error.dispatched().is_no() && !error.hint().is_empty());
        }
    };
    unsupported(all(&Apple::new(AppleTarget::Mac, tools.config()).apps(), &app).await);
    unsupported(all(&attached(local(1), fast()).apps(), &app).await);
    assert_eq!(tools.calls(), "");
    // As in the test of a phone that is driven by its runner alone.
    tools.xcrun("echo 'ERROR: The specified device was not found. (Name: U) (com.apple.dt.CoreDeviceError error 1000.)' >&2; exit 1");
    unsupported(all(&phone(&tools), &app).await);
    assert_eq!(made(&tools, "install app"), 0, "{}", tools.calls());
}

#[tokio::test]
async fn a_tool_that_hangs_is_a_no_before_anything_was_changed_and_unknown_after() {
    let (tools, apps) = simulator();
    let app = build(&tools.folder);
    apps.install(&app, &call()).await.unwrap();
    let short = || Call::standalone(Duration::from_millis(500));
    tools.xcrun(&format!(
        "[ $2 != get_app_container ] || exec sleep 600\n{SIMCTL}"
    ));
    for error in [
        apps.uninstall(APP, &short()).await.unwrap_err(),
        apps.clear(APP, &short()).await.unwrap_err(),
        apps.is_installed(APP, &short()).await.unwrap_err(),
    ] {
        assert_eq!(error.reason(), Some("deadline_exceeded"), "{error:?}");
        assert_eq!(error.row(), Some(rows::core::READ_ONLY.row()), "{error:?}");
    }
    tools.xcrun(&format!(
        "case $2 in install|uninstall|privacy) exec sleep 600;; esac\n{SIMCTL}"
    ));
    for error in [
        apps.install(&app, &short()).await.unwrap_err(),
        apps.uninstall(APP, &short()).await.unwrap_err(),
        apps.grant(APP, &Permission::Siri, &short())
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.reason(), Some("deadline_exceeded"), "{error:?}");
        assert_eq!(error.dispatched().as_str(), "unknown", "{error:?}");
    }
    assert_eq!(
        made(&tools, "simctl install"),
        2,
        "nothing is repeated: {}",
        tools.calls()
    );
}
