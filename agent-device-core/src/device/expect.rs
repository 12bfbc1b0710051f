//! Reading elements, checking conditions, waiting for them.

use std::{collections::HashMap, fmt, sync::Arc, time::Duration};

use serde::Serialize;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    not_a_target,
    request::{Request, is_unreadable},
};
use crate::{
    action::{Alert, Operation},
    dispatch::rows,
    error::{Error, ErrorCode, Result, reason},
    geometry::Rect,
    observe::{End, Judgement, Observation, after, observe_until},
    role::Role,
    selector::{self, Needle, normalize},
    snapshot::{CaptureOptions, Checked, Flag, Line, Node, Snapshot, escaped},
    target::{self, By, Policy, ResolutionInfo},
    text::held,
    wait,
};

/// A condition on an element.
///
/// Texts compare in the normal form of selectors: without case, with white space collapsed. [`ExactText`](Self::ExactText) and
/// [`Value`](Self::Value) compare character by character.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Predicate {
    /// It can be seen: geometric, by rectangle and viewport.
    Visible,
    /// It can't be seen.
    Hidden,
    /// There is at least one.
    Exists,
    /// There is none. Needs a tree that proves absence.
    Absent,
    /// Text can be put in.
    Editable,
    /// It is enabled.
    Enabled,
    /// It is chosen.
    Selected,
    /// It has the input focus.
    Focused,
    /// It is checked or on.
    Checked,
    /// Its text is this, in the normal form. A field's text is what it is called: for its content see [`Value`](Self::Value).
    Text(String),
    /// Its text is exactly this.
    ExactText(String),
    /// It holds exactly this: the content of a field, the position of a slider. A field that shows its hint holds nothing.
    /// Refused for a secret field, whose content nobody reads.
    Value(String),
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, text) = match self {
            Self::Visible => ("visible", None),
            Self::Hidden => ("hidden", None),
            Self::Exists => ("a match", None),
            Self::Absent => ("no match", None),
            Self::Editable => ("editable", None),
            Self::Enabled => ("enabled", None),
            Self::Selected => ("selected", None),
            Self::Focused => ("focused", None),
            Self::Checked => ("checked", None),
            Self::Text(text) => ("text", Some(text)),
            Self::ExactText(text) => ("exactly the text", Some(text)),
            Self::Value(value) => ("value", Some(value)),
        };
        f.write_str(word)?;
        text.map_or(Ok(()), |text| write!(f, " {}", quoted(text)))
    }
}

/// A text in an error: one line, of a bounded length.
fn quoted(text: &str) -> String {
    const SHOWN: usize = 200;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("\"{}\"…", escaped(&text[..end])),
        None => format!("\"{}\"", escaped(text)),
    }
}

/// What was seen where a condition does not hold.
struct Unmet {
    observed: String,
    element: Option<String>,
}

impl Unmet {
    fn message(&self, by: &By, predicate: &Predicate) -> String {
        format!("{by}: expected {predicate}, saw {}", self.observed)
    }

    fn tell(self, error: Error, predicate: &Predicate) -> Error {
        let error = error
            .with_detail("expected", predicate.to_string())
            .with_detail("observed", self.observed);
        match self.element {
            Some(element) => error.with_detail("element", element),
            None => error,
        }
    }
}

impl Predicate {
    fn check(&self) -> Result<()> {
        match self {
            Self::Text(text) | Self::ExactText(text) | Self::Value(text) => {
                selector::check_length("predicate", text.len())
            }
            _ => Ok(()),
        }
    }

