//! What tests run: the simulated runner, stand-ins for Xcode's tools, and helpers for all of them.

use std::{
    fs,
    net::SocketAddr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Stdio,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use agent_device_apple::{Apple, AppleConfig, AppleTarget, Platform, Profile};
use agent_device_core::{
    Call,
    action::{Action, Touch},
    geometry::Point,
};
use agent_device_testbed::control;
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

/// Says that a peer is missing. Fails where every peer is required.
pub(crate) fn skip(peer: &str, how: &str) {
    println!("skipped: {peer}: {how}");
    let required = std::env::var("AGENT_DEVICE_REQUIRE_PEERS").is_ok_and(|peers| peers == "all");
    assert!(!required, "the peer {peer} is required: {how}");
}

/// A file of the project.
pub(crate) fn at_root(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(path)
}

pub(crate) fn call() -> Call {
    Call::standalone(Duration::from_secs(30))
}

pub(crate) fn tap_at(x: f64, y: f64) -> Action {
    Action::Tap(Touch {
        point: Point::new(x, y),
        target: None,
    })
}

/// A folder that goes with the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("apple-test-{}-{count}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// One that is there already.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn script(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A configuration whose waits are short.
pub(crate) fn fast() -> AppleConfig {
    let mut config = AppleConfig::default();
    config.preflight_timeout = Duration::from_millis(300);
    config.status_timeout = Duration::from_millis(500);
    config
}

/// A device behind a runner that runs already.
pub(crate) fn attached(address: SocketAddr, config: AppleConfig) -> Apple {
    Apple::new(
        AppleTarget::Runner {
            profile: Profile::IOS_SIMULATOR,
            address,
        },
        config,
    )
}

// --- the simulated runner -------------------------------------------------------------------------------------------------

/// The program of the simulated runner. `AGENT_DEVICE_RUNNER_SIM` names one that is built already.
pub(crate) fn runner_sim() -> PathBuf {
    std::env::var_os("AGENT_DEVICE_RUNNER_SIM")
        .map_or_else(|| at_root("runner-swift/runner-sim"), PathBuf::from)
}

/// A running simulated runner, and the way to its app beside it.
pub(crate) struct Sim {
    /// Its input is held here too: it does not outlive the process of the test.
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) control: Control,
}

impl Sim {
    pub(crate) async fn start() -> Option<Self> {
        Self::of("iOS").await
    }

    /// The runner on this platform, by the word that the program takes.
    pub(crate) async fn of(platform: &str) -> Option<Self> {
        let how = "root on Debian: runner-swift/runner-sim provides Swift and builds it";
        let child = Command::new(runner_sim())
            .args(["--until-stdin-ends", platform])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn();
        let Ok(mut child) = child else {
            skip("runner-sim", how);
            return None;
        };
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let ports = async {
            let (mut runner, mut control) = (None, None);
            while let Ok(Some(line)) = lines.next_line().await {
                let port = |mark: &str| line.rsplit_once(mark)?.1.trim().parse::<u16>().ok();
                control = control.or(port("AGENT_DEVICE_RUNNER_SIM_CONTROL_PORT="));
                runner = runner.or(port("AGENT_DEVICE_RUNNER_PORT="));
                if let (Some(runner), Some(control)) = (runner, control) {
                    return Some((runner, control));
                }
            }
            None
        };
        // The first start builds it.
        let found = tokio::time::timeout(Duration::from_secs(1500), ports).await;
        let Ok(Some((runner, control))) = found else {
            skip("runner-sim", how);
            return None;
        };
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Some(Self {
            child,
            address: local(runner),
            control: Control::at(control),
        })
    }
}

/// The control port of a simulated runner, which answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Control(pub(crate) control::Control);

impl Control {
    pub(crate) fn at(port: u16) -> Self {
        Self(control::Control(local(port)))
    }

    pub(crate) async fn ask(&self, method: &str, path: &str) -> Value {
        self.0.ask(method, path).await.unwrap()
    }

    /// The events of the app since it was last reset.
    pub(crate) async fn events(&self) -> Vec<Value> {
        self.0.events().await.unwrap()
    }

    /// How often an element was tapped.
    pub(crate) async fn taps(&self, element: &str) -> usize {
        self.0.taps(element).await.unwrap()
    }
}

