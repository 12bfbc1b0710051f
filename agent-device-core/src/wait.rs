//! What to wait for: verdicts and schedules on the one engine. No loop, no deadline rule and no sleep of its own.
//!
//! Two clocks, since there are two promises. A *wait* promises an answer about a span of time: its budget runs
//! from its start, and a look that ends later is no evidence. *Readiness* promises that an action on a target that is there
//! costs what it costs without it: its budget runs from the end of the first look, which counts however slow it was. A wait of
//! no time at all is one look, and so is like readiness.

use std::{sync::Arc, time::Duration};

use serde::Serialize;
use tokio::time::Instant;

use crate::{
    error::{Error, Result},
    geometry::{Direction, Rect},
    observe::{BudgetFrom, CaptureDeadline, Judgement, Schedule},
    snapshot::{CaptureOptions, Change, NodeId, Snapshot, Surface},
};

const POLL: Duration = Duration::from_millis(200);
const READINESS_CAP: Duration = Duration::from_secs(2);
/// The longest that one request may wait, settling and readiness included: what takes longer on a screen is a slip of units, and would hang a test run.
pub const MAX_WAIT: Duration = Duration::from_secs(3600);
const WAIT_POLL: Duration = Duration::from_millis(300);
const STABILITY_BUDGET: Duration = Duration::from_millis(1500);
const MOVEMENT_BUDGET: Duration = Duration::from_millis(1500);
/// Timers and clocks differ by a millisecond: a pause that ends just before the quiet time is over decides nothing.
const PAST_QUIET: Duration = Duration::from_millis(2);
/// Edges may tremble by this much on a still screen.
const STILL: f64 = 1.0;

/// Scripted taps wait for a target that isn't there yet: every 200 ms, for 2 s at most, counted from the end of the first
/// look.
pub(crate) fn readiness(budget: Duration, honours_cancel: bool) -> Schedule {
    Schedule {
        budget_from: BudgetFrom::FirstCapture,
        capture_deadline: deadline(honours_cancel),
        ..Schedule::new("readiness", POLL, readiness_budget(budget))
    }
}

/// How long a target is waited for at most when the caller asks for `wanted`.
pub(crate) fn readiness_budget(wanted: Duration) -> Duration {
    wanted.min(READINESS_CAP)
}

/// Refuses a request that waits for longer than [`MAX_WAIT`].
pub(crate) fn check(timeout: Duration) -> Result<()> {
    if timeout <= MAX_WAIT {
        return Ok(());
    }
    Err(Error::invalid(
        "timeout",
        format!(
            "a wait of {} s, allowed are {}",
            timeout.as_secs(),
            MAX_WAIT.as_secs()
        ),
    ))
}

/// Waiting for a text, an element, an alert or an absence.
pub(crate) fn condition(budget: Duration, honours_cancel: bool) -> Schedule {
    Schedule {
        budget_from: if budget.is_zero() {
            BudgetFrom::FirstCapture
        } else {
            BudgetFrom::Start
        },
        capture_deadline: deadline(honours_cancel),
        ..Schedule::new("wait", WAIT_POLL, budget)
    }
}

/// One look: nothing is waited for.
pub(crate) fn once() -> Schedule {
    Schedule {
        budget_from: BudgetFrom::FirstCapture,
        ..Schedule::new("look", POLL, Duration::ZERO)
    }
}

fn deadline(honours_cancel: bool) -> CaptureDeadline {
    if honours_cancel {
        CaptureDeadline::Cancel
    } else {
        CaptureDeadline::None
    }
}

/// When a screen counts as settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settle {
    /// How long nothing may change. Default 500 ms.
    pub quiet: Duration,
    /// How long to wait for that. Default 10 s, at most [`MAX_WAIT`].
    pub timeout: Duration,
}

impl Default for Settle {
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(500),
            timeout: Duration::from_secs(10),
        }
    }
}

impl Settle {
    /// Waits until nothing has changed for `quiet`.
    pub fn quiet(quiet: Duration) -> Self {
        Self {
            quiet,
            // A screen must be able to come to rest within it.
            timeout: Self::default().timeout.max(quiet.saturating_mul(2)),
        }
    }

    /// Gives up after `timeout`.
    #[must_use]
    pub fn within(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    pub(crate) fn schedule(self, honours_cancel: bool) -> Schedule {
        let interval = self
            .quiet
            .clamp(Duration::from_millis(25), Duration::from_millis(300));
        Schedule {
            min_observations: 2,
            capture_deadline: deadline(honours_cancel),
            ..Schedule::new("settle", interval, self.timeout)
        }
    }

    /// Content when the same surface was seen for the quiet time.
    pub(crate) fn verdict(
        self,
    ) -> impl FnMut(&Arc<Snapshot>, Option<&Arc<Snapshot>>, u32) -> Judgement<()> {
        let interval = self.schedule(false).interval;
        let mut still: Option<(Surface, Instant)> = None;
        move |latest, _, _| {
            let now = Instant::now();
            let surface = latest.surface();
            let since = match &still {
                Some((before, since)) if surface.is_still(before, STILL) => *since,
                _ => {
                    still = Some((surface, now));
                    now
                }
            };
            let quiet = now - since;
            if quiet >= self.quiet && since != now {
                return Judgement::Done(());
            }
            let rest = self.quiet.saturating_sub(quiet).saturating_add(PAST_QUIET);
            Judgement::Continue {
                budget: None,
                pause: Some(rest.min(interval)),
            }
        }
    }
}

/// After a gesture content may go on moving: two equal surfaces in a row before anything is resolved in them.
pub(crate) fn stability(honours_cancel: bool) -> Schedule {
    Schedule {
        min_observations: 2,
        capture_deadline: deadline(honours_cancel),
        ..Schedule::new("stability", POLL, STABILITY_BUDGET)
    }
}

pub(crate) fn stability_verdict()
-> impl FnMut(&Arc<Snapshot>, Option<&Arc<Snapshot>>, u32) -> Judgement<()> {
    |latest, previous, _| match previous {
        Some(previous) if latest.surface().is_still(&previous.surface(), STILL) => {
            Judgement::Done(())
        }
        _ => Judgement::go_on(),
    }
}

/// What a scroll did to the content of its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Movement {
    /// Content moved.
    Moved,
    /// Nothing moved, and the container hides nothing that way: it is at its end.
    AtEdge,
    /// Nothing moved although the container hides content that way.
    Unchanged,
    /// Nobody knows.
    Unobserved(Blind),
}

