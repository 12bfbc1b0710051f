//! Commands on the device, run to their end.

use std::borrow::Cow;

use agent_device_core::{Call, Error, Result};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};

use super::{
    AdbDevice, ShellCommand,
    link::{Link, Progress, within},
    process::ProcessOutput,
    wire::{self, Channel, Piece, ShellFrames},
};
use crate::error::{AdbFailure, Phase};

/// How much is read at once.
pub(super) const CHUNK: usize = 64 * 1024;

/// What a command on the device printed, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShellOutput {
    /// What it printed. On a device without `shell_v2` also what it printed to stderr.
    pub stdout: Vec<u8>,
    /// What it printed to stderr.
    pub stderr: Vec<u8>,
    /// Its exit code. More than 128: ended by a signal, or by a program that says so.
    pub code: i32,
    /// Whether the adb program ran it: then output and exit code may be adb's own.
    by_program: bool,
}

impl ShellOutput {
    /// stdout as text; what is no UTF-8 is replaced.
    pub fn stdout_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.stdout)
    }

    /// stderr as text; what is no UTF-8 is replaced.
    pub fn stderr_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.stderr)
    }

    /// The output of a command that ended with exit code 0.
    ///
    /// # Errors
    ///
    /// It ended with another one. The command ran, so what it did is not known: `unknown`.
    pub fn checked(self, command: &ShellCommand) -> Result<Self> {
        if self.code == 0 {
            return Ok(self);
        }
        Err(Error::from(AdbFailure::Exit {
            command: command.name(),
            code: self.code,
            stdout: self.stdout_text().into_owned(),
            stderr: self.stderr_text().into_owned(),
            host: self.by_program,
            phase: Phase::Requested,
        }))
    }
}

impl AdbDevice {
    /// Runs a command to its end, without input. An exit code other than 0 is no failure here: see [`ShellOutput::checked`].
    ///
    /// On a device without `shell_v2` the exit code comes behind a marker of our own at the end of the output.
    ///
    /// # Errors
    ///
    /// `no`: the server can't be reached, refuses the device, or lost the connection before the command was sent. `unknown`:
    /// the connection broke off, the deadline passed, the caller cancelled or the output was larger than
    /// [`AdbConfig::max_output`](crate::AdbConfig::max_output) after that.
    ///
    /// # Cancel safety
    ///
    /// The command may run, and go on running.
    pub async fn shell(&self, command: &ShellCommand, call: &Call) -> Result<ShellOutput> {
        let limit = self.server.shared.config.max_output;
        self.shell_up_to(limit, command, call).await
    }

    /// The same with a limit of its own.
    pub(crate) async fn shell_up_to(
        &self,
        limit: usize,
        command: &ShellCommand,
        call: &Call,
    ) -> Result<ShellOutput> {
        if self.server.program().is_some() {
            return self.shell_by_process(limit, command, call).await;
        }
        if !self.features(call).await?.has("shell_v2") {
            return self.legacy(command, limit, call).await;
        }
        let progress = Progress::default();
        let run = async {
            let mut link = self.open(&v2(command), &progress, call).await?;
            link.write(&wire::shell_frame(Channel::CloseStdin, &[]))
                .await?;
            collect(link, limit).await
        };
        Ok(within(call, &progress, run).await?)
    }

    /// Runs a command to its end with these bytes as its input, then the end of input. A device without `shell_v2` takes no
    /// input this way. If the command ends before it has read all of it, its exit code comes and its output may be lost: the
    /// daemon gives both up at once (seen with adbd 34).
    ///
    /// # Errors
    ///
    /// As [`shell`](Self::shell); input for a device without `shell_v2` is refused before anything is sent.
    ///
    /// # Cancel safety
    ///
    /// The command may run, and go on running.
    pub async fn shell_with_input(
        &self,
        command: &ShellCommand,
        input: &[u8],
        call: &Call,
    ) -> Result<ShellOutput> {
        if input.is_empty() {
            self.shell(command, call).await
        } else {
            self.shell_with_reader(command, input, call).await
        }
    }

