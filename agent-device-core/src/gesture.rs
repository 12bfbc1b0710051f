//! Gesture plans: what one or two pointers do, when and where, checked before anything is sent.
//!
//! Limits and defaults are those of the reference contract (spec of gestures and scroll): changing one changes what
//! recorded scripts do. Nothing here knows how a backend injects.

use std::time::Duration;

use serde::Serialize;

use crate::{
    dispatch::rows,
    error::{Error, ErrorCode, Result, reason},
    geometry::{Direction, Point, Rect},
    snapshot::Target,
};

/// Two-pointer plans have one sample for each frame of this length.
const FRAME: Duration = Duration::from_millis(16);
const FLING: Duration = Duration::from_millis(100);
const FLING_DISTANCE: f64 = 180.0;
const PAN: Duration = Duration::from_millis(500);
const PAN_LIMITS: (Duration, Duration) = (FRAME, Duration::from_secs(10));
const PINCH: Duration = Duration::from_millis(300);
const DRAG_HOLD: Duration = Duration::from_millis(800);
pub(crate) const LONGEST: Duration = Duration::from_secs(10);
/// Two fingers closer than this are taken for one.
const SMALLEST_SPAN: f64 = 48.0;

/// A pointer at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sample {
    /// Counted from the start of the gesture.
    #[serde(rename = "offsetMs", serialize_with = "crate::observe::millis")]
    pub offset: Duration,
    /// Where the pointer is, in the backend's coordinate unit.
    pub point: Point,
}

/// What the gesture means; some platforms inject by intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    /// A quick stroke that content follows on its own.
    Fling,
    /// A stroke at an even pace.
    Pan,
    /// An element is picked up, moved and put down.
    Drag,
    /// Two pointers move apart or together.
    Pinch,
    /// Two pointers turn.
    Rotate,
    /// Two pointers move, spread and turn.
    Transform,
    /// Any other movement.
    Custom,
}

/// A checked plan. Pointers go down at their first sample and up at their last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GesturePlan {
    intent: Intent,
    pointers: Vec<Vec<Sample>>,
}

impl GesturePlan {
    /// A plan from the samples of each pointer.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGS`, proven not sent: no pointer or more than two, fewer than two samples, offsets that don't rise or that
    /// start late, a plan of more than ten seconds, a coordinate that is not a number, two pointers that don't move in step.
    pub fn custom(pointers: Vec<Vec<Sample>>) -> Result<Self> {
        Self::checked(Intent::Custom, pointers)
    }

    fn checked(intent: Intent, pointers: Vec<Vec<Sample>>) -> Result<Self> {
        if !matches!(pointers.len(), 1 | 2) {
            return Err(Error::invalid(
                "pointers",
                format!("a gesture has 1 or 2 pointers, not {}", pointers.len()),
            ));
        }
        for samples in &pointers {
            if samples.len() < 2 {
                return Err(Error::invalid(
                    "samples",
                    "a pointer needs a sample where it goes down and one where it goes up",
                ));
            }
            if samples[0].offset != Duration::ZERO {
                return Err(Error::invalid("offsetMs", "the first sample is at 0"));
            }
            if samples
                .windows(2)
                .any(|pair| pair[0].offset > pair[1].offset)
            {
                return Err(Error::invalid("offsetMs", "offsets must not fall"));
            }
            drawable(samples.iter().map(|sample| sample.point))?;
        }
        let offsets = |samples: &Vec<Sample>| -> Vec<Duration> {
            samples.iter().map(|sample| sample.offset).collect()
        };
        if pointers.len() == 2 && offsets(&pointers[0]) != offsets(&pointers[1]) {
            return Err(Error::invalid(
                "offsetMs",
                "two pointers need samples at the same times",
            ));
        }
        let plan = Self { intent, pointers };
        if plan.duration() > LONGEST {
            return Err(Error::invalid("duration", "a gesture lasts 10 s at most"));
        }
        Ok(plan)
    }

    /// What it means.
    pub fn intent(&self) -> Intent {
        self.intent
    }

    /// The samples of each pointer.
    pub fn pointers(&self) -> &[Vec<Sample>] {
        &self.pointers
    }

