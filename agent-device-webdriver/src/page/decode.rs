//! Reads what the page scripts answer. The bytes come from the page under test: everything is bounded and checked, nothing
//! panics, and a reply that is cut off is an error, never a smaller tree.
//!
//! # The capture
//!
//! `header ~ kinds ~ covers ~ record ~ record ~ …` Every part ends with `~`; `|` separates fields. In texts `}0`, `}1` and `}2`
//! stand for `}`, `|` and `~`; nothing else is escaped. None of the structural characters costs an escape in JSON.
//!
//! - **header**: `AD1 | document token | viewport width | height | devicePixelRatio | scroll x | y | document width | height |
//!   index of the focused node or -1 | records | elements seen | records left out | cut | address | title`. `cut` is a sum:
//!   1 the size limit, 2 the time for the walk, 4 the time for the hit tests.
//! - **kinds**: for each pair of role and tag, in order of first use, `|role,tag`. The tag of an input carries its type:
//!   `input.email`. A text node has the tag `#text`.
//! - **covers**: `node,coverer` pairs, separated by `;`, both as record indexes.
//! - **record**: `kind,up` immediately followed by flag letters, `| x,y,w,h | path`, then optional fields that begin with a
//!   letter. `up` is how many levels the record lies above a child of the record before it; empty = 0. A number of the rectangle
//!   that equals that of the record before it is empty. Units are CSS px of the top viewport, at most two decimals.
//!   Optional fields: `n` name, `v` value, `i` id attribute or else test id, `p` placeholder, `l` level, `o` (frames of other
//!   origins) `x,y` of the document's corner, seen from that of the frame's rectangle.
//!   - `path`: the steps from the record around it: a number is a child element, `A` + number a node of a slot, `T` + number
//!     a text node, `S` the shadow root, `D` the content of a `details`, `F` + token the document of a frame. Steps
//!     are separated by dots, which letters make optional.
//!   - flags: `e`/`d` enabled or not, `c`/`u`/`m` checked, not, mixed, `s`/`n` selected or not, `x`/`y` expanded or not,
//!     `p`/`q`/`o` pressed, not, mixed, `r`/`w` read-only or not, `R` required, `f` focused, `i` interactive, `E` editable, `S` secret,
//!     `z` scrollable, `A`/`B`/`L`/`G` content hidden above, below, left, right, `I` inert, `F` a frame that can't be looked into, `C` maybe
//!     a closed shadow root, `t` a text was cut, `X` the name is the text in it rather than its accessible name, `H` a hit test was
//!     made, `V` added only because it covers something, `h` without size, `v` outside the viewport, `k` scrolled out of
//!     a container, `K` cut away by a container that doesn't scroll. A missing letter is an absent fact.
//!
//! # The answer of an act
//!
//! `AR1 | status | field | field …` with the escapes above. Fields begin with a letter: `x`, `y` the point, `k` the kind of control,
//! `R`, `V` the whole and the visible rectangle, `d` the side on which it lies, `w` what hides it (viewport, scroll, clip),
//! `c` what covers it and `b` what inside it takes the touch (`role,tag,id,name`), `v` value, `n` its length, `q` whether it equals the expected one,
//! `s` secret, `t` cut, `h` checked (`c`, `u`, `m`), `f` focused, `o` the
//! options there are, `r`, `e` the role and name (or token) found instead.

use std::{fmt, str::Split};

use agent_device_core::{
    Role,
    geometry::{Direction, Point, Rect},
    snapshot::{
        BuildError, CaptureOptions, Flag, NodeBuilder, NodeId, Quality, Snapshot, SnapshotBuilder,
        SnapshotInfo, TextField,
    },
};

/// Who makes these trees.
pub(crate) const PRODUCER: &str = "webdriver-page";
/// No page reply is longer: three bytes for each unit of the largest limit anyone should set.
const MAX_BYTES: usize = 96 << 20;
/// Depth and kinds come from the page; a browser gives up on a page long before these.
const MAX_DEPTH: usize = 20_000;
const MAX_KINDS: usize = 20_000;
/// So many frames and shadow hosts are listed for recovery.
const MAX_OPAQUE: usize = 256;
/// Foreign frames in foreign frames.
const MAX_FRAMES: usize = 8;

/// A reply that isn't one of ours, or is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page's reply is unusable: {field} of record {record} {problem}")]
pub(crate) struct DecodeError {
    /// The field that is wrong.
    pub(crate) field: &'static str,
    /// The record it belongs to; 0 also for everything before the first.
    pub(crate) record: usize,
    /// What is wrong with it.
    pub(crate) problem: Problem,
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// It isn't there: the reply was cut off.
    Missing,
    /// It can't be read.
    Malformed,
    /// It refers to something that isn't there, or contradicts a count.
    Inconsistent,
    /// It is over a limit.
    TooLarge,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Problem::Missing => "is missing",
            Problem::Malformed => "is malformed",
            Problem::Inconsistent => "contradicts the rest",
            Problem::TooLarge => "is too large",
        })
    }
}

type Result<T> = std::result::Result<T, DecodeError>;

