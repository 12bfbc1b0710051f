//! Finding what can be driven, in the lists of stand-ins of Xcode's tools.

use std::{fs, time::Duration};

use agent_device_apple::{Apple, AppleTarget, Cure, DeviceChoice, FoundDevice, Kind, Platform};
use agent_device_core::{Call, Error, ErrorCode};
use serde_json::{Value, json};

use crate::peers::{Tools, UDID, call};

const BOTH: &[Kind] = &[Kind::Simulator, Kind::Device];

async fn discover(tools: &Tools, kinds: &[Kind]) -> Result<Vec<FoundDevice>, Error> {
    Apple::discover(kinds, &tools.config(), &call()).await
}

/// What the tools of this folder list.
fn lists(simulators: &str, devices: &str) -> Tools {
    let tools = Tools::new("exit 0");
    fs::write(tools.folder.path().join("devices.json"), simulators).unwrap();
    fs::write(tools.folder.path().join("coredevices.json"), devices).unwrap();
    tools.xcrun("case \"$1 $2 $3 $4\" in 'devicectl list devices --json-output') cat \"$here/coredevices.json\" > \"$5\";; *) exit 64;; esac");
    tools
}

/// Keys and values as FilledStacks/device_finder, `test/test_data.dart`, records them.
fn simulators() -> Value {
    let simulator = |udid: &str, name: &str, state: &str, kind: &str| {
        json!({
            "dataPath": "/x", "logPath": "/y", "udid": udid, "isAvailable": true, "state": state, "name": name,
            "deviceTypeIdentifier": format!("com.apple.CoreSimulator.SimDeviceType.{kind}"),
        })
    };
    let mut gone = simulator("GONE", "Apple TV", "Shutdown", "Apple-TV-1080p");
    gone["isAvailable"] = json!(false);
    gone["availabilityError"] = json!("runtime profile not found");
    json!({ "devices": {
        "com.apple.CoreSimulator.SimRuntime.iOS-18-2": [
            simulator(UDID, "iPhone 16", "Booted", "iPhone-16"),
            simulator("SLEEPS", "My iPad", "Shutdown", "iPad-mini"),
            // What is no entry is left out.
            { "udid": 7, "name": "broken" }, "x", { "name": "no number" },
        ],
        "com.apple.CoreSimulator.SimRuntime.tvOS-14-2": [gone],
        "com.apple.CoreSimulator.SimRuntime.xrOS-2-0": [simulator("VISION", "Apple Vision Pro", "Shutdown", "Apple-Vision-Pro")],
        "com.apple.CoreSimulator.SimRuntime.watchOS-11-2": [simulator("WATCH", "Watch", "Shutdown", "Apple-Watch")],
    } })
}

/// Keys and values as flutter/flutter (`core_devices_test.dart`) and tauri-apps/cargo-mobile2 (`devicectl/device_list.rs`) record
/// them, the latter for `properties`, which comes with Xcode 27, and for simulators in this list.
fn devices() -> Value {
    let device = |udid: &str, platform: &str, connection: Value, developer_mode: &str| {
        json!({
            "identifier": "0097E500-40E1-4842-93ED-89C7D7E25655",
            "connectionProperties": connection,
            "deviceProperties": { "name": format!("the {udid}"), "osVersionNumber": "18.2", "developerModeStatus": developer_mode },
            "hardwareProperties": { "platform": platform, "marketingName": "iPhone 15 Pro", "reality": "physical", "udid": udid },
            "visibilityClass": "default",
        })
    };
    let there = json!({ "pairingState": "paired", "transportType": "wired", "tunnelState": "disconnected" });
    let away = json!({ "pairingState": "paired", "tunnelState": "unavailable" });
    let strange = json!({ "pairingState": "unpaired", "transportType": "localNetwork", "tunnelState": "disconnected" });
    let old = json!({ "isMobileDeviceOnly": true, "pairingState": "paired", "transportType": "wired", "tunnelState": "unavailable" });
    let mut simulated = device("SIM", "iOS", there.clone(), "enabled");
    simulated["hardwareProperties"]["reality"] = json!("simulated");
    let mut hidden = device("SIM", "iOS", there.clone(), "enabled");
    hidden["visibilityClass"] = json!("simulators");
    json!({ "info": { "outcome": "success" }, "result": { "devices": [
        device("HERE", "iOS", there.clone(), "enabled"),
        device("AWAY", "iOS", away, "enabled"),
        device("STRANGE", "iOS", strange, "enabled"),
        device("OFF", "tvOS", there.clone(), "disabled"),
        device("OLD", "iOS", old, "enabled"),
        device("WRIST", "watchOS", there, "enabled"),
        simulated, hidden,
        { "connectionProperties": { "pairingState": "unsupported" }, "hardwareProperties": {}, "identifier": "X" },
        { "hardwareProperties": [] }, 7,
        { "identifier": "NEW", "properties": {
            "connection": { "pairingState": "paired", "state": "connected", "transportType": "localNetwork" },
            "hardware": { "platform": "xrOS", "marketingName": "Apple Vision Pro", "reality": "physical", "udid": "NEW" },
            "state": { "name": "Ada's Vision" },
        } },
    ] } })
}

