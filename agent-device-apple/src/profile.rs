//! The platforms and what differs between them, as data.

use agent_device_core::action::{Capabilities, Operation};

/// An operating system of Apple's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Platform {
    /// iOS and iPadOS.
    Ios,
    /// tvOS: no touches, a remote.
    TvOs,
    /// macOS.
    MacOs,
    /// visionOS.
    VisionOs,
}

/// What runs the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A simulator of Xcode.
    Simulator,
    /// A device that stands or lies beside the Mac.
    Device,
    /// The Mac itself.
    Mac,
}

/// A platform and what runs it: all that decides which operations there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    /// The operating system.
    pub platform: Platform,
    /// What runs it.
    pub kind: Kind,
}

impl Profile {
    /// An iPhone or iPad simulator.
    pub const IOS_SIMULATOR: Self = Self::new(Platform::Ios, Kind::Simulator);
    /// An iPhone or iPad.
    pub const IOS_DEVICE: Self = Self::new(Platform::Ios, Kind::Device);
    /// An Apple TV simulator.
    pub const TVOS_SIMULATOR: Self = Self::new(Platform::TvOs, Kind::Simulator);
    /// The Mac itself.
    pub const MACOS: Self = Self::new(Platform::MacOs, Kind::Mac);
    /// A Vision Pro simulator.
    pub const VISIONOS_SIMULATOR: Self = Self::new(Platform::VisionOs, Kind::Simulator);

    /// A platform and what runs it.
    pub const fn new(platform: Platform, kind: Kind) -> Self {
        Self { platform, kind }
    }

