//! One command, one connection, one answer, or a failure that says whether a byte was written.
//!
//! The runner closes each connection after its answer, and no two commands share one here either: so a command whose
//! connection never stood, or on which no byte was written, is provably unsent. The stream counts; nobody reads messages.

use std::{
    fmt, io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Method, Request, StatusCode,
    client::conn::http1,
    header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST},
};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use super::{RunnerError, tunnel::Tunnel, usbmux};
use crate::tools::{Nearest, Patience};

/// Where a runner listens.
#[derive(Clone, Debug)]
pub(crate) enum Route {
    /// A port that this machine reaches: of a simulator, of the Mac itself, of a runner that somebody else started.
    Tcp(SocketAddr),
    /// A port on a phone: through the daemon that owns the cable, else through the tunnel of CoreDevice.
    Device { tunnel: Arc<Tunnel>, port: u16 },
}

/// The longest wait for a connection, of which there may be several.
const CONNECT: Duration = Duration::from_secs(20);

/// What came back. The envelope in the body says all there is to say, and the status must not contradict it.
#[derive(Debug)]
pub(crate) struct Reply {
    status: StatusCode,
    body: Vec<u8>,
}

impl Reply {
    /// Reads it. `None`: it is no answer, or a success under the status of a failure, of which either may be true.
    pub(super) fn read<T>(
        &self,
        parse: impl FnOnce(&[u8]) -> Option<Result<T, RunnerError>>,
    ) -> Option<Result<T, RunnerError>> {
        parse(&self.body).filter(|answer| answer.is_err() || self.status.is_success())
    }
}

/// The largest reply that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) bytes: usize,
    /// By what name a caller can change it.
    pub(crate) name: Option<&'static str>,
}

impl Bound {
    /// Replies without a tree or a picture are small.
    pub(crate) const SMALL: Self = Self {
        bytes: 1 << 20,
        name: None,
    };
}

/// Why nothing of a command was written.
#[derive(Debug)]
pub(crate) enum Unwritten {
    /// Nobody listens, or the address can't be reached.
    Refused(io::Error),
    /// The connection did not stand within its own limit.
    Timeout,
    /// The device is not attached.
    Gone,
    /// The caller cancelled.
    Canceled,
    /// The caller's own deadline passed.
    Deadline,
}

/// Why there is no reply to a command that was written, as a whole or in part.
#[derive(Debug)]
pub(crate) enum NoReply {
    /// The connection ended before the answer did.
    Closed(Option<Box<dyn std::error::Error + Send + Sync>>),
    /// It did not come within its own limit.
    Timeout,
    /// The caller's own deadline passed.
    Deadline,
    /// The answer is no HTTP, or no answer of a runner.
    Garbage,
    /// The answer is larger than this.
    TooLarge(Bound),
    /// The caller cancelled.
    Canceled,
}

/// A command without an answer.
#[derive(Debug)]
pub(crate) enum Unanswered {
    Unwritten(Unwritten),
    /// Written, as a whole or in part.
    Written(NoReply),
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Device { port, .. } => write!(f, "port {port} of the device"),
        }
    }
}

impl Route {
    /// The same way to another port.
    pub(super) fn at(&self, port: u16) -> Self {
        match self {
            Self::Tcp(address) => Self::Tcp(SocketAddr::new(address.ip(), port)),
            Self::Device { tunnel, .. } => Self::Device {
                tunnel: Arc::clone(tunnel),
                port,
            },
        }
    }

    async fn dial(&self) -> Result<Box<dyn Stream>, Unwritten> {
        match self {
            Self::Tcp(address) => tcp(*address).await,
            Self::Device { tunnel, port } => match tunnel.usbmux().connect(*port).await {
                Ok(stream) => Ok(Box::new(stream)),
                // No cable, or no daemon that owns one.
                Err(usbmux::Failure::NotAttached | usbmux::Failure::NoDaemon(_)) => {
                    let address = tunnel.known().ok_or(Unwritten::Gone)?;
                    tcp(SocketAddr::new(address, *port)).await
                }
                Err(failure) => Err(Unwritten::Refused(io::Error::other(failure))),
            },
        }
    }

    /// Whether a dial that failed so may fare better: the address in the tunnel was not asked for yet, or is another by now.
    async fn other_way(&self, why: &Unwritten, patience: &Patience) -> Result<bool, Unwritten> {
        let Self::Device { tunnel, .. } = self else {
            return Ok(false);
        };
        let astray = match why {
            Unwritten::Gone => true,
            Unwritten::Refused(_) | Unwritten::Timeout => tunnel.forget(),
            Unwritten::Canceled | Unwritten::Deadline => false,
        };
        if !astray {
            return Ok(false);
        }
        tokio::select! {
            biased;
            found = tunnel.ask(patience) => if found { Ok(true) } else { Err(Unwritten::Gone) },
            () = patience.cancel.cancelled() => Err(Unwritten::Canceled),
            () = tokio::time::sleep_until(patience.deadline) => Err(Unwritten::Deadline),
        }
    }
}

