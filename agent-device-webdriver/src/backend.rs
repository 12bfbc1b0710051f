//! The backend: a session with a browser behind the traits of the core.

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agent_device_core::{
    Backend, Call, Error, ErrorCode, Interactor, Result, SnapshotBackend,
    action::{
        Action, Alert, AppState, Capabilities, OpenTarget, Operation, Performed, Screenshot,
        Target, Window,
    },
    dispatch::{Row, rows::webdriver as rows},
    geometry::Rect,
    last_work,
    snapshot::{CaptureOptions, Keyboard, Snapshot},
};
use async_trait::async_trait;
use serde_json::{Map, Value, json};

use crate::{
    act,
    client::{Client, Requests, Session},
    config::Config,
    driver::DriverProcess,
    see,
};

/// How long a session that is dropped, or one of a local browser, may take to end.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A session with one browser.
pub struct WebDriver {
    session: Arc<Session>,
    process: Mutex<Option<DriverProcess>>,
}

impl WebDriver {
    /// Asks the server at `endpoint` for a session with these capabilities.
    ///
    /// The capabilities are those of `alwaysMatch`, or a whole `{"alwaysMatch": …, "firstMatch": …}`. What they don't say is
    /// added: dialogs stay open until they are answered, commands end before their deadline, with Chromium a click doesn't wait
    /// for the next page. The endpoint may hold a user and a key: `https://user:key@hub.example/wd/hub`.
    ///
    /// # Errors
    ///
    /// An endpoint or a configuration that can't be, no connection, or the server's refusal.
    ///
    /// # Cancel safety
    ///
    /// When dropped, the server may still make the session, and nobody ends it but the server.
    pub async fn connect(
        endpoint: &str,
        capabilities: Map<String, Value>,
        config: Config,
    ) -> Result<Self> {
        Self::open(endpoint, capabilities, config, None).await
    }

    pub(crate) async fn open(
        endpoint: &str,
        capabilities: Map<String, Value>,
        config: Config,
        process: Option<DriverProcess>,
    ) -> Result<Self> {
        let capabilities = with_defaults(capabilities, &config)?;
        let client = Arc::new(Client::new(endpoint, config)?);
        match Session::create(client, &capabilities).await {
            Ok(session) => Ok(Self {
                session: Arc::new(session),
                process: Mutex::new(process),
            }),
            Err(failure) => {
                let mut error = Error::from(failure);
                if let Some(mut process) = process {
                    process.kill().await;
                    error = error.with_detail("driverOutput", process.tail());
                }
                Err(error)
            }
        }
    }

    /// Opens an address and waits until its document is parsed. The same as [`Action::Open`] with [`OpenTarget::Url`].
    ///
    /// # Errors
    ///
    /// Not an address, or the browser shows an error in place of the page.
    ///
    /// # Cancel safety
    ///
    /// When dropped, the browser may be at the new page.
    pub async fn navigate(&self, url: &str) -> Result<()> {
        let budget = self.session.client().config().page_load_timeout + Duration::from_secs(10);
        let call = Call::standalone(budget);
        let open = Action::Open(OpenTarget::Url(url.to_owned()));
        let result = self.perform(&open, &call).await;
        result.map(drop).map_err(|error| {
            agent_device_core::dispatch::disclose(
                Operation::Open.effect(),
                call.ledger(),
                error.with_operation(Operation::Open),
            )
        })
    }

    /// Ends the session, and driver and browser if this crate started them. Doing so twice is fine.
    ///
    /// # Errors
    ///
    /// The server did not end the session. A local browser is gone all the same.
    ///
    /// # Cancel safety
    ///
    /// When dropped, a local browser is gone; a remote session may live on.
    pub async fn close(&self) -> Result<()> {
        let Some(mut process) = self.take_process() else {
            return self.session.delete().await.map_err(Error::from);
        };
        // A chance to end in good order. Then it ends in any case, and its session with it.
        let _ = tokio::time::timeout(LAST_WORDS, self.session.delete()).await;
        process.kill().await;
        Ok(())
    }

    /// The name that the server has given the session, for its logs.
    pub fn session_id(&self) -> &str {
        self.session.id()
    }