    /// What an element shows instead, or `None` when the condition holds.
    fn unmet(&self, node: Node<'_>) -> Result<Option<Unmet>> {
        let text = node.text().unwrap_or_default();
        let state = |holds: bool, word: &str| {
            let not = if holds { "" } else { "not " };
            (holds, format!("{not}{word}"))
        };
        let (holds, observed) = match self {
            Self::Exists => (true, String::new()),
            Self::Absent => (false, "a match".to_owned()),
            Self::Visible => state(target::is_visible(node), "visible"),
            Self::Hidden => {
                let (visible, observed) = state(target::is_visible(node), "visible");
                (!visible, observed)
            }
            Self::Editable => state(selector::is_editable(node), "editable"),
            Self::Enabled => state(node.flag(Flag::Enabled) != Some(false), "enabled"),
            Self::Selected => state(node.is(Flag::Selected), "selected"),
            Self::Focused => state(node.is(Flag::Focused), "focused"),
            Self::Checked => state(node.checked() == Some(Checked::On), "checked"),
            Self::Text(wanted) => (
                normalize(text).eq(normalize(wanted)),
                format!("text {}", quoted(text)),
            ),
            Self::ExactText(wanted) => (text == wanted, format!("text {}", quoted(text))),
            Self::Value(_) if node.is(Flag::Secure) => {
                return Err(Error::invalid(
                    "predicate",
                    "the content of a secret field is not read, so its value can't be compared",
                ));
            }
            Self::Value(wanted) => match held(node) {
                Some(value) => (value == wanted, format!("value {}", quoted(value))),
                None => (false, "no value".to_owned()),
            },
        };
        Ok((!holds).then(|| Unmet {
            observed,
            element: Some(Line::bare(node).to_string()),
        }))
    }
}

/// What is known of an element.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElementInfo {
    /// What it is.
    pub role: Role,
    /// The first of label, value and identifier that is not empty.
    pub text: String,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it holds; empty for a field that shows its hint, `None` for a secret one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The developer's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// Where it is, in the backend's coordinate unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    /// Whether it reacts to input; `None` when nobody reported it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Whether it is the chosen one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    /// Whether it is checked or on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
    /// Whether it has the input focus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focused: Option<bool>,
    /// Whether it can be seen.
    pub visible: bool,
    /// Whether the answer comes from an older tree, because the ref has expired.
    pub stale: bool,
    /// The selector that a recorder would write for it.
    pub selector: String,
    /// How it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<ResolutionInfo>,
}

impl ElementInfo {
    fn of(node: Node<'_>) -> Self {
        let same = |other: &Node<'_>| other.identifier() == node.identifier();
        let unique = node.snapshot().nodes().filter(same).take(2).count() == 1;
        Self::told(node, unique)
    }

    fn told(node: Node<'_>, unique_id: bool) -> Self {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Self {
            role: node.role(),
            text: node.text().unwrap_or_default().to_owned(),
            label: owned(node.label()),
            value: owned(held(node)),
            identifier: owned(node.identifier()),
            bounds: node.bounds(),
            enabled: node.flag(Flag::Enabled),
            selected: node.flag(Flag::Selected),
            checked: node.checked(),
            focused: node.flag(Flag::Focused),
            visible: target::is_visible(node),
            stale: false,
            selector: crate::Selector::for_node_known(node, false, unique_id).to_string(),
            resolution: None,
        }
    }
}

/// What a wait looks at.
#[derive(Clone, Copy)]
enum Source<'a> {
    Tree,
    /// The backend's own search for this text, then the tree.
    Text(&'a str),
    Alert,
}

/// What one look of a wait showed.
enum Look {
    /// The backend's own search found the text.
    Native,
    Tree(Arc<Snapshot>),
    Alert(Option<Alert>),
}

impl Look {
    fn tree(&self) -> Option<&Arc<Snapshot>> {
        match self {
            Self::Tree(tree) => Some(tree),
            _ => None,
        }
    }
}

/// A wait that has ended.
struct Waited<R> {
    seen: Observation<Look, R, Error>,
    timeout: Duration,
    /// How many looks counted: in time, and at a tree that says something.
    readable: u32,
    /// Of the look that ended after the deadline, if there was one: whether it showed what was waited for.
    late: Option<bool>,
}

