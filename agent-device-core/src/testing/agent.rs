//! The far end of the transport: it knows commands by their id, checks what they are meant for, and hands them to the app as
//! touches and keys.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

use super::{
    app::{APP, App, Field, Phase, Refusal, Scene},
    link::Link,
};
use crate::{
    action::{Action, FieldState, OpenTarget, Touch},
    geometry::Point,
    gesture::GesturePlan,
    snapshot::TextField,
};

/// How many commands are remembered. A transport that delivers twice does so at once.
const REMEMBERED: usize = 64;
const BETWEEN_TAPS: Duration = Duration::from_millis(60);

/// One input of an action.
#[derive(Clone, Copy, Debug)]
pub(super) enum Input<'a> {
    /// All of an action.
    Act(&'a Action),
    /// Select all and delete, in the field that has the focus.
    ClearFocused,
}

/// What an input did.
#[derive(Clone, Debug, Default)]
pub(super) struct Done {
    pub(super) field: Option<FieldState>,
    pub(super) opened_windows: Vec<String>,
    pub(super) moved: f64,
}

/// What the device says to an input.
pub(super) type Answer = Result<Done, Refusal>;

/// The process on the device.
pub(super) struct Agent {
    pub(super) app: App,
    journal: VecDeque<(u64, Answer)>,
    /// The process has just started and refuses the next connection.
    starting: bool,
}

impl Agent {
    pub(super) fn new(app: App) -> Self {
        Self {
            app,
            journal: VecDeque::new(),
            starting: false,
        }
    }

    /// The process dies and is started again. What it remembered is gone; the app lives on.
    pub(super) fn restart(&mut self) {
        self.journal.clear();
        self.starting = true;
    }

    /// The process has had all the time that it needs to start.
    pub(super) fn settle(&mut self) {
        self.starting = false;
    }

    /// Whether a connection is accepted now.
    pub(super) fn accepts(&mut self) -> bool {
        !std::mem::take(&mut self.starting)
    }

    /// Runs a command, or answers as before if it has run already.
    pub(super) fn run(&mut self, id: u64, input: Input<'_>, now: Instant) -> Answer {
        if let Some((_, answer)) = self.journal.iter().find(|(known, _)| *known == id) {
            return answer.clone();
        }
        let answer = self.act(input, now);
        if self.journal.len() == REMEMBERED {
            self.journal.pop_front();
        }
        self.journal.push_back((id, answer.clone()));
        answer
    }

    fn act(&mut self, input: Input<'_>, now: Instant) -> Answer {
        let action = match input {
            Input::Act(action) => action,
            Input::ClearFocused => {
                let field = self.app.clear_focused()?;
                return Ok(self.field_done(field));
            }
        };
        let windows = self.app.windows().len();
        let offset = self.app.offset();
        let mut done = Done::default();
        match action {
            Action::Tap(touch) => {
                self.check(touch, now)?;
                self.tap(touch.point, now);
            }
            Action::DoubleTap(touch) => {
                self.check(touch, now)?;
                self.tap(touch.point, now);
                self.tap(touch.point, now + BETWEEN_TAPS);
            }
            Action::LongPress(touch, duration) => {
                self.check(touch, now)?;
                self.app.touch(0, Phase::Down, touch.point, now);
                self.app.touch(0, Phase::Up, touch.point, now + *duration);
            }
            Action::Focus(touch) => {
                self.field_at(touch, now)?;
                self.tap(touch.point, now);
            }
            Action::Fill(touch, text) => {
                let field = self.field_at(touch, now)?;
                self.app.set_focus(field);
                self.app.put_text(field, text.expose());
                done = self.field_done(field);
            }
            Action::TypeText(text) => {
                let field = self.app.type_text(text.expose())?;
                done = self.field_done(field);
            }
            Action::Scroll(plan) => {
                self.on_screen(plan.from)?;
                self.app.touch(0, Phase::Down, plan.from, now);
                let end = now + plan.duration;
                self.app.touch(0, Phase::Move, plan.to, end);
                self.app.touch(0, Phase::Up, plan.to, end);
            }
            Action::Gesture(plan) => self.play(plan, now)?,
            Action::Back => self.app.back(now),
            Action::Home => self.app.go_home(),
            Action::Open(OpenTarget::Url(url)) => {
                let link: Link = url.parse().map_err(|_| Refusal::BadLink)?;
                self.app
                    .open_link(&link, now)
                    .map_err(|_| Refusal::BadLink)?;
            }
            Action::Open(OpenTarget::App(app)) => {
                known(app)?;
                self.app.launch("");
            }
            Action::Close(app) => {
                app.as_deref().map_or(Ok(()), known)?;
                self.app.close(now);
            }
            Action::AcceptAlert(text) => {
                let text = text.as_ref().map(|text| text.expose());
                self.app.answer(true, text, now)?;
            }
            Action::DismissAlert => self.app.answer(false, None, now)?,
            Action::KeyboardDismiss => self.app.dismiss_keyboard(),
            Action::KeyboardEnter => self.app.enter()?,
            Action::SetOrientation(orientation) => self.app.turn(*orientation),
            Action::WriteClipboard(text) => self.app.copy(text.expose()),
            Action::SelectWindow(id) => self.app.select_window(id)?,
            _ => return Err(Refusal::UnknownCommand),
        }
        let opened = self.app.windows().into_iter().skip(windows);
        done.opened_windows = opened.map(|(id, _)| id).collect();
        done.moved = (self.app.offset() - offset).abs();
        Ok(done)
    }

