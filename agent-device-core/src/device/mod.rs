//! The facade that a test author uses: [`Device`] and [`Locator`].
//!
//! Everything a caller starts is a *request*: one ledger, one deadline, one span, one seam that settles what a failure says
//! about dispatch. No platform is named here and no backend is called but through a request.

mod act;
mod aim;
mod expect;
mod outcome;
mod request;
mod scroll;

pub use act::{Act, Press};
pub use expect::{ElementInfo, Predicate};
pub use outcome::{Evidence, Outcome, Readiness, Settled};
pub use scroll::{Scroll, ScrollOutcome};

use std::{
    fmt,
    future::Future,
    hash::{BuildHasher as _, RandomState},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use crate::{
    action::{
        Action, Alert, AppState, Capabilities, OpenTarget, Operation, Orientation, Performed,
        Screenshot, Text, Window,
    },
    backend::Backend,
    dispatch::{Effect, Ledger, disclose, rows},
    error::{Error, ErrorCode, Result, Secret, reason},
    geometry::Direction,
    gesture::Gesture,
    snapshot::{CaptureOptions, Keyboard, NodeId, Snapshot},
    target::{By, Policy, RefFrame, RefFrames},
    wait::{self, Settle},
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
    scope: Arc<Scope>,
    cancel: CancellationToken,
    budget: Duration,
}

struct Shared {
    backend: Box<dyn Backend>,
    session: Mutex<Session>,
}

/// Within what requests run: the device itself, or a batch.
#[derive(Default)]
struct Scope {
    /// The ledger of the batch.
    ledger: Option<Arc<Ledger>>,
    /// Held by the request that mutates.
    turn: Arc<tokio::sync::Mutex<()>>,
    /// The batch is over: its device is no way around the turns of the device any more.
    ended: AtomicBool,
}

/// What is remembered between requests.
#[derive(Debug)]
struct Session {
    /// The number of the latest capture or frame.
    generation: u64,
    /// How many actions have been started.
    acts: u64,
    frames: RefFrames,
    /// The latest gesture after which content may still be moving, by the number of its action.
    moving: Option<u64>,
    /// Texts that no error and no outcome may show.
    secrets: Vec<Arc<Secret>>,
}

/// Of so many secrets the latest are remembered.
const MAX_SECRETS: usize = 64;

impl Session {
    fn keep_secret(&mut self, text: &Text) {
        let secret = Secret::new(text.expose());
        self.secrets.retain(|known| !known.is(&secret));
        if self.secrets.len() == MAX_SECRETS {
            self.secrets.remove(0);
        }
        self.secrets.push(Arc::new(secret));
    }

    fn next_generation(&mut self) -> u64 {
        self.generation += 1;
        self.generation
    }

    /// An action starts: whatever becomes of it, refs of the trees before it mean nothing any more.
    fn act(&mut self, operation: Operation) {
        self.acts += 1;
        self.frames.expire();
        if matches!(operation, Operation::Scroll | Operation::Gesture) {
            self.moving = Some(self.acts);
        }
    }

    /// Whether a capture shows the screen as it is: it was good, and begun after the latest action.
    fn may_issue(&self, snapshot: &Snapshot) -> bool {
        !snapshot.quality().is_sparse()
            && !snapshot.is_empty()
            && snapshot.stamp().acts == self.acts
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
                    acts: 0,
                    frames: RefFrames::default(),
                    moving: None,
                    secrets: Vec::new(),
                }),
            }),
            scope: Arc::default(),
            cancel: CancellationToken::new(),
            budget: REQUEST_BUDGET,
        }
    }

    /// The same device, with requests that end when `cancel` fires, in place of an earlier token. A running capture is joined; a
    /// mutation that is with the backend is dropped and discloses `unknown`.
    #[must_use]
    pub fn with_cancel(&self, cancel: CancellationToken) -> Self {
        Self {
            cancel,
            ..self.clone()
        }
    }

    /// The same device, with another time limit for each request, whatever it waits for. Default 90 s.
    ///
    /// What a request waits for by itself comes on top: the timeout of a wait, of settling and of readiness, and the length of a
    /// gesture. So `with_budget(1 s)` and `wait(30 s)` end after 31 s at most, and mostly after 30. A batch has no limit of its
    /// own; each request in it has this one.
    ///
    /// When a limit has passed, or the caller cancels, a capture or another read that runs is told to stop, and is waited for
    /// [`READ_GRACE`](crate::observe::READ_GRACE), 5 s, longer before it is given up. The same holds for the last look of a wait,
    /// counted from the end of the wait. An action that is with the backend gets 250 ms after the deadline, and none after a
    /// cancel.
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

    /// The backend, as what the core knows of it. For things of its own keep a handle: `Device::new(Arc::clone(&backend))`. Acting
    /// on it directly bypasses ledger and disclosure.
    pub fn backend(&self) -> &dyn Backend {
        &*self.shared.backend
    }

    /// Names an element. Nothing is looked for until something is done with it.
    pub fn locate(&self, by: impl Into<By>) -> Locator {
        Locator {
            device: self.clone(),
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
        request.complete(request.snapshot(options)).await
    }

    /// The frame that authorises refs at present, if a snapshot or an error has issued any.
    pub fn ref_frame(&self) -> Option<RefFrame> {
        self.session().frames.newest().cloned()
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
        request.complete(request.gesture(gesture)).await
    }

    /// Scrolls the main content, or the container that the builder names. The main content is the largest container in sight,
    /// one that hides content that way before one that doesn't; the outcome names it.
    pub fn scroll(&self, direction: Direction) -> Scroll {
        Scroll::new(self.clone(), direction)
    }

    /// Waits until nothing on the screen changes, and returns the settled capture.
    ///
    /// # Errors
    ///
    /// `wait_stable_timeout` when something keeps changing; `no`, as with every read.
    pub async fn wait_stable(&self, settle: Settle) -> Result<Arc<Snapshot>> {
        let request = self.request(Operation::Wait, settle.timeout).await?;
        request.complete(request.wait_stable(settle)).await
    }

    /// Waits until a text is on the screen: the backend's own search first, then a look at the tree.
    ///
    /// # Errors
    ///
    /// The reasons of waits (`wait_target_absent`, `wait_capture_stalled`, `wait_deadline_exceeded`); always `no`.
    pub async fn wait_for_text(&self, text: &str, timeout: Duration) -> Result<()> {
        let request = self.request(Operation::Wait, timeout).await?;
        request.complete(request.wait_for_text(text, timeout)).await
    }

    /// Waits until an alert is open.
    ///
    /// # Errors
    ///
    /// `wait_target_absent` with the hint for alerts; unsupported; always `no`.
    pub async fn wait_for_alert(&self, timeout: Duration) -> Result<Alert> {
        let request = self.request(Operation::ReadAlert, timeout).await?;
        request.complete(request.wait_for_alert(timeout)).await
    }

    /// The open alert, if there is one.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer: always `no`.
    pub async fn alert(&self) -> Result<Option<Alert>> {
        let request = self.request(Operation::ReadAlert, Duration::ZERO).await?;
        request
            .complete(request.read(Operation::ReadAlert, |backend, call| {
                Box::pin(async move { backend.alert(&call).await })
            }))
            .await
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
        request
            .complete(request.read(Operation::Screenshot, |backend, call| {
                Box::pin(async move { backend.screenshot(&call).await })
            }))
            .await
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
        request
            .complete(request.read(Operation::ReadClipboard, |backend, call| {
                Box::pin(async move { backend.clipboard(&call).await })
            }))
            .await
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
        request
            .complete(request.read(Operation::ReadKeyboard, |backend, call| {
                Box::pin(async move { backend.keyboard(&call).await })
            }))
            .await
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
        request
            .complete(request.read(Operation::ReadOrientation, |backend, call| {
                Box::pin(async move { backend.orientation(&call).await })
            }))
            .await
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
        request
            .complete(request.read(Operation::ReadAppState, |backend, call| {
                Box::pin(async move { backend.app_state(&call).await })
            }))
            .await
    }

    /// The windows or tabs of the session.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer: always `no`.
    pub async fn windows(&self) -> Result<Vec<Window>> {
        let request = self.request(Operation::ReadWindows, Duration::ZERO).await?;
        request
            .complete(request.read(Operation::ReadWindows, |backend, call| {
                Box::pin(async move { backend.windows(&call).await })
            }))
            .await
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
        let request = self.request(action.operation(), Duration::ZERO).await?;
        request.complete(request.perform(action)).await
    }

    /// Several requests as one: an error that leaves `steps` tells what the whole batch has sent. A refusal of the last step
    /// can't claim that nothing happened when an earlier step did, or is still under way.
    ///
    /// Within it, use the device that the closure gets. Another handle to the same device waits until the batch is over, and
    /// the closure's device is of no use afterwards.
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
        let scope = Arc::new(Scope {
            ledger: Some(Arc::clone(request.ledger())),
            ..Scope::default()
        });
        // Also when the future is dropped.
        let _ended = EndScope(Arc::clone(&scope));
        let nested = Device {
            scope,
            ..self.clone()
        };
        request.complete(steps(nested)).await
    }

    /// Starts a request, which waits for `extra` by itself. One that mutates waits until the one before it is over.
    async fn request(&self, operation: Operation, extra: Duration) -> Result<Request<'_>> {
        self.request_about(None, operation, extra).await
    }

    async fn request_about<'d>(
        &'d self,
        by: Option<&'d By>,
        operation: Operation,
        extra: Duration,
    ) -> Result<Request<'d>> {
        let ledger = match &self.scope.ledger {
            Some(batch) => batch.nest(),
            None => Arc::default(),
        };
        let budget = self.budget.saturating_add(extra);
        let mut request = Request::new(self, by, operation, ledger, budget);
        let admitted = match wait::check(extra) {
            Ok(()) => self.admit(&mut request, operation.effect()).await,
            refused => refused,
        };
        match admitted {
            Ok(()) => Ok(request),
            Err(error) => request.finish(Err(error)),
        }
    }

    async fn admit(&self, request: &mut Request<'_>, effect: Effect) -> Result<()> {
        if self.scope.ended.load(Ordering::Acquire) {
            return Err(
                Error::invalid("device", "this device belongs to a batch that is over").with_hint(
                    "Use it within the closure of its batch only, and the outer device after it.",
                ),
            );
        }
        if effect == Effect::Observes {
            return Ok(());
        }
        let turn = Arc::clone(&self.scope.turn).lock_owned();
        let turn = tokio::time::timeout_at(request.deadline(), turn);
        match self.cancel.run_until_cancelled(turn).await {
            Some(Ok(turn)) => {
                request.hold(turn);
                Ok(())
            }
            Some(Err(_)) => Err(Error::refused(
                rows::core::REFUSAL_DEVICE_IN_USE,
                ErrorCode::DeviceInUse,
                "another request kept the device busy until the deadline",
            )),
            None => Err(request.canceled()),
        }
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
        let mut session = self.session();
        if nodes.is_empty() || !session.may_issue(snapshot) {
            return None;
        }
        let frame = RefFrame::partial(session.next_generation(), snapshot, nodes);
        session.frames.issue(frame.clone());
        Some(frame)
    }

    /// Issues refs for the whole view of a capture, with their generation.
    fn issue_complete(&self, snapshot: &Arc<Snapshot>) -> Option<u64> {
        let mut session = self.session();
        if !session.may_issue(snapshot) {
            return None;
        }
        let frame = RefFrame::complete(snapshot);
        let generation = frame.generation();
        session.frames.issue(frame);
        Some(generation)
    }
}

