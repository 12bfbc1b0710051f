//! This source before another one.

use agent_device_core::{
    Call, Result, Snapshot, SnapshotBackend,
    action::Target,
    async_trait,
    geometry::Rect,
    snapshot::{CaptureOptions, QualityReason, QualityState},
};

use super::{backend::SimulatorAx, failure::AxFailure};

/// Asks the simulator's accessibility server first, and another source for what that doesn't answer.
///
/// A tree of the other source that is there because the first one failed is `recovered`, with the reason `capture-failed`.
/// Captures that the first one never answers, or not yet, are the other's own.
#[derive(Debug)]
pub struct AxFirst<F> {
    first: SimulatorAx,
    fallback: F,
}

impl<F> AxFirst<F> {
    /// `first`, and then `fallback`.
    pub fn new(first: SimulatorAx, fallback: F) -> Self {
        Self { first, fallback }
    }

    /// The source that is asked first.
    pub fn first(&self) -> &SimulatorAx {
        &self.first
    }

    /// The source that is asked then.
    pub fn fallback(&self) -> &F {
        &self.fallback
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl<F: SnapshotBackend> SnapshotBackend for AxFirst<F> {
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
        let failure = match self.first.look(options, call).await {
            Ok(snapshot) => return Ok(snapshot),
            Err(failure @ AxFailure::Canceled) => return Err(failure.into()),
            Err(failure) => failure,
        };
        tracing::debug!(name: "agent_device.ax.fallback", reason = %failure.reason(), "another source is asked: {failure}");
        let snapshot = self.fallback.capture(options, call).await?;
        if failure.is_expected() || snapshot.quality().state != QualityState::Healthy {
            return Ok(snapshot);
        }
        let mut quality = snapshot.quality().clone();
        quality.state = QualityState::Recovered;
        quality.reason = Some(QualityReason::CaptureFailed);
        Ok(snapshot.with_quality(quality))
    }

    fn honours_cancel(&self) -> bool {
        self.fallback.honours_cancel()
    }

    async fn find_text(&self, text: &str, call: &Call) -> Result<Option<bool>> {
        self.fallback.find_text(text, call).await
    }

    async fn confirm_visible(&self, target: &Target, call: &Call) -> Result<Option<Rect>> {
        self.fallback.confirm_visible(target, call).await
    }
}
