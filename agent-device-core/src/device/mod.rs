//! The facade that a test author uses: [`Device`] and [`Locator`].
//!
//! Everything a caller starts is a *request*: one ledger, one deadline, one span, one seam that settles what a failure says
//! about dispatch. No platform is named here and no backend is called but through a request.

mod act;
mod expect;
mod request;
mod scroll;

pub use act::{Act, Evidence, Outcome, Press, Readiness, Settled};
pub use expect::{ElementInfo, Predicate};
pub use scroll::{Scroll, ScrollOutcome};

use std::{
    fmt,
    future::Future,
    hash::{BuildHasher as _, RandomState},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use crate::{
    action::{
        Action, Alert, AppState, Capabilities, OpenTarget, Operation, Orientation, Performed,
        Screenshot, Text, Window,
    },
    backend::Backend,
    dispatch::{Effect, Ledger, LedgerGuard, disclose},
    error::{Error, ErrorCode, Result, reason},
    gesture::Gesture,
    snapshot::{CaptureOptions, Keyboard, NodeId, Snapshot},
    target::{By, RefFrame},
    wait::Settle,
};
use request::Request;

/// The time that a request gets beside what it asks for by itself (readiness, settling, the length of a gesture).
const REQUEST_BUDGET: Duration = Duration::from_secs(90);

/// A device under test.
///
/// Cheap to clone; clones share the session with the device. Requests that mutate run one after another, reads run beside
/// them.
///
/// ```no_run
/// # async fn demo(backend: impl agent_device_core::Backend + 'static) -> agent_device_core::Result<()> {
/// use agent_device_core::{Device, Dispatched, selector::{id, label}};
/// use std::time::Duration;
///
/// let device = Device::new(backend);
/// device.locate(id("email")).fill("anna@example.org").await?;
/// let pressed = device.locate(label("Continue")).press().ready_within(Duration::from_secs(2)).await;
/// match pressed {
///     Ok(outcome) => println!("pressed at {:?}", outcome.point),
///     Err(error) => match error.dispatched() {
///         Dispatched::No(proof) => println!("never sent ({}): {}", proof.row().id(), error.hint()),
///         Dispatched::Unknown => println!("{}", device.snapshot().await?.view()),
///     },
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Device {
    shared: Arc<Shared>,
    parent: Option<Arc<Ledger>>,
    cancel: CancellationToken,
    budget: Duration,
}

struct Shared {
    backend: Box<dyn Backend>,
    session: Mutex<Session>,
    /// Held by the request that mutates.
    acting: tokio::sync::Mutex<()>,
}

/// What is remembered between requests.
#[derive(Debug)]
struct Session {
    generation: u64,
    frame: Option<RefFrame>,
    /// Content may still be moving after a gesture.
    moving: bool,
}

impl Session {
    fn issue(&mut self, make: impl FnOnce(u64) -> RefFrame) -> &RefFrame {
        self.generation += 1;
        self.frame.insert(make(self.generation))
    }

    fn expire(&mut self) {
        if let Some(frame) = &mut self.frame {
            frame.expire();
        }
    }
}

impl Device {
    /// A device that is driven by this backend.
    pub fn new(backend: impl Backend + 'static) -> Self {
        // Refs of an earlier session with this device should not fit by accident.
        let generation = RandomState::new().hash_one(()) % 1_000_000;
        Self {
            shared: Arc::new(Shared {
                backend: Box::new(backend),
                session: Mutex::new(Session {
                    generation,
                    frame: None,
                    moving: false,
                }),
                acting: tokio::sync::Mutex::new(()),
            }),
            parent: None,
            cancel: CancellationToken::new(),
            budget: REQUEST_BUDGET,
        }
    }

    /// The same device, with requests that end when `cancel` fires. A running capture is joined; a mutation that is with the
    /// backend is dropped and discloses `unknown`.
    #[must_use]
    pub fn with_cancel(&self, cancel: CancellationToken) -> Self {
        Self {
            cancel,
            ..self.clone()
        }
    }

    /// The same device, with another time limit for each request. Default 90 s.
    #[must_use]
    pub fn with_budget(&self, budget: Duration) -> Self {
        Self {
            budget,
            ..self.clone()
        }
    }

    /// What the backend offers.
    pub fn capabilities(&self) -> Capabilities {
        self.shared.backend.capabilities()
    }

    /// The backend, to ask it for things of its own. Acting on it directly bypasses ledger and disclosure.
    pub fn backend(&self) -> &dyn Backend {
        &*self.shared.backend
    }

    /// Names an element. Nothing is looked for until something is done with it.
    pub fn locate(&self, by: impl Into<By>) -> Locator<'_> {
        Locator {
            device: self,
            by: by.into(),
        }
    }

    /// Captures the user-visible screen and issues refs for what the view shows. A sparse tree issues none and leaves
    /// earlier refs alone.
    ///
    /// # Errors
    ///
    /// The capture failed: always `no`.
    pub async fn snapshot(&self) -> Result<Arc<Snapshot>> {
        self.snapshot_with(CaptureOptions::regular()).await
    }

    /// Captures the screen in another presentation.
    ///
    /// # Errors
    ///
    /// As for [`snapshot`](Self::snapshot).
    pub async fn snapshot_with(&self, options: CaptureOptions) -> Result<Arc<Snapshot>> {
        let request = self.request(Operation::Capture, Duration::ZERO).await?;
        let result = request.snapshot(options).await;
        request.finish(result)
    }

    /// The frame that authorises refs at present, if a snapshot or an error has issued any.
    pub fn ref_frame(&self) -> Option<RefFrame> {
        self.session().frame.clone()
    }

    /// Types into whatever has the focus.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGS` for empty text (`no`); what the backend says.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may leave some of the text typed.
    pub async fn type_text(&self, text: impl Into<Text>) -> Result<Performed> {
        self.perform(Action::TypeText(text.into())).await
    }

    /// Plays a gesture. The viewport is read afresh, and a path that leaves it is refused.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGS` for a gesture that can't be (`no`); what the backend says.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may leave the gesture half played.
    pub async fn gesture(&self, gesture: Gesture) -> Result<Performed> {
        let request = self.request(Operation::Gesture, Duration::ZERO).await?;
        let result = request.gesture(gesture).await;
        request.finish(result)
    }

    /// Scrolls the main content, or the container that the builder names.
    pub fn scroll(&self, direction: crate::geometry::Direction) -> Scroll<'_> {
        Scroll::new(self, direction)
    }

    /// Waits until nothing on the screen changes, and returns the settled capture.
    ///
    /// # Errors
    ///
    /// `wait_stable_timeout` when something keeps changing; `no`, as with every read.
    pub async fn wait_stable(&self, settle: Settle) -> Result<Arc<Snapshot>> {
        let request = self.request(Operation::Wait, settle.timeout).await?;
        let result = request.wait_stable(settle).await;
        request.finish(result)
    }

    /// Waits until a text is on the screen: the backend's own search first, then a look at the tree.
    ///
    /// # Errors
    ///
    /// The reasons of waits (`wait_target_absent`, `wait_capture_stalled`, `wait_deadline_exceeded`); always `no`.
    pub async fn wait_for_text(&self, text: &str, timeout: Duration) -> Result<()> {
        let request = self.request(Operation::Wait, timeout).await?;
        let result = request.wait_for_text(text, timeout).await;
        request.finish(result)
    }

    /// Waits until an alert is open.
    ///
    /// # Errors
    ///
    /// `wait_target_absent` with the hint for alerts; unsupported; always `no`.
    pub async fn wait_for_alert(&self, timeout: Duration) -> Result<Alert> {
        let request = self.request(Operation::ReadAlert, timeout).await?;
        let result = request.wait_for_alert(timeout).await;
        request.finish(result)
    }

    /// The open alert, if there is one.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer: always `no`.
    pub async fn alert(&self) -> Result<Option<Alert>> {
        let request = self.request(Operation::ReadAlert, Duration::ZERO).await?;
        let result = request
            .read(Operation::ReadAlert, |backend, call| {
                Box::pin(async move { backend.alert(&call).await })
            })
            .await;
        request.finish(result)
    }

    /// Accepts the open alert, with an answer if it is a prompt.
    ///
    /// # Errors
    ///
    /// `alert_not_found` (`no` where the backend can prove it); what the backend says.
    pub async fn accept_alert(&self, answer: Option<Text>) -> Result<Performed> {
        self.perform(Action::AcceptAlert(answer)).await
    }

    /// Dismisses the open alert.
    ///
    /// # Errors
    ///
    /// As for [`accept_alert`](Self::accept_alert).
    pub async fn dismiss_alert(&self) -> Result<Performed> {
        self.perform(Action::DismissAlert).await
    }

    /// A picture of the screen.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device gave none: always `no`.
    pub async fn screenshot(&self) -> Result<Screenshot> {
        let request = self.request(Operation::Screenshot, Duration::ZERO).await?;
        let result = request
            .read(Operation::Screenshot, |backend, call| {
                Box::pin(async move { backend.screenshot(&call).await })
            })
            .await;
        request.finish(result)
    }

    /// The text on the clipboard.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer: always `no`.
    pub async fn clipboard(&self) -> Result<String> {
        let request = self
            .request(Operation::ReadClipboard, Duration::ZERO)
            .await?;
        let result = request
            .read(Operation::ReadClipboard, |backend, call| {
                Box::pin(async move { backend.clipboard(&call).await })
            })
            .await;
        request.finish(result)
    }

    /// The on-screen keyboard.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer: always `no`.
    pub async fn keyboard(&self) -> Result<Keyboard> {
        let request = self
            .request(Operation::ReadKeyboard, Duration::ZERO)
            .await?;
        let result = request
            .read(Operation::ReadKeyboard, |backend, call| {
                Box::pin(async move { backend.keyboard(&call).await })
            })
            .await;
        request.finish(result)
    }

    /// How the screen is turned.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer: always `no`.
    pub async fn orientation(&self) -> Result<Orientation> {
        let request = self
            .request(Operation::ReadOrientation, Duration::ZERO)
            .await?;
        let result = request
            .read(Operation::ReadOrientation, |backend, call| {
                Box::pin(async move { backend.orientation(&call).await })
            })
            .await;
        request.finish(result)
    }

    /// The app in front.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer: always `no`.
    pub async fn app_state(&self) -> Result<AppState> {
        let request = self
            .request(Operation::ReadAppState, Duration::ZERO)
            .await?;
        let result = request
            .read(Operation::ReadAppState, |backend, call| {
                Box::pin(async move { backend.app_state(&call).await })
            })
            .await;
        request.finish(result)
    }

    /// The windows or tabs of the session.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer: always `no`.
    pub async fn windows(&self) -> Result<Vec<Window>> {
        let request = self.request(Operation::ReadWindows, Duration::ZERO).await?;
        let result = request
            .read(Operation::ReadWindows, |backend, call| {
                Box::pin(async move { backend.windows(&call).await })
            })
            .await;
        request.finish(result)
    }

    /// Opens an app by its id.
    ///
    /// # Errors
    ///
    /// What the backend says.
    pub async fn open_app(&self, app: impl Into<String>) -> Result<Performed> {
        self.perform(Action::Open(OpenTarget::App(app.into())))
            .await
    }

    /// Opens a web address or deep link.
    ///
    /// # Errors
    ///
    /// What the backend says.
    pub async fn open_url(&self, url: impl Into<String>) -> Result<Performed> {
        self.perform(Action::Open(OpenTarget::Url(url.into())))
            .await
    }

    /// Does one action that needs no target: [`Action::Back`], [`Action::Home`], [`Action::KeyboardDismiss`],
    /// [`Action::SetOrientation`], [`Action::WriteClipboard`] and so on. Actions with a target are better named by a
    /// [`Locator`], which resolves and guards it.
    ///
    /// # Errors
    ///
    /// `UNSUPPORTED_OPERATION` and `INVALID_ARGS` (`no`); what the backend says.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may leave the action done.
    pub async fn perform(&self, action: Action) -> Result<Performed> {
        let request = self.request(action.operation(), action.duration()).await?;
        let result = request.perform(action).await;
        request.finish(result)
    }

    /// Several requests as one: an error that leaves `steps` tells what the whole batch has sent. A refusal of the last step
    /// can't claim that nothing happened when an earlier step did.
    ///
    /// ```no_run
    /// # async fn demo(device: agent_device_core::Device) -> agent_device_core::Result<()> {
    /// use agent_device_core::selector::id;
    ///
    /// device.batch(|device| async move {
    ///     device.locate(id("email")).fill("anna@example.org").await?;
    ///     device.locate(id("sign-in")).press().await
    /// }).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The error of the step that failed, with the verdict of the batch.
    pub async fn batch<T, F>(&self, steps: impl FnOnce(Device) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let request = self.request(Operation::Batch, Duration::ZERO).await?;
        let nested = Device {
            parent: Some(Arc::clone(request.ledger())),
            ..self.clone()
        };
        let result = steps(nested).await;
        request.finish(result)
    }

    /// Starts a request. One that mutates waits until the one before it is over.
    async fn request(&self, operation: Operation, extra: Duration) -> Result<Request<'_>> {
        let ledger = match &self.parent {
            Some(parent) => parent.nest(),
            None => LedgerGuard::root(),
        };
        let mut request = Request::new(self, operation, ledger, self.budget.saturating_add(extra));
        if operation.effect() == Effect::Mutates && self.parent.is_none() {
            let turn = tokio::time::timeout_at(request.deadline(), self.shared.acting.lock());
            match self.cancel.run_until_cancelled(turn).await {
                Some(Ok(guard)) => request.hold(guard),
                Some(Err(_)) => {
                    let error = Error::refused(
                        crate::dispatch::rows::core::REFUSAL_DEVICE_IN_USE,
                        ErrorCode::DeviceInUse,
                        "another request kept the device busy until the deadline",
                    );
                    return request.finish(Err(error));
                }
                None => {
                    let error = request.canceled();
                    return request.finish(Err(error));
                }
            }
        }
        Ok(request)
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        // A panic while the session was held can't have left it half changed: every change is one assignment.
        self.shared
            .session
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Issues refs for the nodes that an error names, so that one of them can be acted on at once.
    fn issue_partial(&self, snapshot: &Arc<Snapshot>, nodes: &[NodeId]) -> Option<RefFrame> {
        if nodes.is_empty() || snapshot.quality().is_sparse() {
            return None;
        }
        let mut session = self.session();
        Some(
            session
                .issue(|generation| RefFrame::partial(generation, snapshot, nodes))
                .clone(),
        )
    }

    fn issue_complete(&self, snapshot: &Arc<Snapshot>) {
        if !snapshot.quality().is_sparse() && !snapshot.is_empty() {
            self.session()
                .issue(|generation| RefFrame::complete(generation, snapshot));
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("backend", &self.shared.backend.name())
            .field("device", &self.shared.backend.device())
            .finish_non_exhaustive()
    }
}

