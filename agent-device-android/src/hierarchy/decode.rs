//! The pass over the document.

use std::borrow::Cow;

use agent_device_core::{
    Role,
    geometry::{Direction, Rect},
    snapshot::{
        CaptureOptions, Flag, Keyboard, NodeBuilder, NodeId, SnapshotBuilder, SnapshotInfo,
    },
};
use memchr::memchr_iter;
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{
    Content, Counts, DecodeError, Decoded, Facts, Limits, Occlusion,
    attributes::{Attributes, texts},
    class::{self, Class, Classes},
    content,
    cover::{self, Shape},
    value::{Edges, is_blank, unescape},
};

/// Types of windows, as `AccessibilityWindowInfo` numbers them.
mod window {
    pub(super) const APPLICATION: i32 = 1;
    pub(super) const INPUT_METHOD: i32 = 2;
    pub(super) const SYSTEM: i32 = 3;
}

/// The surface of a dialog that the system has put over the app.
pub(crate) const SYSTEM_DIALOG: &str = "system-dialog";

/// Children may stick out of a container this far before it counts as scrolling that way, in pixels.
const OVERFLOW: i32 = 16;

/// Turns a document into a snapshot.
///
/// The whole capture is decoded: what `options` leave out is left out when the snapshot is viewed. An unusable tree
/// ([`Content::Unusable`]) is returned with the verdict `sparse`.
///
/// - Bytes that are no UTF-8 are replaced; UTF-16 with a byte order mark is read as such.
/// - The content of a password field is never read. The text of a field that shows its hint is its placeholder, and its value
///   is empty.
/// - An editable field is called by its description or its hint, if it has one, because its text is its content: only fields
///   have a value. Whatever else shows a text is called by it.
/// - What lies within something invisible, or in a window of an app that lies behind the active one, is invisible.
///
/// # Errors
///
/// There is no hierarchy in the document, it ends early, its structure is broken, or it is too large.
pub fn decode(
    document: &[u8],
    options: CaptureOptions,
    facts: &Facts<'_>,
    limits: &Limits,
) -> Result<Decoded, DecodeError> {
    if document.len() > limits.bytes {
        return Err(DecodeError::TooLarge {
            limit: limits.bytes,
        });
    }
    let text = text_of(document);
    Pass::new(&text, options, facts, limits).run()
}

fn text_of(document: &[u8]) -> Cow<'_, str> {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        let characters = char::decode_utf16(units);
        characters
            .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect::<String>()
    };
    match document {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes).into(),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes).into(),
        [0xef, 0xbb, 0xbf, rest @ ..] => lossy(rest),
        _ => lossy(document),
    }
}

/// Good text is the rule, and checking it is four times as fast as looking for what to replace.
fn lossy(document: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(document) {
        Ok(text) => text.into(),
        Err(_) => String::from_utf8_lossy(document),
    }
}

/// A window, by its root.
struct Window {
    root: usize,
    end: usize,
    kind: i32,
    layer: i32,
    leads: bool,
    bounds: Option<Edges>,
    region: Option<bool>,
    package: Option<String>,
    meaningful: usize,
    /// Without what the framework builds in every window.
    own: usize,
    /// Without status bar and navigation bar.
    beside_bars: usize,
}

/// An element whose end has not come yet.
struct Open {
    /// Its node; `None` for one that was left out.
    node: Option<usize>,
    /// What can be seen in it.
    clip: Option<Edges>,
    /// Nobody can see what is in it.
    hidden: bool,
    /// It is a part of the status bar or the navigation bar.
    bar: bool,
    scrolls: Option<Scrolls>,
    /// The smallest rectangle around its children.
    content: Edges,
}

/// What a scroll container says about itself.
#[derive(Clone, Copy)]
struct Scrolls {
    /// Whether there is more behind what it shows, and before it. `None`: whoever made the document does not tell.
    more: Option<(bool, bool)>,
    horizontal: bool,
}

