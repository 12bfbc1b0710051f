//! What can be done to a device, with its arguments, and what a backend reports back.
//!
//! An [`Action`] is something that the app may notice. Reads are methods of their own on the backend traits. What may be
//! repeated is decided by the seam from [`Operation::effect`], never here.

use std::{borrow::Cow, collections::BTreeMap, fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Result},
    geometry::Point,
    gesture::{self, GesturePlan, ScrollPlan},
};
pub use crate::{operation::Operation, snapshot::Target};

/// Text that goes to a device. Prints as its length, because it may be a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Text {
    content: Cow<'static, str>,
    secret: bool,
}

impl Text {
    /// Text that must not show up in logs, spans, errors or reports: from its use on, no error and no outcome of the device shows
    /// it, whole or cut; of more than 64 such texts the latest. What is read from the screen (a snapshot, a value) is as the app
    /// shows it. One or two characters are hidden only where they stand alone.
    pub fn secret(content: impl Into<Cow<'static, str>>) -> Self {
        Self {
            content: content.into(),
            secret: true,
        }
    }

    /// The text itself.
    pub fn expose(&self) -> &str {
        &self.content
    }

    /// Whether the caller called it secret.
    pub fn is_secret(&self) -> bool {
        self.secret
    }

    pub(crate) fn into_secret(mut self, secret: bool) -> Self {
        self.secret |= secret;
        self
    }
}

impl From<&str> for Text {
    fn from(content: &str) -> Self {
        content.to_owned().into()
    }
}

impl From<String> for Text {
    fn from(content: String) -> Self {
        Self {
            content: content.into(),
            secret: false,
        }
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({} chars)", self.content.chars().count())
    }
}

/// Where to touch, and what is meant to be there.
#[derive(Clone, Debug)]
pub struct Touch {
    /// The point that the resolution pipeline chose, in the backend's coordinate unit.
    pub point: Point,
    /// The element that is meant; `None` when the caller named coordinates. A backend that can check identity cheaply
    /// checks that this element is still at the point, and refuses with a proof when it isn't.
    pub target: Option<Target>,
}

/// Something that the app may notice. One call of [`Interactor::perform`](crate::Interactor::perform) does one of these once.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Action {
    /// Touch down and up once.
    Tap(Touch),
    /// Two taps within the platform's double-tap time.
    DoubleTap(Touch),
    /// Touch down, stay for the duration, up.
    LongPress(Touch, Duration),
    /// Move the pointer there without pressing.
    Hover(Touch),
    /// Give the element the input focus.
    Focus(Touch),
    /// Type into whatever has the focus. Never empty.
    TypeText(Text),
    /// Replace the content of the field; empty text clears it. Reports the field's content afterwards in
    /// [`Performed::field`] if the backend can read it.
    Fill(Touch, Text),
    /// Move content.
    Scroll(ScrollPlan),
    /// Play a gesture.
    Gesture(GesturePlan),
    /// Back.
    Back,
    /// Home.
    Home,
    /// App switcher.
    AppSwitcher,
    /// Open an app or a link.
    Open(OpenTarget),
    /// Close an app by its id, or what the session has open.
    Close(Option<String>),
    /// Accept the open alert, with an answer for a prompt.
    AcceptAlert(Option<Text>),
    /// Dismiss the open alert.
    DismissAlert,
    /// Put the keyboard away, without leaving the screen.
    KeyboardDismiss,
    /// Press the keyboard's enter key.
    KeyboardEnter,
    /// Turn the screen.
    SetOrientation(Orientation),
    /// Write the clipboard.
    WriteClipboard(Text),
    /// Drive another window from now on.
    SelectWindow(String),
}

