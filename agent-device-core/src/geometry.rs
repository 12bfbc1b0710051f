//! Points, rectangles and directions on a screen.
//!
//! One coordinate space per backend: points on Apple platforms, physical pixels on Android, CSS pixels of the top
//! viewport in browsers. Nothing here converts between them, and nothing here knows what is drawn at a place.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A place on the screen, in the backend's coordinate unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Distance from the left edge.
    pub x: f64,
    /// Distance from the top edge.
    pub y: f64,
}

impl Point {
    /// The point at `x`, `y`.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// Whether both coordinates are numbers that a device can be sent.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }

    /// Refuses a coordinate that is no number, in the words that every caller hears.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::InvalidArgs`](crate::ErrorCode::InvalidArgs) that names the field `point`; nothing was sent.
    pub fn check(self) -> Result<()> {
        if self.is_finite() {
            Ok(())
        } else {
            Err(Error::invalid(
                "point",
                "a coordinate is not a finite number",
            ))
        }
    }

    /// The straight distance to `other`.
    pub fn distance(self, other: Point) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

/// An axis-parallel rectangle, in the backend's coordinate unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width; not positive means that the rectangle holds no point.
    pub width: f64,
    /// Height; not positive means that the rectangle holds no point.
    pub height: f64,
}

impl Rect {
    /// A rectangle from its top left corner and size.
    pub const fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self {
            x,
            y,
            width,
            height,
        }
    }

    /// The right edge.
    pub fn right(self) -> f64 {
        self.x + self.width
    }

    /// The bottom edge.
    pub fn bottom(self) -> f64 {
        self.y + self.height
    }

    /// The area, 0 for a rectangle that holds no point.
    pub fn area(self) -> f64 {
        if self.is_usable() {
            self.width * self.height
        } else {
            0.0
        }
    }

    /// Whether the rectangle is finite and has a positive size: only then can something in it be touched.
    pub fn is_usable(self) -> bool {
        self.x.is_finite()
            && self.y.is_finite()
            && self.width.is_finite()
            && self.height.is_finite()
            && self.width > 0.0
            && self.height > 0.0
            // Sums of finite numbers need not be finite.
            && self.right().is_finite()
            && self.bottom().is_finite()
    }

    /// The point in the middle.
    pub fn center(self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Whether `point` lies inside or on an edge.
    pub fn contains(self, point: Point) -> bool {
        point.x >= self.x
            && point.x <= self.right()
            && point.y >= self.y
            && point.y <= self.bottom()
    }

    /// Whether `point` lies inside; left and top edge belong to the rectangle, right and bottom edge don't.
    pub fn contains_half_open(self, point: Point) -> bool {
        point.x >= self.x && point.x < self.right() && point.y >= self.y && point.y < self.bottom()
    }

    /// Whether the two rectangles share a point; touching edges count.
    pub fn touches(self, other: Rect) -> bool {
        self.x <= other.right()
            && other.x <= self.right()
            && self.y <= other.bottom()
            && other.y <= self.bottom()
    }

    /// The common part, if it has a positive size.
    pub fn intersection(self, other: Rect) -> Option<Rect> {
        let x = self.x.max(other.x);
        let y = self.y.max(other.y);
        let common = Rect::new(
            x,
            y,
            self.right().min(other.right()) - x,
            self.bottom().min(other.bottom()) - y,
        );
        common.is_usable().then_some(common)
    }

    /// Whether every edge of the two rectangles agrees within `tolerance`.
    pub fn agrees(self, other: Rect, tolerance: f64) -> bool {
        (self.x - other.x).abs() <= tolerance
            && (self.y - other.y).abs() <= tolerance
            && (self.right() - other.right()).abs() <= tolerance
            && (self.bottom() - other.bottom()).abs() <= tolerance
    }

    /// The rectangle made smaller by `by` on each side.
    pub fn inset(self, by: f64) -> Rect {
        Rect::new(
            self.x + by,
            self.y + by,
            self.width - 2.0 * by,
            self.height - 2.0 * by,
        )
    }

    /// How far `point` lies inside, measured to the nearest edge; negative outside.
    pub fn depth_of(self, point: Point) -> f64 {
        (point.x - self.x)
            .min(self.right() - point.x)
            .min(point.y - self.y)
            .min(self.bottom() - point.y)
    }

    /// The distance from `point` to the rectangle, 0 inside.
    pub fn distance_to(self, point: Point) -> f64 {
        let dx = (self.x - point.x).max(point.x - self.right()).max(0.0);
        let dy = (self.y - point.y).max(point.y - self.bottom()).max(0.0);
        dx.hypot(dy)
    }

    /// The edge of `self` beyond which `point` lies farthest, `None` for a point inside.
    pub fn overshoot(self, point: Point) -> Option<Direction> {
        let candidates = [
            (self.y - point.y, Direction::Up),
            (point.y - self.bottom(), Direction::Down),
            (self.x - point.x, Direction::Left),
            (point.x - self.right(), Direction::Right),
        ];
        candidates
            .into_iter()
            .filter(|(by, _)| *by > 0.0)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, direction)| direction)
    }
}

/// A direction on the screen. Scrolling `Down` brings content from below into view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Towards the top edge.
    Up,
    /// Towards the bottom edge.
    Down,
    /// Towards the left edge.
    Left,
    /// Towards the right edge.
    Right,
}

impl Direction {
    /// All four.
    pub const ALL: [Direction; 4] = [Self::Up, Self::Down, Self::Left, Self::Right];

    /// The direction that leads back.
    pub fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    /// Whether the direction runs along the y axis.
    pub fn is_vertical(self) -> bool {
        matches!(self, Self::Up | Self::Down)
    }

    /// The word used on the wire: `up`, `down`, `left` or `right`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}
