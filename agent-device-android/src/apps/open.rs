//! Opening apps, activities and links.

use std::time::Duration;

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    dispatch::rows::{android_adb, android_helper as rows},
};

use super::{
    Entry, Ports, check_url, front, local_port, mutate,
    packages::{installed, resolve},
};
use crate::adb::{AdbDevice, ShellCommand, ShellOutput};

const MAIN: &str = "android.intent.action.MAIN";
/// What an app is entered by: on phones, then on televisions.
const LAUNCHERS: &[&str] = &[
    "android.intent.category.LAUNCHER",
    "android.intent.category.LEANBACK_LAUNCHER",
];
/// How long the first picture of an app is waited for. An app that draws none is in front all the same.
const DRAWING: Duration = Duration::from_secs(10);
/// How long an app that has not drawn may take to be in front.
const COMING: Duration = Duration::from_secs(2);

/// What was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opened {
    /// The package, as far as it is known before and said after.
    pub package: Option<String>,
    /// The activity that the device says it started: `com.x/.Main`.
    pub activity: Option<String>,
    /// Whether the device said that it has drawn. An app may be in front without: a splash screen that waits for something.
    pub drawn: bool,
}

/// Opens an app by its package, its activity (`com.x/.Main`), a part of its package's name, or `settings`.
pub(super) async fn app(device: &AdbDevice, name: &str, call: &Call) -> Result<Opened> {
    let (intent, package) = match Entry::parse(name)? {
        Entry::Settings => (words(&["-a", "android.settings.SETTINGS"]), None),
        Entry::Activity { package, activity } => {
            installed(device, package, call).await?;
            let name = format!("{package}/{activity}");
            (words(&["-n", &name]), Some(package.to_owned()))
        }
        Entry::Package(_) | Entry::Part(_) => {
            let package = resolve(device, name, call).await?;
            let intent = match entrance(device, &package, call).await? {
                // As the launcher does it: by another intent a task that runs would get a second main screen on top of what it shows.
                Some((activity, launcher)) => words(&["-a", MAIN, "-c", launcher, "-n", &activity]),
                None => words(&["-a", MAIN, "-c", LAUNCHERS[0], "-p", &package]),
            };
            (intent, Some(package))
        }
    };
    run(device, &intent, package, call).await
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Opens a link, in this app or in whatever opens such links.
pub(super) async fn url(
    device: &AdbDevice,
    ports: &Ports,
    url: &str,
    package: Option<&str>,
    call: &Call,
) -> Result<Opened> {
    check_url(url)?;
    if let Some(package) = package {
        super::check_package(package)?;
        installed(device, package, call).await?;
    }
    if let Some(port) = local_port(url) {
        ports.lead_here(device, port, call).await?;
    }
    let mut intent = words(&["-a", "android.intent.action.VIEW", "-d", url]);
    if let Some(package) = package {
        intent.extend(words(&["-p", package]));
    }
    run(device, &intent, package.map(str::to_owned), call).await
}

async fn run(
    device: &AdbDevice,
    intent: &[String],
    package: Option<String>,
    call: &Call,
) -> Result<Opened> {
    let command = ShellCommand::new("am")?
        .args(["start", "-W"])?
        .args(intent)?;
    let started = mutate(device, &command, call);
    let Ok(started) = tokio::time::timeout(DRAWING, started).await else {
        let package = match package {
            Some(package) => Some(package),
            None => opener(device, intent, call).await,
        };
        return slow(device, package, call).await;
    };
    let output = started?;
    if let Some(line) = complaint(&output) {
        return Err(
            Error::new(ErrorCode::CommandFailed, "the device opened nothing")
                .uncertain(rows::OPEN_FAILED)
                .with_reason("android_open_failed")
                .with_detail("printed", line.chars().take(500).collect::<String>())
                .with_hint("Check that an app on the device opens this."),
        );
    }
    let out = output.stdout_text();
    let said = |key: &str| out.lines().find_map(|line| line.trim().strip_prefix(key));
    let activity = said("Activity:").map(|name| name.trim().to_owned());
    let of_activity = activity
        .as_deref()
        .and_then(|name| name.split_once('/'))
        .map(|(package, _)| package.to_owned());
    Ok(Opened {
        package: package.or(of_activity),
        activity,
        drawn: said("Status:").is_none_or(|status| status.trim() == "ok"),
    })
}

/// The device did not say in time that the app has drawn. The start itself went out long ago.
async fn slow(device: &AdbDevice, package: Option<String>, call: &Call) -> Result<Opened> {
    let there = match &package {
        Some(package) => front::await_front(device, package, COMING, call).await,
        None => false,
    };
    if there {
        return Ok(Opened {
            package,
            ..Opened::default()
        });
    }
    Err(Error::new(
        ErrorCode::CommandFailed,
        format!("the app neither drew anything within {DRAWING:?} nor came to the front"),
    )
    .uncertain(android_adb::TIMEOUT_AFTER_REQUEST)
    .with_reason("android_open_not_drawn")
    .with_hint("Look at the screen: the app may hang at its start, or a dialog lies over it."))
}

/// What the activity manager complains about, if nothing was started. It ends with 0 then, too.
fn complaint(output: &ShellOutput) -> Option<String> {
    let (out, err) = (output.stdout_text(), output.stderr_text());
    let lines = || out.lines().chain(err.lines()).map(str::trim);
    let named = |line: &&str| {
        line.starts_with("Error:")
            || line.starts_with("Error type ")
            || line.starts_with("java.lang.")
            || line.starts_with("Security exception")
    };
    // "Error type 3" says less than the line behind it.
    let best = lines().find(|line| line.starts_with("Error:"));
    let found = best.or_else(|| lines().find(named)).map(str::to_owned);
    found.or_else(|| {
        let last = lines().rfind(|line| !line.is_empty()).unwrap_or_default();
        (output.code != 0).then(|| last.to_owned())
    })
}

/// The activity by which an app is entered, and the category of its entrance. Only a read is sent; devices before Android 7 don't know the question.
async fn entrance(
    device: &AdbDevice,
    package: &str,
    call: &Call,
) -> Result<Option<(String, &'static str)>> {
    let own = format!("{package}/");
    for launcher in LAUNCHERS {
        let intent = words(&["-a", MAIN, "-c", launcher, package]);
        let found = resolved(device, &intent, call).await?;
        if let Some(found) = found.filter(|found| found.starts_with(&own)) {
            return Ok(Some((found, *launcher)));
        }
    }
    Ok(None)
}

/// The package that an intent without one is for, as far as the device tells.
async fn opener(device: &AdbDevice, intent: &[String], call: &Call) -> Option<String> {
    let activity = resolved(device, intent, call).await.ok()??;
    activity
        .split_once('/')
        .map(|(package, _)| package.to_owned())
}

/// The activity that an intent leads to: `com.x/.Main`.
async fn resolved(device: &AdbDevice, intent: &[String], call: &Call) -> Result<Option<String>> {
    let ask = ShellCommand::new("cmd")?
        .args(["package", "resolve-activity", "--brief"])?
        .args(intent)?;
    let output = device.shell(&ask, call).await?;
    let text = output.stdout_text();
    let activity = |line: &&str| {
        let package = line.split_once('/').map(|(package, _)| package);
        package.is_some_and(|package| super::check_package(package).is_ok())
    };
    let found = text.lines().map(str::trim).find(activity);
    Ok(found.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(stdout: &str, stderr: &str, code: i32) -> ShellOutput {
        let mut output = ShellOutput::default();
        output.stdout = stdout.into();
        output.stderr = stderr.into();
        output.code = code;
        output
    }

    #[test]
    fn a_complaint_is_told_from_a_start_whatever_the_exit_code() {
        for (stdout, stderr, code, wanted) in [
            (
                "Starting: Intent { x }\nStatus: ok\nComplete\n",
                "",
                0,
                None,
            ),
            (
                "Starting: Intent { x }\nStatus: ok\n",
                "Warning: Activity not started, its current task has been brought to the front\n",
                0,
                None,
            ),
            (
                "Starting: Intent { x }\n",
                "Error type 3\nError: Activity class {a/b} does not exist.\n",
                1,
                Some("Error: Activity class {a/b} does not exist."),
            ),
            (
                "Starting: Intent { x }\nError: Activity not started, unable to resolve Intent { x }\n",
                "",
                0,
                Some("Error: Activity not started, unable to resolve Intent { x }"),
            ),
            (
                "",
                "\nException occurred while executing 'start':\njava.lang.SecurityException: Permission Denial: starting x\n\tat y\n",
                255,
                Some("java.lang.SecurityException: Permission Denial: starting x"),
            ),
            ("", "Killed\n", 137, Some("Killed")),
        ] {
            let found = complaint(&output(stdout, stderr, code));
            assert_eq!(found.as_deref(), wanted, "{stdout}{stderr}");
        }
    }
}
