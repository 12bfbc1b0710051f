//! The accessibility source of simulators against its peer: the same service over a scripted app, behind a stand-in for `xcrun`.

#![allow(
    clippy::disallowed_methods,
    reason = "apps and compilers are processes of the test, and a script that stands for a device takes its time"
)]

use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use agent_device_apple::{
    Apple,
    ax::{AxConfig, AxFirst, SimulatorAx},
};
use agent_device_core::{
    Call, Device, Error, Result, Role, Snapshot, SnapshotBackend, async_trait,
    geometry::Rect,
    selector::{id, label},
    snapshot::{
        CaptureOptions, Quality, QualityReason, QualityState, SnapshotBuilder, SnapshotInfo,
        TextField,
    },
};

use crate::{
    peers::{Folder, Sim, Tools, at_root, says_port, skip},
    scripted::{Act, Scripted, failed},
    suite::FIXTURE,
};

/// The peer, if this machine can have it. Built once for all tests.
fn peer() -> Option<PathBuf> {
    static BUILT: OnceLock<bool> = OnceLock::new();
    let path = at_root("runner-swift/ax-peer");
    let built = *BUILT.get_or_init(|| {
        // Without arguments it says how it is used, once it is there.
        let output = Command::new(&path).output();
        output.is_ok_and(|output| output.status.code() == Some(64))
    });
    if !built {
        skip(
            "ax-peer",
            "run runner-swift/ax-peer as root on Debian; it provides Swift",
        );
    }
    built.then_some(path)
}

/// A simulator whose programs are processes of this machine.
const XCRUN: &str = r#"
here=$(dirname "$0")
echo "$*" >>"$here/calls"
case "$*" in
*" launchctl list") cat "$here/apps" ;;
*" defaults write "*) ;;
*" serve "*)
    shift 3
    AX_PEER=$(cat "$here/script")
    export AX_PEER
    exec "$@" ;;
*" clang "*) [ ! -e "$here/broken-compiler" ] || { echo "AXPrivate.m:1: error: no such thing" >&2; exit 1; }
    for last; do :; done
    echo object >"$last" ;;
*" swiftc "*)
    for last; do :; done
    for file; do case $file in */main.swift) grep -q SocketServer "$file" || exit 1 ;; esac; done
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$(cat "$here/peer")" >"$last"
    chmod +x "$last" ;;
*) echo "unknown: $*" >&2; exit 64 ;;
esac
"#;

const APP: &str = "dev.example.app";

/// A simulator with one app in it, and the source under test.
struct Simulator {
    folder: Folder,
    config: AxConfig,
    ax: SimulatorAx,
}

impl Simulator {
    /// The app behaves like `script`; `{}` in it stands for the folder.
    fn with(script: &str, change: impl FnOnce(&mut AxConfig)) -> Option<Self> {
        let peer = peer()?;
        let folder = Folder::new();
        folder.script("xcrun", XCRUN);
        let home = folder.path().display().to_string();
        fs::write(folder.path().join("peer"), peer.display().to_string()).unwrap();
        let mut config = AxConfig::default();
        config.tool_path = Some(format!("{home}:/usr/bin:/bin").into());
        config.program = Some(peer);
        config.cache = Some(folder.path().join("cache"));
        // A machine under load starts processes slowly; tests of this very time set their own.
        config.first_wait = Duration::from_secs(20);
        change(&mut config);
        let ax = SimulatorAx::new("SIM-1", Some(APP.to_owned()), config.clone());
        let simulator = Self { folder, config, ax };
        simulator.script(script);
        simulator.runs(std::process::id());
        Some(simulator)
    }

    /// What the next peer does.
    fn script(&self, script: &str) {
        let home = self.folder.path().display().to_string();
        let script = format!("log={home}/log {}", script.replace("{}", &home));
        fs::write(self.folder.path().join("script"), script).unwrap();
    }

    /// The app's process.
    fn runs(&self, pid: u32) {
        let line = format!("{pid}\t0\tUIKitApplication:{APP}[a1][rb-legacy]\n");
        fs::write(self.folder.path().join("apps"), line).unwrap();
    }

