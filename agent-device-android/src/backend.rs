//! The backend: a device behind the traits of the core.

use std::{
    borrow::Cow,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use agent_device_core::{
    Backend, Call, Interactor, Result, SnapshotBackend,
    action::{
        Action, Alert, AppState, Capabilities, Operation, Orientation, Performed, Screenshot,
    },
    async_trait,
    dispatch::{Row, rows::android_helper as rows},
    snapshot::{CaptureOptions, Keyboard, Snapshot},
};
use tokio::time::Instant;

use crate::{act, adb::AdbDevice, config::AndroidConfig, helper::Helper, see};

/// One Android device, driven through the helper app that this crate brings along.
///
/// The helper's session holds the device's UiAutomation, of which there is one: other tools that want it have to wait until
/// [`close`](Self::close), until this is dropped, or until [`AndroidConfig::idle_timeout`]. Another process of this library is
/// refused meanwhile, if it reaches the device by the same adb server: two would end each other's helper with every command.
///
/// A [`Device`](agent_device_core::Device) takes it as its backend and shows only what all platforms have. Whoever wants the
/// rest as well (apps, permissions, the log, adb) shares it:
///
/// ```no_run
/// use std::{sync::Arc, time::Duration};
/// use agent_device_android::{Android, Permission};
/// use agent_device_core::{Call, Device, selector::label};
///
/// # async fn run() -> agent_device_core::Result<()> {
/// let android = Arc::new(Android::builder().app("com.example.shop").connect().await?);
/// let device = Device::new(Arc::clone(&android));
///
/// let call = Call::standalone(Duration::from_secs(30));
/// android.apps().clear("com.example.shop", &call).await?;
/// android.apps().grant("com.example.shop", &Permission::Camera, &call).await?;
/// device.open_app("com.example.shop").await?;
/// device.locate(label("Scan")).press().await?;
/// android.close().await
/// # }
/// ```
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
    front: Option<String>,
    display: Option<(u32, u32)>,
    seen: Option<Seen>,
    mark: Option<see::Mark>,
    capabilities: Vec<String>,
    picture: Option<Pictured>,
}

/// What the last picture of a hollow screen told.
#[derive(Debug)]
struct Pictured {
    at: Instant,
    fingerprint: u64,
    shows: bool,
}

/// A picture is not taken again for the same hollow tree within this: polls would wait for pictures.
const PICTURE_LASTS: Duration = Duration::from_secs(2);

/// The last capture.
#[derive(Debug)]
struct Seen {
    fingerprint: u64,
    system_dialog: bool,
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

    /// A capture was taken.
    pub(crate) fn saw(&self, fingerprint: u64, front: Option<&str>, system_dialog: bool) {
        let mut inner = self.inner();
        inner.mark = None;
        inner.front = front.map(str::to_owned);
        inner.seen = Some(Seen {
            fingerprint,
            system_dialog,
        });
    }

    /// The app in front: that of the last capture, or one that was opened since.
    pub(crate) fn front(&self) -> Option<String> {
        self.inner().front.clone()
    }

    /// This app has come to the front. `None`: another one has, or may have.
    pub(crate) fn came_to_front(&self, app: Option<&str>) {
        self.inner().front = app.map(str::to_owned);
    }

    /// Whether the last capture showed a dialog of the system over the app.
    pub(crate) fn saw_system_dialog(&self) -> bool {
        let inner = self.inner();
        inner.seen.as_ref().is_some_and(|seen| seen.system_dialog)
    }

    /// An action begins after which the screen may be another. However long ago the screen was seen: who decides what to do
    /// next may have thought for long, and the same bytes after an action are as doubtful then.
    pub(crate) fn acts(&self) {
        let mut inner = self.inner();
        let seen = inner.seen.as_ref();
        let mark = seen.map(|seen| see::Mark::now(seen.fingerprint));
        inner.mark = mark;
    }

    pub(crate) fn mark(&self) -> Option<see::Mark> {
        self.inner().mark
    }

    /// What a recent picture told about a screen whose document had this fingerprint.
    pub(crate) fn picture_shows(&self, fingerprint: u64) -> Option<bool> {
        let inner = self.inner();
        let picture = inner.picture.as_ref()?;
        let valid = picture.fingerprint == fingerprint && picture.at.elapsed() <= PICTURE_LASTS;
        valid.then_some(picture.shows)
    }

