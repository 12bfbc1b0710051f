//! Which app is in front, and which runs: by the window manager's dump and the process list.

use std::{convert::Infallible, time::Duration};

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    dispatch::rows::android_adb as rows,
    observe::{End, Judgement, Schedule, observe_until},
};

use tokio::time::Instant;

use crate::adb::{AdbDevice, ShellCommand};

/// How long an app that was told to stop may take.
const STOPPING: Duration = Duration::from_secs(4);
/// How often it is looked at. Services that Android starts again come back within this.
const LOOK: Duration = Duration::from_millis(150);

/// One look at an app.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Its processes, if the device tells.
    pub(crate) pids: Option<Vec<u32>>,
    /// The package in front, if the device tells.
    pub(crate) front: Option<String>,
}

const FOCUS: &str = "mCurrentFocus=";

/// The window manager's own words for what is in front, best first. They changed over the years.
const TOKENS: &[&str] = &[
    FOCUS,
    "mFocusedApp=",
    "topResumedActivity=",
    "mResumedActivity:",
    "ResumedActivity:",
];

/// What the dump says behind this word, line by line.
fn after<'a>(dump: &'a str, token: &str) -> impl Iterator<Item = &'a str> {
    dump.lines()
        .filter_map(move |line| line.trim().strip_prefix(token))
}

/// The package that a dump of windows or activities shows in front.
pub(crate) fn front_of(dump: &str) -> Option<String> {
    TOKENS
        .iter()
        .find_map(|token| after(dump, token).find_map(component))
}

/// The title of the window that has the focus.
pub(crate) fn focused_title(dump: &str) -> Option<&str> {
    let window = after(dump, FOCUS).find_map(|rest| rest.strip_prefix("Window{"))?;
    // A hash, a user, then the title.
    window.trim_end_matches('}').splitn(3, ' ').nth(2)
}

/// Why the system asks about an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    Silent,
    Crashed,
}

/// How the titles of these dialogs begin in AOSP; the name of the process follows.
const TROUBLES: [(&str, Trouble); 2] = [
    ("Application Not Responding: ", Trouble::Silent),
    ("Application Error: ", Trouble::Crashed),
];

/// The app about which the system asks in a window of this title.
pub(crate) fn troubled_app(title: &str) -> Option<(&str, Trouble)> {
    TROUBLES.iter().find_map(|(begin, trouble)| {
        let process = title.strip_prefix(begin)?;
        // A process beside an app's first one has a name of its own behind a colon.
        Some((process.split(':').next()?, *trouble))
    })
}

/// `Window{b23 u0 com.x/com.x.Main}`, `AppWindowToken{c7 token=Token{a6 ActivityRecord{35 u0 com.x/.Main t27}}}`
fn component(text: &str) -> Option<String> {
    let words = text.split([' ', '{', '}']);
    let packages = words.filter_map(|word| word.split_once('/'));
    packages
        .map(|(package, _)| package)
        .find(|package| super::check_package(package).is_ok())
        .map(str::to_owned)
}

/// What a failing `pidof` says is no number: then it is not known which processes run.
const LOOK_SCRIPT: &str = "pidof \"$1\" 2>&1; echo --; dumpsys window | grep -E 'mCurrentFocus=|mFocusedApp='; \
     dumpsys activity activities | grep -E 'esumedActivity'";

pub(crate) async fn look(device: &AdbDevice, package: &str, call: &Call) -> Result<Seen> {
    let output = device
        .shell(&ShellCommand::script(LOOK_SCRIPT).arg(package)?, call)
        .await?;
    Ok(read(&output.stdout_text()))
}

fn read(text: &str) -> Seen {
    // Without the mark the script did not get so far.
    let (pids, dump) = text.split_once("--\n").unwrap_or(("?", text));
    Seen {
        pids: pids
            .split_whitespace()
            .map(|pid| pid.parse().ok())
            .collect(),
        front: front_of(dump),
    }
}

/// Waits until the app is neither in front nor runs, seen twice in a row.
pub(crate) async fn await_gone(device: &AdbDevice, package: &str, call: &Call) -> Result<()> {
    let gone = |seen: &Seen| {
        seen.pids.as_ref().is_some_and(Vec::is_empty) && seen.front.as_deref() != Some(package)
    };
    let start = Instant::now();
    let mut schedule = Schedule::new("android-stop", LOOK, STOPPING.min(call.remaining()));
    schedule.min_observations = 2;
    // A look that fails tells nothing; the budget bounds how long nothing is told.
    let look = |_| async { Ok::<_, Infallible>(look(device, package, call).await) };
    let observed = observe_until(
        schedule,
        call.cancel(),
        None,
        look,
        |_| false,
        |now: &Result<Seen>, before, _| {
            let ok = |seen: &Result<Seen>| seen.as_ref().is_ok_and(gone);
            match (ok(now), before.is_some_and(ok)) {
                (true, true) => Judgement::Done(()),
                // However slow the looks are, the second one may start.
                (true, false) => Judgement::Continue {
                    budget: Some(start.elapsed() + LOOK * 2),
                    pause: None,
                },
                (false, _) => Judgement::go_on(),
            }
        },
    )
    .await;
    let last = match observed.end {
        End::Done { .. } => return Ok(()),
        End::Expired { last, .. } | End::Stalled { last, .. } | End::Failed { last, .. } => last,
        End::Canceled => None,
    };
    let error = Error::new(
        ErrorCode::CommandFailed,
        "the app was told to stop and is still there",
    )
    .uncertain(rows::APP_STILL_THERE)
    .with_reason("android_app_still_there")
    .with_detail("app", package)
    .with_hint("A service of it may have been started again: look at the screen.");
    Err(match last {
        Some(Ok(seen)) => error
            .with_detail("pids", seen.pids)
            .with_detail("front", seen.front),
        Some(Err(look)) => error.with_detail("look", look.to_string()),
        None => error,
    })
}