struct Pass<'d, 'f> {
    reader: Reader<&'d [u8]>,
    builder: SnapshotBuilder,
    facts: &'f Facts<'f>,
    limits: &'f Limits,
    open: Vec<Open>,
    shapes: Vec<Shape>,
    windows: Vec<Window>,
    counts: Counts,
    truncated: bool,
    classes: Classes,
    /// The package of the first root, for documents without windows.
    package: Option<String>,
}

impl<'d, 'f> Pass<'d, 'f> {
    fn new(
        text: &'d str,
        options: CaptureOptions,
        facts: &'f Facts<'f>,
        limits: &'f Limits,
    ) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        // A document that was produced by a program is broken as a whole or not at all: the depth tells.
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        // Exact room costs a hundredth of the pass; a vector that doubles would leave up to half of itself unused.
        let nodes = elements(text.as_bytes()).min(limits.nodes);
        Self {
            reader,
            builder: SnapshotBuilder::with_capacity(options, nodes, text.len() / 8),
            facts,
            limits,
            open: Vec::with_capacity(32),
            shapes: Vec::with_capacity(nodes),
            windows: Vec::new(),
            counts: Counts::default(),
            truncated: facts.truncated,
            classes: Classes::default(),
            package: None,
        }
    }

    fn run(mut self) -> Result<Decoded, DecodeError> {
        self.find_hierarchy()?;
        loop {
            let event = self.reader.read_event();
            match event {
                Ok(Event::Start(element)) => self.start(&element)?,
                Ok(Event::Empty(element)) => {
                    self.start(&element)?;
                    self.end();
                }
                Ok(Event::End(_)) if self.open.is_empty() => return self.finish(),
                Ok(Event::End(_)) => self.end(),
                Ok(Event::Eof) => {
                    return Err(DecodeError::CutShort {
                        nodes: self.shapes.len(),
                    });
                }
                Ok(_) => {}
                Err(error) => return Err(self.broken(&error)),
            }
        }
    }

    /// Goes into the element `hierarchy`. Whatever a tool printed before it is passed over.
    fn find_hierarchy(&mut self) -> Result<(), DecodeError> {
        loop {
            match self.reader.read_event() {
                Ok(Event::Start(element)) if element.name().as_ref() == "hierarchy" => {
                    return Ok(());
                }
                Ok(Event::Empty(element)) if element.name().as_ref() == "hierarchy" => {
                    // An empty one: the next event is the end of nothing.
                    self.reader = Reader::from_str("</hierarchy>");
                    self.reader.config_mut().allow_unmatched_ends = true;
                    return Ok(());
                }
                Ok(Event::Start(_) | Event::Empty(_) | Event::Eof) => {
                    return Err(DecodeError::NoHierarchy);
                }
                Ok(_) => {}
                Err(_) => return Err(DecodeError::NoHierarchy),
            }
        }
    }

    fn broken(&self, error: &quick_xml::Error) -> DecodeError {
        match error {
            // Every one of these means that the document ended within something.
            quick_xml::Error::Syntax(_) => DecodeError::CutShort {
                nodes: self.shapes.len(),
            },
            _ => DecodeError::Malformed {
                at: self.reader.error_position(),
            },
        }
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), DecodeError> {
        if self.truncated_here() {
            self.truncated = true;
            self.open.push(Open {
                node: None,
                clip: None,
                hidden: true,
                bar: false,
                scrolls: None,
                content: Edges::default(),
            });
            return Ok(());
        }
        let Some(node) = Attributes::read(element) else {
            return Err(DecodeError::Malformed {
                at: self.reader.buffer_position(),
            });
        };
        self.node(&node)
    }

    fn truncated_here(&self) -> bool {
        self.shapes.len() >= self.limits.nodes
            || self.open.len() >= self.limits.depth
            || self.open.last().is_some_and(|open| open.node.is_none())
    }

    fn node(&mut self, read: &Attributes<'_>) -> Result<(), DecodeError> {
        let at = self.shapes.len();
        let depth = self.open.len();
        if depth == 0 {
            self.root(at, read);
        }
        let class = self.classes.of(read.class);
        let around = self.open.last();
        let hidden = around.is_some_and(|open| open.hidden) || read.visible == Some(false);
        let id = read.id.filter(|id| !id.is_empty());
        let bar = around.is_some_and(|open| open.bar) || id.is_some_and(content::is_system_bar);
        let window = self.windows.last().and_then(|window| window.bounds);
        let clip = around.map_or(window, |open| open.clip);
        let secure = read.password == Some(true);
        let editable = read.editable.unwrap_or(class.editable);
        let role = self.role(depth, class, read, secure && editable);
        let focused = read.focused == Some(true);
        let scrolling = read.scrollable || role.scrolls();
        let acts = read.clickable
            || read.long_clickable
            || focused && !scrolling
            || read.focusable && !scrolling && role != Role::WebView;
        let says = |text: Option<&str>| text.is_some_and(|text| !is_blank(text));
        let named = says(read.text) || says(read.description);
        let meaningful = named || says(id);
        let own = named || says(id) && !id.is_some_and(content::is_skeleton);
        let own_id = id.is_some_and(|id| !is_generated(id));

        let shown = match (read.bounds, clip) {
            (Some(bounds), Some(clip)) => bounds.intersection(clip),
            (Some(bounds), None) => bounds,
            (None, _) => Edges::default(),
        };
        let shown = if hidden { Edges::default() } else { shown };

        let mut node = self.builder.at_depth(depth, role)?;
        if let Some(bounds) = read.bounds {
            node.bounds(bounds.rect());
            // The core clips by the display and by scroll containers; the edges of a window are known only here.
            if let Some(window) = window.filter(|window| depth > 0 && !bounds.touches(*window)) {
                outside(&mut node, bounds, window);
            }
        }
        texts(&mut node, read, secure, editable, self.facts.bare_ids);
        node.flag_if_known(Flag::Enabled, read.enabled)
            .flag_if_known(Flag::Focused, read.focused)
            .flag_if_known(Flag::Selected, read.selected)
            .flag_if_known(Flag::Heading, read.heading)
            .flag_if_known(Flag::HintShowing, read.hint_showing)
            .flag_if_known(Flag::Secure, read.password)
            .flag(Flag::Editable, editable)
            .flag(Flag::Interactive, acts)
            .flag(Flag::Scrollable, read.scrollable);
        // A helper that says `checked` without `checkable` says it of boxes only.
        if read.checkable.unwrap_or(read.checked.is_some()) {
            node.flag_if_known(Flag::Checked, read.checked);
        }
        if hidden {
            node.flag(Flag::VisibleToUser, false);
        } else {
            node.flag_if_known(Flag::VisibleToUser, read.visible);
        }
        let arranges = class.structural && depth > 0 && role != Role::Alert;
        if arranges && !acts && !named && !own_id && !read.scrollable {
            node.flag(Flag::Transparent, true);
        }

        self.count(read, hidden, meaningful, own, bar, id);
        self.shapes.push(Shape {
            shown,
            painted: Edges::default(),
            end: 0,
            order: read.order.unwrap_or(-1),
            paints: acts || scrolling,
            acts,
            holds_action: acts && !hidden,
            named: acts || meaningful,
        });
        if let (Some(open), Some(bounds)) = (self.open.last_mut(), read.bounds) {
            open.content = open.content.union(bounds);
        }
        let clips = read.scrollable && role.scrolls();
        self.open.push(Open {
            node: Some(at),
            clip: match (clips, read.bounds) {
                (true, Some(bounds)) => Some(clip.map_or(bounds, |clip| bounds.intersection(clip))),
                _ => clip,
            },
            hidden,
            bar,
            scrolls: read.scrollable.then(|| Scrolls {
                more: match (read.forward, read.backward) {
                    (None, None) => None,
                    (forward, backward) => Some((forward == Some(true), backward == Some(true))),
                },
                horizontal: read.class.ends_with("HorizontalScrollView"),
            }),
            content: Edges::default(),
        });
        Ok(())
    }

    /// Takes what a root says about its window.
    fn root(&mut self, at: usize, read: &Attributes<'_>) {
        let package = read.package.map(|package| {
            let mut text = String::new();
            unescape(package, &mut text);
            text
        });
        if let Some(kind) = read.window_type {
            self.windows.push(Window {
                root: at,
                end: at,
                kind,
                layer: read.window_layer,
                leads: read.window_active || read.window_focused,
                bounds: read.window_bounds,
                region: read.window_region,
                package,
                meaningful: 0,
                own: 0,
                beside_bars: 0,
            });
        } else if self.package.is_none() {
            self.package = package.filter(|package| !content::is_system(package));
        }
    }

    fn role(&self, depth: usize, class: Class, read: &Attributes<'_>, secret: bool) -> Role {
        if depth == 0 {
            return match read.window_type {
                Some(window::INPUT_METHOD) => Role::Keyboard,
                _ => Role::Window,
            };
        }
        if secret {
            return Role::SecureTextField;
        }
        if read.id.is_some_and(content::is_dialog_panel) {
            return Role::Alert;
        }
        if class.editable && class.role == Role::Text {
            return Role::TextField;
        }
        match (class.role, read.role_description) {
            (Role::Group | Role::Other, Some(word)) => class::described(word).unwrap_or(class.role),
            (Role::Group | Role::Other, None) if read.editable == Some(true) => Role::TextField,
            (Role::Text, _) if read.heading == Some(true) => Role::Heading,
            (role, _) => role,
        }
    }

    fn count(
        &mut self,
        read: &Attributes<'_>,
        hidden: bool,
        meaningful: bool,
        own: bool,
        bar: bool,
        id: Option<&str>,
    ) {
        let counts = &mut self.counts;
        let system = read.package.is_some_and(content::is_system);
        counts.foreign_nodes += usize::from(!system);
        if hidden || !meaningful {
            return;
        }
        counts.meaningful += 1;
        counts.not_system += usize::from(!system);
        let app = self.facts.app.is_some() && read.package == self.facts.app;
        counts.of_app += usize::from(app);
        let window = self.windows.last_mut();
        let keyboard = window
            .as_ref()
            .is_some_and(|w| w.kind == window::INPUT_METHOD)
            || read
                .package
                .is_some_and(|package| content::is_input_method(package, self.facts));
        counts.of_input_method += usize::from(keyboard);
        if let Some(window) = window {
            window.meaningful += 1;
            window.own += usize::from(own);
            window.beside_bars += usize::from(!bar);
        }
        if let Some(id) = id.and_then(|id| id.strip_prefix("android:id/")) {
            // Android asks about apps that fail by a view of its own in the dialog.
            counts.alert_button |=
                matches!(id, "button1" | "button2" | "button3") || id.starts_with("aerr_");
            counts.alert_content |= matches!(
                id,
                "alertTitle" | "message" | "parentPanel" | "buttonPanel" | "contentPanel"
            );
        }
    }

    fn end(&mut self) {
        let Some(open) = self.open.pop() else {
            return;
        };
        let Some(at) = open.node else { return };
        let count = self.shapes.len();
        let leaf = at + 1 == count;
        let Some(shape) = self.shapes.get_mut(at) else {
            return;
        };
        shape.end = u32::try_from(count).unwrap_or(u32::MAX);
        shape.paints |= leaf && shape.named;
        if shape.paints {
            shape.painted = shape.shown;
        }
        let shape = *shape;
        let parent = self.open.last().and_then(|open| open.node);
        if let Some(parent) = parent.and_then(|parent| self.shapes.get_mut(parent)) {
            parent.holds_action |= shape.holds_action;
            parent.painted = parent.painted.union(shape.painted);
        }
        if parent.is_none()
            && let Some(window) = self.windows.last_mut()
        {
            window.end = count;
        }
        if let Some(scrolls) = open.scrolls
            && scrolls.more != Some((false, false))
            && let Some(mut node) = self.builder.edit(NodeId::at(at))
        {
            let (own, content) = (shape.shown, open.content);
            let sideways = sideways(scrolls, own, content);
            let (back, on) = match sideways {
                true => (Direction::Left, Direction::Right),
                false => (Direction::Up, Direction::Down),
            };
            let (forward, backward) = scrolls.more.unwrap_or_else(|| {
                let seen = !content.is_empty() && !own.is_empty();
                match sideways {
                    true => (
                        seen && content.right > own.right,
                        seen && content.left < own.left,
                    ),
                    false => (
                        seen && content.bottom > own.bottom,
                        seen && content.top < own.top,
                    ),
                }
            });
            if backward {
                node.hidden_content(back);
            }
            if forward {
                node.hidden_content(on);
            }
        }
    }

    fn finish(mut self) -> Result<Decoded, DecodeError> {
        self.counts.nodes = self.shapes.len();
        self.counts.windows = self.windows.len();
        for window in &self.windows {
            match window.kind {
                window::APPLICATION => {
                    self.counts.app_windows += 1;
                    self.counts.in_app_windows += window.meaningful;
                    self.counts.of_apps_own += window.own;
                }
                window::SYSTEM if window.leads => {
                    self.counts.of_system_surface =
                        self.counts.of_system_surface.max(window.beside_bars);
                }
                _ => {}
            }
        }
        let content = Content::of(&self.counts, self.facts);
        let hollow = self.hollow(content);
        self.hide_stale_windows();
        let builder = &mut self.builder;
        let occlusion = if self.shapes.is_empty() {
            Occlusion::Scanned
        } else {
            cover::scan(&self.shapes, |node, by| {
                if let Some(mut node) = builder.edit(NodeId::at(node)) {
                    node.covered_by(NodeId::at(by)).flag(Flag::Hittable, false);
                }
            })
        };
        let display = self
            .facts
            .display
            .map(|(width, height)| Rect::new(0.0, 0.0, f64::from(width), f64::from(height)));
        let largest = || {
            let windows = self.windows.iter().filter_map(|window| window.bounds);
            windows.max_by_key(|bounds| bounds.area()).map(Edges::rect)
        };
        self.builder.derive_outside(display.or_else(largest));

        let source = match self.facts.source {
            "" => "helper",
            source => source,
        };
        let mut info = SnapshotInfo::default();
        info.quality = content.quality(source);
        info.producer = "android";
        info.viewport = display;
        info.scale = self.facts.scale;
        info.density = self.facts.density;
        info.truncated = self.truncated;
        info.app = self.front_app();
        info.keyboard = self.keyboard();
        info.system_surface = self.system_surface(content).map(str::to_owned);
        info.acquisition = self.facts.elapsed;
        Ok(Decoded {
            snapshot: self.builder.finish(info),
            content,
            counts: self.counts,
            hollow,
            occlusion,
        })
    }

    /// Of several windows of apps, those behind the one in front still have their nodes, and nobody can see them.
    fn hide_stale_windows(&mut self) {
        let app = |window: &&Window| window.kind == window::APPLICATION;
        if self.windows.len() < 2 {
            return;
        }
        let Some(front) = self
            .windows
            .iter()
            .filter(app)
            .filter(|window| window.leads)
            .map(|window| window.layer)
            .max()
        else {
            return;
        };
        for window in self.windows.iter().filter(app) {
            if window.leads && window.layer == front {
                continue;
            }
            for at in window.root..window.end {
                if let Some(mut node) = self.builder.edit(NodeId::at(at)) {
                    node.flag(Flag::VisibleToUser, false);
                }
                if let Some(shape) = self.shapes.get_mut(at) {
                    shape.shown = Edges::default();
                    shape.painted = Edges::default();
                }
            }
        }
    }

    fn front_app(&mut self) -> Option<String> {
        let apps = self
            .windows
            .iter_mut()
            .filter(|window| window.kind == window::APPLICATION);
        let front = apps.max_by_key(|window| (window.leads, window.layer));
        match front {
            Some(front) => front.package.take(),
            None => self.package.take(),
        }
    }

    /// The window in front, if no window of an app holds anything of its own; without what lies over its edges.
    fn hollow(&self, content: Content) -> Option<Rect> {
        if content != Content::Usable || self.counts.of_apps_own > 0 {
            return None;
        }
        let apps = self
            .windows
            .iter()
            .filter(|w| w.kind == window::APPLICATION);
        let front = apps.max_by_key(|window| (window.leads, window.layer))?;
        let mut free = front.bounds?;
        for bar in self
            .windows
            .iter()
            .filter(|w| w.kind != window::APPLICATION)
        {
            let over = bar.bounds.unwrap_or_default().intersection(free);
            if over.is_empty() || over.left > free.left || over.right < free.right {
                continue;
            }
            if over.top <= free.top {
                free.top = over.bottom;
            } else if over.bottom >= free.bottom {
                free.bottom = over.top;
            }
        }
        Some(free.rect()).filter(|rect| rect.is_usable())
    }

    /// What of the system has come over the app.
    fn system_surface(&self, content: Content) -> Option<&'static str> {
        let over = |window: &Window| window.kind == window::SYSTEM && window.leads;
        match content {
            Content::SystemSurface => Some("system-window"),
            Content::SystemDialog if self.windows.iter().any(over) => Some(SYSTEM_DIALOG),
            _ => None,
        }
    }

    /// The part of the screen that the keyboard takes. `Unknown` unless every window was looked at.
    fn keyboard(&self) -> Keyboard {
        let looked = !self.facts.active_window_only && !self.windows.is_empty() && !self.truncated;
        let missing = self.facts.missing_windows.as_ref();
        if !looked || missing.is_some_and(|missing| missing.contains(&window::INPUT_METHOD)) {
            return Keyboard::Unknown;
        }
        let mut frame = Edges::default();
        for window in &self.windows {
            if window.kind != window::INPUT_METHOD {
                continue;
            }
            match (window.bounds, window.region) {
                // A floating keyboard takes less than its window.
                (_, Some(false)) | (None, _) => return Keyboard::Unknown,
                (Some(bounds), _) if bounds.is_empty() => return Keyboard::Unknown,
                (Some(bounds), _) => frame = frame.union(bounds),
            }
        }
        if frame.is_empty() {
            Keyboard::Absent
        } else {
            Keyboard::Visible {
                frame: frame.rect(),
            }
        }
    }
}

