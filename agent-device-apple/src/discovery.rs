//! Which simulators and devices there are, and what to do about those that can't be used.
//!
//! What may not be here: which of them is meant (that is `choice`).

use agent_device_core::{
    Call, Result,
    dispatch::{Effect, disclose},
};

use crate::{
    backend::Apple,
    config::{AppleConfig, AppleTarget},
    profile::{Kind, Platform, Profile},
    tools::{self, Patience, PhysicalDevice, Simulator, ToolFailure, ToolPath},
};

pub(crate) const NO_RUNTIME: &str = "Install the simulator's runtime (Xcode, Settings, Components), or remove the simulator \
     (`xcrun simctl delete unavailable`).";

/// What makes a device usable that is not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cure {
    /// Install the runtime that the simulator needs. With the words of the tool, if it said any.
    InstallRuntime(String),
    /// Connect it, switch it on and unlock it: it is not there.
    Connect,
    /// Pair it with this Mac: unlock it, and trust this computer in the dialog that it shows.
    Pair,
    /// Switch its developer mode on.
    DeveloperMode,
}

impl Cure {
    /// What to do, as a sentence.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::InstallRuntime(_) => NO_RUNTIME,
            Self::Connect => {
                "Connect the device by cable, or bring it into this Mac's network, and unlock it."
            }
            Self::Pair => {
                "Connect the device by cable, unlock it, and trust this computer in the dialog that it shows."
            }
            Self::DeveloperMode => {
                "Switch the developer mode on: on the device, Settings, Privacy & Security, Developer Mode. It restarts."
            }
        }
    }
}

/// A simulator or a device that Xcode's tools know, or this Mac.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundDevice {
    /// What people call it. Several may have one name.
    pub name: String,
    /// The number that the tools know it by. Empty for this Mac.
    pub udid: String,
    /// Its platform and what runs it.
    pub profile: Profile,
    /// The version of its operating system: `18.2`. `None`: the tools don't say.
    pub version: Option<String>,
    /// What it is, or is a simulator of: `iPhone 16`. `None`: the tools don't say.
    pub model: Option<String>,
    /// Whether it is up now. A simulator that is not is booted when it is driven.
    pub is_up: bool,
    cure: Option<Cure>,
}

impl FoundDevice {
    /// By what it is driven.
    pub fn target(&self) -> AppleTarget {
        let (platform, udid) = (self.profile.platform, self.udid.clone());
        match self.profile.kind {
            Kind::Simulator => AppleTarget::Simulator { platform, udid },
            Kind::Device => AppleTarget::Device { platform, udid },
            Kind::Mac => AppleTarget::Mac,
        }
    }

    /// Whether it can be used now, or when it has booted.
    pub fn is_usable(&self) -> bool {
        self.cure.is_none()
    }

    /// What makes it usable. `None`: it is.
    pub fn cure(&self) -> Option<&Cure> {
        self.cure.as_ref()
    }

    fn this_mac() -> Self {
        Self {
            name: "Mac".to_owned(),
            udid: String::new(),
            profile: Profile::MACOS,
            version: None,
            model: None,
            is_up: true,
            cure: None,
        }
    }

    /// `None`: nothing here drives its platform.
    fn simulator(found: Simulator) -> Option<Self> {
        let why = found.unavailable().map(bounded);
        let (platform, version) = runtime(&found.runtime)?;
        let model = found.device_type_identifier.as_deref().map(|kind| {
            let word = kind.rsplit('.').next().unwrap_or(kind);
            bounded(&word.replace('-', " "))
        });
        Some(Self {
            name: bounded(&found.name),
            profile: Profile::new(platform, Kind::Simulator),
            version,
            model,
            is_up: found.state == "Booted",
            cure: why.map(Cure::InstallRuntime),
            udid: found.udid,
        })
    }

    /// `None`: nothing here drives its platform.
    fn device(found: PhysicalDevice) -> Option<Self> {
        let cure = if !found.reachable {
            Some(Cure::Connect)
        } else if !found.paired {
            Some(Cure::Pair)
        } else if found.developer_mode == Some(false) {
            Some(Cure::DeveloperMode)
        } else {
            None
        };
        let model = found.model.as_deref().map(bounded);
        let name = found.name.as_deref().map(bounded);
        Some(Self {
            name: name
                .or_else(|| model.clone())
                .unwrap_or_else(|| found.udid.clone()),
            profile: Profile::new(platform(&found.platform)?, Kind::Device),
            version: found.version.as_deref().map(bounded),
            model,
            is_up: found.reachable,
            cure,
            udid: found.udid,
        })
    }
}

