//! What the tests talk to: a real adb server of their own, devices that never get as far as a shell, and servers that follow a
//! script.

use std::{
    collections::{BTreeSet, VecDeque},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use agent_device_android::{
    AdbConfig,
    adb::{AdbServer, Endpoint},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    process::{Child, Command},
    task::JoinHandle,
};

/// A line that is seen also when its test passes, for which the harness keeps what is printed to itself.
pub(crate) fn say_once(line: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap().insert(line.to_owned()) {
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// Says that a peer is missing. Fails where every peer is required.
pub(crate) fn skip(peer: &str, how: &str) {
    say_once(&format!("skipped: {peer}: {how}"));
    let required = std::env::var("AGENT_DEVICE_REQUIRE_PEERS").is_ok_and(|peers| peers == "all");
    assert!(!required, "the peer {peer} is required: {how}");
}

/// The adb program on `PATH`.
pub(crate) fn adb() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join("adb"))
        .find(|file| file.is_file());
    if found.is_none() {
        skip("adb", "apt-get install adb");
    }
    found
}

/// A file of the project.
pub(crate) fn at_root(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(path)
}

/// A folder that goes with its owner.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let path = std::env::temp_dir().join(format!(
            "agent-device-{name}-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        ));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A port on which nobody listens.
pub(crate) async fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().port()
}

/// The adb of the testbed's root, which is a later one than this machine may have: a program and the words before its own.
fn testbed_adb() -> Option<(PathBuf, Vec<String>)> {
    let cache = std::env::var_os("AGENT_DEVICE_CACHE").unwrap_or("/var/cache/agent-device".into());
    let root = PathBuf::from(cache).join("android/root");
    let loader = root.join("lib64/ld-linux-x86-64.so.2");
    let adb = root.join("usr/lib/android-sdk/platform-tools/adb");
    if !loader.is_file() || !adb.is_file() {
        skip("adb of Debian 13", "testbed/android/device prepare");
        return None;
    }
    // Its own libraries, without its own file system.
    let libraries = root.join("usr/lib/x86_64-linux-gnu");
    let libraries = format!("{0}:{0}/android", libraries.display());
    let words = ["--library-path", &libraries, &adb.display().to_string()];
    Some((loader, words.map(str::to_owned).to_vec()))
}

/// A real adb server on a port of its own, with a home of its own: no other server of the machine is touched.
pub(crate) struct RealServer {
    child: Child,
    pub(crate) server: AdbServer,
    _home: Folder,
}

impl RealServer {
    /// This machine's adb.
    pub(crate) async fn start(config: AdbConfig) -> Option<Self> {
        Some(Self::run(adb()?, Vec::new(), config).await)
    }

    /// This machine's adb and the testbed's, one after the other: what holds for one must hold for the other.
    pub(crate) async fn each(config: AdbConfig) -> Vec<Self> {
        let mut servers = Vec::new();
        servers.extend(Self::start(config.clone()).await);
        if let Some((program, words)) = testbed_adb() {
            servers.push(Self::run(program, words, config).await);
        }
        servers
    }

    async fn run(program: PathBuf, words: Vec<String>, config: AdbConfig) -> Self {
        let home = Folder::new("adb-home");
        let port = free_port().await;
        let child = Command::new(program)
            .args(words)
            .args(["-P", &port.to_string(), "nodaemon", "server"])
            .env("HOME", home.path())
            .env("TMPDIR", home.path())
            .env("ADB_MDNS_AUTO_CONNECT", "0")
            .env_remove("ADB_SERVER_SOCKET")
            .env_remove("ANDROID_ADB_SERVER_PORT")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let up = async {
            while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), up)
            .await
            .expect("the adb server listens");
        let mut config = config;
        config.start_server = false;
        Self {
            child,
            server: AdbServer::new(Endpoint::local(port), config),
            _home: home,
        }
    }

    pub(crate) async fn stop(mut self) {
        let _ = self.child.kill().await;
    }
}

/// How far a scripted device goes with a server.
#[derive(Clone, Copy)]
pub(crate) enum Reach {
    /// It takes the connection and says nothing: the server calls it offline.
    Silent,
    /// It asks for a key and never likes one: the server calls it unauthorized.
    Locked,
}

/// A device that a server connects to and that never becomes usable.
pub(crate) struct DeadDevice {
    pub(crate) address: String,
    task: JoinHandle<()>,
}

impl DeadDevice {
    pub(crate) async fn start(reach: Reach) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let task = tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                match reach {
                    Reach::Silent => held.push(stream),
                    Reach::Locked => drop(tokio::spawn(lock(stream))),
                }
            }
        });
        Self { address, task }
    }
}

impl Drop for DeadDevice {
    fn drop(&mut self) {
        self.task.abort();
    }
}

