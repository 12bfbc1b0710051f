//! One pass over the bytes of a reply. The tree is nested in the JSON; what is open lies on a stack of our own, so that no depth
//! can exhaust that of the thread. Members may come in any order.

use std::{borrow::Cow, time::Duration};

use agent_device_core::{
    Role,
    geometry::Rect,
    snapshot::{
        CaptureOptions, Flag, Node, NodeId, Quality, Snapshot, SnapshotBuilder, SnapshotInfo,
    },
};
use json_event_parser::{JsonEvent, SliceJsonParser};

use super::{
    failure::{AxFailure, RefusalKind},
    node::Facts,
    wire::{AxLimits, Expected, PROTOCOL_VERSION, SOURCE_VERSION},
};

/// The name of this source in verdicts.
pub(super) const SOURCE: &str = "simulator-ax";
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

/// The members that mean something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Protocol,
    Source,
    RequestId,
    Pid,
    Generation,
    Ok,
    Truncated,
    Recovery,
    Kind,
    Code,
    Message,
    Tree,
    Requests,
    Rejected,
    Continuations,
    AcceptedLevels,
    ElapsedMs,
    Class,
    BaseClass,
    Label,
    Value,
    Placeholder,
    Identifier,
    Frame,
    AutomationType,
    Traits,
    Children,
    X,
    Y,
    Width,
    Height,
    Other,
}

/// Something in the document that has begun and not ended.
#[derive(Debug)]
enum Open<'a> {
    Reply,
    Recovery,
    Node(NodeId, Facts<'a>),
    Frame(NodeId, [Option<f64>; 4]),
    Children,
    Ignored,
}

impl Open<'_> {
    fn key(&self, word: &str) -> Key {
        match self {
            Self::Reply => match word {
                "protocolVersion" => Key::Protocol,
                "sourceVersion" => Key::Source,
                "requestId" => Key::RequestId,
                "pid" => Key::Pid,
                "generation" => Key::Generation,
                "ok" => Key::Ok,
                "truncated" => Key::Truncated,
                "recovery" => Key::Recovery,
                "error_kind" => Key::Kind,
                "error_code" => Key::Code,
                "error" => Key::Message,
                "tree" => Key::Tree,
                _ => Key::Other,
            },
            Self::Recovery => match word {
                "requests" => Key::Requests,
                "rejected" => Key::Rejected,
                "continuations" => Key::Continuations,
                "acceptedLevels" => Key::AcceptedLevels,
                "elapsedMs" => Key::ElapsedMs,
                _ => Key::Other,
            },
            Self::Node(..) => match word.strip_prefix("XC_kAXXCAttribute").unwrap_or_default() {
                "ElementType" => Key::Class,
                "ElementBaseType" => Key::BaseClass,
                "Label" => Key::Label,
                "Value" => Key::Value,
                "PlaceholderValue" => Key::Placeholder,
                "Identifier" => Key::Identifier,
                "Frame" => Key::Frame,
                "AutomationType" => Key::AutomationType,
                "Traits" => Key::Traits,
                "Children" => Key::Children,
                _ => Key::Other,
            },
            Self::Frame(..) => match word {
                "X" => Key::X,
                "Y" => Key::Y,
                "Width" => Key::Width,
                "Height" => Key::Height,
                _ => Key::Other,
            },
            Self::Children | Self::Ignored => Key::Other,
        }
    }
}

