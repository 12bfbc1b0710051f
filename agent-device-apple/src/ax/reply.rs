//! One pass over the bytes of a reply. The tree is nested in the JSON; what is open lies on a stack of our own, so that no depth
//! can exhaust that of the thread. Members may come in any order.

use std::{borrow::Cow, time::Duration};

use agent_device_core::{
    Role,
    geometry::Rect,
    snapshot::{
        CaptureOptions, Flag, Node, NodeId, Quality, Snapshot, SnapshotBuilder, SnapshotInfo,
        TextField,
    },
};
use json_event_parser::{JsonEvent, SliceJsonParser};

use super::{
    failure::{AxFailure, RefusalKind},
    member::{Key, Open, Scalar},
    node::Facts,
    wire::{AxLimits, Expected, PROTOCOL_VERSION, SOURCE_VERSION},
};

/// The name of this source in verdicts.
pub(crate) const SOURCE: &str = "simulator-ax";
/// Who makes the tree.
const PRODUCER: &str = "apple-simulator-ax";
/// What a message or a code of the guest may have, in characters.
const LONGEST: usize = 500;

/// A decoded reply.
#[derive(Debug)]
pub(super) struct Described {
    pub(super) snapshot: Snapshot,
    pub(super) recovery: Recovery,
}

/// A reply to a request of its own, for the fuzzer.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn fuzz(reply: &[u8]) {
    let expected = Expected {
        request_id: "7",
        pid: 42,
        generation: "g",
    };
    let limits = AxLimits {
        nodes: 200,
        depth: 16,
        ..AxLimits::default()
    };
    if let Ok(described) = decode(reply, &expected, &CaptureOptions::default(), &limits) {
        assert!(described.snapshot.len() <= limits.nodes);
        drop(described.snapshot.view().to_string());
    }
}

/// What the guest did to get the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Recovery {
    pub(super) requests: u64,
    pub(super) rejected: u64,
    pub(super) continuations: u64,
    pub(super) accepted_levels: u64,
    pub(super) elapsed_ms: u64,
}

/// Decodes the reply to the request that `expected` names.
pub(super) fn decode(
    reply: &[u8],
    expected: &Expected<'_>,
    options: &CaptureOptions,
    limits: &AxLimits,
) -> Result<Described, AxFailure> {
    let mut pass = Pass {
        json: SliceJsonParser::new(reply),
        limits,
        // An element takes some 250 bytes on the wire, a fifth of them text.
        builder: SnapshotBuilder::with_capacity(
            options.clone(),
            (reply.len() / 250).min(limits.nodes),
            reply.len() / 5,
        ),
        open: Vec::new(),
        depth: 0,
        shapes: Vec::new(),
        envelope: Envelope::default(),
    };
    pass.run()?;
    pass.envelope.check(expected)?;
    pass.finish(expected)
}

/// A page that another process draws in a web view. Its place is all that the app knows of it, so a tree without its content
/// would read as an empty page.
fn hides_a_page(node: Node<'_>, viewport: Rect) -> bool {
    node.is(Flag::Opaque)
        && node
            .bounds()
            .is_none_or(|bounds| bounds.intersection(viewport).is_some())
        && node
            .ancestors()
            .any(|around| around.role() == Role::WebView)
}

/// Whether an element is more than a container without a name.
fn is_telling(node: Node<'_>) -> bool {
    let structural = matches!(
        node.role(),
        Role::Application | Role::Window | Role::Other | Role::Group | Role::ScrollArea
    );
    let says = |text: Option<&str>| text.is_some_and(|text| !text.trim().is_empty());
    // The name of the app is no content.
    !structural
        || (node.role() != Role::Application
            && (says(node.label()) || says(node.value()) || says(node.identifier())))
}

/// What stands beside the tree.
#[derive(Debug, Default)]
struct Envelope<'a> {
    protocol: Option<u64>,
    source: Option<Cow<'a, str>>,
    request_id: Option<Cow<'a, str>>,
    pid: Option<u64>,
    generation: Option<Cow<'a, str>>,
    ok: Option<bool>,
    truncated: bool,
    recovery: Recovery,
    kind: Option<Cow<'a, str>>,
    code: Option<Cow<'a, str>>,
    message: Option<Cow<'a, str>>,
    has_tree: bool,
}