/// A named element of a device. It holds no reference to anything on the screen: every use looks anew.
#[derive(Clone, Debug)]
pub struct Locator<'d> {
    device: &'d Device,
    by: By,
}

impl<'d> Locator<'d> {
    /// How the element is named.
    pub fn by(&self) -> &By {
        &self.by
    }

    /// Presses the element once.
    pub fn press(&self) -> Press<'d> {
        Press::new(self.clone(), act::PressKind::Tap { count: 1 })
    }

    /// Presses it twice, close enough for one double tap.
    pub fn double_press(&self) -> Press<'d> {
        Press::new(self.clone(), act::PressKind::Double)
    }

    /// Presses it and stays down, 800 ms unless [`Press::hold`] says otherwise.
    pub fn long_press(&self) -> Press<'d> {
        Press::new(self.clone(), act::PressKind::Long(act::LONG_PRESS))
    }

    /// Replaces the content of the field and verifies that it holds the text. Empty text clears the field.
    pub fn fill(&self, text: impl Into<Text>) -> Act<'d> {
        Act::new(self.clone(), act::ActKind::Fill(text.into()))
    }

    /// Gives the field the focus and types, without clearing it.
    pub fn type_text(&self, text: impl Into<Text>) -> Act<'d> {
        Act::new(self.clone(), act::ActKind::Type(text.into()))
    }

    /// Gives the element the input focus.
    pub fn focus(&self) -> Act<'d> {
        Act::new(self.clone(), act::ActKind::Focus)
    }

    /// Moves the pointer over the element.
    pub fn hover(&self) -> Act<'d> {
        Act::new(self.clone(), act::ActKind::Hover)
    }

    /// Picks the element up and puts it down where `to` is.
    pub fn drag_to(&self, to: impl Into<By>) -> Act<'d> {
        Act::new(self.clone(), act::ActKind::Drag(to.into()))
    }

    /// Scrolls the element, which is a scroll container.
    pub fn scroll(&self, direction: crate::geometry::Direction) -> Scroll<'d> {
        Scroll::new(self.device, direction).within(self.by.clone())
    }

    /// What is known of the element.
    ///
    /// # Errors
    ///
    /// `selector_not_found`, `AMBIGUOUS_MATCH`; always `no`.
    pub async fn get(&self) -> Result<ElementInfo> {
        let request = self.device.request(Operation::Get, Duration::ZERO).await?;
        let result = request
            .get(&self.by, crate::target::Policy::READ_UNIQUE)
            .await;
        request.finish(result)
    }

    /// The text of the element. Of several matches the most plausible one; [`ElementInfo::resolution`] of
    /// [`get`](Self::get) refuses instead.
    ///
    /// # Errors
    ///
    /// As for [`get`](Self::get).
    pub async fn text(&self) -> Result<String> {
        let request = self.device.request(Operation::Get, Duration::ZERO).await?;
        let result = request
            .get(&self.by, crate::target::Policy::READ_TEXT)
            .await
            .map(|info| info.text);
        request.finish(result)
    }

    /// Everything that matches, in document order.
    ///
    /// # Errors
    ///
    /// The capture failed; always `no`.
    pub async fn list(&self) -> Result<Vec<ElementInfo>> {
        let request = self.device.request(Operation::Get, Duration::ZERO).await?;
        let result = request.list(&self.by).await;
        request.finish(result)
    }

    /// Whether a condition holds, at one look.
    ///
    /// # Errors
    ///
    /// The element can't be found or singled out (except for `Exists` and `Absent`); the tree is degraded, so that absence
    /// proves nothing; always `no`.
    pub async fn is(&self, predicate: Predicate) -> Result<bool> {
        let request = self.device.request(Operation::Get, Duration::ZERO).await?;
        let result = request.is(&self.by, &predicate).await;
        request.finish(result)
    }

    /// Fails with `predicate_failed` unless a condition holds, at one look.
    ///
    /// # Errors
    ///
    /// `predicate_failed`, or as for [`is`](Self::is); always `no`.
    pub async fn expect(&self, predicate: Predicate) -> Result<()> {
        let request = self.device.request(Operation::Get, Duration::ZERO).await?;
        let result = request.expect(&self.by, &predicate).await;
        request.finish(result)
    }

    /// Waits until an element matches.
    ///
    /// # Errors
    ///
    /// The reasons of waits, with `timeoutMs, readableCaptures, captures, polls, waitedMs`; always `no`.
    pub async fn wait(&self, timeout: Duration) -> Result<ElementInfo> {
        let request = self.device.request(Operation::Wait, timeout).await?;
        let result = request.wait_for(&self.by, timeout).await;
        request.finish(result)
    }

    /// Waits until no element matches. A degraded or truncated tree proves no absence.
    ///
    /// # Errors
    ///
    /// `wait_target_present` and the other reasons of waits; always `no`.
    pub async fn wait_absent(&self, timeout: Duration) -> Result<()> {
        let request = self.device.request(Operation::Wait, timeout).await?;
        let result = request.wait_absent(&self.by, timeout).await;
        request.finish(result)
    }
}

/// The seam of a request, for the rooms of this facade.
fn settle_verdict(operation: Operation, ledger: &Ledger, error: Error) -> Error {
    disclose(operation.effect(), ledger, error.with_operation(operation))
}

fn invalid_readiness() -> Error {
    Error::invalid(
        "ready_within",
        "only a selector can be waited for: a ref and a point name something that is there",
    )
}

fn not_a_target(by: &By) -> Error {
    Error::invalid("locator", format!("{by} names a place, not an element"))
        .with_reason(reason::TARGET_BOUNDS_INVALID)
}
