//! The adb server: reaching it, starting it, and what it answers without a device.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agent_device_core::{Call, Error, Result};
use tokio::{sync::Mutex as AsyncMutex, time::Instant};

use super::{
    AdbDevice, DeviceEntry, DeviceSelector, Endpoint, ForwardEntry, endpoint, forward,
    link::{Link, Progress, Status, within},
    process::{self, Program},
    wire,
};
use crate::{
    config::AdbConfig,
    error::{AdbFailure, Phase},
};

/// How long a device that stayed offline after a wait is not waited for again.
const OFFLINE_MEMORY: Duration = Duration::from_secs(30);

/// An adb server. Cheap to clone; clones share what is known about it.
#[derive(Clone, Debug)]
pub struct AdbServer {
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) endpoint: Endpoint,
    pub(super) config: AdbConfig,
    /// Held while the server is being started, so that it is started once.
    starting: AsyncMutex<()>,
    /// Devices that stayed offline although they were waited for, with the end of that memory.
    offline: Mutex<HashMap<DeviceSelector, Instant>>,
}

impl AdbServer {
    /// The server that the environment names, as the adb program would find it.
    ///
    /// # Errors
    ///
    /// A variable of the environment is not valid. Nothing was sent.
    pub fn from_env() -> Result<Self> {
        Ok(Self::new(Endpoint::from_env()?, AdbConfig::default()))
    }

    /// The server at this place.
    pub fn new(endpoint: Endpoint, config: AdbConfig) -> Self {
        Self {
            shared: Arc::new(Shared {
                endpoint,
                config,
                starting: AsyncMutex::default(),
                offline: Mutex::default(),
            }),
        }
    }

    /// Where it listens.
    pub fn endpoint(&self) -> &Endpoint {
        &self.shared.endpoint
    }

    /// A device of this server: a serial number, a transport id, or [`DeviceSelector::Any`]. Sends nothing.
    ///
    /// # Errors
    ///
    /// The serial number can't be one. Nothing was sent.
    pub fn device(&self, selector: impl Into<DeviceSelector>) -> Result<AdbDevice> {
        AdbDevice::new(self.clone(), selector.into())
    }

    /// The number of the protocol that the server speaks: 41 since 2018.
    ///
    /// # Errors
    ///
    /// The server can't be reached or started, or doesn't answer in time.
    ///
    /// # Cancel safety
    ///
    /// Nothing reaches a device. A server that is being started goes on starting.
    pub async fn version(&self, call: &Call) -> Result<u32> {
        if self.program().is_some() {
            // The program checks the server's version by itself whenever it runs.
            self.process(&["start-server"], call)
                .await?
                .checked("adb")?;
            return Ok(41);
        }
        let text = self.host_text("host:version", call).await?;
        u32::from_str_radix(text.trim(), 16).map_err(|_| {
            Error::from(AdbFailure::Garbage {
                phase: Phase::HostService,
                what: "a version that is no number",
            })
        })
    }

    /// What the server itself can do.
    ///
    /// # Errors
    ///
    /// The server can't be reached or started, or doesn't answer in time.
    ///
    /// # Cancel safety
    ///
    /// Nothing reaches a device.
    pub async fn features(&self, call: &Call) -> Result<super::Features> {
        let text = self.answer("host:host-features", &["host-features"], call);
        let text = text.await?;
        Ok(super::Features::parse(&text))
    }

    /// All devices that the server knows, those that can't be used among them.
    ///
    /// # Errors
    ///
    /// The server can't be reached or started, or doesn't answer in time.
    ///
    /// # Cancel safety
    ///
    /// Nothing reaches a device.
    pub async fn devices(&self, call: &Call) -> Result<Vec<DeviceEntry>> {
        let text = self.answer("host:devices-l", &["devices", "-l"], call);
        let text = text.await?;
        Ok(wire::devices(&text))
    }

