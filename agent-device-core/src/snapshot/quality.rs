//! How far a capture can be trusted.

use std::borrow::Cow;

use serde::Serialize;

use super::CaptureOptions;
use crate::geometry::Rect;

/// Whether the tree is what is on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum QualityState {
    /// The tree is complete as far as anyone knows.
    #[default]
    Healthy,
    /// The first source failed and another one gave a usable tree.
    Recovered,
    /// The tree is degraded: that something is missing proves nothing.
    Sparse,
}

/// Why a tree is not healthy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum QualityReason {
    /// The accessibility service refused.
    AxRejected,
    /// The source gave only a root.
    SparseTree,
    /// The time for the capture ran out.
    Budget,
    /// The source gave nothing.
    NoNodes,
    /// The source failed.
    CaptureFailed,
    /// The tree could not be presented.
    PresentationFailed,
    /// The first source was left out because it was slow before.
    Deferred,
    /// The caller asked for another source.
    RequestedBackend,
    /// The window of the app is there, and next to nothing is in it: it has not drawn yet, or draws without telling.
    ContentPoorAppWindow,
    /// There are windows of the system alone.
    SystemWindowOnly,
}

/// The verdict on a tree, made once by the backend that captured it. Nobody derives it again from the shape of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Quality {
    /// The verdict.
    pub state: QualityState,
    /// The source within the backend: `tree`, `queries`, `private-ax`, `helper`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub source: Cow<'static, str>,
    /// Why it is not healthy.
    #[serde(rename = "reasonCode", skip_serializing_if = "Option::is_none")]
    pub reason: Option<QualityReason>,
    /// The depth down to which the source looked, if it was limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_depth: Option<u16>,
}

impl Quality {
    /// A healthy tree from this source.
    pub fn healthy(source: &'static str) -> Self {
        Self {
            source: Cow::Borrowed(source),
            ..Self::default()
        }
    }

    /// A tree with this verdict.
    pub fn new(state: QualityState, source: &'static str, reason: Option<QualityReason>) -> Self {
        Self {
            state,
            source: Cow::Borrowed(source),
            reason,
            effective_depth: None,
        }
    }

    /// Whether the tree is degraded.
    pub fn is_sparse(&self) -> bool {
        self.state == QualityState::Sparse
    }
}

/// The on-screen keyboard. `Unknown` makes the core derive it from keyboard nodes in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "state")]
pub enum Keyboard {
    /// The backend does not say.
    #[default]
    Unknown,
    /// There is none on the screen.
    Absent,
    /// It covers this part of the screen.
    Visible {
        /// The part.
        frame: Rect,
    },
}

/// What must agree for two captures to be comparable: one producer, one source, one lineage, one presentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparisonKey {
    producer: &'static str,
    source: Cow<'static, str>,
    lineage: Option<String>,
    surface: Option<String>,
    truncated: bool,
    presentation: CaptureOptions,
}

impl super::Snapshot {
    /// The key that two captures must share before any difference between them means something. `None` when this one can't
    /// be compared: raw or sparse.
    pub fn comparison_key(&self) -> Option<ComparisonKey> {
        (!self.options.raw && !self.info.quality.is_sparse()).then(|| ComparisonKey {
            producer: self.info.producer,
            source: self.info.quality.source.clone(),
            lineage: self.info.lineage.clone(),
            surface: self.info.system_surface.clone(),
            truncated: self.info.truncated,
            presentation: self.options.clone(),
        })
    }

    /// Whether a difference between the two captures means something.
    pub fn is_comparable_with(&self, other: &Self) -> bool {
        let key = self.comparison_key();
        key.is_some() && key == other.comparison_key()
    }
}
