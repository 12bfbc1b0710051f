//! What to make of a tap after which XCTest has recorded a failure: it often records one although the tap has landed, because it
//! looks the element up again and the app has moved on.
//!
//! The screen of before and one of after are compared. If they differ, the tap has landed. If not, or if they can't be compared,
//! nothing is known. Nothing is ever tapped twice.

use std::time::Duration;

use agent_device_core::{Call, Snapshot, SnapshotBackend as _, action::Touch};

use crate::{backend::Apple, see};

/// A screen that was captured earlier than this is no witness any more.
const OLDEST: Duration = Duration::from_secs(15);

/// Whether the screen proves that the tap has landed.
pub(crate) async fn has_landed(apple: &Apple, touch: &Touch, call: &Call) -> bool {
    let Some(before) = touch.target.as_ref().map(|target| target.snapshot()) else {
        return false;
    };
    if !is_witness(apple, before) {
        return false;
    }
    let after = look_again(apple, before, call).await;
    after
        .is_some_and(|after| before.is_comparable_with(&after) && before.digest() != after.digest())
}

/// From the same source: two sources see different screens where there is one.
async fn look_again(apple: &Apple, before: &Snapshot, call: &Call) -> Option<Snapshot> {
    let source = before.quality().source.as_ref();
    #[cfg(unix)]
    if source == crate::ax::SOURCE {
        let ax = apple.simulator_ax()?;
        return ax.capture(before.options(), call).await.ok();
    }
    // Sweeps of queries can't be asked for.
    let source = ["tree", "private-ax"].contains(&source).then_some(source);
    see::last_capture(apple, before.options(), source, call)
        .await
        .ok()
}

fn is_witness(apple: &Apple, before: &Snapshot) -> bool {
    let age = apple.memory.age_of(before);
    let usable = !before.is_empty() && !before.quality().is_sparse() && !before.options().raw;
    usable && age.is_some_and(|age| age <= OLDEST)
}
