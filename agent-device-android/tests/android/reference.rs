//! The crate on a device with another project's released helper: what it reads and plays through it, what the shell does in
//! its place, and what is refused.

use std::{sync::Arc, time::Duration};

use agent_device_android::{
    AdbConfig, Android, AndroidConfig, Apps, HelperSource, InstallOptions,
    adb::{AdbDevice, ShellCommand},
};
use agent_device_core::{
    Call, Device, ErrorCode, Interactor as _,
    action::{Action, Touch},
    async_trait,
    geometry::Point,
    gesture::Gesture,
    selector::id,
    snapshot::QualityState,
    testing::{Body, Event, EventKind, Fault, Knob, Screen, conformance_of},
};
use serde_json::Value;
use tokio::process::Command;

use crate::{
    peers::{RealServer, at_root, skip},
    suite::Phone,
    testbed::TestbedDevice,
};

const PACKAGE: &str = "com.callstack.agentdevice.snapshothelper";

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

/// The fixture app, driven through the other helper.
struct Foreign(Phone);

#[async_trait]
impl Body for Foreign {
    fn device(&self) -> Device {
        self.0.device()
    }

    async fn open(&self, screen: Screen, knobs: &[(Knob, u64)]) {
        self.0.open(screen, knobs).await;
    }

    async fn events(&self) -> Vec<Event> {
        self.0.events().await
    }

