//! A session: one command at a time, and what is known about it between commands.
//!
//! A driver runs one command per session at a time, and one that we gave up on still runs. So commands take turns, an
//! abandoned one marks the session as *draining*, and the next turn first asks whether the driver is free. A session that is
//! known to have ended is refused here.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agent_device_core::{
    Call,
    dispatch::{DispatchDisclosure as _, NoRow, Verdict},
    geometry::Rect,
};
use reqwest::Method;
use serde_json::Value;
use tokio::sync::{Mutex, MutexGuard};

use super::{Client, Command, Lane, Phase, segment};
use crate::{
    error::{Kind, ReadFailure, WireFailure},
    page::Target,
    see::Roots,
};

/// What the server said about the session when it was made, as far as it matters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) browser: String,
    pub(crate) platform: String,
    /// Dialogs survive commands that they get in the way of.
    pub(crate) prompts_ignored: bool,
    /// Clicks and navigations end when the next page has loaded.
    pub(crate) waits_for_pages: bool,
    /// A file chooser gets the focus before its files.
    pub(crate) strict_files: bool,
    /// The process of the browser.
    pub(crate) process: Option<i32>,
}

impl Facts {
    /// Whether the browser runs on a phone or tablet.
    pub(crate) fn is_mobile(&self) -> bool {
        matches!(self.platform.as_str(), "android" | "ios")
    }

    fn of(capabilities: &Value) -> Self {
        let word = |key: &str| {
            let value = capabilities.get(key).and_then(Value::as_str);
            value.unwrap_or_default().to_ascii_lowercase()
        };
        Self {
            browser: word("browserName"),
            platform: word("platformName"),
            prompts_ignored: match capabilities.get("unhandledPromptBehavior") {
                Some(Value::String(word)) => word == "ignore",
                Some(Value::Object(by_kind)) => {
                    !by_kind.is_empty() && by_kind.values().all(|word| word == "ignore")
                }
                _ => false,
            },
            waits_for_pages: word("pageLoadStrategy") != "none",
            strict_files: capabilities.get("strictFileInteractability") == Some(&Value::Bool(true)),
            process: capabilities
                .get("goog:processID")
                .and_then(Value::as_i64)
                .and_then(|id| i32::try_from(id).ok()),
        }
    }
}

/// What changes from turn to turn.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The windows that were there at the last look.
    pub(crate) windows: Option<Vec<String>>,
    /// Whether the vendor route for one evaluation works; unknown until it did once or was refused.
    pub(crate) evaluates: Option<bool>,
    /// The viewport of the last capture.
    pub(crate) viewport: Option<Rect>,
    /// Input sources may still be pressed after a sequence that failed.
    pub(crate) pressed: bool,
    /// The document of the last capture.
    pub(crate) lineage: Option<String>,
    /// How often it was captured in a row.
    pub(crate) looks: u32,
    /// The page's library in the browser, for as long as its document lives.
    pub(crate) library: Option<String>,
    /// The element that was touched last, as the capture (whatever its name) and as the driver names it.
    pub(crate) touched: Option<(Target, String)>,
    /// The closed shadow roots that were found in the page.
    pub(crate) roots: Roots,
    /// The frame of the session is not the top one: it must be restored before anything else.
    pub(crate) in_frame: bool,
}

impl Memory {
    /// Another page is before the session.
    pub(crate) fn forget_page(&mut self) {
        self.lineage = None;
        self.looks = 0;
        self.library = None;
        self.touched = None;
        self.roots.forget();
    }
}

/// One session with one browser.
#[derive(Debug)]
pub(crate) struct Session {
    client: Arc<Client>,
    id: String,
    facts: Facts,
    memory: Mutex<Memory>,
    draining: AtomicBool,
    ended: AtomicBool,
}

impl Session {
    /// Asks for a session once.
    pub(crate) async fn create(
        client: Arc<Client>,
        capabilities: &Value,
    ) -> Result<Self, WireFailure> {
        let body = serde_json::json!({ "capabilities": capabilities });
        let command = Command::post(Kind::Session, "session", body);
        let value = client
            .attempt(Lane::Mutation, None, &command, Duration::MAX)
            .await?;
        let id = ["sessionId", "session_id"]
            .iter()
            .find_map(|key| value.get(key).and_then(Value::as_str))
            .filter(|id| !id.is_empty() && id.len() <= 1000)
            .ok_or(WireFailure::Unreadable { status: None })?;
        Ok(Self {
            id: segment(id),
            facts: Facts::of(value.get("capabilities").unwrap_or(&Value::Null)),
            client,
            memory: Mutex::default(),
            draining: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        })
    }

    pub(crate) fn client(&self) -> &Arc<Client> {
        &self.client
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Waits for the session to be free, and for the driver as well if it owes an answer.
    pub(crate) async fn turn<'a>(&'a self, call: &'a Call) -> Result<Turn<'a>, WireFailure> {
        if self.has_ended() {
            return Err(WireFailure::Dead);
        }
        let memory = tokio::select! {
            biased;
            () = call.cancel().cancelled() => return Err(WireFailure::CanceledBeforeSend),
            memory = tokio::time::timeout(call.remaining(), self.memory.lock()) => {
                memory.map_err(|_| WireFailure::Busy)?
            }
        };
        // It may have ended while this turn waited.
        if self.has_ended() {
            return Err(WireFailure::Dead);
        }
        let mut turn = Turn {
            session: self,
            call,
            memory,
        };
        turn.drain().await?;
        Ok(turn)
    }

    /// Ends the session. Asking to end one that is gone is success.
    pub(crate) async fn delete(&self) -> Result<(), WireFailure> {
        if self.ended.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let command = Command::delete(Kind::Session, "");
        let budget = self.client.config().delete_timeout;
        let result = self
            .client
            .attempt(Lane::Mutation, Some(self), &command, budget)
            .await;
        match result {
            Err(WireFailure::W3c { error, .. }) if error.code == "invalid session id" => Ok(()),
            other => other.map(drop),
        }
    }
}

/// The right to send commands of a session, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    session: &'a Session,
    call: &'a Call,
    pub(crate) memory: MutexGuard<'a, Memory>,
}

