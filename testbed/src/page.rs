//! The fixture app as a web page, and the server that keeps its event log.
//!
//! The page reports every event that happens to it with a synchronous request, so an event is in the log before its dispatch
//! ends: neither a navigation nor a browser that dies can lose it. The log is read here, beside the backend under test.
//!
//! Three origins: the page's own ([`FixtureServer::origin`]), another site for the cross-origin frame
//! ([`FixtureServer::cross_origin`]), and the second port again by address, which carries [`FixtureServer::reset`] and
//! [`FixtureServer::set`] to open pages without taking one of the few connections that a browser grants the first.
//!
//! | path | what it does |
//! | --- | --- |
//! | `/`, `/SCREEN?knob=value` | the app, opened at a screen |
//! | `/~frame?name=same` or `cross` | what the frames of `frames` show |
//! | `/~slow?ms=N` | answers after N milliseconds, 60 000 at most |
//! | `POST /~event` | appends to the log; pages of [`FixtureServer::serve`] may use it as well |
//!
//! What may not be here: a way to act on the page. The server judges.

use std::{
    collections::{BTreeMap, HashMap},
    fmt, io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

pub use agent_device_core::testing::{EventKind, zoo};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
};

use crate::{
    http::{self, Reader, Request},
    peer::Peer,
};

const HTML: &str = include_str!("../page/index.html");
const SCRIPT: &str = include_str!("../page/app.js");
const STYLE: &str = include_str!("../page/app.css");

const MAX_BODY: usize = 1024 * 1024;
const MAX_CONNECTIONS: usize = 256;
const MAX_SLOW: Duration = Duration::from_secs(60);
/// How long `reset` and `set` wait for the open pages.
const FOLLOW: Duration = Duration::from_secs(5);
/// How long a page that was opened may take to listen before it counts as gone.
const CONNECT: Duration = Duration::from_secs(3);

/// The screens that the page can show, in the order of the rows on `home`.
pub const SCREENS: &[&str] = &[
    "counter",
    "login",
    "longtext",
    "late",
    "never",
    "vanish",
    "covered",
    "drawer",
    "rows",
    "wrapper",
    "childbutton",
    "list",
    "reveal",
    "end",
    "toggle",
    "alert",
    "keyboard",
    "animate",
    "slow",
    "sparse",
    "deep",
    "zoo",
    "gesture",
    "frames",
    "windows",
];

/// The rows of the fixture app that a page can't show, or can show in part alone, each with the reason.
pub const LIMITS: &[(&str, &str)] = &[
    (
        "keyboard",
        "a desktop browser shows no keyboard that could cover the tab bar",
    ),
    (
        "slow",
        "the page can't see a capture: its main thread is blocked for `cost` ms again and again, and a driver that asks it five things for one script waits five times",
    ),
    (
        "sparse",
        "a page's tree doesn't degrade by itself: a picture of the button stands in for it",
    ),
    ("stale", "the tree of a page is never behind its screen"),
    ("system", "the prompts of a browser are outside the page"),
];

/// Screens that other screens lead to; they have no row on `home`.
const INNER_SCREENS: &[&str] = &["home", "done", "opened"];

/// One thing that happened to the app.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// Its place in the log. Numbers grow for as long as the server lives, also over [`FixtureServer::clear`].
    pub seq: u64,
    /// The screen that was open.
    pub screen: String,
    /// The id of the element, or its log name where the contract gives it no id; empty for the bare page.
    pub element: String,
    /// What happened.
    pub kind: EventKind,
    /// More about it; see [`EventKind`].
    pub detail: Value,
    /// Whether the browser made the event. False for one that a script dispatched.
    pub trusted: bool,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "#{} {} {:?} {:?}",
            self.seq, self.screen, self.kind, self.element
        )?;
        if self.detail.is_null() {
            Ok(())
        } else {
            write!(f, " {}", self.detail)
        }
    }
}

/// What every open page should show: the whole state, so that a page that missed a message lost nothing.
#[derive(Clone, Debug, Serialize)]
struct Shown {
    generation: u64,
    resets: u64,
    screen: String,
    knobs: BTreeMap<String, String>,
}

