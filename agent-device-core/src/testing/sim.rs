//! The backend: actions become requests, a transport carries them to the device and back, and what is lost on the way
//! becomes a failure that says no more than a client can know.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use tokio::time::{Instant, sleep_until};

use super::{
    agent::{Agent, Done, Input},
    app::{App, Dialog, LIMITS, Refusal, Tree},
    capture,
    event::EventLog,
    fault::{Fault, FaultPlan},
    link::{Knob, Link, LinkError, Screen},
    picture,
};
use crate::{
    action::{
        Action, Alert, AppState, Capabilities, Operation, Orientation, Performed, Screenshot,
        Target, Touch, Window,
    },
    backend::{Backend, Call, Interactor, SnapshotBackend},
    dispatch::{DispatchDisclosure, Effect, Row, Verdict},
    error::{Error, ErrorCode, Result, reason},
    geometry::Rect,
    snapshot::{CaptureOptions, Keyboard, Snapshot, TextField},
};

crate::golden_rows! {
    /// What the simulated device can prove, and what it can't.
    pub mod sim_rows {
        no CONNECT_REFUSED = "sim.connect-refused": "the connection was refused", "no byte of the request was written";
        no DEADLINE_BEFORE_SEND = "sim.deadline-before-send": "the deadline had passed before the request was written", "no byte of the request was written";
        no CANCELED_BEFORE_SEND = "sim.canceled-before-send": "the caller had cancelled before the request was written", "no byte of the request was written";
        no REFUSED_BY_DEVICE = "sim.refused-by-device": "the device answered that it did not run the command", "the device checks a command before it gives any of it to the app, and its answer arrived whole";
        no ELEMENT_GONE = "sim.element-gone": "the element that was meant is no longer at the point", "the device looks at the screen before it touches it, and its answer arrived whole";
        unknown REPLY_LOST = "sim.reply-lost": "the connection was reset after the request was written", "none: a reset before and after the app acted look the same";
        unknown REPLY_UNREADABLE = "sim.reply-unreadable": "the reply broke off or was not one", "none: the app may have acted";
        unknown DEADLINE = "sim.deadline": "no reply came before the deadline", "none: the app may have acted";
        unknown CANCELED = "sim.canceled": "the caller cancelled before the reply came", "none: the app may have acted";
    }
}

const BACKEND: &str = "simulated";

/// A failure as the client sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Failure {
    #[error("the device refuses connections")]
    ConnectRefused,
    #[error("the deadline passed before anything was sent")]
    DeadlineBeforeSend,
    #[error("cancelled before anything was sent")]
    CanceledBeforeSend,
    #[error("the connection was reset before the reply came")]
    ReplyLost,
    #[error("the reply can't be read")]
    ReplyUnreadable,
    #[error("no reply came before the deadline")]
    Deadline,
    #[error("cancelled while waiting for the reply")]
    Canceled,
    #[error("the device refused: {0}")]
    Refused(Refusal),
}

impl DispatchDisclosure for Failure {
    fn verdict(&self) -> Option<Verdict> {
        Some(match self {
            Self::ConnectRefused => sim_rows::CONNECT_REFUSED.into(),
            Self::DeadlineBeforeSend => sim_rows::DEADLINE_BEFORE_SEND.into(),
            Self::CanceledBeforeSend => sim_rows::CANCELED_BEFORE_SEND.into(),
            Self::Refused(Refusal::Gone) => sim_rows::ELEMENT_GONE.into(),
            Self::Refused(_) => sim_rows::REFUSED_BY_DEVICE.into(),
            Self::ReplyLost => sim_rows::REPLY_LOST.into(),
            Self::ReplyUnreadable => sim_rows::REPLY_UNREADABLE.into(),
            Self::Deadline => sim_rows::DEADLINE.into(),
            Self::Canceled => sim_rows::CANCELED.into(),
        })
    }
}

