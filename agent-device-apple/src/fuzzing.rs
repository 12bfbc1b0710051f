//! What a fuzzer calls: each function reads bytes of one kind and holds the readers to what they promise of any bytes.

#![allow(missing_docs, reason = "for the fuzzer in this repository")]

use agent_device_core::snapshot::CaptureOptions;

use crate::{
    runner, tools,
    tree::{Decoded, Facts, Limits, decode, decode_source},
};

const NODES: usize = 2_000;

fn limits() -> Limits {
    let mut limits = Limits::default();
    (limits.nodes, limits.depth) = (NODES, 200);
    limits
}

fn held(decoded: &Decoded) {
    assert!(decoded.snapshot.len() <= NODES);
    drop(decoded.snapshot.view().to_string());
}

/// A reply of the runner: with a tree, and with the fields of any other command.
pub fn runner_reply(data: &[u8]) {
    if let Ok(decoded) = decode(
        data,
        CaptureOptions::default(),
        &Facts::default(),
        &limits(),
    ) {
        held(&decoded);
    }
    runner::fuzzing::reply(data);
}

/// A page source as Appium writes it.
pub fn page_source(data: &[u8]) {
    if let Ok(decoded) = decode_source(
        data,
        CaptureOptions::default(),
        &Facts::default(),
        &limits(),
    ) {
        held(&decoded);
    }
}

/// A reply of the accessibility guest in a simulator.
#[cfg(unix)]
pub fn ax_reply(data: &[u8]) {
    crate::ax::fuzz(data);
}

/// A frame of the daemon that owns the cables to phones.
pub fn usbmux_frame(data: &[u8]) {
    runner::fuzzing::frame(data);
}

/// What Xcode's tools print and write.
pub fn tool_output(data: &[u8]) {
    tools::fuzz(data);
    runner::fuzzing::marks(&String::from_utf8_lossy(data));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    /// A seed with a part of it taken out, written twice or overwritten, the same for the same numbers.
    fn changed(seed: &[u8], edits: &[(usize, usize, u8)]) -> Vec<u8> {
        let mut bytes = seed.to_vec();
        for &(from, length, byte) in edits {
            let from = from % bytes.len().max(1);
            let to = (from + length).min(bytes.len());
            match byte % 4 {
                0 => drop(bytes.drain(from..to)),
                1 => {
                    let part = bytes[from..to].to_vec();
                    bytes.extend(part);
                }
                2 => bytes.truncate(to),
                _ => {
                    if let Some(place) = bytes.get_mut(from) {
                        *place = byte;
                    }
                }
            }
        }
        bytes
    }

    macro_rules! smoke {
        ($($target:ident: $($seed:literal),+;)*) => {$(
            proptest! {
                #[test]
                fn $target(edits in proptest::collection::vec((any::<usize>(), 0..60_usize, any::<u8>()), 0..5)) {
                    for seed in [$(&include_bytes!(concat!("../../fuzz/seeds/", stringify!($target), "/", $seed))[..]),+] {
                        super::$target(&changed(seed, &edits));
                    }
                }
            }
        )*};
    }

    smoke! {
        runner_reply: "tree", "failure", "journal";
        page_source: "source.xml";
        ax_reply: "tree", "failure";
        usbmux_frame: "devices";
        tool_output: "simctl", "listapps", "coredevices", "devicectl", "launch", "xctestrun";
    }
}
