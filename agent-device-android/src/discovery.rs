//! Which devices there are, what they are, and what to do about those that can't be used.
//!
//! What may not be here: which of them is meant (that is `choice`).

use std::{collections::HashMap, sync::Arc, time::Duration};

use agent_device_core::{Call, Result};
use serde::Serialize;
use tokio::{sync::Semaphore, task::JoinSet};

use crate::adb::{AdbServer, DeviceEntry, DeviceState, ShellCommand, is_address};

/// How many devices are asked at once: a server with a shelf of phones behind it serves tests beside us.
const AT_ONCE: usize = 3;
/// How long a device may take to say what it is. One that hangs is listed without its facts.
const PATIENCE: Duration = Duration::from_secs(5);

/// How a device is connected to its adb server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Connection {
    /// An emulator on the server's machine.
    Emulator,
    /// By cable.
    Usb,
    /// Over the network.
    Network,
}

/// What kind of device it is, by `ro.build.characteristics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FormFactor {
    /// A phone, or whatever calls itself nothing else.
    Phone,
    /// A tablet.
    Tablet,
    /// A television or its box.
    Tv,
    /// A watch.
    Watch,
    /// A car.
    Car,
}

impl FormFactor {
    fn of(characteristics: &str) -> Self {
        let has = |word: &str| characteristics.split(',').any(|each| each.trim() == word);
        if has("tv") {
            Self::Tv
        } else if has("watch") {
            Self::Watch
        } else if has("automotive") {
            Self::Car
        } else if has("tablet") {
            Self::Tablet
        } else {
            Self::Phone
        }
    }
}

/// What makes a device usable that is not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cure {
    /// Unlock it and allow this computer in the dialog that it shows.
    AllowOnScreen,
    /// Give it a moment: its connection is being made, or it boots.
    Wait,
    /// Reconnect it: its connection is there and it does not answer.
    Reconnect,
    /// Give this user the right to open the USB device.
    UsbPermissions,
    /// Start Android on it: it is in this other mode.
    StartAndroid(String),
}

impl Cure {
    /// What to do, as a sentence.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::AllowOnScreen => {
                "Unlock the device and allow this computer in the dialog that it shows."
            }
            Self::Wait => "Give the device a moment: it boots, or its connection is being made.",
            Self::Reconnect => {
                "Wait until the device has booted; if it stays offline, reconnect it (`adb reconnect offline`, another cable or port)."
            }
            Self::UsbPermissions => {
                "Give this user the right to open the USB device: a udev rule (Debian: the package android-sdk-platform-tools-common \
                 and the group plugdev), then reconnect the device."
            }
            Self::StartAndroid(_) => {
                "Start Android on the device (`adb reboot`, or its own menu): it is in another mode."
            }
        }
    }

    fn of(state: &DeviceState, properties: Option<&Properties>) -> Option<Self> {
        Some(match state {
            DeviceState::Device if properties.is_some_and(|known| !known.booted) => Self::Wait,
            DeviceState::Device => return None,
            DeviceState::Offline => Self::Reconnect,
            DeviceState::Unauthorized => Self::AllowOnScreen,
            DeviceState::Authorizing | DeviceState::Connecting => Self::Wait,
            DeviceState::NoPermissions => Self::UsbPermissions,
            DeviceState::Other(mode) => Self::StartAndroid(mode.clone()),
        })
    }
}

/// What a device says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Properties {
    /// The API level of its Android.
    pub api: Option<u32>,
    /// The version of its Android: `14`.
    pub release: Option<String>,
    /// Who made it.
    pub manufacturer: Option<String>,
    /// The model, in its own spelling.
    pub model: Option<String>,
    /// What kind of device it is.
    pub form_factor: FormFactor,
    /// Whether it is an emulator, however it is connected.
    pub emulator: bool,
    /// The name of an emulator's virtual device.
    pub avd: Option<String>,
    /// Whether it has booted.
    pub booted: bool,
}

/// Asked for in one command. Emulators have called their name and themselves differently over the years.
const KEYS: &str = "for key in ro.build.version.sdk ro.build.version.release ro.product.manufacturer ro.product.model \
     ro.build.characteristics ro.boot.qemu ro.kernel.qemu ro.boot.qemu.avd_name ro.kernel.qemu.avd_name persist.sys.avd_name \
     sys.boot_completed; do echo \"$key=$(getprop $key)\"; done";