impl<R> Waited<R> {
    /// The code, the reason and the words for a wait whose time ran out.
    fn vain(&self, what: &str, absent_reason: &'static str) -> Error {
        let failed = |reason, message: String| {
            Error::new(ErrorCode::CommandFailed, message).with_reason(reason)
        };
        let limit = self.timeout.as_millis();
        let polls = &self.seen.timeline;
        let took = polls
            .polls()
            .last()
            .map_or(0, |poll| poll.duration.as_millis());
        let which = if polls.count() == 1 { "only" } else { "last" };
        if let Some(showed) = self.late {
            let showed_it = if showed { "showed" } else { "did not show" };
            let message = format!(
                "the {which} look took {took} ms and ended after the wait of {limit} ms for {what}; it {showed_it} that, which came too late to count"
            );
            let hint = "A look that ends after the timeout is no evidence. Allow more time than a capture takes; details.polls tells how long that is.";
            if self.readable == 0 {
                let error = failed(reason::WAIT_CAPTURE_STALLED, message);
                return error.with_retriable(true).with_hint(hint);
            }
            if showed {
                return failed(reason::WAIT_DEADLINE_EXCEEDED, message).with_hint(hint);
            }
        }
        match (&self.seen.end, self.readable) {
            (End::Stalled { .. }, 0) => failed(
                reason::WAIT_CAPTURE_STALLED,
                format!(
                    "the {which} look was stopped after {took} ms, when the wait of {limit} ms for {what} was over"
                ),
            )
            .with_retriable(true),
            (End::Stalled { .. }, _) => failed(
                reason::WAIT_DEADLINE_EXCEEDED,
                format!("a capture took the rest of the time for {what}"),
            ),
            (_, 0) => failed(
                reason::WAIT_CAPTURE_STALLED,
                format!("no capture was readable while waiting for {what}"),
            )
            .with_retriable(true),
            _ if self.timeout.is_zero() => {
                failed(absent_reason, format!("one look did not show {what}"))
            }
            _ => failed(absent_reason, format!("waited {limit} ms in vain for {what}")),
        }
    }
}

/// That nothing matches means something only in a whole tree.
fn require_proof_of_absence(by: &By, snapshot: &Snapshot) -> Result<()> {
    if snapshot.proves_absence() {
        return Ok(());
    }
    Err(unproven(by, snapshot))
}

/// The error of a target that is not in a tree which proves no absence.
pub(super) fn unproven(by: &By, snapshot: &Snapshot) -> Error {
    let error = Error::refused(
        rows::core::REFUSAL_CAPTURE_SPARSE,
        ErrorCode::CommandFailed,
        format!("the tree is incomplete, so the absence of {by} proves nothing"),
    )
    .with_reason(reason::CAPTURE_SPARSE)
    .with_detail("selector", by.to_string());
    incomplete(error, snapshot)
}

/// Says with an error in what way the tree is incomplete.
fn incomplete(error: Error, snapshot: &Snapshot) -> Error {
    let error = error
        .with_detail("snapshotQuality", snapshot.quality())
        .with_detail("truncated", snapshot.info().truncated);
    let cut = snapshot.info().truncated || snapshot.quality().effective_depth.is_some();
    if snapshot.quality().is_sparse() || !cut {
        error.with_hint("The tree is degraded, so the absence proves nothing. Repeat when the screen has settled, or take a screenshot.")
    } else {
        error.with_hint("The tree was cut at a limit of size or depth, so the absence proves nothing. Make the screen hold less, or take a screenshot.")
    }
}

