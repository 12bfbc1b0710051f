//! The page source of Appium's XCUITest driver and of WebDriverAgent: one element of XML for each element of the screen.
//!
//! Attributes as WebDriverAgent writes them (`FBXPath`): `type`, `name` (identifier, else label), `label`, `value`, `enabled`,
//! `visible`, `x`, `y`, `width`, `height`, `placeholderValue`, `selected`, `focused`. Older ones lack some and know others.

use std::borrow::Cow;

use agent_device_core::{
    Role,
    geometry::Rect,
    snapshot::{
        CaptureOptions, Flag, Quality, QualityReason, QualityState, SnapshotBuilder, SnapshotInfo,
    },
};
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{DecodeError, Decoded, Facts, Limits, element::role, write::Said};

/// Decodes a page source, whole or a part of one.
///
/// The value of a secure field is not read. A field that shows its placeholder has that as its placeholder and is empty.
///
/// # Errors
///
/// It holds no element, ends early, is no XML, or is too large.
pub fn decode_source(
    document: &[u8],
    options: CaptureOptions,
    facts: &Facts<'_>,
    limits: &Limits,
) -> Result<Decoded, DecodeError> {
    if document.len() > limits.bytes {
        return Err(DecodeError::TooLarge {
            limit: limits.bytes,
        });
    }
    let text = String::from_utf8_lossy(document);
    let mut reader = Reader::from_str(&text);
    let mut pass = Pass {
        builder: SnapshotBuilder::with_capacity(options, text.len() / 200, text.len() / 5),
        viewport: None,
        app: None,
        truncated: false,
        limits,
    };
    // The wrapper of Appium is not an element of the screen.
    let (mut depth, mut wrapped) = (0_usize, 0_usize);
    loop {
        match reader.read_event().map_err(|_| DecodeError::Malformed)? {
            Event::Start(element) => {
                if is_wrapper(&element) && pass.builder.is_empty() {
                    wrapped += 1;
                } else {
                    pass.add(&element, depth)?;
                }
                depth += 1;
            }
            Event::Empty(element) if !is_wrapper(&element) => pass.add(&element, depth)?,
            Event::End(_) => depth = depth.checked_sub(1).ok_or(DecodeError::Malformed)?,
            Event::Eof => break,
            _ => {}
        }
        if wrapped > 8 {
            return Err(DecodeError::Malformed);
        }
    }
    if depth > 0 || pass.builder.is_empty() {
        return Err(DecodeError::Malformed);
    }
    let quality = match pass.builder.len() {
        1 => Quality::new(
            QualityState::Sparse,
            "source",
            Some(QualityReason::SparseTree),
        ),
        _ => Quality::healthy("source"),
    };
    let producer = if facts.producer.is_empty() {
        "appium-source"
    } else {
        facts.producer
    };
    let mut info = SnapshotInfo::new(producer, quality);
    info.viewport = pass.viewport;
    info.scale = facts.scale;
    info.truncated = pass.truncated;
    info.app = facts.app.map(str::to_owned).or(pass.app);
    info.lineage = facts.lineage.map(str::to_owned);
    Ok(Decoded {
        snapshot: pass.builder.finish(info),
        fatal: None,
        busy: false,
    })
}

fn is_wrapper(element: &BytesStart<'_>) -> bool {
    matches!(element.name().as_ref(), "AppiumAUT" | "hierarchy")
}

struct Pass<'l> {
    builder: SnapshotBuilder,
    viewport: Option<Rect>,
    app: Option<String>,
    truncated: bool,
    limits: &'l Limits,
}

#[derive(Default)]
struct Attributes<'t> {
    kind: Option<Cow<'t, str>>,
    name: Option<Cow<'t, str>>,
    label: Option<Cow<'t, str>>,
    value: Option<Cow<'t, str>>,
    placeholder: Option<Cow<'t, str>>,
    app: Option<Cow<'t, str>>,
    edges: [Option<f64>; 4],
    enabled: Option<bool>,
    visible: Option<bool>,
    selected: Option<bool>,
    focused: Option<bool>,
}

impl<'t> Attributes<'t> {
    fn of(element: &'t BytesStart<'_>) -> Self {
        let mut found = Self::default();
        let mut attributes = element.attributes();
        for attribute in attributes.with_checks(false).filter_map(Result::ok) {
            let raw = attribute.value;
            let number = || raw.parse::<f64>().ok().filter(|number| number.is_finite());
            let truth = || match raw.as_ref() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            };
            match attribute.key.as_ref() {
                "x" => found.edges[0] = number(),
                "y" => found.edges[1] = number(),
                "width" => found.edges[2] = number(),
                "height" => found.edges[3] = number(),
                "enabled" => found.enabled = truth(),
                "visible" => found.visible = truth(),
                "selected" => found.selected = truth(),
                "focused" => found.focused = truth(),
                "type" => found.kind = Some(text(raw)),
                "name" => found.name = Some(text(raw)),
                "label" => found.label = Some(text(raw)),
                "value" => found.value = Some(text(raw)),
                "placeholderValue" => found.placeholder = Some(text(raw)),
                "bundleId" => found.app = Some(text(raw)),
                _ => {}
            }
        }
        found
    }
}

