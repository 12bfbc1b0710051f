//! Why a runner does not come up, told from what xcodebuild and the system print.
//!
//! xcodebuild ends with code 65 for everything. The cause stands in one line of its output; each rule below names where that
//! line is known from. This is the one place in the crate where text of a tool is read for its meaning, and it decides what
//! a person is told, never whether something is sent again.

/// Why a runner does not come up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StartupReason {
    BundleIdentifierAlreadyRegistered,
    SigningNoDevelopmentTeam,
    SigningProvisioningProfileMissing,
    SigningUnspecified,
    DeviceNotProvisioned,
    DevtoolsSecurityDeveloperModeDisabled,
    DeviceDeveloperModeDisabled,
    DeviceDeveloperDiskImageUnavailable,
    DeviceLocked,
    DeviceBusyConnecting,
    DestinationNotFound,
    AutomationModeNotEnabled,
    BuildFailedUnclassified,
}

/// A cause with the line that tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cause {
    pub(crate) reason: StartupReason,
    pub(crate) line: String,
}

/// All of `words` in one line tell the reason. Earlier rules are more precise than later ones.
struct Rule {
    reason: StartupReason,
    words: &'static [&'static str],
}

const fn rule(reason: StartupReason, words: &'static [&'static str]) -> Rule {
    Rule { reason, words }
}

use StartupReason as R;

const RULES: &[Rule] = &[
    // Xcode's signing errors: fastlane#12384, forem/DEV-ios#34, MicrosoftDocs/azure-devops-docs#6436.
    rule(
        R::BundleIdentifierAlreadyRegistered,
        &["cannot be registered to your development team"],
    ),
    rule(
        R::BundleIdentifierAlreadyRegistered,
        &["failed registering bundle identifier"],
    ),
    rule(
        R::SigningNoDevelopmentTeam,
        &["requires a development team"],
    ),
    rule(R::SigningNoDevelopmentTeam, &["no account for team"]),
    rule(
        R::SigningProvisioningProfileMissing,
        &["no profiles for", "were found"],
    ),
    rule(
        R::SigningProvisioningProfileMissing,
        &["no profile for team", "found"],
    ),
    rule(
        R::SigningProvisioningProfileMissing,
        &["requires a provisioning profile"],
    ),
    // fastlane#8615, LinusHenze/Fugu14#94.
    rule(
        R::DeviceNotProvisioned,
        &["include the currently selected device"],
    ),
    rule(
        R::SigningUnspecified,
        &["code signing is required for product type"],
    ),
    rule(R::SigningUnspecified, &["no signing certificate"]),
    rule(R::SigningUnspecified, &["code signing error"]),
    // DevToolsSecurity(1) -status.
    rule(
        R::DevtoolsSecurityDeveloperModeDisabled,
        &["developer mode is currently disabled"],
    ),
    // devicectl and xcodebuild: callstack/agent-device#1527.
    rule(R::DeviceDeveloperModeDisabled, &["developer mode disabled"]),
    rule(
        R::DeviceDeveloperModeDisabled,
        &["developer mode is disabled"],
    ),
    rule(
        R::DeviceDeveloperModeDisabled,
        &["developer mode status: disabled"],
    ),
    // mapbox/mapbox-gl-native and fastlane#10811: the phone has a code and is locked.
    rule(R::DeviceLocked, &["device is locked"]),
    rule(R::DeviceLocked, &["is passcode protected"]),
    rule(R::DeviceLocked, &["unlock", "to continue"]),
    rule(
        R::DeviceDeveloperDiskImageUnavailable,
        &["developer disk image could not be mounted"],
    ),
    rule(
        R::DeviceDeveloperDiskImageUnavailable,
        &["unable to mount developer disk image"],
    ),
    rule(
        R::DeviceDeveloperDiskImageUnavailable,
        &["could not locate device support files"],
    ),
    rule(
        R::DeviceBusyConnecting,
        &["device is busy", "connecting to"],
    ),
    // lionheart/openradar-mirror#17121.
    rule(
        R::DestinationNotFound,
        &["unable to find a destination matching"],
    ),
    rule(
        R::AutomationModeNotEnabled,
        &["timed out while enabling automation mode"],
    ),
    // The last lines of every failed build: they name no cause.
    rule(R::BuildFailedUnclassified, &["** build failed **"]),
    rule(R::BuildFailedUnclassified, &["** test build failed **"]),
    rule(R::BuildFailedUnclassified, &["** test execute failed **"]),
    rule(R::BuildFailedUnclassified, &["xcodebuild: error:"]),
];

