//! The bytes of the adb protocols: requests, statuses, shell frames, sync messages, lists of devices. Bytes in, facts out.
//!
//! What may not be here: sockets, clocks, verdicts.

/// The longest text that a server sends behind a length of four hex digits.
pub(super) const MAX_TEXT: usize = 0xffff;
/// The largest piece of a file in the sync protocol.
pub(super) const SYNC_CHUNK: usize = 64 * 1024;

/// A request with its length before it; `None` when it is too long for one.
pub(super) fn request(service: &[u8]) -> Option<Vec<u8>> {
    let length = u16::try_from(service.len()).ok()?;
    let mut bytes = format!("{length:04x}").into_bytes();
    bytes.extend_from_slice(service);
    Some(bytes)
}

/// The length before a text; `None` for anything but four hex digits.
pub(super) fn length(digits: [u8; 4]) -> Option<usize> {
    digits.iter().try_fold(0_usize, |sum, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(sum * 16 + value as usize)
    })
}

/// What a frame to the device carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    Stdin,
    CloseStdin,
}

/// Takes the frames of the shell protocol apart, however the stream cuts them. Holds no data: pieces borrow from the input.
#[derive(Debug, Default)]
pub(super) struct ShellFrames {
    head: [u8; 5],
    have: usize,
    left: u32,
}

/// A piece of what a remote command printed, or its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Stdout(&'a [u8]),
    Stderr(&'a [u8]),
    Exit(u8),
}

impl ShellFrames {
    /// The next piece; what it is made of is taken from `input`. `None` when the input is used up. Frames of unknown channels
    /// are skipped.
    pub(super) fn next<'a>(&mut self, input: &mut &'a [u8]) -> Option<Piece<'a>> {
        while !input.is_empty() {
            if self.have < self.head.len() {
                let (byte, rest) = input.split_first()?;
                self.head[self.have] = *byte;
                self.have += 1;
                *input = rest;
                let [_, a, b, c, d] = self.head;
                self.left = u32::from_le_bytes([a, b, c, d]);
            } else if self.left == 0 {
                self.have = 0;
            } else {
                let count = input
                    .len()
                    .min(usize::try_from(self.left).unwrap_or(usize::MAX));
                let (piece, rest) = input.split_at(count);
                *input = rest;
                self.left -= u32::try_from(count).unwrap_or(self.left);
                match (self.head[0], piece) {
                    (1, piece) => return Some(Piece::Stdout(piece)),
                    (2, piece) => return Some(Piece::Stderr(piece)),
                    (3, [code, ..]) => return Some(Piece::Exit(*code)),
                    _ => {}
                }
            }
        }
        None
    }
}

/// A shell frame to the device. `data` is at most 64 KiB long.
pub(super) fn shell_frame(channel: Channel, data: &[u8]) -> Vec<u8> {
    let data = &data[..data.len().min(SYNC_CHUNK)];
    let id = match channel {
        Channel::Stdin => 0,
        Channel::CloseStdin => 4,
    };
    let mut frame = Vec::with_capacity(data.len() + 5);
    frame.push(id);
    frame.extend_from_slice(&length_word(data.len()));
    frame.extend_from_slice(data);
    frame
}

/// A message of the sync protocol. `data` is at most 64 KiB long.
pub(super) fn sync_message(id: [u8; 4], data: &[u8]) -> Vec<u8> {
    let data = &data[..data.len().min(SYNC_CHUNK)];
    let mut message = Vec::with_capacity(data.len() + 8);
    message.extend_from_slice(&id);
    message.extend_from_slice(&length_word(data.len()));
    message.extend_from_slice(data);
    message
}

fn length_word(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

/// The head of a sync answer: its id and the number that follows.
pub(super) fn sync_head(head: [u8; 8]) -> ([u8; 4], u32) {
    let [a, b, c, d, e, f, g, h] = head;
    ([a, b, c, d], u32::from_le_bytes([e, f, g, h]))
}

/// What a server says about a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceEntry {
    /// By what the server knows it: a serial number, or an address.
    pub serial: String,
    /// Whether it can be used.
    pub state: DeviceState,
    /// Its number in this run of the server. Unlike the serial it is never shared by two devices.
    pub transport_id: Option<u64>,
    /// `ro.product.name`.
    pub product: Option<String>,
    /// `ro.product.model`, with underscores for spaces.
    pub model: Option<String>,
    /// `ro.product.device`.
    pub device: Option<String>,
    /// Its place on the USB bus of the server's machine: `1-4.2`. `None`: it is not on USB, or the server doesn't tell.
    pub usb: Option<String>,
}

/// Whether a device can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceState {
    /// It can.
    Device,
    /// Its connection is there and it does not answer: it boots, or its cable or network is bad.
    Offline,
    /// Its user has not allowed this computer yet.
    Unauthorized,
    /// It is being asked whether this computer is allowed.
    Authorizing,
    /// The connection is being made.
    Connecting,
    /// This user may not open the USB device.
    NoPermissions,
    /// Another state, by the server's word: `recovery`, `sideload`, `bootloader`, `rescue`.
    Other(String),
}

