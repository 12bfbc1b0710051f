//! Acting: one action, once. Everything that can be refused is refused before the first send.
//!
//! Touches, keys and text go through the helper, which injects them as the platform does and says whether it had begun when
//! something fails. Apps are opened and closed by the shell, which also presses the keys for a helper that has none.

mod alert;
mod app;
mod field;
mod fill;
mod guard;
mod target;
mod text;
mod touch;
mod turn;
mod wait;

use std::time::Duration;

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    action::{Action, Operation, Performed, Text},
    dispatch::rows::android_helper as rows,
    observe::Judgement,
    snapshot::Keyboard,
};

use crate::{
    adb::ShellCommand,
    apps,
    backend::Memory,
    helper::{Command, Helper, encode},
    see,
};

use text::Edit;

/// Key codes of Android.
mod key {
    pub(super) const HOME: &str = "3";
    pub(super) const BACK: &str = "4";
    pub(super) const ENTER: &str = "66";
    pub(super) const ESCAPE: &str = "111";
    pub(super) const APP_SWITCH: &str = "187";
}

/// Longer texts do not fit into one request.
const LONGEST_TEXT: usize = 1 << 20;
/// How long the app that was in front may take to go.
const LEAVES: Duration = Duration::from_millis(1500);
/// How long a keyboard may take to slide away.
const KEYBOARD_LIMIT: Duration = Duration::from_millis(1500);

pub(crate) async fn perform(
    helper: &Helper,
    memory: &Memory,
    action: &Action,
    call: &Call,
) -> Result<Performed> {
    offers(helper, action.operation())?;
    guard::before(helper, memory, action, call).await?;
    if leads_on(action) {
        memory.acts();
    }
    let acted = act(helper, memory, action, call).await?;
    guard::after(helper, memory, action, acted, call).await
}

/// An action that was done.
struct Acted {
    performed: Performed,
    /// The package in front afterwards, where an answer on the way has told it.
    front: Option<String>,
}

impl From<Performed> for Acted {
    fn from(performed: Performed) -> Self {
        Self {
            performed,
            front: None,
        }
    }
}

/// Refuses what the helper that is used lacks, before a part of it is done.
fn offers(helper: &Helper, operation: Operation) -> Result<()> {
    match helper.config.helper.lacks().contains(&operation) {
        true => Err(Error::unsupported(operation)),
        false => Ok(()),
    }
}

/// Whether another screen may come of it. What happens within one field, one list or the clipboard stays where it is: an end of
/// the list that looks as before must not cost a doubt.
fn leads_on(action: &Action) -> bool {
    !matches!(
        action,
        Action::Hover(_)
            | Action::Focus(_)
            | Action::TypeText(_)
            | Action::Fill(..)
            | Action::Scroll(_)
            | Action::KeyboardDismiss
            | Action::WriteClipboard(_)
    )
}

async fn act(helper: &Helper, memory: &Memory, action: &Action, call: &Call) -> Result<Acted> {
    let performed = match action {
        Action::TypeText(text) => return type_text(helper, text, call).await,
        Action::Fill(touch, text) => return fill::fill(helper, memory, touch, text, call).await,
        Action::Scroll(plan) => return touch::scroll(helper, memory, plan, call).await,
        Action::Tap(touch) => touch::tap(helper, memory, touch, 1, call).await,
        Action::DoubleTap(touch) => touch::tap(helper, memory, touch, 2, call).await,
        Action::LongPress(touch, hold) => {
            touch::long_press(helper, memory, touch, *hold, call).await
        }
        Action::Focus(touch) => fill::focus(helper, memory, touch, call).await,
        Action::Gesture(plan) => touch::gesture(helper, memory, plan, call).await,
        Action::Back => press(helper, key::BACK, call).await,
        Action::Home => leave(helper, memory, key::HOME, call).await,
        Action::AppSwitcher => leave(helper, memory, key::APP_SWITCH, call).await,
        Action::KeyboardEnter => press(helper, key::ENTER, call).await,
        Action::KeyboardDismiss => dismiss_keyboard(helper, memory, call).await,
        Action::Open(target) => app::open(helper, memory, target, call).await,
        Action::Close(app) => app::close(helper, memory, app.as_deref(), call).await,
        Action::AcceptAlert(answer) => alert::accept(helper, memory, answer.as_ref(), call).await,
        Action::DismissAlert => alert::dismiss(helper, memory, call).await,
        Action::SetOrientation(orientation) => turn::to(helper, memory, *orientation, call).await,
        Action::WriteClipboard(text) => {
            let payload = encoded(text)?;
            helper
                .mutate(Command::new("setclipboard", &payload), call)
                .await?;
            Ok(Performed::new())
        }
        other => Err(Error::unsupported(other.operation())),
    };
    performed.map(Acted::from)
}