    /// How long it takes.
    pub fn duration(&self) -> Duration {
        self.pointers
            .iter()
            .filter_map(|samples| samples.last())
            .map(|sample| sample.offset)
            .max()
            .unwrap_or_default()
    }

    /// Refuses a plan that leaves the viewport. The edges themselves belong to the system: one unit stays free. Nothing is
    /// clamped, because another path is another gesture.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGS` with reason `gesture_trajectory_out_of_bounds`, proven not sent.
    pub fn check_within(&self, viewport: Rect) -> Result<()> {
        let inner = viewport.inset(1.0);
        let outside = self
            .pointers
            .iter()
            .flatten()
            .find(|sample| !inner.contains(sample.point));
        match outside {
            None => Ok(()),
            Some(sample) => Err(Error::invalid("point", "the gesture leaves the viewport")
                .with_reason(reason::GESTURE_TRAJECTORY_OUT_OF_BOUNDS)
                .with_detail("sample", sample)
                .with_detail("viewport", viewport)),
        }
    }
}

/// A gesture in a caller's words. [`plan`](Self::plan) turns it into samples for a viewport.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Gesture {
    /// A quick stroke of 100 ms in a direction. `distance` defaults to 180, `from` to the middle of the screen.
    Fling {
        /// Where the finger goes.
        direction: Direction,
        /// Where it starts.
        from: Option<Point>,
        /// How far it goes.
        distance: Option<f64>,
    },
    /// A stroke across the screen: from 85 % to 15 % of the axis in the direction in which the finger goes.
    Swipe(Direction),
    /// A stroke at an even pace: 500 ms, 16 to 10000, with one or two pointers side by side.
    Pan {
        /// Where it starts.
        from: Point,
        /// Where it ends.
        to: Point,
        /// How long it takes.
        duration: Option<Duration>,
        /// How many pointers.
        pointers: usize,
    },
    /// Picks up what is at `from` and puts it down at `to`.
    Drag {
        /// Where it starts.
        from: Point,
        /// Where it ends.
        to: Point,
        /// How long the pointer rests before it moves: 800 ms.
        hold: Option<Duration>,
        /// How long the move takes: 500 ms.
        duration: Option<Duration>,
        /// How long the pointer rests before it goes up: 0 ms.
        hold_at_end: Duration,
    },
    /// Two pointers move apart (`scale` above 1) or together.
    Pinch {
        /// The middle between the pointers; default: of the screen.
        center: Option<Point>,
        /// The factor by which their distance grows.
        scale: f64,
    },
    /// Two pointers turn around their middle.
    Rotate {
        /// The middle between the pointers; default: of the screen.
        center: Option<Point>,
        /// Clockwise.
        degrees: f64,
    },
    /// Two pointers move, spread and turn at once.
    Transform {
        /// The middle between the pointers at the start.
        center: Point,
        /// How far the middle moves.
        delta: Point,
        /// The factor by which their distance grows.
        scale: f64,
        /// Clockwise.
        degrees: f64,
    },
    /// Samples of the caller's own.
    Custom(GesturePlan),
}

