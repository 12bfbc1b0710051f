//! Actions on an element: resolve, act once, look at what became of it.

use std::{
    borrow::Cow,
    future::{Future, IntoFuture},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use super::{
    Locator,
    aim::Aim,
    not_a_target,
    outcome::{Evidence, Outcome, Settled},
    request::{Request, Rest, is_unreadable},
};
use crate::{
    action::{Action, FieldState, Operation, Performed, Target, Text},
    dispatch::rows,
    error::{Error, ErrorCode, Result, reason},
    gesture::Gesture,
    observe::{End, Judgement, observe_until},
    snapshot::{CaptureOptions, Flag, Snapshot},
    target::{self, By, Policy, Resolved},
    text::{self, FillCheck},
    wait::{self, Settle},
};

pub(super) const LONG_PRESS: Duration = Duration::from_millis(800);
const MAX_COUNT: u32 = 200;
const FILL_READ_BACK: Duration = Duration::from_millis(1500);

#[derive(Clone, Debug)]
pub(super) enum PressKind {
    Tap { count: u32 },
    Double,
    Long(Duration),
}

#[derive(Clone, Debug)]
pub(super) enum ActKind {
    Fill(Text),
    Type(Text),
    Focus,
    Hover,
    Drag(By),
}

/// What every action can do beside acting.
#[derive(Clone, Debug, Default)]
struct After {
    settle: Option<Settle>,
    verify: bool,
}

/// A press that has not happened yet: await it.
///
/// # Cancel safety
///
/// Dropping the future before it ends may leave the press done.
#[derive(Debug)]
#[must_use = "nothing is pressed until the press is awaited"]
pub struct Press {
    locator: Locator,
    kind: PressKind,
    ready_within: Option<Duration>,
    after: After,
    /// An option that this kind of press doesn't have.
    misused: Option<&'static str>,
}

impl Press {
    pub(super) fn new(locator: Locator, kind: PressKind) -> Self {
        Self {
            locator,
            kind,
            ready_within: None,
            after: After::default(),
            misused: None,
        }
    }

    /// For scripts: waits up to this long for a target that isn't there yet. **More than 2 s counts as 2 s**: a press that needs
    /// longer waits for something that the script should name, with [`Locator::wait`]. [`Readiness::within`](super::Readiness)
    /// tells the time that counted. Everything else fails at once: ambiguous, covered, off-screen, disabled. Zero means one
    /// look. The time runs from the end of the first look, so that a target that is there costs one look, however slow.
    pub fn ready_within(mut self, budget: Duration) -> Self {
        self.ready_within = Some(budget);
        self
    }

    /// Presses so many times, 200 at most. A later press that is refused makes the request `unknown`. Refused for double and
    /// long presses.
    pub fn count(mut self, count: u32) -> Self {
        match &mut self.kind {
            PressKind::Tap { count: presses } => *presses = count,
            _ => self.misused = Some("count"),
        }
        self
    }

    /// How long a long press stays down; 10 s at most. Refused for other presses.
    pub fn hold(mut self, hold: Duration) -> Self {
        match &mut self.kind {
            PressKind::Long(held) => *held = hold,
            _ => self.misused = Some("hold"),
        }
        self
    }

    async fn run(self) -> Result<Outcome> {
        let operation = match self.kind {
            PressKind::Tap { .. } => Operation::Tap,
            PressKind::Double => Operation::DoubleTap,
            PressKind::Long(_) => Operation::LongPress,
        };
        let waiting = wait::readiness_budget(self.ready_within.unwrap_or_default());
        let extra = self.after.extra().saturating_add(waiting);
        let request = self.locator.request(operation, extra).await?;
        request.complete(self.on(&request)).await
    }

    async fn on(&self, request: &Request<'_>) -> Result<Outcome> {
        if let Some(option) = self.misused {
            return Err(Error::invalid(
                option,
                format!("this kind of press has no {option}"),
            ));
        }
        if let PressKind::Tap { count } = self.kind
            && !(1..=MAX_COUNT).contains(&count)
        {
            return Err(Error::invalid(
                "count",
                format!("count is {count}, allowed is 1 to {MAX_COUNT}"),
            ));
        }
        let aim = request
            .aim(&self.locator.by, Policy::PROMOTED_TARGET, self.ready_within)
            .await?;
        let touch = aim.touch();
        let mut performed = Performed::new();
        match self.kind {
            PressKind::Tap { count } => {
                let mut touch = touch;
                for _ in 0..count {
                    performed = request.perform(Action::Tap(touch.clone())).await?;
                    touch.target = touch.target.map(Target::repeated);
                }
            }
            PressKind::Double => performed = request.perform(Action::DoubleTap(touch)).await?,
            PressKind::Long(hold) => {
                performed = request.perform(Action::LongPress(touch, hold)).await?;
            }
        }
        self.after.outcome(request, aim, performed).await
    }
}

/// An action on an element that has not happened yet: await it. It never waits for its target.
///
/// # Cancel safety
///
/// Dropping the future before it ends may leave the action done.
#[derive(Debug)]
#[must_use = "nothing is done until the action is awaited"]
pub struct Act {
    locator: Locator,
    kind: ActKind,
    after: After,
}

impl Act {
    pub(super) fn new(locator: Locator, kind: ActKind) -> Self {
        Self {
            locator,
            kind,
            after: After::default(),
        }
    }

    async fn run(self) -> Result<Outcome> {
        let operation = match self.kind {
            ActKind::Fill(_) => Operation::Fill,
            ActKind::Type(_) => Operation::TypeText,
            ActKind::Focus => Operation::Focus,
            ActKind::Hover => Operation::Hover,
            ActKind::Drag(_) => Operation::Gesture,
        };
        let request = self.locator.request(operation, self.after.extra()).await?;
        request.complete(self.on(&request)).await
    }

    async fn on(&self, request: &Request<'_>) -> Result<Outcome> {
        let by = &self.locator.by;
        let policy = match self.kind {
            ActKind::Fill(_) | ActKind::Type(_) => Policy::FIELD,
            _ => Policy::RESOLVED_TARGET,
        };
        match &self.kind {
            // Also a refusal before the field is touched must not show it.
            ActKind::Fill(text) | ActKind::Type(text) if text.is_secret() => {
                request.keep_secret(text);
            }
            ActKind::Drag(to) => to.check()?,
            _ => {}
        }
        let aim = request.aim(by, policy, None).await?;
        let touch = aim.touch();
        let secret = touch
            .target
            .as_ref()
            .is_some_and(|target| target.node().is(Flag::Secure));
        let mut fill = None;
        let performed = match &self.kind {
            ActKind::Fill(text) => {
                let text = text.clone().into_secret(secret);
                let action = Action::Fill(touch, text.clone());
                let performed = request.perform(action).await?;
                fill = Some(request.verify_fill(&aim, &text, &performed).await?);
                performed
            }
            ActKind::Type(text) => {
                let text = text.clone().into_secret(secret);
                check_typed(&text)?;
                request.perform(Action::Focus(touch)).await?;
                request.perform(Action::TypeText(text)).await?
            }
            ActKind::Focus => request.perform(Action::Focus(touch)).await?,
            ActKind::Hover => request.perform(Action::Hover(touch)).await?,
            ActKind::Drag(to) => request.drag(&aim, to).await?,
        };
        let mut outcome = self.after.outcome(request, aim, performed).await?;
        outcome.fill = fill;
        Ok(outcome)
    }
}

macro_rules! awaitable {
    ($($name:ident),*) => {$(
        impl $name {
            /// Waits afterwards until the screen is still, and tells what changed. Never fails the action.
            pub fn settle(mut self, settle: Settle) -> Self {
                self.after.settle = Some(settle);
                self
            }

            /// Captures afterwards and tells whether the screen changed. If that capture fails, the action was sent all the
            /// same: the error says `unknown` and counts the send.
            pub fn verify(mut self) -> Self {
                self.after.verify = true;
                self
            }
        }

        impl IntoFuture for $name {
            type Output = Result<Outcome>;
            type IntoFuture = Pin<Box<dyn Future<Output = Result<Outcome>> + Send>>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(self.run())
            }
        }
    )*};
}

