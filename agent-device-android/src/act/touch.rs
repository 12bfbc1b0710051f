//! Touches and strokes.

use std::{fmt::Write as _, time::Duration};

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    action::{Performed, Touch},
    dispatch::rows::android_helper as rows,
    geometry::Point,
    gesture::{GesturePlan, Sample, ScrollPlan},
};

use super::{Acted, target};
use crate::{
    backend::Memory,
    helper::{Command, Helper, HelperFailure, encode},
    see,
};

/// How long a tap's finger is down where a tap is a gesture: far less than what apps take for a long press.
const TAP: Duration = Duration::from_millis(50);
/// The helper presses no longer than this.
const LONGEST_PRESS: Duration = Duration::from_secs(60);
/// For how many frames a finger rests before it goes up after a scroll: longer than Android measures its speed.
const STILL: u32 = 8;
/// How long content may take to come to rest after a scroll.
const REST_LIMIT: Duration = Duration::from_secs(1);
/// One frame.
const FRAME: Duration = Duration::from_millis(16);

/// One or more taps at a point. Two of them are one double tap: they go out together, so nothing on the way parts them.
pub(super) async fn tap(
    helper: &Helper,
    memory: &Memory,
    touch: &Touch,
    count: u8,
    call: &Call,
) -> Result<Performed> {
    if count == 1 && !helper.config.helper.is_bundled() {
        return still(helper, memory, touch.point, TAP, call).await;
    }
    let how = format!(",{count}");
    press(helper, memory, touch, &how, Duration::ZERO, call).await
}

pub(super) async fn long_press(
    helper: &Helper,
    memory: &Memory,
    touch: &Touch,
    hold: Duration,
    call: &Call,
) -> Result<Performed> {
    if hold > LONGEST_PRESS {
        return Err(Error::invalid(
            "duration",
            "a press is held for at most 60 s",
        ));
    }
    if !helper.config.helper.is_bundled() {
        return still(helper, memory, touch.point, hold, call).await;
    }
    let how = format!("{},", hold.as_millis());
    press(helper, memory, touch, &how, hold, call).await
}

/// Presses at the point if the element that is meant is still there: the helper looks before it touches.
async fn press(
    helper: &Helper,
    memory: &Memory,
    touch: &Touch,
    how: &str,
    lasts: Duration,
    call: &Call,
) -> Result<Performed> {
    within_display(helper, memory, [touch.point], call).await?;
    let mut payload = format!("{},{how}", place(touch.point));
    let target = touch.target.as_ref();
    if let Some(target) = target.filter(|_| memory.helper_does("tap-target")) {
        let _ = write!(
            payload,
            ",,{}",
            encode(target::description(target).as_bytes())
        );
    }
    let command = Command::new("tap", &payload).lasting(lasts);
    match helper.mutate(command, call).await {
        Ok(_) => Ok(Performed::by("coordinates")),
        Err(HelperFailure::Refused { kind, message }) if kind == target::CHANGED => {
            Err(target::changed(&message))
        }
        Err(failure) => Err(failure.into()),
    }
}

/// A press as a gesture whose finger stays where it is, for a helper that has gestures alone. Such a helper does not look for
/// the target before it touches, and a gesture is one touch: two of them would be two requests, and how far apart nobody knows.
async fn still(
    helper: &Helper,
    memory: &Memory,
    point: Point,
    hold: Duration,
    call: &Call,
) -> Result<Performed> {
    within_display(helper, memory, [point], call).await?;
    let samples = [Duration::ZERO, hold].map(|offset| Sample { offset, point });
    play(helper, &[samples.to_vec()], call).await
}

fn place(point: Point) -> String {
    format!("{:.2},{:.2}", point.x, point.y)
}

