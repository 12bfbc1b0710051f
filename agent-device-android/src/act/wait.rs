//! What an action waits for once it has sent its input: verdicts and schedules on the core's engine.

use std::{future::Future, time::Duration};

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    dispatch::rows,
    observe::{End, Judgement, Schedule, observe_until},
    reason,
};

/// Between two looks.
const INTERVAL: Duration = Duration::from_millis(60);

/// What the last look has at least, when the call itself ends before `limit`.
const MARGIN: Duration = Duration::from_millis(250);

/// Looks until `verdict` is content; `None` when `limit`, or the call's own time, is over before. The last look may be judged
/// late: it is never given up.
pub(super) async fn until<T, R, Fut>(
    phase: &'static str,
    limit: Duration,
    call: &Call,
    mut look: impl FnMut() -> Fut,
    verdict: impl FnMut(&T, Option<&T>, u32) -> Judgement<R>,
) -> Result<Option<R>>
where
    Fut: Future<Output = Result<T>>,
{
    let budget = limit.min(call.remaining().saturating_sub(MARGIN));
    let schedule = Schedule::new(phase, INTERVAL, budget);
    let none = |_: &Error| false;
    let observed = observe_until(schedule, call.cancel(), None, |_| look(), none, verdict).await;
    match observed.end {
        End::Done { result, .. } => Ok(Some(result)),
        End::Expired { .. } => Ok(None),
        End::Failed { error, .. }
        | End::Stalled {
            error: Some(error), ..
        } => Err(error),
        End::Canceled | End::Stalled { error: None, .. } => Err(Error::new(
            ErrorCode::CommandFailed,
            "the caller cancelled after the input was sent",
        )
        .with_reason(reason::REQUEST_CANCELED)
        .uncertain(rows::core::CANCELED_IN_FLIGHT)),
    }
}
