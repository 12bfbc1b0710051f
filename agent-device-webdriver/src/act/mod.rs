//! Acting: one action, once. Everything that can be refused is refused before the first send.

mod fill;
mod input;
mod refuse;
mod touch;

use std::time::Duration;

use agent_device_core::{
    Call, Error, Result,
    action::{Action, OpenTarget, Operation, Orientation, Performed, Text},
    dispatch::rows::webdriver as rows,
    geometry::Direction,
    gesture::ScrollPlan,
};
use reqwest::Url;
use serde_json::{Value, json};

use crate::{
    client::{Command, ELEMENT, Session, Turn, element_id, segment},
    error::{Kind, WireFailure},
    see,
};
use input::{Pointer, keys};

pub(crate) async fn perform(session: &Session, action: &Action, call: &Call) -> Result<Performed> {
    refuse::arguments(action)?;
    let mut turn = session.turn(call).await?;
    let result = act(&mut turn, action).await;
    if turn.memory.in_frame {
        // Whatever became of the action. If this fails, the next turn sees to it.
        let _ = turn.leave_frames().await;
    }
    result
}

async fn act(turn: &mut Turn<'_>, action: &Action) -> Result<Performed> {
    match action {
        Action::Tap(touch) => touch::tap(turn, touch).await,
        Action::DoubleTap(touch) => {
            let at = touch::place(turn, touch).await?;
            play(turn, Kind::Ticks, input::double_tap(pointer(turn), at)).await
        }
        Action::LongPress(touch, hold) => {
            let at = touch::place(turn, touch).await?;
            let body = input::long_press(pointer(turn), at, *hold);
            play_for(turn, Kind::SingleTick, body, *hold).await
        }
        Action::Hover(touch) => {
            let at = touch::place(turn, touch).await?;
            play(turn, Kind::SingleTick, input::hover(at)).await
        }
        Action::Focus(touch) => touch::focus(turn, touch).await,
        Action::TypeText(text) => type_text(turn, text).await,
        Action::Fill(touch, text) => fill::fill(turn, touch, text).await,
        Action::Scroll(plan) => scroll(turn, plan).await,
        Action::Gesture(plan) => {
            let viewport = see::viewport(turn).await?;
            for sample in plan.pointers().iter().flatten() {
                refuse::outside(sample.point, viewport)?;
            }
            play_for(turn, Kind::Ticks, input::gesture(plan), plan.duration()).await
        }
        Action::Back => send(turn, Kind::Navigate, "back", json!({})).await,
        Action::Open(OpenTarget::Url(url)) => open(turn, url).await,
        Action::Open(_) => Err(Error::unsupported(Operation::Open)
            .with_hint("A browser opens addresses, not apps: give a URL.")),
        Action::Close(None) => close(turn).await,
        Action::Close(Some(_)) => Err(Error::invalid(
            "app",
            "a browser has no apps: close the page, or select its window first",
        )),
        Action::AcceptAlert(answer) => accept(turn, answer.as_ref()).await,
        Action::DismissAlert => dismiss(turn).await,
        Action::KeyboardEnter => {
            play(
                turn,
                Kind::Ticks,
                input::type_keys(&keys::ENTER.to_string()),
            )
            .await
        }
        Action::SelectWindow(id) => {
            let performed = send(turn, Kind::Window, "window", json!({"handle": id})).await?;
            turn.memory.forget_page();
            Ok(performed)
        }
        Action::SetOrientation(orientation) => orient(turn, *orientation).await,
        other => Err(Error::unsupported(other.operation())),
    }
}

fn pointer(turn: &Turn<'_>) -> Pointer {
    if turn.session().facts().is_mobile() {
        Pointer::Touch
    } else {
        Pointer::Mouse
    }
}

async fn send(turn: &mut Turn<'_>, kind: Kind, path: &str, body: Value) -> Result<Performed> {
    turn.mutate(Command::post(kind, path, body)).await?;
    Ok(Performed::new())
}

/// Plays an action sequence.
async fn play(turn: &mut Turn<'_>, kind: Kind, body: Value) -> Result<Performed> {
    play_for(turn, kind, body, Duration::ZERO).await
}

/// Plays an action sequence that takes its time by itself.
async fn play_for(
    turn: &mut Turn<'_>,
    kind: Kind,
    body: Value,
    takes: Duration,
) -> Result<Performed> {
    if turn.memory.pressed {
        // A sequence that failed may have left something pressed, which would change what this one means.
        turn.mutate(Command::delete(Kind::Ticks, "actions")).await?;
        turn.memory.pressed = false;
    }
    let budget = turn.session().client().config().action_timeout + takes;
    turn.memory.pressed = true;
    let played = turn
        .mutate(Command::post(kind, "actions", body).within(budget))
        .await;
    if let Ok(_) | Err(WireFailure::NoConnection { .. }) = &played {
        turn.memory.pressed = false;
    } else if let Err(failure) = &played {
        use agent_device_core::dispatch::{DispatchDisclosure as _, Verdict};
        turn.memory.pressed = !matches!(failure.verdict(), Some(Verdict::No(_)));
    }
    played?;
    Ok(Performed::by("coordinates"))
}

