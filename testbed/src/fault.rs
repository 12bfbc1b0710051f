//! Transports that fail on purpose, and a record of what reached them.
//!
//! A [`FaultProxy`] stands between a client and a real server, a [`FaultServer`] answers by itself. A [`Plan`] of [`Rule`]s says
//! which request meets which [`WireFault`]. Every request that was read as a whole is in [`FaultProxy::requests`], with its
//! connection and the number of times that it was passed on: enough to prove that nothing was sent twice, that a failure
//! before the device was one, and that mutations don't share connections.
//!
//! The proxy opens a connection of its own upstream for each request that it passes on and never sends one again by itself,
//! so what the server saw is what the record says.
//!
//! What may not be here: knowledge of what the requests mean.

mod engine;

use std::{
    fmt, io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::watch;

use crate::peer::Peer;

/// How a request fails. "Passed on" means to the server behind a proxy, or to the canned replies of a [`FaultServer`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireFault {
    /// The matched request itself is passed on and answered. The listener closes before the answer leaves, so the next
    /// connection is refused; those that are open go on. [`FaultProxy::listen`] ends it. See [`FaultProxy::refuse`] for doing
    /// so without a request.
    Refuse,
    /// The connection is reset while the request lies unread in it.
    ResetBeforeRead,
    /// The connection is closed in good order while the request lies unread in it.
    CloseBeforeRead,
    /// The whole request is read and goes nowhere; the connection is reset.
    ResetAfterRead,
    /// The whole request is read and goes nowhere; the connection is closed in good order.
    CloseAfterRead,
    /// Passed on; the reply is dropped and the connection reset.
    ForwardThenReset,
    /// Passed on; the reply is dropped and the connection closed in good order.
    ForwardThenClose,
    /// Passed on; the head and half of the body come back, then the connection is closed.
    Truncate,
    /// Passed on; half of the head comes back, then the connection is closed.
    TruncateHead,
    /// Read, passed on to nobody, never answered.
    Hang,
    /// Passed on; the reply is never sent.
    ForwardThenHang,
    /// Passed on at once; the reply comes after this time.
    Slow(Duration),
    /// Passed on after this time, also when the client has given up by then.
    LateForward(Duration),
    /// Passed on twice, one after the other; the first reply comes back.
    Duplicate,
    /// Not passed on; bytes that are no HTTP come back, then the connection is closed.
    Garbage,
    /// Passed on; bytes that are no HTTP come back, then the connection is closed.
    ForwardThenGarbage,
    /// Not passed on; this reply comes back.
    Status(Reply),
    /// Passed on; this reply comes back in place of the real one, as from a gateway that lost its patience.
    ForwardThenStatus(Reply),
}

impl WireFault {
    /// Whether the fault strikes before anything is read.
    #[must_use]
    pub fn before_read(&self) -> bool {
        matches!(self, Self::ResetBeforeRead | Self::CloseBeforeRead)
    }

    /// How often the server behind gets a request that meets this fault.
    #[must_use]
    pub fn deliveries(&self) -> u32 {
        match self {
            Self::ResetBeforeRead
            | Self::CloseBeforeRead
            | Self::ResetAfterRead
            | Self::CloseAfterRead
            | Self::Hang
            | Self::Garbage
            | Self::Status(_) => 0,
            Self::Duplicate => 2,
            Self::Refuse
            | Self::ForwardThenReset
            | Self::ForwardThenClose
            | Self::Truncate
            | Self::TruncateHead
            | Self::ForwardThenHang
            | Self::Slow(_)
            | Self::LateForward(_)
            | Self::ForwardThenGarbage
            | Self::ForwardThenStatus(_) => 1,
        }
    }
}

/// A canned reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// The media type of the body.
    pub content_type: String,
    /// The body.
    pub body: Vec<u8>,
    /// Headers beside the type and the length.
    pub headers: Vec<(String, String)>,
}

impl Reply {
    /// A reply without further headers.
    #[must_use]
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            content_type: content_type.to_owned(),
            body: body.into(),
            headers: Vec::new(),
        }
    }

    /// A reply with a JSON body.
    #[must_use]
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::new(status, "application/json; charset=utf-8", body.to_string())
    }

    /// Adds a header, for example a location to see whether a client follows it.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// Which requests meet which fault: all that match, unless [`Rule::nth`] or [`Rule::times`] says otherwise.
#[derive(Clone, Debug)]
pub struct Rule {
    method: Option<String>,
    path: Option<String>,
    body: Option<String>,
    skip: usize,
    times: usize,
    fault: WireFault,
    matched: usize,
}

impl Rule {
    /// Every request meets the fault.
    #[must_use]
    pub fn any(fault: WireFault) -> Self {
        Self {
            method: None,
            path: None,
            body: None,
            skip: 0,
            times: usize::MAX,
            fault,
            matched: 0,
        }
    }

