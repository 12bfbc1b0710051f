//! `cargo xtask demo`, `cargo xtask test`, `cargo xtask ci`: set up what can be set up, then run.

#![allow(
    clippy::disallowed_methods,
    reason = "this is the process module of a command line tool that waits for what it starts"
)]

mod apple;
mod peer;
mod script;

use peer::{ADB, CHROMIUM, DEBOOTSTRAP};
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

const USAGE: &str = "\
cargo xtask demo [sim|chromium]   the quickstart on the simulated device, or on Chromium
cargo xtask demo android [--serial SERIAL]
                                  the same on a device of the testbed, or on the phone or emulator with this serial number
cargo xtask demo apple [--udid UDID]
                                  the same on the simulated runner, or on a booted simulator of this Mac
cargo xtask apple verify [--udid UDID]
                                  proves on a Mac what no other machine can, and prints a report to attach
cargo xtask test                  everything that can be tested on this machine
cargo xtask ci                    format, lints, docs and tests, with every peer required, and a soak of 10 000 sequences
cargo xtask bench                 what a capture costs";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["demo"] => demo("sim"),
        ["demo", "android"] => on_testbed_device(),
        ["demo", "android", "--serial", serial] => quickstart(&format!("android:{serial}")),
        ["demo", "apple"] => apple::demo(),
        ["demo", "apple", "--udid", udid] => apple::demo_on(udid),
        ["demo", device] => demo(device),
        ["apple", "verify"] => apple::verify(None),
        ["apple", "verify", "--udid", udid] => apple::verify(Some(udid)),
        ["test"] => test(),
        ["ci"] => ci(),
        ["bench"] => bench(),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn demo(device: &str) -> Result<(), String> {
    match device {
        "sim" => {}
        "chromium" => CHROMIUM.provide()?,
        other => return Err(format!("there is no demo on {other:?}\n{USAGE}")),
    }
    quickstart(device)
}

/// Brings a device of the testbed up, and an adb server of its own, and takes both down again.
fn on_testbed_device() -> Result<(), String> {
    ADB.provide()?;
    let script = root().join("testbed/android/device");
    let name = format!("demo-{}", std::process::id());
    let up = Command::new(&script)
        .args(["up", "--name", &name])
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| format!("{} can't be started: {error}", script.display()))?;
    let said = String::from_utf8_lossy(&up.stdout);
    let address = said
        .split_once("\"address\":\"")
        .and_then(|(_, rest)| rest.split('"').next())
        .ok_or("the testbed's device did not start; it needs root on Linux")?;
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .map_err(|error| error.to_string())?
        .port()
        .to_string();
    // A server of its own: that of the user must not learn of this device.
    let shown = run(Command::new(cargo_path())
        .args(QUICKSTART)
        .arg(format!("android:{address}"))
        .env("ANDROID_ADB_SERVER_PORT", &port)
        .env_remove("ADB_SERVER_SOCKET"));
    let ended = run(Command::new("adb").args(["-P", &port, "kill-server"]));
    let down = run(Command::new(&script).args(["down", "--name", &name]));
    shown.and(ended).and(down)
}

const QUICKSTART: [&str; 8] = [
    "run",
    "--quiet",
    "--package",
    "agent-device-examples",
    "--bin",
    "quickstart",
    "--",
    "--device",
];

fn quickstart(device: &str) -> Result<(), String> {
    eprintln!("building what is new, which takes minutes the first time");
    cargo(&[&QUICKSTART[..], &[device]].concat())
}

fn test() -> Result<(), String> {
    for peer in [CHROMIUM, ADB, DEBOOTSTRAP] {
        if let Err(how) = peer.provide() {
            peer::skip(how)?;
        }
    }
    cargo(&["test", "--workspace", "--all-features"])?;
    quickstart("sim")?;
    if CHROMIUM.is_here() {
        quickstart("chromium")?;
    }
    // Only what can't start here is skipped; a demo that starts and fails is a failure.
    if peer::is_root() && cfg!(target_os = "linux") && ADB.is_here() {
        on_testbed_device()?;
    } else {
        peer::skip("the demo on the testbed's device needs root on Linux, and adb".into())?;
    }
    if peer::is_root() && DEBOOTSTRAP.is_here() {
        apple::demo()?;
    } else {
        peer::skip("the demo on the simulated runner needs root on Debian".into())?;
    }
    script::run_all()
}

fn ci() -> Result<(), String> {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--",
        "--deny",
        "warnings",
    ])?;
    run(Command::new(cargo_path())
        .args(["doc", "--workspace", "--all-features", "--no-deps"])
        .env("RUSTDOCFLAGS", "--deny warnings"))?;
    run(Command::new(cargo_path())
        .args(["xtask", "test"])
        .env("AGENT_DEVICE_REQUIRE_PEERS", "all"))?;
    soak()
}

/// Random sequences of commands and faults against the simulated runner, by themselves: they leave nothing else to be timed.
fn soak() -> Result<(), String> {
    const SOAK: &str = "AGENT_DEVICE_SOAK";
    let count = env::var(SOAK).unwrap_or_else(|_| "10000".to_owned());
    let target = ["test", "--workspace", "--all-features", "--test", "apple"];
    run(Command::new(cargo_path())
        .args(target)
        .args(["soak", "--", "--nocapture"])
        .env(SOAK, count)
        .env("AGENT_DEVICE_REQUIRE_PEERS", "all"))
}

fn bench() -> Result<(), String> {
    CHROMIUM.provide()?;
    cargo(&["bench", "--package", "agent-device-benches"])?;
    script::walk_speed()
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    run(Command::new(cargo_path()).args(arguments))
}

fn cargo_path() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn run(command: &mut Command) -> Result<(), String> {
    command.current_dir(root());
    eprintln!("> {command:?}");
    let status = command
        .status()
        .map_err(|error| format!("{command:?} can't be started: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?} failed: {status}"))
    }
}
