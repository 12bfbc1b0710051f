//! From a locator to the place that is touched: one look, or as many as a readiness budget allows.

use std::{borrow::Cow, sync::Arc, time::Duration};

use super::{
    expect::unproven,
    invalid_readiness,
    outcome::Readiness,
    request::{Request, is_unreadable},
};
use crate::{
    action::Touch,
    dispatch::rows,
    error::{Error, Result, reason},
    geometry::Point,
    observe::{End, Judgement, Observation, observe_until},
    snapshot::{CaptureOptions, Snapshot},
    target::{self, By, Policy, Refusal, ResolutionInfo, Resolved},
    wait,
};

/// A target that is resolved, or a place that the caller named.
pub(super) struct Aim {
    pub(super) point: Point,
    pub(super) resolved: Option<Resolved>,
    pub(super) info: ResolutionInfo,
    pub(super) readiness: Option<Readiness>,
    pub(super) warning: Option<Cow<'static, str>>,
}

impl Aim {
    pub(super) fn touch(&self) -> Touch {
        Touch {
            point: self.point,
            target: self
                .resolved
                .as_ref()
                .map(|resolved| resolved.target.clone()),
        }
    }

    pub(super) fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.resolved
            .as_ref()
            .map(|resolved| resolved.target.snapshot())
    }

    fn at(resolved: Resolved, readiness: Option<Readiness>) -> Self {
        Self {
            point: resolved.point,
            info: resolved.info.clone(),
            resolved: Some(resolved),
            readiness,
            warning: None,
        }
    }
}

impl Request<'_> {
    /// Finds the target: one look, or with `ready_within` as many as its budget allows.
    pub(super) async fn aim(
        &self,
        by: &By,
        policy: Policy,
        ready_within: Option<Duration>,
    ) -> Result<Aim> {
        match by {
            By::Point(_) | By::Ref(_) if ready_within.is_some() => Err(invalid_readiness()),
            By::Point(point) => self.aim_at_point(*point),
            By::Ref(wanted) => {
                let (snapshot, node) = self.admitted(*wanted)?;
                let keyboard = target::keyboard_band(&snapshot);
                let resolution = target::resolve_node(&snapshot, node, policy, keyboard);
                self.resolve_in(&snapshot, resolution, policy)
                    .await
                    .map(|resolved| Aim::at(resolved, None))
                    .map_err(|refusal| self.refusal(refusal, by, &snapshot))
            }
            By::Selector(_) | By::Find(_) => self.aim_by_look(by, policy, ready_within).await,
        }
    }

    fn aim_at_point(&self, point: Point) -> Result<Aim> {
        let session = self.device.session();
        let seen = session.frames.newest().map(|frame| frame.snapshot());
        let viewport = seen.and_then(|snapshot| snapshot.info().viewport);
        let band = seen.and_then(|snapshot| target::keyboard_band(snapshot));
        let warning = if viewport.is_some_and(|viewport| !viewport.contains(point)) {
            Some(Cow::Borrowed(
                "the point lies outside the screen as it was last seen",
            ))
        } else if band.is_some_and(|band| band.contains(point)) {
            Some(Cow::Borrowed(
                "the point lay behind the keyboard when the screen was last seen",
            ))
        } else {
            None
        };
        Ok(Aim {
            point,
            resolved: None,
            info: ResolutionInfo::not_observed(),
            readiness: None,
            warning,
        })
    }

    async fn aim_by_look(
        &self,
        by: &By,
        policy: Policy,
        ready_within: Option<Duration>,
    ) -> Result<Aim> {
        let budget = ready_within.filter(|budget| !budget.is_zero());
        let schedule = match budget {
            Some(budget) => wait::readiness(budget, self.backend().honours_cancel()),
            None => wait::once(),
        };
        let initial = self.rested().await?;
        let until = self.until(&schedule);
        let mut missed = Refusal::NotFound;
        let seen: Observation<_, Found, Error> = observe_until(
            schedule,
            self.cancel(),
            initial,
            |signal| self.capture(CaptureOptions::default(), until(), signal),
            is_unreadable,
            |snapshot: &Arc<Snapshot>, _, _| {
                let keyboard = target::keyboard_band(snapshot);
                match target::resolve(snapshot, by, policy, keyboard) {
                    Ok(resolved) => Judgement::Done(Found::Resolved(Box::new(resolved))),
                    Err(refusal) if refusal.may_appear() => {
                        missed = refusal;
                        if budget.is_some() && snapshot.quality().is_sparse() {
                            Judgement::Done(Found::Sparse)
                        } else {
                            Judgement::go_on()
                        }
                    }
                    Err(refusal) => Judgement::Done(Found::Refused(refusal)),
                }
            },
        )
        .await;
        let readiness = Readiness {
            within: wait::readiness_budget(budget.unwrap_or_default()),
            polls: seen.timeline.count(),
            waited: seen.waited,
        };
        match seen.end {
            End::Done {
                result: Found::Resolved(resolved),
                ..
            } => Ok(Aim::at(
                *resolved,
                (readiness.polls > 1 && budget.is_some()).then_some(readiness),
            )),
            End::Done {
                result: Found::Refused(refusal),
                value,
            } => self
                .resolve_in(&value, Err(refusal), policy)
                .await
                .map(|resolved| Aim::at(resolved, None))
                .map_err(|refusal| self.refusal(refusal, by, &value)),
            End::Done {
                result: Found::Sparse,
                value,
            } => Err(unproven(by, &value).with_detail("readiness", readiness.ended("sparse"))),
            End::Expired {
                last: None,
                last_error: Some(error),
            }
            | End::Failed { error, .. } => Err(error),
            End::Stalled {
                last: None,
                last_error: Some(error),
                ..
            } => Err(error),
            End::Expired { last, .. } => {
                Err(self.miss(by, missed, last, budget.map(|_| readiness.ended("expired"))))
            }
            End::Stalled { last, .. } => {
                Err(self.miss(by, missed, last, budget.map(|_| readiness.ended("stalled"))))
            }
            End::Canceled => Err(self.canceled()),
        }
    }

    /// The error of a target that did not appear. `last` is the last capture that was judged, if any was.
    fn miss(
        &self,
        by: &By,
        missed: Refusal,
        last: Option<Arc<Snapshot>>,
        readiness: Option<serde_json::Value>,
    ) -> Error {
        let error = match &last {
            Some(snapshot) => self.refusal(missed, by, snapshot),
            None => Refusal::NotFound.without_snapshot(by),
        };
        match readiness {
            Some(readiness) if error.reason() == Some(reason::CAPTURE_SPARSE) => {
                error.with_detail("readiness", readiness)
            }
            Some(readiness) => error
                .proven(rows::core::REFUSAL_SELECTOR_READINESS_EXHAUSTED)
                .with_detail("readiness", readiness),
            None => error,
        }
    }
}

enum Found {
    Resolved(Box<Resolved>),
    Refused(Refusal),
    Sparse,
}
