//! Text through the invisible keyboard: what a field takes from a keyboard at all, it takes from this one, whatever the
//! characters are and whether or not the field lets accessibility set its text. Each edit is acknowledged once the app has worked
//! through it.
//!
//! A device that has its own keyboard gets it back right after the edit; if that can't be done, with the next command, with the
//! session's end, with the next connection, or by the keyboard's lease.

use std::time::Duration;

use agent_device_core::{
    Call,
    observe::{Judgement, Schedule, observe_until},
};

use super::{
    Command, Helper, HelperFailure, Reply, State,
    keyboard::{self, SOCKET},
    reply::Protocol,
    session::{ENDING, any_port, ttl},
    settle,
};
use crate::{adb::Remote, config::KeyboardChoice, word::word};

/// How long a field may take until the keyboard is connected to it: a new keyboard's process starts first.
const CONNECTS: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(50);

/// Where the keyboard listens.
struct Door {
    socket: Remote,
    /// What a command begins with.
    words: String,
}

/// What the keyboard has typed.
#[derive(Debug)]
pub(crate) struct Typed {
    pub(crate) reply: Reply,
    /// Whether the device has the keyboard that it should have.
    pub(crate) in_order: bool,
}

impl Helper {
    /// Has the invisible keyboard do this at the field that has the focus, one after the other. All of them are sends.
    pub(crate) async fn by_keyboard(
        &self,
        first: Command<'_>,
        then: Option<Command<'_>>,
        call: &Call,
    ) -> Result<Typed, HelperFailure> {
        let mut state = self.turn(call).await?;
        let typed = self.with_keyboard(&mut state, first, then, call).await;
        let in_order = match self.config.keyboard {
            KeyboardChoice::Invisible => true,
            KeyboardChoice::Own => {
                // Has time of its own: what was borrowed goes back also when the call's time is over.
                let call = Call::standalone(ENDING);
                state.keyboard.give_back(&self.device, &call).await.is_ok()
            }
        };
        self.after_command(&mut state).await;
        Ok(Typed {
            reply: typed?,
            in_order,
        })
    }

    async fn with_keyboard(
        &self,
        state: &mut State,
        first: Command<'_>,
        then: Option<Command<'_>>,
        call: &Call,
    ) -> Result<Reply, HelperFailure> {
        let policy = self.config.install;
        let kept = state.keyboard.keep(&self.device, policy, call).await;
        kept.map_err(|source| HelperFailure::NotStarted { source })?;
        let door = self.door(state.by_port, call).await;
        self.await_field(&door, call).await;
        let reply = self.key_in(&door, first, Some(call), call).await?;
        match then {
            Some(command) => self.key_in(&door, command, Some(call), call).await,
            None => Ok(reply),
        }
    }

    /// Its own socket, or a port of the device that it is told to listen on once it runs.
    async fn door(&self, by_port: bool, call: &Call) -> Door {
        if !by_port {
            return Door {
                socket: Remote::LocalAbstract(SOCKET.to_owned()),
                words: String::new(),
            };
        }
        let (port, token) = (any_port(), word());
        let schedule = Schedule::new("keyboard-port", LOOK, CONNECTS.min(call.remaining()));
        let look = |_| keyboard::listen(&self.device, port, &token, call);
        let listens = |listens: &bool, _: Option<&bool>, _| match listens {
            true => Judgement::Done(()),
            false => Judgement::go_on(),
        };
        observe_until(schedule, call.cancel(), None, look, |_| true, listens).await;
        Door {
            socket: Remote::Tcp(port),
            words: format!("@token={token} "),
        }
    }

    /// Waits until the keyboard is connected to a field. Whatever this shows, the keyboard itself says whether it can type.
    async fn await_field(&self, door: &Door, call: &Call) {
        let schedule = Schedule::new("keyboard-field", LOOK, CONNECTS.min(call.remaining()));
        let look = |_| self.key_in(door, Command::new("ping", ""), None, call);
        let connected = |reply: &Reply, _: Option<&Reply>, _| match reply.facts.is("connected") {
            Some(true) => Judgement::Done(()),
            _ => Judgement::go_on(),
        };
        observe_until(schedule, call.cancel(), None, look, |_| true, connected).await;
    }

    async fn key_in(
        &self,
        door: &Door,
        command: Command<'_>,
        ledger: Option<&Call>,
        call: &Call,
    ) -> Result<Reply, HelperFailure> {
        let Command {
            action, payload, ..
        } = command;
        let id = self.next_id(command);
        let socket = self.device.connect_to(&door.socket, call).await;
        let socket = socket.map_err(HelperFailure::Unopened)?;
        let line = format!("{}{} {action} {id} {payload}\n", door.words, ttl(call));
        // From here on something may land.
        let guard = ledger.map(Call::send);
        let result = match socket.ask(line.as_bytes(), command.limit, call).await {
            Ok(bytes) => Reply::read(bytes, &id, Protocol::Keyboard),
            Err(failure) => Err(HelperFailure::Lost(failure)),
        };
        settle(guard, &result);
        result
    }
}
