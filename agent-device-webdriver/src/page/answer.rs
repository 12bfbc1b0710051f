//! Reads what an act answers. As with captures, the bytes come from the page under test.
//!
//! `AR1 | status | field | field …` with the escapes of [`text`](super::text). Fields begin with a letter: `x`, `y` the point, `k` the kind of control,
//! `R`, `V` the whole and the visible rectangle, `d` the side on which it lies, `w` what hides it (viewport, scroll, clip),
//! `c` what covers it and `b` what inside it takes the touch (`role,tag,id,name`), `v` value, `n` its length, `q` whether it equals the expected one,
//! `s` secret, `t` cut, `h` checked (`c`, `u`, `m`), `f` focused, `o` the
//! options there are, `r`, `e` the role and name (or token) found instead.

use std::fmt;

use agent_device_core::geometry::{Direction, Point, Rect};

use super::text::{MAX_BYTES, Problem, Result, count, fail, number, numbers, unescaped};

/// How an act ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done, or free to be touched.
    Ok,
    /// The document is another one than at the capture.
    StaleDocument,
    /// Nothing is where the element was.
    Gone,
    /// Something else is where the element was.
    Changed,
    /// It is made invisible.
    Hidden,
    /// It has no area.
    ZeroSize,
    /// It does not react.
    Disabled,
    /// It is part of something inert.
    Inert,
    /// It lies outside the viewport or its scroll container.
    Offscreen,
    /// Something else takes the touch.
    Covered,
    /// Its value can't be changed.
    ReadOnly,
    /// The act does not fit this control.
    Unsupported,
    /// It was done, but the value isn't the one that was set.
    Unverified,
    /// There is no such option.
    NoOption,
}

/// What kind of control it is, for choosing how to fill it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Control {
    /// Not a form control.
    #[default]
    None,
    /// Text is typed into it.
    Text,
    /// Rich text is typed into it.
    ContentEditable,
    /// Date, time, month, week.
    Date,
    /// A colour.
    Color,
    /// A slider.
    Range,
    /// A file chooser.
    File,
    /// A check box.
    Checkbox,
    /// A radio button.
    Radio,
    /// A choice.
    Select,
}

/// What hides an element that is off the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HiddenBy {
    /// It is beyond the edge of the viewport.
    Viewport,
    /// It is scrolled out of a container or frame.
    Scroll,
    /// A container cuts it away that people can't scroll.
    Clip,
    /// No point of it answers.
    Point,
}

/// An element that stands in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blocker {
    /// Its role word.
    pub(crate) role: String,
    /// Its tag.
    pub(crate) tag: String,
    /// Its id attribute.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
}

/// What an act answered.
#[derive(Clone, PartialEq)]
pub(crate) struct Answer {
    /// How it ended.
    pub(crate) status: Status,
    /// Where the touch lands, in the top viewport.
    pub(crate) point: Option<Point>,
    /// The kind of control.
    pub(crate) control: Control,
    /// The whole element.
    pub(crate) bounds: Option<Rect>,
    /// The part of it that can be seen.
    pub(crate) visible: Option<Rect>,
    /// On which side it lies outside.
    pub(crate) side: Option<Direction>,
    /// What hides it.
    pub(crate) hidden_by: Option<HiddenBy>,
    /// What covers it.
    pub(crate) covered_by: Option<Blocker>,
    /// The control inside it that takes the touch.
    pub(crate) taken_by: Option<Blocker>,
    /// The current value; never that of a secret.
    pub(crate) value: Option<String>,
    /// The length of the value in UTF-16 units.
    pub(crate) length: Option<usize>,
    /// Whether the value is the expected one.
    pub(crate) equal: Option<bool>,
    /// Whether the value is secret.
    pub(crate) secret: bool,
    /// Whether the value was cut.
    pub(crate) cut: bool,
    /// Checked, unchecked, or `None` inside for mixed.
    pub(crate) checked: Option<Option<bool>>,
    /// Whether it has the focus.
    pub(crate) focused: bool,
    /// The options of a choice.
    pub(crate) options: Vec<String>,
    /// The role word found instead of the captured one.
    pub(crate) found_role: Option<String>,
    /// The name or document token found instead of the captured one.
    pub(crate) found_name: Option<String>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What stands in a field does not belong into logs.
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("point", &self.point)
            .field("control", &self.control)
            .field("side", &self.side)
            .field("hidden_by", &self.hidden_by)
            .field("covered_by", &self.covered_by)
            .field("length", &self.length)
            .field("equal", &self.equal)
            .finish_non_exhaustive()
    }
}

