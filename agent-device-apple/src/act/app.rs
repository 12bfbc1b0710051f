//! Opening and closing apps and addresses: by Xcode's tools where they reach the device, else by the runner.

use agent_device_core::{
    Call, DispatchDisclosure as _, Error, ErrorCode, Result,
    action::{OpenTarget, Operation, Performed},
    dispatch::{Verdict, rows::ios_runner as rows},
};

use crate::{
    backend::Apple,
    runner::{Apps, Command, RunnerState, Verb},
    tools::{Patience, ToolFailure},
};

/// Runs a tool that the app may notice: the one place where that happens.
async fn mutate(
    call: &Call,
    tool: impl Future<Output = Result<(), ToolFailure>>,
) -> Result<(), ToolFailure> {
    let guard = call.send();
    let result = tool.await;
    match &result {
        Ok(()) => guard.landed(),
        Err(failure) => match failure.verdict() {
            Some(Verdict::No(row)) => guard.refused(row),
            _ => guard.uncertain(),
        },
    }
    result
}

pub(super) async fn open(apple: &Apple, target: &OpenTarget, call: &Call) -> Result<Performed> {
    match target {
        OpenTarget::App(app) => {
            check_bundle(app)?;
            launch(apple, app, call).await?;
            Ok(Performed::new())
        }
        OpenTarget::Url(url) => open_url(apple, url, call).await,
        _ => Err(Error::unsupported(Operation::Open)),
    }
}

/// Opens the app anew.
async fn launch(apple: &Apple, app: &str, call: &Call) -> Result<()> {
    let patience = Patience::of(call);
    match apple.runner.launcher().apps() {
        Apps::Simulator(simctl) => {
            installed(app, simctl.has_app(app, &patience).await?)?;
            mutate(call, simctl.launch(app, &patience)).await?;
        }
        Apps::Device(devicectl) => {
            installed(app, devicectl.has_app(app, &patience).await?)?;
            mutate(call, devicectl.launch(app, None, &patience)).await?;
        }
        Apps::Runner => {
            // The runner does it itself, so there is no app of before that it would hold on to.
            let command = Command::new(Verb::Activate).with("appBundleId", app);
            apple.runner.ask(&command, call).await?;
            apple.launched(app);
            return Ok(());
        }
    }
    apple.launched(app);
    reset_target(apple, call).await
}

/// The runner holds on to the process of the app. One that does not confirm that it has let go is not used any more.
async fn reset_target(apple: &Apple, call: &Call) -> Result<()> {
    if apple.runner.state() != RunnerState::Ready {
        return Ok(());
    }
    let reset = apple
        .runner
        .ask(&Command::new(Verb::TargetReset), call)
        .await;
    let Err(failure) = reset else { return Ok(()) };
    apple.runner.close().await;
    Err(Error::from(failure)
        .uncertain(rows::TARGET_RESET_UNCONFIRMED)
        .with_reason("target_reset_unconfirmed")
        .with_hint(
            "The app was opened. The runner was ended; the next operation starts a new one.",
        ))
}

fn installed(app: &str, there: bool) -> Result<()> {
    if there {
        return Ok(());
    }
    Err(Error::refused(
        rows::APP_NOT_INSTALLED,
        ErrorCode::AppNotInstalled,
        "the app is not installed on the device",
    )
    .with_detail("app", app))
}

async fn open_url(apple: &Apple, url: &str, call: &Call) -> Result<Performed> {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    if !scheme.is_some_and(is_scheme) || url.chars().any(char::is_control) {
        return Err(Error::invalid("url", "the address is not an absolute URL"));
    }
    let patience = Patience::of(call);
    let web = matches!(scheme, Some("http" | "https"));
    let app = apple.runner.app();
    match apple.runner.launcher().apps() {
        Apps::Simulator(simctl) => {
            // A link of the web leads to the browser unless its app runs.
            if let (true, Some(app)) = (web, &app) {
                launch(apple, app, call).await?;
            }
            mutate(call, simctl.open_url(url, &patience)).await?;
            let mut question = Question::read(apple, call).await;
            if question == Question::WhetherToOpen {
                // Another app may have the same scheme: only one's own is let in.
                let scheme = scheme.unwrap_or_default();
                let app = app.unwrap_or_default();
                if !simctl.declares_scheme(&app, scheme, &patience).await {
                    question = Question::OfAnother;
                }
            }
            question.answer(apple, call).await
        }
        Apps::Device(devicectl) => {
            let app = app.ok_or_else(|| {
                Error::invalid(
                    "app",
                    "a device opens an address in an app: name the app first",
                )
            })?;
            installed(&app, devicectl.has_app(&app, &patience).await?)?;
            mutate(call, devicectl.launch(&app, Some(url), &patience)).await?;
            apple.launched(&app);
            reset_target(apple, call).await?;
            Ok(Performed::new())
        }
        Apps::Runner => Err(Error::unsupported(Operation::Open)
            .with_hint("The runner alone opens no addresses: name a simulator or a device.")),
    }
}

