//! Replacing what a field holds, by the kind of the field.
//!
//! | kind | how |
//! | --- | --- |
//! | text, rich text | clear, then keys; once more by selecting all and deleting if the page kept the old text |
//! | date, time, colour, range | by script with `input` and `change`: keys would depend on browser and locale |
//! | choice | the option with the label, by script |
//! | file | the path |
//! | box, radio | refused: they are pressed |

use agent_device_core::{
    Error, ErrorCode, Result,
    action::{FieldState, Performed, Text, Touch},
    dispatch::{
        DispatchDisclosure as _, Verdict,
        rows::{core, webdriver as rows},
    },
    reason,
    snapshot::Flag,
};
use serde_json::{Value, json};

use super::{
    input::{self, keys},
    refuse,
    touch::{self, Found},
    typing, value,
};
use crate::{
    client::{Command, ELEMENT, Turn, element_id, segment},
    error::{Kind, WireFailure},
    page::{
        Act,
        answer::{Answer, Control, Status},
    },
    see,
};

/// Longer texts are set by script. Keys took 1.3 to 1.8 ms each with chromedriver 156 on a busy machine.
const LONGEST_KEYED: usize = 2_000;

pub(super) async fn fill(turn: &mut Turn<'_>, touch: &Touch, text: &Text) -> Result<Performed> {
    let Some(found) = touch::resolve(turn, touch).await? else {
        return fill_at(turn, touch, text).await;
    };
    let node = touch.target.as_ref().map(|target| target.node());
    if node.is_some_and(|node| node.is(Flag::ReadOnly)) {
        // Drivers answer with success and type nothing.
        return Err(refuse::read_only(&found.line));
    }
    let native = node
        .and_then(|node| node.native_type())
        .unwrap_or_default()
        .to_owned();
    match found.answer.control {
        Control::Text | Control::ContentEditable => fill_text(turn, &found, &native, text).await,
        Control::Date | Control::Color | Control::Range => {
            if !value::fits(&native, text.expose()) {
                return Err(refuse::not_accepted(
                    "the field needs a value in its own form, for example 2026-11-30, 13:45, 2026-W49 or #ff8800",
                ));
            }
            by_script(turn, &found, Act::Set(text.expose())).await
        }
        Control::Select => by_script(turn, &found, Act::Select(text.expose())).await,
        Control::File => choose_file(turn, &found, text).await,
        Control::Checkbox | Control::Radio => {
            Err(refuse::not_accepted("a box is not filled: it is pressed")
                .with_hint("Press it to change it."))
        }
        Control::None => Err(refuse::not_accepted("the element is not a field")),
    }
}

async fn fill_text(
    turn: &mut Turn<'_>,
    found: &Found,
    native: &str,
    text: &Text,
) -> Result<Performed> {
    let wanted = text.expose();
    let one_line = native.starts_with("input");
    if one_line && wanted.contains(['\n', '\r']) {
        return Err(refuse::not_accepted(
            "a field of one line can't hold a line break: its keys would send the form",
        ));
    }
    let before = Before::of(&found.answer);
    if wanted.is_empty() && before.length == Some(0) {
        return Ok(Performed::by("element").with_field(state(&found.answer, wanted)));
    }
    // A tab typed would leave the field.
    let unkeyable = wanted.contains('\t') || wanted.len() > LONGEST_KEYED;
    if unkeyable && found.answer.control == Control::Text {
        return by_script(turn, found, Act::Set(wanted)).await;
    }
    let Some(element) = &found.element else {
        return by_keys(turn, found, text).await;
    };
    let path = |route: &str| format!("element/{}/{route}", segment(element));
    let mut cleared = false;
    if before.length != Some(0) {
        turn.mutate(Command::post(Kind::Field, path("clear"), json!({})))
            .await?;
        cleared = true;
    }
    let budget = typing::time(turn, wanted);
    let keyed = |keys: String| {
        Command::post(Kind::Field, path("value"), json!({"text": keys})).within(budget)
    };
    if !wanted.is_empty() {
        let typed = turn.mutate(keyed(wanted.to_owned())).await;
        typed.map_err(|failure| after_clear(failure, cleared))?;
    }
    let mut performed = Performed::by("element");
    let mut answer = match read_back(turn, found, wanted).await? {
        Some(answer) => answer,
        None => return Ok(unread(performed)),
    };
    if before.kept_by(&answer, wanted) {
        // The page did not notice the clearing, as it raises no input event. Keys do.
        let mut all = select_all(turn);
        all.push_str(wanted);
        turn.mutate(keyed(all)).await?;
        performed = Performed::by("keys");
        answer = match read_back(turn, found, wanted).await? {
            Some(answer) => answer,
            None => return Ok(unread(performed)),
        };
    }
    Ok(performed.with_field(state(&answer, wanted)))
}

