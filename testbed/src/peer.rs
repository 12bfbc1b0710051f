//! The thread that a peer lives on: a runtime with its own real clock, stopped and joined by its owner.

use std::{future::Future, io, thread, time::Duration};

use tokio::{
    runtime::{Builder, Handle},
    sync::oneshot,
};

/// A running peer. Dropping it stops every task on it, closes its sockets and joins its thread.
#[derive(Debug)]
pub(crate) struct Peer {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    done: Option<oneshot::Receiver<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Peer {
    /// Starts a thread that runs `main` and whatever it spawns until the peer is stopped.
    ///
    /// `setup` runs on the new thread, so sockets that it opens belong to the peer's runtime; its error is returned here.
    pub(crate) async fn start<T, S, F, M>(name: &str, setup: S) -> io::Result<(Self, T)>
    where
        T: Send + 'static,
        S: FnOnce() -> F + Send + 'static,
        F: Future<Output = io::Result<(T, M)>>,
        M: Future<Output = ()>,
    {
        let (stop, stopped) = oneshot::channel::<()>();
        let (finish, done) = oneshot::channel::<()>();
        let (ready, started) = oneshot::channel::<io::Result<(Handle, T)>>();
        let thread = thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let runtime = match Builder::new_current_thread().enable_all().build() {
                    Ok(runtime) => runtime,
                    Err(error) => {
                        let _ = ready.send(Err(error));
                        return;
                    }
                };
                runtime.block_on(async {
                    match setup().await {
                        Ok((value, main)) => {
                            if ready.send(Ok((Handle::current(), value))).is_err() {
                                return;
                            }
                            tokio::select! {
                                () = main => {}
                                _ = stopped => {}
                            }
                        }
                        Err(error) => drop(ready.send(Err(error))),
                    }
                });
                drop(runtime);
                let _ = finish.send(());
            })?;
        let gone = || io::Error::other("the peer's thread ended before it was ready");
        let (handle, value) = started.await.map_err(|_| gone())??;
        Ok((
            Self {
                handle,
                stop: Some(stop),
                done: Some(done),
                thread: Some(thread),
            },
            value,
        ))
    }

    /// Waits on the peer's clock, which no test can pause.
    pub(crate) async fn sleep(&self, duration: Duration) {
        // An error means that the peer is gone: then there is nothing left to wait for.
        let _ = self
            .handle
            .spawn(async move { tokio::time::sleep(duration).await })
            .await;
    }

    /// Stops the peer and waits until its thread has ended.
    pub(crate) async fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(done) = self.done.take() {
            let _ = done.await;
        }
        self.join();
    }

    fn join(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.join();
    }
}
