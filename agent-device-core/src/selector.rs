//! How a caller names an element: a typed builder and a text grammar that make the same syntax tree.
//!
//! ```
//! use agent_device_core::{Role, Selector, selector::{id, label, role, text}};
//!
//! let typed = role(Role::Button) & text("Pay") | id("pay");
//! let parsed: Selector = r#"role=button text="Pay" || id=pay"#.parse()?;
//! assert_eq!(typed, parsed);
//! # Ok::<(), agent_device_core::Error>(())
//! ```
//!
//! Alternatives are joined by `||` and tried in order; all terms of an alternative must hold. Texts match whole, without case
//! and with white space collapsed. Nothing here looks at geometry or chooses between matches.

use std::{
    fmt::{self, Write as _},
    ops::{BitAnd, BitOr},
    str::FromStr,
};

use crate::{
    error::{Error, Result},
    role::Role,
    snapshot::{Flag, Node},
};

/// No selector that people write comes near these; they bound what a product of alternatives can grow to.
const MAX_ALTERNATIVES: usize = 64;
const TOO_MANY_ALTERNATIVES: usize = MAX_ALTERNATIVES + 1;
const MAX_TERMS: usize = 64;
const MAX_LENGTH: usize = 64 * 1024;

/// A text to look for stands in the errors about it, so it is bounded. `bytes` is its length, `argument` what it is a part of.
pub(crate) fn check_length(argument: &'static str, bytes: usize) -> Result<()> {
    if bytes <= MAX_LENGTH {
        return Ok(());
    }
    Err(Error::invalid(
        argument,
        format!("its texts have {bytes} bytes, and may have {MAX_LENGTH}"),
    ))
}

/// Names elements. At least one alternative, each with at least one term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    alternatives: Vec<Alternative>,
}

/// Terms that must all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    terms: Vec<Term>,
}

/// One condition on an element.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    Text(TextKey, Wanted),
    /// The word, and the role that it names if it is not a native type's.
    Role(Wanted, Option<Role>),
    State(StateKey, bool),
}

impl Term {
    fn length(&self) -> usize {
        match self {
            Self::Text(_, wanted) | Self::Role(wanted, _) => wanted.text.len(),
            Self::State(..) => 0,
        }
    }
}

/// A text to match, with its normal form.
#[derive(Clone, Debug)]
struct Wanted {
    text: String,
    normal: String,
}

