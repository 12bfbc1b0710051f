//! A tool that stays: what it prints, when it ends, and how it is told to.

use std::{
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    sync::watch,
};

use super::process::{Group, Patience, Tool, ToolFailure, ToolPath};

/// How a process is told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    Interrupt,
    Terminate,
    Kill,
}

/// Sends a signal to every process of a group.
#[cfg(unix)]
pub(crate) fn signal_group(pid: u32, signal: Signal) {
    use rustix::process::{Pid, Signal as Os, kill_process_group};
    let signal = match signal {
        Signal::Interrupt => Os::INT,
        Signal::Terminate => Os::TERM,
        Signal::Kill => Os::KILL,
    };
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // It fails where nothing is left to be told.
        let _ = kill_process_group(pid, signal);
    }
}

#[cfg(not(unix))]
pub(crate) fn signal_group(_: u32, _: Signal) {}

/// How much of a long-running tool's output is kept for errors.
const TAIL: usize = 16 << 10;
/// Longer lines are cut: nothing that is looked for in them is longer.
const MAX_LINE: usize = 4 << 10;

/// Takes output in pieces of any size and gives it back in lines.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    line: Vec<u8>,
}

impl Lines {
    pub(crate) fn push(&mut self, bytes: &[u8], mut each: impl FnMut(&str)) {
        for &byte in bytes {
            if byte == b'\n' || byte == b'\r' {
                if !self.line.is_empty() {
                    each(&String::from_utf8_lossy(&self.line));
                    self.line.clear();
                }
            } else if self.line.len() < MAX_LINE {
                self.line.push(byte);
            }
        }
    }

    /// The last line, which may have no end.
    pub(crate) fn finish(self, each: impl FnOnce(&str)) {
        if !self.line.is_empty() {
            each(&String::from_utf8_lossy(&self.line));
        }
    }
}

/// What is done with each line of output.
pub(crate) type OnLine = Arc<dyn Fn(&str) + Send + Sync>;

/// A tool that runs until it is told to end. Dropping it kills it and everything that it started.
#[derive(Debug)]
pub(crate) struct Running {
    pid: u32,
    tail: Arc<Mutex<Vec<u8>>>,
    exited: watch::Receiver<Option<i32>>,
    /// Dropping it ends the task that owns the process.
    _owner: tokio::task::JoinHandle<()>,
}

impl ToolPath {
    /// Starts a tool that stays.
    pub(crate) fn spawn(&self, tool: &Tool, on_line: OnLine) -> Result<Running, ToolFailure> {
        let mut group = Group::spawn(self.command(tool)?.stdin(Stdio::null()), tool.name)?;
        let pid = group.pid.ok_or(ToolFailure::Missing {
            tool: tool.name,
            source: None,
        })?;
        let (_, stdout, stderr) = group.streams();
        let tail = Arc::<Mutex<Vec<u8>>>::default();
        let (exit, exited) = watch::channel(None);
        let owner = {
            let tail = Arc::clone(&tail);
            tokio::spawn(async move {
                let pumps = async {
                    tokio::join!(pump(stdout, &tail, &on_line), pump(stderr, &tail, &on_line))
                };
                tokio::pin!(pumps);
                // A process that it started may hold the streams open after it has ended.
                let status = tokio::select! {
                    status = group.wait() => {
                        let _ = tokio::time::timeout(Duration::from_millis(200), &mut pumps).await;
                        status
                    }
                    _ = &mut pumps => group.wait().await,
                };
                let code = status.ok().and_then(|status| status.code()).unwrap_or(-1);
                exit.send_replace(Some(code));
            })
        };
        Ok(Running {
            pid,
            tail,
            exited,
            _owner: owner,
        })
    }
}

async fn pump(stream: Option<impl AsyncRead + Unpin>, tail: &Mutex<Vec<u8>>, on_line: &OnLine) {
    let Some(mut stream) = stream else { return };
    let mut lines = Lines::default();
    let mut buffer = [0; 8192];
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        let bytes = &buffer[..count];
        {
            let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
            tail.extend_from_slice(bytes);
            let excess = tail.len().saturating_sub(TAIL);
            tail.drain(..excess);
        }
        lines.push(bytes, |line| on_line(line));
    }
    lines.finish(|line| on_line(line));
}

impl Running {
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Its exit code, if it has ended. -1: a signal ended it, or the runtime that owned it did.
    pub(crate) fn exit_code(&self) -> Option<i32> {
        let is_disowned = || self.exited.has_changed().is_err();
        (*self.exited.borrow()).or_else(|| is_disowned().then_some(-1))
    }

