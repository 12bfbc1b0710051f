//! The members of a reply's objects, in any order, read into the tree as they come: no node is kept but the one at hand.

use std::{fmt, ops::Range};

use agent_device_core::geometry::Rect;
use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use super::{decode::Tree, quality::Verdict};

/// What stands beside the nodes.
#[derive(Debug, Default)]
pub(super) struct Beside {
    pub(super) truncated: bool,
    pub(super) quality: Option<Verdict>,
    pub(super) surface: Option<Surface>,
    pub(super) fatal: bool,
    pub(super) fatal_reason: Option<String>,
    pub(super) busy: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Surface {
    pub(super) bundle_id: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Failure {
    pub(super) code: Option<String>,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum EnvelopeKey {
    Ok,
    Data,
    Error,
    #[serde(other)]
    Unknown,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum DataKey {
    Nodes,
    Truncated,
    SnapshotQuality,
    SystemSurface,
    RunnerFatal,
    RunnerFatalReason,
    RunnerMainThreadBusy,
    #[serde(other)]
    Unknown,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum NodeKey {
    // `hittable` is passed over: it is geometry, and says nothing about what lies over an element.
    Type,
    Label,
    Identifier,
    Value,
    Placeholder,
    Rect,
    Enabled,
    Focused,
    Selected,
    Depth,
    ParentIndex,
    HiddenContentAbove,
    HiddenContentBelow,
    #[serde(other)]
    Unknown,
}

/// A number, or the lack of one.
struct Number(Option<f64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_f64<E>(self, value: f64) -> Result<Number, E> {
                Ok(Number(Some(value)))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
                // No screen is that large: what doesn't fit is far away in any case.
                Ok(Number(Some(
                    u32::try_from(value).unwrap_or(u32::MAX).into(),
                )))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Number, E> {
                Ok(Number(Some(
                    i32::try_from(value).unwrap_or(i32::MIN).into(),
                )))
            }

            fn visit_unit<E>(self) -> Result<Number, E> {
                Ok(Number(None))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

#[derive(Deserialize)]
struct Place {
    x: Number,
    y: Number,
    width: Number,
    height: Number,
}

pub(super) struct Envelope<'t> {
    pub(super) tree: &'t mut Tree,
}

#[derive(Default)]
pub(super) struct Opened {
    pub(super) ok: bool,
    pub(super) data: Option<Beside>,
    pub(super) error: Option<Failure>,
}

impl<'de> DeserializeSeed<'de> for Envelope<'_> {
    type Value = Opened;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Opened, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Envelope<'_> {
    type Value = Opened;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer of the runner")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Opened, A::Error> {
        let mut opened = Opened::default();
        let mut seen = false;
        while let Some(key) = map.next_key()? {
            match key {
                EnvelopeKey::Ok => {
                    opened.ok = map.next_value()?;
                    seen = true;
                }
                EnvelopeKey::Data => {
                    opened.data = map.next_value_seed(DataSeed { tree: self.tree })?
                }
                EnvelopeKey::Error => opened.error = map.next_value()?,
                EnvelopeKey::Unknown => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if seen {
            Ok(opened)
        } else {
            Err(de::Error::missing_field("ok"))
        }
    }
}

struct DataSeed<'t> {
    tree: &'t mut Tree,
}

impl<'de> DeserializeSeed<'de> for DataSeed<'_> {
    type Value = Option<Beside>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for DataSeed<'_> {
    type Value = Option<Beside>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the data of an answer")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut beside = Beside::default();
        while let Some(key) = map.next_key()? {
            match key {
                DataKey::Nodes => map.next_value_seed(Nodes { tree: self.tree })?,
                DataKey::Truncated => beside.truncated = flag(&mut map)?.unwrap_or(false),
                DataKey::SnapshotQuality => beside.quality = map.next_value()?,
                DataKey::SystemSurface => beside.surface = map.next_value()?,
                DataKey::RunnerFatal => beside.fatal = flag(&mut map)?.unwrap_or(false),
                DataKey::RunnerFatalReason => beside.fatal_reason = map.next_value()?,
                DataKey::RunnerMainThreadBusy => beside.busy = flag(&mut map)?.unwrap_or(false),
                DataKey::Unknown => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Some(beside))
    }
}

fn flag<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<bool>, A::Error> {
    map.next_value()
}

struct Nodes<'t> {
    tree: &'t mut Tree,
}

impl<'de> DeserializeSeed<'de> for Nodes<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for Nodes<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of nodes")
    }

    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq
            .next_element_seed(OneNode { tree: self.tree })?
            .is_some()
        {
            self.tree.push().map_err(de::Error::custom)?;
        }
        Ok(())
    }
}

struct OneNode<'t> {
    tree: &'t mut Tree,
}

impl<'de> DeserializeSeed<'de> for OneNode<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OneNode<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Tree { text, node, .. } = self.tree;
        while let Some(key) = map.next_key()? {
            match key {
                NodeKey::Type => node.kind = map.next_value_seed(Append(text))?,
                NodeKey::Label => node.label = map.next_value_seed(Append(text))?,
                NodeKey::Identifier => node.identifier = map.next_value_seed(Append(text))?,
                NodeKey::Value => node.value = map.next_value_seed(Append(text))?,
                NodeKey::Placeholder => node.placeholder = map.next_value_seed(Append(text))?,
                NodeKey::Rect => {
                    let place: Option<Place> = map.next_value()?;
                    node.rect = place.and_then(|place| {
                        Some(Rect::new(
                            place.x.0?,
                            place.y.0?,
                            place.width.0?,
                            place.height.0?,
                        ))
                    });
                }
                NodeKey::Enabled => node.enabled = flag(&mut map)?,
                NodeKey::Focused => node.focused = flag(&mut map)?,
                NodeKey::Selected => node.selected = flag(&mut map)?,
                NodeKey::Depth => node.depth = map.next_value::<Option<usize>>()?.unwrap_or(0),
                NodeKey::ParentIndex => node.parent = map.next_value()?,
                NodeKey::HiddenContentAbove => node.above = flag(&mut map)?.unwrap_or(false),
                NodeKey::HiddenContentBelow => node.below = flag(&mut map)?.unwrap_or(false),
                NodeKey::Unknown => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Puts a text to the end of the buffer and says where it is. Null is no text.
struct Append<'t>(&'t mut String);

impl<'de> DeserializeSeed<'de> for Append<'_> {
    type Value = Option<Range<usize>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Append<'_> {
    type Value = Option<Range<usize>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        let start = self.0.len();
        self.0.push_str(text);
        Ok(Some(start..self.0.len()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        self.visit_str(if value { "1" } else { "0" })
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        self.visit_str(&value.to_string())
    }
}