    /// As [`shell_with_input`](Self::shell_with_input), for input that is read while it is sent.
    ///
    /// # Errors
    ///
    /// As there. Input that can't be read ends early: the command sees its end.
    ///
    /// # Cancel safety
    ///
    /// The command may run, and go on running.
    pub async fn shell_with_reader(
        &self,
        command: &ShellCommand,
        mut input: impl AsyncRead + Send + Unpin,
        call: &Call,
    ) -> Result<ShellOutput> {
        if self.server.program().is_some() || !self.features(call).await?.has("shell_v2") {
            return Err(no_input());
        }
        let limit = self.server.shared.config.max_output;
        let progress = Progress::default();
        let run = async {
            let mut link = self.open(&v2(command), &progress, call).await?;
            let lost = |source| AdbFailure::Lost {
                phase: Phase::Requested,
                source: Some(source),
            };
            let (mut reader, mut writer) = link.split();
            let feed = async {
                let mut chunk = Vec::with_capacity(wire::SYNC_CHUNK);
                loop {
                    chunk.clear();
                    let piece = wire::SYNC_CHUNK as u64;
                    (&mut input).take(piece).read_to_end(&mut chunk).await?;
                    if chunk.is_empty() {
                        break;
                    }
                    writer
                        .write_all(&wire::shell_frame(Channel::Stdin, &chunk))
                        .await?;
                }
                writer
                    .write_all(&wire::shell_frame(Channel::CloseStdin, &[]))
                    .await
            };
            let read = async {
                let mut output = Collected::new(limit);
                let mut buffer = Vec::with_capacity(CHUNK);
                loop {
                    buffer.clear();
                    if reader.read_buf(&mut buffer).await.map_err(lost)? == 0 {
                        return Err(lost(std::io::ErrorKind::UnexpectedEof.into()));
                    }
                    if output.take(&buffer)? {
                        return Ok(output.output);
                    }
                }
            };
            tokio::pin!(read, feed);
            tokio::select! {
                ended = &mut read => ended,
                // A command may end before it has read everything: only its own end counts.
                _ = &mut feed => read.await,
            }
        };
        Ok(within(call, &progress, run).await?)
    }

    /// Runs a command and returns the bytes that it prints, stdout and stderr alike, without an exit code. The end of the
    /// stream may also be the end of the device: the bytes must show by themselves that they are complete.
    ///
    /// # Errors
    ///
    /// As [`shell`](Self::shell).
    ///
    /// # Cancel safety
    ///
    /// The command may run, and go on running.
    pub async fn exec(&self, command: &ShellCommand, call: &Call) -> Result<Vec<u8>> {
        let limit = self.server.shared.config.max_output;
        self.exec_up_to(limit, command, call).await
    }

    /// The same with a limit of its own.
    pub(crate) async fn exec_up_to(
        &self,
        limit: usize,
        command: &ShellCommand,
        call: &Call,
    ) -> Result<Vec<u8>> {
        if self.server.program().is_some() {
            let output = self.remote_by_process("exec-out", limit, command, call);
            return Ok(output.await?.checked("adb")?.stdout);
        }
        let progress = Progress::default();
        let run = async {
            let link = self.open(&exec(command), &progress, call).await?;
            rest(link, limit).await
        };
        Ok(within(call, &progress, run).await?)
    }

