//! Work on the device when a value is dropped.

use std::{sync::mpsc, thread, time::Duration};

/// How long it may take.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(3);

/// Runs `work` outside any runtime, and waits for it within a bounded time: the runtime of the caller may be ending, too.
/// `left` is told when the work could not be done.
pub(crate) fn from_a_thread<Work>(
    name: &str,
    work: impl FnOnce() -> Work + Send + 'static,
    left: impl FnOnce() + Send + 'static,
) where
    Work: Future<Output = bool>,
{
    let (finish, finished) = mpsc::channel();
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        if !runtime.is_ok_and(|runtime| runtime.block_on(work())) {
            left();
        }
        let _ = finish.send(());
    };
    let started = thread::Builder::new().name(name.to_owned()).spawn(run);
    if started.is_ok() {
        let _ = finished.recv_timeout(LAST_WORDS);
    }
}
