//! The fixture app as a state machine: what is on the screen, and what an input does to it. No I/O, no clock of its own;
//! every entry takes the time.
//!
//! `screens` lays the screens out, `scene` says what lies where, `input` turns touches into what they mean.

mod input;
mod scene;
mod screens;

pub(super) use input::Phase;
pub(super) use scene::{Element, Scene};

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    event::{EventKind, EventLog},
    link::{Knob, Knobs, Link, LinkError, Screen},
};
use crate::{
    action::{Alert, Orientation},
    geometry::Rect,
};
use input::{Contact, LastTap};

/// The id of the fixture app.
pub(super) const APP: &str = "org.example.proving-ground";
/// What is in front when the app is not.
pub(super) const LAUNCHER: &str = "org.example.launcher";
const NAME: &str = "Proving Ground";
const MAIN_WINDOW: &str = "main";

/// The screens that this body of the app can't show, each with the reason.
pub(super) const LIMITS: &[(Screen, &str)] = &[(
    Screen::Frames,
    "an app on a device has no frames and no shadow roots",
)];

pub(super) fn shows(screen: Screen) -> bool {
    LIMITS.iter().all(|(limit, _)| *limit != screen)
}

/// What a touch on an element does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Nothing, and nothing is logged.
    Dead,
    /// The tap is logged and changes nothing else.
    Tap,
    Count,
    DoubleZone,
    HoldZone,
    Pad,
    Focus(Field),
    SignIn,
    AcceptSheet,
    ToggleDrawer,
    Wifi,
    Terms,
    SelectTab(usize),
    Ask(Ask),
    AnswerAlert(usize),
    AnswerDialog(usize),
    ShowDialog(Dialog),
    Open(Screen),
    OpenWindow,
    TurnPage,
    Launch,
}

/// A text field of the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    Email,
    Password,
    Phone,
    City,
    Note,
    Message,
}

impl Field {
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Password => "password",
            Self::Phone => "phone",
            Self::City => "city",
            Self::Note => "note",
            Self::Message => "field",
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Self::Email => "Email",
            Self::Password => "Password",
            Self::Phone => "Phone",
            Self::City => "City",
            Self::Note => "Note",
            Self::Message => "Field",
        }
    }

    pub(super) fn is_secure(self) -> bool {
        self == Self::Password
    }

    fn has_lines(self) -> bool {
        self == Self::Note
    }

    fn initial(self) -> String {
        match self {
            // The same as its hint: only the flag tells the content from the hint.
            Self::City => "City".to_owned(),
            Self::Note => "The quick brown fox jumps over the lazy dog. "
                .chars()
                .cycle()
                .take(5000)
                .collect(),
            _ => String::new(),
        }
    }

    /// What the field makes of a text that is put into it.
    fn accept(self, text: &str) -> String {
        match self {
            Self::Phone => {
                let digits: String = text.chars().filter(char::is_ascii_digit).take(10).collect();
                match digits.len() {
                    0..=3 => digits,
                    4..=6 => format!("({}) {}", &digits[..3], &digits[3..]),
                    _ => format!("({}) {}-{}", &digits[..3], &digits[3..6], &digits[6..]),
                }
            }
            _ if self.has_lines() => text.to_owned(),
            _ => text.chars().filter(|c| !matches!(c, '\n' | '\r')).collect(),
        }
    }
}

/// An alert of the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Delete,
    DeleteTwo,
    DeleteNext,
    Rename,
    Notice,
}

impl Ask {
    fn opener(self) -> &'static str {
        match self {
            Self::Delete => "delete-item",
            Self::DeleteTwo | Self::DeleteNext => "delete-two",
            Self::Rename => "rename",
            Self::Notice => "notice",
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::Delete | Self::DeleteTwo => "Delete item?",
            Self::DeleteNext => "Delete the next item?",
            Self::Rename => "New name?",
            Self::Notice => "Saved",
        }
    }

    /// The dismissing one first, the accepting one last.
    fn buttons(self) -> &'static [&'static str] {
        match self {
            Self::Delete | Self::DeleteTwo | Self::DeleteNext => &["Cancel", "Delete"],
            Self::Rename => &["Cancel", "OK"],
            Self::Notice => &["OK"],
        }
    }
}

