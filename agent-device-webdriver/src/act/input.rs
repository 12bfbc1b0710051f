//! Input action payloads. Pure: points and durations in, JSON out.

use std::time::Duration;

use agent_device_core::{geometry::Point, gesture::GesturePlan};
use serde_json::{Value, json};

/// Between the taps of a double tap.
const BETWEEN_TAPS: Duration = Duration::from_millis(80);
/// How long a wheel turns.
const WHEEL: Duration = Duration::from_millis(100);

/// Keys of the protocol.
pub(super) mod keys {
    pub(crate) const BACKSPACE: char = '\u{E003}';
    pub(crate) const ENTER: char = '\u{E007}';
    pub(crate) const CONTROL: char = '\u{E009}';
    pub(crate) const META: char = '\u{E03D}';
    /// Releases all modifiers.
    pub(crate) const RELEASE: char = '\u{E000}';
}

/// What touches the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pointer {
    Mouse,
    Touch,
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A whole pixel: what every driver accepts. The points are checked against the viewport, so they fit.
fn whole(value: f64) -> i64 {
    value.round() as i64
}

fn move_to(point: Point, over: Duration) -> Value {
    json!({"type": "pointerMove", "duration": millis(over), "x": whole(point.x), "y": whole(point.y), "origin": "viewport"})
}

fn pause(duration: Duration) -> Value {
    json!({"type": "pause", "duration": millis(duration)})
}

fn down() -> Value {
    json!({"type": "pointerDown", "button": 0})
}

fn up() -> Value {
    json!({"type": "pointerUp", "button": 0})
}

fn one(pointer: Pointer, actions: Vec<Value>) -> Value {
    json!({"actions": [source(pointer, 1, actions)]})
}

fn source(pointer: Pointer, number: usize, actions: Vec<Value>) -> Value {
    let (kind, id) = match pointer {
        Pointer::Mouse => ("mouse", "mouse".to_owned()),
        Pointer::Touch => ("touch", format!("finger-{number}")),
    };
    json!({"type": "pointer", "id": id, "parameters": {"pointerType": kind}, "actions": actions})
}

pub(super) fn tap(pointer: Pointer, point: Point) -> Value {
    one(pointer, vec![move_to(point, Duration::ZERO), down(), up()])
}

pub(super) fn double_tap(pointer: Pointer, point: Point) -> Value {
    let go = move_to(point, Duration::ZERO);
    one(
        pointer,
        vec![go, down(), up(), pause(BETWEEN_TAPS), down(), up()],
    )
}

pub(super) fn long_press(pointer: Pointer, point: Point, hold: Duration) -> Value {
    let go = move_to(point, Duration::ZERO);
    one(pointer, vec![go, down(), pause(hold), up()])
}

pub(super) fn hover(point: Point) -> Value {
    one(Pointer::Mouse, vec![move_to(point, Duration::ZERO)])
}

/// Turns a wheel at a point. Positive deltas show what lies right and below.
pub(super) fn wheel(at: Point, dx: f64, dy: f64) -> Value {
    json!({"actions": [{"type": "wheel", "id": "wheel", "actions": [{
        "type": "scroll", "duration": millis(WHEEL), "origin": "viewport",
        "x": whole(at.x), "y": whole(at.y), "deltaX": whole(dx), "deltaY": whole(dy),
    }]}]})
}

/// Plays a plan. All pointers have their samples at the same times, so all sources have equally many ticks.
pub(super) fn gesture(plan: &GesturePlan) -> Value {
    let sources = plan.pointers().iter().enumerate().map(|(at, samples)| {
        let mut actions = Vec::with_capacity(samples.len() + 2);
        let mut before = None;
        for sample in samples {
            match before {
                None => actions.extend([move_to(sample.point, Duration::ZERO), down()]),
                Some((offset, point)) => {
                    let over = sample.offset.saturating_sub(offset);
                    actions.push(if point == sample.point {
                        pause(over)
                    } else {
                        move_to(sample.point, over)
                    });
                }
            }
            before = Some((sample.offset, sample.point));
        }
        actions.push(up());
        source(Pointer::Touch, at + 1, actions)
    });
    json!({"actions": sources.collect::<Vec<_>>()})
}

/// Presses and releases keys one after the other, wherever the focus is.
pub(super) fn type_keys(text: &str) -> Value {
    let actions = text.chars().flat_map(|key| {
        let key = key.to_string();
        [
            json!({"type": "keyDown", "value": key}),
            json!({"type": "keyUp", "value": key}),
        ]
    });
    json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions.collect::<Vec<_>>()}]})
}

/// Marks everything in the field that has the focus, deletes it and types the text.
pub(super) fn replace_keys(text: &str, mac: bool) -> Value {
    let modifier = if mac { keys::META } else { keys::CONTROL }.to_string();
    let down = |key: &str| json!({"type": "keyDown", "value": key});
    let up = |key: &str| json!({"type": "keyUp", "value": key});
    let delete = keys::BACKSPACE.to_string();
    let mut all = vec![
        down(&modifier),
        down("a"),
        up("a"),
        up(&modifier),
        down(&delete),
        up(&delete),
    ];
    let mut body = type_keys(text);
    if let Some(actions) = body
        .pointer_mut("/actions/0/actions")
        .and_then(Value::as_array_mut)
    {
        all.append(actions);
        *actions = all;
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_device_core::geometry::{Direction, Rect};
    use agent_device_core::gesture::Gesture;

    #[test]
    fn a_tap_is_one_move_down_up_in_whole_pixels() {
        let body = tap(Pointer::Touch, Point::new(10.4, 20.5));
        let actions = body["actions"][0]["actions"].as_array().unwrap();
        let kinds: Vec<_> = actions
            .iter()
            .map(|a| a["type"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["pointerMove", "pointerDown", "pointerUp"]);
        assert_eq!(
            (&actions[0]["x"], &actions[0]["y"]),
            (&json!(10), &json!(21))
        );
    }

    #[test]
    fn two_pointers_have_equally_many_ticks() {
        let pinch = Gesture::Pinch {
            center: None,
            scale: 2.0,
        };
        let plan = pinch.plan(Rect::new(0.0, 0.0, 800.0, 600.0)).unwrap();
        let body = gesture(&plan);
        let ticks = |at: usize| body["actions"][at]["actions"].as_array().unwrap().len();
        assert_eq!(ticks(0), ticks(1));
        assert_ne!(body["actions"][0]["id"], body["actions"][1]["id"]);
    }

    #[test]
    fn a_rest_is_a_pause_and_the_times_add_up() {
        let drag = Gesture::Drag {
            from: Point::new(100.0, 100.0),
            to: Point::new(200.0, 100.0),
            hold: None,
            duration: None,
            hold_at_end: Duration::ZERO,
        };
        let plan = drag.plan(Rect::new(0.0, 0.0, 800.0, 600.0)).unwrap();
        let body = gesture(&plan);
        let actions = body["actions"][0]["actions"].as_array().unwrap();
        assert_eq!(actions[2]["type"], "pause");
        let total: u64 = actions.iter().filter_map(|a| a["duration"].as_u64()).sum();
        assert_eq!(u128::from(total), plan.duration().as_millis());
        let fling = Gesture::Swipe(Direction::Up);
        assert!(fling.plan(Rect::new(0.0, 0.0, 800.0, 600.0)).is_ok());
    }

    #[test]
    fn each_character_goes_down_and_up() {
        let body = type_keys("aé");
        let actions = body["actions"][0]["actions"].as_array().unwrap();
        assert_eq!(actions.len(), 4);
        assert_eq!(actions[2]["value"], "é");
    }
}
