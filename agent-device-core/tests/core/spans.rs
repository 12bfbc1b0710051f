//! The names of spans and fields are a promise.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use agent_device_core::{
    Device,
    selector::id,
    testing::{Fault, Screen, SimulatedDevice},
};
use tracing::{
    Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, prelude::*, registry::LookupSpan};

type Fields = BTreeMap<&'static str, String>;

#[derive(Clone, Default)]
struct Spans {
    seen: Arc<Mutex<BTreeMap<u64, (&'static str, Fields)>>>,
}

struct Collect<'a>(&'a mut Fields);

impl Visit for Collect<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(
            field.name(),
            format!("{value:?}").trim_matches('"').to_owned(),
        );
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::new();
        let parent = context
            .span(id)
            .and_then(|span| span.parent().map(|parent| parent.name()));
        fields.insert("parent", parent.unwrap_or("none").to_owned());
        attributes.record(&mut Collect(&mut fields));
        self.seen
            .lock()
            .unwrap()
            .insert(id.into_u64(), (attributes.metadata().name(), fields));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        if let Some((_, fields)) = self.seen.lock().unwrap().get_mut(&id.into_u64()) {
            values.record(&mut Collect(fields));
        }
    }
}

impl Spans {
    fn named(&self, name: &str) -> Vec<Fields> {
        let seen = self.seen.lock().unwrap();
        let found = seen.values().filter(|(seen, _)| *seen == name);
        found.map(|(_, fields)| fields.clone()).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn requests_polls_and_sends_have_spans_with_stable_names() {
    let spans = Spans::default();
    let _guard =
        tracing::subscriber::set_default(tracing_subscriber::registry().with(spans.clone()));
    let sim = SimulatedDevice::on(Screen::Late);
    let device = Device::new(sim.clone());
    device
        .locate(id("continue"))
        .press()
        .ready_within(Duration::from_secs(2))
        .await
        .unwrap();
    sim.reset(Screen::Counter);
    sim.faults().nth_mutation(1, Fault::ResetAfterRead);
    device.locate(id("counter")).press().await.unwrap_err();

    let requests = spans.named("agent_device.request");
    assert_eq!(requests.len(), 2);
    for request in &requests {
        assert_eq!(request["op"], "tap");
        assert_eq!(request["backend"], "simulated");
        assert!(request.contains_key("device") && request.contains_key("elapsed_ms"));
    }
    let lost = requests
        .iter()
        .find(|request| request.contains_key("dispatched"))
        .unwrap();
    assert_eq!(lost["dispatched"], "unknown");
    let landed = requests
        .iter()
        .find(|request| !request.contains_key("dispatched"))
        .unwrap();
    assert_eq!(landed["sends"], "1");

    let polls = spans.named("agent_device.poll");
    let waiting: Vec<_> = polls
        .iter()
        .filter(|poll| poll["phase"] == "readiness")
        .collect();
    assert!(waiting.len() > 1);
    assert!(
        waiting
            .iter()
            .all(|poll| poll["outcome"] == "Observed" && poll.contains_key("elapsed_ms"))
    );
    assert_eq!(waiting[1]["poll"], "2");

    assert!(
        waiting
            .iter()
            .all(|poll| poll["parent"] == "agent_device.request")
    );
    let reads = spans.named("agent_device.read");
    assert!(reads.iter().all(|read| read["op"] == "capture"));

    let sends = spans.named("agent_device.send");
    assert!(
        sends
            .iter()
            .all(|send| send["parent"] == "agent_device.request")
    );
    assert_eq!(sends.len(), 2);
    assert!(sends.iter().all(|send| send["op"] == "tap"));
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_in_no_span_and_no_event() {
    let spans = Spans::default();
    let _guard =
        tracing::subscriber::set_default(tracing_subscriber::registry().with(spans.clone()));
    let sim = SimulatedDevice::on(Screen::Login);
    let device = Device::new(sim.clone());
    for fault in [None, Some(Fault::Garbage), Some(Fault::Refuse)] {
        if let Some(fault) = fault {
            sim.faults().nth_mutation(1, fault);
        }
        let result = device.locate(id("password")).fill("Tr0ub4dor").await;
        assert!(!format!("{result:?}").contains("Tr0ub4dor"));
    }
    let seen = format!("{:?}", spans.seen.lock().unwrap());
    assert!(!seen.contains("Tr0ub4dor"));
}
