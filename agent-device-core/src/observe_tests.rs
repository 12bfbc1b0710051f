use super::*;
use std::cell::{Cell, RefCell};

const MS: Duration = Duration::from_millis(1);

fn schedule(interval: u32, budget: u32) -> Schedule {
    Schedule::new("test", MS * interval, MS * budget)
}

/// A capture that counts itself, costs `cost(n)` ms and returns `value(n)`.
async fn run<R>(
    schedule: Schedule,
    initial: Option<u32>,
    cost: impl Fn(u32) -> u32,
    value: impl Fn(u32) -> Result<u32, &'static str>,
    verdict: impl FnMut(&u32, Option<&u32>, u32) -> Judgement<R>,
) -> Observation<u32, R, &'static str> {
    let n = Cell::new(0);
    let cancel = CancellationToken::new();
    observe_until(
        schedule,
        &cancel,
        initial,
        |signal| {
            n.set(n.get() + 1);
            let (cost, value) = (cost(n.get()), value(n.get()));
            async move {
                let _ = signal.run_until_cancelled(sleep(MS * cost)).await;
                value
            }
        },
        |error| error.starts_with("ride"),
        verdict,
    )
    .await
}

fn outcomes<T, R, E>(observation: &Observation<T, R, E>) -> Vec<PollOutcome> {
    observation
        .timeline
        .polls()
        .map(|poll| poll.outcome)
        .collect()
}

fn accept_at(wanted: u32) -> impl FnMut(&u32, Option<&u32>, u32) -> Judgement<u32> {
    move |latest, _, _| {
        if *latest >= wanted {
            Judgement::Done(*latest)
        } else {
            Judgement::go_on()
        }
    }
}

fn never(_: &u32, _: Option<&u32>, _: u32) -> Judgement<()> {
    Judgement::go_on()
}

#[tokio::test(start_paused = true)]
async fn a_verdict_that_accepts_the_third_capture_waits_550() {
    let seen = run(schedule(200, 1000), None, |_| 50, Ok, accept_at(3)).await;
    assert!(matches!(
        seen.end,
        End::Done {
            result: 3,
            value: 3
        }
    ));
    assert_eq!(seen.timeline.count(), 3);
    assert_eq!(seen.waited, MS * 550);
}

