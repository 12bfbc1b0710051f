//! Every golden row of the core, driven through the real facade.

use std::time::Duration;

use agent_device_core::{
    Action, Device, Error, ErrorCode, Operation, Ref,
    device::Predicate,
    dispatch::{Row, rows::core as row},
    geometry::{Direction, Point},
    selector::{id, label},
    snapshot::CaptureOptions,
    testing::{Fault, Gate, Knob, Screen, SimulatedDevice},
};
use tokio_util::sync::CancellationToken;

struct Driver {
    gate: Gate,
}

impl Driver {
    fn cites(&mut self, row: &'static Row, result: Result<impl Sized, Error>) -> Error {
        let error = result
            .err()
            .unwrap_or_else(|| panic!("{} should fail", row.id()));
        self.gate.cites(row, &error);
        error
    }

    fn holds(&mut self, row: &'static Row, result: Result<impl Sized, Error>) -> Error {
        let error = result
            .err()
            .unwrap_or_else(|| panic!("{} should fail", row.id()));
        self.gate.holds(row, &error);
        error
    }
}

fn on(screen: Screen) -> (SimulatedDevice, Device) {
    let sim = SimulatedDevice::on(screen);
    (sim.clone(), Device::new(sim))
}

const MS: Duration = Duration::from_millis(1);

#[tokio::test(start_paused = true)]
async fn every_row_of_the_core_is_driven_and_true() {
    let mut rows = Driver {
        gate: Gate::new(row::ROWS),
    };
    refusals(&mut rows).await;
    in_flight(&mut rows).await;
    series_and_batches(&mut rows).await;
    scrolls(&mut rows).await;
    rows.gate.finish();
}

async fn refusals(rows: &mut Driver) {
    let (sim, device) = on(Screen::Counter);
    rows.cites(
        row::REFUSAL_REF_NOT_FOUND.row(),
        device.locate(Ref::new(1)).press().await,
    );
    rows.cites(
        row::REFUSAL_SELECTOR_NOT_FOUND.row(),
        device.locate(id("none")).press().await,
    );
    let waited = device
        .locate(id("none"))
        .press()
        .ready_within(MS * 500)
        .await;
    rows.cites(row::REFUSAL_SELECTOR_READINESS_EXHAUSTED.row(), waited);
    rows.cites(
        row::REFUSAL_ARGUMENTS.row(),
        device.locate(Point::new(f64::NAN, 0.0)).press().await,
    );
    rows.cites(
        row::REFUSAL_UNSUPPORTED.row(),
        device.perform(Action::AppSwitcher).await,
    );
    let wrong = device
        .locate(id("counter"))
        .expect(Predicate::Text("other".into()))
        .await;
    rows.cites(row::REFUSAL_PREDICATE.row(), wrong);

    let canceled = device.with_cancel({
        let cancel = CancellationToken::new();
        cancel.cancel();
        cancel
    });
    let place = Point::new(10.0, 10.0);
    rows.cites(
        row::REFUSAL_CANCELED_BEFORE_SEND.row(),
        canceled.locate(place).press().await,
    );
    let late = device.with_budget(Duration::ZERO);
    rows.cites(
        row::REFUSAL_DEADLINE_BEFORE_SEND.row(),
        late.locate(place).press().await,
    );
    assert_eq!(sim.sends(), 0);

    sim.faults().nth_mutation(1, Fault::Hang);
    let hung = device.with_budget(MS * 2000);
    let blocked = device.with_budget(MS * 100);
    let (first, second) = tokio::join!(hung.locate(place).press().into_future(), async {
        tokio::time::sleep(MS * 10).await;
        blocked.locate(place).press().await
    });
    assert!(first.is_err());
    rows.cites(row::REFUSAL_DEVICE_IN_USE.row(), second);

    let (_, device) = on(Screen::Rows);
    rows.cites(
        row::REFUSAL_AMBIGUOUS.row(),
        device.locate(label("Delete")).press().await,
    );
    let (_, device) = on(Screen::Covered);
    rows.cites(
        row::REFUSAL_COVERED.row(),
        device.locate(id("pay")).press().await,
    );
    let (_, device) = on(Screen::Drawer);
    rows.cites(
        row::REFUSAL_OFFSCREEN.row(),
        device.locate(id("settings")).press().await,
    );
    let (_, device) = on(Screen::Login);
    rows.cites(
        row::REFUSAL_DISABLED.row(),
        device.locate(id("sign-in")).press().await,
    );

    let (_, device) = on(Screen::Counter);
    rows.cites(
        row::REFUSAL_NOT_A_FIELD.row(),
        device.locate(id("counter")).fill("x").await,
    );

    let (sim, device) = on(Screen::Keyboard);
    device.locate(id("field")).focus().await.unwrap();
    rows.cites(
        row::REFUSAL_KEYBOARD.row(),
        device.locate(id("tab-home")).press().await,
    );
    assert!(sim.log().taps("tab-home") == 0);

    let (sim, device) = on(Screen::Sparse);
    sim.set(Knob::For.as_str(), 3000).unwrap();
    let sparse = device
        .locate(id("back"))
        .press()
        .ready_within(MS * 500)
        .await;
    rows.cites(row::REFUSAL_CAPTURE_SPARSE.row(), sparse);

    rows.cites(
        row::REFUSAL_BOUNDS.row(),
        bounds::press_without_place().await,
    );

    let (sim, device) = on(Screen::Counter);
    sim.faults().next(Operation::Capture, Fault::Truncate);
    rows.cites(row::READ_ONLY.row(), device.snapshot().await);
    sim.faults().next(Operation::Capture, Fault::Garbage);
    rows.holds(
        row::ROUTE_READ_ONLY_GET.row(),
        device.locate(id("counter")).get().await,
    );
}

