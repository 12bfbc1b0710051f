//! Which of the devices is meant.

use agent_device_core::{Error, ErrorCode, Result, dispatch::rows::ios_runner as rows};
use serde::Serialize;

use crate::{
    discovery::{Cure, FoundDevice},
    profile::Kind,
};

/// How many devices an error lists.
const LISTED: usize = 10;

/// Which device is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceChoice {
    /// The only one that fits best: of several a simulator that is up before one that is not, and any simulator before a device
    /// or this Mac, so that nobody's phone is driven by accident.
    #[default]
    Only,
    /// The one with this number. Case doesn't count.
    Udid(String),
    /// The one with this name, or of this model. Case, hyphens and spaces don't count.
    Named(String),
}

impl DeviceChoice {
    /// Picks from what was found.
    ///
    /// # Errors
    ///
    /// None fits (`DEVICE_NOT_FOUND`), several do (`AMBIGUOUS_MATCH`, with `details.candidates`), or the one that fits can't be
    /// used: then the error says what to do about it. Nothing was sent to any device.
    pub fn pick<'a>(&self, found: &'a [FoundDevice]) -> Result<&'a FoundDevice> {
        let fitting: Vec<&FoundDevice> = found.iter().filter(|each| self.fits(each)).collect();
        let mut usable = fitting.clone();
        usable.retain(|each| each.is_usable());
        if *self == Self::Only {
            let best = usable.iter().map(|each| rank(each)).min();
            usable.retain(|each| Some(rank(each)) == best);
        }
        match usable[..] {
            [one] => Ok(one),
            [] => Err(self.nothing(&fitting, found)),
            _ => Err(refused(
                ErrorCode::AmbiguousMatch,
                format!("{} devices fit {self}", usable.len()),
            )
            .with_reason("multiple_devices")
            .with_hint("Name one of details.candidates by its number, or boot the simulator that is meant.")
            .with_detail("candidates", candidates(&usable))),
        }
    }

    fn fits(&self, device: &FoundDevice) -> bool {
        match self {
            Self::Only => true,
            Self::Udid(udid) => !udid.is_empty() && device.udid.eq_ignore_ascii_case(udid),
            Self::Named(name) => {
                let wanted = plain(name);
                let names = [Some(&device.name), device.model.as_ref()];
                names
                    .into_iter()
                    .flatten()
                    .any(|name| plain(name) == wanted)
            }
        }
    }

    /// No device that can be used fits.
    fn nothing(&self, fitting: &[&FoundDevice], found: &[FoundDevice]) -> Error {
        let cure = match fitting {
            [one] => one.cure(),
            _ => None,
        };
        let Some(cure) = cure else {
            let all: Vec<&FoundDevice> = found.iter().collect();
            let (reason, hint) = match (fitting.first().and_then(|first| first.cure()), found) {
                (Some(first), _) => ("no_usable_device", first.hint()),
                (None, []) => (
                    "no_devices",
                    "Add a simulator in Xcode (Window, Devices and Simulators), or connect a device.",
                ),
                (None, _) => (
                    "device_not_found",
                    "details.candidates lists the devices that are there.",
                ),
            };
            return refused(ErrorCode::DeviceNotFound, format!("no device fits {self}"))
                .with_reason(reason)
                .with_hint(hint)
                .with_detail("candidates", candidates(&all));
        };
        let (code, reason) = match cure {
            Cure::InstallRuntime(_) => (ErrorCode::DeviceNotFound, "simulator_runtime_missing"),
            Cure::Connect => (ErrorCode::DeviceNotFound, "device_not_connected"),
            Cure::Pair => (ErrorCode::Unauthorized, "device_not_paired"),
            Cure::DeveloperMode => (ErrorCode::Unauthorized, "device_developer_mode_off"),
        };
        refused(code, format!("the device that fits {self} can't be used"))
            .with_reason(reason)
            .with_hint(cure.hint())
            .with_detail("candidates", candidates(fitting))
    }
}

impl std::fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Only => f.write_str("\"any device\""),
            Self::Udid(udid) => write!(f, "the number {udid:?}"),
            Self::Named(name) => write!(f, "the name {name:?}"),
        }
    }
}

/// What nobody named is looked for in this order.
fn rank(device: &FoundDevice) -> u8 {
    match (device.profile.kind, device.is_up) {
        (Kind::Simulator, true) => 0,
        (Kind::Simulator, false) => 1,
        _ => 2,
    }
}

fn refused(code: ErrorCode, message: String) -> Error {
    Error::refused(rows::DEVICE_NOT_CHOSEN, code, message)
}

