//! What the bytes of an answer say. Pure: no I/O, no verdicts.

use serde_json::{Map, Value};

/// The key of an element in a reply, and of the older protocol.
pub(crate) const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
const LEGACY_ELEMENT: &str = "ELEMENT";

/// How much of a foreign text is kept in an error.
const EXCERPT: usize = 300;

/// A decoded answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    /// The command succeeded.
    Value(Value),
    /// The server names an error.
    Error(W3cError),
    /// A status that means failure, without an error code.
    Bare(u16, String),
    /// A status that means success, with a body that is no answer.
    Unreadable(u16),
}

/// An error as the server named it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct W3cError {
    /// The HTTP status. Secondary: servers differ in it.
    pub(crate) status: u16,
    /// The code, verbatim.
    pub(crate) code: String,
    /// The first part of the message.
    pub(crate) message: String,
    /// The text of the dialog that is in the way.
    pub(crate) dialog: Option<String>,
}

/// Decodes an answer. The code decides, never the status; a body that is no JSON keeps its status.
pub(crate) fn decode(status: u16, body: &[u8]) -> Answer {
    let success = (200..300).contains(&status);
    let Ok(mut object) = serde_json::from_slice::<Map<String, Value>>(body) else {
        return if success {
            Answer::Unreadable(status)
        } else {
            Answer::Bare(status, excerpt(&String::from_utf8_lossy(body)))
        };
    };
    // A `value` of null is an answer, a missing one is none.
    match (success, object.remove("value")) {
        (true, Some(value)) => Answer::Value(value),
        (true, None) => Answer::Unreadable(status),
        (false, Some(Value::Object(value))) if value.get("error").is_some_and(Value::is_string) => {
            let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
            let dialog = value
                .get("data")
                .and_then(|data| data.get("text"))
                .and_then(Value::as_str);
            Answer::Error(W3cError {
                status,
                code: text("error").chars().take(EXCERPT).collect(),
                message: excerpt(text("message")),
                dialog: dialog.map(|text| text.chars().take(10_000).collect()),
            })
        }
        (false, _) => Answer::Bare(status, excerpt(&String::from_utf8_lossy(body))),
    }
}

/// The first line, cut.
fn excerpt(text: &str) -> String {
    text.lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(EXCERPT)
        .collect()
}

/// The id of an element in a reply.
pub(crate) fn element_id(value: &Value) -> Option<&str> {
    value
        .get(ELEMENT)
        .or_else(|| value.get(LEGACY_ELEMENT))
        .and_then(Value::as_str)
        .filter(|id| !id.is_empty() && id.len() <= 1000)
}

/// A part of a path that comes from outside, so that it can't change the route.
pub(crate) fn segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    // Dots alone would be resolved away, also when they are escaped. No server has such an id.
    if out.chars().all(|c| c == '.') {
        return "_".to_owned();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_code_is_kept_as_it_came() {
        let body = json!({"value": {"error": "no such planet", "message": "first\nsecond", "stacktrace": "x",
            "data": {"text": "Sure?"}}});
        let Answer::Error(error) = decode(500, body.to_string().as_bytes()) else {
            panic!()
        };
        assert_eq!(error.code, "no such planet");
        assert_eq!(error.message, "first");
        assert_eq!(error.dialog.as_deref(), Some("Sure?"));
    }

    #[test]
    fn a_body_that_is_no_json_keeps_its_status() {
        let body = b"HTTP method not allowed";
        assert_eq!(
            decode(405, body),
            Answer::Bare(405, "HTTP method not allowed".into())
        );
        assert_eq!(decode(200, body), Answer::Unreadable(200));
        assert_eq!(
            decode(503, b"\xff\xfe"),
            Answer::Bare(503, "\u{fffd}\u{fffd}".into())
        );
    }

    #[test]
    fn a_missing_value_is_no_answer_and_null_is_one() {
        assert_eq!(decode(200, b"{\"value\":null}"), Answer::Value(Value::Null));
        assert_eq!(decode(200, b"{}"), Answer::Unreadable(200));
        assert_eq!(decode(200, b""), Answer::Unreadable(200));
        assert_eq!(decode(200, b"[1]"), Answer::Unreadable(200));
    }

    #[test]
    fn an_error_value_under_a_success_status_is_a_value() {
        let body = json!({"value": {"error": "mine"}});
        assert_eq!(
            decode(200, body.to_string().as_bytes()),
            Answer::Value(json!({"error": "mine"}))
        );
    }

    #[test]
    fn depth_without_end_is_refused_and_not_followed() {
        let body = [b"{\"value\":".as_slice(), &[b'['; 100_000]].concat();
        assert_eq!(decode(200, &body), Answer::Unreadable(200));
    }

    #[test]
    fn a_foreign_id_stays_one_segment() {
        assert_eq!(segment("f.1A.d.2B.e.3"), "f.1A.d.2B.e.3");
        assert_eq!(segment("../x?y#z"), "..%2Fx%3Fy%23z");
        assert_eq!((segment("..").as_str(), segment("").as_str()), ("_", "_"));
    }
}
