//! When this source answers, and when it is left alone.

use std::{
    ffi::OsString,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use agent_device_core::{
    Call, Result, Snapshot, SnapshotBackend, async_trait,
    observe::{End, Judgement, Schedule, observe_until},
    snapshot::CaptureOptions,
};
use tokio::time::Instant;

use super::{
    app::Process,
    failure::{AxFailure, RefusalKind},
    guest::{Guest, Host, Keeper},
    reply::{Described, Recovery},
    wire::AxLimits,
};
use crate::tools::{Patience, Simctl, ToolPath};

/// The pause between two looks at an app that is being launched.
const LAUNCH_INTERVAL: Duration = Duration::from_millis(150);
/// How long an app that is being launched is looked at, at most. Failures have shorter times of their own.
const LAUNCH_BUDGET: Duration = Duration::from_secs(5);
/// So many captures use what an earlier one learnt about the depth that the server accepts; then one finds out anew.
const HINTED_CAPTURES: u32 = 8;

/// How the source is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AxConfig {
    /// Where `xcrun` is looked for. `None`: on `PATH`.
    pub tool_path: Option<OsString>,
    /// Another set of simulators than the user's own.
    pub simulator_set: Option<PathBuf>,
    /// Where compiled programs are kept. `None`: `~/.agent-device/simulator-ax`.
    pub cache: Option<PathBuf>,
    /// A program that was compiled before. Then nothing is compiled.
    pub program: Option<PathBuf>,
    /// What one capture may take.
    pub limits: AxLimits,
    /// How long a capture waits for the program to be compiled and started, counted from the beginning of that: 2 s. It goes on
    /// beside the captures that another source answers.
    pub first_wait: Duration,
    /// How long after its beginning a preparation that failed is begun again, and a tool that failed to list the simulator's
    /// processes is asked again: 60 s.
    pub prepare_again_after: Duration,
}

impl Default for AxConfig {
    fn default() -> Self {
        Self {
            tool_path: None,
            simulator_set: None,
            cache: None,
            program: None,
            limits: AxLimits::default(),
            first_wait: Duration::from_secs(2),
            prepare_again_after: Duration::from_secs(60),
        }
    }
}

/// The trees of one app in one iOS simulator, read by a program of ours inside the simulator.
///
/// It doesn't answer raw captures: those are XCTest's own tree. It knows no other source; a capture that it can't make is an
/// error, and [`AxFirst`](super::AxFirst) then asks somebody else. What it fails at once it doesn't try again for the same
/// process of the app.
#[derive(Debug)]
pub struct SimulatorAx {
    keeper: Keeper,
    limits: AxLimits,
    meant: Mutex<Meant>,
    /// When the tool that lists processes last failed, and how.
    deaf: Mutex<Option<(Instant, String)>>,
    deaf_for: Duration,
}

/// The app that is looked at, and its process as far as it is known.
#[derive(Debug)]
struct Meant {
    app: Option<String>,
    current: Option<Current>,
}

/// The process that is looked at, and what is known about it.
#[derive(Clone, Debug)]
struct Current {
    process: Process,
    /// It has been read once, so it is there: failures are no launch any more.
    proven: bool,
    disabled: Option<String>,
    hint: Option<Hint>,
}

impl Current {
    fn new(process: Process) -> Self {
        Self {
            process,
            proven: false,
            disabled: None,
            hint: None,
        }
    }
}

/// So many levels the server accepts in one read, where it refused more.
#[derive(Clone, Copy, Debug)]
struct Hint {
    levels: u32,
    uses: u32,
}

impl Hint {
    fn after(hint: Option<Self>, recovery: Recovery, depth: usize) -> Option<Self> {
        let levels = u32::try_from(recovery.accepted_levels)
            .ok()
            .filter(|levels| *levels > 0);
        let whole = u64::try_from(depth).unwrap_or(u64::MAX).saturating_add(1);
        match hint {
            _ if recovery.rejected > 0 && recovery.accepted_levels < whole => {
                levels.map(|levels| Self { levels, uses: 0 })
            }
            Some(hint) if hint.uses + 1 < HINTED_CAPTURES => Some(Self {
                uses: hint.uses + 1,
                ..hint
            }),
            _ => None,
        }
    }
}

