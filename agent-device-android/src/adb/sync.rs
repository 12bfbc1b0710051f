//! Files of the device, over the first version of the sync protocol: every daemon since Android 1 speaks it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agent_device_core::{Call, Error, Result};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::{
    AdbDevice,
    link::{Link, Progress, within},
    wire,
};
use crate::error::AdbFailure;

/// The longest path that every daemon takes, in bytes.
const MAX_PATH: usize = 1024 - 16;

/// What the device says about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileStat {
    /// Type and permission bits, as in `st_mode`.
    pub mode: u32,
    /// The size in bytes, modulo 2^32: the protocol has no more room.
    pub size: u32,
    /// When the content was changed last.
    pub modified: SystemTime,
}

impl FileStat {
    /// Whether it is a folder.
    pub fn is_dir(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }

    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }
}

fn check(path: &str) -> Result<()> {
    if path.is_empty() || path.len() > MAX_PATH || path.contains('\0') {
        return Err(Error::invalid(
            "path",
            format!("a path on the device has 1 to {MAX_PATH} bytes and no NUL"),
        ));
    }
    Ok(())
}

impl AdbDevice {
    async fn sync(&self, progress: &Progress, call: &Call) -> Result<Link, AdbFailure> {
        self.open(b"sync:", progress, call).await
    }

    /// What is at `path`. `None`: nothing, or nothing that the shell user may see.
    ///
    /// # Errors
    ///
    /// The server can't be reached, refuses the device, or the connection broke off. Unsupported for a server that only the
    /// adb program can reach.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn stat(&self, path: &str, call: &Call) -> Result<Option<FileStat>> {
        self.needs_socket()?;
        check(path)?;
        let progress = Progress::default();
        let stat = async {
            let mut link = self.sync(&progress, call).await?;
            link.write(&wire::sync_message(*b"STAT", path.as_bytes()))
                .await?;
            let (id, mode) = wire::sync_head(link.read_array().await?);
            if &id != b"STAT" {
                return Err(link.garbage("no STAT behind a STAT"));
            }
            // Two more numbers, laid out like a head.
            let (size, modified) = wire::sync_head(link.read_array().await?);
            Ok((mode != 0).then(|| FileStat {
                mode,
                size: u32::from_le_bytes(size),
                modified: UNIX_EPOCH + Duration::from_secs(modified.into()),
            }))
        };
        Ok(within(call, &progress, stat).await?)
    }

    /// Writes a file of the device, with these permission bits (`0o644`). Folders on the way are made.
    ///
    /// # Errors
    ///
    /// `no` up to the request; after that the file may be there in part: the device refused it, the connection broke off, the
    /// deadline passed, or `data` could not be read. Unsupported for a server that only the adb program can reach.
    ///
    /// # Cancel safety
    ///
    /// The file may be there in part.
    pub async fn push(
        &self,
        mut data: impl AsyncRead + Send + Unpin,
        path: &str,
        mode: u32,
        call: &Call,
    ) -> Result<()> {
        self.needs_socket()?;
        check(path)?;
        let progress = Progress::default();
        let push = async {
            let mut link = self.sync(&progress, call).await?;
            let target = format!("{path},{}", 0o100_000 | (mode & 0o777));
            link.write(&wire::sync_message(*b"SEND", target.as_bytes()))
                .await?;
            // A daemon that refuses the file reads on to the end of it and answers then.
            let mut chunk = Vec::with_capacity(wire::SYNC_CHUNK);
            loop {
                chunk.clear();
                let limit = wire::SYNC_CHUNK as u64;
                let read = (&mut data).take(limit).read_to_end(&mut chunk).await;
                if read.map_err(|source| link.lost(source))? == 0 {
                    break;
                }
                link.write(&wire::sync_message(*b"DATA", &chunk)).await?;
            }
            let now = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| {
                    u32::try_from(since.as_secs()).unwrap_or(u32::MAX)
                });
            let mut done = b"DONE".to_vec();
            done.extend_from_slice(&now.to_le_bytes());
            link.write(&done).await?;
            match wire::sync_head(link.read_array().await?) {
                (id, _) if &id == b"OKAY" => Ok(()),
                (id, length) if &id == b"FAIL" => Err(file_failure(&mut link, path, length).await?),
                _ => Err(link.garbage("neither OKAY nor FAIL behind a file")),
            }
        };
        Ok(within(call, &progress, push).await?)
    }

    /// Reads a file of the device, up to [`AdbConfig::max_file`](crate::AdbConfig::max_file) bytes.
    ///
    /// # Errors
    ///
    /// The device has no such file or may not read it, it is larger than the limit, or the connection broke off. Unsupported
    /// for a server that only the adb program can reach.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn pull(&self, path: &str, call: &Call) -> Result<Vec<u8>> {
        let limit = self.server.shared.config.max_file;
        self.pull_up_to(limit, path, call).await
    }

    /// The same with a limit of its own.
    pub(crate) async fn pull_up_to(
        &self,
        limit: usize,
        path: &str,
        call: &Call,
    ) -> Result<Vec<u8>> {
        self.needs_socket()?;
        check(path)?;
        let progress = Progress::default();
        let pull = async {
            let mut link = self.sync(&progress, call).await?;
            link.write(&wire::sync_message(*b"RECV", path.as_bytes()))
                .await?;
            let mut file = Vec::new();
            loop {
                let (id, length) = wire::sync_head(link.read_array().await?);
                let length_usize = usize::try_from(length).unwrap_or(usize::MAX);
                match &id {
                    b"DATA" if length_usize > wire::SYNC_CHUNK => {
                        return Err(link.garbage("a piece of a file of more than 64 KiB"));
                    }
                    b"DATA" if length_usize > limit - file.len() => {
                        return Err(AdbFailure::TooLarge { limit });
                    }
                    b"DATA" => {
                        let from = file.len();
                        file.resize(from + length_usize, 0);
                        link.read_exact(&mut file[from..]).await?;
                    }
                    b"DONE" => return Ok(file),
                    b"FAIL" => return Err(file_failure(&mut link, path, length).await?),
                    _ => return Err(link.garbage("no DATA, DONE or FAIL in a file")),
                }
            }
        };
        Ok(within(call, &progress, pull).await?)
    }
}

async fn file_failure(link: &mut Link, path: &str, length: u32) -> Result<AdbFailure, AdbFailure> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let mut text = vec![0; length.min(wire::MAX_TEXT)];
    link.read_exact(&mut text).await?;
    Ok(AdbFailure::File {
        path: path.to_owned(),
        text: String::from_utf8_lossy(&text).into_owned(),
    })
}
