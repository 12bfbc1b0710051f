//! From nothing to a device that is driven.

use agent_device_core::{Call, Result};

use crate::{
    Android, AndroidConfig, DeviceChoice,
    adb::{AdbDevice, AdbServer, is_address},
    discovery::FoundDevice,
};

/// Chooses a device and connects to it.
///
/// ```no_run
/// # async fn run() -> agent_device_core::Result<()> {
/// let android = agent_device_android::Android::builder().app("com.example.shop").connect().await?;
/// let device = agent_device_core::Device::new(android);
/// device.locate(agent_device_core::selector::label("Continue")).press().await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until it connects"]
pub struct AndroidBuilder {
    server: Option<AdbServer>,
    choice: Option<DeviceChoice>,
    config: AndroidConfig,
    app: Option<String>,
}

impl Android {
    /// Chooses a device and connects to it: the one that `ANDROID_SERIAL` names, else the only one of the adb server that the
    /// environment names.
    pub fn builder() -> AndroidBuilder {
        AndroidBuilder::default()
    }
}

impl AndroidBuilder {
    /// The adb server, in place of that of the environment.
    pub fn server(mut self, server: AdbServer) -> Self {
        self.server = Some(server);
        self
    }

    /// The device with this serial number. One at a network address (`192.168.1.5:5555`) that the server does not know yet
    /// is connected to.
    pub fn serial(self, serial: impl Into<String>) -> Self {
        self.device(DeviceChoice::Serial(serial.into()))
    }

    /// The device with this name: of the virtual device or of the model.
    pub fn named(self, name: impl Into<String>) -> Self {
        self.device(DeviceChoice::Named(name.into()))
    }

    /// Which device is meant.
    pub fn device(mut self, choice: DeviceChoice) -> Self {
        self.choice = Some(choice);
        self
    }

    /// The package of the app under test.
    pub fn app(mut self, package: impl Into<String>) -> Self {
        self.app = Some(package.into());
        self
    }

    /// Everything else that can be set.
    pub fn config(mut self, config: AndroidConfig) -> Self {
        self.config = config;
        self
    }

    /// Chooses the device and sends nothing to it but questions.
    ///
    /// # Errors
    ///
    /// The adb server can't be reached or started, or no device fits, or several do. Nothing was changed on any device.
    ///
    /// # Cancel safety
    ///
    /// A server that is being started goes on starting, and one that is connecting to an address goes on connecting.
    pub async fn find(&self, call: &Call) -> Result<AdbDevice> {
        let server = match &self.server {
            Some(server) => server.clone(),
            None => AdbServer::from_env()?,
        };
        let choice = self.choice.clone().unwrap_or_else(DeviceChoice::from_env);
        let serial = match &choice {
            // What it is needs no asking when it is named by its serial number.
            DeviceChoice::Serial(serial) => named(&server, &choice, serial, call).await?,
            _ => choice
                .pick(&server.discover(call).await?)?
                .serial()
                .to_owned(),
        };
        server.device(serial)
    }

    /// Chooses the device, puts the helper on it if it is not there, and starts its session.
    ///
    /// # Errors
    ///
    /// As [`find`](Self::find), and as [`Android::connect`].
    ///
    /// # Cancel safety
    ///
    /// As [`Android::connect`].
    pub async fn connect(self) -> Result<Android> {
        let call = Call::standalone(self.config.connect_timeout);
        let device = self.find(&call).await?;
        let mut config = self.config;
        config.app = self.app.or(config.app);
        Android::connect(device, config).await
    }
}

async fn named(
    server: &AdbServer,
    choice: &DeviceChoice,
    serial: &str,
    call: &Call,
) -> Result<String> {
    let list = async || -> Result<Vec<FoundDevice>> {
        let entries = server.devices(call).await?;
        Ok(entries
            .into_iter()
            .map(|entry| FoundDevice::new(entry, None))
            .collect())
    };
    let found = list().await?;
    let known = found.iter().any(|each| each.serial() == serial);
    if known || !is_address(serial) {
        return Ok(choice.pick(&found)?.serial().to_owned());
    }
    // Its answer is a success also when it is none: the list tells.
    server.connect(serial, call).await?;
    let found = list().await?;
    Ok(choice.pick(&found)?.serial().to_owned())
}
