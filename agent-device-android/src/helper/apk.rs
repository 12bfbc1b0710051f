//! The apps that this crate brings along, and whether a device needs them.

use std::time::Duration;

use agent_device_core::{Call, Result};

use crate::{
    adb::{AdbDevice, ShellCommand},
    config::HelperInstall,
    install::{self, InstallFailure, InstallOptions},
};

/// An app of our own.
#[derive(Debug)]
pub(crate) struct Bundle {
    pub(crate) package: &'static str,
    version_code: u64,
    apk: &'static [u8],
}

pub(crate) static HELPER: Bundle = Bundle {
    package: "dev.agentdevice.helper",
    version_code: 1000,
    apk: include_bytes!("../../../helper-apk/dist/helper.apk"),
};
pub(crate) static KEYBOARD: Bundle = Bundle {
    package: "dev.agentdevice.ime",
    version_code: 1000,
    apk: include_bytes!("../../../helper-apk/dist/ime.apk"),
};
pub(super) const RUNNER: &str = "dev.agentdevice.helper/.HelperInstrumentation";

/// How long a device may take to say which version it has, and to hand it out.
const ASKING: Duration = Duration::from_secs(5);
const COMPARING: Duration = Duration::from_secs(10);

/// What the device has of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Installed {
    Missing,
    Version(u64),
    /// The same version, with a content that is this, another, or not readable.
    SameVersion {
        content: Option<bool>,
    },
}

/// What is done about it, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Install(&'static str),
    Keep(&'static str),
}

/// The table of installs: by the policy, and by what the device has.
fn decide(policy: HelperInstall, wanted: u64, installed: Installed) -> Decision {
    use Decision::{Install, Keep};
    match (policy, installed) {
        (HelperInstall::Never, _) => Keep("skipped"),
        (HelperInstall::Always, _) => Install("forced"),
        (_, Installed::Missing) => Install("missing"),
        (_, Installed::Version(version)) if version < wanted => Install("outdated"),
        // A newer one belongs to somebody who needs it.
        (_, Installed::Version(_)) => Keep("current"),
        (_, Installed::SameVersion { content }) => match content {
            Some(true) => Keep("current"),
            Some(false) => Install("mismatched"),
            None => Install("unverifiable"),
        },
    }
}

impl Bundle {
    /// Puts the app on the device if it is not there.
    pub(crate) async fn ensure(
        &self,
        device: &AdbDevice,
        policy: HelperInstall,
        call: &Call,
    ) -> Result<Decision> {
        let installed = match policy {
            HelperInstall::MissingOrOutdated => self.installed(device, call).await?,
            // It is not asked for.
            _ => Installed::Missing,
        };
        let decision = decide(policy, self.version_code, installed);
        if let Decision::Install(reason) = decision {
            tracing::debug!(name: "agent_device.android.install", package = self.package, reason, "installing an app of our own");
            self.install(device, call).await?;
        }
        Ok(decision)
    }

    async fn installed(&self, device: &AdbDevice, call: &Call) -> Result<Installed> {
        Ok(match self.version_on(device, call).await? {
            None => Installed::Missing,
            Some(version) if version == self.version_code => Installed::SameVersion {
                content: self.same_content(device, call).await,
            },
            Some(other) => Installed::Version(other),
        })
    }

    async fn version_on(&self, device: &AdbDevice, call: &Call) -> Result<Option<u64>> {
        let list = ShellCommand::new("cmd")?.args([
            "package",
            "list",
            "packages",
            "--show-versioncode",
            self.package,
        ])?;
        let call = &call.at_most(ASKING);
        let output = device.shell(&list, call).await?;
        if output.code == 0 {
            return Ok(listed_version(&output.stdout_text(), self.package));
        }
        // Android 6 has no `cmd`, and Android 7 doesn't know the option.
        let dump = ShellCommand::new("dumpsys")?.args(["package", self.package])?;
        let output = device.shell(&dump, call).await?.checked(&dump)?;
        Ok(dumped_version(&output.stdout_text(), self.package))
    }

    /// `None`, too, when it takes long: an install then costs no more.
    async fn same_content(&self, device: &AdbDevice, call: &Call) -> Option<bool> {
        let call = &call.at_most(COMPARING);
        let path = ShellCommand::new("pm")
            .and_then(|pm| pm.args(["path", self.package]))
            .ok()?;
        let output = device.shell(&path, call).await.ok()?;
        let text = output.stdout_text();
        let path = text
            .lines()
            .find_map(|line| line.strip_prefix("package:"))?;
        let path = path.trim();
        // Any app may have the name: how large it is costs nothing to ask, and no more is read than ours has.
        let size = device.stat(path, call).await.ok()??.size;
        if u32::try_from(self.apk.len()) != Ok(size) {
            return Some(false);
        }
        let there = device.pull_up_to(self.apk.len(), path, call).await.ok()?;
        Some(there == self.apk)
    }

