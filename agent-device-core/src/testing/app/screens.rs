//! How the screens look: rectangles on a portrait screen of 400 by 800, or 800 by 400 on its side.

use tokio::time::Instant;

use super::{
    APP, Act, App, Ask, Dialog, Element, Field, LAUNCHER, Scene, Screen, State, Window,
    scene::Scroll, title_of,
};
use crate::{geometry::Rect, role::Role, testing::link::Knob};

/// Bars over the content.
const BAR: u8 = 1;
/// Sheets and drawers over the bars.
const SHEET: u8 = 2;
/// Alerts of the app.
const ALERT: u8 = 3;
/// Dialogs of the system.
const SYSTEM: u8 = 4;

const MARGIN: f64 = 16.0;
const TOP: f64 = 80.0;
const CONTROL: f64 = 48.0;
/// From one control of a stack to the next.
const STEP: f64 = 60.0;
const BAR_HEIGHT: f64 = 64.0;
const ROW: f64 = 48.0;

/// How many pages `reveal` has.
const PAGES: u32 = 3;
/// The first page is longer than the screen; each further one adds less than one scroll of 60 % moves.
const FIRST_PAGE: u32 = 24;
const NEXT_PAGE: u32 = 8;

/// The place of the `n`th control of a stack.
fn slot(n: u32) -> Rect {
    Rect::new(MARGIN, TOP + f64::from(n) * STEP, 368.0, CONTROL)
}

impl App {
    /// What is on the screen.
    pub(in crate::testing) fn scene(&self, now: Instant) -> Scene {
        let viewport = self.viewport();
        if !self.in_front {
            let mut scene = Scene::new(viewport, LAUNCHER, "Launcher".to_owned(), 0);
            let icon = Rect::new(MARGIN, TOP, 80.0, 80.0);
            scene.add(Element::button("launch", super::NAME, icon, Act::Launch));
            return scene;
        }
        let window = self.window();
        let mut scene = Scene::new(viewport, APP, title_of(window.screen), self.process);
        self.draw(window, &mut scene, now);
        alert(&window.state, &mut scene);
        scene.keyboard = self.keyboard();
        scene
    }

