//! The peers are judged by a real browser and by raw sockets, never by the code that they will judge.

mod chrome;
mod fault;
mod http;
mod page;

use std::net::SocketAddr;

use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::http::{ReadError, Reader, Response};

/// One request on a connection of its own.
async fn call(
    address: SocketAddr,
    method: &str,
    path: &str,
    body: &str,
) -> Result<Response, ReadError> {
    let mut reader = Reader::new(TcpStream::connect(address).await?);
    send(&mut reader, method, path, body).await?;
    reader.response(method == "HEAD", 64 * 1024 * 1024).await
}

async fn send(reader: &mut Reader, method: &str, path: &str, body: &str) -> Result<(), ReadError> {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    reader
        .stream
        .write_all(format!("{head}{body}").as_bytes())
        .await?;
    Ok(())
}