/// The text as the helper takes it.
fn encoded(text: &Text) -> Result<String> {
    if text.expose().len() > LONGEST_TEXT {
        return Err(Error::invalid(
            "text",
            format!("the text is too long: {} bytes", text.expose().len()),
        ));
    }
    Ok(encode(text.expose().as_bytes()))
}

async fn press(helper: &Helper, code: &str, call: &Call) -> Result<Performed> {
    if helper.config.helper.is_bundled() {
        helper.mutate(Command::new("key", code), call).await?;
    } else {
        let command = ShellCommand::new("input")?.args(["keyevent", code])?;
        let output = apps::mutate(&helper.device, &command, call).await?;
        output.checked(&command)?;
    }
    Ok(Performed::by("keys"))
}

/// Types at the cursor of the field that has the focus. The helper refuses if there is none.
async fn type_text(helper: &Helper, text: &Text, call: &Call) -> Result<Acted> {
    if text.expose().is_empty() {
        return Err(Error::invalid("text", "there is no text to type"));
    }
    let edited = text::edit(helper, &Edit::insert(text)?, call).await?;
    Ok(Acted {
        front: edited.front(),
        performed: edited.performed,
    })
}

/// Presses a key that leads out of the app, and waits until another one is in front: until then the old screen is told, and not
/// always to the byte as before.
async fn leave(helper: &Helper, memory: &Memory, key: &str, call: &Call) -> Result<Performed> {
    let performed = press(helper, key, call).await?;
    if let Some(before) = memory.front() {
        let looking = || see::viewport(helper, call);
        let left = |now: &see::Viewport, _: Option<&_>, _| match now.package.as_deref() {
            Some(front) if front != before => Judgement::Done(()),
            _ => Judgement::go_on(),
        };
        // The key went out. Where it led to is for the next capture to say, also when nobody can tell who is in front.
        let _ = wait::until("app-left", LEAVES, call, looking, left).await;
        memory.came_to_front(None);
    }
    Ok(performed)
}

/// Escape puts the keyboard away and leads nowhere else. Back would leave the screen once the keyboard is gone.
async fn dismiss_keyboard(helper: &Helper, memory: &Memory, call: &Call) -> Result<Performed> {
    let seen = see::viewport(helper, call).await?.keyboard.is_some();
    if !seen && see::keyboard(helper, memory, call).await? == Keyboard::Absent {
        return Ok(Performed::new().with_warning("no keyboard was shown"));
    }
    let performed = press(helper, key::ESCAPE, call).await?;
    if !seen {
        return Ok(performed.with_warning("whether a keyboard is shown is not known"));
    }
    let look = || see::viewport(helper, call);
    let gone = |viewport: &see::Viewport, _: Option<&_>, _| match viewport.keyboard {
        None => Judgement::Done(()),
        Some(_) => Judgement::go_on(),
    };
    match wait::until("keyboard-gone", KEYBOARD_LIMIT, call, look, gone).await? {
        Some(()) => Ok(performed),
        None => Err(Error::new(
            ErrorCode::UnsupportedOperation,
            "the keyboard stays although it was told to go",
        )
        .uncertain(rows::KEYBOARD_STAYS)
        .with_reason("android_keyboard_stays")
        .with_operation(Operation::KeyboardDismiss)
        .with_hint("Press the app's own button for it, or go on with the keyboard open.")),
    }
}