    fn draw(&self, window: &Window, scene: &mut Scene, now: Instant) {
        let state = &window.state;
        let since = now.saturating_duration_since(state.opened);
        match window.screen {
            Screen::Home => home(scene),
            Screen::Counter => counter(state, scene),
            Screen::Login => self.login(state, scene),
            Screen::Longtext => {
                let place = Rect::new(MARGIN, TOP, 368.0, 300.0);
                self.field(Field::Note, place, scene);
            }
            Screen::Late => {
                if since >= self.knobs.millis(Knob::Delay) {
                    let act = Act::Open(Screen::Done);
                    scene.add(Element::button("continue", "Continue", slot(0), act));
                }
            }
            Screen::Done => {
                scene.add(Element::text("done", "Done", slot(0)));
            }
            Screen::Never | Screen::Frames => {}
            Screen::Vanish => {
                let there = self.knobs.millis(Knob::Appear)..self.knobs.millis(Knob::Leave);
                if there.contains(&since) {
                    scene.add(Element::button("gone", "Gone", slot(0), Act::Tap));
                }
            }
            Screen::Covered => covered(state, scene),
            Screen::Drawer => drawer(state, self.knobs.get(Knob::Twin) == 1, scene),
            Screen::Rows => rows(scene),
            Screen::Wrapper => wrapper(scene),
            Screen::Childbutton => childbutton(scene),
            Screen::List => list(state, scene),
            Screen::Reveal => self.reveal(state, scene, now),
            Screen::End => end(scene),
            Screen::Toggle => toggle(state, scene),
            Screen::Alert => {
                for (at, (ask, label)) in [
                    (Ask::Delete, "Delete item"),
                    (Ask::DeleteTwo, "Delete two"),
                    (Ask::Rename, "Rename"),
                    (Ask::Notice, "Notice"),
                ]
                .into_iter()
                .enumerate()
                {
                    let act = Act::Ask(ask);
                    scene.add(Element::button(ask.opener(), label, slot(at as u32), act));
                }
                let result = format!("Result: {}", state.result);
                scene.add(Element::text("result", result, slot(4)));
            }
            Screen::Keyboard => {
                self.field(
                    Field::Message,
                    Rect::new(MARGIN, MARGIN, 368.0, CONTROL),
                    scene,
                );
                tab_bar(state, scene);
            }
            Screen::Animate => {
                let frame = since.as_millis() / 50;
                scene.add(Element::button("still", "Still", slot(0), Act::Tap));
                let x = MARGIN + (since.as_millis() % 3000) as f64 / 10.0;
                let ball = Rect::new(x, 160.0, 40.0, 40.0);
                scene.add(Element::new(Role::Image, ball).id("mover").label("Mover"));
                scene.add(Element::text("ticker", format!("Frame {frame}"), slot(3)));
            }
            Screen::Slow => {
                scene.add(Element::button("slow", "Slow", slot(0), Act::Tap));
            }
            Screen::Sparse => {
                scene.add(Element::button("back", "Back", slot(0), Act::Tap));
            }
            Screen::Stale => stale(state, scene),
            Screen::Deep => deep(self.knobs.get(Knob::Depth), scene),
            Screen::Zoo => {
                for (at, (id, label)) in crate::testing::zoo().into_iter().enumerate() {
                    let place = Rect::new(0.0, 8.0 + at as f64 * 44.0, 400.0, 40.0);
                    scene.add(Element::button(id, label, place, Act::Tap));
                }
            }
            Screen::Gesture => {
                let place = Rect::new(20.0, 100.0, 360.0, 500.0);
                let pad = Element::new(Role::Group, place).id("pad").label("Pad");
                scene.add(pad.act(Act::Pad));
                let strokes = format!("Strokes: {}", state.strokes);
                let place = Rect::new(20.0, 620.0, 360.0, 24.0);
                scene.add(Element::text("strokes", strokes, place));
            }
            Screen::Windows => {
                let mut link = Element::button("open-tab", "Open tab", slot(0), Act::OpenWindow);
                link.role = Role::Link;
                scene.add(link);
            }
            Screen::Opened => {
                scene.add(heading(
                    "",
                    "Opened",
                    Rect::new(MARGIN, MARGIN, 368.0, 40.0),
                ));
                scene.add(Element::button("in-tab", "In the tab", slot(0), Act::Tap));
            }
            Screen::System => {
                let ask = Act::ShowDialog(Dialog::Permission);
                let hang = Act::ShowDialog(Dialog::NotResponding);
                let id = Dialog::Permission.opener();
                scene.add(Element::button(id, "Ask permission", slot(0), ask));
                let id = Dialog::NotResponding.opener();
                scene.add(Element::button(id, "Stop responding", slot(1), hang));
                scene.add(Element::button("after", "After", slot(2), Act::Tap));
                let camera = format!("Camera: {}", state.result);
                scene.add(Element::text("camera", camera, slot(3)));
            }
        }
    }

    fn field(&self, field: Field, place: Rect, scene: &mut Scene) {
        let role = match field {
            _ if field.is_secure() => Role::SecureTextField,
            Field::Note => Role::TextView,
            _ => Role::TextField,
        };
        let text = self.text_of(field);
        let mut element = Element::new(role, place)
            .id(field.id())
            .act(Act::Focus(field));
        element.placeholder = Some(field.hint());
        element.hint_showing = Some(text.is_empty());
        element.focused = Some(self.focus() == Some(field));
        element.secure = field.is_secure();
        element.value = (!field.is_secure()).then_some(text);
        scene.add(element);
    }

    fn login(&self, state: &State, scene: &mut Scene) {
        for (at, field) in [Field::Email, Field::Password, Field::Phone, Field::City]
            .into_iter()
            .enumerate()
        {
            self.field(field, slot(at as u32), scene);
        }
        let ready = [Field::Email, Field::Password]
            .into_iter()
            .all(|field| !self.text_of(field).is_empty());
        let sign_in = Element::button("sign-in", "Sign in", slot(4), Act::SignIn);
        scene.add(sign_in.enabled(ready));
        if let Some(email) = &state.welcome {
            let place = Rect::new(MARGIN, 384.0, 368.0, 24.0);
            scene.add(Element::text("welcome", format!("Welcome, {email}"), place));
        }
        let place = Rect::new(MARGIN, 416.0, 368.0, 24.0);
        let count = format!("Sign-ins: {}", state.sign_ins);
        scene.add(Element::text("sign-ins", count, place));
    }

