//! The backend: a device behind the traits of the core.

use std::{
    borrow::Cow,
    collections::VecDeque,
    fmt,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use agent_device_core::{
    Backend, Call, Interactor, Result, SnapshotBackend,
    action::{Action, Alert, AppState, Capabilities, Operation, Performed, Screenshot},
    async_trait,
    dispatch::{Row, rows::ios_runner as rows},
    geometry::Rect,
    snapshot::{CaptureOptions, Keyboard, Snapshot, Target},
};
use tokio::time::Instant;

#[cfg(unix)]
use crate::ax::{AxFirst, SimulatorAx};
use crate::{
    act,
    config::{AppleConfig, AppleTarget},
    profile::{Platform, Profile},
    runner::{Launcher, Runner, RunnerState},
    see::{self, RunnerTrees},
    tools::{Patience, ToolPath},
};

/// One Apple device, driven through a runner on it.
///
/// The runner is started by the first operation that needs it, or by [`connect`](Self::connect), and stopped by
/// [`close`](Self::close), after [`AppleConfig::idle_stop`] of silence, or when this is dropped.
pub struct Apple {
    pub(crate) runner: Runner,
    profile: Profile,
    capabilities: Capabilities,
    name: String,
    pub(crate) memory: Arc<Memory>,
    /// What the runner shows.
    pub(crate) trees: RunnerTrees,
    /// What the simulator's accessibility server shows, and the runner where it doesn't.
    #[cfg(unix)]
    ax: Option<AxFirst<RunnerTrees>>,
}

/// What is remembered between operations.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    inner: Mutex<Remembered>,
    captures: AtomicU64,
}

#[derive(Debug, Default)]
struct Remembered {
    viewport: Option<Rect>,
    /// Picture pixels for each point.
    scale: f64,
    /// How often the app was opened anew: elements of an older process are gone.
    launches: u64,
    /// The latest captures, by the handle of their root, with the time at which they were asked for.
    captures: VecDeque<(String, Instant)>,
}

/// How many captures are remembered.
const REMEMBERED: usize = 16;

impl Memory {
    fn inner(&self) -> MutexGuard<'_, Remembered> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The screen when it was last looked at.
    pub(crate) fn viewport(&self) -> Option<Rect> {
        self.inner().viewport
    }

    pub(crate) fn set_viewport(&self, viewport: Rect) {
        self.inner().viewport = Some(viewport);
    }

    /// The screen is not what it was: it is looked at before it is used again.
    pub(crate) fn forget_viewport(&self) {
        self.inner().viewport = None;
    }

    /// The number of the next capture.
    pub(crate) fn next_capture(&self) -> u64 {
        self.captures.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn scale(&self) -> f64 {
        self.inner().scale
    }

    pub(crate) fn set_scale(&self, scale: f64) {
        self.inner().scale = scale;
    }

    pub(crate) fn launches(&self) -> u64 {
        self.inner().launches
    }

    pub(crate) fn launched(&self) {
        let mut inner = self.inner();
        inner.launches += 1;
        inner.viewport = None;
    }

    /// Remembers where the screen ends, and when the capture was asked for.
    pub(crate) fn captured(&self, snapshot: &Snapshot, at: Instant) {
        let mut inner = self.inner();
        inner.viewport = snapshot.info().viewport.or(inner.viewport);
        let Some(handle) = snapshot.root().and_then(|root| root.handle()) else {
            return;
        };
        if inner.captures.len() == REMEMBERED {
            inner.captures.pop_front();
        }
        inner.captures.push_back((handle.to_owned(), at));
    }

    /// How long ago a capture was asked for, if it is one of the latest.
    pub(crate) fn age_of(&self, snapshot: &Snapshot) -> Option<Duration> {
        let handle = snapshot.root()?.handle()?;
        let inner = self.inner();
        let found = inner.captures.iter().find(|(known, _)| known == handle);
        found.map(|(_, at)| at.elapsed())
    }
}

impl Apple {
    /// A device whose runner is started by the first operation, which tells what is wrong with the target. A build of the runner
    /// takes longer than an operation has: where none is there yet, [`connect`](Self::connect) first.
    pub fn new(target: AppleTarget, config: AppleConfig) -> Self {
        let profile = target.profile();
        let kept = matches!(target, AppleTarget::Runner { .. });
        let name = target.id();
        let tools = ToolPath::new(config.tool_path.clone());
        let memory = Arc::<Memory>::default();
        #[cfg(unix)]
        let ax = simulator_ax(&target, &config);
        let runner = Runner::new(Launcher::new(target, config.clone(), tools), config);
        let trees = || RunnerTrees {
            runner: runner.clone(),
            memory: Arc::clone(&memory),
        };
        Self {
            trees: trees(),
            #[cfg(unix)]
            ax: ax.map(|ax| AxFirst::new(ax, trees())),
            profile,
            capabilities: profile.capabilities(!kept),
            name,
            memory,
            runner,
        }
    }

