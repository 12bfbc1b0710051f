//! Touches and strokes.

use std::time::Duration;

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    action::{Performed, Touch},
    dispatch::{Effect, disclose, rows::ios_runner as rows},
    geometry::{Direction, Point, Rect},
    gesture::{GesturePlan, Intent, Sample, ScrollPlan},
    snapshot::QualityState,
};
use serde_json::{Value, json};

use super::{invalid_step, remote};
use crate::{
    backend::Apple,
    corroborate,
    error::{RunnerFailure, TARGET_GONE},
    profile::Platform,
    runner::{Command, Data, Verb},
};

/// What the runner takes as the length of a stroke or press.
const DURATIONS: (Duration, Duration) = (Duration::from_millis(16), Duration::from_secs(10));

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn place(command: Command, point: Point) -> Result<Command> {
    if !point.is_finite() {
        return Err(Error::invalid(
            "point",
            "a coordinate is not a finite number",
        ));
    }
    Ok(command.with("x", point.x).with("y", point.y))
}

/// A success, with what the runner says of a way that was not the first choice.
fn done(data: &Data, method: &'static str) -> Performed {
    let performed = Performed::by(method);
    match &data.gesture_fallback {
        Some(fallback) => {
            let words: String = fallback.chars().take(100).collect();
            performed.with_warning(format!("the runner fell back to {words}"))
        }
        None => performed,
    }
}

/// One tap. Where the target has an identifier of its own, the runner looks whether it is still at the point.
pub(super) async fn tap(apple: &Apple, touch: &Touch, call: &Call) -> Result<Performed> {
    let mut command = aim(apple, Verb::Tap, touch)?;
    if apple.profile().synthesizes() {
        command = command.with("synthesized", true);
    }
    match apple.runner.ask(&command, call).await {
        Ok(data) => Ok(done(&data, "coordinates")),
        Err(failure) => recorded(apple, touch, failure, call).await,
    }
}

/// A command for the point, and for the target if the runner can look whether it is still there.
pub(super) fn aim(apple: &Apple, verb: Verb, touch: &Touch) -> Result<Command> {
    let command = place(Command::new(verb), touch.point)?;
    Ok(match identity(apple, touch) {
        // With this flag the runner takes only elements whose frame holds the point.
        Some(identifier) => {
            named(command, identifier).with("allowNonHittableCoordinateFallback", true)
        }
        None => command,
    })
}

fn named(command: Command, identifier: &str) -> Command {
    command
        .with("selectorKey", "id")
        .with("selectorValue", identifier)
}

/// Asks what has to be known before a touch. Whatever becomes of the question, it touches nothing.
async fn ask_before(apple: &Apple, question: &Command, call: &Call) -> Result<Data> {
    let answer = apple.runner.ask(question, call).await;
    answer.map_err(|failure| disclose(Effect::Observes, call.ledger(), failure.into()))
}

/// For touches that the runner takes at points alone: whether the target is still there is asked before.
async fn check_there(apple: &Apple, touch: &Touch, call: &Call) -> Result<()> {
    let Some(identifier) = identity(apple, touch) else {
        return Ok(());
    };
    let question = named(Command::new(Verb::QuerySelector), identifier);
    let data = ask_before(apple, &question, call).await?;
    let nodes = data.nodes.unwrap_or_default();
    let at = nodes.first().and_then(|node| node.rect);
    let elsewhere =
        at.is_some_and(|at| !Rect::new(at.x, at.y, at.width, at.height).contains(touch.point));
    if data.found == Some(false) || elsewhere {
        return Err(Error::refused(
            rows::PRE_SEND_TARGET_GONE,
            ErrorCode::CommandFailed,
            "the target is not at its place any more",
        )
        .with_reason(TARGET_GONE)
        .with_hint("The screen has changed since the target was looked for: locate it again."));
    }
    Ok(())
}

/// The identifier by which the runner finds the target and nothing else, as far as the tree tells.
fn identity<'a>(apple: &Apple, touch: &'a Touch) -> Option<&'a str> {
    let target = touch
        .target
        .as_ref()
        .filter(|_| apple.runner.config().check_target)?;
    // What XCTest could not read, its queries don't find either. Only our own trees have a handle.
    let quality = target.snapshot().quality();
    let own = target
        .snapshot()
        .root()
        .is_some_and(|root| root.handle().is_some());
    let readable = own && quality.state == QualityState::Healthy && quality.source != "private-ax";
    let identifier = target
        .node()
        .identifier()
        .filter(|id| readable && !id.trim().is_empty())?;
    let mut same = target.snapshot().nodes().filter(|node| {
        node.identifier()
            .is_some_and(|other| other.trim().eq_ignore_ascii_case(identifier.trim()))
    });
    (same.next().is_some() && same.next().is_none()).then_some(identifier)
}

