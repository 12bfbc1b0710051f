//! Refs: short names that a snapshot hands out, and the frame that authorises them.

use std::{fmt, str::FromStr, sync::Arc};

use crate::{
    error::{Error, Result, reason},
    snapshot::{NodeId, Snapshot},
};

/// `@e12`, or pinned to a generation: `@e12~s3`.
///
/// An action by ref is aimed by the tree that handed it out: nothing is captured or looked for again. Backends that can, look
/// whether that element is still there when they touch it; one that can't touches what lies there now. Where the screen may have
/// moved, use a selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ref {
    number: u32,
    generation: Option<u64>,
}

impl Ref {
    /// The ref with this number, counted from 1. It means the newest whole snapshot; where several tasks look at one device,
    /// pin it ([`Ref::of`], [`Ref::pinned`]).
    pub fn new(number: u32) -> Self {
        Self {
            number,
            generation: None,
        }
    }

    /// Pins it to the generation in which it was issued.
    #[must_use]
    pub fn pinned(self, generation: u64) -> Self {
        Self {
            generation: Some(generation),
            ..self
        }
    }

    /// The ref that `snapshot` gives to `id` in its own view, pinned to it: it can't be taken for a ref of a later snapshot.
    /// `None` when the view does not show the node.
    pub fn of(snapshot: &Snapshot, id: NodeId) -> Option<Self> {
        let number = u32::try_from(snapshot.view().ref_number(id)?).ok()?;
        let plain = Self::new(number);
        Some(match snapshot.stamp().generation {
            0 => plain,
            generation => plain.pinned(generation),
        })
    }

    /// The number.
    pub fn number(self) -> u32 {
        self.number
    }

    /// The generation to which it is pinned.
    pub fn generation(self) -> Option<u64> {
        self.generation
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@e{}", self.number)?;
        match self.generation {
            Some(generation) => write!(f, "~s{generation}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Ref {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let invalid = || {
            Error::invalid(
                "ref",
                format!("{text:?} is no ref; refs look like @e12 or @e12~s3"),
            )
        };
        let body = text.strip_prefix('@').unwrap_or(text);
        let body = body.strip_prefix('e').ok_or_else(invalid)?;
        let (number, generation) = match body.split_once("~s") {
            Some((number, generation)) => (number, Some(generation)),
            None => (body, None),
        };
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(number) || !generation.is_none_or(digits) {
            return Err(invalid());
        }
        let number: u32 = number.parse().map_err(|_| invalid())?;
        let generation = generation
            .map(|generation| generation.parse().map_err(|_| invalid()))
            .transpose()?;
        if number == 0 {
            return Err(invalid());
        }
        Ok(Self { number, generation })
    }
}

/// What authorises refs: the tree in which they were issued, and which ones. Expires at the first side effect, because a
/// number means nothing in a newer tree.
#[derive(Clone, Debug)]
pub struct RefFrame {
    generation: u64,
    snapshot: Arc<Snapshot>,
    issued: Vec<NodeId>,
    complete: bool,
    active: bool,
}

impl RefFrame {
    /// The frame of a whole snapshot: every node of its view has a ref.
    pub(crate) fn complete(snapshot: &Arc<Snapshot>) -> Self {
        Self {
            generation: snapshot.stamp().generation,
            issued: snapshot.view().nodes().iter().map(|node| node.id).collect(),
            snapshot: Arc::clone(snapshot),
            complete: true,
            active: true,
        }
    }

    /// A frame that issues refs for a few nodes; they must be pinned.
    pub(crate) fn partial(generation: u64, snapshot: &Arc<Snapshot>, issued: &[NodeId]) -> Self {
        Self {
            generation,
            snapshot: Arc::clone(snapshot),
            issued: issued.to_vec(),
            complete: false,
            active: true,
        }
    }

    /// The generation of its refs.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The tree in which they mean something.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// Whether its refs may be used for acting.
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// The ref of a node, pinned if the frame wants pins.
    pub(crate) fn ref_of(&self, id: NodeId) -> Option<Ref> {
        let at = self.issued.iter().position(|issued| *issued == id)?;
        let plain = Ref::new(u32::try_from(at + 1).ok()?);
        Some(if self.complete {
            plain
        } else {
            plain.pinned(self.generation)
        })
    }

    /// The node that `wanted` names in the retained tree: an expired frame still answers.
    fn lookup(&self, wanted: Ref) -> Option<NodeId> {
        let at = (wanted.number as usize).checked_sub(1)?;
        self.issued.get(at).copied()
    }
}

/// The frames of a session: of the newest whole snapshot, and of the newest few refs that an error or a diff has named beside
/// it. One does not take the other's place; a side effect expires both.
#[derive(Debug, Default)]
pub(crate) struct RefFrames {
    complete: Option<RefFrame>,
    partial: Option<RefFrame>,
}

impl RefFrames {
    pub(crate) fn issue(&mut self, frame: RefFrame) {
        if frame.complete {
            self.complete = Some(frame);
        } else {
            self.partial = Some(frame);
        }
    }

    pub(crate) fn expire(&mut self) {
        for frame in [&mut self.complete, &mut self.partial]
            .into_iter()
            .flatten()
        {
            frame.active = false;
        }
    }

    /// The frame of the newest whole snapshot, or else the newest of all.
    pub(crate) fn newest(&self) -> Option<&RefFrame> {
        self.complete.as_ref().or(self.partial.as_ref())
    }

    fn frame_of(&self, wanted: Ref) -> Result<&RefFrame, &'static str> {
        let mut frames = [&self.complete, &self.partial].into_iter().flatten();
        match wanted.generation {
            Some(pin) => {
                frames
                    .find(|frame| frame.generation == pin)
                    .ok_or(if self.newest().is_some() {
                        reason::REF_GENERATION_MISMATCH
                    } else {
                        reason::REF_NOT_FOUND
                    })
            }
            None => self.complete.as_ref().ok_or(match &self.partial {
                Some(partial) if partial.active => reason::PLAIN_REF_REQUIRES_COMPLETE_FRAME,
                Some(_) => reason::REF_FRAME_EXPIRED,
                None => reason::REF_NOT_FOUND,
            }),
        }
    }

    /// The frame and the node that `wanted` names, for acting.
    pub(crate) fn admit(&self, wanted: Ref) -> Result<(&RefFrame, NodeId), &'static str> {
        let (frame, node) = self.recall(wanted)?;
        if !frame.active {
            return Err(reason::REF_FRAME_EXPIRED);
        }
        Ok((frame, node))
    }

    /// The frame and the node that `wanted` names, for reading: an expired frame still answers from its tree.
    pub(crate) fn recall(&self, wanted: Ref) -> Result<(&RefFrame, NodeId), &'static str> {
        let frame = self.frame_of(wanted)?;
        let missing = if frame.complete {
            reason::REF_NOT_FOUND
        } else {
            reason::REF_NOT_ISSUED
        };
        Ok((frame, frame.lookup(wanted).ok_or(missing)?))
    }
}