/// A device as an error lists it.
#[derive(Serialize)]
struct Candidate<'a> {
    udid: &'a str,
    name: &'a str,
    profile: &'static str,
    version: Option<&'a str>,
    cure: Option<&'static str>,
}

fn candidates<'a>(devices: &[&'a FoundDevice]) -> Vec<Candidate<'a>> {
    let candidate = |device: &&'a FoundDevice| Candidate {
        udid: &device.udid,
        name: &device.name,
        profile: device.profile.as_str(),
        version: device.version.as_deref(),
        cure: device.cure().map(Cure::hint),
    };
    devices.iter().take(LISTED).map(candidate).collect()
}

/// A name without what people spell differently.
fn plain(name: &str) -> String {
    let spaced = name.replace(['_', '-'], " ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::tests::found;

    #[test]
    fn the_table_of_choices_holds() {
        let up = |udid: &str| found("iPhone 16", udid, Kind::Simulator, true, None);
        let down = |udid: &str| found("iPhone 16", udid, Kind::Simulator, false, None);
        let phone = |udid: &str| found("Ada's iPhone", udid, Kind::Device, true, None);
        let ill = |udid: &str, kind, cure| found("Old", udid, kind, false, Some(cure));
        let gone = |udid: &str| ill(udid, Kind::Simulator, Cure::InstallRuntime(String::new()));
        let only = DeviceChoice::Only;
        let udid = |udid: &str| DeviceChoice::Udid(udid.to_owned());
        let named = |name: &str| DeviceChoice::Named(name.to_owned());
        let several = Err((ErrorCode::AmbiguousMatch, "multiple_devices"));
        let missing = |reason| Err((ErrorCode::DeviceNotFound, reason));
        let locked = |reason| Err((ErrorCode::Unauthorized, reason));
        for (choice, devices, wanted) in [
            (&only, vec![down("A")], Ok("A")),
            (&only, vec![down("A"), up("B")], Ok("B")),
            (&only, vec![phone("P"), down("A")], Ok("A")),
            (&only, vec![phone("P")], Ok("P")),
            (&only, vec![phone("P"), gone("A")], Ok("P")),
            // Nobody's phone stands in for the simulator that could not be told.
            (&only, vec![phone("P"), down("A"), down("B")], several),
            (&only, vec![up("A"), up("B"), phone("P")], several),
            (&only, vec![phone("P"), phone("Q")], several),
            (&only, vec![], missing("no_devices")),
            (&only, vec![gone("A")], missing("simulator_runtime_missing")),
            (
                &only,
                vec![gone("A"), gone("B")],
                missing("no_usable_device"),
            ),
            (&udid("a"), vec![phone("P"), down("A")], Ok("A")),
            (&udid("p"), vec![phone("P"), up("A")], Ok("P")),
            (&udid("C"), vec![up("A")], missing("device_not_found")),
            (
                &udid(""),
                vec![found("Mac", "", Kind::Mac, true, None)],
                missing("device_not_found"),
            ),
            (
                &udid("P"),
                vec![ill("P", Kind::Device, Cure::Connect), up("A")],
                missing("device_not_connected"),
            ),
            (
                &udid("P"),
                vec![ill("P", Kind::Device, Cure::Pair)],
                locked("device_not_paired"),
            ),
            (
                &udid("P"),
                vec![ill("P", Kind::Device, Cure::DeveloperMode)],
                locked("device_developer_mode_off"),
            ),
            (&named("IPHONE-16"), vec![down("A"), phone("P")], Ok("A")),
            (&named("iphone 16 pro"), vec![phone("P")], Ok("P")),
            // Only the unnamed choice prefers: a name was meant to be one device.
            (&named("iPhone 16"), vec![down("A"), up("B")], several),
        ] {
            let picked = choice.pick(&devices);
            match wanted {
                Ok(udid) => assert_eq!(picked.unwrap().udid, udid, "{choice}"),
                Err((code, reason)) => {
                    let error = picked.unwrap_err();
                    let told = (error.code(), error.reason());
                    assert_eq!(told, (code, Some(reason)), "{choice}");
                    assert!(error.dispatched().is_no());
                    let listed = error.detail("candidates").unwrap().as_array().unwrap();
                    assert_eq!(listed.is_empty(), devices.is_empty(), "{choice}");
                }
            }
        }
    }

    #[test]
    fn an_error_lists_a_few_of_many() {
        let many: Vec<_> = (0..30)
            .map(|at| found("x", &at.to_string(), Kind::Device, true, None))
            .collect();
        let error = DeviceChoice::Only.pick(&many).unwrap_err();
        let listed = error.detail("candidates").unwrap().as_array().unwrap();
        assert_eq!(listed.len(), LISTED);
        assert!(error.message().contains("30"));
    }
}
