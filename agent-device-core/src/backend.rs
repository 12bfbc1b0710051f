//! What a backend implements. Facts and single operations only: waiting, resolving, retrying and disclosing are the core's.
//!
//! [`SnapshotBackend`] captures, [`Interactor`] acts and reads, [`Backend`] joins them. All are object-safe; `Box`, `Arc` and
//! `&` of a backend are backends. A method that is not overridden is unsupported, and provably so.

use std::{borrow::Cow, sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    action::{
        Action, Alert, AppState, Capabilities, Operation, Orientation, Performed, Screenshot,
        Target, Window,
    },
    dispatch::{Ledger, Row, SendGuard},
    error::{Error, Result},
    geometry::Rect,
    observe::after,
    snapshot::{CaptureOptions, Keyboard, Snapshot},
};

/// The request within which a backend works: its deadline, its cancellation and its ledger.
///
/// A backend bounds every external call by [`remaining`](Self::remaining). It has to do nothing for the ledger: the seam
/// counts each action that returns. One that sends several inputs for one action, or answers a system dialog on its own, opens
/// a [`send`](Self::send) around each, so that a later failure can't claim that nothing happened.
#[derive(Clone, Debug)]
pub struct Call {
    ledger: Arc<Ledger>,
    cancel: CancellationToken,
    deadline: Instant,
}

impl Call {
    /// A request of its own, for backends that are driven without a [`Device`](crate::Device).
    pub fn standalone(budget: Duration) -> Self {
        Self::new(
            Arc::default(),
            CancellationToken::new(),
            after(Instant::now(), budget),
        )
    }

    pub(crate) fn new(ledger: Arc<Ledger>, cancel: CancellationToken, deadline: Instant) -> Self {
        Self {
            ledger,
            cancel,
            deadline,
        }
    }

    /// Fires when the caller has cancelled, or when a capture should stop because its deadline passed.
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// When the operation must be over.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The time that is left.
    pub fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// The same request for one step of it, which may take so long at most.
    #[must_use]
    pub fn at_most(&self, budget: Duration) -> Self {
        Self {
            deadline: self.deadline.min(after(Instant::now(), budget)),
            ..self.clone()
        }
    }

    /// The same request for one operation of several sends, with a ledger of its own that tells this one of each. With
    /// [`disclose`](crate::dispatch::disclose) it settles the failure of an operation that no [`Device`](crate::Device) ends.
    #[must_use]
    pub fn nested(&self) -> Self {
        Self {
            ledger: self.ledger.nest(),
            ..self.clone()
        }
    }

    /// Opens one send of this request: before the first byte of an input whose outcome matters by itself. An action that is
    /// one input needs none; the seam counts it when it returns, unless the backend has opened sends of its own for it.
    ///
    /// ```
    /// # use agent_device_core::{Call, Result, dispatch::rows};
    /// # async fn write(_: &str) -> Result<()> { Ok(()) }
    /// /// A fill in two inputs: when the second is refused, the error says that one went out.
    /// async fn clear_and_type(text: &str, call: &Call) -> Result<()> {
    ///     for input in ["select-all", text] {
    ///         let send = call.send();
    ///         match write(input).await {
    ///             Ok(()) => send.landed(),
    ///             // A failure without a proof: dropping the guard says that it may have landed.
    ///             Err(error) => return Err(error),
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn send(&self) -> SendGuard {
        tracing::trace!(name: "agent_device.send.open", "send");
        self.ledger.open_send()
    }

    /// What the request has sent so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// Captures the tree of what is on the screen.
#[async_trait]
pub trait SnapshotBackend: Send + Sync {
    /// One capture. It reports everything that the device shows; reduction to a view is the core's.
    ///
    /// Bounded in time by the call's deadline, in size and depth by the backend. A degraded tree is returned with the verdict
    /// `sparse`, not as an empty screen; with [`CaptureOptions::raw`] an error stays an error.
    ///
    /// # Errors
    ///
    /// The capture failed. Reads are always `no`; the seam sees to it.
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot>;

