//! Typing, and replacing what a field holds. The runner gives the focus, types, and reads back.

use agent_device_core::{
    Call, Error, ErrorCode, Result, Role,
    action::{FieldState, Performed, Text, Touch},
};

use super::touch;
use crate::{
    backend::Apple,
    error::RunnerFailure,
    runner::{Command, Data, Verb},
};

/// Longer texts don't fit into one request of the runner.
const LONGEST: usize = 1 << 20;

fn checked(text: &Text) -> Result<&str> {
    let content = text.expose();
    if content.len() > LONGEST {
        return Err(Error::invalid(
            "text",
            format!("the text is too long: {} bytes", content.len()),
        ));
    }
    Ok(content)
}

fn method(route: Option<&str>) -> &'static str {
    match route {
        Some(route) if route.starts_with("synthesized") => "keys",
        _ => "element",
    }
}

/// What the runner says that the field holds. `None`: it doesn't, and the field is still to be looked at.
fn read_back(data: &Data, text: &Text) -> Option<FieldState> {
    let content = text.expose();
    match data.text_entry_verification.as_deref() {
        Some("verified") if text.is_secret() => Some(FieldState::Length(content.chars().count())),
        Some("verified") => Some(FieldState::Text(content.to_owned())),
        Some("unobserved") => Some(FieldState::Unreadable),
        // Runners of other makers don't say it, and answer an empty text only after they have found the field empty, unless it was
        // given without a look. A tree can't tell that from a hint that equals the text.
        None if content.is_empty() && method(data.text_entry_route.as_deref()) == "element" => {
            Some(FieldState::Text(String::new()))
        }
        // Only the caller can say what a text that the app has made another one is worth.
        _ => None,
    }
}

/// Types into whatever has the focus.
pub(super) async fn type_text(apple: &Apple, text: &Text, call: &Call) -> Result<Performed> {
    let content = checked(text)?;
    if content.is_empty() {
        return Err(Error::invalid("text", "there is no text to type"));
    }
    let command = Command::new(Verb::Type)
        .with("text", content)
        .with("delayMs", 0);
    // A newline alone is a key, not a part of a text that could be read back.
    let command = if content == "\n" {
        command
    } else {
        command.with("textEntryMode", "append")
    };
    // Nobody looks at the field after this, so another text in it, after the runner's one repair, is no success.
    let answer = apple.runner.ask(&command, call).await;
    match answer {
        Ok(data) => Ok(Performed::by(method(data.text_entry_route.as_deref()))),
        Err(failure) => Err(without_secret(failure, text)),
    }
}

/// The runner takes the target by its name only if it takes text itself: a field may lie within what was found.
fn aim(apple: &Apple, touch: &Touch) -> Result<Command> {
    let takes_text = touch.target.as_ref().is_some_and(|target| {
        matches!(
            target.node().role(),
            Role::TextField | Role::SecureTextField | Role::TextView | Role::SearchField
        )
    });
    if takes_text {
        return touch::aim(apple, Verb::Type, touch);
    }
    let bare = Touch {
        point: touch.point,
        target: None,
    };
    touch::aim(apple, Verb::Type, &bare)
}

/// Replaces what the field at the point holds.
pub(super) async fn fill(
    apple: &Apple,
    touch: &Touch,
    text: &Text,
    call: &Call,
) -> Result<Performed> {
    let content = checked(text)?;
    let command = aim(apple, touch)?
        .with("text", content)
        .with("delayMs", 0)
        .with("textEntryMode", "replace");
    match apple.runner.ask(&command, call).await {
        Ok(data) => {
            let performed = Performed::by(method(data.text_entry_route.as_deref()));
            Ok(match read_back(&data, text) {
                Some(field) => performed.with_field(field),
                None => performed,
            })
        }
        Err(failure) => match was_typed(&failure).filter(|_| !content.is_empty()) {
            Some(warning) => Ok(Performed::by("element").with_warning(warning)),
            None => Err(without_secret(failure, text)),
        },
    }
}

/// What is wrong with a text that was typed all the same. What that is worth is for whoever reads the field.
fn was_typed(failure: &RunnerFailure) -> Option<&'static str> {
    match failure.code()? {
        // The app has made something else of it.
        "TEXT_ENTRY_MISMATCH" => Some("the field holds another text than was typed"),
        // It may be on its way still, or look the same as the hint of an empty field.
        "TEXT_INPUT_COMMIT_NOT_OBSERVED" => Some("the field does not show the text that was typed"),
        _ => None,
    }
}

fn without_secret(failure: RunnerFailure, text: &Text) -> Error {
    let error = Error::from(failure);
    if text.is_secret() && error.code() != ErrorCode::InvalidArgs {
        error.without_secret(text.expose())
    } else {
        error
    }
}
