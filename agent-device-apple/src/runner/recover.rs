//! After a lost answer: the runner's journal tells what became of the command.

use super::{
    Command, RunnerError, Session, Shared, Unwritten, Verb, reply::read, transport::Unanswered,
};
use crate::tools::Patience;

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

impl Shared {
    /// Asks the runner what became of a command. Bounded by itself: also a caller that has no time left needs to know.
    pub(super) async fn journal(&self, session: &Session, id: &str) -> Journal {
        let limit = self.config.status_timeout;
        let body = Command::new(Verb::Status)
            .with("statusCommandId", id)
            .body(None, None);
        match self
            .exchange(session, body, 1 << 20, limit, &Patience::alone(limit))
            .await
        {
            Ok(body) => match read(&body) {
                Some(Ok(data)) => of(&data),
                Some(Err(_)) => Journal::None,
                None => Journal::Unanswered,
            },
            Err(Unanswered::Unwritten(Unwritten::Refused(_) | Unwritten::Gone)) => Journal::Gone,
            Err(_) if session.has_ended() => Journal::Gone,
            Err(_) => Journal::Unanswered,
        }
    }
}

fn of(data: &super::Data) -> Journal {
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
