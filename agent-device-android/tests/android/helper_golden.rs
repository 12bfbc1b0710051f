//! Every golden row of the helper, driven by the real backend against an adb server and a helper that follow a script.

use std::{sync::Arc, time::Duration};

use agent_device_android::{
    AdbConfig, Android, AndroidConfig, HelperInstall, HelperSource, adb::AdbServer,
};
use agent_device_core::{
    Call, Error, Interactor as _, Snapshot, SnapshotBackend as _,
    action::{Action, OpenTarget, Orientation, Target, Touch},
    dispatch::{
        Row,
        rows::{android_adb as adb, android_helper as rows, core, post_action_guard},
    },
    geometry::{Point, Rect},
    snapshot::{
        CaptureOptions, Flag, Keyboard, Quality, QualityState, SnapshotBuilder, SnapshotInfo,
    },
    testing::Gate,
};

use crate::peers::{Scripted, Step, fail, frame, okay};

const HEAD: &str = "agentDeviceProtocol=android-snapshot-helper-v1\noutputFormat=uiautomator-xml\n";
pub(crate) const READY: &[u8] =
    b"INSTRUMENTATION_STATUS: agentDeviceProtocol=android-snapshot-helper-v1\n\
    INSTRUMENTATION_STATUS: sessionReady=true\nINSTRUMENTATION_STATUS_CODE: 2\n";
pub(crate) const VIEWPORT: &str = "kind=viewport\ndisplayWidth=1080\ndisplayHeight=2400\n";
const KEYBOARD: &str = "keyboardX=0\nkeyboardY=1600\nkeyboardWidth=1080\nkeyboardHeight=800\n";

/// Rows that need more of a device than a script has: the suite drives them.
pub(crate) const ON_A_DEVICE: &[&Row] = &[
    rows::APP_REOPENED.row(),
    post_action_guard::ANDROID_PRESS_LEFT_APP.row(),
];

/// Selects the device and takes the service request.
pub(crate) fn service(rest: Vec<Step>) -> Vec<Step> {
    [vec![Step::Request, okay(), Step::Request], rest].concat()
}

pub(crate) fn reply(action: &str, number: u32, rest: &str) -> Vec<Step> {
    let reply = format!("{HEAD}requestId={action}-{number}\n{rest}\n");
    service(vec![okay(), Step::Line, Step::Send(reply.into_bytes())])
}

pub(crate) fn done(action: &str, number: u32, rest: &str) -> Vec<Step> {
    reply(action, number, &format!("ok=true\n{rest}"))
}

pub(crate) fn printed(text: &str) -> Vec<Step> {
    let end = Step::Send(frame(3, &[0]));
    service(vec![okay(), Step::Send(frame(1, text.as_bytes())), end])
}

async fn connect(server: &AdbServer) -> Result<Android, Error> {
    connect_as(server, |_| {}).await
}

async fn connect_as(
    server: &AdbServer,
    choose: impl FnOnce(&mut AndroidConfig),
) -> Result<Android, Error> {
    // Of this process alone: another one may get the same port for its server, and a device has one process.
    let serial = format!("x{}", std::process::id());
    let device = server.device(serial).unwrap().with_features("shell_v2");
    let mut config = AndroidConfig::default();
    config.install = HelperInstall::Never;
    choose(&mut config);
    Android::connect(device, config).await
}

pub(crate) async fn follow(scripts: Vec<Vec<Step>>) -> (Scripted, Android) {
    follow_app(scripts, None).await
}

pub(crate) async fn follow_app(scripts: Vec<Vec<Step>>, app: Option<&str>) -> (Scripted, Android) {
    let session = service(vec![okay(), Step::Send(frame(1, READY)), Step::Hang]);
    let start = [
        session,
        done("ping", 1, "sdk=34\ncapabilities=ping,tap,tap-target\n"),
        done("viewport", 2, VIEWPORT),
    ];
    let app = app.map(str::to_owned);
    start_with(&start, scripts, |config| config.app = app).await
}