impl Properties {
    fn parse(text: &str) -> Self {
        let known: HashMap<&str, &str> = text
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(key, value)| (key, value.trim()))
            .filter(|(_, value)| !value.is_empty())
            .collect();
        let word = |key: &str| {
            known
                .get(key)
                .map(|value| value.chars().take(256).collect::<String>())
        };
        let is_set = |key: &str| known.get(key) == Some(&"1");
        Self {
            api: known
                .get("ro.build.version.sdk")
                .and_then(|level| level.parse().ok()),
            release: word("ro.build.version.release"),
            manufacturer: word("ro.product.manufacturer"),
            model: word("ro.product.model"),
            form_factor: FormFactor::of(known.get("ro.build.characteristics").unwrap_or(&"")),
            emulator: is_set("ro.boot.qemu") || is_set("ro.kernel.qemu"),
            avd: word("ro.boot.qemu.avd_name")
                .or_else(|| word("ro.kernel.qemu.avd_name"))
                .or_else(|| word("persist.sys.avd_name")),
            booted: is_set("sys.boot_completed"),
        }
    }
}

/// A device that an adb server knows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundDevice {
    /// What the server says about it.
    pub entry: DeviceEntry,
    /// How it is connected.
    pub connection: Connection,
    /// What it says about itself. `None`: it can't be used, or did not answer in time.
    pub properties: Option<Properties>,
}

impl FoundDevice {
    pub(crate) fn new(entry: DeviceEntry, properties: Option<Properties>) -> Self {
        Self {
            connection: connection(&entry),
            entry,
            properties,
        }
    }

    /// By what the server knows it: a serial number, or an address.
    pub fn serial(&self) -> &str {
        &self.entry.serial
    }

    /// What people call it: the name of the virtual device, else the model, else the serial number.
    pub fn name(&self) -> &str {
        let own = self.properties.as_ref();
        own.and_then(|own| own.avd.as_deref().or(own.model.as_deref()))
            .or(self.entry.model.as_deref())
            .unwrap_or(&self.entry.serial)
    }

    /// Whether it can be used now.
    pub fn is_usable(&self) -> bool {
        self.cure().is_none()
    }

    /// What makes it usable. `None`: it is.
    pub fn cure(&self) -> Option<Cure> {
        Cure::of(&self.entry.state, self.properties.as_ref())
    }

    /// Whether it is an emulator, however it is connected.
    pub fn is_emulator(&self) -> bool {
        self.connection == Connection::Emulator
            || self.properties.as_ref().is_some_and(|own| own.emulator)
    }
}

fn connection(entry: &DeviceEntry) -> Connection {
    let serial = entry.serial.as_str();
    let is_port = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if serial.strip_prefix("emulator-").is_some_and(is_port) {
        Connection::Emulator
    } else if entry.usb.is_some() {
        Connection::Usb
    } else if serial.contains("._adb-tls-") || serial.contains("._adb._tcp") || is_address(serial) {
        Connection::Network
    } else {
        Connection::Usb
    }
}