#[derive(Debug)]
struct Page {
    followed: u64,
    listening: bool,
    since: Instant,
}

#[derive(Debug)]
struct Extra {
    headers: Vec<(String, String)>,
    html: String,
}

#[derive(Debug, Default)]
struct State {
    next_seq: u64,
    events: Vec<Event>,
    pages: HashMap<String, Page>,
    extras: HashMap<String, Extra>,
    served: BTreeMap<String, usize>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Counts up with every change of the log or of a page, to wake who waits.
    changed: watch::Sender<u64>,
    shown: watch::Sender<Shown>,
    own: SocketAddr,
    second: SocketAddr,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic of a test's predicate may poison the lock; the log itself is whole after every statement.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        self.changed
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    fn cross_origin(&self) -> String {
        format!("http://localhost:{}", self.second.port())
    }
}

/// Serves the fixture app on loopback and keeps its event log.
///
/// Dropping it stops the server and joins its thread; [`FixtureServer::stop`] does so without blocking.
#[derive(Debug)]
pub struct FixtureServer {
    peer: Peer,
    shared: Arc<Shared>,
}

impl FixtureServer {
    /// Binds two ports of loopback and serves the app.
    ///
    /// # Errors
    ///
    /// When a port can't be bound or a thread can't be started.
    ///
    /// # Cancel safety
    ///
    /// A server that isn't handed out stops by itself.
    pub async fn start() -> io::Result<Self> {
        let (peer, shared) = Peer::start("fixture-page", || async {
            let first = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let second = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let shown = Shown {
                generation: 0,
                resets: 0,
                screen: "home".to_owned(),
                knobs: BTreeMap::new(),
            };
            let shared = Arc::new(Shared {
                state: Mutex::default(),
                changed: watch::Sender::new(0),
                shown: watch::Sender::new(shown),
                own: first.local_addr()?,
                second: second.local_addr()?,
            });
            let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
            let both =
                [first, second].map(|listener| accept(listener, shared.clone(), permits.clone()));
            let main = async move {
                let [first, second] = both;
                tokio::join!(first, second);
            };
            Ok((shared, main))
        })
        .await?;
        Ok(Self { peer, shared })
    }

