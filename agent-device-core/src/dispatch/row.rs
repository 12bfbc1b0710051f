//! Golden rows: the closed list of failures whose verdict is fixed and tested.

use serde::Serialize;

/// One way in which an operation can fail, and what that failure says about dispatch.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    id: &'static str,
    dispatched: &'static str,
    failure: &'static str,
    proof: &'static str,
}

impl Row {
    #[doc(hidden)]
    pub const fn __declare(
        id: &'static str,
        dispatched: &'static str,
        failure: &'static str,
        proof: &'static str,
    ) -> Self {
        Self {
            id,
            dispatched,
            failure,
            proof,
        }
    }

    /// The stable name, `producer.case`.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// `no` or `unknown`.
    pub fn dispatched(&self) -> &'static str {
        self.dispatched
    }

    /// What goes wrong, in words.
    pub fn failure(&self) -> &'static str {
        self.failure
    }

    /// Why the value holds, in words.
    pub fn proof(&self) -> &'static str {
        self.proof
    }
}

/// A row whose value is `no`. Only [`golden_rows!`](crate::golden_rows) makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRow(&'static Row);

/// A row whose value is `unknown`. It can't stand where a `no` needs its proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownRow(&'static Row);

impl NoRow {
    #[doc(hidden)]
    pub const fn __declare(row: &'static Row) -> Self {
        Self(row)
    }

    /// The row itself.
    pub const fn row(self) -> &'static Row {
        self.0
    }
}

impl UnknownRow {
    #[doc(hidden)]
    pub const fn __declare(row: &'static Row) -> Self {
        Self(row)
    }

    /// The row itself.
    pub const fn row(self) -> &'static Row {
        self.0
    }
}

/// A producer's classified verdict: a row of either kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing reached the device; the row proves it.
    No(NoRow),
    /// It may have landed.
    Unknown(UnknownRow),
}

impl Verdict {
    /// The row that was named.
    pub fn row(self) -> &'static Row {
        match self {
            Self::No(row) => row.row(),
            Self::Unknown(row) => row.row(),
        }
    }
}

impl From<NoRow> for &'static Row {
    fn from(row: NoRow) -> Self {
        row.row()
    }
}

impl From<UnknownRow> for &'static Row {
    fn from(row: UnknownRow) -> Self {
        row.row()
    }
}

impl From<NoRow> for Verdict {
    fn from(row: NoRow) -> Self {
        Self::No(row)
    }
}

impl From<UnknownRow> for Verdict {
    fn from(row: UnknownRow) -> Self {
        Self::Unknown(row)
    }
}

/// Implemented by a producer's own failure type: it names the golden row that the failure is an instance of.
///
/// A backend that implements nothing is safe: its failures stay unclassified, which reads as `unknown`.
///
/// ```
/// use agent_device_core::dispatch::{DispatchDisclosure, Verdict};
///
/// agent_device_core::golden_rows! {
///     /// What the acme box can prove.
///     pub mod acme_rows {
///         no DOOR_CLOSED = "acme.door-closed": "the box is shut", "its lid switch is read before the arm moves";
///         unknown ARM_JAMMED = "acme.arm-jammed": "the arm stopped half way", "none: it may have touched the screen";
///     }
/// }
///
/// enum AcmeFailure { DoorClosed, ArmJammed, Firmware(u8) }
///
/// impl DispatchDisclosure for AcmeFailure {
///     fn verdict(&self) -> Option<Verdict> {
///         match self {
///             Self::DoorClosed => Some(acme_rows::DOOR_CLOSED.into()),
///             Self::ArmJammed => Some(acme_rows::ARM_JAMMED.into()),
///             Self::Firmware(_) => None,
///         }
///     }
/// }
/// ```
pub trait DispatchDisclosure {
    /// The row that proves or describes the verdict; `None` when nobody classified this failure.
    fn verdict(&self) -> Option<Verdict>;

    /// How many inputs of the failed operation are known to have gone out before it failed, beside those for which the backend
    /// opened a [`Call::send`](crate::Call::send): an input is counted here or there, not twice. More than 0 makes the verdict
    /// `unknown` whatever [`verdict`](Self::verdict) says.
    fn steps(&self) -> u32 {
        0
    }
}

/// Declares golden rows as typed constants: `no` rows can prove a [`Dispatched::No`](crate::Dispatched::No), `unknown` rows
/// can't. The module also gets `ROWS`, which `testing::Gate` compares with what the tests drive.
#[macro_export]
macro_rules! golden_rows {
    ($(#[$meta:meta])* $vis:vis mod $module:ident {
        $($(#[$row:meta])* $value:ident $name:ident = $id:literal: $failure:literal, $proof:literal;)*
    }) => {
        $(#[$meta])*
        $vis mod $module {
            $($crate::golden_rows!(@row [$(#[$row])*] $value $name $id $failure $proof);)*

            /// All rows of this module, in the order of the table.
            pub const ROWS: &[&$crate::dispatch::Row] = &[$($name.row(),)*];
        }
    };
    (@row [$(#[$row:meta])*] no $name:ident $id:literal $failure:literal $proof:literal) => {
        $(#[$row])*
        #[doc = concat!("`", $id, "` (no): ", $failure, ". Proof: ", $proof, ".")]
        pub const $name: $crate::dispatch::NoRow = $crate::dispatch::NoRow::__declare(
            &$crate::dispatch::Row::__declare($id, "no", $failure, $proof),
        );
    };
    (@row [$(#[$row:meta])*] unknown $name:ident $id:literal $failure:literal $proof:literal) => {
        $(#[$row])*
        #[doc = concat!("`", $id, "` (unknown): ", $failure, ".")]
        pub const $name: $crate::dispatch::UnknownRow = $crate::dispatch::UnknownRow::__declare(
            &$crate::dispatch::Row::__declare($id, "unknown", $failure, $proof),
        );
    };
}
