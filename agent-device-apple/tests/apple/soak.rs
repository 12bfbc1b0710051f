//! Random commands under random faults, judged by the app's own log: nothing happens twice, no `no` is false, no success is made up.
//!
//! A few sequences run with every test; `AGENT_DEVICE_SOAK` says how many otherwise, `AGENT_DEVICE_SEED` where they begin. A failure
//! names the seed of its sequence.

use std::{net::SocketAddr, time::Duration};

use agent_device_apple::Apple;
use agent_device_core::{
    Call, Error, Interactor as _, SnapshotBackend as _,
    action::{Action, Touch},
    geometry::Point,
    snapshot::CaptureOptions,
};
use agent_device_testbed::fault::{FaultProxy, Recorded, Rule, WireFault};

use crate::{
    peers::{Sim, attached, tap_at},
    suite::config,
};

/// `SplitMix64`: the same numbers everywhere for one seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % sides
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.roll(of.len() as u64)).unwrap()].clone()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Tap,
    DoubleTap,
    Look,
}

/// How long an answer is waited for: short, so that a hang costs little. What comes later still counts.
const PATIENCE: Duration = Duration::from_millis(250);
const LATE: Duration = Duration::from_millis(350);
/// How many runners work at the same time. Nearly all of a sequence is waiting.
const LANES: u64 = 96;

fn faults(dice: &mut Dice) -> Vec<(&'static str, WireFault)> {
    let on_command = [
        WireFault::ResetAfterRead,
        WireFault::CloseAfterRead,
        WireFault::ForwardThenReset,
        WireFault::ForwardThenClose,
        WireFault::Truncate,
        WireFault::TruncateHead,
        WireFault::Hang,
        WireFault::ForwardThenHang,
        WireFault::ForwardThenGarbage,
        WireFault::Garbage,
        WireFault::Duplicate,
        WireFault::Slow(Duration::from_millis(20)),
        WireFault::LateForward(LATE),
    ];
    let on_question = [
        WireFault::ResetAfterRead,
        WireFault::Hang,
        WireFault::Garbage,
        WireFault::Truncate,
        WireFault::CloseAfterRead,
    ];
    let mut faults = Vec::new();
    if dice.roll(3) > 0 {
        faults.push(("\"commandId\"", dice.pick(&on_command)));
    }
    if dice.roll(4) == 0 {
        faults.push(("\"command\":\"status\"", dice.pick(&on_question)));
    }
    if dice.roll(6) == 0 {
        faults.push(("\"command\":\"uptime\"", dice.pick(&on_question)));
    }
    faults
}

async fn act(apple: &Apple, op: Op) -> Result<(), Error> {
    let call = Call::standalone(Duration::from_secs(10));
    match op {
        Op::Tap => apple.perform(&tap_at(200.0, 104.0), &call).await.map(drop),
        Op::DoubleTap => {
            let touch = Touch {
                point: Point::new(100.0, 268.0),
                target: None,
            };
            apple
                .perform(&Action::DoubleTap(touch), &call)
                .await
                .map(drop)
        }
        Op::Look => apple
            .capture(&CaptureOptions::default(), &call)
            .await
            .map(drop),
    }
}

async fn happened(sim: &Sim) -> (usize, usize) {
    let events = sim.control.events().await;
    let count = |kind: &str, element: &str| {
        events
            .iter()
            .filter(|event| event["kind"] == kind && event["element"] == element)
            .count()
    };
    (count("tap", "counter"), count("double-tap", "double"))
}

/// Waits until what was given up has happened, or can't any more.
async fn settled(sim: &Sim, proxy: &FaultProxy) {
    // Connections are taken in order: what was written before this has been read when this is answered.
    answers(proxy.address()).await;
    let is_owed = |request: &Recorded| {
        let deliveries = request.fault.as_ref().map_or(1, WireFault::deliveries);
        request.forwarded < deliveries
    };
    while proxy.requests().iter().any(is_owed) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // The runner's commands run one after the other.
    answers(sim.address).await;
}

