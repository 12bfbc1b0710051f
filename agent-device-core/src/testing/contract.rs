//! The part of the contract that any backend inherits, checked without a fixture app.

use std::{
    borrow::Cow,
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use futures::FutureExt as _;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    Backend, By, Call, Device, Dispatched, Error, ErrorCode, Interactor, Result, SnapshotBackend,
    action::{
        Action, Alert, AppState, Capabilities, Operation, Orientation, Performed, Screenshot,
        Target, Window,
    },
    dispatch::{Effect, Row, rows},
    geometry::{Point, Rect},
    observe::READ_GRACE,
    reason,
    selector::id,
    snapshot::{CaptureOptions, Keyboard, QualityState, Snapshot},
    target::Policy,
};

/// Checks what any backend must do and what it inherits: unsupported operations and bad arguments are provably `no`, reads
/// are always `no`, an unclassified failure is `unknown`, a press costs one capture and one send, and a send that failed, was
/// cancelled or panicked is never forgotten.
///
/// The screen must show something that can be pressed. It is pressed once.
///
/// Of the backend itself it asks that a capture has places which are numbers and ends after a cancel if the backend says that it
/// honours one, that each read which it offers is there, and that a press is one send. It can't see the device: whether a
/// press lands where it should, once, and whether a `no` is true, only the app's own log can tell
/// ([`conformance`](super::conformance) reads one). Actions other than a press are not tried.
///
/// # Panics
///
/// When the backend breaks the contract, or a check does not end within 60 s: with the name of the check and what to look at. A
/// backend that blocks its thread is not interrupted.
pub async fn contract<B: Backend + 'static>(backend: B) {
    let probe = Probe::new(Arc::new(backend));
    let device = Device::new(probe.clone());

    let mut rows: Vec<_> = probe.rows().iter().map(|row| row.id()).collect();
    rows.sort_unstable();
    let all = rows.len();
    rows.dedup();
    assert_eq!(
        rows.len(),
        all,
        "two golden rows of the backend share an id"
    );

    let target = check(
        "something to press",
        "SnapshotBackend::capture must end by its call's deadline, with a tree whose places are numbers and in which something can be pressed",
        something_to_press(&device),
    )
    .await;
    check(
        "a cancelled capture ends",
        "honours_cancel says that a capture stops soon after Call::cancel fires",
        ends_when_cancelled(&probe),
    )
    .await;
    check(
        "what is not offered is refused, and what is offered is there",
        "Interactor::capabilities must name the operations that are implemented, and no others",
        refuses_what_it_does_not_offer(&device, &probe),
    )
    .await;
    check(
        "refusals before a send",
        "SnapshotBackend::capture must end by its call's deadline",
        refuses_before_it_sends(&device, &probe),
    )
    .await;
    check(
        "reads are always no",
        "a failed read must not be more than a failed read",
        reads_are_always_no(&device, &probe),
    )
    .await;
    check(
        "no send is forgotten",
        "an error's row must say what is proven, see Interactor::perform",
        never_forgets_a_send(&device, &probe, &target),
    )
    .await;
    check(
        "a press is one capture and one send",
        "Interactor::perform must do an action once, and open a send for each input whose outcome matters by itself",
        presses_once(&device, &probe, target),
    )
    .await;
}

/// How long one check may take. A capture may have the whole of a request, but a screen to test on needs no minute.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs one check, whose failure names it.
async fn check<T>(name: &str, advice: &str, work: impl Future<Output = T>) -> T {
    let work = AssertUnwindSafe(work).catch_unwind();
    match tokio::time::timeout(LIMIT, work).await {
        Ok(Ok(value)) => value,
        Ok(Err(payload)) => {
            let said = payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or(payload.downcast_ref::<&str>().copied())
                .unwrap_or("the backend panicked");
            panic!("contract check {name:?} failed: {said}\n{advice}")
        }
        Err(_) => panic!(
            "contract check {name:?} did not end within {} s\n{advice}",
            LIMIT.as_secs()
        ),
    }
}

async fn ends_when_cancelled(probe: &Probe) {
    if !probe.honours_cancel() {
        return;
    }
    let cancel = CancellationToken::new();
    let deadline = Instant::now() + LIMIT;
    let call = Call::new(Arc::default(), cancel.clone(), deadline);
    cancel.cancel();
    let options = CaptureOptions::default();
    let capture = probe.backend.capture(&options, &call);
    assert!(
        tokio::time::timeout(READ_GRACE, capture).await.is_ok(),
        "a cancelled capture did not end within {} s",
        READ_GRACE.as_secs()
    );
}

