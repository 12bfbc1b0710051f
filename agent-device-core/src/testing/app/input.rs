//! What touches mean: the app sees pointers go down, move and up, and decides by its own layers what they hit.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Act, App, Ask, Dialog, EventKind, Screen};
use crate::geometry::Point;

/// A finger that moves less than this stays where it is.
const SLOP: f64 = 8.0;
const DOUBLE_TAP: Duration = Duration::from_millis(400);
const LONG_PRESS: Duration = Duration::from_millis(500);

/// What a pointer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::testing) enum Phase {
    Down,
    Move,
    Up,
}

/// Pointers from the first one down to the last one up.
#[derive(Debug)]
pub(super) struct Contact {
    start: Instant,
    /// The key of what the first pointer hit.
    hit: Option<String>,
    tracks: Vec<Track>,
}

#[derive(Debug, Default)]
struct Track {
    samples: Vec<(Duration, Point)>,
    up: bool,
}

/// A tap that may become half of a double tap.
#[derive(Debug)]
pub(super) struct LastTap {
    key: String,
    at: Instant,
}

impl App {
    /// One pointer does something at a time.
    pub(in crate::testing) fn touch(
        &mut self,
        pointer: usize,
        phase: Phase,
        point: Point,
        at: Instant,
    ) {
        if self.contact.is_none() {
            if phase != Phase::Down {
                return;
            }
            let scene = self.scene(at);
            let hit = scene
                .target_at(point)
                .map(|hit| scene.elements[hit].key.clone());
            self.contact = Some(Contact {
                start: at,
                hit,
                tracks: Vec::new(),
            });
        }
        let Some(contact) = &mut self.contact else {
            return;
        };
        while contact.tracks.len() <= pointer {
            contact.tracks.push(Track::default());
        }
        let track = &mut contact.tracks[pointer];
        track.samples.push((at - contact.start, point));
        track.up |= phase == Phase::Up;
        if contact.tracks.iter().all(|track| track.up)
            && let Some(contact) = self.contact.take()
        {
            self.recognise(&contact, at);
        }
    }

    fn recognise(&mut self, contact: &Contact, at: Instant) {
        let start = contact.start;
        let down = self.scene(start);
        let hit = contact.hit.as_deref().and_then(|key| down.find(key));
        if let Some(hit) = hit
            && down.elements[hit].act == Some(Act::Pad)
        {
            let name = down.elements[hit].name.clone();
            self.record(&name, EventKind::Stroke, stroke(contact));
            self.state().strokes += 1;
            return;
        }
        let [track] = contact.tracks.as_slice() else {
            return;
        };
        let (Some((_, first)), Some((held, last))) = (track.samples.first(), track.samples.last())
        else {
            return;
        };
        let travel = track
            .samples
            .iter()
            .map(|(_, point)| point.distance(*first));
        if travel.fold(0.0, f64::max) > SLOP {
            self.scroll(*first, last.y - first.y, at);
            return;
        }
        // A control reacts when the finger leaves it, if it is still the one that is there.
        let up = self.scene(at);
        let target = up
            .target_at(*last)
            .filter(|target| Some(up.elements[*target].key.as_str()) == contact.hit.as_deref());
        if let Some(target) = target
            && let Some(act) = up.elements[target].act
            && up.elements[target].enabled != Some(false)
        {
            let element = &up.elements[target];
            let press = Press {
                name: &element.name,
                key: &element.key,
                point: *last,
                held: *held,
                at,
            };
            self.press(act, &press);
        }
    }

    fn scroll(&mut self, from: Point, finger: f64, at: Instant) {
        let Some(scroll) = self.scene(at).scroller_at(from).filter(|it| it.moves) else {
            return;
        };
        let offset = (scroll.offset - finger).clamp(0.0, scroll.max);
        if offset == scroll.offset {
            return;
        }
        self.record(
            scroll.name,
            EventKind::Scroll,
            json!({ "x": 0.0, "y": offset }),
        );
        self.state().offsets.insert(scroll.name, offset);
        self.load_pages(offset >= scroll.max, at);
    }