    /// How many pages of `reveal` are there.
    fn pages(&self, state: &State, now: Instant) -> u32 {
        let due = |since: Instant| now >= since + self.knobs.millis(Knob::Load);
        state.pages + u32::from(state.loading.is_some_and(due))
    }

    /// Loads the next page of `reveal` when the end is reached.
    pub(super) fn load_pages(&mut self, at_end: bool, now: Instant) {
        if self.window().screen != Screen::Reveal {
            return;
        }
        let pages = self.pages(&self.window().state, now);
        let state = self.state();
        if pages > state.pages {
            (state.pages, state.loading) = (pages, None);
        }
        if at_end && state.loading.is_none() && state.pages < PAGES {
            state.loading = Some(now);
        }
    }

    fn reveal(&self, state: &State, scene: &mut Scene, now: Instant) {
        let pages = self.pages(state, now);
        let mut rows: Vec<_> = (1..=FIRST_PAGE + (pages - 1) * NEXT_PAGE)
            .map(|n| (format!("item-{n}"), format!("Item {n}")))
            .collect();
        if pages == PAGES {
            rows.push(("feed-end".to_owned(), "End of feed".to_owned()));
        }
        let place = above_bar(scene);
        scroller("feed", place, rows, state, scene);
        let place = Rect::new(0.0, place.bottom(), place.width, BAR_HEIGHT);
        let bar = Element::text("pages", format!("Pages: {pages}"), place);
        scene.add(bar.layer(BAR));
    }
}

fn heading(id: &'static str, label: &str, place: Rect) -> Element {
    let mut heading = Element::new(Role::Heading, place).id(id).label(label);
    heading.level = 1;
    heading
}

fn home(scene: &mut Scene) {
    let place = Rect::new(MARGIN, 8.0, 368.0, 40.0);
    scene.add(heading("", super::NAME, place));
    for (at, screen) in Screen::rows().filter(|it| super::shows(*it)).enumerate() {
        let place = Rect::new(0.0, 56.0 + at as f64 * 28.0, scene.viewport.width, 28.0);
        let row = Element::new(Role::Cell, place)
            .id(format!("open-{screen}"))
            .label(screen.as_str());
        scene.add(row.act(Act::Open(screen)));
    }
}

fn counter(state: &State, scene: &mut Scene) {
    let label = format!("Counter: {}", state.taps);
    scene.add(Element::button("counter", label, slot(0), Act::Count));
    scene.add(Element::button("dead", "Dead", slot(1), Act::Dead));
    let zones = [
        ("double", "Double", Act::DoubleZone),
        ("hold", "Hold", Act::HoldZone),
    ];
    for (at, (id, label, act)) in zones.into_iter().enumerate() {
        let place = Rect::new(MARGIN + at as f64 * 192.0, 208.0, 176.0, 120.0);
        scene.add(Element::button(id, label, place, act));
    }
}

fn covered(state: &State, scene: &mut Scene) {
    let place = Rect::new(MARGIN, 600.0, 368.0, CONTROL);
    scene.add(Element::button("pay", "Pay", place, Act::Tap));
    if state.sheet {
        let (place, half) = (scene.viewport, scene.viewport.height / 2.0);
        let place = Rect::new(0.0, half, place.width, half);
        let sheet = Element::new(Role::Sheet, place)
            .id("sheet")
            .label("Terms of payment")
            .layer(SHEET);
        let sheet = scene.add(sheet);
        let text = Rect::new(MARGIN, place.y + MARGIN, 368.0, 24.0);
        scene.add_in(
            sheet,
            Element::text("", "Please accept the terms first.", text),
        );
        let place = Rect::new(MARGIN, place.bottom() - 80.0, 368.0, CONTROL);
        scene.add_in(
            sheet,
            Element::button("accept", "Accept", place, Act::AcceptSheet),
        );
    }
}