/// As much of a text as anybody reads.
fn bounded(text: &str) -> String {
    text.trim().chars().take(256).collect()
}

/// The platform that the tools call by this word. Macs have none here: one that is beside this Mac can't be driven.
fn platform(word: &str) -> Option<Platform> {
    match word {
        "iOS" | "iPadOS" => Some(Platform::Ios),
        "tvOS" => Some(Platform::TvOs),
        "xrOS" | "visionOS" => Some(Platform::VisionOs),
        _ => None,
    }
}

/// The platform and the version of a runtime: `com.apple.CoreSimulator.SimRuntime.iOS-18-2`, or `iOS 12.1`.
fn runtime(name: &str) -> Option<(Platform, Option<String>)> {
    let short = name
        .strip_prefix("com.apple.CoreSimulator.SimRuntime.")
        .unwrap_or(name);
    let (word, version) = short.split_once(['-', ' ']).unwrap_or((short, ""));
    let version = bounded(&version.replace('-', "."));
    Some((platform(word)?, (!version.is_empty()).then_some(version)))
}

impl Apple {
    /// All that can be driven of these kinds: simulators, devices that this Mac knows, this Mac itself. What can't be used is
    /// among them, with its [`cure`](FoundDevice::cure). Watches are not: nothing here drives them. [`DeviceChoice::pick`]
    /// chooses among them.
    ///
    /// Of the configuration, where the tools and the simulators are looked for counts. A list of simulators has 60 s, one of
    /// devices 20 s; never more than the call has left.
    ///
    /// [`DeviceChoice::pick`]: crate::DeviceChoice::pick
    ///
    /// # Errors
    ///
    /// A tool is missing (`TOOL_MISSING`), failed, did not answer in time, or its answer is no list. Ask for fewer kinds if one of
    /// the tools does not work. Nothing was sent to any device.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn discover(
        kinds: &[Kind],
        config: &AppleConfig,
        call: &Call,
    ) -> Result<Vec<FoundDevice>> {
        let found = look(kinds, config, &Patience::of(call)).await;
        // The ledger of the caller may hold sends of before: they say nothing about a list.
        found.map_err(|failure| disclose(Effect::Observes, call.nested().ledger(), failure.into()))
    }
}

async fn look(
    kinds: &[Kind],
    config: &AppleConfig,
    patience: &Patience,
) -> Result<Vec<FoundDevice>, ToolFailure> {
    let path = ToolPath::new(config.tool_path.clone());
    let set = config.simulator_set.as_ref().map(|set| set.as_os_str());
    let simulators = async {
        match kinds.contains(&Kind::Simulator) {
            true => tools::simulators(&path, set, patience).await,
            false => Ok(Vec::new()),
        }
    };
    let devices = async {
        match kinds.contains(&Kind::Device) {
            true => tools::devices(&path, patience).await,
            false => Ok(Vec::new()),
        }
    };
    let (simulators, devices) = tokio::try_join!(simulators, devices)?;
    let mac = kinds.contains(&Kind::Mac).then(FoundDevice::this_mac);
    let simulators = simulators.into_iter().filter_map(FoundDevice::simulator);
    let devices = devices.into_iter().filter_map(FoundDevice::device);
    Ok(simulators.chain(devices).chain(mac).collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn found(
        name: &str,
        udid: &str,
        kind: Kind,
        is_up: bool,
        cure: Option<Cure>,
    ) -> FoundDevice {
        FoundDevice {
            name: name.to_owned(),
            udid: udid.to_owned(),
            profile: Profile::new(Platform::Ios, kind),
            version: Some("18.2".to_owned()),
            model: Some("iPhone 16 Pro".to_owned()),
            is_up,
            cure,
        }
    }

    #[test]
    fn a_runtime_tells_platform_and_version() {
        let new = "com.apple.CoreSimulator.SimRuntime.";
        for (name, wanted) in [
            (
                format!("{new}iOS-18-2"),
                Some((Platform::Ios, Some("18.2"))),
            ),
            (
                format!("{new}tvOS-18-0"),
                Some((Platform::TvOs, Some("18.0"))),
            ),
            (
                format!("{new}xrOS-2-0"),
                Some((Platform::VisionOs, Some("2.0"))),
            ),
            (format!("{new}watchOS-11-2"), None),
            ("iOS 12.1".to_owned(), Some((Platform::Ios, Some("12.1")))),
            ("iOS".to_owned(), Some((Platform::Ios, None))),
            (String::new(), None),
        ] {
            let told = runtime(&name);
            let told = told
                .as_ref()
                .map(|(platform, version)| (*platform, version.as_deref()));
            assert_eq!(told, wanted, "{name}");
        }
    }
}