    /// Requests with this method whose path, query included, contains this text.
    #[must_use]
    pub fn on(method: &str, path: &str, fault: WireFault) -> Self {
        Self::any(fault).method(method).path(path)
    }

    /// Only requests with this method.
    #[must_use]
    pub fn method(mut self, method: &str) -> Self {
        self.method = Some(method.to_owned());
        self
    }

    /// Only requests whose path, query included, contains this text.
    #[must_use]
    pub fn path(mut self, part: &str) -> Self {
        self.path = Some(part.to_owned());
        self
    }

    /// Only requests whose body contains this text. Never holds for a fault that strikes before the body is read.
    #[must_use]
    pub fn body(mut self, part: &str) -> Self {
        self.body = Some(part.to_owned());
        self
    }

    /// Only the `n`th match, counted from 1.
    #[must_use]
    pub fn nth(mut self, n: usize) -> Self {
        self.skip = n.saturating_sub(1);
        self.times = 1;
        self
    }

    /// Only the first `n` matches, or `n` matches from the one that [`Rule::nth`] names.
    #[must_use]
    pub fn times(mut self, n: usize) -> Self {
        self.times = n;
        self
    }

    fn matches(&self, method: &str, target: &str, body: Option<&[u8]>) -> bool {
        let contains = |part: &str| {
            body.is_some_and(|body| {
                part.is_empty()
                    || body
                        .windows(part.len())
                        .any(|window| window == part.as_bytes())
            })
        };
        self.method
            .as_deref()
            .is_none_or(|wanted| wanted.eq_ignore_ascii_case(method))
            && self
                .path
                .as_deref()
                .is_none_or(|part| target.contains(part))
            && self.body.as_deref().is_none_or(contains)
    }

    fn strikes(&mut self) -> bool {
        self.matched += 1;
        self.matched > self.skip && self.matched - self.skip <= self.times
    }
}

/// A request that was read as a whole.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recorded {
    /// The connection that it came on, counted from 1.
    pub connection: u64,
    /// Its place on that connection, counted from 1.
    pub on_connection: u64,
    /// The method.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The first 64 KiB of the body.
    pub body: Vec<u8>,
    /// The length of the whole body.
    pub body_len: usize,
    /// How often it was passed on so far: written upstream as a whole, or answered by a [`FaultServer`].
    pub forwarded: u32,
    /// What it met.
    pub fault: Option<WireFault>,
}

impl Recorded {
    /// The body as text; what is no UTF-8 is replaced.
    #[must_use]
    pub fn body_text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A fault that struck.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Strike {
    /// The connection that it struck.
    pub connection: u64,
    /// What it was.
    pub fault: WireFault,
}

#[derive(Debug, Default)]
struct State {
    rules: Vec<Rule>,
    routes: Vec<(String, String, Reply)>,
    requests: Vec<Recorded>,
    strikes: Vec<Strike>,
    connections: u64,
    incomplete: usize,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    upstream: Option<SocketAddr>,
    /// Whether the listener should be open, and whether it is.
    wanted: watch::Sender<bool>,
    listening: watch::Sender<bool>,
    changed: watch::Sender<u64>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let value = act(&mut self.state());
        self.changed
            .send_modify(|count| *count = count.wrapping_add(1));
        value
    }

    async fn listen(&self, wanted: bool) {
        let mut listening = self.listening.subscribe();
        self.wanted.send_replace(wanted);
        // An error means that the peer has stopped, and with it the listener.
        let _ = listening.wait_for(|now| *now == wanted).await;
    }
}

/// The rules of a peer. Cheap to clone; all clones change the same plan.
#[derive(Clone)]
pub struct Plan {
    shared: Arc<Shared>,
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.shared.state().rules).finish()
    }
}

impl Plan {
    /// Adds a rule. All matching rules count a request; the first one whose turn it is strikes.
    pub fn add(&self, rule: Rule) {
        self.shared.state().rules.push(rule);
    }

    /// Replaces all rules by one.
    pub fn set(&self, rule: Rule) {
        self.shared.state().rules = vec![rule];
    }

    /// Removes all rules: everything passes.
    pub fn clear(&self) {
        self.shared.state().rules.clear();
    }
}