fn drawer(state: &State, twin: bool, scene: &mut Scene) {
    let place = Rect::new(0.0, 0.0, scene.viewport.width, 56.0);
    let toolbar = scene.add(Element::new(Role::Toolbar, place).layer(BAR));
    let place = Rect::new(8.0, 4.0, 88.0, CONTROL);
    scene.add_in(
        toolbar,
        Element::button("menu", "Menu", place, Act::ToggleDrawer),
    );
    if twin {
        let place = Rect::new(296.0, 4.0, 96.0, CONTROL);
        scene.add_in(
            toolbar,
            Element::button("settings-twin", "Settings", place, Act::Tap),
        );
    }
    let x = if state.drawer { 0.0 } else { -320.0 };
    let place = Rect::new(x, 0.0, 320.0, scene.viewport.height);
    let drawer = scene.add(Element::new(Role::Group, place).id("drawer").layer(SHEET));
    let place = Rect::new(x, 120.0, 320.0, CONTROL);
    let mut settings = Element::button("settings", "Settings", place, Act::Tap);
    settings.role = Role::MenuItem;
    scene.add_in(drawer, settings);
    let place = Rect::new(x, 180.0, 320.0, CONTROL);
    let mut close = Element::button("close", "Close", place, Act::ToggleDrawer);
    close.role = Role::MenuItem;
    scene.add_in(drawer, close);
}

fn rows(scene: &mut Scene) {
    for n in 1..=4_u32 {
        let y = TOP + f64::from(n - 1) * 72.0;
        let cell = Element::new(Role::Cell, Rect::new(0.0, y, scene.viewport.width, 72.0));
        let cell = scene.add(cell);
        let place = Rect::new(MARGIN, y + 24.0, 200.0, 24.0);
        scene.add_in(cell, Element::text("", format!("Item {n}"), place));
        let place = Rect::new(scene.viewport.width - 104.0, y + 12.0, 88.0, CONTROL);
        let delete = Element::button("", "Delete", place, Act::Tap);
        scene.add_in(cell, delete.named(format!("delete-{n}")));
    }
}

/// A wrapper and its control as some platforms report them: one label, a point apart, and nobody says what is hittable.
fn wrapper(scene: &mut Scene) {
    let place = slot(0);
    let mut wrapper = Element::new(Role::Other, place).id("wrapper").label("Save");
    wrapper.says_hittable = false;
    wrapper.drawn = false;
    let wrapper = scene.add(wrapper);
    let mut control = Element::button("control", "Save", place.inset(1.0), Act::Tap);
    control.says_hittable = false;
    scene.add_in(wrapper, control);
}

fn childbutton(scene: &mut Scene) {
    let place = Rect::new(0.0, TOP, scene.viewport.width, 120.0);
    let cell = Element::new(Role::Cell, place).id("cell").label("Order 7");
    let cell = scene.add(cell.act(Act::Tap));
    let text = Rect::new(MARGIN, TOP + 16.0, 100.0, 24.0);
    scene.add_in(cell, Element::text("", "Order 7", text));
    let center = place.center();
    let place = Rect::new(center.x - 50.0, center.y - 24.0, 100.0, CONTROL);
    scene.add_in(cell, Element::button("inner", "More", place, Act::Tap));
}

fn above_bar(scene: &Scene) -> Rect {
    let screen = scene.viewport;
    Rect::new(0.0, 0.0, screen.width, screen.height - BAR_HEIGHT)
}

fn tab_bar(state: &State, scene: &mut Scene) {
    let screen = scene.viewport;
    let place = Rect::new(0.0, screen.height - BAR_HEIGHT, screen.width, BAR_HEIGHT);
    let bar = scene.add(Element::new(Role::TabBar, place).layer(BAR));
    tabs(
        bar,
        place,
        [("tab-home", "Home"), ("tab-search", "Search")],
        state,
        scene,
    );
}