/// References resolved; a reference that is none stays as it is.
fn text(raw: Cow<'_, str>) -> Cow<'_, str> {
    if !raw.contains('&') {
        return raw;
    }
    match quick_xml::escape::unescape(&raw) {
        Ok(clean) => Cow::Owned(clean.into_owned()),
        Err(_) => raw,
    }
}

impl Pass<'_> {
    fn add(&mut self, element: &BytesStart<'_>, depth: usize) -> Result<(), DecodeError> {
        let at = self.builder.len();
        if at >= self.limits.nodes || depth >= self.limits.depth {
            self.truncated = true;
            return Ok(());
        }
        let tag = element.name();
        let found = Attributes::of(element);
        let kind = found.kind.as_deref().unwrap_or(tag.as_ref());
        let role = role(kind);
        let mut node = self
            .builder
            .at_depth(depth, role)
            .map_err(|_| DecodeError::Malformed)?;
        if let [Some(x), Some(y), Some(width), Some(height)] = found.edges {
            let rect = Rect::new(x, y, width, height);
            node.bounds(rect);
            if role == Role::Application && rect.is_usable() {
                self.viewport.get_or_insert(rect);
            }
        }
        Said {
            role,
            kind: Some(kind.strip_prefix("XCUIElementType").unwrap_or(kind)),
            label: found.label.as_deref(),
            // An element without an identifier of its own is called by its label here.
            identifier: found
                .name
                .as_deref()
                .filter(|name| !name.is_empty() && Some(*name) != found.label.as_deref()),
            value: found.value.as_deref(),
            placeholder: found.placeholder.as_deref(),
            enabled: found.enabled,
            selected: found.selected,
            focused: found.focused,
        }
        .write(&mut node);
        node.flag_if_known(Flag::VisibleToUser, found.visible);
        if role == Role::Application && self.app.is_none() {
            self.app = found.app.map(Cow::into_owned);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use agent_device_core::snapshot::Checked;
    use proptest::prelude::*;

    use super::*;

    fn read(document: &[u8]) -> Result<Decoded, DecodeError> {
        decode_source(
            document,
            CaptureOptions::default(),
            &Facts::default(),
            &Limits::default(),
        )
    }

    #[test]
    fn a_source_becomes_a_tree_without_its_wrapper() {
        let source = "<?xml version=\"1.0\"?><AppiumAUT><XCUIElementTypeApplication type=\"XCUIElementTypeApplication\" name=\"A\" label=\"A\" \
            x=\"0\" y=\"0\" width=\"402\" height=\"874\" bundleId=\"com.x\"><XCUIElementTypeSwitch name=\"wifi\" label=\"Wi&amp;Fi &oops;\" value=\"1\" \
            visible=\"false\"/><XCUIElementTypeTextField name=\"city\" value=\"City\" placeholderValue=\"City\"/><XCUIElementTypeSecureTextField \
            value=\"hunter2\"/></XCUIElementTypeApplication></AppiumAUT>";
        let snapshot = read(source.as_bytes()).unwrap().snapshot;
        let nodes: Vec<_> = snapshot.nodes().collect();
        assert_eq!(nodes.len(), 4);
        assert_eq!((nodes[0].depth(), nodes[0].identifier()), (0, None));
        assert_eq!(snapshot.info().app.as_deref(), Some("com.x"));
        assert_eq!(
            (nodes[1].identifier(), nodes[1].checked()),
            (Some("wifi"), Some(Checked::On))
        );
        assert_eq!(
            nodes[1].label(),
            Some("Wi&amp;Fi &oops;"),
            "a broken reference leaves the text as it is"
        );
        assert!(nodes[2].is(Flag::HintShowing) && nodes[2].value() == Some(""));
        assert!(nodes[3].is(Flag::Secure) && !format!("{}", snapshot.view()).contains("hunter2"));
    }

    #[test]
    fn what_is_no_source_is_refused() {
        for document in [
            "",
            "x",
            "<a",
            "<AppiumAUT/>",
            "<AppiumAUT></AppiumAUT>",
            "<X><Y></X>",
            "</X>",
            "<X>",
        ] {
            assert_eq!(
                read(document.as_bytes()).unwrap_err(),
                DecodeError::Malformed,
                "{document}"
            );
        }
        let deep = "<XCUIElementTypeOther>".repeat(100_000);
        assert_eq!(read(deep.as_bytes()).unwrap_err(), DecodeError::Malformed);
        let closed = format!("{deep}{}", "</XCUIElementTypeOther>".repeat(100_000));
        let snapshot = read(closed.as_bytes()).unwrap().snapshot;
        assert!(snapshot.info().truncated && snapshot.len() == 1024);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in "[<>/a-cX=\"&;# \\x00é]{0,200}") {
            let _ = read(bytes.as_bytes());
        }
    }
}
