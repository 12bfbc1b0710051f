//! The scripts that run in the page, what goes into them and what comes out.
//!
//! Two libraries in plain JavaScript share one half (`common.js`): the capture (`walker.js`) and the acts (`resolver.js`).
//! Each has three ways in:
//!
//! - **a script** for `execute/sync`, on every driver; the act's script also returns the element, as second item;
//! - **an expression** for Chromium's `Runtime.evaluate` with `returnByValue`, which costs half of the above;
//! - **the library**: evaluated once per document without `returnByValue`, it stays in the browser as a function whose
//!   `objectId` is then called with [`CALL_LIBRARY`]. The source isn't sent again and the page's compiler keeps the optimised
//!   code, which halves the time of a large capture once more. The handle dies with its document: the call then fails
//!   with `no such execution context`, and the library is evaluated again. It leaves no name in the page.
//!
//! Nothing here does I/O. Everything that comes back is checked by [`decode`] and [`answer`].

pub(crate) mod answer;
pub(crate) mod decode;
mod role;
pub(crate) mod text;

use std::{sync::LazyLock, time::Duration};

use agent_device_core::{
    geometry::Point,
    snapshot::{Node, TextField},
};
use serde_json::{Value, json};

const COMMON: &str = include_str!("common.js");
const WALKER: &str = include_str!("walker.js");
const RESOLVER: &str = include_str!("resolver.js");

/// The function declaration for `Runtime.callFunctionOn` on the library's handle.
pub(crate) const CALL_LIBRARY: &str = "function(o,a){return this(o,a)}";

/// How much a capture may take and return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The longest reply, in UTF-16 units. What doesn't fit is left out from there on, and the capture is marked.
    pub(crate) max_units: u32,
    /// How long the page may be walked.
    pub(crate) budget: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_units: 16_000_000,
            budget: Duration::from_secs(8),
        }
    }
}

impl Limits {
    fn to_json(self) -> Value {
        json!({ "max": self.max_units, "ms": u64::try_from(self.budget.as_millis()).unwrap_or(u64::MAX) })
    }
}

/// The source without comments, indentation and spaces around punctuation: half of it is not sent. The sources have neither
/// regular expressions nor templates, all strings are in single quotes, and comments have lines of their own or follow two
/// spaces or a brace: a test holds them to that.
fn squeeze(source: &str, out: &mut String) {
    for line in source.lines().map(str::trim) {
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        let mut quoted = false;
        let mut escaped = false;
        let mut chars = line.chars().peekable();
        let mut last = '\n';
        while let Some(c) = chars.next() {
            if quoted {
                quoted = escaped || c != '\'';
                escaped = c == '\\' && !escaped;
            } else if c == '\'' {
                quoted = true;
            } else if c == '/' && chars.peek() == Some(&'/') {
                break;
            } else if c == ' ' {
                let next = chars.peek().copied().unwrap_or('\n');
                let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
                // `a + +b` must not become an increment.
                let sign = |c: char| c == '+' || c == '-';
                if next == ' ' || !(word(last) && word(next) || sign(last) && sign(next)) {
                    continue;
                }
            }
            out.push(c);
            last = c;
        }
        out.push('\n');
    }
}

fn function(parameters: &str, parts: &[&str], result: &str) -> String {
    let mut out = format!("(function({parameters}){{'use strict';\n");
    for part in parts {
        squeeze(part, &mut out);
    }
    out.push_str(result);
    out.push_str("})");
    out
}

static CAPTURE: LazyLock<String> =
    LazyLock::new(|| function("o,r", &[COMMON, WALKER], "return walk(o,r)"));
static ACT: LazyLock<String> = LazyLock::new(|| {
    let result = "var s=act(o,a,r),h=handOver();return e?[s,h]:s";
    function("o,a,e,r", &[COMMON, RESOLVER], result)
});
static CAPTURE_SCRIPT: LazyLock<String> =
    LazyLock::new(|| format!("return {}(arguments[0],arguments[1])", *CAPTURE));
static ACT_SCRIPT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "return {}(arguments[0],arguments[1],true,arguments[2])",
        *ACT
    )
});
static LIBRARY: LazyLock<String> = LazyLock::new(|| {
    let result =
        "return function(o,a){if(o==='walk')return walk(a);var s=act(o,a);handOver();return s}";
    function("", &[COMMON, WALKER, RESOLVER], result) + "()"
});

/// The capture for `execute/sync`; its arguments are [`capture_arguments`].
pub(crate) fn capture_script() -> &'static str {
    &CAPTURE_SCRIPT
}

/// The `args` of [`capture_script`]. `roots` are references to closed shadow roots, as the driver returned them
/// (`{"shadow-6066-…": "…"}`); their content then becomes part of the tree like that of open ones.
pub(crate) fn capture_arguments(limits: Limits, roots: &[Value]) -> Value {
    json!([limits.to_json(), roots])
}

/// The capture for `Runtime.evaluate`.
pub(crate) fn capture_expression(limits: Limits) -> String {
    format!("{}({})", *CAPTURE, limits.to_json())
}

/// The library for `Runtime.evaluate` without `returnByValue`.
pub(crate) fn library_expression() -> &'static str {
    &LIBRARY
}