pub(crate) fn local(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

// --- stand-ins for Xcode's tools --------------------------------------------------------------------------------------------

/// A folder with `xcrun` and `xcodebuild`, and a project to build.
///
/// The answers have the form of the real tools: `xcodebuild -version` as in Apple's TN2339, `simctl list devices -j` and the other
/// subcommands as in `simctl help`, the xctestrun file as in `man xcodebuild.xctestrun`. None of them is a recording of a Mac:
/// they are written after those documents, and lines of output after public reports that are named where they are used. What has
/// no such name is our own guess at the tool's words. `runner` is what a launch runs.
pub(crate) struct Tools {
    pub(crate) folder: Folder,
    /// What a simulated runner ends with.
    pub(crate) leash: Option<fs::File>,
}

pub(crate) const UDID: &str = "6A8A2F7C-0D3B-4C55-9D3E-111111111111";

const XCODEBUILD: &str = r#"
here=$(dirname "$0")
echo "xcodebuild $*" >> "$here/calls"
case "$1" in
-version) printf 'Xcode 16.2\nBuild version 16C5032a\n' ;;
build-for-testing)
    [ -f "$here/build-output" ] && { cat "$here/build-output"; exit 65; }
    while [ $# -gt 0 ]; do [ "$1" = -derivedDataPath ] && derived=$2; shift; done
    mkdir -p "$derived/Build/Products/Debug-iphonesimulator/AgentDeviceRunnerUITests-Runner.app"
    cat > "$derived/Build/Products/AgentDeviceRunner_iphonesimulator18.2-arm64.xctestrun" <<'PLIST'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>TestConfigurations</key><array><dict><key>Name</key><string>Test Scheme Action</string>
<key>TestTargets</key><array><dict><key>BlueprintName</key><string>AgentDeviceRunnerUITests</string>
<key>TestBundlePath</key><string>__TESTHOST__/PlugIns/AgentDeviceRunnerUITests.xctest</string>
<key>TestHostPath</key><string>__TESTROOT__/Debug-iphonesimulator/AgentDeviceRunnerUITests-Runner.app</string>
</dict></array></dict></array></dict></plist>
PLIST
    [ ! -f "$here/slow-build" ] || sleep 1
    ;;
test-without-building)
    while [ $# -gt 0 ]; do [ "$1" = -xctestrun ] && file=$2; shift; done
    value() { tr -d '\n\t' < "$file" | sed "s/.*<key>$1<\/key>[ ]*<string>\([^<]*\)<.*/\1/"; }
    AGENT_DEVICE_RUNNER_PORT=$(value AGENT_DEVICE_RUNNER_PORT)
    AGENT_DEVICE_RUNNER_TOKEN=$(value AGENT_DEVICE_RUNNER_TOKEN)
    export AGENT_DEVICE_RUNNER_PORT AGENT_DEVICE_RUNNER_TOKEN
    . "$here/runner"
    ;;
esac
"#;

const XCRUN: &str = r#"
here=$(dirname "$0")
echo "xcrun $*" >> "$here/calls"
case "$*" in
*--show-sdk-version) echo 18.2 ;;
*--show-sdk-build-version) echo 22C146 ;;
"simctl list devices -j"|"simctl --set "*" list devices -j") cat "$here/devices.json" ;;
*) if [ -f "$here/xcrun-more" ]; then . "$here/xcrun-more"; fi ;;
esac
"#;

/// What `simctl launch` says of an app that the simulator's system does not know, as Flutter's users report it.
pub(crate) const UNKNOWN_APP: &str = r#"cat >&2 <<'END'
An error was encountered processing the command (domain=FBSOpenApplicationServiceErrorDomain, code=1):
The request to open "com.example.app" failed.
The request was denied by service delegate (SBMainWorkspace) for reason: NotFound ("Application "com.example.app" is unknown to FrontBoard").
Underlying error (domain=FBSOpenApplicationErrorDomain, code=4):
	The operation couldn’t be completed. Application "com.example.app" is unknown to FrontBoard.
END
exit 4"#;

