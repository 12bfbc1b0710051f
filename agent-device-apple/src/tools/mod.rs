//! Xcode's tools: what they are called with, and what they answer.

mod app_info;
mod build;
mod devicectl;
mod fingerprint;
mod installed;
mod list;
mod lock;
mod process;
mod running;
mod simctl;
mod startup;
mod toolchain;
mod xcodebuild;
mod xctestrun;

use std::{
    fs, io,
    io::Read as _,
    path::{Path, PathBuf},
};

pub(crate) use build::{Build, BuildFailure, BuildSettings, PATCHED};
pub(crate) use devicectl::Devicectl;
pub(crate) use installed::InstalledApp;
pub(crate) use list::{PhysicalDevice, Simulator, devices, simulators};
pub(crate) use lock::try_lock;
pub(crate) use process::{Nearest, Patience, Tool, ToolFailure, ToolPath};
pub(crate) use running::{OnLine, Running, Signal, identity, signal_group, start_time};
pub(crate) use simctl::{Simctl, Start, ended};
pub(crate) use startup::{Cause, cause_in};
pub(crate) use toolchain::Toolchain;
pub(crate) use xcodebuild::launch_tool;
pub(crate) use xctestrun::Unusable;

/// What the fuzzer reads with.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn fuzz(output: &[u8]) {
    list::fuzz(output);
    installed::fuzz(output);
    app_info::fuzz(output);
    devicectl::fuzz(output);
    let mut lines = running::Lines::default();
    for piece in output.chunks(7) {
        lines.push(piece, |line| drop(cause_in(line)));
    }
    lines.finish(|line| drop(cause_in(line)));
    drop(xctestrun::XcTestRun::parse(
        &output[..output.len().min(16 << 10)],
    ));
}

/// The largest file that a tool writes and this crate reads.
const MAX_FILE: u64 = 16 << 20;

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(path, MAX_FILE)
}

/// All of a file, or nothing of one that is larger.
fn read_at_most(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path)?;
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(read).unwrap_or(u64::MAX) > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// A folder of our own for files that tools write. Removed when dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn scratch(name: &str) -> io::Result<Scratch> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    for _ in 0..100 {
        let path = std::env::temp_dir().join(format!("agent-device-{name}-{}", word()));
        match builder.create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|()| Scratch(path)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A word that nobody guesses.
pub(crate) fn word() -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    format!(
        "{:016x}",
        std::hash::RandomState::new().build_hasher().finish()
    )
}
