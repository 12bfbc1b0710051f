//! A helper that does not answer any more, holds the device, or is gone: what it costs, and that it does not last.

use std::time::{Duration, Instant};

use agent_device_core::{
    Call, Error, Interactor as _, SnapshotBackend as _,
    action::{Action, AppState, Orientation, Performed, Touch},
    geometry::Point,
    snapshot::CaptureOptions,
};

use agent_device_android::{Android, AndroidConfig};

use crate::{
    helper_golden::{READY, VIEWPORT, done, follow, printed, screen, service},
    peers::{Scripted, Step, fail, frame, okay},
};

/// What a run for one capture prints.
const ONE_SHOT: &str = "INSTRUMENTATION_STATUS: agentDeviceProtocol=android-snapshot-helper-v1
INSTRUMENTATION_STATUS: chunkIndex=0
INSTRUMENTATION_STATUS: chunkCount=1
INSTRUMENTATION_STATUS: payloadBase64=PGhpZXJhcmNoeSByb3RhdGlvbj0iMCI+PG5vZGUgY2xhc3M9ImFuZHJvaWQud2lkZ2V0LkZyYW1lTGF5b3V0IiBib3VuZHM9IlswLDBdWzksOV0iIC8+PC9oaWVyYXJjaHk+
INSTRUMENTATION_STATUS_CODE: 1
INSTRUMENTATION_RESULT: agentDeviceProtocol=android-snapshot-helper-v1
INSTRUMENTATION_RESULT: ok=true
INSTRUMENTATION_CODE: 0
";

/// A command that is read and never answered.
fn silent() -> Vec<Step> {
    service(vec![okay(), Step::Line, Step::Hang])
}

fn session(printed: &str) -> Vec<Step> {
    let text = [printed.as_bytes(), READY].concat();
    service(vec![okay(), Step::Send(frame(1, &text)), Step::Hang])
}

async fn tap(android: &Android) -> Result<Performed, Error> {
    let touch = Touch {
        point: Point::new(10.0, 20.0),
        target: None,
    };
    let call = Call::standalone(Duration::from_millis(300));
    android.perform(&Action::Tap(touch), &call).await
}

async fn state(android: &Android) -> Result<AppState, Error> {
    let call = Call::standalone(Duration::from_secs(20));
    android.app_state(&call).await
}

async fn quality(android: &Android, budget: u64) -> Result<String, Error> {
    let call = Call::standalone(Duration::from_secs(budget));
    let seen = android.capture(&CaptureOptions::default(), &call).await?;
    Ok(seen.info().quality.source.to_string())
}

