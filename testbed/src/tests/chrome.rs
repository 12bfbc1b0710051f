//! A real headless Chromium behind its driver, spoken to by raw HTTP.

use std::{
    env,
    future::Future,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    sync::{Mutex, MutexGuard},
    time::timeout,
};

use super::call;

const CHROMIUM: &str = "/usr/bin/chromium";
const DRIVER: &str = "/usr/bin/chromedriver";
const START: Duration = Duration::from_secs(60);
const COMMAND: Duration = Duration::from_secs(30);
pub(super) const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// One browser at a time: the machine may be small.
static TURN: Mutex<()> = Mutex::const_new(());

pub(super) struct Chrome {
    address: SocketAddr,
    session: String,
}

/// Runs `body` with a browser, or prints how to get one and passes. The browser ends whether `body` returns or panics.
pub(super) async fn with_chrome<F, T>(body: F)
where
    F: FnOnce(Arc<Chrome>) -> T,
    T: Future<Output = ()> + Send + 'static,
{
    if ![CHROMIUM, DRIVER]
        .iter()
        .all(|path| Path::new(path).exists())
    {
        let line = "skipped: chromium: install Debian's chromium and chromium-driver";
        assert!(
            env::var("AGENT_DEVICE_REQUIRE_PEERS").as_deref() != Ok("all"),
            "{line}"
        );
        println!("{line}");
        return;
    }
    let _turn: MutexGuard<'_, ()> = TURN.lock().await;
    let profile = profile();
    let (mut driver, port) = start_driver().await;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let chrome = Arc::new(Chrome {
        address,
        session: new_session(address, &profile).await,
    });
    let outcome = tokio::spawn(body(chrome.clone())).await;
    let path = format!("/session/{}", chrome.session);
    let ended = timeout(COMMAND, call(address, "DELETE", &path, "")).await;
    driver.kill().await.expect("the driver can be ended");
    std::fs::remove_dir_all(&profile).expect("the profile can be removed");
    if let Err(error) = outcome {
        std::panic::resume_unwind(error.into_panic());
    }
    assert!(matches!(ended, Ok(Ok(_))), "the session ends");
}

fn profile() -> PathBuf {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let path = env::temp_dir().join(format!(
        "agent-device-testbed-{}-{number}",
        std::process::id()
    ));
    std::fs::create_dir_all(&path).expect("a profile folder can be made");
    path
}

async fn start_driver() -> (Child, u16) {
    let mut child = Command::new(DRIVER)
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("chromedriver starts");
    let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    let port = async {
        while let Some(line) = lines
            .next_line()
            .await
            .expect("chromedriver's output is text")
        {
            if let Some(port) = line.split("started successfully on port ").nth(1) {
                return port
                    .trim_end_matches('.')
                    .parse()
                    .expect("chromedriver names its port");
            }
        }
        panic!("chromedriver ended without a port");
    };
    let port = timeout(START, port)
        .await
        .expect("chromedriver says its port in time");
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (child, port)
}

async fn new_session(address: SocketAddr, profile: &Path) -> String {
    let args = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1000,900",
        &format!("--user-data-dir={}", profile.display()),
    ];
    let options = json!({ "binary": CHROMIUM, "args": args });
    let wanted = json!({ "capabilities": { "alwaysMatch": {
        "browserName": "chrome", "goog:chromeOptions": options, "unhandledPromptBehavior": "ignore",
    } } });
    let response = timeout(
        START,
        call(address, "POST", "/session", &wanted.to_string()),
    )
    .await;
    let response = response
        .expect("the browser starts in time")
        .expect("chromedriver answers");
    let value: Value = serde_json::from_slice(&response.body).expect("chromedriver speaks JSON");
    value["value"]["sessionId"]
        .as_str()
        .unwrap_or_else(|| panic!("no session: {value}"))
        .to_owned()
}

impl Chrome {
    async fn ask(&self, method: &str, path: &str, body: &str) -> Value {
        let path = format!("/session/{}/{path}", self.session);
        let response = timeout(COMMAND, call(self.address, method, &path, body))
            .await
            .expect("the driver answers in time");
        let response = response.expect("the driver answers");
        let mut value: Value =
            serde_json::from_slice(&response.body).expect("the driver speaks JSON");
        assert_eq!(response.status, 200, "{method} {path}: {value}");
        value["value"].take()
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> Value {
        self.ask("POST", path, &body.to_string()).await
    }

    pub(super) async fn get(&self, path: &str) -> Value {
        self.ask("GET", path, "").await
    }

    pub(super) async fn go(&self, url: &str) {
        self.post("url", json!({ "url": url })).await;
    }

    pub(super) async fn find(&self, css: &str) -> String {
        reference(
            &self
                .post("element", json!({ "using": "css selector", "value": css }))
                .await,
        )
    }

    /// Waits for an element, by time and not by turns: the machine may be busy.
    pub(super) async fn appears(&self, css: &str) {
        let script = format!("return document.querySelector('{css}') !== null");
        let found = async {
            while self.run(&script).await != json!(true) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(COMMAND, found)
            .await
            .unwrap_or_else(|_| panic!("{css} never appears"));
    }

    pub(super) async fn click(&self, css: &str) {
        let element = self.find(css).await;
        self.click_on(&element).await;
    }

    pub(super) async fn click_on(&self, element: &str) {
        self.post(&format!("element/{element}/click"), json!({}))
            .await;
    }

    pub(super) async fn type_into(&self, css: &str, text: &str) {
        let element = self.find(css).await;
        self.post(&format!("element/{element}/value"), json!({ "text": text }))
            .await;
    }

    pub(super) async fn clear(&self, css: &str) {
        let element = self.find(css).await;
        self.post(&format!("element/{element}/clear"), json!({}))
            .await;
    }

    pub(super) async fn text(&self, css: &str) -> String {
        let element = self.find(css).await;
        self.get(&format!("element/{element}/text"))
            .await
            .as_str()
            .unwrap()
            .to_owned()
    }

    pub(super) async fn value(&self, css: &str) -> String {
        let element = self.find(css).await;
        self.get(&format!("element/{element}/property/value"))
            .await
            .as_str()
            .unwrap()
            .to_owned()
    }

    pub(super) async fn run(&self, script: &str) -> Value {
        self.post("execute/sync", json!({ "script": script, "args": [] }))
            .await
    }

    /// Performs the ticks of one pointer.
    pub(super) async fn point(&self, kind: &str, actions: Value) {
        let source = json!({ "type": "pointer", "id": kind, "parameters": { "pointerType": kind }, "actions": actions });
        self.post("actions", json!({ "actions": [source] })).await;
    }

    /// The centre of an element in the viewport.
    pub(super) async fn centre(&self, css: &str) -> (i64, i64) {
        let script = format!(
            "const r = document.querySelector('{css}').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]"
        );
        let point = self.run(&script).await;
        let axis = |index: usize| point[index].as_f64().unwrap().round() as i64;
        (axis(0), axis(1))
    }
}

pub(super) fn reference(element: &Value) -> String {
    element[ELEMENT]
        .as_str()
        .unwrap_or_else(|| panic!("no element: {element}"))
        .to_owned()
}
