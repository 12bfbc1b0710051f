//! What a document says about one element, and the texts that its node gets of it.

use std::borrow::Cow;

use agent_device_core::snapshot::{NodeBuilder, TextField};
use memchr::memchr;
use quick_xml::events::BytesStart;

use super::value::{Edges, truth, unescape};

/// What a document says about one node.
#[derive(Default)]
pub(super) struct Attributes<'a> {
    pub(super) text: Option<&'a str>,
    pub(super) description: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) class: &'a str,
    pub(super) package: Option<&'a str>,
    pub(super) hint: Option<&'a str>,
    pub(super) role_description: Option<&'a str>,
    pub(super) bounds: Option<Edges>,
    pub(super) order: Option<i32>,
    pub(super) clickable: bool,
    pub(super) long_clickable: bool,
    pub(super) focusable: bool,
    pub(super) checkable: Option<bool>,
    pub(super) checked: Option<bool>,
    pub(super) enabled: Option<bool>,
    pub(super) focused: Option<bool>,
    pub(super) selected: Option<bool>,
    pub(super) heading: Option<bool>,
    pub(super) editable: Option<bool>,
    pub(super) password: Option<bool>,
    pub(super) hint_showing: Option<bool>,
    pub(super) visible: Option<bool>,
    pub(super) scrollable: bool,
    pub(super) forward: Option<bool>,
    pub(super) backward: Option<bool>,
    pub(super) window_type: Option<i32>,
    pub(super) window_layer: i32,
    pub(super) window_active: bool,
    pub(super) window_focused: bool,
    pub(super) window_bounds: Option<Edges>,
    pub(super) window_region: Option<bool>,
}

impl<'a> Attributes<'a> {
    pub(super) fn read(element: &'a BytesStart<'_>) -> Option<Self> {
        let mut read = Self::default();
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.ok()?;
            // The reader borrows from the document; anything else would be a copy of its own.
            let Cow::Borrowed(value) = attribute.value else {
                continue;
            };
            read.take(attribute.key.as_ref(), value);
        }
        Some(read)
    }

    /// Keeps the value of an attribute that means something here. By length first: a node has some twenty attributes, and
    /// comparing each with thirty names would cost more than reading them.
    #[inline]
    fn take(&mut self, key: &str, value: &'a str) {
        match key.len() {
            4 => match key {
                "text" => self.text = Some(value),
                "hint" => self.hint = Some(value),
                _ => {}
            },
            5 if key == "class" => self.class = value,
            6 if key == "bounds" => self.bounds = Edges::parse(value),
            7 => match key {
                "package" => self.package = Some(value),
                "enabled" => self.enabled = Some(truth(value)),
                "focused" => self.focused = Some(truth(value)),
                "checked" => self.checked = Some(truth(value)),
                "heading" => self.heading = Some(truth(value)),
                _ => {}
            },
            8 => match key {
                "selected" => self.selected = Some(truth(value)),
                "password" => self.password = Some(truth(value)),
                "editable" => self.editable = Some(truth(value)),
                _ => {}
            },
            9 => match key {
                "clickable" => self.clickable = truth(value),
                "focusable" => self.focusable = truth(value),
                "checkable" => self.checkable = Some(truth(value)),
                "displayed" => self.visible = Some(truth(value)),
                _ => {}
            },
            10 if key == "scrollable" => self.scrollable = truth(value),
            11 => match key {
                "resource-id" => self.id = Some(value),
                "window-type" => self.window_type = value.parse().ok(),
                _ => {}
            },
            12 => match key {
                "content-desc" => self.description = Some(value),
                "hint-showing" | "showing-hint" => self.hint_showing = Some(truth(value)),
                "window-layer" => self.window_layer = value.parse().unwrap_or_default(),
                _ => {}
            },
            13 => match key {
                "drawing-order" => self.order = value.parse().ok(),
                "window-active" => self.window_active = truth(value),
                "window-bounds" => self.window_bounds = Edges::parse(value),
                _ => {}
            },
            14 => match key {
                "long-clickable" => self.long_clickable = truth(value),
                "window-focused" => self.window_focused = truth(value),
                _ => {}
            },
            15 => match key {
                "visible-to-user" => self.visible = Some(truth(value)),
                "roleDescription" => self.role_description = Some(value),
                _ => {}
            },
            16 if key == "role-description" => self.role_description = Some(value),
            18 => match key {
                "can-scroll-forward" => self.forward = Some(truth(value)),
                "window-region-rect" => self.window_region = Some(truth(value)),
                _ => {}
            },
            19 if key == "can-scroll-backward" => self.backward = Some(truth(value)),
            _ => {}
        }
    }
}

/// Sets a text, with its references resolved if it has any.
fn text(node: &mut NodeBuilder<'_>, field: TextField, value: &str) {
    if memchr(b'&', value.as_bytes()).is_none() {
        node.text(field, value);
    } else {
        node.text_with(field, |out| unescape(value, out));
    }
}

/// What a node is called, what it holds, and what else it says, by what is told of it.
pub(super) fn texts(
    node: &mut NodeBuilder<'_>,
    read: &Attributes<'_>,
    secure: bool,
    editable: bool,
    bare_ids: bool,
) {
    let filled = |text: &&str| !text.is_empty();
    let hint_showing = read.hint_showing == Some(true);
    let hint = read
        .hint
        .filter(filled)
        .or(read.text.filter(|_| hint_showing).filter(filled));
    let description = read.description.filter(filled);
    // What a password field shows is its content, unless it says that it is its hint.
    let shown = read.text.filter(|_| !secure || hint_showing).filter(filled);
    let label = if editable {
        description.or(hint).or(shown)
    } else {
        shown.or(description)
    };
    if let Some(label) = label {
        text(node, TextField::Label, label);
    }
    // What something shows is what it is called; only a field also holds it.
    if editable && !secure {
        if hint_showing {
            node.text(TextField::Value, "");
        } else if let Some(value) = read.text {
            text(node, TextField::Value, value);
        }
    }
    if let Some(hint) = hint {
        text(node, TextField::Placeholder, hint);
    }
    if let Some(description) = description.filter(|description| Some(*description) != label) {
        text(node, TextField::Description, description);
    }
    if let Some(id) = read.id.filter(filled) {
        let bare = read.package.filter(|_| bare_ids).and_then(|package| {
            let name = id.strip_prefix(package)?.strip_prefix(":id/")?;
            Some(name).filter(|name| !name.is_empty())
        });
        text(node, TextField::Identifier, bare.unwrap_or(id));
    }
    if !read.class.is_empty() {
        text(node, TextField::NativeType, read.class);
    }
}
