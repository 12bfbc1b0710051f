//! Tests that are scripts of their own: what runs on devices, the testbed, and others' releases as peers.

use std::{path::Path, process::Command, time::Instant};

use crate::peer::{self, ADB, DEBOOTSTRAP, NPM, PIP, Peer, SCRIPTING};

/// A script that exits with 0 if what it tests holds, and with [`UNAVAILABLE`] if it can't get what it needs.
struct Script {
    path: &'static str,
    arguments: &'static [&'static str],
    peers: &'static [Peer],
    /// What it needs root for.
    root_for: Option<&'static str>,
}

/// `EX_UNAVAILABLE` of sysexits.h.
const UNAVAILABLE: i32 = 69;

const DEVICE: Option<&str> = Some("a device of the testbed");
const SWIFT: Option<&str> = Some("Debian's Swift");

const ALL: [Script; 9] = [
    Script {
        path: "helper-apk/test",
        arguments: &[],
        peers: &[],
        root_for: None,
    },
    Script {
        path: "helper-apk/build",
        arguments: &["--check"],
        peers: &[],
        root_for: None,
    },
    Script {
        path: "testbed/android/selftest",
        arguments: &[],
        peers: &[ADB, NPM, SCRIPTING],
        root_for: DEVICE,
    },
    Script {
        path: "testbed/reference/host-takes-our-helper",
        arguments: &[],
        peers: &[ADB, NPM, SCRIPTING],
        root_for: DEVICE,
    },
    Script {
        path: "runner-swift/check-project",
        arguments: &[],
        peers: &[PIP],
        root_for: None,
    },
    Script {
        path: "runner-swift/test",
        arguments: &[],
        peers: &[DEBOOTSTRAP],
        root_for: SWIFT,
    },
    Script {
        path: "runner-swift/check-guest",
        arguments: &[],
        peers: &[DEBOOTSTRAP],
        root_for: SWIFT,
    },
    Script {
        path: "runner-swift/check-xctest",
        arguments: &[],
        peers: &[DEBOOTSTRAP],
        root_for: SWIFT,
    },
    Script {
        path: "testbed/apple/reference-host",
        arguments: &[],
        peers: &[DEBOOTSTRAP, NPM, SCRIPTING],
        root_for: SWIFT,
    },
];

/// A measurement, not a test: on a busy machine it may miss its mark.
const WALK_SPEED: Script = Script {
    path: "testbed/reference/walk-speed",
    arguments: &[],
    peers: &[ADB, NPM, SCRIPTING],
    root_for: DEVICE,
};

/// Compares the helper's walk with another's on one device.
pub(crate) fn walk_speed() -> Result<(), String> {
    WALK_SPEED.run()
}

/// Runs them one after the other: they measure time, and devices are large.
pub(crate) fn run_all() -> Result<(), String> {
    ALL.iter().try_for_each(Script::run)
}

impl Script {
    fn run(&self) -> Result<(), String> {
        let missing = self.peers.iter().find_map(|peer| peer.provide().err());
        let rootless = self.root_for.filter(|_| !peer::is_root());
        let rootless = rootless.map(|what| format!("{what}: root on Linux"));
        if let Some(how) = missing.or(rootless) {
            return peer::skip(format!("{}: {how}", self.path));
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let began = Instant::now();
        eprintln!("> {} {}", self.path, self.arguments.join(" "));
        let status = Command::new(root.join(self.path))
            .args(self.arguments)
            .status()
            .map_err(|error| format!("{} can't be started: {error}", self.path))?;
        eprintln!("{} took {} s", self.path, began.elapsed().as_secs());
        match status.code() {
            Some(0) => Ok(()),
            Some(UNAVAILABLE) => {
                peer::skip(format!("{}: it says above what is missing", self.path))
            }
            _ => Err(format!("{} failed: {status}", self.path)),
        }
    }
}