async fn presses_once(device: &Device, probe: &Probe, target: By) {
    probe.reset(Mode::Forward);
    let pressed = device.locate(target.clone()).press().await;
    let outcome = pressed.unwrap_or_else(|error| panic!("{target} can't be pressed: {error:?}"));
    assert!(outcome.point.is_finite());
    let counted = (probe.captures(), probe.sends());
    assert_eq!(
        counted,
        (1, 1),
        "a press on a present target is one capture and one send"
    );
    let opened = probe.shared.steps.load(Ordering::SeqCst);
    assert!(opened <= 1, "the backend counts {opened} sends for a press");
}

async fn refuses_what_it_does_not_offer(device: &Device, probe: &Probe) {
    let capabilities = probe.capabilities();
    assert!(capabilities.offers(Operation::Capture));
    let simple = [
        Action::Back,
        Action::Home,
        Action::AppSwitcher,
        Action::KeyboardDismiss,
        Action::KeyboardEnter,
        Action::DismissAlert,
        Action::AcceptAlert(None),
        Action::SetOrientation(Orientation::Portrait),
        Action::WriteClipboard("x".into()),
        Action::SelectWindow("none".into()),
        Action::TypeText("x".into()),
    ];
    for action in simple {
        if capabilities.offers(action.operation()) {
            continue;
        }
        let operation = action.operation();
        let error = expect_error(device.perform(action).await, operation.as_str());
        assert_eq!(error.code(), ErrorCode::UnsupportedOperation, "{error:?}");
        assert_no(&error);
        assert!(!error.hint().is_empty());
    }
    let reads: [(Operation, Result<()>); 7] = [
        (Operation::Screenshot, device.screenshot().await.map(drop)),
        (Operation::ReadAlert, device.alert().await.map(drop)),
        (Operation::ReadClipboard, device.clipboard().await.map(drop)),
        (Operation::ReadWindows, device.windows().await.map(drop)),
        (Operation::ReadKeyboard, device.keyboard().await.map(drop)),
        (
            Operation::ReadOrientation,
            device.orientation().await.map(drop),
        ),
        (Operation::ReadAppState, device.app_state().await.map(drop)),
    ];
    for (operation, result) in reads {
        if let Err(error) = result {
            assert_no(&error);
            assert!(
                error.code() != ErrorCode::UnsupportedOperation || !capabilities.offers(operation),
                "{} is offered and not there: {error:?}",
                operation.as_str()
            );
        } else {
            assert!(
                capabilities.offers(operation),
                "{} is not listed",
                operation.as_str()
            );
        }
    }
    assert_eq!(
        probe.sends(),
        0,
        "what is not offered never reaches the backend"
    );
}

async fn refuses_before_it_sends(device: &Device, probe: &Probe) {
    let nowhere = Point::new(f64::NAN, 0.0);
    for error in [
        expect_error(device.locate(nowhere).press().await, "a place that is none"),
        expect_error(
            device.locate(id("no such thing at all")).press().await,
            "a missing target",
        ),
        expect_error(device.locate(id("x")).press().count(0).await, "no press"),
        expect_error(device.type_text("").await, "no text"),
    ] {
        assert_no(&error);
    }
    let cancel = CancellationToken::new();
    cancel.cancel();
    let canceled = device.with_cancel(cancel);
    let error = expect_error(
        canceled.locate(Point::new(1.0, 1.0)).press().await,
        "cancelled",
    );
    assert_eq!(error.reason(), Some(reason::REQUEST_CANCELED));
    assert_no(&error);
    let late = device.with_budget(Duration::ZERO);
    let error = expect_error(late.locate(Point::new(1.0, 1.0)).press().await, "too late");
    assert_no(&error);
    assert_eq!(probe.sends(), 0, "a refusal has sent nothing");
}

