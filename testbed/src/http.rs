//! As much of HTTP/1.1 as the peers need: whole messages with bounded sizes, and the bytes as they came.

use std::{fmt, io};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The largest head of a request or a reply.
pub(crate) const MAX_HEAD: usize = 32 * 1024;

/// Why no whole message came out of a connection.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// The socket failed.
    Io(io::Error),
    /// The other side closed in the middle of a message.
    Incomplete,
    /// The bytes are no HTTP/1.x.
    Malformed(&'static str),
    /// A head or a body is longer than allowed.
    TooLarge,
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            ReadError::Incomplete => {
                Self::new(io::ErrorKind::UnexpectedEof, "the message is incomplete")
            }
            ReadError::Malformed(what) => Self::new(io::ErrorKind::InvalidData, what),
            ReadError::TooLarge => {
                Self::new(io::ErrorKind::InvalidData, "the message is too large")
            }
        }
    }
}

/// The names and values of a head, names in lower case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers(Vec<(String, String)>);

impl Headers {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    fn has_token(&self, name: &str, token: &str) -> bool {
        let values = self.0.iter().filter(|(key, _)| key == name);
        values
            .flat_map(|(_, value)| value.split(','))
            .any(|part| part.trim().eq_ignore_ascii_case(token))
    }
}

/// A whole request.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path with its query, as sent.
    pub(crate) target: String,
    pub(crate) body: Vec<u8>,
    /// Every byte of the message, for sending it on unchanged.
    pub(crate) raw: Vec<u8>,
    /// Whether the connection ends with this exchange.
    pub(crate) last: bool,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} ({} bytes)",
            self.method,
            self.target,
            self.raw.len()
        )
    }
}

impl Request {
    pub(crate) fn path(&self) -> &str {
        split_target(&self.target).0
    }

    /// The decoded value of a query parameter.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        let pairs = split_target(&self.target).1.split('&');
        pairs
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| decode(value))
    }
}

fn split_target(target: &str) -> (&str, &str) {
    target.split_once('?').unwrap_or((target, ""))
}

/// A whole reply.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) raw: Vec<u8>,
    /// How many of the bytes are the head.
    pub(crate) head: usize,
    /// Whether the sender closes after it.
    pub(crate) last: bool,
    #[cfg(test)]
    pub(crate) status: u16,
    #[cfg(test)]
    pub(crate) body: Vec<u8>,
}

enum Framing {
    Length(usize),
    Chunked,
    UntilClose,
}

/// Reads messages from one connection, one after the other.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) stream: TcpStream,
    buffer: Vec<u8>,
}

