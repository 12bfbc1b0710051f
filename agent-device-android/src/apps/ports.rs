//! Ports of the device that were made to lead here, and whose they are.

use std::collections::BTreeMap;

use agent_device_core::{Call, Result};
use tokio::sync::Mutex;

use crate::adb::{AdbDevice, Reverse};

/// The ports that this value made. They go with it.
#[derive(Debug, Default)]
pub(crate) struct Ports {
    own: Mutex<BTreeMap<u16, Reverse>>,
}

impl Ports {
    /// Makes the device's port lead to the same port here. One that does so already is left to whoever made it.
    pub(crate) async fn lead_here(&self, device: &AdbDevice, port: u16, call: &Call) -> Result<()> {
        let mut own = super::bounded(call, self.own.lock()).await?;
        let same = format!("tcp:{port}");
        let all = device.reverses(call).await?;
        if all
            .iter()
            .any(|entry| entry.local == same && entry.remote == same)
        {
            return Ok(());
        }
        // Gone from the device, or never there: what is remembered of it has no port any more.
        own.remove(&port);
        let reverse = device.reverse(port, port, call).await.map_err(|error| {
            error.with_detail("port", port).with_hint(
                "The port is in use on the device: free it there, or serve on another one.",
            )
        })?;
        own.insert(port, reverse);
        Ok(())
    }

    /// Removes what this value made.
    pub(crate) async fn close(&self, call: &Call) -> Result<()> {
        let mut own = super::bounded(call, self.own.lock()).await?;
        while let Some((_, reverse)) = own.pop_first() {
            reverse.close(call).await?;
        }
        Ok(())
    }
}