/// Marks the session as draining unless the answer came.
struct Owed<'a> {
    draining: &'a AtomicBool,
    answered: bool,
}

impl Drop for Owed<'_> {
    fn drop(&mut self) {
        if !self.answered {
            self.draining.store(true, Ordering::Release);
        }
    }
}

impl<'a> Turn<'a> {
    pub(crate) fn session(&self) -> &'a Session {
        self.session
    }

    pub(crate) fn call(&self) -> &'a Call {
        self.call
    }

    /// Whether the vendor route for one evaluation is worth a try: half the fixed cost and half the cost of each byte.
    pub(crate) fn evaluates(&self) -> bool {
        let vendor = matches!(
            self.session.facts.browser.as_str(),
            "chrome" | "chromium" | "chrome-headless-shell"
        );
        vendor && self.memory.evaluates != Some(false)
    }

    /// Asks the driver whether it is free, if it owes an answer.
    async fn drain(&mut self) -> Result<(), WireFailure> {
        if self.session.draining.load(Ordering::Acquire) {
            let budget = self.session.client.config().busy_timeout;
            let probe = Command::get(Kind::Read, "timeouts").within(budget);
            match self.exchange(Lane::Read, &probe).await {
                // Any answer of the driver shows that it is free.
                Ok(_) | Err(WireFailure::W3c { .. }) if !self.session.has_ended() => {
                    self.session.draining.store(false, Ordering::Release);
                }
                Ok(_) | Err(WireFailure::W3c { .. }) => return Err(WireFailure::Dead),
                Err(failure @ WireFailure::NoConnection { .. }) => return Err(failure),
                Err(WireFailure::CanceledInFlight) => return Err(WireFailure::CanceledBeforeSend),
                Err(_) => return Err(WireFailure::Busy),
            }
        }
        if self.memory.in_frame {
            self.leave_frames().await.map_err(|_| WireFailure::Busy)?;
        }
        Ok(())
    }

    /// Back to the top document. Session state, not the app's.
    pub(crate) async fn leave_frames(&mut self) -> Result<(), ReadFailure> {
        let top = Command::post(Kind::Read, "frame", serde_json::json!({ "id": null }));
        self.read(top).await?;
        self.memory.in_frame = false;
        Ok(())
    }

    /// A command that changes nothing in the app. A `GET` whose connection broke is asked once more: reads may be.
    pub(crate) async fn read(&mut self, command: Command) -> Result<Value, ReadFailure> {
        let first = self.exchange(Lane::Read, &command).await;
        let result = match first {
            Err(WireFailure::Lost {
                phase: Phase::Closed | Phase::Reset,
                ..
            }) if command.method == Method::GET => self.exchange(Lane::Read, &command).await,
            other => other,
        };
        result.map_err(ReadFailure)
    }

    /// A command that may change something: entered into the ledger before it is sent, sent once, over its own connection.
    pub(crate) async fn mutate(&mut self, command: Command) -> Result<Value, WireFailure> {
        self.mutate_unless(command, |_| None).await
    }

    /// The same for a command whose answer can prove that nothing was changed after all.
    pub(crate) async fn mutate_unless(
        &mut self,
        command: Command,
        unchanged: impl FnOnce(&Value) -> Option<NoRow> + Send,
    ) -> Result<Value, WireFailure> {
        debug_assert_ne!(command.kind, Kind::Read);
        if self.call.cancel().is_cancelled() {
            return Err(WireFailure::CanceledBeforeSend);
        }
        if self.call.remaining().is_zero() {
            return Err(WireFailure::DeadlineBeforeSend);
        }
        let send = self.call.send();
        let result = self.exchange(Lane::Mutation, &command).await;
        match &result {
            Ok(value) => match unchanged(value) {
                Some(row) => send.refused(row),
                None => send.landed(),
            },
            Err(failure) => match failure.verdict() {
                Some(Verdict::No(row)) => send.refused(row),
                _ => send.uncertain(),
            },
        }
        result
    }

    async fn exchange(&mut self, lane: Lane, command: &Command) -> Result<Value, WireFailure> {
        let session = self.session;
        let mut owed = Owed {
            draining: &session.draining,
            answered: false,
        };
        let remaining = self.call.remaining();
        let result = tokio::select! {
            biased;
            () = self.call.cancel().cancelled() => Err(WireFailure::CanceledInFlight),
            result = session.client.attempt(lane, Some(session), command, remaining) => result,
        };
        // After silence, a cut and a gateway's answer the driver may still be at work. Everything else is its own answer, or
        // it never got the request.
        owed.answered = !matches!(
            result,
            Err(WireFailure::Timeout { .. }
                | WireFailure::OutOfTime
                | WireFailure::CanceledInFlight
                | WireFailure::Lost { .. }
                | WireFailure::Status { .. })
        );
        if let Err(failure) = &result
            && failure.code() == Some("invalid session id")
        {
            session.end();
        }
        result
    }
}