    /// A device without `shell_v2`: what tells the end of the command from the end of the connection, and its exit code, is a
    /// marker that nobody can know beforehand.
    async fn legacy(
        &self,
        command: &ShellCommand,
        limit: usize,
        call: &Call,
    ) -> Result<ShellOutput> {
        let marker = marker();
        let mut service = b"exec:{ ".to_vec();
        service.extend_from_slice(command.as_bytes());
        // The shell itself keeps the connection: a background process of the command must not hold its end back.
        service.extend_from_slice(format!("\n}} </dev/null 2>&1; echo {marker}$?").as_bytes());
        let progress = Progress::default();
        let run = async {
            let link = self.open(&service, &progress, call).await?;
            let mut stdout = rest(link, limit + marker.len() + 16).await?;
            let lost = AdbFailure::Lost {
                phase: Phase::Requested,
                source: None,
            };
            let Some((end, code)) = marked(&stdout, marker.as_bytes()) else {
                return Err(lost);
            };
            stdout.truncate(end);
            Ok(ShellOutput {
                stdout,
                code,
                ..ShellOutput::default()
            })
        };
        Ok(within(call, &progress, run).await?)
    }

    async fn shell_by_process(
        &self,
        limit: usize,
        command: &ShellCommand,
        call: &Call,
    ) -> Result<ShellOutput> {
        let output = self
            .remote_by_process("shell", limit, command, call)
            .await?;
        // The exit code is the command's or adb's own: both say that it may have run.
        Ok(ShellOutput {
            stdout: output.stdout,
            stderr: output.stderr.into_bytes(),
            code: output.code,
            by_program: true,
        })
    }

    /// Has the adb program run a command on the device. adb passes on what the command prints, to stderr too, so the device's
    /// shell says first that it has begun: without that word on stdout, a refusal on stderr can only be adb's own.
    async fn remote_by_process(
        &self,
        verb: &str,
        limit: usize,
        command: &ShellCommand,
        call: &Call,
    ) -> Result<ProcessOutput> {
        let began = marker();
        // On a line of its own: a shell reads line by line, so not even a syntax error behind it comes first.
        let line = [b"echo ", began.as_bytes(), b"\n", command.as_bytes()].concat();
        let arguments = [std::ffi::OsString::from(verb), line_argument(line)?];
        // The word itself is no output.
        let limit = limit.saturating_add(began.len() + 2);
        let output = self.run_adb(&arguments, Phase::Requested, limit, call);
        let mut output = output.await?;
        take_line(&mut output.stdout, began.as_bytes());
        Ok(output)
    }

    pub(super) fn needs_socket(&self) -> Result<()> {
        match self.server.program() {
            None => Ok(()),
            Some(_) => Err(Error::refused(
                agent_device_core::dispatch::rows::core::REFUSAL_UNSUPPORTED,
                agent_device_core::ErrorCode::UnsupportedOperation,
                "not supported for an adb server that only the adb program can reach",
            )),
        }
    }
}

fn no_input() -> Error {
    Error::refused(
        agent_device_core::dispatch::rows::core::REFUSAL_UNSUPPORTED,
        agent_device_core::ErrorCode::UnsupportedOperation,
        "input for a command needs a device with shell_v2 and a server that can be reached directly",
    )
}

pub(super) fn v2(command: &ShellCommand) -> Vec<u8> {
    [b"shell,v2,raw:", command.as_bytes()].concat()
}

pub(super) fn exec(command: &ShellCommand) -> Vec<u8> {
    [b"exec:", command.as_bytes()].concat()
}

/// A command line as one argument of the adb program.
#[cfg(unix)]
fn line_argument(line: Vec<u8>) -> Result<std::ffi::OsString> {
    use std::os::unix::ffi::OsStringExt as _;
    Ok(std::ffi::OsString::from_vec(line))
}

#[cfg(not(unix))]
fn line_argument(line: Vec<u8>) -> Result<std::ffi::OsString> {
    String::from_utf8(line)
        .map(Into::into)
        .map_err(|_| Error::invalid("arguments", "the command line is no text"))
}

/// Puts frames together, up to a limit.
#[derive(Debug)]
struct Collected {
    frames: ShellFrames,
    output: ShellOutput,
    limit: usize,
}

impl Collected {
    fn new(limit: usize) -> Self {
        Self {
            frames: ShellFrames::default(),
            output: ShellOutput::default(),
            limit,
        }
    }