/// How often the helper was stopped.
fn stops(peer: &Scripted) -> usize {
    let requests = peer.requests();
    let stop = "am force-stop dev.agentdevice.helper";
    requests.iter().filter(|each| each.contains(stop)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_does_not_answer_any_more_costs_one_command() {
    let scripts = vec![
        silent(),
        silent(),
        printed(""),
        printed(ONE_SHOT),
        printed(ONE_SHOT),
    ];
    let (peer, android) = follow(scripts).await;
    let error = tap(&android).await.unwrap_err();
    assert!(!error.dispatched().is_no());
    let start = Instant::now();
    assert_eq!(quality(&android, 60).await.unwrap(), "helper-one-shot");
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(stops(&peer), 1);
    // For a while no session is started: what needs one is told so at once, and that nothing was sent.
    let error = tap(&android).await.unwrap_err();
    assert_eq!(error.reason(), Some("android_helper_stuck"), "{error:?}");
    assert!(error.dispatched().is_no());
    std::mem::forget(android);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_is_slow_is_waited_for() {
    let busy = |number, busy| done("ping", number, &format!("busy={busy}\n"));
    let scripts = vec![
        silent(),
        busy(4, true),
        busy(5, true),
        busy(6, false),
        done("viewport", 7, VIEWPORT),
    ];
    let (peer, android) = follow(scripts).await;
    tap(&android).await.unwrap_err();
    state(&android).await.unwrap();
    assert_eq!(stops(&peer), 0);
    std::mem::forget(android);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_runs_on_and_on_is_ended() {
    let mut scripts = vec![silent()];
    // Asked again and again until its time is over.
    scripts.extend((4..200).map(|number| done("ping", number, "busy=true\n")));
    let (peer, android) = follow(scripts).await;
    tap(&android).await.unwrap_err();
    let start = Instant::now();
    let error = state(&android).await.unwrap_err();
    assert_eq!(error.reason(), Some("android_helper_stuck"), "{error:?}");
    assert!(
        start.elapsed() < Duration::from_secs(15),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(stops(&peer), 1);
    std::mem::forget(android);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_helper_that_does_not_say_that_it_ends_is_stopped() {
    let (peer, android) = follow(vec![silent(), printed(""), printed("none\n")]).await;
    android.close().await.unwrap();
    assert_eq!(stops(&peer), 1);
    std::mem::forget(android);

    let (peer, android) = follow(vec![silent(), printed("")]).await;
    let drop = tokio::task::spawn_blocking(move || drop(android));
    drop.await.unwrap();
    assert_eq!(stops(&peer), 1, "also when it is dropped");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_fails_is_no_proof_that_the_helper_has_ended() {
    let failed = service(vec![
        okay(),
        Step::Send(frame(2, b"sh: pidof: not found\n")),
        Step::Send(frame(1, b"none\n")),
        Step::Send(frame(3, &[0])),
    ]);
    let mut scripts = vec![silent(), printed("")];
    scripts.extend(vec![failed; 30]);
    let (_peer, android) = follow(scripts).await;
    android.close().await.unwrap_err();
    std::mem::forget(android);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_for_one_capture_that_is_given_up_is_stopped() {
    let other = || done("snapshot", 99, "");
    let scripts = vec![
        other(),
        other(),
        service(vec![okay(), Step::Hang]),
        printed(""),
    ];
    let (peer, android) = follow(scripts).await;
    quality(&android, 2).await.unwrap_err();
    assert_eq!(stops(&peer), 1);
    std::mem::forget(android);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_helper_that_was_taken_off_the_device_is_put_back_at_once() {
    let scripts = vec![
        service(vec![fail("closed")]),
        printed("INSTRUMENTATION_FAILED: x\n"),
        session(""),
        done("viewport", 4, VIEWPORT),
    ];
    let (_peer, android) = follow(scripts).await;
    state(&android).await.unwrap();
    std::mem::forget(android);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_holds_the_device_is_named_by_captures_too_for_as_long_as_it_lasts() {
    let taken = "INSTRUMENTATION_RESULT: errorType=java.util.concurrent.TimeoutException\nINSTRUMENTATION_RESULT: message=Timed out waiting\nINSTRUMENTATION_CODE: 1\n";
    let held = "Ui Automation[x]\n--\nu0 1 io.appium.uiautomator2.server\n";
    let gone = service(vec![fail("closed")]);
    let scripts = vec![gone, printed(taken), printed(held), printed("never")];
    let (peer, android) = follow(scripts).await;
    let mut requests = 0;
    for _ in 0..2 {
        let error = quality(&android, 20).await.unwrap_err();
        assert_eq!(
            error.reason(),
            Some("android_ui_automation_taken"),
            "{error:?}"
        );
        let owner = error.detail("uiAutomationOwner");
        assert_eq!(owner, Some(&"io.appium.uiautomator2.server".into()));
        assert!(error.hint().contains("Appium"), "{}", error.hint());
        // Nobody else can have it now, in no other way either.
        assert!(requests == 0 || requests == peer.requests().len());
        requests = peer.requests().len();
    }
    std::mem::forget(android);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_dead_host_has_left_is_put_in_order_by_the_next_command_that_can() {
    let left = "agentDeviceKeyboard=com.x/.Y\nagentDeviceRotation=null\n";
    let scripts = vec![
        service(vec![fail("closed")]),
        session(left),
        // The device is gone for a moment.
        service(vec![okay(), Step::Reset]),
        printed("null\n"),
        done("viewport", 4, VIEWPORT),
    ];
    let (peer, android) = follow(scripts).await;
    state(&android).await.unwrap_err();
    state(&android).await.unwrap();
    let asked = "settings get secure agent_device_keyboard_before";
    let requests = peer.requests();
    let asked = requests.iter().filter(|each| each.ends_with(asked));
    assert_eq!(asked.count(), 2, "{requests:?}");
    std::mem::forget(android);
}

/// A slow tree comes back as far as it was read: not after nobody waits for it any more.
#[tokio::test(flavor = "multi_thread")]
async fn the_helper_is_told_to_be_done_before_it_is_given_up() {
    let document =
        "<hierarchy rotation=\"0\"><node class=\"x\" bounds=\"[0,0][9,9]\" /></hierarchy>";
    let looks = (3..6).map(|number| screen(number, document));
    let (peer, android) = follow(looks.collect()).await;
    quality(&android, 5).await.unwrap();
    let lines = peer.lines();
    let looks: Vec<&String> = lines
        .iter()
        .filter(|line| line.contains(" snapshot "))
        .collect();
    assert!(!looks.is_empty(), "{lines:?}");
    let number = |line: &str, name: &str| -> Duration {
        let rest = line.split_once(name).unwrap().1;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap();
        Duration::from_millis(digits.parse().unwrap())
    };
    // On its way it waits for its turn, then until the screen is quiet, then it reads.
    let quiet = AndroidConfig::default().quiet_limit;
    let mut left = Duration::from_secs(5);
    for look in looks {
        let (turn, walk) = (number(look, "@ttl="), number(look, "walkTimeoutMs="));
        assert!(turn < left && walk + quiet < left, "{look}");
        assert!(walk > Duration::from_secs(2), "{look}");
        left = left.min(turn + Duration::from_millis(200));
    }
    std::mem::forget(android);
}

/// The device was away when the display should have been set as it was: that is tried again.
#[tokio::test(flavor = "multi_thread")]
async fn a_display_that_could_not_be_set_back_is_not_forgotten() {
    let held = |number, rotation| {
        let facts = format!("{VIEWPORT}rotation={rotation}\n");
        done("viewport", number, &facts)
    };
    let mut scripts = vec![held(3, 0)];
    scripts.extend(["1\n", "0\n", "", "", ""].map(printed));
    scripts.push(held(4, 1));
    scripts.push(service(vec![okay(), Step::Reset]));
    scripts.push(printed(""));
    let (peer, android) = follow(scripts).await;
    let call = Call::standalone(Duration::from_secs(5));
    let turn = Action::SetOrientation(Orientation::LandscapeLeft);
    android.perform(&turn, &call).await.unwrap();
    let asked = || {
        let record = "settings get secure agent_device_rotation_before";
        let requests = peer.requests();
        requests.iter().filter(|it| it.ends_with(record)).count()
    };
    for times in [1, 2, 2] {
        let _ = android.close().await;
        assert_eq!(asked(), times, "{:?}", peer.requests());
    }
    std::mem::forget(android);
}

/// Whether the helper on the device is this one's can't be told: it is put there, and not waited for as long as the call lasts.
#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_does_not_say_which_helper_it_has_gets_it() {
    let version = env!("CARGO_PKG_VERSION_MAJOR").parse::<u32>().unwrap() * 1_000_000
        + env!("CARGO_PKG_VERSION_MINOR").parse::<u32>().unwrap() * 1000;
    let hangs = || service(vec![okay(), Step::Hang]);
    let same = format!("package:dev.agentdevice.helper versionCode:{version}\n");
    let connect = async |scripts: Vec<Vec<Step>>| {
        let peer = Scripted::start(scripts).await;
        let device = peer.server.device("install").unwrap();
        let device = device.with_features("shell_v2,cmd");
        let start = Instant::now();
        let error = Android::connect(device, AndroidConfig::default()).await;
        let error = error.unwrap_err();
        (start.elapsed(), peer.requests(), error)
    };
    let (silent, unequal) = tokio::join!(
        connect(vec![hangs()]),
        connect(vec![printed(&same), hangs(), printed("Failure [X]\n")]),
    );
    let (took, requests, error) = silent;
    assert!(took < Duration::from_secs(8), "{took:?}: {error:?}");
    assert_eq!(requests.len(), 2);
    let (took, requests, error) = unequal;
    assert!(took < Duration::from_secs(13), "{took:?}: {error:?}");
    let last = requests.last().unwrap();
    assert!(last.contains("package install"), "{requests:?}");
}

/// Android kills a dump of a tree that takes it too long.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_for_one_capture_that_was_killed_is_named() {
    let other = || done("snapshot", 99, "");
    let killed = service(vec![
        okay(),
        Step::Send(frame(2, b"Killed\n")),
        Step::Send(frame(3, &[137])),
    ]);
    let (_peer, android) = follow(vec![other(), other(), killed]).await;
    let error = quality(&android, 5).await.unwrap_err();
    let reason = error.detail("oneShotReason");
    assert_eq!(reason, Some(&"accessibility-timeout".into()), "{error:?}");
    std::mem::forget(android);
}
