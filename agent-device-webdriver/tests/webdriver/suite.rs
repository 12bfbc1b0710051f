//! The core's conformance suite on the fixture page in a real browser, behind a proxy that makes faults.

use std::{sync::Arc, time::Duration};

use agent_device_core::{
    Call, Device, Interactor as _,
    action::Action,
    testing::{Body, Event, Fault, Knob, Screen, conformance, fault_matrix},
};
use agent_device_testbed::{
    fault::{FaultProxy, Rule, WireFault},
    page::FixtureServer,
};
use agent_device_webdriver::{Chromium, WebDriver};
use async_trait::async_trait;

use crate::harness::have_chromium;

/// The paths of commands that change something in the page.
const MUTATIONS: &[&str] = &[
    "/click",
    "/value",
    "/clear",
    "/actions",
    "/alert/accept",
    "/alert/dismiss",
];

struct PageBody {
    browser: Arc<WebDriver>,
    wire: FaultProxy,
    app: FixtureServer,
}

impl PageBody {
    async fn start() -> Option<Self> {
        if !have_chromium() {
            return None;
        }
        let driver = Chromium::builder().start_driver().await.unwrap();
        let wire = FaultProxy::start(driver.address()).await.unwrap();
        let browser = Arc::new(driver.open_through(wire.address()).await.unwrap());
        let app = FixtureServer::start().await.unwrap();
        Some(Self { browser, wire, app })
    }

    async fn stop(self) {
        self.browser.close().await.unwrap();
        self.wire.stop().await;
        self.app.stop().await;
    }

    /// Back to one window without a dialog, whatever a scenario has left behind.
    async fn tidy(&self) {
        let call = || Call::standalone(Duration::from_secs(10));
        while self.browser.alert(&call()).await.unwrap().is_some() {
            self.browser
                .perform(&Action::DismissAlert, &call())
                .await
                .unwrap();
        }
        let windows = self.browser.windows(&call()).await.unwrap();
        let [first, others @ ..] = &windows[..] else {
            panic!("no window is left");
        };
        for other in others {
            let select = Action::SelectWindow(other.id.clone());
            self.browser.perform(&select, &call()).await.unwrap();
            self.browser
                .perform(&Action::Close(None), &call())
                .await
                .unwrap();
        }
        if !others.is_empty() || !first.selected {
            let select = Action::SelectWindow(first.id.clone());
            self.browser.perform(&select, &call()).await.unwrap();
        }
    }
}

const LIMITS: &[(Screen, &str)] = &[
    (Screen::Keyboard, "a desktop browser shows no keyboard"),
    (
        Screen::Sparse,
        "the tree of a page does not degrade by itself",
    ),
    (
        Screen::Stale,
        "the tree of a page is never behind its screen",
    ),
];

#[async_trait]
impl Body for PageBody {
    fn device(&self) -> Device {
        Device::new(Arc::clone(&self.browser))
    }

    async fn open(&self, screen: Screen, knobs: &[(Knob, u64)]) {
        self.tidy().await;
        let values: Vec<_> = knobs
            .iter()
            .map(|(knob, value)| (knob.as_str(), value.to_string()))
            .collect();
        let knobs: Vec<_> = values
            .iter()
            .map(|(knob, value)| (*knob, value.as_str()))
            .collect();
        let url = self.app.url_with(screen.as_str(), &knobs);
        self.browser.navigate(&url).await.unwrap();
        self.app.clear();
    }

    async fn events(&self) -> Vec<Event> {
        // A scroll is logged when it rests, a tap that could become a double tap at once.
        tokio::time::sleep(Duration::from_millis(300)).await;
        let events = self.app.events().into_iter();
        events
            .map(|event| serde_json::from_value(serde_json::to_value(event).unwrap()).unwrap())
            .collect()
    }

    fn limits(&self) -> &[(Screen, &'static str)] {
        LIMITS
    }

    fn captures(&self) -> Option<u64> {
        Some(self.wire.requests_to("POST", "/goog/cdp/execute").len() as u64)
    }

    async fn arm(&self, fault: Fault) -> bool {
        let fault = match fault {
            // The connection for reads is open already; mutations dial anew.
            Fault::Refuse => {
                self.wire.refuse().await;
                return true;
            }
            Fault::ResetBeforeRead => WireFault::ResetBeforeRead,
            Fault::ResetAfterRead => WireFault::ForwardThenReset,
            Fault::Truncate => WireFault::Truncate,
            Fault::Hang => WireFault::ForwardThenHang,
            Fault::Slow(delay) => WireFault::Slow(delay),
            Fault::Garbage => WireFault::ForwardThenGarbage,
            // TCP doesn't deliver twice, and a killed driver is tried elsewhere: its browser does not come back.
            _ => return false,
        };
        for path in MUTATIONS {
            self.wire
                .plan()
                .add(Rule::on("POST", path, fault.clone()).times(1));
        }
        true
    }

    async fn disarm(&self) {
        self.wire.plan().clear();
        self.wire.listen().await;
    }

    fn gesture_tolerance(&self) -> Duration {
        // The browser paces moves by its frames, on a machine that is busy.
        Duration::from_millis(150)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_conforms() {
    let Some(body) = PageBody::start().await else {
        return;
    };
    conformance(&body).await;
    body.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_fault_makes_a_false_no_or_a_second_click() {
    let Some(body) = PageBody::start().await else {
        return;
    };
    fault_matrix(&body).await;
    body.stop().await;
}
