//! The device's log: at once, or as it grows, of one app also across its restarts.
//!
//! An app's lines are told by the processes that the activity manager says it started for it, in the same log and in its order:
//! an app that dies a moment after its start is not missed, as it would be by looking for its process now and then. Nothing is
//! stored here but the piece that was read last; a line without end is dropped and counted.

mod line;

use std::collections::{BTreeSet, VecDeque};

use agent_device_core::{Call, Result};

use crate::{
    Android,
    adb::{AdbDevice, ShellCommand, ShellEvent, ShellStream},
    apps::check_package,
};

pub use line::{LogLevel, LogLine};

/// The longest line that is kept; the log itself cuts at some 4 000 bytes.
const LONGEST: usize = 64 * 1024;

/// Which lines of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogFilter {
    /// Those of the processes of this app, whichever runs: when it is started again, its new process counts. Those of processes
    /// that have ended are among them as far back as the log knows of their start.
    pub package: Option<String>,
    /// Those of this process.
    pub pid: Option<u32>,
    /// At least as serious as this.
    pub level: Option<LogLevel>,
    /// Only what is among this many of the newest lines of the log; a stream then goes on with what comes.
    pub newest: Option<u32>,
}

impl LogFilter {
    /// Lines of an app.
    pub fn app(package: impl Into<String>) -> Self {
        Self {
            package: Some(package.into()),
            ..Self::default()
        }
    }
}

/// Whose lines count.
#[derive(Debug)]
struct Whose {
    filter: LogFilter,
    /// The processes of the app, as far as the log has come.
    pids: BTreeSet<u32>,
}

impl Whose {
    async fn of(device: &AdbDevice, filter: &LogFilter, call: &Call) -> Result<Self> {
        let mut pids = BTreeSet::new();
        if let Some(package) = &filter.package {
            check_package(package)?;
            let command = ShellCommand::new("pidof")?.arg(package)?;
            let output = device.shell(&command, call).await?;
            let text = output.stdout_text();
            pids.extend(
                text.split_whitespace()
                    .filter_map(|pid| pid.parse::<u32>().ok()),
            );
        }
        Ok(Self {
            filter: filter.clone(),
            pids,
        })
    }

    fn takes(&mut self, line: &LogLine) -> bool {
        if let Some(package) = &self.filter.package {
            if line.tag == "ActivityManager"
                && let Some((pid, process)) = started(&line.message)
            {
                // A number is used again some time.
                if process == package
                    || process
                        .strip_prefix(package.as_str())
                        .is_some_and(|rest| rest.starts_with(':'))
                {
                    self.pids.insert(pid);
                } else {
                    self.pids.remove(&pid);
                }
            }
            if !self.pids.contains(&line.pid) {
                return false;
            }
        }
        self.filter.level.is_none_or(|least| line.level >= least)
    }
}

/// `Start proc 4711:com.x:remote/u0a100 for activity {…}`: the words of every Android since 5.
fn started(message: &str) -> Option<(u32, &str)> {
    let rest = message.strip_prefix("Start proc ")?;
    let (pid, rest) = rest.split_once(':')?;
    let (process, _) = rest.split_once('/')?;
    Some((pid.parse().ok()?, process))
}

impl Android {
    /// The log of this device so far.
    ///
    /// # Errors
    ///
    /// The device can't be reached, doesn't answer in time, or its log is larger than
    /// [`AdbConfig::max_output`](crate::AdbConfig::max_output): then say how many of the newest lines are wanted.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn log(&self, filter: &LogFilter, call: &Call) -> Result<Vec<LogLine>> {
        once(self.adb(), filter, call).await
    }

    /// Follows the log of this device.
    ///
    /// # Errors
    ///
    /// The device can't be reached or doesn't answer in time.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn follow_log(&self, filter: &LogFilter, call: &Call) -> Result<LogStream> {
        LogStream::open(self.adb(), filter, call).await
    }
}