impl Action {
    /// Which operation this is.
    pub fn operation(&self) -> Operation {
        match self {
            Self::Tap(_) => Operation::Tap,
            Self::DoubleTap(_) => Operation::DoubleTap,
            Self::LongPress(..) => Operation::LongPress,
            Self::Hover(_) => Operation::Hover,
            Self::Focus(_) => Operation::Focus,
            Self::TypeText(_) => Operation::TypeText,
            Self::Fill(..) => Operation::Fill,
            Self::Scroll(_) => Operation::Scroll,
            Self::Gesture(_) => Operation::Gesture,
            Self::Back => Operation::Back,
            Self::Home => Operation::Home,
            Self::AppSwitcher => Operation::AppSwitcher,
            Self::Open(_) => Operation::Open,
            Self::Close(_) => Operation::Close,
            Self::AcceptAlert(_) => Operation::AcceptAlert,
            Self::DismissAlert => Operation::DismissAlert,
            Self::KeyboardDismiss => Operation::KeyboardDismiss,
            Self::KeyboardEnter => Operation::KeyboardEnter,
            Self::SetOrientation(_) => Operation::SetOrientation,
            Self::WriteClipboard(_) => Operation::WriteClipboard,
            Self::SelectWindow(_) => Operation::SelectWindow,
        }
    }

    /// Refuses arguments that no device can do anything with: the seam asks before each action, and a backend that is called
    /// without it asks first.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::InvalidArgs`](crate::ErrorCode::InvalidArgs) that names the field; nothing was sent.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Tap(touch)
            | Self::DoubleTap(touch)
            | Self::Hover(touch)
            | Self::Focus(touch)
            | Self::Fill(touch, _) => touch.point.check(),
            Self::LongPress(_, hold) if *hold > gesture::LONGEST => {
                Err(Error::invalid("hold", "a long press lasts 10 s at most"))
            }
            Self::LongPress(touch, _) => touch.point.check(),
            Self::Scroll(plan) => plan.check(),
            Self::TypeText(text) if text.expose().is_empty() => {
                Err(Error::invalid("text", "there is no text to type"))
            }
            _ => Ok(()),
        }
    }

    /// How long the device is busy with it by its own nature; deadlines are extended by this.
    pub fn duration(&self) -> Duration {
        match self {
            Self::LongPress(_, duration) => *duration,
            Self::Scroll(plan) => plan.duration,
            Self::Gesture(plan) => plan.duration(),
            _ => Duration::ZERO,
        }
    }
}

/// What to open.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenTarget {
    /// An app by its id (bundle id, package).
    App(String),
    /// A web address or deep link.
    Url(String),
}

/// How the screen is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orientation {
    /// Upright.
    Portrait,
    /// Upright, upside down.
    PortraitUpsideDown,
    /// On its side, top to the left.
    LandscapeLeft,
    /// On its side, top to the right.
    LandscapeRight,
}

/// What a backend tells about an action that returned.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Performed {
    /// How it was done where there is a choice: `element`, `coordinates`, `keys`, `keyboard`, `script`.
    pub method: Option<&'static str>,
    /// What the field holds after a fill, read back from the device.
    pub field: Option<FieldState>,
    /// The way that the content moved, if the backend measured it, in its coordinate unit.
    pub moved: Option<f64>,
    /// Windows that opened because of the action. None is selected by itself.
    pub opened_windows: Vec<String>,
    /// What the caller should know beside the success.
    pub warnings: Vec<Cow<'static, str>>,
}

impl Performed {
    /// A plain success.
    pub fn new() -> Self {
        Self::default()
    }

    /// A success by the named method.
    pub fn by(method: &'static str) -> Self {
        Self {
            method: Some(method),
            ..Self::default()
        }
    }

    /// Adds what the field holds now.
    #[must_use]
    pub fn with_field(mut self, field: FieldState) -> Self {
        self.field = Some(field);
        self
    }

    /// Adds a warning.
    #[must_use]
    pub fn with_warning(mut self, warning: impl Into<Cow<'static, str>>) -> Self {
        self.warnings.push(warning.into());
        self
    }
}

