//! Ports of this machine that lead to sockets of the device.

use std::net::{SocketAddr, ToSocketAddrs as _};

use agent_device_core::{Call, Error, Result};

use super::{
    AdbDevice, AdbServer, Endpoint,
    at_once::at_once,
    link::{Progress, Status, within},
};
use crate::error::AdbFailure;

/// A socket of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remote {
    /// A TCP port of the device's loopback.
    Tcp(u16),
    /// A Unix socket in the abstract name space.
    LocalAbstract(String),
    /// A Unix socket in the file system.
    LocalFilesystem(String),
}

impl Remote {
    pub(super) fn spec(&self) -> Result<String> {
        let (kind, name) = match self {
            Self::Tcp(port) => return Ok(format!("tcp:{port}")),
            Self::LocalAbstract(name) => ("localabstract", name),
            Self::LocalFilesystem(path) => ("localfilesystem", path),
        };
        // A Unix socket's name has at most 107 bytes; a semicolon would end the pair.
        let valid = !name.is_empty()
            && name.len() <= 107
            && !name.contains(';')
            && !name.chars().any(char::is_control);
        if valid {
            Ok(format!("{kind}:{name}"))
        } else {
            Err(Error::invalid(
                "remote",
                "the name of the device's socket is not valid",
            ))
        }
    }
}

/// One entry of the server's list of forwarded ports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForwardEntry {
    /// The serial number of the device.
    pub serial: String,
    /// The socket on the server's side, in adb's words: `tcp:34567`.
    pub local: String,
    /// The socket of the device, in adb's words: `localabstract:name`.
    pub remote: String,
}

pub(super) fn entries(text: &str) -> Vec<ForwardEntry> {
    let entry = |line: &str| {
        // A serial number may hold spaces, the two sockets don't.
        let (rest, remote) = line.trim_end().rsplit_once(' ')?;
        let (serial, local) = rest.trim_end().rsplit_once(' ')?;
        Some(ForwardEntry {
            serial: serial.trim().to_owned(),
            local: local.to_owned(),
            remote: remote.to_owned(),
        })
    };
    text.lines().filter_map(entry).collect()
}

/// A forwarded port. Dropping it removes the forward, as far as that can be done within half a second;
/// [`close`](Self::close) says whether it worked.
#[derive(Debug)]
#[must_use = "the forward ends when this is dropped"]
pub struct Forward {
    device: AdbDevice,
    port: u16,
    open: bool,
}

impl Forward {
    /// The port, on the machine of the adb server.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address to connect to. Never by the name `localhost`: it resolves to IPv6 first, where the server does not listen.
    ///
    /// # Errors
    ///
    /// The server's host does not resolve, or only the adb program can reach it.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        match self.device.server().endpoint() {
            Endpoint::Tcp { host, .. } => (host.as_str(), self.port)
                .to_socket_addrs()?
                .next()
                .ok_or_else(|| std::io::ErrorKind::AddrNotAvailable.into()),
            Endpoint::Program(_) => Ok(SocketAddr::from(([127, 0, 0, 1], self.port))),
        }
    }

    fn removal(&self) -> String {
        self.device
            .selector()
            .host_service(&format!("killforward:tcp:{}", self.port))
    }

    /// Removes the forward.
    ///
    /// # Errors
    ///
    /// The server can't be reached, doesn't answer in time, or doesn't know the forward any more.
    ///
    /// # Cancel safety
    ///
    /// The forward is removed when the future is dropped, as on any drop.
    pub async fn close(mut self, call: &Call) -> Result<()> {
        let server = self.device.server();
        if server.program().is_some() {
            let port = format!("tcp:{}", self.port);
            let output = self
                .device
                .adb(&["forward", "--remove", &port], call)
                .await?;
            output.checked("adb")?;
        } else {
            let removal = self.removal();
            host_command(server, &removal, call).await?;
        }
        self.open = false;
        Ok(())
    }
}

impl Drop for Forward {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        let removed = at_once(self.device.server().endpoint(), &[&self.removal()]);
        if removed.is_err() {
            tracing::debug!(name: "agent_device.android.forward_left", port = self.port, "a forward was left behind");
        }
    }
}

/// A service of the server that answers with a status for the request and one for the outcome.
async fn host_command(server: &AdbServer, service: &str, call: &Call) -> Result<()> {
    let progress = Progress::default();
    let command = async {
        let mut link = server.link(call).await?;
        if let Status::Fail(text) = link.serve(service.as_bytes(), &progress).await? {
            return Err(AdbFailure::HostService { text });
        }
        match link.status().await? {
            Status::Okay => Ok(()),
            Status::Fail(text) => Err(AdbFailure::HostService { text }),
        }
    };
    Ok(within(call, &progress, command).await?)
}

impl AdbDevice {
    /// Forwards a port of the server's machine, chosen by the server, to a socket of the device. The socket need not exist yet.
    ///
    /// # Errors
    ///
    /// The server can't be reached or doesn't answer in time, refuses the device, or has no port left. Nothing reaches the app.
    ///
    /// # Cancel safety
    ///
    /// The forward may be left behind: [`AdbServer::forwards`] lists it.
    pub async fn forward(&self, remote: &Remote, call: &Call) -> Result<Forward> {
        let remote = remote.spec()?;
        let port = if self.server.program().is_some() {
            let output = self.adb(&["forward", "tcp:0", &remote], call).await?;
            port(&output.checked("adb")?.stdout_text())?
        } else {
            let service = self
                .selector
                .host_service(&format!("forward:tcp:0;{remote}"));
            let progress = Progress::default();
            let command = async {
                let mut link = self.server.link(call).await?;
                if let Status::Fail(text) = link.serve(service.as_bytes(), &progress).await? {
                    return Err(AdbFailure::HostService { text });
                }
                if let Status::Fail(text) = link.status().await? {
                    return Err(AdbFailure::HostService { text });
                }
                link.text().await
            };
            match within(call, &progress, command).await {
                Ok(text) => port(&text)?,
                // adb 29 refuses a device here without a word; asked for the state of the device, it says why.
                Err(AdbFailure::HostService { text }) => {
                    self.state(call).await?;
                    return Err(AdbFailure::HostService { text }.into());
                }
                Err(failure) => return Err(failure.into()),
            }
        };
        Ok(Forward {
            device: self.clone(),
            port,
            open: true,
        })
    }
}

fn port(text: &str) -> Result<u16> {
    text.trim().parse().map_err(|_| {
        Error::from(AdbFailure::HostService {
            text: "a forwarded port that is no number".to_owned(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_name_can_not_become_another_request() {
        let name = |name: &str| Remote::LocalAbstract(name.into()).spec();
        assert_eq!(
            name("agent-device.1").unwrap(),
            "localabstract:agent-device.1"
        );
        assert_eq!(Remote::Tcp(80).spec().unwrap(), "tcp:80");
        for bad in ["", "a;tcp:1", "a\nb", &"x".repeat(108)] {
            assert!(name(bad).unwrap_err().dispatched().is_no(), "{bad}");
        }
    }

    #[test]
    fn the_list_of_forwards_is_read_from_behind() {
        let list = entries(
            "emulator-5554 tcp:1 localabstract:x\nadb-X (2)._adb tcp:2 tcp:3\nnonsense\n\n",
        );
        assert_eq!(list.len(), 2);
        assert_eq!(list[1].serial, "adb-X (2)._adb");
        assert_eq!(list[1].remote, "tcp:3");
    }
}
