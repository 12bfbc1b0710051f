//! `xcrun devicectl`, for one phone. It prints for people; what it knows it writes as JSON to a file.

use std::{ffi::OsStr, net::IpAddr, time::Duration};

use serde::{Deserialize, de::DeserializeOwned};

use super::{
    list::{Entry, known},
    process::{Patience, Tool, ToolFailure, ToolPath},
};

/// One phone.
#[derive(Clone, Debug)]
pub(crate) struct Devicectl {
    tools: ToolPath,
    udid: String,
}

#[derive(Debug, Deserialize)]
struct Whole<T> {
    result: T,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Details {
    connection_properties: Connection,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Connection {
    #[serde(rename = "tunnelIPAddress")]
    address: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Apps {
    apps: Vec<Entry<App>>,
}

/// An app, as appium/appium-xcuitest-driver (`real-device-clients/devicectl`) shows what the tool writes.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct App {
    pub(super) bundle_identifier: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    pub(super) default_app: bool,
    #[serde(default)]
    pub(super) internal_app: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Processes {
    running_processes: Vec<Process>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Process {
    executable: String,
    process_identifier: i64,
}

#[cfg(any(test, feature = "fuzzing"))]
pub(super) fn fuzz(answer: &[u8]) {
    drop(read::<Details>(answer));
    drop(read::<Apps>(answer));
    drop(read::<Processes>(answer));
}

pub(super) const LIMIT: Duration = Duration::from_secs(20);

/// How the tool says that it knows no such device. It manages those with iOS 17 or later; Xcode reaches older ones otherwise.
/// Not recorded by us: a phone for which the tool says something else gets the tool's failure.
const UNKNOWN_DEVICE: &str = "com.apple.dt.CoreDeviceError error 1000";

/// `None` in place of the failure by which the tool says that it does not manage the device.
pub(super) fn if_managed<T>(answer: Result<T, ToolFailure>) -> Result<Option<T>, ToolFailure> {
    match answer {
        Err(ToolFailure::Exit { stderr, .. }) if stderr.contains(UNKNOWN_DEVICE) => Ok(None),
        other => other.map(Some),
    }
}

/// What is in the answer to a question.
pub(super) fn read<T: DeserializeOwned>(answer: &[u8]) -> Option<T> {
    let whole: Whole<T> = serde_json::from_slice(answer).ok()?;
    Some(whole.result)
}

/// Asks the tool something. `what`: what is wrong with an answer that can't be read.
pub(super) async fn answer<T: DeserializeOwned>(
    tools: &ToolPath,
    words: &[&str],
    what: &'static str,
    patience: &Patience,
) -> Result<T, ToolFailure> {
    let command = || format!("xcrun devicectl {}", words.join(" "));
    let lost = |source| ToolFailure::Lost {
        command: command(),
        source,
    };
    let folder = super::scratch("devicectl").map_err(lost)?;
    let file = folder.path().join("answer.json");
    let tool = Tool::new("xcrun", LIMIT).args(["devicectl"]).args(words);
    let tool = tool.args([OsStr::new("--json-output"), file.as_os_str()]);
    tools.run(tool, patience).await?;
    let bytes = super::read_bounded(&file).map_err(lost)?;
    read(&bytes).ok_or_else(|| ToolFailure::Unreadable {
        command: command(),
        what,
    })
}

impl Devicectl {
    pub(crate) fn new(tools: ToolPath, udid: String) -> Self {
        Self { tools, udid }
    }

    /// Changes the apps of the phone. What is changed comes last.
    pub(super) fn change(&self, verb: &str, limit: Duration) -> Tool {
        Tool::new("xcrun", limit)
            .args(["devicectl", "device", verb, "app"])
            .args(["--device", &self.udid])
    }

    pub(super) async fn run(&self, tool: Tool, patience: &Patience) -> Result<(), ToolFailure> {
        self.tools.run(tool, patience).await.map(drop)
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        words: &[&str],
        what: &'static str,
        patience: &Patience,
    ) -> Result<T, ToolFailure> {
        let words = [&["device"], words, &["--device", &self.udid]].concat();
        answer(&self.tools, &words, what, patience).await
    }

    /// The phone's address in the tunnel of CoreDevice.
    pub(crate) async fn tunnel_address(
        &self,
        patience: &Patience,
    ) -> Result<Option<IpAddr>, ToolFailure> {
        let what = "no details in JSON";
        let details: Details = self.ask(&["info", "details"], what, patience).await?;
        let address = details.connection_properties.address;
        Ok(address.and_then(|text| text.parse().ok()))
    }

    /// Apps of this choice. `None`: the tool does not manage the device.
    pub(super) async fn apps(
        &self,
        choice: &[&str],
        patience: &Patience,
    ) -> Result<Option<Vec<App>>, ToolFailure> {
        let words = [&["info", "apps"], choice].concat();
        let found = self.ask(&words, "no `result.apps` in JSON", patience).await;
        Ok(if_managed(found)?.map(|found: Apps| known(found.apps).collect()))
    }

    async fn app(
        &self,
        app: &str,
        patience: &Patience,
    ) -> Result<Option<Option<App>>, ToolFailure> {
        let of = |apps: Vec<App>| apps.into_iter().find(|each| each.bundle_identifier == app);
        // The short list leaves out what came with the system or from the App Store; the long one heeds no name.
        match self.apps(&["--bundle-id", app], patience).await?.map(of) {
            Some(None) => Ok(self.apps(&["--include-all-apps"], patience).await?.map(of)),
            found => Ok(found),
        }
    }

    /// Whether the app is installed. `None`: the tool does not manage the device.
    pub(crate) async fn has_app(
        &self,
        app: &str,
        patience: &Patience,
    ) -> Result<Option<bool>, ToolFailure> {
        let found = self.app(app, patience).await?;
        Ok(found.map(|app| app.is_some()))
    }

    /// Starts the app anew; or, with an address to open, leaves one that runs as it is.
    pub(crate) async fn launch(
        &self,
        app: &str,
        url: Option<&str>,
        patience: &Patience,
    ) -> Result<(), ToolFailure> {
        let tool = self.process("launch");
        let tool = match url {
            Some(url) => tool.args(["--payload-url", url]),
            None => tool.args(["--terminate-existing"]),
        };
        self.run(tool.args([app]), patience).await
    }

    /// The processes of the app. `None`: the tool does not manage the device.
    pub(crate) async fn processes(
        &self,
        app: &str,
        patience: &Patience,
    ) -> Result<Option<Vec<i64>>, ToolFailure> {
        let url = match self.app(app, patience).await? {
            None => return Ok(None),
            Some(None) => return Ok(Some(Vec::new())),
            Some(Some(App { url, .. })) => url,
        };
        let folder = url.trim_end_matches('/');
        if folder.is_empty() {
            // All processes would be of an app whose place is not known.
            return Err(ToolFailure::Unreadable {
                command: "xcrun devicectl device info apps".to_owned(),
                what: "no `url` of the app",
            });
        }
        let what = "no `result.runningProcesses` in JSON";
        let known: Processes = self.ask(&["info", "processes"], what, patience).await?;
        let of_app = |process: &&Process| {
            let rest = process.executable.strip_prefix(folder);
            rest.is_some_and(|rest| rest.starts_with('/')) && process.process_identifier > 0
        };
        let processes = known.running_processes.iter().filter(of_app);
        let pids = processes.map(|process| process.process_identifier);
        Ok(Some(pids.collect()))
    }

    /// Ends one process. That it has ended by itself in the meantime is fine.
    pub(crate) async fn terminate(&self, pid: i64, patience: &Patience) -> Result<(), ToolFailure> {
        let pid = pid.to_string();
        let tool = self.process("terminate").args(["--pid", &pid, "--kill"]);
        match self.run(tool, patience).await {
            Err(ToolFailure::Exit { stderr, .. }) if stderr.contains("No such process") => Ok(()),
            other => other,
        }
    }

    fn process(&self, verb: &str) -> Tool {
        Tool::new("xcrun", LIMIT)
            .args(["devicectl", "device", "process", verb])
            .args(["--device", &self.udid])
    }
}
