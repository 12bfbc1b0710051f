//! The seam to HTTP: one request, one attempt, one answer or a failure that says in which phase it happened.
//!
//! Two clients behind it. Mutations travel over a connection of their own: on a reused one nobody can tell a request that was
//! lost unread from one that ran, so there a failure would never be provable. Reads share pooled connections. Neither client
//! follows a redirect or sends anything a second time. What may not be here: WebDriver.

use std::{error::Error as StdError, fmt, io, net::SocketAddr, time::Duration};

use async_trait::async_trait;
use reqwest::{
    Method, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderMap, HeaderValue},
    redirect, retry,
};

use super::endpoint::Endpoint;

pub(crate) type BoxError = Box<dyn StdError + Send + Sync>;

/// Which connections a request may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Pooled: repeating the request would be harmless.
    Read,
    /// A connection of its own.
    Mutation,
}

/// One request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) lane: Lane,
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) body: Option<Vec<u8>>,
    /// The largest reply body that is read.
    pub(crate) limit: usize,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// Why no connection came about. No byte of the request left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoConnection {
    /// The name has no address.
    Dns,
    /// Nobody listens, or the address can't be reached.
    Refused,
    /// The time for connecting ran out.
    Timeout,
    /// The two ends could not agree on TLS.
    Tls,
}

/// How far a request got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It could not be put together. No connection was opened.
    Build,
    /// Before the connection stood.
    Connect(NoConnection),
    /// The connection was closed before the head of an answer.
    Closed,
    /// The connection was reset before the head of an answer.
    Reset,
    /// What came back is no HTTP.
    Garbage,
    /// The body of the answer ended early.
    Truncated,
    /// The body of the answer is larger than the limit.
    TooLarge,
}

/// A request without an answer.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) phase: Phase,
    pub(crate) source: Option<BoxError>,
}

/// One attempt at one request. The seam at which an exact byte-counting transport can replace this one.
#[async_trait]
pub(crate) trait Transport: fmt::Debug + Send + Sync {
    async fn send(&self, request: Request) -> Result<Reply, Failure>;
}

#[derive(Debug)]
pub(crate) struct Http {
    reads: reqwest::Client,
    mutations: reqwest::Client,
    tls: bool,
}

impl Http {
    pub(crate) fn new(endpoint: &Endpoint, connect: Duration) -> Result<Self, BoxError> {
        let client = |pooled: usize| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
            if let Some(value) = endpoint.authorization() {
                headers.insert(AUTHORIZATION, value.clone());
            }
            let builder = reqwest::Client::builder()
                .default_headers(headers)
                .user_agent(concat!("agent-device/", env!("CARGO_PKG_VERSION")))
                .redirect(redirect::Policy::none())
                .retry(retry::never())
                .http1_only()
                .connect_timeout(connect)
                .pool_max_idle_per_host(pooled)
                .dns_resolver(SystemResolver);
            // An environment proxy would answer for a driver that is dead.
            let builder = if endpoint.is_loopback() {
                builder.no_proxy()
            } else {
                builder
            };
            builder.build()
        };
        Ok(Self {
            reads: client(4)?,
            mutations: client(0)?,
            tls: endpoint.is_tls(),
        })
    }

    fn classify(&self, error: reqwest::Error) -> Failure {
        let phase = if error.is_builder() {
            Phase::Build
        } else if error.is_connect() {
            Phase::Connect(if error.is_timeout() {
                NoConnection::Timeout
            } else if find::<UnknownHost>(&error).is_some() {
                NoConnection::Dns
            } else if self.tls
                && !find::<io::Error>(&error).is_some_and(|io| {
                    matches!(
                        io.kind(),
                        io::ErrorKind::ConnectionRefused
                            | io::ErrorKind::NetworkUnreachable
                            | io::ErrorKind::HostUnreachable
                            | io::ErrorKind::AddrNotAvailable
                    )
                })
            {
                NoConnection::Tls
            } else {
                NoConnection::Refused
            })
        } else if error.is_body() || error.is_decode() {
            Phase::Truncated
        } else if find::<hyper::Error>(&error).is_some_and(hyper::Error::is_parse) {
            Phase::Garbage
        } else if find::<io::Error>(&error).is_some_and(|io| {
            matches!(
                io.kind(),
                io::ErrorKind::ConnectionReset
                    | io::ErrorKind::ConnectionAborted
                    | io::ErrorKind::BrokenPipe
            )
        }) {
            Phase::Reset
        } else {
            Phase::Closed
        };
        Failure {
            phase,
            source: Some(error.without_url().into()),
        }
    }
}

#[async_trait]
impl Transport for Http {
    async fn send(&self, request: Request) -> Result<Reply, Failure> {
        let client = match request.lane {
            Lane::Read => &self.reads,
            Lane::Mutation => &self.mutations,
        };
        let mut builder = client.request(request.method, request.url);
        if request.lane == Lane::Mutation {
            builder = builder.header(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(body) = request.body {
            builder = builder
                .header(
                    CONTENT_TYPE,
                    HeaderValue::from_static("application/json; charset=utf-8"),
                )
                .body(body);
        }
        let mut response = builder.send().await.map_err(|error| self.classify(error))?;
        let too_large = || Failure {
            phase: Phase::TooLarge,
            source: None,
        };
        let announced = usize::try_from(response.content_length().unwrap_or(0))
            .ok()
            .filter(|length| *length <= request.limit)
            .ok_or_else(too_large)?;
        let mut body = Vec::with_capacity(announced);
        let status = response.status().as_u16();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() > request.limit => {
                    return Err(too_large());
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Ok(Reply { status, body }),
                Err(error) => {
                    return Err(Failure {
                        phase: Phase::Truncated,
                        source: Some(error.without_url().into()),
                    });
                }
            }
        }
    }
}

/// The name has no address. A type of its own, so that nobody has to read a message to know.
#[derive(Debug, thiserror::Error)]
#[error("the name does not resolve")]
struct UnknownHost(#[source] io::Error);

#[derive(Debug)]
struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0))
                .await
                .map_err(UnknownHost)?
                .collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// The first error of this type in the chain; the errors that an `io::Error` carries are part of it.
fn find<'a, T: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    // A chain is as long as its wrappers, but nothing promises that.
    for _ in 0..16 {
        let error = next?;
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        let carried = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
            .map(|inner| inner as &(dyn StdError + 'static));
        next = carried.or_else(|| error.source());
    }
    None
}
