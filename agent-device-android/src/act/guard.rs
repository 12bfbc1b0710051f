//! What may come between an app and an action: a dialog of the system, or a press that leads out of the app.
//!
//! Nothing is asked for on a way that is free: what the last capture showed decides beforehand, and afterwards the package in
//! front, which the answers on the way tell. Only a press has one read of its own: it may lead elsewhere.

use std::time::Duration;

use agent_device_core::{
    Call, Error, ErrorCode, Result, Role,
    action::{Action, OpenTarget, Performed, Touch},
    dispatch::rows::{android_helper as rows, post_action_guard},
    observe::Judgement,
};

use super::{Acted, alert, app, wait};
use crate::{
    adb::ShellCommand,
    apps::{Trouble, focused_title, troubled_app},
    backend::Memory,
    helper::Helper,
    see::{self, PERMISSIONS, SYSTEM},
};

/// Where a press that missed the app lands.
const ELSEWHERE: [&str; 2] = ["com.android.settings", "com.android.systemui"];
/// How long an app that is opened again may take until it is in front.
const COMES_BACK: Duration = Duration::from_secs(6);

/// Refuses, or clears the way, if the last capture showed a dialog of the system in front of what is meant.
pub(super) async fn before(
    helper: &Helper,
    memory: &Memory,
    action: &Action,
    call: &Call,
) -> Result<()> {
    if !memory.saw_system_dialog() || !is_hindered(action) {
        return Ok(());
    }
    let Some((package, trouble)) = blocker(helper, call).await? else {
        return Ok(());
    };
    let own = memory.app().as_deref() == Some(&*package);
    let (message, hint) = match trouble {
        Trouble::Silent if own => {
            return match recovered(helper, memory, &package, call).await? {
                Some(error) => Err(error),
                None => Ok(()),
            };
        }
        Trouble::Silent => (
            "a dialog about another app that does not respond lies over the screen",
            "Answer the dialog first, then repeat.",
        ),
        Trouble::Crashed => (
            "a dialog about an app that has crashed lies over the screen",
            "The device's log says why it crashed. Answer the dialog; if it is the app under test, open it again.",
        ),
    };
    Err(
        Error::refused(rows::BLOCKED_BY_DIALOG, ErrorCode::CommandFailed, message)
            .with_reason("android_blocking_dialog")
            .with_detail("package", package)
            .with_hint(hint),
    )
}

/// Whether a dialog in front is in the way. One that is meant itself is not, and some actions lead past it.
fn is_hindered(action: &Action) -> bool {
    let beside = |touch: &Touch| {
        let alert = |role| matches!(role, Role::Alert | Role::Dialog);
        let target = touch.target.as_ref();
        target.is_some_and(|target| !target.node().ancestors().any(|node| alert(node.role())))
    };
    match action {
        Action::Tap(touch)
        | Action::DoubleTap(touch)
        | Action::LongPress(touch, _)
        | Action::Focus(touch)
        | Action::Fill(touch, _) => beside(touch),
        Action::Scroll(_) | Action::Gesture(_) | Action::TypeText(_) | Action::KeyboardEnter => {
            true
        }
        _ => false,
    }
}

/// Looks whether a dialog of the system has come up, and whether a press has led out of the app.
pub(super) async fn after(
    helper: &Helper,
    memory: &Memory,
    action: &Action,
    acted: Acted,
    call: &Call,
) -> Result<Performed> {
    let Acted { performed, front } = acted;
    let press = matches!(
        action,
        Action::Tap(_) | Action::DoubleTap(_) | Action::LongPress(..)
    );
    let Some(expected) = memory
        .app()
        .filter(|app| memory.front().as_ref() == Some(app))
    else {
        return Ok(performed);
    };
    let front = match press {
        false => front,
        true => match see::front_at_rest(helper, memory, helper.config.quiet_limit, call).await {
            Ok(front) => front,
            Err(_) => {
                return Ok(
                    performed.with_warning("whether the press led out of the app is not known")
                );
            }
        },
    };
    let Some(front) = front.filter(|front| *front != expected) else {
        return Ok(performed);
    };
    if PERMISSIONS.contains(&&*front) {
        return Ok(performed.with_warning("the app asks for a permission: the dialog is open"));
    }
    if front == SYSTEM {
        let about = blocker(helper, call).await.ok().flatten();
        let about = about.filter(|(package, _)| *package == expected);
        let warning = match about.map(|(_, trouble)| trouble) {
            Some(Trouble::Silent) => match recovered(helper, memory, &expected, call).await? {
                Some(error) => return Err(error),
                None => "a dialog of the system was open",
            },
            Some(Trouble::Crashed) => "the app has crashed: a dialog of the system says so",
            None => "a dialog of the system is open",
        };
        return Ok(performed.with_warning(warning));
    }
    if press && (ELSEWHERE.contains(&&*front) || front.contains("launcher")) {
        return Err(Error::new(
            ErrorCode::CommandFailed,
            "the press led out of the app",
        )
        .uncertain(post_action_guard::ANDROID_PRESS_LEFT_APP)
        .with_reason("android_press_left_app")
        .with_detail("expectedPackage", expected)
        .with_detail("foregroundPackage", front)
        .with_hint("Look at the screen: the press may have hit something else, or the app may have ended."));
    }
    Ok(performed)
}

/// The app about which the system asks, and why, if that dialog is in front.
async fn blocker(helper: &Helper, call: &Call) -> Result<Option<(String, Trouble)>> {
    for words in [&["window", "windows"][..], &["window"]] {
        let command = ShellCommand::new("dumpsys")?.args(words)?;
        let output = helper.device.shell(&command, call).await?;
        if let Some(title) = focused_title(&output.stdout_text()) {
            let about = troubled_app(title);
            return Ok(about.map(|(package, trouble)| (package.to_owned(), trouble)));
        }
    }
    Ok(None)
}

/// Closes an app that does not respond and opens it again. What the caller wanted is not done: its screen is another now.
/// `None`: the app has come back by itself.
async fn recovered(
    helper: &Helper,
    memory: &Memory,
    package: &str,
    call: &Call,
) -> Result<Option<Error>> {
    if !alert::close_silent_app(helper, memory, call).await? {
        return Ok(None);
    }
    let again = OpenTarget::App(package.to_owned());
    app::open(helper, memory, &again, call).await?;
    let looking = || see::viewport(helper, call);
    let front = |now: &see::Viewport, _: Option<&_>, _| match now.package.as_deref() {
        Some(front) if front == package => Judgement::Done(()),
        _ => Judgement::go_on(),
    };
    let back = wait::until("app-back", COMES_BACK, call, looking, front).await?;
    Ok(Some(
        Error::new(
            ErrorCode::CommandFailed,
            "the app did not respond: it was closed and opened again",
        )
        .uncertain(rows::APP_REOPENED)
        .with_reason("android_app_not_responding")
        .with_detail("package", package)
        .with_detail("inFront", back.is_some())
        .with_hint("The app starts afresh: take a snapshot, and begin again from there."),
    ))
}
