//! The core's conformance suite on the fixture app of a device of the testbed, behind a proxy that makes faults.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agent_device_android::{
    AdbConfig, Android, AndroidConfig,
    adb::{AdbDevice, AdbServer, Endpoint, Forward, Remote, ShellCommand},
};
use agent_device_core::{
    Call, Device, ErrorCode, Interactor as _,
    action::{Action, OpenTarget, Orientation, Target, Touch},
    async_trait,
    dispatch::rows::{android_helper as rows, post_action_guard},
    geometry::{Direction, Point, Rect},
    gesture::ScrollPlan,
    selector::{id, label},
    testing::{
        Body, Event, EventKind, Fault, Gate, Knob, Screen, conformance, conformance_of,
        fault_matrix,
    },
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use crate::{
    helper_golden::ON_A_DEVICE,
    peers::{RealServer, at_root, frame},
    testbed::TestbedDevice,
};

const FIXTURE: &str = "dev.agentdevice.fixture";
const HELPER: &str = "dev.agentdevice.helper";
/// Where the fixture app serves its log. The testbed's framework makes no local sockets.
const LOG_PORT: u16 = 47391;
/// The helper's commands that the app may notice.
const MUTATIONS: &[&str] = &["tap", "key", "text", "settext", "clear", "gesture"];

fn call() -> Call {
    Call::standalone(Duration::from_secs(60))
}

fn command(words: &[&str]) -> ShellCommand {
    let command = ShellCommand::new(words[0]).unwrap();
    command.args(&words[1..]).unwrap()
}

// --- the proxy ------------------------------------------------------------------------------------------------------------

/// Stands between the crate and its adb server, and breaks the next command that changes something.
struct Proxy {
    port: u16,
    server: u16,
    plan: Arc<Mutex<Option<Fault>>>,
    /// Whether the helper ends before its session is ready.
    no_sessions: Arc<AtomicBool>,
    /// The device beside the proxy.
    beside: AdbDevice,
    listening: Mutex<Option<JoinHandle<()>>>,
}

impl Proxy {
    async fn start(server: u16, beside: AdbDevice) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            server,
            plan: Arc::default(),
            no_sessions: Arc::default(),
            beside,
            listening: Mutex::default(),
        };
        proxy.serve(listener);
        proxy
    }

    fn serve(&self, listener: TcpListener) {
        let (server, plan) = (self.server, Arc::clone(&self.plan));
        let beside = self.beside.clone();
        let no_sessions = Arc::clone(&self.no_sessions);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (plan, beside) = (Arc::clone(&plan), beside.clone());
                let no_sessions = no_sessions.load(Ordering::Relaxed);
                // Connections outlive the listener: one of them is the helper's own output.
                tokio::spawn(async move {
                    let Ok(upstream) = TcpStream::connect(("127.0.0.1", server)).await else {
                        return;
                    };
                    let _ = relay(client, upstream, &plan, no_sessions, &beside).await;
                });
            }
        });
        *self.listening.lock().unwrap() = Some(task);
    }

    async fn refuse(&self) {
        let task = self.listening.lock().unwrap().take();
        if let Some(task) = task {
            task.abort();
            let _ = task.await;
        }
    }

    async fn listen(&self) {
        if self.listening.lock().unwrap().is_none() {
            let listener = TcpListener::bind(("127.0.0.1", self.port)).await.unwrap();
            self.serve(listener);
        }
    }
}

/// The action of a helper's request, if the bytes are one.
fn action(bytes: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(bytes.get(..bytes.len().min(300))?).ok()?;
    let rest = line.strip_prefix("@token=")?;
    rest.split(' ')
        .find(|word| !word.starts_with('@') && word.len() < 20)
}

