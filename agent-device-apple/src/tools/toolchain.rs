//! Which Xcode and which SDK there are.

use std::time::Duration;

use tokio::time::Instant;

use super::process::{Patience, Tool, ToolFailure, ToolPath};

/// The first call after an install of Xcode stalls for some twenty seconds in the system's policy check. A short limit would make
/// a full build cache look unreadable.
const EACH: Duration = Duration::from_secs(30);
const ALL: Duration = Duration::from_secs(45);

/// Xcode and one SDK of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Toolchain {
    pub(crate) xcode: String,
    pub(crate) sdk: &'static str,
    pub(crate) sdk_version: String,
    pub(crate) sdk_build: String,
}

impl Toolchain {
    /// Asks the tools. A question that runs into its limit is asked once more, as long as there is time for all of them.
    pub(crate) async fn probe(
        tools: &ToolPath,
        sdk: &'static str,
        patience: &Patience,
    ) -> Result<Self, ToolFailure> {
        Self::probe_within(tools, sdk, patience, EACH, ALL).await
    }

    async fn probe_within(
        tools: &ToolPath,
        sdk: &'static str,
        patience: &Patience,
        each: Duration,
        all: Duration,
    ) -> Result<Self, ToolFailure> {
        let patience = patience.within(all);
        let ask = async |tool: Tool| -> Result<String, ToolFailure> {
            let first = tools.run(tool.clone(), &patience).await;
            let output = match first {
                Err(ToolFailure::Timeout { .. }) if Instant::now() < patience.deadline => {
                    tools.run(tool, &patience).await?
                }
                other => other?,
            };
            let text = output.text().trim().to_owned();
            if text.is_empty() {
                return Err(ToolFailure::Unreadable {
                    command: "the question for the toolchain".to_owned(),
                    what: "nothing was printed",
                });
            }
            Ok(text)
        };
        let show = |what| Tool::new("xcrun", each).args(["--sdk", sdk, what]);
        let xcode = ask(Tool::new("xcodebuild", each).args(["-version"])).await?;
        Ok(Self {
            xcode: xcode.split_whitespace().collect::<Vec<_>>().join(" "),
            sdk,
            sdk_version: ask(show("--show-sdk-version")).await?,
            sdk_build: ask(show("--show-sdk-build-version")).await?,
        })
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

    use super::*;

    fn stand_in(folder: &Path, name: &str, script: &str) {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[tokio::test]
    async fn a_question_that_stalls_is_asked_once_more() {
        let folder = crate::tools::scratch("toolchain").unwrap();
        let at = folder.path();
        // The form of `xcodebuild -version` as in Apple's TN2339.
        let stall = format!(
            "[ -e {0}/again ] || {{ touch {0}/again; exec /bin/sleep 30; }}; printf 'Xcode 16.2\\nBuild version 16C5032a\\n'",
            at.display()
        );
        stand_in(at, "xcodebuild", &stall);
        stand_in(
            at,
            "xcrun",
            "case $3 in --show-sdk-version) echo 18.2;; *) echo 22C146;; esac",
        );
        let path = std::env::join_paths([at, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
        let tools = ToolPath::new(Some(path));
        let patience = Patience::alone(Duration::from_secs(20));
        let each = Duration::from_secs(1);
        let found = Toolchain::probe_within(&tools, "iphonesimulator", &patience, each, each * 15)
            .await
            .unwrap();
        assert_eq!(found.xcode, "Xcode 16.2 Build version 16C5032a");
        assert_eq!(
            (found.sdk_version.as_str(), found.sdk_build.as_str()),
            ("18.2", "22C146")
        );

        stand_in(at, "xcodebuild", "exec /bin/sleep 30");
        let started = Instant::now();
        let failure = Toolchain::probe_within(&tools, "iphonesimulator", &patience, each, each * 2)
            .await
            .unwrap_err();
        assert!(
            matches!(failure, ToolFailure::Timeout { .. }),
            "{failure:?}"
        );
        assert!(started.elapsed() < Duration::from_secs(8));
    }
}
