//! The suite on the simulated device, and on a boxed and a shared one.

use std::{sync::Arc, time::Duration};

use agent_device_core::{
    Backend, Device,
    testing::{
        Body, Event, Fault, Knob, Screen, SimOptions, SimulatedDevice, conformance, contract,
        fault_matrix,
    },
};
use async_trait::async_trait;

struct SimBody {
    sim: SimulatedDevice,
    wrap: fn(SimulatedDevice) -> Device,
    limits: &'static [(Screen, &'static str)],
}

const BLIND_LIMITS: &[(Screen, &str)] = &[
    SimulatedDevice::LIMITS[0],
    (
        Screen::Stale,
        "a device that knows only coordinates can't tell what lies at a point",
    ),
];

#[async_trait]
impl Body for SimBody {
    fn device(&self) -> Device {
        (self.wrap)(self.sim.clone())
    }

    async fn open(&self, screen: Screen, knobs: &[(Knob, u64)]) {
        self.sim.reset(screen);
        for (knob, value) in knobs {
            self.sim.set(knob.as_str(), value).unwrap();
        }
        self.sim.log().clear();
    }

    async fn events(&self) -> Vec<Event> {
        // Double taps and scrolls are settled by the clock of the app.
        tokio::time::sleep(Duration::from_millis(400)).await;
        self.sim.log().events()
    }

    fn limits(&self) -> &[(Screen, &'static str)] {
        self.limits
    }

    fn captures(&self) -> Option<u64> {
        Some(self.sim.captures())
    }

    async fn arm(&self, fault: Fault) -> bool {
        self.sim.faults().nth_mutation(1, fault);
        true
    }

    async fn disarm(&self) {
        self.sim.faults().clear();
        // After a restart the device refuses once.
        let _ = self.device().app_state().await;
    }
}

fn plain(sim: SimulatedDevice) -> Device {
    Device::new(sim)
}

fn boxed(sim: SimulatedDevice) -> Device {
    let backend: Box<dyn Backend> = Box::new(sim);
    Device::new(backend)
}

fn shared(sim: SimulatedDevice) -> Device {
    let backend: Arc<dyn Backend> = Arc::new(sim);
    Device::new(backend)
}

fn body(options: SimOptions, wrap: fn(SimulatedDevice) -> Device) -> SimBody {
    SimBody {
        sim: SimulatedDevice::with(options),
        wrap,
        limits: SimulatedDevice::LIMITS,
    }
}

#[tokio::test(start_paused = true)]
async fn the_simulated_device_conforms() {
    conformance(&body(SimOptions::new(), plain)).await;
}

#[tokio::test(start_paused = true)]
async fn a_boxed_device_conforms() {
    conformance(&body(SimOptions::new(), boxed)).await;
}

#[tokio::test(start_paused = true)]
async fn a_shared_device_conforms() {
    conformance(&body(SimOptions::new(), shared)).await;
}

#[tokio::test(start_paused = true)]
async fn a_device_that_knows_only_coordinates_conforms() {
    let body = SimBody {
        limits: BLIND_LIMITS,
        ..body(SimOptions::new().coordinates_only(), plain)
    };
    conformance(&body).await;
}

#[tokio::test(start_paused = true)]
async fn a_device_deaf_to_cancellation_conforms() {
    conformance(&body(
        SimOptions::new().deaf_to_cancel().finding_text(),
        plain,
    ))
    .await;
}

#[tokio::test(start_paused = true)]
async fn no_fault_makes_a_false_no_or_a_second_tap() {
    fault_matrix(&body(SimOptions::new(), plain)).await;
    fault_matrix(&body(SimOptions::new().coordinates_only(), shared)).await;
}

#[tokio::test(start_paused = true)]
async fn the_simulated_device_keeps_the_contract() {
    contract(SimulatedDevice::on(Screen::Counter)).await;
    contract(SimulatedDevice::with(SimOptions::new().coordinates_only())).await;
}
