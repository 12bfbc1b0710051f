//! Trees of real apps, as other tools have recorded them: page sources are decoded as they are, and every tree is said again in the
//! runner's words and decoded from those. `AGENT_DEVICE_CORPUS` names the folder; without it nothing is decoded.

use std::{fs, path::PathBuf, time::Instant};

use agent_device_apple::tree::{Facts, Limits, decode, decode_source};
use agent_device_core::{Snapshot, snapshot::CaptureOptions};
use serde_json::{Value, json};

use crate::peers::skip;

fn files(kind: &str) -> Vec<(String, Vec<u8>)> {
    let folder =
        std::env::var_os("AGENT_DEVICE_CORPUS").map(|root| PathBuf::from(root).join("ios"));
    let Some(entries) = folder.and_then(|folder| fs::read_dir(folder).ok()) else {
        println!("skipped: corpus: set AGENT_DEVICE_CORPUS to a folder of recorded trees");
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == kind))
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                fs::read(&path).unwrap(),
            )
        })
        .collect();
    files.sort();
    if files.is_empty() {
        skip("corpus", "the folder holds no recorded trees");
    }
    files
}

fn source(document: &[u8]) -> Snapshot {
    decode_source(
        document,
        CaptureOptions::raw(),
        &Facts::default(),
        &Limits::default(),
    )
    .unwrap()
    .snapshot
}

fn reply(nodes: &[Value]) -> Vec<u8> {
    json!({ "ok": true, "data": { "nodes": nodes, "snapshotQuality": { "state": "healthy", "backend": "tree" } } })
        .to_string()
        .into_bytes()
}

/// A tree in the runner's words.
fn again(snapshot: &Snapshot) -> Vec<Value> {
    let said = |node: agent_device_core::snapshot::Node<'_>| {
        json!({
            "index": node.id().index(), "type": node.native_type(), "label": node.label(), "identifier": node.identifier(),
            "value": node.value(), "depth": node.depth(), "parentIndex": node.parent().map(|parent| parent.id().index()),
            "rect": node.bounds(), "enabled": true, "hittable": false,
        })
    };
    snapshot.nodes().map(said).collect()
}

fn count(document: &[u8]) -> usize {
    let text = String::from_utf8_lossy(document);
    text.matches("<XCUIElementType").count()
}

#[test]
fn page_sources_of_real_apps_are_decoded_and_said_again() {
    for (name, document) in files("xml") {
        let snapshot = source(&document);
        assert_eq!(snapshot.len(), count(&document), "{name}");
        let bytes = reply(&again(&snapshot));
        let second = decode(
            &bytes,
            CaptureOptions::raw(),
            &Facts::default(),
            &Limits::default(),
        )
        .unwrap()
        .snapshot;
        assert_eq!(second.len(), snapshot.len(), "{name}");
        for (left, right) in snapshot.nodes().zip(second.nodes()) {
            assert_eq!(
                (left.role(), left.depth(), left.label()),
                (right.role(), right.depth(), right.label()),
                "{name}"
            );
            assert_eq!(
                (left.bounds(), left.parent().map(|it| it.id())),
                (right.bounds(), right.parent().map(|it| it.id()))
            );
        }
        println!("{name}: {} nodes", snapshot.len());
    }
}

/// The elements of a JSON tree of any tool, with their depth: an object with a type, a frame or attributes is one.
fn elements(document: &Value) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut open = vec![(document, 0_usize, None::<usize>)];
    while let Some((value, depth, parent)) = open.pop() {
        match value {
            Value::Array(items) => {
                open.extend(items.iter().rev().map(|item| (item, depth, parent)))
            }
            Value::Object(fields) => {
                let get = |key: &str| {
                    fields
                        .get(key)
                        .or_else(|| fields.get("attributes")?.get(key))
                };
                let known = ["type", "attributes", "AXFrame", "rect"];
                let is_element = known.iter().any(|key| fields.contains_key(*key));
                let text = |keys: &[&str]| {
                    keys.iter()
                        .find_map(|key| get(key)?.as_str().filter(|text| !text.is_empty()))
                };
                let mut inside = (depth, parent);
                if is_element {
                    let frame = get("rect")
                        .or(get("frame"))
                        .filter(|frame| frame.get("x").is_some());
                    inside = (depth + 1, Some(found.len()));
                    found.push(json!({
                        "index": found.len(), "depth": depth, "parentIndex": parent, "rect": frame,
                        "type": text(&["type"]), "label": text(&["label", "AXLabel", "accessibilityText"]),
                        "identifier": text(&["id", "name", "AXUniqueId", "resource-id"]), "value": get("value").filter(|value| !value.is_object()),
                    }));
                }
                let holders = ["children", "value", "tree"].iter().rev();
                open.extend(
                    holders
                        .filter_map(|key| fields.get(*key))
                        .filter(|it| it.is_array() || it.is_object())
                        .map(|it| (it, inside.0, inside.1)),
                );
            }
            _ => {}
        }
    }
    found
}