/// A dialog of the system, over the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialog {
    Permission,
    NotResponding,
}

impl Dialog {
    fn opener(self) -> &'static str {
        match self {
            Self::Permission => "ask-permission",
            Self::NotResponding => "hang",
        }
    }

    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Permission => "Allow Proving Ground to use the camera?",
            Self::NotResponding => "Proving Ground isn't responding",
        }
    }

    pub(super) fn buttons(self) -> &'static [&'static str] {
        match self {
            Self::Permission => &["Don't allow", "Allow"],
            Self::NotResponding => &["Close app", "Wait"],
        }
    }

    fn surface(self) -> &'static str {
        match self {
            Self::Permission => "permission-prompt",
            Self::NotResponding => "app-not-responding",
        }
    }
}

/// Why the app, or the device around it, refuses an input before it does anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("what was meant is no longer at the point")]
    Gone,
    #[error("there is no text field at the point")]
    NoField,
    #[error("nothing has the input focus")]
    NoFocus,
    #[error("no alert is open")]
    NoAlert,
    #[error("the alert takes no text")]
    NoPrompt,
    #[error("there is no window of this name")]
    NoWindow,
    #[error("the app is not installed")]
    NoApp,
    #[error("the link means nothing to the app")]
    BadLink,
    #[error("the point lies outside the screen")]
    OffScreen,
    #[error("the device does not know the command")]
    UnknownCommand,
}

/// What a screen remembers. Every opening starts afresh.
#[derive(Clone)]
struct State {
    opened: Instant,
    fields: BTreeMap<Field, String>,
    focus: Option<Field>,
    taps: u64,
    welcome: Option<String>,
    sign_ins: u64,
    sheet: bool,
    drawer: bool,
    wifi: bool,
    terms: bool,
    tab: usize,
    alerts: VecDeque<Ask>,
    deleted: u64,
    result: String,
    dialog: Option<Dialog>,
    offsets: BTreeMap<&'static str, f64>,
    pages: u32,
    loading: Option<Instant>,
    strokes: u64,
    turned: bool,
}

impl State {
    fn new(now: Instant) -> Self {
        Self {
            opened: now,
            fields: BTreeMap::new(),
            focus: None,
            taps: 0,
            welcome: None,
            sign_ins: 0,
            sheet: true,
            drawer: false,
            wifi: false,
            terms: false,
            tab: 0,
            alerts: VecDeque::new(),
            deleted: 0,
            result: "none".to_owned(),
            dialog: None,
            offsets: BTreeMap::new(),
            pages: 1,
            loading: None,
            strokes: 0,
            turned: false,
        }
    }
}

#[derive(Clone)]
struct Window {
    id: String,
    screen: Screen,
    history: Vec<Screen>,
    state: State,
}

impl Window {
    fn new(id: impl Into<String>, screen: Screen, now: Instant) -> Self {
        Self {
            id: id.into(),
            screen,
            history: Vec::new(),
            state: State::new(now),
        }
    }
}

/// The accessibility tree as the app gives it, which is not always what is on the screen.
pub(super) enum Tree {
    /// What is on the screen, or was a moment ago.
    Whole(Box<Scene>),
    /// The service gives the root alone.
    RootOnly(Box<Scene>),
}

/// The fixture app.
pub(super) struct App {
    log: EventLog,
    knobs: Knobs,
    windows: Vec<Window>,
    driven: usize,
    in_front: bool,
    orientation: Orientation,
    clipboard: String,
    /// Counts the starts of the app.
    process: u64,
    opened_windows: u64,
    /// The tree of before a navigation, shown until then.
    lagging: Option<(Scene, Instant)>,
    contact: Option<Contact>,
    last_tap: Option<LastTap>,
}

impl App {
    pub(super) fn new(log: EventLog, screen: Screen, now: Instant) -> Self {
        Self {
            log,
            knobs: Knobs::default(),
            windows: vec![Window::new(MAIN_WINDOW, screen, now)],
            driven: 0,
            in_front: true,
            orientation: Orientation::Portrait,
            clipboard: String::new(),
            process: 1,
            opened_windows: 1,
            lagging: None,
            contact: None,
            last_tap: None,
        }
    }