impl Failure {
    /// The error of this failure, for the operation that failed.
    fn of(self, operation: Operation) -> Error {
        let (code, reason) = match self {
            Self::ConnectRefused => (ErrorCode::CommandFailed, "connect_refused"),
            Self::ReplyLost => (ErrorCode::CommandFailed, "reply_lost"),
            Self::ReplyUnreadable => (ErrorCode::CommandFailed, "reply_unreadable"),
            Self::DeadlineBeforeSend | Self::Deadline => {
                (ErrorCode::CommandFailed, reason::DEADLINE_EXCEEDED)
            }
            Self::CanceledBeforeSend | Self::Canceled if operation == Operation::Capture => {
                (ErrorCode::CommandFailed, CAPTURE_CANCELED)
            }
            Self::CanceledBeforeSend | Self::Canceled => {
                (ErrorCode::CommandFailed, reason::REQUEST_CANCELED)
            }
            Self::Refused(refusal) => match refusal {
                Refusal::Gone => (ErrorCode::CommandFailed, "element_gone"),
                Refusal::NoField => (ErrorCode::CommandFailed, "not_a_text_field"),
                Refusal::NoFocus => (ErrorCode::CommandFailed, "nothing_focused"),
                Refusal::NoAlert => (ErrorCode::CommandFailed, reason::ALERT_NOT_FOUND),
                Refusal::NoPrompt => (ErrorCode::InvalidArgs, "alert_takes_no_text"),
                Refusal::NoWindow => (ErrorCode::InvalidArgs, "window_not_found"),
                Refusal::BadLink => (ErrorCode::InvalidArgs, "link_unknown"),
                Refusal::OffScreen => (ErrorCode::InvalidArgs, "point_off_screen"),
                Refusal::NoApp => (ErrorCode::AppNotInstalled, "app_not_installed"),
                Refusal::UnknownCommand => (ErrorCode::UnsupportedOperation, "unknown_command"),
            },
        };
        Error::new(code, self.to_string())
            .with_reason(reason)
            .with_operation(operation)
            .with_backend(BACKEND)
            .disclosed_by(&self)
    }
}

/// The reason of a capture that stopped because it was asked to.
const CAPTURE_CANCELED: &str = "capture_canceled";

const OFFERED: &[Operation] = &[
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
    Operation::Open,
    Operation::Close,
    Operation::AcceptAlert,
    Operation::DismissAlert,
    Operation::KeyboardDismiss,
    Operation::KeyboardEnter,
    Operation::SetOrientation,
    Operation::WriteClipboard,
    Operation::SelectWindow,
    Operation::Screenshot,
    Operation::ReadAlert,
    Operation::ReadClipboard,
    Operation::ReadKeyboard,
    Operation::ReadOrientation,
    Operation::ReadAppState,
    Operation::ReadWindows,
];

/// How a simulated device differs from the usual one.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SimOptions {
    without: BTreeSet<Operation>,
    also: BTreeSet<Operation>,
    coordinates_only: bool,
    waits_for_app: bool,
    reports_movement: bool,
    deaf: bool,
}

impl SimOptions {
    /// The usual device.
    pub fn new() -> Self {
        Self::default()
    }

    /// It does not offer this operation.
    #[must_use]
    pub fn without(mut self, operation: Operation) -> Self {
        self.without.insert(operation);
        self
    }

    /// It looks for texts on its own ([`Operation::FindText`]).
    #[must_use]
    pub fn finding_text(mut self) -> Self {
        self.also.insert(Operation::FindText);
        self
    }

    /// It says where an element really is ([`Operation::ConfirmVisible`]).
    #[must_use]
    pub fn confirming_visibility(mut self) -> Self {
        self.also.insert(Operation::ConfirmVisible);
        self
    }

    /// It knows coordinates and keys, but no elements: nothing is checked before a touch, and a fill is three inputs (tap, select
    /// all and delete, type), of which each can be lost.
    #[must_use]
    pub fn coordinates_only(mut self) -> Self {
        self.coordinates_only = true;
        self
    }

