//! The way to a fixture app beside the backend under test: what happened to it, and what it should show.

use std::{io, net::SocketAddr, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// An app that tells its events is asked for nothing that takes long.
const PATIENCE: Duration = Duration::from_secs(30);

/// The control port of a fixture app.
#[derive(Clone, Copy, Debug)]
pub struct Control(pub SocketAddr);

impl Control {
    /// One request and its answer.
    ///
    /// # Errors
    ///
    /// Nobody answers within 30 s, or not with 200 and JSON.
    pub async fn ask(&self, method: &str, path: &str) -> io::Result<Value> {
        tokio::time::timeout(PATIENCE, self.exchange(method, path)).await?
    }

    async fn exchange(&self, method: &str, path: &str) -> io::Result<Value> {
        let mut stream = TcpStream::connect(self.0).await?;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: app\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).await?;
        let reply = String::from_utf8_lossy(&reply);
        match reply.split_once("\r\n\r\n") {
            Some((head, body)) if head.starts_with("HTTP/1.1 200") => {
                Ok(serde_json::from_str(body)?)
            }
            _ => Err(io::Error::other(format!("{method} {path}: {reply}"))),
        }
    }

    /// What happened to the app since it was last reset.
    ///
    /// # Errors
    ///
    /// As for [`ask`](Self::ask).
    pub async fn events(&self) -> io::Result<Vec<Value>> {
        let mut answer = self.ask("GET", "/events").await?;
        match answer["events"].take() {
            Value::Array(events) => Ok(events),
            _ => Err(io::Error::other("the fixture app tells no events")),
        }
    }

    /// How often an element was tapped since then.
    ///
    /// # Errors
    ///
    /// As for [`ask`](Self::ask).
    pub async fn taps(&self, element: &str) -> io::Result<usize> {
        let is_tap = |event: &&Value| event["kind"] == "tap" && event["element"] == element;
        Ok(self.events().await?.iter().filter(is_tap).count())
    }
}