impl AdbServer {
    /// All devices of this server, and what they are. Those that can't be used are among them, with their
    /// [`cure`](FoundDevice::cure). Devices are asked in parallel, three at a time, and have 5 s each; one that does not
    /// answer is listed without [`properties`](FoundDevice::properties).
    ///
    /// # Errors
    ///
    /// The server can't be reached or started, or doesn't answer in time.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn discover(&self, call: &Call) -> Result<Vec<FoundDevice>> {
        let entries = self.devices(call).await?;
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        let mut asked = JoinSet::new();
        for (at, entry) in entries.iter().enumerate() {
            if entry.state != DeviceState::Device {
                continue;
            }
            let (server, entry, call, turns) = (
                self.clone(),
                entry.clone(),
                call.clone(),
                Arc::clone(&turns),
            );
            asked.spawn(async move {
                let _turn = turns.acquire_owned().await.ok()?;
                let properties = server.properties(&entry, &call);
                let properties = tokio::time::timeout(PATIENCE, properties).await.ok()?;
                Some((at, properties?))
            });
        }
        let mut known = HashMap::new();
        while let Some(answer) = asked.join_next().await {
            if let Ok(Some((at, properties))) = answer {
                known.insert(at, properties);
            }
        }
        Ok(entries
            .into_iter()
            .enumerate()
            .map(|(at, entry)| FoundDevice::new(entry, known.remove(&at)))
            .collect())
    }

    async fn properties(&self, entry: &DeviceEntry, call: &Call) -> Option<Properties> {
        // Two devices may share a serial number; a transport is one device.
        let device = match entry.transport_id {
            Some(id) => self.device(crate::adb::DeviceSelector::TransportId(id)),
            None => self.device(entry.serial.as_str()),
        };
        let output = device.ok()?.shell(&ShellCommand::script(KEYS), call).await;
        Some(Properties::parse(&output.ok()?.stdout_text()))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn entry(serial: &str, state: DeviceState) -> DeviceEntry {
        DeviceEntry {
            serial: serial.to_owned(),
            state,
            transport_id: None,
            product: None,
            model: None,
            device: None,
            usb: None,
        }
    }

    #[test]
    fn a_connection_shows_in_the_serial_number() {
        for (serial, usb, wanted) in [
            ("emulator-5554", None, Connection::Emulator),
            ("emulator-x", None, Connection::Usb),
            ("0123456789ABCDEF", Some("1-4"), Connection::Usb),
            ("0123456789ABCDEF", None, Connection::Usb),
            ("192.168.1.5:5555", None, Connection::Network),
            ("[fe80::1]:5555", None, Connection::Network),
            ("adb-X (2)._adb-tls-connect._tcp", None, Connection::Network),
            // A serial number of a USB device is its maker's choice.
            ("lab:17", Some("2-1"), Connection::Usb),
        ] {
            let mut entry = entry(serial, DeviceState::Device);
            entry.usb = usb.map(str::to_owned);
            assert_eq!(connection(&entry), wanted, "{serial}");
        }
    }

    #[test]
    fn every_state_has_its_cure() {
        for (state, cure) in [
            (DeviceState::Device, None),
            (DeviceState::Offline, Some(Cure::Reconnect)),
            (DeviceState::Unauthorized, Some(Cure::AllowOnScreen)),
            (DeviceState::Authorizing, Some(Cure::Wait)),
            (DeviceState::Connecting, Some(Cure::Wait)),
            (DeviceState::NoPermissions, Some(Cure::UsbPermissions)),
            (
                DeviceState::Other("recovery".into()),
                Some(Cure::StartAndroid("recovery".into())),
            ),
        ] {
            let found = FoundDevice::new(entry("x", state.clone()), None);
            assert_eq!(found.cure(), cure, "{state:?}");
            assert_eq!(found.is_usable(), cure.is_none());
        }
        let booting = Properties::parse("ro.build.version.sdk=34\nsys.boot_completed=\n");
        let found = FoundDevice::new(entry("x", DeviceState::Device), Some(booting));
        assert_eq!(found.cure(), Some(Cure::Wait));
    }

    #[test]
    fn properties_are_read_by_their_names() {
        let text = "ro.build.version.sdk=34\r\nro.build.version.release=14\nro.product.manufacturer=\nro.product.model=Pixel 8=b\n\
                    ro.build.characteristics=nosdcard,tv\nro.kernel.qemu=1\nro.kernel.qemu.avd_name=Pixel_8_API_34\n\
                    sys.boot_completed=1\nnonsense\n";
        let known = Properties::parse(text);
        assert_eq!(known.api, Some(34));
        assert_eq!(known.manufacturer, None);
        assert_eq!(known.model.as_deref(), Some("Pixel 8=b"));
        assert_eq!(known.form_factor, FormFactor::Tv);
        assert!(known.emulator && known.booted);
        let found = FoundDevice::new(entry("1.2.3.4:5555", DeviceState::Device), Some(known));
        assert_eq!(found.name(), "Pixel_8_API_34");
        assert!(found.is_emulator() && found.connection == Connection::Network);
        for (words, wanted) in [
            ("", FormFactor::Phone),
            ("default", FormFactor::Phone),
            ("tablet,nosdcard", FormFactor::Tablet),
            ("watch", FormFactor::Watch),
            ("automotive", FormFactor::Car),
            ("tvish", FormFactor::Phone),
        ] {
            assert_eq!(FormFactor::of(words), wanted, "{words}");
        }
    }
}
