//! Reads captures of a page. The bytes come from the page under test: everything is bounded and checked, nothing
//! panics, and a reply that is cut off is an error, never a smaller tree.
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

use std::str::Split;

use agent_device_core::{
    Role,
    geometry::{Direction, Point, Rect},
    snapshot::{
        BuildError, CaptureOptions, Flag, NodeBuilder, NodeId, Quality, Snapshot, SnapshotBuilder,
        SnapshotInfo, TextField,
    },
};

use super::{
    role::{is_wording, role},
    text::{
        DecodeError, MAX_BYTES, Problem, Result, count, digits, fail, number, numbers, unescape,
        unescaped,
    },
};

/// Who makes these trees.
pub(crate) const PRODUCER: &str = "webdriver-page";
/// Depth and kinds come from the page; a browser gives up on a page long before these.
const MAX_DEPTH: usize = 20_000;
const MAX_KINDS: usize = 20_000;
/// So many frames and shadow hosts are listed for recovery.
const MAX_OPAQUE: usize = 256;
/// Foreign frames in foreign frames.
const MAX_FRAMES: usize = 8;

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
