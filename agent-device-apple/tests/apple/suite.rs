//! The core's conformance suite on the simulated runner's fixture app, behind a proxy that makes faults.

use std::{sync::Arc, time::Duration};

use agent_device_apple::{Apple, AppleConfig};
use agent_device_core::{
    Device, async_trait,
    testing::{Body, Event, Fault, Knob, Screen, conformance_of, fault_matrix},
};
use agent_device_testbed::fault::{self, FaultProxy, Rule};

use crate::peers::{Sim, attached, fast};

/// The app of the simulated runner.
pub(crate) const FIXTURE: &str = "org.example.proving-ground";

/// The commands that the app may notice.
const MUTATIONS: &[&str] = &[
    "tap",
    "longPress",
    "drag",
    "gesture",
    "sequence",
    "type",
    "backInApp",
    "home",
    "rotate",
    "keyboardDismiss",
    "keyboardReturn",
];

/// The fixture app on a simulated device.
struct Simulated {
    sim: Sim,
    proxy: FaultProxy,
    apple: Arc<Apple>,
}

pub(crate) fn config() -> AppleConfig {
    let mut config = fast();
    config.app = Some(FIXTURE.to_owned());
    config
}

impl Simulated {
    async fn start() -> Option<Self> {
        let sim = Sim::start().await?;
        let proxy = FaultProxy::start(sim.address).await.unwrap();
        let apple = Arc::new(attached(proxy.address(), config()));
        Some(Self { sim, proxy, apple })
    }

    /// Breaks the next command that the app may notice.
    fn strike(&self, fault: &fault::Fault) {
        self.proxy.plan().clear();
        for verb in MUTATIONS {
            let rule = Rule::any(fault.clone())
                .body(&format!("\"command\":\"{verb}\""))
                .times(1);
            self.proxy.plan().add(rule);
        }
        for answer in ["accept", "dismiss"] {
            let rule = Rule::any(fault.clone())
                .body(&format!("\"action\":\"{answer}\""))
                .times(1);
            self.proxy.plan().add(rule);
        }
    }
}

const LIMITS: &[(Screen, &str)] = &[
    (Screen::Home, "XCUITest has no type for headings"),
    (Screen::Frames, "only a page has frames"),
    (Screen::Windows, "there is one window"),
    (
        Screen::Late,
        "the runner can't tell a screen without anything from a tree that has lost its content",
    ),
    (
        Screen::Never,
        "the runner can't tell a screen without anything from a tree that has lost its content",
    ),
    (
        Screen::Vanish,
        "the runner can't tell a screen without anything from a tree that has lost its content",
    ),
    (
        Screen::Drawer,
        "the runner leaves out what lies beside the screen: no direction leads there",
    ),
];

#[async_trait]
impl Body for Simulated {
    fn device(&self) -> Device {
        Device::new(Arc::clone(&self.apple))
    }

    async fn open(&self, screen: Screen, knobs: &[(Knob, u64)]) {
        let knobs: String = knobs
            .iter()
            .map(|(knob, value)| format!("&{knob}={value}"))
            .collect();
        self.sim
            .control
            .ask("POST", &format!("/reset?screen={screen}{knobs}"))
            .await;
    }

    async fn events(&self) -> Vec<Event> {
        // A tap that could be half of a double tap is taken back by the second.
        tokio::time::sleep(Duration::from_millis(50)).await;
        serde_json::from_value(self.sim.control.events().await).unwrap()
    }

    fn limits(&self) -> &[(Screen, &'static str)] {
        LIMITS
    }

    fn captures(&self) -> Option<u64> {
        Some(self.apple.captures())
    }

    async fn arm(&self, fault: Fault) -> bool {
        let fault = match fault {
            Fault::Refuse => {
                self.proxy.refuse().await;
                return true;
            }
            // A command is told from a question by its body, so the proxy reads it; the runner does not.
            Fault::ResetBeforeRead => fault::Fault::ResetAfterRead,
            Fault::ResetAfterRead => fault::Fault::ForwardThenReset,
            Fault::Truncate => fault::Fault::Truncate,
            Fault::Hang => fault::Fault::ForwardThenHang,
            Fault::Slow(delay) => fault::Fault::Slow(delay),
            Fault::Duplicate => fault::Fault::Duplicate,
            Fault::Garbage => fault::Fault::ForwardThenGarbage,
            // The process dies with its app and its log: see the tests of single failures.
            _ => return false,
        };
        self.strike(&fault);
        true
    }

    async fn disarm(&self) {
        self.proxy.plan().clear();
        self.proxy.listen().await;
        self.sim.control.ask("POST", "/mend").await;
    }

    fn gesture_tolerance(&self) -> Duration {
        Duration::from_millis(100)
    }
}

/// `AGENT_DEVICE_SCENARIO` names the scenarios to run, by a part of their names.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_simulated_runner_conforms() {
    let Some(body) = Simulated::start().await else {
        return;
    };
    let wanted = std::env::var("AGENT_DEVICE_SCENARIO").unwrap_or_default();
    conformance_of(&body, |name| name.contains(&wanted)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_simulated_runner_survives_every_fault() {
    let Some(body) = Simulated::start().await else {
        return;
    };
    fault_matrix(&body).await;
}