async fn scroll(turn: &mut Turn<'_>, plan: &ScrollPlan) -> Result<Performed> {
    let viewport = match &plan.container {
        Some(container) if container.snapshot().info().viewport.is_some() => {
            container.snapshot().info().viewport.unwrap_or_default()
        }
        _ => see::viewport(turn).await?,
    };
    refuse::outside(plan.at, viewport)?;
    let distance = plan.distance;
    let (dx, dy) = match plan.direction {
        Direction::Up => (0.0, -distance),
        Direction::Down => (0.0, distance),
        Direction::Left => (-distance, 0.0),
        Direction::Right => (distance, 0.0),
    };
    play(turn, Kind::SingleTick, input::wheel(plan.at, dx, dy)).await
}

/// How long a driver may take for so many keys, several times what was measured with chromedriver 156 on a busy machine: 1.8 ms
/// each for an element, 6.5 ms each as actions.
fn typing_time(turn: &Turn<'_>, text: &str) -> Duration {
    turn.session().client().config().action_timeout + keys_take(text) / 4
}

fn keys_take(text: &str) -> Duration {
    let keys = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    Duration::from_millis(20).saturating_mul(keys)
}

/// Types where the focus is.
async fn type_text(turn: &mut Turn<'_>, text: &Text) -> Result<Performed> {
    let unfocused = || {
        Error::refused(
            rows::TYPE_WITHOUT_FOCUS,
            agent_device_core::ErrorCode::CommandFailed,
            "nothing has the focus",
        )
        .with_reason("text_entry_focus_not_observed")
        .with_hint("Focus or press a field first, or fill it.")
    };
    // The body is what drivers name when nothing has the focus: keys would be lost without a word.
    const FOCUSED: &str = "var e = document.activeElement;
        if (!e || e === document.body || e === document.documentElement) return null;
        return [e].concat(state(e))";
    let active = turn.read(field_script(FOCUSED, json!([]))).await?;
    let Some(element) = active.get(0).and_then(element_id) else {
        return Err(unfocused());
    };
    let before = active.get(2);
    let mut performed = if active.get(1).and_then(Value::as_bool) == Some(true) {
        let route = format!("element/{}/value", segment(element));
        let keys = Command::post(Kind::Field, route, json!({"text": text.expose()}));
        let budget = typing_time(turn, text.expose());
        turn.mutate(keys.within(budget)).await?;
        Performed::by("element")
    } else {
        // The focus is in a frame, or on something that takes keys without being a field. Drivers refuse to type into that, and
        // from the refusal nobody could tell whether something was typed before it.
        let body = input::type_keys(text.expose());
        play_for(turn, Kind::Ticks, body, keys_take(text.expose())).await?;
        Performed::by("keys")
    };
    // Drivers answer with success also where a dialog took the keys or the field went away.
    let ask = field_script("return state(arguments[0])", json!([{ELEMENT: element}]));
    let warning = match turn.read(ask).await {
        Ok(after) => {
            let missing = !shows(before, after.get(1), text.expose());
            missing.then_some("the field does not hold the text that was typed")
        }
        Err(failure) if failure.open_dialog().is_some() => {
            Some("a dialog is open: what of the text arrived before it is not known")
        }
        Err(_) => Some(
            "what had the focus can't be asked any more: what of the text arrived is not known",
        ),
    };
    performed.warnings.extend(warning.map(Into::into));
    Ok(performed)
}

/// Whether what a field holds now agrees with the text that was typed into it, as far as anyone can tell: apps write it in their
/// own way, and what Enter and Tab do to a field is up to them.
fn shows(before: Option<&Value>, now: Option<&Value>, text: &str) -> bool {
    if text.contains(char::is_control) {
        return true;
    }
    let substance = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    match now {
        Some(Value::String(value)) => now != before && substance(value).contains(&substance(text)),
        Some(Value::Number(_)) => now != before,
        _ => true,
    }
}

/// A question about a field: `state` tells whether drivers type into it as an element, and what it holds. Of a secret only
/// how much.
fn field_script(question: &str, arguments: Value) -> Command {
    const STATE: &str = "function state(e) {
        var field = e.tagName === 'INPUT' || e.tagName === 'TEXTAREA' || e.isContentEditable, v = null, r;
        if (field) {
            r = e.getBoundingClientRect();
            field = r.width > 0 && r.height > 0 && getComputedStyle(e).visibility === 'visible' && !e.disabled;
            v = e.isContentEditable ? e.textContent : e.value;
            if (typeof v === 'string' && (e.type === 'password' || v.length > 10000)) v = v.length;
        }
        return [field, v];
    }
    ";
    let script = format!("{STATE}{question}");
    Command::post(
        Kind::Read,
        "execute/sync",
        json!({"script": script, "args": arguments}),
    )
}