    async fn capture(&self) -> Result<Snapshot> {
        self.ax.capture(&CaptureOptions::default(), &call()).await
    }

    async fn reason(&self) -> String {
        self.capture()
            .await
            .unwrap_err()
            .reason()
            .unwrap_or_default()
            .to_owned()
    }

    /// Lines of the peer's log that begin like this.
    fn logged(&self, what: &str) -> usize {
        self.lines("log", |line| line.starts_with(what))
    }

    fn calls(&self, what: &str) -> usize {
        self.lines("calls", |line| line.contains(what))
    }

    fn lines(&self, file: &str, counts: impl Fn(&str) -> bool) -> usize {
        let text = self.folder.read(file);
        text.lines().filter(|line| counts(line)).count()
    }
}

fn call() -> Call {
    Call::standalone(Duration::from_secs(30))
}

/// A process that stands for an app.
struct App(Child);

impl App {
    fn start() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }
}

impl Drop for App {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

macro_rules! simulator {
    ($($arguments:expr),*) => {
        match Simulator::with($($arguments),*) {
            Some(simulator) => simulator,
            None => return,
        }
    };
}

#[tokio::test]
async fn a_tree_comes_through_all_layers() {
    let simulator = simulator!("tree=file:{}/tree.json", |_| ());
    let tree = serde_json::json!([
        {"depth": 0, "automation": 2, "label": "Shop", "frame": [0.0, 0.0, 390.0, 844.0]},
        {"depth": 1, "automation": 49, "label": "Name \"ü\" 🎈\n", "value": "Anna", "id": "name", "frame": [10.0, 100.0, 200.0, 40.0]},
        {"depth": 1, "automation": 9, "label": "Pay", "traits": 0x101, "frame": [10.0, 700.5, 100.0, 44.0]},
    ]);
    fs::write(simulator.folder.path().join("tree.json"), tree.to_string()).unwrap();
    let snapshot = simulator.capture().await.unwrap();
    let nodes: Vec<_> = snapshot.nodes().collect();
    assert_eq!(nodes.len(), 3);
    assert_eq!(
        (nodes[1].role(), nodes[1].label()),
        (Role::TextField, Some("Name \"ü\" 🎈\n"))
    );
    assert_eq!(
        (nodes[1].value(), nodes[1].identifier()),
        (Some("Anna"), Some("name"))
    );
    assert_eq!(nodes[2].bounds(), Some(Rect::new(10.0, 700.5, 100.0, 44.0)));
    assert_eq!(
        snapshot.info().viewport,
        Some(Rect::new(0.0, 0.0, 390.0, 844.0))
    );
    assert!(snapshot.info().acquisition.is_some());
    assert!(
        snapshot
            .info()
            .lineage
            .as_deref()
            .is_some_and(|lineage| lineage.starts_with("SIM-1:dev.example.app:"))
    );
    // Both settings are on before the reader starts.
    let calls = simulator.folder.read("calls");
    let order: Vec<_> = calls
        .lines()
        .filter(|line| !line.ends_with("launchctl list"))
        .map(|line| line.split(' ').nth(3))
        .collect();
    assert_eq!(order[..2], [Some("defaults"), Some("defaults")], "{calls}");
    assert!(
        calls.contains("ApplicationAccessibilityEnabled -bool true")
            && calls.contains(" AccessibilityEnabled -bool true")
    );
}

#[tokio::test]
async fn one_connection_and_no_process_for_each_capture() {
    let simulator = simulator!("tree=wide:5", |_| ());
    for _ in 0..3 {
        assert_eq!(simulator.capture().await.unwrap().len(), 6);
    }
    assert_eq!(
        (
            simulator.logged("request"),
            simulator.calls(" serve "),
            simulator.calls("launchctl")
        ),
        (3, 1, 1)
    );
    // The peer serves one connection at a time, so a second one waits as long as the first is kept.
    let calls = simulator.folder.read("calls");
    let socket = calls
        .lines()
        .find_map(|line| line.split(" serve ").nth(1)?.split(' ').next())
        .unwrap();
    let mut second = UnixStream::connect(socket).unwrap();
    second
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    second.write_all(&[0, 0, 0, 2, b'{', b'}']).unwrap();
    let mut header = [0; 4];
    assert!(
        second.read_exact(&mut header).is_err(),
        "the connection was closed between captures"
    );
}

#[tokio::test]
async fn a_tree_that_is_refused_as_too_deep_is_read_in_parts() {
    let simulator = simulator!("tree=fan:31:3:14 reject-above=48", |_| ());
    let snapshot = simulator.capture().await.unwrap();
    assert_eq!(
        (snapshot.len(), snapshot.info().truncated),
        (31 + 3 * 14, false)
    );
    assert_eq!(
        simulator
            .folder
            .read("log")
            .lines()
            .filter(|line| *line == "read 65")
            .count(),
        1
    );
    let reads = simulator.logged("read");
    // The refusal is remembered: the next capture doesn't ask for it again.
    assert_eq!(simulator.capture().await.unwrap().len(), snapshot.len());
    assert_eq!(simulator.logged("read"), 2 * reads - 1);
    assert_eq!(
        simulator
            .folder
            .read("log")
            .lines()
            .filter(|line| *line == "read 65")
            .count(),
        1
    );
}

#[tokio::test]
async fn limits_make_a_tree_truncated() {
    for script in ["tree=chain:70", "tree=wide:6000"] {
        let simulator = simulator!(script, |_| ());
        let snapshot = simulator.capture().await.unwrap();
        assert!(
            snapshot.info().truncated && !snapshot.proves_absence(),
            "{script}"
        );
        assert!([65, 5000].contains(&snapshot.len()), "{script}");
    }
    let simulator = simulator!("tree=wide:400", |config| config.limits.reply_bytes = 5000);
    assert_eq!(simulator.reason().await, "response-too-large");
}

/// Every code of the table in the guest's source, so that a new one can't be forgotten here.
fn codes() -> Vec<String> {
    let source =
        fs::read_to_string(at_root("runner-swift/Sources/AXService/Failure.swift")).unwrap();
    let table = source
        .split("enum Code")
        .nth(1)
        .unwrap()
        .split("public var kind")
        .next()
        .unwrap();
    let quoted = table.lines().filter_map(|line| {
        line.trim()
            .strip_prefix("case ")?
            .split('"')
            .nth(1)
            .map(str::to_owned)
    });
    quoted.collect()
}

#[tokio::test]
async fn every_failure_of_the_guest_keeps_its_code_and_ends_the_source_for_this_process() {
    let codes = codes();
    assert_eq!(codes.len(), 23, "{codes:?}");
    for code in codes {
        // Two of them are waited out right after a launch; a short call keeps the test short.
        let simulator = simulator!(&format!("fail={code}"), |_| ());
        let call = Call::standalone(Duration::from_secs(30));
        let error = simulator
            .ax
            .capture(&CaptureOptions::default(), &call)
            .await
            .unwrap_err();
        assert_eq!(error.reason(), Some(code.as_str()));
        assert_ne!(
            error.details().get("kind").and_then(|kind| kind.as_str()),
            Some("Unknown"),
            "{code}"
        );
        let requests = simulator.logged("request");
        let polled = code.starts_with("foreground-owner")
            || code.starts_with("application-element")
            || code.starts_with("application-server");
        assert_eq!(requests > 1, polled, "{code}: {requests} requests");
        assert_eq!(simulator.reason().await, "ax-disabled", "{code}");
        assert_eq!(
            simulator.logged("request"),
            requests,
            "{code}: a disabled source asks nothing"
        );
    }
}

#[tokio::test]
async fn every_broken_reply_is_a_failure_of_its_own_kind() {
    for (fault, reason) in [
        ("wrong-protocol", "ax-identity-mismatch"),
        ("wrong-source", "ax-identity-mismatch"),
        ("wrong-request", "ax-identity-mismatch"),
        ("wrong-pid", "ax-identity-mismatch"),
        ("wrong-generation", "ax-identity-mismatch"),
        ("anonymous", "ax-identity-mismatch"),
        ("huge-length", "ax-too-large"),
        ("short-frame", "ax-connection-lost"),
        ("short-header", "ax-connection-lost"),
        ("die", "ax-connection-lost"),
        ("hang-up", "ax-connection-lost"),
        ("empty-frame", "ax-unreadable"),
        ("not-json", "ax-unreadable"),
        ("not-utf8", "ax-unreadable"),
        ("bottomless", "ax-unreadable"),
        ("hollow", "ax-unreadable"),
        ("overfull", "ax-unreadable"),
        ("unknown-failure", "never-seen"),
        ("silent", "deadline_exceeded"),
    ] {
        // The connection that the guest was found by is the first to be used: a fault on it may be asked again once.
        let script = format!("tree=wide:2 fault={fault}");
        let simulator = simulator!(&script, |config| config.limits.duration =
            Duration::from_millis(1500));
        assert_eq!(simulator.reason().await, reason, "{fault}");
        assert_eq!(simulator.reason().await, "ax-disabled", "{fault}");
    }
}

#[tokio::test]
async fn a_connection_that_ends_between_captures_is_opened_again() {
    let simulator = simulator!("tree=wide:2 fault=hang-up-after@1", |_| ());
    for _ in 0..2 {
        assert_eq!(simulator.capture().await.unwrap().len(), 3);
    }
    assert_eq!(
        (simulator.logged("request"), simulator.calls(" serve ")),
        (2, 1)
    );
}

#[tokio::test]
async fn a_slow_wire_is_no_failure() {
    let simulator = simulator!("tree=wide:20 fault=trickle", |_| ());
    assert_eq!(simulator.capture().await.unwrap().len(), 21);
}

#[tokio::test]
async fn an_app_that_never_answers_costs_the_guest_its_life_and_the_next_process_gets_a_new_one() {
    let mut old = App::start();
    let simulator = simulator!("tree=wide:2 hang=1", |config| config.limits.duration =
        Duration::from_secs(2));
    simulator.runs(old.0.id());
    let started = Instant::now();
    // The connection ends with the guest; whether before or after it is asked once more is chance.
    let reason = simulator.reason().await;
    assert!(
        ["ax-connection-lost", "ax-unreachable"].contains(&reason.as_str()),
        "{reason}"
    );
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(simulator.reason().await, "ax-disabled");
    let new = App::start();
    old.0.kill().unwrap();
    old.0.wait().unwrap();
    simulator.runs(new.0.id());
    simulator.script("tree=wide:4");
    assert_eq!(simulator.capture().await.unwrap().len(), 5);
    assert_eq!(simulator.calls(" serve "), 2);
}

#[tokio::test]
async fn an_app_that_is_being_launched_is_waited_for() {
    let simulator = simulator!("tree=wide:2 fail=application-element-missing:3", |_| ());
    assert_eq!(simulator.capture().await.unwrap().len(), 3);
    assert_eq!(simulator.logged("request"), 4);
    let behind = simulator!("tree=wide:2 owner=none", |_| ());
    let started = Instant::now();
    assert_eq!(behind.reason().await, "foreground-owner-unverified");
    assert!(
        (1..4).contains(&started.elapsed().as_secs()),
        "{:?}",
        started.elapsed()
    );
    let changes = simulator!("tree=wide:2 owner=changes", |_| ());
    assert!(changes.reason().await.starts_with("foreground-owner-"));
}

#[tokio::test]
async fn a_relaunch_is_noticed_without_being_told() {
    let (old, new) = (App::start(), App::start());
    let simulator = simulator!("tree=wide:2 owner=file:{}/front", |_| ());
    let front = |app: &App| {
        fs::write(
            simulator.folder.path().join("front"),
            app.0.id().to_string(),
        )
        .unwrap()
    };
    simulator.runs(old.0.id());
    front(&old);
    let before = simulator.capture().await.unwrap();
    front(&new);
    simulator.runs(new.0.id());
    let after = simulator.capture().await.unwrap();
    assert_ne!(before.info().lineage, after.info().lineage);
    assert_eq!(
        (simulator.calls("launchctl"), simulator.calls(" serve ")),
        (2, 1)
    );
    // Another app is in front, and the process is the same: that is no relaunch.
    front(&old);
    assert_eq!(simulator.reason().await, "foreground-owner-unverified");
    assert_eq!(simulator.reason().await, "ax-disabled");
    front(&new);
    simulator.ax.app_launched(APP);
    assert!(simulator.capture().await.is_ok());
}

#[tokio::test]
async fn a_page_of_another_process_is_left_to_another_source() {
    let simulator = simulator!("tree=file:{}/tree.json", |_| ());
    let tree = serde_json::json!([
        {"depth": 0, "automation": 2, "label": "Shop", "frame": [0.0, 0.0, 390.0, 844.0]},
        {"depth": 1, "base": "WKWebView", "frame": [0.0, 0.0, 390.0, 844.0]},
        {"depth": 2, "type": "AXRemoteElement", "frame": [0.0, 0.0, 390.0, 844.0]},
    ]);
    fs::write(simulator.folder.path().join("tree.json"), tree.to_string()).unwrap();
    assert_eq!(simulator.reason().await, "remote-content-boundary");
    assert_eq!(simulator.reason().await, "ax-disabled");
}

#[tokio::test]
async fn what_is_not_for_this_source_is_said_at_once() {
    let simulator = simulator!("tree=wide:2", |_| ());
    let raw = simulator
        .ax
        .capture(&CaptureOptions::raw(), &call())
        .await
        .unwrap_err();
    assert_eq!(raw.reason(), Some("ax-ineligible"));
    let nameless = SimulatorAx::new("SIM-1", None, simulator.config.clone());
    let error = nameless
        .capture(&CaptureOptions::default(), &call())
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some("ax-ineligible"));
    assert_eq!(
        simulator.folder.read("calls"),
        "",
        "nothing was started for it"
    );
    fs::write(simulator.folder.path().join("apps"), "").unwrap();
    assert_eq!(simulator.reason().await, "ax-app-not-running");
    simulator.runs(std::process::id());
    assert!(
        simulator.capture().await.is_ok(),
        "an app that did not run is no failure of the source"
    );
    let sparse = simulator!("tree=chain:1", |_| ());
    for _ in 0..2 {
        assert_eq!(sparse.reason().await, "capture_sparse");
    }
}

