//! What the engine and the seam add to a direct call of the backend, and what a tree costs.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench that unwraps in vain has failed"
)]

use std::{borrow::Cow, hint::black_box, sync::Arc, time::Duration};

use agent_device_core::{
    Action, Backend, Call, Device, Interactor, Operation, Result, Role, Selector, SnapshotBackend,
    action::{Capabilities, Performed, Touch},
    geometry::{Point, Rect},
    selector::id,
    snapshot::{CaptureOptions, Flag, Snapshot, SnapshotBuilder, SnapshotInfo, TextField},
};
use async_trait::async_trait;
use criterion::{Criterion, criterion_group, criterion_main};

struct Still;

const SCREEN: Rect = Rect::new(0.0, 0.0, 400.0, 800.0);

fn tree(nodes: usize, options: CaptureOptions) -> Snapshot {
    let mut builder = SnapshotBuilder::with_capacity(options, nodes, nodes * 16);
    builder.root(Role::Application).unwrap().bounds(SCREEN);
    for at in 1..nodes {
        builder
            .at_depth(1 + at % 8, Role::Button)
            .unwrap()
            .text_with(TextField::Label, |out| out.push_str("Button in a list"))
            .text(
                TextField::Identifier,
                if at == nodes / 2 { "wanted" } else { "other" },
            )
            .flag(Flag::Enabled, true)
            .bounds(Rect::new(0.0, (at % 700) as f64, 100.0, 40.0));
    }
    let mut info = SnapshotInfo::default();
    info.viewport = Some(SCREEN);
    builder.finish(info)
}

#[async_trait]
impl SnapshotBackend for Still {
    async fn capture(&self, options: &CaptureOptions, _: &Call) -> Result<Snapshot> {
        Ok(tree(2, options.clone()))
    }
}

#[async_trait]
impl Interactor for Still {
    fn capabilities(&self) -> Capabilities {
        Capabilities::of(&[Operation::Tap])
    }

    async fn perform(&self, _: &Action, _: &Call) -> Result<Performed> {
        Ok(Performed::new())
    }
}

impl Backend for Still {
    fn name(&self) -> Cow<'static, str> {
        "still".into()
    }
}

fn seam(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let place = Point::new(10.0, 10.0);
    let tap = Action::Tap(Touch {
        point: place,
        target: None,
    });
    let call = Call::standalone(Duration::from_secs(60));
    c.bench_function("tap, direct call of the backend", |b| {
        b.to_async(&runtime)
            .iter(|| async { Still.perform(&tap, &call).await.unwrap() });
    });
    let device = Device::new(Still);
    c.bench_function("tap at a place, through request, ledger and seam", |b| {
        b.to_async(&runtime)
            .iter(|| async { device.locate(place).press().await.unwrap() });
    });
    c.bench_function("capture, direct call of the backend", |b| {
        let options = CaptureOptions::default();
        b.to_async(&runtime)
            .iter(|| async { Still.capture(&options, &call).await.unwrap() });
    });
    c.bench_function("press of an element, engine and pipeline included", |b| {
        let by = id("wanted");
        b.to_async(&runtime)
            .iter(|| async { device.locate(by.clone()).press().await.unwrap() });
    });
}

fn trees(c: &mut Criterion) {
    for nodes in [500, 5000] {
        let snapshot = Arc::new(tree(nodes, CaptureOptions::default()));
        println!(
            "{nodes} nodes: {} bytes each, text included",
            snapshot.memory() / nodes
        );
        c.bench_function(&format!("build a tree of {nodes}"), |b| {
            b.iter(|| tree(black_box(nodes), CaptureOptions::default()));
        });
        c.bench_function(&format!("view of {nodes}"), |b| {
            b.iter(|| black_box(&snapshot).view())
        });
        c.bench_function(&format!("digest of {nodes}"), |b| {
            b.iter(|| black_box(&snapshot).digest())
        });
        let selector: Selector = "role=button id=wanted".parse().unwrap();
        c.bench_function(&format!("match a selector in {nodes}"), |b| {
            b.iter(|| {
                let alternative = &selector.alternatives()[0];
                black_box(&snapshot)
                    .nodes()
                    .filter(|node| alternative.matches(*node))
                    .count()
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
    targets = seam, trees
}
criterion_main!(benches);
