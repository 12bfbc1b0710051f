//! What is refused before anything is sent, and how it is said.

use agent_device_core::{
    Error, ErrorCode, Result,
    action::Action,
    dispatch::{NoRow, rows::webdriver as rows},
    geometry::{Point, Rect},
    reason,
};

use crate::page::answer::{Answer, Blocker, Status};

/// More than this is not typed key by key.
pub(super) const LONGEST_TYPED: usize = 20_000;

/// Arguments that no driver should see.
pub(super) fn arguments(action: &Action) -> Result<()> {
    action.check()?;
    match action {
        Action::Fill(_, text) => no_keys(text.expose()),
        Action::TypeText(text) if text.expose().len() > LONGEST_TYPED => Err(Error::invalid(
            "text",
            format!(
                "the text is too long to be typed: {} bytes",
                text.expose().len()
            ),
        )
        .with_hint("Fill the field instead.")),
        Action::TypeText(text) => no_keys(text.expose()),
        _ => Ok(()),
    }
}

/// Characters that the protocol takes for keys: Enter, Escape, modifiers.
fn no_keys(text: &str) -> Result<()> {
    if text.chars().any(|c| ('\u{E000}'..='\u{E05D}').contains(&c)) {
        return Err(Error::invalid(
            "text",
            "the text holds characters that WebDriver takes for keys (U+E000 to U+E05D)",
        ));
    }
    Ok(())
}

/// Refuses a point that the viewport does not hold.
pub(super) fn outside(point: Point, viewport: Rect) -> Result<()> {
    // The driver gets whole pixels.
    let whole = Point::new(point.x.round(), point.y.round());
    if viewport.contains_half_open(whole) {
        return Ok(());
    }
    Err(Error::refused(
        rows::COORDINATES_OUTSIDE_VIEWPORT,
        ErrorCode::InvalidArgs,
        "the point lies outside the viewport",
    )
    .with_detail("field", "point")
    .with_detail("point", point)
    .with_detail("viewport", viewport)
    .with_hint("Scroll first, or use a point within details.viewport."))
}

/// Why the page's answer forbids the action on the element that `line` names; `None` when it doesn't.
pub(super) fn by(answer: &Answer, line: &str) -> Option<Error> {
    let refused = |row: NoRow, reason: &'static str, message: String| {
        Some(Error::refused(row, ErrorCode::CommandFailed, message).with_reason(reason))
    };
    match answer.status {
        Status::Ok | Status::Unverified => None,
        Status::StaleDocument => refused(
            rows::RESOLVE_DOCUMENT_CHANGED,
            "webdriver_document_changed",
            format!("the page of {line} was replaced since it was captured"),
        )
        .map(look_again),
        Status::Gone => refused(
            rows::RESOLVE_TARGET_GONE,
            "webdriver_target_gone",
            format!("{line} is no longer in the page"),
        )
        .map(look_again),
        Status::Changed => refused(
            rows::RESOLVE_TARGET_GONE,
            "webdriver_target_changed",
            format!("another element is where {line} was"),
        )
        .map(look_again)
        .map(|error| match &answer.found_role {
            Some(role) => error.with_detail("foundRole", role).with_detail(
                "foundName",
                answer.found_name.as_deref().unwrap_or_default(),
            ),
            None => error,
        }),
        Status::Disabled => refused(
            rows::RESOLVE_TARGET_DISABLED,
            reason::TARGET_DISABLED,
            format!("{line} is disabled"),
        ),
        Status::Inert => refused(
            rows::RESOLVE_TARGET_INERT,
            "webdriver_target_inert",
            format!("{line} lies in an inert part of the page"),
        )
        .map(|error| {
            error.with_hint("Close the dialog that makes the rest of the page inert first.")
        }),
        Status::Hidden | Status::ZeroSize => refused(
            rows::RESOLVE_TARGET_OFFSCREEN,
            reason::TARGET_BOUNDS_INVALID,
            format!("{line} has no usable place on the screen"),
        ),
        Status::Offscreen => refused(
            rows::RESOLVE_TARGET_OFFSCREEN,
            // Whether a selector or a ref named it, on which the core's words depend, is not known here.
            "webdriver_target_offscreen",
            match answer.side {
                Some(side) => format!("{line} is off-screen: {}", side.as_str()),
                None => format!("{line} is off-screen"),
            },
        )
        .map(|error| error.with_hint("Scroll in details.scrollDirection, then take a new look."))
        .map(|error| match answer.side {
            Some(side) => error.with_detail("scrollDirection", side),
            None => error,
        })
        .map(|error| match answer.bounds {
            Some(bounds) => error.with_detail("rect", bounds),
            None => error,
        }),
        Status::Covered => {
            let name = answer.covered_by.as_ref().map(describe);
            refused(
                rows::RESOLVE_TARGET_COVERED,
                reason::TARGET_COVERED,
                match &name {
                    Some(name) => format!("{line} is covered by {name}"),
                    None => format!("{line} is covered"),
                },
            )
            .map(|error| error.with_detail("interactionBlocked", "covered"))
            .map(|error| match name {
                Some(name) => error.with_detail("coveredBy", name),
                None => error,
            })
        }
        Status::ReadOnly => Some(read_only(line)),
        Status::Unsupported => Some(not_accepted("the element is not a field of that kind")),
        Status::NoOption => {
            Some(not_accepted("there is no such option").with_detail("options", &answer.options))
        }
    }
}

/// The field shows a value that is not for editing.
pub(super) fn read_only(line: &str) -> Error {
    Error::refused(
        rows::RESOLVE_TARGET_READONLY,
        ErrorCode::CommandFailed,
        format!("{line} can't be changed"),
    )
    .with_reason("webdriver_field_read_only")
}

/// The field can't hold the text.
pub(super) fn not_accepted(why: &'static str) -> Error {
    Error::refused(rows::FILL_VALUE_NOT_ACCEPTED, ErrorCode::InvalidArgs, why)
        .with_detail("field", "text")
}

fn look_again(error: Error) -> Error {
    error.with_hint("Take a new snapshot and name the target again. Nothing was sent.")
}

fn describe(blocker: &Blocker) -> String {
    let mut text = blocker.role.clone();
    if !blocker.name.is_empty() {
        text.push_str(&format!(" \"{}\"", blocker.name));
    }
    if !blocker.id.is_empty() {
        text.push_str(&format!(" id={}", blocker.id));
    }
    if text.is_empty() {
        text.clone_from(&blocker.tag);
    }
    text
}