#[test]
fn trees_of_other_tools_are_said_in_the_runners_words_and_decoded() {
    for (name, document) in files("json") {
        let nodes = elements(&serde_json::from_slice(&document).unwrap());
        assert!(nodes.len() > 10, "{name}");
        let decoded = decode(
            &reply(&nodes),
            CaptureOptions::raw(),
            &Facts::default(),
            &Limits::default(),
        )
        .unwrap();
        assert_eq!(decoded.snapshot.len(), nodes.len(), "{name}");
        println!(
            "{name}: {} nodes, {} at most deep",
            nodes.len(),
            decoded.snapshot.nodes().map(|it| it.depth()).max().unwrap()
        );
    }
}

/// A pass that is told of every key and value and keeps none.
struct Events;

impl<'de> serde::Deserialize<'de> for Events {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Events)
    }
}

macro_rules! told {
    ($($name:ident($type:ty)),*) => {$(
        fn $name<E>(self, value: $type) -> Result<Events, E> {
            std::hint::black_box(value);
            Ok(Events)
        }
    )*};
}

impl<'de> serde::de::Visitor<'de> for Events {
    type Value = Events;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("anything")
    }

    told!(
        visit_str(&str),
        visit_f64(f64),
        visit_u64(u64),
        visit_i64(i64),
        visit_bool(bool)
    );

    fn visit_unit<E>(self) -> Result<Events, E> {
        Ok(Events)
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Events, A::Error> {
        while items.next_element::<Events>()?.is_some() {}
        Ok(Events)
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut members: A) -> Result<Events, A::Error> {
        while members.next_entry::<Events, Events>()?.is_some() {}
        Ok(Events)
    }
}

/// The decoder beside a pass that skips everything and one that is told of everything. Printed, never judged: a busy machine is no
/// defect.
#[test]
#[ignore = "a measurement: cargo test --release … -- --ignored --nocapture decoding"]
fn decoding_costs_little_more_than_reading() {
    for count in [500, 5000] {
        let nodes: Vec<Value> = (0..count)
            .map(|at| {
                json!({
                    "index": at, "type": "StaticText", "label": format!("Row {at} with some words"), "identifier": format!("row-{at}"),
                    "rect": { "x": 16.0, "y": f64::from(at) * 44.5, "width": 361.5, "height": 44.0 }, "enabled": true, "hittable": true,
                    "depth": usize::from(at > 0), "parentIndex": (at > 0).then_some(0),
                })
            })
            .collect();
        let bytes = reply(&nodes);
        let best = |run: &dyn Fn()| {
            let times = (0..200).map(|_| {
                let start = Instant::now();
                run();
                start.elapsed()
            });
            times.min().unwrap()
        };
        let skipped = best(&|| {
            let _ = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).unwrap();
        });
        let told = best(&|| {
            let _ = serde_json::from_slice::<Events>(&bytes).unwrap();
        });
        let limits = Limits::default();
        let decoded = best(&|| {
            drop(
                decode(
                    &bytes,
                    CaptureOptions::default(),
                    &Facts::default(),
                    &limits,
                )
                .unwrap(),
            );
        });
        let times = |of: std::time::Duration| decoded.as_secs_f64() / of.as_secs_f64();
        println!(
            "{count} nodes, {} bytes: skipped {skipped:?}, told {told:?}, decoded {decoded:?}: {:.2} and {:.2} times",
            bytes.len(),
            times(skipped),
            times(told)
        );
    }
}
