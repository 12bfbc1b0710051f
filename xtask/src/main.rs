//! `cargo xtask demo`, `cargo xtask test`, `cargo xtask ci`: set up what can be set up, then run.

#![allow(
    clippy::disallowed_methods,
    reason = "this is the process module of a command line tool that waits for what it starts"
)]

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
            if peers_required() {
                return Err(how);
            }
            eprintln!("skipped: {how}");
        }
    }
    cargo(&["test", "--workspace", "--all-features"])?;
    quickstart("sim")?;
    if CHROMIUM.is_here() {
        quickstart("chromium")?;
    }
    Ok(())
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

fn peers_required() -> bool {
    env::var("AGENT_DEVICE_REQUIRE_PEERS").is_ok_and(|peers| peers == "all")
}

/// Programs that tests run against, and the Debian packages that have them.
struct Peer {
    name: &'static str,
    /// Of each group one program must be on the path.
    programs: &'static [&'static [&'static str]],
    packages: &'static [&'static str],
}

const CHROMIUM: Peer = Peer {
    name: "chromium",
    programs: &[&["chromedriver"], &["chromium", "google-chrome"]],
    packages: &["chromium", "chromium-driver"],
};

const ADB: Peer = Peer {
    name: "adb",
    programs: &[&["adb"]],
    packages: &["adb"],
};

impl Peer {
    fn is_here(&self) -> bool {
        self.programs
            .iter()
            .all(|group| group.iter().any(|name| on_path(name)))
    }

    /// Makes sure that it is there: installs Debian's packages as root, says how otherwise.
    fn provide(&self) -> Result<(), String> {
        if self.is_here() {
            return Ok(());
        }
        let how = format!("{}: apt-get install {}", self.name, self.packages.join(" "));
        if !on_path("apt-get") || !is_root() {
            return Err(format!("{how} (as root)"));
        }
        eprintln!("installing {}", self.packages.join(", "));
        let apt = |arguments: &[&str]| {
            run(Command::new("apt-get")
                .args(arguments)
                .env("DEBIAN_FRONTEND", "noninteractive")
                .stdout(std::process::Stdio::null()))
        };
        apt(&["update", "--quiet"])?;
        let install = ["install", "--yes", "--quiet", "--no-install-recommends"];
        apt(&[&install, self.packages].concat())?;
        if self.is_here() { Ok(()) } else { Err(how) }
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn on_path(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
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
