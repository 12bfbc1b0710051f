//! What stands in a reply: the members that mean something, what may be open around them, and the values that are no object and no
//! array.

use std::borrow::Cow;

use agent_device_core::snapshot::NodeId;

use super::{failure::AxFailure, node::Facts};

/// The members that mean something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
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
pub(super) enum Open<'a> {
    Reply,
    Recovery,
    Node(NodeId, Facts<'a>),
    Frame(NodeId, [Option<f64>; 4]),
    Children,
    Ignored,
}

impl Open<'_> {
    pub(super) fn key(&self, word: &str) -> Key {
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
pub(super) enum Scalar<'a> {
    Text(Cow<'a, str>),
    Number(Cow<'a, str>),
    Truth(bool),
    Null,
}

impl<'a> Scalar<'a> {
    pub(super) fn text(self, field: &'static str) -> Result<Option<Cow<'a, str>>, AxFailure> {
        match self {
            Self::Text(text) => Ok(Some(text)),
            Self::Null => Ok(None),
            Self::Number(_) | Self::Truth(_) => Err(AxFailure::unreadable(field)),
        }
    }

    /// A value that a person would read: sliders and switches have numbers.
    pub(super) fn readable(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(text),
            Self::Truth(truth) => Some(Cow::Borrowed(if truth { "1" } else { "0" })),
            Self::Null => None,
        }
    }

    pub(super) fn whole(self, field: &'static str) -> Result<Option<u64>, AxFailure> {
        match self {
            Self::Number(number) => number
                .parse()
                .map(Some)
                .map_err(|_| AxFailure::unreadable(field)),
            Self::Null => Ok(None),
            Self::Text(_) | Self::Truth(_) => Err(AxFailure::unreadable(field)),
        }
    }

    pub(super) fn number(self) -> Result<Option<f64>, AxFailure> {
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

    pub(super) fn truth(self, field: &'static str) -> Result<bool, AxFailure> {
        match self {
            Self::Truth(truth) => Ok(truth),
            _ => Err(AxFailure::unreadable(field)),
        }
    }
}
