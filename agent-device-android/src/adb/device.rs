//! One device behind a server: naming it, selecting it, waiting for it, what it can do.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use agent_device_core::{Call, Error, Result};

use super::{
    AdbServer, HostRefusal, is_address,
    link::{Link, Progress, Status, within},
    process::ProcessOutput,
};
use crate::error::{AdbFailure, Phase};

/// Which device is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceSelector {
    /// The one with this serial number, or at this address.
    Serial(String),
    /// The one with this number in the present run of the server. Unlike a serial number it is never shared.
    TransportId(u64),
    /// The only one there is.
    Any,
}

impl From<&str> for DeviceSelector {
    fn from(serial: &str) -> Self {
        Self::Serial(serial.to_owned())
    }
}

impl From<String> for DeviceSelector {
    fn from(serial: String) -> Self {
        Self::Serial(serial)
    }
}

impl DeviceSelector {
    /// Selects the device for what follows on the connection.
    pub(super) fn transport(&self) -> String {
        match self {
            Self::Serial(serial) => format!("host:transport:{serial}"),
            Self::TransportId(id) => format!("host:transport-id:{id}"),
            Self::Any => "host:transport-any".to_owned(),
        }
    }

    /// Asks the server something about the device.
    pub(super) fn host_service(&self, service: &str) -> String {
        match self {
            Self::Serial(serial) => format!("host-serial:{serial}:{service}"),
            Self::TransportId(id) => format!("host-transport-id:{id}:{service}"),
            Self::Any => format!("host:{service}"),
        }
    }

    /// Names the device to the adb program.
    pub(super) fn arguments(&self) -> Vec<String> {
        match self {
            Self::Serial(serial) => vec!["-s".to_owned(), serial.clone()],
            Self::TransportId(id) => vec!["-t".to_owned(), id.to_string()],
            Self::Any => Vec::new(),
        }
    }

    fn check(&self) -> Result<()> {
        let Self::Serial(serial) = self else {
            return Ok(());
        };
        // The server looks for the end of the serial number in `host-serial:<serial>:<service>` by its shape, so one with a
        // colon must be an address, or the rest of it would be taken for a service.
        let known_prefix = [
            "tcp:", "udp:", "vsock:", "usb:", "product:", "model:", "device:",
        ]
        .iter()
        .find_map(|prefix| serial.strip_prefix(prefix));
        let rest = known_prefix.unwrap_or(serial);
        let address = !rest.contains(':') || is_address(rest);
        let valid = !serial.is_empty()
            && serial.len() <= 255
            && !serial.starts_with('-')
            && !serial.chars().any(char::is_control)
            && address;
        if valid {
            Ok(())
        } else {
            Err(Error::invalid(
                "serial",
                "the serial number of a device is not valid",
            ))
        }
    }
}

impl fmt::Display for DeviceSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Serial(serial) => f.write_str(serial),
            Self::TransportId(id) => write!(f, "transport {id}"),
            Self::Any => f.write_str("any device"),
        }
    }
}

/// What a device or a server can do, by adb's words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features(Vec<String>);

