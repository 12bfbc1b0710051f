//! What the app shows at one moment: elements with rectangles, layers and what a touch does to them.

use std::borrow::Cow;

use super::{Act, Field};
use crate::{
    geometry::{Direction, Point, Rect},
    role::Role,
    snapshot::Sides,
};

/// A scroll container's content and how far it has moved.
#[derive(Clone, Copy, Debug)]
pub(in crate::testing) struct Scroll {
    pub(in crate::testing) name: &'static str,
    pub(in crate::testing) offset: f64,
    pub(in crate::testing) max: f64,
    /// Whether a stroke moves it.
    pub(in crate::testing) moves: bool,
}

/// One element.
#[derive(Clone, Debug)]
pub(in crate::testing) struct Element {
    pub(in crate::testing) parent: Option<usize>,
    pub(in crate::testing) role: Role,
    pub(in crate::testing) id: Cow<'static, str>,
    /// What the log calls it.
    pub(in crate::testing) name: String,
    /// Tells it from every other element, also of other screens and other runs of the app.
    pub(in crate::testing) key: String,
    pub(in crate::testing) label: Option<String>,
    pub(in crate::testing) value: Option<String>,
    pub(in crate::testing) placeholder: Option<&'static str>,
    pub(in crate::testing) bounds: Rect,
    /// What of it is inside all clips around it.
    pub(in crate::testing) visible: Option<Rect>,
    /// The clip that it is judged against.
    pub(in crate::testing) clip: Rect,
    pub(in crate::testing) layer: u8,
    /// Whether it catches touches all over the screen, as the shade behind an alert does.
    pub(in crate::testing) modal: bool,
    /// Whether it is drawn; a mere grouping is not, so touches go through it.
    pub(in crate::testing) drawn: bool,
    pub(in crate::testing) act: Option<Act>,
    pub(in crate::testing) enabled: Option<bool>,
    pub(in crate::testing) checked: Option<bool>,
    pub(in crate::testing) selected: Option<bool>,
    pub(in crate::testing) focused: Option<bool>,
    pub(in crate::testing) secure: bool,
    pub(in crate::testing) hint_showing: Option<bool>,
    /// Whether the tree says if it is hittable. Some platforms don't for some elements.
    pub(in crate::testing) says_hittable: bool,
    pub(in crate::testing) level: u8,
    pub(in crate::testing) scroll: Option<Scroll>,
}

impl Element {
    pub(super) fn new(role: Role, bounds: Rect) -> Self {
        Self {
            parent: None,
            role,
            id: Cow::Borrowed(""),
            name: String::new(),
            key: String::new(),
            label: None,
            value: None,
            placeholder: None,
            bounds,
            visible: None,
            clip: Rect::default(),
            layer: 0,
            modal: false,
            drawn: true,
            act: None,
            enabled: None,
            checked: None,
            selected: None,
            focused: None,
            secure: false,
            hint_showing: None,
            says_hittable: true,
            level: 0,
            scroll: None,
        }
    }

    pub(super) fn button(
        id: &'static str,
        label: impl Into<String>,
        bounds: Rect,
        act: Act,
    ) -> Self {
        let mut button = Self::new(Role::Button, bounds).id(id).label(label).act(act);
        button.enabled = Some(true);
        button
    }

    pub(super) fn text(id: &'static str, label: impl Into<String>, bounds: Rect) -> Self {
        Self::new(Role::Text, bounds).id(id).label(label)
    }

    /// A grouping that is not drawn.
    pub(super) fn group(id: &'static str, bounds: Rect) -> Self {
        Self {
            drawn: false,
            ..Self::new(Role::Group, bounds).id(id)
        }
    }

    /// Sets the id, which is its name in the log as well.
    pub(super) fn id(self, id: impl Into<Cow<'static, str>>) -> Self {
        let id = id.into();
        Self {
            name: id.clone().into_owned(),
            id,
            ..self
        }
    }

