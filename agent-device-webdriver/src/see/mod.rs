//! Looking: captures, pictures and what is not part of the tree. Nothing here changes the app.

mod dialog;
mod reach;
mod vendor;

use std::time::Duration;

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    action::{Alert, AppState, Screenshot, Target, Window},
    dispatch::rows,
    geometry::Rect,
    snapshot::{CaptureOptions, Snapshot},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{
    client::{Command, Session, Turn},
    error::{Kind, ReadFailure, WireFailure},
    page::{
        self, Act,
        answer::{self, Answer, Status},
        decode,
        text::DecodeError,
    },
};

pub(crate) use dialog::{Button, holds as in_dialog};
pub(crate) use reach::{Roots, enter};
pub(crate) use vendor::{held, parsed};

/// What is left of a command's time for everything but the page's own work.
const MARGIN: Duration = Duration::from_secs(2);

/// An answer that is not in the form that the command promises.
pub(crate) fn unreadable() -> ReadFailure {
    ReadFailure(WireFailure::Unreadable { status: None })
}

pub(crate) async fn capture(
    session: &Session,
    options: &CaptureOptions,
    call: &Call,
) -> Result<Snapshot> {
    let mut turn = session.turn(call).await?;
    let turn = &mut turn;
    let mut reply = match look(turn).await {
        Ok(reply) => reply,
        Err(Miss::Dialog(text)) => {
            return Ok(dialog::snapshot(&text, turn.memory.viewport, options));
        }
        Err(Miss::Failed(failure)) => return Err(failure.into()),
    };
    let mut capture = decode::capture(&reply, options.clone()).map_err(unusable)?;
    turn.memory.viewport = capture.snapshot.info().viewport;
    if turn.memory.lineage != capture.snapshot.info().lineage {
        turn.memory
            .lineage
            .clone_from(&capture.snapshot.info().lineage);
        turn.memory.looks = 1;
    }
    tracing::trace!(
        name: "agent_device.webdriver.capture",
        nodes = capture.snapshot.len(),
        seen = capture.seen,
        left_out = capture.left_out,
        focused = capture.focused.map(|id| id.index()),
        scroll_x = capture.scroll.x,
        scroll_y = capture.scroll.y,
        document_width = capture.document.0,
        document_height = capture.document.1,
        "captured"
    );
    for _ in 0..reach::rounds() {
        if capture.closed_roots.is_empty() || !reach::closed_roots(turn, &capture).await {
            break;
        }
        let roots = turn.memory.roots.known().to_vec();
        let Ok(again) = walk_classic(turn, &roots).await else {
            break;
        };
        // Without them the tree is a good one, too.
        let Ok(more) = decode::capture(&again, options.clone()) else {
            break;
        };
        (reply, capture) = (again, more);
    }
    if !capture.foreign_frames.is_empty() && session.client().config().max_foreign_frames > 0 {
        let frames = reach::frames(turn, &capture).await?;
        let foreign: Vec<_> = frames.iter().map(reach::FrameReply::foreign).collect();
        if let Ok(whole) = decode::capture_with_frames(&reply, &foreign, options.clone()) {
            capture = whole;
        }
    }
    Ok(capture.snapshot)
}

fn unusable(source: DecodeError) -> Error {
    Error::refused(
        rows::core::READ_ONLY,
        ErrorCode::CommandFailed,
        "the page's answer to the capture can't be used",
    )
    .with_reason("webdriver_capture_unreadable")
    .with_source(source)
}

/// The top document, once more if it went away below the script: a read may be repeated.
async fn look(turn: &mut Turn<'_>) -> std::result::Result<String, Miss> {
    match walk(turn).await {
        Err(Miss::Failed(failure)) if may_pass(&failure) && !turn.call().remaining().is_zero() => {
            turn.memory.roots.forget();
            walk(turn).await
        }
        other => other,
    }
}

enum Miss {
    Dialog(String),
    Failed(ReadFailure),
}

impl From<ReadFailure> for Miss {
    fn from(failure: ReadFailure) -> Self {
        match failure.open_dialog() {
            // With any other behaviour than `ignore` the driver has closed it on the way.
            Some(text) if failure.dialog_stays() => Self::Dialog(text.to_owned()),
            _ => Self::Failed(failure),
        }
    }
}