async fn tcp(address: SocketAddr) -> Result<Box<dyn Stream>, Unwritten> {
    let stream = TcpStream::connect(address)
        .await
        .map_err(Unwritten::Refused)?;
    let _ = stream.set_nodelay(true);
    Ok(Box::new(stream))
}

/// What is sent.
#[derive(Clone)]
pub(crate) struct Posted<'a> {
    pub(crate) body: Bytes,
    /// What the runner wants to be shown, because its port may be reached by others.
    pub(crate) token: Option<&'a str>,
    pub(crate) bound: Bound,
}

/// Sends one command and reads its answer. `limit` bounds the time, but for that of asking where a phone is; the caller's patience
/// bounds all of it. A phone that is not where it was is dialled once more, as nothing was written.
pub(crate) async fn exchange(
    route: &Route,
    request: Posted<'_>,
    limit: Duration,
    patience: &Patience,
) -> Result<Reply, Unanswered> {
    let first = once(route, request.clone(), limit, patience).await;
    let Err(Unanswered::Unwritten(why)) = &first else {
        return first;
    };
    match route.other_way(why, patience).await {
        Ok(true) => once(route, request, limit, patience).await,
        Ok(false) => first,
        Err(why) => Err(Unanswered::Unwritten(why)),
    }
}

async fn once(
    route: &Route,
    request: Posted<'_>,
    limit: Duration,
    patience: &Patience,
) -> Result<Reply, Unanswered> {
    let written = Arc::<AtomicU64>::default();
    let patience = patience.within(limit);
    let whole = async {
        let dial = tokio::time::timeout(CONNECT, route.dial()).await;
        let stream = dial
            .unwrap_or(Err(Unwritten::Timeout))
            .map_err(Unanswered::Unwritten)?;
        let stream = Counting {
            stream,
            written: Arc::clone(&written),
        };
        ask(stream, request).await.map_err(Unanswered::Written)
    };
    let result = tokio::select! {
        biased;
        result = whole => result,
        () = patience.cancel.cancelled() => Err(Unanswered::Written(NoReply::Canceled)),
        () = tokio::time::sleep_until(patience.deadline) => Err(Unanswered::Written(match patience.nearest {
            Nearest::Limit => NoReply::Timeout,
            Nearest::Call => NoReply::Deadline,
        })),
    };
    if written.load(Ordering::Acquire) > 0 {
        return result;
    }
    // Whatever it looked like: nothing was written.
    result.map_err(|failure| {
        Unanswered::Unwritten(match failure {
            Unanswered::Unwritten(why) => why,
            Unanswered::Written(NoReply::Canceled) => Unwritten::Canceled,
            Unanswered::Written(NoReply::Deadline) => Unwritten::Deadline,
            Unanswered::Written(NoReply::Timeout) => Unwritten::Timeout,
            Unanswered::Written(_) => Unwritten::Refused(io::ErrorKind::ConnectionReset.into()),
        })
    })
}

async fn ask(stream: Counting, posted: Posted<'_>) -> Result<Reply, NoReply> {
    let closed = |error: hyper::Error| {
        if error.is_parse() {
            NoReply::Garbage
        } else {
            NoReply::Closed(Some(error.into()))
        }
    };
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(closed)?;
    let mut request = Request::builder()
        .method(Method::POST)
        .uri("/command")
        .header(HOST, "127.0.0.1")
        .header(CONTENT_TYPE, "application/json")
        .header(CONNECTION, "close");
    if let Some(token) = posted.token {
        request = request.header(AUTHORIZATION, format!("Bearer {token}"));
    }
    let request = request
        .body(Full::new(posted.body))
        .map_err(|_| NoReply::Garbage)?;
    let bound = posted.bound;
    let answer = async {
        let mut response = sender.send_request(request).await.map_err(closed)?;
        let status = response.status();
        let announced = response
            .headers()
            .get(hyper::header::CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if announced.is_some_and(|length| length > bound.bytes) {
            return Err(NoReply::TooLarge(bound));
        }
        let mut body = Vec::with_capacity(announced.unwrap_or(0));
        while let Some(frame) = response.frame().await {
            let frame = frame.map_err(closed)?;
            let Some(data) = frame.data_ref() else {
                continue;
            };
            if body.len() + data.len() > bound.bytes {
                return Err(NoReply::TooLarge(bound));
            }
            body.extend_from_slice(data);
        }
        Ok(Reply { status, body })
    };
    tokio::pin!(answer, connection);
    let mut open = true;
    loop {
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            _ = &mut connection, if open => open = false,
        }
    }
}

/// Counts what is handed to the operating system.
struct Counting {
    stream: Box<dyn Stream>,
    written: Arc<AtomicU64>,
}

impl AsyncRead for Counting {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Counting {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(count)) = poll {
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            self.written.fetch_add(count, Ordering::AcqRel);
        }
        poll
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