/// The same with another project's helper, which does not introduce itself.
async fn follow_found(scripts: Vec<Vec<Step>>) -> (Scripted, Android) {
    let session = service(vec![okay(), Step::Send(frame(1, READY)), Step::Hang]);
    let start = [session, done("viewport", 1, VIEWPORT)];
    let found = HelperSource::Installed("com.example.helper/.Runner".to_owned());
    start_with(&start, scripts, |config| config.helper = found).await
}

async fn start_with(
    start: &[Vec<Step>],
    scripts: Vec<Vec<Step>>,
    choose: impl FnOnce(&mut AndroidConfig),
) -> (Scripted, Android) {
    let mut config = AdbConfig::default();
    config.start_server = false;
    let peer = Scripted::start_with([start.to_vec(), scripts].concat(), config).await;
    let android = connect_as(&peer.server, choose).await.unwrap();
    (peer, android)
}

/// Connects, then does the action while the scripts are followed.
async fn act_for(scripts: Vec<Vec<Step>>, action: Action, budget: Duration) -> Error {
    let (_peer, android) = follow(scripts).await;
    let call = Call::standalone(budget);
    let error = android.perform(&action, &call).await.unwrap_err();
    // Its last words would wait for a peer that goes with this runtime.
    std::mem::forget(android);
    error
}

/// The same with a capture before.
async fn after_a_look(scripts: Vec<Vec<Step>>, action: Action) -> Error {
    let (_peer, android) = follow(scripts).await;
    let call = Call::standalone(Duration::from_secs(5));
    android
        .capture(&CaptureOptions::default(), &call)
        .await
        .unwrap();
    let error = android.perform(&action, &call).await.unwrap_err();
    std::mem::forget(android);
    error
}

async fn act(scripts: Vec<Vec<Step>>, action: Action) -> Error {
    act_for(scripts, action, Duration::from_secs(5)).await
}

fn touch(x: f64, target: Option<Target>) -> Touch {
    Touch {
        point: Point::new(x, 20.0),
        target,
    }
}

fn tap() -> Action {
    Action::Tap(touch(10.0, None))
}

/// A capture of this document.
pub(crate) fn screen(number: u32, document: &str) -> Vec<Step> {
    screen_with(number, document, "")
}

/// A capture with these facts.
fn screen_with(number: u32, document: &str, facts: &str) -> Vec<Step> {
    let head = format!("{facts}byteLength={}\n", document.len());
    let mut look = done("snapshot", number, &head);
    look.push(Step::Send(document.as_bytes().to_vec()));
    look
}

/// An alert of the app with one button.
const ALERT: &str = "<hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" bounds=\"[0,0][90,90]\">\
    <node class=\"android.widget.LinearLayout\" resource-id=\"android:id/parentPanel\" bounds=\"[0,0][90,90]\">\
    <node class=\"android.widget.Button\" resource-id=\"android:id/button1\" text=\"OK\" bounds=\"[0,0][90,90]\" />\
    </node></node></hierarchy>";

/// The system's dialog over an app.
pub(crate) const DIALOG: &str = "<hierarchy rotation=\"0\">\
    <node window-type=\"3\" window-focused=\"true\" window-bounds=\"[0,0][90,90]\" class=\"android.widget.FrameLayout\" \
    package=\"android\" bounds=\"[0,0][90,90]\">\
    <node class=\"android.widget.TextView\" resource-id=\"android:id/alertTitle\" package=\"android\" text=\"?\" \
    visible-to-user=\"true\" bounds=\"[0,0][90,40]\" />\
    <node class=\"android.widget.Button\" resource-id=\"android:id/button1\" package=\"android\" text=\"OK\" \
    visible-to-user=\"true\" bounds=\"[0,40][90,90]\" /></node>\
    <node window-type=\"1\" window-bounds=\"[0,0][90,90]\" class=\"android.widget.FrameLayout\" package=\"com.app\" \
    bounds=\"[0,0][90,90]\" /></hierarchy>";

