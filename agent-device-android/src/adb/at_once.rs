//! What is told to the adb server when a value is dropped: at once and without a runtime, for one may be shutting down. On
//! loopback it takes some 0.1 ms.

use std::{
    io::{self, Read as _, Write as _},
    net::{TcpStream, ToSocketAddrs as _},
    time::Duration,
};

use super::{Endpoint, wire};

/// How long connecting and each answer may take.
const LIMIT: Duration = Duration::from_millis(250);

/// Sends requests over one connection, each after the server's `OKAY` to the one before it, and waits for the outcome of the
/// last. A server that only the adb program reaches is told nothing.
pub(super) fn at_once(endpoint: &Endpoint, requests: &[&str]) -> io::Result<()> {
    let Endpoint::Tcp { host, port } = endpoint else {
        return Err(io::ErrorKind::Unsupported.into());
    };
    let mut addresses = (host.as_str(), *port).to_socket_addrs()?;
    let address = addresses.next().ok_or(io::ErrorKind::AddrNotAvailable)?;
    let mut stream = TcpStream::connect_timeout(&address, LIMIT)?;
    stream.set_write_timeout(Some(LIMIT))?;
    stream.set_read_timeout(Some(LIMIT))?;
    let okay = |stream: &mut TcpStream| {
        let mut status = [0; 4];
        stream.read_exact(&mut status)?;
        if &status == b"OKAY" {
            Ok(())
        } else {
            Err(io::Error::from(io::ErrorKind::ConnectionRefused))
        }
    };
    for request in requests {
        let request = wire::request(request.as_bytes()).ok_or(io::ErrorKind::InvalidInput)?;
        stream.write_all(&request)?;
        okay(&mut stream)?;
    }
    okay(&mut stream)
}
