//! Building the runner once for each toolchain and source.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use agent_device_core::observe::{End, Judgement, Schedule, observe_until};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{
    Cause, Patience, ToolFailure, ToolPath, Toolchain, cause_in,
    fingerprint::read_sources,
    lock::try_lock,
    xcodebuild::build_tool,
    xctestrun::{Unusable, XcTestRun},
};
use crate::{config::RunnerConfig, profile::Profile};

const METADATA: &str = ".agent-device-runner-cache.json";
const SCHEMA: u32 = 2;
const LOCK_PAUSE: Duration = Duration::from_millis(200);

/// For what the runner is built.
#[derive(Clone, Debug)]
pub(crate) struct BuildSettings {
    pub(crate) profile: Profile,
    pub(crate) runner: RunnerConfig,
    /// Where builds are kept.
    pub(crate) root: PathBuf,
    pub(crate) limit: Duration,
}

/// Where a build came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Built before, from the same source by the same tools.
    Exact,
    /// Built now.
    Miss,
    /// The caller's own.
    External,
}

/// A runner that can be launched.
#[derive(Debug)]
pub(crate) struct Build {
    pub(crate) run: XcTestRun,
    /// Where it lies: paths in it are relative to its folder.
    pub(crate) path: PathBuf,
    pub(crate) derived: PathBuf,
    pub(crate) origin: Origin,
}

/// Why there is no build.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildFailure {
    #[error("neither the runner's Xcode project nor a build of it was named")]
    NoSource,
    #[error(transparent)]
    Tool(#[from] ToolFailure),
    #[error("the runner can't be built")]
    Failed {
        cause: Option<Cause>,
        output: String,
    },
    #[error("{path} can't be used: {why}")]
    Unusable { path: PathBuf, why: Unusable },
    #[error("{path} could not be read or written")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    schema_version: u32,
    key: String,
}

impl Build {
    /// The build for these settings: the caller's own, one from before, or a new one.
    pub(crate) async fn get(
        settings: &BuildSettings,
        tools: &ToolPath,
        patience: &Patience,
    ) -> Result<Self, BuildFailure> {
        if let Some(path) = &settings.runner.xctestrun {
            let derived = path.parent().unwrap_or(Path::new(".")).to_owned();
            return Self::open(path.clone(), derived, Origin::External);
        }
        let project = settings
            .runner
            .project
            .as_ref()
            .ok_or(BuildFailure::NoSource)?;
        let toolchain = Toolchain::probe(tools, settings.profile.sdk(), patience).await?;
        let key = key(settings, project, &toolchain)?;
        let derived = settings
            .root
            .join("derived")
            .join(settings.profile.as_str())
            .join(format!("cache-{}", &key[..16]));
        let wanted = Metadata {
            schema_version: SCHEMA,
            key,
        };
        let io = |source| BuildFailure::Io {
            path: derived.clone(),
            source,
        };
        fs::create_dir_all(&derived).map_err(io)?;
        // Who waits for another process that builds the same finds its build.
        let _lock = lock(&derived, &patience.within(settings.limit)).await?;
        if let Some(found) = cached(&derived, &wanted, &settings.runner.scheme) {
            return Self::open(found, derived, Origin::Exact);
        }
        let tool = build_tool(settings, project, &derived);
        let output = tools
            .run_any(tool, &patience.within(settings.limit))
            .await?;
        let text = format!("{}\n{}", output.text(), output.stderr);
        let failed = || BuildFailure::Failed {
            cause: text.lines().filter_map(cause_in).reduce(Cause::or_better),
            output: tail(&text),
        };
        if output.code != 0 {
            return Err(failed());
        }
        let found = newest(&derived, &settings.runner.scheme).ok_or_else(failed)?;
        // Last: a build that was broken off has no metadata.
        let text = serde_json::to_vec(&wanted).map_err(|error| io(error.into()))?;
        fs::write(derived.join(METADATA), text).map_err(io)?;
        Self::open(found, derived, Origin::Miss)
    }

    /// What makes this build one that is found again, if it was. Without this file the next start builds anew.
    pub(crate) fn metadata(&self) -> Option<PathBuf> {
        (self.origin == Origin::Exact).then(|| self.derived.join(METADATA))
    }

    fn open(path: PathBuf, derived: PathBuf, origin: Origin) -> Result<Self, BuildFailure> {
        match XcTestRun::read(&path) {
            Ok(run) => Ok(Self {
                run,
                path,
                derived,
                origin,
            }),
            Err(why) => Err(BuildFailure::Unusable { path, why }),
        }
    }
}

