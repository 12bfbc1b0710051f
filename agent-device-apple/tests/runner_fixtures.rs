//! The tables that hold the runner and this side to one rule each. The runner's own tests read the same files.
#![allow(clippy::unwrap_used, reason = "a test that unwraps in vain has failed")]

use std::time::Duration;

use agent_device_apple::tree::{Facts, Limits, decode};
use agent_device_core::{
    ErrorCode, Role, Selector,
    geometry::{Direction, Point, Rect},
    gesture::{GesturePlan, Sample, ScrollAmount, ScrollPlan},
    reason, selector,
    snapshot::{CaptureOptions, Snapshot},
};
use serde_json::{Value, json};

fn fixture(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../runner-swift/Fixtures/");
    serde_json::from_slice(&std::fs::read(format!("{folder}{name}.json")).unwrap()).unwrap()
}

/// The cases of a table; those that only the runner's half of the rule knows are left out.
fn cases(name: &str) -> Vec<Value> {
    let mut table = fixture(name);
    let mut cases = table["cases"].as_array_mut().unwrap().split_off(0);
    cases.retain(|case| case["swiftOnly"] != true);
    assert!(!cases.is_empty());
    cases
}

fn decoded(data: Value) -> Snapshot {
    let reply = serde_json::to_vec(&json!({ "ok": true, "data": data })).unwrap();
    let decoded = decode(
        &reply,
        CaptureOptions::default(),
        &Facts::default(),
        &Limits::default(),
    );
    decoded.unwrap().snapshot
}

fn rect(value: &Value) -> Rect {
    let at = |index: usize| value[index].as_f64().unwrap();
    Rect::new(at(0), at(1), at(2), at(3))
}

#[test]
fn a_type_of_the_runner_has_one_role() {
    for case in cases("element-types") {
        let node = json!({ "index": 0, "type": case["type"], "depth": 0, "enabled": true });
        let snapshot = decoded(json!({ "nodes": [node] }));
        let wanted = case["role"].as_str().unwrap();
        assert_eq!(Role::parse(wanted).unwrap().as_str(), wanted);
        assert_eq!(snapshot.root().unwrap().role().as_str(), wanted, "{case}");
    }
}

#[test]
fn the_runners_verdict_is_read_word_by_word() {
    let words = fixture("quality");
    let nodes = json!([{ "index": 0, "type": "Application", "depth": 0 }]);
    for state in words["states"].as_array().unwrap() {
        for source in words["backends"].as_array().unwrap() {
            for code in words["reasonCodes"].as_array().unwrap() {
                let verdict = json!({ "state": state, "backend": source, "reasonCode": code });
                let snapshot = decoded(json!({ "nodes": nodes, "snapshotQuality": verdict }));
                let read = serde_json::to_value(snapshot.quality()).unwrap();
                assert_eq!(
                    (&read["state"], &read["source"], &read["reasonCode"]),
                    (state, source, code)
                );
            }
        }
    }
}

#[test]
fn a_selector_names_the_same_elements_on_both_sides() {
    for case in cases("selector-match") {
        let wanted = case["value"].as_str().unwrap();
        let selector: Selector = match case["key"].as_str().unwrap() {
            "id" => selector::id(wanted),
            "label" => selector::label(wanted),
            "value" => selector::value(wanted),
            _ => selector::text(wanted),
        };
        let snapshot = decoded(json!({ "nodes": [{
            "index": 0, "type": "Button", "depth": 0, "label": case["label"], "identifier": case["identifier"],
            "value": case["type_value"],
        }] }));
        let holds = selector.alternatives()[0].matches(snapshot.root().unwrap());
        assert_eq!(holds, case["holds"].as_bool().unwrap(), "{case}");
    }
}

#[test]
fn a_scroll_goes_the_same_way_on_both_sides() {
    for case in cases("scroll-plan") {
        let direction = Direction::ALL
            .into_iter()
            .find(|known| case["direction"] == known.as_str());
        let amount = case["pixels"].as_f64().map(ScrollAmount::Pixels);
        let amount =
            amount.unwrap_or_else(|| ScrollAmount::Fraction(case["amount"].as_f64().unwrap()));
        let keyboard = case.get("keyboard").map(rect);
        let plan = ScrollPlan::new(
            direction.unwrap(),
            amount,
            rect(&case["surface"]),
            None,
            keyboard,
        );
        match (plan, case["refused"].as_str()) {
            (Ok(plan), None) => {
                assert_eq!(
                    json!([plan.from.x, plan.from.y, plan.to.x, plan.to.y]),
                    floats(&case),
                    "{case}"
                );
            }
            (Err(error), Some("occluded")) => {
                assert_eq!(
                    error.reason(),
                    Some(reason::SCROLL_KEYBOARD_OCCLUDES_SURFACE),
                    "{case}"
                );
            }
            (Err(error), Some(_)) => assert_eq!(error.code(), ErrorCode::InvalidArgs, "{case}"),
            (plan, _) => panic!("{case}: {plan:?}"),
        }
    }
}

fn floats(case: &Value) -> Value {
    let ends = ["from", "to"]
        .into_iter()
        .flat_map(|end| case[end].as_array().unwrap());
    ends.map(|number| number.as_f64().unwrap()).collect()
}

#[test]
fn a_plan_is_refused_on_this_side_where_the_runner_would_refuse_it() {
    for case in cases("gesture-plan") {
        let Some(wanted) = case["core"].as_str() else {
            continue;
        };
        let number = |value: &Value| value.as_f64().unwrap();
        let sample = |sample: &Value| Sample {
            offset: Duration::from_secs_f64(number(&sample["offsetMs"]) / 1000.0),
            point: Point::new(number(&sample["point"]["x"]), number(&sample["point"]["y"])),
        };
        let samples = |pointer: &Value| {
            pointer["samples"]
                .as_array()
                .unwrap()
                .iter()
                .map(sample)
                .collect()
        };
        let pointers = case["plan"]["pointers"]
            .as_array()
            .unwrap()
            .iter()
            .map(samples)
            .collect();
        let viewport = Rect::new(0.0, 0.0, 400.0, 800.0);
        let found = match GesturePlan::custom(pointers) {
            Err(_) => "refused",
            Ok(plan) if plan.check_within(viewport).is_err() => "outside",
            Ok(_) => "accepted",
        };
        assert_eq!(found, wanted, "{case}");
    }
}