#[tokio::test(start_paused = true)]
async fn a_verdict_that_never_accepts_expires_exactly_with_the_budget() {
    let seen = run(schedule(200, 1000), None, |_| 0, Ok, never).await;
    assert!(matches!(
        seen.end,
        End::Expired {
            last: Some(6),
            last_error: None
        }
    ));
    assert_eq!(seen.timeline.count(), 6);
    assert_eq!(seen.waited, MS * 1000);
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_the_ride_out_class_is_ridden_out() {
    let value = |n| if n == 1 { Err("ride") } else { Ok(n) };
    let seen = run(schedule(200, 1000), None, |_| 0, value, accept_at(2)).await;
    assert!(matches!(seen.end, End::Done { .. }));
    assert_eq!(
        outcomes(&seen),
        [PollOutcome::RodeOut, PollOutcome::Observed]
    );
}

#[tokio::test(start_paused = true)]
async fn any_other_failure_ends_as_itself() {
    let seen = run(schedule(200, 1000), None, |_| 0, |_| Err("broken"), never).await;
    assert!(matches!(
        seen.end,
        End::Failed {
            last: None,
            error: "broken"
        }
    ));
    assert_eq!(outcomes(&seen), [PollOutcome::Failed]);
}

#[tokio::test(start_paused = true)]
async fn when_every_poll_is_ridden_out_the_latest_failure_is_kept() {
    let value = |n| Err(if n == 6 { "ride latest" } else { "ride" });
    let seen = run(schedule(200, 1000), None, |_| 0, value, never).await;
    assert!(matches!(
        seen.end,
        End::Expired {
            last: None,
            last_error: Some("ride latest")
        }
    ));
    assert_eq!(seen.timeline.count(), 6);
}

#[tokio::test(start_paused = true)]
async fn riding_out_with_no_budget_left_ends_after_one_poll() {
    let seen = run(schedule(200, 0), None, |_| 0, |_| Err("ride"), never).await;
    assert!(matches!(
        seen.end,
        End::Expired {
            last_error: Some("ride"),
            ..
        }
    ));
    assert_eq!(seen.timeline.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_capture_that_only_ends_when_it_is_asked_to_stalls() {
    let schedule = Schedule {
        capture_deadline: CaptureDeadline::Cancel,
        ..schedule(5, 20)
    };
    let seen = run(schedule, None, |_| 1_000_000, Ok, never).await;
    assert!(matches!(
        seen.end,
        End::Stalled {
            last: None,
            error: None,
            ..
        }
    ));
    assert_eq!(outcomes(&seen), [PollOutcome::Stalled]);
    assert_eq!(seen.waited, MS * 20);
}

#[tokio::test(start_paused = true)]
async fn two_observations_are_completed_past_the_budget() {
    let schedule = Schedule {
        min_observations: 2,
        ..schedule(200, 1000)
    };
    let seen = run(schedule, None, |_| 1000, Ok, accept_at(2)).await;
    assert!(matches!(seen.end, End::Done { .. }));
    assert_eq!(seen.waited, MS * 2200);
}

#[tokio::test(start_paused = true)]
async fn a_verdict_raises_the_budget_and_never_lowers_it() {
    let seen = run(
        schedule(200, 1000),
        None,
        |_| 0,
        Ok,
        |_, _, polls| Judgement::<()>::Continue {
            budget: Some(MS * if polls == 1 { 2000 } else { 100 }),
            pause: None,
        },
    )
    .await;
    assert_eq!(seen.waited, MS * 2000);
}

#[tokio::test(start_paused = true)]
async fn an_accepted_initial_value_costs_no_capture() {
    let seen = run(schedule(200, 1000), Some(9), |_| 0, Ok, accept_at(9)).await;
    assert!(matches!(seen.end, End::Done { result: 9, .. }));
    assert_eq!(seen.timeline.count(), 0);
    assert_eq!(seen.waited, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn cancelling_within_the_pause_ends_after_one_capture() {
    let cancel = CancellationToken::new();
    let captures = Cell::new(0);
    let observation = observe_until(
        schedule(200, 1000),
        &cancel,
        None,
        |_| {
            captures.set(captures.get() + 1);
            async { Ok::<_, ()>(1) }
        },
        |()| false,
        |_, _, _| Judgement::<()>::go_on(),
    );
    let (seen, ()) = tokio::join!(observation, async {
        sleep(MS * 100).await;
        cancel.cancel();
    });
    assert!(matches!(seen.end, End::Canceled));
    assert_eq!(captures.get(), 1);
    assert_eq!(seen.waited, MS * 100);
}

#[tokio::test(start_paused = true)]
async fn cancelling_within_a_capture_joins_it() {
    let cancel = CancellationToken::new();
    let ended = Cell::new(false);
    let observation = observe_until(
        schedule(200, 1000),
        &cancel,
        None,
        |signal| {
            let ended = &ended;
            async move {
                signal.cancelled().await;
                sleep(MS * 30).await;
                ended.set(true);
                Ok::<_, ()>(1)
            }
        },
        |()| false,
        |_, _, _| Judgement::Done(()),
    );
    let (seen, ()) = tokio::join!(observation, async {
        sleep(MS * 100).await;
        cancel.cancel();
    });
    assert!(
        matches!(seen.end, End::Canceled),
        "a value of a cancelled capture is not judged"
    );
    assert!(ended.get());
    assert_eq!(outcomes(&seen), [PollOutcome::Canceled]);
    assert_eq!(seen.waited, MS * 130);
}

#[tokio::test(start_paused = true)]
async fn a_budget_from_the_first_capture_lets_it_take_as_long_as_it_needs() {
    let schedule = Schedule {
        budget_from: BudgetFrom::FirstCapture,
        capture_deadline: CaptureDeadline::Cancel,
        ..schedule(200, 1000)
    };
    let cost = |n| if n == 1 { 5000 } else { 0 };
    let seen = run(schedule, None, cost, Ok, accept_at(3)).await;
    assert!(matches!(seen.end, End::Done { .. }));
    let first = *seen.timeline.polls().next().unwrap();
    assert_eq!((seen.timeline.count(), first.duration), (3, MS * 5000));
    assert_eq!(seen.waited, MS * 5400);
}

#[tokio::test(start_paused = true)]
async fn a_first_capture_that_is_ridden_out_starts_the_budget_too() {
    let schedule = Schedule {
        budget_from: BudgetFrom::FirstCapture,
        ..schedule(200, 1000)
    };
    let cost = |n| if n == 1 { 5000 } else { 0 };
    let seen = run(schedule, None, cost, |_| Err("ride"), never).await;
    assert_eq!(seen.waited, MS * 6000);
}

#[tokio::test(start_paused = true)]
async fn an_initial_value_and_one_capture_make_a_pair() {
    let schedule = Schedule {
        min_observations: 2,
        ..schedule(200, 1000)
    };
    let pairs = RefCell::new(Vec::new());
    let seen = run(
        schedule,
        Some(0),
        |_| 0,
        Ok,
        |latest, previous, polls| {
            pairs.borrow_mut().push((previous.copied(), *latest, polls));
            if polls == 1 {
                Judgement::Done(())
            } else {
                Judgement::go_on()
            }
        },
    )
    .await;
    assert_eq!(pairs.into_inner(), [(None, 0, 0), (Some(0), 1, 1)]);
    assert_eq!((seen.timeline.count(), seen.waited), (1, MS * 200));
}

#[tokio::test(start_paused = true)]
async fn without_a_capture_deadline_a_late_value_is_still_judged() {
    let cost = |n| if n == 2 { 1500 } else { 0 };
    let seen = run(schedule(200, 1000), None, cost, Ok, accept_at(2)).await;
    assert!(matches!(seen.end, End::Done { result: 2, .. }));
    let seen = run(schedule(200, 1000), None, cost, Ok, never).await;
    assert!(matches!(seen.end, End::Expired { last: Some(2), .. }));
}

#[tokio::test(start_paused = true)]
async fn with_a_capture_deadline_the_late_value_stalls() {
    let schedule = Schedule {
        capture_deadline: CaptureDeadline::Cancel,
        ..schedule(200, 1000)
    };
    let cost = |n| if n == 2 { 1500 } else { 0 };
    let seen = run(schedule, None, cost, Ok, never).await;
    assert!(matches!(seen.end, End::Stalled { last: Some(1), .. }));
    assert_eq!(
        outcomes(&seen),
        [PollOutcome::Observed, PollOutcome::Stalled]
    );
}

#[tokio::test(start_paused = true)]
async fn a_capture_that_ends_exactly_at_its_deadline_stalls() {
    let schedule = Schedule {
        capture_deadline: CaptureDeadline::Cancel,
        ..schedule(200, 1000)
    };
    let seen = run(schedule, None, |_| 1000, Ok, accept_at(1)).await;
    assert!(matches!(seen.end, End::Stalled { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_capture_that_starts_late_may_overrun_by_one_interval() {
    let schedule = Schedule {
        capture_deadline: CaptureDeadline::Cancel,
        ..schedule(200, 1000)
    };
    // The second capture starts at 950 and ends at 1100: past the budget, within an interval of its start.
    let cost = |n| if n == 1 { 750 } else { 150 };
    let seen = run(schedule, None, cost, Ok, accept_at(2)).await;
    assert!(matches!(seen.end, End::Done { .. }));
    assert_eq!(seen.waited, MS * 1100);
}

#[tokio::test(start_paused = true)]
async fn a_stall_after_a_ride_out_reports_both_failures() {
    let schedule = Schedule {
        capture_deadline: CaptureDeadline::Cancel,
        ..schedule(200, 1000)
    };
    let cost = |n| if n == 1 { 0 } else { 5000 };
    let value = |n| Err(if n == 1 { "ride" } else { "stopped" });
    let seen = run(schedule, None, cost, value, never).await;
    assert!(matches!(
        seen.end,
        End::Stalled {
            last: None,
            last_error: Some("ride"),
            error: Some("stopped")
        }
    ));
}

#[tokio::test(start_paused = true)]
async fn a_verdict_may_propose_the_next_pause() {
    let seen = run(
        schedule(200, 1000),
        None,
        |_| 0,
        Ok,
        |latest, _, _| match latest {
            1 => Judgement::Continue {
                budget: None,
                pause: Some(MS * 30),
            },
            _ => Judgement::Done(()),
        },
    )
    .await;
    assert_eq!(seen.waited, MS * 30);
}

#[tokio::test(start_paused = true)]
async fn a_long_timeline_keeps_its_first_and_last_polls() {
    let seen = run(schedule(1, 1000), None, |_| 0, Ok, never).await;
    assert_eq!(seen.timeline.count(), 1001);
    let kept: Vec<_> = seen.timeline.polls().map(|poll| poll.started).collect();
    assert_eq!(kept.len(), 30);
    assert_eq!((kept[4], kept[5], kept[29]), (MS * 4, MS * 976, MS * 1000));
}
