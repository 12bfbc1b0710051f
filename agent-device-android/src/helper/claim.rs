//! One process for each device: a second one would end the first one's helper, and be ended by it, with every command. A lock
//! that the operating system lets go of when its holder ends, and the holder's number in it for those who come too late.
//!
//! Several connections of one process share the claim: they know of each other.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use agent_device_core::{
    Call, Error, ErrorCode,
    dispatch::rows::core as rows,
    observe::{End, Judgement, Schedule, observe_until},
};

use crate::adb::AdbDevice;

/// How long a holder that is about to let go is waited for.
const WAIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(100);

/// A device that is ours. Dropping the last one of a process gives it back.
#[derive(Debug)]
pub(super) struct Claim {
    /// Holds the lock as long as it is open. `None`: this machine keeps no such files, and nobody is kept away.
    lock: Option<(File, PathBuf)>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // The lock is ours until the file is closed. Whoever has opened it by then looks whether it is still the one.
        if let Some((_, path)) = &self.lock {
            let _ = fs::remove_file(path);
        }
    }
}

/// The claims of this process.
static HELD: Mutex<Option<HashMap<PathBuf, Weak<Claim>>>> = Mutex::new(None);

impl Claim {
    /// Claims the device for this process.
    pub(super) async fn take(device: &AdbDevice, call: &Call) -> Result<Arc<Self>, Error> {
        let name = format!("{:?} {}", device.server().endpoint(), device.selector());
        Self::take_in(&std::env::temp_dir(), &name, WAIT, call).await
    }

    async fn take_in(
        folder: &Path,
        name: &str,
        wait: Duration,
        call: &Call,
    ) -> Result<Arc<Self>, Error> {
        let plain = |c: char| match c.is_ascii_alphanumeric() || c == '-' {
            true => c,
            false => '_',
        };
        let name: String = name.chars().map(plain).collect();
        let path = folder.join(format!("agent-device-android-{name}.lock"));
        let observed = observe_until(
            Schedule::new("android-claim", PAUSE, wait.min(call.remaining())),
            call.cancel(),
            None,
            |_| async { held(&path) },
            |_| false,
            |held: &Held, _, _| match held {
                Ok(claim) => Judgement::Done(Arc::clone(claim)),
                Err(_) => Judgement::go_on(),
            },
        )
        .await;
        match observed.end {
            End::Done { result, .. } => Ok(result),
            End::Failed { error, .. } => {
                tracing::debug!(name: "agent_device.android.unclaimed", %error, "whether another process drives the device is not known");
                Ok(Arc::new(Self { lock: None }))
            }
            End::Expired { last, .. } | End::Stalled { last, .. } => {
                Err(in_use(last.and_then(Result::err).flatten()))
            }
            End::Canceled => Err(in_use(None)),
        }
    }
}

/// The claim, or the number of its holder, if it is known.
type Held = Result<Arc<Claim>, Option<u32>>;

fn held(path: &Path) -> io::Result<Held> {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let held = held.get_or_insert_default();
    held.retain(|_, claim| claim.strong_count() > 0);
    if let Some(claim) = held.get(path).and_then(Weak::upgrade) {
        return Ok(Ok(claim));
    }
    let mut lock = open(path)?;
    if !try_lock(&lock)? {
        let mut holder = String::new();
        lock.take(16).read_to_string(&mut holder)?;
        return Ok(Err(holder.parse().ok()));
    }
    if !is_at(&lock, path) {
        return Ok(Err(None));
    }
    lock.set_len(0)?;
    write!(lock, "{}", std::process::id())?;
    let lock = Some((lock, path.to_owned()));
    let claim = Arc::new(Claim { lock });
    held.insert(path.to_owned(), Arc::downgrade(&claim));
    Ok(Ok(claim))
}

#[cfg(unix)]
fn try_lock(file: &File) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn try_lock(_: &File) -> io::Result<bool> {
    Ok(true)
}

/// Opens the lock, also that of another account.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let made = options.create(true).truncate(false).open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        made.set_permissions(fs::Permissions::from_mode(0o666))?;
    }
    Ok(made)
}

/// Whether this is still the file of that name: the holder before has taken its own away.
fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let name = |data: fs::Metadata| (data.dev(), data.ino());
        let (ours, there) = (file.metadata().map(name), fs::metadata(path).map(name));
        matches!((ours, there), (Ok(ours), Ok(there)) if ours == there)
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        true
    }
}

fn in_use(holder: Option<u32>) -> Error {
    let error = Error::refused(
        rows::REFUSAL_DEVICE_IN_USE,
        ErrorCode::DeviceInUse,
        match holder {
            Some(pid) => format!("the process {pid} drives this device"),
            None => "another process drives this device".to_owned(),
        },
    )
    .with_reason("android_device_in_use")
    .with_hint("Wait until it has ended, end it, or take another device: give each test process a device of its own.");
    match holder {
        Some(pid) => error.with_detail("ownerPid", pid),
        None => error,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn call() -> Call {
        Call::standalone(Duration::from_secs(10))
    }

    #[tokio::test]
    async fn a_process_shares_its_claim_and_another_one_is_told_whose_it_is() {
        let folder = std::env::temp_dir().join(format!("claims-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let take = async |name: &str| {
            let wait = Duration::from_millis(150);
            Claim::take_in(&folder, name, wait, &call()).await
        };
        let first = take("tcp:1 A/B").await.unwrap();
        let second = take("tcp:1 A/B").await.unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        drop(first);
        // As another process would: by the file alone.
        let path = folder.join("agent-device-android-tcp_1_A_B.lock");
        assert!(!try_lock(&open(&path).unwrap()).unwrap());
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            std::process::id().to_string()
        );
        drop(second);
        let mut theirs = open(&path).unwrap();
        write!(theirs, "7").unwrap();
        assert!(try_lock(&theirs).unwrap());
        let error = take("tcp:1 A/B").await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::DeviceInUse);
        assert_eq!(error.detail("ownerPid"), Some(&7.into()));
        assert!(error.dispatched().is_no());
        take("tcp:1 other").await.unwrap();
        drop(theirs);
        take("tcp:1 A/B").await.unwrap();
        fs::remove_dir_all(&folder).unwrap();
    }
}
