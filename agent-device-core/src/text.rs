//! Whether a field holds what was typed: one rule for all backends.
//!
//! A backend reads the field back, or the core reads it from a capture. Nothing here knows how text is injected.

use serde::Serialize;

use crate::{
    action::{FieldState, Text},
    snapshot::{Flag, Node},
};

/// What reading the field back showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FillCheck {
    /// The field holds the text. For a secret field, or one that hides its text: as many characters.
    Verified,
    /// The app reformatted the text: the same letters and digits with other punctuation (a phone number).
    Reformatted,
    /// The field can't be read.
    Unobserved,
}

/// The field holds something else. With clearing, also a field that can't be read: absent is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// How many characters the field holds, if it can be read.
    pub(crate) observed: Option<usize>,
}

/// Compares what a field holds with what it should hold.
pub(crate) fn verify(wanted: &Text, observed: &FieldState) -> Result<FillCheck, Mismatch> {
    let exact = wanted.is_secret();
    let wanted = wanted.expose();
    match observed {
        FieldState::Unreadable if wanted.is_empty() => Err(Mismatch { observed: None }),
        FieldState::Unreadable => Ok(FillCheck::Unobserved),
        FieldState::Length(length) => {
            if is_length_of(wanted, *length) {
                Ok(FillCheck::Verified)
            } else {
                Err(Mismatch {
                    observed: Some(*length),
                })
            }
        }
        FieldState::Text(text) => {
            let length = text.chars().count();
            let mismatch = Mismatch {
                observed: Some(length),
            };
            if text == wanted || (is_masked(text) && is_length_of(wanted, length)) {
                Ok(FillCheck::Verified)
            } else if wanted.is_empty() || text.is_empty() || exact {
                // A password that is capitalised or trimmed is another one.
                Err(mismatch)
            } else if words(text).eq(words(wanted)) || auto_capitalised(text, wanted) {
                Ok(FillCheck::Verified)
            } else if substance(wanted).next().is_some() && substance(text).eq(substance(wanted)) {
                Ok(FillCheck::Reformatted)
            } else {
                Err(mismatch)
            }
        }
    }
}

/// What a field holds, as far as a capture tells: for backends that read a field back by captures of their own.
///
/// A secret field is [`Unreadable`](FieldState::Unreadable), and so is one without a value: absent is not empty. One that shows
/// its hint is empty, whatever it shows as its value: some platforms tell the hint there.
pub fn field_state(node: Node<'_>) -> FieldState {
    match held(node) {
        Some(value) => FieldState::Text(value.to_owned()),
        None => FieldState::Unreadable,
    }
}

/// What an element holds, if that is told: nothing while it shows its hint.
pub(crate) fn held(node: Node<'_>) -> Option<&str> {
    if node.is(Flag::HintShowing) && !node.is(Flag::Secure) {
        return Some("");
    }
    node.value()
}

/// Devices count characters or UTF-16 units.
fn is_length_of(text: &str, length: usize) -> bool {
    length == text.chars().count() || length == text.encode_utf16().count()
}

/// A field that hides its text without saying that it is a secret one: drawn by the app itself, or by a web view.
fn is_masked(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| matches!(c, '•' | '●' | '*'))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == '\u{a0}')
        .filter(|word| !word.is_empty())
}

fn auto_capitalised(text: &str, wanted: &str) -> bool {
    let (mut text, mut wanted) = (text.chars(), wanted.chars());
    let first = |c: Option<char>| c.map(|c| c.to_lowercase().to_string());
    first(text.next()) == first(wanted.next()) && text.eq(wanted)
}