fn field() -> Target {
    let mut tree = SnapshotBuilder::new(CaptureOptions::default());
    tree.root(agent_device_core::Role::TextField)
        .unwrap()
        .bounds(Rect::new(0.0, 0.0, 100.0, 40.0))
        .flag(Flag::ReadOnly, true);
    let snapshot: Snapshot = tree.finish(SnapshotInfo::new("x", Quality::healthy("x")));
    let id = snapshot.nodes().next().unwrap().id();
    Target::new(Arc::new(snapshot), id).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_row_of_the_helper_is_what_really_happens() {
    let scripted = rows::ROWS
        .iter()
        .copied()
        .filter(|row| !ON_A_DEVICE.contains(row))
        .collect::<Vec<_>>()
        .leak();
    let mut gate = Gate::new(scripted);

    // The session.
    let peer = Scripted::start(vec![printed("INSTRUMENTATION_FAILED: x\n")]).await;
    let error = connect(&peer.server).await.unwrap_err();
    gate.cites(rows::SESSION_NOT_STARTED, &error);
    // Nobody serves it, and nobody serves the next one either.
    let again = service(vec![okay(), Step::Send(frame(1, READY)), Step::Hang]);
    let gone = service(vec![fail("closed")]);
    let error = act(vec![gone.clone(), again, gone], tap()).await;
    gate.cites(rows::CONNECT_FAILED, &error);

    // One command.
    let refused =
        "ok=false\nstarted=false\nerrorType=java.lang.IllegalStateException\nmessage=no\n";
    let error = act(vec![reply("tap", 3, refused)], tap()).await;
    gate.cites(rows::REFUSED_BEFORE_START, &error);
    let failed = "ok=false\nstarted=true\nerrorType=java.lang.IllegalStateException\nmessage=no\n";
    let error = act(vec![reply("tap", 3, failed)], tap()).await;
    gate.cites(rows::FAILED_AFTER_START, &error);
    let reset = service(vec![okay(), Step::Line, Step::Reset]);
    gate.cites(rows::LOST_AFTER_REQUEST, &act(vec![reset], tap()).await);
    let silent = service(vec![okay(), Step::Line, Step::Hang]);
    let error = act_for(vec![silent], tap(), Duration::from_millis(300)).await;
    gate.cites(rows::TIMEOUT_AFTER_REQUEST, &error);
    let other = act(vec![done("tap", 9, "")], tap()).await;
    gate.cites(rows::UNREADABLE_REPLY, &other);

    // What is refused here.
    let outside = Action::Tap(touch(5000.0, None));
    let error = act(vec![done("viewport", 3, VIEWPORT)], outside).await;
    gate.cites(rows::POINT_OUTSIDE_DISPLAY, &error);
    let fill = Action::Fill(touch(10.0, Some(field())), "x".into());
    gate.cites(rows::FIELD_READ_ONLY, &act(vec![], fill).await);
    let close = Action::Close(Some("com.example.none".to_owned()));
    gate.cites(
        rows::APP_NOT_INSTALLED,
        &act(vec![printed("")], close).await,
    );

    let elsewhere = "ok=false\nstarted=false\nerrorType=TargetChangedException\nmessage=other\n";
    let meant = Action::Tap(touch(10.0, Some(field())));
    let error = act(vec![reply("tap", 3, elsewhere)], meant.clone()).await;
    gate.cites(rows::TARGET_CHANGED, &error);
    let captured = "ok=false\nstarted=false\nerrorType=ImeCaptureException\nmessage=no\n";
    let error = act(
        vec![reply("text", 3, captured)],
        Action::TypeText("x".into()),
    )
    .await;
    assert_eq!(error.reason(), Some("ime_capture"));
    gate.cites(rows::IME_CAPTURE, &error);
    let nothing = "<hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" bounds=\"[0,0][9,9]\" /></hierarchy>";
    let looks: Vec<_> = (3..60).map(|number| screen(number, nothing)).collect();
    let error = act(looks.clone(), Action::DismissAlert).await;
    gate.cites(rows::ALERT_NOT_FOUND, &error);
    let answer = Action::AcceptAlert(Some("x".into()));
    let error = act(vec![screen(3, ALERT)], answer).await;
    gate.cites(rows::ALERT_UNANSWERABLE, &error);
    let focus = "  mCurrentFocus=Window{1a u0 Application Not Responding: com.other}\n";
    let scripts = vec![screen(3, DIALOG), printed(focus)];
    let error = after_a_look(scripts, meant).await;
    gate.cites(rows::BLOCKED_BY_DIALOG, &error);

    // What is found out too late for a no.
    let scripts = [vec![done("tap", 3, "")], looks[1..].to_vec()].concat();
    let error = act(scripts, Action::Focus(touch(10.0, None))).await;
    gate.cites(rows::FOCUS_NOT_OBSERVED, &error);
    let open = format!("{VIEWPORT}{KEYBOARD}");
    let mut scripts = vec![done("viewport", 3, &open)];
    for number in 4..60 {
        // One key, then looks alone: nothing is pressed again.
        scripts.push(match number {
            4 => done("key", number, ""),
            _ => done("viewport", number, &open),
        });
    }
    let error = act(scripts, Action::KeyboardDismiss).await;
    gate.cites(rows::KEYBOARD_STAYS, &error);
    let mut scripts = vec![done("viewport", 3, &format!("{VIEWPORT}rotation=0\n"))];
    scripts.extend(["1\n", "0\n", "", "", ""].map(printed));
    scripts
        .extend((4..60).map(|number| done("viewport", number, &format!("{VIEWPORT}rotation=0\n"))));
    let turn = Action::SetOrientation(Orientation::LandscapeLeft);
    let error = act_for(scripts, turn, Duration::from_secs(2)).await;
    gate.cites(rows::ORIENTATION_NOT_REACHED, &error);
    let open = Action::Open(OpenTarget::Url("none://x".to_owned()));
    let error = act(vec![printed("Error: Activity not started\n")], open).await;
    gate.cites(rows::OPEN_FAILED, &error);

    gate.finish();
}

/// Its presses are gestures and its keys the shell's: what is known of a failure is what is known of those.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_in_place_of_another_helpers_commands_is_disclosed_alike() {
    let long = || Action::LongPress(touch(10.0, None), Duration::from_millis(700));
    let answer = |rest: &str| {
        let error = "errorType=java.lang.IllegalStateException\nmessage=no\n";
        vec![reply("gesture", 2, &format!("ok=false\n{rest}{error}"))]
    };
    let key = |rest: Vec<Step>| vec![service(rest)];
    let outside = Action::Tap(touch(5000.0, None));
    let unsupported = core::REFUSAL_UNSUPPORTED.row();
    for (scripts, action, row) in [
        (answer(""), tap(), rows::FAILED_AFTER_START.row()),
        (answer(""), long(), rows::FAILED_AFTER_START.row()),
        (
            answer("started=false\n"),
            tap(),
            rows::REFUSED_BEFORE_START.row(),
        ),
        (
            vec![done("viewport", 2, VIEWPORT)],
            outside,
            rows::POINT_OUTSIDE_DISPLAY.row(),
        ),
        // For these there is no script: they are refused here.
        (vec![], Action::DoubleTap(touch(10.0, None)), unsupported),
        (
            vec![],
            Action::Fill(touch(10.0, None), "x".into()),
            unsupported,
        ),
        (vec![], Action::AcceptAlert(Some("x".into())), unsupported),
        (
            vec![vec![Step::Request, fail("device offline")]],
            Action::Back,
            adb::INPUT_TAP_HOST_REFUSED_DEVICE_OFFLINE.row(),
        ),
        (
            key(vec![okay(), Step::Reset]),
            Action::Home,
            adb::LOST_AFTER_REQUEST.row(),
        ),
        (
            key(vec![okay(), Step::Send(frame(3, &[1]))]),
            Action::KeyboardEnter,
            adb::INPUT_TAP_FAILED.row(),
        ),
    ] {
        let (_peer, android) = follow_found(scripts).await;
        let call = Call::standalone(Duration::from_secs(5));
        let error = android.perform(&action, &call).await.unwrap_err();
        std::mem::forget(android);
        let cited = (error.row().map(Row::id), error.dispatched().is_no());
        let no = row.dispatched() == "no";
        assert_eq!(cited, (Some(row.id()), no), "{action:?}: {error:?}");
    }
}

