//! What Xcode's tools do about the apps of a simulator or a phone: list, install, uninstall, permissions.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;

use super::{
    Scratch,
    devicectl::{App, Devicectl, LIMIT, if_managed},
    list::Entry,
    process::{Patience, Tool, ToolFailure},
    scratch,
    simctl::Simctl,
};

/// An app may be large, and a phone may be on a slow network.
const INSTALL: Duration = Duration::from_secs(120);

/// An app that is installed.
#[derive(Debug)]
pub(crate) struct InstalledApp {
    pub(crate) bundle: String,
    /// Whether it came with the system.
    pub(crate) is_system: bool,
}

/// One of `simctl listapps`, by its bundle id. The key and its words are those that other open-source clients read.
#[derive(Debug, Deserialize)]
struct OfSimulator {
    #[serde(rename = "ApplicationType")]
    kind: String,
}

fn of_simulator(json: &[u8]) -> Option<Vec<InstalledApp>> {
    let apps: BTreeMap<String, Entry<OfSimulator>> = serde_json::from_slice(json).ok()?;
    let app = |(bundle, entry)| match entry {
        Entry::Known(OfSimulator { kind }) => Some(InstalledApp {
            bundle,
            is_system: kind == "System",
        }),
        Entry::Other(_) => None,
    };
    Some(apps.into_iter().filter_map(app).collect())
}

#[cfg(any(test, feature = "fuzzing"))]
pub(super) fn fuzz(answer: &[u8]) {
    drop(of_simulator(answer));
}

impl Simctl {
    /// All apps. The simulator must be up.
    pub(crate) async fn list_apps(
        &self,
        patience: &Patience,
    ) -> Result<Vec<InstalledApp>, ToolFailure> {
        let tool = self.tool(LIMIT).args(["listapps", self.udid()]);
        let listed = self.run(tool, patience).await?.stdout;
        // A property list of the oldest kind: names of apps are in it, so what reads JSON here reads it.
        let convert = Tool::new("plutil", LIMIT).args(["-convert", "json", "-o", "-", "-"]);
        let json = self.run(convert.input(listed), patience).await?.stdout;
        of_simulator(&json).ok_or_else(|| ToolFailure::Unreadable {
            command: "xcrun simctl listapps".to_owned(),
            what: "no apps by their bundle ids",
        })
    }

    pub(crate) async fn install(
        &self,
        path: &Path,
        patience: &Patience,
    ) -> Result<(), ToolFailure> {
        let tool = self.tool(INSTALL).args(["install", self.udid()]);
        self.run(tool.args([path]), patience).await.map(drop)
    }

    /// The tool says nothing about an app that is not there.
    pub(crate) async fn uninstall(
        &self,
        app: &str,
        patience: &Patience,
    ) -> Result<(), ToolFailure> {
        let tool = self.tool(LIMIT).args(["uninstall", self.udid(), app]);
        self.run(tool, patience).await.map(drop)
    }

    /// `verb`: `grant`, `revoke` or `reset`.
    pub(crate) async fn privacy(
        &self,
        verb: &str,
        service: &str,
        app: &str,
        patience: &Patience,
    ) -> Result<(), ToolFailure> {
        let words = ["privacy", self.udid(), verb, service, app];
        self.run(self.tool(LIMIT).args(words), patience)
            .await
            .map(drop)
    }

    /// The folder of the app on this Mac. `None`: it is not installed, which the tool says with the number of ENOENT. A simulator
    /// that sleeps can't be asked.
    pub(crate) async fn app_folder(
        &self,
        app: &str,
        patience: &Patience,
    ) -> Result<Option<PathBuf>, ToolFailure> {
        let words = ["get_app_container", self.udid(), app, "app"];
        match self.run(self.tool(LIMIT).args(words), patience).await {
            Ok(output) => Ok(Some(PathBuf::from(output.text().trim()))),
            Err(ToolFailure::Exit { code: 2, .. }) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// A copy of an app that is installed, to install it again. It goes with the scratch folder.
    pub(crate) async fn copy_app(
        &self,
        folder: &Path,
        patience: &Patience,
    ) -> Result<(Scratch, PathBuf), ToolFailure> {
        let name = folder.file_name().filter(|_| folder.is_absolute());
        let name = name.ok_or_else(|| ToolFailure::Unreadable {
            command: "xcrun simctl get_app_container".to_owned(),
            what: "no folder of an app",
        })?;
        let scratch = scratch("app").map_err(|source| ToolFailure::Lost {
            command: "cp -RPp".to_owned(),
            source,
        })?;
        let copy = scratch.path().join(name);
        let tool = Tool::new("cp", INSTALL).args(["-RPp"]);
        let tool = tool.args([folder, copy.as_path()]);
        self.run(tool, patience).await?;
        Ok((scratch, copy))
    }
}

impl Devicectl {
    /// All apps. `None`: the tool does not manage the device.
    pub(crate) async fn list_apps(
        &self,
        patience: &Patience,
    ) -> Result<Option<Vec<InstalledApp>>, ToolFailure> {
        let installed = |app: App| InstalledApp {
            bundle: app.bundle_identifier,
            is_system: app.default_app || app.internal_app,
        };
        let all = self.apps(&["--include-all-apps"], patience).await?;
        Ok(all.map(|all| all.into_iter().map(installed).collect()))
    }

    /// Whether the tool manages the device.
    pub(crate) async fn is_managed(&self, patience: &Patience) -> Result<bool, ToolFailure> {
        let address = self.tunnel_address(patience).await;
        Ok(if_managed(address)?.is_some())
    }

    pub(crate) async fn install(
        &self,
        path: &Path,
        patience: &Patience,
    ) -> Result<(), ToolFailure> {
        let tool = self.change("install", INSTALL).args([path]);
        self.run(tool, patience).await
    }

    /// The tool says nothing about an app that is not there.
    pub(crate) async fn uninstall(
        &self,
        app: &str,
        patience: &Patience,
    ) -> Result<(), ToolFailure> {
        let tool = self.change("uninstall", LIMIT).args([app]);
        self.run(tool, patience).await
    }
}
