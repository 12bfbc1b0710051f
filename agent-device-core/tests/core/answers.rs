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
    geometry::Rect,
    reason,
    selector::{id, label},
    snapshot::{CaptureOptions, Quality, Snapshot, SnapshotBuilder, SnapshotInfo, TextField},
    target::Find,
};

const MS: Duration = Duration::from_millis(1);
const SCREEN: Rect = Rect::new(0.0, 0.0, 400.0, 800.0);

type Look = Arc<dyn Fn(u32, SnapshotBuilder) -> Result<Snapshot> + Send + Sync>;

/// A device whose looks are made by a closure: from the number of the capture, counted from 0.
#[derive(Clone)]
struct Told {
    look: Look,
    looks: Arc<AtomicU32>,
    sends: Arc<AtomicU32>,
}

fn told(
    look: impl Fn(u32, SnapshotBuilder) -> Result<Snapshot> + Send + Sync + 'static,
) -> (Told, Device) {
    let backend = Told {
        look: Arc::new(look),
        looks: Arc::default(),
        sends: Arc::default(),
    };
    (backend.clone(), Device::new(backend))
}

#[async_trait]
impl SnapshotBackend for Told {
    async fn capture(&self, options: &CaptureOptions, _: &Call) -> Result<Snapshot> {
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