async fn something_to_press(device: &Device) -> By {
    let snapshot = match device.snapshot_with(CaptureOptions::interactive()).await {
        Ok(snapshot) => snapshot,
        Err(error) => panic!("no snapshot: {error:?}"),
    };
    assert_ne!(snapshot.quality().state, QualityState::Sparse);
    assert!(snapshot.len() <= u32::MAX as usize && !snapshot.is_empty());
    for node in snapshot.nodes() {
        assert!(
            node.bounds().is_none_or(|bounds| {
                [bounds.x, bounds.y, bounds.width, bounds.height]
                    .iter()
                    .all(|edge| edge.is_finite())
            }),
            "{} has a place that is no number: {:?}",
            crate::snapshot::Line::bare(node),
            node.bounds()
        );
    }
    let candidates = snapshot
        .nodes()
        .filter(|node| node.role().is_touch_target());
    let mut selectors = candidates.map(|node| By::Selector(crate::Selector::for_node(node, false)));
    let pressable = selectors
        .find(|by| crate::target::resolve(&snapshot, by, Policy::PROMOTED_TARGET, None).is_ok());
    pressable.unwrap_or_else(|| panic!("nothing can be pressed:\n{}", snapshot.view()))
}

async fn reads_are_always_no(device: &Device, probe: &Probe) {
    probe.reset(Mode::FailReads);
    for error in [
        expect_error(device.snapshot().await, "a capture"),
        expect_error(device.locate(id("x")).get().await, "a look"),
        expect_error(
            device.locate(id("x")).wait(Duration::from_millis(1)).await,
            "a wait",
        ),
    ] {
        assert_no(&error);
    }
}

async fn never_forgets_a_send(device: &Device, probe: &Probe, target: &By) {
    let there = Point::new(1.0, 1.0);

    probe.reset(Mode::FailSends);
    let error = expect_error(
        device.locate(target.clone()).press().await,
        "an unclassified failure",
    );
    assert_eq!(error.dispatched(), Dispatched::Unknown, "{error:?}");
    assert_eq!(error.row(), Some(rows::core::UNCLASSIFIED.row()));

    probe.reset(Mode::RefuseSendsAfter(0));
    let error = expect_error(
        device.locate(there).press().count(3).await,
        "the first of a series",
    );
    assert_no(&error);
    assert_eq!(probe.sends(), 1, "a refusal is not repeated");

    probe.reset(Mode::RefuseSendsAfter(2));
    let error = expect_error(
        device.locate(there).press().count(3).await,
        "the third of a series",
    );
    assert_eq!(error.dispatched(), Dispatched::Unknown, "{error:?}");
    assert_eq!((error.dispatched_steps(), probe.sends()), (2, 3));

    probe.reset(Mode::RefuseSendsAfter(1));
    let batch = device.batch(|device| async move {
        device.locate(there).press().await?;
        device.locate(there).press().await
    });
    let error = expect_error(batch.await, "the second step of a batch");
    assert_eq!(error.dispatched(), Dispatched::Unknown, "{error:?}");
    assert_eq!(error.dispatched_steps(), 1);

    probe.reset(Mode::Hang);
    let cancel = CancellationToken::new();
    let canceled = device.with_cancel(cancel.clone());
    let pressing = canceled.locate(there).press().into_future();
    let (result, ()) = futures::join!(pressing, async {
        while probe.sends() == 0 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    });
    let error = expect_error(result, "cancelled while the backend had it");
    assert_eq!(error.dispatched(), Dispatched::Unknown, "{error:?}");

    probe.reset(Mode::Panic);
    let batch = device.batch(|device| async move {
        let pressed = AssertUnwindSafe(device.locate(there).press().into_future()).catch_unwind();
        assert!(pressed.await.is_err(), "the backend panics");
        device.locate(id("no such thing at all")).press().await
    });
    let error = expect_error(batch.await, "a refusal after a panic");
    assert_eq!(
        error.dispatched(),
        Dispatched::Unknown,
        "what panicked may have landed: {error:?}"
    );
}

fn expect_error<T>(result: Result<T>, what: &str) -> Error {
    match result {
        Ok(_) => panic!("{what} should fail"),
        Err(error) => error,
    }
}

fn assert_no(error: &Error) {
    let Dispatched::No(proof) = error.dispatched() else {
        panic!("nothing was sent, and yet: {error:?}");
    };
    assert_eq!(proof.row().dispatched(), "no");
    assert_eq!(error.dispatched_steps(), 0);
}

use std::future::IntoFuture as _;

/// What the probe does instead of the backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Forward,
    FailReads,
    FailSends,
    /// Accepts so many sends without passing them on, then refuses with proof.
    RefuseSendsAfter(u64),
    Hang,
    Panic,
}

