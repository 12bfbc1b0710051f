//! Nothing stays behind: no browser, no driver, no profile, whatever ends the session.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use agent_device_core::{ErrorCode, action::Action};
use agent_device_webdriver::{Chromium, WebDriver};

use crate::harness::*;

/// Kills a process the hard way.
pub(crate) fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// Writes a program of the shell.
pub(crate) fn program(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What a browser has on this machine.
struct Traces {
    folder: PathBuf,
    group: u32,
}

impl Traces {
    fn of(browser: &WebDriver) -> Self {
        let pid = browser.browser_id().expect("the driver says it");
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).expect("it runs");
        let line = String::from_utf8_lossy(&line).into_owned();
        let profile = line
            .split('\0')
            .find_map(|word| word.strip_prefix("--user-data-dir="))
            .expect("it has a profile");
        let folder = Path::new(profile)
            .parent()
            .expect("the profile is in a folder")
            .to_owned();
        assert!(folder.exists());
        Self {
            folder,
            group: browser.driver_id().expect("it was started here"),
        }
    }

    /// Processes of the driver's group, or with the profile on their command line.
    fn processes(&self) -> Vec<String> {
        let name = self.folder.to_string_lossy();
        let all = std::fs::read_dir("/proc").expect("/proc is mounted");
        all.filter_map(|entry| {
            let path = entry.ok()?.path();
            let pid = path.file_name()?.to_str()?.parse::<u32>().ok()?;
            let line = std::fs::read(path.join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            let stat = std::fs::read_to_string(path.join("stat")).ok()?;
            let after = stat.rsplit_once(") ")?.1;
            let mut fields = after.split(' ');
            let state = fields.next()?;
            let group = fields.nth(1)?;
            let ours = group == self.group.to_string() || line.contains(&*name);
            (ours && state != "Z").then(|| format!("{pid} {line}"))
        })
        .collect()
    }

    fn assert_gone(&self) {
        assert_eq!(self.processes(), Vec::<String>::new());
        assert!(!self.folder.exists(), "{} is left", self.folder.display());
    }

    /// For what a process of its own cleans up.
    async fn wait_gone(&self) {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(10)
            && (self.folder.exists() || !self.processes().is_empty())
        {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.assert_gone();
    }
}

async fn start() -> Option<WebDriver> {
    if !have_chromium() {
        return None;
    }
    Some(Chromium::builder().start().await.unwrap())
}

#[tokio::test]
async fn closing_leaves_nothing_and_can_be_repeated() {
    let Some(browser) = start().await else { return };
    let traces = Traces::of(&browser);
    browser.close().await.unwrap();
    traces.assert_gone();
    browser.close().await.unwrap();
    let error = act(&browser, Action::Back).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::SessionNotFound);
    assert!(error.dispatched().is_no());
}

#[tokio::test]
async fn dropping_leaves_nothing() {
    let Some(browser) = start().await else { return };
    let traces = Traces::of(&browser);
    drop(browser);
    traces.assert_gone();
}

#[test]
fn dropping_outside_a_runtime_leaves_nothing() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let Some(browser) = runtime.block_on(start()) else {
        return;
    };
    let traces = Traces::of(&browser);
    drop(runtime);
    drop(browser);
    traces.assert_gone();
}

#[tokio::test]
async fn a_panic_leaves_nothing() {
    let Some(browser) = start().await else { return };
    let traces = Traces::of(&browser);
    let task = tokio::spawn(async move {
        let _browser = browser;
        std::panic::panic_any("on purpose");
    });
    assert!(task.await.unwrap_err().is_panic());
    traces.assert_gone();
}

#[tokio::test]
async fn a_killed_driver_leaves_no_browser() {
    let Some(browser) = start().await else { return };
    let traces = Traces::of(&browser);
    kill(traces.group);
    // A connection is still taken until the kernel has closed the listener.
    while traces
        .processes()
        .iter()
        .any(|line| line.contains("chromedriver"))
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let error = act(&browser, Action::Back).await.unwrap_err();
    assert!(
        error.dispatched().is_no(),
        "nobody listens any more: {error:?}"
    );
    assert!(error.detail("driverOutput").is_some());
    drop(browser);
    traces.assert_gone();
}

/// The other half of the next test: runs in a process of its own, with its own folder for temporary files.
#[tokio::test]
async fn starts_that_will_be_given_up() {
    if std::env::var_os("AGENT_DEVICE_TEST_GIVES_UP").is_none() {
        return;
    }
    for millis in [1, 150, 300, 450, 600, 900] {
        let starting = Chromium::builder().start();
        let _ = tokio::time::timeout(Duration::from_millis(millis), starting).await;
    }
}

#[tokio::test]
async fn a_start_that_is_given_up_leaves_nothing() {
    if !have_chromium() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("ad-given-up-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let status = itself("leaks::starts_that_will_be_given_up")
        .env("AGENT_DEVICE_TEST_GIVES_UP", "1")
        .env("TMPDIR", &folder)
        .status()
        .await
        .unwrap();
    assert!(status.success());
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    let traces = Traces {
        folder,
        group: u32::MAX,
    };
    assert_eq!(traces.processes(), Vec::<String>::new());
    std::fs::remove_dir(&traces.folder).unwrap();
}

/// This test binary once more, with one test.
fn itself(test: &str) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test]).kill_on_drop(true);
    command
}

/// The other half of the next test: runs in a process of its own, which is killed.
#[tokio::test]
async fn a_process_that_will_be_killed() {
    let Some(file) = std::env::var_os("AGENT_DEVICE_TEST_KILLED") else {
        return;
    };
    let browser = Chromium::builder().start().await.unwrap();
    let traces = Traces::of(&browser);
    std::fs::write(
        file,
        format!("{}\n{}", traces.group, traces.folder.display()),
    )
    .unwrap();
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_killed_test_process_leaves_nothing() {
    if !have_chromium() {
        return;
    }
    let file = std::env::temp_dir().join(format!("agent-device-killed-{}", std::process::id()));
    let mut child = itself("leaks::a_process_that_will_be_killed")
        .env("AGENT_DEVICE_TEST_KILLED", &file)
        .spawn()
        .unwrap();
    let start = Instant::now();
    let told = loop {
        if let Ok(text) = std::fs::read_to_string(&file)
            && let Some((group, folder)) = text.split_once('\n')
        {
            break Traces {
                group: group.parse().unwrap(),
                folder: folder.into(),
            };
        }
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the other process did not start a browser"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(!told.processes().is_empty());
    child.kill().await.unwrap();
    told.wait_gone().await;
    std::fs::remove_file(&file).unwrap();
}

#[tokio::test]
async fn a_dropped_remote_session_is_ended() {
    if !have_chromium() {
        return;
    }
    let driver = Chromium::builder().start_driver().await.unwrap();
    let url = format!("http://{}", driver.address());
    let mut options = serde_json::Map::new();
    options.insert(
        "goog:chromeOptions".into(),
        serde_json::json!({"args": ["--headless=new", "--no-sandbox", "--disable-gpu"]}),
    );
    let browser = WebDriver::connect(&url, options, Default::default())
        .await
        .unwrap();
    let pid = browser.browser_id().unwrap();
    assert!(Path::new(&format!("/proc/{pid}")).exists());
    drop(browser);
    let start = Instant::now();
    while Path::new(&format!("/proc/{pid}")).exists() {
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "the session lives on"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