/// How many elements begin in the document.
fn elements(document: &[u8]) -> usize {
    let begins = |at: &usize| {
        let next = document.get(at + 1);
        next.is_some_and(|next| !matches!(next, b'/' | b'?' | b'!'))
    };
    memchr_iter(b'<', document).filter(begins).count()
}

/// Whether a container scrolls sideways: by its class, or because its children stick out that way more than up and down.
fn sideways(scrolls: Scrolls, own: Edges, content: Edges) -> bool {
    let out = |low: i32, own_low: i32, high: i32, own_high: i32| {
        own_low
            .saturating_sub(low)
            .max(high.saturating_sub(own_high))
            .max(0)
    };
    if content.is_empty() || own.is_empty() {
        return scrolls.horizontal;
    }
    let across = out(content.left, own.left, content.right, own.right);
    let along = out(content.top, own.top, content.bottom, own.bottom);
    scrolls.horizontal || across > along && across > OVERFLOW
}

/// Whether a resource id has the shape that the build tools give it: such ids are on containers by the dozen.
fn is_generated(id: &str) -> bool {
    id.contains(":id/")
}

fn outside(node: &mut NodeBuilder<'_>, bounds: Edges, of: Edges) {
    for (side, beyond) in [
        (Direction::Up, bounds.bottom < of.top),
        (Direction::Down, bounds.top > of.bottom),
        (Direction::Left, bounds.right < of.left),
        (Direction::Right, bounds.left > of.right),
    ] {
        if beyond {
            node.outside(side);
        }
    }
}
