//! The invisible keyboard in place of the device's own, and the way back.
//!
//! A host can die at any time, and its user must not be left with a keyboard that can't be seen. So the keyboard that was
//! chosen before is recorded in two places: before anything else happens in a setting of the device, which whoever connects
//! next acts on, and as a lease in the invisible keyboard, which gives itself up when nobody talks to it. It can take a lease
//! only once it runs, and some devices start a keyboard when the first field gets the focus.

use std::time::Duration;

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    dispatch::rows::android_adb as rows,
    observe::{End, Judgement, Schedule, observe_until},
};
use tokio::time::Instant;

use super::apk::KEYBOARD;
use crate::{
    adb::{AdbDevice, ShellCommand},
    config::HelperInstall,
};

/// Where it listens.
pub(super) const SOCKET: &str = "dev.agentdevice.ime";
const SERVICE: &str = "dev.agentdevice.ime/.TestInputMethodService";
/// The setting that holds what was chosen before.
pub(super) const RECORD: &str = "agent_device_keyboard_before";
const CHOSEN: &str = "default_input_method";
/// After how much silence the invisible keyboard gives itself up.
const LEASE: Duration = Duration::from_secs(300);
/// How soon one that did not run yet is offered its lease again.
const AGAIN: Duration = Duration::from_secs(2);
/// How long an exchange may take to show.
const EXCHANGE: Duration = Duration::from_secs(5);

/// The exchange as this side knows it.
#[derive(Debug, Default)]
pub(super) struct Keyboard {
    /// When to talk to it next. `None`: the device has its own keyboard.
    due: Option<Instant>,
}

impl Keyboard {
    /// Sees to it that the invisible keyboard is chosen, and keeps its lease.
    pub(super) async fn keep(
        &mut self,
        device: &AdbDevice,
        policy: HelperInstall,
        call: &Call,
    ) -> Result<()> {
        match self.due {
            Some(due) if Instant::now() < due => return Ok(()),
            Some(_) if chosen(device, call).await? == SERVICE => {}
            _ => {
                // From here on there may be something to give back, also if this is given up half-way.
                self.due = Some(Instant::now());
                take(device, policy, call).await?;
            }
        }
        let pause = match lease(device, call).await? {
            true => LEASE / 3,
            false => AGAIN,
        };
        self.due = Some(Instant::now() + pause);
        Ok(())
    }

    /// Gives the device its own keyboard back, if it was taken.
    pub(super) async fn give_back(&mut self, device: &AdbDevice, call: &Call) -> Result<()> {
        if self.due.is_some() {
            recover(device, call).await?;
            self.due = None;
        }
        Ok(())
    }

    pub(super) fn is_taken(&self) -> bool {
        self.due.is_some()
    }
}

/// Gives the device its own keyboard back if there is a record of it.
pub(super) async fn recover(device: &AdbDevice, call: &Call) -> Result<()> {
    let before = setting(device, RECORD, call).await?;
    if before.is_empty() {
        return Ok(());
    }
    // Another one that was chosen in the meantime is its user's will.
    if chosen(device, call).await? == SERVICE {
        choose(device, &before, call).await?;
    }
    let forget = ShellCommand::new("settings")?.args(["delete", "secure", RECORD])?;
    device.shell(&forget, call).await?.checked(&forget)?;
    Ok(())
}

async fn take(device: &AdbDevice, policy: HelperInstall, call: &Call) -> Result<()> {
    recover(device, call).await?;
    KEYBOARD.ensure(device, policy, call).await?;
    let before = match chosen(device, call).await? {
        // Left behind without a record: any other is better than none.
        ours if ours == SERVICE => another(device, call).await?,
        before => before,
    };
    record(device, &before, call).await?;
    let enable = ShellCommand::new("ime")?.args(["enable", SERVICE])?;
    device.shell(&enable, call).await?.checked(&enable)?;
    choose(device, SERVICE, call).await
}

async fn record(device: &AdbDevice, before: &str, call: &Call) -> Result<()> {
    let put = ShellCommand::new("settings")?.args(["put", "secure", RECORD, before])?;
    let output = device.shell(&put, call).await?;
    if !before.is_empty() && setting(device, RECORD, call).await? == before {
        return Ok(());
    }
    Err(not_recorded().with_detail("printed", crate::error::shown(&output.stderr_text())))
}