async fn relay(
    mut client: TcpStream,
    mut upstream: TcpStream,
    plan: &Mutex<Option<Fault>>,
    no_sessions: bool,
    beside: &AdbDevice,
) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    upstream.set_nodelay(true)?;
    let (mut down, mut up) = (vec![0; 65536], vec![0; 65536]);
    loop {
        tokio::select! {
            read = client.read(&mut down) => {
                let count = read?;
                if count == 0 {
                    return Ok(());
                }
                let text = String::from_utf8_lossy(&down[..count]);
                if no_sessions && text.contains(" sessionToken ") {
                    let ended = [&b"OKAY"[..], &frame(1, b"INSTRUMENTATION_CODE: 0\n"), &frame(3, &[0])].concat();
                    client.write_all(&ended).await?;
                    return client.shutdown().await;
                }
                let mutation = action(&down[..count]).is_some_and(|action| MUTATIONS.contains(&action));
                let fault = if mutation { plan.lock().unwrap().take() } else { None };
                let Some(fault) = fault else {
                    upstream.write_all(&down[..count]).await?;
                    continue;
                };
                return strike(fault, client, upstream, down[..count].to_vec(), beside).await;
            }
            read = upstream.read(&mut up) => {
                let count = read?;
                if count == 0 {
                    return client.shutdown().await;
                }
                client.write_all(&up[..count]).await?;
            }
        }
    }
}

