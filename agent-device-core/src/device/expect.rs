//! Reading elements, checking conditions, waiting for them.

use std::{collections::HashMap, sync::Arc, time::Duration};

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
    selector::{self, normalize},
    snapshot::{CaptureOptions, Checked, Flag, Line, Node, Snapshot},
    target::{self, By, Policy, ResolutionInfo},
    wait,
};

/// A condition on an element.
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
    /// Its text is this, without case and with white space collapsed.
    Text(String),
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
    /// What it holds.
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
            value: owned(node.value()),
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

/// What one poll of a wait showed.
enum Look {
    /// The backend's own search found the text.
    Native,
    Tree(Arc<Snapshot>),
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
        match predicate {
            Predicate::Exists | Predicate::Absent => {
                let any = match by {
                    By::Point(_) => return Err(not_a_target(by)),
                    // Within the tree of its frame.
                    By::Ref(wanted) => self.recalled(*wanted).is_ok(),
                    By::Selector(_) | By::Find(_) => {
                        let snapshot = self.looked().await?;
                        let any = !target::matches(&snapshot, by).is_empty();
                        if !any {
                            require_proof_of_absence(by, &snapshot)?;
                        }
                        any
                    }
                };
                Ok(any == (*predicate == Predicate::Exists))
            }
            _ => {
                let aim = self.aim(by, Policy::READ_UNIQUE, None).await?;
                let resolved = aim.resolved.ok_or_else(|| not_a_target(by))?;
                let node = resolved.target.node();
                Ok(match predicate {
                    Predicate::Visible => target::is_visible(node),
                    Predicate::Hidden => !target::is_visible(node),
                    Predicate::Editable => selector::is_editable(node),
                    Predicate::Enabled => node.flag(Flag::Enabled) != Some(false),
                    Predicate::Selected => node.is(Flag::Selected),
                    Predicate::Focused => node.is(Flag::Focused),
                    Predicate::Checked => node.checked() == Some(Checked::On),
                    Predicate::Text(wanted) => {
                        normalize(node.text().unwrap_or_default()).eq(normalize(wanted))
                    }
                    Predicate::Exists | Predicate::Absent => true,
                })
            }
        }
    }

    pub(super) async fn expect(&self, by: &By, predicate: &Predicate) -> Result<()> {
        if self.is(by, predicate).await? {
            return Ok(());
        }
        Err(Error::refused(
            rows::core::REFUSAL_PREDICATE,
            ErrorCode::CommandFailed,
            format!("{by} is not as expected: {predicate:?}"),
        )
        .with_reason(reason::PREDICATE_FAILED)
        .with_detail("selector", by.to_string()))
    }

    /// Polls until `judge` is content. Looks that end after the deadline are no evidence.
    async fn poll<R>(
        &self,
        timeout: Duration,
        text: Option<&str>,
        mut judge: impl FnMut(&Look) -> Option<R>,
    ) -> (Observation<Look, R, Error>, u32) {
        let deadline = after(Instant::now(), timeout);
        let mut readable = 0;
        let schedule = wait::condition(timeout, self.backend().honours_cancel());
        let until = self.until(&schedule);
        let until = &until;
        let seen = observe_until(
            schedule,
            self.cancel(),
            None,
            |signal| async move {
                if let Some(text) = text
                    && self.finds_text(text, until(), signal.clone()).await
                {
                    return Ok(Look::Native);
                }
                self.capture(CaptureOptions::default(), until(), signal)
                    .await
                    .map(Look::Tree)
            },
            is_unreadable,
            |look: &Look, _, _| {
                let late = Instant::now() > deadline;
                let sparse = matches!(look, Look::Tree(tree) if tree.quality().is_sparse());
                readable += u32::from(!late && !sparse);
                match judge(look) {
                    Some(result) if !late => Judgement::Done(result),
                    _ => Judgement::go_on(),
                }
            },
        )
        .await;
        (seen, readable)
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
    fn wait_error<R>(
        &self,
        (seen, readable): (Observation<Look, R, Error>, u32),
        timeout: Duration,
        what: &str,
        absent_reason: &'static str,
    ) -> Error {
        let evidence = |error: Error| {
            error
                .with_detail("timeoutMs", timeout.as_millis() as u64)
                .with_detail("readableCaptures", readable)
                .with_detail("captures", seen.timeline.count())
                .with_detail("polls", seen.timeline.polls().collect::<Vec<_>>())
                .with_detail("waitedMs", seen.waited.as_millis() as u64)
        };
        match seen.end {
            End::Canceled => self.canceled(),
            End::Failed { error, .. } => evidence(error),
            End::Expired {
                last_error: Some(error),
                ..
            } if readable == 0 => evidence(error),
            End::Stalled {
                error: Some(error),
                last_error: None,
                ..
            } if readable == 0 && error.reason().is_some() && error.retriable() == Some(true) => {
                evidence(error)
            }
            End::Expired { .. } | End::Stalled { .. } if readable == 0 => evidence(
                Error::new(
                    ErrorCode::CommandFailed,
                    format!("no capture was readable while waiting for {what}"),
                )
                .with_reason(reason::WAIT_CAPTURE_STALLED)
                .with_retriable(true),
            ),
            End::Stalled { .. } => evidence(
                Error::new(
                    ErrorCode::CommandFailed,
                    format!("a capture took the rest of the time for {what}"),
                )
                .with_reason(reason::WAIT_DEADLINE_EXCEEDED),
            ),
            end @ (End::Expired { .. } | End::Done { .. }) => {
                let error = evidence(
                    Error::new(
                        ErrorCode::CommandFailed,
                        format!("waited {} ms in vain for {what}", timeout.as_millis()),
                    )
                    .with_reason(absent_reason),
                );
                match end {
                    End::Expired {
                        last: Some(Look::Tree(tree)),
                        ..
                    } if absent_reason != reason::WAIT_TARGET_PRESENT && !tree.proves_absence() => {
                        incomplete(error, &tree)
                    }
                    _ => error,
                }
            }
        }
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
        let seen = self
            .poll(timeout, None, |look| match look {
                Look::Tree(snapshot) => target::matches(snapshot, by)
                    .first()
                    .map(|node| ElementInfo::of(*node)),
                Look::Native => None,
            })
            .await;
        if let End::Done { result, .. } = seen.0.end {
            return Ok(result);
        }
        Err(self.wait_error(seen, timeout, &by.to_string(), reason::WAIT_TARGET_ABSENT))
    }

    pub(super) async fn wait_for_text(&self, text: &str, timeout: Duration) -> Result<()> {
        let wanted: String = normalize(text).collect();
        if wanted.is_empty() {
            return Err(Error::invalid("text", "there is no text to wait for"));
        }
        selector::check_length("text", text.len())?;
        let contains = |node: Node<'_>| {
            [node.label(), node.value()]
                .into_iter()
                .flatten()
                .any(|text| normalize(text).collect::<String>().contains(&wanted))
        };
        let seen = self
            .poll(timeout, Some(text), |look| match look {
                Look::Native => Some(()),
                Look::Tree(snapshot) => snapshot
                    .nodes()
                    .any(|node| contains(node) && target::is_visible(node))
                    .then_some(()),
            })
            .await;
        if let End::Done { .. } = seen.0.end {
            return Ok(());
        }
        let what = format!("the text {text:?}");
        Err(self.wait_error(seen, timeout, &what, reason::WAIT_TARGET_ABSENT))
    }

    pub(super) async fn wait_absent(&self, by: &By, timeout: Duration) -> Result<()> {
        if matches!(by, By::Ref(_) | By::Point(_)) {
            return Err(not_a_target(by));
        }
        let mut present: Option<(usize, String)> = None;
        let seen = self
            .poll(timeout, None, |look| {
                let Look::Tree(snapshot) = look else {
                    return None;
                };
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
        if let End::Done { .. } = seen.0.end {
            return Ok(());
        }
        let what = format!("the absence of {by}");
        Err(match present {
            Some((matches, first)) => self
                .wait_error(seen, timeout, &what, reason::WAIT_TARGET_PRESENT)
                .with_detail("matches", matches)
                .with_detail("firstMatch", first),
            None => self.wait_error(seen, timeout, &what, reason::CAPTURE_SPARSE),
        })
    }

    pub(super) async fn wait_for_alert(&self, timeout: Duration) -> Result<Alert> {
        let schedule = wait::condition(timeout, false);
        let until = self.until(&schedule);
        let seen = observe_until(
            schedule,
            self.cancel(),
            None,
            |signal| {
                self.read_until(Operation::ReadAlert, until(), signal, |backend, call| {
                    Box::pin(async move { backend.alert(&call).await })
                })
            },
            is_unreadable,
            |alert: &Option<Alert>, _, _| match alert {
                Some(alert) => Judgement::Done(alert.clone()),
                None => Judgement::go_on(),
            },
        )
        .await;
        match seen.end {
            End::Done { result, .. } => Ok(result),
            End::Failed { error, .. } => Err(error),
            End::Canceled => Err(self.canceled()),
            End::Expired { .. } | End::Stalled { .. } => {
                Err(Error::new(ErrorCode::CommandFailed, "no alert opened")
                    .with_reason(reason::WAIT_TARGET_ABSENT)
                    .with_hint("Take a snapshot to see what is open instead.")
                    .with_detail("timeoutMs", timeout.as_millis() as u64)
                    .with_detail("captures", seen.timeline.count()))
            }
        }
    }
}
