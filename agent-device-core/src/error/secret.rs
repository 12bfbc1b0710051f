//! What hides secrets from errors: by the names that stand beside them, and by the text itself where it is known.

use std::{borrow::Cow, error::Error as StdError, fmt, ops::Range};

use serde_json::{Value, json};

use crate::snapshot;

pub(super) const REDACTED: &str = "[REDACTED]";

const SECRET_KEYS: &[&str] = &[
    "token",
    "secret",
    "password",
    "passwd",
    "authorization",
    "cookie",
    "apikey",
    "accesskey",
    "privatekey",
    "usercode",
    "devicecode",
    "refreshcredential",
];

pub(super) fn names_secret(key: &str) -> bool {
    let squashed: String = key
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    SECRET_KEYS.iter().any(|secret| squashed.contains(secret))
}

/// Replaces the values of `key=value` and `key: value` pairs that name a secret, bearer tokens, and passwords in URLs.
pub(super) fn redact_text(text: Cow<'static, str>) -> Cow<'static, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut hide = |from: usize, to: usize, out: &mut String| {
        if from >= copied && to > from {
            out.push_str(&text[copied..from]);
            out.push_str(REDACTED);
            copied = to;
        }
    };
    let value_end = |from: usize| {
        text[from..]
            .find(|c: char| {
                c.is_whitespace() || matches!(c, '&' | ',' | ';' | '"' | '\'' | '}' | ')')
            })
            .map_or(text.len(), |at| from + at)
    };
    let mut at = 0;
    while let Some(found) = text[at..].find(['=', ':', ' ']) {
        let mark = at + found;
        at = mark + 1;
        let key_start = text[..mark]
            .rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '"')))
            .map_or(0, |before| {
                before + text[before..].chars().next().map_or(1, char::len_utf8)
            });
        let key = &text[key_start..mark];
        let sign = text.as_bytes()[mark];
        if sign == b' ' {
            if key.eq_ignore_ascii_case("bearer") || key.eq_ignore_ascii_case("basic") {
                at = value_end(mark + 1);
                hide(mark + 1, at, &mut out);
            }
            continue;
        }
        if text[mark..].starts_with("://") {
            let host_end = text[mark + 3..]
                .find(['/', '?', '#', ' '])
                .map_or(text.len(), |end| mark + 3 + end);
            if let Some(user_end) = text[mark + 3..host_end].rfind('@') {
                hide(mark + 3, mark + 3 + user_end, &mut out);
                at = at.max(mark + 3 + user_end);
            }
            continue;
        }
        if names_secret(key) {
            let rest = &text[mark + 1..];
            let skip = rest.len() - rest.trim_start_matches([' ', '"', '\'']).len();
            let mut from = mark + 1 + skip;
            for scheme in ["bearer ", "basic "] {
                if text
                    .get(from..from + scheme.len())
                    .is_some_and(|word| word.eq_ignore_ascii_case(scheme))
                {
                    from += scheme.len();
                }
            }
            // What is hidden holds nothing more to find: each byte is looked at once, whatever a device repeats.
            at = value_end(from);
            hide(from, at, &mut out);
        }
    }
    if copied == 0 && out.is_empty() {
        return text;
    }
    out.push_str(&text[copied..]);
    out.into()
}

pub(super) fn edit_strings(value: &mut Value, edit: &impl Fn(&str) -> String) {
    // A work list instead of recursion: details may hold what a device sent.
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => *text = edit(text),
            Value::Array(items) => open.extend(items.iter_mut()),
            Value::Object(map) => open.extend(map.values_mut()),
            _ => {}
        }
    }
}

pub(super) fn redact_value(mut value: Value) -> Value {
    let mut open = vec![&mut value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => *text = redact_text(std::mem::take(text).into()).into_owned(),
            Value::Array(items) => open.extend(items.iter_mut()),
            Value::Object(map) => {
                for (key, value) in map.iter_mut() {
                    if names_secret(key) {
                        *value = json!(REDACTED);
                    } else {
                        open.push(value);
                    }
                }
            }
            _ => {}
        }
    }
    value
}

pub(super) fn chain_contains(error: &(dyn StdError + 'static), secret: &Secret) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if secret.is_in(&error.to_string()) || secret.is_in(&format!("{error:?}")) {
            return true;
        }
        next = error.source();
    }
    false
}

/// How many characters of a secret give it away. Fewer stand anywhere by chance.
const TELLING: usize = 3;
/// What stands where texts of devices, tools and this crate's own lines are cut.
const CUT: char = '…';

