//! Opening and closing apps, as actions.

use agent_device_core::{
    Call, Error, Result,
    action::{OpenTarget, Operation, Performed},
};

use crate::{apps::Apps, backend::Memory, helper::Helper};

pub(super) async fn open(
    helper: &Helper,
    memory: &Memory,
    target: &OpenTarget,
    call: &Call,
) -> Result<Performed> {
    let apps = Apps::of(&helper.device);
    let opened = match target {
        OpenTarget::App(name) => {
            let opened = apps.open(name, call).await?;
            if let Some(package) = &opened.package {
                memory.set_app(package);
            }
            memory.came_to_front(opened.package.as_deref());
            opened
        }
        OpenTarget::Url(url) => {
            let opened = apps.open_url(url, None, &helper.ports, call).await?;
            memory.came_to_front(opened.package.as_deref());
            opened
        }
        _ => return Err(Error::unsupported(Operation::Open)),
    };
    let performed = Performed::new();
    Ok(if opened.drawn {
        performed
    } else {
        performed.with_warning("the app is in front and did not say that it has drawn")
    })
}

pub(super) async fn close(
    helper: &Helper,
    memory: &Memory,
    app: Option<&str>,
    call: &Call,
) -> Result<Performed> {
    let app = app
        .map(str::to_owned)
        .or_else(|| memory.app())
        .ok_or_else(|| Error::invalid("app", "no app was opened: name the one to close"))?;
    Apps::of(&helper.device).stop(&app, call).await?;
    memory.came_to_front(None);
    Ok(Performed::new())
}
