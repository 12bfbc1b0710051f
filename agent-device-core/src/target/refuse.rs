//! Why a target can't be acted on, and the error that says so.

use serde_json::json;

use super::{By, RefFrame, ResolutionInfo, geometry};
use crate::{
    dispatch::{NoRow, rows::core as row},
    error::{Error, ErrorCode, reason},
    geometry::{Direction, Point, Rect},
    snapshot::{Line, Node, NodeId, QualityReason, Snapshot, SnapshotInfo},
};

/// A refusal of the pipeline. None of them has sent anything.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refusal {
    /// Nothing matches.
    NotFound,
    /// Something matches and has no place on the screen.
    NoBounds(NodeId),
    Ambiguous {
        matches: usize,
        candidates: Vec<NodeId>,
    },
    Disabled(NodeId),
    /// It is pressed, not filled.
    NotAField(NodeId),
    Covered {
        node: NodeId,
        by: Option<NodeId>,
    },
    Offscreen {
        node: NodeId,
        rect: Rect,
        viewport: Rect,
        direction: Direction,
        /// How it was found, in case the device says that it is visible after all.
        info: Box<ResolutionInfo>,
    },
    CoveredByDescendants {
        node: NodeId,
        count: usize,
        competitors: Vec<NodeId>,
    },
    Keyboard {
        node: NodeId,
        point: Point,
        band: Rect,
    },
}

impl Refusal {
    pub(super) fn covered(node: Node<'_>) -> Self {
        Self::Covered {
            node: node.id(),
            by: geometry::cover_of(node),
        }
    }

    /// Whether the target may still appear: the only case that a readiness wait covers.
    pub(crate) fn may_appear(&self) -> bool {
        matches!(self, Self::NotFound | Self::NoBounds(_))
    }

    /// The nodes that the error names and for which refs should be issued.
    pub(crate) fn named_nodes(&self) -> Vec<NodeId> {
        match self {
            Self::Ambiguous { candidates, .. } => candidates.clone(),
            Self::Covered { by, .. } => by.iter().copied().collect(),
            Self::CoveredByDescendants { competitors, .. } => competitors.clone(),
            _ => Vec::new(),
        }
    }

    /// The error of a target of which no capture was seen.
    pub(crate) fn without_snapshot(self, by: &By) -> Error {
        let empty = Snapshot::sparse(QualityReason::NoNodes, SnapshotInfo::default());
        self.into_error(by, &empty, None)
    }

    /// The error that a caller sees. `frame` issued refs for [`named_nodes`](Self::named_nodes).
    pub(crate) fn into_error(
        self,
        by: &By,
        snapshot: &Snapshot,
        frame: Option<&RefFrame>,
    ) -> Error {
        let refused = |row: NoRow, message: String, reason: &'static str| {
            Error::refused(row, ErrorCode::CommandFailed, message)
                .with_reason(reason)
                .with_detail(by.kind(), by.to_string())
        };
        let line = |id: NodeId| -> String {
            let reference = frame.and_then(|frame| frame.ref_of(id));
            let text = snapshot
                .get(id)
                .map(|node| Line::bare(node).to_string())
                .unwrap_or_default();
            match reference {
                Some(reference) => format!("{reference} {text}"),
                None => text,
            }
        };
        let refs = |ids: &[NodeId]| -> Vec<String> {
            ids.iter()
                .filter_map(|id| frame.and_then(|frame| frame.ref_of(*id)))
                .map(|reference| reference.to_string())
                .collect()
        };
        match self {
            Self::NotFound => refused(
                row::REFUSAL_SELECTOR_NOT_FOUND,
                format!("no element matches {by}"),
                reason::SELECTOR_NOT_FOUND,
            ),
            Self::NoBounds(id) => refused(
                row::REFUSAL_BOUNDS,
                format!("{} has no usable place on the screen", line(id)),
                reason::TARGET_BOUNDS_INVALID,
            ),
            Self::Ambiguous {
                matches,
                candidates,
            } => Error::refused(
                row::REFUSAL_AMBIGUOUS,
                ErrorCode::AmbiguousMatch,
                format!("{matches} elements match {by}"),
            )
            .with_detail(by.kind(), by.to_string())
            .with_detail("matches", matches)
            .with_detail(
                "candidates",
                candidates.iter().map(|id| line(*id)).collect::<Vec<_>>(),
            )
            .with_detail("candidateRefs", refs(&candidates)),
            Self::Disabled(id) => refused(
                row::REFUSAL_DISABLED,
                format!("{} is disabled", line(id)),
                reason::TARGET_DISABLED,
            ),
            Self::NotAField(id) => refused(
                row::REFUSAL_NOT_A_FIELD,
                format!("{} takes no text", line(id)),
                reason::TARGET_NOT_A_FIELD,
            ),
            Self::Covered { node, by: cover } => {
                let error = refused(
                    row::REFUSAL_COVERED,
                    match cover {
                        Some(by) => format!("{} is covered by {}", line(node), line(by)),
                        None => format!("{} is covered", line(node)),
                    },
                    reason::TARGET_COVERED,
                )
                .with_detail("interactionBlocked", "covered");
                match cover {
                    Some(by) => error.with_detail("coveredBy", line(by)),
                    None => error,
                }
            }
            Self::Offscreen {
                node,
                rect,
                viewport,
                direction,
                info: _,
            } => refused(
                row::REFUSAL_OFFSCREEN,
                format!(
                    "{} is off-screen to the {}",
                    line(node),
                    side_word(direction)
                ),
                match by {
                    By::Ref(_) => reason::OFFSCREEN_REF,
                    _ => reason::OFFSCREEN_SELECTOR,
                },
            )
            .with_detail("rect", rect)
            .with_detail("viewport", viewport)
            .with_detail("scrollDirection", direction),
            Self::CoveredByDescendants {
                node,
                count,
                competitors,
            } => refused(
                row::REFUSAL_COVERED,
                format!(
                    "{} has no point of its own: its children fill it",
                    line(node)
                ),
                reason::COVERED_BY_INTERACTIVE_DESCENDANTS,
            )
            .with_detail("competitorRefs", refs(&competitors))
            .with_detail("competitorCount", count),
            Self::Keyboard { node, point, band } => refused(
                row::REFUSAL_KEYBOARD,
                format!("{} lies behind the keyboard", line(node)),
                reason::TAP_KEYBOARD_OCCLUDES_TARGET,
            )
            .with_detail("point", point)
            .with_detail("keyboard", json!({ "frame": band })),
        }
    }
}

fn side_word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "top",
        Direction::Down => "bottom",
        Direction::Left => "left",
        Direction::Right => "right",
    }
}
