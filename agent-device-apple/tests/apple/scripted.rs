//! A runner that follows a script: a real socket, HTTP as the runner speaks it, and every way to fail.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// What becomes of one request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// This answer.
    Reply(Value),
    /// This answer, under this status of HTTP.
    Under(u16, Value),
    /// This answer, after a while.
    Late(Value, Duration),
    /// This answer, and then nobody listens for so many connections.
    ReplyThenRefuse(Value, usize),
    /// These bytes in place of HTTP.
    Raw(Vec<u8>),
    /// The request is read and the connection closed.
    Close,
    /// The request is read, the connection closed, and nobody listens for so many connections.
    CloseThenRefuse(usize),
    /// The request is read and the connection reset.
    Reset,
    /// The head and half of this answer.
    Truncate(Value),
    /// No answer.
    Hang,
}

pub(crate) fn ok(data: Value) -> Value {
    json!({ "ok": true, "data": data })
}

pub(crate) fn failed(code: &str) -> Value {
    json!({ "ok": false, "error": { "code": code, "message": format!("{code} in words"), "hint": "do something" } })
}

/// A tree of a window and a button.
pub(crate) fn tree(label: &str) -> Value {
    let rect = |x: f64, y: f64, width: f64, height: f64| json!({ "x": x, "y": y, "width": width, "height": height });
    ok(json!({
        "nodes": [
            { "index": 0, "type": "Application", "label": "App", "rect": rect(0.0, 0.0, 402.0, 874.0), "enabled": true, "hittable": false, "depth": 0 },
            { "index": 1, "type": "Button", "identifier": "it", "label": label, "rect": rect(10.0, 100.0, 100.0, 40.0), "enabled": true, "hittable": true, "depth": 1, "parentIndex": 0 },
            { "index": 2, "type": "TextField", "identifier": "field", "value": "", "rect": rect(10.0, 200.0, 100.0, 40.0), "enabled": true, "hittable": true, "depth": 1, "parentIndex": 0 },
        ],
        "truncated": false,
        "snapshotQuality": { "state": "healthy", "backend": "tree" },
    }))
}

/// What decides: the command, its fields, and how often that command has come, counted from 1.
type Script = dyn Fn(&str, &Value, usize) -> Option<Act> + Send + Sync;

#[derive(Default)]
struct Seen {
    requests: Vec<Value>,
    heads: Vec<String>,
    counts: BTreeMap<String, usize>,
}

/// A scripted runner. What the script does not speak of is answered with success.
pub(crate) struct Scripted {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
    task: JoinHandle<()>,
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Scripted {
    pub(crate) async fn start(
        script: impl Fn(&str, &Value, usize) -> Option<Act> + Send + Sync + 'static,
    ) -> Self {
        let mut listener = Some(TcpListener::bind("127.0.0.1:0").await.unwrap());
        let address = listener.as_ref().unwrap().local_addr().unwrap();
        let seen = Arc::<Mutex<Seen>>::default();
        let script: Arc<Script> = Arc::new(script);
        let refuse = Arc::<Mutex<usize>>::default();
        let task = {
            let seen = Arc::clone(&seen);
            tokio::spawn(async move {
                loop {
                    let pause = *refuse.lock().unwrap();
                    if pause > 0 {
                        // Nobody listens: a refused connection is not seen here, so time stands for their number.
                        drop(listener.take());
                        tokio::time::sleep(
                            Duration::from_millis(100) * u32::try_from(pause).unwrap(),
                        )
                        .await;
                        *refuse.lock().unwrap() = 0;
                        listener = Some(rebind(address).await);
                    }
                    let accepting = listener.as_ref().unwrap();
                    let accepted =
                        tokio::time::timeout(Duration::from_millis(5), accepting.accept()).await;
                    let Ok(Ok((stream, _))) = accepted else {
                        continue;
                    };
                    let (seen, script, refuse) =
                        (Arc::clone(&seen), Arc::clone(&script), Arc::clone(&refuse));
                    tokio::spawn(async move {
                        let _ = serve(stream, &seen, &script, &refuse).await;
                    });
                }
            })
        };
        Self {
            address,
            seen,
            task,
        }
    }

    /// The requests with this command.
    pub(crate) fn requests(&self, command: &str) -> Vec<Value> {
        let seen = self.seen.lock().unwrap();
        let wanted = seen
            .requests
            .iter()
            .filter(|request| request["command"] == command);
        wanted.cloned().collect()
    }

    /// The words of all requests, in order.
    pub(crate) fn commands(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.requests
            .iter()
            .map(|request| request["command"].as_str().unwrap().to_owned())
            .collect()
    }

    pub(crate) fn heads(&self) -> Vec<String> {
        self.seen.lock().unwrap().heads.clone()
    }
}

async fn rebind(address: SocketAddr) -> TcpListener {
    for _ in 0..500 {
        if let Ok(listener) = TcpListener::bind(address).await {
            return listener;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{address} can't be bound again");
}

async fn serve(
    mut stream: TcpStream,
    seen: &Mutex<Seen>,
    script: &Arc<Script>,
    refuse: &Mutex<usize>,
) -> std::io::Result<()> {
    let (head, body) = read_request(&mut stream).await?;
    let request: Value = serde_json::from_slice(&body).unwrap();
    let command = request["command"].as_str().unwrap().to_owned();
    let count = {
        let mut seen = seen.lock().unwrap();
        seen.requests.push(request.clone());
        seen.heads.push(head);
        let count = seen.counts.entry(command.clone()).or_default();
        *count += 1;
        *count
    };
    let act = script(&command, &request, count).unwrap_or_else(|| Act::Reply(default(&command)));
    let under = |status: u16, value: &Value| response(status, value.to_string().as_bytes());
    let answer = |value: &Value| under(200, value);
    match act {
        Act::Reply(value) => stream.write_all(&answer(&value)).await?,
        Act::Under(status, value) => stream.write_all(&under(status, &value)).await?,
        Act::Late(value, after) => {
            tokio::time::sleep(after).await;
            stream.write_all(&answer(&value)).await?;
        }
        Act::ReplyThenRefuse(value, count) => {
            *refuse.lock().unwrap() = count;
            // The listener goes before the answer does.
            tokio::time::sleep(Duration::from_millis(30)).await;
            stream.write_all(&answer(&value)).await?;
        }
        Act::Raw(bytes) => stream.write_all(&bytes).await?,
        Act::Close => {}
        Act::CloseThenRefuse(count) => {
            *refuse.lock().unwrap() = count;
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        Act::Reset => stream.set_zero_linger()?,
        Act::Truncate(value) => {
            let bytes = answer(&value);
            stream.write_all(&bytes[..bytes.len() - 10]).await?;
        }
        Act::Hang => {
            let mut sink = [0; 64];
            while stream.read(&mut sink).await? > 0 {}
        }
    }
    Ok(())
}

fn default(command: &str) -> Value {
    match command {
        "snapshot" => tree("It"),
        _ => ok(json!({ "currentUptimeMs": 1.5 })),
    }
}

fn response(status: u16, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

async fn read_request(stream: &mut TcpStream) -> std::io::Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length: usize = head
        .lines()
        .find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix("content-length:")
                .map(|rest| rest.trim().parse().unwrap())
        })
        .unwrap_or(0);
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok((head, body))
}
