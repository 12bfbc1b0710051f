//! Acting: one action, once. Everything that can be refused is refused before the first send.

mod fill;
mod input;
mod refuse;
mod touch;
mod typing;
mod value;

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
    client::{Command, Session, Turn},
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
        Action::TypeText(text) => typing::type_text(turn, text).await,
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
