//! `xcrun simctl`, for one simulator. Flags and words as in `simctl help`.

use std::{
    ffi::{OsStr, OsString},
    io,
    time::Duration,
};

use agent_device_core::observe::{End, Judgement, Schedule, observe_until};

use super::{
    app_info::AppInfo,
    list::{self, Simulator},
    process::{Output, Patience, Tool, ToolFailure, ToolPath},
};

const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// How often a picture is taken in all, and the pause between.
const SCREENSHOT_TRIES: u32 = 5;
const SCREENSHOT_PAUSE: Duration = Duration::from_secs(1);
/// How a PNG begins, and its last chunk, which has no content (ISO/IEC 15948, 5.2 and 11.2.5).
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const PNG_END: &[u8] = b"IEND\xaeB`\x82";

/// A call of `simctl`, for this set of simulators or the user's own.
pub(super) fn tool(set: Option<&OsStr>, limit: Duration) -> Tool {
    let tool = Tool::new("xcrun", limit).args(["simctl"]);
    match set {
        Some(set) => tool.args([OsStr::new("--set"), set]),
        None => tool,
    }
}

/// What came of a tool that was run until it did its work.
pub(crate) fn ended<T>(end: End<T, (), ToolFailure>, command: &str) -> Result<T, ToolFailure> {
    match end {
        End::Done { value, .. } => Ok(value),
        End::Failed { error, .. }
        | End::Expired {
            last_error: Some(error),
            ..
        } => Err(error),
        _ => Err(ToolFailure::Canceled {
            command: command.to_owned(),
        }),
    }
}

/// Whether the system that starts apps refused a launch because it does not know the app: code 4 of its errors (flutter/flutter#9904
/// has it as NotFound), alone or below the refusal of the request. Other refusals may come after a process was started.
fn is_unknown(stderr: &str) -> bool {
    let domains = [
        "FBSOpenApplicationErrorDomain",
        "FBSOpenApplicationServiceErrorDomain",
    ];
    let said = |domain| stderr.contains(&format!("(domain={domain}, code=4)"));
    domains.into_iter().any(said)
}

/// One simulator.
#[derive(Clone, Debug)]
pub(crate) struct Simctl {
    tools: ToolPath,
    udid: String,
    /// Another set of simulators than the user's own.
    set: Option<OsString>,
}

/// How an app is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// One that runs is ended first.
    Anew,
    /// One that runs comes to the front as it is.
    Warm,
}

impl Simctl {
    pub(crate) fn new(tools: ToolPath, udid: String, set: Option<OsString>) -> Self {
        Self { tools, udid, set }
    }

    pub(crate) fn udid(&self) -> &str {
        &self.udid
    }

    /// A call of `simctl`, for this set of simulators.
    pub(crate) fn tool(&self, limit: Duration) -> Tool {
        tool(self.set.as_deref(), limit)
    }

    pub(crate) async fn run(&self, tool: Tool, patience: &Patience) -> Result<Output, ToolFailure> {
        self.tools.run(tool, patience).await
    }

    /// What the tool knows of it; `None` if there is none of this number.
    async fn find(&self, patience: &Patience) -> Result<Option<Simulator>, ToolFailure> {
        let all = list::simulators(&self.tools, self.set.as_deref(), patience).await?;
        let is_it = |each: &Simulator| each.udid.eq_ignore_ascii_case(&self.udid);
        Ok(all.into_iter().find(is_it))
    }

    /// Boots it if it is not booted, and waits until it is.
    pub(crate) async fn boot(&self, patience: &Patience) -> Result<(), ToolFailure> {
        let tool = self.tool(secs(180)).args(["bootstatus", &self.udid, "-b"]);
        self.run(tool, patience).await.map(drop)
    }

    /// Boots it if it sleeps; says whether it did. `None`: there is none of this number.
    pub(crate) async fn wake(&self, patience: &Patience) -> Result<Option<bool>, ToolFailure> {
        let Some(simulator) = self.find(patience).await? else {
            return Ok(None);
        };
        tracing::debug!(name: "agent_device.apple.simulator", runtime = %simulator.runtime, name = %simulator.name, state = %simulator.state, "found");
        if let Some(why) = simulator.unavailable() {
            let why = why.to_owned();
            return Err(ToolFailure::NoRuntime { why });
        }
        let sleeps = simulator.state != "Booted";
        if sleeps {
            self.boot(patience).await?;
        }
        Ok(Some(sleeps))
    }