    /// Follows the list of devices.
    ///
    /// # Errors
    ///
    /// The server can't be reached or started, or doesn't answer in time.
    ///
    /// # Cancel safety
    ///
    /// Nothing reaches a device.
    pub async fn track_devices(&self, call: &Call) -> Result<DeviceTracker> {
        let progress = Progress::default();
        let link = within(call, &progress, async {
            let mut link = self.link(call).await?;
            match link.serve(b"host:track-devices-l", &progress).await? {
                Status::Okay => Ok(link),
                Status::Fail(text) => Err(AdbFailure::HostService { text }),
            }
        })
        .await?;
        Ok(DeviceTracker {
            link,
            buffer: Vec::new(),
        })
    }

    /// Connects the server to a device at a network address. The server's own answer, which is a success in its protocol even
    /// when the device can't be reached.
    ///
    /// # Errors
    ///
    /// The server can't be reached or started, or doesn't answer in time.
    ///
    /// # Cancel safety
    ///
    /// The server may go on connecting.
    pub async fn connect(&self, address: &str, call: &Call) -> Result<String> {
        self.address_service("connect", address, call).await
    }

    /// Ends the server's connection to a device at a network address.
    ///
    /// # Errors
    ///
    /// The server can't be reached, doesn't answer in time or doesn't know the device.
    ///
    /// # Cancel safety
    ///
    /// The connection may end or not.
    pub async fn disconnect(&self, address: &str, call: &Call) -> Result<String> {
        self.address_service("disconnect", address, call).await
    }

    async fn address_service(&self, verb: &str, address: &str, call: &Call) -> Result<String> {
        if address.is_empty() || address.len() > 255 || address.contains(char::is_whitespace) {
            return Err(Error::invalid(
                "address",
                "the address of a device is not valid",
            ));
        }
        let service = format!("host:{verb}:{address}");
        let text = self.answer(&service, &[verb, address], call).await?;
        Ok(text.trim().to_owned())
    }

    /// All forwarded ports of all devices.
    ///
    /// # Errors
    ///
    /// The server can't be reached or started, or doesn't answer in time.
    ///
    /// # Cancel safety
    ///
    /// Nothing reaches a device.
    pub async fn forwards(&self, call: &Call) -> Result<Vec<ForwardEntry>> {
        let text = self.answer("host:list-forward", &["forward", "--list"], call);
        let text = text.await?;
        Ok(forward::entries(&text))
    }

    /// Ends the server. For servers of one's own: it ends for every other program of the machine, too.
    ///
    /// # Errors
    ///
    /// The server can't be reached or doesn't answer in time. One that doesn't run is not started for this.
    ///
    /// # Cancel safety
    ///
    /// The server may end or not.
    pub async fn kill(&self, call: &Call) -> Result<()> {
        if self.program().is_some() {
            self.process(&["kill-server"], call).await?.checked("adb")?;
            return Ok(());
        }
        let progress = Progress::default();
        let kill = async {
            let mut link = self.open().await?;
            match link.serve(b"host:kill", &progress).await {
                // It answers, or it is gone before it can.
                Ok(_) | Err(AdbFailure::Lost { .. }) => Ok(()),
                Err(failure) => Err(failure),
            }
        };
        Ok(within(call, &progress, kill).await?)
    }

    /// The program that reaches the server, if a socket of ours can't.
    pub(super) fn program(&self) -> Option<&str> {
        match &self.shared.endpoint {
            Endpoint::Program(socket) => Some(socket),
            Endpoint::Tcp { .. } => None,
        }
    }

    /// Has the adb program do a service of adb's own.
    pub(super) async fn process(
        &self,
        arguments: &[impl AsRef<std::ffi::OsStr>],
        call: &Call,
    ) -> Result<process::ProcessOutput> {
        let limit = self.shared.config.max_output;
        let output = self.run_program(arguments, Phase::HostService, limit, call);
        Ok(output.await?)
    }

    pub(super) async fn run_program(
        &self,
        arguments: &[impl AsRef<std::ffi::OsStr>],
        phase: Phase,
        limit: usize,
        call: &Call,
    ) -> Result<process::ProcessOutput, AdbFailure> {
        let program = Program::find(&self.shared.config, &self.shared.endpoint)?;
        let progress = Progress::default();
        let run = program.run(arguments, phase, limit, &progress);
        within(call, &progress, run).await
    }