impl SimulatorAx {
    /// The source for the app with this bundle id in the simulator with this number. Nothing is started before the first
    /// capture, or before [`prepare`](Self::prepare).
    pub fn new(udid: impl Into<String>, app: Option<String>, config: AxConfig) -> Self {
        let home = || std::env::home_dir().unwrap_or_else(std::env::temp_dir);
        let tools = ToolPath::new(config.tool_path);
        let set = config.simulator_set.map(PathBuf::into_os_string);
        let host = Host {
            simctl: Simctl::new(tools.clone(), udid.into(), set),
            tools,
            cache: config
                .cache
                .unwrap_or_else(|| home().join(".agent-device/simulator-ax")),
            program: config.program,
        };
        Self {
            keeper: Keeper::new(host, config.first_wait, config.prepare_again_after),
            meant: Mutex::new(Meant { app, current: None }),
            deaf: Mutex::default(),
            deaf_for: config.prepare_again_after,
            limits: config.limits,
        }
    }

    /// Begins to compile and start the program, so that it is there for the first capture. Doesn't wait. Needs a tokio runtime.
    pub fn prepare(&self) {
        drop(self.keeper.begin());
    }

    /// From now on the app with this bundle id is meant, in whichever process it has now. For those who have launched it.
    pub fn app_launched(&self, app: &str) {
        *self.meant() = Meant {
            app: Some(app.to_owned()),
            current: None,
        };
    }

    fn meant(&self) -> std::sync::MutexGuard<'_, Meant> {
        self.meant.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what was learnt about the app's process, unless another app is meant by now.
    fn learnt(&self, app: &str, current: Current) {
        let mut meant = self.meant();
        if meant.app.as_deref() == Some(app) {
            meant.current = Some(current);
        }
    }