impl PartialEq for Wanted {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Wanted {}

impl From<String> for Wanted {
    fn from(text: String) -> Self {
        let normal = normalize(&text).collect();
        Self { text, normal }
    }
}

macro_rules! keys {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $key:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        enum $name {
            $($(#[$doc])* $key,)*
        }

        impl $name {
            fn as_str(self) -> &'static str {
                match self {
                    $(Self::$key => $word,)*
                }
            }

            fn parse(word: &str) -> Option<Self> {
                [$(Self::$key),*].into_iter().find(|key| key.as_str().eq_ignore_ascii_case(word))
            }
        }
    };
}

const ROLE_KEY: &str = "role";

keys! {
    TextKey {
        Id = "id",
        Text = "text",
        Label = "label",
        Value = "value",
        AppName = "appname",
        WindowTitle = "windowtitle",
    }
}

keys! {
    StateKey {
        Visible = "visible",
        Hidden = "hidden",
        Editable = "editable",
        Selected = "selected",
        Focused = "focused",
        Enabled = "enabled",
        Hittable = "hittable",
        Checked = "checked",
    }
}

fn role_term(word: String) -> Term {
    let role = Role::parse(&word);
    Term::Role(Wanted::from(word), role)
}

fn one(term: Term) -> Selector {
    Selector {
        alternatives: vec![Alternative { terms: vec![term] }],
    }
}

macro_rules! text_terms {
    ($($(#[$doc:meta])* $name:ident = $key:ident,)*) => {
        $(
            $(#[$doc])*
            pub fn $name(wanted: impl Into<String>) -> Selector {
                one(Term::Text(TextKey::$key, Wanted::from(wanted.into())))
            }
        )*
    };
}

text_terms! {
    /// Elements with this identifier: resource id, accessibility identifier, `id` attribute.
    id = Id,
    /// Elements whose first text that is not empty, of label, value and identifier, is this.
    text = Text,
    /// Elements that are called this.
    label = Label,
    /// Elements that hold this.
    value = Value,
    /// Elements in the app with this id.
    app_name = AppName,
    /// Elements in the window with this title.
    window_title = WindowTitle,
}

/// Elements of this kind.
pub fn role(wanted: Role) -> Selector {
    one(role_term(wanted.as_str().to_owned()))
}

macro_rules! state_terms {
    ($($(#[$doc:meta])* $name:ident = $key:ident,)*) => {
        $(
            $(#[$doc])*
            pub fn $name() -> Selector {
                one(Term::State(StateKey::$key, true))
            }
        )*
    };
}

state_terms! {
    /// Elements with a place on the screen. Cheap: no viewport is looked at.
    visible = Visible,
    /// Elements without a place on the screen.
    hidden = Hidden,
    /// Enabled elements that take text.
    editable = Editable,
    /// Elements that are chosen.
    selected = Selected,
    /// Elements that have the input focus.
    focused = Focused,
    /// Elements that aren't disabled.
    enabled = Enabled,
    /// Elements that a touch at their centre reaches.
    hittable = Hittable,
    /// Boxes and switches that are on.
    checked = Checked,
}

impl BitAnd for Selector {
    type Output = Selector;

    /// Elements that match both.
    fn bitand(self, other: Selector) -> Selector {
        let alternatives = self
            .alternatives
            .iter()
            .flat_map(|left| {
                other.alternatives.iter().map(|right| Alternative {
                    terms: left.terms.iter().chain(&right.terms).cloned().collect(),
                })
            })
            // One more than allowed, so that the check refuses what was cut here.
            .take(TOO_MANY_ALTERNATIVES)
            .collect();
        Selector { alternatives }
    }
}

impl BitOr for Selector {
    type Output = Selector;

    /// Elements that match the first; when there is none, those that match the second.
    fn bitor(mut self, other: Selector) -> Selector {
        self.alternatives.extend(other.alternatives);
        self
    }
}

impl Selector {
    /// The alternatives in the order in which they are tried.
    pub fn alternatives(&self) -> &[Alternative] {
        &self.alternatives
    }

    /// Checks the limits that the typed builder can exceed.
    pub(crate) fn check(&self) -> Result<()> {
        if self.alternatives.len() > MAX_ALTERNATIVES
            || self
                .alternatives
                .iter()
                .any(|alternative| alternative.terms.len() > MAX_TERMS)
        {
            return Err(invalid(format!(
                "a selector has at most {MAX_ALTERNATIVES} alternatives of {MAX_TERMS} terms"
            )));
        }
        let terms = self.alternatives.iter().flat_map(|one| &one.terms);
        let length: usize = terms.map(Term::length).sum();
        check_length("selector", length)
    }

    /// The selector that names `node` in its snapshot, as a recorder writes it: the identifier if it is unique, then role
    /// and label, label, value, and the role or `visible` as the last resort. For a field to fill, `editable` is added.
    pub fn for_node(node: Node<'_>, for_fill: bool) -> Selector {
        let same = |other: &Node<'_>| other.identifier() == node.identifier();
        let unique = node.snapshot().nodes().filter(same).take(2).count() == 1;
        Self::for_node_known(node, for_fill, unique)
    }

    /// The same, for callers that know whether the identifier is unique.
    pub(crate) fn for_node_known(node: Node<'_>, for_fill: bool, unique: bool) -> Selector {
        let mut found: Vec<Selector> = Vec::new();
        let filled = |text: Option<&str>| {
            // Four of them may come together, beside short terms, and what is recorded must be allowed.
            text.filter(|text| !text.trim().is_empty() && text.len() <= MAX_LENGTH / 5)
                .map(str::to_owned)
        };
        if let Some(identifier) = filled(node.identifier()).filter(|_| unique) {
            found.push(id(identifier));
        }
        if let Some(name) = filled(node.label()) {
            if node.role() != Role::Other {
                found.push(role(node.role()) & label(name.clone()));
            }
            found.push(label(name));
        }
        if let Some(held) = filled(node.value()) {
            found.push(value(held));
        }
        if found.is_empty() {
            found.push(if node.role() == Role::Other {
                visible()
            } else {
                role(node.role())
            });
        }
        let mut chain = found.into_iter().map(|selector| {
            if for_fill {
                selector & editable()
            } else {
                selector
            }
        });
        let first = chain.next().expect("there is always a last resort");
        chain.fold(first, |all, next| all | next)
    }
}

impl Alternative {
    /// Whether all terms hold for `node`.
    pub fn matches(&self, node: Node<'_>) -> bool {
        self.terms.iter().all(|term| term.matches(node))
    }
}

impl Term {
    fn matches(&self, node: Node<'_>) -> bool {
        match self {
            Self::Text(key, wanted) => {
                let info = node.snapshot().info();
                match key {
                    TextKey::Id => wanted.matches(node.identifier()),
                    TextKey::Text => wanted.matches(node.text()),
                    TextKey::Label => wanted.matches(node.label()),
                    TextKey::Value => wanted.matches(node.value()),
                    TextKey::AppName => wanted.matches(info.app.as_deref()),
                    TextKey::WindowTitle => wanted.matches(info.title.as_deref()),
                }
            }
            Self::Role(word, role) => {
                let native = || {
                    node.native_type()
                        .is_some_and(|native| word.matches(Some(leaf(native))))
                };
                *role == Some(node.role()) || native()
            }
            Self::State(key, wanted) => {
                let state = match key {
                    StateKey::Visible => has_place(node),
                    StateKey::Hidden => !has_place(node),
                    StateKey::Editable => is_editable(node),
                    StateKey::Selected => node.is(Flag::Selected),
                    StateKey::Focused => node.is(Flag::Focused),
                    StateKey::Enabled => node.flag(Flag::Enabled) != Some(false),
                    StateKey::Hittable => node.is(Flag::Hittable),
                    StateKey::Checked => node.is(Flag::Checked),
                };
                state == *wanted
            }
        }
    }
}

impl Wanted {
    fn matches(&self, text: Option<&str>) -> bool {
        text.is_some_and(|text| normalize(text).eq(self.normal.chars()))
    }
}

/// The last part of a native type: `android.widget.EditText` → `EditText`, `XCUIElementTypeStaticText` → `StaticText`.
fn leaf(native: &str) -> &str {
    let last = native.rsplit(['.', '/']).next().unwrap_or(native);
    last.strip_prefix("XCUIElementType")
        .or_else(|| last.strip_prefix("AX"))
        .unwrap_or(last)
}

fn has_place(node: Node<'_>) -> bool {
    node.flag(Flag::VisibleToUser) != Some(false)
        && (node.is(Flag::Hittable) || node.usable_bounds().is_some())
}

/// Whether text can be put into the element.
pub(crate) fn is_editable(node: Node<'_>) -> bool {
    node.flag(Flag::Enabled) != Some(false)
        && node.flag(Flag::ReadOnly) != Some(true)
        && node
            .flag(Flag::Editable)
            .unwrap_or(node.role().takes_text())
}

/// The form in which texts are compared: trimmed, without case, white space collapsed.
pub(crate) fn normalize(text: &str) -> impl Iterator<Item = char> {
    text.split_whitespace().enumerate().flat_map(|(at, word)| {
        (at > 0)
            .then_some(' ')
            .into_iter()
            .chain(word.chars().flat_map(char::to_lowercase))
    })
}

/// A text to look for within others, in their normal form. Trees have a million texts, so none of them is copied anew.
pub(crate) struct Needle {
    wanted: String,
    normal: String,
}

impl Needle {
    /// `None` when nothing is left of it in the normal form.
    pub(crate) fn new(wanted: &str) -> Option<Self> {
        let wanted: String = normalize(wanted).collect();
        (!wanted.is_empty()).then(|| Self {
            wanted,
            normal: String::new(),
        })
    }

    pub(crate) fn is_in(&mut self, text: &str) -> bool {
        // The normal form of ASCII is ASCII, and never longer.
        if text.is_ascii() && (text.len() < self.wanted.len() || !self.wanted.is_ascii()) {
            return false;
        }
        self.normal.clear();
        self.normal.extend(normalize(text));
        self.normal.contains(&self.wanted)
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, alternative) in self.alternatives.iter().enumerate() {
            if at > 0 {
                f.write_str(" || ")?;
            }
            for (at, term) in alternative.terms.iter().enumerate() {
                if at > 0 {
                    f.write_char(' ')?;
                }
                match term {
                    Term::State(key, true) => f.write_str(key.as_str())?,
                    Term::State(key, false) => write!(f, "{}=false", key.as_str())?,
                    Term::Text(key, wanted) => {
                        write!(f, "{}=", key.as_str())?;
                        write_quoted(f, &wanted.text)?;
                    }
                    Term::Role(word, _) => {
                        write!(f, "{ROLE_KEY}=")?;
                        write_quoted(f, &word.text)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if (c as u32) < 0x20 => write!(f, "\\u{:04x}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

fn invalid(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::invalid("selector", message)
}

impl FromStr for Selector {
    type Err = Error;

    fn from_str(source: &str) -> Result<Self> {
        if source.len() > MAX_LENGTH {
            return Err(invalid(format!(
                "a selector has at most {MAX_LENGTH} bytes"
            )));
        }
        let mut parser = Parser { rest: source };
        let mut alternatives = Vec::new();
        let mut terms = Vec::new();
        loop {
            parser.rest = parser.rest.trim_start();
            let ended = parser.rest.is_empty();
            if ended || parser.rest.starts_with("||") {
                if terms.is_empty() {
                    return Err(invalid(format!("an alternative of {source:?} is empty")));
                }
                alternatives.push(Alternative {
                    terms: std::mem::take(&mut terms),
                });
                if ended {
                    break;
                }
                parser.rest = &parser.rest[2..];
            } else {
                terms.push(parser.term()?);
            }
        }
        let selector = Selector { alternatives };
        selector.check()?;
        Ok(selector)
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn take_until(&mut self, stop: impl Fn(&str, char) -> bool) -> &'a str {
        let end = self
            .rest
            .char_indices()
            .find(|(at, c)| stop(&self.rest[*at..], *c))
            .map_or(self.rest.len(), |(at, _)| at);
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn term(&mut self) -> Result<Term> {
        let word =
            self.take_until(|rest, c| c == '=' || c.is_whitespace() || rest.starts_with("||"));
        let text_key = TextKey::parse(word);
        let state_key = StateKey::parse(word);
        let role_key = word.eq_ignore_ascii_case(ROLE_KEY);
        let known = text_key.is_some() || state_key.is_some() || role_key;
        if !known {
            let error = invalid(format!("{word:?} is no key of a selector"));
            return Err(if Role::parse(word).is_some() {
                error.with_hint(format!(
                    "A role is named by the key role: role={}",
                    word.to_lowercase()
                ))
            } else {
                error.with_hint(
                    "The keys are id, role, text, label, value, appname, windowtitle, visible, hidden, editable, selected, focused, enabled, hittable and checked.",
                )
            });
        }
        let Some(rest) = self.rest.strip_prefix('=') else {
            return match state_key {
                Some(key) => Ok(Term::State(key, true)),
                None => Err(invalid(format!("the key {word:?} needs a value"))),
            };
        };
        self.rest = rest;
        let value = self.value(word)?;
        match (text_key, state_key) {
            _ if role_key => Ok(role_term(value)),
            (Some(key), _) => Ok(Term::Text(key, Wanted::from(value))),
            (None, Some(key)) => match value.to_ascii_lowercase().as_str() {
                "true" => Ok(Term::State(key, true)),
                "false" => Ok(Term::State(key, false)),
                _ => Err(invalid(format!("{word:?} is true or false, not {value:?}"))),
            },
            (None, None) => Err(invalid(format!("{word:?} is no key of a selector"))),
        }
    }

    fn value(&mut self, key: &str) -> Result<String> {
        match self.rest.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                self.rest = &self.rest[1..];
                self.quoted(quote)
                    .ok_or_else(|| invalid(format!("the quote of {key:?} is not closed")))
            }
            _ => {
                let value = self.take_until(|rest, c| c.is_whitespace() || rest.starts_with("||"));
                if value.is_empty() {
                    return Err(invalid(format!("the key {key:?} needs a value")));
                }
                Ok(value.to_owned())
            }
        }
    }

    fn quoted(&mut self, quote: char) -> Option<String> {
        let mut value = String::new();
        loop {
            let plain = self.take_until(|_, c| c == quote || c == '\\');
            value.push_str(plain);
            let mark = self.rest.chars().next()?;
            self.rest = &self.rest[1..];
            if mark == quote {
                return Some(value);
            }
            let (decoded, length) = match self.rest.chars().next()? {
                c @ ('"' | '\'' | '\\' | '/') => (Some(c), 1),
                'b' => (Some('\u{8}'), 1),
                'f' => (Some('\u{c}'), 1),
                'n' => (Some('\n'), 1),
                'r' => (Some('\r'), 1),
                't' => (Some('\t'), 1),
                'u' => unicode(self.rest),
                _ => (None, 0),
            };
            match decoded {
                Some(c) => {
                    value.push(c);
                    self.rest = &self.rest[length..];
                }
                // An escape that isn't one stays as it is.
                None => value.push('\\'),
            }
        }
    }
}

/// Decodes `uXXXX` or `uXXXX\uXXXX` at the start, with the number of bytes that it takes.
fn unicode(rest: &str) -> (Option<char>, usize) {
    let unit = |from: usize| {
        rest.get(from..from + 4)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
    };
    match unit(1) {
        Some(high @ 0xD800..=0xDBFF) if rest.get(5..7) == Some("\\u") => match unit(7) {
            Some(low @ 0xDC00..=0xDFFF) => {
                let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                (char::from_u32(code), 11)
            }
            _ => (None, 0),
        },
        Some(code) => (char::from_u32(code), 5),
        None => (None, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{CaptureOptions, SnapshotBuilder, SnapshotInfo, TextField};
    use proptest::prelude::*;

    fn parse(source: &str) -> Selector {
        source.parse().unwrap()
    }

    fn refusal(source: &str) -> Error {
        let error = source.parse::<Selector>().unwrap_err();
        assert_eq!(error.code_str(), "INVALID_ARGS", "{source}");
        assert_eq!(error.detail("field").unwrap(), "selector");
        assert!(error.dispatched().is_no());
        error
    }

    #[test]
    fn text_and_builder_make_the_same_tree() {
        assert_eq!(parse("LABEL=Continue"), label("Continue"));
        assert_eq!(parse("id='a b' ENABLED"), id("a b") & enabled());
        assert_eq!(parse("visible=True||hidden"), visible() | hidden());
        assert_eq!(
            parse(r#"label="a || b" || value="say \"hi\"\n\u00e9\ud83d\ude00""#),
            label("a || b") | value("say \"hi\"\né😀")
        );
        assert_eq!(parse(r#"label="\q\u12\ud800""#), label("\\q\\u12\\ud800"));
        let spread = (id("a") | id("b")) & enabled();
        assert_eq!(spread, parse("id=a enabled || id=b enabled"));
    }

    #[test]
    fn a_text_is_found_in_another_by_their_normal_forms() {
        let is_in = |wanted: &str, text: &str| Needle::new(wanted).unwrap().is_in(text);
        for (wanted, text) in [
            ("a  B", "xA b"),
            ("\u{e4}pfel", "Rote \u{c4}PFEL"),
            ("i\u{307}", "\u{130}"),
            ("k", "\u{212a}"),
        ] {
            assert!(is_in(wanted, text), "{wanted} in {text}");
        }
        assert!(!is_in("ab", "a b") && !is_in("long", "lo") && !is_in("\u{e4}", "aaaa"));
        let mut needle = Needle::new("go").unwrap();
        assert!(needle.is_in("GO on") && !needle.is_in("no") && needle.is_in("ago"));
        assert!(Needle::new(" \n").is_none());
    }

    #[test]
    fn what_is_no_selector_is_refused_by_field() {
        for source in [
            "",
            "   ",
            "||",
            "id=a ||",
            "|| id=a",
            "id=a || || id=b",
            "id",
            "id=",
            "label='open",
            "bogus=1",
            "selected=maybe",
            "visible=",
            "id=\"a\\",
            "=x",
        ] {
            refusal(source);
        }
        assert!(refusal("button=Pay").hint().contains("role=button"));
        refusal(&"id=a ".repeat(65));
        refusal(&"x".repeat(MAX_LENGTH + 1));
    }

    proptest! {
        #[test]
        fn any_text_survives_the_text_form(content in any::<String>(), key in 0_usize..4) {
            let typed = match key {
                0 => id(content),
                1 => label(content),
                2 => value(content) & enabled(),
                _ => text(content) | hidden(),
            };
            prop_assert_eq!(typed.to_string().parse::<Selector>().unwrap(), typed);
        }

        #[test]
        fn any_bytes_parse_or_are_refused(source in any::<String>()) {
            let _ = source.parse::<Selector>();
        }
    }

    #[test]
    fn what_a_recorder_writes_may_be_looked_for() {
        for length in [MAX_LENGTH / 5, MAX_LENGTH] {
            let long = "x".repeat(length);
            let mut tree = SnapshotBuilder::new(CaptureOptions::default());
            tree.root(Role::Button)
                .unwrap()
                .text(TextField::Identifier, &long)
                .text(TextField::Label, &long)
                .text(TextField::Value, &long);
            let tree = tree.finish(SnapshotInfo::default());
            let written = Selector::for_node(tree.root().unwrap(), true);
            written.check().unwrap();
        }
    }
}
