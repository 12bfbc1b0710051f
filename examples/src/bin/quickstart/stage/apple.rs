//! The simulated runner, or a simulator of this Mac, behind a proxy that can lose replies.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use agent_device_apple::{Apple, AppleConfig, AppleTarget, Profile};
use agent_device_testbed::fault::{Fault, FaultProxy, Rule};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::Result;

/// The fixture app, and the way to it beside the backend.
pub(crate) struct Simulator {
    pub(crate) apple: Arc<Apple>,
    /// What keeps the runner of a real simulator running.
    keeper: Option<Apple>,
    wire: FaultProxy,
    control: SocketAddr,
}

impl Simulator {
    /// `place`: `RUNNER:CONTROL`, where the first is the port of a runner that runs, or the number of a booted simulator, and the
    /// second the port on which the fixture app answers. `cargo xtask demo apple` knows both.
    pub(crate) async fn start(place: &str) -> Result<Self> {
        let (runner, control) = place.split_once(':').ok_or("apple:RUNNER:CONTROL")?;
        let mut config = AppleConfig::default();
        config.app = Some("org.example.proving-ground".to_owned());
        let (port, keeper) = if let Ok(port) = runner.parse() {
            (port, None)
        } else {
            config.runner.token = Some(format!("quickstart-{}", std::process::id()));
            let (port, keeper) = launch(runner, config.clone()).await?;
            (port, Some(keeper))
        };
        let wire = FaultProxy::start(local(port)).await?;
        let target = AppleTarget::Runner {
            profile: Profile::IOS_SIMULATOR,
            address: wire.address(),
        };
        Ok(Self {
            apple: Arc::new(Apple::connect(target, config).await?),
            keeper,
            wire,
            control: local(control.parse()?),
        })
    }

    pub(crate) async fn open(&self, screen: &str) -> Result<()> {
        self.ask("POST", &format!("/reset?screen={screen}")).await?;
        Ok(())
    }

    pub(crate) fn lose_the_next_reply(&self) {
        let lost = Rule::any(Fault::ForwardThenReset).body("\"command\":\"tap\"");
        self.wire.plan().add(lost.times(1));
    }

    pub(crate) async fn taps(&self, element: &str) -> Result<usize> {
        let reply = self.ask("GET", "/events").await?;
        let events = reply["events"]
            .as_array()
            .ok_or("the fixture app tells no events")?;
        let tapped =
            |event: &&serde_json::Value| event["element"] == element && event["kind"] == "tap";
        Ok(events.iter().filter(tapped).count())
    }

    /// Asks the app itself.
    async fn ask(&self, method: &str, path: &str) -> Result<serde_json::Value> {
        let mut stream = TcpStream::connect(self.control).await?;
        let request = format!("{method} {path} HTTP/1.1\r\nHost: app\r\nContent-Length: 0\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut reply = String::new();
        let read = stream.read_to_string(&mut reply);
        tokio::time::timeout(Duration::from_secs(30), read).await??;
        let (head, body) = reply
            .split_once("\r\n\r\n")
            .ok_or("the fixture app does not answer")?;
        if !head.starts_with("HTTP/1.1 200") {
            return Err(body.into());
        }
        Ok(serde_json::from_str(body)?)
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

/// Builds and launches the runner on a simulator, as every user of the crate would. Its port is in the note beside the lease.
async fn launch(udid: &str, mut config: AppleConfig) -> Result<(u16, Apple)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let home: PathBuf = root.join("target/apple-runner");
    config.runner.project = Some(root.join("runner-swift/Xcode/AgentDeviceRunner.xcodeproj"));
    config.home = Some(home.clone());
    // It hears nothing after its launch: all goes through the proxy.
    config.idle_stop = Duration::from_secs(24 * 3600);
    let target = AppleTarget::Simulator {
        profile: Profile::IOS_SIMULATOR,
        udid: udid.to_owned(),
    };
    let keeper = Apple::connect(target, config).await?;
    let note = std::fs::read(home.join(format!("leases/{udid}.json")))?;
    let note: serde_json::Value = serde_json::from_slice(&note)?;
    let port = note["port"].as_u64().map(u16::try_from);
    Ok((port.ok_or("the lease names no port")??, keeper))
}
