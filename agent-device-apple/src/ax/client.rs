//! The connection to the guest: one request at a time, kept open between them.

use std::{
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use agent_device_core::snapshot::CaptureOptions;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    sync::Mutex,
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    app::Process,
    failure::AxFailure,
    reply::{self, Described},
    wire::{AxLimits, Describe, Expected, GRACE, HEADER, body_length},
};
use crate::tools::word;

/// The longest path that a socket can have on macOS, where `sun_path` is shorter than on Linux (`sys/un.h`: 104 bytes with the
/// zero at the end).
pub(super) const MAX_SOCKET_PATH: usize = 103;

#[derive(Debug)]
pub(super) struct Client {
    socket: PathBuf,
    /// The guest serves one connection at a time, so more than one would only wait.
    stream: Mutex<Option<UnixStream>>,
    requests: AtomicU64,
    /// Before the number of a request, so that no two guests are asked by the same name.
    name: String,
}

impl Client {
    pub(super) fn new(socket: PathBuf) -> Self {
        Self {
            socket,
            stream: Mutex::default(),
            requests: AtomicU64::new(0),
            name: word(),
        }
    }

    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Opens the connection, for the first request: whether the guest listens.
    pub(super) async fn connect(&self) -> Result<(), AxFailure> {
        let mut stream = self.stream.lock().await;
        *stream = Some(
            UnixStream::connect(&self.socket)
                .await
                .map_err(AxFailure::Unreachable)?,
        );
        Ok(())
    }

    /// Asks for the tree of a process. `limits.duration` bounds all of it.
    ///
    /// # Cancel safety
    ///
    /// Dropping it closes the connection: a reply that comes later can't be taken for that to another request.
    pub(super) async fn describe(
        &self,
        process: &Process,
        options: &CaptureOptions,
        limits: &AxLimits,
        hint: Option<u32>,
        cancel: &CancellationToken,
    ) -> Result<Described, AxFailure> {
        let started = Instant::now();
        let work = timeout(
            limits.duration + GRACE,
            self.ask(process, options, limits, hint),
        );
        match cancel.run_until_cancelled(work).await {
            None => Err(AxFailure::Canceled),
            Some(Err(_)) => Err(AxFailure::Timeout {
                after: started.elapsed(),
            }),
            Some(Ok(described)) => described,
        }
    }

    async fn ask(
        &self,
        process: &Process,
        options: &CaptureOptions,
        limits: &AxLimits,
        hint: Option<u32>,
    ) -> Result<Described, AxFailure> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let request_id = format!("{}-{number}", self.name);
        let expected = Expected {
            request_id: &request_id,
            pid: process.pid,
            generation: &process.generation,
        };
        let frame = Describe::new(&expected, limits, hint).frame(limits)?;
        let mut slot = self.stream.lock().await;
        // Out of its place while it is used: whatever ends this early also ends the connection.
        let kept = slot.take();
        let reused = kept.is_some();
        let mut stream = match kept {
            Some(stream) => stream,
            None => UnixStream::connect(&self.socket)
                .await
                .map_err(AxFailure::Unreachable)?,
        };
        let reply = match exchange(&mut stream, &frame, limits.reply_bytes).await {
            // The guest may have ended the kept connection since. A description changes nothing, so it may be asked for again.
            Err(lost @ AxFailure::Lost(_)) if reused => {
                // Nobody there any more: it ended with the request before it, which says more.
                let Ok(again) = UnixStream::connect(&self.socket).await else {
                    return Err(lost);
                };
                stream = again;
                exchange(&mut stream, &frame, limits.reply_bytes).await?
            }
            reply => reply?,
        };
        let described = reply::decode(&reply, &expected, options, limits);
        if described
            .as_ref()
            .err()
            .is_none_or(|failure| !failure.spoils_connection())
        {
            *slot = Some(stream);
        }
        described
    }
}

async fn exchange(
    stream: &mut UnixStream,
    frame: &[u8],
    limit: usize,
) -> Result<Vec<u8>, AxFailure> {
    stream.write_all(frame).await.map_err(AxFailure::Lost)?;
    let mut header = [0; HEADER];
    stream
        .read_exact(&mut header)
        .await
        .map_err(AxFailure::Lost)?;
    let length = body_length(header, limit)?;
    let mut body = Vec::new();
    // Grows with what arrives, not with what the header promises.
    let bound = u64::try_from(length).unwrap_or(u64::MAX);
    let read = stream
        .take(bound)
        .read_to_end(&mut body)
        .await
        .map_err(AxFailure::Lost)?;
    if read < length {
        return Err(AxFailure::Lost(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(body)
}
