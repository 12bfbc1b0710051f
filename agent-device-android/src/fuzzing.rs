//! What a fuzzer calls: each function reads bytes of one kind and holds the readers to what they promise of any bytes.

#![allow(missing_docs, reason = "for the fuzzer in this repository")]
#![allow(
    clippy::expect_used,
    reason = "a promise that is broken is what is looked for"
)]

use agent_device_core::snapshot::CaptureOptions;

use crate::{
    adb::fuzzing as adb,
    helper::fuzzing as helper,
    hierarchy::{Facts, Limits, decode},
    logs,
};

pub fn hierarchy(data: &[u8]) {
    let limits = Limits {
        nodes: 2_000,
        depth: 200,
        ..Limits::default()
    };
    let facts = Facts {
        app: Some("com.x"),
        bare_ids: data.len().is_multiple_of(2),
        display: data.len().is_multiple_of(3).then_some((1080, 2400)),
        ..Facts::default()
    };
    if let Ok(decoded) = decode(data, CaptureOptions::default(), &facts, &limits) {
        assert!(decoded.snapshot.len() <= limits.nodes);
        for node in decoded.snapshot.nodes() {
            // A byte that is no UTF-8 becomes U+FFFD, which has three.
            assert!(node.label().is_none_or(|text| text.len() <= 3 * data.len()));
        }
        let _ = decoded.snapshot.view().to_string();
    }
}

pub fn adb_texts(data: &[u8]) {
    adb::texts(data);
}

pub fn shell_frames(data: &[u8]) {
    adb::frames(data);
}

pub fn helper_reply(data: &[u8]) {
    helper::reply(data);
}

pub fn instrumentation(data: &[u8]) {
    helper::printed(&String::from_utf8_lossy(data));
}

pub fn log_lines(data: &[u8]) {
    logs::read(&String::from_utf8_lossy(data));
}

#[cfg(test)]
mod tests {
    /// Changes bytes as a fuzzer would, always the same.
    struct Changes(u64);

    impl Changes {
        fn next(&mut self, below: usize) -> usize {
            // xorshift64
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % below.max(1) as u64) as usize
        }

        fn change(&mut self, seed: &[u8]) -> Vec<u8> {
            let mut bytes = seed.to_vec();
            for _ in 0..=self.next(4) {
                let (at, other) = (self.next(bytes.len()), self.next(bytes.len()));
                match self.next(7) {
                    0 if !bytes.is_empty() => bytes[at] = self.next(256) as u8,
                    1 => bytes.insert(at, self.next(256) as u8),
                    2 => bytes.truncate(at),
                    3 => drop(bytes.drain(at.min(other)..at.max(other))),
                    // A part twice, or somewhere else.
                    4 => {
                        let part = bytes[at.min(other)..at.max(other)].to_vec();
                        let to = self.next(bytes.len());
                        bytes.splice(to..to, part);
                    }
                    5 => {
                        let words: [&[u8]; 6] = [
                            b"\0",
                            b"\xff\xfe",
                            b"&#x110000;",
                            b"-2147483649",
                            b"]]>",
                            b"99999999999999999999",
                        ];
                        let word = words[self.next(words.len())];
                        bytes.splice(at..at, word.iter().copied());
                    }
                    _ if !bytes.is_empty() => bytes[at] ^= 1 << self.next(8),
                    _ => {}
                }
            }
            bytes
        }
    }

    fn changed(read: fn(&[u8]), seeds: &[&[u8]]) {
        let mut changes = Changes(0x9e37_79b9_7f4a_7c15);
        for seed in seeds {
            read(seed);
            for _ in 0..2_000 {
                read(&changes.change(seed));
            }
        }
    }

    macro_rules! smoke {
        ($($target:ident: $($seed:literal),+;)*) => {$(
            #[test]
            fn $target() {
                changed(super::$target, &[$(include_bytes!(concat!("../../fuzz/seeds/", stringify!($target), "/", $seed))),+]);
            }
        )*};
    }

    smoke! {
        hierarchy: "helper.xml", "appium.xml";
        adb_texts: "devices", "refusal", "forwards", "features";
        shell_frames: "run";
        helper_reply: "snapshot", "failure";
        instrumentation: "snapshot", "crash";
        log_lines: "lines";
    }
}
