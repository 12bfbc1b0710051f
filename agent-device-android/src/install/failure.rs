//! What a package manager says when it does not install an app: Android's names, and what to do about each.
//!
//! Names and meanings are those of `PackageManager.INSTALL_FAILED_*` in the Android sources; hints for devices that ask or
//! forbid on their own come from their makers' developer pages and users' reports.

use agent_device_core::Error;

/// Why an app was not installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InstallFailure {
    /// The device has no room.
    InsufficientStorage,
    /// The installed app is signed by another key.
    UpdateIncompatible,
    /// The installed app is newer.
    VersionDowngrade,
    /// The app is there, and replacing it was not asked for.
    AlreadyExists,
    /// The device's maker or its user forbids installs over adb.
    UserRestricted,
    /// Somebody said no on the device's screen, or nobody said yes.
    Aborted,
    /// The app is for tests only, and that was not allowed.
    TestOnly,
    /// The device's Android is too old for the app.
    OlderSdk,
    /// The app is built for an Android that is too old for the device.
    DeprecatedSdk,
    /// The app has native code, and none for this device's processor.
    NoMatchingAbis,
    /// The app needs a library that the device does not have.
    MissingSharedLibrary,
    /// The app comes in several files, and one of them is missing.
    MissingSplit,
    /// Another app has a content provider of this name.
    ConflictingProvider,
    /// Another app declares this permission.
    DuplicatePermission,
    /// A scanner on the device refused the app.
    Verification,
    /// The file is no app, or a broken one.
    InvalidApk,
    /// The app is not signed, or not as the device wants it.
    NoCertificates,
    /// Another name of Android's: `details.installFailure` has it.
    Other,
}

struct Known {
    name: &'static str,
    failure: InstallFailure,
    reason: &'static str,
    hint: &'static str,
}

const fn known(
    name: &'static str,
    failure: InstallFailure,
    reason: &'static str,
    hint: &'static str,
) -> Known {
    Known {
        name,
        failure,
        reason,
        hint,
    }
}

use InstallFailure as F;

/// Whole names: one is the beginning of another now and then.
const TABLE: &[Known] = &[
    known(
        "INSTALL_FAILED_INSUFFICIENT_STORAGE",
        F::InsufficientStorage,
        "install_insufficient_storage",
        "Free space on the device, then install again.",
    ),
    known(
        "INSTALL_FAILED_UPDATE_INCOMPATIBLE",
        F::UpdateIncompatible,
        "install_update_incompatible",
        "The installed app is signed by another key: uninstall it first. That deletes its data.",
    ),
    known(
        "INSTALL_FAILED_VERSION_DOWNGRADE",
        F::VersionDowngrade,
        "install_version_downgrade",
        "The installed app is newer: uninstall it first, install a newer one, or allow the downgrade (debuggable apps only).",
    ),
    known(
        "INSTALL_FAILED_ALREADY_EXISTS",
        F::AlreadyExists,
        "install_already_exists",
        "The app is there: allow it to be replaced.",
    ),
    known(
        "INSTALL_FAILED_USER_RESTRICTED",
        F::UserRestricted,
        "install_user_restricted",
        "The device forbids installs over adb. Xiaomi: switch on \"Install via USB\" and \"USB debugging (Security settings)\" in the developer options. Else look for a dialog on the screen, or a policy of the device's owner.",
    ),
    known(
        "INSTALL_FAILED_ABORTED",
        F::Aborted,
        "install_aborted",
        "Somebody has to confirm the install on the device's screen, and did not in time. OPPO, OnePlus, realme and vivo ask each time unless \"Disable permission monitoring\" or \"Install via USB\" is on in the developer options.",
    ),
    known(
        "INSTALL_FAILED_TEST_ONLY",
        F::TestOnly,
        "install_test_only",
        "The app is marked as for tests only: allow test apps, or build it without android:testOnly.",
    ),
    known(
        "INSTALL_FAILED_OLDER_SDK",
        F::OlderSdk,
        "install_older_sdk",
        "The device's Android is older than the app's minSdkVersion: use a newer device.",
    ),
    known(
        "INSTALL_FAILED_DEPRECATED_SDK_VERSION",
        F::DeprecatedSdk,
        "install_deprecated_sdk",
        "Android 14 and later refuse apps with a low targetSdkVersion: raise it.",
    ),
    known(
        "INSTALL_FAILED_NO_MATCHING_ABIS",
        F::NoMatchingAbis,
        "install_no_matching_abis",
        "The app has no native code for this device's processor: build it for `getprop ro.product.cpu.abilist`.",
    ),
    known(
        "INSTALL_FAILED_MISSING_SHARED_LIBRARY",
        F::MissingSharedLibrary,
        "install_missing_shared_library",
        "The app needs a library that the device lacks, such as Google's services: use another system image.",
    ),
    known(
        "INSTALL_FAILED_MISSING_SPLIT",
        F::MissingSplit,
        "install_missing_split",
        "The app comes in several APKs: build a universal one.",
    ),
    known(
        "INSTALL_FAILED_CONFLICTING_PROVIDER",
        F::ConflictingProvider,
        "install_conflicting_provider",
        "Another app has a content provider of the same name: uninstall it.",
    ),
    known(
        "INSTALL_FAILED_DUPLICATE_PERMISSION",
        F::DuplicatePermission,
        "install_duplicate_permission",
        "Another app declares the same permission: uninstall it.",
    ),
    known(
        "INSTALL_FAILED_VERIFICATION_FAILURE",
        F::Verification,
        "install_verification",
        "A scanner on the device refused the app: switch \"Verify apps over USB\" off in the developer options, or allow it on the screen.",
    ),
    known(
        "INSTALL_FAILED_VERIFICATION_TIMEOUT",
        F::Verification,
        "install_verification",
        "A scanner on the device took too long: switch \"Verify apps over USB\" off in the developer options.",
    ),
    known(
        "INSTALL_FAILED_INVALID_APK",
        F::InvalidApk,
        "install_invalid_apk",
        "The file is no APK or a broken one: build or download it again.",
    ),
    known(
        "INSTALL_PARSE_FAILED_NOT_APK",
        F::InvalidApk,
        "install_invalid_apk",
        "The file is no APK or a broken one: build or download it again.",
    ),
    known(
        "INSTALL_PARSE_FAILED_BAD_MANIFEST",
        F::InvalidApk,
        "install_invalid_apk",
        "The file is no APK or a broken one: build or download it again.",
    ),
    known(
        "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED",
        F::InvalidApk,
        "install_invalid_apk",
        "The file is no APK or a broken one: build or download it again.",
    ),
    known(
        "INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION",
        F::InvalidApk,
        "install_invalid_apk",
        "The file is no APK or a broken one: build or download it again.",
    ),
    known(
        "INSTALL_PARSE_FAILED_NO_CERTIFICATES",
        F::NoCertificates,
        "install_no_certificates",
        "Sign the APK, with scheme v2 or later for Android 11 and up.",
    ),
    known(
        "INSTALL_PARSE_FAILED_INCONSISTENT_CERTIFICATES",
        F::NoCertificates,
        "install_no_certificates",
        "The parts of the app are signed by different keys: sign all with one.",
    ),
];

