//! Focusing a field, and replacing what it holds.
//!
//! A tap gives the focus; a capture says whether the field that is meant has it, because the text goes to whatever has it. The
//! value is replaced, and read back by captures until it rests.

use std::time::Duration;

use super::{
    Acted,
    field::Meant,
    text::{self, Edit, Edited},
    touch, wait,
};
use crate::{backend::Memory, helper::Helper, see};
use agent_device_core::{
    Call, Error, ErrorCode, Result, Role, Snapshot,
    action::{FieldState, Performed, Text, Touch},
    dispatch::rows::android_helper as rows,
    observe::Judgement,
    snapshot::{CaptureOptions, Flag},
    text::field_state,
};

/// How long a field may take until it has the focus.
const FOCUS_LIMIT: Duration = Duration::from_millis(1500);
/// How long a value may take to come to rest.
const VALUE_LIMIT: Duration = Duration::from_millis(1500);

pub(super) async fn focus(
    helper: &Helper,
    memory: &Memory,
    touch: &Touch,
    call: &Call,
) -> Result<Performed> {
    focused(helper, memory, touch, &Meant::by(touch), call).await?;
    Ok(Performed::by("coordinates"))
}

pub(super) async fn fill(
    helper: &Helper,
    memory: &Memory,
    touch: &Touch,
    text: &Text,
    call: &Call,
) -> Result<Acted> {
    let edit = Edit::replace(text)?;
    let read_only = touch
        .target
        .as_ref()
        .is_some_and(|target| target.node().is(Flag::ReadOnly));
    if read_only {
        return Err(Error::refused(
            rows::FIELD_READ_ONLY,
            ErrorCode::CommandFailed,
            "the field can't be changed",
        )
        .with_reason("android_field_read_only"));
    }
    let meant = Meant::by(touch);
    let field = focused(helper, memory, touch, &meant, call).await?;
    let edited = text::edit(helper, &edit, call).await?;
    let mut front = edited.front();
    let Edited { reply, performed } = edited;
    let held = if field.secret || reply.facts.is("fieldPassword") == Some(true) {
        reply.facts.number("lengthAfter").map(FieldState::Length)
    } else {
        let seen = read_back(helper, memory, &meant, &field.held, text, call).await;
        front = seen.front.or(front);
        seen.held
    };
    let performed = match held {
        Some(state) => performed.with_field(state),
        None => unread(performed),
    };
    Ok(Acted { performed, front })
}

fn unread(performed: Performed) -> Performed {
    performed
        .with_field(FieldState::Unreadable)
        .with_warning("what the field holds now is not known")
}

async fn look(helper: &Helper, memory: &Memory, call: &Call) -> Result<Snapshot> {
    see::tree(helper, memory, &CaptureOptions::raw(), call).await
}

/// The field that has the focus.
struct Field {
    held: FieldState,
    secret: bool,
}

/// Gives the field the focus by a tap, and looks whether it has it.
async fn focused(
    helper: &Helper,
    memory: &Memory,
    touch: &Touch,
    meant: &Meant,
    call: &Call,
) -> Result<Field> {
    touch::tap(helper, memory, touch, 1, call).await?;
    let has_focus = |screen: &Snapshot, _: Option<&_>, _| match meant.focused(screen) {
        Some(field) => Judgement::Done(Some(Field {
            held: field_state(field),
            secret: field.is(Flag::Secure),
        })),
        None if is_in_keyboard(screen) => Judgement::Done(None),
        None => Judgement::go_on(),
    };
    let field = wait::until(
        "focus",
        FOCUS_LIMIT,
        call,
        || look(helper, memory, call),
        has_focus,
    )
    .await?;
    if matches!(field, Some(None)) {
        return Err(text::captured().uncertain(rows::FOCUS_NOT_OBSERVED));
    }
    field.flatten().ok_or_else(|| {
        Error::new(
            ErrorCode::CommandFailed,
            "the field was tapped and does not have the focus",
        )
        .uncertain(rows::FOCUS_NOT_OBSERVED)
        .with_reason("text_entry_focus_not_observed")
        .with_hint("Take a snapshot to see what has the focus, and what the tap has opened.")
    })
}

/// Whether a keyboard's own field has the focus, such as that of its search: a text would go there.
fn is_in_keyboard(screen: &Snapshot) -> bool {
    let mut focused = screen
        .nodes()
        .filter(|node| node.is(Flag::Focused) && node.is(Flag::Editable));
    focused.any(|node| node.ancestors().any(|node| node.role() == Role::Keyboard))
}

/// What was seen after the text was sent.
#[derive(Default)]
struct Seen {
    held: Option<FieldState>,
    front: Option<String>,
}

/// What the field holds once it holds still. One that shows what it held before may not have drawn yet. The text was sent: a
/// failure here does not fail the action.
async fn read_back(
    helper: &Helper,
    memory: &Memory,
    meant: &Meant,
    old: &FieldState,
    text: &Text,
    call: &Call,
) -> Seen {
    let mut before = None;
    let mut last = Seen::default();
    let rests = |screen: &Snapshot, _: Option<&_>, _| {
        let now = meant.on(screen).map(field_state);
        let wanted = matches!(&now, Some(FieldState::Text(held)) if held == text.expose());
        let still = now.as_ref().is_some_and(|now| now != old) && now == before;
        before.clone_from(&now);
        last = Seen {
            held: now,
            front: see::front(screen),
        };
        if wanted || still {
            Judgement::Done(())
        } else {
            Judgement::go_on()
        }
    };
    let looked = wait::until(
        "value",
        VALUE_LIMIT,
        call,
        || look(helper, memory, call),
        rests,
    )
    .await;
    if looked.is_err() {
        last.held = None;
    }
    last
}
