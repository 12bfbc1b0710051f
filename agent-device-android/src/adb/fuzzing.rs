//! What the readers of this folder promise of any bytes.

use super::{
    Features, HostRefusal, forward, refusal,
    wire::{self, Piece, ShellFrames},
};

pub(crate) fn texts(data: &[u8]) {
    if let Some(digits) = data.first_chunk() {
        assert!(wire::length(*digits).is_none_or(|length| length <= wire::MAX_TEXT));
    }
    let text = String::from_utf8_lossy(data);
    for device in wire::devices(&text) {
        assert!(!device.serial.is_empty() && device.serial.chars().count() <= 256);
    }
    forward::entries(&text);
    Features::parse(&text);
    HostRefusal::of_server(&text);
    if HostRefusal::of_output(b"", &text).is_some() {
        assert_eq!(
            HostRefusal::of_output(b"x", &text),
            None,
            "output is no refusal"
        );
        assert!(HostRefusal::resembles(&text));
    }
    refusal::class_of_output(&text, &text);
}

pub(crate) fn frames(data: &[u8]) {
    let whole = pieces([data]);
    let half = data.len() / 2;
    let (first, second) = data.split_at(half);
    assert_eq!(whole, pieces([first, second]), "however it is cut");
    assert_eq!(whole, pieces(data.chunks(1)));
}

/// What comes out, put together.
fn pieces<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let mut frames = ShellFrames::default();
    let (mut out, mut err, mut codes) = (Vec::new(), Vec::new(), Vec::new());
    for mut part in parts {
        while let Some(piece) = frames.next(&mut part) {
            match piece {
                Piece::Stdout(data) => out.extend_from_slice(data),
                Piece::Stderr(data) => err.extend_from_slice(data),
                // Nothing is read behind it.
                Piece::Exit(code) => {
                    codes.push(code);
                    return (out, err, codes);
                }
            }
        }
        assert!(part.is_empty());
    }
    (out, err, codes)
}
