//! Which of the devices is meant.

use agent_device_core::{Error, ErrorCode, Result, dispatch::rows::android_adb as rows};
use serde::Serialize;

use crate::{
    discovery::{Connection, Cure, FoundDevice},
    error::LISTED,
};

/// Which device is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceChoice {
    /// The only one that fits best: of several an emulator before a real device, so that nobody's phone is driven by accident.
    #[default]
    Only,
    /// The one with this serial number, or at this address.
    Serial(String),
    /// The one with this name: of the virtual device, of the model, or the model with its maker. Case, underscores and spaces
    /// don't count.
    Named(String),
}

impl DeviceChoice {
    /// What `ANDROID_SERIAL` says, as for the adb program; else the only one.
    pub fn from_env() -> Self {
        match std::env::var("ANDROID_SERIAL") {
            Ok(serial) if !serial.is_empty() => Self::Serial(serial),
            _ => Self::Only,
        }
    }

    /// Picks from what was found.
    ///
    /// # Errors
    ///
    /// None fits (`DEVICE_NOT_FOUND`), several do (`AMBIGUOUS_MATCH`, with `details.candidates`), or the one that fits can't be
    /// used: then the error says what to do about it. Nothing was sent to any device.
    pub fn pick<'a>(&self, found: &'a [FoundDevice]) -> Result<&'a FoundDevice> {
        let fitting: Vec<&FoundDevice> = found.iter().filter(|each| self.fits(each)).collect();
        let usable: Vec<&FoundDevice> = fitting
            .iter()
            .copied()
            .filter(|each| each.is_usable())
            .collect();
        match usable[..] {
            [one] if *self == Self::Only && !one.is_emulator() => {
                // Whoever has an emulator that is about to be there means it, and not the phone beside it.
                let coming = |each: &&FoundDevice| each.is_emulator() && each.cure().is_some();
                let coming: Vec<_> = fitting.iter().copied().filter(coming).collect();
                return match coming[..] {
                    [] => Ok(one),
                    _ => {
                        let error = self.nothing(&coming, found);
                        let hint = format!(
                            "{} Or name another device by its serial number (ANDROID_SERIAL).",
                            error.hint()
                        );
                        Err(error.with_hint(hint))
                    }
                };
            }
            [one] => return Ok(one),
            [] => return Err(self.nothing(&fitting, found)),
            _ => {}
        }
        let emulators: Vec<&FoundDevice> = usable
            .iter()
            .copied()
            .filter(|each| each.is_emulator())
            .collect();
        if let ([one], Self::Only) = (&emulators[..], self) {
            return Ok(*one);
        }
        Err(refused(
            ErrorCode::AmbiguousMatch,
            format!("{} devices fit {self}", usable.len()),
        )
        .with_reason("multiple_devices")
        .with_hint("Name one of details.candidates by its serial number, or set ANDROID_SERIAL.")
        .with_detail("candidates", candidates(&usable)))
    }

    fn fits(&self, device: &FoundDevice) -> bool {
        match self {
            Self::Only => true,
            Self::Serial(serial) => device.serial() == serial,
            Self::Named(name) => {
                let wanted = plain(name);
                let own = device.properties.as_ref();
                let maker = own.and_then(|own| {
                    Some(format!(
                        "{} {}",
                        own.manufacturer.as_deref()?,
                        own.model.as_deref()?
                    ))
                });
                let names = [
                    Some(device.name()),
                    device.entry.model.as_deref(),
                    own.and_then(|own| own.model.as_deref()),
                    maker.as_deref(),
                ];
                names.iter().flatten().any(|name| plain(name) == wanted)
            }
        }
    }

    /// No device that can be used fits.
    fn nothing(&self, fitting: &[&FoundDevice], found: &[FoundDevice]) -> Error {
        let cures: Vec<Cure> = fitting.iter().filter_map(|each| each.cure()).collect();
        let [cure] = &cures[..] else {
            let all: Vec<&FoundDevice> = found.iter().collect();
            let hint = match (&cures[..], found) {
                ([first, ..], _) => first.hint(),
                (_, []) => {
                    "Start an emulator or connect a device; `adb connect` reaches one on the network."
                }
                _ => "details.candidates lists the devices that are there.",
            };
            let reason = match (self, found) {
                (Self::Only, []) => "no_devices",
                _ if cures.is_empty() => "device_not_found",
                _ => "no_usable_device",
            };
            return refused(ErrorCode::DeviceNotFound, format!("no device fits {self}"))
                .with_reason(reason)
                .with_hint(hint)
                .with_detail("candidates", candidates(&all));
        };
        let (code, reason) = match cure {
            Cure::AllowOnScreen => (ErrorCode::Unauthorized, "device_unauthorized"),
            Cure::UsbPermissions => (ErrorCode::Unauthorized, "device_no_permissions"),
            Cure::Reconnect => (ErrorCode::DeviceNotFound, "device_offline"),
            Cure::Wait => (ErrorCode::DeviceNotFound, "device_not_ready"),
            Cure::StartAndroid(_) => (ErrorCode::DeviceNotFound, "device_in_other_mode"),
        };
        refused(code, format!("the device that fits {self} can't be used"))
            .with_reason(reason)
            .with_hint(cure.hint())
            .with_retriable(matches!(cure, Cure::Wait | Cure::Reconnect))
            .with_detail("candidates", candidates(fitting))
    }
}