    pub(crate) fn pictured(&self, fingerprint: u64, shows: bool) {
        self.inner().picture = Some(Pictured {
            at: Instant::now(),
            fingerprint,
            shows,
        });
    }

    /// Whether the helper that is on the device can do this.
    pub(crate) fn helper_does(&self, what: &str) -> bool {
        self.inner().capabilities.iter().any(|word| word == what)
    }
}

impl Android {
    /// Puts the helper on the device if it is not there, starts its session, and reads what the device is.
    ///
    /// # Errors
    ///
    /// The device or its adb server can't be reached, another process drives the device (`DEVICE_IN_USE`), or the helper can't be
    /// installed or started. No app was touched.
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
        let ping = helper.introduction(&call).await?;
        let capabilities = ping.get("capabilities").unwrap_or_default();
        memory.inner().capabilities = capabilities.split(',').map(str::to_owned).collect();
        let display = see::viewport(&helper, &call).await?.display;
        if let Some(display) = display {
            memory.set_display(display);
        }
        Ok(Self {
            helper,
            facts: DeviceFacts {
                name,
                api: ping.number("sdk").unwrap_or(0),
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

    /// Ends the helper's session, so that other tools may use the device, and sets the display to turn as it did before it was
    /// turned. The next operation starts a session again. Doing so twice is fine.
    ///
    /// # Errors
    ///
    /// The session can't be proven to have ended, and the helper could not be stopped; or the display can't be set back.
    ///
    /// # Cancel safety
    ///
    /// The session may live on until [`AndroidConfig::idle_timeout`].
    pub async fn close(&self) -> Result<()> {
        let call = Call::standalone(Duration::from_secs(10));
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

#[async_trait]
impl SnapshotBackend for Android {
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
        see::capture(&self.helper, &self.memory, options, call).await
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
        let all = Capabilities::of(&[
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
            Operation::AcceptAlert,
            Operation::DismissAlert,
            Operation::KeyboardDismiss,
            Operation::KeyboardEnter,
            Operation::SetOrientation,
            Operation::WriteClipboard,
            Operation::Screenshot,
            Operation::ReadClipboard,
            Operation::ReadAlert,
            Operation::ReadKeyboard,
            Operation::ReadOrientation,
            Operation::ReadAppState,
        ])
        .with_max_pointers(2)
        .without(
            Operation::Hover,
            leaf,
            Some("A finger does not hover: tap."),
        )
        .without(Operation::ReadWindows, leaf, None)
        .without(Operation::SelectWindow, leaf, None);
        let lacking = self.helper.config.helper.lacks().iter();
        lacking.fold(all, |offered, operation| {
            let hint = "The helper of this crate does it: HelperSource::Bundled.";
            offered.without(*operation, "owner-capability-missing", Some(hint))
        })
    }

    async fn perform(&self, action: &Action, call: &Call) -> Result<Performed> {
        act::perform(&self.helper, &self.memory, action, call).await
    }

    async fn screenshot(&self, call: &Call) -> Result<Screenshot> {
        see::screenshot(&self.helper, call).await
    }

    async fn alert(&self, call: &Call) -> Result<Option<Alert>> {
        see::alert(&self.helper, &self.memory, call).await
    }

    async fn orientation(&self, call: &Call) -> Result<Orientation> {
        see::orientation(&self.helper, call).await
    }

    async fn clipboard(&self, call: &Call) -> Result<String> {
        see::clipboard(&self.helper, call).await
    }

    async fn keyboard(&self, call: &Call) -> Result<Keyboard> {
        see::keyboard(&self.helper, &self.memory, call).await
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_screen_is_compared_with_however_long_ago_it_was_seen() {
        let memory = Memory::default();
        memory.acts();
        assert_eq!(memory.mark(), None, "nothing was seen yet");
        memory.saw(7, Some("com.app"), false);
        tokio::time::advance(Duration::from_secs(3600)).await;
        memory.acts();
        assert_eq!(memory.mark(), Some(see::Mark::now(7)));
        memory.saw(8, Some("com.app"), false);
        assert_eq!(memory.mark(), None, "it was looked at since");
    }
}
