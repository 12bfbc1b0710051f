//! What the tests share: a browser, the fixture app beside it, and how to find things.

use std::{sync::Arc, time::Duration};

use agent_device_core::{
    Call, Error, Interactor as _, Result, SnapshotBackend as _,
    action::{Action, Performed, Target, Touch},
    dispatch::disclose,
    geometry::Point,
    snapshot::{CaptureOptions, Node, NodeId, Snapshot},
};
use agent_device_testbed::page::FixtureServer;
use agent_device_webdriver::{Chromium, ChromiumBuilder, WebDriver};

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

/// A browser and the app.
pub(crate) struct Bench {
    pub(crate) browser: WebDriver,
    pub(crate) app: FixtureServer,
}

impl Bench {
    /// `None` where there is no browser.
    pub(crate) async fn start() -> Option<Self> {
        Self::with(Chromium::builder()).await
    }

    pub(crate) async fn with(builder: ChromiumBuilder) -> Option<Self> {
        if !have_chromium() {
            return None;
        }
        Some(Self {
            browser: builder.start().await.expect("the browser starts"),
            app: FixtureServer::start().await.expect("the app starts"),
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
        self.app.serve("/own", html);
        let url = format!("{}/own", self.app.origin());
        self.browser.navigate(&url).await.expect("the page opens");
        self.app.clear();
    }
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

/// Taps the element with this id once, without looking at it first.
pub(crate) async fn press(browser: &WebDriver, id: &str) -> Result<Performed> {
    let snapshot = capture(browser).await;
    act(browser, Action::Tap(by_id(&snapshot, id))).await
}