fn fail<T>(field: &'static str, record: usize, problem: Problem) -> Result<T> {
    Err(DecodeError {
        field,
        record,
        problem,
    })
}

/// A capture and what only this backend needs to know about it.
#[derive(Debug)]
pub(crate) struct Capture {
    /// The tree.
    pub(crate) snapshot: Snapshot,
    /// How far the document is scrolled.
    pub(crate) scroll: Point,
    /// The size of the whole document.
    pub(crate) document: (f64, f64),
    /// The node with the focus.
    pub(crate) focused: Option<NodeId>,
    /// Frames of other origins: their content needs a frame switch.
    pub(crate) foreign_frames: Vec<NodeId>,
    /// Elements that may hide a closed shadow root.
    pub(crate) closed_roots: Vec<NodeId>,
    /// Elements that were looked at.
    pub(crate) seen: usize,
    /// Nodes that did not fit.
    pub(crate) left_out: usize,
}

/// The capture of a frame of another origin, made after switching into it.
#[derive(Debug)]
pub(crate) struct Foreign<'a> {
    /// The index of the frame among the *records* of the reply that holds it: its node in a capture decoded without frames.
    pub(crate) record: usize,
    /// What the capture script answered in the frame.
    pub(crate) reply: &'a str,
    /// The frames inside it.
    pub(crate) frames: Vec<Foreign<'a>>,
}

/// Reads a capture.
///
/// # Errors
///
/// The first field that is missing or wrong.
pub(crate) fn capture(reply: &str, options: CaptureOptions) -> Result<Capture> {
    capture_with_frames(reply, &[], options)
}

/// Reads a capture together with those of its frames of other origins, in coordinates of the top viewport.
///
/// # Errors
///
/// The first field that is missing or wrong, in whichever reply.
pub(crate) fn capture_with_frames(
    reply: &str,
    frames: &[Foreign<'_>],
    options: CaptureOptions,
) -> Result<Capture> {
    let parts = Parts::split(reply)?;
    let header = parts.header;
    // The count is only believed as far as the bytes can hold it.
    let room = header.records.min(reply.len() / 8 + 1);
    let mut builder = SnapshotBuilder::with_capacity(options, room, reply.len());
    let mut found = Found::default();
    document(parts, frames, None, &mut builder, &mut found)?;
    let mut info = SnapshotInfo::default();
    info.quality = Quality::healthy("tree");
    info.producer = PRODUCER;
    info.viewport = Some(header.viewport);
    info.scale = header.scale;
    info.truncated = found.cut;
    info.app = Some(unescaped(header.url));
    info.title = Some(unescaped(header.title));
    info.lineage = Some(header.token.to_owned());
    Ok(Capture {
        snapshot: builder.finish(info),
        scroll: header.scroll,
        document: header.document,
        focused: found.focused,
        foreign_frames: found.frames,
        closed_roots: found.closed,
        seen: header.seen,
        left_out: header.left_out,
    })
}

/// What is noted beside the tree.
#[derive(Default)]
struct Found {
    frames: Vec<NodeId>,
    closed: Vec<NodeId>,
    focused: Option<NodeId>,
    cut: bool,
}

/// Where the document of a foreign frame lies.
#[derive(Clone, Copy)]
struct Place {
    /// The depth of the frame's node.
    depth: usize,
    /// Its document's corner in the top viewport.
    origin: Point,
    /// The part of the top viewport in which it shows.
    sight: Rect,
    /// Whether the frame has the focus: a document keeps its own focused element also without it.
    focus: bool,
    /// How many foreign frames lie around it.
    nested: usize,
}

/// The parts of one reply.
struct Parts<'a> {
    header: Header<'a>,
    kinds: Vec<Kind<'a>>,
    covers: &'a str,
    records: Split<'a, char>,
}

impl<'a> Parts<'a> {
    fn split(reply: &'a str) -> Result<Self> {
        if reply.len() > MAX_BYTES {
            return fail("reply", 0, Problem::TooLarge);
        }
        let Some(body) = reply.strip_suffix('~') else {
            return fail("reply", 0, Problem::Missing);
        };
        let mut records = body.split('~');
        let header = Header::read(records.next().unwrap_or_default())?;
        let kinds = read_kinds(records.next())?;
        let Some(covers) = records.next() else {
            return fail("covers", 0, Problem::Missing);
        };
        Ok(Self {
            header,
            kinds,
            covers,
            records,
        })
    }
}

