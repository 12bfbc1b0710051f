//! One request: the ledger, the deadline, the span and the seam around everything that a caller starts.

use std::{
    borrow::Cow,
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{sync::OwnedMutexGuard, time::Instant};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span, field};

use super::{Device, expect::unproven, settle_verdict};
use crate::{
    action::{Action, Operation, Performed, Text},
    backend::{Backend, Call},
    dispatch::{Dispatched, Ledger, rows},
    error::{Error, ErrorCode, Result, Secret, reason},
    gesture::Gesture,
    observe::{BudgetFrom, End, READ_GRACE, Schedule, after, join_bounded, observe_until},
    snapshot::{CaptureOptions, Flag, NodeId, Snapshot, Stamp, Target},
    target::{self, By, Policy, Ref, Refusal, Resolved},
    wait::{self, Settle},
};

/// A backend gets this long to report its own, better error after the deadline.
const GRACE: Duration = Duration::from_millis(250);

pub(super) struct Request<'d> {
    pub(super) device: &'d Device,
    operation: Operation,
    ledger: Arc<Ledger>,
    deadline: Instant,
    started: Instant,
    span: Span,
    turn: Option<OwnedMutexGuard<()>>,
    /// What it is about, for its errors.
    about: Option<&'d By>,
}

pub(super) type ReadFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

impl<'d> Request<'d> {
    pub(super) fn new(
        device: &'d Device,
        about: Option<&'d By>,
        operation: Operation,
        ledger: Arc<Ledger>,
        budget: Duration,
    ) -> Self {
        let started = Instant::now();
        let span = tracing::debug_span!(
            "agent_device.request",
            op = operation.as_str(),
            backend = %device.shared.backend.name(),
            device = %device.shared.backend.device(),
            dispatched = field::Empty,
            sends = field::Empty,
            elapsed_ms = field::Empty,
        );
        Self {
            device,
            operation,
            ledger,
            deadline: after(started, budget),
            started,
            span,
            turn: None,
            about,
        }
    }

    /// Keeps the turn until the request is over.
    pub(super) fn hold(&mut self, turn: OwnedMutexGuard<()>) {
        self.turn = Some(turn);
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    pub(super) fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    pub(super) fn backend(&self) -> &'d dyn Backend {
        &*self.device.shared.backend
    }

    pub(super) fn cancel(&self) -> &CancellationToken {
        &self.device.cancel
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Does the work of the request within its span, and ends it.
    pub(super) async fn complete<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let result = work.instrument(self.span.clone()).await;
        self.finish(result)
    }

    /// Ends the request: an error gets its final verdict here and nowhere else.
    pub(super) fn finish<T>(&self, result: Result<T>) -> Result<T> {
        let result = result.map_err(|error| {
            let error = settle_verdict(self.operation, self.ledger(), error)
                .with_backend(self.backend().name().into_owned());
            let error = match self.about {
                Some(by) => named(error, by),
                None => error,
            };
            let hidden = |error: Error, secret: Arc<Secret>| error.without(&secret);
            self.secrets().into_iter().fold(error, hidden)
        });
        self.span.record("sends", self.ledger().steps());
        self.span
            .record("elapsed_ms", self.started.elapsed().as_secs_f64() * 1000.0);
        if let Err(error) = &result {
            self.span.record("dispatched", error.dispatched().as_str());
            self.span.in_scope(|| {
                tracing::debug!(
                    name: "agent_device.failed",
                    code = error.code_str(),
                    reason = error.reason(),
                    dispatched = error.dispatched().as_str(),
                    "request failed"
                );
            });
        }
        result
    }

    /// From here on no error and no outcome of this device shows the text.
    pub(super) fn keep_secret(&self, text: &Text) {
        self.device.session().keep_secret(text);
    }

    pub(super) fn secrets(&self) -> Vec<Arc<Secret>> {
        self.device.session().secrets.clone()
    }