    async fn install(&self, device: &AdbDevice, call: &Call) -> Result<()> {
        let options = InstallOptions {
            timeout: call.remaining(),
            ..InstallOptions::default()
        };
        let size = self.apk.len() as u64;
        let once = || install::install(device, self.apk, size, &options, call);
        let result = match once().await {
            // Signed by another key. It is ours and nobody's app, so it may go.
            Err(error)
                if InstallFailure::of(&error) == Some(InstallFailure::UpdateIncompatible) =>
            {
                let gone = install::uninstall(device, self.package, call).await;
                let again = once().await;
                again.map_err(|error| match gone {
                    Ok(()) => error,
                    Err(gone) => error.with_detail("uninstall", gone.to_string()),
                })
            }
            other => other,
        };
        result
            .map(drop)
            .map_err(|error| error.with_detail("androidHelperInstallFailure", self.package))
    }
}

/// The version of exactly this package: others may start with its name. 0 when it is listed without one.
fn listed_version(listed: &str, package: &str) -> Option<u64> {
    listed.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        if words.next()?.strip_prefix("package:")? != package {
            return None;
        }
        let code = words.find_map(|word| word.strip_prefix("versionCode:"));
        Some(code.and_then(|code| code.parse().ok()).unwrap_or(0))
    })
}

/// The same from the package manager's dump.
fn dumped_version(dump: &str, package: &str) -> Option<u64> {
    let head = format!("Package [{package}]");
    let own = dump.lines().skip_while(|line| !line.contains(&head));
    let mut words = own.flat_map(str::split_whitespace);
    words.find_map(|word| word.strip_prefix("versionCode=")?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_those_of_the_apps() {
        for (bundle, manifest) in [
            (
                &HELPER,
                include_str!("../../../helper-apk/dist/helper.manifest.json"),
            ),
            (
                &KEYBOARD,
                include_str!("../../../helper-apk/dist/ime.manifest.json"),
            ),
        ] {
            let manifest: serde_json::Value = serde_json::from_str(manifest).unwrap();
            assert_eq!(manifest["packageName"], bundle.package);
            assert_eq!(manifest["versionCode"], bundle.version_code);
        }
        let manifest = include_str!("../../../helper-apk/dist/helper.manifest.json");
        assert!(manifest.contains(&format!("\"instrumentationRunner\": \"{RUNNER}\"")));
    }

    #[test]
    fn the_table_of_installs_holds() {
        use Decision::{Install, Keep};
        let same = |content| Installed::SameVersion { content };
        for (installed, decision) in [
            (Installed::Missing, Install("missing")),
            (Installed::Version(999), Install("outdated")),
            (Installed::Version(0), Install("outdated")),
            (Installed::Version(1001), Keep("current")),
            (same(Some(true)), Keep("current")),
            (same(Some(false)), Install("mismatched")),
            (same(None), Install("unverifiable")),
        ] {
            let decided = |policy| decide(policy, 1000, installed);
            assert_eq!(
                decided(HelperInstall::MissingOrOutdated),
                decision,
                "{installed:?}"
            );
            assert_eq!(decided(HelperInstall::Always), Install("forced"));
            assert_eq!(decided(HelperInstall::Never), Keep("skipped"));
        }
    }

    #[test]
    fn a_package_is_found_by_its_whole_name() {
        let package = HELPER.package;
        let listed = "package:dev.agentdevice.helper.more versionCode:7\r\npackage:dev.agentdevice.helper versionCode:12\r\n";
        assert_eq!(listed_version(listed, package), Some(12));
        assert_eq!(
            listed_version("package:dev.agentdevice.helper\n", package),
            Some(0)
        );
        assert_eq!(listed_version("", package), None);
        let dump = "Packages:\n  Package [dev.agentdevice.helper.more] (1):\n    versionCode=7 minSdk=23\n  \
                    Package [dev.agentdevice.helper] (2):\n    userId=10001\n    versionCode=12 minSdk=23 targetSdk=36\n";
        assert_eq!(dumped_version(dump, package), Some(12));
        assert_eq!(dumped_version("Packages:\n", package), None);
    }
}