/// Adds one document and, where they belong, those of its foreign frames. Recursion ends with [`MAX_FRAMES`].
fn document(
    parts: Parts<'_>,
    frames: &[Foreign<'_>],
    place: Option<Place>,
    builder: &mut SnapshotBuilder,
    found: &mut Found,
) -> Result<()> {
    let header = parts.header;
    found.cut |= header.cut & 3 != 0;
    // Which node a record became; kept only where the two differ.
    let mapped = place.is_some() || !frames.is_empty();
    let mut nodes: Vec<usize> = Vec::new();
    let mut walk = Walk::new(&header, place);
    let mut count = 0;
    for (at, record) in parts.records.enumerate() {
        count += 1;
        let step = walk.record(at, record, &parts.kinds, builder)?;
        if mapped {
            // The root of a frame's document stands for the frame, which is there already.
            nodes.push(builder.len().saturating_sub(1));
        }
        let Some(step) = step else { continue };
        let id = NodeId::at(builder.len() - 1);
        if step.closed && found.closed.len() < MAX_OPAQUE {
            found.closed.push(id);
        }
        let Some(corner) = step.foreign else { continue };
        let inside = frames.iter().find(|frame| frame.record == at);
        let nested = place.map_or(0, |place| place.nested);
        match inside {
            Some(inside) if nested < MAX_FRAMES => {
                let origin = Point::new(step.bounds.x + corner.x, step.bounds.y + corner.y);
                let inner = Parts::split(inside.reply)?;
                let size = inner.header.viewport;
                let area = Rect::new(origin.x, origin.y, size.width, size.height);
                let place = Place {
                    depth: walk.depth,
                    origin,
                    sight: area
                        .intersection(walk.sight)
                        .unwrap_or(Rect::new(origin.x, origin.y, 0.0, 0.0)),
                    focus: step.focused,
                    nested: nested + 1,
                };
                if let Some(mut node) = builder.edit(id) {
                    node.flag(Flag::Opaque, false);
                }
                document(inner, &inside.frames, Some(place), builder, found)?;
            }
            _ if found.frames.len() < MAX_OPAQUE => found.frames.push(id),
            _ => {}
        }
    }
    if count != header.records {
        return fail("records", count, Problem::Inconsistent);
    }
    let node_of = |record: usize| match mapped {
        true => nodes.get(record).copied(),
        false => (record < count).then_some(record),
    };
    read_covers(parts.covers, node_of, builder)?;
    if let Some(at) = header.focused {
        match node_of(at) {
            // An element in the frame is more exact than the frame.
            Some(at) if place.is_none_or(|place| place.focus) => {
                found.focused.get_or_insert(NodeId::at(at));
            }
            Some(_) => {}
            None => return fail("focused", 0, Problem::Inconsistent),
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Header<'a> {
    token: &'a str,
    viewport: Rect,
    scale: f64,
    scroll: Point,
    document: (f64, f64),
    focused: Option<usize>,
    records: usize,
    seen: usize,
    left_out: usize,
    cut: u8,
    url: &'a str,
    title: &'a str,
}

impl<'a> Header<'a> {
    fn read(text: &'a str) -> Result<Self> {
        let mut fields = text.split('|');
        if fields.next() != Some("AD1") {
            return fail("version", 0, Problem::Malformed);
        }
        let mut next = |name| fields.next().ok_or(missing(name));
        let token = next("token")?;
        let mut decimal = |name| number(next(name)?).ok_or(malformed(name));
        let viewport = Rect::new(0.0, 0.0, decimal("viewport")?, decimal("viewport")?);
        let scale = decimal("scale")?;
        let scroll = Point::new(decimal("scroll")?, decimal("scroll")?);
        let document = (decimal("document")?, decimal("document")?);
        let focused = match next("focused")? {
            "-1" => None,
            text => Some(count(text).ok_or(malformed("focused"))?),
        };
        let mut whole = |name| count(next(name)?).ok_or(malformed(name));
        let (records, seen, left_out) = (whole("records")?, whole("seen")?, whole("left out")?);
        let cut = whole("cut")?;
        Ok(Self {
            token,
            viewport,
            scale,
            scroll,
            document,
            focused,
            records,
            seen,
            left_out,
            cut: u8::try_from(cut).map_err(|_| malformed("cut"))?,
            url: next("address")?,
            title: next("title")?,
        })
    }
}

fn missing(field: &'static str) -> DecodeError {
    DecodeError {
        field,
        record: 0,
        problem: Problem::Missing,
    }
}

fn malformed(field: &'static str) -> DecodeError {
    DecodeError {
        field,
        record: 0,
        problem: Problem::Malformed,
    }
}

struct Kind<'a> {
    word: &'a str,
    tag: &'a str,
    role: Role,
}

fn read_kinds(text: Option<&str>) -> Result<Vec<Kind<'_>>> {
    let Some(text) = text else {
        return fail("kinds", 0, Problem::Missing);
    };
    let mut kinds = Vec::new();
    for kind in text.split('|').skip(1) {
        let Some((word, tag)) = kind.split_once(',') else {
            return fail("kinds", 0, Problem::Malformed);
        };
        if kinds.len() == MAX_KINDS {
            return fail("kinds", 0, Problem::TooLarge);
        }
        kinds.push(Kind {
            word,
            tag,
            role: role(word, tag),
        });
    }
    Ok(kinds)
}

fn read_covers(
    text: &str,
    node_of: impl Fn(usize) -> Option<usize>,
    builder: &mut SnapshotBuilder,
) -> Result<()> {
    for pair in text.split(';').filter(|pair| !pair.is_empty()) {
        let pair = pair
            .split_once(',')
            .and_then(|(node, by)| Some((count(node)?, count(by)?)));
        let Some((node, by)) = pair else {
            return fail("covers", 0, Problem::Malformed);
        };
        let (Some(node), Some(by)) = (node_of(node), node_of(by)) else {
            return fail("covers", node, Problem::Inconsistent);
        };
        if node == by {
            return fail("covers", node, Problem::Inconsistent);
        }
        if let Some(mut node) = builder.edit(NodeId::at(node)) {
            node.covered_by(NodeId::at(by)).flag(Flag::Hittable, false);
        }
    }
    Ok(())
}

/// What a record turned out to be, as far as the caller must act on it.
struct Step {
    bounds: Rect,
    closed: bool,
    focused: bool,
    /// A frame that the page can't look into, with the corner of its document.
    foreign: Option<Point>,
}

/// What a record inherits from those before it.
struct Walk<'a> {
    token: &'a str,
    place: Option<Place>,
    depth: usize,
    numbers: [f64; 4],
    /// What clips the content at a depth: scroll containers and frames.
    clips: Vec<(usize, Rect)>,
    viewport: Rect,
    /// The part of the top viewport in which the document shows.
    sight: Rect,
    hits_known: bool,
}

