//! A third-party backend, written from the docs alone. It declares no rows and writes no code for disclosure.

use std::{borrow::Cow, sync::Mutex};

use agent_device_core::{
    Action, Backend, Call, Error, ErrorCode, Interactor, Operation, Result, Role, SnapshotBackend,
    action::{Capabilities, Performed},
    geometry::Rect,
    snapshot::{CaptureOptions, Quality, Snapshot, SnapshotBuilder, SnapshotInfo, TextField},
};
use async_trait::async_trait;

/// A box with one lamp and its button.
#[derive(Default)]
struct LampBox {
    presses: Mutex<u32>,
}

#[async_trait]
impl SnapshotBackend for LampBox {
    async fn capture(&self, options: &CaptureOptions, _call: &Call) -> Result<Snapshot> {
        let unbuilt = |error| {
            Error::new(ErrorCode::CommandFailed, "the tree can't be built").with_source(error)
        };
        let viewport = Rect::new(0.0, 0.0, 100.0, 100.0);
        let mut builder = SnapshotBuilder::new(options.clone());
        builder
            .root(Role::Application)
            .map_err(unbuilt)?
            .bounds(viewport);
        let mut button = builder.at_depth(1, Role::Button).map_err(unbuilt)?;
        button
            .text(TextField::Label, "Lamp")
            .bounds(Rect::new(10.0, 10.0, 50.0, 20.0));
        let mut info = SnapshotInfo::default();
        info.viewport = Some(viewport);
        info.quality = Quality::healthy("panel");
        Ok(builder.finish(info))
    }
}

#[async_trait]
impl Interactor for LampBox {
    fn capabilities(&self) -> Capabilities {
        Capabilities::of(&[Operation::Tap])
    }

    async fn perform(&self, action: &Action, _call: &Call) -> Result<Performed> {
        match action {
            Action::Tap(_) => {
                *self
                    .presses
                    .lock()
                    .map_err(|_| Error::new(ErrorCode::CommandFailed, "stuck"))? += 1;
                Ok(Performed::new())
            }
            other => Err(Error::unsupported(other.operation())),
        }
    }
}

impl Backend for LampBox {
    fn name(&self) -> Cow<'static, str> {
        "lamp-box".into()
    }
}

#[tokio::test]
async fn sixty_lines_of_backend_keep_the_contract() {
    agent_device_core::testing::contract(LampBox::default()).await;
    agent_device_core::testing::contract(Box::new(LampBox::default())).await;
    let shared: std::sync::Arc<dyn Backend> = std::sync::Arc::new(LampBox::default());
    agent_device_core::testing::contract(shared).await;
}

/// A lamp box with a fault.
#[derive(Clone, Copy, PartialEq)]
enum Broken {
    Hangs,
    DeafToCancel,
    OffersMore,
    SendsTwice,
}

struct BrokenBox(LampBox, Broken);

#[async_trait]
impl SnapshotBackend for BrokenBox {
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
        if self.1 == Broken::Hangs
            || (self.1 == Broken::DeafToCancel && call.cancel().is_cancelled())
        {
            std::future::pending::<()>().await;
        }
        self.0.capture(options, call).await
    }

    fn honours_cancel(&self) -> bool {
        self.1 == Broken::DeafToCancel
    }
}

#[async_trait]
impl Interactor for BrokenBox {
    fn capabilities(&self) -> Capabilities {
        match self.1 {
            Broken::OffersMore => Capabilities::of(&[Operation::Tap, Operation::Screenshot]),
            _ => self.0.capabilities(),
        }
    }

    async fn perform(&self, action: &Action, call: &Call) -> Result<Performed> {
        if self.1 == Broken::SendsTwice {
            call.send().landed();
            call.send().landed();
        }
        self.0.perform(action, call).await
    }
}

impl Backend for BrokenBox {
    fn name(&self) -> Cow<'static, str> {
        "broken-box".into()
    }
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_breaks_the_contract_hears_which_check_and_why() {
    for (broken, check, advice) in [
        (
            Broken::Hangs,
            "\"something to press\" did not end",
            "deadline",
        ),
        (
            Broken::DeafToCancel,
            "\"a cancelled capture ends\"",
            "honours_cancel",
        ),
        (
            Broken::OffersMore,
            "screenshot is offered and not there",
            "capabilities",
        ),
        (Broken::SendsTwice, "counts 2 sends for a press", "once"),
    ] {
        let contract = agent_device_core::testing::contract(BrokenBox(LampBox::default(), broken));
        let panic = tokio::spawn(contract).await.unwrap_err().into_panic();
        let said = panic.downcast_ref::<String>().unwrap();
        assert!(said.contains(check) && said.contains(advice), "{said}");
    }
}
