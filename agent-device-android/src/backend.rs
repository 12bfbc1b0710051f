//! The backend: a device behind the traits of the core.

use std::{
    borrow::Cow,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use agent_device_core::{
    Backend, Call, Interactor, Result, SnapshotBackend,
    action::{Action, AppState, Capabilities, Operation, Performed, Screenshot},
    async_trait,
    dispatch::{Row, rows::android_helper as rows},
    snapshot::{CaptureOptions, Keyboard, Snapshot},
};

use crate::{
    act,
    adb::AdbDevice,
    config::AndroidConfig,
    helper::{Command, Helper},
    see,
};

/// One Android device, driven through the helper app that this crate brings along.
///
/// The helper's session holds the device's UiAutomation, of which there is one: other tools that want it have to wait until
/// [`close`](Self::close), until this is dropped, or until [`AndroidConfig::idle_timeout`].
pub struct Android {
    helper: Helper,
    facts: DeviceFacts,
    memory: Memory,
}

/// What is known about the device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceFacts {
    /// Its serial number or address, or how else it was selected.
    pub name: String,
    /// The API level of its Android.
    pub api: u32,
    /// The size of its display in pixels, as it was held then.
    pub display: Option<(u32, u32)>,
}

/// What is remembered between actions.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    inner: Mutex<Remembered>,
}

#[derive(Debug, Default)]
struct Remembered {
    app: Option<String>,
    display: Option<(u32, u32)>,
}

impl Memory {
    fn inner(&self) -> MutexGuard<'_, Remembered> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The app under test.
    pub(crate) fn app(&self) -> Option<String> {
        self.inner().app.clone()
    }

    pub(crate) fn set_app(&self, app: &str) {
        self.inner().app = Some(app.to_owned());
    }

    /// The display when it was last looked at.
    pub(crate) fn display(&self) -> Option<(u32, u32)> {
        self.inner().display
    }

    pub(crate) fn set_display(&self, display: (u32, u32)) {
        self.inner().display = Some(display);
    }
}

impl Android {
    /// Puts the helper on the device if it is not there, starts its session, and reads what the device is.
    ///
    /// # Errors
    ///
    /// The device or its adb server can't be reached, or the helper can't be installed or started. No app was touched.
    ///
    /// # Cancel safety
    ///
    /// When dropped, the helper may be on the device, and its session ends by itself after
    /// [`AndroidConfig::idle_timeout`].
    pub async fn connect(device: AdbDevice, config: AndroidConfig) -> Result<Self> {
        let call = Call::standalone(config.connect_timeout);
        let memory = Memory::default();
        if let Some(app) = &config.app {
            memory.set_app(app);
        }
        let name = device.selector().to_string();
        let helper = Helper::new(device, config);
        let ping = helper.read(Command::new("ping", ""), &call).await?;
        let display = see::viewport(&helper, &call).await?.display;
        if let Some(display) = display {
            memory.set_display(display);
        }
        Ok(Self {
            helper,
            facts: DeviceFacts {
                name,
                api: ping.facts.number("sdk").unwrap_or(0),
                display,
            },
            memory,
        })
    }

    /// What is known about the device.
    pub fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    /// The device as adb knows it.
    pub fn adb(&self) -> &AdbDevice {
        &self.helper.device
    }

    /// How many hierarchies were asked for so far.
    pub fn captures(&self) -> u64 {
        self.helper.captures()
    }

    /// Ends the helper's session, so that other tools may use the device. The next operation starts one again. Doing so twice
    /// is fine.
    ///
    /// # Errors
    ///
    /// The session can't be proven to have ended, and the helper could not be stopped.
    ///
    /// # Cancel safety
    ///
    /// The session may live on until [`AndroidConfig::idle_timeout`].
    pub async fn close(&self) -> Result<()> {
        let call = Call::standalone(std::time::Duration::from_secs(10));
        self.helper.close(&call).await
    }
}

impl fmt::Debug for Android {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Android")
            .field("facts", &self.facts)
            .finish_non_exhaustive()
    }
}

impl Drop for Android {
    fn drop(&mut self) {
        self.helper.end_from_a_thread();
    }
}

#[async_trait]
impl SnapshotBackend for Android {
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
        let app = self.memory.app();
        see::capture(&self.helper, app.as_deref(), options, call).await
    }

    /// A capture that is given up ends on the device within its own limits; the next command waits for its turn.
    fn honours_cancel(&self) -> bool {
        true
    }
}

#[async_trait]
impl Interactor for Android {
    fn capabilities(&self) -> Capabilities {
        let leaf = "unsupported-platform-leaf";
        let owner = "owner-capability-missing";
        Capabilities::of(&[
            Operation::Tap,
            Operation::DoubleTap,
            Operation::LongPress,
            Operation::Focus,
            Operation::TypeText,
            Operation::Fill,
            Operation::Scroll,
            Operation::Gesture,
            Operation::Back,
            Operation::Home,
            Operation::AppSwitcher,
            Operation::Open,
            Operation::Close,
            Operation::KeyboardDismiss,
            Operation::KeyboardEnter,
            Operation::WriteClipboard,
            Operation::Screenshot,
            Operation::ReadClipboard,
            Operation::ReadKeyboard,
            Operation::ReadAppState,
        ])
        .with_max_pointers(2)
        .without(
            Operation::Hover,
            leaf,
            Some("A finger does not hover: tap."),
        )
        .without(
            Operation::ReadAlert,
            owner,
            Some("Look at a snapshot: a dialog is in it."),
        )
        .without(
            Operation::AcceptAlert,
            owner,
            Some("Press the dialog's button."),
        )
        .without(
            Operation::DismissAlert,
            owner,
            Some("Press the dialog's button."),
        )
        .without(Operation::SetOrientation, owner, None)
        .without(Operation::ReadOrientation, owner, None)
        .without(Operation::ReadWindows, leaf, None)
        .without(Operation::SelectWindow, leaf, None)
    }

    async fn perform(&self, action: &Action, call: &Call) -> Result<Performed> {
        act::perform(&self.helper, &self.memory, action, call).await
    }

    async fn screenshot(&self, call: &Call) -> Result<Screenshot> {
        see::screenshot(&self.helper, call).await
    }

    async fn clipboard(&self, call: &Call) -> Result<String> {
        see::clipboard(&self.helper, call).await
    }

    async fn keyboard(&self, call: &Call) -> Result<Keyboard> {
        see::keyboard(&self.helper, call).await
    }

    async fn app_state(&self, call: &Call) -> Result<AppState> {
        see::app_state(&self.helper, call).await
    }
}

impl Backend for Android {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("android")
    }

    fn device(&self) -> Cow<'static, str> {
        Cow::Owned(self.facts.name.clone())
    }

    fn rows(&self) -> &'static [&'static Row] {
        rows::ROWS
    }
}
