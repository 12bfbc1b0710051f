//! The client of usbmuxd, the daemon that owns the cables to phones: frames of property lists over a Unix socket.
//!
//! A frame is four little-endian words (its length, version 1, message type 8, a tag) and an XML property list. After a
//! `Connect` that is granted the socket is a plain stream to the port on the phone. Source: the protocol of usbmuxd
//! (libimobiledevice's `usbmuxd-proto.h`), in its form with property lists.

use std::{io, path::PathBuf, time::Duration};

use plist::{Dictionary, Value};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
};

/// A list of devices is small. No list that fits nests so deep that letting go of it exhausts a stack.
const MAX_FRAME: usize = 64 << 10;
const HEADER: usize = 16;
const PLIST: u32 = 8;
const VERSION: u32 = 1;
/// The daemon is on this machine and answers at once, or not at all.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why there is no stream to a port on a phone.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Nobody owns cables on this machine.
    #[error("no daemon owns cables on this machine")]
    NoDaemon(#[source] io::Error),
    /// The phone is not on a cable.
    #[error("the device is not on a cable")]
    NotAttached,
    /// Nobody listens at the port.
    #[error("nobody listens at the port of the device")]
    Refused,
    /// The daemon speaks otherwise.
    #[error("the daemon that owns cables speaks otherwise: {0}")]
    Protocol(&'static str),
}

/// One phone, by its number.
#[derive(Clone, Debug)]
pub(crate) struct Usbmux {
    socket: PathBuf,
    udid: String,
}

impl Usbmux {
    pub(crate) fn new(socket: PathBuf, udid: String) -> Self {
        Self { socket, udid }
    }

    /// A stream to a port on the phone.
    pub(crate) async fn connect(&self, port: u16) -> Result<UnixStream, Failure> {
        let device = self.device_id().await?;
        let mut stream = self.open().await?;
        let mut message = hello("Connect");
        message.insert("DeviceID".into(), device.into());
        // As if its bytes lay in network order, which all clients agree on.
        message.insert("PortNumber".into(), u64::from(port.swap_bytes()).into());
        let answer = talk(&mut stream, message).await?;
        match number(&answer, "Number") {
            Some(0) => Ok(stream),
            Some(2) => Err(Failure::NotAttached),
            Some(3) => Err(Failure::Refused),
            _ => Err(Failure::Protocol(
                "the answer to Connect holds no result that is known",
            )),
        }
    }

    async fn open(&self) -> Result<UnixStream, Failure> {
        UnixStream::connect(&self.socket)
            .await
            .map_err(Failure::NoDaemon)
    }

    async fn device_id(&self) -> Result<u64, Failure> {
        let mut stream = self.open().await?;
        let answer = talk(&mut stream, hello("ListDevices")).await?;
        device_in(&answer, &self.udid)
    }
}

/// The number that the daemon has given to the phone.
fn device_in(answer: &Dictionary, udid: &str) -> Result<u64, Failure> {
    let devices = answer
        .get("DeviceList")
        .and_then(Value::as_array)
        .ok_or(Failure::Protocol("the answer to ListDevices holds no list"))?;
    let of = |device: &Value| {
        let device = device.as_dictionary()?;
        let properties = device.get("Properties")?.as_dictionary()?;
        let serial = properties.get("SerialNumber")?.as_string()?;
        // A phone on the network is listed, too, and its ports can't be reached from here.
        let wired = properties
            .get("ConnectionType")
            .and_then(Value::as_string)
            .is_none_or(|kind| kind == "USB");
        (wired && same_serial(serial, udid)).then(|| number(device, "DeviceID"))?
    };
    devices.iter().find_map(of).ok_or(Failure::NotAttached)
}

/// Newer phones have a dash in their number, which some tools leave out.
fn same_serial(left: &str, right: &str) -> bool {
    let plain = |text: &str| text.replace('-', "").to_ascii_lowercase();
    plain(left) == plain(right)
}

fn hello(kind: &str) -> Dictionary {
    let mut message = Dictionary::new();
    message.insert("MessageType".into(), kind.into());
    message.insert(
        "ClientVersionString".into(),
        concat!("agent-device ", env!("CARGO_PKG_VERSION")).into(),
    );
    message.insert("ProgName".into(), "agent-device".into());
    message.insert("kLibUSBMuxVersion".into(), 3_u64.into());
    message
}

fn number(dictionary: &Dictionary, key: &str) -> Option<u64> {
    dictionary.get(key)?.as_unsigned_integer()
}

async fn talk(stream: &mut UnixStream, message: Dictionary) -> Result<Dictionary, Failure> {
    let exchange = async {
        let frame = encode(message)?;
        let broken = |_| Failure::Protocol("the connection ended early");
        stream.write_all(&frame).await.map_err(broken)?;
        let mut header = [0; HEADER];
        stream.read_exact(&mut header).await.map_err(broken)?;
        let length = length(&header).ok_or(Failure::Protocol("the frame has no such length"))?;
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).await.map_err(broken)?;
        decode(&payload)
    };
    tokio::time::timeout(PATIENCE, exchange)
        .await
        .unwrap_or(Err(Failure::Protocol("there was no answer in time")))
}

/// The content of a frame. The daemon writes property lists as XML.
fn decode(payload: &[u8]) -> Result<Dictionary, Failure> {
    Value::from_reader_xml(payload)
        .ok()
        .and_then(Value::into_dictionary)
        .ok_or(Failure::Protocol("the frame holds no property list"))
}

fn encode(message: Dictionary) -> Result<Vec<u8>, Failure> {
    let mut payload = Vec::new();
    Value::Dictionary(message)
        .to_writer_xml(&mut payload)
        .map_err(|_| Failure::Protocol("the message can't be written"))?;
    let length = u32::try_from(HEADER + payload.len())
        .map_err(|_| Failure::Protocol("the message is too long"))?;
    let words = [length, VERSION, PLIST, 1];
    let mut frame: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    frame.append(&mut payload);
    Ok(frame)
}

/// The length of what follows the header.
fn length(header: &[u8; HEADER]) -> Option<usize> {
    let length = u32::from_le_bytes(*header.first_chunk()?);
    let length = usize::try_from(length).ok()?.checked_sub(HEADER)?;
    (length <= MAX_FRAME).then_some(length)
}

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn fuzz(frame: &[u8]) {
    let Some((header, payload)) = frame.split_first_chunk() else {
        return;
    };
    let wanted = length(header).unwrap_or(payload.len());
    if let Ok(answer) = decode(&payload[..wanted.min(payload.len()).min(MAX_FRAME)]) {
        drop(device_in(&answer, "00008110-001A2B3C"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_list_that_fits_is_let_go_of() {
        let count = MAX_FRAME / "<array></array>".len();
        for deep in [
            "<array>".repeat(count) + &"</array>".repeat(count),
            // Whole, and then spoilt.
            "<array>".repeat(count) + &"</array>".repeat(count - 1) + "<",
        ] {
            assert!(decode(deep.as_bytes()).is_err());
        }
    }

    #[test]
    fn frames_out_of_bounds_are_refused() {
        let mut header = [0; HEADER];
        for (word, wanted) in [
            (16_u32, Some(0)),
            (15, None),
            (0, None),
            (20, Some(4)),
            (u32::MAX, None),
        ] {
            header[..4].copy_from_slice(&word.to_le_bytes());
            assert_eq!(length(&header), wanted);
        }
    }

    #[test]
    fn a_dash_makes_no_other_phone() {
        assert!(same_serial("00008110-001A2B3C", "00008110001a2b3c"));
        assert!(!same_serial("00008110", "00008111"));
    }
}
