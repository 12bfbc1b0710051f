//! What changed between two captures, line by line.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::Snapshot;

/// After this the rest counts as wholly different: trees of thousands of new lines would take seconds.
const PATIENCE: Duration = Duration::from_millis(100);

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DiffKind {
    /// Only in the newer capture.
    Added,
    /// Only in the older capture.
    Removed,
    /// In both.
    Unchanged,
}

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct DiffLine {
    /// What became of it.
    pub kind: DiffKind,
    /// The line in the compact form. Added lines start with the ref of the newer capture.
    pub text: String,
}

/// The difference between two captures of one presentation.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Diff {
    /// All lines, in order.
    pub lines: Vec<DiffLine>,
}

impl Diff {
    /// How many lines are of this kind.
    pub fn count(&self, kind: DiffKind) -> usize {
        self.lines.iter().filter(|line| line.kind == kind).count()
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.lines
            .iter()
            .all(|line| line.kind == DiffKind::Unchanged)
    }
}

impl std::fmt::Display for Diff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for line in &self.lines {
            let sign = match line.kind {
                DiffKind::Added => '+',
                DiffKind::Removed => '-',
                DiffKind::Unchanged => ' ',
            };
            writeln!(f, "{sign}{}", line.text)?;
        }
        Ok(())
    }
}

impl Snapshot {
    /// What changed since `before`, in the presentation of this capture. Flat views ignore depth.
    pub fn diff_since(&self, before: &Snapshot) -> Diff {
        let options = &self.options;
        let flat = options.interactive_only;
        let (old_view, new_view) = (before.view_as(options), self.view_as(options));
        let compared = |view: &super::View<'_>| -> Vec<String> {
            view.lines()
                .map(|line| {
                    let line = line.without_ref();
                    if flat {
                        line.flat().to_string()
                    } else {
                        line.to_string()
                    }
                })
                .collect()
        };
        let (old, new) = (compared(&old_view), compared(&new_view));
        let mut diff = Diff::default();
        let mut push = |kind, text: String| diff.lines.push(DiffLine { kind, text });
        let deadline = Some(Instant::now() + PATIENCE);
        for op in capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline) {
            let (_, old_range, new_range) = op.as_tag_tuple();
            if matches!(op, DiffOp::Equal { .. }) {
                for text in &new[new_range] {
                    push(DiffKind::Unchanged, text.clone());
                }
                continue;
            }
            for text in &old[old_range] {
                push(DiffKind::Removed, text.clone());
            }
            for at in new_range {
                if let Some(line) = new_view.line(at) {
                    push(DiffKind::Added, line.to_string());
                }
            }
        }
        diff
    }
}
