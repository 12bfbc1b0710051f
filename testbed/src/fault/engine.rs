//! The sockets of the fault peers: accepting, reading, passing on, and failing.

use std::{
    future::Future,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    time::{sleep, timeout},
};

use super::{Recorded, Reply, Shared, State, Strike, WireFault};
use crate::http::{self, MAX_HEAD, ReadError, Reader, Request, Response};

const MAX_REQUEST: usize = 16 * 1024 * 1024;
const MAX_REPLY: usize = 64 * 1024 * 1024;
const MAX_RECORDED: usize = 64 * 1024;
/// How long a connection that was closed unread stays behind its end mark, so that the reset which the kernel sends for unread
/// bytes doesn't overtake it.
const UNREAD: Duration = Duration::from_millis(500);

type Started = (Arc<Shared>, SocketAddr);

pub(super) async fn start(
    upstream: Option<SocketAddr>,
) -> io::Result<(Started, impl Future<Output = ()>)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let shared = Arc::new(Shared {
        state: Mutex::new(State::default()),
        upstream,
        wanted: watch::Sender::new(true),
        listening: watch::Sender::new(true),
        changed: watch::Sender::new(0),
    });
    Ok(((shared.clone(), address), accept(listener, address, shared)))
}

/// Accepts while the listener is wanted; else closes it and waits until it is wanted again.
async fn accept(listener: TcpListener, address: SocketAddr, shared: Arc<Shared>) {
    let mut wanted = shared.wanted.subscribe();
    let mut open = Some(listener);
    loop {
        let want = *wanted.borrow_and_update();
        if !want {
            open = None;
        } else if open.is_none() {
            match TcpListener::bind(address).await {
                Ok(listener) => open = Some(listener),
                Err(_) => {
                    sleep(Duration::from_millis(5)).await;
                    continue;
                }
            }
        }
        shared.listening.send_replace(open.is_some());
        let next = async {
            match &open {
                Some(listener) => listener.accept().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // A wish to close comes before connections that wait to be accepted.
            biased;
            changed = wanted.changed() => if changed.is_err() { return },
            accepted = next => match accepted {
                Ok((stream, _)) => {
                    let number = shared.change(|state| {
                        state.connections += 1;
                        state.connections
                    });
                    let shared = shared.clone();
                    tokio::spawn(async move { connection(stream, number, &shared).await });
                }
                Err(_) => sleep(Duration::from_millis(5)).await,
            },
        }
    }
}

async fn connection(stream: TcpStream, number: u64, shared: &Shared) {
    // Socket errors in here mean that the client went away, which ends the connection and nothing else.
    let _ = stream.set_nodelay(true);
    let mut reader = Reader::new(stream);
    for on_connection in 1.. {
        match strike_unread(&reader, number, shared).await {
            Ok(None) => {}
            Ok(Some(WireFault::ResetBeforeRead)) => return reset(reader),
            Ok(Some(_)) => {
                let _ = reader.stream.shutdown().await;
                return sleep(UNREAD).await;
            }
            Err(_) => return,
        }
        let request = match reader.request(MAX_REQUEST).await {
            Ok(Some(request)) => request,
            Ok(None) => return,
            Err(_) => {
                if reader.has_buffered() {
                    shared.change(|state| state.incomplete += 1);
                }
                return;
            }
        };
        let (index, fault) = record(&request, number, on_connection, shared);
        match serve(&mut reader, &request, Slot { index, shared }, fault).await {
            Ok(End::Next) if !request.last => {}
            Ok(End::Next | End::Close) | Err(_) => return close(reader).await,
            Ok(End::Reset) => return reset(reader),
            Ok(End::Hang) => return hang(reader).await,
        }
    }
}

/// Looks at a request without taking it out of the socket, for the faults that strike before it is read.
async fn strike_unread(
    reader: &Reader,
    connection: u64,
    shared: &Shared,
) -> io::Result<Option<WireFault>> {
    if reader.has_buffered() {
        return Ok(None);
    }
    let mut seen = vec![0; MAX_HEAD];
    // Peeking doesn't wait for more of a line that has begun, so it is asked again a bounded number of times.
    for _ in 0..1000 {
        let length = reader.stream.peek(&mut seen).await?;
        if let Some(end) = seen[..length].windows(2).position(|pair| pair == b"\r\n") {
            let line = String::from_utf8_lossy(&seen[..end]).into_owned();
            let mut words = line.split(' ');
            let (method, target) = (
                words.next().unwrap_or_default(),
                words.next().unwrap_or_default(),
            );
            return Ok(strike(shared, connection, method, target, None));
        }
        if length == 0 || length == MAX_HEAD {
            break;
        }
        sleep(Duration::from_millis(1)).await;
    }
    // Closed, or no HTTP: the reading proper will say so.
    Ok(None)
}

/// The fault that a request meets: before its body is read when there is none, else after.
fn strike(
    shared: &Shared,
    connection: u64,
    method: &str,
    target: &str,
    body: Option<&[u8]>,
) -> Option<WireFault> {
    shared.change(|state| {
        let mut struck = None;
        for rule in &mut state.rules {
            let in_phase = rule.fault.before_read() == body.is_none();
            if in_phase && rule.matches(method, target, body) && rule.strikes() && struck.is_none()
            {
                struck = Some(rule.fault.clone());
            }
        }
        if let Some(fault) = struck.clone() {
            state.strikes.push(Strike { connection, fault });
        }
        struck
    })
}

fn record(
    request: &Request,
    connection: u64,
    on_connection: u64,
    shared: &Shared,
) -> (usize, Option<WireFault>) {
    let fault = strike(
        shared,
        connection,
        &request.method,
        &request.target,
        Some(&request.body),
    );
    let recorded = Recorded {
        connection,
        on_connection,
        method: request.method.clone(),
        path: request.target.clone(),
        body: request.body[..request.body.len().min(MAX_RECORDED)].to_vec(),
        body_len: request.body.len(),
        forwarded: 0,
        fault: fault.clone(),
    };
    let index = shared.change(|state| {
        state.requests.push(recorded);
        state.requests.len() - 1
    });
    (index, fault)
}

/// Where a request is recorded.
#[derive(Clone, Copy)]
struct Slot<'a> {
    index: usize,
    shared: &'a Shared,
}

