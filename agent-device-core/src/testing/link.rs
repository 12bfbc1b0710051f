//! The screens of the fixture app, their knobs, and the links that open them.

use std::{fmt, str::FromStr, time::Duration};

macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $case:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        $vis enum $name {
            $($(#[$doc])* $case,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$case,)*];

            /// The word in links and logs.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$case => $word,)*
                }
            }

            fn find(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|case| case.as_str() == word)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// A screen of the fixture app.
    pub enum Screen {
        /// One row for each of the other screens.
        Home = "home",
        /// A button that counts its taps, a dead one, and zones for double taps and long presses.
        Counter = "counter",
        /// A form with a secret field, a formatting field, and a field whose content equals its hint.
        Login = "login",
        /// A field with a lot of text in it.
        Longtext = "longtext",
        /// A button that appears late.
        Late = "late",
        /// Nothing ever appears.
        Never = "never",
        /// A button that appears and leaves again.
        Vanish = "vanish",
        /// A button under a sheet.
        Covered = "covered",
        /// A closed drawer beside the screen.
        Drawer = "drawer",
        /// Four rows with the same button.
        Rows = "rows",
        /// A wrapper and its control with one label.
        Wrapper = "wrapper",
        /// A cell with a button in its centre.
        Childbutton = "childbutton",
        /// A long list over a fixed bar.
        List = "list",
        /// A list that loads more at its end.
        Reveal = "reveal",
        /// Containers that don't move.
        End = "end",
        /// Things with a state.
        Toggle = "toggle",
        /// A button that opens alerts.
        Alert = "alert",
        /// A bar that the keyboard covers.
        Keyboard = "keyboard",
        /// An animation without an end.
        Animate = "animate",
        /// Captures that take their time.
        Slow = "slow",
        /// A tree that degrades for a while.
        Sparse = "sparse",
        /// A tree that lags behind the screen.
        Stale = "stale",
        /// A button in 150 containers.
        Deep = "deep",
        /// Labels that break parsers.
        Zoo = "zoo",
        /// A pad that logs strokes.
        Gesture = "gesture",
        /// Frames and shadow roots. Only a page has them.
        Frames = "frames",
        /// A second window.
        Windows = "windows",
        /// Dialogs of the system.
        System = "system",
        /// Where `late` leads to.
        Done = "done",
        /// What the second window of `windows` shows.
        Opened = "opened",
    }
}

words! {
    /// A number that changes how a screen behaves.
    pub enum Knob {
        /// `late`: after how many ms the button appears.
        Delay = "delay",
        /// `vanish`: when the button appears, in ms.
        Appear = "appear",
        /// `vanish`: when it leaves, in ms.
        Leave = "leave",
        /// `drawer`: whether a visible twin is in the toolbar.
        Twin = "twin",
        /// `reveal`: how many ms the next page takes to load.
        Load = "load",
        /// `slow`: how many ms a capture takes.
        Cost = "cost",
        /// `sparse`: for how many ms the tree is degraded.
        For = "for",
        /// `stale`: how many ms the tree lags behind.
        Lag = "lag",
        /// `deep`: how many containers there are.
        Depth = "depth",
    }
}

impl Screen {
    /// The screens that other screens don't lead to: those that get a row on `home`.
    pub fn rows() -> impl Iterator<Item = Self> {
        let others = |screen: &Self| !matches!(screen, Self::Home | Self::Done | Self::Opened);
        Self::ALL.iter().copied().filter(others)
    }

    /// The knobs of this screen.
    pub fn knobs(self) -> &'static [Knob] {
        match self {
            Self::Late => &[Knob::Delay],
            Self::Vanish => &[Knob::Appear, Knob::Leave],
            Self::Drawer => &[Knob::Twin],
            Self::Reveal => &[Knob::Load],
            Self::Deep => &[Knob::Depth],
            Self::Slow => &[Knob::Cost],
            Self::Sparse => &[Knob::For],
            Self::Stale => &[Knob::Lag],
            _ => &[],
        }
    }
}

