//! What the log says, what the error says, and that the two never contradict each other.

use std::collections::BTreeSet;

use super::*;
use crate::{
    action::{Operation, Orientation},
    dispatch::Dispatched,
    geometry::Direction,
    gesture::{Gesture, ScrollAmount, ScrollPlan},
    reason,
};

/// What a tap under a fault leaves in the log, and what its error may say.
fn expected(fault: Fault) -> (usize, &'static str) {
    match fault {
        Fault::Refuse => (0, "sim.connect-refused"),
        Fault::ResetBeforeRead => (0, "sim.reply-lost"),
        Fault::ResetAfterRead | Fault::Restart => (1, "sim.reply-lost"),
        Fault::Truncate | Fault::Garbage => (1, "sim.reply-unreadable"),
        Fault::Hang => (1, "sim.deadline"),
        Fault::Slow(_) | Fault::Duplicate => (1, ""),
    }
}

#[tokio::test(start_paused = true)]
async fn a_tap_under_each_fault_acts_once_at_most_and_never_claims_less_than_happened() {
    for fault in Fault::ALL.iter().copied() {
        let device = SimulatedDevice::on(Screen::Counter);
        device.faults().nth_mutation(1, fault);
        let result = tap(&device, "counter").await;
        let (taps, row) = expected(fault);
        assert_eq!(device.log().taps("counter"), taps, "{fault:?}");
        match result {
            Ok(_) => assert_eq!(row, "", "{fault:?}"),
            Err(error) => {
                let error = settled(Operation::Tap, error);
                assert_eq!(error.row().map(|row| row.id()), Some(row), "{fault:?}");
                assert_eq!(
                    error.dispatched().is_no(),
                    fault == Fault::Refuse,
                    "{fault:?}"
                );
            }
        }
        let refused = fault == Fault::Refuse;
        assert_eq!(device.sends(), u64::from(!refused), "{fault:?}");
        assert_eq!(device.faults().pending(), 0, "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_restart_one_connection_is_refused_and_then_all_is_well() {
    let device = SimulatedDevice::on(Screen::Counter);
    device.faults().next(Operation::Tap, Fault::Restart);
    assert!(act(&device, Action::Tap(at(200.0, 100.0))).await.is_err());
    let error = act(&device, Action::Tap(at(200.0, 100.0)))
        .await
        .unwrap_err();
    assert_eq!(error.row().map(|row| row.id()), Some("sim.connect-refused"));
    act(&device, Action::Tap(at(200.0, 100.0))).await.unwrap();
    assert_eq!(device.log().taps("counter"), 2);
}

#[tokio::test(start_paused = true)]
async fn faults_strike_the_request_that_they_are_meant_for() {
    let device = SimulatedDevice::on(Screen::Counter);
    let faults = device.faults();
    faults.nth_mutation(2, Fault::Refuse);
    faults.nth_capture(1, Fault::Garbage);
    assert!(
        device
            .capture(&CaptureOptions::regular(), &call())
            .await
            .is_err()
    );
    tap(&device, "counter").await.unwrap();
    tap(&device, "counter").await.unwrap_err();
    tap(&device, "counter").await.unwrap();
    assert_eq!((faults.mutations(), faults.captures()), (3, 4));
    assert_eq!(faults.seen(Operation::Tap), 3);

    faults.every(Operation::Tap, Fault::Refuse);
    for _ in 0..3 {
        tap(&device, "counter").await.unwrap_err();
    }
    faults.clear();
    tap(&device, "counter").await.unwrap();
    assert_eq!(device.log().taps("counter"), 3);
    assert_eq!((device.sends(), device.captures()), (3, 8));
}

#[tokio::test(start_paused = true)]
async fn a_slow_reply_within_the_deadline_is_waited_for_and_a_late_one_is_not() {
    let device = SimulatedDevice::on(Screen::Counter);
    let start = tokio::time::Instant::now();
    device.faults().nth_mutation(1, Fault::Slow(ms(700)));
    tap(&device, "counter").await.unwrap();
    assert_eq!(start.elapsed(), ms(700));

    device.faults().nth_mutation(1, Fault::Slow(ms(700)));
    let tap = Action::Tap(at(200.0, 100.0));
    let error = device
        .perform(&tap, &Call::standalone(ms(300)))
        .await
        .unwrap_err();
    assert_eq!(start.elapsed(), ms(1000));
    assert_eq!(error.reason(), Some(reason::DEADLINE_EXCEEDED));
    assert_eq!(error.dispatched(), Dispatched::Unknown);
    assert_eq!(device.log().taps("counter"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_over_sends_nothing() {
    let device = SimulatedDevice::on(Screen::Counter);
    let tap = Action::Tap(at(200.0, 100.0));
    let late = Call::standalone(Duration::ZERO);
    let error = device.perform(&tap, &late).await.unwrap_err();
    assert_eq!(
        error.row().map(|row| row.id()),
        Some("sim.deadline-before-send")
    );
    let canceled = call();
    canceled.cancel().cancel();
    let error = device.perform(&tap, &canceled).await.unwrap_err();
    assert_eq!(
        error.row().map(|row| row.id()),
        Some("sim.canceled-before-send")
    );
    assert!(device.log().is_empty());
    assert_eq!(device.sends(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_mutation_that_is_cancelled_in_flight_is_unknown() {
    let device = SimulatedDevice::on(Screen::Counter);
    device.faults().nth_mutation(1, Fault::Hang);
    let call = call();
    let token = call.cancel().clone();
    let tap = Action::Tap(at(200.0, 100.0));
    let (result, ()) = tokio::join!(device.perform(&tap, &call), async {
        tokio::time::sleep(ms(20)).await;
        token.cancel();
    });
    let error = result.unwrap_err();
    assert_eq!(error.row().map(|row| row.id()), Some("sim.canceled"));
    assert_eq!(device.log().taps("counter"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_running_capture_stops_when_it_is_asked_to_unless_it_is_deaf() {
    for deaf in [false, true] {
        let options = SimOptions::new();
        let options = if deaf {
            options.deaf_to_cancel()
        } else {
            options
        };
        let device = SimulatedDevice::with(options);
        device.reset(Screen::Slow);
        device.set("cost", 900).unwrap();
        assert_eq!(device.honours_cancel(), !deaf);
        let call = call();
        let token = call.cancel().clone();
        let start = tokio::time::Instant::now();
        let options = CaptureOptions::regular();
        let (result, ()) = tokio::join!(device.capture(&options, &call), async {
            tokio::time::sleep(ms(100)).await;
            token.cancel();
        });
        if deaf {
            assert!(has(&result.unwrap(), "slow"));
            assert_eq!(start.elapsed(), ms(900));
        } else {
            assert_eq!(result.unwrap_err().reason(), Some("capture_canceled"));
            assert_eq!(start.elapsed(), ms(100));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn reads_that_fail_are_no_whatever_the_transport_did() {
    for fault in Fault::ALL.iter().copied() {
        let device = SimulatedDevice::on(Screen::Counter);
        device.faults().next(Operation::ReadClipboard, fault);
        if let Err(error) = device.clipboard(&call()).await {
            let error = settled(Operation::ReadClipboard, error);
            assert!(error.dispatched().is_no(), "{fault:?}");
        }
        assert!(device.log().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_fill_by_keys_counts_its_parts_so_that_a_late_refusal_is_not_no() {
    for (nth, landed) in [(1, 0), (2, 1), (3, 2)] {
        let device = SimulatedDevice::with(SimOptions::new().coordinates_only());
        device.reset(Screen::Login);
        fill(&device, "email", "old").await.unwrap();
        device.log().clear();
        device.faults().nth_mutation(nth, Fault::Refuse);
        let call = call();
        let fill = Action::Fill(at(200.0, 100.0), "new".into());
        let error = device.perform(&fill, &call).await.unwrap_err();
        assert!(
            error.dispatched().is_no(),
            "the producer speaks of the last part alone"
        );
        assert_eq!(call.ledger().steps(), landed);
        let error = disclose(Operation::Fill.effect(), call.ledger(), error);
        assert_eq!(error.dispatched().is_no(), landed == 0);
        assert_eq!(error.dispatched_steps(), landed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_dialog_that_is_answered_by_rule_is_a_send() {
    let device = SimulatedDevice::with(SimOptions::new().waiting_for_app());
    device.reset(Screen::System);
    tap(&device, "hang").await.unwrap();
    let snapshot = capture(&device).await;
    assert_eq!(
        snapshot.info().system_surface.as_deref(),
        Some("app-not-responding")
    );
    device.log().clear();
    device.faults().next(Operation::Tap, Fault::Refuse);
    let call = call();
    let action = Action::Tap(touch(&snapshot, "after"));
    let error = device.perform(&action, &call).await.unwrap_err();
    let error = disclose(Operation::Tap.effect(), call.ledger(), error);
    assert_eq!(error.dispatched(), Dispatched::Unknown);
    assert_eq!(error.dispatched_steps(), 1);
    assert_eq!(device.log().count("hang", EventKind::Alert), 1);
    assert_eq!(device.log().taps("after"), 0);
}

#[tokio::test(start_paused = true)]
async fn every_golden_row_is_driven() {
    let mut driven = BTreeSet::new();
    for fault in Fault::ALL {
        let device = SimulatedDevice::on(Screen::Counter);
        device.faults().nth_mutation(1, *fault);
        let result = tap(&device, "counter").await;
        driven.extend(result.err().and_then(|error| Some(error.row()?.id())));
    }
    let device = SimulatedDevice::on(Screen::Stale);
    let nowhere = Action::DismissAlert;
    let snapshot = capture(&device).await;
    act(&device, Action::Tap(touch(&snapshot, "next")))
        .await
        .unwrap();
    let gone = Action::Tap(touch(&snapshot, "next"));
    let canceled = call();
    canceled.cancel().cancel();
    let pending = call();
    device.faults().nth_mutation(5, Fault::Hang);
    let token = pending.cancel().clone();
    let ask = async {
        tokio::time::sleep(ms(10)).await;
        token.cancel();
    };
    let late = Call::standalone(Duration::ZERO);
    let (call, free) = (call(), Action::Tap(at(200.0, 100.0)));
    for (action, call) in [
        (&nowhere, &call),
        (&gone, &call),
        (&free, &canceled),
        (&free, &late),
    ] {
        let error = device.perform(action, call).await.unwrap_err();
        driven.extend(error.row().map(|row| row.id()));
    }
    let (result, ()) = tokio::join!(device.perform(&free, &pending), ask);
    driven.extend(result.unwrap_err().row().map(|row| row.id()));

    let declared: BTreeSet<_> = device.rows().iter().map(|row| row.id()).collect();
    assert_eq!(driven, declared);
}

/// A small generator of numbers, so that a failing walk can be walked again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let at = self.roll(from.len() as u64) as usize;
        from[at].clone()
    }
}

fn random_action(dice: &mut Dice, snapshot: &Arc<Snapshot>) -> Action {
    let viewport = snapshot.info().viewport.expect("the device reports it");
    let nodes: Vec<_> = snapshot
        .nodes()
        .filter(|node| node.outside().is_empty())
        .map(Node::id)
        .collect();
    let touch = match dice.roll(4) {
        0 => at(
            dice.roll(viewport.width as u64) as f64,
            dice.roll(viewport.height as u64) as f64,
        ),
        _ => touch_node(snapshot, dice.pick(&nodes)),
    };
    let texts = ["", "a", "secret", "5551234567", "City", "two\nlines", "🎉"];
    let text: Text = dice.pick(&texts).into();
    let directions = Direction::ALL;
    match dice.roll(20) {
        0..=5 => Action::Tap(touch),
        6 => Action::DoubleTap(touch),
        7 => Action::LongPress(touch, ms(700)),
        8 => Action::Focus(touch),
        9 | 10 => Action::Fill(touch, text),
        11 => Action::TypeText("x".into()),
        12 | 13 => {
            let direction = dice.pick(&directions);
            let amount = ScrollAmount::default();
            match ScrollPlan::new(direction, amount, viewport, None, None) {
                Ok(plan) => Action::Scroll(plan),
                Err(_) => Action::Back,
            }
        }
        14 => {
            let pinch = Gesture::Pinch {
                center: None,
                scale: 1.5,
            };
            pinch.plan(viewport).map_or(Action::Home, Action::Gesture)
        }
        15 => Action::Back,
        16 => Action::AcceptAlert(None),
        17 => Action::DismissAlert,
        18 => Action::KeyboardEnter,
        _ => {
            Action::SetOrientation(dice.pick(&[Orientation::Portrait, Orientation::LandscapeLeft]))
        }
    }
}

/// How many acts the log shows: what one of them leads to (a screen, an emptied field) is not another.
fn acts(events: &[Event]) -> usize {
    let led_to = |event: &Event| matches!(event.kind, EventKind::Navigate | EventKind::Clear);
    let alone = events.len() == 1;
    let counted = events.iter().filter(|event| alone || !led_to(event));
    counted.count()
}

async fn walk(seed: u64, steps: u32, options: SimOptions) {
    let mut dice = Dice(seed);
    let device = SimulatedDevice::with(options);
    let mut failures = 0;
    for step in 0..steps {
        if step % 25 == 0 {
            device.reset(dice.pick(Screen::ALL));
        }
        device.log().clear();
        device.faults().clear();
        let snapshot = loop {
            let options = CaptureOptions::regular();
            if let Ok(snapshot) = device.capture(&options, &call()).await {
                break Arc::new(snapshot);
            }
        };
        let action = random_action(&mut dice, &snapshot);
        let fault = (dice.roll(3) > 0).then(|| dice.pick(Fault::ALL));
        if let Some(fault) = fault {
            device.faults().nth_mutation(1 + dice.roll(2), fault);
        }
        let call = Call::standalone(ms(3000));
        let sends = device.sends();
        let result = device.perform(&action, &call).await;
        let events = device.log().events();
        let context =
            format!("seed {seed} step {step}: {fault:?} {action:?} → {result:?}: {events:?}");
        if let Err(error) = result {
            failures += 1;
            let error = disclose(action.operation().effect(), call.ledger(), error);
            let silent = events.is_empty() || !error.dispatched().is_no();
            assert!(silent, "no, but it happened: {context}");
        }
        if call.ledger().is_empty() {
            // Two taps on what knows no double tap are two taps.
            let most = if matches!(action, Action::DoubleTap(_)) {
                2
            } else {
                1
            };
            assert!(acts(&events) <= most, "acted twice: {context}");
            assert!(device.sends() <= sends + 1, "sent twice: {context}");
        }
        tokio::time::sleep(ms(dice.roll(500))).await;
    }
    assert!(
        failures > steps / 10,
        "the walk met too few failures to say anything: {failures}"
    );
}

#[tokio::test(start_paused = true)]
async fn on_random_walks_no_is_never_followed_by_an_event_and_nothing_happens_twice() {
    for seed in [1, 20, 300, 4000] {
        walk(seed, 1500, SimOptions::new()).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_laws_hold_for_a_device_that_knows_coordinates_alone_and_answers_dialogs() {
    let options = SimOptions::new().coordinates_only().waiting_for_app();
    walk(7, 2000, options).await;
}
