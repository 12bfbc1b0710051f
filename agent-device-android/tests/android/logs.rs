//! The device's log: at once and as it grows, across restarts of an app.

use std::time::Duration;

use agent_device_android::{
    AdbConfig, Apps, InstallOptions,
    adb::{AdbDevice, ShellCommand},
    logs::{LogFilter, LogLevel, LogStream, once},
};
use agent_device_core::Call;

use crate::{
    peers::{RealServer, Scripted, Step, at_root, frame, okay},
    testbed::TestbedDevice,
};

const FIXTURE: &str = "dev.agentdevice.fixture";

fn call() -> Call {
    Call::standalone(Duration::from_secs(30))
}

async fn pid(device: &AdbDevice) -> u32 {
    let ask = ShellCommand::new("pidof").unwrap().arg(FIXTURE).unwrap();
    let output = device.shell(&ask, &call()).await.unwrap();
    output.stdout_text().trim().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_of_an_app_is_followed_across_its_restarts() {
    let Some(peer) = TestbedDevice::up().await else {
        return;
    };
    let Some(real) = RealServer::start(AdbConfig::default()).await else {
        return;
    };
    let device = peer.on(&real.server).await;
    let apps = Apps::of(&device);
    let apk = at_root("helper-apk/dist/fixture.apk");
    apps.install(apk, &InstallOptions::default(), &call())
        .await
        .unwrap();

    let all = once(&device, &LogFilter::default(), &call()).await.unwrap();
    assert!(
        all.iter()
            .any(|line| line.message.contains("installed dev.agentdevice.fixture"))
    );
    let mut few = LogFilter::default();
    few.newest = Some(2);
    few.level = Some(LogLevel::Info);
    assert!(once(&device, &few, &call()).await.unwrap().len() <= 2);
    let of_app = once(&device, &LogFilter::app(FIXTURE), &call())
        .await
        .unwrap();
    assert_eq!(of_app, [], "it does not run");

    let mut stream = LogStream::open(&device, &LogFilter::app(FIXTURE), &call())
        .await
        .unwrap();
    let short = Call::standalone(Duration::from_millis(300));
    assert!(stream.next(&short).await.is_err(), "nothing comes");
    let mut pids = Vec::new();
    for _ in 0..2 {
        apps.open("dev.agentdevice.fixture/.FixtureActivity", &call())
            .await
            .unwrap();
        let own = pid(&device).await;
        // The app itself says little: its end by an exception is in its log.
        peer.fault(&["crash", FIXTURE]).await;
        let crash = async {
            loop {
                let line = stream.next(&call()).await.unwrap().unwrap();
                // What the process before it wrote last may still come.
                assert!(line.pid == own || pids.contains(&line.pid), "{line:?}");
                if line.pid == own && line.level == LogLevel::Error {
                    return;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(20), crash)
            .await
            .unwrap();
        pids.push(own);
        apps.stop(FIXTURE, &call()).await.unwrap();
    }
    assert_ne!(pids[0], pids[1]);
    assert_eq!(stream.dropped(), 0);
    real.stop().await;
}

#[tokio::test]
async fn a_flood_is_dropped_and_counted() {
    let line = b"1764529523.143 u0_a1 7 8 I T: m\n".repeat(30_000);
    let mut script = vec![Step::Request, okay(), Step::Request, okay()];
    script.push(Step::Send(frame(1, &line)));
    script.push(Step::Send(frame(1, &vec![b'x'; 200_000])));
    script.push(Step::Send(frame(3, &[0])));
    let peer = Scripted::start(vec![script]).await;
    let device = peer.server.device("x").unwrap().with_features("shell_v2");
    let mut stream = LogStream::open(&device, &LogFilter::default(), &call())
        .await
        .unwrap();
    let mut count = 0;
    while stream.next(&call()).await.unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 30_000, "who takes each line gets each line");
    assert!(stream.dropped() > 0, "a line without end is dropped");
    assert!(peer.requests()[1].ends_with("logcat -v threadtime,epoch,uid"));
}