/// Refuses a point that lies on no display: the platform would take it for a success.
async fn within_display(
    helper: &Helper,
    memory: &Memory,
    points: impl IntoIterator<Item = Point> + Clone,
    call: &Call,
) -> Result<()> {
    let outside = |(width, height): (u32, u32)| {
        points.clone().into_iter().find(|point| {
            let inside = (0.0..f64::from(width)).contains(&point.x)
                && (0.0..f64::from(height)).contains(&point.y);
            !inside
        })
    };
    match memory.display() {
        Some(display) if outside(display).is_none() => return Ok(()),
        _ => {}
    }
    // The display may have turned since it was read.
    let Some(display) = see::viewport(helper, call).await?.display else {
        return Ok(());
    };
    memory.set_display(display);
    let Some(point) = outside(display) else {
        return Ok(());
    };
    let error = Error::refused(
        rows::POINT_OUTSIDE_DISPLAY,
        ErrorCode::InvalidArgs,
        "the point lies outside the display",
    )
    .with_detail("field", "point")
    .with_detail("displayWidth", display.0)
    .with_detail("displayHeight", display.1)
    .with_hint("Scroll first, or use a point on the display.");
    Err(if point.is_finite() {
        error.with_detail("point", point)
    } else {
        error
    })
}

/// A stroke whose finger is nearly still when it goes up, so that the content stops where it is.
pub(super) async fn scroll(
    helper: &Helper,
    memory: &Memory,
    plan: &ScrollPlan,
    call: &Call,
) -> Result<Acted> {
    within_display(helper, memory, [plan.from, plan.to], call).await?;
    let samples = controlled(plan.from, plan.to, plan.duration);
    let performed = play(helper, &[samples], call).await?;
    // Content goes on by itself, and an app that loads more does so when it rests. Whether it does is for the next capture.
    let front = see::front_at_rest(helper, memory, REST_LIMIT, call).await;
    Ok(Acted {
        performed,
        front: front.ok().flatten(),
    })
}

pub(super) async fn gesture(
    helper: &Helper,
    memory: &Memory,
    plan: &GesturePlan,
    call: &Call,
) -> Result<Performed> {
    let points: Vec<Point> = plan
        .pointers()
        .iter()
        .flatten()
        .map(|sample| sample.point)
        .collect();
    within_display(helper, memory, points, call).await?;
    match plan.pointers() {
        [one] => play(helper, &[dense(one)], call).await,
        two => play(helper, two, call).await,
    }
}

async fn play(helper: &Helper, pointers: &[Vec<Sample>], call: &Call) -> Result<Performed> {
    let payload = encode(document(pointers).as_bytes());
    let last = pointers.iter().filter_map(|samples| samples.last());
    let lasts = last.map(|sample| sample.offset).max().unwrap_or_default();
    let command = Command::new("gesture", &payload).lasting(lasts);
    helper.mutate(command, call).await?;
    Ok(Performed::by("coordinates"))
}

/// How many steps a movement of this duration has: one for each frame, at least three.
fn steps(duration: Duration) -> u32 {
    let frames = (duration.as_millis() + FRAME.as_millis() / 2) / FRAME.as_millis();
    u32::try_from(frames).unwrap_or(u32::MAX).clamp(3, 10_000)
}

fn between(from: Point, to: Point, progress: f64) -> Point {
    Point::new(
        from.x + (to.x - from.x) * progress,
        from.y + (to.y - from.y) * progress,
    )
}

/// A short start, then slower and slower, then still. Android measures the speed of the last tenth of a second, and flings
/// content on by half of the way at the speed that a slowing finger still has.
fn controlled(from: Point, to: Point, duration: Duration) -> Vec<Sample> {
    let count = steps(duration);
    let ramp = (FRAME.as_secs_f64() / duration.as_secs_f64().max(0.001)).min(0.5);
    let progress = |t: f64| {
        if t < ramp {
            t * t / ramp
        } else {
            1.0 - (1.0 - t) * (1.0 - t) / (1.0 - ramp)
        }
    };
    let sample = |step: u32| Sample {
        offset: duration * step / count,
        point: between(from, to, progress(f64::from(step) / f64::from(count))),
    };
    let still = (1..=STILL).map(|frame| Sample {
        offset: duration + FRAME * frame,
        point: to,
    });
    (0..=count).map(sample).chain(still).collect()
}

