//! What the tests share: a browser, the fixture app beside it, and how to find things.

use std::{
    net::SocketAddr,
    ops::Deref,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use agent_device_core::{
    Call, Error, Interactor as _, Result, SnapshotBackend as _,
    action::{Action, Performed, Target, Touch},
    dispatch::disclose,
    geometry::Point,
    snapshot::{CaptureOptions, Node, NodeId, Snapshot},
};
use agent_device_testbed::{
    fault::{FaultProxy, Reply, Rule, WireFault},
    page::{Event, EventKind, FixtureServer},
};
use agent_device_webdriver::{Chromium, ChromiumBuilder, Config, WebDriver};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

pub(crate) const HOW: &str = "chromium: apt-get install chromium chromium-driver";

/// Whether the peer is there. A missing one is told, and fails where peers are required.
pub(crate) fn have_chromium() -> bool {
    let on_path = |name: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
    };
    if on_path("chromedriver") && (on_path("chromium") || on_path("google-chrome")) {
        return true;
    }
    let required = std::env::var("AGENT_DEVICE_REQUIRE_PEERS").is_ok_and(|peers| peers == "all");
    assert!(!required, "missing peer: {HOW}");
    eprintln!("skipped: {HOW}");
    false
}

/// A browser and the app, with a proxy between backend and driver.
pub(crate) struct Bench {
    pub(crate) browser: WebDriver,
    pub(crate) app: FixtureServer,
    pub(crate) wire: FaultProxy,
    /// The driver itself, beside the proxy and the backend.
    pub(crate) driver: SocketAddr,
    session: OnceLock<String>,
}

/// Benches between two tests. They outlive all tests; the browsers' guards end them with the process.
static IDLE: Mutex<Vec<Bench>> = Mutex::new(Vec::new());

/// A bench that goes back when its test has passed.
pub(crate) struct Lease(Option<Bench>);

impl Deref for Lease {
    type Target = Bench;

    fn deref(&self) -> &Bench {
        self.0.as_ref().expect("it is there until the lease ends")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(bench) = self.0.take()
            && !std::thread::panicking()
        {
            bench.wire.plan().clear();
            IDLE.lock().expect("nobody panics with it").push(bench);
        }
    }
}

impl Bench {
    /// A bench with defaults, for tests that leave the session alive. `None` where there is no browser.
    pub(crate) async fn start() -> Option<Lease> {
        loop {
            let idle = IDLE.lock().expect("nobody panics with it").pop();
            let Some(bench) = idle else {
                let bench = Self::own().await?;
                return Some(Lease(Some(bench)));
            };
            if bench.tidy().await.is_ok() {
                bench.app.clear();
                return Some(Lease(Some(bench)));
            }
        }
    }

    /// A bench of the test's own.
    pub(crate) async fn own() -> Option<Self> {
        Self::with(Chromium::builder()).await
    }

    pub(crate) async fn dismiss_dialogs(&self) -> Result<()> {
        while self.browser.alert(&call()).await?.is_some() {
            self.browser.perform(&Action::DismissAlert, &call()).await?;
        }
        Ok(())
    }

    /// Back to one window without a dialog, whatever the last test has left behind.
    async fn tidy(&self) -> Result<()> {
        self.dismiss_dialogs().await?;
        let windows = self.browser.windows(&call()).await?;
        let [first, others @ ..] = &windows[..] else {
            panic!("no window is left");
        };
        for other in others {
            let select = Action::SelectWindow(other.id.clone());
            self.browser.perform(&select, &call()).await?;
            self.browser.perform(&Action::Close(None), &call()).await?;
        }
        if !others.is_empty() || !first.selected {
            let select = Action::SelectWindow(first.id.clone());
            self.browser.perform(&select, &call()).await?;
        }
        Ok(())
    }

    pub(crate) async fn with_config(change: impl FnOnce(&mut Config)) -> Option<Self> {
        let mut config = Config::new();
        change(&mut config);
        Self::with(Chromium::builder().config(config)).await
    }