impl<'a> Walk<'a> {
    fn new(header: &Header<'a>, place: Option<Place>) -> Self {
        let Rect { width, height, .. } = header.viewport;
        let viewport = match place {
            Some(place) => Rect::new(place.origin.x, place.origin.y, width, height),
            None => header.viewport,
        };
        Self {
            token: header.token,
            place,
            depth: place.map_or(0, |place| place.depth),
            numbers: [0.0; 4],
            clips: Vec::new(),
            viewport,
            sight: place.map_or(viewport, |place| place.sight),
            hits_known: header.cut & 4 == 0,
        }
    }

    fn record(
        &mut self,
        at: usize,
        record: &str,
        kinds: &[Kind<'_>],
        builder: &mut SnapshotBuilder,
    ) -> Result<Option<Step>> {
        let mut fields = record.split('|');
        let head = fields.next().unwrap_or_default();
        let (kind, head) = digits(head);
        let Some(kind) = kind else {
            return fail("kind", at, Problem::Malformed);
        };
        let Some(kind) = kinds.get(kind) else {
            return fail("kind", at, Problem::Inconsistent);
        };
        let Some(head) = head.strip_prefix(',') else {
            return fail("level", at, Problem::Missing);
        };
        let (up, flags) = digits(head);
        let base = self.place.map_or(0, |place| place.depth);
        let next = if at == 0 { base } else { self.depth + 1 };
        // Only the first record stands at the level of the document.
        let lowest = if at == 0 { base } else { base + 1 };
        let depth = next.checked_sub(up.unwrap_or(0));
        let Some(depth) = depth.filter(|depth| *depth >= lowest) else {
            return fail("level", at, Problem::Inconsistent);
        };
        if depth > MAX_DEPTH {
            return fail("level", at, Problem::TooLarge);
        }
        self.depth = depth;
        self.rect(at, &mut fields)?;
        let [x, y, width, height] = self.numbers;
        let origin = self
            .place
            .map_or(Point::new(0.0, 0.0), |place| place.origin);
        let bounds = Rect::new(x + origin.x, y + origin.y, width, height);
        let Some(path) = fields.next() else {
            return fail("path", at, Problem::Missing);
        };
        if at == 0 && self.place.is_some() {
            return Ok(None);
        }
        while self.clips.last().is_some_and(|(level, _)| *level >= depth) {
            self.clips.pop();
        }

        let mut node = match builder.at_depth(depth, kind.role) {
            Ok(node) => node,
            Err(BuildError::TooLarge) => return fail("records", at, Problem::TooLarge),
            Err(_) => return fail("level", at, Problem::Inconsistent),
        };
        node.bounds(bounds);
        if !kind.tag.starts_with('#') {
            node.text(TextField::NativeType, kind.tag);
        }
        let added = flags.contains('V');
        node.text_with(TextField::Handle, |out| {
            if !added {
                out.push_str(kind.word);
            }
            out.push(' ');
            if self.place.is_some() && depth == base + 1 {
                out.push('O');
                out.push_str(self.token);
                out.push('.');
            }
            out.push_str(path);
        });
        let mut corner = Point::new(0.0, 0.0);
        let mut value = None;
        let mut placeholder = false;
        for field in fields {
            let mut chars = field.chars();
            let letter = chars.next();
            let text = chars.as_str();
            let slot = match letter {
                Some('n') => TextField::Label,
                Some('v') => {
                    value = Some(text.is_empty());
                    TextField::Value
                }
                Some('i') => TextField::Identifier,
                Some('p') => {
                    placeholder = true;
                    TextField::Placeholder
                }
                Some('l') => {
                    match count(text).and_then(|level| u8::try_from(level).ok()) {
                        Some(level) => node.level(level),
                        None => return fail("heading level", at, Problem::Malformed),
                    };
                    continue;
                }
                Some('o') => {
                    match numbers(text) {
                        Some([x, y]) => corner = Point::new(x, y),
                        None => return fail("frame corner", at, Problem::Malformed),
                    }
                    continue;
                }
                _ => return fail("field", at, Problem::Malformed),
            };
            node.text_with(slot, |out| unescape(text, out));
        }
        if placeholder && let Some(empty) = value {
            node.flag(Flag::HintShowing, empty);
        }
        self.facts(at, &mut node, kind, flags, bounds)?;
        if kind.role == Role::WebView || (flags.contains('z') && at != 0) {
            self.clips.push((depth, bounds));
        }
        Ok(Some(Step {
            bounds,
            closed: flags.contains('C'),
            focused: flags.contains('f'),
            foreign: flags.contains('F').then_some(corner),
        }))
    }

    fn rect(&mut self, at: usize, fields: &mut Split<'_, char>) -> Result<()> {
        let Some(text) = fields.next() else {
            return fail("rectangle", at, Problem::Missing);
        };
        let mut numbers = text.split(',');
        for slot in &mut self.numbers {
            match numbers.next() {
                Some("") => {}
                Some(text) => match number(text) {
                    Some(value) => *slot = value,
                    None => return fail("rectangle", at, Problem::Malformed),
                },
                None => return fail("rectangle", at, Problem::Missing),
            }
        }
        match numbers.next() {
            None => Ok(()),
            Some(_) => fail("rectangle", at, Problem::Malformed),
        }
    }

    fn facts(
        &self,
        at: usize,
        node: &mut NodeBuilder<'_>,
        kind: &Kind<'_>,
        flags: &str,
        bounds: Rect,
    ) -> Result<()> {
        let (mut tested, mut unreachable, mut scrollable, mut text_like) =
            (false, false, false, false);
        let mut own_text = false;
        for letter in flags.bytes() {
            let (flag, value) = match letter {
                b'e' => (Flag::Enabled, true),
                b'd' => {
                    unreachable = true;
                    (Flag::Enabled, false)
                }
                b'c' => (Flag::Checked, true),
                b'u' => (Flag::Checked, false),
                b'm' | b'o' => (Flag::Mixed, true),
                b's' => (Flag::Selected, true),
                b'n' => (Flag::Selected, false),
                b'x' => (Flag::Expanded, true),
                b'y' => (Flag::Expanded, false),
                b'p' => (Flag::Pressed, true),
                b'q' => (Flag::Pressed, false),
                b'r' => (Flag::ReadOnly, true),
                b'w' => (Flag::ReadOnly, false),
                b'R' => (Flag::Required, true),
                b'f' if self.place.is_some_and(|place| !place.focus) => continue,
                b'f' => (Flag::Focused, true),
                b'i' => (Flag::Interactive, true),
                b'E' => {
                    text_like = true;
                    (Flag::Editable, true)
                }
                b'S' => {
                    node.role(Role::SecureTextField);
                    (Flag::Secure, true)
                }
                b'z' => {
                    scrollable = true;
                    (Flag::Scrollable, true)
                }
                b'I' => {
                    unreachable = true;
                    (Flag::Inert, true)
                }
                b'F' | b'C' => (Flag::Opaque, true),
                b't' => (Flag::TextCut, true),
                b'h' | b'K' => {
                    unreachable = true;
                    (Flag::VisibleToUser, false)
                }
                b'A' | b'B' | b'L' | b'G' => {
                    node.hidden_content(match letter {
                        b'A' => Direction::Up,
                        b'B' => Direction::Down,
                        b'L' => Direction::Left,
                        _ => Direction::Right,
                    });
                    continue;
                }
                b'v' | b'k' => {
                    unreachable = true;
                    self.outside(node, bounds, letter == b'k');
                    continue;
                }
                b'H' => {
                    tested = true;
                    continue;
                }
                b'X' => {
                    own_text = true;
                    continue;
                }
                b'V' => continue,
                _ => return fail("flags", at, Problem::Malformed),
            };
            node.flag(flag, value);
        }
        match kind.word {
            "heading" => {
                node.flag(Flag::Heading, true);
            }
            // Wordings of text are text when they hold nothing else, else a group.
            "text" | "paragraph" | "caption" => {}
            word if own_text && is_wording(word) => {
                node.role(Role::Text);
            }
            _ => {}
        }
        // The core takes lists and frames for scroll containers until told otherwise, and text roles for editable.
        if !scrollable && kind.role.scrolls() {
            node.flag(Flag::Scrollable, false);
        }
        if scrollable && kind.role == Role::Group {
            node.role(Role::ScrollArea);
        }
        if at == 0 {
            node.flag(
                Flag::Scrollable,
                flags
                    .bytes()
                    .any(|f| matches!(f, b'A' | b'B' | b'L' | b'G')),
            );
        }
        if kind.role.takes_text() && !text_like {
            node.flag(Flag::Editable, false);
        } else if kind.role == Role::Picker {
            node.flag(Flag::Editable, flags.contains('e'));
        }
        // Inside a foreign frame everything may show and yet the frame be scrolled away.
        if !unreachable && self.place.is_some() && !bounds.touches_inside(self.sight) {
            unreachable = true;
            self.outside(node, bounds, true);
        }
        if unreachable {
            node.flag(Flag::Hittable, false);
        } else if tested && self.hits_known {
            node.flag(Flag::Hittable, true);
        }
        Ok(())
    }

    /// Says on which side of its container or the viewport a node lies.
    fn outside(&self, node: &mut NodeBuilder<'_>, bounds: Rect, scrolled: bool) {
        let clips = self.clips.iter().rev().map(|(_, rect)| *rect);
        let clip = clips
            .filter(|_| scrolled)
            .chain([self.viewport, self.sight])
            .find(|clip| !bounds.touches_inside(*clip));
        let clip = clip.unwrap_or(self.viewport);
        let mut known = false;
        for (side, beyond) in [
            (Direction::Up, bounds.bottom() <= clip.y),
            (Direction::Down, bounds.y >= clip.bottom()),
            (Direction::Left, bounds.right() <= clip.x),
            (Direction::Right, bounds.x >= clip.right()),
        ] {
            if beyond {
                known = true;
                node.outside(side);
            }
        }
        if !known {
            node.flag(Flag::VisibleToUser, false);
        }
    }
}

trait Overlap {
    fn touches_inside(self, other: Rect) -> bool;
}

impl Overlap for Rect {
    /// Whether the two have more than an edge in common.
    fn touches_inside(self, other: Rect) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }
}

