//! The observation engine: the one loop of this library that polls.
//!
//! [`observe_until`] captures until a verdict is content or a budget ends. It knows nothing of what is captured: every rule
//! of equality lives in the verdict, every pace in the [`Schedule`].
//!
//! - The budget bounds when a capture may *start*.
//! - A capture in flight is never abandoned. Deadline and cancellation ask it to stop, then wait for its end.
//! - Time is `tokio::time`, so that tests run on paused time.

use std::{
    collections::VecDeque,
    future::Future,
    pin::{Pin, pin},
    task::{Context, Poll as TaskPoll},
    time::Duration,
};

use futures::future::{Either, select};
use pin_project::pin_project;
use serde::Serialize;
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

/// `start` and so much later; a time that the clock can't hold is as good as never.
pub(crate) fn after(start: Instant, duration: Duration) -> Instant {
    const NEVER: Duration = Duration::from_secs(86_400 * 365 * 30);
    start.checked_add(duration).unwrap_or(start + NEVER)
}

/// How long a capture or another read is waited for after it should have ended: after its deadline, after the end of the wait
/// that it is a look of, or after a cancel. Then it is dropped. One of a backend that keeps its promises never takes it.
pub const READ_GRACE: Duration = Duration::from_secs(5);

/// Waits for `work` until it ends; for one that ignores its deadline and its cancellation, only a little longer than those.
/// `None`: it was given up.
pub(crate) async fn join_bounded<T>(
    work: impl Future<Output = T>,
    cancel: &CancellationToken,
    until: Instant,
) -> Option<T> {
    let fuse = async {
        let deadline = sleep_until(after(until, READ_GRACE));
        if cancel.run_until_cancelled(deadline).await.is_none() {
            sleep(READ_GRACE).await;
        }
    };
    match select(pin!(work), pin!(fuse)).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(_) => None,
    }
}

/// The pace of an observation.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The pause between observations, cut to what is left of the budget.
    pub interval: Duration,
    /// How long after the start a capture may still be started.
    pub budget: Duration,
    /// How many observations are always completed, also past the budget. An initial value counts.
    pub min_observations: u32,
    /// When the budget starts to run.
    pub budget_from: BudgetFrom,
    /// Whether a capture that runs past the budget is asked to stop.
    pub capture_deadline: CaptureDeadline,
    /// The name in the diagnostics.
    pub phase: &'static str,
}

impl Schedule {
    /// Every `interval` until `budget` has passed, with the defaults of the other rules.
    pub fn new(phase: &'static str, interval: Duration, budget: Duration) -> Self {
        Self {
            interval,
            budget,
            min_observations: 1,
            budget_from: BudgetFrom::Start,
            capture_deadline: CaptureDeadline::None,
            phase,
        }
    }
}

/// When the budget starts to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetFrom {
    /// When the observation starts.
    Start,
    /// When the first capture ends; that one has no deadline. A target that is there at the first look costs one capture,
    /// however slow.
    FirstCapture,
}

/// Whether a capture that runs past the budget is asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureDeadline {
    /// It runs to its end and is judged, however late.
    None,
    /// Its signal fires when the budget ends, but at least one interval after it started. Only for captures that honour the
    /// signal.
    Cancel,
}

/// What a verdict says about the latest observation.
#[derive(Debug)]
pub enum Judgement<R> {
    /// Done, with this result.
    Done(R),
    /// Not yet. The fields may change the schedule.
    Continue {
        /// Raises the budget to this, counted from its start; never lowers it.
        budget: Option<Duration>,
        /// The pause before the next observation instead of the interval.
        pause: Option<Duration>,
    },
}

impl<R> Judgement<R> {
    /// Not yet, with the schedule as it is.
    pub fn go_on() -> Self {
        Self::Continue {
            budget: None,
            pause: None,
        }
    }
}

