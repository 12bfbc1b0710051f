//! What hides secrets from errors: by the names that stand beside them, and by the text itself where it is known.

use std::{borrow::Cow, error::Error as StdError};

use serde_json::{Value, json};

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

/// How many characters at the edge of a text give a secret away. Fewer stand there by chance.
const LEFT_OF_SECRET: usize = 3;

/// A text to hide, in the forms in which it shows up: plain, and escaped by JSON or `Debug`.
pub(crate) struct Secret {
    forms: Vec<String>,
}

impl Secret {
    pub(crate) fn new(secret: &str) -> Self {
        let unquoted = |text: String| text[1..text.len() - 1].to_owned();
        let mut forms = vec![
            secret.to_owned(),
            unquoted(json!(secret).to_string()),
            unquoted(format!("{secret:?}")),
        ];
        // Longest first: a shorter form may be a part of a longer one.
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        forms.dedup();
        forms.retain(|form| !form.is_empty());
        Self { forms }
    }

    fn is_in(&self, text: &str) -> bool {
        let edges = self.left_at_the_edges(text);
        edges != (0, 0) || self.forms.iter().any(|form| text.contains(form.as_str()))
    }

    pub(crate) fn hide(&self, text: &str) -> String {
        let whole = |text: &str| {
            let hide = |text: String, form: &String| text.replace(form, REDACTED);
            self.forms.iter().fold(text.to_owned(), hide)
        };
        let (start, end) = self.left_at_the_edges(text);
        if (start, end) == (0, 0) {
            return whole(text);
        }
        let mark = |cut: usize| if cut > 0 { REDACTED } else { "" };
        let middle = text.get(start..text.len() - end).unwrap_or_default();
        format!("{}{}{}", mark(start), whole(middle), mark(end))
    }

    /// Texts of devices and tools are cut before anyone knows of a secret in them. How many bytes at the start and at the end of
    /// `text` are what such a cut can have left of one.
    fn left_at_the_edges(&self, text: &str) -> (usize, usize) {
        let (mut start, mut end) = (0, 0);
        let inner = text.trim_matches('…');
        let dots = |rest: &str| text.len() - rest.len();
        let tells = |part: &str| part.chars().nth(LEFT_OF_SECRET - 1).is_some();
        for form in &self.forms {
            let places = form.char_indices().map(|(at, _)| at).skip(1);
            for at in places {
                let (head, tail) = form.split_at(at);
                if tells(head) && inner.ends_with(head) {
                    end = end.max(head.len() + dots(text.trim_end_matches('…')));
                }
                if tells(tail) && inner.starts_with(tail) {
                    start = start.max(tail.len() + dots(text.trim_start_matches('…')));
                }
            }
        }
        (start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cut_has_left_of_a_secret_is_hidden() {
        let secret = Secret::new("correct horse");
        for (text, hidden) in [
            ("typed correct hor", "typed [REDACTED]"),
            ("typed corr…", "typed [REDACTED]"),
            ("…t horse was typed", "[REDACTED] was typed"),
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
