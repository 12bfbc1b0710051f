//! The rows of the fixture contract, at the level of the backend traits.

mod faults;
mod screens;

use std::{sync::Arc, time::Duration};

use super::*;
use crate::{
    Backend, Call, Interactor, SnapshotBackend,
    action::{Action, Performed, Target, Text, Touch},
    dispatch::{Ledger, disclose},
    error::{Error, Result},
    geometry::Point,
    snapshot::{CaptureOptions, Node, NodeId, Snapshot},
};

const BUDGET: Duration = Duration::from_secs(5);

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn call() -> Call {
    Call::standalone(BUDGET)
}

async fn capture(device: &SimulatedDevice) -> Arc<Snapshot> {
    let options = CaptureOptions::regular();
    Arc::new(device.capture(&options, &call()).await.expect("captured"))
}

fn node<'a>(snapshot: &'a Snapshot, id: &str) -> Node<'a> {
    snapshot
        .nodes()
        .find(|node| node.identifier() == Some(id))
        .unwrap_or_else(|| panic!("no {id} in {:?}", ids(snapshot)))
}

fn ids(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.nodes().filter_map(Node::identifier).collect()
}

fn has(snapshot: &Snapshot, id: &str) -> bool {
    ids(snapshot).contains(&id)
}

fn labelled(snapshot: &Snapshot, label: &str) -> Vec<NodeId> {
    snapshot
        .nodes()
        .filter(|node| node.label() == Some(label))
        .map(Node::id)
        .collect()
}

fn touch_node(snapshot: &Arc<Snapshot>, id: NodeId) -> Touch {
    let target = Target::new(Arc::clone(snapshot), id).expect("a node of the snapshot");
    let point = target.node().bounds().expect("bounds").center();
    Touch {
        point,
        target: Some(target),
    }
}

fn touch(snapshot: &Arc<Snapshot>, id: &str) -> Touch {
    touch_node(snapshot, node(snapshot, id).id())
}

fn at(x: f64, y: f64) -> Touch {
    Touch {
        point: Point::new(x, y),
        target: None,
    }
}

async fn act(device: &SimulatedDevice, action: Action) -> Result<Performed> {
    device.perform(&action, &call()).await
}

async fn tap(device: &SimulatedDevice, id: &str) -> Result<Performed> {
    let snapshot = capture(device).await;
    act(device, Action::Tap(touch(&snapshot, id))).await
}

async fn fill(device: &SimulatedDevice, id: &str, text: &str) -> Result<Performed> {
    let snapshot = capture(device).await;
    act(device, Action::Fill(touch(&snapshot, id), text.into())).await
}

/// The log in short: kind and element.
fn story(device: &SimulatedDevice) -> Vec<(EventKind, String)> {
    let events = device.log().events().into_iter();
    events.map(|event| (event.kind, event.element)).collect()
}

fn settled(operation: crate::action::Operation, error: Error) -> Error {
    disclose(operation.effect(), &Ledger::default(), error)
}