    /// A fresh app on this screen. Not an event: nothing in the app led there.
    pub(super) fn reset(&mut self, screen: Screen, now: Instant) {
        *self = Self {
            process: self.process + 1,
            ..Self::new(self.log.clone(), screen, now)
        };
    }

    /// Turns a knob and starts the screen afresh with it.
    pub(super) fn set(&mut self, knob: Knob, value: u64, now: Instant) {
        self.knobs.set(knob, value);
        self.window_mut().state = State::new(now);
        self.lagging = None;
    }

    fn window(&self) -> &Window {
        &self.windows[self.driven]
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.windows[self.driven]
    }

    fn state(&mut self) -> &mut State {
        &mut self.window_mut().state
    }

    /// The name of what is in front, as the log has it.
    pub(super) fn screen_name(&self) -> &'static str {
        if self.in_front {
            self.window().screen.as_str()
        } else {
            "launcher"
        }
    }

    fn record(&self, element: &str, kind: EventKind, detail: Value) {
        self.log.record(self.screen_name(), element, kind, detail);
    }

    /// The visible part of the screen.
    pub(super) fn viewport(&self) -> Rect {
        match self.orientation {
            Orientation::Portrait | Orientation::PortraitUpsideDown => {
                Rect::new(0.0, 0.0, 400.0, 800.0)
            }
            Orientation::LandscapeLeft | Orientation::LandscapeRight => {
                Rect::new(0.0, 0.0, 800.0, 400.0)
            }
        }
    }

    pub(super) fn keyboard(&self) -> Option<Rect> {
        let shows = self.in_front && self.window().state.focus.is_some();
        let screen = self.viewport();
        let height = screen.height * 0.375;
        shows.then(|| Rect::new(0.0, screen.height - height, screen.width, height))
    }

    /// The tree that the accessibility service gives.
    pub(super) fn tree(&self, now: Instant) -> Tree {
        if let Some((scene, until)) = &self.lagging
            && now < *until
        {
            return Tree::Whole(Box::new(scene.clone()));
        }
        let scene = Box::new(self.scene(now));
        let window = self.window();
        let degraded = self.in_front
            && window.screen == Screen::Sparse
            && now < window.state.opened + self.knobs.millis(Knob::For);
        if degraded {
            Tree::RootOnly(scene)
        } else {
            Tree::Whole(scene)
        }
    }

    /// How long a capture takes the device.
    pub(super) fn capture_cost(&self) -> std::time::Duration {
        if self.in_front && self.window().screen == Screen::Slow {
            self.knobs.millis(Knob::Cost)
        } else {
            std::time::Duration::ZERO
        }
    }

    /// Keeps the present tree while the screen changes under it, where the screen `stale` is concerned.
    fn lag(&mut self, next: Screen, now: Instant) {
        self.lagging = (self.in_front
            && (self.window().screen == Screen::Stale || next == Screen::Stale))
            .then(|| {
                let until = now + self.knobs.millis(Knob::Lag);
                (self.scene(now), until)
            });
    }

    /// Opens a screen, led there by an element or by nothing that is on the screen.
    pub(super) fn open(&mut self, screen: Screen, by: &str, now: Instant) {
        self.record(by, EventKind::Navigate, json!(screen.as_str()));
        self.lag(screen, now);
        self.in_front = true;
        let window = self.window_mut();
        window.history.push(window.screen);
        // Nobody goes back further than this.
        if window.history.len() > 64 {
            window.history.remove(0);
        }
        window.screen = screen;
        window.state = State::new(now);
    }

    /// Opens a link: knobs, then the screen.
    pub(super) fn open_link(&mut self, link: &Link, now: Instant) -> Result<(), LinkError> {
        if !shows(link.screen) {
            return Err(LinkError::NotShown(link.screen));
        }
        for (knob, value) in &link.knobs {
            self.knobs.set(*knob, *value);
        }
        self.open(link.screen, "", now);
        Ok(())
    }

    /// Puts the keyboard away, else answers an alert, else goes back, else leaves the app.
    pub(super) fn back(&mut self, now: Instant) {
        if !self.in_front || self.window().state.dialog.is_some() {
            return;
        }
        if self.window().state.focus.is_some() {
            self.state().focus = None;
        } else if !self.window().state.alerts.is_empty() {
            self.answer_alert(0, None);
        } else if let Some(screen) = self.window().history.last().copied() {
            self.record("", EventKind::Navigate, json!(screen.as_str()));
            self.lag(screen, now);
            let window = self.window_mut();
            window.history.pop();
            window.screen = screen;
            window.state = State::new(now);
        } else {
            self.go_home();
        }
    }

    /// Shows the launcher.
    pub(super) fn go_home(&mut self) {
        if self.in_front {
            self.record("", EventKind::Navigate, json!("launcher"));
            self.in_front = false;
            self.state().focus = None;
        }
    }

    /// Brings the app to the front.
    pub(super) fn launch(&mut self, by: &str) {
        if !self.in_front {
            let screen = self.window().screen.as_str();
            self.record(by, EventKind::Navigate, json!(screen));
            self.in_front = true;
        }
    }

    /// Ends the app, or closes the driven window if it is not the first. The next start is on `home`.
    pub(super) fn close(&mut self, now: Instant) {
        if self.driven > 0 {
            let screen = self.windows[0].screen.as_str();
            self.record("", EventKind::Navigate, json!(screen));
            self.windows.remove(self.driven);
            self.driven = 0;
            return;
        }
        self.go_home();
        self.process += 1;
        self.windows = vec![Window::new(MAIN_WINDOW, Screen::Home, now)];
        self.lagging = None;
    }

    pub(super) fn orientation(&self) -> Orientation {
        self.orientation
    }

    pub(super) fn turn(&mut self, orientation: Orientation) {
        self.orientation = orientation;
    }

    pub(super) fn clipboard(&self) -> &str {
        &self.clipboard
    }

    pub(super) fn copy(&mut self, text: &str) {
        text.clone_into(&mut self.clipboard);
    }

    /// The app in front and the title of its window.
    pub(super) fn front(&self) -> (&'static str, String) {
        if self.in_front {
            (APP, title_of(self.window().screen))
        } else {
            (LAUNCHER, "Launcher".to_owned())
        }
    }

    /// The windows, and which one is driven.
    pub(super) fn windows(&self) -> Vec<(String, bool)> {
        let named = |(at, window): (usize, &Window)| (window.id.clone(), at == self.driven);
        self.windows.iter().enumerate().map(named).collect()
    }

    pub(super) fn select_window(&mut self, id: &str) -> Result<(), Refusal> {
        let at = self.windows.iter().position(|window| window.id == id);
        self.driven = at.ok_or(Refusal::NoWindow)?;
        Ok(())
    }

    fn open_window(&mut self, now: Instant) {
        self.opened_windows += 1;
        let id = format!("window-{}", self.opened_windows);
        self.windows.push(Window::new(id, Screen::Opened, now));
    }

    /// The open dialog of the system, else the first alert of the app.
    pub(super) fn alert(&self) -> Option<Alert> {
        let state = &self.window().state;
        let (text, buttons) = if !self.in_front {
            return None;
        } else if let Some(dialog) = state.dialog {
            (dialog.message(), dialog.buttons())
        } else {
            let ask = state.alerts.front()?;
            (ask.message(), ask.buttons())
        };
        Some(Alert::new(text).with_buttons(buttons.iter().copied()))
    }

    /// The open dialog of the system.
    pub(super) fn dialog(&self) -> Option<Dialog> {
        self.window().state.dialog.filter(|_| self.in_front)
    }

    /// Presses the accepting or dismissing button of what [`alert`](Self::alert) shows.
    pub(super) fn answer(
        &mut self,
        accept: bool,
        text: Option<&str>,
        now: Instant,
    ) -> Result<(), Refusal> {
        let open = self.alert().ok_or(Refusal::NoAlert)?;
        let button = if accept { open.buttons.len() - 1 } else { 0 };
        if self.dialog().is_some() {
            if text.is_some() {
                return Err(Refusal::NoPrompt);
            }
            self.answer_dialog(button, now);
        } else {
            let prompt = self.window().state.alerts.front() == Some(&Ask::Rename);
            if text.is_some() && !prompt {
                return Err(Refusal::NoPrompt);
            }
            self.answer_alert(button, text);
        }
        Ok(())
    }

    fn answer_alert(&mut self, button: usize, text: Option<&str>) {
        let Some(ask) = self.state().alerts.pop_front() else {
            return;
        };
        let last = ask.buttons().len() - 1;
        let button = button.min(last);
        let accepted = button == last;
        let mut detail = json!({ "message": ask.message(), "button": ask.buttons()[button] });
        if ask == Ask::Rename {
            detail["value"] = json!(accepted.then(|| text.unwrap_or_default()));
        }
        self.record(ask.opener(), EventKind::Alert, detail);
        let state = self.state();
        state.deleted += u64::from(accepted);
        state.result = match (ask, accepted) {
            (Ask::DeleteTwo, _) => return,
            (Ask::DeleteNext, _) => format!("{} deleted", state.deleted),
            (Ask::Notice, _) => "noticed".to_owned(),
            (_, false) => "cancelled".to_owned(),
            (Ask::Delete, true) => "deleted".to_owned(),
            (Ask::Rename, true) => text.unwrap_or_default().to_owned(),
        };
    }

    fn answer_dialog(&mut self, button: usize, now: Instant) {
        let Some(dialog) = self.state().dialog.take() else {
            return;
        };
        let label = dialog.buttons()[button.min(dialog.buttons().len() - 1)];
        let detail = json!({ "message": dialog.message(), "button": label });
        self.record(dialog.opener(), EventKind::Alert, detail);
        match (dialog, button) {
            (Dialog::NotResponding, 0) => self.close(now),
            (Dialog::Permission, _) => self.state().result = label.to_owned(),
            (Dialog::NotResponding, _) => {}
        }
    }

    /// What a field holds.
    pub(super) fn text_of(&self, field: Field) -> String {
        let held = self.window().state.fields.get(&field);
        held.cloned().unwrap_or_else(|| field.initial())
    }

    /// Replaces the content of a field and logs what became of it, once.
    pub(super) fn put_text(&mut self, field: Field, text: &str) {
        let before = self.text_of(field);
        let after = field.accept(text);
        if after == before {
            return;
        }
        let (kind, detail) = match after.chars().count() {
            0 => (EventKind::Clear, Value::Null),
            length if field.is_secure() => (EventKind::Text, json!({ "length": length })),
            _ => (EventKind::Text, json!(after)),
        };
        self.state().fields.insert(field, after);
        self.record(field.id(), kind, detail);
    }

    /// The field that has the focus.
    pub(super) fn focus(&self) -> Option<Field> {
        self.window().state.focus.filter(|_| self.in_front)
    }

    pub(super) fn set_focus(&mut self, field: Field) {
        self.state().focus = Some(field);
    }

    /// Types at the end of the field that has the focus.
    pub(super) fn type_text(&mut self, text: &str) -> Result<Field, Refusal> {
        let field = self.focus().ok_or(Refusal::NoFocus)?;
        let content = self.text_of(field) + text;
        self.put_text(field, &content);
        Ok(field)
    }

    /// Selects and deletes all of the field that has the focus.
    pub(super) fn clear_focused(&mut self) -> Result<Field, Refusal> {
        let field = self.focus().ok_or(Refusal::NoFocus)?;
        self.put_text(field, "");
        Ok(field)
    }

    /// The enter key: another line where a field has lines, else the keyboard goes.
    pub(super) fn enter(&mut self) -> Result<(), Refusal> {
        let field = self.focus().ok_or(Refusal::NoFocus)?;
        if field.has_lines() {
            self.type_text("\n")?;
        } else {
            self.state().focus = None;
        }
        Ok(())
    }

    /// How far all containers of the screen have moved.
    pub(super) fn offset(&self) -> f64 {
        self.window().state.offsets.values().sum()
    }

    pub(super) fn dismiss_keyboard(&mut self) {
        self.state().focus = None;
    }
}

fn title_of(screen: Screen) -> String {
    match screen {
        Screen::Home => NAME.to_owned(),
        screen => format!("{NAME}: {screen}"),
    }
}