    /// Waits for its end.
    pub(crate) async fn exited(&self) -> i32 {
        let mut exited = self.exited.clone();
        match exited.wait_for(Option::is_some).await {
            Ok(code) => (*code).unwrap_or(-1),
            Err(_) => -1,
        }
    }

    /// What it printed last.
    pub(crate) fn tail(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&tail).into_owned()
    }

    /// Sends the signals one after the other, each with the time that it has to work. Kills what is left.
    pub(crate) async fn stop(&self, steps: &[(Signal, Duration)]) {
        for (signal, wait) in steps {
            if self.exit_code().is_some() {
                return;
            }
            signal_group(self.pid, *signal);
            let _ = tokio::time::timeout(*wait, self.exited()).await;
        }
        signal_group(self.pid, Signal::Kill);
    }

    /// Kills it, and everything that it started.
    pub(crate) fn kill(&self) {
        if self.exit_code().is_none() {
            signal_group(self.pid, Signal::Kill);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self._owner.abort();
        // The task may never have been polled, and a runtime that ends drops it later.
        self.kill();
    }
}

/// When a process was started, in words that only equality is asked of. `None`: there is no such process. Together with its
/// id this names a process; an id alone is used again.
pub(crate) async fn start_time(pid: u32, patience: &Patience) -> Option<String> {
    ps(pid, &["lstart="], patience).await.ok().flatten()
}

/// What a process is known by: first when it was started, then the whole of its command line.
pub(crate) async fn identity(pid: u32, patience: &Patience) -> Result<Option<String>, ToolFailure> {
    ps(pid, &["lstart=", "command="], patience).await
}

async fn ps(
    pid: u32,
    columns: &[&str],
    patience: &Patience,
) -> Result<Option<String>, ToolFailure> {
    let columns = columns.iter().flat_map(|column| ["-o", *column]);
    let tool = Tool::new("ps", Duration::from_secs(2))
        .args(["-ww"])
        .args(columns)
        .args(["-p", &pid.to_string()]);
    let output = ToolPath::default().run_any(tool, patience).await?;
    let text = output.text().trim().to_owned();
    Ok((!text.is_empty()).then_some(text))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::super::process::tests::{now, shell};
    use super::*;

    #[tokio::test]
    async fn a_tool_that_stays_is_stopped_by_signals_that_it_may_ignore() {
        let lines = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&lines);
        let on_line: OnLine = Arc::new(move |line| seen.lock().unwrap().push(line.to_owned()));
        let tool = shell(
            "trap '' INT; echo up; sleep 60 & wait",
            Duration::from_secs(1),
        );
        let running = ToolPath::default().spawn(&tool, on_line).unwrap();
        while lines.lock().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(running.exit_code(), None);
        let wait = Duration::from_millis(100);
        running
            .stop(&[(Signal::Interrupt, wait), (Signal::Terminate, wait * 20)])
            .await;
        running.exited().await;
        assert_eq!(*lines.lock().unwrap(), ["up"]);
        assert!(running.tail().contains("up"));
    }

    #[test]
    fn a_tool_ends_with_the_runtime_that_owns_it() {
        let runtime = || tokio::runtime::Runtime::new().unwrap();
        let first = runtime();
        let running = first.block_on(async {
            let tool = shell("sleep 60", Duration::from_secs(1));
            ToolPath::default().spawn(&tool, Arc::new(|_| {})).unwrap()
        });
        assert_eq!(running.exit_code(), None);
        drop(first);
        assert_eq!(running.exit_code(), Some(-1));
        assert_eq!(runtime().block_on(running.exited()), -1);
    }

    #[tokio::test]
    async fn a_process_is_told_from_another_with_its_number() {
        let of = async |pid| start_time(pid, &now()).await;
        let own = of(std::process::id()).await.unwrap();
        assert_eq!(of(std::process::id()).await, Some(own.clone()));
        assert_eq!(of(i32::MAX.cast_unsigned()).await, None);
        let whole = identity(std::process::id(), &now()).await.unwrap().unwrap();
        let program = std::env::args().next().unwrap();
        assert!(
            whole.starts_with(&own) && whole.contains(&program),
            "{whole}"
        );
    }

    #[test]
    fn a_line_may_come_in_any_pieces() {
        let text = "one\r\ntwo three\n\nlast";
        for size in 1..text.len() {
            let (mut lines, mut seen) = (Lines::default(), Vec::new());
            for piece in text.as_bytes().chunks(size) {
                lines.push(piece, |line| seen.push(line.to_owned()));
            }
            lines.finish(|line| seen.push(line.to_owned()));
            assert_eq!(seen, ["one", "two three", "last"]);
        }
        let mut lines = Lines::default();
        lines.push(&vec![b'x'; 10 * MAX_LINE], |_| ());
        assert_eq!(lines.line.len(), MAX_LINE);
    }
}
