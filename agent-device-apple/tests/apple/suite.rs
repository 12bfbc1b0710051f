//! The core's conformance suite on the simulated runner's fixture app, behind a proxy that makes faults.

use std::{any::Any, net::SocketAddr, sync::Arc, time::Duration};

use agent_device_apple::{Apple, AppleConfig, AppleTarget, Profile};
use agent_device_core::{
    Device, async_trait,
    testing::{Body, Event, Fault, Knob, Screen, conformance_of, fault_matrix},
};
use agent_device_testbed::fault::{FaultProxy, Rule, WireFault};

use crate::peers::{Control, Sim, fast};

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
pub(crate) struct Simulated {
    control: Control,
    /// What keeps the runner running.
    _keeper: Box<dyn Any + Send + Sync>,
    proxy: FaultProxy,
    apple: Arc<Apple>,
    limits: &'static [(Screen, &'static str)],
}

pub(crate) fn config() -> AppleConfig {
    let mut config = fast();
    config.app = Some(FIXTURE.to_owned());
    config
}

impl Simulated {
    async fn of(
        profile: Profile,
        platform: &str,
        limits: &'static [(Screen, &'static str)],
    ) -> Option<Self> {
        let sim = Sim::of(platform).await?;
        let (address, control) = (sim.address, sim.control);
        let body = Self::behind(address, control, Box::new(sim), profile, config(), limits);
        Some(body.await)
    }

    /// A runner at this address, behind a proxy, and its app beside it.
    pub(crate) async fn behind(
        address: SocketAddr,
        control: Control,
        keeper: Box<dyn Any + Send + Sync>,
        profile: Profile,
        config: AppleConfig,
        limits: &'static [(Screen, &'static str)],
    ) -> Self {
        let proxy = FaultProxy::start(address).await.unwrap();
        let target = AppleTarget::Runner {
            profile,
            address: proxy.address(),
        };
        Self {
            control,
            _keeper: keeper,
            proxy,
            apple: Arc::new(Apple::new(target, config)),
            limits,
        }
    }

    async fn iphone() -> Option<Self> {
        Self::of(Profile::IOS_SIMULATOR, "iOS", IPHONE).await
    }

    /// Breaks the next command that the app may notice.
    fn strike(&self, fault: &WireFault) {
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

const NO_HEADINGS: (Screen, &str) = (Screen::Home, "XCUITest has no type for headings");
const NO_FRAMES: (Screen, &str) = (Screen::Frames, "only a page has frames");
const ONE_WINDOW: (Screen, &str) = (Screen::Windows, "there is one window");
const NO_WAY_TO_THE_DRAWER: (Screen, &str) = (
    Screen::Drawer,
    "the runner leaves out what lies beside the screen: no direction leads there",
);

const XCTEST_DEPTH: (Screen, &str) = (
    Screen::Deep,
    "XCTest serialises 62 levels, and only an iPhone has a second way to the tree",
);

pub(crate) const IPHONE: &[(Screen, &str)] =
    &[NO_HEADINGS, NO_FRAMES, ONE_WINDOW, NO_WAY_TO_THE_DRAWER];
const MAC: &[(Screen, &str)] = &[
    NO_HEADINGS,
    NO_FRAMES,
    ONE_WINDOW,
    XCTEST_DEPTH,
    (Screen::Gesture, "a mouse is dragged at XCTest's own speed"),
];
const FOCUS: &str = "a remote presses what has the focus; a press anywhere else is refused";
const TV: &[(Screen, &str)] = &[
    NO_HEADINGS,
    NO_FRAMES,
    ONE_WINDOW,
    XCTEST_DEPTH,
    (Screen::Counter, FOCUS),
    (Screen::Login, FOCUS),
    (Screen::Longtext, FOCUS),
    (Screen::Drawer, FOCUS),
    (Screen::Rows, FOCUS),
    (Screen::Childbutton, FOCUS),
    (Screen::List, FOCUS),
    (Screen::Reveal, FOCUS),
    (Screen::Toggle, FOCUS),
    (Screen::Alert, FOCUS),
    (Screen::Zoo, FOCUS),
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
        self.control
            .ask("POST", &format!("/reset?screen={screen}{knobs}"))
            .await;
    }

    async fn events(&self) -> Vec<Event> {
        // A tap that could be half of a double tap is taken back by the second.
        tokio::time::sleep(Duration::from_millis(50)).await;
        serde_json::from_value(self.control.events().await.into()).unwrap()
    }

    fn limits(&self) -> &[(Screen, &'static str)] {
        self.limits
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
            Fault::ResetBeforeRead => WireFault::ResetAfterRead,
            Fault::ResetAfterRead => WireFault::ForwardThenReset,
            Fault::Truncate => WireFault::Truncate,
            Fault::Hang => WireFault::ForwardThenHang,
            Fault::Slow(delay) => WireFault::Slow(delay),
            Fault::Duplicate => WireFault::Duplicate,
            Fault::Garbage => WireFault::ForwardThenGarbage,
            // The process dies with its app and its log: see the tests of single failures.
            _ => return false,
        };
        self.strike(&fault);
        true
    }

    async fn disarm(&self) {
        self.proxy.plan().clear();
        self.proxy.listen().await;
        self.control.ask("POST", "/mend").await;
    }

    fn gesture_tolerance(&self) -> Duration {
        Duration::from_millis(100)
    }
}

/// `AGENT_DEVICE_SCENARIO` names the scenarios to run, by a part of their names.
pub(crate) async fn conform(body: Option<Simulated>) {
    let Some(body) = body else {
        return;
    };
    let wanted = std::env::var("AGENT_DEVICE_SCENARIO").unwrap_or_default();
    conformance_of(&body, |name| name.contains(&wanted)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_simulated_iphone_conforms() {
    conform(Simulated::iphone().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_simulated_mac_conforms() {
    conform(Simulated::of(Profile::MACOS, "macOS", MAC).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_simulated_television_conforms() {
    conform(Simulated::of(Profile::TVOS_SIMULATOR, "tvOS", TV).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_simulated_runner_survives_every_fault() {
    survive(Simulated::iphone().await).await;
}

pub(crate) async fn survive(body: Option<Simulated>) {
    if let Some(body) = body {
        fault_matrix(&body).await;
    }
}