impl Gesture {
    /// The plan for this viewport.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGS`, proven not sent: an argument outside its limits, or a path that leaves the viewport.
    pub fn plan(&self, viewport: Rect) -> Result<GesturePlan> {
        let plan = match self {
            Self::Fling {
                direction,
                from,
                distance,
            } => {
                let from = from.unwrap_or(viewport.center());
                let distance = positive("distance", distance.unwrap_or(FLING_DISTANCE))?;
                stroke(Intent::Fling, from, step(from, *direction, distance), FLING)?
            }
            Self::Swipe(direction) => {
                let axis = |from: f64, length: f64, part: f64| from + length * part;
                let (start, end) = match direction {
                    Direction::Left | Direction::Up => (0.85, 0.15),
                    Direction::Right | Direction::Down => (0.15, 0.85),
                };
                let center = viewport.center();
                let at = |part| {
                    if direction.is_vertical() {
                        Point::new(center.x, axis(viewport.y, viewport.height, part))
                    } else {
                        Point::new(axis(viewport.x, viewport.width, part), center.y)
                    }
                };
                stroke(Intent::Fling, at(start), at(end), FLING)?
            }
            Self::Pan {
                from,
                to,
                duration,
                pointers,
            } => {
                let duration = within("duration", duration.unwrap_or(PAN), PAN_LIMITS)?;
                match pointers {
                    1 => stroke(Intent::Pan, *from, *to, duration)?,
                    2 => {
                        let delta = Point::new(to.x - from.x, to.y - from.y);
                        Twist {
                            intent: Intent::Pan,
                            center: *from,
                            delta,
                            scale: 1.0,
                            degrees: 0.0,
                            // Side by side, so that a vertical pan is not taken for a pinch.
                            start_degrees: 0.0,
                            duration,
                            part: 0.25,
                        }
                        .plan(viewport)?
                    }
                    other => {
                        return Err(Error::invalid(
                            "pointers",
                            format!("a pan has 1 or 2 pointers, not {other}"),
                        ));
                    }
                }
            }
            Self::Drag {
                from,
                to,
                hold,
                duration,
                hold_at_end,
            } => {
                let limits = (Duration::from_millis(1), LONGEST);
                let hold = within("hold", hold.unwrap_or(DRAG_HOLD), limits)?;
                let travel = within("duration", duration.unwrap_or(PAN), PAN_LIMITS)?;
                let rest = within("holdAtEnd", *hold_at_end, (Duration::ZERO, LONGEST))?;
                let mut samples = vec![
                    sample(Duration::ZERO, *from),
                    sample(hold, *from),
                    sample(hold + travel, *to),
                ];
                if !rest.is_zero() {
                    samples.push(sample(hold + travel + rest, *to));
                }
                GesturePlan::checked(Intent::Drag, vec![samples])?
            }
            Self::Pinch { center, scale } => Twist {
                intent: Intent::Pinch,
                center: center.unwrap_or(viewport.center()),
                delta: Point::default(),
                scale: positive("scale", *scale)?,
                degrees: 0.0,
                // Horizontal: scroll containers eat vertical pinches.
                start_degrees: 0.0,
                duration: PINCH,
                part: 0.40,
            }
            .plan(viewport)?,
            Self::Rotate { center, degrees } => Twist {
                intent: Intent::Rotate,
                center: center.unwrap_or(viewport.center()),
                delta: Point::default(),
                scale: 1.0,
                degrees: finite("degrees", *degrees)?,
                start_degrees: -90.0,
                duration: turn_duration(*degrees),
                part: 0.25,
            }
            .plan(viewport)?,
            Self::Transform {
                center,
                delta,
                scale,
                degrees,
            } => Twist {
                intent: Intent::Transform,
                center: *center,
                delta: *delta,
                scale: positive("scale", *scale)?,
                degrees: finite("degrees", *degrees)?,
                start_degrees: -90.0,
                duration: turn_duration(*degrees),
                part: 0.25,
            }
            .plan(viewport)?,
            Self::Custom(plan) => plan.clone(),
        };
        plan.check_within(viewport)?;
        Ok(plan)
    }
}

fn sample(offset: Duration, point: Point) -> Sample {
    Sample { offset, point }
}

fn step(from: Point, direction: Direction, by: f64) -> Point {
    match direction {
        Direction::Up => Point::new(from.x, from.y - by),
        Direction::Down => Point::new(from.x, from.y + by),
        Direction::Left => Point::new(from.x - by, from.y),
        Direction::Right => Point::new(from.x + by, from.y),
    }
}

fn stroke(intent: Intent, from: Point, to: Point, duration: Duration) -> Result<GesturePlan> {
    GesturePlan::checked(
        intent,
        vec![vec![sample(Duration::ZERO, from), sample(duration, to)]],
    )
}

/// Refuses a path with a coordinate that is no number.
fn drawable(points: impl IntoIterator<Item = Point>) -> Result<()> {
    let mut points = points.into_iter();
    points
        .try_for_each(Point::check)
        .map_err(|error| error.with_reason(reason::GESTURE_TRAJECTORY_NON_FINITE))
}

fn finite(field: &str, value: f64) -> Result<f64> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(
            Error::invalid(field, format!("{field} is not a finite number"))
                .with_reason(reason::GESTURE_TRAJECTORY_NON_FINITE),
        )
    }
}