    /// A device whose runner is there when this returns: built if it must be, launched, and answering.
    ///
    /// # Errors
    ///
    /// The runner did not come up; the reason says why, and the hint how to cure it. No app was touched.
    ///
    /// # Cancel safety
    ///
    /// When dropped, the runner is killed. A build that was begun is begun anew next time.
    pub async fn connect(target: AppleTarget, config: AppleConfig) -> Result<Self> {
        let budget = config
            .build_timeout
            .saturating_add(config.startup_timeout.saturating_mul(2));
        let apple = Self::new(target, config);
        see::uptime(&apple, &Call::standalone(budget)).await?;
        // The simulator is up now.
        #[cfg(unix)]
        if let Some(ax) = &apple.ax {
            ax.first().prepare();
        }
        Ok(apple)
    }

    /// The platform and what runs it.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Where the runner's session stands.
    pub fn state(&self) -> RunnerState {
        self.runner.state()
    }

    /// Where the runner of this device listens, while there is one that this machine reaches by its own network (not that of a
    /// phone). Another process can drive the same device through it, as [`AppleTarget::Runner`] with the same
    /// [`RunnerConfig::token`](crate::RunnerConfig::token), as long as this one lives.
    pub async fn runner_address(&self) -> Option<SocketAddr> {
        self.runner.address().await
    }

    /// How many trees were asked of the runner so far. Those of a simulator's accessibility server are not among them.
    pub fn captures(&self) -> u64 {
        self.memory.captures.load(Ordering::Relaxed)
    }

    /// How many requests were made of runners so far, the questions whether they are there among them.
    pub fn round_trips(&self) -> u64 {
        self.runner.round_trips()
    }

    /// How many runners were started so far.
    pub fn starts(&self) -> u64 {
        self.runner.starts()
    }

    /// Ends the runner. The next operation starts one again. A runner that somebody else keeps is left alone. Doing so twice is
    /// fine.
    ///
    /// # Cancel safety
    ///
    /// The runner may live on until this is dropped.
    pub async fn close(&self) {
        self.runner.close().await;
    }

    /// The app was launched anew, or another one was: elements and processes of before are gone.
    pub(crate) fn launched(&self, app: &str) {
        self.runner.set_app(Some(app));
        self.memory.launched();
        #[cfg(unix)]
        if let Some(ax) = &self.ax {
            ax.first().app_launched(app);
        }
    }

    /// The accessibility server of the simulator, by itself.
    #[cfg(unix)]
    pub(crate) fn simulator_ax(&self) -> Option<&SimulatorAx> {
        self.ax.as_ref().map(AxFirst::first)
    }

    fn source(&self) -> &dyn SnapshotBackend {
        #[cfg(unix)]
        if let Some(ax) = &self.ax {
            return ax;
        }
        &self.trees
    }

    pub(crate) fn patience(call: &Call) -> Patience {
        Patience::of(call)
    }
}

impl fmt::Debug for Apple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Apple")
            .field("device", &self.name)
            .field("profile", &self.profile)
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

/// The accessibility server of an iOS simulator as a source, if it is wanted.
#[cfg(unix)]
fn simulator_ax(target: &AppleTarget, config: &AppleConfig) -> Option<SimulatorAx> {
    let AppleTarget::Simulator { platform, udid } = target else {
        return None;
    };
    let mut ax = config
        .simulator_ax
        .clone()
        .filter(|_| *platform == Platform::Ios)?;
    ax.tool_path = ax.tool_path.or_else(|| config.tool_path.clone());
    ax.simulator_set = ax.simulator_set.or_else(|| config.simulator_set.clone());
    Some(SimulatorAx::new(udid, config.app.clone(), ax))
}

#[async_trait]
impl SnapshotBackend for Apple {
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
        let asked = Instant::now();
        let snapshot = self.source().capture(options, call).await?;
        self.memory.captured(&snapshot, asked);
        Ok(snapshot)
    }

    fn honours_cancel(&self) -> bool {
        self.source().honours_cancel()
    }

    async fn find_text(&self, text: &str, call: &Call) -> Result<Option<bool>> {
        self.source().find_text(text, call).await
    }

    async fn confirm_visible(&self, target: &Target, call: &Call) -> Result<Option<Rect>> {
        self.source().confirm_visible(target, call).await
    }
}

#[async_trait]
impl Interactor for Apple {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    async fn perform(&self, action: &Action, call: &Call) -> Result<Performed> {
        if !self.capabilities.offers(action.operation()) {
            return Err(agent_device_core::Error::unsupported(action.operation()));
        }
        act::perform(self, action, call).await
    }

    async fn screenshot(&self, call: &Call) -> Result<Screenshot> {
        see::screenshot(self, call).await
    }

    async fn alert(&self, call: &Call) -> Result<Option<Alert>> {
        see::alert(self, call).await
    }

    async fn clipboard(&self, call: &Call) -> Result<String> {
        see::clipboard(self, call).await
    }

    async fn keyboard(&self, call: &Call) -> Result<Keyboard> {
        if !self.capabilities.offers(Operation::ReadKeyboard) {
            return Err(agent_device_core::Error::unsupported(
                Operation::ReadKeyboard,
            ));
        }
        see::keyboard(self, call).await
    }

    async fn app_state(&self, call: &Call) -> Result<AppState> {
        see::app_state(self, call).await
    }
}

impl Backend for Apple {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("apple")
    }

    fn device(&self) -> Cow<'static, str> {
        Cow::Owned(self.name.clone())
    }

    fn rows(&self) -> &'static [&'static Row] {
        rows::ROWS
    }
}
