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
use crate::tools::{PATCHED, Patience, Signal, identity, signal_group, start_time, try_lock};

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
    /// The bundle id of the app that hosts the runner's tests on the device.
    test_host: Option<String>,
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
    /// Whether something that was started under it may still be there.
    owes: bool,
}

impl Lease {
    /// Takes the lease of a device; waits for a holder that is about to end. A runner that a dead holder has left is ended: its
    /// process, and its app on the device by `end_app`, which is told the bundle id.
    pub(crate) async fn take<F: Future<Output = ()>>(
        folder: &Path,
        device: &str,
        wait: Duration,
        patience: &Patience,
        end_app: impl FnOnce(String) -> F,
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
        // The note stays until all of it is ended: whoever comes after one that gives up here goes on with it.
        if let Some(left) = read(&path) {
            end_left_behind(&left).await;
            if let Some(host) = left.test_host {
                end_app(host).await;
            }
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
            owes: false,
        };
        lease.write().map_err(Unleased::Io)?;
        Ok(lease)
    }

    /// Notes the runner that is about to be started under it.
    pub(crate) fn note_launch(&mut self, port: u16, xctestrun: &Path, test_host: &str) {
        self.note.port = Some(port);
        self.note.xctestrun_path = Some(xctestrun.to_owned());
        self.note.test_host = Some(test_host.to_owned());
        self.note_down();
    }

    /// Notes the process, at once: whoever comes after a holder that dies now must find it.
    pub(crate) fn note_runner(&mut self, pid: u32) {
        self.note.runner_pid = Some(pid);
        self.owes = true;
        self.note_down();
    }

    /// Notes when the process was started, which takes a moment to find out.
    pub(crate) async fn note_start(&mut self, patience: &Patience) {
        let Some(pid) = self.note.runner_pid else {
            return;
        };
        self.note.runner_start_time = start_time(pid, patience).await;
        self.note_down();
    }

    /// All of the runner has ended.
    pub(crate) fn settle(&mut self) {
        self.owes = false;
    }

    fn note_down(&self) {
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
        // The lock is ours until the file is closed, so the note is, too. It stays for the next one if something may be left.
        if !self.owes {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn read(path: &Path) -> Option<Note> {
    let note: Note = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    (note.schema_version == SCHEMA).then_some(note)
}

/// Ends the process of a holder that has died, and removes its file. It takes the time that it takes, whoever waits: what is not
/// ended now is never ended.
async fn end_left_behind(left: &Note) {
    if let Some(pid) = left.runner_pid
        && is_runner(left, pid, |_| true).await == Some(true)
    {
        tracing::debug!(name: "agent_device.apple.stale_runner", pid, "ending a runner that was left behind");
        for signal in [Signal::Terminate, Signal::Kill] {
            signal_group(pid, signal);
            if is_runner(left, pid, |lives| !lives).await == Some(false) {
                break;
            }
        }
    }
    if let Some(file) = &left.xctestrun_path
        && file.to_string_lossy().contains(PATCHED)
    {
        let _ = fs::remove_file(file);
    }
}

/// Whether the process with this number is the runner of the note: asked until the answer is enough. `None`: it can't be told.
async fn is_runner(left: &Note, pid: u32, enough: impl Fn(bool) -> bool) -> Option<bool> {
    let patience = Patience::alone(END * 2);
    let started = left.runner_start_time.as_deref();
    // It was made for one launch, so its name tells the process as well. The start may not have been noted any more.
    let file = left.xctestrun_path.as_deref().and_then(Path::file_name);
    let is_it = |process: String| {
        started.is_some_and(|started| process.starts_with(started))
            || file.is_some_and(|file| process.contains(&*file.to_string_lossy()))
    };
    let look = |_| async {
        let process = identity(pid, &patience).await.ok();
        Ok::<_, Infallible>(process.map(|process| process.is_some_and(is_it)))
    };
    let observed = observe_until(
        Schedule::new("stale-runner", PAUSE, END),
        &patience.cancel,
        None,
        look,
        |_| false,
        |is_it, _, _| done_if(is_it.is_some_and(&enough)),
    );
    match observed.await.end {
        End::Done { value, .. } => value,
        End::Expired { last, .. } => last.flatten(),
        _ => None,
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{Tool, ToolPath, scratch};
    use std::{ffi::OsStr, sync::Arc};

    fn nobody(_: String) -> std::future::Ready<()> {
        unreachable!("nothing was left")
    }

    fn now() -> Patience {
        Patience::alone(Duration::from_secs(20))
    }

    #[tokio::test]
    async fn a_device_has_one_holder_and_the_next_one_gets_it() {
        let folder = scratch("lease").unwrap();
        let wait = Duration::from_millis(250);
        let take = async || Lease::take(folder.path(), "A/B", wait, &now(), nobody).await;
        let first = take().await.unwrap();
        let Err(Unleased::Held { owner }) = take().await else {
            panic!("held twice")
        };
        assert_eq!(owner, Some(std::process::id()));
        Lease::take(folder.path(), "other", Duration::ZERO, &now(), nobody)
            .await
            .unwrap();
        drop(first);
        take().await.unwrap();
    }

    #[tokio::test]
    async fn a_runner_that_was_left_is_ended_and_another_process_with_its_number_is_not() {
        let folder = scratch("lease").unwrap();
        let take = async || {
            let (patience, mut left) = (now(), None);
            let end_app = |host| {
                left = Some(host);
                std::future::ready(())
            };
            let taken = Lease::take(folder.path(), "A", Duration::ZERO, &patience, end_app);
            (taken.await.unwrap(), left)
        };
        let file = |word: &str| {
            let file = folder.path().join(format!("R{PATCHED}{word}.xctestrun"));
            fs::write(&file, "a token").unwrap();
            file
        };
        let spawn = |named: &Path| {
            let script = [
                OsStr::new("-c"),
                OsStr::new("sleep 60 & wait"),
                named.as_os_str(),
            ];
            let tool = Tool::new("sh", Duration::MAX).args(script);
            let spawned = ToolPath::default().spawn(&tool, Arc::new(|_: &str| ()));
            spawned.unwrap()
        };
        let (own, others) = (file("own"), file("others"));
        // Known by its start, by its file alone, and by neither.
        for (named, start, ends) in [
            (&others, Some(""), true),
            (&own, None, true),
            (&own, Some("x"), true),
            (&others, Some("x"), false),
            (&others, None, false),
        ] {
            fs::write(&own, "a token").unwrap();
            let runner = spawn(named);
            let mut lease = take().await.0;
            lease.note_launch(1, &own, "host");
            lease.note_runner(runner.pid());
            if let Some(spoilt) = start {
                lease.note_start(&now()).await;
                lease
                    .note
                    .runner_start_time
                    .as_mut()
                    .unwrap()
                    .push_str(spoilt);
                lease.write().unwrap();
            }
            drop(lease);
            assert_eq!(take().await.1.as_deref(), Some("host"));
            let ended = tokio::time::timeout(Duration::from_millis(500), runner.exited()).await;
            assert_eq!(ended.is_ok(), ends, "{named:?} {start:?}");
            assert!(!own.exists() && others.exists());
        }
    }
}