async fn answers(address: SocketAddr) {
    let beside = attached(address, config());
    beside
        .find_text("nothing", &crate::peers::call())
        .await
        .unwrap();
}

async fn sequence(seed: u64, sim: &Sim, proxy: &FaultProxy, apple: &Apple) {
    let mut dice = Dice(seed);
    sim.control.ask("POST", "/reset?screen=counter").await;
    for step in 0..=dice.roll(3) {
        let op = dice.pick(&[Op::Tap, Op::Tap, Op::DoubleTap, Op::Look]);
        let faults = faults(&mut dice);
        let recorded = dice.roll(10) == 0;
        let refusing = dice.roll(8) == 0;
        proxy.plan().clear();
        for (body, fault) in &faults {
            let times = if dice.roll(3) == 0 { 2 } else { 1 };
            proxy
                .plan()
                .add(Rule::any(fault.clone()).body(body).times(times));
        }
        if recorded {
            sim.control.ask("POST", "/faults?recorded-failures=1").await;
        }
        let before = happened(sim).await;
        let result = if refusing {
            proxy.refuse().await;
            let mend = async {
                tokio::time::sleep(Duration::from_millis(150)).await;
                proxy.listen().await;
            };
            tokio::join!(act(apple, op), mend).0
        } else {
            act(apple, op).await
        };
        proxy.plan().clear();
        sim.control.ask("POST", "/mend").await;
        if result.is_err() {
            settled(sim, proxy).await;
        }
        let after = happened(sim).await;
        let case = format!(
            "seed {seed}, step {step}: {op:?} under {faults:?}, recorded {recorded}, refusing {refusing}: {result:?}"
        );
        let (taps, doubles) = (after.0 - before.0, after.1 - before.1);
        let wanted = match op {
            Op::Tap => (1, 0),
            Op::DoubleTap => (0, 1),
            Op::Look => (0, 0),
        };
        assert!(
            taps <= wanted.0 && doubles <= wanted.1,
            "acted twice: {taps}, {doubles}: {case}"
        );
        match &result {
            Ok(()) => assert_eq!((taps, doubles), wanted, "a made-up success: {case}"),
            Err(error) if error.dispatched().is_no() => {
                assert_eq!((taps, doubles), (0, 0), "a false no: {case}")
            }
            Err(_) => {}
        }
    }
}

/// Runs the sequences of one lane on a runner of its own.
async fn lane(seeds: impl Iterator<Item = u64>) -> Option<(u64, u64)> {
    let sim = Sim::start().await?;
    let proxy = FaultProxy::start(sim.address).await.unwrap();
    let mut config = config();
    config.command_timeout = PATIENCE;
    config.preflight_timeout = PATIENCE;
    config.status_timeout = PATIENCE;
    let apple = attached(proxy.address(), config);
    for seed in seeds {
        sequence(seed, &sim, &proxy, &apple).await;
        proxy.forget();
    }
    Some((apple.round_trips(), apple.starts()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_happens_twice_whatever_goes_wrong() {
    let number = |name: &str, otherwise: u64| {
        let set = std::env::var(name).ok();
        set.map_or(otherwise, |text| text.parse().unwrap())
    };
    let (count, first) = (
        number("AGENT_DEVICE_SOAK", 40),
        number("AGENT_DEVICE_SEED", 1),
    );
    let lanes = (count / 10).clamp(1, LANES);
    let runs = (0..lanes).map(|at| {
        let seeds = (first..first + count)
            .skip(usize::try_from(at).unwrap())
            .step_by(usize::try_from(lanes).unwrap());
        tokio::spawn(lane(seeds))
    });
    let (mut trips, mut runners) = (0, 0);
    for run in runs.collect::<Vec<_>>() {
        let Some((more_trips, more_runners)) = run.await.unwrap() else {
            return;
        };
        trips += more_trips;
        runners += more_runners;
    }
    println!("{count} sequences, {trips} round trips, {runners} runners");
}