    pub(crate) async fn with(builder: ChromiumBuilder) -> Option<Self> {
        if !have_chromium() {
            return None;
        }
        let driver = builder.start_driver().await.expect("the driver starts");
        let address = driver.address();
        let wire = FaultProxy::start(address).await.expect("the proxy starts");
        Some(Self {
            browser: driver
                .open_through(wire.address())
                .await
                .expect("the browser starts"),
            app: FixtureServer::start().await.expect("the app starts"),
            wire,
            driver: address,
            session: OnceLock::new(),
        })
    }

    /// Opens a screen of the app, with an empty log.
    pub(crate) async fn open(&self, screen: &str) {
        self.browser
            .navigate(&self.app.url(screen))
            .await
            .expect("the screen opens");
        self.app.clear();
    }

    /// Opens a page of the test's own.
    pub(crate) async fn show(&self, html: &str) {
        self.app
            .serve("/own", format!("<!doctype html>{LOGGER}{html}"));
        let url = format!("{}/own", self.app.origin());
        self.browser.navigate(&url).await.expect("the page opens");
        self.app.clear();
    }

    /// Opens a page of the test's own and finds the element with the id `it` in it.
    pub(crate) async fn show_it(&self, html: &str) -> Touch {
        self.show(html).await;
        by_id(&capture(&self.browser).await, "it")
    }

    /// The path of the session.
    pub(crate) fn session(&self) -> &str {
        self.session.get_or_init(|| self.find_session())
    }

    fn find_session(&self) -> String {
        let requests = self.wire.requests();
        let path = requests
            .iter()
            .rev()
            .find_map(|request| request.path.strip_prefix("/session/"));
        let id = path
            .expect("a session was used")
            .split('/')
            .next()
            .unwrap_or_default();
        format!("/session/{id}")
    }

    /// Asks the driver beside the backend.
    pub(crate) async fn raw(&self, method: &str, route: &str, body: Value) -> Value {
        raw(
            self.driver,
            method,
            &format!("{}{route}", self.session()),
            body,
        )
        .await
    }

    /// Runs a script beside the backend.
    pub(crate) async fn script(&self, script: &str) -> Value {
        self.raw(
            "POST",
            "/execute/sync",
            json!({"script": script, "args": []}),
        )
        .await
    }

    /// Holds the next request to `path` back at the proxy, changes the world, and lets it go on.
    pub(crate) async fn meanwhile<T>(
        &self,
        path: &str,
        acting: impl Future<Output = T>,
        change: impl AsyncFnOnce(),
    ) -> T {
        self.session();
        self.wire.forget();
        let hold = WireFault::LateForward(Duration::from_millis(1200));
        self.wire.plan().set(Rule::any(hold).path(path).times(1));
        let changing = async {
            let limit = Duration::from_secs(20);
            for count in 1.. {
                let seen = self
                    .wire
                    .wait_for_requests(count, limit)
                    .await
                    .expect("it was sent");
                if seen.iter().any(|request| request.path.contains(path)) {
                    break;
                }
            }
            change().await;
        };
        let (result, ()) = tokio::join!(acting, changing);
        self.wire.plan().clear();
        result
    }

    /// Waits until so many taps are logged.
    pub(crate) async fn wait_for_taps(&self, count: usize) {
        let limit = Duration::from_secs(5);
        let enough = |events: &[Event]| {
            events
                .iter()
                .filter(|event| event.kind == EventKind::Tap)
                .count()
                >= count
        };
        self.app
            .wait_for(enough, limit)
            .await
            .expect("it is logged");
        assert_eq!(self.taps(), count);
    }

    /// What is logged of taps, own pages included.
    pub(crate) fn taps(&self) -> usize {
        let events = self.app.events();
        events
            .iter()
            .filter(|event| event.kind == EventKind::Tap)
            .count()
    }
}