    fn tap(&mut self, point: Point, at: Instant) {
        self.app.touch(0, Phase::Down, point, at);
        self.app.touch(0, Phase::Up, point, at);
    }

    fn play(&mut self, plan: &GesturePlan, now: Instant) -> Result<(), Refusal> {
        for sample in plan.pointers().iter().flatten() {
            self.on_screen(sample.point)?;
        }
        let steps = plan.pointers().iter().map(Vec::len).max().unwrap_or(0);
        for step in 0..steps {
            for (pointer, samples) in plan.pointers().iter().enumerate() {
                let Some(sample) = samples.get(step) else {
                    continue;
                };
                let phase = match step {
                    0 => Phase::Down,
                    _ if step + 1 == samples.len() => Phase::Up,
                    _ => Phase::Move,
                };
                self.app
                    .touch(pointer, phase, sample.point, now + sample.offset);
            }
        }
        Ok(())
    }

    fn on_screen(&self, point: Point) -> Result<(), Refusal> {
        let inside = point.is_finite() && self.app.viewport().contains_half_open(point);
        inside.then_some(()).ok_or(Refusal::OffScreen)
    }

    /// What is meant must be what is there. It is looked at now, on the screen, not in the tree of some time ago.
    fn check(&self, touch: &Touch, now: Instant) -> Result<Scene, Refusal> {
        self.on_screen(touch.point)?;
        let scene = self.app.scene(now);
        if let Some(handle) = handle(touch) {
            let there = scene
                .find(handle)
                .is_some_and(|at| scene.takes_touch(at, touch.point));
            if !there {
                return Err(Refusal::Gone);
            }
        }
        Ok(scene)
    }

    fn field_at(&self, touch: &Touch, now: Instant) -> Result<Field, Refusal> {
        let scene = self.check(touch, now)?;
        let at = match handle(touch) {
            Some(handle) => scene.find(handle),
            None => scene.target_at(touch.point),
        };
        at.and_then(|at| scene.elements[at].field())
            .ok_or(Refusal::NoField)
    }

    fn field_done(&self, field: Field) -> Done {
        let text = self.app.text_of(field);
        let state = if field.is_secure() {
            FieldState::Length(text.chars().count())
        } else {
            FieldState::Text(text)
        };
        Done {
            field: Some(state),
            ..Done::default()
        }
    }
}

fn handle(touch: &Touch) -> Option<&str> {
    touch.target.as_ref()?.node().text_field(TextField::Handle)
}

fn known(app: &str) -> Result<(), Refusal> {
    (app == APP).then_some(()).ok_or(Refusal::NoApp)
}
