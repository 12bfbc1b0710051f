//! Scrolling: once with proof of movement, to an edge, or until something shows.

use std::{
    borrow::Cow,
    future::{Future, IntoFuture},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use serde::Serialize;

use super::{
    Device,
    request::{Request, viewport_of},
};
use crate::{
    action::{Action, Operation, Target},
    dispatch::rows,
    error::{Error, ErrorCode, Result, reason},
    geometry::{Direction, Rect},
    gesture::{ScrollAmount, ScrollPlan},
    observe::{End, observe_until},
    role::Role,
    snapshot::{CaptureOptions, Flag, Line, Node, NodeId, Snapshot},
    target::{self, By, Policy},
    wait::{self, Blind, Movement, MovementJudge, StuckDetector},
};

const EDGE_PASSES: u32 = 40;
const UNTIL_PASSES: u32 = 12;

#[derive(Clone, Debug, Default)]
enum Goal {
    #[default]
    Once,
    Edge,
    Until(By),
}

/// A scroll that has not happened yet: await it.
///
/// # Cancel safety
///
/// Dropping the future before it ends may leave content scrolled.
#[derive(Clone, Debug)]
#[must_use = "nothing scrolls until the scroll is awaited"]
pub struct Scroll {
    device: Device,
    direction: Direction,
    amount: ScrollAmount,
    container: Option<By>,
    goal: Goal,
}

/// What became of a scroll.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ScrollOutcome {
    /// What came into view.
    pub direction: Direction,
    /// The container that was scrolled, by its line; `None` when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// How many scrolls were sent.
    pub passes: u32,
    /// How far each should have moved content, in the backend's coordinate unit: the honoured distance.
    pub distance: f64,
    /// What the last of them did to the content.
    pub movement: Movement,
    /// How long the request took.
    #[serde(rename = "elapsedMs", serialize_with = "crate::observe::millis")]
    pub elapsed: Duration,
}

impl Scroll {
    pub(super) fn new(device: Device, direction: Direction) -> Self {
        Self {
            device,
            direction,
            amount: ScrollAmount::default(),
            container: None,
            goal: Goal::Once,
        }
    }

    /// Scrolls this part of the container; default 0.6, at most 0.8.
    pub fn fraction(mut self, part: f64) -> Self {
        self.amount = ScrollAmount::Fraction(part);
        self
    }

    /// Scrolls so many of the backend's coordinate units.
    pub fn pixels(mut self, pixels: f64) -> Self {
        self.amount = ScrollAmount::Pixels(pixels);
        self
    }

    /// Scrolls this container instead of the main content.
    pub fn within(mut self, container: impl Into<By>) -> Self {
        self.container = Some(container.into());
        self
    }

    /// Goes on until the container hides nothing more that way; 40 passes at most.
    pub fn to_edge(mut self) -> Self {
        self.goal = Goal::Edge;
        self
    }

    /// Goes on until an element that matches is visible; 12 passes at most, maybe none. Refused with `offscreen_selector` when
    /// the only match lies the other way.
    pub fn until(mut self, target: impl Into<By>) -> Self {
        self.goal = Goal::Until(target.into());
        self
    }

    async fn run(self) -> Result<ScrollOutcome> {
        let request = self
            .device
            .request(Operation::Scroll, Duration::ZERO)
            .await?;
        request.complete(self.on(&request)).await
    }

    async fn on(&self, request: &Request<'_>) -> Result<ScrollOutcome> {
        match (&self.container, &self.goal) {
            (Some(by @ By::Point(_)), _) => return Err(super::not_a_target(by)),
            // The first pass expires it.
            (Some(by @ By::Ref(_)), Goal::Edge | Goal::Until(_)) => {
                return Err(super::not_a_target(by));
            }
            (Some(by), _) => by.check()?,
            (None, _) => {}
        }
        match &self.goal {
            Goal::Once => self.once(request).await,
            Goal::Edge => self.to_the_edge(request).await,
            Goal::Until(by) => self.until_visible(request, by).await,
        }
    }

    /// The screen before a pass. `known` is the container of the passes before: a scroll doesn't change over to another one.
    async fn look(&self, request: &Request<'_>, known: Option<&Pass>) -> Result<Pass> {
        let snapshot = match &self.container {
            // A ref means something only in the tree in which it was issued.
            Some(By::Ref(wanted)) => request.admitted(*wanted)?.0,
            _ => match request.rested().await? {
                Some(snapshot) => snapshot,
                None => request.look(CaptureOptions::default()).await?,
            },
        };
        let viewport = viewport_of(&snapshot)?;
        let container = match &self.container {
            None => known
                .and_then(|known| known.find_again(&snapshot))
                .or_else(|| main_container(&snapshot, self.direction)),
            Some(By::Ref(wanted)) => Some(request.admitted(*wanted)?.1),
            Some(by) => Some(
                target::resolve(&snapshot, by, Policy::CONTAINER, None)
                    .map_err(|refusal| request.refusal(refusal, by, &snapshot))?
                    .target
                    .node()
                    .id(),
            ),
        };
        let area = container
            .and_then(|id| snapshot.get(id))
            .and_then(Node::usable_bounds)
            .and_then(|bounds| bounds.intersection(viewport))
            .unwrap_or(viewport);
        Ok(Pass {
            hides_more: wait::hides_content(&snapshot, container, self.direction),
            snapshot,
            container,
            area,
        })
    }

