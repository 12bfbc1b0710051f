//! Trees of real apps, as other tools have recorded them: page sources are decoded as they are, and every tree is said again in the
//! runner's words and decoded from those. `AGENT_DEVICE_CORPUS` names the folder; without it nothing is decoded.

use std::{fs, path::PathBuf};

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