#[derive(Debug)]
struct Server {
    peer: Peer,
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl Server {
    async fn start(upstream: Option<SocketAddr>) -> io::Result<Self> {
        let (peer, (shared, address)) =
            Peer::start("fault-peer", move || engine::start(upstream)).await?;
        Ok(Self {
            peer,
            shared,
            address,
        })
    }

    async fn wait_for(&self, count: usize, timeout: Duration) -> io::Result<Vec<Recorded>> {
        let mut changed = self.shared.changed.subscribe();
        let enough = changed.wait_for(|_| self.shared.state().requests.len() >= count);
        tokio::select! {
            _ = enough => Ok(self.shared.state().requests.clone()),
            () = self.peer.sleep(timeout) => {
                let seen = self.shared.state().requests.len();
                Err(io::Error::new(io::ErrorKind::TimedOut, format!("{seen} of {count} requests after {timeout:?}")))
            }
        }
    }
}

macro_rules! shared_methods {
    () => {
        /// Where clients connect.
        #[must_use]
        pub fn address(&self) -> SocketAddr {
            self.server.address
        }

        /// `http://` and the address.
        #[must_use]
        pub fn url(&self) -> String {
            format!("http://{}", self.server.address)
        }

        /// The rules; everything passes while there are none.
        #[must_use]
        pub fn plan(&self) -> Plan {
            Plan {
                shared: self.server.shared.clone(),
            }
        }

        /// Every request that was read as a whole, in the order of their last bytes.
        #[must_use]
        pub fn requests(&self) -> Vec<Recorded> {
            self.server.shared.state().requests.clone()
        }

        /// The requests with this method whose path contains this text.
        #[must_use]
        pub fn requests_to(&self, method: &str, path: &str) -> Vec<Recorded> {
            let state = self.server.shared.state();
            let wanted = state
                .requests
                .iter()
                .filter(|request| request.method == method && request.path.contains(path));
            wanted.cloned().collect()
        }

        /// Waits until at least `count` requests were read. Time is the peer's, never a test's.
        ///
        /// # Errors
        ///
        /// [`io::ErrorKind::TimedOut`] after `timeout`.
        ///
        /// # Cancel safety
        ///
        /// Only reads; may be dropped at any time.
        pub async fn wait_for_requests(
            &self,
            count: usize,
            timeout: Duration,
        ) -> io::Result<Vec<Recorded>> {
            self.server.wait_for(count, timeout).await
        }

        /// Forgets the recorded requests and strikes. Connections are counted on.
        pub fn forget(&self) {
            self.server.shared.change(|state| {
                state.requests.clear();
                state.strikes.clear();
                state.incomplete = 0;
            });
        }

        /// The faults that struck, so that a test can show that its fault did.
        #[must_use]
        pub fn strikes(&self) -> Vec<Strike> {
            self.server.shared.state().strikes.clone()
        }

        /// How many connections were accepted.
        #[must_use]
        pub fn connections(&self) -> u64 {
            self.server.shared.state().connections
        }

        /// How many requests ended in the middle or were no HTTP.
        #[must_use]
        pub fn incomplete(&self) -> usize {
            self.server.shared.state().incomplete
        }

        /// Closes the listener: from now on connections are refused. Those that are open go on.
        ///
        /// # Cancel safety
        ///
        /// When dropped, the listener closes all the same.
        pub async fn refuse(&self) {
            self.server.shared.listen(false).await;
        }

        /// Opens the listener again on the same port.
        ///
        /// # Cancel safety
        ///
        /// When dropped, the listener opens all the same.
        pub async fn listen(&self) {
            self.server.shared.listen(true).await;
        }

        /// Stops the peer, cuts all connections and waits until its thread has ended. Dropping it does so as well.
        ///
        /// # Cancel safety
        ///
        /// When dropped, the peer stops all the same.
        pub async fn stop(mut self) {
            self.server.peer.stop().await;
        }
    };
}

/// An HTTP/1.1 proxy on loopback that breaks chosen requests. Without a plan it changes no byte.
///
/// It buffers whole messages (requests up to 16 MiB, replies up to 64 MiB), so it isn't made for endless streams.
#[derive(Debug)]
pub struct FaultProxy {
    server: Server,
}

impl FaultProxy {
    /// Binds a port of loopback and passes requests on to `upstream`.
    ///
    /// # Errors
    ///
    /// When no port can be bound or no thread be started.
    ///
    /// # Cancel safety
    ///
    /// A proxy that isn't handed out stops by itself.
    pub async fn start(upstream: SocketAddr) -> io::Result<Self> {
        Ok(Self {
            server: Server::start(Some(upstream)).await?,
        })
    }

    shared_methods!();
}

/// The faults of [`FaultProxy`] with canned replies behind them. What has no reply is answered with 404.
#[derive(Debug)]
pub struct FaultServer {
    server: Server,
}

impl FaultServer {
    /// Binds a port of loopback.
    ///
    /// # Errors
    ///
    /// When no port can be bound or no thread be started.
    ///
    /// # Cancel safety
    ///
    /// A server that isn't handed out stops by itself.
    pub async fn start() -> io::Result<Self> {
        Ok(Self {
            server: Server::start(None).await?,
        })
    }

    /// Answers requests with this method whose path contains `path`. A later reply wins over an earlier one; an empty method
    /// or path holds for all.
    pub fn reply(&self, method: &str, path: &str, reply: Reply) {
        self.server
            .shared
            .state()
            .routes
            .push((method.to_owned(), path.to_owned(), reply));
    }

    shared_methods!();
}

/// An address of loopback where nobody listens: connecting to it is refused.
///
/// The port was free a moment ago; nothing reserves it, so use it at once.
///
/// # Errors
///
/// When no port is free.
pub fn refused_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