/// Accessibility goes on telling the screen that was left.
#[tokio::test(flavor = "multi_thread")]
async fn the_screen_before_an_action_that_leads_on_is_not_the_one_after() {
    let document = |text: &str| {
        format!(
            "<hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" bounds=\"[0,0][90,90]\">\
             <node class=\"android.widget.TextView\" text=\"{text}\" bounds=\"[0,0][90,90]\" /></node></hierarchy>"
        )
    };
    for action in [Action::Home, Action::AppSwitcher, Action::Back] {
        let scripts = vec![
            screen(3, &document("old")),
            done("key", 4, ""),
            screen(5, &document("old")),
            screen(6, &document("new")),
        ];
        let (_peer, android) = follow(scripts).await;
        let call = Call::standalone(Duration::from_secs(5));
        let look = async || {
            android
                .capture(&CaptureOptions::default(), &call)
                .await
                .unwrap()
        };
        look().await;
        android.perform(&action, &call).await.unwrap();
        let labels: Vec<_> = look()
            .await
            .nodes()
            .filter_map(|node| Some(node.label()?.to_owned()))
            .collect();
        assert_eq!(labels, ["new"], "{action:?}");
        std::mem::forget(android);
    }
}

/// An alert that asks for a text; `button` are the attributes of its accepting button.
fn prompt(button: &str) -> String {
    format!(
        "<hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" bounds=\"[0,0][90,90]\">\
         <node class=\"android.widget.LinearLayout\" resource-id=\"android:id/parentPanel\" bounds=\"[0,0][90,90]\">\
         <node class=\"android.widget.EditText\" resource-id=\"com.app:id/answer\" focused=\"true\" editable=\"true\" \
         text=\"x\" bounds=\"[0,0][90,40]\" />\
         <node class=\"android.widget.Button\" resource-id=\"android:id/button2\" text=\"Cancel\" bounds=\"[0,40][40,90]\" />\
         <node class=\"android.widget.Button\" resource-id=\"android:id/button1\" text=\"OK\" {button} bounds=\"[50,40][90,90]\" />\
         </node></node></hierarchy>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_the_answer_has_taken_away_is_not_pressed_where_it_was() {
    let (open, disabled) = (prompt("enabled=\"true\""), prompt("enabled=\"false\""));
    let scripts = vec![
        screen(3, &open),
        done("tap", 4, ""),
        screen(5, &open),
        done("settext", 6, ""),
        screen(7, &open),
        screen(8, &disabled),
        done("tap", 9, ""),
        screen(10, &disabled),
    ];
    let error = act(scripts, Action::AcceptAlert(Some("x".into()))).await;
    assert_eq!(
        error.reason(),
        Some("android_alert_unanswerable"),
        "{error:?}"
    );
}

/// The dialog about a silent app was in front a moment ago; now the app is back, and asks something itself.
#[tokio::test(flavor = "multi_thread")]
async fn the_apps_own_alert_is_not_answered_in_place_of_the_systems_dialog() {
    let focus = "  mCurrentFocus=Window{1a u0 Application Not Responding: com.app}\n";
    let mut scripts = vec![screen(3, DIALOG), printed(focus)];
    // Looks alone, for as long as a dialog may take to come; then what was meant.
    scripts.extend((4..100).map(|number| screen(number, ALERT)));
    let (peer, android) = follow_app(scripts, Some("com.app")).await;
    let call = Call::standalone(Duration::from_secs(6));
    android
        .capture(&CaptureOptions::default(), &call)
        .await
        .unwrap();
    let meant = Action::Tap(touch(10.0, Some(field())));
    let error = android.perform(&meant, &call).await.unwrap_err();
    std::mem::forget(android);
    // What was meant goes out once the dialog is known to have gone: the script has no answer for it.
    assert_eq!(
        error.reason(),
        Some("android_helper_unreadable"),
        "{error:?}"
    );
    assert_eq!(call.ledger().steps(), 0, "{error:?}");
    assert!(peer.requests().len() > 20, "it looked for a while");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_point_is_checked_against_the_display_of_the_last_look() {
    let turned = "displayWidth=2400\ndisplayHeight=1080\n";
    let scripts = vec![
        screen_with(3, ALERT, turned),
        done("viewport", 4, &format!("kind=viewport\n{turned}")),
        done("tap", 5, ""),
    ];
    // It lies on the display as it was when the device was connected to.
    let below = Action::Tap(Touch {
        point: Point::new(500.0, 2000.0),
        target: None,
    });
    let error = after_a_look(scripts, below).await;
    let row = error.row().map(Row::id);
    assert_eq!(
        row,
        Some(rows::POINT_OUTSIDE_DISPLAY.row().id()),
        "{error:?}"
    );
}

/// Right after its start an app has no window yet.
#[tokio::test(flavor = "multi_thread")]
async fn a_screen_of_the_system_alone_is_looked_at_again() {
    let bar = "<hierarchy rotation=\"0\"><node window-type=\"3\" window-bounds=\"[0,0][90,9]\" \
        class=\"android.widget.FrameLayout\" package=\"com.android.systemui\" bounds=\"[0,0][90,9]\" /></hierarchy>";
    let scripts = vec![screen(3, bar), screen(4, bar), screen(5, ALERT)];
    let (_peer, android) = follow(scripts).await;
    let call = Call::standalone(Duration::from_secs(5));
    let seen = android.capture(&CaptureOptions::default(), &call).await;
    let seen = seen.unwrap();
    std::mem::forget(android);
    assert!(seen.nodes().any(|node| node.label() == Some("OK")));
}

/// The helper tells which keyboard is chosen: no list of names knows them all.
#[tokio::test(flavor = "multi_thread")]
async fn a_keyboard_over_an_app_is_known_by_what_is_chosen() {
    let key = |text: &str| {
        format!(
            "<node class=\"android.view.View\" package=\"org.keys\" text=\"{text}\" visible-to-user=\"true\" bounds=\"[0,50][90,90]\" />"
        )
    };
    let screen_of = format!(
        "<hierarchy rotation=\"0\"><node window-type=\"1\" class=\"android.widget.FrameLayout\" package=\"com.app\" \
         bounds=\"[0,0][90,90]\" /><node window-type=\"3\" class=\"android.view.View\" package=\"org.keys\" \
         bounds=\"[0,50][90,90]\">{}{}</node></hierarchy>",
        key("q"),
        key("w")
    );
    for (chosen, state) in [
        ("inputMethod=org.keys\n", QualityState::Healthy),
        ("inputMethod=org.other\n", QualityState::Sparse),
        ("inputMethod=\n", QualityState::Sparse),
    ] {
        let scripts = (3..6).map(|number| screen_with(number, &screen_of, chosen));
        let (_peer, android) = follow_app(scripts.collect(), Some("com.app")).await;
        let call = Call::standalone(Duration::from_secs(5));
        let seen = android.capture(&CaptureOptions::default(), &call).await;
        std::mem::forget(android);
        assert_eq!(seen.unwrap().info().quality.state, state, "{chosen}");
    }
}

/// A link that opens in an app that draws nothing for long.
#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_open_once_its_app_is_in_front() {
    let scripts = vec![
        service(vec![okay(), Step::Hang]),
        printed("priority=0 preferredOrder=0\ncom.reader/.Page\n"),
        printed("7\n--\n  mCurrentFocus=Window{1a u0 com.reader/com.reader.Splash}\n"),
    ];
    let (_peer, android) = follow(scripts).await;
    let call = Call::standalone(Duration::from_secs(30));
    let open = Action::Open(OpenTarget::Url("reader://page/1".to_owned()));
    let performed = android.perform(&open, &call).await.unwrap();
    std::mem::forget(android);
    assert_eq!(performed.warnings.len(), 1, "{performed:?}");
}

/// The guard of a press needs no capture to know what was in front: the app that was opened.
#[tokio::test(flavor = "multi_thread")]
async fn a_press_that_leads_out_of_an_app_is_told_without_a_look_before() {
    let front = |package: &str| format!("{VIEWPORT}activePackage={package}\n");
    let opened = || {
        vec![
            printed("package:com.app\n"),
            printed("priority=0\ncom.app/.Main\n"),
            printed("Starting: Intent { x }\nStatus: ok\nActivity: com.app/.Main\n"),
        ]
    };
    let open = Action::Open(OpenTarget::App("com.app".to_owned()));
    let launcher = front("com.android.launcher3");
    let tapped = |at: u32| vec![done("tap", at, ""), done("viewport", at + 1, &launcher)];

    let (_peer, android) = follow([opened(), tapped(3)].concat()).await;
    let call = Call::standalone(Duration::from_secs(5));
    android.perform(&open, &call).await.unwrap();
    let error = android.perform(&tap(), &call).await.unwrap_err();
    assert_eq!(error.reason(), Some("android_press_left_app"), "{error:?}");
    std::mem::forget(android);

    // Home has led out of it, and the press is meant for what is there.
    let home = vec![done("key", 3, ""), done("viewport", 4, &launcher)];
    let (_peer, android) = follow([opened(), home, tapped(5)].concat()).await;
    android.perform(&open, &call).await.unwrap();
    android.perform(&Action::Home, &call).await.unwrap();
    android.perform(&tap(), &call).await.unwrap();
    std::mem::forget(android);
}

/// A floating keyboard is none that gestures are kept from.
#[tokio::test(flavor = "multi_thread")]
async fn a_keyboard_is_absent_only_if_all_windows_say_so() {
    let screen_of = |keyboard: &str| {
        format!(
            "<hierarchy rotation=\"0\">{keyboard}<node window-type=\"1\" window-active=\"true\" \
             window-bounds=\"[0,0][90,90]\" class=\"android.widget.FrameLayout\" bounds=\"[0,0][90,90]\"><node \
             class=\"android.widget.TextView\" text=\"a\" bounds=\"[0,0][9,9]\" /></node></hierarchy>"
        )
    };
    let floating = "<node window-type=\"2\" window-region-rect=\"false\" window-bounds=\"[0,50][40,90]\" \
        class=\"android.widget.FrameLayout\" bounds=\"[0,50][40,90]\" />";
    for (document, wanted) in [
        (screen_of(""), Keyboard::Absent),
        (screen_of(floating), Keyboard::Unknown),
    ] {
        let scripts = vec![done("viewport", 3, VIEWPORT), screen(4, &document)];
        let (_peer, android) = follow(scripts).await;
        let call = Call::standalone(Duration::from_secs(5));
        assert_eq!(android.keyboard(&call).await.unwrap(), wanted);
        std::mem::forget(android);
    }
}

/// What is known about a capture beside its tree.
#[tokio::test(flavor = "multi_thread")]
async fn a_capture_tells_how_it_was_taken_and_whether_it_is_doubtful() {
    let facts = "captureMode=interactive-windows\nwindowCount=2\nmissingRootWindowTypes=\n";
    let scripts = [
        vec![screen_with(3, ALERT, facts), done("key", 4, "")],
        (5..20).map(|number| screen(number, ALERT)).collect(),
    ];
    let (_peer, android) = follow(scripts.concat()).await;
    let call = Call::standalone(Duration::from_secs(10));
    let look = async || {
        let seen = android.capture(&CaptureOptions::default(), &call).await;
        seen.unwrap().info().details.clone()
    };
    let first = look().await;
    let wanted = [
        ("captureMode", "interactive-windows"),
        ("occlusionScanUnavailable", "no-drawing-order"),
        ("windowCount", "2"),
    ];
    let told: Vec<_> = first.iter().map(|(key, value)| (*key, &**value)).collect();
    assert_eq!(told, wanted);
    android.perform(&Action::Back, &call).await.unwrap();
    let second = look().await;
    assert_eq!(
        second.get("freshness").map(String::as_str),
        Some("unchanged-since-the-action")
    );
    assert!(second["looks"].parse::<u32>().unwrap() > 1, "{second:?}");
    std::mem::forget(android);
}