/// Pages of a test's own log their clicks like the app does.
const LOGGER: &str = "<script>
function log(kind, element, detail) {
  var r = new XMLHttpRequest(); r.open('POST', '/~event', false); r.setRequestHeader('content-type', 'application/json');
  r.send(JSON.stringify({page: '', screen: 'own', element: element, kind: kind, detail: detail === undefined ? null : detail, trusted: true}));
}
addEventListener('click', function (e) { log('tap', e.target.id || '') }, true);
</script>";

/// One request over a connection of its own.
pub(crate) async fn raw(address: SocketAddr, method: &str, path: &str, body: Value) -> Value {
    let body = if method == "POST" {
        body.to_string()
    } else {
        String::new()
    };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address)
        .await
        .expect("the driver listens");
    stream
        .write_all(head.as_bytes())
        .await
        .expect("the head is sent");
    stream
        .write_all(body.as_bytes())
        .await
        .expect("the body is sent");
    // The driver keeps the connection open whatever it is asked.
    let mut answer = Vec::new();
    let body = loop {
        let text = String::from_utf8_lossy(&answer).into_owned();
        let whole = text.split_once("\r\n\r\n").and_then(|(head, body)| {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse::<usize>().expect("a length"))
            })?;
            (body.len() >= length).then(|| body.to_owned())
        });
        if let Some(body) = whole {
            break body;
        }
        let mut more = [0; 4096];
        let count = stream.read(&mut more).await.expect("an answer comes");
        assert_ne!(count, 0, "the answer ended early");
        answer.extend_from_slice(&more[..count]);
    };
    serde_json::from_str::<Value>(&body)
        .map(|mut answer| answer["value"].take())
        .unwrap_or_default()
}

/// An answer with an error code.
pub(crate) fn w3c(status: u16, code: &str) -> Reply {
    Reply::json(
        status,
        &json!({"value": {"error": code, "message": "on purpose", "stacktrace": ""}}),
    )
}

pub(crate) fn call() -> Call {
    Call::standalone(Duration::from_secs(30))
}

pub(crate) async fn capture(browser: &WebDriver) -> Arc<Snapshot> {
    Arc::new(
        browser
            .capture(&CaptureOptions::default(), &call())
            .await
            .expect("the capture succeeds"),
    )
}

/// The one element that the test means.
pub(crate) fn find(snapshot: &Arc<Snapshot>, wanted: impl Fn(Node<'_>) -> bool) -> Touch {
    let found: Vec<NodeId> = snapshot
        .nodes()
        .filter(|node| wanted(*node))
        .map(|node| node.id())
        .collect();
    let [id] = found[..] else {
        panic!(
            "{} elements where one is meant, on {:?}: {:#?}",
            found.len(),
            snapshot.info().app,
            snapshot
                .nodes()
                .map(|node| (node.role(), node.label(), node.identifier()))
                .collect::<Vec<_>>()
        )
    };
    touch(snapshot, id)
}

pub(crate) fn touch(snapshot: &Arc<Snapshot>, id: NodeId) -> Touch {
    let target = Target::new(Arc::clone(snapshot), id).expect("the element is in its snapshot");
    Touch {
        point: target.node().bounds().expect("it has a place").center(),
        target: Some(target),
    }
}

pub(crate) fn by_id(snapshot: &Arc<Snapshot>, id: &str) -> Touch {
    find(snapshot, |node| node.identifier() == Some(id))
}

pub(crate) fn at(x: f64, y: f64) -> Touch {
    Touch {
        point: Point::new(x, y),
        target: None,
    }
}

/// One action, with the verdict that a caller of the library would see.
pub(crate) async fn act(browser: &WebDriver, action: Action) -> Result<Performed> {
    act_within(browser, action, &call()).await
}

pub(crate) async fn act_within(
    browser: &WebDriver,
    action: Action,
    call: &Call,
) -> Result<Performed> {
    browser
        .perform(&action, call)
        .await
        .map_err(|error| settle(&action, call, error))
}

pub(crate) fn settle(action: &Action, call: &Call, error: Error) -> Error {
    disclose(action.operation().effect(), call.ledger(), error)
}
