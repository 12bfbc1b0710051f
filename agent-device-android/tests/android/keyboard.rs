//! Text through the invisible keyboard, on a device of the testbed: the real keyboard app types into the fixture's fields.

use std::{sync::Arc, time::Duration};

use agent_device_android::{
    AdbConfig, Android, AndroidConfig, HelperInstall, InstallOptions, KeyboardChoice,
    adb::{AdbDevice, Remote, ShellCommand},
};
use agent_device_core::{
    Call, Device, Error, ErrorCode, Interactor as _, SnapshotBackend as _,
    action::{Action, FieldState, OpenTarget, Target, Text, Touch},
    dispatch::rows::{android_adb as rows, android_helper as helper},
    selector::id,
    snapshot::CaptureOptions,
    text::FillCheck,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{
    fill::{NAME, field, focused},
    helper_golden::{READY, VIEWPORT, done, follow, printed, reply, screen, service},
    peers::{RealServer, Scripted, Step, at_root, frame, okay},
    testbed::TestbedDevice,
};

/// What keys can't type: two scripts without cases, one from right to left, marks over letters, a family of four, a flag, a
/// character beyond the first plane, and all that a shell would read.
const HARD: &str = "日本語 한국어 שלום e\u{301}ñ 👨‍👩‍👧‍👦🇨🇭 𝄞 $(reboot) `x` %s \\n '\"&;|<> ";

fn call() -> Call {
    Call::standalone(Duration::from_secs(60))
}

async fn chosen(device: &AdbDevice) -> String {
    let ask = ShellCommand::new("settings").unwrap();
    let ask = ask.args(["get", "secure", "default_input_method"]).unwrap();
    let output = device.shell(&ask, &call()).await.unwrap();
    output.stdout_text().trim().to_owned()
}

async fn connect(adb: &AdbDevice, keyboard: KeyboardChoice) -> (Arc<Android>, Device) {
    let mut config = AndroidConfig::default();
    config.keyboard = keyboard;
    let android = Arc::new(Android::connect(adb.clone(), config).await.unwrap());
    (Arc::clone(&android), Device::new(android))
}

async fn open(device: &Device, screen: &str) {
    let link = OpenTarget::Url(format!("fixture://{screen}"));
    device.perform(Action::Open(link)).await.unwrap();
}

/// Asks the app's own log.
async fn ask(adb: &AdbDevice, line: &str) -> String {
    let log = adb.forward(&Remote::Tcp(47391), &call()).await.unwrap();
    let mut stream = TcpStream::connect(log.address().unwrap()).await.unwrap();
    stream
        .write_all(format!("{line}\n").as_bytes())
        .await
        .unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).await.unwrap();
    log.close(&call()).await.unwrap();
    String::from_utf8(reply).unwrap()
}