/// XCTest has recorded a failure beside the tap: the screen may tell whether it landed.
async fn recorded(
    apple: &Apple,
    touch: &Touch,
    failure: RunnerFailure,
    call: &Call,
) -> Result<Performed> {
    if failure.code() == Some("XCTEST_RECORDED_FAILURE")
        && corroborate::has_landed(apple, touch, call).await
    {
        return Ok(Performed::by("coordinates").with_warning(
            "XCTest recorded a failure, and the screen has changed: the tap has landed",
        ));
    }
    Err(failure.into())
}

pub(super) async fn double_tap(apple: &Apple, touch: &Touch, call: &Call) -> Result<Performed> {
    let step = step("doubleTap", touch.point, None)?;
    check_there(apple, touch, call).await?;
    sequence(apple, &[step], Duration::ZERO, call).await
}

fn step(kind: &str, point: Point, hold: Option<Duration>) -> Result<Value> {
    if !point.is_finite() {
        return Err(invalid_step(
            "a coordinate of a step is not a finite number",
        ));
    }
    let mut step = json!({ "kind": kind, "x": point.x, "y": point.y });
    if let Some(hold) = hold {
        step["durationMs"] = json!(millis(hold));
    }
    Ok(step)
}

async fn sequence(
    apple: &Apple,
    steps: &[Value],
    duration: Duration,
    call: &Call,
) -> Result<Performed> {
    let command = Command::new(Verb::Sequence)
        .with("steps", steps)
        .taking(duration);
    let data = apple.runner.ask(&command, call).await?;
    if let Some(failed) = data.failed_step_index {
        // The answer is a success even so: it tells how far it got.
        return Err(
            Error::new(ErrorCode::CommandFailed, "a step of the sequence failed")
                .uncertain(rows::REPLY_UNLISTED_CODE)
                .with_reason("runner_sequence_stopped")
                .with_detail("failedStepIndex", failed)
                .with_detail("completedSteps", data.completed_steps.unwrap_or(0)),
        );
    }
    Ok(done(&data, "coordinates"))
}

pub(super) async fn long_press(
    apple: &Apple,
    touch: &Touch,
    hold: Duration,
    call: &Call,
) -> Result<Performed> {
    let hold = within(hold)?;
    let command = place(Command::new(Verb::LongPress), touch.point)?
        .with("durationMs", millis(hold))
        .taking(hold);
    check_there(apple, touch, call).await?;
    let data = apple.runner.ask(&command, call).await?;
    Ok(done(&data, "coordinates"))
}

fn within(duration: Duration) -> Result<Duration> {
    if duration > DURATIONS.1 {
        return Err(Error::invalid(
            "duration",
            "a press or stroke takes 10 s at most",
        ));
    }
    Ok(duration.max(DURATIONS.0))
}

/// Moves content: by a stroke where there are touches, by the wheel on a Mac, by the remote on a TV.
pub(super) async fn scroll(apple: &Apple, plan: &ScrollPlan, call: &Call) -> Result<Performed> {
    let command = match apple.profile().platform {
        Platform::TvOs => return remote(apple, arrow(plan.direction), call).await,
        Platform::MacOs => Command::new(Verb::DesktopScroll)
            .with("direction", plan.direction.as_str())
            .with("pixels", plan.distance)
            .with("durationMs", millis(within(plan.duration)?)),
        Platform::Ios | Platform::VisionOs => {
            // A stroke that ends at rest, so that nothing coasts.
            place(Command::new(Verb::Drag), plan.from)?
                .with("x2", plan.to.x)
                .with("y2", plan.to.y)
                .with("durationMs", millis(within(plan.duration)?))
                .with("synthesized", true)
        }
    };
    let data = apple
        .runner
        .ask(&command.taking(plan.duration), call)
        .await?;
    Ok(done(&data, "coordinates"))
}

/// Content below comes into view by moving the focus down.
fn arrow(direction: Direction) -> &'static str {
    direction.as_str()
}

