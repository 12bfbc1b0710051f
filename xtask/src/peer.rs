//! What tests run against: programs from Debian's packages, installed when they are missing.

use std::{
    env,
    process::{Command, Stdio},
};

use crate::run;

/// Programs that tests run against, and the Debian packages that have them.
pub(crate) struct Peer {
    name: &'static str,
    /// Of each group one program must be on the path.
    programs: &'static [&'static [&'static str]],
    packages: &'static [&'static str],
}

pub(crate) const CHROMIUM: Peer = Peer {
    name: "chromium",
    programs: &[&["chromedriver"], &["chromium", "google-chrome"]],
    packages: &["chromium", "chromium-driver"],
};

pub(crate) const ADB: Peer = Peer {
    name: "adb",
    programs: &[&["adb"]],
    packages: &["adb"],
};

/// Fetches the released packages of others.
pub(crate) const NPM: Peer = Peer {
    name: "npm",
    programs: &[&["npm"]],
    packages: &["npm"],
};

/// Builds the root that Swift runs in.
pub(crate) const DEBOOTSTRAP: Peer = Peer {
    name: "debootstrap",
    programs: &[&["debootstrap"]],
    packages: &["debootstrap"],
};

/// Fetches the parser of Xcode projects.
pub(crate) const PIP: Peer = Peer {
    name: "pip",
    programs: &[&["pip3"]],
    packages: &["python3-pip"],
};

/// What the scripts beside the crates are written with.
pub(crate) const SCRIPTING: Peer = Peer {
    name: "scripting tools",
    programs: &[&["python3"], &["file"]],
    packages: &["python3-minimal", "file"],
};

impl Peer {
    pub(crate) fn is_here(&self) -> bool {
        self.programs
            .iter()
            .all(|group| group.iter().any(|name| on_path(name)))
    }

    /// Makes sure that it is there: installs Debian's packages as root, says how otherwise.
    pub(crate) fn provide(&self) -> Result<(), String> {
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
                .stdout(Stdio::null()))
        };
        apt(&["update", "--quiet"])?;
        let install = ["install", "--yes", "--quiet", "--no-install-recommends"];
        apt(&[&install, self.packages].concat())?;
        if self.is_here() { Ok(()) } else { Err(how) }
    }
}

/// Whether a missing peer is a failure.
pub(crate) fn required() -> bool {
    env::var("AGENT_DEVICE_REQUIRE_PEERS").is_ok_and(|peers| peers == "all")
}

/// A peer is missing: fails where all are required, else says how to get it.
pub(crate) fn skip(how: String) -> Result<(), String> {
    if required() {
        return Err(how);
    }
    eprintln!("skipped: {how}");
    Ok(())
}

pub(crate) fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

pub(crate) fn on_path(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}