async fn in_flight(rows: &mut Driver) {
    rows.cites(row::UNCLASSIFIED.row(), bounds::fail_unclassified().await);
    rows.cites(
        row::CANCELED_IN_FLIGHT.row(),
        bounds::hang_until_canceled().await,
    );
    rows.cites(
        row::DEADLINE_IN_FLIGHT.row(),
        bounds::hang_past_the_deadline().await,
    );

    let filled = bounds::fill_that_does_not_hold().await;
    rows.cites(row::FILL_UNVERIFIED.row(), filled);

    let (sim, device) = on(Screen::Login);
    sim.faults().nth_mutation(2, Fault::Refuse);
    let typed = device.locate(id("email")).type_text("x").await;
    let error = rows.holds(row::ROUTE_TYPE_REFUSED_AFTER_FOCUS.row(), typed);
    assert_eq!(error.dispatched_steps(), 1);

    let (sim, device) = on(Screen::Counter);
    sim.faults().nth_capture(2, Fault::ResetAfterRead);
    let verified = device.locate(id("counter")).press().verify().await;
    let error = rows.holds(row::POST_DISPATCH_READ_REFUSED_AFTER_PRESS.row(), verified);
    assert_eq!(
        (error.dispatched_steps(), sim.log().taps("counter")),
        (1, 1)
    );

    let recovered = bounds::recover_then_refuse().await;
    let error = rows.holds(row::RECOVERY_SEND_THEN_REFUSED.row(), recovered);
    assert_eq!(error.dispatched_steps(), 1);
}

async fn series_and_batches(rows: &mut Driver) {
    let (sim, device) = on(Screen::Counter);
    sim.faults().nth_mutation(2, Fault::Refuse);
    let later = device.locate(id("counter")).press().count(3).await;
    let error = rows.holds(row::SERIES_LATER_REPETITION_REFUSED.row(), later);
    assert_eq!(
        (error.dispatched_steps(), sim.log().taps("counter")),
        (1, 1)
    );

    let (sim, device) = on(Screen::Counter);
    sim.faults().nth_mutation(1, Fault::Refuse);
    let first = device.locate(id("counter")).press().count(3).await;
    rows.holds(row::SERIES_FIRST_REPETITION_REFUSED.row(), first);
    assert!(sim.log().is_empty());

    let (sim, device) = on(Screen::Counter);
    let batch = device.batch(|device| async move {
        device.locate(id("counter")).press().await?;
        device.locate(id("none")).press().await
    });
    let error = rows.holds(row::BATCH_MUTATION_THEN_REFUSED_STEP.row(), batch.await);
    assert_eq!(
        (error.dispatched_steps(), sim.log().taps("counter")),
        (1, 1)
    );

    let batch = device.batch(|device| async move {
        device.locate(id("counter")).get().await?;
        device.locate(id("none")).press().await
    });
    rows.holds(row::BATCH_READ_THEN_REFUSED_STEP.row(), batch.await);
}