fn is_wording(word: &str) -> bool {
    matches!(
        word,
        "code"
            | "deletion"
            | "emphasis"
            | "insertion"
            | "mark"
            | "strong"
            | "subscript"
            | "superscript"
            | "suggestion"
            | "term"
            | "time"
            | "definition"
            | "blockquote"
            | "math"
    )
}

/// The core's role for a role word of the page and the tag that has it.
fn role(word: &str, tag: &str) -> Role {
    match word {
        "document" if tag == "html" => Role::Application,
        "text" => Role::Text,
        "iframe" => Role::WebView,
        "button" | "doc-backlink" => Role::Button,
        "link" | "doc-biblioref" | "doc-glossref" | "doc-noteref" => Role::Link,
        "textbox" if tag == "textarea" || !tag.starts_with("input") => Role::TextView,
        "textbox" => Role::TextField,
        "searchbox" => Role::SearchField,
        "combobox" => Role::ComboBox,
        // A number field is typed into like any other.
        "spinbutton" if tag.starts_with("input") => Role::TextField,
        "spinbutton" => Role::Stepper,
        "date" | "datetime" | "time-input" | "color" => Role::Picker,
        "option" => Role::Option,
        "checkbox" => Role::Checkbox,
        "radio" => Role::Radio,
        "radiogroup" => Role::RadioGroup,
        "switch" => Role::Switch,
        "slider" => Role::Slider,
        "image" | "canvas" | "graphics-document" | "graphics-symbol" | "doc-cover" => Role::Image,
        "heading" | "doc-subtitle" => Role::Heading,
        "list" | "listbox" | "feed" => Role::List,
        "listitem" | "doc-biblioentry" | "doc-endnote" => Role::ListItem,
        "table" => Role::Table,
        "grid" | "treegrid" => Role::Collection,
        "row" => Role::Row,
        "cell" | "gridcell" => Role::Cell,
        "columnheader" | "rowheader" => Role::HeaderCell,
        "tree" => Role::Tree,
        "treeitem" => Role::TreeItem,
        "scrollbar" => Role::ScrollBar,
        "tablist" => Role::TabBar,
        "tab" => Role::Tab,
        "tabpanel" => Role::TabPanel,
        "navigation" => Role::NavigationBar,
        "toolbar" => Role::Toolbar,
        "menu" => Role::Menu,
        "menubar" => Role::MenuBar,
        "menuitem" | "menuitemcheckbox" | "menuitemradio" => Role::MenuItem,
        "dialog" => Role::Dialog,
        "alertdialog" => Role::Alert,
        "alert" | "status" | "log" | "timer" | "marquee" => Role::Status,
        "tooltip" => Role::Tooltip,
        "progressbar" => Role::ProgressIndicator,
        "meter" => Role::Meter,
        "form" => Role::Form,
        "region" | "search" => Role::Region,
        "main" => Role::Main,
        "banner" => Role::Banner,
        "contentinfo" => Role::ContentInfo,
        "complementary" => Role::Complementary,
        "article" => Role::Article,
        "figure" => Role::Figure,
        "paragraph" | "caption" => Role::Paragraph,
        "separator" | "doc-pagebreak" => Role::Separator,
        "audio" | "video" => Role::Other,
        word if word.starts_with("doc-") => Role::Region,
        _ => Role::Group,
    }
}

