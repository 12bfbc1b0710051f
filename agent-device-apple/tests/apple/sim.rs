//! Single failures and counts, on the simulated runner.

use std::{sync::Arc, time::Duration};

use agent_device_apple::{Apple, AppleConfig, AppleTarget, Profile, RunnerState};
use agent_device_core::{
    Device, Dispatched, Interactor as _, SnapshotBackend as _,
    action::Action,
    geometry::Point,
    selector::id,
    snapshot::{CaptureOptions, QualityState},
};
use agent_device_testbed::fault::{FaultProxy, Rule, WireFault};
use serde_json::json;

use crate::{
    peers::{Sim, Tools, attached, call, tap_at},
    suite::{FIXTURE, config},
};

/// The middle of the first control of a screen.
const FIRST: (f64, f64) = (200.0, 104.0);

async fn on(screen: &str) -> Option<Sim> {
    let sim = Sim::start().await?;
    sim.control
        .ask("POST", &format!("/reset?screen={screen}"))
        .await;
    Some(sim)
}

#[tokio::test]
async fn a_simulated_runner_ends_with_whoever_holds_its_input() {
    let Some(mut sim) = Sim::start().await else {
        return;
    };
    drop(sim.child.stdin.take());
    let ended = tokio::time::timeout(Duration::from_secs(10), sim.child.wait()).await;
    assert!(ended.expect("it lives on").unwrap().success());
}

#[tokio::test]
async fn a_command_costs_one_round_trip_after_an_action_that_worked_and_two_otherwise() {
    let Some(sim) = on("counter").await else {
        return;
    };
    let apple = Arc::new(attached(sim.address, config()));
    let cost = async |action: Action| {
        let before = apple.round_trips();
        apple.perform(&action, &call()).await.unwrap();
        apple.round_trips() - before
    };
    // One more than two: the runner is asked once when it is taken over.
    assert_eq!(cost(tap_at(FIRST.0, FIRST.1)).await, 3);
    assert_eq!(cost(tap_at(FIRST.0, FIRST.1)).await, 1);
    let before = apple.round_trips();
    apple
        .capture(&CaptureOptions::default(), &call())
        .await
        .unwrap();
    assert_eq!(apple.round_trips() - before, 2, "a read is no action");
    assert_eq!(
        cost(tap_at(FIRST.0, FIRST.1)).await,
        1,
        "and takes nothing from one"
    );
    assert_eq!(sim.control.taps("counter").await, 3);
    let device = Device::new(Arc::clone(&apple));
    let before = apple.round_trips();
    device.locate(id("counter")).press().await.unwrap();
    assert_eq!(
        apple.round_trips() - before,
        3,
        "a look costs two, the press one"
    );
}