    /// Whether a running capture stops soon after [`Call::cancel`] fires. If not, polls that wait for a capture have no
    /// deadline of their own: the engine joins what it started. Either way one that has not ended
    /// [`READ_GRACE`](crate::observe::READ_GRACE), 5 s, after the cancel or its deadline is dropped.
    fn honours_cancel(&self) -> bool {
        false
    }

    /// Whether `text` is on the screen, by a search of the device's own. `Some(true)` is believed; anything else leads to a
    /// capture.
    ///
    /// # Errors
    ///
    /// The search failed; the core then looks in a capture.
    async fn find_text(&self, _text: &str, _call: &Call) -> Result<Option<bool>> {
        Ok(None)
    }

    /// Where an element that the tree shows off-screen really is, if the device says that it is visible. Rescues targets of a
    /// stale tree; the action then uses the returned rectangle.
    ///
    /// # Errors
    ///
    /// The question failed; the refusal then stands.
    async fn confirm_visible(&self, _target: &Target, _call: &Call) -> Result<Option<Rect>> {
        Ok(None)
    }
}

/// Acts on the device and reads what is not part of the tree.
#[async_trait]
pub trait Interactor: Send + Sync {
    /// What [`perform`](Self::perform) and the reads of this trait offer. Asked before every operation: cheap, no I/O.
    fn capabilities(&self) -> Capabilities;

    /// Does one action once. Never repeats what it has sent.
    ///
    /// # Errors
    ///
    /// A failure that names a golden row ([`Error::refused`], [`Error::disclosed_by`]) is `no` or `unknown` by that row.
    /// Everything else is `unknown`. For an action that it doesn't know the backend returns [`Error::unsupported`].
    ///
    /// A refusal ([`Error::invalid`] and the like) belongs before the first byte. An action of several steps opens a send
    /// ([`Call::send`]) before each: what fails afterwards is `unknown` then, whatever row it names.
    ///
    /// # Cancel safety
    ///
    /// The future may be dropped at any time; the seam then counts the action as possibly landed.
    async fn perform(&self, action: &Action, call: &Call) -> Result<Performed>;

    /// A picture of the screen.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device gave none.
    async fn screenshot(&self, _call: &Call) -> Result<Screenshot> {
        Err(Error::unsupported(Operation::Screenshot))
    }

    /// The open alert, if there is one.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer.
    async fn alert(&self, _call: &Call) -> Result<Option<Alert>> {
        Err(Error::unsupported(Operation::ReadAlert))
    }

    /// The text on the clipboard.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer.
    async fn clipboard(&self, _call: &Call) -> Result<String> {
        Err(Error::unsupported(Operation::ReadClipboard))
    }

    /// The on-screen keyboard.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer.
    async fn keyboard(&self, _call: &Call) -> Result<Keyboard> {
        Err(Error::unsupported(Operation::ReadKeyboard))
    }

    /// How the screen is turned.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer.
    async fn orientation(&self, _call: &Call) -> Result<Orientation> {
        Err(Error::unsupported(Operation::ReadOrientation))
    }

    /// The app in front.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer.
    async fn app_state(&self, _call: &Call) -> Result<AppState> {
        Err(Error::unsupported(Operation::ReadAppState))
    }