impl Knob {
    fn default_value(self) -> u64 {
        match self {
            Self::Delay => 800,
            Self::Appear => 300,
            Self::Leave => 600,
            Self::Twin => 0,
            Self::Load => 0,
            Self::Cost => 200,
            Self::For => 1500,
            Self::Lag => 1000,
            Self::Depth => 150,
        }
    }

    /// The largest value: an hour, or as many containers as the screen can hold.
    fn limit(self) -> u64 {
        match self {
            Self::Twin => 1,
            Self::Depth => 500,
            _ => 3_600_000,
        }
    }

    /// The number that `text` means for this knob.
    ///
    /// # Errors
    ///
    /// It is neither a whole number within the limits of the knob nor, for a switch, `true` or `false`.
    pub fn parse_value(self, text: &str) -> Result<u64, LinkError> {
        let number = match (self, text) {
            // A bare `?twin` turns a switch on.
            (Self::Twin, "true" | "") => Some(1),
            (Self::Twin, "false") => Some(0),
            _ => text.parse().ok(),
        };
        number
            .filter(|number| *number <= self.limit())
            .ok_or_else(|| LinkError::BadValue {
                knob: self,
                value: text.to_owned(),
            })
    }
}

/// Why a link, a screen name or a knob means nothing to the app.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// It does not start with `fixture://`.
    #[error("not a link of the fixture app: it has to start with fixture://")]
    OtherScheme,
    /// No screen has this name.
    #[error("there is no screen {0:?}")]
    UnknownScreen(String),
    /// The simulated device can't show the screen.
    #[error("the simulated device does not show {0}")]
    NotShown(Screen),
    /// No knob has this name.
    #[error("there is no knob {0:?}")]
    UnknownKnob(String),
    /// The screen does not have this knob.
    #[error("the screen {screen} has no knob {knob}")]
    OtherScreensKnob {
        /// The screen.
        screen: Screen,
        /// The knob of another one.
        knob: Knob,
    },
    /// The knob does not take this value.
    #[error("{value:?} is not a value for {knob}")]
    BadValue {
        /// The knob.
        knob: Knob,
        /// What was given.
        value: String,
    },
}

impl FromStr for Screen {
    type Err = LinkError;

    fn from_str(word: &str) -> Result<Self, LinkError> {
        Self::find(word).ok_or_else(|| LinkError::UnknownScreen(word.to_owned()))
    }
}

impl FromStr for Knob {
    type Err = LinkError;

    fn from_str(word: &str) -> Result<Self, LinkError> {
        Self::find(word).ok_or_else(|| LinkError::UnknownKnob(word.to_owned()))
    }
}

/// A parsed `fixture://SCREEN?knob=value&…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The screen that it opens.
    pub screen: Screen,
    /// The knobs that it turns.
    pub knobs: Vec<(Knob, u64)>,
}

impl FromStr for Link {
    type Err = LinkError;

    fn from_str(text: &str) -> Result<Self, LinkError> {
        let rest = text
            .strip_prefix("fixture://")
            .ok_or(LinkError::OtherScheme)?;
        let (screen, query) = rest.split_once('?').unwrap_or((rest, ""));
        let screen: Screen = screen.trim_end_matches('/').parse()?;
        let mut knobs = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let knob: Knob = name.parse()?;
            if !screen.knobs().contains(&knob) {
                return Err(LinkError::OtherScreensKnob { screen, knob });
            }
            knobs.push((knob, knob.parse_value(value)?));
        }
        Ok(Self { screen, knobs })
    }
}

/// The present value of every knob.
#[derive(Clone, Debug)]
pub(super) struct Knobs(Vec<u64>);

impl Default for Knobs {
    fn default() -> Self {
        Self(Knob::ALL.iter().map(|knob| knob.default_value()).collect())
    }
}

impl Knobs {
    pub(super) fn set(&mut self, knob: Knob, value: u64) {
        self.0[knob as usize] = value.min(knob.limit());
    }

    pub(super) fn get(&self, knob: Knob) -> u64 {
        self.0[knob as usize]
    }

    pub(super) fn millis(&self, knob: Knob) -> Duration {
        Duration::from_millis(self.get(knob))
    }
}
