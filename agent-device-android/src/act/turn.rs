//! Turning the display: by the settings that a person's own choice is kept in, which are given back at the end.

use std::time::Duration;

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    action::{Operation, Orientation, Performed},
    dispatch::rows::android_helper as rows,
    observe::Judgement,
};

use super::wait;
use crate::{
    apps,
    backend::Memory,
    helper::{BY_ITSELF, CHOSEN, Helper, put},
    see,
};

/// How long the display may take to turn: the app is built anew.
const LIMIT: Duration = Duration::from_secs(15);

pub(super) async fn to(
    helper: &Helper,
    memory: &Memory,
    orientation: Orientation,
    call: &Call,
) -> Result<Performed> {
    let before = see::viewport(helper, call).await?;
    let rotation = before
        .rotation_of(orientation)
        .ok_or_else(|| Error::unsupported(Operation::SetOrientation))?;
    helper.keep_rotation(call).await?;
    // The choice counts only while the device does not turn by itself.
    for (key, value) in [(BY_ITSELF, "0"), (CHOSEN, &rotation.to_string())] {
        let command = put(key, value)?;
        apps::mutate(&helper.device, &command, call)
            .await?
            .checked(&command)?;
    }
    let looking = || see::viewport(helper, call);
    let turned = |now: &see::Viewport, _: Option<&_>, _| {
        if now.rotation == Some(rotation) {
            Judgement::Done(now.display)
        } else {
            Judgement::go_on()
        }
    };
    match wait::until("orientation", LIMIT, call, looking, turned).await? {
        Some(display) => {
            if let Some(display) = display {
                memory.set_display(display);
            }
            Ok(Performed::new())
        }
        None => Err(Error::new(
            ErrorCode::CommandFailed,
            "the display was told to turn and did not",
        )
        .uncertain(rows::ORIENTATION_NOT_REACHED)
        .with_reason("android_orientation_not_reached")
        .with_detail("requested", orientation)
        .with_hint("The app in front, or the device, may be fixed to one orientation.")),
    }
}
