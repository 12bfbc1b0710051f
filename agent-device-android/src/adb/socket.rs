//! Sockets of the device without a forwarded port: the server opens them as a service, on a connection like any other.
//!
//! Nothing listens on this machine, nothing must be removed later, and it is known when the socket of the device stands:
//! a forwarded port takes a connection before the device was asked.

use agent_device_core::Call;

use super::{
    AdbDevice, Remote,
    link::{Link, Progress, within},
};
use crate::error::AdbFailure;

/// A connection to a socket of the device. Nothing was written to it yet.
#[derive(Debug)]
pub(crate) struct DeviceSocket {
    link: Link,
}

impl AdbDevice {
    /// Connects to a socket of the device. Whatever fails here, nothing of a request was written.
    pub(crate) async fn connect_to(
        &self,
        remote: &Remote,
        call: &Call,
    ) -> Result<DeviceSocket, AdbFailure> {
        // A progress of its own, which is not that of the command: opening a socket runs nothing.
        let open = async {
            let service = remote.spec().map_err(|_| AdbFailure::HostService {
                text: "the name of the device's socket is not valid".to_owned(),
            })?;
            self.open(service.as_bytes(), &Progress::default(), call)
                .await
        };
        let link = within(call, &Progress::default(), open).await?;
        Ok(DeviceSocket { link })
    }
}

impl DeviceSocket {
    /// Writes a request and reads everything until the other end closes, up to `limit` bytes.
    pub(crate) async fn ask(
        mut self,
        request: &[u8],
        limit: usize,
        call: &Call,
    ) -> Result<Vec<u8>, AdbFailure> {
        let progress = Progress::default();
        let ask = async {
            progress.requested();
            self.link.write(request).await?;
            let mut reply = Vec::new();
            loop {
                if self.link.read_some(&mut reply, CHUNK).await? == 0 {
                    return Ok(reply);
                }
                if reply.len() > limit {
                    return Err(AdbFailure::TooLarge { limit });
                }
            }
        };
        within(call, &progress, ask).await
    }
}

const CHUNK: usize = 256 * 1024;