/// Codes of a script whose document was replaced while it ran, or of a dialog that the driver has closed.
fn may_pass(failure: &ReadFailure) -> bool {
    matches!(
        failure.code(),
        Some(
            "javascript error"
                | "unknown error"
                | "unexpected alert open"
                | "stale element reference"
                | "no such frame"
                | "detached shadow root"
                | "no such shadow root"
        )
    )
}

fn is_detached(failure: &ReadFailure) -> bool {
    matches!(
        failure.code(),
        Some("detached shadow root" | "no such shadow root")
    )
}

/// The page's own tree, as the script wrote it: one round trip.
async fn walk(turn: &mut Turn<'_>) -> std::result::Result<String, Miss> {
    let limits = limits(turn);
    if vendor::serves(turn)
        && let Some(reply) = vendor::capture(turn, limits).await?
    {
        return Ok(reply);
    }
    let roots = turn.memory.roots.known().to_vec();
    walk_classic(turn, &roots).await.map_err(Miss::from)
}

/// The tree of the document that the session is in, by the route that every driver has.
async fn walk_classic(
    turn: &mut Turn<'_>,
    roots: &[Value],
) -> std::result::Result<String, ReadFailure> {
    let config = turn.session().client().config();
    let arguments = page::capture_arguments(limits(turn), roots);
    let execute = Command::post(
        Kind::Read,
        "execute/sync",
        json!({"script": page::capture_script(), "args": arguments}),
    )
    .within(config.capture_timeout)
    .up_to(config.max_capture_bytes);
    match turn.read(execute).await? {
        Value::String(reply) => Ok(reply),
        _ => Err(unreadable()),
    }
}

fn limits(turn: &Turn<'_>) -> page::Limits {
    let config = turn.session().client().config();
    let time = config
        .capture_timeout
        .min(config.script_timeout)
        .min(turn.call().remaining());
    let default = page::Limits::default();
    page::Limits {
        // At most three bytes of UTF-8 for each unit; half of them would already be much.
        max_units: u32::try_from(config.max_capture_bytes / 4)
            .unwrap_or(u32::MAX)
            .min(default.max_units),
        budget: default
            .budget
            .min(time.saturating_sub(MARGIN))
            .max(Duration::from_millis(100)),
    }
}

pub(crate) async fn confirm_visible(
    session: &Session,
    target: &Target,
    call: &Call,
) -> Result<Option<Rect>> {
    let Some(found) = page::Target::of(target.node()) else {
        return Ok(None);
    };
    if !found.frames.is_empty() {
        // In its own frame it would be asked for in other coordinates.
        return Ok(None);
    }
    let mut turn = session.turn(call).await?;
    let answer = inquire(&mut turn, Act::Resolve(None), &found).await?;
    Ok(match answer.status {
        Status::Ok | Status::Covered => answer.visible,
        _ => None,
    })
}

/// Asks the page about an element: the answer, and the element for the driver if it can hold it.
pub(crate) async fn ask(
    turn: &mut Turn<'_>,
    act: Act<'_>,
    target: &page::Target,
) -> std::result::Result<(Answer, Option<String>), ReadFailure> {
    debug_assert!(!act.mutates());
    let command = question(turn, Kind::Read, act, target);
    let value = match turn.read(command).await {
        Err(failure) if is_detached(&failure) => {
            // A host was replaced. What was in it is gone, which the page can say by itself.
            turn.memory.roots.forget();
            let command = question(turn, Kind::Read, act, target);
            turn.read(command).await?
        }
        // Chromium's driver wraps scripts in one of its own, which trips over pages that replace built-ins. Its vendor route
        // does not, and hands no element out: coordinates will do.
        Err(failure)
            if matches!(failure.code(), Some("javascript error" | "unknown error"))
                && vendor::serves(turn) =>
        {
            return match vendor::ask(turn, act, target).await? {
                Some(reply) => answer::read(&reply)
                    .map(|answer| (answer, None))
                    .map_err(|_| unreadable()),
                None => Err(failure),
            };
        }
        other => other?,
    };
    understand(&value).ok_or_else(unreadable)
}

/// Asks the page about an element, where only the answer is wanted.
pub(crate) async fn inquire(
    turn: &mut Turn<'_>,
    act: Act<'_>,
    target: &page::Target,
) -> std::result::Result<Answer, ReadFailure> {
    if vendor::serves(turn)
        && let Some(reply) = vendor::ask(turn, act, target).await?
    {
        return answer::read(&reply).map_err(|_| unreadable());
    }
    ask(turn, act, target).await.map(|(answer, _)| answer)
}