fn positive(field: &str, value: f64) -> Result<f64> {
    if finite(field, value)? > 0.0 {
        Ok(value)
    } else {
        Err(Error::invalid(
            field,
            format!("{field} must be above 0, not {value}"),
        ))
    }
}

fn within(field: &str, value: Duration, limits: (Duration, Duration)) -> Result<Duration> {
    if (limits.0..=limits.1).contains(&value) {
        Ok(value)
    } else {
        Err(Error::invalid(
            field,
            format!(
                "{field} is {value:?}, allowed is {:?} to {:?}",
                limits.0, limits.1
            ),
        ))
    }
}

/// 16 ms for each 3 degrees, between 300 and 2400.
fn turn_duration(degrees: f64) -> Duration {
    let frames = (degrees.abs() / 3.0).ceil();
    let millis = (frames * 16.0).clamp(300.0, 2400.0);
    Duration::from_millis(if millis.is_finite() {
        millis as u64
    } else {
        300
    })
}

/// Two pointers around a middle.
struct Twist {
    intent: Intent,
    center: Point,
    delta: Point,
    scale: f64,
    degrees: f64,
    start_degrees: f64,
    duration: Duration,
    /// The larger span as a part of the shorter side of the viewport.
    part: f64,
}

impl Twist {
    fn plan(self, viewport: Rect) -> Result<GesturePlan> {
        for value in [self.center.x, self.center.y, self.delta.x, self.delta.y] {
            finite("point", value)?;
        }
        let largest = viewport.width.min(viewport.height) * self.part;
        let (start, end) = if self.scale >= 1.0 {
            (largest / self.scale, largest)
        } else {
            (largest, largest * self.scale)
        };
        if start.min(end) < SMALLEST_SPAN {
            return Err(Error::invalid(
                "scale",
                format!(
                    "the pointers would come closer than {SMALLEST_SPAN} ({:.0}); use a smaller change",
                    start.min(end)
                ),
            ));
        }
        let steps = ((self.duration.as_millis() / FRAME.as_millis()) as u32).max(3);
        let mut pointers = vec![Vec::new(), Vec::new()];
        for at in 0..=steps {
            let part = f64::from(at) / f64::from(steps);
            let span = start + (end - start) * part;
            let angle = (self.start_degrees + self.degrees * part).to_radians();
            let middle = Point::new(
                self.center.x + self.delta.x * part,
                self.center.y + self.delta.y * part,
            );
            let (dx, dy) = (angle.cos() * span / 2.0, angle.sin() * span / 2.0);
            let offset = self.duration * at / steps;
            pointers[0].push(sample(offset, Point::new(middle.x - dx, middle.y - dy)));
            pointers[1].push(sample(offset, Point::new(middle.x + dx, middle.y + dy)));
        }
        GesturePlan::checked(self.intent, pointers)
    }
}

/// How far to scroll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScrollAmount {
    /// A part of the container's length on the axis.
    Fraction(f64),
    /// So many of the backend's coordinate units.
    Pixels(f64),
}

impl Default for ScrollAmount {
    fn default() -> Self {
        Self::Fraction(0.6)
    }
}

/// One checked scroll. Backends with a wheel turn it by `distance` at `at`; the others swipe from `from` to `to`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScrollPlan {
    /// What comes into view: `Down` shows what lies below.
    pub direction: Direction,
    /// The container that should move; `None` for whatever lies at `at`.
    pub container: Option<Target>,
    /// The middle of the travel.
    pub at: Point,
    /// Where a finger goes down.
    pub from: Point,
    /// Where a finger goes up.
    pub to: Point,
    /// How far content should move: the honoured distance, at most 80 % of the container.
    pub distance: f64,
    /// How long a finger travels.
    pub duration: Duration,
}

/// The padding at each side keeps a swipe away from system edges; 5 % once pulled the notification shade.
const SCROLL_PADDING: f64 = 0.10;
const SCROLL_DURATION: Duration = Duration::from_millis(300);
/// A keyboard's reach above its frame.
const KEYBOARD_MARGIN: f64 = 12.0;
/// Less than this part of the surface above the keyboard can't be scrolled.
const SMALLEST_VISIBLE: f64 = 0.15;

