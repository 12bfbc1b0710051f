//! One connection to the adb server: connect, ask, read the answer. Every command has a connection of its own, so that a
//! failure on it can't be about anything else.

use std::{
    io,
    sync::atomic::{AtomicU8, Ordering},
    time::Duration,
};

use agent_device_core::Call;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::Instant,
};

use super::wire;
use crate::error::{AdbFailure, Phase};

/// How far a command got. Outlives the future that does it.
#[derive(Debug, Default)]
pub(super) struct Progress(AtomicU8);

impl Progress {
    /// Called before the first byte of the service request.
    pub(super) fn requested(&self) {
        self.reached(Phase::Requested);
    }

    /// Called before the first byte of what leads there.
    pub(super) fn reached(&self, phase: Phase) {
        self.0.store(phase as u8, Ordering::Release);
    }

    pub(super) fn phase(&self) -> Phase {
        match self.0.load(Ordering::Acquire) {
            at if at == Phase::Selecting as u8 => Phase::Selecting,
            at if at == Phase::HostService as u8 => Phase::HostService,
            _ => Phase::Requested,
        }
    }
}

/// Runs one command until it ends, the call's deadline passes or the caller cancels.
pub(super) async fn within<T>(
    call: &Call,
    progress: &Progress,
    command: impl Future<Output = Result<T, AdbFailure>>,
) -> Result<T, AdbFailure> {
    let start = Instant::now();
    let timeout = |phase| AdbFailure::Timeout {
        phase,
        after: start.elapsed(),
    };
    // The select below polls the command first: it must not write when the time is over already.
    if call.cancel().is_cancelled() {
        return Err(AdbFailure::Canceled {
            phase: progress.phase(),
        });
    }
    if call.remaining().is_zero() {
        return Err(timeout(progress.phase()));
    }
    tokio::select! {
        biased;
        result = command => result,
        () = call.cancel().cancelled() => Err(AdbFailure::Canceled { phase: progress.phase() }),
        // The deadline of one command: nothing is polled.
        () = tokio::time::sleep_until(call.deadline()) => Err(timeout(progress.phase())),
    }
}

/// A connection to the server.
#[derive(Debug)]
pub(super) struct Link {
    stream: TcpStream,
    phase: Phase,
}

/// The server's first word.
pub(super) enum Status {
    Okay,
    Fail(String),
}

impl Link {
    /// Connects. Loopback answers at once or not at all, so its limit is short.
    pub(super) async fn open(
        host: &str,
        port: u16,
        timeout: Option<Duration>,
    ) -> Result<Self, AdbFailure> {
        let unreachable = |source| AdbFailure::Unreachable {
            address: format!("{host}:{port}"),
            source: Some(source),
        };
        let local = super::endpoint::is_loopback(host);
        let limit = timeout.unwrap_or(Duration::from_secs(if local { 2 } else { 10 }));
        let stream = tokio::time::timeout(limit, TcpStream::connect((host, port)))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
            .map_err(unreachable)?;
        // A request is one write; waiting for more to send with it only costs time.
        stream.set_nodelay(true).map_err(unreachable)?;
        Ok(Self {
            stream,
            phase: Phase::Selecting,
        })
    }

    pub(super) fn lost(&self, source: io::Error) -> AdbFailure {
        AdbFailure::Lost {
            phase: self.phase,
            source: Some(source),
        }
    }

    pub(super) fn garbage(&self, what: &'static str) -> AdbFailure {
        AdbFailure::Garbage {
            phase: self.phase,
            what,
        }
    }

    /// Asks for the selection of a device.
    pub(super) async fn select(&mut self, service: &[u8]) -> Result<Status, AdbFailure> {
        self.ask(service).await
    }

    /// Asks for something that the server does by itself and no app can notice: a fact, a forward.
    pub(super) async fn serve(
        &mut self,
        service: &[u8],
        progress: &Progress,
    ) -> Result<Status, AdbFailure> {
        self.phase = Phase::HostService;
        progress.reached(self.phase);
        self.ask(service).await
    }

    /// Asks for something that the device runs. From here on, only an answer tells what became of it.
    pub(super) async fn start(
        &mut self,
        service: &[u8],
        progress: &Progress,
    ) -> Result<Status, AdbFailure> {
        self.phase = Phase::Requested;
        progress.requested();
        self.ask(service).await
    }

    async fn ask(&mut self, service: &[u8]) -> Result<Status, AdbFailure> {
        self.send_request(service).await?;
        self.status().await
    }

    async fn send_request(&mut self, service: &[u8]) -> Result<(), AdbFailure> {
        let request =
            wire::request(service).ok_or_else(|| self.garbage("the request is too long"))?;
        self.write(&request).await
    }

    /// Reads a status word, and the text behind a failure.
    pub(super) async fn status(&mut self) -> Result<Status, AdbFailure> {
        match &self.read_array().await? {
            b"OKAY" => Ok(Status::Okay),
            b"FAIL" => {
                // adb 29 closes in place of a text now and then.
                let text = self.text().await.unwrap_or_default();
                Ok(Status::Fail(text))
            }
            _ => Err(self.garbage("neither OKAY nor FAIL")),
        }
    }

    /// Reads a text behind its length.
    pub(super) async fn text(&mut self) -> Result<String, AdbFailure> {
        let digits = self.read_array().await?;
        let length =
            wire::length(digits).ok_or_else(|| self.garbage("a length that is no number"))?;
        debug_assert!(length <= wire::MAX_TEXT);
        let mut bytes = vec![0; length];
        self.read_exact(&mut bytes).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(super) async fn read_array<const N: usize>(&mut self) -> Result<[u8; N], AdbFailure> {
        let mut bytes = [0; N];
        self.read_exact(&mut bytes).await?;
        Ok(bytes)
    }

    pub(super) async fn read_exact(&mut self, bytes: &mut [u8]) -> Result<(), AdbFailure> {
        match self.stream.read_exact(bytes).await {
            Ok(_) => Ok(()),
            Err(source) => Err(self.lost(source)),
        }
    }

    /// Appends what comes next to `bytes`, at most `limit` bytes. 0 at the end of the stream.
    pub(super) async fn read_some(
        &mut self,
        bytes: &mut Vec<u8>,
        limit: usize,
    ) -> Result<usize, AdbFailure> {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        match (&mut self.stream).take(limit).read_buf(bytes).await {
            Ok(count) => Ok(count),
            Err(source) => Err(self.lost(source)),
        }
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), AdbFailure> {
        match self.stream.write_all(bytes).await {
            Ok(()) => Ok(()),
            Err(source) => Err(self.lost(source)),
        }
    }

    /// Both directions, for a stream that is read and written at once.
    pub(super) fn split(
        &mut self,
    ) -> (
        tokio::net::tcp::ReadHalf<'_>,
        tokio::net::tcp::WriteHalf<'_>,
    ) {
        self.stream.split()
    }
}
