//! What may come between an app and an action: a dialog of the system, or a press that leads out of the app.
//!
//! Nothing is asked for on a way that is free: what the last capture showed decides beforehand, one read of the package in
//! front afterwards.

use std::time::Duration;

use agent_device_core::{
    Call, Error, ErrorCode, Result, Role,
    action::{Action, OpenTarget, Performed, Touch},
    dispatch::rows::{android_helper as rows, post_action_guard},
    observe::Judgement,
};

use super::{alert, app, wait};
use crate::{
    adb::ShellCommand,
    apps::{focused_title, silent_app},
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
    match blocker(helper, call).await? {
        None => Ok(()),
        Some(package) if memory.app().as_deref() == Some(&*package) => {
            match recovered(helper, memory, &package, call).await? {
                Some(error) => Err(error),
                None => Ok(()),
            }
        }
        Some(package) => Err(Error::refused(
            rows::BLOCKED_BY_DIALOG,
            ErrorCode::CommandFailed,
            "a dialog about another app that does not respond lies over the screen",
        )
        .with_reason("android_blocking_dialog")
        .with_detail("package", package)
        .with_hint("Answer the dialog first, then repeat.")),
    }
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

/// Looks whether a press has led out of the app.
pub(super) async fn after(
    helper: &Helper,
    memory: &Memory,
    action: &Action,
    performed: Performed,
    call: &Call,
) -> Result<Performed> {
    let press = matches!(
        action,
        Action::Tap(_) | Action::DoubleTap(_) | Action::LongPress(..)
    );
    let Some(expected) = memory
        .app()
        .filter(|app| press && memory.front().as_ref() == Some(app))
    else {
        return Ok(performed);
    };
    // Whoever looks next waits for the same rest: it is waited for once.
    let limit = helper.config.quiet_limit.min(call.remaining());
    let Ok(viewport) = see::viewport_at_rest(helper, limit, call).await else {
        return Ok(performed.with_warning("whether the press led out of the app is not known"));
    };
    if let Some(display) = viewport.display {
        memory.set_display(display);
    }
    let Some(front) = viewport.package.filter(|front| *front != expected) else {
        return Ok(performed);
    };
    if PERMISSIONS.contains(&&*front) {
        return Ok(performed.with_warning("the app asks for a permission: the dialog is open"));
    }
    if front == SYSTEM {
        if let Ok(Some(package)) = blocker(helper, call).await
            && package == expected
            && let Some(error) = recovered(helper, memory, &package, call).await?
        {
            return Err(error);
        }
        return Ok(performed.with_warning("a dialog of the system is open"));
    }
    if ELSEWHERE.contains(&&*front) || front.contains("launcher") {
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

/// The package of the app about whose silence the system asks, if its dialog is in front.
async fn blocker(helper: &Helper, call: &Call) -> Result<Option<String>> {
    for words in [&["window", "windows"][..], &["window"]] {
        let command = ShellCommand::new("dumpsys")?.args(words)?;
        let output = helper.device.shell(&command, call).await?;
        if let Some(title) = focused_title(&output.stdout_text()) {
            return Ok(silent_app(title).map(str::to_owned));
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