/// One value that is no object and no array.
enum Scalar<'a> {
    Text(Cow<'a, str>),
    Number(Cow<'a, str>),
    Truth(bool),
    Null,
}

impl<'a> Scalar<'a> {
    fn text(self, field: &'static str) -> Result<Option<Cow<'a, str>>, AxFailure> {
        match self {
            Self::Text(text) => Ok(Some(text)),
            Self::Null => Ok(None),
            Self::Number(_) | Self::Truth(_) => Err(AxFailure::unreadable(field)),
        }
    }

    /// A value that a person would read: sliders and switches have numbers.
    fn readable(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(text),
            Self::Truth(truth) => Some(Cow::Borrowed(if truth { "1" } else { "0" })),
            Self::Null => None,
        }
    }

    fn whole(self, field: &'static str) -> Result<Option<u64>, AxFailure> {
        match self {
            Self::Number(number) => number
                .parse()
                .map(Some)
                .map_err(|_| AxFailure::unreadable(field)),
            Self::Null => Ok(None),
            Self::Text(_) | Self::Truth(_) => Err(AxFailure::unreadable(field)),
        }
    }

    fn number(self) -> Result<Option<f64>, AxFailure> {
        match self {
            Self::Number(number) => {
                let number = number
                    .parse::<f64>()
                    .ok()
                    .filter(|number| number.is_finite());
                number.map(Some).ok_or(AxFailure::unreadable("Frame"))
            }
            Self::Null => Ok(None),
            Self::Text(_) | Self::Truth(_) => Err(AxFailure::unreadable("Frame")),
        }
    }

    fn truth(self, field: &'static str) -> Result<bool, AxFailure> {
        match self {
            Self::Truth(truth) => Ok(truth),
            _ => Err(AxFailure::unreadable(field)),
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
mod tests {
    use agent_device_core::{
        geometry::Direction,
        snapshot::{Checked, QualityState},
    };
    use serde_json::{Value, json};

    use super::*;

    const EXPECTED: Expected<'static> = Expected {
        request_id: "7",
        pid: 42,
        generation: "g",
    };

    fn read(reply: &[u8]) -> Result<Described, AxFailure> {
        decode(
            reply,
            &EXPECTED,
            &CaptureOptions::default(),
            &AxLimits::default(),
        )
    }

    fn reply(tree: &Value) -> Value {
        json!({
            "protocolVersion": 1, "sourceVersion": "agent-device-ax-1", "requestId": "7", "ok": true, "pid": 42, "generation": "g",
            "truncated": false, "recovery": {"requests": 3, "rejected": 1, "continuations": 1, "acceptedLevels": 32, "elapsedMs": 12},
            "tree": tree,
        })
    }

    fn element(number: u64, label: &str, frame: [f64; 4], children: &[Value]) -> Value {
        json!({
            "XC_kAXXCAttributeAutomationType": number, "XC_kAXXCAttributeLabel": label,
            "XC_kAXXCAttributeFrame": {"X": frame[0], "Y": frame[1], "Width": frame[2], "Height": frame[3]},
            "XC_kAXXCAttributeChildren": children,
        })
    }

    fn app(children: &[Value]) -> Value {
        element(2, "App", [0.0, 0.0, 390.0, 844.0], children)
    }

    fn with(mut element: Value, facts: &Value) -> Value {
        for (name, value) in facts.as_object().unwrap() {
            element[format!("XC_kAXXCAttribute{name}")] = value.clone();
        }
        element
    }

    fn tree(children: &[Value]) -> Snapshot {
        read(reply(&app(children)).to_string().as_bytes())
            .unwrap()
            .snapshot
    }

    fn failure(reply: &Value) -> AxFailure {
        read(reply.to_string().as_bytes()).unwrap_err()
    }

    #[test]
    fn a_reply_becomes_a_snapshot() {
        let place = [10.0, 20.0, 100.0, 40.0];
        let snapshot = tree(&[
            with(
                element(9, "Pay", place, &[]),
                &json!({"Traits": 1, "Identifier": "pay"}),
            ),
            with(element(9, "Off", place, &[]), &json!({"Traits": 0x101})),
            with(element(40, "Wifi", place, &[]), &json!({"Value": 1})),
            with(element(50, "PIN", place, &[]), &json!({"Value": "••••"})),
            with(
                element(49, "Name", place, &[]),
                &json!({"Value": "Your name", "PlaceholderValue": "Your name"}),
            ),
            with(
                element(49, "City", place, &[]),
                &json!({"Value": "Bern", "PlaceholderValue": "Your city"}),
            ),
            with(element(33, "Volume", place, &[]), &json!({"Value": 0.5})),
            with(
                element(48, "Head", place, &[]),
                &json!({"Traits": 0x1_0048}),
            ),
            with(
                element(0, "Old", place, &[]),
                &json!({"ElementType": "MyCell", "ElementBaseType": "UITableViewCell"}),
            ),
        ]);
        let node = |label: &str| {
            snapshot
                .nodes()
                .find(|node| node.label() == Some(label))
                .unwrap()
        };
        assert_eq!(
            (node("Pay").role(), node("Pay").identifier()),
            (Role::Button, Some("pay"))
        );
        assert_eq!(
            (
                node("Pay").flag(Flag::Enabled),
                node("Pay").flag(Flag::Hittable)
            ),
            (Some(true), Some(true))
        );
        assert_eq!(
            node("Pay").bounds(),
            Some(Rect::new(10.0, 20.0, 100.0, 40.0))
        );
        assert_eq!(
            (
                node("Off").flag(Flag::Enabled),
                node("Off").flag(Flag::Hittable)
            ),
            (Some(false), Some(false))
        );
        assert_eq!(
            node("Wifi").flag(Flag::Enabled),
            None,
            "absent is not false"
        );
        assert_eq!(
            (node("Wifi").checked(), node("Wifi").value()),
            (Some(Checked::On), None)
        );
        assert!(
            node("PIN").is(Flag::Secure)
                && node("PIN")
                    .text_field(agent_device_core::snapshot::TextField::Value)
                    .is_none()
        );
        assert_eq!(
            (node("Name").value(), node("Name").placeholder()),
            (Some(""), Some("Your name"))
        );
        assert!(node("Name").is(Flag::HintShowing) && node("Name").is(Flag::Editable));
        assert_eq!(
            (node("City").value(), node("City").is(Flag::HintShowing)),
            (Some("Bern"), false)
        );
        assert_eq!(node("Volume").value(), Some("0.5"));
        assert!(node("Head").is(Flag::Heading) && node("Head").is(Flag::Selected));
        assert_eq!(
            (node("Old").role(), node("Old").native_type()),
            (Role::Cell, Some("Cell"))
        );
        let info = snapshot.info();
        assert_eq!(info.viewport, Some(Rect::new(0.0, 0.0, 390.0, 844.0)));
        assert_eq!(
            (info.lineage.as_deref(), info.acquisition),
            (Some("g"), Some(Duration::from_millis(12)))
        );
        assert_eq!(
            (snapshot.quality().state, snapshot.quality().source.as_ref()),
            (QualityState::Healthy, SOURCE)
        );
        assert!(snapshot.proves_absence());
    }

    #[test]
    fn what_lies_outside_is_told_by_its_side() {
        let snapshot = tree(&[element(
            26,
            "List",
            [0.0, 100.0, 390.0, 500.0],
            &[
                element(75, "Above", [0.0, 0.0, 390.0, 44.0], &[]),
                element(75, "Here", [0.0, 200.0, 390.0, 44.0], &[]),
                element(75, "Below", [0.0, 700.0, 390.0, 44.0], &[]),
                element(75, "Far below", [0.0, 900.0, 390.0, 44.0], &[]),
            ],
        )]);
        let side = |label: &str| {
            snapshot
                .nodes()
                .find(|node| node.label() == Some(label))
                .unwrap()
                .outside()
        };
        assert!(
            side("Above").has(Direction::Up)
                && side("Below").has(Direction::Down)
                && side("Here").is_empty()
        );
        let hidden: Vec<_> = snapshot
            .view()
            .hidden_content()
            .iter()
            .map(|hidden| (hidden.side, hidden.count))
            .collect();
        assert_eq!(hidden, [(Direction::Up, 1), (Direction::Down, 2)]);
        let far = snapshot
            .nodes()
            .find(|node| node.label() == Some("Far below"))
            .unwrap();
        assert_eq!(far.flag(Flag::Hittable), Some(false));
    }

    #[test]
    fn members_may_come_in_any_order() {
        // serde_json sorts members by name: children come before frame and label here, and the tree before the version.
        let snapshot = tree(&[element(
            9,
            "Z",
            [0.0, 0.0, 9.0, 9.0],
            &[element(48, "A", [1.0, 1.0, 2.0, 2.0], &[])],
        )]);
        let labels: Vec<_> = snapshot
            .nodes()
            .map(|node| (node.depth(), node.label()))
            .collect();
        assert_eq!(labels, [(0, Some("App")), (1, Some("Z")), (2, Some("A"))]);
        let backwards = br#"{"tree":{"XC_kAXXCAttributeChildren":[{"XC_kAXXCAttributeLabel":"x","XC_kAXXCAttributeAutomationType":9}],
            "XC_kAXXCAttributeFrame":{"Height":2,"Width":2,"Y":0,"X":0}},"generation":"g","pid":42,"ok":true,"requestId":"7",
            "sourceVersion":"agent-device-ax-1","protocolVersion":1,"later":{"tree":[{"pid":1}]}}"#;
        assert_eq!(read(backwards).unwrap().snapshot.len(), 2);
    }

    #[test]
    fn a_page_of_another_process_is_a_boundary() {
        let inside = [0.0, 100.0, 390.0, 300.0];
        let outside = [0.0, 900.0, 390.0, 300.0];
        let remote = |frame| {
            with(
                element(1, "", frame, &[]),
                &json!({"ElementType": "AXRemoteElement"}),
            )
        };
        let placeless = json!({"XC_kAXXCAttributeElementType": "AXRemoteElement"});
        let web = |child: Value| {
            reply(&app(&[element(
                58,
                "Page",
                inside,
                &[element(1, "", inside, &[child])],
            )]))
        };
        assert!(matches!(
            failure(&web(remote(inside))),
            AxFailure::RemoteContent
        ));
        assert!(matches!(failure(&web(placeless)), AxFailure::RemoteContent));
        assert!(read(web(remote(outside)).to_string().as_bytes()).is_ok());
        let beside = reply(&app(&[element(9, "Pay", inside, &[]), remote(inside)]));
        assert!(
            read(beside.to_string().as_bytes()).is_ok(),
            "only web views lose their content"
        );
    }

    #[test]
    fn a_tree_that_says_nothing_is_sparse() {
        let place = [0.0, 0.0, 390.0, 844.0];
        for children in [
            vec![],
            vec![element(4, "", place, &[element(1, " ", place, &[])])],
        ] {
            assert!(matches!(
                failure(&reply(&app(&children))),
                AxFailure::Sparse
            ));
        }
        assert_eq!(
            tree(&[with(
                element(1, "", place, &[]),
                &json!({"Identifier": "root"})
            )])
            .len(),
            2
        );
        for frame in [[0.0; 4], [0.0, 0.0, -1.0, 10.0]] {
            assert!(matches!(
                failure(&reply(&element(2, "App", frame, &[]))),
                AxFailure::NoViewport
            ));
        }
    }

    #[test]
    fn a_reply_must_say_what_it_answers() {
        let good = reply(&app(&[element(9, "Pay", [0.0, 0.0, 9.0, 9.0], &[])]));
        for (field, other) in [
            ("protocolVersion", json!(2)),
            ("sourceVersion", json!("x")),
            ("requestId", json!("8")),
            ("pid", json!(43)),
            ("generation", json!("h")),
            ("generation", Value::Null),
        ] {
            let mut wrong = good.clone();
            wrong[field] = other;
            assert!(
                matches!(failure(&wrong), AxFailure::Identity { field: named } if named == field),
                "{field}"
            );
            wrong.as_object_mut().unwrap().remove(field);
            assert!(
                matches!(failure(&wrong), AxFailure::Identity { field: named } if named == field),
                "no {field}"
            );
        }
        let mut refused = good.clone();
        refused["ok"] = json!(false);
        assert!(matches!(
            failure(&refused),
            AxFailure::Unreadable {
                field: "error_code"
            }
        ));
        refused["error_kind"] = json!("application_not_responding");
        refused["error_code"] = json!("application-timeout");
        let AxFailure::Refused { kind, code, .. } = failure(&refused) else {
            panic!()
        };
        assert_eq!(
            (kind, code.as_str()),
            (RefusalKind::ApplicationNotResponding, "application-timeout")
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let place = [0.0, 0.0, 9.0, 9.0];
        for (wrong, field) in [
            (
                with(element(9, "x", place, &[]), &json!({"Label": 5})),
                "Label",
            ),
            (
                with(element(9, "x", place, &[]), &json!({"Identifier": true})),
                "Identifier",
            ),
            (
                with(element(9, "x", place, &[]), &json!({"AutomationType": "9"})),
                "AutomationType",
            ),
            (
                with(element(9, "x", place, &[]), &json!({"AutomationType": -1})),
                "AutomationType",
            ),
            (
                with(element(9, "x", place, &[]), &json!({"Traits": 1.5})),
                "Traits",
            ),
            (
                with(element(9, "x", place, &[]), &json!({"Frame": {"X": "1"}})),
                "Frame",
            ),
            (json!("text"), "Children"),
        ] {
            let read = failure(&reply(&app(&[wrong])));
            assert!(
                matches!(read, AxFailure::Unreadable { field: named } if named == field),
                "{field}: {read}"
            );
        }
        for odd in ["", "{", "[]", "null", "{}x", "\"\"", "{\"ok\":true}"] {
            assert!(read(odd.as_bytes()).is_err(), "{odd}");
        }
        let mut hollow = reply(&app(&[]));
        hollow["tree"] = Value::Null;
        assert!(matches!(
            failure(&hollow),
            AxFailure::Unreadable { field: "tree" }
        ));
        let twice = reply(&app(&[]))
            .to_string()
            .replace("\"tree\":", "\"tree\":{},\"tree\":");
        assert!(matches!(
            read(twice.as_bytes()),
            Err(AxFailure::Unreadable { field: "tree" })
        ));
    }

    #[test]
    fn limits_that_the_guest_was_told_are_held() {
        let line = |levels: usize| {
            (0..levels).fold(element(9, "end", [0.0, 0.0, 9.0, 9.0], &[]), |inner, _| {
                element(1, "", [0.0, 0.0, 9.0, 9.0], &[inner])
            })
        };
        let limits = AxLimits {
            depth: 12,
            nodes: 20,
            ..AxLimits::default()
        };
        let bounded = |tree: &Value| {
            decode(
                reply(tree).to_string().as_bytes(),
                &EXPECTED,
                &CaptureOptions::default(),
                &limits,
            )
        };
        assert_eq!(bounded(&app(&[line(11)])).unwrap().snapshot.len(), 13);
        assert!(matches!(
            bounded(&app(&[line(12)])),
            Err(AxFailure::Unreadable { field: "tree" })
        ));
        let many: Vec<_> = (0..19)
            .map(|_| element(9, "x", [0.0, 0.0, 9.0, 9.0], &[]))
            .collect();
        assert_eq!(bounded(&app(&many)).unwrap().snapshot.len(), 20);
        let more = [many, vec![json!({})]].concat();
        assert!(matches!(
            bounded(&app(&more)),
            Err(AxFailure::Unreadable { field: "tree" })
        ));
        for bracket in ["[", "{\"a\":", "{\"tree\":{\"XC_kAXXCAttributeChildren\":["] {
            let bottomless = bracket.repeat(100_000);
            assert!(
                matches!(
                    read(bottomless.as_bytes()),
                    Err(AxFailure::Unreadable { .. })
                ),
                "{bracket}"
            );
        }
    }

    #[test]
    fn a_truncated_tree_proves_no_absence() {
        let mut cut = reply(&app(&[element(9, "Pay", [0.0, 0.0, 9.0, 9.0], &[])]));
        cut["truncated"] = json!(true);
        assert!(
            !read(cut.to_string().as_bytes())
                .unwrap()
                .snapshot
                .proves_absence()
        );
    }

    /// The same numbers on every machine, so that a failure can be run again (xorshift64*, Vigna 2014).
    struct Seeded(u64);

    impl Seeded {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
            usize::try_from(number).unwrap() % bound.max(1)
        }
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let place = [0.0, 0.0, 9.0, 9.0];
        let leaf = with(
            element(9, "ü\n\u{1F600}", place, &[]),
            &json!({"Value": 1.5, "Traits": 257, "ElementType": "AXRemoteElement"}),
        );
        let good = reply(&app(&[element(58, "Page", place, &[leaf.clone(), leaf])]))
            .to_string()
            .into_bytes();
        let pieces: [&[u8]; 12] = [
            b"[",
            b"]",
            b"{",
            b"}",
            b",",
            b":",
            b"\"",
            b"\\u",
            b"null",
            b"1e999",
            b"\"tree\":{",
            b"\xff",
        ];
        for seed in 1..=20_000 {
            let mut random = Seeded(seed);
            let mut bytes = good.clone();
            for _ in 0..=random.below(6) {
                let at = random.below(bytes.len());
                match random.below(5) {
                    0 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
                    1 if bytes.len() > 1 => drop(bytes.remove(at)),
                    2 => bytes.truncate(at.max(1)),
                    3 => {
                        let piece = pieces[random.below(pieces.len())];
                        bytes.splice(at..at, piece.iter().copied());
                    }
                    _ => {
                        let end = (at + random.below(40)).min(bytes.len());
                        let copy = bytes[at..end].to_vec();
                        let to = random.below(bytes.len());
                        bytes.splice(to..to, copy);
                    }
                }
            }
            if let Ok(described) = read(&bytes) {
                assert!(
                    described.snapshot.len() <= AxLimits::default().nodes,
                    "seed {seed}"
                );
                drop(described.snapshot.view());
            }
        }
    }
}
