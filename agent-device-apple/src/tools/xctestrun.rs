//! Patching an `.xctestrun` file: the environment of the runner, and no videos.
//!
//! Two layouts are known (`man xcodebuild.xctestrun`): a list of configurations with lists of targets, and, older, one entry for each
//! target at the top. The environment goes into every target, because the file does not say which one is the runner's.

use std::{io, path::Path};

use plist::{Dictionary, Value};

/// Where a target keeps variables of the environment: for the test process, the host, and the app that is tested.
const ENVIRONMENTS: [&str; 4] = [
    "EnvironmentVariables",
    "UITestEnvironmentVariables",
    "UITargetAppEnvironmentVariables",
    "TestingEnvironmentVariables",
];

/// Without these Xcode records a video of every test, and the disk fills: the test plan is not applied to a run without a build.
const QUIET: [(&str, &str); 3] = [
    ("PreferredScreenCaptureFormat", "screenshots"),
    ("SystemAttachmentLifetime", "keepNever"),
    ("UserAttachmentLifetime", "keepNever"),
];

/// A parsed file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct XcTestRun(Dictionary);

/// Why a file is none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    #[error("it can't be read")]
    Io(#[from] io::Error),
    #[error("it is no property list")]
    Plist(#[from] plist::Error),
    #[error("it names no test target")]
    NoTargets,
}

impl XcTestRun {
    pub(crate) fn read(path: &Path) -> Result<Self, Unusable> {
        Self::parse(&super::read_bounded(path)?)
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Unusable> {
        let value = Value::from_reader(io::Cursor::new(bytes))?;
        let run = Self(value.into_dictionary().ok_or(Unusable::NoTargets)?);
        if run.clone().targets().is_empty() {
            return Err(Unusable::NoTargets);
        }
        Ok(run)
    }

    fn targets(&mut self) -> Vec<&mut Dictionary> {
        let mut found = Vec::new();
        for (key, value) in &mut self.0 {
            if key == "TestConfigurations" {
                let configurations = value.as_array_mut().into_iter().flatten();
                let lists = configurations.filter_map(|configuration| {
                    configuration
                        .as_dictionary_mut()?
                        .get_mut("TestTargets")?
                        .as_array_mut()
                });
                found.extend(lists.flatten().filter_map(Value::as_dictionary_mut));
            } else if let Some(target) = value.as_dictionary_mut()
                && target.contains_key("TestBundlePath")
            {
                found.push(target);
            }
        }
        found
    }

    /// Adds variables to the environment of every target.
    pub(crate) fn patch(&mut self, environment: &[(&str, String)]) {
        for target in self.targets() {
            for key in ENVIRONMENTS {
                let known = target.remove(key).and_then(Value::into_dictionary);
                let mut variables = known.unwrap_or_default();
                for (name, value) in environment {
                    variables.insert((*name).to_owned(), value.as_str().into());
                }
                target.insert(key.to_owned(), variables.into());
            }
            for (key, value) in QUIET {
                target.insert(key.to_owned(), value.into());
            }
        }
    }

    /// Whether a target of it is built from this name: a file of another project would launch another runner.
    pub(crate) fn mentions(&mut self, bundle: &str) -> bool {
        self.targets().into_iter().any(|target| {
            let path = target.get("TestBundlePath").and_then(Value::as_string);
            path.is_some_and(|path| path.contains(bundle))
        })
    }

    /// Whether the apps that its targets are hosted by lie in this folder, which the file calls its test root.
    pub(crate) fn has_products(&mut self, root: &Path) -> bool {
        self.targets().into_iter().all(|target| {
            let host = target.get("TestHostPath").and_then(Value::as_string);
            let beside = host.and_then(|host| host.strip_prefix("__TESTROOT__/"));
            beside.is_none_or(|path| root.join(path).exists())
        })
    }

    /// The bundle id of the app that hosts the tests on the device.
    pub(crate) fn test_host(&mut self) -> Option<String> {
        self.targets().into_iter().find_map(|target| {
            let host = target.get("TestHostBundleIdentifier")?.as_string()?;
            Some(host.to_owned())
        })
    }

    /// Writes a new file that only its owner can read: the environment holds secrets.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Unusable> {
        let mut options = std::fs::File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = io::BufWriter::new(options.open(path)?);
        Value::Dictionary(self.0.clone())
            .to_writer_xml(file)
            .map_err(Unusable::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>";
    // Keys as in `man xcodebuild.xctestrun`.
    const TARGET: &str = "<dict><key>BlueprintName</key><string>UITests</string><key>TestBundlePath</key>\
        <string>__TESTHOST__/PlugIns/AgentDeviceRunnerUITests.xctest</string><key>TestHostBundleIdentifier</key>\
        <string>a.b.uitests.xctrunner</string><key>EnvironmentVariables</key><dict><key>OS</key>\
        <string>1</string></dict><key>UITargetAppEnvironmentVariables</key><string>odd</string></dict>";

    fn read(text: &str) -> Result<XcTestRun, Unusable> {
        let folder = crate::tools::scratch("xctestrun").unwrap();
        let path = folder.path().join("x.xctestrun");
        std::fs::write(&path, text).unwrap();
        XcTestRun::read(&path)
    }

    #[test]
    fn both_layouts_get_the_environment_in_every_target() {
        let new = format!(
            "{HEAD}<key>TestConfigurations</key><array><dict><key>TestTargets</key><array>{TARGET}{TARGET}</array></dict></array>\
             <key>__xctestrun_metadata__</key><dict><key>FormatVersion</key><integer>2</integer></dict></dict></plist>"
        );
        let old = format!(
            "{HEAD}<key>UITests</key>{TARGET}<key>__xctestrun_metadata__</key><dict><key>FormatVersion</key><integer>1</integer></dict></dict></plist>"
        );
        for (text, count) in [(new, 2), (old, 1)] {
            let mut run = read(&text).unwrap();
            assert!(run.mentions("AgentDeviceRunnerUITests") && !run.mentions("Other"));
            assert_eq!(run.test_host().as_deref(), Some("a.b.uitests.xctrunner"));
            run.patch(&[("AGENT_DEVICE_RUNNER_PORT", "8100".to_owned())]);
            let targets = run.targets();
            assert_eq!(targets.len(), count);
            for target in targets {
                for key in ENVIRONMENTS {
                    let variables = target.get(key).unwrap().as_dictionary().unwrap();
                    assert_eq!(
                        variables
                            .get("AGENT_DEVICE_RUNNER_PORT")
                            .unwrap()
                            .as_string(),
                        Some("8100")
                    );
                }
                let kept = target
                    .get("EnvironmentVariables")
                    .unwrap()
                    .as_dictionary()
                    .unwrap();
                assert_eq!(kept.get("OS").unwrap().as_string(), Some("1"));
                assert_eq!(
                    target.get("UserAttachmentLifetime").unwrap().as_string(),
                    Some("keepNever")
                );
            }
            let folder = crate::tools::scratch("xctestrun").unwrap();
            let path = folder.path().join("out.xctestrun");
            run.write(&path).unwrap();
            assert_eq!(XcTestRun::read(&path).unwrap(), run);
        }
    }

    #[test]
    fn what_names_no_target_is_refused() {
        for text in [
            "",
            "x",
            "<plist",
            &format!("{HEAD}</dict></plist>"),
            "<plist version=\"1.0\"><array/></plist>",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
