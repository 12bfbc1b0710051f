//! Programs on this machine: where they are and which version they have.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use agent_device_core::{Error, ErrorCode, Result, dispatch::rows::webdriver as rows};
use tokio::io::AsyncReadExt as _;

/// How long a program may take to say its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(20);
/// More than a version is not read.
const VERSION_BYTES: u64 = 4096;

/// A program that a process kind needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tool {
    /// What it is, for messages.
    pub(super) what: &'static str,
    /// Names on `PATH`, best first.
    pub(super) names: &'static [&'static str],
    /// Places outside `PATH`.
    pub(super) places: &'static [&'static str],
    /// How to get it.
    pub(super) install: &'static str,
}

impl Tool {
    /// The program at `given`, or the first one that is found.
    pub(super) fn find(&self, given: Option<&Path>) -> Result<PathBuf> {
        let missing = |what: String| {
            Error::refused(rows::HOST_TOOL_MISSING, ErrorCode::ToolMissing, what)
                .with_detail("tool", self.names[0])
                .with_hint(format!("Install it ({}), or give its path.", self.install))
        };
        if let Some(given) = given {
            return if is_program(given) {
                Ok(given.to_owned())
            } else {
                Err(missing(format!(
                    "there is no {} at {}",
                    self.what,
                    given.display()
                )))
            };
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let on_path = self.names.iter().flat_map(|name| {
            std::env::split_paths(&path)
                .map(|folder| folder.join(name))
                .collect::<Vec<_>>()
        });
        on_path
            .chain(self.places.iter().map(PathBuf::from))
            .find(|candidate| is_program(candidate))
            .ok_or_else(|| missing(format!("no {} was found", self.what)))
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The version that a program says it has: the first word of its output that starts with a digit.
pub(super) async fn version(program: &Path) -> Result<String> {
    let failed = |why: String| {
        Error::refused(rows::HOST_TOOL_MISSING, ErrorCode::ToolMissing, why)
            .with_detail("path", program.display().to_string())
    };
    let mut child = tokio::process::Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|source| {
            failed(format!("{} can't be started", program.display())).with_source(source)
        })?;
    let mut text = Vec::new();
    let answer = async {
        if let Some(stdout) = child.stdout.take() {
            stdout.take(VERSION_BYTES).read_to_end(&mut text).await?;
        }
        child.wait().await
    };
    tokio::time::timeout(VERSION_TIMEOUT, answer)
        .await
        .map_err(|_| {
            failed(format!(
                "{} did not say its version within {VERSION_TIMEOUT:?}",
                program.display()
            ))
        })?
        .map_err(|source| {
            failed(format!("{} did not say its version", program.display())).with_source(source)
        })?;
    parse_version(&String::from_utf8_lossy(&text)).ok_or_else(|| {
        failed(format!(
            "{} did not say its version in a known form",
            program.display()
        ))
    })
}

fn parse_version(text: &str) -> Option<String> {
    text.split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
        .map(|word| word.chars().take(64).collect())
}

/// The part of a version that must agree.
pub(super) fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_among_the_words() {
        for (text, want) in [
            (
                "ChromeDriver 156.0.8078.114 (ea19f97-refs/branch-heads/8078@{#5})\n",
                Some("156.0.8078.114"),
            ),
            (
                "Chromium 156.0.8078.114 built on Debian GNU/Linux 13\n",
                Some("156.0.8078.114"),
            ),
            ("Google Chrome 99.0 \n", Some("99.0")),
            ("13 monkeys", None),
            ("", None),
        ] {
            assert_eq!(parse_version(text).as_deref(), want, "{text}");
        }
        assert_eq!(major("156.0.1"), "156");
        assert_eq!(major(""), "");
    }

    #[test]
    fn a_missing_tool_says_how_to_get_it() {
        let tool = Tool {
            what: "driver",
            names: &["no-such-program-anywhere"],
            places: &["/no/such/place"],
            install: "apt-get install driver",
        };
        for given in [
            None,
            Some(Path::new("/no/such/driver")),
            Some(Path::new("/")),
        ] {
            let error = tool.find(given).unwrap_err();
            assert_eq!(error.code(), ErrorCode::ToolMissing);
            assert!(error.hint().contains("apt-get install driver"));
            assert!(error.dispatched().is_no());
        }
    }
}