    /// The origin of the app, without a trailing slash.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.shared.own)
    }

    /// The origin of the cross-origin frame: another port and, so that browsers isolate it, another host name.
    #[must_use]
    pub fn cross_origin(&self) -> String {
        self.shared.cross_origin()
    }

    /// The address of the app, for a proxy before it.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.shared.own
    }

    /// The address of a screen.
    #[must_use]
    pub fn url(&self, screen: &str) -> String {
        self.url_with(screen, &[])
    }

    /// The address of a screen with knobs. They win over what [`FixtureServer::set`] has set before the screen is opened.
    #[must_use]
    pub fn url_with(&self, screen: &str, knobs: &[(&str, &str)]) -> String {
        let pairs: Vec<_> = knobs
            .iter()
            .map(|(knob, value)| format!("{}={}", http::encode(knob), http::encode(value)))
            .collect();
        let query = if pairs.is_empty() {
            String::new()
        } else {
            format!("?{}", pairs.join("&"))
        };
        let path = if screen == "home" { "" } else { screen };
        format!("{}/{path}{query}", self.origin())
    }

    /// The address of a document that is answered after `delay`, 60 s at most.
    #[must_use]
    pub fn slow_url(&self, delay: Duration) -> String {
        format!("{}/~slow?ms={}", self.origin(), delay.as_millis())
    }

    /// The log.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.shared.state().events.clone()
    }

    /// The events of one kind on one element.
    #[must_use]
    pub fn events_of(&self, kind: EventKind, element: &str) -> Vec<Event> {
        let state = self.shared.state();
        state
            .events
            .iter()
            .filter(|event| event.kind == kind && event.element == element)
            .cloned()
            .collect()
    }

    /// Empties the log. Sequence numbers go on.
    pub fn clear(&self) {
        self.shared.state().events.clear();
    }

    /// Waits until the log fulfils a condition and returns the log as it was then. Time is the server's, never a test's.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::TimedOut`] after `timeout`, with the log in its message.
    ///
    /// # Cancel safety
    ///
    /// Only reads; may be dropped at any time.
    pub async fn wait_for(
        &self,
        mut condition: impl FnMut(&[Event]) -> bool,
        timeout: Duration,
    ) -> io::Result<Vec<Event>> {
        let found = self
            .wait_until(timeout, |state| {
                condition(&state.events).then(|| state.events.clone())
            })
            .await;
        found.ok_or_else(|| {
            let log: Vec<_> = self.events().iter().map(Event::to_string).collect();
            io::Error::new(
                io::ErrorKind::TimedOut,
                format!("the log after {timeout:?}: [{}]", log.join(", ")),
            )
        })
    }

    /// Forgets all knobs and shows a fresh `screen` in every open page, without a navigation and without an event.
    /// Returns the number of pages that show it. The log stays as it is.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::TimedOut`] when an open page doesn't follow within 5 s, for example behind an open dialog;
    /// [`io::ErrorKind::InvalidInput`] for a screen that the page doesn't have.
    ///
    /// # Cancel safety
    ///
    /// When dropped, the pages follow all the same.
    pub async fn reset(&self, screen: &str) -> io::Result<usize> {
        if !is_screen(screen) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("the page has no screen {screen:?}"),
            ));
        }
        self.show(|shown| {
            shown.resets += 1;
            screen.clone_into(&mut shown.screen);
            shown.knobs.clear();
        })
        .await
    }

    /// Sets a knob for pages opened from now on, and shows the screen of every open page anew with it.
    /// Returns the number of those.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::TimedOut`] when an open page doesn't follow within 5 s.
    ///
    /// # Cancel safety
    ///
    /// When dropped, the pages follow all the same.
    pub async fn set(&self, knob: &str, value: impl fmt::Display) -> io::Result<usize> {
        let value = value.to_string();
        self.show(|shown| {
            shown.knobs.insert(knob.to_owned(), value);
        })
        .await
    }

    /// Serves a document of a test's own at `path`, before the app's own paths.
    pub fn serve(&self, path: &str, html: impl Into<String>) {
        self.serve_with(path, html, &[]);
    }

    /// Serves a document with further headers, for example a content security policy.
    pub fn serve_with(&self, path: &str, html: impl Into<String>, headers: &[(&str, &str)]) {
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        self.shared.state().extras.insert(
            path.to_owned(),
            Extra {
                headers,
                html: html.into(),
            },
        );
    }

    /// How often each path was asked for, without its query.
    #[must_use]
    pub fn request_log(&self) -> BTreeMap<String, usize> {
        self.shared.state().served.clone()
    }

    /// How often a path was asked for.
    #[must_use]
    pub fn requests(&self, path: &str) -> usize {
        self.shared.state().served.get(path).copied().unwrap_or(0)
    }

    /// How many pages of the app are open and listen.
    #[must_use]
    pub fn open_pages(&self) -> usize {
        self.shared
            .state()
            .pages
            .values()
            .filter(|page| page.listening)
            .count()
    }

    /// Stops the server and waits until its thread has ended.
    ///
    /// # Cancel safety
    ///
    /// When dropped, the server stops all the same.
    pub async fn stop(mut self) {
        self.peer.stop().await;
    }

    async fn show(&self, change: impl FnOnce(&mut Shown)) -> io::Result<usize> {
        let mut generation = 0;
        self.shared.shown.send_modify(|shown| {
            change(shown);
            shown.generation += 1;
            generation = shown.generation;
        });
        let followed = self
            .wait_until(FOLLOW, |state| {
                state
                    .pages
                    .retain(|_, page| page.listening || page.since.elapsed() < CONNECT);
                state
                    .pages
                    .values()
                    .all(|page| page.followed >= generation)
                    .then_some(state.pages.len())
            })
            .await;
        followed
            .ok_or_else(|| io::Error::new(io::ErrorKind::TimedOut, "an open page didn't follow"))
    }

    /// Waits for `check` to say something. It is asked at every change, and ten times a second for what time alone changes.
    async fn wait_until<T>(
        &self,
        timeout: Duration,
        mut check: impl FnMut(&mut State) -> Option<T>,
    ) -> Option<T> {
        let deadline = Instant::now() + timeout;
        let mut changed = self.shared.changed.subscribe();
        loop {
            changed.borrow_and_update();
            if let Some(found) = check(&mut self.shared.state()) {
                return Some(found);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            tokio::select! {
                _ = changed.changed() => {}
                () = self.peer.sleep(left.min(Duration::from_millis(100))) => {}
            }
        }
    }
}

