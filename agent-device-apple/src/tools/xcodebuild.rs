//! The command lines of xcodebuild: one builds the runner, one runs it.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    time::Duration,
};

use super::{Tool, build::BuildSettings};
use crate::profile::{Kind, Platform, Profile};

fn words<A: AsRef<OsStr>>(words: impl IntoIterator<Item = A>) -> Vec<OsString> {
    words
        .into_iter()
        .map(|word| word.as_ref().to_owned())
        .collect()
}

fn one_destination(profile: Profile) -> &'static str {
    match profile.kind {
        Kind::Simulator => "-maximum-concurrent-test-simulator-destinations",
        Kind::Device | Kind::Mac => "-maximum-concurrent-test-device-destinations",
    }
}

/// The call that builds the runner.
pub(super) fn build_tool(settings: &BuildSettings, project: &Path, derived: &Path) -> Tool {
    let (profile, runner) = (settings.profile, &settings.runner);
    let destination = match profile.platform {
        Platform::MacOs => mac_destination(),
        _ => format!("generic/platform={}", profile.destination()),
    };
    let mut arguments = words(["build-for-testing", "-project"]);
    arguments.push(project.into());
    arguments.extend(words([
        "-scheme",
        &runner.scheme,
        "-parallel-testing-enabled",
        "NO",
        one_destination(profile),
        "1",
        "-destination",
    ]));
    arguments.push(destination.into());
    arguments.push("-derivedDataPath".into());
    arguments.push(derived.into());
    arguments.extend(words([
        // Shorter builds, and no libraries that only previews need.
        "COMPILER_INDEX_STORE_ENABLE=NO",
        "ENABLE_CODE_COVERAGE=NO",
        "ONLY_ACTIVE_ARCH=YES",
        "ENABLE_PREVIEWS=NO",
        "ENABLE_DEBUG_DYLIB=NO",
        // A sandbox within a sandbox is refused: without these, builds fail within one.
        "-IDEPackageSupportDisableManifestSandbox=1",
        "-IDEPackageSupportDisablePluginExecutionSandbox=1",
        "ENABLE_USER_SCRIPT_SANDBOXING=NO",
        if runner.failure_injection {
            "OTHER_SWIFT_FLAGS=$(inherited) -disable-sandbox -D AGENT_DEVICE_RUNNER_UNIT_TESTS"
        } else {
            "OTHER_SWIFT_FLAGS=$(inherited) -disable-sandbox"
        },
    ]));
    let mut set = |key: &str, value: &Option<String>| {
        if let Some(value) = value {
            arguments.push(format!("{key}={value}").into());
        }
    };
    set("AGENT_DEVICE_IOS_RUNNER_APP_BUNDLE_ID", &runner.app_bundle);
    set(
        "AGENT_DEVICE_IOS_RUNNER_TEST_BUNDLE_ID",
        &runner.test_bundle,
    );
    match profile.kind {
        Kind::Simulator => {}
        Kind::Device => {
            set("DEVELOPMENT_TEAM", &runner.team);
            set("CODE_SIGN_IDENTITY", &runner.identity);
            set("PROVISIONING_PROFILE_SPECIFIER", &runner.profile);
            let style = if runner.profile.is_some() {
                "Manual"
            } else {
                "Automatic"
            };
            set("CODE_SIGN_STYLE", &Some(style.to_owned()));
            arguments.push("-allowProvisioningUpdates".into());
        }
        // Signed ad hoc: that needs no team.
        Kind::Mac => arguments.extend(words([
            "CODE_SIGN_STYLE=Manual",
            "CODE_SIGN_IDENTITY=-",
            "DEVELOPMENT_TEAM=",
        ])),
    }
    Tool::new("xcodebuild", settings.limit).args(arguments)
}

fn mac_destination() -> String {
    let arch = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "x86_64"
    };
    format!("platform=macOS,arch={arch}")
}

/// The call that runs the runner until it is told to end.
pub(crate) fn launch_tool(
    profile: Profile,
    scheme: &str,
    udid: &str,
    set: Option<&Path>,
    xctestrun: &Path,
    derived: &Path,
) -> Tool {
    let destination = match profile.platform {
        Platform::MacOs => mac_destination(),
        _ => format!("platform={},id={udid}", profile.destination()),
    };
    let mut arguments = words(["test-without-building", "-only-testing"]);
    arguments.push(format!("{scheme}UITests/RunnerTests/testCommand").into());
    arguments.extend(words([
        "-parallel-testing-enabled",
        "NO",
        // The one test lasts as long as the runner.
        "-test-timeouts-enabled",
        "NO",
        // Collecting holds the end up for many seconds.
        "-collect-test-diagnostics",
        "never",
        one_destination(profile),
        "1",
        "-destination-timeout",
        "20",
        "-xctestrun",
    ]));
    arguments.push(xctestrun.into());
    arguments.push("-derivedDataPath".into());
    arguments.push(derived.into());
    arguments.push("-destination".into());
    arguments.push(destination.into());
    if let Some(set) = set {
        // One word: as two, the tool does not take it.
        let mut word = OsString::from("-DVTSimulatorSetLocation=");
        word.push(set);
        arguments.push(word);
    }
    Tool::new("xcodebuild", Duration::MAX).args(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::build::tests::settings;

    fn text(tool: &Tool) -> String {
        tool.arguments
            .iter()
            .map(|word| word.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn command_lines_name_the_device_and_how_it_is_signed() {
        let root = Path::new("/r");
        let build = |profile| {
            text(&build_tool(
                &settings(profile, root),
                Path::new("/p"),
                Path::new("/d"),
            ))
        };
        let simulator = build(Profile::IOS_SIMULATOR);
        assert!(
            simulator.contains("-destination generic/platform=iOS Simulator -derivedDataPath /d")
        );
        assert!(
            simulator.contains("-maximum-concurrent-test-simulator-destinations 1")
                && !simulator.contains("SIGN")
        );
        assert!(
            build(Profile::IOS_DEVICE)
                .contains("CODE_SIGN_STYLE=Automatic -allowProvisioningUpdates")
        );
        assert!(
            build(Profile::MACOS).contains("platform=macOS,arch=")
                && build(Profile::MACOS).contains("CODE_SIGN_IDENTITY=-")
        );
        let mut injecting = settings(Profile::IOS_SIMULATOR, root);
        injecting.runner.failure_injection = true;
        let injecting = text(&build_tool(&injecting, Path::new("/p"), Path::new("/d")));
        let flag = " -D AGENT_DEVICE_RUNNER_UNIT_TESTS";
        assert!(injecting.contains(flag));
        assert_eq!(injecting.replacen(flag, "", 1), simulator);
        let launch = launch_tool(
            Profile::TVOS_SIMULATOR,
            "R",
            "U",
            Some(Path::new("/set")),
            Path::new("/x"),
            Path::new("/d"),
        );
        let launch = text(&launch);
        assert!(
            launch.contains(
                "-destination platform=tvOS Simulator,id=U -DVTSimulatorSetLocation=/set"
            )
        );
        assert!(launch.contains("-only-testing RUITests/RunnerTests/testCommand"));
    }
}
