//! What decoding a runner's reply costs beside a bare scan of the same bytes: serde_json tells every key and value, nothing kept.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench that unwraps in vain has failed"
)]

use std::{
    fmt,
    hint::black_box,
    time::{Duration, Instant},
};

use agent_device_apple::tree::{Facts, Limits, decode};
use agent_device_core::snapshot::CaptureOptions;
use criterion::{Criterion, criterion_group, criterion_main};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};

/// A screen as the runner says it: a list of rows, each a cell with a picture, two texts, a field and a button.
fn screen(count: usize) -> Vec<u8> {
    let rect = |x: f64, y: f64, width: f64, height: f64| json!({ "x": x, "y": y, "width": width, "height": height });
    let mut nodes: Vec<Value> = vec![
        json!({ "index": 0, "type": "Application", "label": "Shop", "rect": rect(0.0, 0.0, 402.0, 874.0), "enabled": true, "hittable": false, "depth": 0 }),
        json!({ "index": 1, "type": "Table", "identifier": "list", "rect": rect(0.0, 97.5, 402.0, 776.5), "enabled": true, "hittable": true, "depth": 1, "parentIndex": 0, "hiddenContentBelow": true }),
    ];
    for row in 0.. {
        let (cell, top) = (nodes.len(), 97.5 + f64::from(row) * 64.0);
        let leaf = |at: usize, mut node: Value, place: Value| {
            let rest = json!({ "index": cell + at, "rect": place, "enabled": true, "hittable": true, "depth": 2 + usize::from(at > 0), "parentIndex": if at > 0 { cell } else { 1 } });
            node.as_object_mut()
                .unwrap()
                .extend(rest.as_object().unwrap().clone());
            node
        };
        let whole = [
            leaf(
                0,
                json!({ "type": "Cell", "label": format!("Article {row} & more") }),
                rect(0.0, top, 402.0, 64.0),
            ),
            leaf(
                1,
                json!({ "type": "Image", "identifier": "picture" }),
                rect(16.0, top + 8.0, 48.0, 48.0),
            ),
            leaf(
                2,
                json!({ "type": "StaticText", "label": format!("Article {row} & more") }),
                rect(80.0, top + 8.0, 180.5, 20.5),
            ),
            leaf(
                3,
                json!({ "type": "StaticText", "label": format!("{row}.99 €"), "identifier": "price" }),
                rect(80.0, top + 32.0, 90.5, 20.5),
            ),
            leaf(
                4,
                json!({ "type": "TextField", "identifier": "quantity", "value": row.to_string(), "placeholder": "Quantity" }),
                rect(270.0, top + 10.0, 48.0, 44.0),
            ),
            leaf(
                5,
                json!({ "type": "Button", "label": "Add to basket", "identifier": "add" }),
                rect(326.0, top + 10.0, 60.0, 44.0),
            ),
        ];
        nodes.extend(whole.into_iter().take(count - nodes.len()));
        if nodes.len() == count {
            break;
        }
    }
    json!({ "ok": true, "data": { "nodes": nodes, "truncated": false, "snapshotQuality": { "state": "healthy", "backend": "tree" } } })
        .to_string()
        .into_bytes()
}

/// A pass that is told of every key and value and keeps none.
struct Told;

impl<'de> Deserialize<'de> for Told {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

macro_rules! told {
    ($($name:ident($type:ty)),*) => {$(
        fn $name<E: Error>(self, value: $type) -> Result<Self, E> {
            black_box(value);
            Ok(Self)
        }
    )*};
}

impl<'de> Visitor<'de> for Told {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    told!(
        visit_str(&str),
        visit_f64(f64),
        visit_u64(u64),
        visit_i64(i64),
        visit_bool(bool)
    );

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        while members.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

fn scan(reply: &[u8]) -> Told {
    serde_json::from_slice(reply).unwrap()
}

fn decoding(c: &mut Criterion) {
    for nodes in [500, 5000] {
        let reply = screen(nodes);
        let read = |reply: &[u8]| {
            decode(
                reply,
                CaptureOptions::default(),
                &Facts::default(),
                &Limits::default(),
            )
            .unwrap()
        };
        let decoded = read(&reply);
        assert_eq!(decoded.snapshot.len(), nodes);
        let turns = 200_000 / nodes;
        // Alternating, so that whatever else the machine does hits both alike.
        let (mut scans, mut decodes) = (Vec::new(), Vec::new());
        for _ in 0..turns {
            let start = Instant::now();
            black_box(scan(black_box(&reply)));
            scans.push(start.elapsed());
            let start = Instant::now();
            black_box(read(black_box(&reply)));
            decodes.push(start.elapsed());
        }
        scans.sort();
        decodes.sort();
        let at = |times: &[Duration], part: usize| times[times.len() / part].as_secs_f64();
        println!(
            "{nodes} nodes, {} kB: decode / scan = {:.2} at the median ({:.3} / {:.3} ms), {:.2} at the best tenth; {} bytes a node, text included",
            reply.len() / 1000,
            at(&decodes, 2) / at(&scans, 2),
            at(&decodes, 2) * 1e3,
            at(&scans, 2) * 1e3,
            at(&decodes, 10) / at(&scans, 10),
            decoded.snapshot.memory() / nodes,
        );
        c.bench_function(&format!("scan of a reply with {nodes} nodes"), |b| {
            b.iter(|| scan(black_box(&reply)))
        });
        c.bench_function(&format!("decode of a reply with {nodes} nodes"), |b| {
            b.iter(|| read(black_box(&reply)))
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
    targets = decoding
}
criterion_main!(benches);