fn is_screen(name: &str) -> bool {
    SCREENS.contains(&name) || INNER_SCREENS.contains(&name)
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, permits: Arc<Semaphore>) {
    loop {
        let Ok(permit) = permits.clone().acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, _)) => {
                let shared = shared.clone();
                tokio::spawn(async move {
                    // A browser that goes away in the middle is its own business.
                    let _ = connection(stream, &shared).await;
                    drop(permit);
                });
            }
            // Out of descriptors: the next one may be free in a moment.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

async fn connection(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = Reader::new(stream);
    loop {
        let request = match reader.request(MAX_BODY).await {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(()),
            Err(http::ReadError::TooLarge) => {
                let bytes = http::reply(
                    413,
                    "text/plain",
                    &[("connection".to_owned(), "close".to_owned())],
                    b"too large",
                );
                return reader.stream.write_all(&bytes).await;
            }
            Err(error) => return Err(error.into()),
        };
        if request.path() == "/~bus" {
            return bus(
                reader.stream,
                shared,
                request.query("page").unwrap_or_default(),
            )
            .await;
        }
        let bytes = answer(&request, shared).await;
        reader.stream.write_all(&bytes).await?;
        if request.last {
            return Ok(());
        }
    }
}

fn plain(status: u16, text: &str) -> Vec<u8> {
    http::reply(
        status,
        "text/plain; charset=utf-8",
        &no_store(),
        text.as_bytes(),
    )
}

fn no_store() -> Vec<(String, String)> {
    vec![("cache-control".to_owned(), "no-store".to_owned())]
}

async fn answer(request: &Request, shared: &Shared) -> Vec<u8> {
    let path = request.path().to_owned();
    {
        let mut state = shared.state();
        *state.served.entry(path.clone()).or_default() += 1;
        if let Some(extra) = state.extras.get(&path) {
            let mut headers = no_store();
            headers.extend(extra.headers.iter().cloned());
            return http::reply(
                200,
                "text/html; charset=utf-8",
                &headers,
                extra.html.as_bytes(),
            );
        }
    }
    match (request.method.as_str(), path.as_str()) {
        ("POST", "/~event") => match append(&request.body, shared) {
            Ok(seq) => plain(200, &seq.to_string()),
            Err(error) => plain(400, &error.to_string()),
        },
        ("POST", "/~ack") => match follow(&request.body, shared) {
            Ok(()) => plain(204, ""),
            Err(error) => plain(400, &error.to_string()),
        },
        ("POST", "/~bye") => {
            shared
                .state()
                .pages
                .remove(String::from_utf8_lossy(&request.body).as_ref());
            shared.wake();
            plain(204, "")
        }
        ("GET", "/~app.js") => http::reply(
            200,
            "text/javascript; charset=utf-8",
            &no_store(),
            SCRIPT.as_bytes(),
        ),
        ("GET", "/~app.css") => http::reply(
            200,
            "text/css; charset=utf-8",
            &no_store(),
            STYLE.as_bytes(),
        ),
        ("GET", "/~zoo") => http::reply(
            200,
            "application/json",
            &no_store(),
            json!(zoo()).to_string().as_bytes(),
        ),
        ("GET", "/~slow") => {
            let asked = request
                .query("ms")
                .and_then(|text| text.parse().ok())
                .map_or(MAX_SLOW, Duration::from_millis);
            tokio::time::sleep(asked.min(MAX_SLOW)).await;
            http::reply(
                200,
                "text/html; charset=utf-8",
                &no_store(),
                b"<!doctype html><title>Slow</title><p id=\"slow\">Slow</p>",
            )
        }
        ("GET", "/~frame") => match request.query("name").as_deref() {
            Some(name @ ("same" | "cross")) => app(shared, "frames", Some(name)),
            _ => plain(404, "no such frame"),
        },
        ("GET", "/") => app(shared, "home", None),
        ("GET", path) if is_screen(&path[1..]) => app(shared, &path[1..], None),
        ("GET", _) => plain(404, "no such screen"),
        _ => plain(405, "no such method"),
    }
}

