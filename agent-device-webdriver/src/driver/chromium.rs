//! Chromium and its relatives through chromedriver.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use agent_device_core::{Error, ErrorCode, Result, dispatch::rows::webdriver as rows};
use serde_json::{Value, json};

use super::{
    process::{DriverProcess, Folder, Launch},
    tools::{self, Tool},
};
use crate::{WebDriver, config::Config};

/// How long a driver may take to say its port.
const PORT_TIMEOUT: Duration = Duration::from_secs(20);

const DRIVER: Tool = Tool {
    what: "chromedriver",
    names: &["chromedriver", "chromium.chromedriver"],
    places: &[
        "/usr/lib/chromium/chromedriver",
        "/usr/lib/chromium-browser/chromedriver",
    ],
    install: "Debian: apt-get install chromium-driver",
};

const BROWSER: Tool = Tool {
    what: "Chromium or Chrome",
    names: &[
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
    ],
    places: &[
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ],
    install: "Debian: apt-get install chromium",
};

/// Starts a Chromium of its own, with a fresh profile, through a chromedriver of its own.
///
/// ```no_run
/// # async fn run() -> agent_device_core::Result<()> {
/// let browser = agent_device_webdriver::Chromium::builder().window(1200, 800).start().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Chromium {}

impl Chromium {
    /// A headless browser of 1200 by 800 CSS pixels, driver and browser found on this machine.
    pub fn builder() -> ChromiumBuilder {
        ChromiumBuilder {
            headless: true,
            window: (1200, 800),
            driver: None,
            binary: None,
            arguments: Vec::new(),
            capabilities: serde_json::Map::new(),
            config: Config::default(),
        }
    }
}

/// How the browser is started.
#[derive(Clone, Debug)]
#[must_use]
pub struct ChromiumBuilder {
    headless: bool,
    window: (u32, u32),
    driver: Option<PathBuf>,
    binary: Option<PathBuf>,
    arguments: Vec<String>,
    capabilities: serde_json::Map<String, Value>,
    config: Config,
}

impl ChromiumBuilder {
    /// Whether it runs without a window: yes unless said otherwise.
    pub fn headless(mut self, headless: bool) -> Self {
        self.headless = headless;
        self
    }

    /// The size of the window in CSS pixels.
    pub fn window(mut self, width: u32, height: u32) -> Self {
        self.window = (width, height);
        self
    }