/// A failure as a package manager printed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Printed<'a> {
    pub(crate) failure: InstallFailure,
    /// Android's name.
    pub(crate) name: &'a str,
    pub(crate) reason: &'static str,
    pub(crate) hint: Option<&'static str>,
}

impl Printed<'_> {
    /// The coarse class of `details.adbFailure`, which tells three failures from the rest.
    pub(crate) fn class(&self) -> &'static str {
        match self.failure {
            F::InsufficientStorage | F::UpdateIncompatible | F::VersionDowngrade => self.reason,
            _ => "install_failed",
        }
    }
}

impl InstallFailure {
    /// Why the install failed that this error is about. `None`: it is about something else, or the device gave no name.
    pub fn of(error: &Error) -> Option<Self> {
        let name = error.detail("installFailure")?.as_str()?;
        Some(printed(name)?.failure)
    }
}

/// The first failure that a text names.
pub(crate) fn printed(text: &str) -> Option<Printed<'_>> {
    let name = ["INSTALL_FAILED_", "INSTALL_PARSE_FAILED_"]
        .iter()
        .filter_map(|prefix| text.find(prefix))
        .min()
        .and_then(|from| text.get(from..))?;
    let end = name
        .find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
        .unwrap_or(name.len());
    let name = name.get(..end)?;
    let known = TABLE.iter().find(|known| known.name == name);
    Some(Printed {
        failure: known.map_or(InstallFailure::Other, |known| known.failure),
        name,
        reason: known.map_or("install_failed", |known| known.reason),
        hint: known.map(|known| known.hint),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_table_is_found_in_what_android_prints() {
        for known in TABLE {
            let text = format!("Failure [{}: some words]\n", known.name);
            let found = printed(&text).unwrap();
            assert_eq!(
                (found.failure, found.name, found.reason),
                (known.failure, known.name, known.reason)
            );
            assert!(known.hint.ends_with('.'), "{}", known.name);
        }
    }

    #[test]
    fn other_names_keep_their_own() {
        let found =
            printed("adb: failed to install x.apk: Failure [INSTALL_FAILED_DEXOPT]").unwrap();
        assert_eq!(found.failure, InstallFailure::Other);
        assert_eq!(
            (found.name, found.reason),
            ("INSTALL_FAILED_DEXOPT", "install_failed")
        );
        // Not taken for the known name that it begins with.
        let longer = printed("INSTALL_FAILED_ABORTED_BY_X").unwrap();
        assert_eq!(longer.failure, InstallFailure::Other);
        let first =
            printed("INSTALL_PARSE_FAILED_NOT_APK then INSTALL_FAILED_INVALID_APK").unwrap();
        assert_eq!(first.name, "INSTALL_PARSE_FAILED_NOT_APK");
        assert_eq!(printed("Success"), None);
    }
}