/// A text to hide, in the forms in which it shows up: plain, and escaped by JSON, by `Debug` and in the lines of elements.
pub(crate) struct Secret {
    forms: Vec<String>,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl Secret {
    pub(crate) fn new(secret: &str) -> Self {
        let unquoted = |text: String| text[1..text.len() - 1].to_owned();
        let mut forms = vec![
            secret.to_owned(),
            unquoted(json!(secret).to_string()),
            unquoted(format!("{secret:?}")),
            snapshot::escaped(secret),
        ];
        forms.sort_unstable();
        forms.dedup();
        forms.retain(|form| !form.is_empty());
        Self { forms }
    }

    /// Whether it is the same text.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.forms == other.forms
    }

    fn is_in(&self, text: &str) -> bool {
        !self.places(text).is_empty()
    }

    pub(crate) fn hide(&self, text: &str) -> String {
        let mut places = self.places(text);
        places.sort_unstable_by_key(|place| place.start);
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for place in places {
            if place.start > copied || (place.start == 0 && out.is_empty()) {
                out.push_str(&text[copied..place.start]);
                out.push_str(REDACTED);
            }
            copied = copied.max(place.end);
        }
        out.push_str(&text[copied..]);
        out
    }

    /// Where it stands in `text`: whole, or what a cut has left of it. Texts are cut before anyone knows of a secret in them.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let cuts = || {
            text.match_indices(CUT)
                .map(|(at, cut)| (at, at + cut.len()))
        };
        // A line quotes what it cuts.
        let ends = cuts().map(|(at, _)| text[..at].trim_end_matches('"').len());
        let ends: Vec<usize> = ends.chain([text.len()]).collect();
        let starts: Vec<usize> = cuts().map(|(_, after)| after).chain([0]).collect();
        let mut places = Vec::new();
        for form in &self.forms {
            let whole = text.match_indices(form.as_str());
            let whole = whole.map(|(at, found)| at..at + found.len());
            if form.chars().nth(TELLING - 1).is_none() {
                // A letter or two stand in many words.
                places.extend(whole.filter(|place| stands_alone(text, place)));
                continue;
            }
            places.extend(whole);
            let tells = |part: &str| part.chars().nth(TELLING - 1).is_some();
            for (at, _) in form.char_indices().skip(1) {
                let (head, tail) = form.split_at(at);
                if tells(head) {
                    let cut = ends.iter().filter(|end| text[..**end].ends_with(head));
                    places.extend(cut.map(|end| end - head.len()..*end));
                }
                if tells(tail) {
                    let cut = starts
                        .iter()
                        .filter(|start| text[**start..].starts_with(tail));
                    places.extend(cut.map(|start| *start..start + tail.len()));
                }
            }
        }
        places
    }
}

fn stands_alone(text: &str, place: &Range<usize>) -> bool {
    let before = text[..place.start].chars().next_back();
    let after = text[place.end..].chars().next();
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cut_has_left_of_a_secret_is_hidden() {
        let secret = Secret::new("correct horse");
        for (text, hidden) in [
            ("typed correct hor", "typed [REDACTED]"),
            ("typed corr…", "typed [REDACTED]…"),
            ("…t horse was typed", "…[REDACTED] was typed"),
            (
                r#"[text-field] "Name" value="correct h"…(+552) id="n""#,
                r#"[text-field] "Name" value="[REDACTED]"…(+552) id="n""#,
            ),
            (
                "orse, correct horse, corre",
                "[REDACTED], [REDACTED], [REDACTED]",
            ),
            ("horse", "[REDACTED]"),
            ("a tap", "a tap"),
            ("in co", "in co"),
            ("", ""),
        ] {
            assert_eq!(secret.hide(text), hidden);
            assert_eq!(secret.is_in(text), text != hidden, "{text}");
        }
    }

    #[test]
    fn a_letter_is_hidden_where_it_stands_alone() {
        let secret = Secret::new("7");
        assert_eq!(
            secret.hide(r#"value="7", 7 of 70, x7"#),
            r#"value="[REDACTED]", [REDACTED] of 70, x7"#
        );
    }

    #[test]
    fn the_escapes_of_lines_do_not_give_a_secret_away() {
        for content in [
            "a\tb \u{1b}key",
            "-----BEGIN-----\nMIIE",
            "say \"x\"",
            "tur\u{202e}ned",
        ] {
            let line = format!("value=\"{}\"", snapshot::escaped(content));
            assert_eq!(Secret::new(content).hide(&line), "value=\"[REDACTED]\"");
        }
    }

    #[test]
    fn a_long_text_is_looked_at_once() {
        // Looking anew at the rest after each key would take hours.
        let text = "token=".repeat(1 << 20);
        assert_eq!(redact_text(text.into()), "token=[REDACTED]");
        let secret = Secret::new(&"ab".repeat(1 << 16));
        assert_eq!(secret.hide("a tap"), "a tap");
    }

    #[test]
    fn text_without_a_secret_is_left_alone() {
        for text in [
            "",
            "plain",
            "a=b: c",
            "http://host/path?x=1",
            "ключ=значение: é",
        ] {
            assert_eq!(redact_text(text.into()), text);
        }
    }
}