impl Slot<'_> {
    fn forwarded(self) {
        self.shared.change(|state| {
            // Gone when the test forgot the record in the meantime.
            if let Some(recorded) = state.requests.get_mut(self.index) {
                recorded.forwarded += 1;
            }
        });
    }
}

enum End {
    Next,
    Close,
    Reset,
    Hang,
}

async fn serve(
    reader: &mut Reader,
    request: &Request,
    slot: Slot<'_>,
    fault: Option<WireFault>,
) -> io::Result<End> {
    let Some(fault) = fault else {
        let reply = forward(request, slot).await?;
        return send(reader, &reply).await;
    };
    match fault {
        WireFault::ResetBeforeRead | WireFault::ResetAfterRead => Ok(End::Reset),
        WireFault::CloseBeforeRead | WireFault::CloseAfterRead => Ok(End::Close),
        WireFault::Hang => Ok(End::Hang),
        WireFault::Refuse => {
            let reply = forward(request, slot).await?;
            slot.shared.listen(false).await;
            send(reader, &reply).await
        }
        WireFault::ForwardThenReset => forward(request, slot).await.map(|_| End::Reset),
        WireFault::ForwardThenClose => forward(request, slot).await.map(|_| End::Close),
        WireFault::ForwardThenHang => forward(request, slot).await.map(|_| End::Hang),
        WireFault::Truncate => {
            let reply = forward(request, slot).await?;
            let body = reply.raw.len() - reply.head;
            reader
                .stream
                .write_all(&reply.raw[..reply.head + body / 2])
                .await?;
            Ok(End::Close)
        }
        WireFault::TruncateHead => {
            let reply = forward(request, slot).await?;
            reader
                .stream
                .write_all(&reply.raw[..reply.head / 2])
                .await?;
            Ok(End::Close)
        }
        WireFault::Slow(delay) => {
            let reply = forward(request, slot).await?;
            sleep(delay).await;
            send(reader, &reply).await
        }
        WireFault::LateForward(delay) => {
            sleep(delay).await;
            let reply = forward(request, slot).await?;
            send(reader, &reply).await
        }
        WireFault::Duplicate => {
            let first = forward(request, slot).await?;
            forward(request, slot).await?;
            send(reader, &first).await
        }
        WireFault::Garbage => garbage(reader).await,
        WireFault::ForwardThenGarbage => {
            forward(request, slot).await?;
            garbage(reader).await
        }
        WireFault::Status(reply) => {
            reader
                .stream
                .write_all(&bytes(&reply, &request.method))
                .await?;
            Ok(End::Next)
        }
        WireFault::ForwardThenStatus(reply) => {
            forward(request, slot).await?;
            reader
                .stream
                .write_all(&bytes(&reply, &request.method))
                .await?;
            Ok(End::Next)
        }
    }
}

