//! What is installed, and which of it a name means.

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    dispatch::rows::{android_adb, android_helper},
};

use super::{Entry, check_package};
use crate::{
    adb::{AdbDevice, ShellCommand, ShellOutput},
    error::LISTED,
};

/// Which apps are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AppKind {
    /// All of them.
    #[default]
    All,
    /// Those that somebody has installed.
    Installed,
    /// Those that came with the device.
    System,
}

pub(super) async fn list(device: &AdbDevice, kind: AppKind, call: &Call) -> Result<Vec<String>> {
    let mut command = ShellCommand::new("pm")?.args(["list", "packages"])?;
    match kind {
        AppKind::All => {}
        AppKind::Installed => command = command.arg("-3")?,
        AppKind::System => command = command.arg("-s")?,
    }
    let output = device.shell(&command, call).await?.checked(&command)?;
    Ok(parse(&output.stdout_text()))
}

fn parse(listed: &str) -> Vec<String> {
    let packages = listed.lines().filter_map(|line| {
        let package = line.trim().strip_prefix("package:")?;
        check_package(package).is_ok().then(|| package.to_owned())
    });
    let mut packages: Vec<String> = packages.collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

/// The package that a name means: itself if it is one that is installed, else the only one that it is a part of.
pub(super) async fn resolve(device: &AdbDevice, name: &str, call: &Call) -> Result<String> {
    match Entry::parse(name)? {
        Entry::Package(package) if is_installed(device, package, call).await? => {
            Ok(package.to_owned())
        }
        Entry::Package(_) | Entry::Part(_) => {
            let all = list(device, AppKind::All, call).await?;
            pick(name, &all)
        }
        Entry::Activity { .. } | Entry::Settings => Err(Error::invalid(
            "app",
            "a package or a part of its name is wanted here",
        )),
    }
}

fn pick(name: &str, all: &[String]) -> Result<String> {
    // A whole name that is not installed is nobody's part by chance: it is a mistake, which must not open another app.
    let part = matches!(Entry::parse(name), Ok(Entry::Part(_)));
    let lower = name.to_ascii_lowercase();
    let fits = |package: &&String| part && package.to_ascii_lowercase().contains(&lower);
    let fitting: Vec<&String> = all.iter().filter(fits).collect();
    match fitting[..] {
        [one] => Ok(one.clone()),
        [] => {
            let near = all
                .iter()
                .filter(|package| {
                    package
                        .split('.')
                        .any(|word| lower.split('.').any(|own| own == word && own.len() > 3))
                })
                .take(LISTED);
            Err(not_installed(name).with_detail("candidates", near.collect::<Vec<_>>()))
        }
        _ => Err(Error::refused(
            android_adb::APP_NOT_FOUND,
            ErrorCode::AmbiguousMatch,
            format!("{} apps have {name:?} in their name", fitting.len()),
        )
        .with_reason("android_app_ambiguous")
        .with_hint("Name one of details.candidates.")
        .with_detail("app", name)
        .with_detail(
            "candidates",
            fitting.iter().take(LISTED).collect::<Vec<_>>(),
        )),
    }
}

fn not_installed(name: &str) -> Error {
    Error::refused(
        android_helper::APP_NOT_INSTALLED,
        ErrorCode::AppNotInstalled,
        "the app is not installed on the device",
    )
    .with_detail("app", name)
}

pub(super) async fn is_installed(device: &AdbDevice, package: &str, call: &Call) -> Result<bool> {
    let command = ShellCommand::new("pm")?.args(["path", package])?;
    let output = device.shell(&command, call).await?;
    has_path(&output).ok_or_else(|| {
        crate::install::refused(
            "the device does not tell whether the app is installed",
            &output,
        )
    })
}

/// Whether the package manager named a path. It ends with 0 or 1 and says nothing of an app that it does not know: anything
/// else, such as its own death, tells neither.
fn has_path(output: &ShellOutput) -> Option<bool> {
    let (out, err) = (output.stdout_text(), output.stderr_text());
    let mut lines = out.lines().chain(err.lines()).map(str::trim);
    if lines.clone().any(|line| line.starts_with("package:")) {
        return Some(true);
    }
    let silent = lines.all(|line| line.is_empty() || line.starts_with("WARNING:"));
    (silent && matches!(output.code, 0 | 1)).then_some(false)
}

/// Fails unless the package manager knows the app. Only a read is sent.
pub(super) async fn installed(device: &AdbDevice, package: &str, call: &Call) -> Result<()> {
    if is_installed(device, package, call).await? {
        Ok(())
    } else {
        Err(not_installed(package))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_holds_packages_only() {
        let listed = "package:com.b\r\npackage:com.a\npackage:com.a\nWARNING: linker: x\npackage:not one\npackage:android\n";
        assert_eq!(parse(listed), ["android", "com.a", "com.b"]);
    }

    #[test]
    fn only_a_package_manager_that_ended_in_good_order_knows_no_such_app() {
        for (stdout, stderr, code, wanted) in [
            ("package:/data/app/x/base.apk\n", "", 0, Some(true)),
            ("", "", 1, Some(false)),
            ("", "", 0, Some(false)),
            ("WARNING: linker: x\n", "", 1, Some(false)),
            ("", "Killed\n", 137, None),
            ("", "", 137, None),
            ("", "cmd: Can't find service: package\n", 20, None),
            (
                "",
                "Error: Could not access the Package Manager.\n",
                1,
                None,
            ),
            (
                "Failure calling service package: Broken pipe\n",
                "",
                1,
                None,
            ),
        ] {
            let mut output = ShellOutput::default();
            output.stdout = stdout.into();
            output.stderr = stderr.into();
            output.code = code;
            assert_eq!(has_path(&output), wanted, "{stdout}{stderr}{code}");
        }
    }

    #[test]
    fn a_part_of_a_name_must_mean_one_app() {
        let all = ["com.shop.app", "com.shop.admin", "org.clock"].map(str::to_owned);
        assert_eq!(pick("clock", &all).unwrap(), "org.clock");
        assert_eq!(pick("ADMIN", &all).unwrap(), "com.shop.admin");
        let error = pick("shop", &all).unwrap_err();
        assert_eq!(error.code(), ErrorCode::AmbiguousMatch);
        assert_eq!(
            error
                .detail("candidates")
                .unwrap()
                .as_array()
                .unwrap()
                .len(),
            2
        );
        assert!(error.dispatched().is_no());
        for absent in ["mail", "com.shop.ap", "shop.app"] {
            let error = pick(absent, &all).unwrap_err();
            assert_eq!(error.code(), ErrorCode::AppNotInstalled, "{absent}");
            assert!(error.dispatched().is_no());
        }
        let near = pick("com.shop.ap", &all).unwrap_err();
        assert_eq!(
            near.detail("candidates").unwrap().as_array().unwrap().len(),
            2
        );
    }
}