async fn scrolls(rows: &mut Driver) {
    let (_, device) = on(Screen::End);
    let stuck = device.locate(id("stubborn")).scroll(Direction::Down).await;
    rows.cites(row::SCROLL_NO_PROGRESS.row(), stuck);

    let (sim, device) = on(Screen::List);
    sim.faults().nth_mutation(1, Fault::ResetAfterRead);
    rows.holds(
        row::ROUTE_SCROLL_TRANSPORT_FAILURE.row(),
        device.scroll(Direction::Down).await,
    );

    let until = |device: Device| async move {
        device.scroll(Direction::Down).until(label("Row 199")).await
    };
    let (sim, device) = on(Screen::List);
    sim.faults().nth_capture(1, Fault::ResetAfterRead);
    rows.holds(
        row::ROUTE_SCROLL_UNTIL_BEFORE_FIRST_GESTURE.row(),
        until(device).await,
    );

    let (sim, device) = on(Screen::List);
    sim.faults().nth_mutation(3, Fault::Refuse);
    let error = rows.holds(
        row::ROUTE_SCROLL_UNTIL_THIRD_PASS_REFUSED.row(),
        until(device).await,
    );
    assert_eq!(error.dispatched_steps(), 2);

    let (sim, device) = on(Screen::List);
    sim.faults().nth_mutation(3, Fault::Refuse);
    let edge = device.scroll(Direction::Down).to_edge().await;
    let error = rows.holds(row::ROUTE_SCROLL_EDGE_THIRD_PASS_REFUSED.row(), edge);
    assert_eq!(error.dispatched_steps(), 2);
}

use std::future::IntoFuture as _;

/// Backends that fail in ways that the simulated device is too honest for.
mod bounds {
    use std::borrow::Cow;

    use agent_device_core::{
        Backend, Call, Interactor, Role, SnapshotBackend,
        action::{Capabilities, FieldState, Performed},
        geometry::Rect,
        snapshot::{Snapshot, SnapshotBuilder, SnapshotInfo, TextField},
    };
    use async_trait::async_trait;

    use super::*;

    #[derive(Clone, Copy)]
    enum Odd {
        Fails,
        Hangs,
        Drops,
        AnswersDialogFirst,
    }

    #[async_trait]
    impl SnapshotBackend for Odd {
        async fn capture(
            &self,
            options: &CaptureOptions,
            _: &Call,
        ) -> agent_device_core::Result<Snapshot> {
            let screen = Rect::new(0.0, 0.0, 100.0, 100.0);
            let mut builder = SnapshotBuilder::new(options.clone());
            builder.root(Role::Application).unwrap().bounds(screen);
            builder
                .at_depth(1, Role::TextField)
                .unwrap()
                .text(TextField::Label, "Field")
                .bounds(screen.inset(10.0));
            builder
                .at_depth(1, Role::Button)
                .unwrap()
                .text(TextField::Label, "Nowhere");
            let mut info = SnapshotInfo::default();
            info.viewport = Some(screen);
            Ok(builder.finish(info))
        }
    }

    #[async_trait]
    impl Interactor for Odd {
        fn capabilities(&self) -> Capabilities {
            Capabilities::of(&[Operation::Tap, Operation::Fill])
        }

        async fn perform(&self, _: &Action, call: &Call) -> agent_device_core::Result<Performed> {
            match self {
                Self::Fails => Err(Error::new(ErrorCode::CommandFailed, "it broke")),
                Self::Hangs => std::future::pending().await,
                Self::Drops => Ok(Performed::new().with_field(FieldState::Text("ol".into()))),
                Self::AnswersDialogFirst => {
                    call.send().landed();
                    Err(Error::refused(
                        row::REFUSAL_COVERED,
                        ErrorCode::CommandFailed,
                        "still covered",
                    ))
                }
            }
        }
    }

    impl Backend for Odd {
        fn name(&self) -> Cow<'static, str> {
            "odd".into()
        }
    }

    pub(super) async fn press_without_place() -> Result<impl Sized, Error> {
        Device::new(Odd::Fails)
            .locate(label("Nowhere"))
            .press()
            .await
    }

    pub(super) async fn fail_unclassified() -> Result<impl Sized, Error> {
        Device::new(Odd::Fails).locate(label("Field")).press().await
    }

    pub(super) async fn hang_until_canceled() -> Result<impl Sized, Error> {
        let cancel = CancellationToken::new();
        let device = Device::new(Odd::Hangs).with_cancel(cancel.clone());
        let (result, ()) =
            tokio::join!(device.locate(label("Field")).press().into_future(), async {
                tokio::time::sleep(MS * 100).await;
                cancel.cancel();
            });
        result
    }

    pub(super) async fn hang_past_the_deadline() -> Result<impl Sized, Error> {
        Device::new(Odd::Hangs)
            .with_budget(MS * 500)
            .locate(label("Field"))
            .press()
            .await
    }

    pub(super) async fn fill_that_does_not_hold() -> Result<impl Sized, Error> {
        Device::new(Odd::Drops)
            .locate(label("Field"))
            .fill("old")
            .await
    }

    pub(super) async fn recover_then_refuse() -> Result<impl Sized, Error> {
        Device::new(Odd::AnswersDialogFirst)
            .locate(label("Field"))
            .press()
            .await
    }
}
