//! The device side and this crate spell the words of their protocol alike. The device's own tests read the same file.

#![cfg(feature = "adb")]
#![allow(clippy::unwrap_used, reason = "a test that unwraps in vain has failed")]

use std::{fs, path::Path};

/// What is compiled into the crate: sources without their tests.
fn sources(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let (code, _) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
            for line in code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
            {
                into.push_str(line);
                into.push('\n');
            }
        }
    }
}

/// Whether the word stands there as a whole, at least in one place.
fn is_spelled(word: &str, code: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        let opens = !word.starts_with(inside) || !before.is_some_and(inside);
        opens && (!word.ends_with(inside) || !after.is_some_and(inside))
    })
}

#[test]
fn every_word_of_the_wire_is_spelled_as_the_device_spells_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut code = String::new();
    sources(&root.join("src"), &mut code);
    let wire = fs::read_to_string(root.join("../helper-apk/wire.properties")).unwrap();
    let words = wire
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "));
    let mut count = 0;
    for (name, word) in words {
        count += 1;
        assert!(
            is_spelled(word, &code),
            "{name}: no source of this crate says {word:?}"
        );
    }
    assert!(count > 20, "{count} words only");
}