    /// The process that the app has now. A tool that fails or hangs costs its time once, not in every capture.
    async fn find(&self, bundle: &str, patience: &Patience) -> Result<Process, AxFailure> {
        let deaf = || self.deaf.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, why)) = deaf().as_ref()
            && at.elapsed() < self.deaf_for
        {
            return Err(AxFailure::Disabled {
                why: why.clone().into(),
            });
        }
        let found = Process::find(self.keeper.host(), bundle, patience).await;
        // A caller who had no time left says nothing about the tool.
        let gave_up = patience.remaining().is_zero() || patience.cancel.is_cancelled();
        match &found {
            Err(AxFailure::Tool(failure)) if !gave_up => {
                *deaf() = Some((Instant::now(), failure.to_string()));
            }
            Err(_) => {}
            Ok(_) => *deaf() = None,
        }
        found
    }

    pub(super) async fn look(
        &self,
        options: &CaptureOptions,
        call: &Call,
    ) -> Result<Snapshot, AxFailure> {
        let app = self.meant().app.clone();
        let bundle = app
            .as_deref()
            .filter(|_| !options.raw)
            .ok_or(AxFailure::Ineligible)?;
        let patience = Patience::of(call);
        let (mut current, fresh) = self.process(bundle, &patience).await?;
        let guest = self.keeper.guest(&patience).await?;
        let mut looked = self.describe(&guest, &current, options, call).await;
        if !fresh && looked.as_ref().is_err_and(may_be_another_process) {
            let process = self.find(bundle, &patience).await?;
            if process != current.process {
                current = Current::new(process);
                looked = self.describe(&guest, &current, options, call).await;
            }
        }
        match looked {
            Ok(described) => {
                current.proven = true;
                current.hint = Hint::after(current.hint, described.recovery, self.limits.depth);
                tracing::debug!(name: "agent_device.ax.described", recovery = ?described.recovery, "described");
                self.learnt(bundle, current);
                Ok(described.snapshot)
            }
            Err(failure) => {
                if failure.disables() {
                    tracing::warn!(
                        name: "agent_device.ax.disabled",
                        reason = %failure.reason(),
                        "the accessibility reader is not asked again for this process of the app: {failure}"
                    );
                    current.disabled = Some(failure.reason().into_owned());
                    self.learnt(bundle, current);
                }
                Err(failure)
            }
        }
    }

    /// The process to look at, and whether it was looked up just now.
    async fn process(
        &self,
        bundle: &str,
        patience: &Patience,
    ) -> Result<(Current, bool), AxFailure> {
        let known = self.meant().current.clone();
        match known {
            Some(known) if known.disabled.is_none() => return Ok((known, false)),
            Some(Current {
                process,
                disabled: Some(why),
                ..
            }) if process.is_alive() => {
                return Err(AxFailure::Disabled { why: why.into() });
            }
            _ => {}
        }
        let process = self.find(bundle, patience).await?;
        Ok((Current::new(process), true))
    }

    async fn describe(
        &self,
        guest: &Guest,
        current: &Current,
        options: &CaptureOptions,
        call: &Call,
    ) -> Result<Described, AxFailure> {
        let started = Instant::now();
        let budget = if current.proven {
            Duration::ZERO
        } else {
            LAUNCH_BUDGET.min(call.remaining())
        };
        let hint = current.hint.map(|hint| hint.levels);
        let observation = observe_until(
            Schedule::new("ax-launch", LAUNCH_INTERVAL, budget),
            call.cancel(),
            None,
            async |cancel| {
                let limits = AxLimits {
                    duration: self.limits.duration.min(call.remaining()),
                    ..self.limits
                };
                guest
                    .client
                    .describe(&current.process, options, &limits, hint, &cancel)
                    .await
            },
            |failure: &AxFailure| {
                failure
                    .patience()
                    .is_some_and(|patience| started.elapsed() < patience.min(budget))
            },
            |_, _, _| Judgement::Done(()),
        )
        .await;
        match observation.end {
            End::Done { value, .. } => Ok(value),
            End::Failed { error, .. }
            | End::Stalled {
                error: Some(error), ..
            } => Err(error),
            End::Expired {
                last_error: Some(error),
                ..
            } => Err(error),
            End::Canceled => Err(AxFailure::Canceled),
            End::Expired { .. } | End::Stalled { .. } => Err(AxFailure::Timeout {
                after: observation.waited,
            }),
        }
    }
}

/// Whether a failure may only mean that the app has been launched anew since it was looked up.
fn may_be_another_process(failure: &AxFailure) -> bool {
    matches!(
        failure,
        AxFailure::Refused {
            kind: RefusalKind::ApplicationUnavailable | RefusalKind::Unsupported,
            ..
        }
    )
}

#[async_trait]
impl SnapshotBackend for SimulatorAx {
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
        Ok(self.look(options, call).await?)
    }

    fn honours_cancel(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learnt_about_the_depth_is_used_for_a_while() {
        let recovery = |rejected, accepted_levels| Recovery {
            rejected,
            accepted_levels,
            ..Recovery::default()
        };
        assert!(
            Hint::after(None, recovery(0, 65), 64).is_none(),
            "nothing was refused"
        );
        assert!(Hint::after(None, recovery(1, 65), 64).is_none());
        let mut hint = Hint::after(None, recovery(1, 32), 64);
        for _ in 1..HINTED_CAPTURES {
            assert_eq!(hint.unwrap().levels, 32);
            hint = Hint::after(hint, recovery(0, 32), 64);
        }
        assert!(hint.is_some());
        assert!(
            Hint::after(hint, recovery(0, 32), 64).is_none(),
            "the next capture asks for everything"
        );
        let deeper = Hint::after(hint, recovery(1, 16), 64);
        assert_eq!(deeper.map(|hint| (hint.levels, hint.uses)), Some((16, 0)));
    }
}