/// Why a movement could not be observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blind {
    /// A capture failed or was sparse.
    CaptureUnreadable,
    /// The screen didn't come to rest.
    SurfaceUnsettled,
    /// The captures are not comparable: another document, source or presentation.
    CaptureLineageDrift,
    /// Nothing in the container tells one state from another.
    NoComparableContent,
    /// The captures share nothing.
    SurfaceDivergence,
    /// There is no scroll container.
    NoScrollContainer,
}

pub(crate) fn movement(honours_cancel: bool) -> Schedule {
    Schedule {
        capture_deadline: deadline(honours_cancel),
        ..Schedule::new("movement", POLL, MOVEMENT_BUDGET)
    }
}

/// What one look after a scroll showed; a capture that failed is a look, too.
pub(crate) type Look = Option<Arc<Snapshot>>;

/// Judges movement within the part of the screen that the container takes: a battery icon is not movement. Anything that
/// differs is movement at once; sameness needs two looks in a row.
pub(crate) struct MovementJudge {
    before: Surface,
    hides_more: bool,
    within: Rect,
}

impl MovementJudge {
    pub(crate) fn new(before: &Snapshot, within: Rect, hides_more: bool) -> Self {
        Self {
            before: before.surface_within(within),
            hides_more,
            within,
        }
    }

    pub(crate) fn verdict(&self, latest: &Look, previous: Option<&Look>) -> Judgement<Movement> {
        let Some(latest) = latest.as_ref().filter(|look| !look.quality().is_sparse()) else {
            return Judgement::go_on();
        };
        let now = latest.surface_within(self.within);
        let still = |other: &Look| {
            other
                .as_ref()
                .is_some_and(|other| now.is_still(&other.surface_within(self.within), STILL))
        };
        let rested = previous.is_some_and(still);
        if !now.is_comparable_with(&self.before) {
            return if rested {
                Judgement::Done(Movement::Unobserved(Blind::CaptureLineageDrift))
            } else {
                Judgement::go_on()
            };
        }
        match now.evidence_against(&self.before) {
            // Content that was at its end and moves may be bouncing: wait until it rests.
            Change::Changed if self.hides_more || rested => Judgement::Done(Movement::Moved),
            Change::Changed => Judgement::go_on(),
            Change::Unchanged if self.before.is_empty() && now.is_empty() => {
                Judgement::Done(Movement::Unobserved(Blind::NoComparableContent))
            }
            Change::Unchanged if rested => Judgement::Done(if !now.is_still(&self.before, STILL) {
                Movement::Moved
            } else if self.hides_more {
                Movement::Unchanged
            } else {
                Movement::AtEdge
            }),
            Change::Unchanged => Judgement::go_on(),
            Change::Ambiguous if rested => {
                Judgement::Done(if now.is_empty() || self.before.is_empty() {
                    Movement::Unobserved(Blind::SurfaceDivergence)
                } else {
                    // Wholly other content in the same place: a long scroll.
                    Movement::Moved
                })
            }
            Change::Ambiguous => Judgement::go_on(),
        }
    }
}

/// Whether an edge scroll is stuck: of the last six surfaces at most two differ, and the newest was seen before.
#[derive(Debug, Default)]
pub(crate) struct StuckDetector {
    seen: Vec<Surface>,
}

impl StuckDetector {
    const WINDOW: usize = 6;
    const AT_LEAST: usize = 4;

    pub(crate) fn is_stuck(&mut self, surface: Surface) -> bool {
        let seen_before = self.seen.iter().any(|other| surface.is_still(other, STILL));
        self.seen.push(surface);
        if self.seen.len() > Self::WINDOW {
            self.seen.remove(0);
        }
        let mut distinct: Vec<&Surface> = Vec::new();
        for surface in &self.seen {
            if !distinct.iter().any(|other| surface.is_still(other, STILL)) {
                distinct.push(surface);
            }
        }
        self.seen.len() >= Self::AT_LEAST && distinct.len() <= 2 && seen_before
    }
}

/// Whether `container`, or any container when none is named, hides content on this side.
pub(crate) fn hides_content(
    snapshot: &Snapshot,
    container: Option<NodeId>,
    side: Direction,
) -> bool {
    let view = snapshot.view_as(&CaptureOptions::regular());
    view.nodes()
        .iter()
        .filter(|node| container.is_none_or(|container| node.id == container))
        .any(|node| node.hidden.has(side))
}
