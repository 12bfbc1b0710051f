//! The crate on a device with another project's released helper: what it reads and which gestures it plays through it, and
//! what it refuses.

use std::{borrow::Cow, sync::Arc, time::Duration};

use agent_device_android::{
    AdbConfig, Android, AndroidConfig, Apps, HelperSource, InstallOptions,
    adb::{AdbDevice, ShellCommand},
};
use agent_device_core::{
    Backend, Call, Device, ErrorCode, Interactor, Result, Snapshot, SnapshotBackend,
    action::{Action, Alert, AppState, Capabilities, Orientation, Performed, Screenshot, Touch},
    async_trait,
    geometry::Point,
    gesture::{Gesture, GesturePlan, Sample},
    selector::id,
    snapshot::{CaptureOptions, Keyboard, QualityState},
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

/// What the other helper has no command for is a gesture here where a gesture is the same: a press is a stroke that stays
/// where it is. Everything else goes to the crate as it is.
struct Strokes(Arc<Android>);

/// A finger that goes down and up at one place.
fn still(touch: &Touch, hold: Duration) -> Result<Action> {
    let sample = |offset| Sample {
        offset,
        point: touch.point,
    };
    let plan = GesturePlan::custom(vec![vec![sample(Duration::ZERO), sample(hold)]])?;
    Ok(Action::Gesture(plan))
}

#[async_trait]
impl SnapshotBackend for Strokes {
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
        self.0.capture(options, call).await
    }

    fn honours_cancel(&self) -> bool {
        self.0.honours_cancel()
    }
}

#[async_trait]
impl Interactor for Strokes {
    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    async fn perform(&self, action: &Action, call: &Call) -> Result<Performed> {
        match action {
            Action::Tap(touch) => {
                let tap = still(touch, Duration::from_millis(50))?;
                self.0.perform(&tap, call).await
            }
            Action::LongPress(touch, hold) => self.0.perform(&still(touch, *hold)?, call).await,
            other => self.0.perform(other, call).await,
        }
    }

    async fn screenshot(&self, call: &Call) -> Result<Screenshot> {
        self.0.screenshot(call).await
    }

    async fn alert(&self, call: &Call) -> Result<Option<Alert>> {
        self.0.alert(call).await
    }

    async fn orientation(&self, call: &Call) -> Result<Orientation> {
        self.0.orientation(call).await
    }

    async fn keyboard(&self, call: &Call) -> Result<Keyboard> {
        self.0.keyboard(call).await
    }

    async fn app_state(&self, call: &Call) -> Result<AppState> {
        self.0.app_state(call).await
    }
}

impl Backend for Strokes {
    fn name(&self) -> Cow<'static, str> {
        self.0.name()
    }
}

/// The fixture app, driven through the other helper.
struct Foreign(Phone);

#[async_trait]
impl Body for Foreign {
    fn device(&self) -> Device {
        Device::new(Strokes(Arc::clone(&self.0.android)))
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
        "double_and_long_presses_are_what_they_say",
        "a gesture is one touch: two of them are two requests, and how far apart nobody knows",
    ),
    (
        "a_form_is_filled_and_verified_and_its_secret_kept",
        "it has no way for text",
    ),
    ("a_long_text_is_cleared_completely", "the same"),
    (
        "what_lies_behind_the_keyboard_is_refused",
        "it has no focus tap and does not tell where the keyboard is",
    ),
    (
        "alerts_are_read_and_answered_one_by_one",
        "alerts are read; their buttons are pressed by taps, of which it has none",
    ),
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
    for error in [
        counter.press().await.unwrap_err(),
        counter.double_press().await.unwrap_err(),
        device.perform(Action::Back).await.unwrap_err(),
        device.type_text("x").await.unwrap_err(),
    ] {
        assert_eq!(error.code(), ErrorCode::UnsupportedOperation, "{error:?}");
        assert!(error.dispatched().is_no());
    }
    assert_eq!(device.snapshot().await.unwrap().view().to_string(), view);
    assert_eq!(phone.events().await.len(), 0);
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