    /// A connection to the server, which is started if it doesn't run. Sends nothing.
    pub(super) async fn link(&self, call: &Call) -> Result<Link, AdbFailure> {
        let failure = match self.open().await {
            Ok(link) => return Ok(link),
            Err(failure) => failure,
        };
        let Endpoint::Tcp { host, port } = &self.shared.endpoint else {
            return Err(failure);
        };
        let own = self.shared.config.start_server && endpoint::is_loopback(host);
        if !own || !failure.is_unreachable() {
            return Err(failure);
        }
        let _starting = self.shared.starting.lock().await;
        // Another call may have started it in the meantime.
        if let Ok(link) = self.open().await {
            return Ok(link);
        }
        let limit = self.shared.config.start_timeout.min(call.remaining());
        Program::find(&self.shared.config, &self.shared.endpoint)?
            .start_server(*port, limit)
            .await?;
        self.open().await
    }

    async fn open(&self) -> Result<Link, AdbFailure> {
        match &self.shared.endpoint {
            Endpoint::Tcp { host, port } => {
                Link::open(host, *port, self.shared.config.connect_timeout).await
            }
            Endpoint::Program(socket) => Err(AdbFailure::Unreachable {
                address: socket.clone(),
                source: None,
            }),
        }
    }

    /// What the server answers, by a socket or by the adb program with these words.
    async fn answer(&self, service: &str, words: &[&str], call: &Call) -> Result<String> {
        if self.program().is_none() {
            return self.host_text(service, call).await;
        }
        let output = self.process(words, call).await?.checked("adb")?;
        Ok(output.stdout_text().into_owned())
    }

    /// A service of the server that answers with a text.
    pub(super) async fn host_text(&self, service: &str, call: &Call) -> Result<String> {
        let progress = Progress::default();
        let text = within(call, &progress, async {
            let mut link = self.link(call).await?;
            match link.serve(service.as_bytes(), &progress).await? {
                Status::Okay => link.text().await,
                Status::Fail(text) => Err(AdbFailure::HostService { text }),
            }
        });
        Ok(text.await?)
    }

    pub(super) fn stays_offline(&self, device: &DeviceSelector) -> bool {
        let now = Instant::now();
        let mut offline = self
            .shared
            .offline
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        offline.retain(|_, until| *until > now);
        offline.contains_key(device)
    }

    pub(super) fn note_offline(&self, device: &DeviceSelector, stays: bool) {
        let mut offline = self
            .shared
            .offline
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if stays {
            offline.insert(device.clone(), Instant::now() + OFFLINE_MEMORY);
        } else {
            offline.remove(device);
        }
    }
}

/// The list of devices as it changes. Dropping it ends the server's reports.
#[derive(Debug)]
pub struct DeviceTracker {
    link: Link,
    buffer: Vec<u8>,
}

impl DeviceTracker {
    /// The next list: at once the first time, later when something has changed.
    ///
    /// # Errors
    ///
    /// The server ended the connection, sent no list, or nothing changed until the deadline. After a deadline the next call
    /// goes on where this one stopped.
    ///
    /// # Cancel safety
    ///
    /// Safe: nothing is lost.
    pub async fn next(&mut self, call: &Call) -> Result<Vec<DeviceEntry>> {
        let progress = Progress::default();
        let (link, buffer) = (&mut self.link, &mut self.buffer);
        let next = async {
            loop {
                if let Some(digits) = buffer.first_chunk::<4>() {
                    let length = wire::length(*digits)
                        .ok_or_else(|| link.garbage("a length that is no number"))?;
                    if let Some(text) = buffer.get(4..4 + length) {
                        let devices = wire::devices(&String::from_utf8_lossy(text));
                        buffer.drain(..4 + length);
                        return Ok(devices);
                    }
                }
                if link.read_some(buffer, wire::MAX_TEXT).await? == 0 {
                    return Err(link.lost(std::io::ErrorKind::UnexpectedEof.into()));
                }
            }
        };
        Ok(within(call, &progress, next).await?)
    }
}