fn app(shared: &Shared, screen: &str, frame: Option<&str>) -> Vec<u8> {
    let shown = shared.shown.borrow().clone();
    let boot = json!({
        "screen": screen,
        "screens": SCREENS,
        "frame": frame.unwrap_or_default(),
        "generation": shown.generation,
        "resets": shown.resets,
        "knobs": shown.knobs,
        "cross": shared.cross_origin(),
        "bus": format!("http://{}", shared.second),
    });
    // Inside a script element only this could end it early.
    let boot = boot.to_string().replace('<', "\\u003c");
    http::reply(
        200,
        "text/html; charset=utf-8",
        &no_store(),
        HTML.replace("{{BOOT}}", &boot).as_bytes(),
    )
}

#[derive(Deserialize)]
struct Posted {
    #[serde(default)]
    page: String,
    screen: String,
    element: String,
    kind: EventKind,
    #[serde(default)]
    detail: Value,
    #[serde(default)]
    trusted: bool,
    replaces: Option<u64>,
    generation: Option<u64>,
}

fn append(body: &[u8], shared: &Shared) -> Result<u64, serde_json::Error> {
    let posted: Posted = serde_json::from_slice(body)?;
    let mut state = shared.state();
    if let Some(replaced) = posted.replaces {
        state.events.retain(|event| event.seq != replaced);
    }
    state.next_seq += 1;
    let seq = state.next_seq;
    let Posted {
        page,
        screen,
        element,
        kind,
        detail,
        trusted,
        generation,
        ..
    } = posted;
    state.events.push(Event {
        seq,
        screen,
        element,
        kind,
        detail,
        trusted,
    });
    // The first event of a page announces it, so that a reset right after its load waits for it.
    if let Some(followed) = generation {
        state.pages.entry(page).or_insert(Page {
            followed,
            listening: false,
            since: Instant::now(),
        });
    }
    drop(state);
    shared.wake();
    Ok(seq)
}

#[derive(Deserialize)]
struct Followed {
    page: String,
    generation: u64,
}

fn follow(body: &[u8], shared: &Shared) -> Result<(), serde_json::Error> {
    let Followed { page, generation } = serde_json::from_slice(body)?;
    if let Some(page) = shared.state().pages.get_mut(&page) {
        page.followed = page.followed.max(generation);
    }
    shared.wake();
    Ok(())
}

/// Sends the shown state to one page, now and at every change, until the page goes away.
async fn bus(mut stream: TcpStream, shared: &Shared, page: String) -> io::Result<()> {
    let mut shown = shared.shown.subscribe();
    let entry = Page {
        followed: 0,
        listening: true,
        since: Instant::now(),
    };
    shared
        .state()
        .pages
        .entry(page.clone())
        .or_insert(entry)
        .listening = true;
    shared.wake();
    let outcome = feed(&mut stream, &mut shown).await;
    shared.state().pages.remove(&page);
    shared.wake();
    outcome
}

async fn feed(stream: &mut TcpStream, shown: &mut watch::Receiver<Shown>) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\naccess-control-allow-origin: *\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    let mut rest = [0; 256];
    loop {
        let state = json!(&*shown.borrow_and_update());
        stream
            .write_all(format!("data: {state}\n\n").as_bytes())
            .await?;
        loop {
            tokio::select! {
                changed = shown.changed() => match changed {
                    Ok(()) => break,
                    Err(_) => return Ok(()),
                },
                read = stream.read(&mut rest) => if read? == 0 { return Ok(()) },
            }
        }
    }
}