fn tabs(
    bar: usize,
    place: Rect,
    tabs: [(&'static str, &str); 2],
    state: &State,
    scene: &mut Scene,
) {
    for (at, (id, label)) in tabs.into_iter().enumerate() {
        let width = place.width / 2.0;
        let place = Rect::new(place.x + at as f64 * width, place.y, width, place.height);
        let mut tab = Element::button(id, label, place, Act::SelectTab(at));
        tab.role = Role::Tab;
        scene.add_in(bar, tab.selected(state.tab == at));
    }
}

fn list(state: &State, scene: &mut Scene) {
    let rows = (1..=200).map(|n| (format!("row-{n}"), format!("Row {n}")));
    let place = above_bar(scene);
    scroller("list", place, rows.collect(), state, scene);
    tab_bar(state, scene);
}

/// A list of rows that a stroke moves. All rows are in the tree, wherever they are.
fn scroller(
    name: &'static str,
    place: Rect,
    rows: Vec<(String, String)>,
    state: &State,
    scene: &mut Scene,
) {
    let offset = state.offsets.get(name).copied().unwrap_or_default();
    scroller_at(name, place, rows, offset, true, scene);
}

fn scroller_at(
    name: &'static str,
    place: Rect,
    rows: Vec<(String, String)>,
    offset: f64,
    moves: bool,
    scene: &mut Scene,
) {
    let max = (rows.len() as f64 * ROW - place.height).max(0.0);
    let offset = offset.min(max);
    let scroll = Scroll {
        name,
        offset,
        max,
        moves,
    };
    let list = scene.add(Element::new(Role::List, place).id(name).scroll(scroll));
    for (at, (id, label)) in rows.into_iter().enumerate() {
        let y = place.y + at as f64 * ROW - offset;
        let place = Rect::new(place.x, y, place.width, ROW);
        let row = Element::new(Role::Cell, place).id(id).label(label);
        scene.add_in(list, row.act(Act::Tap));
    }
}

/// A container at its end, and one that claims to hide content and does not move.
fn end(scene: &mut Scene) {
    let rows = |prefix: &str| -> Vec<_> {
        (1..=20)
            .map(|n| {
                (
                    format!("{}-{n}", prefix.to_lowercase()),
                    format!("{prefix} {n}"),
                )
            })
            .collect()
    };
    let half = scene.viewport.height / 2.0;
    let place = Rect::new(0.0, 0.0, scene.viewport.width, half - 20.0);
    scroller_at("ended", place, rows("Line"), f64::MAX, true, scene);
    let place = Rect::new(0.0, half, place.width, place.height);
    scroller_at("stubborn", place, rows("Stuck"), 0.0, false, scene);
}

fn toggle(state: &State, scene: &mut Scene) {
    let mut wifi = Element::button("wifi", "Wi-Fi", slot(0), Act::Wifi);
    wifi.role = Role::Switch;
    scene.add(wifi.checked(state.wifi));
    let mut terms = Element::button("terms", "Terms", slot(1), Act::Terms);
    terms.role = Role::Checkbox;
    scene.add(terms.checked(state.terms));
    let bar = scene.add(Element::group("", slot(2)));
    tabs(bar, slot(2), [("one", "One"), ("two", "Two")], state, scene);
}

/// Two pages with their buttons at the same place. A tap meant for the first must not buy anything on the second.
fn stale(state: &State, scene: &mut Scene) {
    if state.turned {
        scene.add(Element::button("buy", "Buy", slot(0), Act::Tap));
    } else {
        scene.add(Element::button("next", "Next", slot(0), Act::TurnPage));
    }
}

fn deep(depth: u64, scene: &mut Scene) {
    let mut around = 0;
    let mut place = Rect::new(0.0, TOP, 400.0, 600.0);
    for _ in 0..depth {
        around = scene.add_in(around, Element::group("", place));
        // Half a point on each side, so that no two are the same and the innermost still holds a button.
        if place.width > 200.0 {
            place = place.inset(0.5);
        }
    }
    let center = place.center();
    let place = Rect::new(center.x - 40.0, center.y - 24.0, 80.0, CONTROL);
    scene.add_in(around, Element::button("deep", "Deep", place, Act::Tap));
}

/// The first alert of the app, or the dialog of the system, over all the rest.
fn alert(state: &State, scene: &mut Scene) {
    let center = scene.viewport.center();
    let place = Rect::new(center.x - 150.0, center.y - 80.0, 300.0, 160.0);
    let (role, layer, message, buttons, act): (_, _, _, _, fn(usize) -> Act) =
        if let Some(dialog) = state.dialog {
            scene.system_surface = Some(dialog.surface());
            let (message, buttons) = (dialog.message(), dialog.buttons());
            (Role::Dialog, SYSTEM, message, buttons, Act::AnswerDialog)
        } else if let Some(ask) = state.alerts.front() {
            (
                Role::Alert,
                ALERT,
                ask.message(),
                ask.buttons(),
                Act::AnswerAlert,
            )
        } else {
            return;
        };
    let mut alert = Element::new(role, place).label(message).layer(layer);
    alert.modal = true;
    let alert = scene.add(alert.named("alert"));
    let width = place.width / buttons.len() as f64;
    for (at, label) in buttons.iter().enumerate() {
        let x = place.x + at as f64 * width;
        let place = Rect::new(x, place.bottom() - 60.0, width, 60.0);
        let button = Element::button("", *label, place, act(at));
        scene.add_in(alert, button.named(format!("alert/{label}")));
    }
}
