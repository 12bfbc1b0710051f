//! The golden gate: what the tests drive is exactly what the table holds.

use std::collections::BTreeSet;

use crate::{dispatch::Row, error::Error};

/// Compares a golden table with the failures that tests really produce, both ways: a row that no test drives fails, and so
/// does a test that drives a row which is not in the table.
///
/// ```
/// use agent_device_core::{Error, ErrorCode, testing::Gate};
///
/// agent_device_core::golden_rows! {
///     pub mod acme_rows {
///         no DOOR_CLOSED = "acme.door-closed": "the box is shut", "its lid switch is read before the arm moves";
///     }
/// }
///
/// let mut gate = Gate::new(acme_rows::ROWS);
/// // In a real test this error comes out of the backend, made to fail by a real fault.
/// let error = Error::refused(acme_rows::DOOR_CLOSED, ErrorCode::CommandFailed, "the lid is shut");
/// gate.cites(acme_rows::DOOR_CLOSED, &error);
/// gate.finish();
/// ```
#[derive(Debug)]
#[must_use = "a gate decides when it is finished"]
pub struct Gate {
    table: &'static [&'static Row],
    driven: BTreeSet<&'static str>,
}

impl Gate {
    /// A gate for these rows.
    ///
    /// # Panics
    ///
    /// When two rows have one id, or an id has no producer before its first dot.
    pub fn new(table: &'static [&'static Row]) -> Self {
        let ids: BTreeSet<_> = table.iter().map(|row| row.id()).collect();
        assert_eq!(
            ids.len(),
            table.len(),
            "two rows of the golden table share an id"
        );
        for id in ids {
            assert!(
                id.split_once('.')
                    .is_some_and(|(producer, case)| !producer.is_empty() && !case.is_empty()),
                "the row id {id:?} is not producer.case"
            );
        }
        Self {
            table,
            driven: BTreeSet::new(),
        }
    }

    /// The failure has the verdict of the row, and names the row as its proof or description.
    ///
    /// # Panics
    ///
    /// When it does not, when the row is not in the table, or when it was driven before.
    pub fn cites(&mut self, row: impl Into<&'static Row>, error: &Error) {
        let row = row.into();
        assert_eq!(
            error.row().map(Row::id),
            Some(row.id()),
            "the failure names another row: {error:?}"
        );
        self.holds(row, error);
    }

    /// The failure has the verdict of the row. For rows that describe a course of events whose last failure names a row of
    /// its own.
    ///
    /// # Panics
    ///
    /// When it does not, when the row is not in the table, or when it was driven before.
    pub fn holds(&mut self, row: impl Into<&'static Row>, error: &Error) {
        let row = row.into();
        assert!(
            self.table.iter().any(|known| known.id() == row.id()),
            "the row {} is not in the table of this gate",
            row.id()
        );
        assert_eq!(
            error.dispatched().as_str(),
            row.dispatched(),
            "the row {} is wrong about this failure: {error:?}",
            row.id()
        );
        assert!(
            self.driven.insert(row.id()),
            "the row {} is driven twice",
            row.id()
        );
    }

    /// Ends the gate.
    ///
    /// # Panics
    ///
    /// When a row of the table was not driven.
    pub fn finish(self) {
        let missing: Vec<_> = self
            .table
            .iter()
            .map(|row| row.id())
            .filter(|id| !self.driven.contains(id))
            .collect();
        assert!(missing.is_empty(), "rows that no test drives: {missing:#?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorCode, dispatch::rows::core as row};

    fn refused() -> Error {
        Error::refused(row::REFUSAL_COVERED, ErrorCode::CommandFailed, "covered")
    }

    fn panics(run: impl FnOnce() + std::panic::UnwindSafe) -> bool {
        std::panic::catch_unwind(run).is_err()
    }

    #[test]
    fn the_gate_fails_both_ways_and_on_a_wrong_verdict() {
        const TABLE: &[&Row] = &[row::REFUSAL_COVERED.row(), row::UNCLASSIFIED.row()];
        assert!(panics(|| Gate::new(TABLE).finish()), "rows without a test");
        assert!(panics(|| {
            let error = Error::invalid("x", "bad");
            Gate::new(TABLE).cites(row::REFUSAL_ARGUMENTS.row(), &error);
        }));
        assert!(panics(|| {
            let lost = Error::new(ErrorCode::CommandFailed, "lost");
            Gate::new(TABLE).holds(row::REFUSAL_COVERED.row(), &lost);
        }));
        assert!(panics(|| {
            let mut gate = Gate::new(TABLE);
            gate.cites(row::REFUSAL_COVERED.row(), &refused());
            gate.cites(row::REFUSAL_COVERED.row(), &refused());
        }));
        let mut gate = Gate::new(TABLE);
        gate.cites(row::REFUSAL_COVERED.row(), &refused());
        gate.holds(
            row::UNCLASSIFIED.row(),
            &Error::new(ErrorCode::CommandFailed, "lost"),
        );
        gate.finish();
    }
}
