//! Touching: where, and whether what is meant is still there.

use agent_device_core::{
    Error, ErrorCode, Result, Role,
    action::{Performed, Touch},
    dispatch::rows::webdriver as rows,
    geometry::{Point, Rect},
    snapshot::Line,
};
use serde_json::json;

use super::{input, play, pointer, refuse};
use crate::{
    client::{Command, ELEMENT, Turn, segment},
    config::ReportWindows,
    error::Kind,
    page::{
        self, Act,
        answer::{Answer, Control, HiddenBy, Status},
    },
    see::{self, Button},
};

/// A target that is still what it was and can be touched.
pub(super) struct Found {
    pub(super) answer: Answer,
    /// For the driver; `None` for elements that it can't hold, such as those of an inner frame.
    pub(super) element: Option<String>,
    pub(super) point: Point,
    pub(super) target: page::Target,
    /// How errors call it.
    pub(super) line: String,
}

impl Found {
    /// Whether the driver's own click would land at this point: the element is in sight as a whole and the point is its middle.
    fn is_central(&self) -> bool {
        let close = |a: f64, b: f64| (a - b).abs() <= 1.0;
        match (self.answer.bounds, self.answer.visible) {
            (Some(bounds), Some(visible)) => {
                let middle = visible.center();
                bounds.agrees(visible, 1.0)
                    && close(middle.x, self.point.x)
                    && close(middle.y, self.point.y)
            }
            _ => false,
        }
    }
}

/// The target of a touch, asked for in the page: one read, two when its place has moved. `None` for plain coordinates.
pub(super) async fn resolve(turn: &mut Turn<'_>, touch: &Touch) -> Result<Option<Found>> {
    let Some(target) = &touch.target else {
        return Ok(None);
    };
    let line = Line::bare(target.node()).to_string();
    let Some(wanted) = page::Target::of(target.node()) else {
        return Err(Error::invalid(
            "target",
            "the target is not an element of a page",
        ));
    };
    let wanted = if target.is_repeated() {
        // The repetitions before may have changed what it is called.
        wanted.by_any_name()
    } else {
        wanted
    };
    let point = if wanted.frames.is_empty() {
        Some(touch.point)
    } else {
        // In the frame's own coordinates it is not known; that the frame is free there is checked on the way in.
        if let Some(blocked) = see::enter(turn, &wanted.frames, Some(touch.point)).await? {
            let refusal = refuse::by(&blocked, &line);
            return Err(refusal.unwrap_or_else(|| see::unreadable().into()));
        }
        None
    };
    let (mut answer, mut element) = see::ask(turn, Act::Resolve(point), &wanted).await?;
    let moved = answer.status == Status::Covered
        || answer.status == Status::Offscreen && answer.hidden_by == Some(HiddenBy::Point);
    if moved && point.is_some() {
        // It is the same element at another place, or with something over this point of it: any free point will do.
        (answer, element) = see::ask(turn, Act::Resolve(None), &wanted).await?;
    }
    let anyhow = wanted.clone().by_any_name();
    if target.is_repeated()
        && let Some((known, before)) = &turn.memory.touched
        && *known == anyhow
        && element.as_ref().is_some_and(|element| element != before)
    {
        // The press before has moved another element, maybe one of the same name, into this place of the document.
        answer.status = Status::Changed;
    }
    if let Some(refusal) = refuse::by(&answer, &line) {
        return Err(refusal);
    }
    turn.memory.touched = element.clone().map(|element| (anyhow, element));
    let point = answer.point.ok_or_else(see::unreadable)?;
    Ok(Some(Found {
        point,
        answer,
        element,
        target: wanted,
        line,
    }))
}

/// Where to touch: where the target is now, or the caller's coordinates if the viewport holds them.
pub(super) async fn place(turn: &mut Turn<'_>, touch: &Touch) -> Result<Point> {
    match resolve(turn, touch).await? {
        Some(found) => Ok(found.point),
        None => {
            let viewport: Rect = see::viewport(turn).await?;
            refuse::outside(touch.point, viewport)?;
            Ok(touch.point)
        }
    }
}