    /// The word for folders, errors and spans.
    pub fn as_str(self) -> &'static str {
        match (self.platform, self.kind) {
            (Platform::Ios, Kind::Simulator) => "ios-simulator",
            (Platform::TvOs, Kind::Simulator) => "tvos-simulator",
            (Platform::VisionOs, Kind::Simulator) => "visionos-simulator",
            (Platform::MacOs, _) => "macos",
            (Platform::Ios, _) => "ios-device",
            (Platform::TvOs, _) => "tvos-device",
            (Platform::VisionOs, _) => "visionos-device",
        }
    }

    /// The SDK of the runner.
    pub(crate) fn sdk(self) -> &'static str {
        match (self.platform, self.kind) {
            (Platform::Ios, Kind::Simulator) => "iphonesimulator",
            (Platform::TvOs, Kind::Simulator) => "appletvsimulator",
            (Platform::VisionOs, Kind::Simulator) => "xrsimulator",
            (Platform::MacOs, _) => "macosx",
            (Platform::Ios, _) => "iphoneos",
            (Platform::TvOs, _) => "appletvos",
            (Platform::VisionOs, _) => "xros",
        }
    }

    /// The platform as a destination of xcodebuild names it.
    pub(crate) fn destination(self) -> &'static str {
        match (self.platform, self.kind) {
            (Platform::Ios, Kind::Simulator) => "iOS Simulator",
            (Platform::TvOs, Kind::Simulator) => "tvOS Simulator",
            (Platform::VisionOs, Kind::Simulator) => "visionOS Simulator",
            (Platform::MacOs, _) => "macOS",
            (Platform::Ios, _) => "iOS",
            (Platform::TvOs, _) => "tvOS",
            (Platform::VisionOs, _) => "visionOS",
        }
    }

    pub(crate) fn is_simulator(self) -> bool {
        self.kind == Kind::Simulator
    }

    /// Whether touches go to the system as events of their own, past XCTest's element look-up.
    pub(crate) fn synthesizes(self) -> bool {
        matches!(self.platform, Platform::Ios | Platform::VisionOs)
    }

    /// What the backend offers. `tools`: whether Xcode's tools may be asked, beside the runner.
    pub(crate) fn capabilities(self, tools: bool) -> Capabilities {
        let leaf = "unsupported-platform-leaf";
        let kind = "unsupported-device-kind";
        let owner = "owner-capability-missing";
        let every = [
            Operation::Tap,
            Operation::LongPress,
            Operation::Focus,
            Operation::TypeText,
            Operation::Fill,
            Operation::Scroll,
            Operation::Back,
            Operation::Open,
            Operation::Close,
            Operation::AcceptAlert,
            Operation::DismissAlert,
            Operation::Screenshot,
            Operation::FindText,
            Operation::ConfirmVisible,
            Operation::ReadAlert,
            Operation::ReadAppState,
        ];
        let mut offered = every.to_vec();
        match self.platform {
            Platform::Ios | Platform::VisionOs => offered.extend([
                Operation::DoubleTap,
                Operation::Gesture,
                Operation::KeyboardDismiss,
                Operation::KeyboardEnter,
                Operation::ReadKeyboard,
            ]),
            Platform::TvOs => offered.extend([Operation::Home, Operation::AppSwitcher]),
            Platform::MacOs => offered.extend([Operation::DoubleTap, Operation::Gesture]),
        }
        if self.platform == Platform::Ios {
            offered.extend([
                Operation::Home,
                Operation::AppSwitcher,
                Operation::SetOrientation,
            ]);
        }
        if self.is_simulator() && tools && self.platform != Platform::VisionOs {
            offered.extend([Operation::ReadClipboard, Operation::WriteClipboard]);
        }
        let two = self.platform == Platform::Ios && self.is_simulator();
        let mut capabilities =
            Capabilities::of(&offered).with_max_pointers(if two { 2 } else { 1 });
        for (operation, reason, hint) in [
            (Operation::Hover, leaf, None),
            (
                Operation::DoubleTap,
                leaf,
                Some("Press it twice: a press selects what has the focus."),
            ),
            (
                Operation::Gesture,
                leaf,
                Some("Move the focus by scrolling in a direction."),
            ),
            (Operation::Home, leaf, None),
            (Operation::AppSwitcher, leaf, None),
            (Operation::SetOrientation, leaf, None),
            (
                Operation::ReadOrientation,
                owner,
                Some("A snapshot's viewport tells it."),
            ),
            (Operation::KeyboardDismiss, leaf, None),
            (Operation::KeyboardEnter, leaf, Some("Type a newline.")),
            (Operation::ReadKeyboard, leaf, None),
            (
                Operation::ReadClipboard,
                kind,
                Some("Paste into a field and read the field."),
            ),
            (
                Operation::WriteClipboard,
                kind,
                Some("Fill the field directly."),
            ),
            (Operation::ReadWindows, leaf, None),
            (Operation::SelectWindow, leaf, None),
        ] {
            if !capabilities.offers(operation) {
                capabilities = capabilities.without(operation, reason, hint);
            }
        }
        capabilities
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_profile_offers_what_its_platform_has() {
        let offers =
            |profile: Profile, tools, operation| profile.capabilities(tools).offers(operation);
        for (operation, ios, tv, mac, vision) in [
            (Operation::Tap, true, true, true, true),
            (Operation::Fill, true, true, true, true),
            (Operation::Hover, false, false, false, false),
            (Operation::DoubleTap, true, false, true, true),
            (Operation::Gesture, true, false, true, true),
            (Operation::Home, true, true, false, false),
            (Operation::AppSwitcher, true, true, false, false),
            (Operation::SetOrientation, true, false, false, false),
            (Operation::KeyboardDismiss, true, false, false, true),
            (Operation::ReadAlert, true, true, true, true),
        ] {
            let wanted = [
                (Profile::IOS_SIMULATOR, ios),
                (Profile::IOS_DEVICE, ios),
                (Profile::TVOS_SIMULATOR, tv),
                (Profile::MACOS, mac),
                (Profile::VISIONOS_SIMULATOR, vision),
            ];
            for (profile, offered) in wanted {
                assert_eq!(
                    offers(profile, true, operation),
                    offered,
                    "{operation:?} on {}",
                    profile.as_str()
                );
                let told = profile.capabilities(true).unavailable(operation).is_some();
                assert_eq!(
                    told,
                    !offered,
                    "why {operation:?} is not offered on {}",
                    profile.as_str()
                );
            }
        }
        let clipboard = Operation::ReadClipboard;
        assert!(offers(Profile::IOS_SIMULATOR, true, clipboard));
        assert!(
            !offers(Profile::IOS_SIMULATOR, false, clipboard),
            "it needs Xcode's tools"
        );
        assert!(!offers(Profile::IOS_DEVICE, true, clipboard));
        assert_eq!(Profile::IOS_SIMULATOR.capabilities(true).max_pointers, 2);
        assert_eq!(Profile::IOS_DEVICE.capabilities(true).max_pointers, 1);
    }
}