impl Features {
    pub(super) fn parse(text: &str) -> Self {
        let words = text.trim().split([',', '\n']).map(str::trim);
        Self(
            words
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    /// Whether the word is among them: `shell_v2`, `cmd`, `abb_exec`.
    pub fn has(&self, feature: &str) -> bool {
        self.0.iter().any(|known| known == feature)
    }

    /// The words.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// A device. Cheap to clone; clones share what is known about it.
#[derive(Clone, Debug)]
pub struct AdbDevice {
    pub(super) server: AdbServer,
    pub(super) selector: DeviceSelector,
    features: Arc<OnceLock<Features>>,
}

impl AdbDevice {
    pub(super) fn new(server: AdbServer, selector: DeviceSelector) -> Result<Self> {
        selector.check()?;
        Ok(Self {
            server,
            selector,
            features: Arc::default(),
        })
    }

    /// The server behind which it is.
    pub fn server(&self) -> &AdbServer {
        &self.server
    }

    /// By what it was named.
    pub fn selector(&self) -> &DeviceSelector {
        &self.selector
    }

    /// Presets what the device can do, so that it is not asked. For devices whose daemon claims more than it does.
    #[must_use]
    pub fn with_features(mut self, features: &str) -> Self {
        self.features = Arc::new(OnceLock::from(Features::parse(features)));
        self
    }

    /// What the device can do. Asked once.
    ///
    /// # Errors
    ///
    /// The server can't be reached or doesn't answer in time, or it refuses the device.
    ///
    /// # Cancel safety
    ///
    /// Nothing reaches the app.
    pub async fn features(&self, call: &Call) -> Result<&Features> {
        if let Some(features) = self.features.get() {
            return Ok(features);
        }
        let first = self.fact("features", call).await;
        let text = if self.waited_after(&first, call).await {
            self.once_more(self.fact("features", call).await)
        } else {
            first
        };
        let features = Features::parse(&text?);
        Ok(self.features.get_or_init(|| features))
    }

    /// The server's word for the state of the device: `device`, `offline`, `recovery`.
    ///
    /// # Errors
    ///
    /// The server can't be reached or doesn't answer in time, or it refuses the device.
    ///
    /// # Cancel safety
    ///
    /// Nothing reaches the app.
    pub async fn state(&self, call: &Call) -> Result<String> {
        Ok(self.fact("get-state", call).await?)
    }

    /// Something that the server says about the device. A failure is the refusal of the device.
    async fn fact(&self, service: &str, call: &Call) -> Result<String, AdbFailure> {
        if self.server.program().is_some() {
            let output = self.adb_once(&[service], call).await?;
            return Ok(output.checked("adb")?.stdout_text().trim().to_owned());
        }
        let progress = Progress::default();
        let text = within(call, &progress, async {
            let mut link = self.server.link(call).await?;
            let service = self.selector.host_service(service);
            match link.serve(service.as_bytes(), &progress).await? {
                Status::Okay => link.text().await,
                Status::Fail(text) => Err(refused(text)),
            }
        });
        text.await
    }

    /// Waits until the device can be used, or is in the state of this name: `device`, `disconnect`, `recovery`, `bootloader`.
    ///
    /// # Errors
    ///
    /// The deadline passed, the server can't be reached, or it knows no such state.
    ///
    /// # Cancel safety
    ///
    /// Nothing reaches the device.
    pub async fn wait_for(&self, state: &str, call: &Call) -> Result<()> {
        if state.is_empty() || !state.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Err(Error::invalid(
                "state",
                "a state of a device is a lower-case word",
            ));
        }
        Ok(self.wait_once(state, call).await?)
    }

    async fn wait_once(&self, state: &str, call: &Call) -> Result<(), AdbFailure> {
        if self.server.program().is_some() {
            let command = format!("wait-for-{state}");
            let output = self.adb_once(&[&command], call).await?;
            return output.checked("adb").map(drop);
        }
        let progress = Progress::default();
        within(call, &progress, self.wait(state, &progress, call)).await
    }

    async fn wait(&self, state: &str, progress: &Progress, call: &Call) -> Result<(), AdbFailure> {
        let mut link = self.server.link(call).await?;
        let service = self.selector.host_service(&format!("wait-for-any-{state}"));
        if let Status::Fail(text) = link.serve(service.as_bytes(), progress).await? {
            return Err(AdbFailure::HostService { text });
        }
        // That took the request; this comes with the state.
        match link.status().await? {
            Status::Okay => Ok(()),
            Status::Fail(text) => Err(AdbFailure::HostService { text }),
        }
    }

    /// A connection on which the device is selected. Nothing was asked of the device yet.
    pub(super) async fn select(&self, call: &Call) -> Result<Link, AdbFailure> {
        let first = self.select_once(call).await;
        if !self.waited_after(&first, call).await {
            return first;
        }
        self.once_more(self.select_once(call).await)
    }

    /// Whether the device was refused as offline and waited for since: then the same may be done once more, for the refusal
    /// proves that nothing was sent. Right after boot its daemon restarts. A device that stays offline is not waited for again
    /// for half a minute.
    async fn waited_after<T>(&self, first: &Result<T, AdbFailure>, call: &Call) -> bool {
        let offline = first.as_ref().is_err_and(AdbFailure::is_offline);
        let limit = self.server.shared.config.offline_wait;
        let budget = limit.min(call.remaining() / 2);
        if !offline || self.server.stays_offline(&self.selector) || budget.as_millis() == 0 {
            return false;
        }
        tracing::debug!(name: "agent_device.android.offline", device = %self.selector, "waiting for the device");
        // Whatever became of the wait, the second time tells.
        let _ = tokio::time::timeout(budget, self.wait_once("device", call)).await;
        true
    }

    fn once_more<T>(&self, second: Result<T, AdbFailure>) -> Result<T, AdbFailure> {
        if second.as_ref().is_err_and(AdbFailure::is_offline) {
            self.server.note_offline(&self.selector, true);
        }
        second
    }

    async fn select_once(&self, call: &Call) -> Result<Link, AdbFailure> {
        let mut link = self.server.link(call).await?;
        match link.select(self.selector.transport().as_bytes()).await? {
            Status::Okay => {
                self.server.note_offline(&self.selector, false);
                Ok(link)
            }
            Status::Fail(text) => Err(refused(text)),
        }
    }

    /// Selects the device and starts a service on it.
    pub(super) async fn open(
        &self,
        service: &[u8],
        progress: &Progress,
        call: &Call,
    ) -> Result<Link, AdbFailure> {
        let mut link = self.select(call).await?;
        match link.start(service, progress).await? {
            Status::Okay => Ok(link),
            Status::Fail(text) => Err(AdbFailure::ServiceRefused { text }),
        }
    }

    /// Has the adb program do a service of adb's own for this device.
    pub(super) async fn adb(
        &self,
        arguments: &[impl AsRef<std::ffi::OsStr>],
        call: &Call,
    ) -> Result<ProcessOutput> {
        let limit = self.server.shared.config.max_output;
        let output = self.run_adb(arguments, Phase::HostService, limit, call);
        output.await
    }

    /// Runs the adb program on this device.
    pub(super) async fn run_adb(
        &self,
        arguments: &[impl AsRef<std::ffi::OsStr>],
        phase: Phase,
        limit: usize,
        call: &Call,
    ) -> Result<ProcessOutput> {
        let once = || self.run_adb_once(arguments, phase, limit, call);
        let first = once().await;
        if !self.waited_after(&first, call).await {
            return Ok(first?);
        }
        Ok(self.once_more(once().await)?)
    }

    /// A service of adb's own, without a wait for the device.
    async fn adb_once(&self, arguments: &[&str], call: &Call) -> Result<ProcessOutput, AdbFailure> {
        let limit = self.server.shared.config.max_output;
        self.run_adb_once(arguments, Phase::HostService, limit, call)
            .await
    }

    async fn run_adb_once(
        &self,
        arguments: &[impl AsRef<std::ffi::OsStr>],
        phase: Phase,
        limit: usize,
        call: &Call,
    ) -> Result<ProcessOutput, AdbFailure> {
        let own = self.selector.arguments();
        let mut all: Vec<std::ffi::OsString> = own.into_iter().map(Into::into).collect();
        all.extend(
            arguments
                .iter()
                .map(|argument| argument.as_ref().to_owned()),
        );
        self.server.run_program(&all, phase, limit, call).await
    }
}

/// The server's answer in place of a device.
fn refused(text: String) -> AdbFailure {
    AdbFailure::Refused {
        refusal: HostRefusal::of_server(&text),
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serial_number_can_not_become_a_service() {
        for good in [
            "emulator-5554",
            "0123456789ABCDEF",
            "192.168.1.1:5555",
            "[fe80::1]:5555",
            "adb-X._adb-tls-connect._tcp",
            "adb-X (2)._adb-tls-connect._tcp.",
            "tcp:host:5555",
        ] {
            assert!(DeviceSelector::from(good).check().is_ok(), "{good}");
        }
        for bad in ["", "-s", "a\nb", "x:kill", "x:features:5", "a:1:2", "x:"] {
            let error = DeviceSelector::from(bad).check().unwrap_err();
            assert!(error.dispatched().is_no(), "{bad}");
        }
    }

    #[test]
    fn features_are_words_with_commas_or_lines_between() {
        let features = Features::parse("cmd,shell_v2,\nstat_v2\n");
        assert!(features.has("shell_v2") && features.has("stat_v2") && !features.has("shell"));
        assert_eq!(features.iter().count(), 3);
    }
}