pub(super) async fn tap(turn: &mut Turn<'_>, touch: &Touch) -> Result<Performed> {
    if let Some(target) = &touch.target
        && see::in_dialog(target.node())
    {
        return match Button::of(target.node()) {
            Some(Button::Accept) => super::accept(turn, None).await,
            Some(Button::Dismiss) => super::dismiss(turn).await,
            None => Err(Error::invalid("target", "press a button of the dialog")),
        };
    }
    let Some(found) = resolve(turn, touch).await? else {
        let at = place(turn, touch).await?;
        return tap_at(turn, at).await;
    };
    if found.answer.control == Control::File {
        return Err(Error::invalid(
            "target",
            "a file chooser can't be pressed: its window is outside the page",
        )
        .with_hint("Fill it with the path of the file."));
    }
    let report = match turn.session().client().config().report_windows {
        ReportWindows::Never => false,
        ReportWindows::Always => true,
        ReportWindows::Links => touch
            .target
            .as_ref()
            .is_some_and(|target| target.node().role() == Role::Link),
    };
    let before = turn.memory.windows.clone();
    let mut performed = click(turn, &found).await?;
    if report {
        report_windows(turn, before, &mut performed).await;
    }
    Ok(performed)
}

/// One click on a target: by the driver, which tests once more what lies over it, or by coordinates.
pub(super) async fn click(turn: &mut Turn<'_>, found: &Found) -> Result<Performed> {
    match &found.element {
        Some(element) if found.is_central() => {
            let path = format!("element/{}/click", segment(element));
            // An option is not clicked: it is chosen, with events made by script.
            let kind = match found.target.role.as_str() {
                "option" => Kind::Field,
                _ => Kind::Click,
            };
            turn.mutate(Command::post(kind, path, json!({}))).await?;
            Ok(Performed::by("element"))
        }
        _ => tap_at(turn, found.point).await,
    }
}

async fn tap_at(turn: &mut Turn<'_>, at: Point) -> Result<Performed> {
    let body = input::tap(pointer(turn), at);
    play(turn, Kind::SingleTick, body).await
}

/// Names the windows that opened. The tap has landed: nothing here can fail it.
async fn report_windows(
    turn: &mut Turn<'_>,
    before: Option<Vec<String>>,
    performed: &mut Performed,
) {
    match see::handles(turn).await {
        Ok(now) => {
            // Without an earlier look there is the one window that a session begins with.
            let before = before.unwrap_or_else(|| now.iter().take(1).cloned().collect());
            performed
                .opened_windows
                .extend(now.into_iter().filter(|id| !before.contains(id)));
        }
        Err(_) => performed
            .warnings
            .push("whether a window opened is not known".into()),
    }
}

/// Gives a field the focus by a click, anything else by script: a click would press it.
pub(super) async fn focus(turn: &mut Turn<'_>, touch: &Touch) -> Result<Performed> {
    let Some(found) = resolve(turn, touch).await? else {
        let at = place(turn, touch).await?;
        return tap_at(turn, at).await;
    };
    if found.answer.focused {
        return Ok(Performed::by("element").with_warning("it had the focus already"));
    }
    let text = matches!(
        found.answer.control,
        Control::Text | Control::ContentEditable
    );
    let performed = match &found.element {
        Some(element) if !text => {
            let body = json!({"script": "arguments[0].focus()", "args": [{ELEMENT: element}]});
            turn.mutate(Command::post(Kind::Script, "execute/sync", body))
                .await?;
            Performed::by("script")
        }
        _ => click(turn, &found).await?,
    };
    require_focus(turn, &found.target).await?;
    Ok(performed)
}

/// The element was clicked for its focus; does it have it?
pub(super) async fn require_focus(turn: &mut Turn<'_>, target: &page::Target) -> Result<()> {
    let answer = see::inquire(turn, Act::Resolve(None), target).await?;
    if answer.focused {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::CommandFailed,
        "the element does not have the focus after it was clicked",
    )
    .uncertain(rows::FOCUS_NOT_OBSERVED)
    .with_reason("text_entry_focus_not_observed")
    .with_hint("Take a snapshot to see where the focus is."))
}
