//! The JSON form of a view. Absent facts are left out.

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq, SerializeStruct},
};

use super::{Flag, Line, Node, Snapshot, TextField, View, ViewNode};
use crate::geometry::Direction;

impl Serialize for View<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let info = self.snapshot().info();
        let mut out = serializer.serialize_struct("View", 10)?;
        out.serialize_field("nodes", &Nodes(self))?;
        out.serialize_field("truncated", &info.truncated)?;
        out.serialize_field("snapshotQuality", &info.quality)?;
        out.serialize_field("producer", info.producer)?;
        out.serialize_field("viewport", &info.viewport)?;
        out.serialize_field("keyboard", &info.keyboard)?;
        out.serialize_field("app", &info.app)?;
        out.serialize_field("title", &info.title)?;
        if info.details.is_empty() {
            out.skip_field("details")?;
        } else {
            out.serialize_field("details", &info.details)?;
        }
        out.serialize_field("presentation", self.options())?;
        out.end()
    }
}

/// Serialises as the view by the options of the capture.
impl Serialize for Snapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.view().serialize(serializer)
    }
}

struct Nodes<'a, 'b>(&'b View<'a>);

impl Serialize for Nodes<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.nodes().len()))?;
        for (at, node) in self.0.nodes().iter().enumerate() {
            if let Some(source) = self.0.snapshot().get(node.id) {
                seq.serialize_element(&Entry {
                    view: self.0,
                    at,
                    node: *node,
                    source,
                })?;
            }
        }
        seq.end()
    }
}

struct Entry<'a, 'b> {
    view: &'b View<'a>,
    at: usize,
    node: ViewNode,
    source: Node<'a>,
}

const TEXTS: &[(TextField, &str)] = &[
    (TextField::NativeType, "type"),
    (TextField::Label, "label"),
    (TextField::Value, "value"),
    (TextField::Identifier, "identifier"),
    (TextField::Placeholder, "placeholder"),
    (TextField::Description, "contentDescription"),
];

impl Serialize for Entry<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("index", &self.at)?;
        map.serialize_entry("ref", &format_args!("e{}", self.at + 1))?;
        map.serialize_entry("kind", self.source.role().as_str())?;
        map.serialize_entry("depth", &self.node.depth)?;
        if let Some(parent) = self.node.parent {
            map.serialize_entry("parentIndex", &parent)?;
        }
        for (field, key) in TEXTS {
            if let Some(text) = self.source.text_field(*field) {
                map.serialize_entry(key, text)?;
            }
        }
        if let Some(bounds) = self.source.bounds() {
            map.serialize_entry("rect", &bounds)?;
        }
        for flag in Flag::ALL {
            let derived = matches!(flag, Flag::Checked | Flag::Mixed | Flag::Transparent);
            if !derived && let Some(value) = self.source.flag(*flag) {
                map.serialize_entry(flag.as_str(), &value)?;
            }
        }
        if let Some(checked) = self.source.checked() {
            map.serialize_entry("checked", &checked)?;
        }
        if let Some(level) = self.source.level() {
            map.serialize_entry("level", &level)?;
        }
        if self.source.is_covered() {
            map.serialize_entry("interactionBlocked", "covered")?;
            let by = self
                .source
                .covered_by()
                .and_then(|node| self.view.ref_number(node.id()));
            if let Some(by) = by {
                map.serialize_entry("coveredBy", &format_args!("e{by}"))?;
            }
        }
        for (side, key) in [
            (Direction::Up, "hiddenContentAbove"),
            (Direction::Down, "hiddenContentBelow"),
            (Direction::Left, "hiddenContentLeft"),
            (Direction::Right, "hiddenContentRight"),
        ] {
            if self.node.hidden.has(side) {
                map.serialize_entry(key, &true)?;
            }
        }
        map.end()
    }
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
