//! Which simulators and devices there are, as Xcode's tools list them. Neither list has a documented form, so whatever is no
//! entry as it is known is left out.
//!
//! `xcrun simctl list devices -j`: as FilledStacks/device_finder (`test/test_data.dart`) and bitrise-io/go-xcode
//! (`destination/testdata`) keep recordings of it. `xcrun devicectl list devices --json-output`: as flutter/flutter
//! (`core_devices.dart`) and tauri-apps/cargo-mobile2 (`devicectl/device_list.rs`) read it; the latter also has the form that
//! comes with Xcode 27.

use std::ffi::OsStr;

use serde::{Deserialize, de::IgnoredAny};

use super::{
    devicectl,
    process::{Patience, ToolFailure, ToolPath},
    simctl,
};

/// One entry of a list.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Entry<T> {
    Known(T),
    Other(IgnoredAny),
}

pub(super) fn known<T>(entries: Vec<Entry<T>>) -> impl Iterator<Item = T> {
    entries.into_iter().filter_map(|entry| match entry {
        Entry::Known(entry) => Some(entry),
        Entry::Other(_) => None,
    })
}

#[derive(Debug, Deserialize)]
struct Runtimes {
    devices: std::collections::BTreeMap<String, Vec<Entry<Simulator>>>,
}

/// A simulator.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Simulator {
    pub(crate) udid: String,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) state: String,
    /// Whether it has its runtime. Old tools don't say.
    #[serde(default)]
    is_available: Option<bool>,
    #[serde(default)]
    availability_error: Option<String>,
    #[serde(default)]
    pub(crate) device_type_identifier: Option<String>,
    /// What it is a simulator of: `com.apple.CoreSimulator.SimRuntime.iOS-18-2`, by old tools `iOS 12.1`.
    #[serde(skip)]
    pub(crate) runtime: String,
}

impl Simulator {
    /// Why it can't be booted, in the words of the tool. `None`: it can.
    pub(crate) fn unavailable(&self) -> Option<&str> {
        let why = self.availability_error.as_deref().unwrap_or("");
        (self.is_available == Some(false)).then_some(why)
    }
}

#[derive(Debug, Deserialize)]
struct Devices {
    devices: Vec<Entry<Listed>>,
}

/// A device in both forms: each fact in a place of its own, or all of them in `properties`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    #[serde(default)]
    visibility_class: Option<String>,
    #[serde(default)]
    connection_properties: Connection,
    #[serde(default)]
    device_properties: State,
    #[serde(default)]
    hardware_properties: Hardware,
    #[serde(default)]
    properties: Properties,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Properties {
    connection: Connection,
    hardware: Hardware,
    state: State,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Connection {
    is_mobile_device_only: bool,
    pairing_state: Option<String>,
    transport_type: Option<String>,
    #[serde(alias = "state")]
    tunnel_state: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct State {
    name: Option<String>,
    os_version_number: Option<String>,
    developer_mode_status: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Hardware {
    platform: Option<String>,
    marketing_name: Option<String>,
    reality: Option<String>,
    udid: Option<String>,
}

/// A device that stands or lies beside this Mac, or did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PhysicalDevice {
    pub(crate) udid: String,
    /// As the tool calls it: `iOS`, `xrOS`.
    pub(crate) platform: String,
    pub(crate) name: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) reachable: bool,
    pub(crate) paired: bool,
    /// Whether it lets itself be driven. It may not say.
    pub(crate) developer_mode: Option<bool>,
}

impl Listed {
    /// `None`: it is a simulator, or has no number.
    fn device(self) -> Option<PhysicalDevice> {
        let Properties {
            connection,
            hardware,
            state,
        } = self.properties;
        let (old_connection, old_hardware, old_state) = (
            self.connection_properties,
            self.hardware_properties,
            self.device_properties,
        );
        let is_simulator = self.visibility_class.as_deref() == Some("simulators");
        let reality = old_hardware.reality.or(hardware.reality);
        if is_simulator || reality.is_some_and(|reality| reality != "physical") {
            return None;
        }
        // One that is away has no transport. The tunnel to one that is there is made when it is used, and devices with iOS 16 or
        // earlier never have one.
        let tunnel = old_connection.tunnel_state.or(connection.tunnel_state);
        let no_tunnel = tunnel.as_deref() == Some("unavailable");
        let mobile = old_connection.is_mobile_device_only || connection.is_mobile_device_only;
        let transport = old_connection.transport_type.or(connection.transport_type);
        let pairing = old_connection.pairing_state.or(connection.pairing_state);
        let mode = old_state
            .developer_mode_status
            .or(state.developer_mode_status);
        Some(PhysicalDevice {
            udid: old_hardware.udid.or(hardware.udid)?,
            platform: old_hardware.platform.or(hardware.platform)?,
            name: old_state.name.or(state.name),
            model: old_hardware.marketing_name.or(hardware.marketing_name),
            version: old_state.os_version_number.or(state.os_version_number),
            reachable: transport.is_some() && (mobile || !no_tunnel),
            paired: pairing.as_deref() != Some("unpaired"),
            developer_mode: mode.map(|mode| mode == "enabled"),
        })
    }
}

fn read_simulators(answer: &[u8]) -> Result<Vec<Simulator>, ToolFailure> {
    let list: Runtimes = serde_json::from_slice(answer).map_err(|_| ToolFailure::Unreadable {
        command: "xcrun simctl list".to_owned(),
        what: "no `devices` in JSON",
    })?;
    let of_runtime = |(runtime, entries): (String, Vec<_>)| {
        known(entries).map(move |simulator: Simulator| Simulator {
            runtime: runtime.clone(),
            ..simulator
        })
    };
    Ok(list.devices.into_iter().flat_map(of_runtime).collect())
}

/// All simulators of this set, or of the user's own.
pub(crate) async fn simulators(
    tools: &ToolPath,
    set: Option<&OsStr>,
    patience: &Patience,
) -> Result<Vec<Simulator>, ToolFailure> {
    let tool = simctl::tool(set, std::time::Duration::from_secs(60));
    let output = tools
        .run(tool.args(["list", "devices", "-j"]), patience)
        .await?;
    read_simulators(&output.stdout)
}

/// All devices that this Mac knows, those that are away among them.
pub(crate) async fn devices(
    tools: &ToolPath,
    patience: &Patience,
) -> Result<Vec<PhysicalDevice>, ToolFailure> {
    let list: Devices = devicectl::answer(
        tools,
        &["list", "devices"],
        "no `result.devices` in JSON",
        patience,
    )
    .await?;
    Ok(known(list.devices).filter_map(Listed::device).collect())
}

#[cfg(any(test, feature = "fuzzing"))]
pub(super) fn fuzz(answer: &[u8]) {
    drop(read_simulators(answer));
    if let Some(list) = devicectl::read::<Devices>(answer) {
        drop(
            known(list.devices)
                .filter_map(Listed::device)
                .collect::<Vec<_>>(),
        );
    }
}