    /// Takes bytes of the stream; says whether the command has ended.
    fn take(&mut self, mut bytes: &[u8]) -> Result<bool, AdbFailure> {
        while let Some(piece) = self.frames.next(&mut bytes) {
            let (into, data) = match piece {
                Piece::Stdout(data) => (&mut self.output.stdout, data),
                Piece::Stderr(data) => (&mut self.output.stderr, data),
                Piece::Exit(code) => {
                    self.output.code = code.into();
                    return Ok(true);
                }
            };
            into.extend_from_slice(data);
            if self.output.stdout.len() + self.output.stderr.len() > self.limit {
                return Err(AdbFailure::TooLarge { limit: self.limit });
            }
        }
        Ok(false)
    }
}

async fn collect(mut link: Link, limit: usize) -> Result<ShellOutput, AdbFailure> {
    let mut output = Collected::new(limit);
    let mut buffer = Vec::with_capacity(4096);
    loop {
        buffer.clear();
        if link.read_some(&mut buffer, CHUNK).await? == 0 {
            return Err(link.lost(std::io::ErrorKind::UnexpectedEof.into()));
        }
        if output.take(&buffer)? {
            return Ok(output.output);
        }
    }
}

/// Everything up to the end of the stream.
async fn rest(mut link: Link, limit: usize) -> Result<Vec<u8>, AdbFailure> {
    let mut bytes = Vec::new();
    loop {
        if link.read_some(&mut bytes, CHUNK).await? == 0 {
            return Ok(bytes);
        }
        if bytes.len() > limit {
            return Err(AdbFailure::TooLarge { limit });
        }
    }
}

/// A word that no output holds by chance or on purpose.
fn marker() -> String {
    format!("agent-device-{}-", crate::word::word())
}

/// Removes the line that is this word, however a terminal ends it.
fn take_line(output: &mut Vec<u8>, word: &[u8]) {
    let Some(at) = output.windows(word.len()).position(|window| window == word) else {
        return;
    };
    let mut end = at + word.len();
    if output.get(end) == Some(&b'\r') {
        end += 1;
    }
    if output.get(end) == Some(&b'\n') {
        end += 1;
    }
    output.drain(at..end);
}

/// Where the marker begins at the end of the output, and the exit code behind it.
fn marked(output: &[u8], marker: &[u8]) -> Option<(usize, i32)> {
    let at = output
        .windows(marker.len())
        .rposition(|window| window == marker)?;
    let digits = output.get(at + marker.len()..)?.trim_ascii();
    let code = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((at, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_must_be_the_last_thing_that_was_said() {
        assert_eq!(marked(b"outm-0\n", b"m-"), Some((3, 0)));
        assert_eq!(marked(b"m-0\nm-17\r\n", b"m-"), Some((4, 17)));
        for torn in [&b"out"[..], b"outm-", b"outm-1\nmore", b"m-x\n", b""] {
            assert_eq!(marked(torn, b"m-"), None);
        }
        assert_ne!(marker(), marker());
    }

    #[test]
    fn the_word_of_a_shell_that_began_is_no_output() {
        for (said, rest) in [
            (&b"w-1\nout\n"[..], &b"out\n"[..]),
            (b"w-1\r\nout", b"out"),
            (b"hello\nw-1\n\n", b"hello\n\n"),
            (b"w-1", b""),
            (b"out", b"out"),
            (b"", b""),
        ] {
            let mut output = said.to_vec();
            take_line(&mut output, b"w-1");
            assert_eq!(output, rest);
        }
    }

    #[test]
    fn more_output_than_the_limit_is_a_failure_not_a_cut() {
        let mut output = Collected::new(4);
        assert!(!output.take(&[1, 2, 0, 0, 0, b'a', b'b']).unwrap());
        let error = output.take(&[2, 3, 0, 0, 0, b'a', b'b', b'c']).unwrap_err();
        assert!(matches!(error, AdbFailure::TooLarge { limit: 4 }));
    }
}