    /// Sets what the log calls an element without an id.
    pub(super) fn named(self, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..self
        }
    }

    pub(super) fn label(self, label: impl Into<String>) -> Self {
        Self {
            label: Some(label.into()),
            ..self
        }
    }

    pub(super) fn act(self, act: Act) -> Self {
        Self {
            act: Some(act),
            enabled: self.enabled.or(Some(true)),
            ..self
        }
    }

    pub(super) fn enabled(self, enabled: bool) -> Self {
        Self {
            enabled: Some(enabled),
            ..self
        }
    }

    pub(super) fn checked(self, checked: bool) -> Self {
        Self {
            checked: Some(checked),
            ..self
        }
    }

    pub(super) fn selected(self, selected: bool) -> Self {
        Self {
            selected: Some(selected),
            ..self
        }
    }

    pub(super) fn layer(self, layer: u8) -> Self {
        Self { layer, ..self }
    }

    pub(super) fn scroll(self, scroll: Scroll) -> Self {
        Self {
            scroll: Some(scroll),
            ..self
        }
    }

    /// The text field that it is.
    pub(in crate::testing) fn field(&self) -> Option<Field> {
        match self.act {
            Some(Act::Focus(field)) => Some(field),
            _ => None,
        }
    }

    /// The sides of its clip beyond which it lies, if nothing of it can be seen.
    pub(in crate::testing) fn outside(&self) -> Sides {
        if self.visible.is_some() {
            return Sides::NONE;
        }
        let (bounds, clip) = (self.bounds, self.clip);
        Sides::from_fn(|side| match side {
            Direction::Up => bounds.bottom() <= clip.y,
            Direction::Down => bounds.y >= clip.bottom(),
            Direction::Left => bounds.right() <= clip.x,
            Direction::Right => bounds.x >= clip.right(),
        })
    }

    /// The sides on which a scroll container has more content.
    pub(in crate::testing) fn hidden_content(&self) -> Sides {
        let Some(scroll) = self.scroll else {
            return Sides::NONE;
        };
        Sides::from_fn(|side| match side {
            Direction::Up => scroll.offset > 0.0,
            Direction::Down => scroll.offset < scroll.max,
            _ => false,
        })
    }
}

/// The elements of one moment in document order, parents before children.
#[derive(Clone, Debug)]
pub(in crate::testing) struct Scene {
    pub(in crate::testing) elements: Vec<Element>,
    pub(in crate::testing) viewport: Rect,
    pub(in crate::testing) keyboard: Option<Rect>,
    pub(in crate::testing) app: &'static str,
    pub(in crate::testing) title: String,
    pub(in crate::testing) process: u64,
    pub(in crate::testing) system_surface: Option<&'static str>,
    /// Before the key of each element.
    prefix: String,
}

impl Scene {
    pub(super) fn new(viewport: Rect, app: &'static str, title: String, process: u64) -> Self {
        let prefix = format!("{process}/{title}");
        let mut scene = Self {
            elements: Vec::new(),
            viewport,
            keyboard: None,
            app,
            title,
            process,
            system_surface: None,
            prefix,
        };
        let mut root = Element::new(Role::Application, viewport);
        (root.visible, root.clip) = (Some(viewport), viewport);
        root.key = format!("{}/", scene.prefix);
        scene.elements.push(root);
        scene
    }

    /// Adds an element to the root.
    pub(super) fn add(&mut self, element: Element) -> usize {
        self.add_in(0, element)
    }

    /// Adds an element to another one. Callers add in document order.
    pub(super) fn add_in(&mut self, parent: usize, mut element: Element) -> usize {
        let around = &self.elements[parent];
        let clip = match around.scroll {
            Some(_) => around.visible.unwrap_or(around.bounds),
            None => around.clip,
        };
        element.parent = Some(parent);
        element.layer = element.layer.max(around.layer);
        element.clip = clip;
        element.visible = element.bounds.intersection(clip);
        element.key = if element.name.is_empty() {
            format!("{}/{}", self.prefix, self.elements.len())
        } else {
            format!("{}/{}", self.prefix, element.name)
        };
        self.elements.push(element);
        self.elements.len() - 1
    }

