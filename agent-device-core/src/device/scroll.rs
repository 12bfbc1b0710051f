//! Scrolling: once with proof of movement, to an edge, or until something shows.

use std::{
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
    dispatch::{UnknownRow, rows},
    error::{Error, ErrorCode, Result, reason},
    geometry::{Direction, Rect},
    gesture::{ScrollAmount, ScrollPlan},
    observe::{End, observe_until},
    role::Role,
    snapshot::{CaptureOptions, Flag, Node, NodeId, Snapshot},
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
pub struct Scroll<'d> {
    device: &'d Device,
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

impl<'d> Scroll<'d> {
    pub(super) fn new(device: &'d Device, direction: Direction) -> Self {
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

    /// Goes on until an element that matches is visible; 12 passes at most, maybe none.
    pub fn until(mut self, target: impl Into<By>) -> Self {
        self.goal = Goal::Until(target.into());
        self
    }

    async fn run(self) -> Result<ScrollOutcome> {
        let request = self
            .device
            .request(Operation::Scroll, Duration::ZERO)
            .await?;
        let result = match &self.goal {
            Goal::Once => self.once(&request).await,
            Goal::Edge => self.to_the_edge(&request).await,
            Goal::Until(by) => self.until_visible(&request, by).await,
        };
        request.finish(result)
    }

    async fn baseline(&self, request: &Request<'_>) -> Result<Arc<Snapshot>> {
        match request.rested().await? {
            Some(snapshot) => Ok(snapshot),
            None => request.look(CaptureOptions::default()).await,
        }
    }

    /// The container in this capture, and its visible part.
    fn surface(
        &self,
        request: &Request<'_>,
        snapshot: &Arc<Snapshot>,
    ) -> Result<(Option<NodeId>, Rect)> {
        let viewport = viewport_of(snapshot)?;
        let id = match &self.container {
            None => main_container(snapshot, self.direction).map(Node::id),
            Some(By::Ref(wanted)) => Some(request.admitted(*wanted)?.1),
            Some(by) => Some(
                target::resolve(snapshot, by, Policy::CONTAINER, None)
                    .map_err(|refusal| request.refusal(refusal, by, snapshot))?
                    .target
                    .node()
                    .id(),
            ),
        };
        let bounds = id
            .and_then(|id| snapshot.get(id))
            .and_then(Node::usable_bounds)
            .and_then(|bounds| bounds.intersection(viewport));
        Ok((id, bounds.unwrap_or(viewport)))
    }

    async fn send(
        &self,
        request: &Request<'_>,
        snapshot: &Arc<Snapshot>,
        container: Option<NodeId>,
        surface: Rect,
    ) -> Result<f64> {
        let target = container.and_then(|id| Target::new(Arc::clone(snapshot), id));
        let keyboard = target::keyboard_band(snapshot);
        let plan = ScrollPlan::new(self.direction, self.amount, surface, target, keyboard)?;
        let distance = plan.distance;
        request.perform(Action::Scroll(plan)).await?;
        Ok(distance)
    }

    async fn once(&self, request: &Request<'_>) -> Result<ScrollOutcome> {
        let before = self.baseline(request).await?;
        let (container, surface) = self.surface(request, &before)?;
        let hides_more = wait::hides_content(&before, container, self.direction);
        let distance = self.send(request, &before, container, surface).await?;
        let movement = if before.quality().is_sparse() {
            Movement::Unobserved(Blind::CaptureUnreadable)
        } else if container.is_none() && !hides_more {
            // Without a container there is nothing that should move; content that did is still told.
            match self.observe(request, &before, surface, hides_more).await? {
                Movement::AtEdge => Movement::Unobserved(Blind::NoScrollContainer),
                movement => movement,
            }
        } else {
            self.observe(request, &before, surface, hides_more).await?
        };
        if movement == Movement::Unchanged {
            return Err(failed(
                rows::core::SCROLL_NO_PROGRESS,
                reason::SCROLL_NO_PROGRESS,
                "the scroll moved nothing although there is more content that way",
                1,
            ));
        }
        Ok(self.outcome(request, 1, distance, movement))
    }

    async fn observe(
        &self,
        request: &Request<'_>,
        before: &Snapshot,
        surface: Rect,
        hides_more: bool,
    ) -> Result<Movement> {
        let judge = MovementJudge::new(before, surface, hides_more);
        let seen = observe_until(
            wait::movement(),
            request.cancel(),
            None,
            |signal| async move {
                // A capture that fails is a look that shows nothing: it must not fail the scroll.
                Ok::<_, Error>(
                    request
                        .capture(CaptureOptions::default(), signal)
                        .await
                        .ok(),
                )
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
        for pass in 0..=EDGE_PASSES {
            let snapshot = self.baseline(request).await?;
            let (container, surface) = self.surface(request, &snapshot)?;
            if !wait::hides_content(&snapshot, container, self.direction) {
                return Ok(self.outcome(request, pass, distance, Movement::AtEdge));
            }
            if stuck.is_stuck(snapshot.surface_within(surface)) {
                return Err(failed(
                    rows::core::SCROLL_NO_PROGRESS,
                    reason::SCROLL_EDGE_NO_PROGRESS,
                    "scrolling goes on without new content",
                    pass,
                ));
            }
            if pass < EDGE_PASSES {
                distance = self.send(request, &snapshot, container, surface).await?;
            }
        }
        Err(failed(
            rows::core::SCROLL_NO_PROGRESS,
            reason::SCROLL_EDGE_PASS_LIMIT,
            "the edge was not reached",
            EDGE_PASSES,
        ))
    }

    async fn until_visible(&self, request: &Request<'_>, wanted: &By) -> Result<ScrollOutcome> {
        if let By::Selector(selector) = wanted {
            selector.check()?;
        }
        if matches!(wanted, By::Ref(_) | By::Point(_)) {
            return Err(super::not_a_target(wanted));
        }
        let mut stuck = StuckDetector::default();
        let mut distance = 0.0;
        let give_up = |reason, message: &'static str, passes: u32| {
            let error = failed(rows::core::SCROLL_NO_PROGRESS, reason, message, passes)
                .with_detail("selector", wanted.to_string());
            if passes == 0 {
                // Nothing was sent: only a capture was made.
                error.proven(rows::core::REFUSAL_SELECTOR_NOT_FOUND)
            } else {
                error
            }
        };
        for pass in 0..=UNTIL_PASSES {
            let snapshot = self.baseline(request).await?;
            if snapshot.quality().is_sparse() {
                return Err(give_up(
                    reason::SCROLL_UNTIL_CAPTURE_UNREADABLE,
                    "the screen can't be read",
                    pass,
                ));
            }
            let found = target::matches(&snapshot, wanted);
            if found.into_iter().any(target::is_visible) {
                let movement = if pass == 0 {
                    Movement::Unobserved(Blind::NoComparableContent)
                } else {
                    Movement::Moved
                };
                return Ok(self.outcome(request, pass, distance, movement));
            }
            let (container, surface) = self.surface(request, &snapshot)?;
            let room = wait::hides_content(&snapshot, container, self.direction);
            if self.direction.is_vertical() && !room {
                return Err(give_up(
                    reason::SCROLL_UNTIL_EDGE_REACHED,
                    "the content ends before the element shows",
                    pass,
                ));
            }
            if pass == UNTIL_PASSES {
                break;
            }
            if stuck.is_stuck(snapshot.surface_within(surface)) {
                return Err(give_up(
                    reason::SCROLL_UNTIL_NO_PROGRESS,
                    "scrolling goes on without new content",
                    pass,
                ));
            }
            distance = self.send(request, &snapshot, container, surface).await?;
        }
        Err(give_up(
            reason::SCROLL_UNTIL_PASS_LIMIT,
            "the element did not show within the limit of passes",
            UNTIL_PASSES,
        ))
    }

    fn outcome(
        &self,
        request: &Request<'_>,
        passes: u32,
        distance: f64,
        movement: Movement,
    ) -> ScrollOutcome {
        ScrollOutcome {
            direction: self.direction,
            passes,
            distance,
            movement,
            elapsed: request.elapsed(),
        }
    }
}

impl<'d> IntoFuture for Scroll<'d> {
    type Output = Result<ScrollOutcome>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<ScrollOutcome>> + Send + 'd>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// The largest scroll container in sight; one that hides content that way goes before one that doesn't.
fn main_container(snapshot: &Snapshot, direction: Direction) -> Option<Node<'_>> {
    let viewport = snapshot.info().viewport;
    snapshot
        .nodes()
        .filter(|node| {
            node.flag(Flag::Scrollable).unwrap_or(node.role().scrolls())
                && node.role() != Role::Keyboard
                && node.outside().is_empty()
        })
        .filter_map(|node| {
            let bounds = node.usable_bounds()?;
            let visible = match viewport {
                Some(viewport) => bounds.intersection(viewport)?,
                None => bounds,
            };
            let hides = wait::hides_content(snapshot, Some(node.id()), direction);
            Some((hides, visible.area(), node))
        })
        .max_by(|a, b| {
            (a.0, a.1)
                .partial_cmp(&(b.0, b.1))
                .unwrap_or(std::cmp::Ordering::Equal)
        })
        .map(|(_, _, node)| node)
}

fn failed(row: UnknownRow, reason: &'static str, message: &'static str, passes: u32) -> Error {
    Error::new(ErrorCode::CommandFailed, message)
        .uncertain(row)
        .with_reason(reason)
        .with_detail("passes", passes)
}
