//! The helper app in this crate, and how it gets onto a device.

use agent_device_core::{Call, Error, ErrorCode, Result};

use crate::{
    adb::{AdbDevice, ShellCommand},
    config::HelperInstall,
};

/// What is installed.
const APK: &[u8] = include_bytes!("../../../helper-apk/dist/helper.apk");
const VERSION_CODE: u64 = 1000;
pub(super) const PACKAGE: &str = "dev.agentdevice.helper";
pub(super) const RUNNER: &str = "dev.agentdevice.helper/.HelperInstrumentation";
const PUSHED: &str = "/data/local/tmp/agent-device-helper.apk";

/// What the device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Installed {
    Missing,
    Version(u64),
    /// The same version, with a content that is this, another, or not readable.
    SameVersion {
        content: Option<bool>,
    },
}

/// Whether to install, by what the device has.
fn wanted(policy: HelperInstall, installed: Installed) -> bool {
    match (policy, installed) {
        (HelperInstall::Never, _) => false,
        (HelperInstall::Always, _) | (_, Installed::Missing) => true,
        // A newer one belongs to somebody who needs it.
        (_, Installed::Version(version)) => version < VERSION_CODE,
        (_, Installed::SameVersion { content }) => content != Some(true),
    }
}

/// Puts the helper on the device if it is not there. `true` when it was installed now.
pub(super) async fn ensure(device: &AdbDevice, policy: HelperInstall, call: &Call) -> Result<bool> {
    if policy == HelperInstall::Never {
        return Ok(false);
    }
    let installed = installed(device, call).await?;
    if !wanted(policy, installed) {
        return Ok(false);
    }
    tracing::debug!(name: "agent_device.android.helper_install", ?installed, "installing the helper");
    install(device, call).await?;
    Ok(true)
}

async fn installed(device: &AdbDevice, call: &Call) -> Result<Installed> {
    let list = ShellCommand::new("cmd")?.args([
        "package",
        "list",
        "packages",
        "--show-versioncode",
        PACKAGE,
    ])?;
    let output = device.shell(&list, call).await?.checked(&list)?;
    Ok(match version(&output.stdout_text(), PACKAGE) {
        None => Installed::Missing,
        Some(VERSION_CODE) => Installed::SameVersion {
            content: same_content(device, call).await,
        },
        Some(other) => Installed::Version(other),
    })
}

/// The version of exactly this package: others may start with its name. 0 when it is listed without one.
fn version(listed: &str, package: &str) -> Option<u64> {
    listed.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        if words.next()?.strip_prefix("package:")? != package {
            return None;
        }
        let code = words.find_map(|word| word.strip_prefix("versionCode:"));
        Some(code.and_then(|code| code.parse().ok()).unwrap_or(0))
    })
}

async fn same_content(device: &AdbDevice, call: &Call) -> Option<bool> {
    let path = ShellCommand::new("pm").ok()?.args(["path", PACKAGE]).ok()?;
    let output = device.shell(&path, call).await.ok()?;
    let text = output.stdout_text();
    let path = text
        .lines()
        .find_map(|line| line.strip_prefix("package:"))?;
    let there = device.pull(path.trim(), call).await.ok()?;
    Some(there == APK)
}

async fn install(device: &AdbDevice, call: &Call) -> Result<()> {
    device.push(APK, PUSHED, 0o644, call).await?;
    let result = match pm_install(device, call).await {
        // Signed by another key. It is the helper and nobody's app, so it may go.
        Err(error) if error.reason() == Some("install_update_incompatible") => {
            let uninstall = ShellCommand::new("pm")?.args(["uninstall", PACKAGE])?;
            let gone = device.shell(&uninstall, call).await?;
            let again = pm_install(device, call).await;
            again.map_err(|error| {
                error.with_detail("uninstallOutput", gone.stdout_text().into_owned())
            })
        }
        other => other,
    };
    let remove = ShellCommand::new("rm")?.args(["-f", PUSHED])?;
    // A file that is left behind harms nobody.
    let _ = device.shell(&remove, call).await;
    result.map_err(|error| {
        error
            .with_detail("androidSnapshotHelperInstallFailure", true)
            .with_hint(
                "Some devices ask on their screen before the first install: look at it, allow it, and repeat.",
            )
    })
}

async fn pm_install(device: &AdbDevice, call: &Call) -> Result<()> {
    let install = ShellCommand::new("pm")?.args(["install", "-r", PUSHED])?;
    let output = device.shell(&install, call).await?.checked(&install)?;
    // Old package managers fail with code 0.
    if output.stdout_text().contains("Success") {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::CommandFailed,
        "the device did not install the helper",
    )
    .with_detail(
        "stdout",
        output.stdout_text().chars().take(2000).collect::<String>(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_those_of_the_app() {
        let manifest = include_str!("../../../helper-apk/dist/helper.manifest.json");
        for line in [
            format!("\"versionCode\": {VERSION_CODE},"),
            format!("\"packageName\": \"{PACKAGE}\","),
            format!("\"instrumentationRunner\": \"{RUNNER}\","),
        ] {
            assert!(manifest.contains(&line), "{line}");
        }
    }

    #[test]
    fn the_table_of_installs_holds() {
        let older = Installed::Version(VERSION_CODE - 1);
        let newer = Installed::Version(VERSION_CODE + 1);
        let same = |content| Installed::SameVersion { content };
        for (installed, install) in [
            (Installed::Missing, true),
            (older, true),
            (newer, false),
            (same(Some(true)), false),
            (same(Some(false)), true),
            (same(None), true),
        ] {
            let policy = HelperInstall::MissingOrOutdated;
            assert_eq!(wanted(policy, installed), install, "{installed:?}");
            assert!(wanted(HelperInstall::Always, installed));
            assert!(!wanted(HelperInstall::Never, installed));
        }
    }

    #[test]
    fn a_package_is_found_by_its_whole_name() {
        let listed = "package:dev.agentdevice.helper.more versionCode:7\r\npackage:dev.agentdevice.helper versionCode:12\r\n";
        assert_eq!(version(listed, PACKAGE), Some(12));
        assert_eq!(
            version("package:dev.agentdevice.helper\n", PACKAGE),
            Some(0)
        );
        assert_eq!(version("", PACKAGE), None);
    }
}
