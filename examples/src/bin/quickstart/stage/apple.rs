//! The simulated runner, or a simulator of this Mac, behind a proxy that can lose replies.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
    time::Duration,
};

use agent_device_apple::{Apple, AppleConfig, AppleTarget, Platform, Profile};
use agent_device_testbed::{
    control::Control,
    fault::{FaultProxy, Rule, WireFault},
};

use super::Result;

/// The fixture app, and the way to it beside the backend.
pub(crate) struct Simulator {
    pub(crate) apple: Arc<Apple>,
    /// What keeps the runner of a real simulator running.
    keeper: Option<Apple>,
    wire: FaultProxy,
    control: Control,
}

impl Simulator {
    /// `place`: `RUNNER:CONTROL`, where the first is the port of a runner that runs, or the number of a booted simulator, and the
    /// second the port on which the fixture app answers. `cargo xtask demo apple` knows both.
    pub(crate) async fn start(place: &str) -> Result<Self> {
        let (runner, control) = place.split_once(':').ok_or("apple:RUNNER:CONTROL")?;
        let mut config = AppleConfig::default();
        config.app = Some("org.example.proving-ground".to_owned());
        let (runner, keeper) = if let Ok(port) = runner.parse() {
            (local(port), None)
        } else {
            config.runner.token = Some(format!("quickstart-{}", std::process::id()));
            let keeper = launch(runner, config.clone()).await?;
            let runner = keeper.runner_address().await;
            (runner.ok_or("the runner has ended")?, Some(keeper))
        };
        let wire = FaultProxy::start(runner).await?;
        let target = AppleTarget::Runner {
            profile: Profile::IOS_SIMULATOR,
            address: wire.address(),
        };
        Ok(Self {
            apple: Arc::new(Apple::connect(target, config).await?),
            keeper,
            wire,
            control: Control(local(control.parse()?)),
        })
    }

    pub(crate) async fn open(&self, screen: &str) -> Result<()> {
        let path = format!("/reset?screen={screen}");
        self.control.ask("POST", &path).await?;
        Ok(())
    }

    pub(crate) fn lose_the_next_reply(&self) {
        let lost = Rule::any(WireFault::ForwardThenReset).body("\"command\":\"tap\"");
        self.wire.plan().add(lost.times(1));
    }

    pub(crate) async fn taps(&self, element: &str) -> Result<usize> {
        Ok(self.control.taps(element).await?)
    }

    pub(crate) async fn close(self) -> Result<()> {
        self.apple.close().await;
        if let Some(keeper) = self.keeper {
            keeper.close().await;
        }
        self.wire.stop().await;
        Ok(())
    }
}

fn local(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// Launches the runner on a simulator, as every user of the crate would.
async fn launch(udid: &str, mut config: AppleConfig) -> Result<Apple> {
    config.home = Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/apple-runner"));
    // It hears nothing after its launch: all goes through the proxy.
    config.idle_stop = Duration::from_secs(24 * 3600);
    let target = AppleTarget::Simulator {
        platform: Platform::Ios,
        udid: udid.to_owned(),
    };
    Ok(Apple::connect(target, config).await?)
}
