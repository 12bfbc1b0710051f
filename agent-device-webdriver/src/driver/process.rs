//! One running driver: its process group, its folder, its last words.
//!
//! A browser outlives its driver, and both outlive whoever started them, unless somebody sees to it. Three do: closing asks
//! the driver to end the session and then kills what is left; dropping kills at once; and a guard process that waits for the
//! end of a pipe from this process kills and cleans up when this process dies without either.

use std::{
    collections::VecDeque,
    fs, io,
    io::Read as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use tokio::sync::watch;

/// How much of a driver's output is kept for errors.
const TAIL: usize = 8 * 1024;
/// How long the end of a killed browser is waited for.
const END: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);

/// How a driver is started.
pub(super) struct Launch {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    pub(super) folder: Folder,
    /// Finds the port in a line of output.
    pub(super) port: fn(&str) -> Option<u16>,
}

/// A folder of one browser, for its profile and its temporary files. Removed when dropped.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn create() -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let base = std::env::temp_dir();
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        for _ in 0..100 {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let now = std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(0, |since| since.subsec_nanos());
            // Short: sockets in it have a limited path.
            let path = base.join(format!(
                "agent-device-{:x}-{now:x}-{count:x}",
                std::process::id()
            ));
            match builder.create(&path) {
                Ok(()) => {
                    let folder = Self(path);
                    builder.create(folder.profile())?;
                    builder.create(folder.temporary())?;
                    return Ok(folder);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(super) fn profile(&self) -> PathBuf {
        self.0.join("p")
    }

    pub(super) fn temporary(&self) -> PathBuf {
        self.0.join("t")
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The last output of a driver.
#[derive(Debug, Default)]
struct Tail(Mutex<VecDeque<u8>>);

impl Tail {
    fn push(&self, bytes: &[u8]) {
        let mut tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(bytes);
        let excess = tail.len().saturating_sub(TAIL);
        tail.drain(..excess);
    }

    fn text(&self) -> String {
        let mut tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(tail.make_contiguous()).into_owned()
    }
}

/// A running driver. Dropping it kills driver and browser, waits for their end and removes their folder.
#[derive(Debug)]
pub(crate) struct DriverProcess {
    pid: u32,
    tail: Arc<Tail>,
    port: watch::Receiver<Option<u16>>,
    /// Dropping it starts the end.
    end: Option<mpsc::Sender<()>>,
    done: watch::Receiver<bool>,
    reaper: Option<thread::JoinHandle<()>>,
}

impl DriverProcess {
    /// Starts a driver.
    pub(super) fn start(launch: Launch) -> io::Result<Self> {
        let (mut output, out) = io::pipe()?;
        let mut command = command(&launch.program);
        command
            .args(&launch.arguments)
            .env("TMPDIR", launch.folder.temporary())
            // Crash dumps would land in the user's own configuration.
            .env("BREAKPAD_DUMP_LOCATION", launch.folder.temporary())
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(out);
        own_group(&mut command);
        let mut child = command.spawn()?;
        // The command keeps its ends of the pipe open.
        drop(command);
        let pid = child.id();
        let guard = match guard(pid, launch.folder.path()) {
            Ok(guard) => guard,
            Err(error) => {
                kill_group(pid);
                let _ = child.wait();
                return Err(error);
            }
        };

        let tail = Arc::<Tail>::default();
        let (found, port) = watch::channel(None);
        let pump = {
            let tail = Arc::clone(&tail);
            let find = launch.port;
            move || {
                let mut buffer = [0; 4096];
                let mut line = Vec::new();
                while let Ok(count @ 1..) = output.read(&mut buffer) {
                    tail.push(&buffer[..count]);
                    if found.borrow().is_some() {
                        continue;
                    }
                    for &byte in &buffer[..count] {
                        if byte == b'\n' {
                            if let Some(port) = find(&String::from_utf8_lossy(&line)) {
                                found.send_replace(Some(port));
                            }
                            line.clear();
                        } else if line.len() < 4096 {
                            line.push(byte);
                        }
                    }
                }
            }
        };
        let (end, ended) = mpsc::channel::<()>();
        let (finish, done) = watch::channel(false);
        let folder = launch.folder;
        let reap = move || {
            // Returns when the sender is dropped.
            let _ = ended.recv();
            reap(child, guard, folder);
            finish.send_replace(true);
        };
        let thread = |name: &str| thread::Builder::new().name(name.to_owned());
        // From here on the reaper's closure owns everything; if its thread can't be started, the group must still go.
        let reaper = thread("webdriver-reaper")
            .spawn(reap)
            .inspect_err(|_| kill_group(pid))?;
        let process = Self {
            pid,
            tail,
            port,
            end: Some(end),
            done,
            reaper: Some(reaper),
        };
        thread("webdriver-output").spawn(pump)?;
        Ok(process)
    }

    /// Waits for the port. `None`: the driver ended, or closed its output, without telling one.
    pub(super) async fn port(&self) -> Option<u16> {
        let mut port = self.port.clone();
        port.wait_for(Option::is_some)
            .await
            .ok()
            .and_then(|port| *port)
    }

    /// The last output of driver and browser.
    pub(crate) fn tail(&self) -> String {
        self.tail.text()
    }

    /// The process id of the driver.
    pub(crate) fn id(&self) -> u32 {
        self.pid
    }

    /// Kills driver and browser and waits for the end of both.
    pub(crate) async fn kill(&mut self) {
        drop(self.end.take());
        let mut done = self.done.clone();
        // An error means that the reaper is gone, and it leaves last.
        let _ = done.wait_for(|done| *done).await;
    }
}

impl Drop for DriverProcess {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(reaper) = self.reaper.take() {
            let _ = reaper.join();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the process module")]
fn command(program: &Path) -> Command {
    Command::new(program)
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

/// Kills every process of the driver's group: the browser is started into it.
#[cfg(unix)]
fn kill_group(pid: u32) {
    if let Some(pid) = i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: u32) {}

/// Whether a process of the group is left.
#[cfg(unix)]
fn group_lives(pid: u32) -> bool {
    i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|pid| rustix::process::test_kill_process_group(pid).is_ok())
}

#[cfg(not(unix))]
fn group_lives(_: u32) -> bool {
    false
}

/// A shell that waits for the end of its input, which this process holds. It dies with its work undone in the ordinary case.
#[cfg(unix)]
fn guard(pid: u32, folder: &Path) -> io::Result<Child> {
    // `read` returns when the other end of the pipe closes, whatever closed it.
    const SCRIPT: &str =
        r#"read -r _; kill -s KILL -- "-$1"; sleep 1; kill -s KILL -- "-$1"; rm -rf -- "$2""#;
    let mut command = command(Path::new("/bin/sh"));
    command
        .args(["-c", SCRIPT, "agent-device-guard"])
        .arg(pid.to_string())
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    own_group(&mut command);
    command.spawn()
}

#[cfg(not(unix))]
fn guard(_: u32, _: &Path) -> io::Result<Child> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The end of a driver: its group is killed and its folder removed, both for certain before this returns, within [`END`].
fn reap(mut driver: Child, mut guard: Child, folder: Folder) {
    let group = driver.id();
    let wait = mpsc::channel::<()>();
    // Nobody sends: a receive that times out is a pause.
    let pause = || {
        let _ = wait.1.recv_timeout(PAUSE);
    };
    kill_group(group);
    let _ = driver.kill();
    let _ = driver.wait();
    let start = Instant::now();
    // Processes that the browser was just starting may join the group after the first signal.
    while group_lives(group) && start.elapsed() < END {
        kill_group(group);
        pause();
    }
    while fs::remove_dir_all(folder.path())
        .is_err_and(|error| error.kind() != io::ErrorKind::NotFound)
        && start.elapsed() < END
    {
        pause();
    }
    let _ = guard.kill();
    let _ = guard.wait();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn launch(script: &str) -> Launch {
        Launch {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            folder: Folder::create().expect("there is a folder for temporary files"),
            port: |line| line.strip_prefix("port ")?.parse().ok(),
        }
    }

    #[tokio::test]
    async fn the_port_is_read_from_the_output_and_the_output_is_kept() {
        let process =
            DriverProcess::start(launch("echo hello; echo port 4711; exec sleep 60")).unwrap();
        assert_eq!(process.port().await, Some(4711));
        assert!(process.tail().contains("hello"));
    }

    #[tokio::test]
    async fn a_driver_that_ends_without_a_port_is_noticed() {
        let process = DriverProcess::start(launch("echo broken >&2; exit 3")).unwrap();
        assert_eq!(process.port().await, None);
        assert!(process.tail().contains("broken"));
    }

    #[tokio::test]
    async fn output_without_end_is_kept_to_its_tail() {
        let process = DriverProcess::start(launch(
            "yes | head -c 1000000; echo; echo port 1; exec sleep 60",
        ))
        .unwrap();
        assert_eq!(process.port().await, Some(1));
        assert!(process.tail().len() <= TAIL);
    }

    #[tokio::test]
    async fn children_and_folder_go_with_the_driver() {
        let launch = launch("sleep 60 & sleep 60 & echo port 1; wait");
        let folder = launch.folder.path().to_owned();
        let mut process = DriverProcess::start(launch).unwrap();
        process.port().await;
        let group = process.id();
        assert!(group_lives(group) && folder.exists());
        process.kill().await;
        assert!(!group_lives(group) && !folder.exists());
    }
}