/// What the system asks after an address was handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Nothing, or nothing that can be read: the address was handed over, so that fails nothing.
    None,
    /// Whether the app may be opened.
    WhetherToOpen,
    /// The same, of an app that is not known to be the one under test.
    OfAnother,
    /// Something else.
    Else,
}

impl Question {
    async fn read(apple: &Apple, call: &Call) -> Self {
        if apple.runner.state() != RunnerState::Ready || apple.runner.app().is_none() {
            return Self::None;
        }
        let ask = Command::new(Verb::AlertGet).with("timeoutMs", 500);
        let Ok(data) = apple.runner.ask(&ask, call).await else {
            return Self::None;
        };
        let buttons = data.items.unwrap_or_default().len();
        if asks_to_open(&data.message.unwrap_or_default()) && buttons == 2 {
            Self::WhetherToOpen
        } else {
            Self::Else
        }
    }

    async fn answer(self, apple: &Apple, call: &Call) -> Result<Performed> {
        let performed = Performed::new();
        Ok(match self {
            Self::None => performed,
            Self::WhetherToOpen => {
                let accept = Command::new(Verb::AlertAccept).with("timeoutMs", 5000);
                apple.runner.ask(&accept, call).await?;
                performed.with_warning(
                    "the question whether the app may be opened was answered with yes",
                )
            }
            Self::OfAnother => performed.with_warning(
                "the question whether an app may be opened was not answered: it may be another app than the one under test",
            ),
            Self::Else => performed.with_warning("an alert is open that was not answered"),
        })
    }
}

/// The system's sheet: Open in “App”?
fn asks_to_open(title: &str) -> bool {
    let inner = title
        .trim()
        .strip_prefix("Open in ")
        .and_then(|rest| rest.strip_suffix('?'));
    inner.is_some_and(|name| {
        let name = name
            .strip_prefix(['“', '"'])
            .and_then(|name| name.strip_suffix(['”', '"']));
        name.is_some_and(|name| !name.is_empty())
    })
}

pub(super) async fn close(apple: &Apple, app: Option<&str>, call: &Call) -> Result<Performed> {
    let app = app
        .map(str::to_owned)
        .or_else(|| apple.runner.app())
        .ok_or_else(|| {
            Error::invalid("app", "no app was named or opened: name the one to close")
        })?;
    check_bundle(&app)?;
    let patience = Patience::of(call);
    match apple.runner.launcher().apps() {
        Apps::Simulator(simctl) => mutate(call, simctl.terminate(&app, &patience)).await?,
        Apps::Device(devicectl) => mutate(call, devicectl.terminate(&app, &patience)).await?,
        Apps::Runner => {
            let command = Command::new(Verb::Terminate).with("appBundleId", &app);
            apple.runner.ask(&command, call).await?;
        }
    }
    Ok(Performed::new())
}

/// A bundle id is words with dots between them.
fn check_bundle(app: &str) -> Result<()> {
    let word = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    };
    let valid = app.len() <= 255 && !app.starts_with('-') && app.split('.').all(word);
    if valid {
        Ok(())
    } else {
        Err(Error::invalid("app", "the name of the app is no bundle id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_id_is_told_from_an_option() {
        for good in ["com.example.app", "dev.agent-device.fixture", "a"] {
            assert!(check_bundle(good).is_ok(), "{good}");
        }
        for bad in ["", "-n", "com..x", ".com", "com.x/.Y", "com.x y"] {
            assert!(check_bundle(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_the_one_question_is_answered() {
        assert!(asks_to_open("Open in “Fixture”?") && asks_to_open("Open in \"Fixture\"?"));
        for other in [
            "",
            "Open in “”?",
            "Open in Fixture?",
            "Allow “Fixture” to track?",
            "Open in “x”? Really",
        ] {
            assert!(!asks_to_open(other), "{other}");
        }
    }
}