    /// The windows or tabs of the session.
    ///
    /// # Errors
    ///
    /// Unsupported, or the device did not answer.
    async fn windows(&self, _call: &Call) -> Result<Vec<Window>> {
        Err(Error::unsupported(Operation::ReadWindows))
    }
}

/// A device that can be looked at and acted on.
///
/// A whole backend, without a line for disclosure, waiting or retries:
///
/// ```
/// use std::borrow::Cow;
/// use agent_device_core::{
///     Action, Backend, Call, Error, ErrorCode, Interactor, Operation, Result, Role, Snapshot, SnapshotBackend,
///     action::{Capabilities, Performed}, async_trait, geometry::Rect,
///     snapshot::{CaptureOptions, Quality, SnapshotBuilder, SnapshotInfo, TextField},
/// };
///
/// struct Lamp;
///
/// #[async_trait]
/// impl SnapshotBackend for Lamp {
///     async fn capture(&self, options: &CaptureOptions, _call: &Call) -> Result<Snapshot> {
///         let mut tree = SnapshotBuilder::new(options.clone());
///         let unbuilt = |error| Error::new(ErrorCode::CommandFailed, "the tree can't be built").with_source(error);
///         tree.root(Role::Button).map_err(unbuilt)?
///             .text(TextField::Label, "Lamp")
///             .bounds(Rect::new(0.0, 0.0, 50.0, 20.0));
///         Ok(tree.finish(SnapshotInfo::new("lamp", Quality::healthy("panel"))))
///     }
/// }
///
/// #[async_trait]
/// impl Interactor for Lamp {
///     fn capabilities(&self) -> Capabilities {
///         Capabilities::of(&[Operation::Tap])
///     }
///
///     async fn perform(&self, action: &Action, _call: &Call) -> Result<Performed> {
///         match action {
///             Action::Tap(touch) => { println!("pressed at {:?}", touch.point); Ok(Performed::new()) }
///             other => Err(Error::unsupported(other.operation())),
///         }
///     }
/// }
///
/// impl Backend for Lamp {
///     fn name(&self) -> Cow<'static, str> { "lamp".into() }
/// }
/// ```
pub trait Backend: SnapshotBackend + Interactor {
    /// The name of the backend, for errors and spans: `webdriver`, `android`.
    fn name(&self) -> Cow<'static, str>;

    /// Which device it drives, for spans.
    fn device(&self) -> Cow<'static, str> {
        Cow::Borrowed("")
    }

    /// The golden rows that its failures may name, for its gate.
    fn rows(&self) -> &'static [&'static Row] {
        &[]
    }
}

macro_rules! forward {
    ($($(#[$meta:meta])* [$($generics:tt)*] $wrapper:ty),*) => {$(
        #[async_trait]
        #[deny(clippy::missing_trait_methods)]
        impl<$($generics)* T: SnapshotBackend + ?Sized> SnapshotBackend for $wrapper {
            async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
                (**self).capture(options, call).await
            }

            fn honours_cancel(&self) -> bool {
                (**self).honours_cancel()
            }

            async fn find_text(&self, text: &str, call: &Call) -> Result<Option<bool>> {
                (**self).find_text(text, call).await
            }

            async fn confirm_visible(&self, target: &Target, call: &Call) -> Result<Option<Rect>> {
                (**self).confirm_visible(target, call).await
            }
        }

        #[async_trait]
        #[deny(clippy::missing_trait_methods)]
        impl<$($generics)* T: Interactor + ?Sized> Interactor for $wrapper {
            fn capabilities(&self) -> Capabilities {
                (**self).capabilities()
            }

            async fn perform(&self, action: &Action, call: &Call) -> Result<Performed> {
                (**self).perform(action, call).await
            }

            async fn screenshot(&self, call: &Call) -> Result<Screenshot> {
                (**self).screenshot(call).await
            }

            async fn alert(&self, call: &Call) -> Result<Option<Alert>> {
                (**self).alert(call).await
            }

            async fn clipboard(&self, call: &Call) -> Result<String> {
                (**self).clipboard(call).await
            }

            async fn keyboard(&self, call: &Call) -> Result<Keyboard> {
                (**self).keyboard(call).await
            }

            async fn orientation(&self, call: &Call) -> Result<Orientation> {
                (**self).orientation(call).await
            }

            async fn app_state(&self, call: &Call) -> Result<AppState> {
                (**self).app_state(call).await
            }

            async fn windows(&self, call: &Call) -> Result<Vec<Window>> {
                (**self).windows(call).await
            }
        }

        #[deny(clippy::missing_trait_methods)]
        impl<$($generics)* T: Backend + ?Sized> Backend for $wrapper {
            fn name(&self) -> Cow<'static, str> {
                (**self).name()
            }

            fn device(&self) -> Cow<'static, str> {
                (**self).device()
            }

            fn rows(&self) -> &'static [&'static Row] {
                (**self).rows()
            }
        }
    )*};
}

forward!([] Box<T>, [] Arc<T>, ['a,] &'a T);