async fn send(reader: &mut Reader, reply: &Response) -> io::Result<End> {
    reader.stream.write_all(&reply.raw).await?;
    Ok(if reply.last { End::Close } else { End::Next })
}

async fn garbage(reader: &mut Reader) -> io::Result<End> {
    // Xorshift with a fixed seed: the same noise in every run.
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let noise: Vec<u8> = (0..32)
        .flat_map(|_| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed.to_le_bytes()
        })
        .collect();
    reader.stream.write_all(&noise).await?;
    Ok(End::Close)
}

fn bytes(reply: &Reply, method: &str) -> Vec<u8> {
    let mut bytes = http::reply(
        reply.status,
        &reply.content_type,
        &reply.headers,
        &reply.body,
    );
    if method == "HEAD" {
        bytes.truncate(bytes.len() - reply.body.len());
    }
    bytes
}

fn canned(bytes: Vec<u8>, body: usize) -> Response {
    Response {
        head: bytes.len() - body,
        raw: bytes,
        last: false,
        #[cfg(test)]
        status: 0,
        #[cfg(test)]
        body: Vec::new(),
    }
}

/// Passes a request on, once, over a connection of its own. A server that doesn't answer makes a 502.
async fn forward(request: &Request, slot: Slot<'_>) -> io::Result<Response> {
    let Some(upstream) = slot.shared.upstream else {
        let reply = {
            let state = slot.shared.state();
            let routes = state.routes.iter().rev();
            let fits = |method: &str, path: &str| {
                (method.is_empty() || method == request.method) && request.target.contains(path)
            };
            routes
                .map(|(method, path, reply)| (fits(method, path), reply))
                .find(|(fits, _)| *fits)
                .map(|(_, reply)| reply.clone())
        };
        let reply =
            reply.unwrap_or_else(|| Reply::new(404, "text/plain", "no reply for this request"));
        slot.forwarded();
        let sent = if request.method == "HEAD" {
            0
        } else {
            reply.body.len()
        };
        return Ok(canned(bytes(&reply, &request.method), sent));
    };
    match exchange(upstream, request, slot).await {
        Ok(response) => Ok(response),
        Err(error) => {
            let text = format!(
                "the server behind the proxy failed: {}",
                io::Error::from(error)
            );
            Ok(canned(
                http::reply(502, "text/plain", &[], text.as_bytes()),
                text.len(),
            ))
        }
    }
}

async fn exchange(
    upstream: SocketAddr,
    request: &Request,
    slot: Slot<'_>,
) -> Result<Response, ReadError> {
    let mut stream = TcpStream::connect(upstream).await?;
    stream.set_nodelay(true)?;
    stream.write_all(&request.raw).await?;
    slot.forwarded();
    Reader::new(stream)
        .response(request.method == "HEAD", MAX_REPLY)
        .await
}

/// Closes in good order: unread bytes would turn the close into a reset.
async fn close(mut reader: Reader) {
    let _ = reader.stream.shutdown().await;
    let mut rest = [0; 4096];
    let drained = async { while let Ok(1..) = reader.stream.read(&mut rest).await {} };
    let _ = timeout(UNREAD, drained).await;
}

/// Closes with a reset.
fn reset(reader: Reader) {
    let _ = reader.stream.set_zero_linger();
}

/// Says nothing until the client has gone.
async fn hang(mut reader: Reader) {
    let mut rest = [0; 4096];
    while let Ok(1..) = reader.stream.read(&mut rest).await {}
}
