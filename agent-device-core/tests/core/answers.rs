//! What an answer says when something is off: a tree that was cut, a look that fails, a name that is endless.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
    time::Duration,
};

use agent_device_core::{
    Action, Backend, Call, Device, Error, ErrorCode, Interactor, Operation, Result, Role,
    SnapshotBackend,
    action::{Capabilities, Performed},
    async_trait,
    device::Predicate,
    dispatch::rows,
    geometry::{Direction, Rect},
    reason,
    selector::{id, label, role},
    snapshot::{CaptureOptions, Flag, Quality, Snapshot, SnapshotBuilder, SnapshotInfo, TextField},
    target::Find,
};

const MS: Duration = Duration::from_millis(1);
const SCREEN: Rect = Rect::new(0.0, 0.0, 400.0, 800.0);

type Look = Arc<dyn Fn(u32, SnapshotBuilder) -> Result<Snapshot> + Send + Sync>;

/// A device whose looks are made by a closure: from the number of the capture, counted from 0.
#[derive(Clone)]
struct Told {
    takes: Duration,
    look: Look,
    looks: Arc<AtomicU32>,
    sends: Arc<AtomicU32>,
}

fn told(
    look: impl Fn(u32, SnapshotBuilder) -> Result<Snapshot> + Send + Sync + 'static,
) -> (Told, Device) {
    told_after(Duration::ZERO, look)
}

fn told_after(
    takes: Duration,
    look: impl Fn(u32, SnapshotBuilder) -> Result<Snapshot> + Send + Sync + 'static,
) -> (Told, Device) {
    let backend = Told {
        takes,
        look: Arc::new(look),
        looks: Arc::default(),
        sends: Arc::default(),
    };
    (backend.clone(), Device::new(backend))
}

#[async_trait]
impl SnapshotBackend for Told {
    async fn capture(&self, options: &CaptureOptions, _: &Call) -> Result<Snapshot> {
        tokio::time::sleep(self.takes).await;
        let mut tree = SnapshotBuilder::new(options.clone());
        tree.root(Role::Application).unwrap().bounds(SCREEN);
        (self.look)(self.looks.fetch_add(1, SeqCst), tree)
    }
}

#[async_trait]
impl Interactor for Told {
    fn capabilities(&self) -> Capabilities {
        Capabilities::of(&[Operation::Tap])
    }

    async fn perform(&self, _: &Action, _: &Call) -> Result<Performed> {
        self.sends.fetch_add(1, SeqCst);
        Ok(Performed::new())
    }
}

impl Backend for Told {
    fn name(&self) -> Cow<'static, str> {
        "told".into()
    }
}

fn info() -> SnapshotInfo {
    let mut info = SnapshotInfo::new("told", Quality::healthy("tree"));
    info.viewport = Some(SCREEN);
    info
}

fn cut() -> SnapshotInfo {
    let mut info = info();
    info.truncated = true;
    info
}

fn button(tree: &mut SnapshotBuilder, name: &str) {
    let mut button = tree.at_depth(1, Role::Button).unwrap();
    button
        .text(TextField::Label, name)
        .bounds(Rect::new(10.0, 10.0, 50.0, 20.0));
}