    /// How many requests were sent to the server so far.
    pub fn requests(&self) -> Requests {
        self.session.client().requests()
    }

    /// The process id of the driver, if this crate started it.
    pub fn driver_id(&self) -> Option<u32> {
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.as_ref().map(DriverProcess::id)
    }

    /// The process id of the browser, if the driver says it.
    pub fn browser_id(&self) -> Option<u32> {
        let id = self.session.facts().process?;
        u32::try_from(id).ok()
    }

    fn take_process(&self) -> Option<DriverProcess> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.take()
    }

    /// Adds what the driver said last to errors that look like its death.
    fn explain(&self, error: Error) -> Error {
        let dead = error.code() == ErrorCode::SessionNotFound
            || error.reason() == Some(crate::error::CONNECT_REFUSED);
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        match process.as_ref().filter(|_| dead) {
            Some(process) => error.with_detail("driverOutput", process.tail()),
            None => error,
        }
    }
}

/// Adds what the capabilities leave open.
fn with_defaults(mut given: Map<String, Value>, config: &Config) -> Result<Value> {
    let whole = given.contains_key("alwaysMatch") || given.contains_key("firstMatch");
    if !whole {
        given = Map::from_iter([("alwaysMatch".to_owned(), Value::Object(given))]);
    }
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    // Only Chromium's drivers have a route that tells when a navigation has arrived in spite of `none`.
    let names_chromium = |entry: &Value| {
        let name = entry.get("browserName").and_then(Value::as_str);
        name.is_some_and(|name| {
            ["chrome", "chromium"].contains(&name.to_ascii_lowercase().as_str())
        })
    };
    let strategy = if given.get("alwaysMatch").is_some_and(names_chromium) {
        "none"
    } else {
        "eager"
    };
    let defaults = [
        ("unhandledPromptBehavior", json!("ignore")),
        ("pageLoadStrategy", json!(strategy)),
        (
            "timeouts",
            json!({
                "implicit": 0,
                "pageLoad": millis(config.page_load_timeout),
                "script": millis(config.script_timeout),
            }),
        ),
    ];
    let first = given.get("firstMatch").and_then(Value::as_array);
    let open: Vec<_> = defaults
        .into_iter()
        .filter(|(key, _)| {
            // A key that is in both would be an error.
            first.is_none_or(|first| first.iter().all(|entry| entry.get(key).is_none()))
        })
        .collect();
    let always = given
        .entry("alwaysMatch")
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()
        .ok_or_else(|| Error::invalid("capabilities", "alwaysMatch is not an object"))?;
    for (key, value) in open {
        always.entry(key).or_insert(value);
    }
    Ok(Value::Object(given))
}

impl fmt::Debug for WebDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebDriver")
            .field("endpoint", self.session.client().endpoint())
            .field("browser", &self.session.facts().browser)
            .field("ended", &self.session.has_ended())
            .finish_non_exhaustive()
    }
}

impl Drop for WebDriver {
    fn drop(&mut self) {
        if let Some(process) = self.take_process() {
            self.session.end();
            drop(process);
        } else if !self.session.has_ended() {
            let session = Arc::clone(&self.session);
            let end = move || async move { session.delete().await.is_ok() };
            last_work("webdriver-end", LAST_WORDS, end, || {
                tracing::debug!(name: "agent_device.webdriver.session_left", "a session could not be ended");
            });
        }
    }
}

#[async_trait]
impl SnapshotBackend for WebDriver {
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
        see::capture(&self.session, options, call)
            .await
            .map_err(|error| self.explain(error))
    }

    /// A read that is given up marks the session; the next command first asks whether the driver is free.
    fn honours_cancel(&self) -> bool {
        true
    }

    async fn confirm_visible(&self, target: &Target, call: &Call) -> Result<Option<Rect>> {
        see::confirm_visible(&self.session, target, call)
            .await
            .map_err(|error| self.explain(error))
    }
}