awaitable!(Press, Act);

impl After {
    fn extra(&self) -> Duration {
        self.settle.map_or(Duration::ZERO, |settle| settle.timeout)
    }

    /// The one place where an outcome is made.
    async fn outcome(
        &self,
        request: &Request<'_>,
        aim: Aim,
        performed: Performed,
    ) -> Result<Outcome> {
        let before = aim.snapshot();
        let evidence = if self.verify {
            Some(request.evidence(before).await?)
        } else {
            None
        };
        let settled = match self.settle {
            Some(settle) => request.settled(settle, before).await?,
            None => None,
        };
        let changed = evidence
            .as_ref()
            .is_some_and(|evidence| evidence.changed_from_before == Some(true))
            || settled
                .as_ref()
                .and_then(|settled| settled.diff.as_ref())
                .is_some_and(|diff| !diff.is_empty());
        let mut warnings = performed.warnings;
        let target_hittable = aim.resolved.as_ref().and_then(Resolved::hittable);
        if target_hittable == Some(false) && !changed {
            warnings.push(Cow::Borrowed(
                "the platform doubts that a touch reaches the target: check the effect",
            ));
        }
        warnings.extend(aim.warning);
        let mut outcome = Outcome {
            point: aim.point,
            target: aim
                .resolved
                .as_ref()
                .map(|resolved| crate::snapshot::Line::bare(resolved.target.node()).to_string()),
            resolution: aim.info,
            target_hittable,
            readiness: aim.readiness,
            fill: None,
            method: performed.method,
            evidence,
            settled,
            opened_windows: performed.opened_windows,
            warnings,
            elapsed: request.elapsed(),
        };
        for secret in request.secrets() {
            outcome.hide(&secret);
        }
        Ok(outcome)
    }
}