    pub(super) fn canceled(&self) -> Error {
        Error::refused(
            rows::core::REFUSAL_CANCELED_BEFORE_SEND,
            ErrorCode::CommandFailed,
            "the caller cancelled",
        )
        .with_reason(reason::REQUEST_CANCELED)
    }

    fn late(&self) -> Error {
        Error::refused(
            rows::core::REFUSAL_DEADLINE_BEFORE_SEND,
            ErrorCode::CommandFailed,
            "the deadline of the request has passed",
        )
        .with_reason(reason::DEADLINE_EXCEEDED)
    }

    fn refuse_unoffered(&self, operation: Operation) -> Result<()> {
        let capabilities = self.backend().capabilities();
        if capabilities.offers(operation) {
            return Ok(());
        }
        let mut error = Error::unsupported(operation);
        if let Some(fact) = capabilities.unavailable(operation) {
            error = error.with_reason(fact.reason);
            if let Some(hint) = fact.hint {
                error = error.with_hint(hint);
            }
        }
        Err(error)
    }

    /// Does one action once. The only place of this crate that calls [`Interactor::perform`](crate::Interactor::perform).
    pub(super) async fn perform(&self, action: Action) -> Result<Performed> {
        let operation = action.operation();
        self.refuse_unoffered(operation)?;
        action.check()?;
        if self.cancel().is_cancelled() {
            return Err(self.canceled());
        }
        if Instant::now() >= self.deadline {
            return Err(self.late());
        }
        if let Some(secret) = secret_of(&action) {
            self.keep_secret(secret);
        }
        self.device.session().act(operation);
        // What the backend itself records for this action.
        let ledger = self.ledger().nest();
        // Stands for the action while it is with the backend, so that a panic or a dropped future counts as possibly landed.
        let in_flight = self.ledger().open_send();
        let deadline = after(self.deadline, action.duration());
        let call = Call::new(Arc::clone(&ledger), self.cancel().child_token(), deadline);
        let span = tracing::debug_span!(
            parent: &self.span,
            "agent_device.send",
            op = operation.as_str(),
            dispatched = field::Empty,
            elapsed_ms = field::Empty,
        );
        let started = Instant::now();
        let performing = async {
            let sending = self.backend().perform(&action, &call);
            let bounded = tokio::time::timeout_at(after(deadline, GRACE), sending);
            match self.cancel().run_until_cancelled(bounded).await {
                Some(Ok(result)) => result,
                Some(Err(_)) => Err(Error::new(
                    ErrorCode::CommandFailed,
                    format!("{} did not end before the deadline", operation.as_str()),
                )
                .with_reason(reason::DEADLINE_EXCEEDED)
                .uncertain(rows::core::DEADLINE_IN_FLIGHT)),
                None => Err(Error::new(
                    ErrorCode::CommandFailed,
                    format!("the caller cancelled during {}", operation.as_str()),
                )
                .with_reason(reason::REQUEST_CANCELED)
                .uncertain(rows::core::CANCELED_IN_FLIGHT)),
            }
        };
        let result = performing.instrument(span.clone()).await;
        span.record("elapsed_ms", started.elapsed().as_secs_f64() * 1000.0);
        match result {
            Ok(mut performed) => {
                for secret in self.secrets() {
                    let hide = |warning: Cow<'static, str>| secret.hide(&warning).into();
                    performed.warnings = performed.warnings.into_iter().map(hide).collect();
                }
                if ledger.is_empty() {
                    in_flight.landed();
                } else {
                    in_flight.discard();
                }
                Ok(performed)
            }
            Err(error) => {
                let error = settle_verdict(operation, &ledger, error);
                span.record("dispatched", error.dispatched().as_str());
                match error.dispatched() {
                    Dispatched::No(_) => in_flight.discard(),
                    Dispatched::Unknown if ledger.is_empty() => in_flight.uncertain(),
                    Dispatched::Unknown => in_flight.discard(),
                }
                Err(error)
            }
        }
    }