fn not_recorded() -> Error {
    Error::refused(
        rows::KEYBOARD_NOT_RECORDED,
        ErrorCode::CommandFailed,
        "the device does not keep which keyboard was chosen before",
    )
    .with_reason("android_keyboard_not_recorded")
        .with_hint(
            "Some devices refuse settings over adb until \"USB debugging (Security settings)\" is on in their developer options. \
             Or go on with the device's own keyboard.",
        )
}

/// Tells the invisible keyboard what comes after it. `false`: it does not run yet.
async fn lease(device: &AdbDevice, call: &Call) -> Result<bool> {
    let before = setting(device, RECORD, call).await?;
    let lease = LEASE.as_millis().to_string();
    order(
        device,
        "LEASE",
        [("previous", &before), ("ms", &lease)],
        call,
    )
    .await
}

/// Has it listen on a port of the device, for devices that make no local sockets for apps. `false`: it does not run yet.
pub(super) async fn listen(
    device: &AdbDevice,
    port: u16,
    token: &str,
    call: &Call,
) -> Result<bool> {
    let port = port.to_string();
    order(device, "SESSION", [("port", &port), ("token", token)], call).await
}

/// Tells it something by a broadcast. Whether it has done it: a broadcast that nobody got ends in good order, too.
async fn order(
    device: &AdbDevice,
    action: &str,
    extras: [(&str, &str); 2],
    call: &Call,
) -> Result<bool> {
    let action = format!("{}.ACTION_{action}", KEYBOARD.package);
    let order = ["broadcast", "-p", KEYBOARD.package, "-a", &action];
    let mut order = ShellCommand::new("am")?.args(order)?;
    for (name, value) in extras {
        order = order.args(["--es", name, value])?;
    }
    let output = device.shell(&order, call).await?;
    // The result code that the receiver has set, in the words of `am`.
    Ok(output.stdout_text().contains("result=-1"))
}

async fn choose(device: &AdbDevice, service: &str, call: &Call) -> Result<()> {
    let set = ShellCommand::new("ime")?.args(["set", service])?;
    let output = device.shell(&set, call).await?;
    let look = |_| chosen(device, call);
    let pace = Duration::from_millis(100);
    let schedule = Schedule::new("android-keyboard", pace, EXCHANGE.min(call.remaining()));
    let verdict = |seen: &String, _: Option<&String>, _| {
        if seen == service {
            Judgement::Done(())
        } else {
            Judgement::go_on()
        }
    };
    let observed = observe_until(schedule, call.cancel(), None, look, |_| true, verdict).await;
    if matches!(observed.end, End::Done { .. }) {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::CommandFailed,
        "the device does not change its keyboard",
    )
    .uncertain(rows::PACKAGE_MANAGER_REFUSED)
    .with_reason("android_keyboard_not_changed")
    .with_detail("keyboard", service)
    .with_detail("printed", crate::error::shown(&output.stderr_text()))
    .with_hint(format!(
        "Choose it on the device, or by `adb shell ime set {service}`."
    )))
}

async fn chosen(device: &AdbDevice, call: &Call) -> Result<String> {
    setting(device, CHOSEN, call).await
}

/// Empty if it is not set.
async fn setting(device: &AdbDevice, name: &str, call: &Call) -> Result<String> {
    let get = ShellCommand::new("settings")?.args(["get", "secure", name])?;
    let output = device.shell(&get, call).await?.checked(&get)?;
    let text = output.stdout_text().trim().to_owned();
    Ok(if text == "null" { String::new() } else { text })
}

/// An enabled keyboard that is not ours.
async fn another(device: &AdbDevice, call: &Call) -> Result<String> {
    let list = ShellCommand::new("ime")?.args(["list", "-s"])?;
    let output = device.shell(&list, call).await?.checked(&list)?;
    let text = output.stdout_text();
    let mut names = text.lines().map(str::trim);
    let found = names.find(|name| name.contains('/') && *name != SERVICE);
    Ok(found.unwrap_or_default().to_owned())
}