/// Leading digits as a number, and the rest.
fn digits(text: &str) -> (Option<usize>, &str) {
    let end = text
        .bytes()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (count(digits), rest)
}

fn count(text: &str) -> Option<usize> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    text.bytes().try_fold(0, |sum: usize, byte| {
        byte.is_ascii_digit()
            .then(|| sum * 10 + usize::from(byte - b'0'))
    })
}

/// A decimal as the scripts write it: sign, up to nine digits, up to four decimals. Written out because it is called four times
/// per record, and the general parser takes exponents, `inf` and `nan`, too.
fn number(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let (negative, bytes) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    };
    let mut value: u64 = 0;
    let mut whole = 0;
    let mut fraction = None;
    for byte in bytes {
        match (byte, &mut fraction) {
            (b'0'..=b'9', places) => {
                value = value * 10 + u64::from(byte - b'0');
                match places {
                    Some(places) if *places < 4 => *places += 1,
                    None if whole < 9 => whole += 1,
                    _ => return None,
                }
            }
            (b'.', None) => fraction = Some(0),
            _ => return None,
        }
    }
    if whole == 0 || fraction == Some(0) {
        return None;
    }
    let scale = [1.0, 10.0, 100.0, 1_000.0, 10_000.0][fraction.unwrap_or(0)];
    #[expect(clippy::cast_precision_loss, reason = "thirteen digits fit")]
    let value = value as f64 / scale;
    Some(if negative { -value } else { value })
}