/// Waits until the app is in front. `false`: it did not come in time.
pub(crate) async fn await_front(
    device: &AdbDevice,
    package: &str,
    budget: Duration,
    call: &Call,
) -> bool {
    let schedule = Schedule::new("android-open", LOOK, budget.min(call.remaining()));
    let look = |_| look(device, package, call);
    let verdict = |seen: &Seen, _: Option<&Seen>, _| {
        if seen.front.as_deref() == Some(package) {
            Judgement::Done(())
        } else {
            Judgement::go_on()
        }
    };
    let observed = observe_until(schedule, call.cancel(), None, look, |_| true, verdict).await;
    matches!(observed.end, End::Done { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_does_not_tell_what_runs_is_no_proof_that_nothing_does() {
        let pids = |text: &str| read(text).pids;
        assert_eq!(pids("12 34\n--\nx"), Some(vec![12, 34]));
        assert_eq!(pids("--\n"), Some(vec![]));
        assert_eq!(pids("sh: pidof: not found\n--\n"), None);
        assert_eq!(pids(""), None);
    }

    #[test]
    fn the_app_in_front_is_found_in_the_words_of_every_android() {
        for (dump, wanted) in [
            (
                "  mCurrentFocus=Window{366b096b u0 com.android.launcher3/com.android.launcher3.Launcher}\n",
                Some("com.android.launcher3"),
            ),
            (
                "mCurrentFocus=Window{b4d2a948 com.x.ui/com.x.ui.MainActivity paused=false}",
                Some("com.x.ui"),
            ),
            (
                "  mCurrentFocus=null\n  mFocusedApp=AppWindowToken{c7 token=Token{a6 ActivityRecord{35 u0 com.tv.home/.Main t27}}}",
                Some("com.tv.home"),
            ),
            (
                "mFocusedApp=ActivityRecord{16 u0 com.nexus.home/.Home t4}",
                Some("com.nexus.home"),
            ),
            (
                "  ResumedActivity: ActivityRecord{41 u0 com.amazon.tv/dev.cobalt.Main t1660}",
                Some("com.amazon.tv"),
            ),
            (
                "    mResumedActivity: ActivityRecord{41 u0 com.old/.Main t1}\n  topResumedActivity=ActivityRecord{1 u0 com.new.app/.M t4}",
                Some("com.new.app"),
            ),
            // A dialog of the system has no component, so what lies under it counts.
            (
                "mCurrentFocus=Window{1 u0 Application Not Responding: com.x.y}\nmFocusedApp=ActivityRecord{16 u0 com.x.y/.Home t4}",
                Some("com.x.y"),
            ),
            ("mCurrentFocus=Window{1 u0 NotificationShade}", None),
            ("", None),
        ] {
            assert_eq!(front_of(dump).as_deref(), wanted, "{dump}");
        }
    }

    /// By a real shell that has no such program.
    #[cfg(unix)]
    #[test]
    #[allow(
        clippy::disallowed_methods,
        reason = "a test's own shell, which ends at once"
    )]
    fn a_device_that_can_not_list_processes_does_not_deny_one() {
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", LOOK_SCRIPT, "sh", "com.app"]);
        let output = shell.env("PATH", "/nowhere").output().unwrap();
        let seen = read(&String::from_utf8_lossy(&output.stdout));
        assert_eq!(seen.pids, None, "{output:?}");
    }

    #[test]
    fn the_title_in_front_tells_of_an_app_that_failed() {
        let title = |words: &str| {
            format!(
                "  mGlobalConfiguration={{}}\n  mCurrentFocus=Window{{4bd2a u0 {words}}}\n  mFocusedApp=x\n"
            )
        };
        for (words, trouble) in [
            (
                "Application Not Responding: com.app",
                Some(("com.app", Trouble::Silent)),
            ),
            (
                "Application Not Responding: com.app:sync",
                Some(("com.app", Trouble::Silent)),
            ),
            (
                "Application Error: com.app",
                Some(("com.app", Trouble::Crashed)),
            ),
            ("com.app/com.app.Main", None),
        ] {
            let dump = title(words);
            assert_eq!(focused_title(&dump), Some(words));
            assert_eq!(troubled_app(words), trouble, "{words}");
        }
        for none in [
            "",
            "mCurrentFocus=null",
            "mCurrentFocus=Window{}",
            "mCurrentFocus=Window{a b}",
        ] {
            assert_eq!(focused_title(none), None, "{none}");
        }
    }
}
