//! What is asked of the runner, and how each command is treated on its way.
//!
//! The rules for sending are data ([`Traits`]), so that no sender decides them for itself.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Bound;

/// How a command is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traits {
    /// Whether the app can notice it.
    pub(crate) mutates: bool,
    /// When the runner is asked whether it is there, before the command is sent.
    pub(crate) preflight: Preflight,
}

/// When the runner is asked whether it is there, before a command is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preflight {
    /// Unless an action of the same kind has just worked: that proves more than the question does.
    UnlessHealthy,
    /// Unless it is the first command of a runner that has just answered.
    UnlessFirst,
    /// Always.
    Always,
    /// Never: the command asks just that, or ends what may hang.
    Never,
}

const TOUCH: Traits = Traits {
    mutates: true,
    preflight: Preflight::UnlessHealthy,
};
const ACT: Traits = Traits {
    mutates: true,
    preflight: Preflight::Always,
};
const READ: Traits = Traits {
    mutates: false,
    preflight: Preflight::UnlessFirst,
};
const PROBE: Traits = Traits {
    mutates: false,
    preflight: Preflight::Never,
};
const LIFECYCLE: Traits = Traits {
    mutates: true,
    preflight: Preflight::Never,
};

macro_rules! verbs {
    ($($name:ident = $word:literal $traits:ident,)*) => {
        /// The commands of the runner that this crate sends.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Verb {
            $($name,)*
        }

        impl Verb {
            pub(crate) fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            pub(crate) fn traits(self) -> Traits {
                match self {
                    $(Self::$name => $traits,)*
                }
            }
        }
    };
}

verbs! {
    Tap = "tap" TOUCH,
    LongPress = "longPress" TOUCH,
    Drag = "drag" TOUCH,
    DesktopScroll = "desktopScroll" TOUCH,
    Gesture = "gesture" TOUCH,
    Sequence = "sequence" TOUCH,
    RemotePress = "remotePress" ACT,
    Type = "type" ACT,
    BackInApp = "backInApp" ACT,
    Home = "home" ACT,
    AppSwitcher = "appSwitcher" ACT,
    Rotate = "rotate" ACT,
    KeyboardDismiss = "keyboardDismiss" ACT,
    KeyboardReturn = "keyboardReturn" ACT,
    AlertAccept = "alert" ACT,
    AlertDismiss = "alert" ACT,
    AlertGet = "alert" READ,
    FindText = "findText" READ,
    QuerySelector = "querySelector" READ,
    GestureViewport = "gestureViewport" READ,
    Snapshot = "snapshot" READ,
    Screenshot = "screenshot" READ,
    AppState = "appState" READ,
    Status = "status" PROBE,
    Uptime = "uptime" PROBE,
    Activate = "activate" LIFECYCLE,
    Terminate = "terminate" LIFECYCLE,
    TargetReset = "targetReset" LIFECYCLE,
    Shutdown = "shutdown" LIFECYCLE,
}

impl Verb {
    /// What the alert commands do: they share one word.
    fn action(self) -> Option<&'static str> {
        match self {
            Self::AlertAccept => Some("accept"),
            Self::AlertDismiss => Some("dismiss"),
            Self::AlertGet => Some("get"),
            _ => None,
        }
    }
}

/// One command with its arguments. `Debug` shows no arguments: they may hold what a caller typed.
#[derive(Clone)]
pub(crate) struct Command {
    pub(crate) verb: Verb,
    fields: Map<String, Value>,
    /// How long the runner is busy with it by its own nature.
    pub(crate) duration: Duration,
    /// The largest reply that is read.
    pub(crate) bound: Bound,
}

impl Command {
    pub(crate) fn new(verb: Verb) -> Self {
        let mut command = Self {
            verb,
            fields: Map::new(),
            duration: Duration::ZERO,
            bound: Bound::SMALL,
        };
        if let Some(action) = verb.action() {
            command = command.with("action", action);
        }
        command
    }

    #[must_use]
    pub(crate) fn with(mut self, key: &str, value: impl Serialize) -> Self {
        // What can't be said in JSON (a number that is none) is refused before a command is made.
        self.fields.insert(key.to_owned(), json!(value));
        self
    }

    #[must_use]
    pub(crate) fn taking(mut self, duration: Duration) -> Self {
        self.duration = duration;
        self
    }

    #[must_use]
    pub(crate) fn up_to(mut self, bytes: usize, name: &'static str) -> Self {
        self.bound = Bound {
            bytes,
            name: Some(name),
        };
        self
    }

    /// The body of the request.
    pub(crate) fn body(&self, id: Option<&str>, app: Option<&str>) -> Vec<u8> {
        let mut fields = self.fields.clone();
        fields.insert("command".to_owned(), json!(self.verb.as_str()));
        if let Some(id) = id {
            fields.insert("commandId".to_owned(), json!(id));
        }
        if let Some(app) = app.filter(|_| !fields.contains_key("appBundleId")) {
            fields.insert("appBundleId".to_owned(), json!(app));
        }
        Value::Object(fields).to_string().into_bytes()
    }
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Command")
            .field("verb", &self.verb)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_said_in_the_runners_words() {
        let command = Command::new(Verb::AlertAccept).with("timeoutMs", 100);
        let body: Value =
            serde_json::from_slice(&command.body(Some("c-1"), Some("com.x"))).unwrap();
        assert_eq!(
            body,
            json!({"command": "alert", "action": "accept", "timeoutMs": 100, "commandId": "c-1", "appBundleId": "com.x"})
        );
        let own = Command::new(Verb::Activate).with("appBundleId", "com.y");
        let body: Value = serde_json::from_slice(&own.body(None, Some("com.x"))).unwrap();
        assert_eq!(body["appBundleId"], "com.y");
    }

    #[test]
    fn what_was_typed_is_not_printed() {
        let command = Command::new(Verb::Type).with("text", "hunter2");
        assert!(!format!("{command:?}").contains("hunter2"));
    }
}