#[tokio::test]
async fn a_capture_that_is_given_up_leaves_the_source_usable() {
    let simulator = simulator!("tree=wide:2 slow=700", |_| ());
    assert!(simulator.capture().await.is_ok());
    let call = call();
    let cancel = call.cancel().clone();
    let stop = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    };
    let options = CaptureOptions::default();
    let (error, ()) = tokio::join!(simulator.ax.capture(&options, &call), stop);
    assert_eq!(error.unwrap_err().reason(), Some("request_canceled"));
    assert_eq!(
        simulator.capture().await.unwrap().len(),
        3,
        "the late reply is not taken for this one's"
    );
}

#[tokio::test]
async fn the_program_is_compiled_once_for_all() {
    let simulator = simulator!("tree=wide:2", |config| config.program = None);
    assert_eq!(simulator.capture().await.unwrap().len(), 3);
    assert_eq!(
        (simulator.calls(" clang "), simulator.calls(" swiftc ")),
        (1, 1)
    );
    let next = SimulatorAx::new("SIM-2", Some(APP.to_owned()), simulator.config.clone());
    assert_eq!(
        next.capture(&CaptureOptions::default(), &call())
            .await
            .unwrap()
            .len(),
        3
    );
    assert_eq!(
        (simulator.calls(" clang "), simulator.calls(" swiftc ")),
        (1, 1)
    );
    let kept: Vec<_> = fs::read_dir(simulator.folder.path().join("cache"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(kept[0].len(), 32);
}

#[tokio::test]
async fn a_preparation_that_fails_is_begun_again_after_a_while() {
    let simulator = simulator!("tree=wide:2", |config| {
        config.program = None;
        config.prepare_again_after = Duration::from_secs(3600);
    });
    fs::write(simulator.folder.path().join("broken-compiler"), "").unwrap();
    let error = simulator.capture().await.unwrap_err();
    assert_eq!(error.reason(), Some("ax-unprepared"));
    assert!(
        error.message().contains("no such thing"),
        "{}",
        error.message()
    );
    fs::remove_file(simulator.folder.path().join("broken-compiler")).unwrap();
    assert_eq!(simulator.reason().await, "ax-unprepared");
    assert_eq!(simulator.calls(" clang "), 1, "not again so soon");
    let mut config = simulator.config.clone();
    config.prepare_again_after = Duration::ZERO;
    fs::write(simulator.folder.path().join("broken-compiler"), "").unwrap();
    let eager = SimulatorAx::new("SIM-1", Some(APP.to_owned()), config);
    assert!(
        eager
            .capture(&CaptureOptions::default(), &call())
            .await
            .is_err()
    );
    fs::remove_file(simulator.folder.path().join("broken-compiler")).unwrap();
    assert_eq!(
        eager
            .capture(&CaptureOptions::default(), &call())
            .await
            .unwrap()
            .len(),
        3
    );
}

#[tokio::test]
async fn a_program_that_ends_or_is_late_is_no_reader() {
    let simulator = simulator!("tree=wide:2", |_| ());
    simulator.script("tree=nonsense");
    let error = simulator.capture().await.unwrap_err();
    assert_eq!(error.reason(), Some("ax-unprepared"));
    assert!(
        error.message().contains("64") && error.message().contains("no such tree"),
        "{}",
        error.message()
    );

    let late = Folder::new();
    late.script(
        "late",
        &format!("sleep 1; exec {} \"$@\"", peer().unwrap().display()),
    );
    let simulator = simulator!("tree=wide:2", |config| {
        config.program = Some(late.path().join("late"));
        config.first_wait = Duration::from_millis(100);
    });
    let started = Instant::now();
    assert_eq!(simulator.reason().await, "ax-preparing");
    assert!(started.elapsed() < Duration::from_millis(900));
    let ready = async {
        while simulator.capture().await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), ready)
        .await
        .unwrap();
    assert_eq!(
        simulator.calls(" serve "),
        1,
        "the preparation went on beside the captures"
    );
}

/// Another source, which always has a tree of one button.
struct Other;

#[async_trait]
impl SnapshotBackend for Other {
    async fn capture(&self, options: &CaptureOptions, _: &Call) -> Result<Snapshot> {
        let mut tree = SnapshotBuilder::new(options.clone());
        tree.root(Role::Button)
            .map_err(|error| {
                Error::new(
                    agent_device_core::ErrorCode::CommandFailed,
                    error.to_string(),
                )
            })?
            .text(TextField::Label, "Other");
        Ok(tree.finish(SnapshotInfo::new("other", Quality::healthy("tree"))))
    }
}

#[tokio::test]
async fn another_source_answers_where_this_one_fails_and_the_verdict_says_so() {
    let simulator = simulator!("tree=wide:2 fault=not-json@2", |_| ());
    let config = simulator.config.clone();
    let both = AxFirst::new(
        SimulatorAx::new("SIM-1", Some(APP.to_owned()), config),
        Other,
    );
    let options = CaptureOptions::default();
    assert_eq!(both.capture(&options, &call()).await.unwrap().len(), 3);
    for _ in 0..2 {
        let snapshot = both.capture(&options, &call()).await.unwrap();
        assert_eq!(snapshot.quality().state, QualityState::Recovered);
        assert_eq!(
            snapshot.quality().reason,
            Some(QualityReason::CaptureFailed)
        );
        assert_eq!(
            (snapshot.quality().source.as_ref(), snapshot.len()),
            ("tree", 1)
        );
    }
    let raw = both.capture(&CaptureOptions::raw(), &call()).await.unwrap();
    assert_eq!(
        raw.quality().state,
        QualityState::Healthy,
        "raw captures are the other source's own"
    );
    assert_eq!(simulator.logged("request"), 2);
}

#[tokio::test]
async fn a_tool_that_hangs_costs_its_time_once_and_not_in_every_capture() {
    let simulator = simulator!("tree=wide:2", |config| config.prepare_again_after =
        Duration::from_secs(7));
    let listing = XCRUN.replace("cat \"$here/apps\"", "exec sleep 600");
    simulator.folder.script("xcrun", &listing);
    let started = Instant::now();
    assert_eq!(simulator.reason().await, "ax-unprepared");
    assert!(started.elapsed() >= Duration::from_secs(4));
    let started = Instant::now();
    for _ in 0..3 {
        assert_eq!(simulator.reason().await, "ax-disabled");
    }
    assert!(started.elapsed() < Duration::from_secs(2));
    assert_eq!(simulator.calls("launchctl list"), 1);
    // It is asked again some time later.
    simulator.folder.script("xcrun", XCRUN);
    tokio::time::sleep(Duration::from_secs(7)).await;
    assert_eq!(simulator.capture().await.unwrap().len(), 3);
}

#[test]
fn the_guest_is_what_a_compiler_takes() {
    if peer().is_none() {
        return;
    }
    let output = Command::new(at_root("runner-swift/check-guest"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The whole way: the simulator's accessibility server is asked first, the runner acts and answers what the other one doesn't.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_device_reads_from_the_simulator_and_acts_through_the_runner() {
    let (Some(peer), Some(_)) = (peer(), Sim::start().await) else {
        return;
    };
    let tools = Tools::with_sim().await;
    let home = tools.folder.path().display().to_string();
    let app = App::start();
    tools.xcrun(&format!(
        "case \"$*\" in *' launchctl list') printf '{}\\t0\\tUIKitApplication:{FIXTURE}[a1][x]\\n' ;;\n\
         *' serve '*) shift 3; AX_PEER=\"log={home}/ax.log $(cat {home}/script)\" exec \"$@\" ;; esac",
        app.0.id()
    ));
    let script = |text: &str| fs::write(tools.folder.path().join("script"), text).unwrap();
    script(&format!("tree=file:{home}/tree.json"));
    let tree = serde_json::json!([
        {"depth": 0, "automation": 2, "label": "Shop", "frame": [0.0, 0.0, 400.0, 800.0]},
        {"depth": 1, "automation": 9, "label": "Count", "id": "counter", "frame": [16.0, 80.0, 368.0, 48.0]},
    ]);
    fs::write(tools.folder.path().join("tree.json"), tree.to_string()).unwrap();

    let mut config = tools.config();
    config.app = Some(FIXTURE.to_owned());
    let mut ax = AxConfig::default();
    ax.program = Some(peer);
    ax.first_wait = Duration::from_secs(20);
    config.simulator_ax = Some(ax);
    let apple = Arc::new(Apple::connect(tools.simulator(), config).await.unwrap());
    let control = tools.sim_control();
    control.ask("POST", "/reset?screen=counter").await;

    let device = Device::new(Arc::clone(&apple));
    let snapshot = device.snapshot().await.unwrap();
    assert_eq!(snapshot.quality().source, "simulator-ax");
    device.locate(label("Count")).press().await.unwrap();
    assert_eq!(control.taps("counter").await, 1, "at its point");
    assert_eq!(apple.captures(), 0, "the runner was asked for no tree");

    // Opened anew, the app is another process, of which nothing is known.
    device.open_app(FIXTURE).await.unwrap();
    let options = CaptureOptions {
        raw: true,
        ..CaptureOptions::default()
    };
    let raw = apple.capture(&options, &call()).await.unwrap();
    assert_eq!(raw.quality().source, "tree", "a raw tree is XCTest's own");
    assert_eq!(apple.captures(), 1);
    apple.close().await;
}

/// A simulator with both sources, and a runner that records a failure for each tap. `tapped` is told the folder of the tools.
async fn with_recorded_failures(
    tapped: impl Fn(&Path) + Send + Sync + 'static,
) -> Option<(Arc<Apple>, Scripted, Tools, App)> {
    let peer = peer()?;
    let folder = Arc::<OnceLock<PathBuf>>::default();
    let runner = Scripted::start({
        let folder = Arc::clone(&folder);
        move |command, _, _| {
            (command == "tap").then(|| {
                tapped(folder.get().unwrap());
                Act::Reply(failed("XCTEST_RECORDED_FAILURE"))
            })
        }
    })
    .await;
    let tools = Tools::new(&says_port(runner.address.port()));
    folder.set(tools.folder.path().to_owned()).unwrap();
    let home = tools.folder.path().display().to_string();
    let app = App::start();
    // A guest that ends is started again in its place, with the tree of then.
    tools.xcrun(&format!(
        "case \"$*\" in *' launchctl list') printf '{}\\t0\\tUIKitApplication:{FIXTURE}[a1][x]\\n' ;;\n\
         *' serve '*) shift 3; export AX_PEER=\"tree=file:{home}/tree.json\"\n\
         while :; do rm -f \"$3\"; \"$@\" & echo $! > {home}/guest; wait $!; done ;; esac",
        app.0.id()
    ));
    show(tools.folder.path(), "Count");
    let mut config = tools.config();
    config.app = Some(FIXTURE.to_owned());
    let mut ax = AxConfig::default();
    ax.program = Some(peer);
    ax.first_wait = Duration::from_secs(20);
    config.simulator_ax = Some(ax);
    let apple = Apple::connect(tools.simulator(), config).await.unwrap();
    Some((Arc::new(apple), runner, tools, app))
}

/// The app shows a button with this label.
fn show(folder: &Path, label: &str) {
    let tree = serde_json::json!([
        {"depth": 0, "automation": 2, "label": "Shop", "frame": [0.0, 0.0, 400.0, 800.0]},
        {"depth": 1, "automation": 9, "label": label, "id": "counter", "frame": [16.0, 80.0, 368.0, 48.0]},
    ]);
    fs::write(folder.join("tree.json"), tree.to_string()).unwrap();
}

/// The same, from now on.
fn show_now(folder: &Path, label: &str) {
    show(folder, label);
    let guest = || fs::read_to_string(folder.join("guest")).unwrap();
    let old = guest();
    let pid = rustix::process::Pid::from_raw(old.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let calls = fs::read_to_string(folder.join("calls")).unwrap();
    let socket = calls
        .lines()
        .find_map(|line| line.split(" serve ").nth(1)?.split(' ').next())
        .unwrap();
    for _ in 0..500 {
        if guest() != old && UnixStream::connect(socket).is_ok() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no guest took the place of the one that ended");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recorded_failure_is_judged_by_the_source_that_showed_the_screen() {
    let changes = with_recorded_failures(|folder| show_now(folder, "Count 1")).await;
    let Some((apple, runner, _tools, _app)) = changes else {
        return;
    };
    let device = Device::new(Arc::clone(&apple));
    let outcome = device.locate(id("counter")).press().await.unwrap();
    assert!(
        format!("{outcome:?}").contains("recorded a failure"),
        "{outcome:?}"
    );
    // The runner was told what is meant, and asked for no tree.
    assert_eq!(runner.requests("tap")[0]["selectorValue"], "counter");
    assert!(runner.requests("snapshot").is_empty());
    apple.close().await;

    let stays = with_recorded_failures(|folder| show_now(folder, "Count")).await;
    let Some((apple, runner, _tools, _app)) = stays else {
        return;
    };
    let device = Device::new(Arc::clone(&apple));
    let error = device.locate(id("counter")).press().await.unwrap_err();
    assert_eq!(
        (error.reason(), error.dispatched().as_str()),
        (Some("xctest_recorded_failure"), "unknown")
    );
    assert_eq!(runner.requests("tap").len(), 1);
    apple.close().await;
}