/// How an observation ended.
#[derive(Debug)]
pub enum End<T, R, E> {
    /// The verdict was content.
    Done {
        /// What it said.
        result: R,
        /// The observation that it accepted.
        value: T,
    },
    /// The budget ended.
    Expired {
        /// The last value that was observed.
        last: Option<T>,
        /// The last failure that was ridden out.
        last_error: Option<E>,
    },
    /// A capture was asked to stop at its deadline.
    Stalled {
        /// The last value that was observed before.
        last: Option<T>,
        /// The last failure that was ridden out before.
        last_error: Option<E>,
        /// The failure of the stopped capture, if it failed.
        error: Option<E>,
    },
    /// A capture failed and was not ridden out.
    Failed {
        /// The last value that was observed before.
        last: Option<T>,
        /// The failure.
        error: E,
    },
    /// The caller cancelled. A running capture was joined first.
    Canceled,
}

impl<T, R, E> End<T, R, E> {
    fn name(&self) -> &'static str {
        match self {
            Self::Done { .. } => "done",
            Self::Expired { .. } => "expired",
            Self::Stalled { .. } => "stalled",
            Self::Failed { .. } => "failed",
            Self::Canceled => "canceled",
        }
    }
}

/// What became of one capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PollOutcome {
    /// It gave a value, which was judged.
    Observed,
    /// It failed in a way that the caller rides out.
    RodeOut,
    /// It was asked to stop at its deadline.
    Stalled,
    /// It failed.
    Failed,
    /// It was joined after the caller cancelled.
    Canceled,
}

/// One capture on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Poll {
    /// When it started, counted from the start of the observation.
    #[serde(rename = "startedMs", serialize_with = "millis")]
    pub started: Duration,
    /// How long it took.
    #[serde(rename = "durationMs", serialize_with = "millis")]
    pub duration: Duration,
    /// What became of it.
    pub outcome: PollOutcome,
}

pub(crate) fn millis<S: serde::Serializer>(
    duration: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

/// The captures of an observation: the first 5 and the last 25 of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    first: Vec<Poll>,
    last: VecDeque<Poll>,
    count: u32,
}

impl Timeline {
    const FIRST: usize = 5;
    const LAST: usize = 25;

    fn push(&mut self, poll: Poll) {
        self.count = self.count.saturating_add(1);
        if self.first.len() < Self::FIRST {
            self.first.push(poll);
        } else {
            if self.last.len() == Self::LAST {
                self.last.pop_front();
            }
            self.last.push_back(poll);
        }
    }

    /// How many captures there were, also those that are not kept.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The captures that are kept, in order.
    pub fn polls(&self) -> impl Iterator<Item = &Poll> {
        self.first.iter().chain(&self.last)
    }
}

/// An ended observation.
#[derive(Debug)]
pub struct Observation<T, R, E> {
    /// How it ended.
    pub end: End<T, R, E>,
    /// The captures that were made.
    pub timeline: Timeline,
    /// From the start of the observation to its end.
    pub waited: Duration,
}