impl Envelope<'_> {
    fn check(&self, expected: &Expected<'_>) -> Result<(), AxFailure> {
        let same = [
            (
                "protocolVersion",
                self.protocol == Some(u64::from(PROTOCOL_VERSION)),
            ),
            (
                "sourceVersion",
                self.source.as_deref() == Some(SOURCE_VERSION),
            ),
            (
                "requestId",
                self.request_id.as_deref() == Some(expected.request_id),
            ),
            ("pid", self.pid == Some(u64::from(expected.pid))),
            (
                "generation",
                self.generation.as_deref() == Some(expected.generation),
            ),
        ];
        if let Some((field, _)) = same.into_iter().find(|(_, same)| !same) {
            return Err(AxFailure::Identity { field });
        }
        match self.ok {
            Some(true) if self.has_tree => Ok(()),
            Some(true) => Err(AxFailure::unreadable("tree")),
            None => Err(AxFailure::unreadable("ok")),
            Some(false) => {
                let text = |text: &Option<Cow<'_, str>>| {
                    text.as_deref()
                        .unwrap_or_default()
                        .chars()
                        .take(LONGEST)
                        .collect::<String>()
                };
                let code = text(&self.code);
                if code.is_empty() {
                    return Err(AxFailure::unreadable("error_code"));
                }
                Err(AxFailure::Refused {
                    kind: RefusalKind::parse(self.kind.as_deref().unwrap_or_default()),
                    code,
                    message: text(&self.message),
                })
            }
        }
    }
}

/// What decides whether a touch can reach an element, as far as geometry tells.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    bounds: Option<Rect>,
    disabled: bool,
}

impl Shape {
    /// XCTest's own rule for `isHittable` without a hit test: enabled, of some size, its centre on the screen.
    fn is_reachable(self, viewport: Rect) -> bool {
        !self.disabled
            && self.bounds.is_some_and(|bounds| {
                bounds.is_usable() && viewport.contains_half_open(bounds.center())
            })
    }
}

struct Pass<'a> {
    json: SliceJsonParser<'a>,
    limits: &'a AxLimits,
    builder: SnapshotBuilder,
    open: Vec<Open<'a>>,
    /// How many of the open things are elements.
    depth: usize,
    shapes: Vec<Shape>,
    envelope: Envelope<'a>,
}

impl<'a> Pass<'a> {
    fn run(&mut self) -> Result<(), AxFailure> {
        // The member whose value comes next.
        let mut key = Key::Other;
        loop {
            let event = self
                .json
                .parse_next()
                .map_err(|_| AxFailure::unreadable("JSON"))?;
            match event {
                JsonEvent::ObjectKey(word) => {
                    key = self.open.last().map_or(Key::Other, |open| open.key(&word));
                    continue;
                }
                JsonEvent::StartObject => self.object(key)?,
                JsonEvent::StartArray => self.array(key)?,
                JsonEvent::EndObject | JsonEvent::EndArray => self.close(),
                JsonEvent::String(text) => self.scalar(key, Scalar::Text(text))?,
                JsonEvent::Number(number) => self.scalar(key, Scalar::Number(number))?,
                JsonEvent::Boolean(truth) => self.scalar(key, Scalar::Truth(truth))?,
                JsonEvent::Null => self.scalar(key, Scalar::Null)?,
                JsonEvent::Eof => return Ok(()),
            }
            key = Key::Other;
        }
    }

    fn object(&mut self, key: Key) -> Result<(), AxFailure> {
        let opened = match (self.open.last(), key) {
            (None, _) => Open::Reply,
            (Some(Open::Reply), Key::Recovery) => Open::Recovery,
            (Some(Open::Reply), Key::Tree) if !self.envelope.has_tree => {
                self.envelope.has_tree = true;
                self.node()?
            }
            (Some(Open::Reply), Key::Tree) => return Err(AxFailure::unreadable("tree")),
            (Some(Open::Children), _) => self.node()?,
            (Some(Open::Node(node, _)), Key::Frame) => Open::Frame(*node, [None; 4]),
            _ => Open::Ignored,
        };
        self.push(opened)
    }

    fn array(&mut self, key: Key) -> Result<(), AxFailure> {
        let opened = match (self.open.last(), key) {
            (Some(Open::Node(..)), Key::Children) => Open::Children,
            _ => Open::Ignored,
        };
        self.push(opened)
    }

    fn push(&mut self, opened: Open<'a>) -> Result<(), AxFailure> {
        // Two for each level of the tree, and a few around and in them.
        if self.open.len() > 2 * self.limits.depth + 8 {
            return Err(AxFailure::unreadable("JSON"));
        }
        self.open.push(opened);
        Ok(())
    }