    /// What is drawn on top at a point: the latest element of the highest layer. The keyboard is not an element.
    pub(in crate::testing) fn top_at(&self, point: Point) -> Option<usize> {
        let reaches = |element: &Element| {
            let area = match element.visible {
                Some(_) if element.modal => Some(self.viewport),
                visible if element.drawn => visible,
                _ => None,
            };
            area.is_some_and(|area| area.contains_half_open(point))
        };
        (0..self.elements.len())
            .filter(|at| reaches(&self.elements[*at]))
            .max_by_key(|at| (self.elements[*at].layer, *at))
    }

    /// Whether the keyboard takes touches at a point. Dialogs of the system lie over it.
    pub(in crate::testing) fn keyboard_at(&self, point: Point) -> bool {
        self.keyboard
            .is_some_and(|keyboard| keyboard.contains_half_open(point))
    }

    /// `at` and the elements around it, innermost first.
    pub(in crate::testing) fn path(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(at), |at| self.elements[*at].parent)
    }

    /// The element that a touch at a point acts on: the innermost one with an act around what is drawn on top there.
    pub(in crate::testing) fn target_at(&self, point: Point) -> Option<usize> {
        if self.keyboard_at(point) {
            return None;
        }
        let top = self.top_at(point)?;
        self.path(top).find(|at| self.elements[*at].act.is_some())
    }

    /// The scroll container that a stroke from a point moves.
    pub(in crate::testing) fn scroller_at(&self, point: Point) -> Option<Scroll> {
        if self.keyboard_at(point) {
            return None;
        }
        let top = self.top_at(point)?;
        self.path(top).find_map(|at| self.elements[at].scroll)
    }

    /// The element with this key.
    pub(in crate::testing) fn find(&self, key: &str) -> Option<usize> {
        self.elements.iter().position(|element| element.key == key)
    }

    /// The unrelated element that lies over the middle of what can be seen of `at`. A keyboard covers nothing here: it is
    /// reported as a fact of its own.
    pub(in crate::testing) fn covered_by(&self, at: usize) -> Option<usize> {
        let element = &self.elements[at];
        element.visible?;
        let top = self.top_at(element.bounds.center())?;
        let related =
            self.path(top).any(|around| around == at) || self.path(at).any(|around| around == top);
        (!related).then_some(top)
    }

    /// Whether a touch at the centre of `at` reaches it or something in it.
    pub(in crate::testing) fn hittable(&self, at: usize) -> bool {
        let element = &self.elements[at];
        let center = element.bounds.center();
        element.enabled != Some(false) && !self.keyboard_at(center) && self.shows_at(at, center)
    }

    /// Whether `at` can be seen at a point: it, or something in it, is on top there. A grouping that is not drawn is seen
    /// through to what lies around it.
    pub(in crate::testing) fn shows_at(&self, at: usize, point: Point) -> bool {
        let element = &self.elements[at];
        let inside = element
            .visible
            .is_some_and(|visible| visible.contains_half_open(point));
        inside
            && self.top_at(point).is_some_and(|top| {
                self.path(top).any(|around| around == at)
                    || (!element.drawn && self.path(at).any(|around| around == top))
            })
    }

    /// Whether a touch at a point is a touch of `at`: it can be seen there, or it lies in what reacts there.
    pub(in crate::testing) fn takes_touch(&self, at: usize, point: Point) -> bool {
        if self.keyboard_at(point) || self.elements[at].visible.is_none() {
            return false;
        }
        let reacts = |top: usize| {
            self.elements[top].act.is_some() && self.path(at).any(|around| around == top)
        };
        self.shows_at(at, point) || self.top_at(point).is_some_and(reacts)
    }
}