/// Captures until `verdict` is content, the budget ends, or `cancel` fires.
///
/// `initial` is a value that the caller holds already: judged first, counted as an observation, not as a capture. `capture`
/// gets a token that fires when it should stop. `ride_out` says which failures are no reason to end. `verdict` gets the latest
/// value, the one before it, and how many captures there were.
///
/// # Cancel safety
///
/// Dropping the future drops the capture in flight. Cancel by the token instead: it joins.
pub async fn observe_until<T, R, E, Fut>(
    schedule: Schedule,
    cancel: &CancellationToken,
    initial: Option<T>,
    mut capture: impl FnMut(CancellationToken) -> Fut,
    mut ride_out: impl FnMut(&E) -> bool,
    mut verdict: impl FnMut(&T, Option<&T>, u32) -> Judgement<R>,
) -> Observation<T, R, E>
where
    Fut: Future<Output = Result<T, E>>,
{
    let start = Instant::now();
    let mut budget = schedule.budget;
    let mut budget_start = (schedule.budget_from == BudgetFrom::Start).then_some(start);
    let mut pause = schedule.interval;
    let mut timeline = Timeline::default();
    let initial_counts = u32::from(initial.is_some());
    let mut last: Option<T> = None;
    let mut last_error = None;
    let mut pending = initial;

    let end = loop {
        if let Some(value) = pending.take() {
            match verdict(&value, last.as_ref(), timeline.count()) {
                Judgement::Done(result) => break End::Done { result, value },
                Judgement::Continue {
                    budget: raised,
                    pause: next,
                } => {
                    budget = budget.max(raised.unwrap_or_default());
                    pause = next.unwrap_or(schedule.interval);
                    last = Some(value);
                }
            }
        }
        if cancel.is_cancelled() {
            break End::Canceled;
        }
        let remaining = |now: Instant| {
            budget_start.map(|from| after(from, budget).saturating_duration_since(now))
        };
        let observations = timeline.count() + initial_counts;
        if observations > 0 {
            let left = remaining(Instant::now());
            let forced = observations < schedule.min_observations;
            if !forced && left == Some(Duration::ZERO) {
                break End::Expired { last, last_error };
            }
            let pause = match left {
                Some(left) if !forced => pause.min(left),
                _ => pause,
            };
            if cancel.run_until_cancelled(sleep(pause)).await.is_none() {
                break End::Canceled;
            }
        }

        let poll_start = Instant::now();
        let deadline = match (schedule.capture_deadline, remaining(poll_start)) {
            (CaptureDeadline::Cancel, Some(left)) => {
                Some(after(poll_start, left.max(schedule.interval)))
            }
            _ => None,
        };
        let signal = cancel.child_token();
        let span = tracing::debug_span!(
            "agent_device.poll",
            phase = schedule.phase,
            poll = timeline.count() + 1,
            outcome = tracing::field::Empty,
            elapsed_ms = tracing::field::Empty,
        );
        let joined = Joined {
            capture: capture(signal.clone()),
            timer: deadline.map(sleep_until),
            signal,
        };
        let outcome = joined.instrument(span.clone()).await;
        let now = Instant::now();
        budget_start.get_or_insert(now);

        let stalled = deadline.is_some_and(|deadline| now >= deadline);
        let (name, ended) = match outcome {
            _ if cancel.is_cancelled() => (PollOutcome::Canceled, Some(End::Canceled)),
            outcome if stalled => {
                let error = outcome.err();
                let end = End::Stalled {
                    last: last.take(),
                    last_error: last_error.take(),
                    error,
                };
                (PollOutcome::Stalled, Some(end))
            }
            Ok(value) => {
                pending = Some(value);
                (PollOutcome::Observed, None)
            }
            Err(error) if ride_out(&error) => {
                last_error = Some(error);
                pause = schedule.interval;
                (PollOutcome::RodeOut, None)
            }
            Err(error) => {
                let end = End::Failed {
                    last: last.take(),
                    error,
                };
                (PollOutcome::Failed, Some(end))
            }
        };
        let poll = Poll {
            started: poll_start - start,
            duration: now - poll_start,
            outcome: name,
        };
        span.record("outcome", tracing::field::debug(name));
        span.record("elapsed_ms", poll.duration.as_secs_f64() * 1000.0);
        timeline.push(poll);
        if let Some(end) = ended {
            break end;
        }
    };

    let waited = start.elapsed();
    tracing::debug!(
        name: "agent_device.observed",
        phase = schedule.phase,
        end = end.name(),
        polls = timeline.count(),
        waited_ms = waited.as_secs_f64() * 1000.0,
        "observed"
    );
    Observation {
        end,
        timeline,
        waited,
    }
}

/// Runs a capture to its end; when the timer fires first, asks the capture to stop and goes on waiting for it.
#[pin_project]
struct Joined<F> {
    #[pin]
    capture: F,
    #[pin]
    timer: Option<Sleep>,
    signal: CancellationToken,
}

impl<F: Future> Future for Joined<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> TaskPoll<F::Output> {
        let mut this = self.project();
        if let TaskPoll::Ready(output) = this.capture.as_mut().poll(cx) {
            return TaskPoll::Ready(output);
        }
        if let Some(timer) = this.timer.as_mut().as_pin_mut()
            && timer.poll(cx).is_ready()
        {
            this.timer.set(None);
            this.signal.cancel();
            // The capture may end at once now that it is asked to.
            return this.capture.poll(cx);
        }
        TaskPoll::Pending
    }
}

#[cfg(test)]
#[path = "observe_tests.rs"]
mod tests;