const CONNECT: u32 = u32::from_le_bytes(*b"CNXN");
const AUTH: u32 = u32::from_le_bytes(*b"AUTH");

async fn lock(mut stream: TcpStream) -> io::Result<()> {
    loop {
        let mut head = [0; 24];
        stream.read_exact(&mut head).await?;
        let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap());
        let mut body = vec![0; word(12) as usize];
        stream.read_exact(&mut body).await?;
        // After the last key comes the public one: then the user would be asked.
        if word(0) == CONNECT || (word(0) == AUTH && word(4) == 2) {
            let token = [7_u8; 20];
            let sum: u32 = token.iter().map(|byte| u32::from(*byte)).sum();
            let words = [AUTH, 1, 0, 20, sum, !AUTH];
            let mut message: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            message.extend_from_slice(&token);
            stream.write_all(&message).await?;
        }
    }
}

/// One step of a scripted server, on one connection.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Reads a request and records it.
    Request,
    /// Reads up to the end of a line.
    Line,
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Sends these bytes again and again until nobody takes them.
    Flood(Vec<u8>),
    /// Reads and drops what comes until the other end closes.
    Drain,
    /// Says nothing for ever.
    Hang,
    /// Resets the connection.
    Reset,
}

pub(crate) fn okay() -> Step {
    Step::Send(b"OKAY".to_vec())
}

pub(crate) fn fail(text: &str) -> Step {
    Step::Send(format!("FAIL{:04x}{text}", text.len()).into_bytes())
}

pub(crate) fn okay_text(text: &str) -> Step {
    Step::Send(format!("OKAY{:04x}{text}", text.len()).into_bytes())
}

/// A frame of the shell protocol.
pub(crate) fn frame(id: u8, data: &[u8]) -> Vec<u8> {
    let mut frame = vec![id];
    frame.extend_from_slice(&u32::try_from(data.len()).unwrap().to_le_bytes());
    frame.extend_from_slice(data);
    frame
}

/// A server that follows a script for each connection, the last one for all further connections.
pub(crate) struct Scripted {
    pub(crate) server: AdbServer,
    requests: Arc<Mutex<Vec<String>>>,
    lines: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Scripted {
    pub(crate) async fn start(scripts: Vec<Vec<Step>>) -> Self {
        Self::start_with(scripts, AdbConfig::default()).await
    }

    pub(crate) async fn start_with(scripts: Vec<Vec<Step>>, mut config: AdbConfig) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let lines = Arc::<Mutex<Vec<String>>>::default();
        let (seen, said) = (Arc::clone(&requests), Arc::clone(&lines));
        let task = tokio::spawn(async move {
            let mut scripts = VecDeque::from(scripts);
            while let Ok((stream, _)) = listener.accept().await {
                let script = if scripts.len() > 1 {
                    scripts.pop_front().unwrap()
                } else {
                    scripts.front().cloned().unwrap_or_default()
                };
                tokio::spawn(follow(stream, script, Arc::clone(&seen), Arc::clone(&said)));
            }
        });
        config.start_server = false;
        Self {
            server: AdbServer::new(Endpoint::local(port), config),
            requests,
            lines,
            task,
        }
    }

    /// The lines that were read, in order.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// The requests that were read, in order.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn follow(
    mut stream: TcpStream,
    script: Vec<Step>,
    seen: Arc<Mutex<Vec<String>>>,
    said: Arc<Mutex<Vec<String>>>,
) -> io::Result<()> {
    for step in script {
        match step {
            Step::Request => {
                let mut length = [0; 4];
                stream.read_exact(&mut length).await?;
                let length = usize::from_str_radix(std::str::from_utf8(&length).unwrap(), 16);
                let mut request = vec![0; length.unwrap()];
                stream.read_exact(&mut request).await?;
                let text = String::from_utf8_lossy(&request).into_owned();
                seen.lock().unwrap().push(text);
            }
            Step::Line => {
                let mut line = Vec::new();
                while line.last() != Some(&b'\n') {
                    line.push(stream.read_u8().await?);
                }
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                said.lock().unwrap().push(text);
            }
            Step::Send(bytes) => stream.write_all(&bytes).await?,
            Step::Flood(bytes) => loop {
                stream.write_all(&bytes).await?;
            },
            Step::Drain => {
                let mut sink = vec![0; 64 * 1024];
                while stream.read(&mut sink).await? > 0 {}
            }
            Step::Hang => std::future::pending().await,
            Step::Reset => {
                stream.set_zero_linger()?;
                return Ok(());
            }
        }
    }
    // In good order: what was not read yet would turn the close into a reset.
    stream.shutdown().await?;
    let mut sink = [0; 1024];
    while stream.read(&mut sink).await? > 0 {}
    Ok(())
}

/// A program that stands for adb: a shell script.
pub(crate) fn fake_adb(folder: &Folder, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.path().join("adb");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}