impl ScrollPlan {
    /// A scroll of `surface`, the visible part of the container, kept above `keyboard`.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGS` for an amount that is not positive, `COMMAND_FAILED` with reason `scroll_keyboard_occludes_surface` when
    /// the keyboard leaves too little; both proven not sent.
    pub fn new(
        direction: Direction,
        amount: ScrollAmount,
        surface: Rect,
        container: Option<Target>,
        keyboard: Option<Rect>,
    ) -> Result<Self> {
        if !surface.is_usable() {
            return Err(Error::refused(
                rows::core::REFUSAL_BOUNDS,
                ErrorCode::CommandFailed,
                "the scroll container has no usable bounds",
            )
            .with_reason(reason::TARGET_BOUNDS_INVALID));
        }
        let surface = above_keyboard(surface, keyboard)?;
        let length = if direction.is_vertical() {
            surface.height
        } else {
            surface.width
        };
        let wanted = match amount {
            ScrollAmount::Fraction(part) => positive("amount", part)? * length,
            ScrollAmount::Pixels(pixels) => positive("pixels", pixels)?,
        };
        let longest = (length * (1.0 - 2.0 * SCROLL_PADDING)).max(1.0);
        let distance = wanted.min(longest).max(1.0).round();
        let at = surface.center();
        let half = distance / 2.0;
        // A finger goes against the direction in which content is to be seen.
        let from = step(at, direction, half);
        let to = step(at, direction.opposite(), half);
        let rounded = |point: Point| Point::new(point.x.round(), point.y.round());
        Ok(Self {
            direction,
            container,
            at: rounded(at),
            from: rounded(from),
            to: rounded(to),
            distance,
            duration: SCROLL_DURATION,
        })
    }
}

impl ScrollPlan {
    /// Its fields are public: whoever changed them is checked before they reach a device.
    pub(crate) fn check(&self) -> Result<()> {
        drawable([self.at, self.from, self.to])?;
        positive("distance", self.distance)?;
        within("duration", self.duration, (Duration::ZERO, LONGEST)).map(drop)
    }
}