impl Request<'_> {
    /// Checks that the field holds the text, by what the backend read back or else by captures.
    async fn verify_fill(
        &self,
        aim: &Aim,
        wanted: &Text,
        performed: &Performed,
    ) -> Result<FillCheck> {
        let checked = match &performed.field {
            Some(field) => text::verify(wanted, field),
            None => self.read_back(aim, wanted).await?,
        };
        checked.map_err(|mismatch| {
            let error = Error::new(
                ErrorCode::CommandFailed,
                if wanted.expose().is_empty() {
                    "the field is not known to be empty after it was cleared"
                } else {
                    "the field does not hold the text that was typed"
                },
            )
            .uncertain(rows::core::FILL_UNVERIFIED)
            .with_reason(reason::FILL_UNVERIFIED)
            .with_detail("expectedLength", wanted.expose().chars().count());
            match mismatch.observed {
                Some(length) => error.with_detail("observedLength", length),
                None => error,
            }
        })
    }

    async fn read_back(
        &self,
        aim: &Aim,
        wanted: &Text,
    ) -> Result<Result<FillCheck, text::Mismatch>> {
        let Some(resolved) = &aim.resolved else {
            return Ok(text::verify(wanted, &FieldState::Unreadable));
        };
        let field = resolved.target.node();
        let same = |snapshot: &Snapshot| -> FieldState {
            let mut found = snapshot.nodes().filter(|node| {
                node.role() == field.role()
                    && match field.identifier() {
                        Some(identifier) => node.identifier() == Some(identifier),
                        None => node.bounds() == field.bounds() || node.is(Flag::Focused),
                    }
            });
            match (found.next(), found.next()) {
                (Some(node), None) => text::field_state(node),
                _ => FieldState::Unreadable,
            }
        };
        let mut checked = text::verify(wanted, &FieldState::Unreadable);
        let schedule = wait::condition(FILL_READ_BACK, self.backend().honours_cancel());
        let until = self.until(&schedule);
        let seen = observe_until(
            schedule,
            self.cancel(),
            None,
            |signal| self.capture(CaptureOptions::default(), until(), signal),
            is_unreadable,
            |snapshot: &Arc<Snapshot>, _, _| {
                checked = text::verify(wanted, &same(snapshot));
                match checked {
                    Ok(FillCheck::Unobserved) | Err(_) => Judgement::go_on(),
                    Ok(_) => Judgement::Done(()),
                }
            },
        )
        .await;
        match seen.end {
            End::Failed { error, .. } => Err(error),
            End::Canceled => Err(self.canceled()),
            _ => Ok(checked),
        }
    }

    async fn drag(&self, aim: &Aim, to: &By) -> Result<Performed> {
        let to_point = match (to, aim.snapshot()) {
            (By::Point(point), _) => *point,
            (By::Selector(_) | By::Find(_), Some(snapshot)) => {
                // Both ends come from one capture: they are where they are at the same time.
                let band = target::keyboard_band(snapshot);
                target::resolve(snapshot, to, Policy::RESOLVED_TARGET, band)
                    .map_err(|refusal| self.refusal(refusal, to, snapshot))?
                    .point
            }
            _ => self.aim(to, Policy::RESOLVED_TARGET, None).await?.point,
        };
        let Some(snapshot) = aim.snapshot() else {
            return Err(not_a_target(&By::Point(aim.point)));
        };
        let plan = Gesture::Drag {
            from: aim.point,
            to: to_point,
            hold: None,
            duration: None,
            hold_at_end: Duration::ZERO,
        }
        .plan(super::request::viewport_of(snapshot)?)?;
        self.perform(Action::Gesture(plan)).await
    }

    async fn evidence(&self, before: Option<&Arc<Snapshot>>) -> Result<Evidence> {
        let after = self.look(CaptureOptions::default()).await?;
        let view = after.view();
        let hittable = |node: &crate::snapshot::Node<'_>| node.flag(Flag::Hittable) != Some(false);
        let changed = before.and_then(|before| {
            let moved_on = before.info().lineage != after.info().lineage
                && before.info().producer == after.info().producer;
            if moved_on {
                Some(true)
            } else {
                before
                    .is_comparable_with(&after)
                    .then(|| before.digest() != after.digest())
            }
        });
        Ok(Evidence {
            node_count: view.nodes().len(),
            interactive_node_count: view.iter().filter(hittable).count(),
            digest: after.digest(),
            foreground_app: after.info().app.clone(),
            changed_from_before: changed,
        })
    }

    /// Waits for a still screen after an action. A capture that fails ends the wait, not the action.
    async fn settled(
        &self,
        settle: Settle,
        before: Option<&Arc<Snapshot>>,
    ) -> Result<Option<Settled>> {
        let rest = self.rest(settle).await?;
        let usable = rest.last.filter(|last| !last.quality().is_sparse());
        let diff = match (&usable, before) {
            (Some(last), Some(before)) => Some(last.diff_since(before)),
            _ => None,
        };
        let refs_generation = usable
            .as_ref()
            .and_then(|last| self.device.issue_complete(last));
        let loading = usable
            .as_ref()
            .is_some_and(|last| last.view().nodes().len() < 5);
        Ok(Some(Settled {
            settled: rest.still,
            polls: rest.polls,
            waited: rest.waited,
            diff,
            refs_generation,
            hint: if usable.is_none() {
                Some("the tree is degraded: nothing is known about what changed")
            } else if loading {
                Some("the screen holds very little: it may still be loading")
            } else {
                None
            },
        }))
    }

    pub(super) async fn wait_stable(&self, settle: Settle) -> Result<Arc<Snapshot>> {
        let rest = self.rest(settle).await?;
        match rest {
            Rest {
                still: true,
                last: Some(snapshot),
                ..
            } => {
                self.device.issue_complete(&snapshot);
                Ok(snapshot)
            }
            Rest {
                error: Some(error), ..
            } => Err(error),
            rest => Err(
                Error::new(ErrorCode::CommandFailed, "the screen did not come to rest")
                    .with_reason(reason::WAIT_STABLE_TIMEOUT)
                    .with_detail("captures", rest.polls)
                    .with_detail("waitedMs", rest.waited.as_millis() as u64),
            ),
        }
    }
}

/// Nothing is done for an empty text: not even the focus tap before it.
fn check_typed(text: &Text) -> Result<()> {
    if text.expose().is_empty() {
        return Err(Error::invalid("text", "there is no text to type"));
    }
    Ok(())
}