/// Passes captures on to the backend, and counts.
#[derive(Clone)]
struct Probe {
    backend: Arc<dyn Backend>,
    shared: Arc<Shared>,
}

struct Shared {
    mode: std::sync::Mutex<Mode>,
    captures: AtomicU64,
    sends: AtomicU64,
    /// How many sends the backend itself counts for the latest action.
    steps: AtomicU32,
}

impl Probe {
    fn new(backend: Arc<dyn Backend>) -> Self {
        Self {
            backend,
            shared: Arc::new(Shared {
                mode: std::sync::Mutex::new(Mode::Forward),
                captures: AtomicU64::new(0),
                sends: AtomicU64::new(0),
                steps: AtomicU32::new(0),
            }),
        }
    }

    fn reset(&self, mode: Mode) {
        *self.mode() = mode;
        self.shared.captures.store(0, Ordering::SeqCst);
        self.shared.sends.store(0, Ordering::SeqCst);
    }

    fn mode(&self) -> std::sync::MutexGuard<'_, Mode> {
        self.shared
            .mode
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn captures(&self) -> u64 {
        self.shared.captures.load(Ordering::SeqCst)
    }

    fn sends(&self) -> u64 {
        self.shared.sends.load(Ordering::SeqCst)
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl SnapshotBackend for Probe {
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
        self.shared.captures.fetch_add(1, Ordering::SeqCst);
        if *self.mode() == Mode::FailReads {
            // A wrong claim of a producer about a read: the seam knows better.
            return Err(
                Error::new(ErrorCode::CommandFailed, "no tree").uncertain(rows::core::UNCLASSIFIED)
            );
        }
        self.backend.capture(options, call).await
    }

    fn honours_cancel(&self) -> bool {
        self.backend.honours_cancel()
    }

    async fn find_text(&self, text: &str, call: &Call) -> Result<Option<bool>> {
        self.backend.find_text(text, call).await
    }

    async fn confirm_visible(&self, target: &Target, call: &Call) -> Result<Option<Rect>> {
        self.backend.confirm_visible(target, call).await
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Interactor for Probe {
    fn capabilities(&self) -> Capabilities {
        self.backend.capabilities()
    }

    async fn perform(&self, action: &Action, call: &Call) -> Result<Performed> {
        let before = self.shared.sends.fetch_add(1, Ordering::SeqCst);
        debug_assert_eq!(action.operation().effect(), Effect::Mutates);
        let mode = *self.mode();
        match mode {
            Mode::Forward | Mode::FailReads => {
                let performed = self.backend.perform(action, call).await;
                let steps = call.ledger().steps();
                self.shared.steps.store(steps, Ordering::SeqCst);
                performed
            }
            Mode::FailSends => Err(Error::new(ErrorCode::CommandFailed, "it broke")),
            Mode::RefuseSendsAfter(accepted) if before < accepted => Ok(Performed::new()),
            Mode::RefuseSendsAfter(_) => Err(Error::refused(
                rows::core::REFUSAL_UNSUPPORTED,
                ErrorCode::CommandFailed,
                "refused with proof",
            )),
            Mode::Hang => futures::future::pending().await,
            // Without a word on the terminal: it is meant.
            Mode::Panic => std::panic::resume_unwind(Box::new("the backend panics on purpose")),
        }
    }

    async fn screenshot(&self, call: &Call) -> Result<Screenshot> {
        self.backend.screenshot(call).await
    }

    async fn alert(&self, call: &Call) -> Result<Option<Alert>> {
        self.backend.alert(call).await
    }

    async fn clipboard(&self, call: &Call) -> Result<String> {
        self.backend.clipboard(call).await
    }

    async fn keyboard(&self, call: &Call) -> Result<Keyboard> {
        self.backend.keyboard(call).await
    }

    async fn orientation(&self, call: &Call) -> Result<Orientation> {
        self.backend.orientation(call).await
    }

    async fn app_state(&self, call: &Call) -> Result<AppState> {
        self.backend.app_state(call).await
    }

    async fn windows(&self, call: &Call) -> Result<Vec<Window>> {
        self.backend.windows(call).await
    }
}

#[deny(clippy::missing_trait_methods)]
impl Backend for Probe {
    fn name(&self) -> Cow<'static, str> {
        self.backend.name()
    }

    fn device(&self) -> Cow<'static, str> {
        self.backend.device()
    }

    fn rows(&self) -> &'static [&'static Row] {
        self.backend.rows()
    }
}
