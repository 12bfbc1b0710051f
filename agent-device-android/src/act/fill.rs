//! Focusing a field, and replacing what it holds.
//!
//! A tap gives the focus; a capture says whether the field that is meant has it, because the text goes to whatever has it. The
//! value is replaced, and read back by captures until it rests.

use std::time::Duration;

use super::{
    text::{self, Edit, Edited},
    touch, wait,
};
use crate::{backend::Memory, helper::Helper, see};
use agent_device_core::{
    Call, Error, ErrorCode, Result, Snapshot,
    action::{FieldState, Performed, Text, Touch},
    dispatch::rows::android_helper as rows,
    geometry::Point,
    observe::Judgement,
    snapshot::{CaptureOptions, Flag, Node},
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
    focused(helper, memory, touch, call).await?;
    Ok(Performed::by("coordinates"))
}

pub(super) async fn fill(
    helper: &Helper,
    memory: &Memory,
    touch: &Touch,
    text: &Text,
    call: &Call,
) -> Result<Performed> {
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
    let field = focused(helper, memory, touch, call).await?;
    let Edited { reply, performed } = text::edit(helper, &edit, call).await?;
    if field.secret || reply.facts.is("fieldPassword") == Some(true) {
        return Ok(match reply.facts.number("lengthAfter") {
            Some(length) => performed.with_field(FieldState::Length(length)),
            None => unread(performed),
        });
    }
    let name = field.name.as_deref();
    Ok(
        match read_back(helper, memory, name, touch.point, text, call).await {
            Some(state) => performed.with_field(state),
            None => unread(performed),
        },
    )
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
    /// Its identifier.
    name: Option<String>,
    secret: bool,
}

/// Gives the field the focus by a tap, and looks whether it has it.
async fn focused(helper: &Helper, memory: &Memory, touch: &Touch, call: &Call) -> Result<Field> {
    let wanted = touch
        .target
        .as_ref()
        .and_then(|target| target.node().identifier().map(str::to_owned));
    touch::tap(helper, memory, touch, 1, call).await?;
    let has_focus = |screen: &Snapshot, _: Option<&_>, _| {
        let mut focused = screen.nodes().filter(|node| node.is(Flag::Focused));
        match focused.find(|node| is_meant(*node, wanted.as_deref(), touch.point)) {
            Some(field) => Judgement::Done(Field {
                name: field.identifier().map(str::to_owned),
                secret: field.is(Flag::Secure),
            }),
            None => Judgement::go_on(),
        }
    };
    let field = wait::until(
        "focus",
        FOCUS_LIMIT,
        call,
        || look(helper, memory, call),
        has_focus,
    )
    .await?;
    field.ok_or_else(|| {
        Error::new(
            ErrorCode::CommandFailed,
            "the field was tapped and does not have the focus",
        )
        .uncertain(rows::FOCUS_NOT_OBSERVED)
        .with_reason("text_entry_focus_not_observed")
        .with_hint("Take a snapshot to see what has the focus, and what the tap has opened.")
    })
}

/// Whether this is the field that was meant: by its identifier, else by its place. A keyboard that slides in moves fields.
fn is_meant(node: Node<'_>, wanted: Option<&str>, point: Point) -> bool {
    match wanted {
        Some(wanted) => node.identifier() == Some(wanted),
        None => node.bounds().is_some_and(|bounds| bounds.contains(point)),
    }
}

/// What the field holds once it holds still. The text was sent: a failure here does not fail the action.
async fn read_back(
    helper: &Helper,
    memory: &Memory,
    name: Option<&str>,
    point: Point,
    text: &Text,
    call: &Call,
) -> Option<FieldState> {
    let mut before = None;
    let mut last = None;
    let rests = |screen: &Snapshot, _: Option<&_>, _| {
        let now = held(screen, name, point);
        let wanted = matches!(&now, Some(FieldState::Text(held)) if held == text.expose());
        let still = now.is_some() && now == before;
        before.clone_from(&now);
        last = now;
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
    looked.ok().and(last)
}

/// What the field holds: the one that is meant and has the focus, else the one that is meant.
fn held(screen: &Snapshot, name: Option<&str>, point: Point) -> Option<FieldState> {
    let meant = |node: &Node<'_>| is_meant(*node, name, point);
    let mut focused = screen.nodes().filter(|node| node.is(Flag::Focused));
    let mut fields = screen.nodes().filter(|node| node.is(Flag::Editable));
    focused
        .find(meant)
        .or_else(|| fields.find(meant))
        .map(state)
}

fn state(field: Node<'_>) -> FieldState {
    if field.is(Flag::Secure) {
        FieldState::Unreadable
    } else if field.is(Flag::HintShowing) {
        FieldState::Text(String::new())
    } else {
        match field.value() {
            Some(value) => FieldState::Text(value.to_owned()),
            None => FieldState::Unreadable,
        }
    }
}