impl Request<'_> {
    async fn looked(&self) -> Result<Arc<Snapshot>> {
        match self.rested().await? {
            Some(snapshot) => Ok(snapshot),
            None => self.look(CaptureOptions::default()).await,
        }
    }

    pub(super) async fn get(&self, by: &By, policy: Policy) -> Result<ElementInfo> {
        match by {
            By::Point(_) => Err(not_a_target(by)),
            By::Ref(wanted) => {
                let (snapshot, id, stale) = self.recalled(*wanted)?;
                let node = snapshot.get(id).ok_or_else(|| not_a_target(by))?;
                Ok(ElementInfo {
                    stale,
                    ..ElementInfo::of(node)
                })
            }
            By::Selector(_) | By::Find(_) => {
                let aim = self.aim(by, policy, None).await?;
                let resolved = aim.resolved.ok_or_else(|| not_a_target(by))?;
                Ok(ElementInfo {
                    resolution: Some(resolved.info.clone()),
                    ..ElementInfo::of(resolved.target.node())
                })
            }
        }
    }

    pub(super) async fn list(&self, by: &By) -> Result<Vec<ElementInfo>> {
        match by {
            By::Selector(_) | By::Find(_) => {
                let snapshot = self.looked().await?;
                let found = target::matches(&snapshot, by);
                if found.is_empty() {
                    require_proof_of_absence(by, &snapshot)?;
                }
                // Counted once: a list of thousands would otherwise look through the tree for each.
                let mut uses: HashMap<Option<&str>, u32> = HashMap::new();
                for node in snapshot.nodes() {
                    *uses.entry(node.identifier()).or_default() += 1;
                }
                let unique = |node: &Node<'_>| uses.get(&node.identifier()) == Some(&1);
                let told = |node: Node<'_>| ElementInfo::told(node, unique(&node));
                Ok(found.into_iter().map(told).collect())
            }
            _ => Ok(vec![self.get(by, Policy::READ_UNIQUE).await?]),
        }
    }

    pub(super) async fn is(&self, by: &By, predicate: &Predicate) -> Result<bool> {
        Ok(self.unmet(by, predicate).await?.is_none())
    }

    pub(super) async fn expect(&self, by: &By, predicate: &Predicate) -> Result<()> {
        let Some(unmet) = self.unmet(by, predicate).await? else {
            return Ok(());
        };
        let error = Error::refused(
            rows::core::REFUSAL_PREDICATE,
            ErrorCode::CommandFailed,
            unmet.message(by, predicate),
        )
        .with_reason(reason::PREDICATE_FAILED)
        .with_detail("selector", by.to_string());
        Err(unmet.tell(error, predicate))
    }

    /// What one look shows instead, or `None` when the condition holds.
    async fn unmet(&self, by: &By, predicate: &Predicate) -> Result<Option<Unmet>> {
        predicate.check()?;
        if !matches!(predicate, Predicate::Exists | Predicate::Absent) {
            let aim = self.aim(by, Policy::READ_UNIQUE, None).await?;
            let resolved = aim.resolved.ok_or_else(|| not_a_target(by))?;
            return predicate.unmet(resolved.target.node());
        }
        let (count, element) = match by {
            By::Point(_) => return Err(not_a_target(by)),
            // Within the tree of its frame.
            By::Ref(wanted) => match self.recalled(*wanted) {
                Ok((snapshot, id, _)) => {
                    let line = snapshot.get(id).map(|node| Line::bare(node).to_string());
                    (1, line)
                }
                Err(_) => (0, None),
            },
            By::Selector(_) | By::Find(_) => {
                let snapshot = self.looked().await?;
                let found = target::matches(&snapshot, by);
                if found.is_empty() {
                    require_proof_of_absence(by, &snapshot)?;
                }
                let line = found.first().map(|node| Line::bare(*node).to_string());
                (found.len(), line)
            }
        };
        let holds = (count > 0) == (*predicate == Predicate::Exists);
        Ok((!holds).then(|| Unmet {
            observed: match count {
                0 => "no match".to_owned(),
                1 => "a match".to_owned(),
                _ => format!("{count} matches"),
            },
            element,
        }))
    }

    /// Polls until `judge` is content. Looks that end after the deadline are no evidence; a wait of no time is one look.
    async fn poll<R>(
        &self,
        timeout: Duration,
        source: Source<'_>,
        mut judge: impl FnMut(&Look) -> Option<R>,
    ) -> Waited<R> {
        let deadline = (!timeout.is_zero()).then(|| after(Instant::now(), timeout));
        let (mut readable, mut late) = (0, None);
        let honours_cancel = !matches!(source, Source::Alert) && self.backend().honours_cancel();
        let schedule = wait::condition(timeout, honours_cancel);
        let until = self.until(&schedule);
        let seen = observe_until(
            schedule,
            self.cancel(),
            None,
            |signal| self.look_at(source, until(), signal),
            is_unreadable,
            |look: &Look, _, _| {
                let in_time = deadline.is_none_or(|deadline| Instant::now() <= deadline);
                let result = judge(look);
                if !in_time {
                    late = Some(result.is_some());
                    return Judgement::go_on();
                }
                let sparse = look.tree().is_some_and(|tree| tree.quality().is_sparse());
                readable += u32::from(!sparse);
                result.map_or_else(Judgement::go_on, Judgement::Done)
            },
        )
        .await;
        Waited {
            seen,
            timeout,
            readable,
            late,
        }
    }

    async fn look_at(
        &self,
        source: Source<'_>,
        until: Instant,
        signal: CancellationToken,
    ) -> Result<Look> {
        match source {
            Source::Alert => self
                .read_until(Operation::ReadAlert, until, signal, |backend, call| {
                    Box::pin(async move { backend.alert(&call).await })
                })
                .await
                .map(Look::Alert),
            Source::Text(text) if self.finds_text(text, until, signal.clone()).await => {
                Ok(Look::Native)
            }
            Source::Text(_) | Source::Tree => self
                .capture(CaptureOptions::default(), until, signal)
                .await
                .map(Look::Tree),
        }
    }

    /// Whether the backend's own search finds the text. One that fails, or isn't offered, is followed by a look.
    async fn finds_text(&self, text: &str, until: Instant, signal: CancellationToken) -> bool {
        let text = text.to_owned();
        let found = self
            .read_until(
                Operation::FindText,
                until,
                signal.child_token(),
                |backend, call| Box::pin(async move { backend.find_text(&text, &call).await }),
            )
            .await;
        matches!(found, Ok(Some(true)))
    }

    /// The error of a wait that ended without its result.
    fn wait_error<R>(&self, waited: Waited<R>, what: &str, absent_reason: &'static str) -> Error {
        let vain = waited.vain(what, absent_reason);
        let Waited {
            seen,
            timeout,
            readable,
            late,
        } = waited;
        let error = match seen.end {
            End::Canceled => return self.canceled(),
            End::Failed { error, .. } => error,
            End::Expired {
                last_error: Some(error),
                ..
            } if readable == 0 && late.is_none() => error,
            End::Stalled {
                error: Some(error),
                last_error: None,
                ..
            } if readable == 0 && error.reason().is_some() && error.retriable() == Some(true) => {
                error
            }
            End::Expired {
                last: Some(Look::Tree(tree)),
                ..
            } if vain.reason() == Some(absent_reason)
                && absent_reason != reason::WAIT_TARGET_PRESENT
                && !tree.proves_absence() =>
            {
                incomplete(vain, &tree)
            }
            _ => vain,
        };
        error
            .with_detail("timeoutMs", timeout.as_millis() as u64)
            .with_detail("readableCaptures", readable)
            .with_detail("captures", seen.timeline.count())
            .with_detail("polls", seen.timeline.polls().collect::<Vec<_>>())
            .with_detail("waitedMs", seen.waited.as_millis() as u64)
    }

    pub(super) async fn wait_for(&self, by: &By, timeout: Duration) -> Result<ElementInfo> {
        if let By::Ref(_) = by {
            // A ref means nothing in a newer tree: what is waited for is its label.
            let info = self.get(by, Policy::READ_UNIQUE).await?;
            let label = info
                .label
                .filter(|label| !label.is_empty())
                .ok_or_else(|| {
                    Error::new(
                        ErrorCode::CommandFailed,
                        format!("{by} has no label to wait for"),
                    )
                    .with_reason(reason::REF_UNLABELED)
                })?;
            let by = By::Selector(selector::text(label));
            return Box::pin(self.wait_for(&by, timeout)).await;
        }
        if let By::Point(_) = by {
            return Err(not_a_target(by));
        }
        let waited = self
            .poll(timeout, Source::Tree, |look| {
                let found = target::matches(look.tree()?, by);
                found.first().map(|node| ElementInfo::of(*node))
            })
            .await;
        if let End::Done { result, .. } = waited.seen.end {
            return Ok(result);
        }
        Err(self.wait_error(waited, &by.to_string(), reason::WAIT_TARGET_ABSENT))
    }

    pub(super) async fn wait_for_text(&self, text: &str, timeout: Duration) -> Result<()> {
        let mut needle = Needle::new(text)
            .ok_or_else(|| Error::invalid("text", "there is no text to wait for"))?;
        selector::check_length("text", text.len())?;
        let mut shows = |node: Node<'_>| {
            let mut texts = [node.label(), node.value()].into_iter().flatten();
            texts.any(|text| needle.is_in(text)) && target::is_visible(node)
        };
        let waited = self
            .poll(timeout, Source::Text(text), |look| match look.tree() {
                Some(tree) => tree.nodes().any(&mut shows).then_some(()),
                None => Some(()),
            })
            .await;
        if let End::Done { .. } = waited.seen.end {
            return Ok(());
        }
        let what = format!("the text {text:?}");
        Err(self.wait_error(waited, &what, reason::WAIT_TARGET_ABSENT))
    }

    pub(super) async fn wait_until(
        &self,
        by: &By,
        predicate: &Predicate,
        timeout: Duration,
    ) -> Result<()> {
        predicate.check()?;
        match (predicate, by) {
            (Predicate::Exists, _) => return self.wait_for(by, timeout).await.map(drop),
            (Predicate::Absent, _) => return self.wait_absent(by, timeout).await,
            (_, By::Ref(_) | By::Point(_)) => return Err(not_a_target(by)),
            _ => {}
        }
        let mut unmet: Option<Unmet> = None;
        let waited = self
            .poll(timeout, Source::Tree, |look| {
                let tree = look.tree()?;
                let judged = match target::resolve(tree, by, Policy::READ_UNIQUE, None) {
                    Ok(resolved) => predicate.unmet(resolved.target.node()),
                    Err(refusal) if refusal.may_appear() => {
                        unmet = None;
                        return None;
                    }
                    Err(refusal) => Err(self.refusal(refusal, by, tree)),
                };
                match judged {
                    Ok(None) => Some(Ok(())),
                    Ok(seen) => {
                        unmet = seen;
                        None
                    }
                    Err(error) => Some(Err(error)),
                }
            })
            .await;
        if let End::Done { result, .. } = waited.seen.end {
            return result;
        }
        let Some(unmet) = unmet else {
            let what = format!("{by} to be there with {predicate}");
            return Err(self.wait_error(waited, &what, reason::WAIT_TARGET_ABSENT));
        };
        let what = unmet.message(by, predicate);
        let error = self.wait_error(waited, &what, reason::PREDICATE_FAILED);
        let error = error.with_detail("selector", by.to_string());
        Err(unmet.tell(error.proven(rows::core::REFUSAL_PREDICATE), predicate))
    }

    pub(super) async fn wait_absent(&self, by: &By, timeout: Duration) -> Result<()> {
        if matches!(by, By::Ref(_) | By::Point(_)) {
            return Err(not_a_target(by));
        }
        let mut present: Option<(usize, String)> = None;
        let waited = self
            .poll(timeout, Source::Tree, |look| {
                let snapshot = look.tree()?;
                let found = target::matches(snapshot, by);
                if let Some(first) = found.first() {
                    present = Some((found.len(), Line::bare(*first).to_string()));
                    return None;
                }
                if snapshot.proves_absence() {
                    return Some(());
                }
                present = None;
                None
            })
            .await;
        if let End::Done { .. } = waited.seen.end {
            return Ok(());
        }
        let what = format!("the absence of {by}");
        Err(match present {
            Some((matches, first)) => self
                .wait_error(waited, &what, reason::WAIT_TARGET_PRESENT)
                .with_detail("matches", matches)
                .with_detail("firstMatch", first),
            None => self.wait_error(waited, &what, reason::CAPTURE_SPARSE),
        })
    }

    pub(super) async fn wait_for_alert(&self, timeout: Duration) -> Result<Alert> {
        let waited = self
            .poll(timeout, Source::Alert, |look| match look {
                Look::Alert(alert) => alert.clone(),
                _ => None,
            })
            .await;
        if let End::Done { result, .. } = waited.seen.end {
            return Ok(result);
        }
        let error = self.wait_error(waited, "an alert", reason::WAIT_TARGET_ABSENT);
        Err(if error.reason() == Some(reason::WAIT_TARGET_ABSENT) {
            error.with_hint("Take a snapshot to see what is open instead.")
        } else {
            error
        })
    }
}
