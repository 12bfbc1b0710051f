//! `cargo xtask demo`, `cargo xtask test`, `cargo xtask ci`: set up what can be set up, then run.

#![allow(
    clippy::disallowed_methods,
    reason = "this is the process module of a command line tool that waits for what it starts"
)]

mod peer;
mod script;

use peer::{ADB, CHROMIUM};
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

const USAGE: &str = "\
cargo xtask demo [sim|chromium]   the quickstart on the simulated device, or on Chromium
cargo xtask test                  everything that can be tested on this machine
cargo xtask ci                    format, lints, docs and tests, with every peer required
cargo xtask bench                 what a capture costs";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["demo"] => demo("sim"),
        ["demo", device] => demo(device),
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

fn quickstart(device: &str) -> Result<(), String> {
    cargo(&[
        "run",
        "--quiet",
        "--package",
        "agent-device-examples",
        "--bin",
        "quickstart",
        "--",
        "--device",
        device,
    ])
}

fn test() -> Result<(), String> {
    for peer in [CHROMIUM, ADB] {
        if let Err(how) = peer.provide() {
            peer::skip(how)?;
        }
    }
    cargo(&["test", "--workspace", "--all-features"])?;
    quickstart("sim")?;
    if CHROMIUM.is_here() {
        quickstart("chromium")?;
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
        .env("AGENT_DEVICE_REQUIRE_PEERS", "all"))
}

fn bench() -> Result<(), String> {
    CHROMIUM.provide()?;
    cargo(&["bench", "--package", "agent-device-benches"])
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    run(Command::new(cargo_path()).args(arguments))
}

fn cargo_path() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

fn run(command: &mut Command) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    if let Some(root) = root {
        command.current_dir(root);
    }
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
