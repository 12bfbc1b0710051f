//! Acting: one action, once. Everything that can be refused here is refused before anything is sent.

pub(crate) mod alert;
pub(crate) mod app;
mod confirm;
mod text;
mod touch;

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    action::{Action, Operation, Orientation, Performed},
    dispatch::rows::ios_runner as rows,
};

use crate::{
    backend::Apple,
    profile::Platform,
    runner::{Apps, Command, Verb},
};

pub(crate) async fn perform(apple: &Apple, action: &Action, call: &Call) -> Result<Performed> {
    match action {
        Action::Tap(touch) => touch::tap(apple, touch, call).await,
        Action::DoubleTap(touch) => touch::double_tap(apple, touch, call).await,
        Action::LongPress(touch, hold) => touch::long_press(apple, touch, *hold, call).await,
        Action::Focus(touch) => touch::tap(apple, touch, call).await,
        Action::Scroll(plan) => touch::scroll(apple, plan, call).await,
        Action::Gesture(plan) => touch::gesture(apple, plan, call).await,
        Action::TypeText(text) => text::type_text(apple, text, call).await,
        Action::Fill(touch, text) => text::fill(apple, touch, text, call).await,
        Action::Open(target) => app::open(apple, target, call).await,
        Action::Close(app) => app::close(apple, app.as_deref(), call).await,
        Action::Back if apple.profile().platform == Platform::TvOs => {
            remote(apple, "menu", call).await
        }
        Action::Back => send(apple, Verb::BackInApp, call).await,
        Action::Home if apple.profile().platform == Platform::TvOs => {
            remote(apple, "home", call).await
        }
        Action::Home => send(apple, Verb::Home, call).await,
        Action::AppSwitcher => send(apple, Verb::AppSwitcher, call).await,
        Action::AcceptAlert(Some(_)) => Err(Error::invalid(
            "text",
            "an alert is not answered with a text: fill its field, then accept it",
        )),
        Action::AcceptAlert(None) => alert::answer(apple, Verb::AlertAccept, call).await,
        Action::DismissAlert => alert::answer(apple, Verb::AlertDismiss, call).await,
        Action::KeyboardDismiss => {
            let data = apple
                .runner
                .ask(&Command::new(Verb::KeyboardDismiss), call)
                .await?;
            let performed = Performed::by("element");
            Ok(match data.was_visible {
                Some(false) => performed.with_warning("no keyboard was shown"),
                _ => performed,
            })
        }
        Action::KeyboardEnter => send(apple, Verb::KeyboardReturn, call).await,
        Action::SetOrientation(orientation) => rotate(apple, *orientation, call).await,
        Action::WriteClipboard(text) => {
            let Apps::Simulator(simctl) = apple.runner.launcher().apps() else {
                return Err(Error::unsupported(Operation::WriteClipboard));
            };
            let patience = Apple::patience(call);
            app::mutate(call, simctl.write_clipboard(text.expose(), &patience)).await?;
            Ok(Performed::new())
        }
        other => Err(Error::unsupported(other.operation())),
    }
}

async fn send(apple: &Apple, verb: Verb, call: &Call) -> Result<Performed> {
    apple.runner.ask(&Command::new(verb), call).await?;
    Ok(Performed::new())
}

/// A button of the remote.
async fn remote(apple: &Apple, button: &str, call: &Call) -> Result<Performed> {
    let command = Command::new(Verb::RemotePress).with("remoteButton", button);
    apple.runner.ask(&command, call).await?;
    Ok(Performed::by("keys"))
}

async fn rotate(apple: &Apple, orientation: Orientation, call: &Call) -> Result<Performed> {
    let word = match orientation {
        Orientation::Portrait => "portrait",
        Orientation::PortraitUpsideDown => "portrait-upside-down",
        Orientation::LandscapeLeft => "landscape-left",
        Orientation::LandscapeRight => "landscape-right",
    };
    let command = Command::new(Verb::Rotate).with("orientation", word);
    // Whatever comes of it, the screen may have turned: its sides are not those of before.
    apple.memory.forget_viewport();
    apple.runner.ask(&command, call).await?;
    Ok(Performed::new())
}

/// What is wrong with a sequence, before it is sent.
fn invalid_step(message: &'static str) -> Error {
    Error::refused(
        rows::SERIES_INVALID_STEP_BEFORE_SEND,
        ErrorCode::InvalidArgs,
        message,
    )
    .with_reason("runner_sequence_invalid")
    .with_detail("field", "steps")
}
