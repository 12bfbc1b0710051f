//! How the display was set to turn before it was turned, and the way back.
//!
//! A host can die at any time, and its user must not be left with a display that no longer turns by itself. So what was set
//! before is recorded in a setting of the device, before anything else happens; whoever connects next acts on it.

use agent_device_core::{Call, Error, ErrorCode, Result};

use crate::{
    adb::{AdbDevice, ShellCommand},
    error::shown,
};

/// The setting that holds what was set before: `1,0`.
pub(super) const RECORD: &str = "agent_device_rotation_before";
const TABLE: &str = "system";
/// Whether the device turns the display by itself.
pub(crate) const BY_ITSELF: &str = "accelerometer_rotation";
pub(crate) const CHOSEN: &str = "user_rotation";

/// The turned display as this side knows it.
#[derive(Debug, Default)]
pub(super) struct Rotation {
    /// Whether there may be something to give back.
    taken: bool,
}

impl Rotation {
    /// Records how the display is set, unless that was done before it was turned for the first time.
    pub(super) async fn keep(&mut self, device: &AdbDevice, call: &Call) -> Result<()> {
        if self.taken {
            return Ok(());
        }
        let before = Before {
            by_itself: number(device, BY_ITSELF, call).await?,
            chosen: number(device, CHOSEN, call).await?,
        };
        // From here on there may be something to give back, also if this is given up half-way.
        self.taken = true;
        run(device, &["put", "secure", RECORD, &before.record()], call).await?;
        Ok(())
    }

    /// Sets the display as it was, if it was turned.
    pub(super) async fn give_back(&mut self, device: &AdbDevice, call: &Call) -> Result<()> {
        if self.taken {
            recover(device, call).await?;
            self.taken = false;
        }
        Ok(())
    }

    pub(super) fn is_taken(&self) -> bool {
        self.taken
    }
}

/// Sets the display as it was if there is a record of it.
pub(super) async fn recover(device: &AdbDevice, call: &Call) -> Result<()> {
    let record = run(device, &["get", "secure", RECORD], call).await?;
    if let Some(before) = Before::parse(&record) {
        for (key, value) in [(CHOSEN, &before.chosen), (BY_ITSELF, &before.by_itself)] {
            match value {
                Some(value) => run(device, &["put", TABLE, key, value], call).await?,
                None => run(device, &["delete", TABLE, key], call).await?,
            };
        }
    }
    run(device, &["delete", "secure", RECORD], call).await?;
    Ok(())
}

/// A command that sets how the display turns.
pub(crate) fn put(key: &str, value: &str) -> Result<ShellCommand> {
    ShellCommand::new("settings")?.args(["put", TABLE, key, value])
}

async fn run(device: &AdbDevice, words: &[&str], call: &Call) -> Result<String> {
    let command = ShellCommand::new("settings")?.args(words)?;
    let output = device.shell(&command, call).await?.checked(&command)?;
    Ok(output.stdout_text().trim().to_owned())
}

/// `None`: it was never set.
async fn number(device: &AdbDevice, key: &str, call: &Call) -> Result<Option<String>> {
    let value = run(device, &["get", TABLE, key], call).await?;
    parse(&value).ok_or_else(|| {
        Error::new(
            ErrorCode::CommandFailed,
            "how the display is set to turn can't be read: it is left alone",
        )
        .with_detail("setting", key)
        .with_detail("printed", shown(&value))
    })
}

fn parse(value: &str) -> Option<Option<String>> {
    match value {
        "null" => Some(None),
        _ if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(Some(value.to_owned()))
        }
        _ => None,
    }
}

/// How the display was set to turn. `None`: that was never set.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Before {
    by_itself: Option<String>,
    chosen: Option<String>,
}

impl Before {
    fn record(&self) -> String {
        let word = |value: &Option<String>| value.as_deref().unwrap_or("null").to_owned();
        format!("{},{}", word(&self.by_itself), word(&self.chosen))
    }

    fn parse(record: &str) -> Option<Self> {
        let (by_itself, chosen) = record.split_once(',')?;
        Some(Self {
            by_itself: parse(by_itself)?,
            chosen: parse(chosen)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_says_what_was_set_and_what_was_not() {
        for (by_itself, chosen, record) in [
            (Some("1"), Some("0"), "1,0"),
            (Some("0"), None, "0,null"),
            (None, None, "null,null"),
        ] {
            let before = Before {
                by_itself: by_itself.map(str::to_owned),
                chosen: chosen.map(str::to_owned),
            };
            assert_eq!(before.record(), record);
            assert_eq!(Before::parse(record), Some(before));
        }
        for wild in ["", "null", "1", "1,", "1,x", "1,2,3", "-1,0", "1;reboot,0"] {
            assert_eq!(Before::parse(wild), None, "{wild}");
        }
    }
}
