//! Getting an app onto a device: as a stream where its package manager takes one, else as a file.
//!
//! What may not be here: which app, and whether it is wanted.

mod failure;

use std::time::Duration;

use agent_device_core::{
    Call, Error, ErrorCode, Result, dispatch::rows::android_adb as rows, last_work,
};
use tokio::io::AsyncRead;

use crate::{
    adb::{AdbDevice, ShellCommand, ShellOutput},
    helper::LAST_WORDS,
};

pub use failure::InstallFailure;
pub(crate) use failure::printed;

/// How an app is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstallOptions {
    /// Whether an older version may replace a newer one; Android allows it for debuggable apps only.
    pub downgrade: bool,
    /// Whether all permissions are granted that it asks for at run time.
    pub grant: bool,
    /// Whether an app that is marked as for tests only is taken. True by default: builds of IDEs are.
    pub test_only: bool,
    /// How long it may take: 5 min. Some devices hold an install until somebody confirms it on their screen.
    pub timeout: Duration,
}

impl Default for InstallOptions {
    fn default() -> Self {
        Self {
            downgrade: false,
            grant: false,
            test_only: true,
            timeout: Duration::from_secs(300),
        }
    }
}

impl InstallOptions {
    fn words(&self) -> Vec<&'static str> {
        [
            // Since Android 11 the default: an installed one is replaced, and keeps its data.
            (true, "-r"),
            (self.downgrade, "-d"),
            (self.grant, "-g"),
            (self.test_only, "-t"),
        ]
        .iter()
        .filter_map(|(wanted, word)| wanted.then_some(*word))
        .collect()
    }
}

/// How an app got onto the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstallMethod {
    /// As a stream into the package manager: Android 7 and later.
    Streamed,
    /// As a file that was pushed first.
    Pushed,
}

/// Installs an app of `size` bytes. What `data` yields is read once.
pub(crate) async fn install(
    device: &AdbDevice,
    mut data: impl AsyncRead + Send + Unpin,
    size: u64,
    options: &InstallOptions,
    call: &Call,
) -> Result<InstallMethod> {
    let limit = options.timeout;
    let work = async {
        if may_stream(device, call).await? {
            let command = ShellCommand::new("cmd")?
                .args(["package", "install"])?
                .args(options.words())?
                .args(["-S", &size.to_string()])?;
            let output = device.shell_with_reader(&command, &mut data, call).await?;
            succeeded(&output)?;
            return Ok(InstallMethod::Streamed);
        }
        let file = PushedFile::new(device);
        device.push(&mut data, &file.path, 0o644, call).await?;
        let command = ShellCommand::new("pm")?
            .arg("install")?
            .args(options.words())?
            .arg(&file.path)?;
        let output = device.shell(&command, call).await?;
        file.remove().await;
        succeeded(&output)?;
        Ok(InstallMethod::Pushed)
    };
    match tokio::time::timeout(limit, work).await {
        Ok(result) => result.map_err(held),
        Err(_) => Err(held(
            Error::new(
                ErrorCode::CommandFailed,
                format!("the install did not end within {limit:?}"),
            )
            .uncertain(rows::TIMEOUT_AFTER_REQUEST)
            .with_reason(agent_device_core::reason::DEADLINE_EXCEEDED),
        )),
    }
}

/// A device's package manager takes a stream since it has `cmd`; its input comes through only with `shell_v2`.
async fn may_stream(device: &AdbDevice, call: &Call) -> Result<bool> {
    let features = device.features(call).await?;
    Ok(features.has("cmd") && features.has("shell_v2"))
}

/// A file on the device that goes with its owner, however the install ends: an app is large, and nobody else removes it.
struct PushedFile<'a> {
    device: &'a AdbDevice,
    path: String,
    removed: bool,
}

impl<'a> PushedFile<'a> {
    fn new(device: &'a AdbDevice) -> Self {
        Self {
            device,
            // A name that no other run uses at the same time.
            path: format!("/data/local/tmp/agent-device-{}.apk", crate::word::word()),
            removed: false,
        }
    }

    async fn remove(mut self) {
        self.removed = remove(self.device, &self.path).await;
    }
}

impl Drop for PushedFile<'_> {
    fn drop(&mut self) {
        if self.removed {
            return;
        }
        let (device, path) = (self.device.clone(), self.path.clone());
        last_work(
            "android-remove",
            LAST_WORDS,
            move || async move { remove(&device, &path).await },
            || {
                tracing::debug!(name: "agent_device.android.file_left", "a file stays on the device");
            },
        );
    }
}

async fn remove(device: &AdbDevice, path: &str) -> bool {
    let call = Call::standalone(LAST_WORDS);
    let Ok(remove) = ShellCommand::new("rm").and_then(|rm| rm.args(["-f", path])) else {
        return false;
    };
    let output = device.shell(&remove, &call).await;
    output.is_ok_and(|output| output.code == 0)
}

/// An install that hangs looks like a broken connection, and is a question on the screen more often.
fn held(error: Error) -> Error {
    if error.reason() == Some(agent_device_core::reason::DEADLINE_EXCEEDED) {
        error.with_hint(
            "Look at the device's screen: some devices hold an install until somebody confirms it there (OPPO, OnePlus, realme, vivo, \
             Xiaomi). Confirm it, or switch the question off in the developer options, and repeat.",
        )
    } else {
        error
    }
}

/// Whether the package manager did it. Old ones fail with exit code 0, so that only their word counts.
pub(crate) fn says_success(output: &ShellOutput) -> bool {
    let out = output.stdout_text();
    output.code == 0 && out.lines().any(|line| line.trim() == "Success")
}

fn succeeded(output: &ShellOutput) -> Result<()> {
    if says_success(output) {
        return Ok(());
    }
    let said = format!("{}\n{}", output.stdout_text(), output.stderr_text());
    let error = Error::new(
        ErrorCode::CommandFailed,
        "the device did not install the app",
    )
    .uncertain(rows::PACKAGE_MANAGER_REFUSED)
    .with_detail("printed", crate::error::shown(said.trim()))
    .with_detail("exitCode", output.code);
    Err(match printed(&said) {
        Some(printed) => {
            let error = error
                .with_reason(printed.reason)
                .with_detail("installFailure", printed.name)
                .with_detail("adbFailure", printed.class());
            match printed.hint {
                Some(hint) => error.with_hint(hint),
                None => error,
            }
        }
        None => error.with_reason("install_failed"),
    })
}

/// Uninstalls an app.
pub(crate) async fn uninstall(device: &AdbDevice, package: &str, call: &Call) -> Result<()> {
    let command = ShellCommand::new("pm")?.args(["uninstall", package])?;
    let output = device.shell(&command, call).await?;
    if says_success(&output) {
        return Ok(());
    }
    Err(refused("the device did not uninstall the app", &output))
}

/// The package manager did not do what it was asked.
pub(crate) fn refused(message: &'static str, output: &ShellOutput) -> Error {
    let said = format!("{}\n{}", output.stdout_text(), output.stderr_text());
    Error::new(ErrorCode::CommandFailed, message)
        .uncertain(rows::PACKAGE_MANAGER_REFUSED)
        .with_reason("package_manager_refused")
        .with_detail("printed", crate::error::shown(said.trim()))
        .with_detail("exitCode", output.code)
}