impl Tools {
    /// `runner`: the end of a shell script that becomes the runner.
    pub(crate) fn new(runner: &str) -> Self {
        let folder = Folder::new();
        folder.script("xcodebuild", XCODEBUILD);
        folder.script("xcrun", XCRUN);
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("runner", runner);
        write(
            "devices.json",
            &format!(
                r#"{{"devices":{{"com.apple.CoreSimulator.SimRuntime.iOS-18-2":[{{"lastBootedAt":"2026-01-01T00:00:00Z","dataPath":"/x","logPath":"/y","udid":"{UDID}","isAvailable":true,"deviceTypeIdentifier":"com.apple.CoreSimulator.SimDeviceType.iPhone-16","state":"Booted","name":"iPhone 16"}}]}}}}"#
            ),
        );
        fs::create_dir_all(folder.path().join("src/Runner.xcodeproj")).unwrap();
        write("src/a.swift", "// the runner");
        Self {
            folder,
            leash: None,
        }
    }

    /// The runner is a simulated one, which does not outlive the process of the test: it reads from a pipe that is open here.
    pub(crate) async fn with_sim() -> Self {
        let mut tools = Self::new(&format!(
            "exec {} --until-stdin-ends < \"$here/leash\" 2> \"$here/sim.log\"",
            runner_sim().display()
        ));
        let pipe = tools.folder.path().join("leash");
        let made = Command::new("mkfifo").arg(&pipe).status().await.unwrap();
        assert!(made.success());
        // For both, so that it does not wait for the other end.
        let end = fs::File::options().read(true).write(true).open(pipe);
        tools.leash = Some(end.unwrap());
        tools
    }

    /// The app beside the simulated runner that was started last.
    pub(crate) fn sim_control(&self) -> Control {
        let log = self.folder.read("sim.log");
        let port = log
            .lines()
            .rev()
            .find_map(|line| line.rsplit_once("SIM_CONTROL_PORT=")?.1.trim().parse().ok());
        Control::at(port.unwrap())
    }

    /// What further subcommands of `xcrun` do.
    pub(crate) fn xcrun(&self, script: &str) {
        fs::write(self.folder.path().join("xcrun-more"), script).unwrap();
    }

    /// An app that is installed: its `Info.plist`, with the keys of Apple's reference, and a tool that reads it.
    pub(crate) fn app(&self, name: &str, scheme: &str) {
        let info = format!(
            "<plist version=\"1.0\"><dict><key>CFBundleName</key><string>{name}</string><key>CFBundleURLTypes</key><array><dict>\
             <key>CFBundleURLSchemes</key><array><string>{scheme}</string></array></dict></array></dict></plist>"
        );
        fs::write(self.folder.path().join("Info.plist"), info).unwrap();
        self.plutil();
        self.xcrun("case $2 in get_app_container) echo \"$here\";; esac");
    }

    pub(crate) fn plutil(&self) {
        let plutil = at_root("testbed/apple/standins/plutil");
        self.folder
            .script("plutil", &format!("exec {} \"$@\"", plutil.display()));
    }

    pub(crate) fn config(&self) -> AppleConfig {
        let mut config = fast();
        let system = std::env::var_os("PATH").unwrap_or_default();
        let folders = [self.folder.path().to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&system));
        config.tool_path = Some(std::env::join_paths(folders).unwrap());
        config.home = Some(self.folder.path().join("home"));
        config.runner.project = Some(self.folder.path().join("src/Runner.xcodeproj"));
        config
    }

    pub(crate) fn simulator(&self) -> AppleTarget {
        AppleTarget::Simulator {
            platform: Platform::Ios,
            udid: UDID.to_owned(),
        }
    }

    pub(crate) fn calls(&self) -> String {
        self.folder.read("calls")
    }

    /// The note beside the lease of a device.
    pub(crate) fn lease(&self, udid: &str) -> Value {
        let text = self.folder.read(&format!("home/leases/{udid}.json"));
        serde_json::from_str(&text).unwrap_or_default()
    }
}

/// A runner that says the port of another one and stays.
pub(crate) fn says_port(port: u16) -> String {
    format!(
        "echo '2026-11-30 10:00:00.000 Runner[1:2] AGENT_DEVICE_RUNNER_PORT={port}'; exec sleep 600"
    )
}