/// Keys that mark everything in a field and delete it.
fn select_all(turn: &Turn<'_>) -> String {
    let platform = turn.session().facts().platform.as_str();
    let modifier = if platform.starts_with("mac") || platform == "ios" {
        keys::META
    } else {
        keys::CONTROL
    };
    [modifier, 'a', keys::RELEASE, keys::BACKSPACE]
        .into_iter()
        .collect()
}

/// For fields that the driver can't hold: a click for the focus, then keys.
async fn by_keys(turn: &mut Turn<'_>, found: &Found, text: &Text) -> Result<Performed> {
    if !found.answer.focused {
        touch::click(turn, found).await?;
        touch::require_focus(turn, &found.target).await?;
    }
    let platform = turn.session().facts().platform.clone();
    let body = input::replace_keys(
        text.expose(),
        platform.starts_with("mac") || platform == "ios",
    );
    super::play_for(turn, Kind::Ticks, body, typing::keys_take(text.expose())).await?;
    let performed = Performed::by("keys");
    Ok(match read_back(turn, found, text.expose()).await? {
        Some(answer) => performed.with_field(state(&answer, text.expose())),
        None => unread(performed),
    })
}

/// What the field held before.
struct Before {
    length: Option<usize>,
    value: Option<String>,
}

impl Before {
    fn of(answer: &Answer) -> Self {
        Self {
            length: answer.length,
            value: answer.value.clone().filter(|_| !answer.cut),
        }
    }

    /// Whether the old text is still there beside the new one.
    fn kept_by(&self, now: &Answer, wanted: &str) -> bool {
        if now.equal == Some(true) {
            return false;
        }
        let (Some(before), Some(length)) = (self.length, now.length) else {
            return false;
        };
        if before == 0 || length < before {
            return false;
        }
        match (&self.value, &now.value) {
            (Some(old), Some(new)) if !now.cut => {
                new == &format!("{old}{wanted}") || new == &format!("{wanted}{old}")
            }
            _ => length == before + wanted.encode_utf16().count(),
        }
    }
}

fn after_clear(failure: WireFailure, cleared: bool) -> Error {
    let refused = matches!(failure.verdict(), Some(Verdict::No(_)));
    let error = Error::from(failure);
    if cleared && refused {
        error
            .uncertain(rows::FILL_CLEAR_THEN_TYPE_REFUSED)
            .with_hint(
                "The field was cleared and the text was not typed. Look at it, then fill it again.",
            )
    } else {
        error
    }
}

/// The field as it is now; `None` if it can't be known. The text was sent: that the page can't be asked fails nothing, and
/// neither does that another page is there, which is how a form ends that sends itself.
///
/// # Errors
///
/// What may have kept a part of the text from the field: it is gone from a page that is still there and is not known to have held
/// the whole text, or a dialog is open.
async fn read_back(turn: &mut Turn<'_>, found: &Found, wanted: &str) -> Result<Option<Answer>> {
    // Its name may depend on what it holds: the place is enough.
    let target = found.target.clone().unchecked();
    match see::inquire(turn, Act::Read(Some(wanted)), &target).await {
        Ok(answer) => match answer.status {
            // What a framework has put in its place is a field again.
            Status::Ok if answer.control == found.answer.control => Ok(Some(answer)),
            Status::Ok | Status::Gone => {
                // A form that sends itself may end in the same page, too.
                if let Some(element) = &found.element
                    && see::held(turn, element, wanted).await
                {
                    return Ok(None);
                }
                let why = format!("{} went away while it was filled", found.line);
                Err(unverified(wanted, why))
            }
            _ => Ok(None),
        },
        Err(failure) => match failure.open_dialog() {
            Some(dialog) => Err(interrupted(wanted, dialog)),
            None => Ok(None),
        },
    }
}

fn interrupted(wanted: &str, dialog: &str) -> Error {
    unverified(
        wanted,
        "a dialog opened while the field was filled".to_owned(),
    )
    .with_detail("dialogText", dialog)
    .with_hint("Accept or dismiss the dialog, then look at what the field holds.")
}

fn unverified(wanted: &str, why: String) -> Error {
    Error::new(ErrorCode::CommandFailed, why)
        .uncertain(core::FILL_UNVERIFIED)
        .with_reason(reason::FILL_UNVERIFIED)
        .with_detail("expectedLength", wanted.chars().count())
}

fn unread(performed: Performed) -> Performed {
    performed
        .with_field(FieldState::Unreadable)
        .with_warning("what the field holds now is not known")
}

fn state(answer: &Answer, wanted: &str) -> FieldState {
    if answer.secret {
        return match (answer.equal, answer.length) {
            (Some(true), _) => FieldState::Length(wanted.chars().count()),
            (_, Some(length)) => FieldState::Length(length),
            _ => FieldState::Unreadable,
        };
    }
    if answer.equal == Some(true) {
        return FieldState::Text(wanted.to_owned());
    }
    match &answer.value {
        Some(value) if !answer.cut => FieldState::Text(value.clone()),
        _ => FieldState::Unreadable,
    }
}