impl StartupReason {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            R::BundleIdentifierAlreadyRegistered => "bundle_identifier_already_registered",
            R::SigningNoDevelopmentTeam => "signing_no_development_team",
            R::SigningProvisioningProfileMissing => "signing_provisioning_profile_missing",
            R::SigningUnspecified => "signing_unspecified",
            R::DeviceNotProvisioned => "device_not_provisioned",
            R::DevtoolsSecurityDeveloperModeDisabled => "devtools_security_developer_mode_disabled",
            R::DeviceDeveloperModeDisabled => "device_developer_mode_disabled",
            R::DeviceDeveloperDiskImageUnavailable => "device_developer_disk_image_unavailable",
            R::DeviceLocked => "device_locked",
            R::DeviceBusyConnecting => "device_busy_connecting",
            R::DestinationNotFound => "destination_not_found",
            R::AutomationModeNotEnabled => "automation_mode_not_enabled",
            R::BuildFailedUnclassified => "build_failed_unclassified",
        }
    }

    /// What cures it.
    pub(crate) fn fix(self) -> &'static str {
        match self {
            R::BundleIdentifierAlreadyRegistered => {
                "Another team owns the runner's bundle id: set a bundle id of your own in the signing settings."
            }
            R::SigningNoDevelopmentTeam => {
                "Set the development team in the signing settings, and sign in to it in Xcode's accounts."
            }
            R::SigningProvisioningProfileMissing => {
                "Set a provisioning profile for the runner's bundle ids, or let Xcode make one with a development team."
            }
            R::SigningUnspecified => {
                "Set the development team, the signing identity and the profile in the signing settings."
            }
            R::DeviceNotProvisioned => {
                "Register the device with the development team, then let Xcode renew the profile, or name a profile with the device in it."
            }
            R::DevtoolsSecurityDeveloperModeDisabled => {
                "Run `sudo DevToolsSecurity -enable` on this Mac, then repeat."
            }
            R::DeviceDeveloperModeDisabled => {
                "Switch Developer Mode on in Settings, Privacy & Security, restart the device, then repeat."
            }
            R::DeviceDeveloperDiskImageUnavailable => {
                "Check that Developer Mode is on and that this Xcode knows the device's OS; then unlock and reconnect the device."
            }
            R::DeviceLocked => "Unlock the device and keep it unlocked.",
            R::DeviceBusyConnecting => {
                "The device is being prepared by Xcode. Wait a minute, then repeat."
            }
            R::DestinationNotFound => {
                "Compare the device's number with `xcrun simctl list devices` or `xcrun devicectl list devices`."
            }
            R::AutomationModeNotEnabled => {
                "Allow UI automation on the device: unlock it, and answer the dialog that asks for its code."
            }
            R::BuildFailedUnclassified => "Read the last lines of the output in details.output.",
        }
    }

    /// Whether waiting may cure it.
    pub(crate) fn is_passing(self) -> bool {
        matches!(self, R::DeviceBusyConnecting)
    }
}

/// The cause that a line tells, if it tells one.
pub(crate) fn cause_in(line: &str) -> Option<Cause> {
    let low = line.to_lowercase();
    let found = RULES
        .iter()
        .find(|rule| rule.words.iter().all(|word| low.contains(word)))?;
    Some(Cause {
        reason: found.reason,
        line: line.trim().chars().take(500).collect(),
    })
}

impl Cause {
    /// Whether it says no more than that something failed.
    pub(crate) fn is_general(&self) -> bool {
        self.reason == R::BuildFailedUnclassified
    }

    /// Of two causes the one that says more: the first precise one, whatever comes after it.
    pub(crate) fn or_better(self, other: Self) -> Self {
        if self.is_general() { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_of_code_65_is_in_its_output() {
        for (reason, output) in [
            // fastlane#12384 and microsoft/azure-pipelines-tasks#4216.
            (
                R::SigningNoDevelopmentTeam,
                "=== BUILD TARGET m OF PROJECT m ===\nSigning for \"m\" requires a development team. Select a development team in \
              the project editor.\nCode signing is required for product type 'Application' in SDK 'iOS 10.3'\n** BUILD FAILED **",
            ),
            // MicrosoftDocs/azure-devops-docs#6436.
            (
                R::SigningProvisioningProfileMissing,
                "Code Signing Error: No profiles for 'com.abc.xyz.dev' were found:  Xcode couldn't find any iOS App Development \
              provisioning profiles matching 'com.abc.xyz.dev'.\n** BUILD FAILED **",
            ),
            // fastlane#8615.
            (
                R::DeviceNotProvisioned,
                "Provisioning profile \"iOS Team Provisioning Profile: x\" doesn't include the currently selected device \"P\".\n\
              Code signing is required for product type 'Application' in SDK 'iOS 10.3'\n** BUILD FAILED **",
            ),
            // forem/DEV-ios#34.
            (
                R::SigningNoDevelopmentTeam,
                "error: No account for team \"X\". Add a new account in the Accounts preference pane",
            ),
            // callstack/agent-device#1527.
            (
                R::DeviceDeveloperModeDisabled,
                "Error: The operation failed because Developer Mode is disabled.",
            ),
            (
                R::DeviceDeveloperDiskImageUnavailable,
                "The developer disk image could not be mounted on this device. (com.apple.dt.CoreDeviceError error 12040)",
            ),
            // lionheart/openradar-mirror#17121.
            (
                R::DestinationNotFound,
                "xcodebuild: error: Unable to find a destination matching the provided destination specifier:\n\t\t{ id:x }",
            ),
            (
                R::BuildFailedUnclassified,
                "something odd\n** BUILD FAILED **",
            ),
        ] {
            let cause = output
                .lines()
                .filter_map(cause_in)
                .reduce(Cause::or_better)
                .unwrap();
            assert_eq!(cause.reason, reason, "{cause:?}");
            assert!(output.contains(&cause.line) && !reason.fix().is_empty());
        }
        assert_eq!(cause_in("Test Suite 'RunnerTests' started"), None);
    }
}