#[tokio::test]
async fn what_can_be_driven_is_listed_with_what_is_missing() {
    let tools = lists(&simulators().to_string(), &devices().to_string());
    let found = discover(&tools, BOTH).await.unwrap();
    let told: Vec<_> = found
        .iter()
        .map(|it| {
            let version = it.version.as_deref().unwrap_or("-");
            let model = it.model.as_deref().unwrap_or("-");
            (
                it.udid.as_str(),
                it.name.as_str(),
                it.profile.as_str(),
                version,
                model,
                it.is_up,
                it.cure().cloned(),
            )
        })
        .collect();
    let no_runtime = Cure::InstallRuntime("runtime profile not found".to_owned());
    let phone = "iPhone 15 Pro";
    assert_eq!(
        told,
        [
            (
                UDID,
                "iPhone 16",
                "ios-simulator",
                "18.2",
                "iPhone 16",
                true,
                None
            ),
            (
                "SLEEPS",
                "My iPad",
                "ios-simulator",
                "18.2",
                "iPad mini",
                false,
                None
            ),
            (
                "GONE",
                "Apple TV",
                "tvos-simulator",
                "14.2",
                "Apple TV 1080p",
                false,
                Some(no_runtime)
            ),
            (
                "VISION",
                "Apple Vision Pro",
                "visionos-simulator",
                "2.0",
                "Apple Vision Pro",
                false,
                None
            ),
            ("HERE", "the HERE", "ios-device", "18.2", phone, true, None),
            (
                "AWAY",
                "the AWAY",
                "ios-device",
                "18.2",
                phone,
                false,
                Some(Cure::Connect)
            ),
            (
                "STRANGE",
                "the STRANGE",
                "ios-device",
                "18.2",
                phone,
                true,
                Some(Cure::Pair)
            ),
            (
                "OFF",
                "the OFF",
                "tvos-device",
                "18.2",
                phone,
                true,
                Some(Cure::DeveloperMode)
            ),
            ("OLD", "the OLD", "ios-device", "18.2", phone, true, None),
            (
                "NEW",
                "Ada's Vision",
                "visionos-device",
                "-",
                "Apple Vision Pro",
                true,
                None
            ),
        ]
    );
    let picked = DeviceChoice::Only.pick(&found).unwrap();
    let (platform, udid) = (Platform::Ios, UDID.to_owned());
    assert_eq!(picked.target(), AppleTarget::Simulator { platform, udid });
    let named = DeviceChoice::Named("the here".to_owned());
    let (platform, udid) = (Platform::Ios, "HERE".to_owned());
    assert_eq!(
        named.pick(&found).unwrap().target(),
        AppleTarget::Device { platform, udid }
    );
}

#[tokio::test]
async fn only_what_is_asked_for_is_looked_for() {
    let tools = lists(&simulators().to_string(), &devices().to_string());
    let mac = discover(&tools, &[Kind::Mac]).await.unwrap();
    assert_eq!(mac.len(), 1);
    assert_eq!(mac[0].target(), AppleTarget::Mac);
    assert_eq!(tools.calls(), "");
    let mut config = tools.config();
    config.simulator_set = Some("/another/set".into());
    let found = Apple::discover(&[Kind::Simulator], &config, &call())
        .await
        .unwrap();
    assert!(found.iter().all(|it| it.profile.kind == Kind::Simulator));
    assert_eq!(
        tools.calls(),
        "xcrun simctl --set /another/set list devices -j\n"
    );
    let found = discover(&tools, &[Kind::Device]).await.unwrap();
    assert!(found.iter().all(|it| it.profile.kind == Kind::Device));
    assert_eq!(tools.calls().lines().count(), 2, "{}", tools.calls());
}

#[tokio::test]
async fn an_answer_that_is_no_list_is_an_error_that_names_what_is_missing() {
    let (simulators, devices) = (simulators().to_string(), devices().to_string());
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for bad in [
        "",
        "{}",
        "[]",
        "\u{0}\u{1}",
        "{\"devices\":[]}",
        "{\"devices\":7}",
        deep.as_str(),
    ] {
        let tools = lists(bad, &devices);
        let error = discover(&tools, BOTH).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::CommandFailed, "{bad:.20}");
        assert!(
            error.message().contains("`devices`"),
            "{bad:.20}: {error:?}"
        );
        assert!(error.dispatched().is_no(), "{error:?}");
    }
    for bad in [
        "",
        "{}",
        "{\"result\":{}}",
        "{\"result\":{\"devices\":{}}}",
        deep.as_str(),
    ] {
        let tools = lists(&simulators, bad);
        let error = discover(&tools, BOTH).await.unwrap_err();
        assert!(
            error.message().contains("`result.devices`"),
            "{bad:.20}: {error:?}"
        );
        assert!(error.dispatched().is_no(), "{error:?}");
    }
    // One that is too large is not read, and a name is cut.
    let tools = lists(&simulators, &" ".repeat((16 << 20) + 1));
    assert!(discover(&tools, &[Kind::Device]).await.is_err());
    let long = simulators.replace("My iPad", &"x".repeat(10_000));
    let found = discover(&lists(&long, &devices), &[Kind::Simulator])
        .await
        .unwrap();
    assert!(found.iter().all(|it| it.name.len() <= 256));
}

#[tokio::test]
async fn a_look_ends_with_its_caller_and_without_its_tool() {
    let tools = lists(&simulators().to_string(), "");
    tools.xcrun("exec sleep 600");
    let short = Call::standalone(Duration::from_millis(300));
    let config = tools.config();
    let error = Apple::discover(BOTH, &config, &short).await.unwrap_err();
    assert_eq!(error.reason(), Some("deadline_exceeded"), "{error:?}");
    assert!(error.dispatched().is_no(), "{error:?}");

    let wait = call();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        wait.cancel().cancel();
    };
    let (found, ()) = tokio::join!(Apple::discover(BOTH, &config, &wait), cancel);
    assert_eq!(found.unwrap_err().reason(), Some("request_canceled"));

    let mut bare = tools.config();
    bare.tool_path = Some("/nowhere".into());
    let error = Apple::discover(BOTH, &bare, &call()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ToolMissing);
    assert!(error.hint().contains("Install Xcode"));
}