/// Reads the answer of an act.
///
/// # Errors
///
/// The first field that is missing or wrong.
pub(crate) fn read(reply: &str) -> Result<Answer> {
    if reply.len() > MAX_BYTES {
        return fail("reply", 0, Problem::TooLarge);
    }
    let mut fields = reply.split('|');
    if fields.next() != Some("AR1") {
        return fail("version", 0, Problem::Malformed);
    }
    let status = match fields.next() {
        Some("ok") => Status::Ok,
        Some("stale-document") => Status::StaleDocument,
        Some("gone") => Status::Gone,
        Some("changed") => Status::Changed,
        Some("hidden") => Status::Hidden,
        Some("zero-size") => Status::ZeroSize,
        Some("disabled") => Status::Disabled,
        Some("inert") => Status::Inert,
        Some("offscreen") => Status::Offscreen,
        Some("covered") => Status::Covered,
        Some("readonly") => Status::ReadOnly,
        Some("unsupported") => Status::Unsupported,
        Some("unverified") => Status::Unverified,
        Some("no-option") => Status::NoOption,
        Some(_) => return fail("status", 0, Problem::Malformed),
        None => return fail("status", 0, Problem::Missing),
    };
    let mut answer = Answer {
        status,
        point: None,
        control: Control::None,
        bounds: None,
        visible: None,
        side: None,
        hidden_by: None,
        covered_by: None,
        taken_by: None,
        value: None,
        length: None,
        equal: None,
        secret: false,
        cut: false,
        checked: None,
        focused: false,
        options: Vec::new(),
        found_role: None,
        found_name: None,
    };
    let (mut x, mut y) = (None, None);
    for (at, field) in fields.enumerate() {
        let mut chars = field.chars();
        let letter = chars.next();
        let text = chars.as_str();
        let known = match letter {
            Some('x') => {
                x = number(text);
                x.is_some()
            }
            Some('y') => {
                y = number(text);
                y.is_some()
            }
            Some('k') => set(&mut answer.control, control(text)),
            Some('R') => set(&mut answer.bounds, rect(text).map(Some)),
            Some('V') => set(&mut answer.visible, rect(text).map(Some)),
            Some('d') => set(&mut answer.side, direction(text).map(Some)),
            Some('w') => set(&mut answer.hidden_by, hidden_by(text).map(Some)),
            Some('c') => set(&mut answer.covered_by, blocker(text).map(Some)),
            Some('b') => set(&mut answer.taken_by, blocker(text).map(Some)),
            Some('v') => set(&mut answer.value, Some(Some(unescaped(text)))),
            Some('n') => set(&mut answer.length, count(text).map(Some)),
            Some('q') => set(&mut answer.equal, bit(text).map(Some)),
            Some('s') => set(&mut answer.secret, bit(text)),
            Some('t') => set(&mut answer.cut, bit(text)),
            Some('f') => set(&mut answer.focused, bit(text)),
            Some('h') => set(&mut answer.checked, checked(text).map(Some)),
            Some('o') => set(
                &mut answer.options,
                Some(text.split(',').map(unescaped).collect()),
            ),
            Some('r') => set(&mut answer.found_role, Some(Some(unescaped(text)))),
            Some('e') => set(&mut answer.found_name, Some(Some(unescaped(text)))),
            _ => false,
        };
        if !known {
            return fail("field", at, Problem::Malformed);
        }
    }
    answer.point = x.zip(y).map(|(x, y)| Point::new(x, y));
    if answer.secret {
        answer.value = None;
    }
    Ok(answer)
}

fn set<T>(slot: &mut T, value: Option<T>) -> bool {
    match value {
        Some(value) => {
            *slot = value;
            true
        }
        None => false,
    }
}

fn bit(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

fn control(text: &str) -> Option<Control> {
    Some(match text {
        "none" => Control::None,
        "text" => Control::Text,
        "contenteditable" => Control::ContentEditable,
        "date" => Control::Date,
        "color" => Control::Color,
        "range" => Control::Range,
        "file" => Control::File,
        "checkbox" => Control::Checkbox,
        "radio" => Control::Radio,
        "select" => Control::Select,
        _ => return None,
    })
}

fn direction(text: &str) -> Option<Direction> {
    Some(match text {
        "up" => Direction::Up,
        "down" => Direction::Down,
        "left" => Direction::Left,
        "right" => Direction::Right,
        _ => return None,
    })
}

fn hidden_by(text: &str) -> Option<HiddenBy> {
    Some(match text {
        "viewport" => HiddenBy::Viewport,
        "scroll" => HiddenBy::Scroll,
        "clip" => HiddenBy::Clip,
        "point" => HiddenBy::Point,
        _ => return None,
    })
}

fn checked(text: &str) -> Option<Option<bool>> {
    Some(match text {
        "c" => Some(true),
        "u" => Some(false),
        "m" => None,
        _ => return None,
    })
}

fn rect(text: &str) -> Option<Rect> {
    numbers(text).map(|[x, y, width, height]| Rect::new(x, y, width, height))
}

fn blocker(text: &str) -> Option<Blocker> {
    let mut parts = text.splitn(4, ',');
    Some(Blocker {
        role: parts.next()?.to_owned(),
        tag: parts.next()?.to_owned(),
        id: unescaped(parts.next()?),
        name: unescaped(parts.next()?),
    })
}