    /// Reads something that is not part of the tree.
    pub(super) async fn read<T>(
        &self,
        operation: Operation,
        read: impl FnOnce(&'d dyn Backend, Call) -> ReadFuture<'d, T>,
    ) -> Result<T> {
        self.read_until(operation, self.deadline, self.cancel().child_token(), read)
            .await
    }

    /// The only way of this crate to a read of the backend. It is told to stop by `signal`, and by dropping this future.
    pub(super) async fn read_until<T>(
        &self,
        operation: Operation,
        until: Instant,
        signal: CancellationToken,
        read: impl FnOnce(&'d dyn Backend, Call) -> ReadFuture<'d, T>,
    ) -> Result<T> {
        self.refuse_unoffered(operation)?;
        if self.cancel().is_cancelled() {
            return Err(self.canceled());
        }
        // A read that has to answer a system dialog sends, too.
        let ledger = self.ledger().nest();
        let until = until.min(self.deadline);
        let call = Call::new(Arc::clone(&ledger), signal.clone(), until);
        let told = signal.drop_guard();
        let span = tracing::debug_span!(
            parent: &self.span,
            "agent_device.read",
            op = operation.as_str(),
            elapsed_ms = field::Empty,
        );
        let started = Instant::now();
        let reading = read(self.backend(), call).instrument(span.clone());
        let result = match join_bounded(reading, self.cancel(), until).await {
            Some(result) => {
                told.disarm();
                result
            }
            None if self.cancel().is_cancelled() => Err(self.canceled()),
            None => Err(self.late()),
        };
        span.record("elapsed_ms", started.elapsed().as_secs_f64() * 1000.0);
        result.map_err(|error| settle_verdict(operation, &ledger, error))
    }

    /// Captures the screen. The only place of this crate that calls
    /// [`SnapshotBackend::capture`](crate::SnapshotBackend::capture).
    pub(super) async fn capture(
        &self,
        options: CaptureOptions,
        until: Instant,
        signal: CancellationToken,
    ) -> Result<Arc<Snapshot>> {
        let stamp = {
            let mut session = self.device.session();
            Stamp {
                generation: session.next_generation(),
                acts: session.acts,
            }
        };
        self.read_until(Operation::Capture, until, signal, |backend, call| {
            Box::pin(async move {
                let snapshot = backend.capture(&options, &call).await?;
                Ok(Arc::new(snapshot.stamped(stamp)))
            })
        })
        .await
    }

    /// Until when a capture of this observation must be over: a little longer than it may be waited for, since the engine
    /// joins it. The first one, whose end starts the budget, has the whole request.
    pub(super) fn until(&self, schedule: &Schedule) -> impl Fn() -> Instant + use<> {
        let budget = schedule
            .budget
            .max(schedule.interval)
            .saturating_add(READ_GRACE);
        let deadline = self.deadline;
        let first = AtomicBool::new(schedule.budget_from == BudgetFrom::FirstCapture);
        let started = Instant::now();
        move || {
            if first.swap(false, Ordering::Relaxed) {
                deadline
            } else {
                after(started, budget)
                    .max(after(Instant::now(), READ_GRACE))
                    .min(deadline)
            }
        }
    }

    /// One capture, within the request's deadline.
    pub(super) async fn look(&self, options: CaptureOptions) -> Result<Arc<Snapshot>> {
        self.capture(options, self.deadline, self.cancel().child_token())
            .await
    }

    /// A capture to resolve in, if content may still be moving after a gesture: taken when it has come to rest.
    pub(super) async fn rested(&self) -> Result<Option<Arc<Snapshot>>> {
        let Some(moved) = self.device.session().moving else {
            return Ok(None);
        };
        let schedule = wait::stability(self.backend().honours_cancel());
        let until = self.until(&schedule);
        let seen = observe_until(
            schedule,
            self.cancel(),
            None,
            |signal| self.capture(CaptureOptions::default(), until(), signal),
            |_| false,
            wait::stability_verdict(),
        )
        .await;
        let rested = match seen.end {
            End::Done { value, .. } => Some(value),
            End::Expired { last, .. } | End::Stalled { last, .. } => last,
            End::Failed { error, .. } => return Err(error),
            End::Canceled => return Err(self.canceled()),
        };
        self.at_rest_after(moved);
        Ok(rested)
    }

    /// Content has come to rest after this gesture. A later one may have set it in motion again.
    fn at_rest_after(&self, moved: u64) {
        let mut session = self.device.session();
        if session.moving == Some(moved) {
            session.moving = None;
        }
    }

    /// Waits for a still screen: whether it became still, the last capture, and what it took.
    pub(super) async fn rest(&self, settle: Settle) -> Result<Rest> {
        let moved = self.device.session().moving;
        let schedule = settle.schedule(self.backend().honours_cancel());
        let until = self.until(&schedule);
        let seen = observe_until(
            schedule,
            self.cancel(),
            None,
            |signal| self.capture(CaptureOptions::default(), until(), signal),
            is_unreadable,
            settle.verdict(),
        )
        .await;
        let (still, last, error) = match seen.end {
            End::Done { value, .. } => (true, Some(value), None),
            End::Expired { last, last_error } => (false, last, last_error),
            End::Stalled { last, error, .. } => (false, last, error),
            End::Failed { last, error } => (false, last, Some(error)),
            End::Canceled => return Err(self.canceled()),
        };
        if let (true, Some(moved)) = (still, moved) {
            self.at_rest_after(moved);
        }
        Ok(Rest {
            still,
            last,
            error,
            polls: seen.timeline.count(),
            waited: seen.waited,
        })
    }

    pub(super) async fn snapshot(&self, options: CaptureOptions) -> Result<Arc<Snapshot>> {
        let rested = self.rested().await?;
        let snapshot = match rested {
            Some(snapshot) if *snapshot.options() == options => snapshot,
            _ => self.look(options).await?,
        };
        self.device.issue_complete(&snapshot);
        Ok(snapshot)
    }

    /// The element that a ref names, in the tree in which the ref was issued: for acting.
    pub(super) fn admitted(&self, wanted: Ref) -> Result<(Arc<Snapshot>, NodeId)> {
        let session = self.device.session();
        match session.frames.admit(wanted) {
            Ok((frame, node)) => Ok((Arc::clone(frame.snapshot()), node)),
            Err(reason) => Err(unusable(wanted, reason, session.generation)),
        }
    }

    /// The same for reading: an expired frame still answers from its tree, and the flag says so.
    pub(super) fn recalled(&self, wanted: Ref) -> Result<(Arc<Snapshot>, NodeId, bool)> {
        let session = self.device.session();
        match session.frames.recall(wanted) {
            Ok((frame, node)) => Ok((Arc::clone(frame.snapshot()), node, !frame.is_active())),
            Err(reason) => Err(unusable(wanted, reason, session.generation)),
        }
    }

    /// The error of a refusal, with refs for the elements that it names. That nothing was found in a tree that proves no
    /// absence is said as that.
    pub(super) fn refusal(&self, refusal: Refusal, by: &By, snapshot: &Arc<Snapshot>) -> Error {
        let looked_for = matches!(by, By::Selector(_) | By::Find(_));
        if refusal == Refusal::NotFound && looked_for && !snapshot.proves_absence() {
            return unproven(by, snapshot);
        }
        let frame = self.device.issue_partial(snapshot, &refusal.named_nodes());
        let error = refusal.into_error(by, snapshot, frame.as_ref());
        match frame {
            Some(frame) => error.with_detail("refsGeneration", frame.generation()),
            None => error,
        }
    }

    /// Resolves in a capture that is at hand. A target that the tree shows off-screen is asked for once more, for trees that
    /// lag behind.
    pub(super) async fn resolve_in(
        &self,
        snapshot: &Arc<Snapshot>,
        resolution: Result<Resolved, Refusal>,
        policy: Policy,
    ) -> Result<Resolved, Refusal> {
        let Err(Refusal::Offscreen { node, info, .. }) = &resolution else {
            return resolution;
        };
        let Some(target) = Target::new(Arc::clone(snapshot), *node) else {
            return resolution;
        };
        let confirmed = self
            .read(Operation::ConfirmVisible, |backend, call| {
                Box::pin(async move { backend.confirm_visible(&target, &call).await })
            })
            .await;
        match confirmed {
            Ok(Some(rect)) if rect.is_usable() => {
                target::resolve_rescued(snapshot, *node, (**info).clone(), policy, rect)
            }
            _ => resolution,
        }
    }

    pub(super) async fn gesture(&self, gesture: Gesture) -> Result<Performed> {
        self.refuse_unoffered(Operation::Gesture)?;
        let snapshot = match self.rested().await? {
            Some(snapshot) => snapshot,
            None => self.look(CaptureOptions::default()).await?,
        };
        let viewport = viewport_of(&snapshot)?;
        let plan = gesture.plan(viewport)?;
        let max = self.backend().capabilities().max_pointers;
        if plan.pointers().len() > max {
            return Err(Error::unsupported(Operation::Gesture).with_detail("maxPointers", max));
        }
        self.perform(Action::Gesture(plan)).await
    }
}

fn unusable(wanted: Ref, reason: &'static str, generation: u64) -> Error {
    let error = Error::refused(
        rows::core::REFUSAL_REF_NOT_FOUND,
        ErrorCode::CommandFailed,
        format!("the ref {wanted} can't be used"),
    )
    .with_reason(reason)
    .with_detail("ref", wanted.to_string())
    .with_detail("currentGeneration", generation);
    match wanted.generation() {
        Some(pin) => error.with_detail("mintedGeneration", pin),
        None => error,
    }
}

/// An error that tells which element was meant.
fn named(error: Error, by: &By) -> Error {
    match (error.detail(by.kind()), by) {
        (Some(_), _) => error,
        (None, By::Point(point)) => error.with_detail(by.kind(), point),
        (None, _) => error.with_detail(by.kind(), by.to_string()),
    }
}

/// How a wait for a still screen ended.
pub(super) struct Rest {
    pub(super) still: bool,
    pub(super) last: Option<Arc<Snapshot>>,
    pub(super) error: Option<Error>,
    pub(super) polls: u32,
    pub(super) waited: Duration,
}

/// Failures that say that the content could not be read this time. Waits ride them out; a retriable refusal is one of them.
pub(super) fn is_unreadable(error: &Error) -> bool {
    error.retriable() == Some(true)
}

/// The text of an action that must not show up anywhere: one that the caller called secret, or that goes into a secret field.
fn secret_of(action: &Action) -> Option<&Text> {
    let (text, into) = match action {
        Action::Fill(touch, text) => (text, touch.target.as_ref()),
        Action::TypeText(text) | Action::WriteClipboard(text) | Action::AcceptAlert(Some(text)) => {
            (text, None)
        }
        _ => return None,
    };
    let secret = text.is_secret() || into.is_some_and(|target| target.node().is(Flag::Secure));
    secret.then_some(text)
}

/// The viewport that a capture reported, or its largest root.
pub(super) fn viewport_of(snapshot: &Snapshot) -> Result<crate::geometry::Rect> {
    snapshot
        .info()
        .viewport
        .or_else(|| snapshot.root().and_then(|root| root.usable_bounds()))
        .filter(|viewport| viewport.is_usable())
        .ok_or_else(|| {
            Error::refused(
                rows::core::REFUSAL_BOUNDS,
                ErrorCode::CommandFailed,
                "the size of the screen is not known",
            )
            .with_reason(reason::TARGET_BOUNDS_INVALID)
        })
}