impl Reader {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
        }
    }

    /// Whether bytes of a next message have been read already.
    pub(crate) fn has_buffered(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// The next request, or `None` when the client closed between two of them.
    pub(crate) async fn request(&mut self, max_body: usize) -> Result<Option<Request>, ReadError> {
        let Some(head) = self.head().await? else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&self.buffer[..head]).into_owned();
        let (first, headers) = parse_head(&text)?;
        let mut words = first.split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(ReadError::Malformed(
                "the request line has other than three words",
            ));
        };
        if !version.starts_with("HTTP/1.") {
            return Err(ReadError::Malformed("the request is no HTTP/1.x"));
        }
        let framing = framing(&headers, false)?;
        if headers
            .get("expect")
            .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
        {
            self.stream
                .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
                .await?;
        }
        let last = headers.has_token("connection", "close") || version == "HTTP/1.0";
        let (method, target) = (method.to_owned(), target.to_owned());
        let (raw, body) = self.message(head, framing, max_body).await?;
        Ok(Some(Request {
            method,
            target,
            body,
            raw,
            last,
        }))
    }

    /// The reply to a request; interim replies (1xx) are passed over.
    pub(crate) async fn response(
        &mut self,
        to_head: bool,
        max_body: usize,
    ) -> Result<Response, ReadError> {
        loop {
            let head = self.head().await?.ok_or(ReadError::Incomplete)?;
            let text = String::from_utf8_lossy(&self.buffer[..head]).into_owned();
            let (first, headers) = parse_head(&text)?;
            let status = first
                .strip_prefix("HTTP/1.")
                .and_then(|rest| rest.split(' ').nth(1))
                .and_then(|code| code.parse::<u16>().ok());
            let status = status.ok_or(ReadError::Malformed("the status line is not one"))?;
            if (100..200).contains(&status) {
                self.buffer.drain(..head);
                continue;
            }
            let framing = if to_head || status == 204 || status == 304 {
                Framing::Length(0)
            } else {
                framing(&headers, true)?
            };
            let last =
                matches!(framing, Framing::UntilClose) || headers.has_token("connection", "close");
            let (raw, _body) = self.message(head, framing, max_body).await?;
            return Ok(Response {
                raw,
                head,
                last,
                #[cfg(test)]
                status,
                #[cfg(test)]
                body: _body,
            });
        }
    }

    /// Reads up to the end of a head and returns its length, or `None` when nothing more came.
    async fn head(&mut self) -> Result<Option<usize>, ReadError> {
        let mut from = 0;
        loop {
            if let Some(end) = find(&self.buffer[from..], b"\r\n\r\n") {
                return Ok(Some(from + end + 4));
            }
            from = self.buffer.len().saturating_sub(3);
            if self.buffer.len() > MAX_HEAD {
                return Err(ReadError::TooLarge);
            }
            if !self.more().await? {
                return if self.buffer.is_empty() {
                    Ok(None)
                } else {
                    Err(ReadError::Incomplete)
                };
            }
        }
    }

    async fn more(&mut self) -> Result<bool, ReadError> {
        self.buffer.reserve(16 * 1024);
        Ok(self.stream.read_buf(&mut self.buffer).await? > 0)
    }

    async fn fill(&mut self, length: usize) -> Result<(), ReadError> {
        while self.buffer.len() < length {
            if !self.more().await? {
                return Err(ReadError::Incomplete);
            }
        }
        Ok(())
    }

    /// Takes one message out of the buffer: all of its bytes, and its body alone.
    async fn message(
        &mut self,
        head: usize,
        framing: Framing,
        max_body: usize,
    ) -> Result<(Vec<u8>, Vec<u8>), ReadError> {
        match framing {
            Framing::Length(length) => {
                if length > max_body {
                    return Err(ReadError::TooLarge);
                }
                let end = head + length;
                self.fill(end).await?;
                let raw: Vec<u8> = self.buffer.drain(..end).collect();
                let body = raw[head..].to_vec();
                Ok((raw, body))
            }
            Framing::UntilClose => {
                while self.more().await? {
                    if self.buffer.len() > head + max_body {
                        return Err(ReadError::TooLarge);
                    }
                }
                let raw = std::mem::take(&mut self.buffer);
                let body = raw[head..].to_vec();
                Ok((raw, body))
            }
            Framing::Chunked => self.chunked(head, max_body).await,
        }
    }

    async fn chunked(
        &mut self,
        head: usize,
        max_body: usize,
    ) -> Result<(Vec<u8>, Vec<u8>), ReadError> {
        let mut at = head;
        let mut body = Vec::new();
        loop {
            let line_end = self.line_end(at, head + 2 * max_body).await?;
            let line = String::from_utf8_lossy(&self.buffer[at..line_end]).into_owned();
            let digits = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(digits, 16)
                .map_err(|_| ReadError::Malformed("a chunk has no size"))?;
            at = line_end + 2;
            if size == 0 {
                break;
            }
            if size > max_body.saturating_sub(body.len()) {
                return Err(ReadError::TooLarge);
            }
            self.fill(at + size + 2).await?;
            body.extend_from_slice(&self.buffer[at..at + size]);
            at += size + 2;
        }
        loop {
            let line_end = self.line_end(at, head + 2 * max_body + MAX_HEAD).await?;
            let empty = line_end == at;
            at = line_end + 2;
            if empty {
                break;
            }
        }
        Ok((self.buffer.drain(..at).collect(), body))
    }

    /// Where the line that begins at `at` ends; no byte beyond `limit` is waited for.
    async fn line_end(&mut self, at: usize, limit: usize) -> Result<usize, ReadError> {
        loop {
            if let Some(end) = self.buffer.get(at..).and_then(|rest| find(rest, b"\r\n")) {
                return Ok(at + end);
            }
            if self.buffer.len() > limit.max(at + MAX_HEAD) {
                return Err(ReadError::TooLarge);
            }
            if !self.more().await? {
                return Err(ReadError::Incomplete);
            }
        }
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn parse_head(text: &str) -> Result<(&str, Headers), ReadError> {
    let mut lines = text.trim_end_matches("\r\n").split("\r\n");
    let first = lines.next().unwrap_or_default();
    let mut headers = Vec::new();
    for line in lines {
        let (name, value) = line
            .split_once(':')
            .ok_or(ReadError::Malformed("a header has no colon"))?;
        headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    }
    Ok((first, Headers(headers)))
}

fn framing(headers: &Headers, reply: bool) -> Result<Framing, ReadError> {
    if headers.has_token("transfer-encoding", "chunked") {
        return Ok(Framing::Chunked);
    }
    match headers.get("content-length") {
        Some(value) => value
            .parse()
            .map(Framing::Length)
            .map_err(|_| ReadError::Malformed("the content length is no number")),
        None if reply => Ok(Framing::UntilClose),
        None => Ok(Framing::Length(0)),
    }
}

/// The bytes of a reply. `headers` are added to those that frame it.
pub(crate) fn reply(
    status: u16,
    content_type: &str,
    headers: &[(String, String)],
    body: &[u8],
) -> Vec<u8> {
    let mut head = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n",
        reason(status),
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

fn reason(status: u16) -> &'static str {
    match status {
        200..=299 => "OK",
        300..=399 => "Elsewhere",
        400..=499 => "Refused",
        _ => "Failed",
    }
}

/// Decodes percent escapes and `+` of a query; an escape that is none stays as it is.
pub(crate) fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = bytes
            .get(at + 1..at + 3)
            .and_then(|pair| std::str::from_utf8(pair).ok());
        let escape = escape.filter(|pair| pair.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match (
            bytes[at],
            escape.and_then(|pair| u8::from_str_radix(pair, 16).ok()),
        ) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
                continue;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Encodes everything that isn't unreserved in a query.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