/// One sample for each frame where the finger moves: from one jump alone an app sees no movement.
fn dense(samples: &[Sample]) -> Vec<Sample> {
    let mut out: Vec<Sample> = Vec::new();
    for pair in samples.windows(2) {
        let [from, to] = pair else { continue };
        let gap = to.offset.saturating_sub(from.offset);
        let moves = from.point.distance(to.point) > 0.0;
        let count = if moves && gap > FRAME { steps(gap) } else { 1 };
        out.extend((0..count).map(|step| Sample {
            offset: from.offset + gap * step / count,
            point: between(from.point, to.point, f64::from(step) / f64::from(count)),
        }));
    }
    out.extend(samples.last().copied());
    out
}

/// The plan as the helper reads it: whole milliseconds that rise, for all pointers the same.
fn document(pointers: &[Vec<Sample>]) -> String {
    let millis = |sample: &Sample| sample.offset.as_millis();
    let last = pointers
        .first()
        .and_then(|samples| samples.last())
        .map_or(0, millis);
    let kind = if pointers.len() == 1 {
        "swipe"
    } else {
        "transform"
    };
    let mut out = format!(
        "{{\"protocol\":\"android-touch-plan-v1\",\"kind\":\"{kind}\",\"durationMs\":{last},\"pointers\":["
    );
    for (id, samples) in pointers.iter().enumerate() {
        let comma = if id == 0 { "" } else { "," };
        let _ = write!(out, "{comma}{{\"pointerId\":{id},\"samples\":[");
        let mut before = None;
        for (at, sample) in samples.iter().enumerate() {
            let offset = millis(sample);
            // Two samples in one millisecond are one; the last one is where the pointer goes up.
            let next_is_same = samples
                .get(at + 1)
                .is_some_and(|next| at > 0 && millis(next) == offset);
            if next_is_same {
                continue;
            }
            let comma = if before.is_none() { "" } else { "," };
            let Point { x, y } = sample.point;
            let _ = write!(
                out,
                "{comma}{{\"offsetMs\":{offset},\"x\":{x:.3},\"y\":{y:.3}}}"
            );
            before = Some(offset);
        }
        out.push_str("]}");
    }
    out.push_str("]}");
    out
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
    fn a_scroll_starts_at_once_and_ends_nearly_still() {
        let samples = controlled(
            Point::new(0.0, 300.0),
            Point::new(0.0, 0.0),
            Duration::from_millis(320),
        );
        assert_eq!(samples.len(), 21 + 8);
        assert_eq!(samples[0].point.y, 300.0);
        assert_eq!(samples[20].point.y, 0.0);
        let step = |at: usize| samples[at].point.y - samples[at + 1].point.y;
        assert!(step(19) < 1.0 && step(1) > 20.0 && step(0) > 0.0);
        assert!((0..20).all(|at| step(at) >= 0.0));
        assert!((20..28).all(|at| step(at) == 0.0));
    }

    #[test]
    fn a_movement_gets_a_sample_for_each_frame_and_a_rest_none() {
        let moved = dense(&[sample(0, 0.0), sample(800, 0.0), sample(960, 100.0)]);
        assert_eq!(moved.len(), 1 + 1 + 10);
        assert_eq!(moved.last().unwrap().point.x, 100.0);
        assert!(moved.windows(2).all(|pair| pair[0].offset < pair[1].offset));
    }

    #[test]
    fn the_document_is_what_the_helper_reads() {
        let plan = [vec![sample(0, 1.0), sample(16, 2.5)]];
        assert_eq!(
            document(&plan),
            "{\"protocol\":\"android-touch-plan-v1\",\"kind\":\"swipe\",\"durationMs\":16,\"pointers\":[{\"pointerId\":0,\
             \"samples\":[{\"offsetMs\":0,\"x\":1.000,\"y\":5.000},{\"offsetMs\":16,\"x\":2.500,\"y\":5.000}]}]}"
        );
        let close = document(&[vec![sample(0, 1.0), sample(5, 2.0), sample(5, 3.0)]]);
        assert!(!close.contains("2.000") && close.contains("3.000"));
    }
}
