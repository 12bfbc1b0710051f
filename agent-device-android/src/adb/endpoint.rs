//! Where the adb server is: the environment's word for it, parsed as adb parses it.

use std::net::IpAddr;

use agent_device_core::{Error, Result};

const DEFAULT_PORT: u16 = 5037;
/// `localhost` resolves to IPv6 first on many machines, where no server listens, and that costs a second on some of them.
const LOOPBACK: &str = "127.0.0.1";

/// Where an adb server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Endpoint {
    /// At a TCP port.
    Tcp {
        /// A name or address.
        host: String,
        /// The port.
        port: u16,
    },
    /// At a place that only the adb program can reach: a Unix socket, vsock. In the words of `ADB_SERVER_SOCKET`.
    Program(String),
}

impl Endpoint {
    /// A server on this machine.
    pub fn local(port: u16) -> Self {
        Self::Tcp {
            host: LOOPBACK.to_owned(),
            port,
        }
    }

    /// What the environment says: `ADB_SERVER_SOCKET`, else `ANDROID_ADB_SERVER_ADDRESS` and `ANDROID_ADB_SERVER_PORT`, else
    /// port 5037 of this machine.
    ///
    /// # Errors
    ///
    /// A variable is set to something that adb would not take, either. Nothing was sent.
    pub fn from_env() -> Result<Self> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    pub(super) fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        if let Some(socket) = set("ADB_SERVER_SOCKET") {
            return Self::parse(&socket);
        }
        let port = match set("ANDROID_ADB_SERVER_PORT") {
            Some(port) => port_of(&port).ok_or_else(|| {
                Error::invalid(
                    "ANDROID_ADB_SERVER_PORT",
                    "ANDROID_ADB_SERVER_PORT is no port number",
                )
            })?,
            None => DEFAULT_PORT,
        };
        let host = set("ANDROID_ADB_SERVER_ADDRESS").unwrap_or_default();
        Ok(Self::Tcp {
            host: host_of(&host),
            port,
        })
    }

    /// Reads a place in the words of `ADB_SERVER_SOCKET`: `tcp:5037`, `tcp:host:5037`, `localfilesystem:/path`.
    ///
    /// # Errors
    ///
    /// It is none. Nothing was sent.
    pub fn parse(socket: &str) -> Result<Self> {
        let invalid = || {
            Error::invalid(
                "ADB_SERVER_SOCKET",
                "the adb server's socket is none that adb knows",
            )
        };
        if let Some(rest) = socket.strip_prefix("tcp:") {
            let (host, port) = match rest.rsplit_once(':') {
                Some((host, port)) => (host.trim_start_matches('[').trim_end_matches(']'), port),
                None if port_of(rest).is_some() => ("", rest),
                None => (rest, "5037"),
            };
            return Ok(Self::Tcp {
                host: host_of(host),
                port: port_of(port).ok_or_else(invalid)?,
            });
        }
        match socket.split_once(':') {
            Some((
                "localfilesystem" | "localabstract" | "localreserved" | "local" | "vsock",
                place,
            )) if !place.is_empty() => Ok(Self::Program(socket.to_owned())),
            _ => Err(invalid()),
        }
    }

    /// The place in the words of `ADB_SERVER_SOCKET`.
    pub(super) fn socket(&self) -> String {
        match self {
            Self::Tcp { host, port } if host.contains(':') => format!("tcp:[{host}]:{port}"),
            Self::Tcp { host, port } => format!("tcp:{host}:{port}"),
            Self::Program(socket) => socket.clone(),
        }
    }
}

/// A host and a port, as adb takes and prints them: `192.168.1.5:5555`, `[fe80::1]:5555`.
pub(crate) fn is_address(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(host, port)| {
        let bracketed = host.starts_with('[') && host.ends_with(']');
        !host.is_empty() && (bracketed || !host.contains(':')) && port_of(port).is_some()
    })
}

fn port_of(text: &str) -> Option<u16> {
    text.parse().ok().filter(|port| *port > 0)
}

fn host_of(text: &str) -> String {
    match text {
        "" | "localhost" => LOOPBACK.to_owned(),
        host => host.to_owned(),
    }
}

pub(super) fn is_loopback(host: &str) -> bool {
    host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(pairs: &[(&str, &str)]) -> Result<Endpoint> {
        Endpoint::from_variables(|name| {
            let found = pairs.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    fn tcp(host: &str, port: u16) -> Endpoint {
        Endpoint::Tcp {
            host: host.into(),
            port,
        }
    }

    #[test]
    fn the_environment_names_the_server_as_it_does_for_adb() {
        assert_eq!(from(&[]).unwrap(), tcp("127.0.0.1", 5037));
        let port = ("ANDROID_ADB_SERVER_PORT", "5038");
        assert_eq!(from(&[port]).unwrap(), tcp("127.0.0.1", 5038));
        let address = ("ANDROID_ADB_SERVER_ADDRESS", "10.0.2.2");
        assert_eq!(from(&[port, address]).unwrap(), tcp("10.0.2.2", 5038));
        for (socket, wanted) in [
            ("tcp:5039", tcp("127.0.0.1", 5039)),
            ("tcp:localhost:5039", tcp("127.0.0.1", 5039)),
            ("tcp:host:1", tcp("host", 1)),
            ("tcp:[::1]:5", tcp("::1", 5)),
            ("tcp:host", tcp("host", 5037)),
            (
                "localfilesystem:/tmp/x",
                Endpoint::Program("localfilesystem:/tmp/x".into()),
            ),
        ] {
            assert_eq!(
                from(&[port, ("ADB_SERVER_SOCKET", socket)]).unwrap(),
                wanted
            );
        }
        for bad in ["tcp:host:0", "tcp:h:x", "smoke:signals", "vsock:"] {
            assert!(from(&[("ADB_SERVER_SOCKET", bad)]).is_err(), "{bad}");
        }
        assert!(from(&[("ANDROID_ADB_SERVER_PORT", "x")]).is_err());
        assert!(is_loopback("127.0.0.1") && is_loopback("::1") && !is_loopback("host"));
    }

    #[test]
    fn an_address_is_told_from_a_serial_number() {
        for (text, wanted) in [
            ("192.168.1.5:5555", true),
            ("[fe80::1]:5555", true),
            ("phone.local:5555", true),
            ("emulator-5554", false),
            (":5555", false),
            ("host:port", false),
            ("host:0", false),
            ("host:99999", false),
            ("fe80::1:5555", false),
        ] {
            assert_eq!(is_address(text), wanted, "{text}");
        }
    }
}