#[tokio::test]
async fn a_proof_of_health_is_for_one_app_and_does_not_last() {
    let Some(sim) = on("counter").await else {
        return;
    };
    let mut config = config();
    config.healthy_for = Duration::from_millis(200);
    let apple = attached(sim.address, config);
    let tap = tap_at(FIRST.0, FIRST.1);
    apple.perform(&tap, &call()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let before = apple.round_trips();
    apple.perform(&tap, &call()).await.unwrap();
    assert_eq!(apple.round_trips() - before, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_answer_is_found_in_the_journal() {
    let Some(sim) = on("counter").await else {
        return;
    };
    let proxy = FaultProxy::start(sim.address).await.unwrap();
    let apple = attached(proxy.address(), config());
    for fault in [
        WireFault::ForwardThenReset,
        WireFault::ForwardThenClose,
        WireFault::Truncate,
        WireFault::TruncateHead,
        WireFault::ForwardThenGarbage,
    ] {
        sim.control.ask("POST", "/reset?screen=counter").await;
        proxy.plan().set(
            Rule::any(fault.clone())
                .body("\"command\":\"tap\"")
                .times(1),
        );
        apple
            .perform(&tap_at(FIRST.0, FIRST.1), &call())
            .await
            .unwrap_or_else(|error| panic!("{fault:?}: {error:?}"));
        assert_eq!(sim.control.taps("counter").await, 1, "{fault:?}");
    }
    // A tree is not kept: it is asked for again.
    proxy.plan().set(
        Rule::any(WireFault::ForwardThenReset)
            .body("\"command\":\"snapshot\"")
            .times(1),
    );
    assert!(
        apple
            .capture(&CaptureOptions::default(), &call())
            .await
            .unwrap()
            .len()
            > 3
    );
    assert_eq!(apple.starts(), 1, "the session was kept");
    let shared = |request: &&agent_device_testbed::fault::Recorded| request.on_connection > 1;
    assert_eq!(
        proxy.requests().iter().filter(shared).count(),
        0,
        "each command has a connection of its own"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_lost_before_it_was_read_is_not_sent_again() {
    let Some(sim) = on("counter").await else {
        return;
    };
    let proxy = FaultProxy::start(sim.address).await.unwrap();
    let apple = attached(proxy.address(), config());
    for fault in [WireFault::ResetAfterRead, WireFault::CloseAfterRead] {
        proxy
            .plan()
            .set(Rule::any(fault).body("\"command\":\"tap\"").times(1));
        let error = apple
            .perform(&tap_at(FIRST.0, FIRST.1), &call())
            .await
            .unwrap_err();
        assert_eq!(
            error.row().map(|row| row.id()),
            Some("ios-runner.status.notAccepted"),
            "{error:?}"
        );
        assert_eq!(error.dispatched(), Dispatched::Unknown);
    }
    assert_eq!(sim.control.taps("counter").await, 0);
    let taps = proxy
        .requests()
        .iter()
        .filter(|request| request.body_text().contains("\"command\":\"tap\""))
        .count();
    assert_eq!(taps, 2);
}

#[tokio::test]
async fn a_television_presses_only_what_has_the_focus() {
    let Some(sim) = Sim::of("tvOS").await else {
        return;
    };
    sim.control.ask("POST", "/reset?screen=counter").await;
    let target = AppleTarget::Runner {
        profile: Profile::TVOS_SIMULATOR,
        address: sim.address,
    };
    let device = Device::new(Apple::new(target, config()));
    let error = device.locate(id("dead")).press().await.unwrap_err();
    assert_eq!(error.reason(), Some("target_not_focused"), "{error:?}");
    assert!(error.dispatched().is_no());
    assert!(error.hint().contains("press down"), "{error:?}");
    assert!(sim.control.events().await.is_empty());
}

#[tokio::test]
async fn a_recorded_failure_is_judged_by_the_screen() {
    let Some(sim) = on("counter").await else {
        return;
    };
    let apple = Arc::new(attached(sim.address, config()));
    let device = Device::new(Arc::clone(&apple));
    // It counts, so the screen changes: the tap has landed.
    sim.control.ask("POST", "/faults?recorded-failures=1").await;
    let outcome = device.locate(id("counter")).press().await.unwrap();
    assert!(
        format!("{outcome:?}").contains("recorded a failure"),
        "{outcome:?}"
    );
    // It changes nothing: nobody knows.
    sim.control.ask("POST", "/faults?recorded-failures=1").await;
    let error = device.locate(id("dead")).press().await.unwrap_err();
    assert_eq!(error.dispatched(), Dispatched::Unknown);
    assert_eq!(error.reason(), Some("xctest_recorded_failure"), "{error:?}");
    // Without a look before there is nothing to compare with.
    sim.control.ask("POST", "/faults?recorded-failures=1").await;
    let error = device
        .locate(Point::new(FIRST.0, FIRST.1))
        .press()
        .await
        .unwrap_err();
    assert_eq!(error.dispatched(), Dispatched::Unknown);
    assert_eq!(
        sim.control.taps("counter").await,
        2,
        "nothing was tapped twice"
    );
    assert!(
        apple.starts() >= 2,
        "a runner with a recorded failure is not used any more"
    );
}

#[tokio::test]
async fn a_tree_too_deep_says_how_deep_it_looked_and_a_rejected_one_is_recovered() {
    let Some(sim) = on("counter").await else {
        return;
    };
    let apple = attached(sim.address, config());
    let look = async |options: CaptureOptions| apple.capture(&options, &call()).await;
    let snapshot = look(CaptureOptions::default()).await.unwrap();
    assert_eq!(snapshot.quality().state, QualityState::Healthy);
    sim.control.ask("POST", "/faults?ax-reject=1").await;
    let snapshot = look(CaptureOptions::default()).await.unwrap();
    assert_ne!(
        snapshot.quality().state,
        QualityState::Healthy,
        "{:?}",
        snapshot.quality()
    );
    sim.control.ask("POST", "/mend").await;
    sim.control.ask("POST", "/reset?screen=deep").await;
    let snapshot = look(CaptureOptions::default()).await.unwrap();
    assert_eq!(
        snapshot.quality().source,
        "private-ax",
        "{:?}",
        snapshot.quality()
    );
}

/// The whole way: stand-ins of Xcode's tools build and launch the real runner on its simulated app, and the process dies after a
/// tap has landed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_runner_that_is_killed_after_a_tap_landed_leaves_an_unknown_and_one_tap() {
    // Builds the program, if it must be.
    if Sim::start().await.is_none() {
        return;
    }
    let tools = Tools::with_sim().await;
    let mut config = tools.config();
    config.app = Some(FIXTURE.to_owned());
    let apple = Apple::connect(tools.simulator(), config).await.unwrap();
    assert_eq!(apple.state(), RunnerState::Ready);
    let first = tools.sim_control();
    first.ask("POST", "/reset?screen=counter").await;
    first.ask("POST", "/faults?hang-after=600000").await;
    let tap = tap_at(FIRST.0, FIRST.1);
    let wait = call();
    let press = apple.perform(&tap, &wait);
    let killer = async {
        while first.taps("counter").await == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let taps = first.taps("counter").await;
        let pid = tools.lease(crate::peers::UDID)["runnerPid"]
            .as_i64()
            .unwrap();
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        taps
    };
    let (error, taps) = tokio::join!(press, killer);
    let error = error.unwrap_err();
    assert_eq!(taps, 1);
    assert_eq!(
        error.row().map(|row| row.id()),
        Some("ios-runner.transport.written-then-lost"),
        "{error:?}"
    );
    assert_eq!(error.dispatched(), Dispatched::Unknown);
    assert_eq!(apple.state(), RunnerState::Stopped);
    // The next operation starts a new runner, on a fresh app that was not tapped.
    apple
        .capture(&CaptureOptions::default(), &call())
        .await
        .unwrap();
    assert_eq!(
        (apple.starts(), tools.sim_control().taps("counter").await),
        (2, 0)
    );
    apple.close().await;
    assert_eq!(
        tools.lease(crate::peers::UDID),
        json!(null),
        "the lease was given back"
    );
    assert_eq!(
        tools.calls().matches("build-for-testing").count(),
        1,
        "built once"
    );
}

#[tokio::test]
async fn a_silent_runner_is_stopped_and_comes_back() {
    let Some(sim) = on("counter").await else {
        return;
    };
    let mut config: AppleConfig = config();
    config.idle_stop = Duration::from_millis(100);
    let apple = attached(sim.address, config);
    apple
        .perform(&tap_at(FIRST.0, FIRST.1), &call())
        .await
        .unwrap();
    for _ in 0..100 {
        if apple.state() == RunnerState::Stopped {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(apple.state(), RunnerState::Stopped);
    apple
        .perform(&tap_at(FIRST.0, FIRST.1), &call())
        .await
        .unwrap();
    assert_eq!((apple.starts(), sim.control.taps("counter").await), (2, 2));
}
