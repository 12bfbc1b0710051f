//! The fixture app on an Android device, with a relay before the adb server that can lose a reply.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agent_device_android::{
    AdbConfig, Android, AndroidConfig, Apps, DeviceChoice, InstallOptions,
    adb::{AdbServer, Endpoint, Forward, Remote},
};
use agent_device_core::Call;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::Result;

const FIXTURE: &str = "dev.agentdevice.fixture/.FixtureActivity";
/// Where the app serves its own log.
const LOG_PORT: u16 = 47391;

/// A phone, and the way to its app beside the backend.
pub(crate) struct Phone {
    pub(crate) android: Arc<Android>,
    log: Forward,
    relay: Relay,
}

fn call() -> Call {
    Call::standalone(Duration::from_secs(60))
}

impl Phone {
    pub(crate) async fn start(serial: Option<&str>) -> Result<Self> {
        let server = AdbServer::from_env()?;
        let choice = serial.map_or_else(DeviceChoice::from_env, |serial| {
            DeviceChoice::Serial(serial.to_owned())
        });
        let beside = Android::builder()
            .server(server.clone())
            .device(choice)
            .find(&call())
            .await?;
        beside.wait_for("device", &call()).await?;
        let apk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../helper-apk/dist/fixture.apk");
        let apps = Apps::of(&beside);
        apps.install(apk, &InstallOptions::default(), &call())
            .await?;
        apps.open(FIXTURE, &call()).await?;
        let log = beside.forward(&Remote::Tcp(LOG_PORT), &call()).await?;

        let relay = Relay::start(&server).await?;
        let mut config = AdbConfig::default();
        config.start_server = false;
        let through = AdbServer::new(Endpoint::local(relay.port), config);
        let config = AndroidConfig::default();
        let android = Android::connect(through.device(beside.selector().clone())?, config).await?;
        Ok(Self {
            android: Arc::new(android),
            log,
            relay,
        })
    }

    pub(crate) async fn open(&self, screen: &str) -> Result<()> {
        // A device of the testbed on a busy machine needs its time to draw the button that comes late.
        let knobs = if screen == "late" { "?delay=800" } else { "" };
        self.ask(&format!("reset r {screen}{knobs}")).await?;
        Ok(())
    }

    pub(crate) fn lose_the_next_reply(&self) {
        self.relay.armed.store(true, Ordering::Release);
    }

    pub(crate) async fn taps(&self, element: &str) -> Result<usize> {
        let events: Vec<serde_json::Value> = serde_json::from_slice(&self.ask("events e").await?)?;
        let tapped =
            |event: &&serde_json::Value| event["element"] == element && event["kind"] == "tap";
        Ok(events.iter().filter(tapped).count())
    }

    /// Asks the app itself; the body of its answer.
    async fn ask(&self, line: &str) -> Result<Vec<u8>> {
        let mut stream = TcpStream::connect(self.log.address()?).await?;
        stream.write_all(format!("{line}\n").as_bytes()).await?;
        let mut reply = Vec::new();
        tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut reply)).await??;
        let end = reply.windows(2).position(|pair| pair == b"\n\n");
        Ok(reply.split_off(end.ok_or("the fixture app does not answer")? + 2))
    }

    pub(crate) async fn close(self) -> Result<()> {
        self.android.close().await?;
        self.log.close(&call()).await?;
        Ok(())
    }
}

/// Passes everything on to the adb server, and loses the reply to a tap when it is told to.
struct Relay {
    port: u16,
    armed: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

impl Relay {
    async fn start(server: &AdbServer) -> Result<Self> {
        let Endpoint::Tcp { host, port } = server.endpoint() else {
            return Err("the show needs an adb server with a port".into());
        };
        let upstream = (host.clone(), *port);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let armed = Arc::new(AtomicBool::new(false));
        let arm = Arc::clone(&armed);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (upstream, armed) = (upstream.clone(), Arc::clone(&arm));
                tokio::spawn(async move {
                    let server = TcpStream::connect(upstream).await?;
                    pass_on(client, server, &armed).await
                });
            }
        });
        Ok(Self { port, armed, task })
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass_on(
    mut client: TcpStream,
    mut server: TcpStream,
    armed: &AtomicBool,
) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (mut down, mut up) = (vec![0; 65536], vec![0; 65536]);
    loop {
        tokio::select! {
            read = client.read(&mut down) => {
                let Some(piece @ [_, ..]) = down.get(..read?) else {
                    return Ok(());
                };
                server.write_all(piece).await?;
                let tap = piece.starts_with(b"@token=") && piece.windows(5).any(|word| word == b" tap ");
                if tap && armed.swap(false, Ordering::AcqRel) {
                    // The device has done it and says so; the caller never hears of it.
                    let mut lost = Vec::new();
                    server.read_to_end(&mut lost).await?;
                    return client.set_zero_linger();
                }
            }
            read = server.read(&mut up) => {
                let Some(piece @ [_, ..]) = up.get(..read?) else {
                    return client.shutdown().await;
                };
                client.write_all(piece).await?;
            }
        }
    }
}