fn unescape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('}') {
        out.push_str(plain);
        let (original, skip) = match escaped.as_bytes().first() {
            Some(b'0') => ('}', 1),
            Some(b'1') => ('|', 1),
            Some(b'2') => ('~', 1),
            // Not ours: kept as it is.
            _ => ('}', 0),
        };
        out.push(original);
        rest = &escaped[skip..];
    }
    out.push_str(rest);
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    unescape(text, &mut out);
    out
}

/// How an act ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done, or free to be touched.
    Ok,
    /// The document is another one than at the capture.
    StaleDocument,
    /// Nothing is where the element was.
    Gone,
    /// Something else is where the element was.
    Changed,
    /// It is made invisible.
    Hidden,
    /// It has no area.
    ZeroSize,
    /// It does not react.
    Disabled,
    /// It is part of something inert.
    Inert,
    /// It lies outside the viewport or its scroll container.
    Offscreen,
    /// Something else takes the touch.
    Covered,
    /// Its value can't be changed.
    ReadOnly,
    /// The act does not fit this control.
    Unsupported,
    /// It was done, but the value isn't the one that was set.
    Unverified,
    /// There is no such option.
    NoOption,
}

/// What kind of control it is, for choosing how to fill it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Control {
    /// Not a form control.
    #[default]
    None,
    /// Text is typed into it.
    Text,
    /// Rich text is typed into it.
    ContentEditable,
    /// Date, time, month, week.
    Date,
    /// A colour.
    Color,
    /// A slider.
    Range,
    /// A file chooser.
    File,
    /// A check box.
    Checkbox,
    /// A radio button.
    Radio,
    /// A choice.
    Select,
}

/// What hides an element that is off the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HiddenBy {
    /// It is beyond the edge of the viewport.
    Viewport,
    /// It is scrolled out of a container or frame.
    Scroll,
    /// A container cuts it away that people can't scroll.
    Clip,
    /// No point of it answers.
    Point,
}

/// An element that stands in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blocker {
    /// Its role word.
    pub(crate) role: String,
    /// Its tag.
    pub(crate) tag: String,
    /// Its id attribute.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
}

/// What an act answered.
#[derive(Clone, PartialEq)]
pub(crate) struct Answer {
    /// How it ended.
    pub(crate) status: Status,
    /// Where the touch lands, in the top viewport.
    pub(crate) point: Option<Point>,
    /// The kind of control.
    pub(crate) control: Control,
    /// The whole element.
    pub(crate) bounds: Option<Rect>,
    /// The part of it that can be seen.
    pub(crate) visible: Option<Rect>,
    /// On which side it lies outside.
    pub(crate) side: Option<Direction>,
    /// What hides it.
    pub(crate) hidden_by: Option<HiddenBy>,
    /// What covers it.
    pub(crate) covered_by: Option<Blocker>,
    /// The control inside it that takes the touch.
    pub(crate) taken_by: Option<Blocker>,
    /// The current value; never that of a secret.
    pub(crate) value: Option<String>,
    /// The length of the value in UTF-16 units.
    pub(crate) length: Option<usize>,
    /// Whether the value is the expected one.
    pub(crate) equal: Option<bool>,
    /// Whether the value is secret.
    pub(crate) secret: bool,
    /// Whether the value was cut.
    pub(crate) cut: bool,
    /// Checked, unchecked, or `None` inside for mixed.
    pub(crate) checked: Option<Option<bool>>,
    /// Whether it has the focus.
    pub(crate) focused: bool,
    /// The options of a choice.
    pub(crate) options: Vec<String>,
    /// The role word found instead of the captured one.
    pub(crate) found_role: Option<String>,
    /// The name or document token found instead of the captured one.
    pub(crate) found_name: Option<String>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What stands in a field does not belong into logs.
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("point", &self.point)
            .field("control", &self.control)
            .field("side", &self.side)
            .field("hidden_by", &self.hidden_by)
            .field("covered_by", &self.covered_by)
            .field("length", &self.length)
            .field("equal", &self.equal)
            .finish_non_exhaustive()
    }
}