/// The log of a device so far: [`Android::log`] for one that is not driven.
///
/// # Errors
///
/// As there.
///
/// # Cancel safety
///
/// Safe: it only reads.
pub async fn once(device: &AdbDevice, filter: &LogFilter, call: &Call) -> Result<Vec<LogLine>> {
    let mut whose = Whose::of(device, filter, call).await?;
    let mut command = logcat(filter)?.arg("-d")?;
    if let Some(newest) = filter.newest {
        command = command.args(["-t", &newest.to_string()])?;
    }
    let output = device.shell(&command, call).await?.checked(&command)?;
    let text = output.stdout_text();
    let lines = text.lines().filter_map(line::parse);
    Ok(lines.filter(|line| whose.takes(line)).collect())
}

/// Reads lines as a stream does.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn read(text: &str) {
    let mut whose = Whose {
        filter: LogFilter::app("com.x"),
        pids: BTreeSet::new(),
    };
    for line in text.lines().filter_map(line::parse) {
        whose.takes(&line);
    }
}

/// Several variants in one: the time since 1970, and who wrote it. Androids that know one of them less leave it out.
fn logcat(filter: &LogFilter) -> Result<ShellCommand> {
    let command = ShellCommand::new("logcat")?.args(["-v", "threadtime,epoch,uid"])?;
    match filter.pid {
        Some(pid) => command.arg(format!("--pid={pid}")),
        None => Ok(command),
    }
}

/// A log that grows. Dropping it ends the device's part.
#[derive(Debug)]
pub struct LogStream {
    stream: ShellStream,
    whose: Whose,
    /// The beginning of a line whose end has not come.
    rest: Vec<u8>,
    ready: VecDeque<LogLine>,
    dropped: u64,
}

impl LogStream {
    /// Follows the log of a device: first what is there, then what comes.
    ///
    /// # Errors
    ///
    /// The device can't be reached or doesn't answer in time; the package's name is none.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn open(device: &AdbDevice, filter: &LogFilter, call: &Call) -> Result<Self> {
        let whose = Whose::of(device, filter, call).await?;
        let mut command = logcat(filter)?;
        if let Some(newest) = filter.newest {
            command = command.args(["-T", &newest.to_string()])?;
        }
        Ok(Self {
            stream: device.spawn(&command, call).await?,
            whose,
            rest: Vec::new(),
            ready: VecDeque::new(),
            dropped: 0,
        })
    }

    /// How many pieces of lines without end were dropped.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The next line. `None`: the log has ended.
    ///
    /// # Errors
    ///
    /// The connection broke off, or nothing came until the deadline; after a deadline the next call goes on where this one
    /// stopped.
    ///
    /// # Cancel safety
    ///
    /// Safe: nothing is lost.
    pub async fn next(&mut self, call: &Call) -> Result<Option<LogLine>> {
        loop {
            if let Some(line) = self.ready.pop_front() {
                return Ok(Some(line));
            }
            match self.stream.next(call).await? {
                Some(ShellEvent::Stdout(bytes)) => self.take(&bytes),
                Some(ShellEvent::Stderr(_)) => {}
                Some(ShellEvent::Exit(_)) | None => return Ok(None),
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let end = memchr::memrchr(b'\n', &self.rest).map_or(0, |end| end + 1);
        let lines: Vec<u8> = self.rest.drain(..end).collect();
        if self.rest.len() > LONGEST {
            self.rest.clear();
            self.dropped += 1;
        }
        let text = String::from_utf8_lossy(&lines);
        let lines = text.lines().filter_map(line::parse);
        self.ready
            .extend(lines.filter(|line| self.whose.takes(line)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_told_by_the_processes_that_were_started_for_it() {
        let mut whose = Whose {
            filter: LogFilter::app("com.x"),
            pids: BTreeSet::from([5]),
        };
        let mut takes = |text: &str| whose.takes(&line::parse(text).unwrap());
        assert!(takes("1.0 5 5 I T: of the one that ran"));
        assert!(!takes("1.0 6 6 I T: of another"));
        assert!(!takes(
            "1.0 1 1 I ActivityManager: Start proc 6:com.x:remote/u0a1 for service {com.x/.S}"
        ));
        assert!(takes("1.0 6 6 I T: of its second one"));
        assert!(!takes(
            "1.0 1 1 I ActivityManager: Start proc 5:com.xy/u0a2 for activity {com.xy/.M}"
        ));
        assert!(!takes("1.0 5 5 I T: the number is another app's now"));
        assert!(!takes("1.0 1 1 I ActivityManager: Start proc nonsense"));
    }
}