    fn node(&mut self) -> Result<Open<'a>, AxFailure> {
        if self.depth > self.limits.depth || self.builder.len() >= self.limits.nodes {
            // The guest was told both limits.
            return Err(AxFailure::unreadable("tree"));
        }
        let node = self
            .builder
            .at_depth(self.depth, Role::Other)
            .map_err(|_| AxFailure::unreadable("tree"))?
            .id();
        self.depth += 1;
        self.shapes.push(Shape::default());
        Ok(Open::Node(node, Facts::default()))
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(Open::Node(node, facts)) => {
                self.depth -= 1;
                if let Some(shape) = self.shapes.get_mut(node.index()) {
                    shape.disabled = facts.is_disabled();
                }
                if let Some(mut node) = self.builder.edit(node) {
                    facts.write(&mut node);
                }
            }
            Some(Open::Frame(node, [Some(x), Some(y), Some(width), Some(height)])) => {
                let bounds = Rect::new(x, y, width, height);
                if let Some(shape) = self.shapes.get_mut(node.index()) {
                    shape.bounds = Some(bounds);
                }
                if let Some(mut node) = self.builder.edit(node) {
                    node.bounds(bounds);
                }
            }
            _ => {}
        }
    }

    fn scalar(&mut self, key: Key, value: Scalar<'a>) -> Result<(), AxFailure> {
        let envelope = &mut self.envelope;
        match self.open.last_mut() {
            Some(Open::Reply) => match key {
                Key::Protocol => envelope.protocol = value.whole("protocolVersion")?,
                Key::Source => envelope.source = value.text("sourceVersion")?,
                Key::RequestId => envelope.request_id = value.text("requestId")?,
                Key::Pid => envelope.pid = value.whole("pid")?,
                Key::Generation => envelope.generation = value.text("generation")?,
                Key::Ok => envelope.ok = Some(value.truth("ok")?),
                Key::Truncated => envelope.truncated = value.truth("truncated")?,
                Key::Kind => envelope.kind = value.text("error_kind")?,
                Key::Code => envelope.code = value.text("error_code")?,
                Key::Message => envelope.message = value.text("error")?,
                Key::Tree => return Err(AxFailure::unreadable("tree")),
                _ => {}
            },
            Some(Open::Recovery) => {
                let recovery = &mut envelope.recovery;
                let place = match key {
                    Key::Requests => &mut recovery.requests,
                    Key::Rejected => &mut recovery.rejected,
                    Key::Continuations => &mut recovery.continuations,
                    Key::AcceptedLevels => &mut recovery.accepted_levels,
                    Key::ElapsedMs => &mut recovery.elapsed_ms,
                    _ => return Ok(()),
                };
                *place = value.whole("recovery")?.unwrap_or_default();
            }
            Some(Open::Node(_, facts)) => match key {
                Key::Class => facts.class = value.text("ElementType")?,
                Key::BaseClass => facts.base_class = value.text("ElementBaseType")?,
                Key::Label => facts.label = value.text("Label")?,
                Key::Value => facts.value = value.readable(),
                Key::Placeholder => facts.placeholder = value.text("PlaceholderValue")?,
                Key::Identifier => facts.identifier = value.text("Identifier")?,
                Key::AutomationType => facts.automation_type = value.whole("AutomationType")?,
                Key::Traits => facts.traits = value.whole("Traits")?,
                _ => {}
            },
            Some(Open::Frame(_, sides)) => {
                let side = match key {
                    Key::X => 0,
                    Key::Y => 1,
                    Key::Width => 2,
                    Key::Height => 3,
                    _ => return Ok(()),
                };
                sides[side] = value.number()?;
            }
            // Something that is no element in the place of one.
            Some(Open::Children) => return Err(AxFailure::unreadable("Children")),
            Some(Open::Ignored) => {}
            None => return Err(AxFailure::unreadable("JSON")),
        }
        Ok(())
    }

    fn finish(mut self, expected: &Expected<'_>) -> Result<Described, AxFailure> {
        let app = self.shapes.first().and_then(|shape| shape.bounds);
        let viewport = app
            .filter(|bounds| bounds.is_usable())
            .ok_or(AxFailure::NoViewport)?;
        for (index, shape) in self.shapes.iter().enumerate().skip(1) {
            if let Some(mut node) = self.builder.edit(NodeId::at(index)) {
                node.flag(Flag::Hittable, shape.is_reachable(viewport));
            }
        }
        self.builder.derive_outside(Some(viewport));
        if let Some(mut root) = self.builder.edit(NodeId::at(0)) {
            // The runner numbers its captures, too.
            root.text_with(TextField::Handle, |text| {
                text.push_str("ax-");
                text.push_str(expected.request_id);
            });
        }
        let mut info = SnapshotInfo::new(PRODUCER, Quality::healthy(SOURCE));
        info.viewport = Some(viewport);
        info.density = 1.0;
        info.truncated = self.envelope.truncated;
        info.lineage = Some(expected.generation.to_owned());
        info.acquisition = Some(Duration::from_millis(self.envelope.recovery.elapsed_ms));
        let snapshot = self.builder.finish(info);
        if snapshot.nodes().any(|node| hides_a_page(node, viewport)) {
            return Err(AxFailure::RemoteContent);
        }
        if !snapshot.nodes().any(is_telling) {
            return Err(AxFailure::Sparse);
        }
        Ok(Described {
            snapshot,
            recovery: self.envelope.recovery,
        })
    }
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
