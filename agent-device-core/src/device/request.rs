//! One request: the ledger, the deadline, the span and the seam around everything that a caller starts.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span, field};

use super::{Device, settle_verdict};
use crate::{
    action::{Action, Operation, Performed, Touch},
    backend::{Backend, Call},
    dispatch::{Dispatched, Ledger, LedgerGuard, rows},
    error::{Error, ErrorCode, Result, reason},
    gesture::Gesture,
    observe::{End, observe_until},
    snapshot::{CaptureOptions, Snapshot},
    target::{self, By, Policy, Ref, Refusal, Resolved},
    wait,
};

/// A backend gets this long to report its own, better error after the deadline.
const GRACE: Duration = Duration::from_millis(250);

pub(super) struct Request<'d> {
    pub(super) device: &'d Device,
    operation: Operation,
    ledger: LedgerGuard,
    deadline: Instant,
    started: Instant,
    span: Span,
    _turn: Option<tokio::sync::MutexGuard<'d, ()>>,
}

pub(super) type ReadFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

impl<'d> Request<'d> {
    pub(super) fn new(
        device: &'d Device,
        operation: Operation,
        ledger: LedgerGuard,
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
            // A budget that overflows the clock is no limit.
            deadline: started
                .checked_add(budget)
                .unwrap_or_else(|| started + Duration::from_secs(86_400 * 365)),
            started,
            span,
            _turn: None,
        }
    }

    pub(super) fn hold(&mut self, turn: tokio::sync::MutexGuard<'d, ()>) {
        self._turn = Some(turn);
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    pub(super) fn ledger(&self) -> &Arc<Ledger> {
        self.ledger.ledger()
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

    /// Ends the request: an error gets its final verdict here and nowhere else.
    pub(super) fn finish<T>(self, result: Result<T>) -> Result<T> {
        let result = result.map_err(|error| {
            settle_verdict(self.operation, self.ledger(), error)
                .with_backend(self.backend().name().into_owned())
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
        check(&action)?;
        if self.cancel().is_cancelled() {
            return Err(self.canceled());
        }
        if Instant::now() >= self.deadline {
            return Err(self.late());
        }
        {
            // Before the first await: whatever becomes of the action, refs of the tree before it mean nothing any more.
            let mut session = self.device.session();
            session.expire();
            session.moving |= matches!(operation, Operation::Scroll | Operation::Gesture);
        }
        let nested = self.ledger().nest();
        let ledger = Arc::clone(nested.ledger());
        // Stands for the action while it is with the backend, so that a panic or a dropped future counts as possibly landed.
        let in_flight = ledger.open_send();
        let deadline = self.deadline + action.duration();
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
            let bounded = tokio::time::timeout_at(deadline + GRACE, sending);
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
            Ok(performed) => {
                if ledger.is_empty() {
                    in_flight.landed();
                } else {
                    in_flight.discard();
                }
                Ok(performed)
            }
            Err(error) => {
                let mut error = settle_verdict(operation, &ledger, error);
                if let Some(secret) = action.secret() {
                    error = error.without_secret(secret);
                }
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
        self.refuse_unoffered(operation)?;
        self.observe_backend(operation, self.cancel().child_token(), read)
            .await
    }

    async fn observe_backend<T>(
        &self,
        operation: Operation,
        signal: CancellationToken,
        read: impl FnOnce(&'d dyn Backend, Call) -> ReadFuture<'d, T>,
    ) -> Result<T> {
        if self.cancel().is_cancelled() {
            return Err(self.canceled());
        }
        // A read that has to answer a system dialog sends, too.
        let nested = self.ledger().nest();
        let ledger = Arc::clone(nested.ledger());
        let call = Call::new(Arc::clone(&ledger), signal, self.deadline);
        let span = tracing::debug_span!(
            parent: &self.span,
            "agent_device.read",
            op = operation.as_str(),
            elapsed_ms = field::Empty,
        );
        let started = Instant::now();
        let result = read(self.backend(), call).instrument(span.clone()).await;
        span.record("elapsed_ms", started.elapsed().as_secs_f64() * 1000.0);
        result.map_err(|error| settle_verdict(operation, &ledger, error))
    }

    /// Captures the screen. The only place of this crate that calls
    /// [`SnapshotBackend::capture`](crate::SnapshotBackend::capture).
    pub(super) async fn capture(
        &self,
        options: CaptureOptions,
        signal: CancellationToken,
    ) -> Result<Arc<Snapshot>> {
        self.observe_backend(Operation::Capture, signal, |backend, call| {
            Box::pin(async move { backend.capture(&options, &call).await.map(Arc::new) })
        })
        .await
    }

    /// One capture within the request's deadline: it is asked to stop, then joined.
    pub(super) async fn look(&self, options: CaptureOptions) -> Result<Arc<Snapshot>> {
        let seen = observe_until(
            wait::once(),
            self.cancel(),
            None,
            |signal| self.capture(options.clone(), signal),
            |_| false,
            |_, _, _| crate::observe::Judgement::Done(()),
        )
        .await;
        match seen.end {
            End::Done { value, .. } => Ok(value),
            End::Failed { error, .. } => Err(error),
            End::Expired { .. } | End::Stalled { .. } | End::Canceled => Err(self.canceled()),
        }
    }

    /// A capture to resolve in. After a gesture it is taken when content has come to rest.
    pub(super) async fn rested(&self) -> Result<Option<Arc<Snapshot>>> {
        if !std::mem::take(&mut self.device.session().moving) {
            return Ok(None);
        }
        let seen = observe_until(
            wait::stability(),
            self.cancel(),
            None,
            |signal| self.capture(CaptureOptions::default(), signal),
            |_| false,
            wait::stability_verdict(),
        )
        .await;
        match seen.end {
            End::Done { value, .. } => Ok(Some(value)),
            End::Expired { last, .. } | End::Stalled { last, .. } => Ok(last),
            End::Failed { error, .. } => Err(error),
            End::Canceled => Err(self.canceled()),
        }
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

    /// The element that a ref names, in the tree in which the ref was issued.
    pub(super) fn admitted(&self, wanted: Ref) -> Result<(Arc<Snapshot>, crate::snapshot::NodeId)> {
        let session = self.device.session();
        let refused = |reason: &'static str| {
            let error = Error::refused(
                rows::core::REFUSAL_REF_NOT_FOUND,
                ErrorCode::CommandFailed,
                format!("the ref {wanted} can't be used"),
            )
            .with_reason(reason)
            .with_detail("ref", wanted.to_string())
            .with_detail("currentGeneration", session.generation);
            match wanted.generation() {
                Some(pin) => error.with_detail("mintedGeneration", pin),
                None => error,
            }
        };
        let frame = session
            .frame
            .as_ref()
            .ok_or_else(|| refused(reason::REF_NOT_FOUND))?;
        let node = frame.admit(wanted).map_err(refused)?;
        Ok((Arc::clone(frame.snapshot()), node))
    }

    /// The error of a refusal, with refs for the elements that it names.
    pub(super) fn refusal(&self, refusal: Refusal, by: &By, snapshot: &Arc<Snapshot>) -> Error {
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
        let Err(Refusal::Offscreen { node, .. }) = &resolution else {
            return resolution;
        };
        let Some(target) = crate::action::Target::new(Arc::clone(snapshot), *node) else {
            return resolution;
        };
        let confirmed = self
            .observe_backend(
                Operation::ConfirmVisible,
                self.cancel().child_token(),
                |backend, call| {
                    Box::pin(async move { backend.confirm_visible(&target, &call).await })
                },
            )
            .await;
        match confirmed {
            Ok(Some(rect)) if rect.is_usable() => target::resolve_node(
                snapshot,
                *node,
                policy,
                target::keyboard_band(snapshot),
                Some(rect),
            ),
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

/// Arguments that no backend should have to check.
fn check(action: &Action) -> Result<()> {
    let point = |touch: &Touch| {
        if touch.point.is_finite() {
            Ok(())
        } else {
            Err(Error::invalid(
                "point",
                "a coordinate is not a finite number",
            ))
        }
    };
    match action {
        Action::Tap(touch)
        | Action::DoubleTap(touch)
        | Action::Hover(touch)
        | Action::Focus(touch)
        | Action::Fill(touch, _) => point(touch),
        Action::LongPress(touch, hold) => {
            if *hold > Duration::from_secs(10) {
                return Err(Error::invalid("hold", "a long press lasts 10 s at most"));
            }
            point(touch)
        }
        Action::TypeText(text) if text.expose().is_empty() => {
            Err(Error::invalid("text", "there is no text to type"))
        }
        _ => Ok(()),
    }
}
