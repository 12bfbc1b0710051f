//! `xcrun devicectl`, for one phone. It prints for people; what it knows it writes as JSON to a file.

use std::{net::IpAddr, time::Duration};

use serde::Deserialize;

use super::process::{Patience, Tool, ToolFailure, ToolPath};

/// One phone.
#[derive(Clone, Debug)]
pub(crate) struct Devicectl {
    tools: ToolPath,
    udid: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Whole {
    result: Outcome,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Outcome {
    connection_properties: Connection,
    apps: Vec<App>,
    running_processes: Vec<Process>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Connection {
    #[serde(rename = "tunnelIPAddress")]
    address: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct App {
    bundle_identifier: String,
    url: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Process {
    executable: String,
    process_identifier: i64,
}

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn fuzz(answer: &[u8]) {
    drop(serde_json::from_slice::<Whole>(answer));
}

const LIMIT: Duration = Duration::from_secs(20);

impl Devicectl {
    pub(crate) fn new(tools: ToolPath, udid: String) -> Self {
        Self { tools, udid }
    }

    async fn ask(&self, words: &[&str], patience: &Patience) -> Result<Outcome, ToolFailure> {
        let command = || format!("xcrun devicectl {}", words.join(" "));
        let folder = super::scratch("devicectl").map_err(|source| ToolFailure::Lost {
            command: command(),
            source,
        })?;
        let file = folder.path().join("answer.json");
        let tool = Tool::new("xcrun", LIMIT)
            .args(["devicectl", "device"])
            .args(words)
            .args(["--device", &self.udid, "--json-output"])
            .args([&file]);
        self.tools.run(tool, patience).await?;
        let bytes = super::read_bounded(&file).map_err(|source| ToolFailure::Lost {
            command: command(),
            source,
        })?;
        let whole: Whole = serde_json::from_slice(&bytes).map_err(|_| ToolFailure::Unreadable {
            command: command(),
            what: "no answer in JSON",
        })?;
        Ok(whole.result)
    }

    /// The phone's address in the tunnel of CoreDevice.
    pub(crate) async fn tunnel_address(
        &self,
        patience: &Patience,
    ) -> Result<Option<IpAddr>, ToolFailure> {
        let outcome = self.ask(&["info", "details"], patience).await?;
        Ok(outcome
            .connection_properties
            .address
            .and_then(|text| text.parse().ok()))
    }

    async fn app(&self, app: &str, patience: &Patience) -> Result<Option<App>, ToolFailure> {
        let outcome = self
            .ask(&["info", "apps", "--bundle-id", app], patience)
            .await?;
        Ok(outcome
            .apps
            .into_iter()
            .find(|known| known.bundle_identifier == app))
    }

    /// Whether the app is installed.
    pub(crate) async fn has_app(
        &self,
        app: &str,
        patience: &Patience,
    ) -> Result<bool, ToolFailure> {
        Ok(self.app(app, patience).await?.is_some())
    }

    /// Starts the app anew, with an address to open if there is one.
    pub(crate) async fn launch(
        &self,
        app: &str,
        url: Option<&str>,
        patience: &Patience,
    ) -> Result<(), ToolFailure> {
        let tool = Tool::new("xcrun", LIMIT).args([
            "devicectl",
            "device",
            "process",
            "launch",
            "--device",
            &self.udid,
            "--terminate-existing",
        ]);
        let tool = match url {
            Some(url) => tool.args(["--payload-url", url]),
            None => tool,
        };
        self.tools.run(tool.args([app]), patience).await.map(drop)
    }

    /// Ends the app. That it does not run is fine.
    pub(crate) async fn terminate(
        &self,
        app: &str,
        patience: &Patience,
    ) -> Result<(), ToolFailure> {
        let Some(App { url, .. }) = self.app(app, patience).await? else {
            return Ok(());
        };
        let outcome = self.ask(&["info", "processes"], patience).await?;
        let folder = url.trim_end_matches('/');
        let of_app = |process: &&Process| {
            process
                .executable
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        for process in outcome.running_processes.iter().filter(of_app) {
            let pid = process.process_identifier.to_string();
            let tool = Tool::new("xcrun", LIMIT).args([
                "devicectl",
                "device",
                "process",
                "terminate",
                "--device",
                &self.udid,
                "--pid",
                &pid,
                "--kill",
            ]);
            match self.tools.run(tool, patience).await {
                // It ended by itself in the meantime.
                Err(ToolFailure::Exit { stderr, .. }) if stderr.contains("No such process") => {}
                other => drop(other?),
            }
        }
        Ok(())
    }
}
