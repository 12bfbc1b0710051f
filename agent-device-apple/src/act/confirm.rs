//! The system's question after an address was handed over: whether the app that owns its scheme may be opened.
//!
//! It is answered with yes if it names the app under test, and that app says that it opens such addresses. Everything else
//! stays open for whoever reads the warning: several apps may have the same scheme, and the address is let into none but ours.

use agent_device_core::{Call, Error, ErrorCode, Result, dispatch::rows::ios_runner as rows};

use super::alert;
use crate::{
    backend::Apple,
    runner::{RunnerState, Verb},
    tools::{Patience, Simctl},
};

/// What an alert shows.
#[derive(Debug, PartialEq, Eq)]
struct Sheet {
    title: String,
    buttons: Vec<String>,
}

impl Sheet {
    /// The app that the sheet asks about: Open in “App”?
    fn asks_about(&self) -> Option<&str> {
        let inner = self
            .title
            .trim()
            .strip_prefix("Open in ")?
            .strip_suffix('?')?;
        let name = inner.strip_prefix(['“', '"'])?.strip_suffix(['”', '"'])?;
        (!name.is_empty() && self.buttons.len() == 2).then_some(name)
    }
}

/// Looks for the question and answers it if it is about the app under test. `None`: nothing was asked. Else what the caller
/// should know.
///
/// # Errors
///
/// `launch_confirmation_foreign_app` (`unknown`): the question is about another app, and is still open.
pub(super) async fn answer(
    apple: &Apple,
    simctl: &Simctl,
    scheme: &str,
    call: &Call,
) -> Result<Option<String>> {
    // A runner that must be started first would look too late, and long.
    if apple.runner.state() != RunnerState::Ready {
        return Ok(Some(unread("runner", "no runner is there yet")));
    }
    let sheet = match read(apple, call).await {
        Ok(Some(sheet)) => sheet,
        Ok(None) => return Ok(None),
        Err(error) => return Ok(Some(unread("alert-read", error.message()))),
    };
    let (Some(asked), Some(app)) = (sheet.asks_about(), apple.runner.app()) else {
        return Ok(Some(
            "ios_launch_confirmation_unanswered: an alert is open that was not answered".to_owned(),
        ));
    };
    let Some(info) = simctl.app_info(&app, &Patience::of(call)).await else {
        return Ok(Some(unread(
            "url-owner",
            "the app under test does not tell its name",
        )));
    };
    if !info.is_called(asked) || !info.opens(scheme) {
        return Err(foreign(asked, &app));
    }
    // The look-up took its time: what is answered must still be what was read.
    match read(apple, call).await {
        Ok(Some(again)) if again == sheet => {}
        Ok(None) => return Ok(None),
        _ => return Ok(Some(unread("alert-read", "the alert has changed"))),
    }
    let accept = alert::command(Verb::AlertAccept, call);
    Ok(Some(match apple.runner.ask(&accept, call).await {
        Ok(_) => "the question whether the app may be opened was answered with yes".to_owned(),
        Err(failure) => unread("alert-accept", &failure.to_string()),
    }))
}

async fn read(apple: &Apple, call: &Call) -> Result<Option<Sheet>> {
    let get = alert::command(Verb::AlertGet, call);
    match apple.runner.ask(&get, call).await {
        Ok(data) => Ok(Some(Sheet {
            title: data.message.unwrap_or_default(),
            buttons: data.items.unwrap_or_default(),
        })),
        Err(failure) if failure.code() == Some(alert::ABSENT) => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

/// The address was handed over, so that nobody could look fails nothing. The step is a word for machines.
fn unread(step: &str, why: &str) -> String {
    format!(
        "ios_launch_confirmation_unreadable: {step}: whether the app may be opened is perhaps still asked: {why}"
    )
}

fn foreign(asked: &str, app: &str) -> Error {
    let asked: String = asked.chars().take(200).collect();
    Error::new(
        ErrorCode::CommandFailed,
        "the system asks whether another app than the one under test may be opened",
    )
    .uncertain(rows::LAUNCH_CONFIRMATION_FOREIGN_APP)
    .with_reason("launch_confirmation_foreign_app")
    .with_detail("asked", asked)
    .with_detail("app", app)
    .with_hint("The question is still open: dismiss the alert. Remove the other app, or give the app under test a scheme of its own.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_one_question_names_an_app() {
        let sheet = |title: &str, buttons: &[&str]| Sheet {
            title: title.to_owned(),
            buttons: buttons.iter().map(|&it| it.to_owned()).collect(),
        };
        for title in ["Open in “Fixture”?", "Open in \"Fixture\"?"] {
            assert_eq!(
                sheet(title, &["Cancel", "Open"]).asks_about(),
                Some("Fixture")
            );
            assert_eq!(sheet(title, &["Open"]).asks_about(), None);
        }
        for other in [
            "",
            "Open in “”?",
            "Open in Fixture?",
            "Allow “Fixture” to track?",
            "Open in “x”? Really",
        ] {
            assert_eq!(
                sheet(other, &["Cancel", "Open"]).asks_about(),
                None,
                "{other}"
            );
        }
    }
}