    async fn send(&self, request: &Request<'_>, pass: &Pass) -> Result<f64> {
        let target = pass
            .container
            .and_then(|id| Target::new(Arc::clone(&pass.snapshot), id));
        let keyboard = target::keyboard_band(&pass.snapshot);
        let plan = ScrollPlan::new(self.direction, self.amount, pass.area, target, keyboard)?;
        let distance = plan.distance;
        request.perform(Action::Scroll(plan)).await?;
        Ok(distance)
    }

    async fn once(&self, request: &Request<'_>) -> Result<ScrollOutcome> {
        let before = self.look(request, None).await?;
        let distance = self.send(request, &before).await?;
        let movement = if before.snapshot.quality().is_sparse() {
            Movement::Unobserved(Blind::CaptureUnreadable)
        } else {
            self.observe(request, &before).await?
        };
        let movement = match movement {
            // Without a container there is nothing that should have moved.
            Movement::AtEdge if before.container.is_none() => {
                Movement::Unobserved(Blind::NoScrollContainer)
            }
            Movement::Unchanged => {
                return Err(failed(
                    reason::SCROLL_NO_PROGRESS,
                    "the scroll moved nothing although there is more content that way",
                    1,
                ));
            }
            movement => movement,
        };
        Ok(self.outcome(request, &before, 1, distance, movement))
    }

    async fn observe(&self, request: &Request<'_>, before: &Pass) -> Result<Movement> {
        let judge = MovementJudge::new(&before.snapshot, before.area, before.hides_more);
        let schedule = wait::movement(request.backend().honours_cancel());
        let until = request.until(&schedule);
        let until = &until;
        let seen = observe_until(
            schedule,
            request.cancel(),
            None,
            |signal| async move {
                // A capture that fails is a look that shows nothing: it must not fail the scroll.
                let look = request.capture(CaptureOptions::default(), until(), signal);
                Ok::<_, Error>(look.await.ok())
            },
            |_| false,
            |latest: &wait::Look, previous, _| judge.verdict(latest, previous),
        )
        .await;
        match seen.end {
            End::Done { result, .. } => Ok(result),
            End::Canceled => Err(request.canceled()),
            End::Expired { last, .. } | End::Stalled { last, .. } => {
                Ok(Movement::Unobserved(match last.flatten() {
                    Some(_) => Blind::SurfaceUnsettled,
                    None => Blind::CaptureUnreadable,
                }))
            }
            End::Failed { error, .. } => Err(error),
        }
    }

    async fn to_the_edge(&self, request: &Request<'_>) -> Result<ScrollOutcome> {
        let mut stuck = StuckDetector::default();
        let mut distance = 0.0;
        let mut known = None;
        for passes in 0..=EDGE_PASSES {
            let pass = self.look(request, known.as_ref()).await?;
            if !pass.hides_more {
                return Ok(self.outcome(request, &pass, passes, distance, Movement::AtEdge));
            }
            if stuck.is_stuck(pass.snapshot.surface_within(pass.area)) {
                return Err(failed(
                    reason::SCROLL_EDGE_NO_PROGRESS,
                    "scrolling goes on without new content",
                    passes,
                ));
            }
            if passes < EDGE_PASSES {
                distance = self.send(request, &pass).await?;
            }
            known = Some(pass);
        }
        Err(failed(
            reason::SCROLL_EDGE_PASS_LIMIT,
            "the edge was not reached",
            EDGE_PASSES,
        ))
    }