    /// It answers an app-not-responding dialog with "Wait" before it touches, and records that as a send.
    #[must_use]
    pub fn waiting_for_app(mut self) -> Self {
        self.waits_for_app = true;
        self
    }

    /// It tells how far content has moved.
    #[must_use]
    pub fn reporting_movement(mut self) -> Self {
        self.reports_movement = true;
        self
    }

    /// Its captures don't stop when they are asked to.
    #[must_use]
    pub fn deaf_to_cancel(mut self) -> Self {
        self.deaf = true;
        self
    }

    fn capabilities(&self) -> Capabilities {
        let mut offered: Vec<_> = OFFERED.to_vec();
        offered.extend(&self.also);
        let mut capabilities = Capabilities::of(&offered)
            .with_max_pointers(2)
            .without(
                Operation::Hover,
                "unsupported-platform-leaf",
                Some("A touch screen has no pointer that hovers."),
            )
            .without(
                Operation::AppSwitcher,
                "unsupported-device-kind",
                Some("Open the app by its id instead."),
            );
        for operation in &self.without {
            capabilities = capabilities.without(*operation, "unsupported-provider-mode", None);
        }
        capabilities
    }
}

struct Shared {
    agent: Mutex<Agent>,
    log: EventLog,
    faults: FaultPlan,
    options: SimOptions,
    capabilities: Capabilities,
    commands: AtomicU64,
    sends: AtomicU64,
}

/// A device with the fixture app on it. Clones are handles to the same device.
#[derive(Clone)]
pub struct SimulatedDevice {
    shared: Arc<Shared>,
}

impl Default for SimulatedDevice {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SimulatedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedDevice")
            .field("screen", &self.screen())
            .field("options", &self.shared.options)
            .finish_non_exhaustive()
    }
}

impl SimulatedDevice {
    /// The screens of the fixture app that it can't show, each with the reason. They stay empty.
    pub const LIMITS: &[(Screen, &str)] = LIMITS;

    /// A device that shows `home`.
    pub fn new() -> Self {
        Self::with(SimOptions::new())
    }

    /// A device with a fresh app on this screen.
    pub fn on(screen: Screen) -> Self {
        let device = Self::new();
        device.reset(screen);
        device
    }

    /// A device that differs from the usual one.
    pub fn with(options: SimOptions) -> Self {
        let log = EventLog::new();
        let app = App::new(log.clone(), Screen::Home, Instant::now());
        Self {
            shared: Arc::new(Shared {
                agent: Mutex::new(Agent::new(app)),
                log,
                faults: FaultPlan::default(),
                capabilities: options.capabilities(),
                options,
                commands: AtomicU64::new(0),
                sends: AtomicU64::new(0),
            }),
        }
    }

    fn agent(&self) -> MutexGuard<'_, Agent> {
        self.shared
            .agent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Beside the backend: a fresh app on this screen, with all knobs as they were made. Log, counters and the plan of faults
    /// stay as they are.
    pub fn reset(&self, screen: Screen) {
        let mut agent = self.agent();
        agent.app.reset(screen, Instant::now());
        agent.settle();
    }

    /// Beside the backend: turns a knob of the fixture app and starts the screen afresh with it.
    ///
    /// # Errors
    ///
    /// There is no such knob, or it does not take the value.
    pub fn set(&self, knob: &str, value: impl fmt::Display) -> Result<(), LinkError> {
        let knob: Knob = knob.parse()?;
        let value = knob.parse_value(&value.to_string())?;
        self.agent().app.set(knob, value, Instant::now());
        Ok(())
    }

    /// Beside the backend: the app goes to this screen, as if something in it led there.
    pub fn open(&self, screen: Screen) {
        self.agent().app.open(screen, "", Instant::now());
    }

    /// Beside the backend: the app opens a link.
    ///
    /// # Errors
    ///
    /// The link means nothing to the app, or names a screen that it does not show.
    pub fn open_link(&self, link: &str) -> Result<(), LinkError> {
        let link: Link = link.parse()?;
        self.agent().app.open_link(&link, Instant::now())
    }

