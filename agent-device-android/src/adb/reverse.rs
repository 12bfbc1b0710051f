//! Ports of the device that lead to ports of the adb server's machine.

use agent_device_core::{Call, Result};

use super::{
    AdbDevice, ForwardEntry,
    at_once::at_once,
    forward,
    link::{Link, Progress, Status, within},
};
use crate::error::AdbFailure;

/// A port of the device that leads to this side. Dropping it removes it, as far as that can be done within half a second;
/// [`close`](Self::close) says whether it worked.
#[derive(Debug)]
#[must_use = "the port ends when this is dropped"]
pub struct Reverse {
    device: AdbDevice,
    port: u16,
    open: bool,
}

impl Reverse {
    /// The port on the device's loopback.
    pub fn port(&self) -> u16 {
        self.port
    }

    fn removal(&self) -> String {
        format!("reverse:killforward:tcp:{}", self.port)
    }

    /// Removes it.
    ///
    /// # Errors
    ///
    /// The device can't be reached, doesn't answer in time, or doesn't know the port any more.
    ///
    /// # Cancel safety
    ///
    /// The port is removed when the future is dropped, as on any drop.
    pub async fn close(mut self, call: &Call) -> Result<()> {
        if self.device.server().program().is_some() {
            let port = format!("tcp:{}", self.port);
            let arguments = ["reverse", "--remove", &port];
            self.device.adb(&arguments, call).await?.checked("adb")?;
        } else {
            self.device.reverse_command(&self.removal(), call).await?;
        }
        self.open = false;
        Ok(())
    }
}

impl Drop for Reverse {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        let server = self.device.server().endpoint();
        let transport = self.device.selector().transport();
        let removed = at_once(server, &[&transport, &self.removal()]);
        if removed.is_err() {
            tracing::debug!(name: "agent_device.android.reverse_left", port = self.port, "a port of the device was left behind");
        }
    }
}

impl AdbDevice {
    /// Makes a port of the device's loopback lead to a port of the adb server's machine, if the device's port is free.
    ///
    /// # Errors
    ///
    /// The device can't be reached, doesn't answer in time, or has the port in use. Nothing reaches the app.
    ///
    /// # Cancel safety
    ///
    /// The port may be left behind: [`reverses`](Self::reverses) lists it.
    pub async fn reverse(&self, device_port: u16, host_port: u16, call: &Call) -> Result<Reverse> {
        let (from, to) = (format!("tcp:{device_port}"), format!("tcp:{host_port}"));
        if self.server.program().is_some() {
            let arguments = ["reverse", "--no-rebind", &from, &to];
            self.adb(&arguments, call).await?.checked("adb")?;
        } else {
            let service = format!("reverse:forward:norebind:{from};{to}");
            self.reverse_command(&service, call).await?;
        }
        Ok(self.made_reverse(device_port))
    }

    /// A port that was made, by whichever process.
    pub(crate) fn made_reverse(&self, device_port: u16) -> Reverse {
        Reverse {
            device: self.clone(),
            port: device_port,
            open: true,
        }
    }

    /// The ports of the device that lead to this side, whoever made them. `local` is the device's port, as adb prints it.
    ///
    /// # Errors
    ///
    /// The device can't be reached or doesn't answer in time.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn reverses(&self, call: &Call) -> Result<Vec<ForwardEntry>> {
        if self.server.program().is_some() {
            let output = self.adb(&["reverse", "--list"], call).await?;
            return Ok(forward::entries(&output.checked("adb")?.stdout_text()));
        }
        let list = async {
            let progress = Progress::default();
            let mut link = self.open(b"reverse:list-forward", &progress, call).await?;
            link.text().await
        };
        let text = within(call, &Progress::default(), list).await?;
        Ok(forward::entries(&text))
    }

    /// A service of the device's daemon that answers with a status of its own. No app notices it.
    async fn reverse_command(&self, service: &str, call: &Call) -> Result<()> {
        let command = async {
            // A progress of its own, which is not that of a command: the daemon runs nothing.
            let progress = Progress::default();
            let opened = self.open(service.as_bytes(), &progress, call).await;
            let mut link: Link = match opened {
                Err(AdbFailure::ServiceRefused { text }) => {
                    return Err(AdbFailure::HostService { text });
                }
                other => other?,
            };
            match link.status().await? {
                Status::Okay => Ok(()),
                Status::Fail(text) => Err(AdbFailure::HostService { text }),
            }
        };
        Ok(within(call, &Progress::default(), command).await?)
    }
}