async fn strike(
    fault: Fault,
    mut client: TcpStream,
    mut upstream: TcpStream,
    mut request: Vec<u8>,
    beside: &AdbDevice,
) -> std::io::Result<()> {
    while !request.ends_with(b"\n") {
        if client.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    if fault == Fault::ResetBeforeRead {
        return client.set_zero_linger();
    }
    upstream.write_all(&request).await?;
    let mut reply = Vec::new();
    upstream.read_to_end(&mut reply).await?;
    match fault {
        Fault::ResetAfterRead => client.set_zero_linger(),
        Fault::Truncate => {
            client.write_all(&reply[..reply.len() / 2]).await?;
            client.shutdown().await
        }
        Fault::Hang => {
            let mut sink = [0; 64];
            while client.read(&mut sink).await? > 0 {}
            Ok(())
        }
        Fault::Slow(delay) => {
            tokio::time::sleep(delay).await;
            client.write_all(&reply).await?;
            client.shutdown().await
        }
        Fault::Garbage => {
            client.write_all(b"\x00\xffgarbage\n\ngarbage").await?;
            client.shutdown().await
        }
        Fault::Restart => {
            let stop = command(&["am", "force-stop", HELPER]);
            beside.shell(&stop, &call()).await.unwrap();
            client.set_zero_linger()
        }
        _ => client.write_all(&reply).await,
    }
}

// --- the body -------------------------------------------------------------------------------------------------------------

pub(crate) struct Phone {
    pub(crate) android: Arc<Android>,
    proxy: Proxy,
    /// The way to the judge: beside the proxy and beside the backend.
    pub(crate) beside: AdbDevice,
    log: Forward,
}

impl Phone {
    pub(crate) async fn start(
        peer: &TestbedDevice,
        real: &RealServer,
        mut config: AndroidConfig,
    ) -> Self {
        let beside = peer.on(&real.server).await;
        let apk = std::fs::read(at_root("helper-apk/dist/fixture.apk")).unwrap();
        let path = "/data/local/tmp/fixture.apk";
        beside.push(&apk[..], path, 0o644, &call()).await.unwrap();
        let install = command(&["pm", "install", "-r", path]);
        let output = beside.shell(&install, &call()).await.unwrap();
        assert!(output.stdout_text().contains("Success"), "{output:?}");
        let log = beside
            .forward(&Remote::Tcp(LOG_PORT), &call())
            .await
            .unwrap();

        let Endpoint::Tcp { port, .. } = real.server.endpoint() else {
            panic!("the server listens on a port");
        };
        let proxy = Proxy::start(*port, beside.clone()).await;
        let mut adb = AdbConfig::default();
        adb.start_server = false;
        let through = AdbServer::new(Endpoint::local(proxy.port), adb);
        config.app = Some(FIXTURE.to_owned());
        let device = through.device(peer.address.as_str()).unwrap();
        let started = std::time::Instant::now();
        let android = Android::connect(device, config).await.unwrap();
        println!(
            "connected in {:?}: {:?}",
            started.elapsed(),
            android.facts()
        );
        Self {
            android: Arc::new(android),
            proxy,
            beside,
            log,
        }
    }

    pub(crate) async fn stop(self) {
        self.android.close().await.unwrap();
        self.log.close(&call()).await.unwrap();
    }

    /// Asks the app's log.
    async fn ask(&self, line: &str) -> Option<(String, Vec<u8>)> {
        let mut stream = TcpStream::connect(self.log.address().unwrap()).await.ok()?;
        stream
            .write_all(format!("{line}\n").as_bytes())
            .await
            .ok()?;
        let mut reply = Vec::new();
        let read = stream.read_to_end(&mut reply);
        tokio::time::timeout(Duration::from_secs(30), read)
            .await
            .ok()?
            .ok()?;
        let end = reply.windows(2).position(|pair| pair == b"\n\n")?;
        let head = String::from_utf8_lossy(&reply[..end]).into_owned();
        Some((head, reply[end + 2..].to_vec()))
    }

    async fn must(&self, line: &str) -> Vec<u8> {
        let (head, body) = self.ask(line).await.expect("the app answers");
        assert!(head.lines().any(|line| line == "ok=true"), "{line}: {head}");
        body
    }
}

const FRAMES: (Screen, &str) = (Screen::Frames, "only a page has frames");
const LIMITS: &[(Screen, &str)] = &[FRAMES];
/// Android 6 here draws nothing, and nowhere tells in which order it draws.
const LIMITS_23: &[(Screen, &str)] = &[
    FRAMES,
    (
        Screen::Sparse,
        "without a picture a tree that has lost its content is an empty screen",
    ),
    (
        Screen::Covered,
        "Android 6 does not tell in which order it draws",
    ),
];

#[async_trait]
impl Body for Phone {
    fn device(&self) -> Device {
        Device::new(Arc::clone(&self.android))
    }

    async fn open(&self, screen: Screen, knobs: &[(Knob, u64)]) {
        let state = self.ask("state s").await;
        let front = state.is_some_and(|(head, _)| head.lines().any(|line| line == "inFront=true"));
        if !front {
            let start = command(&[
                "am",
                "start",
                "-W",
                "-a",
                "android.intent.action.MAIN",
                "-c",
                "android.intent.category.LAUNCHER",
                "-n",
                "dev.agentdevice.fixture/.FixtureActivity",
            ]);
            let output = self.beside.shell(&start, &call()).await.unwrap();
            assert_eq!(output.code, 0, "{}", output.stderr_text());
        }
        let knobs: Vec<_> = knobs
            .iter()
            .map(|(knob, value)| format!("{knob}={value}"))
            .collect();
        let query = if knobs.is_empty() {
            String::new()
        } else {
            format!("?{}", knobs.join("&"))
        };
        self.must(&format!("reset r {screen}{query}")).await;
    }

    async fn events(&self) -> Vec<Event> {
        // A tap that could be half of a double tap is taken back by the second.
        tokio::time::sleep(Duration::from_millis(350)).await;
        serde_json::from_slice(&self.must("events e").await).unwrap()
    }

    fn limits(&self) -> &[(Screen, &'static str)] {
        match self.android.facts().api {
            23 => LIMITS_23,
            _ => LIMITS,
        }
    }

    fn captures(&self) -> Option<u64> {
        Some(self.android.captures())
    }

    async fn arm(&self, fault: Fault) -> bool {
        match fault {
            Fault::Refuse => self.proxy.refuse().await,
            // The adb protocol runs over TCP, which delivers once.
            Fault::Duplicate => return false,
            fault => *self.proxy.plan.lock().unwrap() = Some(fault),
        }
        true
    }

    async fn disarm(&self) {
        *self.proxy.plan.lock().unwrap() = None;
        self.proxy.listen().await;
    }

    fn gesture_tolerance(&self) -> Duration {
        // The device paces its moves by the clock of a machine that is busy.
        Duration::from_millis(100)
    }
}

/// Apps, pictures, the clipboard, and a session that ends and comes back.
async fn what_is_no_part_of_the_tree(phone: &Phone) {
    let android = &phone.android;
    // The testbed's package manager does not always find an activity by its intent, so it is opened by its name here.
    phone.open(Screen::Home, &[]).await;
    let state = android.app_state(&call()).await.unwrap();
    assert_eq!(state.app.as_deref(), Some(FIXTURE));
    let picture = android.screenshot(&call()).await.unwrap();
    assert!(picture.png.len() > 1000, "{picture:?}");
    let write = Action::WriteClipboard("copied".into());
    android.perform(&write, &call()).await.unwrap();
    assert_eq!(android.clipboard(&call()).await.unwrap(), "copied");

    // Others may have the device, and the next operation takes it back.
    android.close().await.unwrap();
    android.close().await.unwrap();
    let running = command(&["pidof", HELPER]);
    let output = phone.beside.shell(&running, &call()).await.unwrap();
    assert_eq!(output.stdout_text().trim(), "", "the helper has ended");
    assert!(!phone.device().snapshot().await.unwrap().is_empty());

    // A session that dies between two actions costs a new one, and the action is done once.
    phone.open(Screen::Counter, &[]).await;
    let stop = command(&["am", "force-stop", HELPER]);
    phone.beside.shell(&stop, &call()).await.unwrap();
    let counter = phone.device().locate(id("counter")).press().await;
    counter.unwrap();
    let events = phone.events().await;
    let taps = events.iter().filter(|event| event.element == "counter");
    assert_eq!(taps.count(), 1, "{events:?}");

    let close = Action::Close(None);
    android.perform(&close, &call()).await.unwrap();
    let running = command(&["pidof", FIXTURE]);
    let output = phone.beside.shell(&running, &call()).await.unwrap();
    assert_eq!(output.stdout_text().trim(), "", "the app is closed");
    let absent = Action::Open(OpenTarget::App("com.example.none".to_owned()));
    let error = android.perform(&absent, &call()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::AppNotInstalled);
    assert!(error.dispatched().is_no());
}

/// Somebody else's app in front after a press, and dialogs of the system.
async fn what_comes_over_the_app(phone: &Phone, peer: &TestbedDevice) {
    let android = &phone.android;
    let mut gate = Gate::new(ON_A_DEVICE);
    let nowhere = Action::Tap(Touch {
        point: Point::new(500.0, 2300.0),
        target: None,
    });

    phone.open(Screen::Counter, &[]).await;
    phone.device().snapshot().await.unwrap();
    let home = command(&["input", "keyevent", "3"]);
    phone.beside.shell(&home, &call()).await.unwrap();
    let left = async || android.app_state(&call()).await.unwrap().app.as_deref() != Some(FIXTURE);
    while !left().await {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let error = android.perform(&nowhere, &call()).await.unwrap_err();
    gate.cites(post_action_guard::ANDROID_PRESS_LEFT_APP, &error);
    assert_eq!(error.detail("expectedPackage"), Some(&FIXTURE.into()));

    // What the app asks a person for is an alert as any other.
    for (accept, button) in [(false, "Don't allow"), (true, "Allow")] {
        phone.open(Screen::System, &[]).await;
        let device = phone.device();
        device.locate(id("ask-permission")).press().await.unwrap();
        let prompt = device.wait_for_alert(Duration::from_secs(5)).await.unwrap();
        assert!(prompt.text.contains("Proving Ground"), "{prompt:?}");
        if accept {
            device.accept_alert(None).await.unwrap();
        } else {
            device.dismiss_alert().await.unwrap();
        }
        let events = phone.events().await;
        let answers: Vec<_> = events
            .iter()
            .filter(|event| event.kind == EventKind::Alert)
            .collect();
        assert_eq!(answers.len(), 1, "{events:?}");
        assert_eq!(answers[0].detail["button"], button);
    }

    // The system asks about the app: it is closed by the dialog and opened again, which are two sends.
    phone.open(Screen::Counter, &[]).await;
    peer.fault(&["anr", FIXTURE]).await;
    let device = phone.device();
    let alert = device.wait_for_alert(Duration::from_secs(5)).await.unwrap();
    assert!(alert.text.contains("isn't responding"), "{alert:?}");
    let seen = device.snapshot().await.unwrap();
    assert_eq!(seen.info().system_surface.as_deref(), Some("system-dialog"));
    let error = device.locate(id("counter")).press().await.unwrap_err();
    gate.cites(rows::APP_REOPENED, &error);
    assert_eq!(
        (error.dispatched().is_no(), error.dispatched_steps()),
        (false, 2),
        "{error:?}"
    );
    assert_eq!(error.detail("inFront"), Some(&true.into()));
    assert_eq!(device.alert().await.unwrap(), None);
    let state = device.app_state().await.unwrap();
    assert_eq!(state.app.as_deref(), Some(FIXTURE));

    // It falls silent under a scroll: what is read when a scroll has come to rest tells so, without a capture.
    phone.open(Screen::Counter, &[]).await;
    device.snapshot().await.unwrap();
    let area = Rect::new(100.0, 600.0, 800.0, 1200.0);
    let mut plan = ScrollPlan::new(Direction::Down, Default::default(), area, None, None).unwrap();
    plan.duration = Duration::from_millis(1500);
    let (scrolled, ()) = tokio::join!(
        device.perform(Action::Scroll(plan)),
        peer.fault(&["anr", FIXTURE])
    );
    let error = scrolled.unwrap_err();
    assert_eq!(error.row(), Some(rows::APP_REOPENED.row()), "{error:?}");
    assert_eq!(error.dispatched_steps(), 3, "{error:?}");

    // It crashes, and what is typed next does not go to the dialog that says so.
    phone.open(Screen::Counter, &[]).await;
    peer.fault(&["crash", FIXTURE]).await;
    let alert = device.wait_for_alert(Duration::from_secs(5)).await.unwrap();
    assert!(alert.text.contains("Proving Ground"), "{alert:?}");
    device.snapshot().await.unwrap();
    let error = device.type_text("x").await.unwrap_err();
    assert_eq!(
        error.row(),
        Some(rows::BLOCKED_BY_DIALOG.row()),
        "{error:?}"
    );
    assert_eq!(error.detail("package"), Some(&FIXTURE.into()));
    device.accept_alert(None).await.unwrap();
    device.open_app(FIXTURE).await.unwrap();

    // Answered by the caller, nothing is in the way.
    peer.fault(&["anr", FIXTURE]).await;
    device.wait_for_alert(Duration::from_secs(5)).await.unwrap();
    device.dismiss_alert().await.unwrap();
    phone.open(Screen::Counter, &[]).await;
    device.locate(id("counter")).press().await.unwrap();
    gate.finish();
}

/// The display is turned and, at the end, set as it was.
async fn the_display_is_turned_and_given_back(phone: &Phone) {
    let device = phone.device();
    let setting = async |key: &str| {
        let get = command(&["settings", "get", "system", key]);
        let output = phone.beside.shell(&get, &call()).await.unwrap();
        output.stdout_text().trim().to_owned()
    };
    phone.open(Screen::Counter, &[]).await;
    assert_eq!(device.orientation().await.unwrap(), Orientation::Portrait);
    let before = (
        setting("accelerometer_rotation").await,
        setting("user_rotation").await,
    );
    for (orientation, lies) in [
        (Orientation::LandscapeLeft, true),
        (Orientation::Portrait, false),
        (Orientation::LandscapeLeft, true),
    ] {
        let turn = Action::SetOrientation(orientation);
        device.perform(turn).await.unwrap();
        assert_eq!(device.orientation().await.unwrap(), orientation);
        let viewport = device.snapshot().await.unwrap().info().viewport.unwrap();
        assert_eq!(viewport.width > viewport.height, lies, "{viewport:?}");
    }
    assert_eq!(setting("accelerometer_rotation").await, "0");
    phone.android.close().await.unwrap();
    let after = (
        setting("accelerometer_rotation").await,
        setting("user_rotation").await,
    );
    assert_eq!(before, after);
    device
        .perform(Action::SetOrientation(Orientation::Portrait))
        .await
        .unwrap();
    assert_eq!(device.orientation().await.unwrap(), Orientation::Portrait);
    phone.android.close().await.unwrap();
}

/// What leads from one app to another: links, keys, and the app itself.
async fn ways_between_apps(phone: &Phone) {
    let device = phone.device();
    let front = async || {
        phone
            .android
            .app_state(&call())
            .await
            .unwrap()
            .app
            .unwrap_or_default()
    };
    let until = async |wanted: &dyn Fn(&str) -> bool| {
        let look = async {
            while !wanted(&front().await) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let came = tokio::time::timeout(Duration::from_secs(10), look).await;
        assert!(came.is_ok(), "{} is in front", front().await);
    };
    let ours = |app: &str| app == FIXTURE;
    device
        .perform(Action::Close(Some(FIXTURE.to_owned())))
        .await
        .unwrap();
    let link = OpenTarget::Url("fixture://counter".to_owned());
    device.perform(Action::Open(link)).await.unwrap();
    until(&ours).await;
    device
        .locate(id("counter"))
        .press()
        .ready_within(Duration::from_secs(2))
        .await
        .unwrap();
    device.snapshot().await.unwrap();
    device.perform(Action::Home).await.unwrap();
    let home = device.snapshot().await.unwrap();
    assert_ne!(home.info().app.as_deref(), Some(FIXTURE), "the old screen");
    let app = OpenTarget::App(FIXTURE.to_owned());
    device.perform(Action::Open(app)).await.unwrap();
    until(&ours).await;

    // Back leads to the screen before.
    phone.open(Screen::Home, &[]).await;
    device.locate(label("counter")).press().await.unwrap();
    device
        .locate(id("counter"))
        .wait(Duration::from_secs(5))
        .await
        .unwrap();
    device.perform(Action::Back).await.unwrap();
    device
        .locate(label("Proving Ground"))
        .wait(Duration::from_secs(5))
        .await
        .unwrap();
    device.perform(Action::AppSwitcher).await.unwrap();
    phone.open(Screen::Home, &[]).await;
}

/// The screen has moved on since the capture: the touch is refused on the device, before its first event.
async fn a_touch_is_for_what_was_seen(phone: &Phone) {
    phone.open(Screen::Counter, &[]).await;
    let seen = Arc::new(phone.device().snapshot().await.unwrap());
    let target = |name: &str| {
        let node = seen
            .nodes()
            .find(|node| node.identifier() == Some(name))
            .unwrap();
        let target = Target::new(Arc::clone(&seen), node.id());
        Touch {
            point: node.bounds().unwrap().center(),
            target,
        }
    };
    let refused = async |touch: Touch| {
        for action in [Action::Tap(touch.clone()), Action::DoubleTap(touch.clone())] {
            let error = phone.android.perform(&action, &call()).await.unwrap_err();
            assert_eq!(error.row(), Some(rows::TARGET_CHANGED.row()), "{error:?}");
        }
    };
    phone
        .android
        .perform(&Action::Tap(target("counter")), &call())
        .await
        .unwrap();
    let counted = phone.events().await;
    assert_eq!(counted.len(), 1, "{counted:?}");
    // The element is there, and not at this point any more.
    let mut elsewhere = target("counter");
    elsewhere.point = target("dead").point;
    refused(elsewhere).await;
    // Another screen, another dialog in front.
    phone.open(Screen::Toggle, &[]).await;
    refused(target("counter")).await;
    assert!(
        phone
            .events()
            .await
            .iter()
            .all(|event| event.element != "counter")
    );
    phone.open(Screen::Alert, &[]).await;
    let device = phone.device();
    let seen = Arc::new(device.snapshot().await.unwrap());
    let notice = seen
        .nodes()
        .find(|node| node.identifier() == Some("notice"))
        .unwrap();
    let touch = Touch {
        point: notice.bounds().unwrap().center(),
        target: Target::new(Arc::clone(&seen), notice.id()),
    };
    device.locate(id("delete-item")).press().await.unwrap();
    device.wait_for_alert(Duration::from_secs(5)).await.unwrap();
    refused(touch).await;
    device.dismiss_alert().await.unwrap();
}

/// Without a session captures are made one by one, and nothing is touched.
async fn a_capture_needs_no_session(phone: &Phone) {
    phone.open(Screen::Counter, &[]).await;
    phone.android.close().await.unwrap();
    phone.proxy.no_sessions.store(true, Ordering::Relaxed);
    let device = phone.device();
    let snapshot = device.snapshot().await.unwrap();
    assert_eq!(snapshot.quality().source, "helper-one-shot", "{snapshot:?}");
    assert!(
        snapshot
            .nodes()
            .any(|node| node.identifier() == Some("counter"))
    );
    let error = device.locate(id("counter")).press().await.unwrap_err();
    assert_eq!(
        error.row(),
        Some(rows::SESSION_NOT_STARTED.row()),
        "{error:?}"
    );
    phone.proxy.no_sessions.store(false, Ordering::Relaxed);
    assert_eq!(phone.events().await.len(), 0);
    // A start that failed is not tried again at once.
    let pressed = async {
        while device.locate(id("counter")).press().await.is_err() {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(90), pressed)
        .await
        .unwrap();
    let events = phone.events().await;
    assert_eq!(events.len(), 1, "{events:?}");
}

/// Devices are driven one after the other: their clocks are those of this machine.
static ONE_DEVICE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

async fn on_level(api: u32, run: impl AsyncFnOnce(&Phone, &TestbedDevice)) {
    let _turn = ONE_DEVICE.lock().await;
    let Some(peer) = TestbedDevice::up_at(api).await else {
        return;
    };
    let Some(real) = RealServer::start(AdbConfig::default()).await else {
        return;
    };
    let phone = Phone::start(&peer, &real, AndroidConfig::default()).await;
    run(&phone, &peer).await;
    phone.stop().await;
    real.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_device_conforms() {
    on_level(34, async |phone, peer| {
        what_is_no_part_of_the_tree(phone).await;
        ways_between_apps(phone).await;
        the_display_is_turned_and_given_back(phone).await;
        a_touch_is_for_what_was_seen(phone).await;
        what_comes_over_the_app(phone, peer).await;
        a_capture_needs_no_session(phone).await;
        conformance(phone).await;
        fault_matrix(phone).await;
    })
    .await;
}

/// Scenarios that ask what accessibility did not tell yet.
const NOT_TOLD_BY_ANDROID_6: &[(&str, &str)] = &[
    (
        "a_row_of_home_opens_its_screen",
        "headings, since Android 9",
    ),
    (
        "a_form_is_filled_and_verified_and_its_secret_kept",
        "a hint from a text, since Android 8: an emptied field is not known to be empty",
    ),
    ("a_long_text_is_cleared_completely", "the same"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn android_6_conforms() {
    let told = |scenario: &str| {
        NOT_TOLD_BY_ANDROID_6
            .iter()
            .all(|(name, _)| *name != scenario)
    };
    on_level(23, async |phone, _| conformance_of(phone, told).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn android_10_conforms() {
    on_level(29, async |phone, _| conformance(phone).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn android_16_conforms() {
    on_level(36, async |phone, _| conformance(phone).await).await;
}