    /// What is in front: the name of a screen, or `launcher`.
    pub fn screen(&self) -> &'static str {
        self.agent().app.screen_name()
    }

    /// What really happened to the app.
    pub fn log(&self) -> EventLog {
        self.shared.log.clone()
    }

    /// What goes wrong in the transport.
    pub fn faults(&self) -> FaultPlan {
        self.shared.faults.clone()
    }

    /// How many captures were asked for.
    pub fn captures(&self) -> u64 {
        self.shared.faults.captures()
    }

    /// How many mutating requests went into the wire, whatever became of them there. Refused connections don't count.
    pub fn sends(&self) -> u64 {
        self.shared.sends.load(Ordering::Acquire)
    }

    /// Carries a request to the device and the reply back. `deliver` runs where the device gets the request; it says how long
    /// the device is busy before it replies. Nothing is ever sent again.
    async fn exchange<T>(
        &self,
        operation: Operation,
        call: &Call,
        mut deliver: impl FnMut(&mut Agent, Instant) -> (T, Duration) + Send,
    ) -> Result<T, Failure> {
        let fault = self.shared.faults.meet(operation);
        let deaf = self.shared.options.deaf && operation == Operation::Capture;
        if call.remaining().is_zero() {
            return Err(Failure::DeadlineBeforeSend);
        }
        if call.cancel().is_cancelled() && !deaf {
            return Err(Failure::CanceledBeforeSend);
        }
        if fault == Some(Fault::Refuse) || !self.agent().accepts() {
            return Err(Failure::ConnectRefused);
        }
        if operation.effect() == Effect::Mutates {
            self.shared.sends.fetch_add(1, Ordering::AcqRel);
        }
        if fault == Some(Fault::ResetBeforeRead) {
            return Err(Failure::ReplyLost);
        }
        let (reply, busy) = {
            let mut agent = self.agent();
            let now = Instant::now();
            let mut answer = deliver(&mut agent, now);
            if fault == Some(Fault::Duplicate) {
                answer = deliver(&mut agent, now);
            }
            if fault == Some(Fault::Restart) {
                agent.restart();
            }
            answer
        };
        let due = match fault {
            Some(Fault::Hang) => None,
            Some(Fault::Slow(extra)) => Instant::now().checked_add(busy.saturating_add(extra)),
            _ => Instant::now().checked_add(busy),
        };
        await_reply(due, call, deaf).await?;
        match fault {
            Some(Fault::ResetAfterRead | Fault::Restart) => Err(Failure::ReplyLost),
            Some(Fault::Truncate | Fault::Garbage) => Err(Failure::ReplyUnreadable),
            _ => Ok(reply),
        }
    }

    async fn send(
        &self,
        operation: Operation,
        input: Input<'_>,
        call: &Call,
    ) -> Result<Done, Failure> {
        let id = self.shared.commands.fetch_add(1, Ordering::AcqRel);
        let busy = match input {
            Input::Act(action) => action.duration(),
            Input::ClearFocused => Duration::ZERO,
        };
        self.exchange(operation, call, |agent, now| {
            (agent.run(id, input, now), busy)
        })
        .await?
        .map_err(Failure::Refused)
    }

    /// One of several inputs of an action: recorded on its own, so that a later one can't claim that nothing happened.
    async fn send_part(
        &self,
        operation: Operation,
        input: Input<'_>,
        call: &Call,
    ) -> Result<Done, Failure> {
        let guard = call.send();
        let result = self.send(operation, input, call).await;
        match &result {
            Ok(_) => guard.landed(),
            Err(failure) => match failure.verdict() {
                Some(Verdict::No(row)) => guard.refused(row),
                _ => guard.uncertain(),
            },
        }
        result
    }

    async fn fill_by_keys(
        &self,
        touch: &Touch,
        text: &crate::action::Text,
        call: &Call,
    ) -> Result<Done, Failure> {
        let tap = Action::Tap(touch.clone());
        self.send_part(Operation::Fill, Input::Act(&tap), call)
            .await?;
        let mut done = self
            .send_part(Operation::Fill, Input::ClearFocused, call)
            .await?;
        if !text.expose().is_empty() {
            let typing = Action::TypeText(text.clone());
            done = self
                .send_part(Operation::Fill, Input::Act(&typing), call)
                .await?;
        }
        Ok(done)
    }

    async fn read<T>(
        &self,
        operation: Operation,
        call: &Call,
        look: impl Fn(&App, Instant) -> T + Send,
    ) -> Result<T> {
        if !self.shared.capabilities.offers(operation) {
            return Err(Error::unsupported(operation));
        }
        self.exchange(operation, call, move |agent, now| {
            (look(&agent.app, now), Duration::ZERO)
        })
        .await
        .map_err(|failure| failure.of(operation))
    }
}