/// Reads the answer of an act.
///
/// # Errors
///
/// The first field that is missing or wrong.
pub(crate) fn answer(reply: &str) -> Result<Answer> {
    if reply.len() > MAX_BYTES {
        return fail("reply", 0, Problem::TooLarge);
    }
    let mut fields = reply.split('|');
    if fields.next() != Some("AR1") {
        return fail("version", 0, Problem::Malformed);
    }
    let status = match fields.next() {
        Some("ok") => Status::Ok,
        Some("stale-document") => Status::StaleDocument,
        Some("gone") => Status::Gone,
        Some("changed") => Status::Changed,
        Some("hidden") => Status::Hidden,
        Some("zero-size") => Status::ZeroSize,
        Some("disabled") => Status::Disabled,
        Some("inert") => Status::Inert,
        Some("offscreen") => Status::Offscreen,
        Some("covered") => Status::Covered,
        Some("readonly") => Status::ReadOnly,
        Some("unsupported") => Status::Unsupported,
        Some("unverified") => Status::Unverified,
        Some("no-option") => Status::NoOption,
        Some(_) => return fail("status", 0, Problem::Malformed),
        None => return fail("status", 0, Problem::Missing),
    };
    let mut answer = Answer {
        status,
        point: None,
        control: Control::None,
        bounds: None,
        visible: None,
        side: None,
        hidden_by: None,
        covered_by: None,
        taken_by: None,
        value: None,
        length: None,
        equal: None,
        secret: false,
        cut: false,
        checked: None,
        focused: false,
        options: Vec::new(),
        found_role: None,
        found_name: None,
    };
    let (mut x, mut y) = (None, None);
    for (at, field) in fields.enumerate() {
        let mut chars = field.chars();
        let letter = chars.next();
        let text = chars.as_str();
        let known = match letter {
            Some('x') => {
                x = number(text);
                x.is_some()
            }
            Some('y') => {
                y = number(text);
                y.is_some()
            }
            Some('k') => set(&mut answer.control, control(text)),
            Some('R') => set(&mut answer.bounds, rect(text).map(Some)),
            Some('V') => set(&mut answer.visible, rect(text).map(Some)),
            Some('d') => set(&mut answer.side, direction(text).map(Some)),
            Some('w') => set(&mut answer.hidden_by, hidden_by(text).map(Some)),
            Some('c') => set(&mut answer.covered_by, blocker(text).map(Some)),
            Some('b') => set(&mut answer.taken_by, blocker(text).map(Some)),
            Some('v') => set(&mut answer.value, Some(Some(unescaped(text)))),
            Some('n') => set(&mut answer.length, count(text).map(Some)),
            Some('q') => set(&mut answer.equal, bit(text).map(Some)),
            Some('s') => set(&mut answer.secret, bit(text)),
            Some('t') => set(&mut answer.cut, bit(text)),
            Some('f') => set(&mut answer.focused, bit(text)),
            Some('h') => set(&mut answer.checked, checked(text).map(Some)),
            Some('o') => set(
                &mut answer.options,
                Some(text.split(',').map(unescaped).collect()),
            ),
            Some('r') => set(&mut answer.found_role, Some(Some(unescaped(text)))),
            Some('e') => set(&mut answer.found_name, Some(Some(unescaped(text)))),
            _ => false,
        };
        if !known {
            return fail("field", at, Problem::Malformed);
        }
    }
    answer.point = x.zip(y).map(|(x, y)| Point::new(x, y));
    if answer.secret {
        answer.value = None;
    }
    Ok(answer)
}

fn set<T>(slot: &mut T, value: Option<T>) -> bool {
    match value {
        Some(value) => {
            *slot = value;
            true
        }
        None => false,
    }
}

fn bit(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

fn control(text: &str) -> Option<Control> {
    Some(match text {
        "none" => Control::None,
        "text" => Control::Text,
        "contenteditable" => Control::ContentEditable,
        "date" => Control::Date,
        "color" => Control::Color,
        "range" => Control::Range,
        "file" => Control::File,
        "checkbox" => Control::Checkbox,
        "radio" => Control::Radio,
        "select" => Control::Select,
        _ => return None,
    })
}

fn direction(text: &str) -> Option<Direction> {
    Some(match text {
        "up" => Direction::Up,
        "down" => Direction::Down,
        "left" => Direction::Left,
        "right" => Direction::Right,
        _ => return None,
    })
}

fn hidden_by(text: &str) -> Option<HiddenBy> {
    Some(match text {
        "viewport" => HiddenBy::Viewport,
        "scroll" => HiddenBy::Scroll,
        "clip" => HiddenBy::Clip,
        "point" => HiddenBy::Point,
        _ => return None,
    })
}

fn checked(text: &str) -> Option<Option<bool>> {
    Some(match text {
        "c" => Some(true),
        "u" => Some(false),
        "m" => None,
        _ => return None,
    })
}

fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let mut out = [0.0; N];
    let mut parts = text.split(',');
    for slot in &mut out {
        *slot = number(parts.next()?)?;
    }
    parts.next().is_none().then_some(out)
}

fn rect(text: &str) -> Option<Rect> {
    numbers(text).map(|[x, y, width, height]| Rect::new(x, y, width, height))
}

fn blocker(text: &str) -> Option<Blocker> {
    let mut parts = text.splitn(4, ',');
    Some(Blocker {
        role: parts.next()?.to_owned(),
        tag: parts.next()?.to_owned(),
        id: unescaped(parts.next()?),
        name: unescaped(parts.next()?),
    })
}
