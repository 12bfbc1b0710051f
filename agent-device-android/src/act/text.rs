//! By which way text gets into the field that has the focus.
//!
//! | keyboard of the device | first | then |
//! | --- | --- | --- |
//! | its own | accessibility sets the text | the invisible keyboard, borrowed for this one edit |
//! | the invisible one | it types | accessibility sets the text |
//!
//! The next way is gone only when the one before has certainly done nothing, and can't. A helper that was found on the device
//! has none of this.

use agent_device_core::{
    Call, DispatchDisclosure as _, Error, ErrorCode, Result,
    action::{Operation, Performed, Text},
    dispatch::{Verdict, rows::android_helper as rows},
};

use super::encoded;
use crate::{
    config::KeyboardChoice,
    helper::{Command, Helper, HelperFailure, Reply, Typed},
};

/// How the helper calls its refusal to type into a field of the keyboard.
const CAPTURED: &str = "ImeCaptureException";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channel {
    Element,
    Keyboard,
}

impl Channel {
    /// Those of a device, best first. Who chose the invisible keyboard gets what a keyboard does.
    fn of(helper: &Helper) -> &'static [Self] {
        match helper.config.keyboard {
            _ if !helper.config.helper.is_bundled() => &[Self::Element],
            KeyboardChoice::Own => &[Self::Element, Self::Keyboard],
            KeyboardChoice::Invisible => &[Self::Keyboard, Self::Element],
        }
    }

    /// Whether this failure leaves the edit to the next one.
    fn passes_on(self, failure: &HelperFailure) -> bool {
        match self {
            Self::Element => failure.is_unsupported(),
            Self::Keyboard => {
                matches!(failure.verdict(), Some(Verdict::No(_))) && !failure.is_over()
            }
        }
    }
}

/// What is done to the field.
pub(super) struct Edit {
    kind: Kind,
    /// The text as the device takes it.
    payload: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Clear,
    Replace,
    Insert,
}

impl Edit {
    /// Puts this in place of all that the field holds. Refuses what is too long before anything is sent.
    pub(super) fn replace(text: &Text) -> Result<Self> {
        let kind = match text.expose() {
            "" => Kind::Clear,
            _ => Kind::Replace,
        };
        Self::new(kind, text)
    }

    /// Types this at the field's cursor.
    pub(super) fn insert(text: &Text) -> Result<Self> {
        Self::new(Kind::Insert, text)
    }

    fn new(kind: Kind, text: &Text) -> Result<Self> {
        let payload = encoded(text)?;
        Ok(Self { kind, payload })
    }
}

/// An edit that was done.
pub(super) struct Edited {
    pub(super) reply: Reply,
    pub(super) performed: Performed,
}

impl Edited {
    /// The package in front then, if the reply tells it.
    pub(super) fn front(&self) -> Option<String> {
        let front = self.reply.facts.get("activePackage");
        front.filter(|name| !name.is_empty()).map(str::to_owned)
    }
}

pub(super) async fn edit(helper: &Helper, edit: &Edit, call: &Call) -> Result<Edited> {
    let mut refusals = Vec::new();
    for channel in Channel::of(helper) {
        let failure = match channel.carry(helper, edit, call).await {
            Ok(edited) => return Ok(edited),
            Err(failure) => failure,
        };
        if !channel.passes_on(&failure) {
            return Err(match failure {
                HelperFailure::Refused { kind, .. } if kind == CAPTURED => {
                    captured().proven(rows::IME_CAPTURE)
                }
                failure => failure.into(),
            });
        }
        tracing::debug!(name: "agent_device.android.text_refused", ?channel, %failure, "not by this way");
        refusals.push(Error::from(failure));
    }
    // The first one says what is wrong with the field, the last one what is in the way of the rest.
    let last = (refusals.len() > 1).then(|| refusals.pop()).flatten();
    let first = refusals.into_iter().next();
    let error = first.unwrap_or_else(|| Error::unsupported(Operation::TypeText));
    Err(match last {
        Some(last) => error.with_hint(last.hint().to_owned()).with_source(last),
        None => error,
    })
}

