//! Captures that can be trusted: not the screen from before the last action, not one that has not drawn yet.
//!
//! After an action that may lead somewhere else, accessibility can go on telling the old screen for a while, and so can the
//! frameworks that keep their own copy of it. A tree that shows what it showed before such an action is therefore asked for
//! again, until it changes or it has had its time: an action may also change nothing. A tree that differs in little is believed:
//! most actions change little, and doubt would cost each of them more than a second.

use std::{
    hash::{DefaultHasher, Hasher as _},
    time::Duration,
};

use agent_device_core::{
    Call, Error, ErrorCode, Result, Snapshot,
    dispatch::rows,
    observe::{End, Judgement, Schedule, observe_until},
    reason,
    snapshot::CaptureOptions,
};
use tokio::time::Instant;

use super::{Look, look};
use crate::{backend::Memory, helper::Helper, hierarchy::SYSTEM_DIALOG};

/// For how long after an action a capture is doubted.
const DOUBT: Duration = Duration::from_millis(2500);
/// Until when after it a doubtful tree is asked for again, and after which pauses.
const LAG: Duration = Duration::from_millis(1500);
const PAUSES: [Duration; 3] = [
    Duration::from_millis(250),
    Duration::from_millis(400),
    Duration::from_millis(600),
];
/// A tree without content is asked for so often.
const POOR_LOOKS: u32 = 3;

/// An action after which the screen may be another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    at: Instant,
    before: u64,
}

impl Mark {
    /// An action that begins now, on a screen whose document had this fingerprint when it was seen last.
    pub(crate) fn now(before: u64) -> Self {
        Self {
            at: Instant::now(),
            before,
        }
    }
}

/// Documents that show the same have the same one. What changes by itself, or with a press that has led nowhere yet, is no other
/// screen: the system's bars with their clock, and which element has the focus or is selected.
pub(crate) fn fingerprint(document: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut tags = memchr::memchr_iter(b'<', document).peekable();
    while let Some(at) = tags.next() {
        let end = tags.peek().copied().unwrap_or(document.len());
        let tag = document.get(at..end).unwrap_or_default();
        if memchr::memmem::find(tag, b" package=\"com.android.systemui\"").is_none() {
            feed(&mut hasher, tag, &[b" focused=\"", b" selected=\""]);
        }
    }
    hasher.finish()
}

/// Hashes a tag without these attributes. A quote within a value is always escaped.
fn feed(hasher: &mut DefaultHasher, mut tag: &[u8], but: &[&[u8]]) {
    let [attribute, others @ ..] = but else {
        hasher.write(tag);
        return;
    };
    while let Some(at) = memchr::memmem::find(tag, attribute) {
        let (before, rest) = tag.split_at(at);
        feed(hasher, before, others);
        let value = rest.get(attribute.len()..).unwrap_or_default();
        let end = memchr::memchr(b'"', value).map_or(value.len(), |end| end + 1);
        tag = value.get(end..).unwrap_or_default();
    }
    feed(hasher, tag, others);
}

/// What is to be done about a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    Full,
    /// Look again after so long.
    Again(Duration),
    /// Doubtful, and it has had its time.
    Enough,
}

fn trust(look: &Look, mark: Option<Mark>, looks: u32, now: Instant) -> Trust {
    let doubted = mark.filter(|mark| now - mark.at <= DOUBT && mark.before == look.fingerprint);
    let nth = usize::try_from(looks.saturating_sub(1)).unwrap_or(usize::MAX);
    if let Some(mark) = doubted {
        let left = LAG.saturating_sub(now - mark.at);
        return match PAUSES.get(nth) {
            Some(pause) if !left.is_zero() => Trust::Again((*pause).min(left)),
            _ => Trust::Enough,
        };
    }
    match look.poor {
        true if looks < POOR_LOOKS => Trust::Again(PAUSES[0]),
        true => Trust::Enough,
        false => Trust::Full,
    }
}