/// Waits until the reply is due, or never, or the call ends.
async fn await_reply(due: Option<Instant>, call: &Call, deaf: bool) -> Result<(), Failure> {
    let deadline = call.deadline();
    let now = Instant::now();
    if due.is_some_and(|due| due <= now) {
        return Ok(());
    }
    let late = due.is_none_or(|due| due > deadline);
    let pause = sleep_until(due.map_or(deadline, |due| due.min(deadline)));
    if deaf {
        pause.await;
    } else if call.cancel().run_until_cancelled(pause).await.is_none() {
        return Err(Failure::Canceled);
    }
    if late { Err(Failure::Deadline) } else { Ok(()) }
}

#[async_trait]
impl SnapshotBackend for SimulatedDevice {
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
        let look = |agent: &mut Agent, now| (agent.app.tree(now), agent.app.capture_cost());
        let tree = self
            .exchange(Operation::Capture, call, look)
            .await
            .map_err(|failure| failure.of(Operation::Capture))?;
        if options.raw && matches!(tree, Tree::RootOnly(_)) {
            // What is degraded elsewhere is an error here.
            return Err(Error::new(
                ErrorCode::CommandFailed,
                "the accessibility service gives the root alone",
            )
            .with_reason(reason::CAPTURE_SPARSE)
            .with_operation(Operation::Capture)
            .with_backend(BACKEND));
        }
        capture::snapshot(&tree, options, BACKEND).map_err(|error| {
            Error::new(ErrorCode::CommandFailed, "the tree can't be built")
                .with_operation(Operation::Capture)
                .with_backend(BACKEND)
                .with_source(error)
        })
    }

    fn honours_cancel(&self) -> bool {
        !self.shared.options.deaf
    }

    async fn find_text(&self, text: &str, call: &Call) -> Result<Option<bool>> {
        if !self.shared.capabilities.offers(Operation::FindText) {
            return Ok(None);
        }
        let found = self.read(Operation::FindText, call, |app, now| {
            app.scene(now).elements.iter().any(|element| {
                let texts = [element.label.as_deref(), element.value.as_deref()];
                let has = |held: Option<&str>| held.is_some_and(|held| held.contains(text));
                element.visible.is_some() && texts.into_iter().any(has)
            })
        });
        found.await.map(Some)
    }

    async fn confirm_visible(&self, target: &Target, call: &Call) -> Result<Option<Rect>> {
        if !self.shared.capabilities.offers(Operation::ConfirmVisible) {
            return Ok(None);
        }
        let Some(handle) = target.node().text_field(TextField::Handle) else {
            return Ok(None);
        };
        self.read(Operation::ConfirmVisible, call, |app, now| {
            let scene = app.scene(now);
            let at = scene.find(handle)?;
            let bounds = scene.elements[at].bounds;
            scene.takes_touch(at, bounds.center()).then_some(bounds)
        })
        .await
    }
}

#[async_trait]
impl Interactor for SimulatedDevice {
    fn capabilities(&self) -> Capabilities {
        self.shared.capabilities.clone()
    }