struct EndScope(Arc<Scope>);

impl Drop for EndScope {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Release);
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
pub struct Locator {
    device: Device,
    by: By,
}

impl Locator {
    async fn request(&self, operation: Operation, extra: Duration) -> Result<Request<'_>> {
        self.by.check()?;
        self.device
            .request_about(Some(&self.by), operation, extra)
            .await
    }

    /// How the element is named.
    pub fn by(&self) -> &By {
        &self.by
    }

    /// Presses the element once.
    pub fn press(&self) -> Press {
        Press::new(self.clone(), act::PressKind::Tap { count: 1 })
    }

    /// Presses it twice, close enough for one double tap.
    pub fn double_press(&self) -> Press {
        Press::new(self.clone(), act::PressKind::Double)
    }

    /// Presses it and stays down, 800 ms unless [`Press::hold`] says otherwise.
    pub fn long_press(&self) -> Press {
        Press::new(self.clone(), act::PressKind::Long(act::LONG_PRESS))
    }

    /// Replaces the content of the field and verifies that it holds the text. Empty text clears the field.
    pub fn fill(&self, text: impl Into<Text>) -> Act {
        Act::new(self.clone(), act::ActKind::Fill(text.into()))
    }

    /// Gives the field the focus and types, without clearing it.
    pub fn type_text(&self, text: impl Into<Text>) -> Act {
        Act::new(self.clone(), act::ActKind::Type(text.into()))
    }

    /// Gives the element the input focus.
    pub fn focus(&self) -> Act {
        Act::new(self.clone(), act::ActKind::Focus)
    }

    /// Moves the pointer over the element.
    pub fn hover(&self) -> Act {
        Act::new(self.clone(), act::ActKind::Hover)
    }

    /// Picks the element up and puts it down where `to` is.
    pub fn drag_to(&self, to: impl Into<By>) -> Act {
        Act::new(self.clone(), act::ActKind::Drag(to.into()))
    }

    /// Scrolls the element, which is a scroll container.
    pub fn scroll(&self, direction: Direction) -> Scroll {
        Scroll::new(self.device.clone(), direction).within(self.by.clone())
    }

    /// What is known of the element.
    ///
    /// # Errors
    ///
    /// `selector_not_found`, `capture_sparse` when the tree is incomplete, `AMBIGUOUS_MATCH`; always `no`.
    pub async fn get(&self) -> Result<ElementInfo> {
        let request = self.request(Operation::Get, Duration::ZERO).await?;
        request
            .complete(request.get(&self.by, Policy::READ_UNIQUE))
            .await
    }

    /// What is known of the element; of several matches, of the most plausible one: in sight before out of it, then the
    /// deepest, then the smallest. [`ElementInfo::resolution`] says which rule chose. [`get`](Self::get) refuses instead.
    ///
    /// # Errors
    ///
    /// As for [`get`](Self::get), when no rule singles one out.
    pub async fn read(&self) -> Result<ElementInfo> {
        let request = self.request(Operation::Get, Duration::ZERO).await?;
        request
            .complete(request.get(&self.by, Policy::READ_TEXT))
            .await
    }

    /// The text of the element that [`read`](Self::read) reads.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub async fn text(&self) -> Result<String> {
        Ok(self.read().await?.text)
    }

    /// What the element that [`read`](Self::read) reads holds: the content of a field. `None` when nobody told it, and for a
    /// secret field.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub async fn value(&self) -> Result<Option<String>> {
        Ok(self.read().await?.value)
    }

    /// Everything that matches, in document order.
    ///
    /// # Errors
    ///
    /// The capture failed; always `no`.
    pub async fn list(&self) -> Result<Vec<ElementInfo>> {
        let request = self.request(Operation::Get, Duration::ZERO).await?;
        request.complete(request.list(&self.by)).await
    }

    /// Whether a condition holds, at one look.
    ///
    /// # Errors
    ///
    /// The element can't be found or singled out (except for `Exists` and `Absent`); the tree is degraded, so that absence
    /// proves nothing; always `no`.
    pub async fn is(&self, predicate: Predicate) -> Result<bool> {
        let request = self.request(Operation::Get, Duration::ZERO).await?;
        request.complete(request.is(&self.by, &predicate)).await
    }

    /// Fails with `predicate_failed` unless a condition holds, at one look. [`wait_until`](Self::wait_until) gives it time.
    ///
    /// # Errors
    ///
    /// `predicate_failed`, with `expected`, `observed` and the line of the `element`, or as for [`is`](Self::is); always `no`.
    pub async fn expect(&self, predicate: Predicate) -> Result<()> {
        let request = self.request(Operation::Get, Duration::ZERO).await?;
        request.complete(request.expect(&self.by, &predicate)).await
    }

    /// Waits until an element matches. [`Duration::ZERO`] is one look, however long it takes. A look that ends after the
    /// timeout is no evidence: allow more than a capture takes. What bounds the wait itself: [`Device::with_budget`].
    ///
    /// # Errors
    ///
    /// `INVALID_ARGS` for a timeout beyond [`MAX_WAIT`](crate::wait::MAX_WAIT); `wait_target_absent`; `wait_capture_stalled`
    /// when no look was readable in time, which says whether a late one showed the element; `wait_deadline_exceeded` when only
    /// the last, late one did; with `timeoutMs, readableCaptures, captures, polls, waitedMs`; always `no`.
    pub async fn wait(&self, timeout: Duration) -> Result<ElementInfo> {
        let request = self.request(Operation::Wait, timeout).await?;
        request.complete(request.wait_for(&self.by, timeout)).await
    }

    /// Waits until a condition holds, as [`expect`](Self::expect) judges it; for an element that isn't there yet, too. The time
    /// counts as for [`wait`](Self::wait).
    ///
    /// ```no_run
    /// # async fn demo(device: agent_device_core::Device) -> agent_device_core::Result<()> {
    /// use agent_device_core::{device::Predicate, selector::id};
    /// use std::time::Duration;
    ///
    /// let total = device.locate(id("total"));
    /// total.wait_until(Predicate::Text("3 items".into()), Duration::from_secs(5)).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// `predicate_failed` with what was seen last; `AMBIGUOUS_MATCH` at once; the reasons of [`wait`](Self::wait) when the
    /// element is missing; `INVALID_ARGS` for a ref or a point; always `no`.
    pub async fn wait_until(&self, predicate: Predicate, timeout: Duration) -> Result<()> {
        let request = self.request(Operation::Wait, timeout).await?;
        request
            .complete(request.wait_until(&self.by, &predicate, timeout))
            .await
    }

    /// Waits until no element matches. A degraded or truncated tree proves no absence.
    ///
    /// # Errors
    ///
    /// `wait_target_present`, `capture_sparse` when the last tree proved nothing, and the other reasons of waits; always `no`.
    pub async fn wait_absent(&self, timeout: Duration) -> Result<()> {
        let request = self.request(Operation::Wait, timeout).await?;
        request
            .complete(request.wait_absent(&self.by, timeout))
            .await
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
    let message = match by {
        By::Ref(_) => {
            format!("{by} is a ref, which means nothing in a later capture: use a selector")
        }
        _ => format!("{by} names a place, not an element"),
    };
    Error::invalid("locator", message).with_reason(reason::TARGET_BOUNDS_INVALID)
}
