//! Typing where the focus is.

use std::time::Duration;

use agent_device_core::{
    Error, ErrorCode, Result,
    action::{Performed, Text},
    dispatch::rows::webdriver as rows,
};
use serde_json::{Value, json};

use super::{input, play_for};
use crate::{
    client::{Command, ELEMENT, Turn, element_id, segment},
    error::Kind,
};

/// How long a driver may take for so many keys, several times what was measured with chromedriver 156 on a busy machine: 1.8 ms
/// each for an element, 6.5 ms each as actions.
pub(super) fn time(turn: &Turn<'_>, text: &str) -> Duration {
    turn.session().client().config().action_timeout + keys_take(text) / 4
}

pub(super) fn keys_take(text: &str) -> Duration {
    let keys = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    Duration::from_millis(20).saturating_mul(keys)
}

/// Types where the focus is.
pub(super) async fn type_text(turn: &mut Turn<'_>, text: &Text) -> Result<Performed> {
    let unfocused = || {
        Error::refused(
            rows::TYPE_WITHOUT_FOCUS,
            ErrorCode::CommandFailed,
            "nothing has the focus",
        )
        .with_reason("text_entry_focus_not_observed")
        .with_hint("Focus or press a field first, or fill it.")
    };
    // The body is what drivers name when nothing has the focus: keys would be lost without a word.
    const FOCUSED: &str = "var e = document.activeElement;
        if (!e || e === document.body || e === document.documentElement) return null;
        return [e].concat(state(e))";
    let active = turn.read(field_script(FOCUSED, json!([]))).await?;
    let Some(element) = active.get(0).and_then(element_id) else {
        return Err(unfocused());
    };
    let before = active.get(2);
    let mut performed = if active.get(1).and_then(Value::as_bool) == Some(true) {
        let route = format!("element/{}/value", segment(element));
        let keys = Command::post(Kind::Field, route, json!({"text": text.expose()}));
        let budget = time(turn, text.expose());
        turn.mutate(keys.within(budget)).await?;
        Performed::by("element")
    } else {
        // The focus is in a frame, or on something that takes keys without being a field. Drivers refuse to type into that, and
        // from the refusal nobody could tell whether something was typed before it.
        let body = input::type_keys(text.expose());
        play_for(turn, Kind::Ticks, body, keys_take(text.expose())).await?;
        Performed::by("keys")
    };
    // Drivers answer with success also where a dialog took the keys or the field went away.
    let ask = field_script("return state(arguments[0])", json!([{ELEMENT: element}]));
    let warning = match turn.read(ask).await {
        Ok(after) => {
            let missing = !shows(before, after.get(1), text.expose());
            missing.then_some("the field does not hold the text that was typed")
        }
        Err(failure) if failure.open_dialog().is_some() => {
            Some("a dialog is open: what of the text arrived before it is not known")
        }
        Err(_) => Some(
            "what had the focus can't be asked any more: what of the text arrived is not known",
        ),
    };
    performed.warnings.extend(warning.map(Into::into));
    Ok(performed)
}

/// Whether what a field holds now agrees with the text that was typed into it, as far as anyone can tell: apps write it in their
/// own way, and what Enter and Tab do to a field is up to them.
fn shows(before: Option<&Value>, now: Option<&Value>, text: &str) -> bool {
    if text.contains(char::is_control) {
        return true;
    }
    let substance = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    match now {
        Some(Value::String(value)) => now != before && substance(value).contains(&substance(text)),
        Some(Value::Number(_)) => now != before,
        _ => true,
    }
}

/// A question about a field: `state` tells whether drivers type into it as an element, and what it holds. Of a secret only
/// how much.
fn field_script(question: &str, arguments: Value) -> Command {
    const STATE: &str = "function state(e) {
        var field = e.tagName === 'INPUT' || e.tagName === 'TEXTAREA' || e.isContentEditable, v = null, r;
        if (field) {
            r = e.getBoundingClientRect();
            field = r.width > 0 && r.height > 0 && getComputedStyle(e).visibility === 'visible' && !e.disabled;
            v = e.isContentEditable ? e.textContent : e.value;
            if (typeof v === 'string' && (e.type === 'password' || v.length > 10000)) v = v.length;
        }
        return [field, v];
    }
    ";
    let script = format!("{STATE}{question}");
    Command::post(
        Kind::Read,
        "execute/sync",
        json!({"script": script, "args": arguments}),
    )
}
