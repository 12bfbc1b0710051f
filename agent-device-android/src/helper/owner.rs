//! Who else holds the device's UiAutomation, of which there is one. Nobody is ended for it: it is named.

use std::time::Duration;

use agent_device_core::{Call, Error};

use crate::adb::{AdbDevice, ShellCommand};

/// The reason of a start that failed because of it.
pub(super) const TAKEN: &str = "android_ui_automation_taken";
/// How long a question on the way to an error may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Processes of tools that hold it, and how people call the tools.
const KNOWN: &[(&str, &str)] = &[
    ("io.appium.uiautomator2.server", "Appium"),
    ("io.appium.uiautomator2.server.test", "Appium"),
    ("com.github.uiautomator", "uiautomator2"),
    ("com.github.uiautomator.test", "uiautomator2"),
    ("dev.mobile.maestro", "Maestro"),
    ("dev.mobile.maestro.test", "Maestro"),
    (
        "com.callstack.agentdevice.snapshothelper",
        "agent-device for Node",
    ),
    ("uiautomator", "uiautomator dump"),
    ("com.android.commands.uiautomator", "uiautomator dump"),
    ("com.android.commands.monkey", "monkey"),
    ("androidx.test.orchestrator", "an instrumented test"),
    ("androidx.test.services", "an instrumented test"),
];

/// Somebody who holds it, as far as that can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    /// Its process and what people call it, if it is known.
    who: Option<(&'static str, &'static str)>,
}

/// The dump that says whether it is held, then all processes. Before Android 8 `ps` shows all of them without an option.
const SCRIPT: &str =
    "dumpsys accessibility | grep -F 'Ui Automation['; echo --; ps -A 2>/dev/null || ps";

/// Somebody else who holds it. Only asked for an error that exists already, so that it may fail.
pub(super) async fn of(device: &AdbDevice, call: &Call) -> Option<Owner> {
    let script = ShellCommand::script(SCRIPT);
    let output = tokio::time::timeout(PATIENCE, device.shell(&script, call));
    let text = output.await.ok()?.ok()?.stdout_text().into_owned();
    parse(&text)
}

fn parse(text: &str) -> Option<Owner> {
    let (held, processes) = text.split_once("--\n")?;
    let running = |name: &str| {
        processes
            .lines()
            .filter_map(|line| line.split_whitespace().last())
            .any(|process| process == name)
    };
    let who = KNOWN.iter().find(|(process, _)| running(process)).copied();
    (who.is_some() || !held.trim().is_empty()).then_some(Owner { who })
}

impl Owner {
    pub(super) fn name_in(&self, error: Error) -> Error {
        let error = error.with_reason(TAKEN);
        match self.who {
            Some((process, tool)) => error
                .with_detail("uiAutomationOwner", process)
                .with_hint(format!(
                    "{tool} ({process}) holds the device's UiAutomation, of which there is one: end it (`adb shell am force-stop {process}`), then repeat."
                )),
            None => error.with_detail("uiAutomationOwner", "unknown").with_hint(
                "Another tool holds the device's UiAutomation, of which there is one (Appium, uiautomator, Espresso): end it, then repeat.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_owner_is_named_as_far_as_it_is_known() {
        let processes = |names: &str| format!("--\nUSER PID NAME\nroot 1 init\n{names}");
        let held = "  Ui Automation[eventTypes=TYPES_ALL_MASK, notificationTimeout=0]\n";
        let who = |text: String| parse(&text).map(|owner| owner.who.map(|(process, _)| process));
        let appium = "u0_a9 77 io.appium.uiautomator2.server\n";
        assert_eq!(
            who(format!("{held}{}", processes(appium))),
            Some(Some("io.appium.uiautomator2.server"))
        );
        // Old dumps don't show who holds it; a tool that runs is a likely one.
        assert_eq!(
            who(processes(appium)),
            Some(Some("io.appium.uiautomator2.server"))
        );
        assert_eq!(who(format!("{held}{}", processes(""))), Some(None));
        assert_eq!(
            who(processes("u0_a9 77 io.appium.uiautomator2.server.more\n")),
            None
        );
        assert_eq!(who("nonsense".to_owned()), None);
    }
}
