//! After a lost answer: the runner's journal tells what became of the command, and that says what to do.

use super::{
    Bound, Command, Runner, RunnerError, Session, Shared, Unwritten, Verb, reply::read,
    send::Spent, transport::Unanswered,
};
use crate::{error::Fate, tools::Patience};

/// What the journal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Journal {
    /// It has completed, and this was the answer.
    Reply(String),
    /// It has completed, and the answer was not kept.
    Completed,
    /// It has failed with this.
    Failed(RunnerError),
    /// It waits for its turn.
    Accepted,
    /// It runs.
    Started,
    /// It is not known.
    NotAccepted,
    /// There is no journal, or it speaks of something else.
    None,
    /// Nobody listens any more.
    Gone,
    /// There was no answer.
    Unanswered,
}

const NOTICE: std::time::Duration = std::time::Duration::from_millis(200);
const INVALID_AFTER_SEND: &str = "transport_error_after_command_send";
const INVALID_AFTER_RETRY: &str = "transport_error_after_retry_command_send";

impl Runner {
    /// What a lost answer means by what the journal says. `None`: a read goes out again.
    pub(super) async fn fate_of(
        &self,
        slot: &mut Option<Session>,
        command: &Command,
        spent: &mut Spent,
        journal: &Journal,
        garbage: bool,
        patience: &Patience,
    ) -> Option<Fate> {
        let mutates = command.verb.traits().mutates;
        let kept = match journal {
            Journal::Completed | Journal::Reply(_) => Some(Fate::Completed),
            Journal::Accepted => Some(Fate::Accepted),
            Journal::Started => Some(Fate::Started),
            _ => None,
        };
        if kept == Some(Fate::Completed) && !mutates {
            return match spent.read_again {
                Some(_) => Some(Fate::ReadCompleted),
                None => {
                    spent.read_again = Some(Fate::ReadCompleted);
                    None
                }
            };
        }
        if kept.is_some() {
            return kept;
        }
        let why = if spent.unwritten || spent.read_again.is_some() {
            INVALID_AFTER_RETRY
        } else {
            INVALID_AFTER_SEND
        };
        self.shared.invalidate(slot, why, patience).await;
        if !mutates {
            let again = spent.read_again.is_none() && !std::mem::replace(&mut spent.recycled, true);
            spent.read_again.get_or_insert(Fate::ReadAgain);
            return if again { None } else { spent.read_again };
        }
        Some(match journal {
            _ if spent.unwritten => Fate::Replay,
            Journal::NotAccepted => Fate::NotAccepted,
            Journal::None => Fate::NoJournal,
            _ if garbage => Fate::Unreadable,
            Journal::Gone => Fate::RunnerGone,
            _ => Fate::ProbeFailed,
        })
    }
}

impl Shared {
    /// Asks the runner what became of a command. Bounded by itself: also a caller that has no time left needs to know.
    pub(super) async fn journal(&self, session: &Session, id: &str, verb: Verb) -> Journal {
        let limit = self.config.status_timeout;
        let body = Command::new(Verb::Status)
            .with("statusCommandId", id)
            .body(None, None);
        match self
            .exchange(session, body, Bound::SMALL, limit, &Patience::alone(limit))
            .await
        {
            Ok(body) => match body.read(read) {
                Some(Ok(data)) => of(&data, verb),
                Some(Err(_)) => Journal::None,
                None => Journal::Unanswered,
            },
            Err(Unanswered::Unwritten(Unwritten::Refused(_) | Unwritten::Gone)) => Journal::Gone,
            Err(_) => {
                // The end of a process is noticed a moment after that of its connections.
                let ended = async {
                    match &session.process {
                        Some(process) => process.running.exited().await,
                        None => std::future::pending().await,
                    }
                };
                match tokio::time::timeout(NOTICE, ended).await {
                    Ok(_) => Journal::Gone,
                    Err(_) => Journal::Unanswered,
                }
            }
        }
    }
}

pub(super) fn of(data: &super::Data, verb: Verb) -> Journal {
    let command = data.lifecycle_command.as_deref();
    if command.is_some_and(|command| command != verb.as_str()) {
        return Journal::None;
    }
    let failed = || {
        let code = data.lifecycle_error_code.as_deref().unwrap_or_default();
        let message = data.lifecycle_error_message.as_deref().unwrap_or_default();
        let kept = data
            .lifecycle_response_json
            .as_deref()
            .and_then(|json| read(json.as_bytes()));
        match kept {
            Some(Err(error)) if code.is_empty() => error,
            _ => RunnerError::new(code, message, None),
        }
    };
    match data.lifecycle_state.as_deref() {
        Some("completed") => match &data.lifecycle_response_json {
            Some(json) => Journal::Reply(json.clone()),
            None => Journal::Completed,
        },
        Some("failed") => Journal::Failed(failed()),
        Some("accepted") => Journal::Accepted,
        Some("started") => Journal::Started,
        Some("notAccepted") => Journal::NotAccepted,
        _ => Journal::None,
    }
}