async fn open(turn: &mut Turn<'_>, url: &str) -> Result<Performed> {
    let parsed =
        Url::parse(url).map_err(|_| Error::invalid("url", "the address is not an absolute URL"))?;
    if parsed.scheme() == "javascript" {
        return Err(Error::invalid("url", "a script is not an address"));
    }
    if !turn.session().facts().waits_for_pages && turn.evaluates() {
        // With the strategy `none` the classic route answers before the new page has replaced the old one; this one after,
        // and it says why a page did not come.
        let navigate = Command::post(
            Kind::Navigate,
            "goog/cdp/execute",
            json!({"cmd": "Page.navigate", "params": {"url": url}}),
        );
        match turn.mutate(navigate).await {
            Ok(value) => return arrived(turn, &value).await,
            Err(failure) if failure.is_route_refusal() => turn.memory.evaluates = Some(false),
            Err(failure) => return Err(failure.into()),
        }
    }
    turn.mutate(Command::post(Kind::Navigate, "url", json!({"url": url})))
        .await?;
    let performed = Performed::new();
    Ok(if turn.session().facts().waits_for_pages {
        performed
    } else {
        performed.with_warning(
            "the session does not wait for pages: the page may still be the one before",
        )
    })
}

/// The new page has come, or the browser says why not.
async fn arrived(turn: &mut Turn<'_>, value: &Value) -> Result<Performed> {
    if value.get("isDownload").and_then(Value::as_bool) == Some(true) {
        return Ok(Performed::new()
            .with_warning("the address is a download: the page is still the one before"));
    }
    if let Some(why) = value.get("errorText").and_then(Value::as_str) {
        return Err(Error::new(
            agent_device_core::ErrorCode::CommandFailed,
            "the browser shows an error in place of the page",
        )
        .uncertain(rows::NAVIGATION_FAILED)
        .with_reason("webdriver_navigation_failed")
        .with_detail("browserError", why.chars().take(200).collect::<String>())
        .with_hint("Check the address and whether its server answers."));
    }
    if value.get("loaderId").is_none() {
        // Another place in the same document.
        return Ok(Performed::new());
    }
    parsed_document(turn).await
}

/// Waits until the document is parsed. The navigation has landed: that its page is slow is for whoever looks at it next.
async fn parsed_document(turn: &mut Turn<'_>) -> Result<Performed> {
    let config = turn.session().client().config();
    let limit = config.page_load_timeout;
    let warning = match see::parsed(turn, limit.min(turn.call().remaining() / 2)).await {
        Ok(true) => return Ok(Performed::new()),
        Ok(false) => "the page is not known to be parsed yet",
        Err(failure) if failure.open_dialog().is_some() => "a dialog is open on the new page",
        Err(failure) if failure.code().is_some() || failure.is_timeout() => {
            "the page is not known to be parsed yet"
        }
        Err(failure) => return Err(failure.into()),
    };
    Ok(Performed::new().with_warning(warning))
}

async fn close(turn: &mut Turn<'_>) -> Result<Performed> {
    let left = turn
        .mutate(Command::delete(Kind::CloseWindow, "window"))
        .await?;
    let left: Vec<String> = serde_json::from_value(left).unwrap_or_default();
    if left.is_empty() {
        turn.session().end();
        return Ok(
            Performed::new().with_warning("the last window was closed: the session has ended")
        );
    }
    turn.memory.windows = Some(left);
    turn.memory.forget_page();
    Ok(Performed::new().with_warning("other windows are open and none is selected: select one"))
}

async fn accept(turn: &mut Turn<'_>, answer: Option<&Text>) -> Result<Performed> {
    if let Some(answer) = answer {
        let body = json!({"text": answer.expose()});
        turn.mutate(Command::post(Kind::Alert, "alert/text", body))
            .await?;
    }
    send(turn, Kind::Alert, "alert/accept", json!({})).await
}

async fn dismiss(turn: &mut Turn<'_>) -> Result<Performed> {
    send(turn, Kind::Alert, "alert/dismiss", json!({})).await
}

/// Turns the screen by the first route that the server knows. Only the answer that it doesn't know a route leads to the next.
async fn orient(turn: &mut Turn<'_>, orientation: Orientation) -> Result<Performed> {
    let (angle, word) = match orientation {
        Orientation::Portrait => (0, "PORTRAIT"),
        Orientation::PortraitUpsideDown => (180, "PORTRAIT"),
        Orientation::LandscapeLeft => (90, "LANDSCAPE"),
        Orientation::LandscapeRight => (270, "LANDSCAPE"),
    };
    let routes = [
        ("rotation", json!({"x": 0, "y": 0, "z": angle})),
        ("orientation", json!({"orientation": word})),
    ];
    let mut attempts = Vec::new();
    for (path, body) in routes {
        match turn.mutate(Command::post(Kind::Device, path, body)).await {
            Ok(_) => return Ok(Performed::new()),
            Err(failure) if failure.is_route_refusal() => {
                attempts.push((path.to_owned(), failure.to_string()));
            }
            Err(failure) => return Err(failure.into()),
        }
    }
    Err(WireFailure::RoutesRefused { attempts }.into())
}
