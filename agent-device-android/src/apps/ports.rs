//! Ports of the device that were made to lead here, and whose they are.
//!
//! They outlive a host that is killed. So they are recorded in a setting of the device before they are made; whoever connects
//! next removes what is recorded.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
};

use agent_device_core::{Call, Result};
use tokio::sync::Mutex;

use crate::adb::{AdbDevice, ForwardEntry, Reverse, ShellCommand};

/// The setting that holds the ports: `8081,9000`.
pub(crate) const RECORD: &str = "agent_device_ports";

/// The ports that this value made. They go with it.
#[derive(Debug, Default)]
pub(crate) struct Ports {
    own: Mutex<BTreeMap<u16, Reverse>>,
    recorded: AtomicBool,
}

impl Ports {
    /// Makes the device's port lead to the same port here. One that does so already is left to whoever made it.
    pub(crate) async fn lead_here(&self, device: &AdbDevice, port: u16, call: &Call) -> Result<()> {
        let mut own = super::bounded(call, self.own.lock()).await?;
        let all = device.reverses(call).await?;
        if all.iter().any(|entry| leads_here(entry, port)) {
            return Ok(());
        }
        // Gone from the device, or never there: what is remembered of it has no port any more.
        own.remove(&port);
        self.record(device, own.keys().copied().chain([port]), call)
            .await?;
        let reverse = device.reverse(port, port, call).await.map_err(|error| {
            error.with_detail("port", port).with_hint(
                "The port is in use on the device: free it there, or serve on another one.",
            )
        })?;
        own.insert(port, reverse);
        Ok(())
    }

    /// A device that keeps no record is left with the port if its host is killed, which hides nothing from its user.
    async fn record(
        &self,
        device: &AdbDevice,
        ports: impl Iterator<Item = u16>,
        call: &Call,
    ) -> Result<()> {
        let ports: Vec<_> = ports.map(|port| port.to_string()).collect();
        // From here on there may be something to delete, also if this is given up half-way.
        self.recorded.store(true, Ordering::Relaxed);
        let output = settings(device, &["put", "secure", RECORD, &ports.join(",")], call).await?;
        if output.is_none() {
            tracing::debug!(name: "agent_device.android.ports_unrecorded", "the device does not keep which ports are made");
        }
        Ok(())
    }

    /// Whether there is a record of what this value made.
    pub(crate) fn is_recorded(&self) -> bool {
        self.recorded.load(Ordering::Relaxed)
    }

    /// Removes what this value made.
    pub(crate) async fn close(&self, device: &AdbDevice, call: &Call) -> Result<()> {
        let mut own = super::bounded(call, self.own.lock()).await?;
        while let Some((_, reverse)) = own.pop_first() {
            reverse.close(call).await?;
        }
        if self.is_recorded() {
            forget(device, call).await?;
            self.recorded.store(false, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Removes the ports that are recorded and still lead here.
pub(crate) async fn recover(device: &AdbDevice, call: &Call) -> Result<()> {
    let record = settings(device, &["get", "secure", RECORD], call).await?;
    let record = record.unwrap_or_default();
    let left: Vec<u16> = record
        .split(',')
        .filter_map(|port| port.parse().ok())
        .collect();
    let all = match left.is_empty() {
        true => Vec::new(),
        false => device.reverses(call).await?,
    };
    for port in left {
        if all.iter().any(|entry| leads_here(entry, port)) {
            device.made_reverse(port).close(call).await?;
        }
    }
    forget(device, call).await
}

fn leads_here(entry: &ForwardEntry, port: u16) -> bool {
    let same = format!("tcp:{port}");
    entry.local == same && entry.remote == same
}

async fn forget(device: &AdbDevice, call: &Call) -> Result<()> {
    settings(device, &["delete", "secure", RECORD], call)
        .await
        .map(drop)
}

/// What it prints; `None` if it fails.
async fn settings(device: &AdbDevice, words: &[&str], call: &Call) -> Result<Option<String>> {
    let command = ShellCommand::new("settings")?.args(words)?;
    let output = device.shell(&command, call).await?;
    let said = output.stdout_text().trim().to_owned();
    Ok((output.code == 0).then_some(said))
}
