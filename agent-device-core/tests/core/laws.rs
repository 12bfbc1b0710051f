//! Attempts to break the laws from outside: concurrent requests, open sends, moving content, times without end.

use std::{
    borrow::Cow,
    future::IntoFuture as _,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
    time::Duration,
};

use agent_device_core::{
    Action, Backend, Call, Device, Dispatched, Error, ErrorCode, Interactor, Operation, Ref,
    Result, Role, Settle, SnapshotBackend,
    action::{Alert, Capabilities, Performed, Text},
    async_trait,
    device::Predicate,
    dispatch::rows::core as row,
    geometry::{Direction, Point, Rect},
    gesture::{Gesture, ScrollPlan},
    reason,
    selector::{enabled, id, label},
    snapshot::{
        CaptureOptions, Flag, NodeId, Quality, QualityReason, Snapshot, SnapshotBuilder,
        SnapshotInfo, TextField,
    },
    target::Find,
    testing::{Screen, SimulatedDevice},
    wait::MAX_WAIT,
};
use tokio::time::{Instant, sleep, timeout};

const MS: Duration = Duration::from_millis(1);
const SCREEN: Rect = Rect::new(0.0, 0.0, 400.0, 800.0);

/// A device whose screens are drawn by a closure: from the number of the capture, counted from 0.
#[derive(Clone)]
struct Drawn(Arc<State>);

type Draw = Box<dyn Fn(u32, &mut SnapshotBuilder) + Send + Sync>;

struct State {
    draw: Draw,
    captures: AtomicU32,
    sends: AtomicU32,
    busy: AtomicU32,
    overlaps: AtomicU32,
    capture_takes: Mutex<Duration>,
    perform_takes: Mutex<Duration>,
    last: Mutex<Option<Action>>,
    told_to_stop: Mutex<Option<agent_device_core::CancellationToken>>,
}

fn drawn(draw: impl Fn(u32, &mut SnapshotBuilder) + Send + Sync + 'static) -> (Drawn, Device) {
    let backend = Drawn(Arc::new(State {
        draw: Box::new(draw),
        captures: AtomicU32::new(0),
        sends: AtomicU32::new(0),
        busy: AtomicU32::new(0),
        overlaps: AtomicU32::new(0),
        capture_takes: Mutex::default(),
        perform_takes: Mutex::default(),
        last: Mutex::default(),
        told_to_stop: Mutex::default(),
    }));
    (backend.clone(), Device::new(backend))
}

impl Drawn {
    fn last_scroll(&self) -> Option<ScrollPlan> {
        match self.0.last.lock().unwrap().clone() {
            Some(Action::Scroll(plan)) => Some(plan),
            _ => None,
        }
    }
}

#[async_trait]
impl SnapshotBackend for Drawn {
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
        let mut tree = SnapshotBuilder::new(options.clone());
        tree.root(Role::Application).unwrap().bounds(SCREEN);
        (self.0.draw)(self.0.captures.fetch_add(1, SeqCst), &mut tree);
        let mut info = SnapshotInfo::new("drawn", Quality::healthy("tree"));
        info.viewport = Some(SCREEN);
        *self.0.told_to_stop.lock().unwrap() = Some(call.cancel().clone());
        let takes = *self.0.capture_takes.lock().unwrap();
        sleep(takes).await;
        Ok(tree.finish(info))
    }

    /// Finds everything, after it has answered a system dialog.
    async fn find_text(&self, _: &str, call: &Call) -> Result<Option<bool>> {
        call.send().landed();
        Ok(Some(true))
    }
}

#[async_trait]
impl Interactor for Drawn {
    fn capabilities(&self) -> Capabilities {
        Capabilities::of(Operation::ALL)
    }

    async fn perform(&self, action: &Action, call: &Call) -> Result<Performed> {
        if self.0.busy.fetch_add(1, SeqCst) > 0 {
            self.0.overlaps.fetch_add(1, SeqCst);
        }
        let takes = *self.0.perform_takes.lock().unwrap();
        sleep(takes).await;
        self.0.busy.fetch_sub(1, SeqCst);
        if let Action::Back = action {
            // A task of the backend's own has the input; the answer that comes first is a refusal.
            let send = call.send();
            tokio::spawn(async move {
                sleep(MS).await;
                send.landed();
            });
            return Err(Error::refused(
                row::REFUSAL_COVERED,
                ErrorCode::CommandFailed,
                "refused",
            ));
        }
        self.0.sends.fetch_add(1, SeqCst);
        *self.0.last.lock().unwrap() = Some(action.clone());
        Ok(Performed::new().with_warning("typed hunter2-abc"))
    }