/// The content of a field as the device tells it.
#[derive(Clone, PartialEq, Eq)]
pub enum FieldState {
    /// The text itself; empty means that the field is known to be empty.
    Text(String),
    /// A secret field: only how many characters it holds.
    Length(usize),
    /// The device doesn't tell. Not the same as empty.
    Unreadable,
}

impl fmt::Debug for FieldState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({} chars)", text.chars().count()),
            Self::Length(length) => write!(f, "Length({length})"),
            Self::Unreadable => f.write_str("Unreadable"),
        }
    }
}

/// A picture of the screen.
#[derive(Clone, PartialEq)]
pub struct Screenshot {
    /// PNG bytes.
    pub png: Vec<u8>,
    /// Picture pixels for each unit of the backend's coordinates.
    pub scale: f64,
}

impl fmt::Debug for Screenshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screenshot")
            .field("bytes", &self.png.len())
            .field("scale", &self.scale)
            .finish()
    }
}

/// An open alert.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Alert {
    /// The text that it shows.
    pub text: String,
    /// The labels of its buttons, as far as they are known.
    pub buttons: Vec<String>,
}

impl Alert {
    /// An alert with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            buttons: Vec::new(),
        }
    }

    /// Adds the labels of the buttons.
    #[must_use]
    pub fn with_buttons(mut self, buttons: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.buttons = buttons.into_iter().map(Into::into).collect();
        self
    }
}

/// The app in front.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AppState {
    /// Its id: bundle id, package, or the address of the page.
    pub app: Option<String>,
    /// The title of its window.
    pub title: Option<String>,
}

impl AppState {
    /// An app with this id and title.
    pub fn new(app: Option<String>, title: Option<String>) -> Self {
        Self { app, title }
    }
}

/// A window or tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Window {
    /// The name by which it is selected.
    pub id: String,
    /// Whether it is the one that is driven.
    pub selected: bool,
}

/// Why an operation is not offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unavailable {
    /// A word: `unsupported-platform-leaf`, `unsupported-device-kind`, `unsupported-device-backend`,
    /// `unsupported-provider-mode` or `owner-capability-missing`.
    pub reason: &'static str,
    /// What to do instead.
    pub hint: Option<&'static str>,
}

/// What a backend offers, as data. The seam refuses what is not listed before the backend is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// One bit for each operation: asked for before every one of them.
    available: u64,
    unavailable: BTreeMap<Operation, Unavailable>,
    /// How many pointers a gesture may have.
    pub max_pointers: usize,
}

impl Capabilities {
    /// These operations and the capture of trees, with single-pointer gestures.
    pub fn of(operations: &[Operation]) -> Self {
        let listed = operations.iter().chain(&[Operation::Capture]);
        Self {
            available: listed.fold(0, |bits, operation| bits | operation.bit()),
            unavailable: BTreeMap::new(),
            max_pointers: 1,
        }
    }

    /// Says why an operation is not offered.
    #[must_use]
    pub fn without(
        mut self,
        operation: Operation,
        reason: &'static str,
        hint: Option<&'static str>,
    ) -> Self {
        self.available &= !operation.bit();
        self.unavailable
            .insert(operation, Unavailable { reason, hint });
        self
    }

    /// Sets how many pointers a gesture may have.
    #[must_use]
    pub fn with_max_pointers(mut self, max: usize) -> Self {
        self.max_pointers = max;
        self
    }

    /// Whether the operation is offered.
    pub fn offers(&self, operation: Operation) -> bool {
        self.available & operation.bit() != 0
    }

    /// Why the operation is not offered, if the backend says.
    pub fn unavailable(&self, operation: Operation) -> Option<&Unavailable> {
        self.unavailable.get(&operation)
    }

    /// The operations that are offered.
    pub fn operations(&self) -> impl Iterator<Item = Operation> {
        Operation::ALL
            .iter()
            .copied()
            .filter(|operation| self.offers(*operation))
    }
}