    async fn perform(&self, action: &Action, call: &Call) -> Result<Performed> {
        let operation = action.operation();
        if !self.shared.capabilities.offers(operation) {
            return Err(Error::unsupported(operation));
        }
        let options = &self.shared.options;
        let of_operation = |failure: Failure| failure.of(operation);
        if options.waits_for_app && self.agent().app.dialog() == Some(Dialog::NotResponding) {
            let wait = Action::AcceptAlert(None);
            self.send_part(Operation::AcceptAlert, Input::Act(&wait), call)
                .await
                .map_err(of_operation)?;
        }
        let done = match action {
            Action::Fill(touch, text) if options.coordinates_only => {
                self.fill_by_keys(&without_target(touch), text, call).await
            }
            action if options.coordinates_only => {
                let blind = by_coordinates(action);
                self.send(operation, Input::Act(&blind), call).await
            }
            action => self.send(operation, Input::Act(action), call).await,
        }
        .map_err(of_operation)?;
        let mut performed = match action {
            Action::TypeText(_) => Performed::by("keys"),
            Action::Fill(..) if options.coordinates_only => Performed::by("keys"),
            Action::Fill(..) => Performed::by("element"),
            Action::Tap(_) | Action::DoubleTap(_) | Action::LongPress(..) | Action::Focus(_) => {
                Performed::by("coordinates")
            }
            _ => Performed::new(),
        };
        performed.field = done.field;
        performed.opened_windows = done.opened_windows;
        if options.reports_movement && matches!(action, Action::Scroll(_)) {
            performed.moved = Some(done.moved);
        }
        Ok(performed)
    }

    async fn screenshot(&self, call: &Call) -> Result<Screenshot> {
        let png = self.read(Operation::Screenshot, call, |app, now| {
            picture::png(&app.scene(now))
        });
        let png = png.await?;
        let scale = capture::SCALE;
        Ok(Screenshot { png, scale })
    }

    async fn alert(&self, call: &Call) -> Result<Option<Alert>> {
        self.read(Operation::ReadAlert, call, |app, _| app.alert())
            .await
    }

    async fn clipboard(&self, call: &Call) -> Result<String> {
        self.read(Operation::ReadClipboard, call, |app, _| {
            app.clipboard().to_owned()
        })
        .await
    }

    async fn keyboard(&self, call: &Call) -> Result<Keyboard> {
        self.read(Operation::ReadKeyboard, call, |app, now| {
            capture::keyboard(&app.scene(now))
        })
        .await
    }

    async fn orientation(&self, call: &Call) -> Result<Orientation> {
        self.read(Operation::ReadOrientation, call, |app, _| app.orientation())
            .await
    }

    async fn app_state(&self, call: &Call) -> Result<AppState> {
        self.read(Operation::ReadAppState, call, |app, _| {
            let (id, title) = app.front();
            AppState::new(Some(id.to_owned()), Some(title))
        })
        .await
    }

    async fn windows(&self, call: &Call) -> Result<Vec<Window>> {
        self.read(Operation::ReadWindows, call, |app, _| {
            let windows = app.windows().into_iter();
            windows
                .map(|(id, selected)| Window { id, selected })
                .collect()
        })
        .await
    }
}

impl Backend for SimulatedDevice {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed(BACKEND)
    }

    fn device(&self) -> Cow<'static, str> {
        Cow::Borrowed("fixture")
    }

    fn rows(&self) -> &'static [&'static Row] {
        sim_rows::ROWS
    }
}

fn without_target(touch: &Touch) -> Touch {
    Touch {
        point: touch.point,
        target: None,
    }
}

/// The action without what it is meant for.
fn by_coordinates(action: &Action) -> Action {
    match action {
        Action::Tap(touch) => Action::Tap(without_target(touch)),
        Action::DoubleTap(touch) => Action::DoubleTap(without_target(touch)),
        Action::LongPress(touch, duration) => Action::LongPress(without_target(touch), *duration),
        Action::Focus(touch) => Action::Focus(without_target(touch)),
        other => other.clone(),
    }
}