    async fn alert(&self, _: &Call) -> Result<Option<Alert>> {
        std::future::pending().await
    }
}

impl Backend for Drawn {
    fn name(&self) -> Cow<'static, str> {
        "drawn".into()
    }
}

fn button(tree: &mut SnapshotBuilder, name: &str, y: f64) {
    let mut node = tree.at_depth(1, Role::Button).unwrap();
    node.text(TextField::Label, name)
        .text(TextField::Identifier, name)
        .bounds(Rect::new(10.0, y, 100.0, 40.0));
}

fn list(tree: &mut SnapshotBuilder, name: &str, y: f64) {
    let mut node = tree.at_depth(1, Role::List).unwrap();
    node.text(TextField::Label, name)
        .bounds(Rect::new(0.0, y, 400.0, 200.0))
        .hidden_content(Direction::Down);
}

fn unknown<T>(result: Result<T>) {
    let error = result.err().expect("it fails");
    assert_eq!(error.dispatched(), Dispatched::Unknown, "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_send_within_a_text_search_is_not_forgotten() {
    let (_, device) = drawn(|_, tree| button(tree, "go", 10.0));
    unknown(
        device
            .batch(|device| async move {
                device.wait_for_text("go", MS).await?;
                device.locate(id("none")).press().await
            })
            .await,
    );
}

#[tokio::test(start_paused = true)]
async fn a_send_that_is_still_open_outranks_a_proven_no() {
    let (_, device) = drawn(|_, tree| button(tree, "go", 10.0));
    unknown(device.perform(Action::Back).await);
}

#[tokio::test(start_paused = true)]
async fn a_batch_knows_of_a_press_that_is_still_under_way() {
    let (backend, device) = drawn(|_, tree| button(tree, "go", 10.0));
    *backend.0.perform_takes.lock().unwrap() = MS * 100;
    unknown(
        device
            .batch(|device| async move {
                let other = device.clone();
                tokio::spawn(async move { other.locate(id("go")).press().await.map(drop) });
                sleep(MS * 10).await;
                Err::<(), _>(Error::refused(
                    row::REFUSAL_COVERED,
                    ErrorCode::CommandFailed,
                    "another step",
                ))
            })
            .await,
    );
}

#[tokio::test(start_paused = true)]
async fn actions_of_one_batch_run_one_after_another() {
    let (backend, device) = drawn(|_, tree| button(tree, "go", 10.0));
    *backend.0.perform_takes.lock().unwrap() = MS * 100;
    let escaped = device
        .batch(|device| async move {
            let press = || device.locate(id("go")).press().into_future();
            let (first, second) = tokio::join!(press(), press());
            first.and(second)?;
            Ok(device.clone())
        })
        .await
        .unwrap();
    assert_eq!(backend.0.overlaps.load(SeqCst), 0);
    assert_eq!(backend.0.sends.load(SeqCst), 2);
    let error = escaped.locate(id("go")).press().await.unwrap_err();
    assert_eq!(
        error.detail("field").unwrap(),
        "device",
        "it is no way around the turns of the device"
    );
}

#[tokio::test(start_paused = true)]
async fn a_ref_scrolls_the_container_that_its_caller_saw() {
    let (backend, device) = drawn(|n, tree| {
        if n > 0 {
            list(tree, "News", 0.0);
        }
        list(tree, "Left", 200.0);
        list(tree, "Right", 400.0);
    });
    device.snapshot().await.unwrap();
    let _ = device.locate(Ref::new(3)).scroll(Direction::Down).await;
    let plan = backend.last_scroll().unwrap();
    assert_eq!(plan.container.unwrap().node().label(), Some("Right"));
    device.snapshot().await.unwrap();
    let error = device
        .locate(Ref::new(3))
        .scroll(Direction::Down)
        .to_edge()
        .await
        .unwrap_err();
    assert!(
        error.dispatched().is_no(),
        "its first pass would expire the ref: {error:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_capture_that_began_before_an_action_issues_no_refs() {
    let (backend, device) = drawn(|_, tree| button(tree, "go", 10.0));
    *backend.0.capture_takes.lock().unwrap() = MS * 100;
    let (seen, pressed) = tokio::join!(device.snapshot(), async {
        sleep(MS * 10).await;
        device.locate(Point::new(1.0, 1.0)).press().await
    });
    seen.unwrap();
    pressed.unwrap();
    assert!(
        device
            .locate(Ref::new(2))
            .press()
            .await
            .unwrap_err()
            .dispatched()
            .is_no()
    );
}

#[tokio::test(start_paused = true)]
async fn a_pinned_ref_names_what_its_caller_saw_whoever_else_looks() {
    let (_, device) = drawn(|n, tree| {
        let names = if n == 0 {
            ["Keep", "Delete"]
        } else {
            ["Delete", "Keep"]
        };
        button(tree, names[0], 10.0);
        button(tree, names[1], 110.0);
    });
    let seen = device.snapshot().await.unwrap();
    let keep = seen
        .nodes()
        .find(|node| node.label() == Some("Keep"))
        .unwrap()
        .id();
    let keep = Ref::of(&seen, keep).unwrap();
    device.clone().wait_stable(Settle::default()).await.unwrap();
    let error = device.locate(keep).press().await.unwrap_err();
    assert_eq!(error.reason(), Some(reason::REF_GENERATION_MISMATCH));
}

#[tokio::test(start_paused = true)]
async fn an_ambiguous_read_leaves_the_refs_of_a_snapshot_alone() {
    let (_, device) = drawn(|_, tree| {
        button(tree, "Delete", 10.0);
        button(tree, "Delete", 110.0);
    });
    device.snapshot().await.unwrap();
    let error = device.locate(label("Delete")).get().await.unwrap_err();
    let pinned: Ref = error.detail("candidateRefs").unwrap()[1]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    device.locate(pinned).get().await.unwrap();
    device.locate(Ref::new(2)).press().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_look_does_not_use_up_the_rest_after_a_gesture() {
    let start = Instant::now();
    let (_, device) = drawn(move |_, tree| {
        let moved = (start.elapsed().as_millis() as f64 / 2.0).min(500.0);
        button(tree, "go", 600.0 - moved);
    });
    device.gesture(Gesture::Swipe(Direction::Up)).await.unwrap();
    let _ = timeout(MS * 10, device.snapshot()).await;
    let (_, pressed) = tokio::join!(
        device.snapshot(),
        device.locate(id("go")).press().into_future()
    );
    assert_eq!(pressed.unwrap().point.y, 120.0, "where it came to rest");
}

#[tokio::test(start_paused = true)]
async fn waits_without_end_are_refused_and_times_without_end_are_times() {
    let sim = SimulatedDevice::on(Screen::Counter);
    let device = Device::new(sim.clone());
    let counter = || device.locate(id("counter"));
    let endless = Settle::default().within(Duration::MAX);
    let too_long = MAX_WAIT + MS;
    for refused in [
        counter().wait(Duration::MAX).await.map(drop),
        counter().wait(too_long).await.map(drop),
        counter().wait_absent(too_long).await,
        counter().wait_until(Predicate::Enabled, too_long).await,
        device.wait_for_text("Counter", too_long).await,
        device.wait_for_alert(too_long).await.map(drop),
        device.wait_stable(endless).await.map(drop),
        counter().press().settle(endless).await.map(drop),
        counter()
            .press()
            .settle(Settle::quiet(Duration::MAX))
            .await
            .map(drop),
    ] {
        let error = refused.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgs, "{error:?}");
        assert_eq!(error.detail("field").unwrap(), "timeout", "{error:?}");
        assert!(error.dispatched().is_no(), "{error:?}");
    }
    assert_eq!((sim.captures(), sim.sends()), (0, 0));
    counter().wait(MAX_WAIT).await.unwrap();
    let pressed = counter()
        .press()
        .ready_within(Duration::MAX)
        .settle(Settle::default().within(MAX_WAIT - MS * 2000))
        .await;
    pressed.unwrap();
    let missed = device.locate(id("none")).press().ready_within(MS * 9000);
    let readiness = missed.await.unwrap_err();
    assert_eq!(readiness.detail("readiness").unwrap()["withinMs"], 2000);
    let held = counter()
        .long_press()
        .hold(Duration::MAX)
        .ready_within(Duration::MAX)
        .await;
    assert_eq!(held.unwrap_err().detail("field").unwrap(), "hold");
    device
        .with_budget(Duration::MAX)
        .locate(id("counter"))
        .press()
        .await
        .unwrap();
    Call::standalone(Duration::MAX).remaining();
}

#[tokio::test(start_paused = true)]
async fn reads_that_hang_cost_their_deadline_once() {
    let (backend, device) = drawn(|_, tree| button(tree, "go", 10.0));
    let took = async |what: &str,
                      limit: u32,
                      wait: std::pin::Pin<Box<dyn Future<Output = bool> + Send>>| {
        let started = Instant::now();
        let ended = timeout(Duration::from_secs(3600), wait).await;
        assert_eq!(ended, Ok(true), "{what}");
        assert!(
            started.elapsed() <= MS * limit,
            "{what}: {:?}",
            started.elapsed()
        );
    };
    let alert = device.clone();
    let alert = async move { alert.wait_for_alert(MS * 1000).await.is_err() };
    took("an alert", 12_000, Box::pin(alert)).await;
    *backend.0.capture_takes.lock().unwrap() = Duration::from_secs(100_000);
    let stable = device.clone();
    let stable = async move {
        stable
            .wait_stable(Settle::default().within(MS * 1000))
            .await
            .is_err()
    };
    took("a still screen", 12_000, Box::pin(stable)).await;
    let settled = device.clone();
    let settled = async move {
        let press = settled.locate(Point::new(1.0, 1.0)).press();
        press
            .settle(Settle::default().within(MS * 1000))
            .await
            .is_ok()
    };
    took(
        "settling after a press that landed",
        12_000,
        Box::pin(settled),
    )
    .await;
    let shot = device.with_budget(MS * 1000);
    took(
        "a capture",
        7_000,
        Box::pin(async move { shot.snapshot().await.is_err() }),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_capture_that_is_dropped_is_told() {
    let (backend, device) = drawn(|_, _| {});
    *backend.0.capture_takes.lock().unwrap() = MS * 1000;
    assert!(timeout(MS * 10, device.snapshot()).await.is_err());
    let token = backend.0.told_to_stop.lock().unwrap().clone().unwrap();
    assert!(token.is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn a_secret_leaves_by_no_door() {
    let device = Device::new(SimulatedDevice::on(Screen::Login));
    let email = device.locate(id("email")).fill(Text::secret("hunter2-abc"));
    let outcome = email.settle(Settle::default()).await.unwrap();
    let seen = format!("{outcome:?} {}", serde_json::to_string(&outcome).unwrap());
    assert!(!seen.contains("hunter2"), "{seen}");

    let (_, device) = drawn(|_, tree| {
        // Secret by its role alone, by a careless decoder that stores the value.
        let mut field = tree.at_depth(1, Role::SecureTextField).unwrap();
        field
            .text(TextField::Label, "Password")
            .text(TextField::Value, "hunter2-abc")
            .bounds(Rect::new(0.0, 0.0, 100.0, 40.0));
    });
    let snapshot = device.snapshot().await.unwrap();
    let field = snapshot.nodes().last().unwrap();
    assert!(field.is(Flag::Secure) && field.value().is_none());
    let outcome = device
        .locate(label("Password"))
        .fill("hunter2-abc")
        .await
        .unwrap();
    assert!(!format!("{outcome:?}").contains("hunter2"));

    let quoted = Error::new(ErrorCode::CommandFailed, r#"sent {"text":"hun\"ter2"}"#)
        .without_secret("hun\"ter2");
    assert!(!quoted.message().contains("ter2"), "{quoted}");
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_not_shown_later_or_in_parts() {
    let token = "Qxzw-".repeat(120);
    for secret in [token.as_str(), "tab\tQxzw", "nul\0Qxzw"] {
        let device = Device::new(SimulatedDevice::on(Screen::Login));
        let email = || device.locate(id("email"));
        let filled = email().fill(Text::secret(secret.to_owned()));
        let outcome = filled.settle(Settle::default()).await.unwrap();
        assert!(outcome.settled.is_some());
        // It stands in the field now, and whatever names the field prints it.
        let again = email().fill("x").await.unwrap();
        let _ = email().fill(secret.to_owned()).await.unwrap();
        let there = email().wait_absent(MS).await.unwrap_err();
        let seen = format!(
            "{outcome:?} {} {again:?} {there:?} {}",
            serde_json::to_string(&outcome).unwrap(),
            serde_json::to_string(&there).unwrap(),
        );
        assert!(there.detail("firstMatch").is_some(), "{there:?}");
        assert!(!seen.contains("Qxzw"), "{seen}");
    }

    let (_, device) = drawn(|_, tree| {
        for name in ["Name", "Panel"] {
            let mut node = tree.at_depth(1, Role::TextField).unwrap();
            node.text(TextField::Label, name)
                .text(TextField::Value, "hunter2-abc")
                .bounds(Rect::new(0.0, 0.0, 100.0, 40.0));
            node.covered_by(NodeId::at(2));
        }
    });
    let covered = device
        .locate(label("Name"))
        .fill(Text::secret("hunter2-abc"));
    let error = covered.await.unwrap_err();
    assert_eq!(error.reason(), Some("target_covered"));
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn every_error_says_of_what_it_is() {
    let device = Device::new(SimulatedDevice::on(Screen::Counter));
    let cancel = tokio_util::sync::CancellationToken::new();
    cancel.cancel();
    let button = device.with_cancel(cancel).locate(id("counter"));
    let place = device
        .with_budget(Duration::ZERO)
        .locate(Point::new(1.0, 2.0));
    for (error, key) in [
        (button.press().await.unwrap_err(), "selector"),
        (place.press().await.unwrap_err(), "point"),
    ] {
        let told = serde_json::to_value(&error).unwrap();
        assert!(told["details"][key] != serde_json::Value::Null, "{told}");
        assert_eq!(told["details"]["operation"], "tap", "{told}");
        assert_eq!(told["details"]["backend"], "simulated", "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_names_nothing_is_refused_by_everyone() {
    let (backend, device) = drawn(|_, tree| {
        button(tree, "x90", 10.0);
    });
    let wide = || {
        (0..100)
            .map(|n| id(format!("x{n}")))
            .reduce(|a, b| a | b)
            .unwrap()
            & enabled()
    };
    let errors = [
        device.locate(wide()).wait_absent(MS).await.unwrap_err(),
        device
            .locate(wide())
            .is(Predicate::Absent)
            .await
            .unwrap_err(),
        device.locate(wide()).list().await.unwrap_err(),
        device.locate(id("x90")).drag_to(wide()).await.unwrap_err(),
        device
            .scroll(Direction::Down)
            .within(wide())
            .await
            .unwrap_err(),
        device
            .locate(Find::new("  ").first())
            .press()
            .await
            .unwrap_err(),
        device
            .locate(id("x90"))
            .double_press()
            .count(2)
            .await
            .unwrap_err(),
        device.locate(id("x90")).press().hold(MS).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.code(), ErrorCode::InvalidArgs, "{error:?}");
        assert!(error.dispatched().is_no());
    }
    let filled = device.locate(id("x90")).fill("x").await.unwrap_err();
    assert_eq!(filled.reason(), Some(reason::TARGET_NOT_A_FIELD));
    let mut plan =
        ScrollPlan::new(Direction::Down, Default::default(), SCREEN, None, None).unwrap();
    plan.from = Point::new(f64::NAN, 0.0);
    device
        .perform(Action::Scroll(plan.clone()))
        .await
        .unwrap_err();
    plan.from = Point::new(1.0, 1.0);
    plan.duration = Duration::MAX;
    device.perform(Action::Scroll(plan)).await.unwrap_err();
    assert!(
        !device
            .locate(Ref::new(9999))
            .is(Predicate::Exists)
            .await
            .unwrap()
    );
    assert_eq!(backend.0.sends.load(SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_degraded_or_empty_tree_is_no_empty_screen() {
    struct Blank(bool);

    #[async_trait]
    impl SnapshotBackend for Blank {
        async fn capture(&self, options: &CaptureOptions, _: &Call) -> Result<Snapshot> {
            let info = SnapshotInfo::default();
            Ok(if self.0 {
                Snapshot::sparse(QualityReason::SparseTree, info)
            } else {
                SnapshotBuilder::new(options.clone()).finish(info)
            })
        }
    }

    #[async_trait]
    impl Interactor for Blank {
        fn capabilities(&self) -> Capabilities {
            Capabilities::of(&[])
        }

        async fn perform(&self, action: &Action, _: &Call) -> Result<Performed> {
            Err(Error::unsupported(action.operation()))
        }
    }

    impl Backend for Blank {
        fn name(&self) -> Cow<'static, str> {
            "blank".into()
        }
    }

    for sparse in [true, false] {
        let device = Device::new(Blank(sparse));
        let go = device.locate(label("Go"));
        for error in [
            go.list().await.unwrap_err(),
            go.is(Predicate::Absent).await.unwrap_err(),
        ] {
            assert_eq!(error.reason(), Some(reason::CAPTURE_SPARSE));
        }
        assert!(go.wait_absent(MS).await.is_err());
    }
    let missed = Device::new(Blank(true))
        .locate(label("Go"))
        .press()
        .await
        .unwrap_err();
    assert!(missed.hint().contains("degraded"), "{}", missed.hint());
}
