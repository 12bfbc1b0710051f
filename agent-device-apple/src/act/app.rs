//! Opening and closing apps and addresses: by Xcode's tools where they reach the device, else by the runner.

use std::{path::PathBuf, time::Duration};

use agent_device_core::{
    Call, DispatchDisclosure as _, Error, ErrorCode, Result,
    action::{OpenTarget, Operation, Performed},
    dispatch::{Effect, Verdict, disclose, rows::ios_runner as rows},
    observe::{Judgement, Schedule, observe_until},
};

use super::confirm;
use crate::{
    backend::Apple,
    runner::{Apps, Command, RunnerState, Verb},
    tools::{Patience, Simctl, Start, ToolFailure, ended},
};

/// Runs a tool that the app may notice, once: the one place where that happens.
pub(crate) async fn mutate(
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

/// The answer to what is asked before anything is changed. No app notices that, so a failure proves that nothing was sent, unless
/// something was before.
pub(crate) fn before<T>(call: &Call, answer: Result<T, ToolFailure>) -> Result<T> {
    answer.map_err(|failure| disclose(Effect::Observes, call.ledger(), failure.into()))
}

pub(super) async fn open(apple: &Apple, target: &OpenTarget, call: &Call) -> Result<Performed> {
    match target {
        OpenTarget::App(app) => {
            check_bundle(app)?;
            launch(apple, app, Start::Anew, call).await?;
            Ok(Performed::new())
        }
        OpenTarget::Url(url) => open_url(apple, url, call).await,
        _ => Err(Error::unsupported(Operation::Open)),
    }
}

async fn launch(apple: &Apple, app: &str, start: Start, call: &Call) -> Result<()> {
    let patience = Patience::of(call);
    match apple.runner.launcher().apps() {
        Apps::Simulator(simctl) => {
            let folder = simulator_app(&simctl, app, call).await?;
            installed(app, folder.is_some())?;
            launch_until_known(&simctl, app, start, call).await?;
        }
        Apps::Device(devicectl) => match before(call, devicectl.has_app(app, &patience).await)? {
            Some(there) => {
                installed(app, there)?;
                mutate(call, devicectl.launch(app, None, &patience)).await?;
            }
            None => return activate(apple, app, call).await,
        },
        Apps::Runner => return activate(apple, app, call).await,
    }
    apple.launched(app);
    reset_target(apple, call).await
}

/// How long, how often and at what pause a simulator is asked to open an app that it has installed and does not know: after a boot
/// or an install that may take it some seconds.
const LAUNCH: Duration = Duration::from_secs(60);
const LAUNCH_TRIES: u32 = 10;
const LAUNCH_PAUSE: Duration = Duration::from_secs(1);

/// Opens the app. Only the refusal by which nothing was opened or ended makes it ask again.
async fn launch_until_known(
    simctl: &Simctl,
    app: &str,
    start: Start,
    call: &Call,
) -> Result<(), ToolFailure> {
    let patience = Patience::of(call).within(LAUNCH);
    let mut tries = 0;
    let observation = observe_until(
        Schedule::new("launch", LAUNCH_PAUSE, patience.remaining()),
        &patience.cancel,
        None,
        async |_| mutate(call, simctl.launch(app, start, &patience)).await,
        |failure| {
            tries += 1;
            // One that is begun at the end of its time is broken off, and then nobody knows what came of it.
            let has_time = patience.remaining() > LAUNCH_PAUSE * 2;
            matches!(failure, ToolFailure::UnknownApp { .. }) && tries < LAUNCH_TRIES && has_time
        },
        |_, _, _| Judgement::Done(()),
    )
    .await;
    ended(observation.end, "xcrun simctl launch")
}

/// The runner opens the app itself, so there is no app of before that it would hold on to.
async fn activate(apple: &Apple, app: &str, call: &Call) -> Result<()> {
    let command = Command::new(Verb::Activate).with("appBundleId", app);
    apple.runner.ask(&command, call).await?;
    apple.launched(app);
    Ok(())
}

/// The folder of an app of the simulator, which is booted if it sleeps.
pub(crate) async fn simulator_app(
    simctl: &Simctl,
    app: &str,
    call: &Call,
) -> Result<Option<PathBuf>> {
    let patience = Patience::of(call);
    let mut folder = simctl.app_folder(app, &patience).await;
    // One that sleeps is only asked about when there is no folder: a list of all simulators takes its time.
    let perhaps_asleep = matches!(folder, Ok(None) | Err(ToolFailure::Exit { .. }));
    if perhaps_asleep && wake(simctl, call).await? {
        folder = simctl.app_folder(app, &patience).await;
    }
    before(call, folder)
}

/// Sees to it that the simulator is up; says whether it was not.
pub(crate) async fn wake(simctl: &Simctl, call: &Call) -> Result<bool> {
    let woken = before(call, simctl.wake(&Patience::of(call)).await)?;
    woken.ok_or_else(|| {
        Error::refused(
            rows::PRE_SEND_SESSION_START_FAILED,
            ErrorCode::DeviceNotFound,
            format!("there is no simulator {}", simctl.udid()),
        )
        .with_reason("device_not_found")
    })
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
    apple.runner.give_up("target_reset_unconfirmed", call).await;
    Err(Error::from(failure)
        .uncertain(rows::TARGET_RESET_UNCONFIRMED)
        .with_reason("target_reset_unconfirmed")
        .with_hint(
            "The app was opened. The runner was ended; the next operation starts a new one.",
        ))
}

pub(crate) fn installed(app: &str, there: bool) -> Result<()> {
    there.then_some(()).ok_or_else(|| not_installed(app))
}

pub(crate) fn not_installed(app: &str) -> Error {
    Error::refused(
        rows::APP_NOT_INSTALLED,
        ErrorCode::AppNotInstalled,
        "the app is not installed on the device",
    )
    .with_detail("app", app)
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
    let scheme = scheme.unwrap_or_default();
    let app = apple.runner.app();
    match apple.runner.launcher().apps() {
        Apps::Simulator(simctl) => {
            let web = matches!(scheme, "http" | "https");
            if let (true, Some(app)) = (web, &app) {
                // A link of the web leads to the browser unless its app runs.
                launch(apple, app, Start::Warm, call).await?;
            } else if apple.runner.state() != RunnerState::Ready {
                // Nobody has looked yet whether the simulator is up.
                wake(&simctl, call).await?;
            }
            let opened = mutate(call, simctl.open_url(url, &patience)).await;
            // Links of the web open without a question.
            if web || matches!(opened, Err(ToolFailure::Missing { .. })) {
                return Ok(opened.map(|()| Performed::new())?);
            }
            // A tool that did not end may have been held up by the question.
            let confirmed = confirm::answer(apple, &simctl, scheme, call).await;
            opened.map_err(|failure| match &confirmed {
                Ok(Some(answer)) => Error::from(failure).with_detail("launchConfirmation", answer),
                Ok(None) => failure.into(),
                Err(error) => {
                    Error::from(failure).with_detail("launchConfirmation", error.reason())
                }
            })?;
            Ok(match confirmed? {
                Some(answer) => Performed::new().with_warning(answer),
                None => Performed::new(),
            })
        }
        Apps::Device(devicectl) => {
            let app = app.ok_or_else(|| {
                Error::invalid(
                    "app",
                    "a device opens an address in an app: name the app first",
                )
            })?;
            let Some(there) = before(call, devicectl.has_app(&app, &patience).await)? else {
                return Err(Error::unsupported(Operation::Open).with_hint(
                    "Devices with iOS 16 or earlier open no addresses: open the app and go there in it.",
                ));
            };
            installed(&app, there)?;
            mutate(call, devicectl.launch(&app, Some(url), &patience)).await?;
            apple.launched(&app);
            reset_target(apple, call).await?;
            Ok(Performed::new())
        }
        Apps::Runner => Err(Error::unsupported(Operation::Open)
            .with_hint("The runner alone opens no addresses: name a simulator or a device.")),
    }
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
        Apps::Device(devicectl) => {
            match before(call, devicectl.processes(&app, &patience).await)? {
                Some(processes) => {
                    for process in processes {
                        mutate(call, devicectl.terminate(process, &patience)).await?;
                    }
                }
                None => terminate(apple, &app, call).await?,
            }
        }
        Apps::Runner => terminate(apple, &app, call).await?,
    }
    Ok(Performed::new())
}

async fn terminate(apple: &Apple, app: &str, call: &Call) -> Result<()> {
    let command = Command::new(Verb::Terminate).with("appBundleId", app);
    apple.runner.ask(&command, call).await?;
    Ok(())
}

/// A bundle id is words with dots between them.
pub(crate) fn check_bundle(app: &str) -> Result<()> {
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
}
