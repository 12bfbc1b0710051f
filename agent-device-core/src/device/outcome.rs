//! What an action that returned tells.

use std::{borrow::Cow, time::Duration};

use serde::Serialize;

use crate::{
    error::Secret,
    geometry::Point,
    snapshot::{Diff, Digest},
    target::ResolutionInfo,
    text::FillCheck,
};

/// What became of an action that returned.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Outcome {
    /// Where it was aimed, in the backend's coordinate unit.
    pub point: Point,
    /// How the target was found.
    pub resolution: ResolutionInfo,
    /// The line of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// `Some(false)` when the platform doubts that a touch reaches the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_hittable: Option<bool>,
    /// How long the target was waited for, if more than one look was needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readiness: Option<Readiness>,
    /// Whether a fill was verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<FillCheck>,
    /// How the backend did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<&'static str>,
    /// What [`Press::verify`](super::Press::verify) saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// What [`Press::settle`](super::Press::settle) saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// Windows that opened because of the action.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opened_windows: Vec<String>,
    /// What the caller should know beside the success.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Cow<'static, str>>,
    /// How long the request took.
    #[serde(rename = "elapsedMs", serialize_with = "crate::observe::millis")]
    pub elapsed: Duration,
}

impl Outcome {
    /// Replaces a secret wherever the screen may have shown it.
    pub(super) fn hide(&mut self, secret: &Secret) {
        if let Some(target) = &mut self.target {
            *target = secret.hide(target);
        }
        for text in &mut self.resolution.alternatives {
            *text = secret.hide(text);
        }
        let diff = self
            .settled
            .as_mut()
            .and_then(|settled| settled.diff.as_mut());
        for line in diff.into_iter().flat_map(|diff| &mut diff.lines) {
            line.text = secret.hide(&line.text);
        }
    }
}

/// How long a target was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Readiness {
    /// How long it could be waited for: what was asked for, 2 s at most.
    #[serde(rename = "withinMs", serialize_with = "crate::observe::millis")]
    pub within: Duration,
    /// How many captures were made.
    pub polls: u32,
    /// From the start of the wait to its end.
    #[serde(rename = "waitedMs", serialize_with = "crate::observe::millis")]
    pub waited: Duration,
}

/// What a capture after the action shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Evidence {
    /// How many elements are in sight.
    pub node_count: usize,
    /// How many of them a touch reaches, as far as is known.
    pub interactive_node_count: usize,
    /// The digest of the screen.
    pub digest: Digest,
    /// The app in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreground_app: Option<String>,
    /// Whether the digest differs from the one before the action; `None` when the captures are not comparable.
    pub changed_from_before: Option<bool>,
}

/// How the screen settled.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Settled {
    /// Whether it came to rest within its budget.
    pub settled: bool,
    /// How many captures were made.
    pub polls: u32,
    /// How long it took.
    #[serde(rename = "waitedMs", serialize_with = "crate::observe::millis")]
    pub waited: Duration,
    /// What changed since the capture in which the target was found. Added lines carry refs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<Diff>,
    /// The generation of those refs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refs_generation: Option<u64>,
    /// What to know about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<&'static str>,
}

impl Readiness {
    pub(super) fn ended(self, end: &'static str) -> serde_json::Value {
        serde_json::json!({
            "withinMs": self.within.as_millis() as u64,
            "polls": self.polls,
            "waitedMs": self.waited.as_millis() as u64,
            "end": end,
        })
    }
}
