use std::{sync::mpsc, thread, time::Duration};

/// Does a backend's last work on a device when a value is dropped: ending a session, giving a keyboard back. Runs `work` on a
/// thread named `name` with a runtime of its own, since that of the caller may be ending too, and blocks until the work is done,
/// for `limit` at most. The work must bound itself as well: when the wait ends first, it goes on behind the caller's back.
/// `left` is told when the work says that it failed, or could not begin.
pub fn last_work<Work>(
    name: &str,
    limit: Duration,
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
    // A thread that can't be started leaves the work undone, and nobody is left to be told.
    let started = thread::Builder::new().name(name.to_owned()).spawn(run);
    if started.is_ok() {
        let _ = finished.recv_timeout(limit);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    };

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// What was done, and how often somebody was told that it was not.
    fn of(limit: Duration, succeeds: bool) -> (u32, u32) {
        let (done, left) = (Arc::<AtomicU32>::default(), Arc::<AtomicU32>::default());
        let (done_of_it, left_of_it) = (Arc::clone(&done), Arc::clone(&left));
        last_work(
            "test",
            limit,
            move || async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                done_of_it.fetch_add(1, Ordering::SeqCst);
                succeeds
            },
            move || {
                left_of_it.fetch_add(1, Ordering::SeqCst);
            },
        );
        (done.load(Ordering::SeqCst), left.load(Ordering::SeqCst))
    }

    #[test]
    fn it_is_done_when_the_call_returns() {
        assert_eq!(of(LONG, true), (1, 0));
        assert_eq!(of(LONG, false), (1, 1));
    }

    #[tokio::test]
    async fn it_is_done_within_a_runtime_whose_only_thread_waits_for_it() {
        assert_eq!(of(LONG, true), (1, 0));
    }

    #[test]
    fn nobody_waits_longer_than_the_limit() {
        assert_eq!(of(Duration::ZERO, true), (0, 0));
    }
}
