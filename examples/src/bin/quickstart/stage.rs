//! The fixture app that the quickstart drives, and the ways to it beside the backend.

use std::{sync::Arc, time::Duration};

use agent_device_core::{
    Device,
    testing::{Fault, Screen, SimulatedDevice},
};
use agent_device_testbed::{
    fault::{FaultProxy, Rule, WireFault},
    page::FixtureServer,
};
use agent_device_webdriver::{Chromium, WebDriver};

mod android;
mod apple;
use android::Phone;
use apple::Simulator;

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// Where the show takes place.
pub(crate) enum Stage {
    Simulated(SimulatedDevice),
    Chromium(Box<Browser>),
    Android(Box<Phone>),
    Apple(Box<Simulator>),
}

/// A browser whose driver sits behind a proxy that can lose replies, and the page server that keeps the log.
pub(crate) struct Browser {
    driver: Arc<WebDriver>,
    wire: FaultProxy,
    app: FixtureServer,
}

impl Stage {
    pub(crate) fn simulated() -> Self {
        Self::Simulated(SimulatedDevice::new())
    }

    pub(crate) async fn chromium() -> Result<Self> {
        let driver = Chromium::builder().start_driver().await?;
        let wire = FaultProxy::start(driver.address()).await?;
        let driver = Arc::new(driver.open_through(wire.address()).await?);
        let app = FixtureServer::start().await?;
        Ok(Self::Chromium(Box::new(Browser { driver, wire, app })))
    }

    /// The device with this serial number, or the only one.
    pub(crate) async fn android(serial: Option<&str>) -> Result<Self> {
        Ok(Self::Android(Box::new(Phone::start(serial).await?)))
    }

    /// The runner and the app's own port, as `RUNNER:CONTROL`.
    pub(crate) async fn apple(place: &str) -> Result<Self> {
        Ok(Self::Apple(Box::new(Simulator::start(place).await?)))
    }

    pub(crate) fn device(&self) -> Device {
        match self {
            Self::Simulated(sim) => Device::new(sim.clone()),
            Self::Chromium(browser) => Device::new(Arc::clone(&browser.driver)),
            Self::Android(phone) => Device::new(Arc::clone(&phone.android)),
            Self::Apple(simulator) => Device::new(Arc::clone(&simulator.apple)),
        }
    }

    /// Opens a screen of the app. On a phone a test would use a deep link.
    pub(crate) async fn open(&self, screen: &str) -> Result<()> {
        match self {
            Self::Simulated(sim) => sim.reset(screen.parse::<Screen>()?),
            Self::Chromium(browser) => {
                browser.driver.navigate(&browser.app.url(screen)).await?;
                browser.app.clear();
            }
            Self::Android(phone) => phone.open(screen).await?,
            Self::Apple(simulator) => simulator.open(screen).await?,
        }
        Ok(())
    }

    /// The next press reaches the app, and its reply gets lost.
    pub(crate) fn lose_the_next_reply(&self) {
        match self {
            Self::Simulated(sim) => sim.faults().nth_mutation(1, Fault::ResetAfterRead),
            Self::Chromium(browser) => {
                let lost = Rule::on("POST", "/click", WireFault::ForwardThenReset).times(1);
                browser.wire.plan().add(lost);
            }
            Self::Android(phone) => phone.lose_the_next_reply(),
            Self::Apple(simulator) => simulator.lose_the_next_reply(),
        }
    }

    /// How often the app itself says that its counter was tapped.
    pub(crate) async fn taps(&self, element: &str) -> Result<usize> {
        Ok(match self {
            Self::Simulated(sim) => sim.log().taps(element),
            Self::Chromium(browser) => {
                tokio::time::sleep(Duration::from_millis(200)).await;
                let kind = agent_device_testbed::page::EventKind::Tap;
                browser.app.events_of(kind, element).len()
            }
            Self::Android(phone) => phone.taps(element).await?,
            Self::Apple(simulator) => simulator.taps(element).await?,
        })
    }

    pub(crate) async fn close(self) -> Result<()> {
        match self {
            Self::Simulated(_) => {}
            Self::Chromium(browser) => {
                browser.driver.close().await?;
                browser.wire.stop().await;
                browser.app.stop().await;
            }
            Self::Android(phone) => phone.close().await?,
            Self::Apple(simulator) => simulator.close().await?,
        }
        Ok(())
    }
}