    async fn until_visible(&self, request: &Request<'_>, wanted: &By) -> Result<ScrollOutcome> {
        wanted.check()?;
        if matches!(wanted, By::Ref(_) | By::Point(_)) {
            return Err(super::not_a_target(wanted));
        }
        let mut stuck = StuckDetector::default();
        let mut distance = 0.0;
        let mut known = None;
        let give_up = |pass: &Pass, reason, message: &str, passes: u32| {
            let container = pass.node().map(|node| Line::bare(node).to_string());
            let within = container.as_deref().unwrap_or("the screen");
            let error = failed(reason, format!("{message}, scrolling {within}"), passes)
                .with_detail("selector", wanted.to_string())
                .with_detail("passLimit", UNTIL_PASSES)
                .with_detail("container", container);
            if passes > 0 {
                return error;
            }
            // Nothing was sent: only a capture was made.
            error.proven(if reason == reason::OFFSCREEN_SELECTOR {
                rows::core::REFUSAL_OFFSCREEN
            } else {
                rows::core::REFUSAL_SELECTOR_NOT_FOUND
            })
        };
        let mut passes = 0;
        loop {
            let pass = self.look(request, known.as_ref()).await?;
            if pass.snapshot.quality().is_sparse() {
                return Err(give_up(
                    &pass,
                    reason::SCROLL_UNTIL_CAPTURE_UNREADABLE,
                    "the screen can't be read",
                    passes,
                ));
            }
            let found = target::matches(&pass.snapshot, wanted);
            let behind = match found[..] {
                // Of several, another may come into the tree on this side.
                [only] => pass.lies(only, self.direction.opposite()),
                _ => false,
            };
            if found.into_iter().any(target::is_visible) {
                let movement = if passes == 0 {
                    Movement::Unobserved(Blind::NoComparableContent)
                } else {
                    Movement::Moved
                };
                return Ok(self.outcome(request, &pass, passes, distance, movement));
            }
            if behind {
                let back = self.direction.opposite().as_str();
                let error = give_up(
                    &pass,
                    reason::OFFSCREEN_SELECTOR,
                    &format!("{wanted} lies the other way, {back}"),
                    passes,
                );
                return Err(error.with_detail("scrollDirection", back));
            }
            if self.direction.is_vertical() && !pass.hides_more {
                return Err(give_up(
                    &pass,
                    reason::SCROLL_UNTIL_EDGE_REACHED,
                    "the content ends before the element shows",
                    passes,
                ));
            }
            if passes == UNTIL_PASSES {
                return Err(give_up(
                    &pass,
                    reason::SCROLL_UNTIL_PASS_LIMIT,
                    &format!("{wanted} did not show within {UNTIL_PASSES} passes"),
                    passes,
                ));
            }
            if stuck.is_stuck(pass.snapshot.surface_within(pass.area)) {
                return Err(give_up(
                    &pass,
                    reason::SCROLL_UNTIL_NO_PROGRESS,
                    "scrolling goes on without new content",
                    passes,
                ));
            }
            distance = self.send(request, &pass).await?;
            known = Some(pass);
            passes += 1;
        }
    }

    fn outcome(
        &self,
        request: &Request<'_>,
        pass: &Pass,
        passes: u32,
        distance: f64,
        movement: Movement,
    ) -> ScrollOutcome {
        ScrollOutcome {
            direction: self.direction,
            container: pass.node().map(|node| Line::bare(node).to_string()),
            passes,
            distance,
            movement,
            elapsed: request.elapsed(),
        }
    }
}

/// What a scroll starts from: the screen, the container in it, and its part that is in sight.
struct Pass {
    snapshot: Arc<Snapshot>,
    container: Option<NodeId>,
    area: Rect,
    hides_more: bool,
}

impl Pass {
    fn node(&self) -> Option<Node<'_>> {
        self.snapshot.get(self.container?)
    }

    /// Whether an element is out of sight on this side.
    fn lies(&self, node: Node<'_>, side: Direction) -> bool {
        let center = node.usable_bounds().map(Rect::center);
        let over = center.and_then(|center| self.area.overshoot(center));
        let outside = node.outside();
        !outside.has(side.opposite()) && over.map_or(outside.has(side), |over| over == side)
    }

    /// The same container in a later capture: by what it is and where it is.
    fn find_again(&self, later: &Snapshot) -> Option<NodeId> {
        let known = self.node()?;
        let same = |node: &Node<'_>| {
            node.role() == known.role()
                && node.identifier() == known.identifier()
                && node.bounds() == known.bounds()
        };
        later.nodes().find(same).map(Node::id)
    }
}

impl IntoFuture for Scroll {
    type Output = Result<ScrollOutcome>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<ScrollOutcome>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// The largest scroll container in sight; one that hides content that way goes before one that doesn't.
fn main_container(snapshot: &Snapshot, direction: Direction) -> Option<NodeId> {
    let viewport = snapshot.info().viewport;
    let view = snapshot.view_as(&CaptureOptions::regular());
    let containers = view.nodes().iter().filter_map(|shown| {
        let node = snapshot.get(shown.id)?;
        let scrolls = node.flag(Flag::Scrollable).unwrap_or(node.role().scrolls());
        if !scrolls || node.role() == Role::Keyboard {
            return None;
        }
        let bounds = node.usable_bounds()?;
        let visible = match viewport {
            Some(viewport) => bounds.intersection(viewport)?,
            None => bounds,
        };
        Some((shown.hidden.has(direction), visible.area(), shown.id))
    });
    containers
        .max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))
        .map(|(_, _, id)| id)
}

fn failed(reason: &'static str, message: impl Into<Cow<'static, str>>, passes: u32) -> Error {
    Error::new(ErrorCode::CommandFailed, message)
        .uncertain(rows::core::SCROLL_NO_PROGRESS)
        .with_reason(reason)
        .with_detail("passes", passes)
}
