//! Every operation by name, with its effect as a total match.

use serde::{Serialize, Serializer};

use crate::dispatch::Effect;

macro_rules! operations {
    ($($(#[$doc:meta])* $effect:ident $name:ident = $word:literal,)*) => {
        /// The name of an operation: what capabilities, errors, spans and the seam key on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Operation {
            $($(#[$doc])* $name,)*
        }

        impl Operation {
            /// Every operation.
            pub const ALL: &[Operation] = &[$(Operation::$name,)*];

            /// The word on the wire and in spans.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Operation::$name => $word,)*
                }
            }

            pub(crate) fn bit(self) -> u64 {
                1 << (self as u64)
            }

            /// Whether a repeat may repeat something that the app notices. Total: an operation without an effect doesn't
            /// compile.
            pub fn effect(self) -> Effect {
                match self {
                    $(Operation::$name => Effect::$effect,)*
                }
            }
        }
    };
}

operations! {
    /// One tap or click.
    Mutates Tap = "tap",
    /// Two taps in a row, close enough for the platform to see one double tap.
    Mutates DoubleTap = "double_tap",
    /// A touch that stays down.
    Mutates LongPress = "long_press",
    /// The pointer moves over an element without pressing.
    Mutates Hover = "hover",
    /// A field gets the input focus.
    Mutates Focus = "focus",
    /// Text goes to whatever has the focus.
    Mutates TypeText = "type_text",
    /// The content of a field is replaced.
    Mutates Fill = "fill",
    /// Content moves in a direction.
    Mutates Scroll = "scroll",
    /// A gesture plan with one or two pointers.
    Mutates Gesture = "gesture",
    /// Back, as the platform means it.
    Mutates Back = "back",
    /// To the home screen.
    Mutates Home = "home",
    /// Shows the app switcher.
    Mutates AppSwitcher = "app_switcher",
    /// Opens an app or a link.
    Mutates Open = "open",
    /// Closes an app, or the session's page.
    Mutates Close = "close",
    /// Answers an alert with its accepting button.
    Mutates AcceptAlert = "accept_alert",
    /// Answers an alert with its dismissing button.
    Mutates DismissAlert = "dismiss_alert",
    /// Puts the keyboard away.
    Mutates KeyboardDismiss = "keyboard_dismiss",
    /// Presses the keyboard's enter key.
    Mutates KeyboardEnter = "keyboard_enter",
    /// Turns the screen.
    Mutates SetOrientation = "set_orientation",
    /// Writes the clipboard.
    Mutates WriteClipboard = "write_clipboard",
    /// Makes another window or tab the one that is driven.
    Mutates SelectWindow = "select_window",
    /// Several requests as one.
    Mutates Batch = "batch",
    /// Captures the tree.
    Observes Capture = "capture",
    /// Looks for a text by the backend's own means.
    Observes FindText = "find_text",
    /// Asks the device whether an element that the tree shows off-screen is visible after all.
    Observes ConfirmVisible = "confirm_visible",
    /// Waits for a condition.
    Observes Wait = "wait",
    /// Reads facts of an element.
    Observes Get = "get",
    /// Takes a picture.
    Observes Screenshot = "screenshot",
    /// Reads the open alert.
    Observes ReadAlert = "read_alert",
    /// Reads the clipboard.
    Observes ReadClipboard = "read_clipboard",
    /// Reads the state of the keyboard.
    Observes ReadKeyboard = "read_keyboard",
    /// Reads the orientation.
    Observes ReadOrientation = "read_orientation",
    /// Reads which app is in front.
    Observes ReadAppState = "read_app_state",
    /// Lists windows or tabs.
    Observes ReadWindows = "read_windows",
}

impl Serialize for Operation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

const _: () = assert!(Operation::ALL.len() <= 64, "a set of operations is a u64");