    fn limits(&self) -> &[(Screen, &'static str)] {
        self.0.limits()
    }

    fn captures(&self) -> Option<u64> {
        self.0.captures()
    }

    async fn arm(&self, fault: Fault) -> bool {
        self.0.arm(fault).await
    }

    async fn disarm(&self) {
        self.0.disarm().await;
    }

    fn gesture_tolerance(&self) -> Duration {
        self.0.gesture_tolerance()
    }
}

/// Scenarios that need more than the other helper offers.
const LIMITS: &[(&str, &str)] = &[
    (
        "a_row_of_home_opens_its_screen",
        "it does not tell headings",
    ),
    (
        "states_are_read_and_absent_is_not_false",
        "it does not tell what is checked",
    ),
    (
        "a_wrapper_and_its_control_are_one",
        "it does not tell the display's density: how many pixels a point has is not known",
    ),
    (
        "a_degraded_tree_proves_nothing",
        "it makes no pictures: a tree that has lost its content is an empty screen",
    ),
    (
        "a_form_is_filled_and_verified_and_its_secret_kept",
        "it has no way for text",
    ),
    ("a_long_text_is_cleared_completely", "the same"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_helper_that_nobody_here_wrote_is_driven() {
    let Some(apk) = released().await else {
        return;
    };
    let Some(peer) = TestbedDevice::up().await else {
        return;
    };
    let Some(real) = RealServer::start(AdbConfig::default()).await else {
        return;
    };
    let adb = peer.on(&real.server).await;
    let apps = Apps::of(&adb);
    let options = InstallOptions::default();
    apps.install_bytes(&apk, &options, &call()).await.unwrap();

    let mut config = AndroidConfig::default();
    config.helper = HelperSource::Installed("nonsense".to_owned());
    let error = Android::connect(adb.clone(), config.clone())
        .await
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgs);

    config.helper = HelperSource::Installed(format!("{PACKAGE}/.SnapshotInstrumentation"));
    let body = Arc::new(Foreign(Phone::start(&peer, &real, config).await));
    what_it_does_not_offer_is_refused(&body.0).await;
    keys_arrive(&body.0).await;
    gestures_arrive(&body).await;
    let offered = |scenario: &str| LIMITS.iter().all(|(name, _)| *name != scenario);
    conformance_of(&*body, offered).await;
    limits_are_limits(&body).await;

    let Foreign(phone) = Arc::into_inner(body).unwrap();
    phone.stop().await;
    assert!(!apps.is_running(PACKAGE, &call()).await.unwrap());
    ours_is_not_installed(&adb).await;
    real.stop().await;
}

async fn ours_is_not_installed(adb: &AdbDevice) {
    let ours = ShellCommand::new("pm").unwrap();
    let ours = ours.args(["path", "dev.agentdevice.helper"]).unwrap();
    let output = adb.shell(&ours, &call()).await.unwrap();
    assert_eq!(output.stdout_text().trim(), "");
}

/// By the crate itself; and that is a proof that nothing was done.
async fn what_it_does_not_offer_is_refused(phone: &Phone) {
    phone.open(Screen::Counter, &[]).await;
    let device = phone.device();
    let snapshot = device.snapshot().await.unwrap();
    let view = snapshot.view().to_string();
    assert_eq!(snapshot.quality().state, QualityState::Healthy, "{view}");
    let counter = device.locate(id("counter"));
    let touch = Touch {
        point: counter.get().await.unwrap().bounds.unwrap().center(),
        target: None,
    };
    let double = Action::DoubleTap(touch.clone());
    let fill = Action::Fill(touch, "x".into());
    let android = &phone.android;
    for error in [
        counter.double_press().await.unwrap_err(),
        device.type_text("x").await.unwrap_err(),
        // Also for who does not ask first what is offered. A field that can't be filled is not tapped either.
        android.perform(&double, &call()).await.unwrap_err(),
        android.perform(&fill, &call()).await.unwrap_err(),
    ] {
        assert_eq!(error.code(), ErrorCode::UnsupportedOperation, "{error:?}");
        assert!(error.dispatched().is_no());
    }
    assert_eq!(device.snapshot().await.unwrap().view().to_string(), view);
    assert_eq!(phone.events().await.len(), 0);
}

/// It has no command for keys: the shell has.
async fn keys_arrive(phone: &Phone) {
    let device = phone.device();
    for key in [Action::Home, Action::Back] {
        phone.open(Screen::Counter, &[]).await;
        device.locate(id("counter")).get().await.unwrap();
        device.perform(key).await.unwrap();
        let counter = device.locate(id("counter"));
        counter.wait_absent(Duration::from_secs(5)).await.unwrap();
    }
}

/// Where each finger was first and last.
fn ends(stroke: &Value) -> Vec<[Point; 2]> {
    let place = |sample: &Value| {
        let number = |at: usize| sample[at].as_f64().unwrap();
        Point::new(number(1), number(2))
    };
    let tracks = stroke["points"].as_array().unwrap().iter();
    let ends = tracks.map(|track| {
        let track = track.as_array().unwrap();
        [track.first().unwrap(), track.last().unwrap()].map(place)
    });
    ends.collect()
}

async fn gestures_arrive(body: &Foreign) {
    body.open(Screen::Gesture, &[]).await;
    let device = body.device();
    let bounds = device.locate(id("pad")).get().await.unwrap().bounds;
    let center = bounds.unwrap().center();
    let right = Point::new(center.x + 100.0, center.y);
    let pan = |pointers| Gesture::Pan {
        from: center,
        to: right,
        duration: None,
        pointers,
    };
    let around = Some(center);
    let degrees = 90.0;
    let apart = |[a, b]: [Point; 2]| a.distance(b);
    let angle = |[a, b]: [Point; 2]| (b.y - a.y).atan2(b.x - a.x).to_degrees();
    let mut strokes = Vec::new();
    for gesture in [
        pan(1),
        pan(2),
        Gesture::Pinch {
            center: around,
            scale: 2.0,
        },
        Gesture::Rotate {
            center: around,
            degrees,
        },
    ] {
        device.gesture(gesture).await.unwrap();
        let events = body.events().await;
        let all = events
            .iter()
            .filter(|event| event.kind == EventKind::Stroke);
        let all: Vec<_> = all.map(|event| ends(&event.detail)).collect();
        assert_eq!(all.len(), strokes.len() + 1, "one stroke each: {events:?}");
        strokes = all;
    }
    let [one, two, pinched, turned] = &strokes[..] else {
        panic!("{strokes:?}");
    };
    let [[from, to]] = one[..] else {
        panic!("{one:?}");
    };
    assert!(
        from.distance(center) <= 1.5 && to.distance(right) <= 1.5,
        "{one:?}"
    );
    let both = |stroke: &[[Point; 2]]| -> [[Point; 2]; 2] {
        let [a, b] = stroke[..] else {
            panic!("{stroke:?}");
        };
        [[a[0], b[0]], [a[1], b[1]]]
    };
    for [from, to] in two {
        assert!(
            (to.x - from.x - 100.0).abs() <= 2.0 && (to.y - from.y).abs() <= 2.0,
            "{two:?}"
        );
    }
    assert_eq!(two.len(), 2);
    let [before, after] = both(pinched);
    let scale = apart(after) / apart(before);
    assert!((scale - 2.0).abs() < 0.1, "{scale}: {pinched:?}");
    let [before, after] = both(turned);
    let turn = (angle(after) - angle(before)).rem_euclid(360.0);
    assert!((turn - degrees).abs() < 3.0, "{turn}: {turned:?}");
}

/// A limit that is none any more must go from the table.
async fn limits_are_limits(body: &Arc<Foreign>) {
    for (limit, why) in LIMITS {
        println!("not through this helper: {limit}: {why}");
        let body = Arc::clone(body);
        let run = async move { conformance_of(&*body, |name| name == *limit).await };
        let failed = tokio::spawn(run).await.is_err();
        assert!(failed, "{limit} holds: {why}?");
    }
}
