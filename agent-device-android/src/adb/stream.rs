//! A command on the device whose output is read while it runs.

use agent_device_core::{Call, Result};

use super::{
    AdbDevice, ShellCommand,
    link::{Link, Progress, within},
    shell::{CHUNK, exec, v2},
    wire::{self, Channel, Piece, ShellFrames},
};
use crate::error::AdbFailure;

/// A piece of what a running command prints, or its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShellEvent {
    /// To stdout. On a device without `shell_v2` also what goes to stderr.
    Stdout(Vec<u8>),
    /// To stderr.
    Stderr(Vec<u8>),
    /// It ended. `None`: with an exit code that the device can't tell, because it has no `shell_v2`.
    Exit(Option<u8>),
}

/// A running command. Dropping it ends the connection; the command itself may go on.
#[derive(Debug)]
pub struct ShellStream {
    link: Link,
    /// `None` for a device without the protocol: then everything is stdout.
    frames: Option<ShellFrames>,
    buffer: Vec<u8>,
    /// How much of the buffer was taken out.
    taken: usize,
    ended: bool,
}

impl ShellStream {
    /// The next piece. `None` after the end.
    ///
    /// # Errors
    ///
    /// The connection broke off before the command ended (`unknown`), or nothing came until the deadline; after a deadline the
    /// next call goes on where this one stopped.
    ///
    /// # Cancel safety
    ///
    /// Safe: nothing is lost.
    pub async fn next(&mut self, call: &Call) -> Result<Option<ShellEvent>> {
        let progress = Progress::default();
        progress.requested();
        Ok(within(call, &progress, self.event()).await?)
    }

    async fn event(&mut self) -> Result<Option<ShellEvent>, AdbFailure> {
        loop {
            if self.ended {
                return Ok(None);
            }
            let mut rest = self.buffer.get(self.taken..).unwrap_or_default();
            let event = match &mut self.frames {
                Some(frames) => {
                    let piece = frames.next(&mut rest);
                    piece.map(|piece| match piece {
                        Piece::Stdout(data) => ShellEvent::Stdout(data.to_vec()),
                        Piece::Stderr(data) => ShellEvent::Stderr(data.to_vec()),
                        Piece::Exit(code) => ShellEvent::Exit(Some(code)),
                    })
                }
                None => {
                    let data = std::mem::take(&mut rest);
                    (!data.is_empty()).then(|| ShellEvent::Stdout(data.to_vec()))
                }
            };
            self.taken = self.buffer.len() - rest.len();
            if let Some(event) = event {
                self.ended = matches!(event, ShellEvent::Exit(_));
                return Ok(Some(event));
            }
            self.buffer.clear();
            self.taken = 0;
            if self.link.read_some(&mut self.buffer, CHUNK).await? == 0 {
                self.ended = true;
                return if self.frames.is_none() {
                    Ok(Some(ShellEvent::Exit(None)))
                } else {
                    Err(self.link.lost(std::io::ErrorKind::UnexpectedEof.into()))
                };
            }
        }
    }

    /// Sends bytes to the command's stdin.
    ///
    /// # Errors
    ///
    /// The connection is gone, or it took nothing until the deadline. A part may have arrived: `unknown`.
    ///
    /// # Cancel safety
    ///
    /// Not safe: a part of the bytes may have been sent. Drop the stream.
    pub async fn write(&mut self, data: &[u8], call: &Call) -> Result<()> {
        let progress = Progress::default();
        progress.requested();
        let framed = self.frames.is_some();
        let link = &mut self.link;
        let write = async {
            for chunk in data.chunks(wire::SYNC_CHUNK) {
                if framed {
                    link.write(&wire::shell_frame(Channel::Stdin, chunk))
                        .await?;
                } else {
                    link.write(chunk).await?;
                }
            }
            Ok(())
        };
        Ok(within(call, &progress, write).await?)
    }

    /// Ends the command's stdin. A device without `shell_v2` can't: there the command sees an end only with the connection.
    ///
    /// # Errors
    ///
    /// The connection is gone.
    ///
    /// # Cancel safety
    ///
    /// Not safe: drop the stream.
    pub async fn close_stdin(&mut self, call: &Call) -> Result<()> {
        if self.frames.is_none() {
            return Ok(());
        }
        let progress = Progress::default();
        progress.requested();
        let frame = wire::shell_frame(Channel::CloseStdin, &[]);
        Ok(within(call, &progress, self.link.write(&frame)).await?)
    }
}

impl AdbDevice {
    /// Starts a command and returns at once.
    ///
    /// # Errors
    ///
    /// As [`shell`](Self::shell), up to the start. Unsupported for a server that only the adb program can reach.
    ///
    /// # Cancel safety
    ///
    /// The command may run, and go on running.
    pub async fn spawn(&self, command: &ShellCommand, call: &Call) -> Result<ShellStream> {
        self.needs_socket()?;
        let framed = self.features(call).await?.has("shell_v2");
        let progress = Progress::default();
        let service = if framed { v2(command) } else { exec(command) };
        let link = within(call, &progress, self.open(&service, &progress, call)).await?;
        Ok(ShellStream {
            link,
            frames: framed.then(ShellFrames::default),
            buffer: Vec::new(),
            taken: 0,
            ended: false,
        })
    }
}
