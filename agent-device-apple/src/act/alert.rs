//! Alerts: how the runner is asked about one, and answering it.

use std::time::Duration;

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    action::Performed,
    observe::{End, Judgement, Schedule, observe_until},
};

use tokio_util::sync::CancellationToken;

use crate::{
    backend::Apple,
    error::RunnerFailure,
    runner::{Command, Verb},
};

/// How long the runner works on an alert: it waits for a button, presses it and looks whether the alert has gone. Less makes it
/// give up on work that then holds its main thread.
const ALERT: Duration = Duration::from_secs(10);
/// How long an alert that is not there yet is waited for, and how often it is looked for: the touch that opens it has only just
/// been answered.
const APPEARS: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_millis(200);
/// The runner's word for: no alert is open.
pub(crate) const ABSENT: &str = "ALERT_NOT_FOUND";

/// The command, with as much time as the call has left.
pub(crate) fn command(verb: Verb, call: &Call) -> Command {
    let patience = call.remaining().min(ALERT).as_millis();
    Command::new(verb).with("timeoutMs", u64::try_from(patience).unwrap_or(1).max(1))
}

/// Presses the button. Only the runner's word that there is no alert, by which nothing was pressed, makes it ask again.
pub(super) async fn answer(apple: &Apple, verb: Verb, call: &Call) -> Result<Performed> {
    let observation = observe_until(
        Schedule::new("alert", INTERVAL, APPEARS.min(call.remaining())),
        // The runner's own wait heeds the caller's signal, and knows what became of a press that was under way.
        &CancellationToken::new(),
        None,
        async |_| apple.runner.ask(&command(verb, call), call).await,
        |failure: &RunnerFailure| failure.code() == Some(ABSENT),
        |_, _, _| Judgement::Done(()),
    )
    .await;
    match observation.end {
        End::Done { .. } => Ok(Performed::by("element")),
        End::Failed { error, .. }
        | End::Expired {
            last_error: Some(error),
            ..
        } => Err(error.into()),
        end => Err(Error::new(
            ErrorCode::CommandFailed,
            format!("waiting for the alert ended as {end:?}"),
        )),
    }
}