pub(crate) async fn capture(
    helper: &Helper,
    memory: &Memory,
    options: &CaptureOptions,
    call: &Call,
) -> Result<Snapshot> {
    let mark = memory.mark();
    let schedule = Schedule::new("capture", PAUSES[0], LAG.min(call.remaining()));
    let observed = observe_until(
        schedule,
        call.cancel(),
        None,
        |_| look(helper, memory, options, call),
        |_| false,
        |look: &Look, _, looks| match trust(look, mark, looks, Instant::now()) {
            Trust::Full | Trust::Enough => Judgement::Done(()),
            Trust::Again(pause) => Judgement::Continue {
                budget: None,
                pause: Some(pause),
            },
        },
    )
    .await;
    let look = match observed.end {
        End::Done { value, .. } => value,
        End::Expired {
            last: Some(value), ..
        } => value,
        End::Failed { error, .. } => return Err(error),
        _ => return Err(canceled()),
    };
    let stale = mark.is_some_and(|mark| mark.before == look.fingerprint);
    tracing::debug!(
        name: "agent_device.android.captured",
        looks = observed.timeline.count(),
        unchanged = stale,
        poor = look.poor,
        "captured"
    );
    let info = look.snapshot.info();
    memory.saw(
        look.fingerprint,
        info.app.as_deref(),
        info.system_surface.as_deref() == Some(SYSTEM_DIALOG),
    );
    Ok(match stale {
        true => look
            .snapshot
            .with_detail("freshness", "unchanged-since-the-action")
            .with_detail("looks", observed.timeline.count().to_string()),
        false => look.snapshot,
    })
}

fn canceled() -> Error {
    Error::refused(
        rows::core::REFUSAL_CANCELED_BEFORE_SEND,
        ErrorCode::CommandFailed,
        "the caller cancelled",
    )
    .with_reason(reason::REQUEST_CANCELED)
}

#[cfg(test)]
mod tests {
    use agent_device_core::snapshot::{Quality, SnapshotBuilder, SnapshotInfo};

    use super::*;

    fn look(fingerprint: u64, poor: bool) -> Look {
        let builder = SnapshotBuilder::new(CaptureOptions::default());
        Look {
            snapshot: builder.finish(SnapshotInfo::new("x", Quality::healthy("x"))),
            fingerprint,
            poor,
        }
    }

    #[test]
    fn a_clock_and_a_pressed_button_make_no_other_screen() {
        let screen = |clock: &str, button: &str, text: &str| {
            fingerprint(
                format!(
                    "<hierarchy rotation=\"0\"><node text=\"{clock}\" package=\"com.android.systemui\" bounds=\"[0,0][9,9]\" />\
                     <node text=\"Next\" package=\"com.app\"{button} bounds=\"[0,0][9,9]\" /><node text=\"{text}\" /></hierarchy>"
                )
                .as_bytes(),
            )
        };
        let before = screen("9:41", " selected=\"false\"", "one");
        for button in [
            " focused=\"true\" selected=\"true\"",
            " selected=\"true\"",
            "",
        ] {
            assert_eq!(screen("9:42", button, "one"), before, "{button}");
        }
        assert_ne!(screen("9:41", " selected=\"false\"", "two"), before);
        assert_ne!(screen("9:41", " checked=\"true\"", "one"), before);
        for cut in [
            &b""[..],
            b"<",
            b"<a focused=\"",
            b"< selected=\"\" focused=\"x",
        ] {
            fingerprint(cut);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_unchanged_tree_is_doubted_for_a_while_after_an_action() {
        let mark = Some(Mark::now(7));
        let same = look(7, false);
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let again = |ms| Trust::Again(Duration::from_millis(ms));
        for (after, looks, wanted) in [
            (0, 1, again(250)),
            (260, 2, again(400)),
            (700, 3, again(600)),
            (1310, 4, Trust::Enough),
            // Little is left of its time.
            (1400, 1, again(100)),
            (1500, 1, Trust::Enough),
            (2501, 1, Trust::Full),
        ] {
            assert_eq!(
                trust(&same, mark, looks, at(after)),
                wanted,
                "{after} {looks}"
            );
        }
        assert_eq!(trust(&look(8, false), mark, 1, at(0)), Trust::Full);
        assert_eq!(trust(&same, None, 1, at(0)), Trust::Full);
    }

    #[tokio::test(start_paused = true)]
    async fn a_tree_without_content_is_asked_for_three_times() {
        let poor = look(7, true);
        let now = Instant::now();
        let seen = [1, 2, 3].map(|looks| trust(&poor, None, looks, now));
        let again = Trust::Again(Duration::from_millis(250));
        assert_eq!(seen, [again, again, Trust::Enough]);
    }
}