fn above_keyboard(surface: Rect, keyboard: Option<Rect>) -> Result<Rect> {
    let Some(keyboard) = keyboard.filter(|keyboard| keyboard.intersection(surface).is_some())
    else {
        return Ok(surface);
    };
    let edge = keyboard.y - KEYBOARD_MARGIN;
    let visible = edge - surface.y;
    if visible < surface.height * SMALLEST_VISIBLE {
        return Err(Error::refused(
            rows::core::REFUSAL_KEYBOARD,
            ErrorCode::CommandFailed,
            "the keyboard covers what should scroll",
        )
        .with_reason(reason::SCROLL_KEYBOARD_OCCLUDES_SURFACE)
        .with_detail("keyboardMinY", keyboard.y)
        .with_detail("visibleHeight", visible.max(0.0))
        .with_detail("viewportHeight", surface.height));
    }
    Ok(Rect {
        height: visible.min(surface.height),
        ..surface
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Rect = Rect::new(0.0, 0.0, 400.0, 800.0);
    const MS: Duration = Duration::from_millis(1);

    fn reason_of<T: std::fmt::Debug>(result: Result<T>) -> Option<String> {
        let error = result.unwrap_err();
        assert!(
            error.dispatched().is_no(),
            "refused before anything is sent"
        );
        error.reason().map(str::to_owned)
    }

    #[test]
    fn a_fling_is_180_in_100_ms() {
        let fling = Gesture::Fling {
            direction: Direction::Left,
            from: None,
            distance: None,
        };
        let plan = fling.plan(SCREEN).unwrap();
        assert_eq!(
            plan.pointers(),
            [[
                sample(Duration::ZERO, Point::new(200.0, 400.0)),
                sample(MS * 100, Point::new(20.0, 400.0))
            ]]
        );
    }

    #[test]
    fn a_pinch_spreads_symmetrically_to_40_percent_of_the_shorter_side() {
        let pinch = Gesture::Pinch {
            center: None,
            scale: 2.0,
        };
        let plan = pinch.plan(SCREEN).unwrap();
        let span = |at: usize| {
            let [a, b] = plan.pointers() else { panic!() };
            assert_eq!(a[at].offset, b[at].offset);
            a[at].point.distance(b[at].point)
        };
        let last = plan.pointers()[0].len() - 1;
        assert_eq!((span(0), span(last)), (80.0, 160.0));
        assert_eq!((last, plan.duration()), (18, MS * 300));
    }

    #[test]
    fn a_turn_lasts_16_ms_for_each_3_degrees() {
        let duration = |degrees| {
            let center = None;
            Gesture::Rotate { center, degrees }
                .plan(SCREEN)
                .unwrap()
                .duration()
        };
        assert_eq!(duration(10.0), MS * 300);
        assert_eq!(duration(-90.0), MS * 480);
        assert_eq!(duration(100_000.0), MS * 2400);
    }

    #[test]
    fn bad_gestures_name_their_field() {
        let field = |result: Result<GesturePlan>| {
            let error = result.unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidArgs);
            assert!(error.dispatched().is_no());
            error.detail("field").unwrap().as_str().unwrap().to_owned()
        };
        let at = Point::new(100.0, 100.0);
        let pan = |pointers, to, duration| Gesture::Pan {
            from: at,
            to,
            duration,
            pointers,
        };
        assert_eq!(field(pan(3, at, None).plan(SCREEN)), "pointers");
        assert_eq!(field(pan(1, at, Some(MS)).plan(SCREEN)), "duration");
        assert_eq!(
            field(pan(1, Point::new(f64::NAN, 0.0), None).plan(SCREEN)),
            "point"
        );
        assert_eq!(
            field(pan(2, Point::new(0.0, f64::INFINITY), None).plan(SCREEN)),
            "point"
        );
        let pinch = |scale| {
            Gesture::Pinch {
                center: None,
                scale,
            }
            .plan(SCREEN)
        };
        assert_eq!(field(pinch(0.0)), "scale");
        assert_eq!(field(pinch(f64::NAN)), "scale");
        assert_eq!(field(pinch(0.1)), "scale");
        let one = vec![sample(Duration::ZERO, at), sample(MS, at)];
        assert_eq!(field(GesturePlan::custom(vec![])), "pointers");
        assert_eq!(field(GesturePlan::custom(vec![one.clone(); 3])), "pointers");
        assert_eq!(
            field(GesturePlan::custom(vec![one[..1].to_vec()])),
            "samples"
        );
        let falling = vec![one[0], sample(MS * 5, at), sample(MS, at)];
        assert_eq!(field(GesturePlan::custom(vec![falling])), "offsetMs");
        let longer = vec![one[0], sample(MS * 2, at)];
        assert_eq!(field(GesturePlan::custom(vec![one, longer])), "offsetMs");
    }

    #[test]
    fn a_path_that_leaves_the_viewport_is_refused_not_clamped() {
        let out = Gesture::Fling {
            direction: Direction::Left,
            from: Some(Point::new(100.0, 100.0)),
            distance: Some(99.5),
        };
        assert_eq!(
            reason_of(out.plan(SCREEN)).as_deref(),
            Some(reason::GESTURE_TRAJECTORY_OUT_OF_BOUNDS)
        );
    }

    #[test]
    fn a_scroll_travels_at_most_80_percent_around_the_middle() {
        let plan = |amount| ScrollPlan::new(Direction::Down, amount, SCREEN, None, None).unwrap();
        let default = plan(ScrollAmount::default());
        assert_eq!(default.distance, 480.0);
        assert_eq!((default.from.y, default.to.y), (640.0, 160.0));
        assert_eq!(plan(ScrollAmount::Pixels(5000.0)).distance, 640.0);
        assert_eq!(plan(ScrollAmount::Pixels(0.2)).distance, 1.0);
    }

    #[test]
    fn a_scroll_stays_above_the_keyboard_or_is_refused() {
        let with = |y| {
            let keyboard = Rect::new(0.0, y, 400.0, 800.0 - y);
            ScrollPlan::new(
                Direction::Down,
                ScrollAmount::default(),
                SCREEN,
                None,
                Some(keyboard),
            )
        };
        let plan = with(500.0).unwrap();
        assert!(plan.from.y < 488.0 && plan.distance == (488.0_f64 * 0.6).round());
        assert_eq!(
            reason_of(with(130.0)).as_deref(),
            Some(reason::SCROLL_KEYBOARD_OCCLUDES_SURFACE)
        );
    }
}
