//! Answering alerts: their buttons are pressed, so the app learns of it as from a person.

use std::{sync::Arc, time::Duration};

use agent_device_core::{
    Call, Error, ErrorCode, Result, Snapshot,
    action::{Operation, Performed, Target, Text, Touch},
    dispatch::rows::android_helper as rows,
    observe::Judgement,
    reason,
    snapshot::{CaptureOptions, NodeId},
};

use super::{fill, key, offers, press, touch, wait};
use crate::{
    backend::Memory,
    helper::Helper,
    hierarchy::SYSTEM_DIALOG,
    see::{self, FoundAlert, find_alert},
};

/// How long an alert that is to be answered may take to come.
const COMES: Duration = Duration::from_secs(2);
/// How long an answered one may take to go.
const GOES: Duration = Duration::from_secs(2);

struct Open {
    screen: Arc<Snapshot>,
    found: FoundAlert,
}

pub(super) async fn accept(
    helper: &Helper,
    memory: &Memory,
    answer: Option<&Text>,
    call: &Call,
) -> Result<Performed> {
    if answer.is_some() {
        offers(helper, Operation::Fill)?;
    }
    let mut open = wait_for(helper, memory, call).await?;
    if let Some(answer) = answer {
        if open.found.accept.is_none() {
            return Err(no_button());
        }
        let Some(field) = open.found.field else {
            return Err(unanswerable("the alert takes no text"));
        };
        let field = touch_of(&open.screen, field)?;
        fill::fill(helper, memory, &field, answer, call).await?;
        // The keyboard may have moved the dialog, and the answer may have changed its buttons.
        open = wait_for(helper, memory, call).await?;
    }
    answer_with(helper, memory, &open, call).await
}

async fn answer_with(
    helper: &Helper,
    memory: &Memory,
    open: &Open,
    call: &Call,
) -> Result<Performed> {
    let button = open.found.accept.ok_or_else(no_button)?;
    touch::tap(helper, memory, &touch_of(&open.screen, button)?, 1, call).await?;
    gone(helper, memory, &open.found, Performed::by("element"), call).await
}

/// Has the system close an app that does not respond, by its own dialog about it. `false`: that dialog has gone by itself, and
/// nothing was pressed. An alert of the app's own is nobody's to answer here.
pub(super) async fn close_silent_app(
    helper: &Helper,
    memory: &Memory,
    call: &Call,
) -> Result<bool> {
    let of_the_system =
        |screen: &Snapshot| screen.info().system_surface.as_deref() == Some(SYSTEM_DIALOG);
    match find_open(helper, memory, of_the_system, call).await? {
        Some(open) => answer_with(helper, memory, &open, call).await.map(|_| true),
        None => Ok(false),
    }
}

pub(super) async fn dismiss(helper: &Helper, memory: &Memory, call: &Call) -> Result<Performed> {
    let open = wait_for(helper, memory, call).await?;
    let performed = match open.found.dismiss {
        Some(button) => {
            touch::tap(helper, memory, &touch_of(&open.screen, button)?, 1, call).await?;
            Performed::by("element")
        }
        None => press(helper, key::BACK, call).await?,
    };
    gone(helper, memory, &open.found, performed, call).await
}

async fn look(helper: &Helper, memory: &Memory, call: &Call) -> Result<Snapshot> {
    see::tree(helper, memory, &CaptureOptions::raw(), call).await
}

/// Waits for an alert on a screen of which this holds.
async fn find_open(
    helper: &Helper,
    memory: &Memory,
    holds: impl Fn(&Snapshot) -> bool,
    call: &Call,
) -> Result<Option<Open>> {
    let mut seen = None;
    let looking = || async { look(helper, memory, call).await.map(Arc::new) };
    let found = |screen: &Snapshot| find_alert(screen).filter(|_| holds(screen));
    let is_open = |screen: &Arc<Snapshot>, _: Option<&_>, _| match found(screen) {
        Some(found) => {
            seen = Some(Arc::clone(screen));
            Judgement::Done(found)
        }
        None => Judgement::go_on(),
    };
    let found = wait::until("alert", COMES, call, looking, is_open).await?;
    Ok(found
        .zip(seen)
        .map(|(found, screen)| Open { screen, found }))
}

async fn wait_for(helper: &Helper, memory: &Memory, call: &Call) -> Result<Open> {
    let found = find_open(helper, memory, |_| true, call).await?;
    found.ok_or_else(|| {
        Error::refused(
            rows::ALERT_NOT_FOUND,
            ErrorCode::CommandFailed,
            "no alert is open",
        )
        .with_reason(reason::ALERT_NOT_FOUND)
        .with_hint("Take a snapshot: what looks like an alert may be a part of the screen.")
    })
}

fn no_button() -> Error {
    unanswerable("the alert has no button that accepts it")
}

fn unanswerable(why: &'static str) -> Error {
    Error::refused(rows::ALERT_UNANSWERABLE, ErrorCode::CommandFailed, why)
        .with_reason("android_alert_unanswerable")
        .with_hint("Take a snapshot and press the button that is meant.")
}

fn touch_of(screen: &Arc<Snapshot>, node: NodeId) -> Result<Touch> {
    let target = Target::new(Arc::clone(screen), node);
    let bounds = target
        .as_ref()
        .and_then(|target| target.node().usable_bounds());
    match bounds {
        Some(bounds) => Ok(Touch {
            point: bounds.center(),
            target,
        }),
        None => Err(unanswerable("the alert's button has no place")),
    }
}

/// The alert was answered: that it stays, or that another follows, fails nothing.
async fn gone(
    helper: &Helper,
    memory: &Memory,
    answered: &FoundAlert,
    performed: Performed,
    call: &Call,
) -> Result<Performed> {
    let other = |screen: &Snapshot, _: Option<&_>, _| match find_alert(screen) {
        Some(found) if found.alert == answered.alert => Judgement::go_on(),
        _ => Judgement::Done(()),
    };
    let looking = || look(helper, memory, call);
    Ok(
        match wait::until("alert-gone", GOES, call, looking, other).await {
            Ok(Some(())) => performed,
            _ => performed.with_warning("whether the alert has gone is not known"),
        },
    )
}