pub(super) async fn gesture(apple: &Apple, plan: &GesturePlan, call: &Call) -> Result<Performed> {
    let viewport = viewport(apple, call).await?;
    plan.check_within(viewport)?;
    let duration = within(plan.duration())?;
    let command = Command::new(Verb::Gesture)
        .with("gesturePlan", document(plan, duration, viewport))
        .taking(duration);
    let data = apple.runner.ask(&command, call).await?;
    Ok(done(&data, "coordinates"))
}

/// The screen as it was last seen, else as the runner tells it.
async fn viewport(apple: &Apple, call: &Call) -> Result<Rect> {
    if let Some(viewport) = apple.memory.viewport() {
        return Ok(viewport);
    }
    let data = ask_before(apple, &Command::new(Verb::GestureViewport), call).await?;
    let edges = (data.x, data.y, data.x2, data.y2);
    let (Some(x), Some(y), Some(width), Some(height)) = edges else {
        let error = Error::new(
            ErrorCode::CommandFailed,
            "the runner does not tell the size of the screen",
        );
        return Err(disclose(Effect::Observes, call.ledger(), error));
    };
    let viewport = Rect::new(x, y, width, height);
    apple.memory.set_viewport(viewport);
    Ok(viewport)
}

/// The plan as the runner reads it: whole milliseconds that rise from 0 to its end, for all pointers the same.
fn document(plan: &GesturePlan, duration: Duration, viewport: Rect) -> Value {
    let end = millis(duration);
    let pointers: Vec<Value> = plan
        .pointers()
        .iter()
        .enumerate()
        .map(|(id, samples)| json!({ "pointerId": id, "samples": rising(samples, end) }))
        .collect();
    let mut document = json!({
        "topology": if pointers.len() == 1 { "single" } else { "two" },
        "durationMs": end,
        "viewport": viewport,
        "pointers": pointers,
    });
    let intent = match (plan.intent(), pointers.len()) {
        (Intent::Fling, 1) => "fling",
        (_, 1) | (Intent::Pan, _) => "pan",
        (Intent::Pinch, _) => "pinch",
        (Intent::Rotate, _) => "rotate",
        _ => "transform",
    };
    document["intent"] = json!(intent);
    if pointers.len() == 1 {
        // A fling reaches its end at once and stays there; everything else goes where its samples say.
        let profile = if intent == "fling" {
            "endpoint-hold"
        } else {
            "timed-pan"
        };
        document["executionProfile"] = json!(profile);
    }
    document
}

fn rising(samples: &[Sample], end: u64) -> Vec<Value> {
    let mut out: Vec<(u64, Point)> = Vec::new();
    for (at, sample) in samples.iter().enumerate() {
        let offset = if at + 1 == samples.len() {
            end
        } else {
            millis(sample.offset)
        };
        // Of samples in one millisecond the last one holds, but for the first: there the pointer goes down.
        match out.last_mut() {
            Some((before, point)) if *before >= offset => {
                if at > 1 {
                    *point = sample.point;
                }
            }
            _ => out.push((offset, sample.point)),
        }
    }
    if out.len() == 1
        && let Some(last) = samples.last()
    {
        out.push((end.max(1), last.point));
    }
    out.iter()
        .map(|(offset, point)| json!({ "offsetMs": offset, "point": point }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(offset: u64, x: f64) -> Sample {
        Sample {
            offset: Duration::from_millis(offset),
            point: Point::new(x, 5.0),
        }
    }

    #[test]
    fn the_document_is_what_the_runner_reads() {
        let plan = GesturePlan::custom(vec![vec![
            sample(0, 1.0),
            sample(0, 2.0),
            sample(20, 3.0),
            sample(20, 4.0),
        ]])
        .unwrap();
        let viewport = Rect::new(0.0, 0.0, 402.0, 874.0);
        let document = document(&plan, Duration::from_millis(20), viewport);
        assert_eq!(document["executionProfile"], "timed-pan");
        assert_eq!(document["viewport"]["width"], 402.0);
        let offsets = |document: &Value| -> Vec<(u64, f64)> {
            let samples = document["pointers"][0]["samples"].as_array().unwrap();
            samples
                .iter()
                .map(|it| {
                    (
                        it["offsetMs"].as_u64().unwrap(),
                        it["point"]["x"].as_f64().unwrap(),
                    )
                })
                .collect()
        };
        assert_eq!(offsets(&document), [(0, 1.0), (20, 4.0)]);
    }

    #[test]
    fn a_plan_without_time_still_rises() {
        let samples = rising(&[sample(0, 1.0), sample(0, 2.0)], 16);
        assert_eq!(samples.len(), 2);
        assert_eq!(samples[1]["offsetMs"], 16);
    }
}
