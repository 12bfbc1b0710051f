//! Whether a failed action reached the device.
//!
//! The verdict of a failure is [`Dispatched::No`] only with a [`Proof`]: a row of a golden table whose value is `no`.
//! Everything else is [`Dispatched::Unknown`]. Wrongly saying `no` makes a caller act twice, wrongly saying `unknown`
//! costs one look at the screen, so `no` needs evidence and `unknown` needs none.
//!
//! - [`golden_rows!`](crate::golden_rows) declares rows; [`rows`] holds those of this project.
//! - [`DispatchDisclosure`] is what a producer's failure type implements to name its row.
//! - [`Ledger`] counts the sends of a request and outranks every later verdict.
//! - [`disclose`] is the one seam that joins effect, ledger and failure.
//!
//! Nothing here reads the text of a message.

mod ledger;
mod row;
mod seam;

pub use ledger::{Ledger, SendGuard};
pub use row::{DispatchDisclosure, NoRow, Row, UnknownRow, Verdict};
pub use seam::{Effect, disclose};

use serde::Serialize;

/// The golden rows of this project, one module for each producer. Made from `dispatch-disclosure.json` when the crate is built.
pub mod rows {
    include!(concat!(env!("OUT_DIR"), "/rows.rs"));
}

/// Evidence that nothing reached the device: the golden row that says why.
///
/// Can't be built by hand. It comes from an [`Error`](crate::Error) whose producer named a row with the value `no`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof(NoRow);

pub(crate) fn proof(row: NoRow) -> Proof {
    Proof(row)
}

impl Proof {
    /// The golden row, for example `webdriver.connect-refused`.
    pub fn row(self) -> &'static Row {
        self.0.row()
    }
}

/// Whether a failed action reached the device.
///
/// There is no third value: no backend can prove on a failure path that an action did run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dispatched {
    /// Nothing that the app could notice reached the device, or the operation only reads. A resend is safe.
    No(Proof),
    /// It may have landed. Look at the screen before deciding.
    Unknown,
}

impl Dispatched {
    /// Whether a resend is safe.
    pub fn is_no(self) -> bool {
        matches!(self, Self::No(_))
    }

    /// The word on the wire: `no` or `unknown`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::No(_) => "no",
            Self::Unknown => "unknown",
        }
    }
}

impl Serialize for Dispatched {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
