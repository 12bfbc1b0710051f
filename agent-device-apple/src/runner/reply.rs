//! What the runner answers: its envelope, and the fields that this crate reads. Pure.

use serde::Deserialize;

/// How much of the runner's words is kept.
const EXCERPT: usize = 500;

/// The envelope. `data` and `error` stand beside `ok`, and unknown fields are passed over.
#[derive(Debug, Deserialize)]
struct Envelope {
    ok: bool,
    #[serde(default)]
    data: Option<Data>,
    #[serde(default)]
    error: Option<RawFailure>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawFailure {
    code: Option<String>,
    message: String,
    hint: Option<String>,
}

/// The fields of a successful answer.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Data {
    pub(crate) message: Option<String>,
    pub(crate) image_base64: Option<String>,
    pub(crate) found: Option<bool>,
    pub(crate) items: Option<Vec<String>>,
    pub(crate) nodes: Option<Vec<Found>>,
    pub(crate) x: Option<f64>,
    pub(crate) y: Option<f64>,
    pub(crate) x2: Option<f64>,
    pub(crate) y2: Option<f64>,
    pub(crate) was_visible: Option<bool>,
    pub(crate) orientation: Option<String>,
    pub(crate) application_state: Option<String>,
    pub(crate) gesture_fallback: Option<String>,
    pub(crate) text_entry_route: Option<String>,
    pub(crate) text_entry_verification: Option<String>,
    pub(crate) lifecycle_command: Option<String>,
    pub(crate) lifecycle_state: Option<String>,
    pub(crate) lifecycle_response_ok: Option<bool>,
    pub(crate) lifecycle_response_json: Option<String>,
    pub(crate) lifecycle_error_code: Option<String>,
    pub(crate) lifecycle_error_message: Option<String>,
    pub(crate) runner_fatal: bool,
    pub(crate) runner_fatal_reason: Option<String>,
    pub(crate) runner_main_thread_busy: bool,
    pub(crate) failed_step_index: Option<u64>,
    pub(crate) completed_steps: Option<u64>,
}

/// An element of a look-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Found {
    pub(crate) rect: Option<Place>,
    pub(crate) hittable: bool,
}

/// A rectangle on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(crate) struct Place {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// The runner's own failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunnerError {
    /// Its code; empty if it gave none.
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl RunnerError {
    pub(crate) fn new(code: &str, message: &str, hint: Option<&str>) -> Self {
        let cut = |text: &str| text.chars().take(EXCERPT).collect::<String>();
        Self {
            code: cut(code.trim()),
            message: cut(message),
            hint: hint.map(cut).filter(|hint| !hint.is_empty()),
        }
    }
}

/// A decoded answer.
pub(crate) type Answer = Result<Data, RunnerError>;

/// Reads an answer; `None` if it is none.
pub(crate) fn read(body: &[u8]) -> Option<Answer> {
    let envelope: Envelope = serde_json::from_slice(body).ok()?;
    Some(match (envelope.ok, envelope.error) {
        (true, _) => Ok(envelope.data.unwrap_or_default()),
        (false, error) => {
            let error = error.unwrap_or_default();
            Err(RunnerError::new(
                error.code.as_deref().unwrap_or_default(),
                &error.message,
                error.hint.as_deref(),
            ))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_past_what_is_not_known() {
        let data =
            read(br#"{"ok":true,"data":{"message":"tapped","future":[1],"runnerFatal":true}}"#);
        let data = data.unwrap().unwrap();
        assert_eq!(data.message.as_deref(), Some("tapped"));
        assert!(data.runner_fatal);
        assert_eq!(read(br#"{"ok":true}"#), Some(Ok(Data::default())));
    }

    #[test]
    fn a_failure_may_lack_anything() {
        let error = read(br#"{"ok":false,"error":{"message":"no"}}"#)
            .unwrap()
            .unwrap_err();
        assert_eq!((error.code.as_str(), error.message.as_str()), ("", "no"));
        assert!(read(br#"{"ok":false}"#).unwrap().is_err());
    }

    #[test]
    fn what_is_no_answer_is_none() {
        for body in [
            "",
            "{}",
            "[]",
            "{\"ok\":1}",
            "\u{0}\u{1}",
            "{\"ok\":true,\"data\":",
        ] {
            assert_eq!(read(body.as_bytes()), None, "{body:?}");
        }
        let deep = format!("{{\"ok\":true,\"data\":{{\"x\":{}", "[".repeat(100_000));
        assert_eq!(read(deep.as_bytes()), None);
    }
}