    /// Opens the app: anew, or whatever of it runs.
    pub(crate) async fn launch(
        &self,
        app: &str,
        start: Start,
        patience: &Patience,
    ) -> Result<(), ToolFailure> {
        let tool = self.tool(secs(60)).args(["launch"]);
        let tool = match start {
            Start::Anew => tool.args(["--terminate-running-process"]),
            Start::Warm => tool,
        };
        match self.run(tool.args([&self.udid, app]), patience).await {
            Err(ToolFailure::Exit { stderr, .. }) if is_unknown(&stderr) => {
                Err(ToolFailure::UnknownApp { stderr })
            }
            other => other.map(drop),
        }
    }

    /// Ends the app. That it does not run is fine.
    pub(crate) async fn terminate(
        &self,
        app: &str,
        patience: &Patience,
    ) -> Result<(), ToolFailure> {
        let tool = self.tool(secs(15)).args(["terminate", &self.udid, app]);
        match self.run(tool, patience).await {
            Err(ToolFailure::Exit { stderr, .. })
                if stderr.contains("found nothing to terminate") =>
            {
                Ok(())
            }
            other => other.map(drop),
        }
    }

    /// Hands an address to the simulator. The tool gives up by itself after some ten seconds, or hangs; what the simulator made
    /// of the address is then not known.
    pub(crate) async fn open_url(&self, url: &str, patience: &Patience) -> Result<(), ToolFailure> {
        let tool = self.tool(secs(15)).args(["openurl", &self.udid, url]);
        self.run(tool, patience).await.map(drop)
    }

    /// A picture of the simulator's screen, as PNG of so many bytes at most. It is a read: what fails is tried again.
    pub(crate) async fn screenshot(
        &self,
        limit: usize,
        patience: &Patience,
    ) -> Result<Vec<u8>, ToolFailure> {
        let mut tries = 0;
        let observation = observe_until(
            Schedule::new("screenshot", SCREENSHOT_PAUSE, patience.remaining()),
            &patience.cancel,
            None,
            |_| self.one_screenshot(limit, patience),
            |failure| {
                tries += 1;
                let passing = matches!(
                    failure,
                    ToolFailure::Exit { .. }
                        | ToolFailure::Unreadable { .. }
                        | ToolFailure::Lost { .. }
                );
                passing && tries < SCREENSHOT_TRIES
            },
            |_, _, _| Judgement::Done(()),
        )
        .await;
        ended(observation.end, "xcrun simctl io")
    }

    async fn one_screenshot(
        &self,
        limit: usize,
        patience: &Patience,
    ) -> Result<Vec<u8>, ToolFailure> {
        let command = || "xcrun simctl io screenshot".to_owned();
        let lost = |source| ToolFailure::Lost {
            command: command(),
            source,
        };
        let folder = super::scratch("screenshot").map_err(lost)?;
        let file = folder.path().join("screen.png");
        let tool = self
            .tool(secs(20))
            .args(["io", &self.udid, "screenshot", "--type=png"])
            .args([&file]);
        self.run(tool, patience).await?;
        let bound = u64::try_from(limit).unwrap_or(u64::MAX);
        let png = super::read_at_most(&file, bound).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => ToolFailure::TooLarge {
                command: command(),
                limit,
            },
            _ => lost(error),
        })?;
        if !(png.starts_with(PNG) && png.ends_with(PNG_END)) {
            return Err(ToolFailure::Unreadable {
                command: command(),
                what: "no whole picture in PNG",
            });
        }
        Ok(png)
    }

    /// What the installed app says about itself. `None`: it can't be told.
    pub(crate) async fn app_info(&self, app: &str, patience: &Patience) -> Option<AppInfo> {
        let folder = self.app_folder(app, &patience.within(secs(10))).await;
        AppInfo::read(&self.tools, &folder.ok()??, patience).await
    }

    pub(crate) async fn read_clipboard(&self, patience: &Patience) -> Result<Vec<u8>, ToolFailure> {
        let tool = self.tool(secs(15)).args(["pbpaste", &self.udid]);
        self.run(tool, patience).await.map(|output| output.stdout)
    }

    pub(crate) async fn write_clipboard(
        &self,
        text: &str,
        patience: &Patience,
    ) -> Result<(), ToolFailure> {
        let tool = self.tool(secs(15)).args(["pbcopy", &self.udid]);
        self.run(tool.input(text.as_bytes().to_vec()), patience)
            .await
            .map(drop)
    }
}