fn substance(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Role,
        snapshot::{CaptureOptions, Quality, SnapshotBuilder, SnapshotInfo, TextField},
    };

    fn check(wanted: &str, observed: &str) -> Result<FillCheck, Mismatch> {
        verify(&wanted.into(), &FieldState::Text(observed.into()))
    }

    #[test]
    fn a_field_that_holds_the_text_is_verified() {
        assert_eq!(check("", ""), Ok(FillCheck::Verified));
        assert_eq!(check("a b", "a\u{a0} b "), Ok(FillCheck::Verified));
        assert_eq!(check("anna", "Anna"), Ok(FillCheck::Verified));
        assert_eq!(
            check("5551234567", "(555) 123-4567"),
            Ok(FillCheck::Reformatted)
        );
    }

    #[test]
    fn a_field_that_hides_its_text_is_compared_by_length() {
        for mask in ["••••", "●●●●", "****"] {
            assert_eq!(check("anna", mask), Ok(FillCheck::Verified));
            assert_eq!(
                check("hanna", mask),
                Err(Mismatch { observed: Some(4) }),
                "{mask}"
            );
        }
        assert_eq!(check("anna", "an**"), Err(Mismatch { observed: Some(4) }));
        assert!(check("", "••••").is_err());
    }

    #[test]
    fn a_field_that_holds_something_else_is_not() {
        for (wanted, observed) in [
            ("", "old"),
            ("new", ""),
            ("new", "oldnew"),
            ("12", "1"),
            ("anna", "ANNA"),
            ("!?", ".."),
        ] {
            let length = Some(observed.chars().count());
            assert_eq!(
                check(wanted, observed),
                Err(Mismatch { observed: length }),
                "{wanted}"
            );
        }
    }

    #[test]
    fn an_unreadable_field_is_never_taken_for_an_empty_one() {
        assert_eq!(
            verify(&"".into(), &FieldState::Unreadable),
            Err(Mismatch { observed: None })
        );
        assert_eq!(
            verify(&"x".into(), &FieldState::Unreadable),
            Ok(FillCheck::Unobserved)
        );
    }

    #[test]
    fn a_field_that_shows_its_hint_is_empty_and_a_secret_one_is_not_read() {
        let state = |flags: &[Flag], value: Option<&str>| {
            let mut tree = SnapshotBuilder::new(CaptureOptions::raw());
            let mut field = tree.root(Role::TextField).unwrap();
            for flag in flags {
                field.flag(*flag, true);
            }
            if let Some(value) = value {
                field.text(TextField::Value, value);
            }
            let screen = tree.finish(SnapshotInfo::new("x", Quality::healthy("x")));
            field_state(screen.nodes().next().unwrap())
        };
        let text = |text: &str| FieldState::Text(text.to_owned());
        assert_eq!(state(&[], Some("old")), text("old"));
        assert_eq!(state(&[], None), FieldState::Unreadable);
        assert_eq!(state(&[Flag::HintShowing], Some("Amount")), text(""));
        assert_eq!(state(&[Flag::HintShowing], None), text(""));
        let secret = [Flag::Secure, Flag::HintShowing];
        assert_eq!(state(&secret, Some("x")), FieldState::Unreadable);
    }

    #[test]
    fn a_secret_field_is_judged_by_its_length() {
        let secret = Text::secret("pä😀");
        assert_eq!(
            verify(&secret, &FieldState::Length(3)),
            Ok(FillCheck::Verified)
        );
        assert_eq!(
            verify(&secret, &FieldState::Length(4)),
            Ok(FillCheck::Verified)
        );
        assert_eq!(
            verify(&secret, &FieldState::Length(0)),
            Err(Mismatch { observed: Some(0) })
        );
    }

    #[test]
    fn the_runner_of_apple_devices_judges_a_field_alike() {
        let table = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../runner-swift/Fixtures/text-verification.json"
        );
        let table: serde_json::Value =
            serde_json::from_slice(&std::fs::read(table).unwrap()).unwrap();
        for case in table["cases"].as_array().unwrap() {
            if case["swiftOnly"] == true {
                continue;
            }
            let observed = match case["observed"].as_str() {
                Some(text) => FieldState::Text(text.into()),
                None => FieldState::Unreadable,
            };
            let found = match verify(&case["wanted"].as_str().unwrap().into(), &observed) {
                Ok(FillCheck::Verified) => "verified",
                Ok(FillCheck::Reformatted) => "reformatted",
                Ok(FillCheck::Unobserved) => "unobserved",
                Err(_) => "mismatch",
            };
            assert_eq!(found, case["result"], "{case}");
        }
    }
}
