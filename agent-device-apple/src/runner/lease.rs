//! One runner for each device: a lock that the operating system lets go of when its holder ends, and a note beside it that
//! says which runner the holder had started, so that the next one can clear it away.

use std::{
    convert::Infallible,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use agent_device_core::observe::{End, Schedule, observe_until};
use serde::{Deserialize, Serialize};

use super::done_if;
use crate::tools::{Patience, Signal, signal_group, start_time, try_lock};

const SCHEMA: u32 = 1;
/// Between two looks at a lock, or at a process that should end.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a runner that was left behind may take to end after each signal.
const END: Duration = Duration::from_secs(2);

/// What is known about the holder of a lease. Written for people, and for whoever comes after a holder that has died.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Note {
    schema_version: u32,
    device_id: String,
    owner_pid: u32,
    runner_pid: Option<u32>,
    runner_start_time: Option<String>,
    port: Option<u16>,
    xctestrun_path: Option<PathBuf>,
}

/// Why a lease was not granted.
#[derive(Debug)]
pub(crate) enum Unleased {
    /// Another process holds it.
    Held {
        /// Its id, if it left a note.
        owner: Option<u32>,
    },
    Io(io::Error),
}

/// A granted lease. Dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Lease {
    // Holds the lock as long as it is open.
    _lock: File,
    note: Note,
    path: PathBuf,
}

impl Lease {
    /// Takes the lease of a device; waits for a holder that is about to end. A runner that a dead holder has left is ended.
    pub(crate) async fn take(
        folder: &Path,
        device: &str,
        wait: Duration,
        patience: &Patience,
    ) -> Result<Self, Unleased> {
        let name: String = device
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '-' {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        fs::create_dir_all(folder).map_err(Unleased::Io)?;
        let path = folder.join(format!("{name}.json"));
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(format!("{name}.lock")))
            .map_err(Unleased::Io)?;
        let locked = observe_until(
            Schedule::new("lease", PAUSE, wait.min(patience.remaining())),
            &patience.cancel,
            None,
            |_| std::future::ready(try_lock(&lock)),
            |_| false,
            |is_ours, _, _| done_if(*is_ours),
        );
        match locked.await.end {
            End::Done { .. } => {}
            End::Failed { error, .. } => return Err(Unleased::Io(error)),
            _ => {
                let owner = read(&path).map(|note| note.owner_pid);
                return Err(Unleased::Held { owner });
            }
        }
        if let Some(left) = read(&path) {
            end_left_behind(&left, patience).await;
        }
        let note = Note {
            schema_version: SCHEMA,
            device_id: device.to_owned(),
            owner_pid: std::process::id(),
            ..Note::default()
        };
        let lease = Self {
            _lock: lock,
            note,
            path,
        };
        lease.write().map_err(Unleased::Io)?;
        Ok(lease)
    }

    /// Notes the runner that was started under it.
    pub(crate) async fn note_runner(
        &mut self,
        pid: u32,
        port: u16,
        xctestrun: &Path,
        patience: &Patience,
    ) {
        self.note.runner_pid = Some(pid);
        self.note.runner_start_time = start_time(pid, patience).await;
        self.note.port = Some(port);
        self.note.xctestrun_path = Some(xctestrun.to_owned());
        if let Err(error) = self.write() {
            tracing::debug!(name: "agent_device.apple.lease", %error, "the note of a lease can't be written");
        }
    }

    fn write(&self) -> io::Result<()> {
        // Whole or not at all: a reader never sees a part.
        let draft = self.path.with_extension("draft");
        fs::write(&draft, serde_json::to_vec(&self.note)?)?;
        fs::rename(draft, &self.path)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // The lock is ours until the file is closed, so the note is, too.
        let _ = fs::remove_file(&self.path);
    }
}

fn read(path: &Path) -> Option<Note> {
    let note: Note = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    (note.schema_version == SCHEMA).then_some(note)
}

/// Ends the runner of a holder that has died: if a process has its number and was started when the runner was.
async fn end_left_behind(left: &Note, patience: &Patience) {
    let (Some(pid), Some(started)) = (left.runner_pid, &left.runner_start_time) else {
        return;
    };
    if start_time(pid, patience).await.as_ref() != Some(started) {
        return;
    }
    tracing::debug!(name: "agent_device.apple.stale_runner", pid, "ending a runner that was left behind");
    for signal in [Signal::Terminate, Signal::Kill] {
        signal_group(pid, signal);
        let ended = observe_until(
            Schedule::new("stale-runner", PAUSE, END),
            &patience.cancel,
            None,
            |_| async { Ok::<_, Infallible>(start_time(pid, patience).await) },
            |_| false,
            |now, _, _| done_if(now.as_ref() != Some(started)),
        );
        if matches!(ended.await.end, End::Done { .. }) {
            return;
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{Tool, ToolPath, scratch};
    use std::sync::Arc;

    fn now() -> Patience {
        Patience::alone(Duration::from_secs(20))
    }

    #[tokio::test]
    async fn a_device_has_one_holder_and_the_next_one_gets_it() {
        let folder = scratch("lease").unwrap();
        let take =
            async || Lease::take(folder.path(), "A/B", Duration::from_millis(250), &now()).await;
        let first = take().await.unwrap();
        let Err(Unleased::Held { owner }) = take().await else {
            panic!("held twice")
        };
        assert_eq!(owner, Some(std::process::id()));
        Lease::take(folder.path(), "other", Duration::ZERO, &now())
            .await
            .unwrap();
        drop(first);
        take().await.unwrap();
    }

    #[tokio::test]
    async fn a_runner_that_was_left_is_ended_and_another_process_with_its_number_is_not() {
        let folder = scratch("lease").unwrap();
        let spawn = || {
            let tool = Tool::new("sleep", Duration::MAX).args(["60"]);
            ToolPath::default()
                .spawn(&tool, Arc::new(|_: &str| ()))
                .unwrap()
        };
        let (left, innocent) = (spawn(), spawn());
        for (running, shift) in [(&left, ""), (&innocent, "x")] {
            let mut lease = Lease::take(folder.path(), "A", Duration::ZERO, &now())
                .await
                .unwrap();
            lease
                .note_runner(running.pid(), 1, Path::new("/x"), &now())
                .await;
            if let Some(time) = &mut lease.note.runner_start_time {
                time.push_str(shift);
            }
            lease.write().unwrap();
            // As if its holder had died: the note stays.
            let kept = fs::read(&lease.path).unwrap();
            let path = lease.path.clone();
            drop(lease);
            fs::write(path, kept).unwrap();
            drop(
                Lease::take(folder.path(), "A", Duration::ZERO, &now())
                    .await
                    .unwrap(),
            );
        }
        tokio::time::timeout(Duration::from_secs(5), left.exited())
            .await
            .unwrap();
        assert_eq!(innocent.exit_code(), None);
    }
}
