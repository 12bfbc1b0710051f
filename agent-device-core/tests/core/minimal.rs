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