/// The `arguments` of a capture through the library.
pub(crate) fn capture_call_arguments(limits: Limits) -> Value {
    json!([{ "value": "walk" }, { "value": limits.to_json() }])
}

/// An element of a capture, as the page finds it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The frames of other origins around it, outermost first: each is resolved and entered in turn.
    pub(crate) frames: Vec<FramePath>,
    /// The document it was captured in; empty skips the check.
    pub(crate) token: String,
    /// The way to it from that document.
    pub(crate) path: String,
    /// The role word that it must still have; empty skips the check of role and name.
    pub(crate) role: String,
    /// The name that it must still have; `None` skips the check of the name.
    pub(crate) name: Option<String>,
}

/// A frame whose document a page script can't reach from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FramePath {
    /// The document that holds the frame.
    pub(crate) token: String,
    /// The way to the frame element from that document.
    pub(crate) path: String,
}

impl FramePath {
    /// The frame element as a target, without a check of role and name.
    pub(crate) fn target(&self) -> Target {
        Target {
            frames: Vec::new(),
            token: self.token.clone(),
            path: self.path.clone(),
            role: String::new(),
            name: None,
        }
    }
}

impl Target {
    /// The target for a captured node. `None` when the node does not come from [`decode::capture`].
    pub(crate) fn of(node: Node<'_>) -> Option<Self> {
        let (role, own) = node.text_field(TextField::Handle)?.split_once(' ')?;
        let mut steps = vec![own];
        for up in node.ancestors() {
            let (_, step) = up.text_field(TextField::Handle)?.split_once(' ')?;
            steps.push(step);
        }
        let mut frames = Vec::new();
        let mut token = node.snapshot().info().lineage.clone().unwrap_or_default();
        let mut path = String::new();
        for step in steps.iter().rev().filter(|step| !step.is_empty()) {
            // The first step in the document of a foreign frame says which document that is.
            let step = match step.strip_prefix('O') {
                Some(foreign) => {
                    let (inner, step) = foreign.split_once('.')?;
                    let outer = std::mem::replace(&mut token, inner.to_owned());
                    frames.push(FramePath {
                        token: outer,
                        path: std::mem::take(&mut path),
                    });
                    step
                }
                None => step,
            };
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(step);
        }
        Some(Self {
            frames,
            token,
            path,
            role: role.to_owned(),
            name: Some(node.label().unwrap_or_default().to_owned()),
        })
    }

    /// The same element, whatever it is called by now.
    pub(crate) fn by_any_name(self) -> Self {
        Self { name: None, ..self }
    }

    /// Whatever is at this place of the document.
    pub(crate) fn unchecked(self) -> Self {
        Self {
            role: String::new(),
            ..self.by_any_name()
        }
    }
}

/// What to do with a target.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act<'a> {
    /// Say where a touch would land: at this point, or where the element is free.
    Resolve(Option<Point>),
    /// Read the value back, and compare it. A secret is compared and measured, never returned.
    Read(Option<&'a str>),
    /// Set a value that keystrokes can't type: date, time, colour, range.
    Set(&'a str),
    /// Choose the option with this label, or else this value.
    Select(&'a str),
}

impl Act<'_> {
    fn word(self) -> &'static str {
        match self {
            Act::Resolve(_) => "resolve",
            Act::Read(_) => "read",
            Act::Set(_) => "set",
            Act::Select(_) => "select",
        }
    }

    fn arguments(self, target: &Target) -> Value {
        let mut list = vec![
            json!(target.token),
            json!(target.path),
            json!(target.role),
            json!(target.name),
        ];
        match self {
            Act::Resolve(Some(point)) => list.extend([json!(point.x), json!(point.y)]),
            Act::Read(Some(text)) | Act::Set(text) | Act::Select(text) => list.push(json!(text)),
            Act::Resolve(None) | Act::Read(None) => {}
        }
        Value::Array(list)
    }

    /// Whether the page may look different afterwards.
    pub(crate) fn mutates(self) -> bool {
        matches!(self, Act::Set(_) | Act::Select(_))
    }
}

/// The act for `execute/sync`: returns the answer and the element, or null for one that the driver can't hold.
pub(crate) fn act_script() -> &'static str {
    &ACT_SCRIPT
}

/// The `args` of [`act_script`]. `roots` as in [`capture_arguments`].
pub(crate) fn act_arguments(act: Act<'_>, target: &Target, roots: &[Value]) -> Value {
    json!([act.word(), act.arguments(target), roots])
}

/// The act for `Runtime.evaluate`: the answer alone.
pub(crate) fn act_expression(act: Act<'_>, target: &Target) -> String {
    format!(
        "{}({},{})",
        *ACT,
        json!(act.word()),
        script_safe(&act.arguments(target))
    )
}

/// The `arguments` of an act through the library.
pub(crate) fn act_call_arguments(act: Act<'_>, target: &Target) -> Value {
    json!([{ "value": act.word() }, { "value": act.arguments(target) }])
}

// JSON is JavaScript since 2019; the two line separators are escaped for engines older than that.
fn script_safe(value: &Value) -> String {
    value
        .to_string()
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests;
