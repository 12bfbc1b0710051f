//! The runner's verdict on a tree, in the core's words. Nobody derives it again from the shape of the tree.

use std::borrow::Cow;

use agent_device_core::snapshot::{Quality, QualityReason, QualityState};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Verdict {
    state: String,
    backend: String,
    reason_code: Option<String>,
    effective_depth: Option<u16>,
    timing: Option<Timing>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Timing {
    acquisition_ms: f64,
}

impl Verdict {
    /// A state or a source that is not known is no verdict; a reason that is not known is left out.
    pub(super) fn quality(&self) -> Option<Quality> {
        let state = match self.state.as_str() {
            "healthy" => QualityState::Healthy,
            "recovered" => QualityState::Recovered,
            "sparse" => QualityState::Sparse,
            _ => return None,
        };
        let source = match self.backend.as_str() {
            "tree" => "tree",
            "queries" => "queries",
            "private-ax" => "private-ax",
            _ => return None,
        };
        let reason = self.reason_code.as_deref().and_then(|code| {
            Some(match code {
                "no-nodes" => QualityReason::NoNodes,
                "sparse-tree" => QualityReason::SparseTree,
                "budget" => QualityReason::Budget,
                "deferred" => QualityReason::Deferred,
                "requested-backend" => QualityReason::RequestedBackend,
                "ax-rejected" => QualityReason::AxRejected,
                "capture-failed" => QualityReason::CaptureFailed,
                "presentation-failed" => QualityReason::PresentationFailed,
                _ => return None,
            })
        });
        let mut quality = Quality::new(state, source, reason);
        quality.effective_depth = self.effective_depth;
        Some(quality)
    }

    pub(super) fn acquisition(&self) -> Option<std::time::Duration> {
        let millis = self.timing.as_ref()?.acquisition_ms;
        std::time::Duration::try_from_secs_f64(millis / 1000.0).ok()
    }
}

/// The verdict on a tree without one. Older runners gave a root alone for a screen that they could not read.
pub(super) fn unjudged(nodes: usize) -> Quality {
    let mut quality = match nodes {
        0 => Quality::new(QualityState::Sparse, "", Some(QualityReason::NoNodes)),
        1 => Quality::new(QualityState::Sparse, "", Some(QualityReason::SparseTree)),
        _ => Quality::default(),
    };
    quality.source = Cow::Borrowed("xctest");
    quality
}
