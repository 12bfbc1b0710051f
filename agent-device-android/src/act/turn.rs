//! Turning the display: by the settings that a person's own choice is kept in, which are given back at the end.

use std::time::Duration;

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    action::{Operation, Orientation, Performed},
    dispatch::rows::android_helper as rows,
    last_work,
    observe::Judgement,
};

use super::wait;
use crate::{
    adb::{AdbDevice, ShellCommand},
    apps,
    backend::Memory,
    error::shown,
    helper::{Helper, LAST_WORDS},
    see,
};

const TABLE: &str = "system";
/// Whether the device turns the display by itself.
const BY_ITSELF: &str = "accelerometer_rotation";
const CHOSEN: &str = "user_rotation";
/// How long the display may take to turn: the app is built anew.
const LIMIT: Duration = Duration::from_secs(15);

/// How the display was set to turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rotation {
    /// `None`: it was never set.
    by_itself: Option<String>,
    chosen: Option<String>,
}

impl Rotation {
    async fn read(device: &AdbDevice, call: &Call) -> Result<Self> {
        let get = async |key: &str| {
            let command = ShellCommand::new("settings")?.args(["get", TABLE, key])?;
            let output = device.shell(&command, call).await?.checked(&command)?;
            match output.stdout_text().trim() {
                "null" => Ok(None),
                value if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                    Ok(Some(value.to_owned()))
                }
                other => Err(Error::new(
                    ErrorCode::CommandFailed,
                    "how the display is set to turn can't be read: it is left alone",
                )
                .with_detail("setting", key)
                .with_detail("printed", shown(other))),
            }
        };
        Ok(Self {
            by_itself: get(BY_ITSELF).await?,
            chosen: get(CHOSEN).await?,
        })
    }

    /// Sets the display as it was.
    pub(crate) async fn restore(&self, device: &AdbDevice, call: &Call) -> Result<()> {
        for (key, value) in [(CHOSEN, &self.chosen), (BY_ITSELF, &self.by_itself)] {
            let command = match value {
                Some(value) => put(key, value)?,
                None => ShellCommand::new("settings")?.args(["delete", TABLE, key])?,
            };
            device.shell(&command, call).await?.checked(&command)?;
        }
        Ok(())
    }

    /// The same from outside any runtime, within a bounded time.
    pub(crate) fn restore_from_a_thread(self, device: &AdbDevice) {
        let device = device.clone();
        last_work(
            "android-turn",
            LAST_WORDS,
            move || async move {
                let call = Call::standalone(LAST_WORDS);
                self.restore(&device, &call).await.is_ok()
            },
            || {
                tracing::debug!(name: "agent_device.android.rotation_left", "the display stays as it was turned");
            },
        );
    }
}

fn put(key: &str, value: &str) -> Result<ShellCommand> {
    ShellCommand::new("settings")?.args(["put", TABLE, key, value])
}

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
    if !memory.has_rotation() {
        memory.keep_rotation(Rotation::read(&helper.device, call).await?);
    }
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
