//! The wire: one place where requests leave, are counted, bounded and, if they may change something, entered into the ledger.

mod endpoint;
mod session;
mod transport;
mod wire;

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use reqwest::Method;
use serde_json::Value;

pub(crate) use endpoint::Endpoint;
pub(crate) use session::{Session, Turn};
pub(crate) use transport::{BoxError, Lane, NoConnection, Phase};
use transport::{Failure, Http, Request, Transport};
use wire::Answer;
pub(crate) use wire::{ELEMENT, W3cError, element_id, segment};

use crate::{
    config::Config,
    error::{Kind, WireFailure},
};
use agent_device_core::{Error, Result};

/// How many requests were sent to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requests {
    /// Requests that change nothing.
    pub reads: u64,
    /// Requests that may change something in the browser.
    pub mutations: u64,
    /// Bytes of the bodies of all answers.
    pub received_bytes: u64,
}

impl Requests {
    /// All of them.
    pub fn total(self) -> u64 {
        self.reads + self.mutations
    }
}

/// One command: what it is, where it goes, how long it may take.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) kind: Kind,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
    budget: Option<Duration>,
    limit: Option<usize>,
}

impl Command {
    pub(crate) fn get(kind: Kind, path: impl Into<String>) -> Self {
        Self {
            kind,
            method: Method::GET,
            path: path.into(),
            body: None,
            budget: None,
            limit: None,
        }
    }

    pub(crate) fn post(kind: Kind, path: impl Into<String>, body: Value) -> Self {
        Self {
            method: Method::POST,
            body: Some(body),
            ..Self::get(kind, path)
        }
    }

    pub(crate) fn delete(kind: Kind, path: impl Into<String>) -> Self {
        Self {
            method: Method::DELETE,
            ..Self::get(kind, path)
        }
    }

    /// Bounds the time, in place of what the kind of command is given.
    pub(crate) fn within(mut self, budget: Duration) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Bounds the reply, in place of the limit for all.
    pub(crate) fn up_to(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }
}

/// Talks to one server. Knows no session.
#[derive(Debug)]
pub(crate) struct Client {
    endpoint: Endpoint,
    transport: Box<dyn Transport>,
    config: Config,
    reads: AtomicU64,
    mutations: AtomicU64,
    received_bytes: AtomicU64,
}

impl Client {
    pub(crate) fn new(address: &str, config: Config) -> Result<Self> {
        let credentials = config.credentials.as_ref().map(|given| given.pair());
        let endpoint = Endpoint::parse(address, credentials)?;
        let connect =
            config
                .connect_timeout
                .unwrap_or(Duration::from_secs(if endpoint.is_loopback() {
                    2
                } else {
                    10
                }));
        let transport = Http::new(&endpoint, connect).map_err(|source| {
            Error::from(WireFailure::Unbuildable {
                source: Some(source),
            })
        })?;
        Ok(Self {
            endpoint,
            transport: Box::new(transport),
            config,
            reads: AtomicU64::new(0),
            mutations: AtomicU64::new(0),
            received_bytes: AtomicU64::new(0),
        })
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn requests(&self) -> Requests {
        Requests {
            reads: self.reads.load(Ordering::Relaxed),
            mutations: self.mutations.load(Ordering::Relaxed),
            received_bytes: self.received_bytes.load(Ordering::Relaxed),
        }
    }

    fn budget(&self, command: &Command) -> Duration {
        command.budget.unwrap_or(match command.kind {
            Kind::Read => self.config.read_timeout,
            Kind::Session => self.config.session_timeout,
            Kind::Navigate => self.config.page_load_timeout + Duration::from_secs(5),
            _ => self.config.action_timeout,
        })
    }

    /// One attempt at a command, of a session or of none, over the connections of `lane`.
    pub(crate) async fn attempt(
        &self,
        lane: Lane,
        session: Option<&Session>,
        command: &Command,
        remaining: Duration,
    ) -> Result<Value, WireFailure> {
        let counter = match lane {
            Lane::Read => &self.reads,
            Lane::Mutation => &self.mutations,
        };
        let body = command
            .body
            .as_ref()
            .map(serde_json::to_vec)
            .transpose()
            .map_err(|source| WireFailure::Unbuildable {
                source: Some(source.into()),
            })?;
        counter.fetch_add(1, Ordering::Relaxed);
        tracing::trace!(
            name: "agent_device.webdriver.request",
            method = %command.method,
            bytes = body.as_ref().map_or(0, Vec::len),
            "request"
        );
        let request = Request {
            lane,
            method: command.method.clone(),
            url: match session {
                Some(session) => {
                    let path = format!("session/{}/{}", session.id(), command.path);
                    self.endpoint.join(path.trim_end_matches('/'))
                }
                None => self.endpoint.join(&command.path),
            },
            body,
            limit: command.limit.unwrap_or(self.config.max_reply_bytes),
        };
        let budget = self.budget(command);
        let reply = tokio::time::timeout(budget.min(remaining), self.transport.send(request))
            .await
            .map_err(|_| {
                if remaining < budget {
                    WireFailure::OutOfTime
                } else {
                    WireFailure::Timeout { after: budget }
                }
            })?
            .map_err(no_answer)?;
        self.received_bytes
            .fetch_add(reply.body.len() as u64, Ordering::Relaxed);
        tracing::trace!(
            name: "agent_device.webdriver.reply",
            status = reply.status,
            bytes = reply.body.len(),
            "reply"
        );
        match wire::decode(reply.status, &reply.body) {
            Answer::Value(value) => Ok(value),
            Answer::Error(error) => Err(WireFailure::W3c {
                error,
                kind: command.kind,
                prompts_ignored: session.is_none_or(|session| session.facts().prompts_ignored),
            }),
            Answer::Bare(status, body) => Err(WireFailure::Status {
                status,
                body,
                kind: command.kind,
            }),
            Answer::Unreadable(status) => Err(WireFailure::Unreadable {
                status: Some(status),
            }),
        }
    }
}

fn no_answer(Failure { phase, source }: Failure) -> WireFailure {
    match phase {
        Phase::Build => WireFailure::Unbuildable { source },
        Phase::Connect(why) => WireFailure::NoConnection { why, source },
        Phase::TooLarge => WireFailure::Unreadable { status: None },
        Phase::Closed | Phase::Reset | Phase::Garbage | Phase::Truncated => {
            WireFailure::Lost { phase, source }
        }
    }
}