fn says_that_the_tree_was_cut(error: &Error) {
    assert_eq!(error.reason(), Some(reason::CAPTURE_SPARSE), "{error:?}");
    assert_eq!(error.detail("truncated"), Some(&true.into()), "{error:?}");
    assert!(error.message().contains("absence"), "{error}");
    assert!(error.hint().contains("cut"), "{}", error.hint());
    assert!(error.dispatched().is_no(), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_said_to_be_missing_from_a_tree_that_was_cut() {
    let (_, device) = told(|_, tree| Ok(tree.finish(cut())));
    let go = device.locate(label("Go"));
    for error in [
        go.press().await.unwrap_err(),
        go.press().ready_within(MS * 500).await.unwrap_err(),
        go.get().await.unwrap_err(),
        go.list().await.unwrap_err(),
        go.is(Predicate::Exists).await.unwrap_err(),
        go.wait_absent(MS * 500).await.unwrap_err(),
    ] {
        says_that_the_tree_was_cut(&error);
    }
    let waited = go.press().ready_within(MS * 500).await.unwrap_err();
    assert_eq!(waited.detail("readiness").unwrap()["end"], "expired");
    let waited = go.wait(MS * 500).await.unwrap_err();
    assert_eq!(waited.reason(), Some(reason::WAIT_TARGET_ABSENT));
    assert!(waited.hint().contains("cut"), "{}", waited.hint());
}

#[tokio::test(start_paused = true)]
async fn a_cut_tree_in_which_the_target_shows_up_is_as_good_as_any() {
    let (backend, device) = told(|n, mut tree| {
        if n > 1 {
            button(&mut tree, "Go");
        }
        Ok(tree.finish(cut()))
    });
    let go = device.locate(label("Go"));
    go.press().ready_within(MS * 2000).await.unwrap();
    assert_eq!(backend.sends.load(SeqCst), 1);
    let there = go.wait_absent(MS * 500).await.unwrap_err();
    assert_eq!(there.reason(), Some(reason::WAIT_TARGET_PRESENT));
    assert!(there.detail("firstMatch").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_target_that_left_a_tree_since_cut_is_not_said_to_be_there() {
    let (_, device) = told(|n, mut tree| {
        if n == 0 {
            button(&mut tree, "Go");
        }
        Ok(tree.finish(cut()))
    });
    let error = device
        .locate(label("Go"))
        .wait_absent(MS * 500)
        .await
        .unwrap_err();
    says_that_the_tree_was_cut(&error);
    assert!(error.detail("firstMatch").is_none(), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn an_endless_name_is_refused_and_not_repeated() {
    let (backend, device) = told(|_, tree| Ok(tree.finish(info())));
    let endless = "x".repeat(1 << 20);
    for locator in [
        device.locate(label(endless.as_str())),
        device.locate(id(endless.as_str()) & label("Go")),
        device.locate(Find::new(endless.as_str())),
    ] {
        let error = locator.press().await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgs, "{error}");
        let wire = serde_json::to_string(&error).unwrap();
        assert!(wire.len() < 2_000, "{} bytes", wire.len());
    }
    let error = device.wait_for_text(&endless, MS).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgs, "{error}");
    assert_eq!(backend.looks.load(SeqCst), 0);
}

/// A device whose captures take so long, with a field that holds the number of the capture.
fn slow(takes: Duration) -> Device {
    let (_, device) = told_after(takes, |n, mut tree| {
        let mut field = |role, name: &str, value: &str, flag: Option<Flag>, y| {
            let mut field = tree.at_depth(1, role).unwrap();
            field
                .text(TextField::Label, name)
                .text(TextField::Value, value)
                .bounds(Rect::new(10.0, y, 50.0, 20.0));
            if let Some(flag) = flag {
                field.flag(flag, true);
            }
        };
        field(Role::TextField, "Count", &n.to_string(), None, 10.0);
        field(
            Role::SecureTextField,
            "Secret",
            "sesame",
            Some(Flag::Secure),
            40.0,
        );
        field(
            Role::TextField,
            "Hint",
            "Amount",
            Some(Flag::HintShowing),
            70.0,
        );
        Ok(tree.finish(info()))
    });
    device
}

#[tokio::test(start_paused = true)]
async fn a_wait_of_no_time_is_one_look_that_counts() {
    let device = slow(MS * 4000);
    let there = device.locate(label("Count"));
    there.wait(Duration::ZERO).await.unwrap();
    device.wait_for_text("COUNT", Duration::ZERO).await.unwrap();
    let nothing = device.locate(label("Nothing"));
    nothing.wait_absent(Duration::ZERO).await.unwrap();
    let error = nothing.wait(Duration::ZERO).await.unwrap_err();
    assert_eq!(error.reason(), Some(reason::WAIT_TARGET_ABSENT));
    assert!(error.message().contains("one look"), "{error}");
    assert_eq!(error.detail("captures"), Some(&1.into()));
}

#[tokio::test(start_paused = true)]
async fn a_look_that_came_too_late_is_told_as_that() {
    let device = slow(MS * 4000);
    for (name, showed) in [
        ("Count", "it showed that"),
        ("Nothing", "it did not show that"),
    ] {
        let error = device.locate(label(name)).wait(MS * 200).await.unwrap_err();
        assert_eq!(error.reason(), Some(reason::WAIT_CAPTURE_STALLED));
        assert!(error.message().contains("took 4000 ms"), "{error}");
        assert!(error.message().contains("200 ms"), "{error}");
        assert!(error.message().contains(showed), "{error}");
        assert!(error.hint().contains("Allow more time"), "{error:?}");
        assert_eq!(error.detail("readableCaptures"), Some(&0.into()));
    }
    let later = slow(MS * 400).locate(label("Count"));
    let error = later
        .wait_until(Predicate::Value("1".into()), MS * 800)
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some(reason::WAIT_DEADLINE_EXCEEDED));
    assert!(error.message().contains("it showed that"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_condition_that_does_not_hold_tells_what_was_seen() {
    let device = slow(MS);
    let count = device.locate(label("Count"));
    assert_eq!(count.value().await.unwrap().as_deref(), Some("0"));
    count.expect(Predicate::Value("1".into())).await.unwrap();
    count.expect(Predicate::Text("COUNT".into())).await.unwrap();
    let row = rows::core::REFUSAL_PREDICATE.row();
    for (predicate, expected, observed) in [
        (Predicate::Value("9".into()), "value \"9\"", "value \"3\""),
        (
            Predicate::ExactText("COUNT".into()),
            "exactly the text \"COUNT\"",
            "text \"Count\"",
        ),
        (
            Predicate::Text("Other".into()),
            "text \"Other\"",
            "text \"Count\"",
        ),
        (Predicate::Selected, "selected", "not selected"),
        (Predicate::Absent, "no match", "a match"),
    ] {
        let error = count.expect(predicate).await.unwrap_err();
        assert_eq!(error.reason(), Some(reason::PREDICATE_FAILED));
        assert_eq!(error.row(), Some(row));
        let message = format!("expected {expected}, saw {observed}");
        assert!(error.message().contains(&message), "{error}");
        assert_eq!(error.detail("expected"), Some(&expected.into()));
        assert_eq!(error.detail("observed"), Some(&observed.into()));
        let element = error.detail("element").unwrap().as_str().unwrap();
        assert!(element.starts_with("[text-field] \"Count\""), "{element}");
    }
    let endless = Predicate::Text("x".repeat(10_000));
    let error = count.expect(endless).await.unwrap_err();
    assert!(error.message().len() < 1000, "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_content_of_a_secret_field_is_neither_compared_nor_told() {
    let device = slow(MS);
    let secret = device.locate(label("Secret"));
    assert_eq!(secret.value().await.unwrap(), None);
    for error in [
        secret
            .expect(Predicate::Value("sesame".into()))
            .await
            .unwrap_err(),
        secret
            .wait_until(Predicate::Value("open".into()), MS * 500)
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.code(), ErrorCode::InvalidArgs, "{error:?}");
        assert_eq!(error.detail("field").unwrap(), "predicate");
    }
    let error = secret.expect(Predicate::Selected).await.unwrap_err();
    assert!(!serde_json::to_string(&error).unwrap().contains("sesame"));
    let hint = device.locate(label("Hint"));
    assert_eq!(hint.value().await.unwrap().as_deref(), Some(""));
    hint.expect(Predicate::Value(String::new())).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_condition_is_waited_for() {
    let device = slow(MS);
    let count = device.locate(label("Count"));
    count
        .wait_until(Predicate::Value("3".into()), MS * 5000)
        .await
        .unwrap();
    let error = count
        .wait_until(Predicate::Value("3".into()), MS * 700)
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some(reason::PREDICATE_FAILED));
    assert_eq!(error.row(), Some(rows::core::REFUSAL_PREDICATE.row()));
    assert!(error.message().contains("saw value \"7\""), "{error}");
    assert_eq!(error.detail("observed"), Some(&"value \"7\"".into()));
    assert_eq!(error.detail("captures"), Some(&4.into()));
    let missing = device.locate(label("Nothing"));
    let error = missing
        .wait_until(Predicate::Visible, MS * 500)
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some(reason::WAIT_TARGET_ABSENT));
    missing
        .wait_until(Predicate::Absent, MS * 500)
        .await
        .unwrap();
    let two = device.locate(role(Role::TextField));
    let error = two
        .wait_until(Predicate::Visible, MS * 5000)
        .await
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::AmbiguousMatch);
    assert_eq!(error.detail("captures"), None);
}

#[tokio::test(start_paused = true)]
async fn what_lies_the_other_way_is_not_scrolled_away_from() {
    let (backend, device) = told(|_, mut tree| {
        let mut list = tree.at_depth(1, Role::ScrollArea).unwrap();
        list.text(TextField::Label, "List").bounds(SCREEN);
        for (name, y) in [("Above", -100.0), ("Here", 100.0), ("Below", 900.0)] {
            let mut row = tree.at_depth(2, Role::Button).unwrap();
            row.text(TextField::Label, name)
                .bounds(Rect::new(10.0, y, 50.0, 20.0));
        }
        Ok(tree.finish(info()))
    });
    let down = device.scroll(Direction::Down);
    let error = down.clone().until(label("Above")).await.unwrap_err();
    assert_eq!(
        error.reason(),
        Some(reason::OFFSCREEN_SELECTOR),
        "{error:?}"
    );
    assert_eq!(error.detail("scrollDirection"), Some(&"up".into()));
    assert_eq!(error.row(), Some(rows::core::REFUSAL_OFFSCREEN.row()));
    assert!(error.message().contains("\"List\""), "{error}");
    assert_eq!(error.detail("passLimit"), Some(&12.into()));
    assert_eq!(backend.sends.load(SeqCst), 0);
    let error = down.until(label("Below")).await.unwrap_err();
    assert_ne!(
        error.reason(),
        Some(reason::OFFSCREEN_SELECTOR),
        "{error:?}"
    );
}