/// A keyboard that keeps the text for itself. Whether something went out before is for the caller to say.
pub(super) fn captured() -> Error {
    Error::new(
        ErrorCode::CommandFailed,
        "the keyboard has taken the focus for a field of its own",
    )
    .with_reason("ime_capture")
    .with_hint("Close the keyboard's search or handwriting field, or drive the device with the invisible keyboard.")
}

impl Channel {
    async fn carry(
        self,
        helper: &Helper,
        edit: &Edit,
        call: &Call,
    ) -> Result<Edited, HelperFailure> {
        let clear = Command::new("clear", "");
        let typed = Command::new("text", &edit.payload);
        let (first, then) = match (edit.kind, self) {
            (Kind::Clear, _) => (clear, None),
            (Kind::Replace, Self::Element) => (Command::new("settext", &edit.payload), None),
            (Kind::Replace, Self::Keyboard) => (clear, Some(typed)),
            (Kind::Insert, _) => (typed, None),
        };
        match self {
            Self::Element => {
                let reply = helper.mutate(first, call).await?;
                let performed = Performed::by(match reply.facts.get("channel") {
                    Some("keys") => "keys",
                    _ => "element",
                });
                Ok(Edited { reply, performed })
            }
            Self::Keyboard => {
                let Typed { reply, in_order } = helper.by_keyboard(first, then, call).await?;
                let performed = Performed::by("keyboard");
                let performed = match in_order {
                    true => performed,
                    false => performed.with_warning(
                        "the device does not have its own keyboard back yet: the next command tries again",
                    ),
                };
                Ok(Edited { reply, performed })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        adb::AdbServer,
        config::{AndroidConfig, HelperSource},
        error::{AdbFailure, Phase},
    };

    fn channels(change: impl FnOnce(&mut AndroidConfig)) -> &'static [Channel] {
        let mut config = AndroidConfig::default();
        change(&mut config);
        let server = AdbServer::new(crate::adb::Endpoint::local(1), Default::default());
        Channel::of(&Helper::new(server.device("x").unwrap(), config))
    }

    #[test]
    fn the_table_of_channels_holds() {
        use Channel::{Element, Keyboard};
        assert_eq!(channels(|_| {}), [Element, Keyboard]);
        let invisible = |config: &mut AndroidConfig| config.keyboard = KeyboardChoice::Invisible;
        assert_eq!(channels(invisible), [Keyboard, Element]);
        let found = |config: &mut AndroidConfig| {
            config.helper = HelperSource::Installed("com.example/.Runner".to_owned());
        };
        assert_eq!(channels(found), [Element]);
    }

    #[test]
    fn only_what_certainly_did_nothing_is_left_to_the_next_one() {
        let refused = |kind: &str| HelperFailure::Refused {
            kind: kind.to_owned(),
            message: String::new(),
        };
        let unopened = HelperFailure::Unopened;
        let after = std::time::Duration::ZERO;
        let phase = Phase::Selecting;
        for (failure, element, keyboard) in [
            (
                refused("java.lang.UnsupportedOperationException"),
                true,
                true,
            ),
            (
                refused("dev.agentdevice.ime.Editor$NoConnectionException"),
                false,
                true,
            ),
            (refused("java.lang.IllegalStateException"), false, true),
            (
                refused("java.util.concurrent.TimeoutException"),
                false,
                false,
            ),
            (
                unopened(AdbFailure::ServiceRefused {
                    text: String::new(),
                }),
                false,
                true,
            ),
            (unopened(AdbFailure::Timeout { phase, after }), false, false),
            (unopened(AdbFailure::Canceled { phase }), false, false),
            (HelperFailure::Unreadable { what: "x" }, false, false),
            (
                HelperFailure::Failed {
                    kind: "java.lang.UnsupportedOperationException".to_owned(),
                    message: String::new(),
                },
                false,
                false,
            ),
        ] {
            let passes = [Channel::Element, Channel::Keyboard].map(|each| each.passes_on(&failure));
            assert_eq!(passes, [element, keyboard], "{failure:?}");
        }
    }
}
