//! The primitives of the page's replies: numbers, texts with their escapes, and what is said of a field that is wrong.
//!
//! In texts `}0`, `}1` and `}2` stand for `}`, `|` and `~`; nothing else is escaped.

use std::fmt;

/// No page reply is longer: three bytes for each unit of the largest limit anyone should set.
pub(super) const MAX_BYTES: usize = 96 << 20;

/// A reply that isn't one of ours, or is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page's reply is unusable: {field} of record {record} {problem}")]
pub(crate) struct DecodeError {
    /// The field that is wrong.
    pub(crate) field: &'static str,
    /// The record it belongs to; 0 also for everything before the first.
    pub(crate) record: usize,
    /// What is wrong with it.
    pub(crate) problem: Problem,
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// It isn't there: the reply was cut off.
    Missing,
    /// It can't be read.
    Malformed,
    /// It refers to something that isn't there, or contradicts a count.
    Inconsistent,
    /// It is over a limit.
    TooLarge,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Problem::Missing => "is missing",
            Problem::Malformed => "is malformed",
            Problem::Inconsistent => "contradicts the rest",
            Problem::TooLarge => "is too large",
        })
    }
}

pub(super) type Result<T> = std::result::Result<T, DecodeError>;

pub(super) fn fail<T>(field: &'static str, record: usize, problem: Problem) -> Result<T> {
    Err(DecodeError {
        field,
        record,
        problem,
    })
}

/// Leading digits as a number, and the rest.
pub(super) fn digits(text: &str) -> (Option<usize>, &str) {
    let end = text
        .bytes()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (count(digits), rest)
}

pub(super) fn count(text: &str) -> Option<usize> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    text.bytes().try_fold(0, |sum: usize, byte| {
        byte.is_ascii_digit()
            .then(|| sum * 10 + usize::from(byte - b'0'))
    })
}

/// A decimal as the scripts write it: sign, up to nine digits, up to four decimals. Written out because it is called four times
/// per record, and the general parser takes exponents, `inf` and `nan`, too.
pub(super) fn number(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let (negative, bytes) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    };
    let mut value: u64 = 0;
    let mut whole = 0;
    let mut fraction = None;
    for byte in bytes {
        match (byte, &mut fraction) {
            (b'0'..=b'9', places) => {
                value = value * 10 + u64::from(byte - b'0');
                match places {
                    Some(places) if *places < 4 => *places += 1,
                    None if whole < 9 => whole += 1,
                    _ => return None,
                }
            }
            (b'.', None) => fraction = Some(0),
            _ => return None,
        }
    }
    if whole == 0 || fraction == Some(0) {
        return None;
    }
    let scale = [1.0, 10.0, 100.0, 1_000.0, 10_000.0][fraction.unwrap_or(0)];
    #[expect(clippy::cast_precision_loss, reason = "thirteen digits fit")]
    let value = value as f64 / scale;
    Some(if negative { -value } else { value })
}

pub(super) fn unescape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('}') {
        out.push_str(plain);
        let (original, skip) = match escaped.as_bytes().first() {
            Some(b'0') => ('}', 1),
            Some(b'1') => ('|', 1),
            Some(b'2') => ('~', 1),
            // Not ours: kept as it is.
            _ => ('}', 0),
        };
        out.push(original);
        rest = &escaped[skip..];
    }
    out.push_str(rest);
}

pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    unescape(text, &mut out);
    out
}

pub(super) fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let mut out = [0.0; N];
    let mut parts = text.split(',');
    for slot in &mut out {
        *slot = number(parts.next()?)?;
    }
    parts.next().is_none().then_some(out)
}