#[async_trait]
impl Interactor for WebDriver {
    fn capabilities(&self) -> Capabilities {
        let mobile = self.session.facts().is_mobile();
        let mut offered = vec![
            Operation::Tap,
            Operation::DoubleTap,
            Operation::LongPress,
            Operation::Focus,
            Operation::TypeText,
            Operation::Fill,
            Operation::Scroll,
            Operation::Gesture,
            Operation::Back,
            Operation::Open,
            Operation::Close,
            Operation::AcceptAlert,
            Operation::DismissAlert,
            Operation::KeyboardEnter,
            Operation::SelectWindow,
            Operation::ConfirmVisible,
            Operation::Screenshot,
            Operation::ReadAlert,
            Operation::ReadAppState,
            Operation::ReadWindows,
        ];
        if mobile {
            offered.push(Operation::SetOrientation);
        } else {
            offered.extend([Operation::Hover, Operation::ReadKeyboard]);
        }
        let leaf = "unsupported-platform-leaf";
        let mut capabilities = Capabilities::of(&offered)
            .with_max_pointers(2)
            .without(Operation::Home, leaf, Some("Open an address instead."))
            .without(
                Operation::AppSwitcher,
                leaf,
                Some("List the windows and select one."),
            )
            .without(
                Operation::KeyboardDismiss,
                leaf,
                Some("A browser has no way to put a keyboard away without leaving the field."),
            )
            .without(Operation::ReadOrientation, leaf, None)
            .without(
                Operation::ReadClipboard,
                leaf,
                Some("Paste into a field and read the field."),
            )
            .without(
                Operation::WriteClipboard,
                leaf,
                Some("Fill the field directly."),
            );
        if mobile {
            capabilities = capabilities.without(Operation::Hover, leaf, None);
        } else {
            capabilities = capabilities.without(
                Operation::SetOrientation,
                leaf,
                Some("A desktop browser does not turn. Choose a window size at the start."),
            );
        }
        capabilities
    }

    async fn perform(&self, action: &Action, call: &Call) -> Result<Performed> {
        act::perform(&self.session, action, call)
            .await
            .map_err(|error| self.explain(error))
    }

    async fn screenshot(&self, call: &Call) -> Result<Screenshot> {
        see::screenshot(&self.session, call)
            .await
            .map_err(|error| self.explain(error))
    }

    async fn alert(&self, call: &Call) -> Result<Option<Alert>> {
        see::alert(&self.session, call)
            .await
            .map_err(|error| self.explain(error))
    }

    /// A desktop browser shows none.
    async fn keyboard(&self, _call: &Call) -> Result<Keyboard> {
        if self.session.facts().is_mobile() {
            return Err(Error::unsupported(Operation::ReadKeyboard));
        }
        Ok(Keyboard::Absent)
    }

    async fn app_state(&self, call: &Call) -> Result<AppState> {
        see::app_state(&self.session, call)
            .await
            .map_err(|error| self.explain(error))
    }

    async fn windows(&self, call: &Call) -> Result<Vec<Window>> {
        see::windows(&self.session, call)
            .await
            .map_err(|error| self.explain(error))
    }
}

impl Backend for WebDriver {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("webdriver")
    }

    fn device(&self) -> Cow<'static, str> {
        Cow::Owned(self.session.facts().browser.clone())
    }

    fn rows(&self) -> &'static [&'static Row] {
        rows::ROWS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn what_the_caller_says_wins_over_the_defaults() {
        let config = Config::default();
        let plain = with_defaults(object(json!({"browserName": "chrome"})), &config).unwrap();
        assert_eq!(plain["alwaysMatch"]["unhandledPromptBehavior"], "ignore");
        assert_eq!(plain["alwaysMatch"]["timeouts"]["script"], 10_000);
        assert_eq!(plain["alwaysMatch"]["pageLoadStrategy"], "none");
        let other = with_defaults(object(json!({"browserName": "firefox"})), &config).unwrap();
        assert_eq!(other["alwaysMatch"]["pageLoadStrategy"], "eager");
        let own = json!({"alwaysMatch": {"pageLoadStrategy": "eager"},
            "firstMatch": [{"unhandledPromptBehavior": "accept"}, {}]});
        let own = with_defaults(object(own), &config).unwrap();
        assert_eq!(own["alwaysMatch"]["pageLoadStrategy"], "eager");
        assert_eq!(own["alwaysMatch"].get("unhandledPromptBehavior"), None);
        assert!(with_defaults(object(json!({"alwaysMatch": 1})), &config).is_err());
    }
}