    /// The chromedriver to use, in place of the one that is found.
    pub fn driver_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.driver = Some(path.into());
        self
    }

    /// The browser to use, in place of the one that is found.
    pub fn binary(mut self, path: impl Into<PathBuf>) -> Self {
        self.binary = Some(path.into());
        self
    }

    /// One more command line argument of the browser.
    pub fn argument(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// One more capability of the session. Those of `goog:chromeOptions` are merged; its arguments are added.
    pub fn capability(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.capabilities.insert(name.into(), value.into());
        self
    }

    /// Deadlines and limits.
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Finds both programs, compares their versions, starts the driver and asks it for a session: [`start_driver`] and then
    /// [`ChromiumDriver::open`].
    ///
    /// [`start_driver`]: Self::start_driver
    ///
    /// # Errors
    ///
    /// `TOOL_MISSING` when a program is missing, with how to get it; `COMMAND_FAILED` with reason `webdriver_version_mismatch`
    /// when the versions don't fit, `webdriver_driver_start` when the driver doesn't start (`details.driverOutput` has its
    /// last words), or whatever the driver answers to the request for a session.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends driver and browser and removes the profile.
    pub async fn start(self) -> Result<WebDriver> {
        self.start_driver().await?.open().await
    }

    /// Finds both programs, compares their versions and starts the driver, without a session yet.
    ///
    /// # Errors
    ///
    /// As for [`start`](Self::start), short of the request for a session.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the driver and removes the profile.
    pub async fn start_driver(self) -> Result<ChromiumDriver> {
        let driver = DRIVER.find(self.driver.as_deref())?;
        let binary = BROWSER.find(self.binary.as_deref())?;
        let (driver_version, browser_version) =
            tokio::try_join!(tools::version(&driver), tools::version(&binary))?;
        if tools::major(&driver_version) != tools::major(&browser_version) {
            return Err(Error::refused(
                rows::HOST_TOOL_MISSING,
                ErrorCode::CommandFailed,
                format!("chromedriver {driver_version} can't drive the browser of version {browser_version}"),
            )
            .with_reason("webdriver_version_mismatch")
            .with_detail("driverVersion", &driver_version)
            .with_detail("browserVersion", &browser_version)
            .with_hint(format!(
                "Install a chromedriver of version {}, or name another browser.",
                tools::major(&browser_version)
            )));
        }
        let not_started = |message: &str| {
            Error::refused(
                rows::DRIVER_NOT_STARTED,
                ErrorCode::CommandFailed,
                message.to_owned(),
            )
            .with_reason("webdriver_driver_start")
        };
        let folder = Folder::create()
            .map_err(|source| not_started("no folder for a profile").with_source(source))?;
        let capabilities = self.capabilities(&binary, &folder);
        let process = DriverProcess::start(Launch {
            program: driver,
            arguments: vec!["--port=0".to_owned()],
            folder,
            port: port_in,
        })
        .map_err(|source| not_started("chromedriver can't be started").with_source(source))?;
        let port = match tokio::time::timeout(PORT_TIMEOUT, process.port()).await {
            Ok(Some(port)) => port,
            Ok(None) => {
                return Err(not_started("chromedriver ended without saying its port")
                    .with_detail("driverOutput", process.tail()));
            }
            Err(_) => {
                return Err(not_started("chromedriver did not say its port in time")
                    .with_detail("driverOutput", process.tail()));
            }
        };
        Ok(ChromiumDriver {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            capabilities,
            config: self.config,
            process,
        })
    }

    fn capabilities(
        &self,
        binary: &std::path::Path,
        folder: &Folder,
    ) -> serde_json::Map<String, Value> {
        let (width, height) = self.window;
        let mut arguments = vec![
            "--disable-gpu".to_owned(),
            "--no-first-run".to_owned(),
            "--no-default-browser-check".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            format!("--user-data-dir={}", folder.profile().display()),
            format!("--window-size={width},{height}"),
        ];
        if self.headless {
            arguments.insert(0, "--headless=new".to_owned());
        }
        if is_root() {
            // The sandbox of Chromium refuses to start as root.
            arguments.push("--no-sandbox".to_owned());
        }
        arguments.extend(self.arguments.iter().cloned());
        let mut options = json!({ "binary": binary, "args": arguments });
        let mut capabilities = self.capabilities.clone();
        if let Some(Value::Object(own)) = capabilities.remove("goog:chromeOptions") {
            for (key, value) in own {
                match (options.get_mut(&key), value) {
                    (Some(Value::Array(there)), Value::Array(more)) => there.extend(more),
                    (_, value) => options[key] = value,
                }
            }
        }
        capabilities.insert("goog:chromeOptions".to_owned(), options);
        capabilities
            .entry("browserName")
            .or_insert_with(|| json!("chrome"));
        capabilities
    }
}

/// A running chromedriver that has no session yet. Dropping it ends it.
#[derive(Debug)]
pub struct ChromiumDriver {
    address: SocketAddr,
    capabilities: serde_json::Map<String, Value>,
    config: Config,
    process: DriverProcess,
}

impl ChromiumDriver {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Asks it for a session.
    ///
    /// # Errors
    ///
    /// Whatever the driver answers.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends driver and browser and removes the profile.
    pub async fn open(self) -> Result<WebDriver> {
        let address = self.address;
        self.open_through(address).await
    }

    /// Asks it for a session through a relay in front of it: a wire log, or a proxy that makes faults.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    ///
    /// # Cancel safety
    ///
    /// As for [`open`](Self::open).
    pub async fn open_through(self, relay: SocketAddr) -> Result<WebDriver> {
        let endpoint = format!("http://{relay}");
        WebDriver::open(
            &endpoint,
            self.capabilities,
            self.config,
            Some(self.process),
        )
        .await
    }
}

/// `ChromeDriver was started successfully on port 36179.`
fn port_in(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("started successfully on port ")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|port| *port != 0)
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_line_of_success_names_the_port() {
        assert_eq!(
            port_in("ChromeDriver was started successfully on port 36179."),
            Some(36179)
        );
        assert_eq!(
            port_in("Starting ChromeDriver 156.0.8078.114 (x) on port 0"),
            None
        );
        assert_eq!(port_in("was started successfully on port 99999999."), None);
    }

    #[test]
    fn own_options_are_merged_not_replaced() {
        let folder = Folder::create().unwrap();
        let builder = Chromium::builder().capability(
            "goog:chromeOptions",
            json!({"args": ["--mine"], "prefs": {"a": 1}}),
        );
        let capabilities = builder.capabilities("/bin/chrome".as_ref(), &folder);
        let options = &capabilities["goog:chromeOptions"];
        let arguments = options["args"].as_array().unwrap();
        assert!(
            arguments.contains(&json!("--mine")) && arguments.contains(&json!("--disable-sync"))
        );
        assert_eq!(options["prefs"]["a"], 1);
        assert_eq!(options["binary"], "/bin/chrome");
    }
}