impl DeviceState {
    fn parse(rest: &str) -> Self {
        if rest.starts_with("no permissions") {
            return Self::NoPermissions;
        }
        match rest.split_whitespace().next().unwrap_or_default() {
            "device" => Self::Device,
            "offline" => Self::Offline,
            "unauthorized" => Self::Unauthorized,
            "authorizing" => Self::Authorizing,
            "connecting" => Self::Connecting,
            other => Self::Other(other.chars().take(32).collect()),
        }
    }
}

/// The devices of a list, short or long. Lines that are no device are left out.
pub(super) fn devices(text: &str) -> Vec<DeviceEntry> {
    text.lines().filter_map(device).collect()
}

fn device(line: &str) -> Option<DeviceEntry> {
    let line = line.trim_end();
    let (serial, rest) = match line.split_once('\t') {
        Some(pair) => pair,
        // A serial number may hold single spaces; the long form pads with at least one.
        None => line.split_once("  ").or_else(|| line.split_once(' '))?,
    };
    let (serial, rest) = (serial.trim(), rest.trim_start());
    let server_speaks = line.starts_with("* ")
        || line.starts_with("List of devices")
        || line.starts_with("adb server");
    if serial.is_empty() || rest.is_empty() || server_speaks {
        return None;
    }
    let fact = |key: &str| {
        let from = rest.find(key)? + key.len();
        let value = &rest[from..];
        // Values may hold spaces: each ends where the next key begins.
        let end = [" product:", " model:", " device:", " transport_id:"]
            .iter()
            .filter_map(|next| value.find(next))
            .min()
            .unwrap_or(value.len());
        let value = value[..end].trim();
        (!value.is_empty()).then(|| value.chars().take(256).collect::<String>())
    };
    Some(DeviceEntry {
        serial: serial.chars().take(256).collect(),
        state: DeviceState::parse(rest),
        transport_id: fact(" transport_id:").and_then(|id| id.parse().ok()),
        product: fact(" product:"),
        model: fact(" model:"),
        device: fact(" device:"),
        usb: fact(" usb:"),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_request_has_its_length_before_it() {
        assert_eq!(request(b"host:version").unwrap(), b"000chost:version");
        assert_eq!(request(&[b'x'; 0x10000]), None);
        assert_eq!(length(*b"000c"), Some(12));
        assert_eq!(length(*b"FFff"), Some(0xffff));
        assert_eq!(length(*b"00g0"), None);
        assert_eq!(length(*b"+001"), None);
    }

    #[test]
    fn devices_are_read_in_both_forms() {
        let list = devices(
            "emulator-5554          device product:sdk model:sdk_gphone64 device:emu64a transport_id:101\n\
             0123\tunauthorized usb:1-1 transport_id:4\n\
             ab\tno permissions (user in plugdev group; are your udev rules wrong?); see [http://x]\n\
             1.2.3.4:5555     device product:m425 plus-a model:M425 PLUS A device:m450a transport_id:1\n\
             x y\toffline\n",
        );
        assert_eq!(list.len(), 5);
        assert_eq!(list[0].transport_id, Some(101));
        assert_eq!(list[0].model.as_deref(), Some("sdk_gphone64"));
        assert_eq!(list[1].state, DeviceState::Unauthorized);
        assert_eq!(list[1].model, None);
        assert_eq!(list[1].usb.as_deref(), Some("1-1"));
        assert_eq!(list[2].state, DeviceState::NoPermissions);
        assert_eq!(list[3].model.as_deref(), Some("M425 PLUS A"));
        assert_eq!(list[3].product.as_deref(), Some("m425 plus-a"));
        assert_eq!(list[4].serial, "x y");
    }

    #[test]
    fn what_a_server_says_beside_the_list_is_no_device() {
        let text = "List of devices attached\nadb server version (41) doesn't match this client (39); killing...\n\
                    * daemon started successfully *\n* daemon not running; starting now at tcp:5037\ncorrupted_garbage\n\n";
        assert_eq!(devices(text), []);
    }

    #[test]
    fn a_stream_of_frames_reads_the_same_however_it_is_cut() {
        let mut bytes = Vec::new();
        for (id, data) in [
            (1_u8, &b"out"[..]),
            (9, b"unknown"),
            (2, b""),
            (2, b"err"),
            (1, b"more"),
            (3, &[7]),
        ] {
            bytes.push(id);
            bytes.extend_from_slice(&length_word(data.len()));
            bytes.extend_from_slice(data);
        }
        for size in 1..=bytes.len() {
            let mut frames = ShellFrames::default();
            let (mut out, mut err, mut code) = (Vec::new(), Vec::new(), None);
            for mut chunk in bytes.chunks(size) {
                while let Some(piece) = frames.next(&mut chunk) {
                    match piece {
                        Piece::Stdout(data) => out.extend_from_slice(data),
                        Piece::Stderr(data) => err.extend_from_slice(data),
                        Piece::Exit(status) => code = Some(status),
                    }
                }
            }
            assert_eq!(
                (out, err, code),
                (b"outmore".to_vec(), b"err".to_vec(), Some(7))
            );
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken_for_frames_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut frames = ShellFrames::default();
            let mut input = &bytes[..];
            while frames.next(&mut input).is_some() {}
            prop_assert!(input.is_empty());
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC*[ \t\n]?\\PC*") {
            devices(&text);
        }
    }
}