async fn touch(android: &Android, field: &str) -> Touch {
    let screen = android
        .capture(&CaptureOptions::default(), &call())
        .await
        .unwrap();
    let screen = Arc::new(screen);
    let node = screen.nodes().find(|node| node.identifier() == Some(field));
    let node = node.unwrap_or_else(|| panic!("{field} is not there:\n{}", screen.view()));
    Touch {
        point: node.usable_bounds().unwrap().center(),
        target: Target::new(Arc::clone(&screen), node.id()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn any_text_arrives_and_the_keyboard_goes_back() {
    let Some(peer) = TestbedDevice::up().await else {
        return;
    };
    let Some(real) = RealServer::start(AdbConfig::default()).await else {
        return;
    };
    let adb = peer.on(&real.server).await;
    let apk = at_root("helper-apk/dist/fixture.apk");
    let apps = agent_device_android::Apps::of(&adb);
    apps.install(&apk, &InstallOptions::default(), &call())
        .await
        .unwrap();
    let own = chosen(&adb).await;
    the_invisible_keyboard_fills(&adb).await;
    assert_eq!(chosen(&adb).await, own);
    a_borrowed_keyboard_types(&adb, &own).await;
    a_loan_that_is_broken_off_is_given_back(&adb, &own).await;
    a_field_of_the_keyboard_itself_gets_no_text(&adb, &peer).await;
    a_keyboard_that_can_not_come_is_a_no(&adb, &own).await;
    one_that_the_device_does_not_take_is_a_no(&adb, &peer, &own).await;
    another_one_of_the_same_version_is_replaced(&adb).await;
    real.stop().await;
}

async fn the_invisible_keyboard_fills(adb: &AdbDevice) {
    let (android, device) = connect(adb, KeyboardChoice::Invisible).await;
    open(&device, "login").await;
    for text in ["ada@example.org", HARD, "日", ""] {
        let filled = device.locate(id("city")).fill(text).await.unwrap();
        assert_eq!(filled.fill, Some(FillCheck::Verified), "{text}: {filled:?}");
    }
    // Tap, clear and text; without a text, tap and clear.
    for (text, steps) in [(HARD, 3), ("", 2)] {
        let call = call();
        let fill = Action::Fill(touch(&android, "email").await, text.into());
        let performed = android.perform(&fill, &call).await.unwrap();
        assert_eq!(performed.method, Some("keyboard"));
        assert_eq!(performed.field, Some(FieldState::Text(text.to_owned())));
        assert_eq!(call.ledger().steps(), steps, "{text}");
    }
    let secret = Text::secret("пароль🔑");
    let fill = Action::Fill(touch(&android, "password").await, secret);
    let performed = android.perform(&fill, &call()).await.unwrap();
    // In UTF-16 units, as Android counts.
    assert_eq!(performed.field, Some(FieldState::Length(8)));
    let typed = device.type_text("ü").await.unwrap();
    assert_eq!(typed.method, Some("keyboard"));

    // More than the keyboard commits at once, with lines.
    open(&device, "longtext").await;
    let long = "Zeile mit Umlauten äöü und 🌍.\n".repeat(900);
    let filled = device.locate(id("note")).fill(&*long).await.unwrap();
    assert_eq!(filled.fill, Some(FillCheck::Verified));
    android.close().await.unwrap();
}

/// Keys can't type this into a password that holds something, and accessibility does not tell what it holds.
async fn a_borrowed_keyboard_types(adb: &AdbDevice, own: &str) {
    let (android, device) = connect(adb, KeyboardChoice::Own).await;
    open(&device, "login").await;
    ask(adb, "clear c").await;
    let filled = device
        .locate(id("password"))
        .fill(Text::secret("abc"))
        .await;
    assert_eq!(filled.unwrap().fill, Some(FillCheck::Verified));
    let call = call();
    let typed = Action::TypeText("日本🔑".into());
    let performed = android.perform(&typed, &call).await.unwrap();
    assert_eq!(performed.method, Some("keyboard"));
    assert_eq!(performed.warnings, Vec::<&str>::new());
    assert_eq!(call.ledger().steps(), 1);
    assert_eq!(chosen(adb).await, own);
    let log = ask(adb, "events e").await;
    let lengths: Vec<&str> = log.split("\"length\":").skip(1).collect();
    let lengths: Vec<char> = lengths
        .iter()
        .filter_map(|rest| rest.chars().next())
        .collect();
    assert_eq!(lengths, ['3', '6'], "typed at the end, once: {log}");
    // What accessibility can set needs no keyboard.
    let filled = device.locate(id("city")).fill(HARD).await.unwrap();
    assert_eq!(filled.fill, Some(FillCheck::Verified));
    android.close().await.unwrap();
}

/// The search of a keyboard takes the focus from the app's field, whichever action had given it.
async fn a_field_of_the_keyboard_itself_gets_no_text(adb: &AdbDevice, peer: &TestbedDevice) {
    let (android, device) = connect(adb, KeyboardChoice::Own).await;
    open(&device, "login").await;
    let filled = device.locate(id("city")).fill("Bern").await.unwrap();
    assert_eq!(filled.fill, Some(FillCheck::Verified));
    peer.fault(&["keyboard-search"]).await;
    // What can be set, what only a keyboard can type, and nothing at all.
    for text in ["x", "日"] {
        let call = call();
        let typed = Action::TypeText(text.into());
        let error = android.perform(&typed, &call).await.unwrap_err();
        assert_eq!(error.reason(), Some("ime_capture"), "{error:?}");
        assert_eq!(error.row(), Some(helper::IME_CAPTURE.row()), "{error:?}");
        assert_eq!(call.ledger().steps(), 0);
    }
    peer.fault(&["clear"]).await;
    // The search goes in its own time, and the app's field has the focus again.
    let typed = async || device.type_text("e").await;
    while typed().await.is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let held = device.locate(id("city")).read().await.unwrap();
    assert_eq!(held.value.as_deref(), Some("Berne"));
    android.close().await.unwrap();
    // A capture tells whose keyboard it is.
    let runner = "dev.agentdevice.helper/.HelperInstrumentation";
    let capture = ["instrument", "-w", "-e", "emitChunks", "false", runner];
    let capture = ShellCommand::new("am").unwrap().args(capture).unwrap();
    let told = adb.shell(&capture, &call()).await.unwrap();
    let told = told.stdout_text();
    assert!(
        told.contains("inputMethod=com.android.inputmethod.latin\n"),
        "{told}"
    );
}

async fn a_loan_that_is_broken_off_is_given_back(adb: &AdbDevice, own: &str) {
    let (android, device) = connect(adb, KeyboardChoice::Own).await;
    open(&device, "login").await;
    let fill = device
        .locate(id("password"))
        .fill(Text::secret("abc"))
        .await;
    fill.unwrap();
    let mut taken = 0;
    for round in 0..12_u64 {
        let call = call();
        let typed = Action::TypeText("日".into());
        let time = Duration::from_millis(20 + 40 * round);
        let broken_off = tokio::time::timeout(time, android.perform(&typed, &call)).await;
        taken += u32::from(chosen(adb).await != own);
        // Whatever comes next has the device's own keyboard.
        android.app_state(&self::call()).await.unwrap();
        assert_eq!(chosen(adb).await, own, "{time:?}: {broken_off:?}");
    }
    println!("broken off 12 times, {taken} times with the borrowed keyboard");
    assert!(taken > 0, "it must hit something");
    android.close().await.unwrap();
}

/// A device without our keyboard, onto which nothing may be put.
async fn a_keyboard_that_can_not_come_is_a_no(adb: &AdbDevice, own: &str) {
    let apps = agent_device_android::Apps::of(adb);
    apps.uninstall("dev.agentdevice.ime", &call())
        .await
        .unwrap();
    let mut config = AndroidConfig::default();
    config.install = HelperInstall::Never;
    let android = Arc::new(Android::connect(adb.clone(), config).await.unwrap());
    let device = Device::new(Arc::clone(&android));
    open(&device, "login").await;
    let fill = device
        .locate(id("password"))
        .fill(Text::secret("abc"))
        .await;
    fill.unwrap();
    let error = device.type_text("日").await.unwrap_err();
    assert!(error.dispatched().is_no(), "{error:?}");
    assert_eq!(error.code(), ErrorCode::UnsupportedOperation, "{error:?}");
    assert_eq!(chosen(adb).await, own);
    android.close().await.unwrap();
}

async fn one_that_the_device_does_not_take_is_a_no(
    adb: &AdbDevice,
    peer: &TestbedDevice,
    own: &str,
) {
    let mut config = AndroidConfig::default();
    config.keyboard = KeyboardChoice::Invisible;
    peer.fault(&["refuse-installs", "INSTALL_FAILED_USER_RESTRICTED"])
        .await;
    let error = Android::connect(adb.clone(), config).await.unwrap_err();
    peer.fault(&["clear"]).await;
    assert_eq!(error.row(), Some(helper::SESSION_NOT_STARTED.row()));
    assert_eq!(
        error.detail("installFailure"),
        Some(&"INSTALL_FAILED_USER_RESTRICTED".into()),
        "{error:?}"
    );
    let cause = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<Error>());
    assert_eq!(
        cause.unwrap().row(),
        Some(rows::PACKAGE_MANAGER_REFUSED.row())
    );
    assert_eq!(chosen(adb).await, own);
}

/// Its size is compared first, then its content.
async fn another_one_of_the_same_version_is_replaced(adb: &AdbDevice) {
    let connected = async || {
        let (android, _device) = connect(adb, KeyboardChoice::Invisible).await;
        android.close().await.unwrap();
        let path = ShellCommand::new("pm").unwrap();
        let path = path.args(["path", "dev.agentdevice.ime"]).unwrap();
        let said = adb.shell(&path, &call()).await.unwrap();
        let said = said.stdout_text().trim().to_owned();
        said.strip_prefix("package:").unwrap().to_owned()
    };
    let mut path = connected().await;
    let ours = adb.pull(&path, &call()).await.unwrap();
    let mut last_byte = ours.clone();
    *last_byte.last_mut().unwrap() ^= 1;
    for other in [&ours[1..], &[&ours[..], b"x"].concat(), &last_byte] {
        adb.push(other, &path, 0o644, &call()).await.unwrap();
        path = connected().await;
        assert!(adb.pull(&path, &call()).await.unwrap() == ours);
    }
    // The same is left alone.
    let before = adb.stat(&path, &call()).await.unwrap().unwrap().modified;
    assert_eq!(connected().await, path);
    let after = adb.stat(&path, &call()).await.unwrap().unwrap().modified;
    assert_eq!(before, after);
}

// --- step by step, against a device that follows a script ------------------------------------------------------------------

const SERVICE: &str = "dev.agentdevice.ime/.TestInputMethodService";

fn typed(action: &str, number: u32, rest: &str) -> Vec<Step> {
    let head = "agentDeviceProtocol=android-ime-helper-v1\n";
    let reply = format!("{head}requestId={action}-{number}\n{rest}\n");
    service(vec![okay(), Step::Line, Step::Send(reply.into_bytes())])
}

/// The keyboard is exchanged, and connected to the field.
fn borrowed() -> Vec<Vec<Step>> {
    let own = "com.x/.Y";
    let said = [
        "",
        own,
        "",
        own,
        "",
        "",
        SERVICE,
        own,
        "Broadcast completed: result=-1",
    ];
    let mut scripts: Vec<_> = said.into_iter().map(printed).collect();
    scripts.push(typed("ping", 6, "ok=true\nconnected=true\n"));
    scripts
}

fn given_back() -> Vec<Vec<Step>> {
    let own = "com.x/.Y";
    [own, SERVICE, "", own, ""].map(printed).into()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_went_out_before_a_borrowed_keyboard_failed_is_counted() {
    let shown = focused(NAME, "text=\"new\"");
    let unsupported =
        "ok=false\nstarted=false\nerrorType=java.lang.UnsupportedOperationException\nmessage=no\n";
    let begun = || {
        let mut scripts = vec![
            done("tap", 3, ""),
            screen(4, &focused(NAME, "text=\"old\"")),
            reply("settext", 5, unsupported),
        ];
        scripts.extend(borrowed());
        scripts
    };
    let no = "ok=false\nstarted=false\nerrorType=dev.agentdevice.ime.Editor$NoConnectionException\nmessage=no\n";
    let failed = "ok=false\nstarted=true\nerrorType=java.lang.IllegalStateException\nmessage=no\n";
    let cleared = || typed("clear", 7, "ok=true\nacknowledged=true\n");
    let lost = service(vec![okay(), Step::Line, Step::Reset]);
    for (name, scripts, steps, reason) in [
        (
            "no field takes a keyboard",
            vec![typed("clear", 7, no)],
            1,
            "android_helper_refused",
        ),
        (
            "clearing fails",
            vec![typed("clear", 7, failed)],
            1,
            "android_helper_failed",
        ),
        (
            "the field goes away after it was cleared",
            vec![cleared(), typed("text", 8, no)],
            2,
            "android_helper_refused",
        ),
        (
            "the text is lost",
            vec![cleared(), lost],
            2,
            "android_helper_lost",
        ),
    ] {
        let (_peer, android) = follow([begun(), scripts, given_back()].concat()).await;
        let android = Arc::new(android);
        let device = Device::new(Arc::clone(&android));
        let error = device.perform(Action::Fill(field(), "new".into())).await;
        let error = error.unwrap_err();
        let said = (error.dispatched_steps(), error.reason());
        assert_eq!(said, (steps, Some(reason)), "{name}: {error:?}");
        assert!(!error.dispatched().is_no(), "{name}: the tap went out");
        std::mem::forget(android);
    }
    let typed = vec![cleared(), typed("text", 8, "ok=true\nacknowledged=true\n")];
    let read = (9..12).map(|number| screen(number, &shown)).collect();
    let (_peer, android) = follow([begun(), typed, given_back(), read].concat()).await;
    let call = call();
    let fill = Action::Fill(field(), "new".into());
    let performed = android.perform(&fill, &call).await.unwrap();
    assert_eq!(performed.field, Some(FieldState::Text("new".to_owned())));
    assert_eq!(performed.warnings, Vec::<&str>::new());
    // The tap, the clearing and the text. What was refused is none.
    assert_eq!(call.ledger().steps(), 3);
    std::mem::forget(android);
}

/// The device was away when it should have got its own keyboard back: the next command sees to it.
#[tokio::test(flavor = "multi_thread")]
async fn a_keyboard_that_could_not_be_given_back_is_not_forgotten() {
    let unsupported =
        "ok=false\nstarted=false\nerrorType=java.lang.UnsupportedOperationException\nmessage=no\n";
    let mut exchange = borrowed();
    exchange.pop();
    let scripts = [
        vec![reply("text", 3, unsupported)],
        exchange,
        vec![
            typed("ping", 4, "ok=true\nconnected=true\n"),
            typed("text", 5, "ok=true\nacknowledged=true\n"),
            service(vec![okay(), Step::Reset]),
        ],
        given_back(),
        vec![done("viewport", 6, VIEWPORT)],
    ];
    let (peer, android) = follow(scripts.concat()).await;
    let back = || {
        let requests = peer.requests();
        requests.iter().any(|it| it.ends_with("ime set com.x/.Y"))
    };
    let text = Action::TypeText("日".into());
    let performed = android.perform(&text, &call()).await.unwrap();
    assert_eq!(performed.warnings.len(), 1, "{performed:?}");
    assert!(!back());
    android.app_state(&call()).await.unwrap();
    assert!(back(), "{:?}", peer.requests());
    std::mem::forget(android);
}

/// A device that makes no local sockets for apps: the keyboard is told a port and a token as soon as it runs.
#[tokio::test(flavor = "multi_thread")]
async fn where_apps_have_no_sockets_the_keyboard_listens_on_a_port() {
    let no_socket = "INSTRUMENTATION_RESULT: errorType=java.io.IOException\nINSTRUMENTATION_RESULT: ok=false\n\
                     INSTRUMENTATION_CODE: 1\n";
    let ready = Step::Send(frame(1, READY));
    let refused =
        "ok=false\nstarted=false\nerrorType=java.lang.UnsupportedOperationException\nmessage=no\n";
    let mut scripts = vec![
        printed(no_socket),
        service(vec![okay(), ready, Step::Hang]),
        done("ping", 1, ""),
        done("viewport", 2, "kind=viewport\n"),
        reply("text", 3, refused),
    ];
    let mut exchange = borrowed();
    exchange.pop();
    scripts.extend(exchange);
    scripts.push(printed("Broadcast completed: result=0"));
    scripts.push(printed("Broadcast completed: result=-1"));
    scripts.push(typed("ping", 4, "ok=true\nconnected=false\n"));
    scripts.push(typed("ping", 5, "ok=true\nconnected=true\n"));
    scripts.push(typed("text", 6, "ok=true\nacknowledged=true\n"));
    scripts.extend(given_back());
    let peer = Scripted::start(scripts).await;
    let device = peer.server.device("x").unwrap().with_features("shell_v2");
    let mut config = AndroidConfig::default();
    config.install = HelperInstall::Never;
    let android = Android::connect(device, config).await.unwrap();
    let performed = android
        .perform(&Action::TypeText("日".into()), &call())
        .await
        .unwrap();
    assert_eq!(performed.method, Some("keyboard"));
    let asked = peer.requests();
    let told: Vec<&String> = asked
        .iter()
        .filter(|request| request.contains("ACTION_SESSION"))
        .collect();
    assert_eq!(told.len(), 2);
    let words: Vec<&str> = told[0].split_whitespace().collect();
    let at = words.iter().position(|word| *word == "port").unwrap();
    let port = format!("tcp:{}", words[at + 1]);
    assert_eq!(asked.iter().filter(|request| **request == port).count(), 3);
    std::mem::forget(android);
}
