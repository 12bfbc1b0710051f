//! What a script of the top document can't see: frames of other origins and closed shadow roots.
//!
//! A frame is captured by switching the session into it. That is state of the session: it is restored on every way out, and a
//! turn that finds it not restored, because a future was dropped, restores it first. A closed shadow root is asked for by its
//! host, once per document, and handed to the capture from then on.

use std::collections::HashSet;

use agent_device_core::geometry::Point;
use serde_json::{Value, json};

use super::{ask, unreadable, walk_classic};
use crate::{
    client::{Command, ELEMENT, Turn, segment},
    error::{Kind, ReadFailure},
    page::{
        self, Act, FramePath,
        answer::{Answer, Status},
        decode::{self, Capture, Foreign},
    },
};

/// Frames in frames in frames.
const DEEPEST: usize = 4;
/// How many hosts are asked for a closed root in one capture. The others are asked in the next one.
const HOSTS: usize = 16;
/// Closed roots in closed roots.
const ROUNDS: usize = 3;

/// The closed shadow roots of one document.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    token: String,
    references: Vec<Value>,
    asked: HashSet<String>,
}

impl Roots {
    /// The roots of this document, as the scripts take them.
    pub(crate) fn of(&self, token: &str) -> &[Value] {
        if self.token == token {
            &self.references
        } else {
            &[]
        }
    }

    pub(crate) fn known(&self) -> &[Value] {
        &self.references
    }

    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// The reply of one frame.
struct Shot {
    /// The frame around it, in the list of shots.
    parent: Option<usize>,
    record: usize,
    depth: usize,
    reply: String,
    way: Vec<FramePath>,
}

/// Captures the frames of other origins. What fails stays opaque in the tree; the session is back at the top afterwards.
pub(super) async fn frames(
    turn: &mut Turn<'_>,
    top: &Capture,
) -> Result<Vec<FrameReply>, ReadFailure> {
    let most = turn.session().client().config().max_foreign_frames;
    let mut shots: Vec<Shot> = Vec::new();
    let mut next = 0;
    let mut wanted = ways(top);
    let mut parent = None;
    loop {
        for (record, way) in wanted {
            if shots.len() >= most || turn.call().remaining().is_zero() {
                break;
            }
            let depth = parent.map_or(1, |at: usize| shots[at].depth + 1);
            let whole: Vec<FramePath> = match parent {
                Some(at) => shots[at].way.iter().cloned().chain(way).collect(),
                None => way,
            };
            if enter(turn, &whole, None)
                .await
                .is_ok_and(|entered| entered.is_none())
                && let Ok(reply) = walk_classic(turn, &[]).await
            {
                shots.push(Shot {
                    parent,
                    record,
                    depth,
                    reply,
                    way: whole,
                });
            }
        }
        // Breadth first: the frames inside those that were captured.
        let Some(shot) = shots.get(next) else { break };
        wanted = if shot.depth < DEEPEST {
            decode::capture(&shot.reply, Default::default())
                .map(|inner| ways(&inner))
                .unwrap_or_default()
        } else {
            Vec::new()
        };
        parent = Some(next);
        next += 1;
    }
    if turn.memory.in_frame {
        turn.leave_frames().await?;
    }
    // Children come after their parents: taken from the end, each finds its own complete.
    let mut built: Vec<Option<FrameReply>> = shots
        .iter_mut()
        .map(|shot| {
            Some(FrameReply {
                record: shot.record,
                reply: std::mem::take(&mut shot.reply),
                frames: Vec::new(),
            })
        })
        .collect();
    let mut outermost = Vec::new();
    for at in (0..shots.len()).rev() {
        let Some(frame) = built[at].take() else {
            continue;
        };
        match shots[at].parent.and_then(|parent| built[parent].as_mut()) {
            Some(around) => around.frames.push(frame),
            None => outermost.push(frame),
        }
    }
    Ok(outermost)
}

/// A frame's reply, with those of the frames in it.
pub(super) struct FrameReply {
    record: usize,
    reply: String,
    frames: Vec<FrameReply>,
}

impl FrameReply {
    /// As the decoder takes it. As deep as [`DEEPEST`].
    pub(super) fn foreign(&self) -> Foreign<'_> {
        Foreign {
            record: self.record,
            reply: &self.reply,
            frames: self.frames.iter().map(Self::foreign).collect(),
        }
    }
}

/// The frames of a document that was captured alone: their records and how they are found.
fn ways(capture: &Capture) -> Vec<(usize, Vec<FramePath>)> {
    let found = capture.foreign_frames.iter().filter_map(|id| {
        let target = page::Target::of(capture.snapshot.get(*id)?)?;
        Some((
            id.index(),
            vec![FramePath {
                token: target.token,
                path: target.path,
            }],
        ))
    });
    found.collect()
}

/// Switches the session into a frame, from the top. With a point, which is of the top viewport, the outermost frame must be
/// free there; the answer says what is wrong otherwise.
pub(crate) async fn enter(
    turn: &mut Turn<'_>,
    way: &[FramePath],
    point: Option<Point>,
) -> Result<Option<Answer>, ReadFailure> {
    if turn.memory.in_frame {
        turn.leave_frames().await?;
    }
    for (at, frame) in way.iter().enumerate() {
        let act = match point.filter(|_| at == 0) {
            Some(point) => Act::Resolve(Some(point)),
            None => Act::Read(None),
        };
        let (answer, element) = ask(turn, act, &frame.target()).await?;
        if answer.status != Status::Ok {
            return Ok(Some(answer));
        }
        let element = element.ok_or_else(unreadable)?;
        // Before the switch: it may land although its answer is lost.
        turn.memory.in_frame = true;
        let switch = Command::post(Kind::Read, "frame", json!({"id": {ELEMENT: element}}));
        turn.read(switch).await?;
    }
    Ok(None)
}

/// Asks hosts that may hide a closed shadow root. `true`: there are new ones, so the capture is worth repeating.
pub(super) async fn closed_roots(turn: &mut Turn<'_>, top: &Capture) -> bool {
    let token = top.snapshot.info().lineage.clone().unwrap_or_default();
    if turn.memory.roots.token != token {
        turn.memory.roots.forget();
        turn.memory.roots.token = token;
    }
    let hosts: Vec<_> = top
        .closed_roots
        .iter()
        .filter_map(|id| page::Target::of(top.snapshot.get(*id)?))
        .filter(|target| !turn.memory.roots.asked.contains(&target.path))
        .take(HOSTS)
        .collect();
    let mut new = false;
    for host in hosts {
        turn.memory.roots.asked.insert(host.path.clone());
        let host = host.unchecked();
        let Ok((_, Some(element))) = ask(turn, Act::Read(None), &host).await else {
            continue;
        };
        let route = format!("element/{}/shadow", segment(&element));
        if let Ok(root) = turn.read(Command::get(Kind::Read, route)).await
            && root.is_object()
        {
            turn.memory.roots.references.push(root);
            new = true;
        }
    }
    new
}

pub(super) const fn rounds() -> usize {
    ROUNDS
}
