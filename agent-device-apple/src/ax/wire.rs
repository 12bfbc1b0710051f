//! What both ends of the socket agree on. The other half is `runner-swift/Sources/AXService`: a length of four bytes, most
//! significant first, then so many bytes of JSON.

use std::time::Duration;

use serde::Serialize;

use super::failure::AxFailure;

pub(super) const PROTOCOL_VERSION: u32 = 1;
pub(super) const SOURCE_VERSION: &str = "agent-device-ax-1";

/// How long the reply may still be on its way after the guest's own deadline: the guest ends itself there, and the end of the
/// connection says more than a deadline of ours.
pub(super) const GRACE: Duration = Duration::from_millis(250);

/// What one capture may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AxLimits {
    /// The size of a request in bytes: 64 KiB.
    pub request_bytes: usize,
    /// The size of a reply in bytes: 4 MiB. The guest refuses a larger one.
    pub reply_bytes: usize,
    /// How many elements are read: 5 000. More make the snapshot truncated.
    pub nodes: usize,
    /// How deep an element may lie below the app: 64. Deeper ones make the snapshot truncated.
    pub depth: usize,
    /// How long the guest may take: 5 s. Never more than the call has left.
    pub duration: Duration,
}

impl Default for AxLimits {
    fn default() -> Self {
        Self {
            request_bytes: 64 << 10,
            reply_bytes: 4 << 20,
            nodes: 5000,
            depth: 64,
            duration: Duration::from_secs(5),
        }
    }
}

/// The request for a tree.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Describe<'a> {
    protocol_version: u32,
    source_version: &'static str,
    request_id: &'a str,
    verb: &'static str,
    pid: u32,
    generation: &'a str,
    snapshot_tree: bool,
    automation_mode: bool,
    max_depth: usize,
    max_nodes: usize,
    max_duration_ms: u128,
    max_response_bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    native_levels_hint: Option<u32>,
}

impl<'a> Describe<'a> {
    pub(super) fn new(expected: &Expected<'a>, limits: &AxLimits, hint: Option<u32>) -> Self {
        Self {
            protocol_version: PROTOCOL_VERSION,
            source_version: SOURCE_VERSION,
            request_id: expected.request_id,
            verb: "describe",
            pid: expected.pid,
            generation: expected.generation,
            snapshot_tree: true,
            automation_mode: true,
            max_depth: limits.depth,
            max_nodes: limits.nodes,
            max_duration_ms: limits.duration.as_millis().max(1),
            max_response_bytes: limits.reply_bytes,
            native_levels_hint: hint,
        }
    }

    /// The request as a frame.
    pub(super) fn frame(&self, limits: &AxLimits) -> Result<Vec<u8>, AxFailure> {
        let mut frame = vec![0; HEADER];
        serde_json::to_writer(&mut frame, self).map_err(|_| AxFailure::unreadable("request"))?;
        let body = frame.len() - HEADER;
        let length = u32::try_from(body)
            .ok()
            .filter(|_| body <= limits.request_bytes);
        let Some(length) = length else {
            return Err(AxFailure::TooLarge {
                what: "request",
                bytes: body,
                limit: limits.request_bytes,
            });
        };
        frame[..HEADER].copy_from_slice(&length.to_be_bytes());
        Ok(frame)
    }
}

pub(super) const HEADER: usize = 4;

/// The length of the body that follows a header.
pub(super) fn body_length(header: [u8; HEADER], limit: usize) -> Result<usize, AxFailure> {
    let length = u32::from_be_bytes(header);
    usize::try_from(length)
        .ok()
        .filter(|length| *length <= limit)
        .ok_or(AxFailure::TooLarge {
            what: "reply",
            bytes: usize::try_from(length).unwrap_or(usize::MAX),
            limit,
        })
}

/// What a reply must repeat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected<'a> {
    pub(super) request_id: &'a str,
    pub(super) pid: u32,
    pub(super) generation: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(generation: &str) -> Expected<'_> {
        Expected {
            request_id: "r",
            pid: 7,
            generation,
        }
    }

    #[test]
    fn a_request_is_a_length_and_json() {
        let limits = AxLimits::default();
        let frame = Describe::new(&expected("g"), &limits, Some(32))
            .frame(&limits)
            .unwrap();
        let (header, body) = frame.split_at(HEADER);
        assert_eq!(
            body_length(header.try_into().unwrap(), 4096).unwrap(),
            body.len()
        );
        let json: serde_json::Value = serde_json::from_slice(body).unwrap();
        assert_eq!(
            json,
            serde_json::json!({
                "protocolVersion": 1, "sourceVersion": "agent-device-ax-1", "requestId": "r", "verb": "describe", "pid": 7,
                "generation": "g", "snapshotTree": true, "automationMode": true, "maxDepth": 64, "maxNodes": 5000,
                "maxDurationMs": 5000, "maxResponseBytes": 4 << 20, "nativeLevelsHint": 32,
            })
        );
    }

    #[test]
    fn a_request_beyond_its_limit_is_not_sent() {
        let limits = AxLimits::default();
        let long = "x".repeat(70_000);
        let failure = Describe::new(&expected(&long), &limits, None)
            .frame(&limits)
            .unwrap_err();
        assert!(
            matches!(
                failure,
                AxFailure::TooLarge {
                    what: "request",
                    ..
                }
            ),
            "{failure:?}"
        );
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused_before_its_body() {
        assert_eq!(body_length([0, 0, 1, 0], 256).unwrap(), 256);
        for header in [[0, 0, 1, 1], [0xff; 4]] {
            assert!(matches!(
                body_length(header, 256),
                Err(AxFailure::TooLarge { what: "reply", .. })
            ));
        }
    }
}