impl std::fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Only => f.write_str("\"any device\""),
            Self::Serial(serial) => write!(f, "the serial number {serial:?}"),
            Self::Named(name) => write!(f, "the name {name:?}"),
        }
    }
}

fn refused(code: ErrorCode, message: String) -> Error {
    Error::refused(rows::DEVICE_NOT_CHOSEN, code, message)
}

/// A device as an error lists it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    serial: &'a str,
    name: &'a str,
    connection: Connection,
    api: Option<u32>,
    cure: Option<&'static str>,
}

fn candidates<'a>(devices: &[&'a FoundDevice]) -> Vec<Candidate<'a>> {
    let candidate = |device: &&'a FoundDevice| Candidate {
        serial: device.serial(),
        name: device.name(),
        connection: device.connection,
        api: device.properties.as_ref().and_then(|own| own.api),
        cure: device.cure().map(|cure| cure.hint()),
    };
    devices.iter().take(LISTED).map(candidate).collect()
}

/// A name without what people spell differently.
fn plain(name: &str) -> String {
    name.chars()
        .map(|c| if c == '_' || c == '-' { ' ' } else { c })
        .collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        adb::DeviceState,
        discovery::{FormFactor, Properties, tests::entry},
    };

    fn found(serial: &str, model: &str, state: DeviceState) -> FoundDevice {
        let mut entry = entry(serial, state);
        entry.model = Some(model.to_owned());
        FoundDevice::new(entry, None)
    }

    fn phone(serial: &str) -> FoundDevice {
        found(serial, "Pixel_8", DeviceState::Device)
    }

    #[test]
    fn the_table_of_choices_holds() {
        let emulator = found("emulator-5554", "sdk_gphone64", DeviceState::Device);
        let other = found("emulator-5556", "sdk_tv", DeviceState::Device);
        let offline = found("OFF", "Pixel_8", DeviceState::Offline);
        let booting = FoundDevice::new(
            entry("emulator-5558", DeviceState::Device),
            Some(Properties {
                api: None,
                release: None,
                manufacturer: None,
                model: None,
                form_factor: FormFactor::Phone,
                emulator: true,
                avd: None,
                booted: false,
            }),
        );
        let locked = found("LOCK", "Nexus", DeviceState::Unauthorized);
        let only = DeviceChoice::Only;
        let serial = |serial: &str| DeviceChoice::Serial(serial.to_owned());
        let named = |name: &str| DeviceChoice::Named(name.to_owned());
        for (choice, devices, wanted) in [
            (&only, vec![phone("A")], Ok("A")),
            (
                &only,
                vec![phone("A"), emulator.clone()],
                Ok("emulator-5554"),
            ),
            (&only, vec![phone("A"), offline.clone()], Ok("A")),
            // The emulator is meant, also while it is not there yet.
            (
                &only,
                vec![
                    phone("A"),
                    found("emulator-5554", "sdk", DeviceState::Offline),
                ],
                Err((ErrorCode::DeviceNotFound, "device_offline")),
            ),
            (
                &only,
                vec![phone("A"), booting.clone()],
                Err((ErrorCode::DeviceNotFound, "device_not_ready")),
            ),
            (&serial("A"), vec![phone("A"), booting.clone()], Ok("A")),
            (
                &only,
                vec![emulator.clone(), booting.clone()],
                Ok("emulator-5554"),
            ),
            (
                &only,
                vec![phone("A"), phone("B")],
                Err((ErrorCode::AmbiguousMatch, "multiple_devices")),
            ),
            (
                &only,
                vec![emulator.clone(), other.clone(), phone("A")],
                Err((ErrorCode::AmbiguousMatch, "multiple_devices")),
            ),
            (
                &only,
                vec![],
                Err((ErrorCode::DeviceNotFound, "no_devices")),
            ),
            (
                &only,
                vec![locked.clone()],
                Err((ErrorCode::Unauthorized, "device_unauthorized")),
            ),
            (
                &only,
                vec![locked.clone(), offline.clone()],
                Err((ErrorCode::DeviceNotFound, "no_usable_device")),
            ),
            (&serial("A"), vec![phone("A"), phone("B")], Ok("A")),
            (
                &serial("OFF"),
                vec![phone("A"), offline.clone()],
                Err((ErrorCode::DeviceNotFound, "device_offline")),
            ),
            (
                &serial("C"),
                vec![phone("A")],
                Err((ErrorCode::DeviceNotFound, "device_not_found")),
            ),
            (
                &serial("a"),
                vec![phone("A")],
                Err((ErrorCode::DeviceNotFound, "device_not_found")),
            ),
            (
                &named("pixel 8"),
                vec![phone("A"), emulator.clone()],
                Ok("A"),
            ),
            (&named("PIXEL-8"), vec![phone("A"), offline], Ok("A")),
            (
                &named("sdk"),
                vec![emulator, other],
                Err((ErrorCode::DeviceNotFound, "device_not_found")),
            ),
            // Only the unnamed choice prefers an emulator: a name was meant to be one device.
            (
                &named("pixel 8"),
                vec![
                    phone("A"),
                    found("emulator-1", "Pixel_8", DeviceState::Device),
                ],
                Err((ErrorCode::AmbiguousMatch, "multiple_devices")),
            ),
        ] {
            let picked = choice.pick(&devices);
            match wanted {
                Ok(serial) => assert_eq!(picked.unwrap().serial(), serial, "{choice}"),
                Err((code, reason)) => {
                    let error = picked.unwrap_err();
                    assert_eq!(
                        (error.code(), error.reason()),
                        (code, Some(reason)),
                        "{choice}"
                    );
                    assert!(error.dispatched().is_no());
                    let listed = error.detail("candidates").unwrap().as_array().unwrap();
                    assert_eq!(listed.is_empty(), devices.is_empty(), "{choice}");
                }
            }
        }
    }

    #[test]
    fn an_error_lists_a_few_of_many() {
        let many: Vec<_> = (0..30).map(|at| phone(&at.to_string())).collect();
        let error = DeviceChoice::Only.pick(&many).unwrap_err();
        assert_eq!(
            error
                .detail("candidates")
                .unwrap()
                .as_array()
                .unwrap()
                .len(),
            10
        );
        assert!(error.message().contains("30"));
    }
}