/// An act of the page's script that changes the field.
async fn by_script(turn: &mut Turn<'_>, found: &Found, act: Act<'_>) -> Result<Performed> {
    let command = see::question(turn, Kind::Script, act, &found.target);
    let mut refusal = None;
    let value = turn
        .mutate_unless(command, |value| {
            // The script checks before it changes anything, and says so.
            let (answer, _) = see::understand(value)?;
            let error = refuse::by(&answer, &found.line)?;
            let row = match error.verdict() {
                Some(Verdict::No(row)) => Some(row),
                _ => None,
            };
            refusal = Some(error);
            row
        })
        .await?;
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    let wanted = match act {
        Act::Set(text) | Act::Select(text) => text,
        _ => "",
    };
    let Some((answer, _)) = see::understand(&value) else {
        // A script that a dialog cuts short has no value.
        read_back(turn, found, wanted).await?;
        return Err(WireFailure::Unreadable { status: None }.into());
    };
    let field = match act {
        // The option was chosen by its label or its value; the script has checked that it is the chosen one.
        Act::Select(_) if answer.status == Status::Ok => FieldState::Text(wanted.to_owned()),
        _ => state(&answer, wanted),
    };
    Ok(Performed::by("script").with_field(field))
}

async fn choose_file(turn: &mut Turn<'_>, found: &Found, text: &Text) -> Result<Performed> {
    let paths = text.expose();
    if paths.is_empty() {
        return Err(refuse::not_accepted(
            "a file chooser can't be emptied through WebDriver",
        ));
    }
    let local = turn.session().client().endpoint().is_loopback();
    for path in paths.split('\n') {
        let path = std::path::Path::new(path);
        // The browser resolves a relative path against a folder that nobody knows.
        if !path.is_absolute() {
            return Err(refuse::not_accepted("a file is named by its absolute path"));
        }
        if local && !path.exists() {
            return Err(refuse::not_accepted("there is no such file"));
        }
    }
    let Some(element) = &found.element else {
        return Err(refuse::not_accepted(
            "the file chooser lies in an inner frame",
        ));
    };
    let route = format!("element/{}/value", segment(element));
    let kind = if turn.session().facts().strict_files {
        Kind::Field
    } else {
        Kind::File
    };
    turn.mutate(Command::post(kind, route, json!({"text": paths})))
        .await?;
    let performed = Performed::by("element");
    let first = paths.split('\n').next().unwrap_or_default();
    let name = std::path::Path::new(first)
        .file_name()
        .and_then(|name| name.to_str());
    // A page sees the name alone.
    Ok(match read_back(turn, found, first).await? {
        Some(answer) if answer.value.as_deref() == name => {
            performed.with_field(FieldState::Text(paths.to_owned()))
        }
        Some(answer) => performed.with_field(state(&answer, paths)),
        None => unread(performed),
    })
}

/// Fills whatever takes the focus at plain coordinates.
async fn fill_at(turn: &mut Turn<'_>, touch: &Touch, text: &Text) -> Result<Performed> {
    touch::tap(turn, touch).await?;
    let active = turn
        .read(Command::get(Kind::Read, "element/active"))
        .await?;
    let element = element_id(&active).ok_or_else(see::unreadable)?.to_owned();
    let path = |route: &str| format!("element/{}/{route}", segment(&element));
    let cleared = turn
        .mutate(Command::post(Kind::Field, path("clear"), json!({})))
        .await;
    cleared.map_err(|failure| {
        if failure.code() == Some("invalid element state") {
            Error::new(
                ErrorCode::CommandFailed,
                "what has the focus is not a field",
            )
            .disclosed_by(&failure)
        } else {
            failure.into()
        }
    })?;
    if !text.expose().is_empty() {
        let body = json!({"text": text.expose()});
        let budget = typing::time(turn, text.expose());
        turn.mutate(Command::post(Kind::Field, path("value"), body).within(budget))
            .await
            .map_err(|failure| after_clear(failure, true))?;
    }
    // What a secret field holds does not leave the page.
    const HOLDS: &str = "var e = arguments[0], v = e.value === undefined ? e.textContent : e.value;
        return e.type === 'password' || arguments[1] ? v.length : v";
    let arguments = json!([{ELEMENT: element}, text.is_secret()]);
    let ask = Command::post(
        Kind::Read,
        "execute/sync",
        json!({"script": HOLDS, "args": arguments}),
    );
    let performed = Performed::by("element");
    Ok(match turn.read(ask).await {
        Ok(Value::String(value)) => performed.with_field(FieldState::Text(value)),
        Ok(value) => match value
            .as_u64()
            .and_then(|length| usize::try_from(length).ok())
        {
            Some(length) => performed.with_field(FieldState::Length(length)),
            None => unread(performed),
        },
        Err(failure) => match failure.open_dialog() {
            Some(dialog) => return Err(interrupted(text.expose(), dialog)),
            None => unread(performed),
        },
    })
}
