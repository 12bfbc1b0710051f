//! A real simulator of a Mac: the runner as Xcode builds it, and the fixture app drawn by UIKit.
//!
//! `cargo xtask apple verify` sets both up and names them: `AGENT_DEVICE_APPLE_UDID` a booted simulator that the fixture app runs
//! on, `AGENT_DEVICE_FIXTURE_PORT` the port on which the app answers. Without them there is nothing to test, also where every
//! peer is required: no other machine can have this one.

use std::time::Duration;

use agent_device_apple::{Apple, AppleConfig, AppleTarget, Platform, Profile, ax::AxConfig};
use agent_device_core::{
    Call, SnapshotBackend as _,
    snapshot::{CaptureOptions, QualityState},
    testing::Screen,
};

use crate::{
    peers::{Control, at_root, call},
    suite::{FIXTURE, IPHONE, Simulated},
};

const LIMITS: &[(Screen, &str)] = &[
    (Screen::Slow, "UIKit serves its tree as fast as it can"),
    (Screen::Stale, "UIKit's tree does not lag behind its views"),
    (Screen::System, "the fixture app asks its questions itself"),
];

/// The runner on this simulator, behind a proxy, and the app beside it.
async fn from_env() -> Option<Simulated> {
    let (Ok(udid), Ok(control)) = (
        std::env::var("AGENT_DEVICE_APPLE_UDID"),
        std::env::var("AGENT_DEVICE_FIXTURE_PORT"),
    ) else {
        println!("skipped: simulator: on a Mac, cargo xtask apple verify");
        return None;
    };
    let mut config = AppleConfig::default();
    config.app = Some(FIXTURE.to_owned());
    config.runner.token = Some(format!("verify-{}", std::process::id()));
    let keeper = launch(udid, config.clone()).await;
    let runner = keeper.runner_address().await.unwrap();
    let control = Control::at(control.parse().unwrap());
    let limits = [IPHONE, LIMITS].concat().leak();
    let profile = Profile::IOS_SIMULATOR;
    Some(Simulated::behind(runner, control, Box::new(keeper), profile, config, limits).await)
}

/// Launches the runner as every user of the crate would.
async fn launch(udid: String, mut config: AppleConfig) -> Apple {
    config.home = Some(at_root("target/apple-runner"));
    // It hears nothing after its launch: all goes through the proxy.
    config.idle_stop = Duration::from_secs(24 * 3600);
    let target = AppleTarget::Simulator {
        platform: Platform::Ios,
        udid,
    };
    Apple::connect(target, config).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_iphone_is_read_by_its_own_accessibility_server() {
    let Ok(udid) = std::env::var("AGENT_DEVICE_APPLE_UDID") else {
        println!("skipped: simulator: on a Mac, cargo xtask apple verify");
        return;
    };
    let mut config = AppleConfig::default();
    config.app = Some(FIXTURE.to_owned());
    let mut ax = AxConfig::default();
    // The program is compiled here for the first time.
    ax.first_wait = Duration::from_secs(120);
    config.simulator_ax = Some(ax);
    let apple = launch(udid, config).await;
    // XCTest's own tree first: for that the runner brings the app to the front.
    apple
        .capture(&CaptureOptions::raw(), &call())
        .await
        .unwrap();
    let wait = Call::standalone(Duration::from_secs(150));
    let snapshot = apple.capture(&CaptureOptions::default(), &wait).await;
    let snapshot = snapshot.unwrap();
    let quality = snapshot.quality();
    assert_eq!(
        (quality.source.as_ref(), quality.state),
        ("simulator-ax", QualityState::Healthy),
        "{quality:?}"
    );
    assert!(snapshot.len() > 3, "{snapshot:?}");
    assert_eq!(
        apple.captures(),
        1,
        "the runner was asked for no other tree"
    );
    apple.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_iphone_conforms() {
    crate::suite::conform(from_env().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_iphone_survives_every_fault() {
    crate::suite::survive(from_env().await).await;
}