/// The command that does an act.
pub(crate) fn question(
    turn: &Turn<'_>,
    kind: Kind,
    act: Act<'_>,
    target: &page::Target,
) -> Command {
    let arguments = page::act_arguments(act, target, turn.memory.roots.of(&target.token));
    Command::post(
        kind,
        "execute/sync",
        json!({"script": page::act_script(), "args": arguments}),
    )
}

/// The answer of an act, and the element.
pub(crate) fn understand(value: &Value) -> Option<(Answer, Option<String>)> {
    let answer = answer::read(value.get(0)?.as_str()?).ok()?;
    let element = value.get(1).and_then(crate::client::element_id);
    Some((answer, element.map(str::to_owned)))
}

pub(crate) async fn screenshot(session: &Session, call: &Call) -> Result<Screenshot> {
    let mut turn = session.turn(call).await?;
    let config = session.client().config();
    let (size, time) = (config.max_capture_bytes, config.capture_timeout);
    let picture = Command::get(Kind::Read, "screenshot")
        .within(time)
        .up_to(size);
    let value = turn.read(picture).await?;
    let png = value
        .as_str()
        .and_then(|text| STANDARD.decode(text).ok())
        .filter(|bytes| bytes.starts_with(b"\x89PNG\r\n\x1a\n"))
        .ok_or_else(unreadable)?;
    let ratio = Command::post(
        Kind::Read,
        "execute/sync",
        json!({"script": "return window.devicePixelRatio", "args": []}),
    );
    // A picture without a scale is still a picture.
    let scale = turn.read(ratio).await.ok().and_then(|value| value.as_f64());
    Ok(Screenshot {
        png,
        scale: scale
            .filter(|scale| scale.is_finite() && *scale > 0.0)
            .unwrap_or(0.0),
    })
}

pub(crate) async fn alert(session: &Session, call: &Call) -> Result<Option<Alert>> {
    let mut turn = session.turn(call).await?;
    match turn.read(Command::get(Kind::Read, "alert/text")).await {
        Ok(text) => Ok(Some(
            Alert::new(text.as_str().unwrap_or_default())
                .with_buttons(Button::ALL.map(Button::label)),
        )),
        Err(failure) if failure.code() == Some("no such alert") => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

pub(crate) async fn app_state(session: &Session, call: &Call) -> Result<AppState> {
    let mut turn = session.turn(call).await?;
    let url = turn.read(Command::get(Kind::Read, "url")).await?;
    let title = turn.read(Command::get(Kind::Read, "title")).await?;
    let text = |value: Value| value.as_str().map(str::to_owned);
    Ok(AppState::new(text(url), text(title)))
}

/// The windows that there are. Answers also while a dialog is open.
pub(crate) async fn handles(turn: &mut Turn<'_>) -> std::result::Result<Vec<String>, ReadFailure> {
    let value = turn
        .read(Command::get(Kind::Read, "window/handles"))
        .await?;
    let list = value.as_array().ok_or_else(unreadable)?;
    let handles: Vec<_> = list
        .iter()
        .filter_map(Value::as_str)
        .take(1000)
        .map(str::to_owned)
        .collect();
    turn.memory.windows = Some(handles.clone());
    Ok(handles)
}

pub(crate) async fn windows(session: &Session, call: &Call) -> Result<Vec<Window>> {
    let mut turn = session.turn(call).await?;
    let handles = handles(&mut turn).await?;
    let selected = match turn.read(Command::get(Kind::Read, "window")).await {
        Ok(value) => value.as_str().map(str::to_owned),
        // It was closed, and none is selected by itself.
        Err(failure) if failure.code() == Some("no such window") => None,
        Err(failure) => return Err(failure.into()),
    };
    Ok(handles
        .into_iter()
        .map(|id| Window {
            selected: selected.as_deref() == Some(&id),
            id,
        })
        .collect())
}

/// The size of the viewport right now.
pub(crate) async fn viewport(turn: &mut Turn<'_>) -> std::result::Result<Rect, ReadFailure> {
    let ask = Command::post(
        Kind::Read,
        "execute/sync",
        json!({"script": "return [window.innerWidth, window.innerHeight]", "args": []}),
    );
    let value = turn.read(ask).await?;
    let number = |at: usize| value.get(at).and_then(Value::as_f64);
    number(0)
        .zip(number(1))
        .map(|(width, height)| Rect::new(0.0, 0.0, width, height))
        .filter(|viewport| viewport.is_usable())
        .ok_or_else(unreadable)
}