/// Two builds in one folder break each other, and devices of one kind share it.
async fn lock(derived: &Path, patience: &Patience) -> Result<File, BuildFailure> {
    let path = derived.with_extension("lock");
    let io = |source| BuildFailure::Io {
        path: path.clone(),
        source,
    };
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(io)?;
    let nearest = patience.nearest;
    let locked = observe_until(
        Schedule::new("build-lock", LOCK_PAUSE, patience.remaining()),
        &patience.cancel,
        None,
        |_| std::future::ready(try_lock(&file)),
        |_| false,
        |is_ours, _, _| match is_ours {
            true => Judgement::Done(()),
            false => Judgement::go_on(),
        },
    )
    .await;
    let command = "xcodebuild build-for-testing".to_owned();
    match locked.end {
        End::Done { .. } => Ok(file),
        End::Failed { error, .. } => Err(io(error)),
        End::Canceled => Err(ToolFailure::Canceled { command }.into()),
        End::Expired { .. } | End::Stalled { .. } => Err(ToolFailure::Timeout {
            command,
            after: locked.waited,
            nearest,
        }
        .into()),
    }
}

fn tail(text: &str) -> String {
    let lines: Vec<_> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let from = lines.len().saturating_sub(30);
    let mut text = lines[from..].join("\n");
    let excess = text.len().saturating_sub(8000);
    let at = (excess..=text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    text.split_off(at)
}

fn cached(derived: &Path, wanted: &Metadata, scheme: &str) -> Option<PathBuf> {
    let bytes = super::read_bounded(&derived.join(METADATA)).ok()?;
    let known: Metadata = serde_json::from_slice(&bytes).ok()?;
    (known == *wanted)
        .then(|| newest(derived, scheme))
        .flatten()
}

/// The newest `.xctestrun` of the products that launches this runner. Files that a launch has patched are not among them.
fn newest(derived: &Path, scheme: &str) -> Option<PathBuf> {
    let products = derived.join("Build").join("Products");
    let files = fs::read_dir(products).ok()?.filter_map(Result::ok);
    let usable = files.filter_map(|file| {
        let path = file.path();
        let name = path.file_name()?.to_str()?;
        let fits = name.ends_with(".xctestrun") && !name.contains(PATCHED);
        let time = file
            .metadata()
            .ok()?
            .modified()
            .unwrap_or(SystemTime::UNIX_EPOCH);
        let mut run = fits.then(|| XcTestRun::read(&path).ok())??;
        let whole = run.has_products(path.parent()?);
        (run.mentions(scheme) && whole).then_some((time, path))
    });
    usable.max().map(|(_, path)| path)
}

/// What marks a file that is patched for one launch. With what follows, it names the process that was started with it.
pub(crate) const PATCHED: &str = ".env.session-";

/// The SHA-256, in hex, of all that a build depends on. The version of this crate is not part of it: an upgrade without a change of
/// the runner stays warm.
fn key(
    settings: &BuildSettings,
    project: &Path,
    toolchain: &Toolchain,
) -> Result<String, BuildFailure> {
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        // With its length, so that two parts are never taken for two others.
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hash.update(part);
    };
    read_sources(project, &mut add).map_err(|(path, source)| BuildFailure::Io { path, source })?;
    for part in [
        &toolchain.xcode,
        &toolchain.sdk_version,
        &toolchain.sdk_build,
    ] {
        add(part.as_bytes());
    }
    add(toolchain.sdk.as_bytes());
    // The settings of the build, with paths that say nothing about it left out.
    for word in build_tool(settings, Path::new(""), Path::new("")).arguments {
        add(word.as_encoded_bytes());
    }
    Ok(hash
        .finalize()
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}")))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn settings(profile: Profile, root: &Path) -> BuildSettings {
        BuildSettings {
            profile,
            runner: RunnerConfig {
                project: Some(root.join("src/Runner.xcodeproj")),
                ..RunnerConfig::default()
            },
            root: root.join("home"),
            limit: Duration::from_secs(20),
        }
    }

    #[test]
    fn the_key_follows_source_tools_and_settings_and_nothing_else() {
        let folder = super::super::scratch("build").unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("src/Runner.xcodeproj")).unwrap();
        fs::write(root.join("src/a.swift"), "a").unwrap();
        let tools = Toolchain {
            xcode: "Xcode 16.2".into(),
            sdk: "iphonesimulator",
            sdk_version: "18.2".into(),
            sdk_build: "22C146".into(),
        };
        let base = settings(Profile::IOS_SIMULATOR, root);
        let of = |settings: &BuildSettings, tools: &Toolchain| {
            key(settings, settings.runner.project.as_ref().unwrap(), tools).unwrap()
        };
        let first = of(&base, &tools);
        let mut elsewhere = base.clone();
        elsewhere.root = "/elsewhere".into();
        assert_eq!(of(&elsewhere, &tools), first);
        let other = Toolchain {
            sdk_build: "22C147".into(),
            ..tools.clone()
        };
        assert_ne!(of(&base, &other), first);
        let mut bundle = base.clone();
        bundle.runner.app_bundle = Some("com.own".into());
        assert_ne!(of(&bundle, &tools), first);
        fs::write(root.join("src/.DS_Store"), "x").unwrap();
        assert_eq!(of(&base, &tools), first);
        fs::write(root.join("src/a.swift"), "b").unwrap();
        assert_ne!(of(&base, &tools), first);
        fs::write(root.join("src/a.swift"), "a").unwrap();
        fs::rename(root.join("src/a.swift"), root.join("src/b.swift")).unwrap();
        assert_ne!(of(&base, &tools), first);
    }
}