    fn press(&mut self, act: Act, press: &Press<'_>) {
        let place = json!({ "x": press.point.x, "y": press.point.y });
        let name = press.name;
        let last_tap = self.last_tap.take();
        match act {
            Act::Dead | Act::Pad => return,
            Act::HoldZone if press.held >= LONG_PRESS => {
                self.record(name, EventKind::LongPress, place);
                return;
            }
            Act::DoubleZone => {
                let doubled = last_tap.is_some_and(|last| {
                    last.key == press.key && press.at.duration_since(last.at) <= DOUBLE_TAP
                });
                if doubled {
                    self.log.take_back(name, EventKind::Tap);
                    self.record(name, EventKind::DoubleTap, place);
                } else {
                    self.record(name, EventKind::Tap, place);
                    self.last_tap = Some(LastTap {
                        key: press.key.to_owned(),
                        at: press.at,
                    });
                }
                return;
            }
            // These log what they do instead of the tap.
            Act::AnswerAlert(button) => return self.answer_alert(button, None),
            Act::AnswerDialog(button) => return self.answer_dialog(button, press.at),
            Act::Wifi => {
                self.state().wifi ^= true;
                let on = self.state().wifi;
                return self.record(name, EventKind::Toggle, json!(on));
            }
            Act::Terms => {
                self.state().terms ^= true;
                let on = self.state().terms;
                return self.record(name, EventKind::Toggle, json!(on));
            }
            _ => self.record(name, EventKind::Tap, place),
        }
        match act {
            Act::Count => self.state().taps += 1,
            Act::Focus(field) => self.set_focus(field),
            Act::SignIn => {
                let email = self.text_of(super::Field::Email);
                let state = self.state();
                state.welcome = Some(email);
                state.sign_ins += 1;
            }
            Act::AcceptSheet => self.state().sheet = false,
            Act::ToggleDrawer => self.state().drawer ^= true,
            Act::SelectTab(tab) => self.state().tab = tab,
            Act::Ask(ask) => {
                let state = self.state();
                state.focus = None;
                state.deleted = 0;
                state.alerts.push_back(ask);
                if ask == Ask::DeleteTwo {
                    state.alerts.push_back(Ask::DeleteNext);
                }
            }
            Act::ShowDialog(dialog) => self.show_dialog(dialog),
            Act::Open(screen) => self.open(screen, name, press.at),
            Act::OpenWindow => self.open_window(press.at),
            Act::TurnPage => {
                self.record(name, EventKind::Navigate, json!("stale"));
                self.lag(Screen::Stale, press.at);
                self.state().turned = true;
            }
            Act::Launch => self.launch(name),
            _ => {}
        }
    }

    /// Shows a dialog of the system over the app.
    pub(in crate::testing) fn show_dialog(&mut self, dialog: Dialog) {
        let state = self.state();
        state.focus = None;
        state.dialog = Some(dialog);
    }
}

/// A tap that has ended on the element on which it began.
struct Press<'a> {
    name: &'a str,
    key: &'a str,
    point: Point,
    held: Duration,
    at: Instant,
}

fn stroke(contact: &Contact) -> Value {
    let millis = |offset: &Duration| offset.as_secs_f64() * 1000.0;
    let points: Vec<Vec<Value>> = contact
        .tracks
        .iter()
        .map(|track| {
            let sample =
                |(offset, point): &(Duration, Point)| json!([millis(offset), point.x, point.y]);
            track.samples.iter().map(sample).collect()
        })
        .collect();
    let ends = contact.tracks.iter().flat_map(|track| track.samples.last());
    let duration = ends.map(|(offset, _)| millis(offset)).fold(0.0, f64::max);
    json!({ "pointers": points.len(), "duration": duration, "points": points })
}
