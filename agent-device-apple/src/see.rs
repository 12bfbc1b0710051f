//! Looking: trees, pictures, and what else the device tells.

use std::sync::Arc;

use agent_device_core::{
    Call, Error, ErrorCode, Result, Role, Snapshot, SnapshotBackend,
    action::{Alert, AppState, Operation, Screenshot},
    async_trait,
    geometry::Rect,
    snapshot::{CaptureOptions, Keyboard, Target},
};
use base64::Engine as _;

use crate::{
    act::alert,
    backend::{Apple, Memory},
    error::RunnerFailure,
    runner::{Apps, Command, Meta, Runner, RunnerError, Verb},
    tree::{self, DecodeError, Decoded, Facts, Limits},
};

pub(crate) async fn uptime(apple: &Apple, call: &Call) -> Result<()> {
    apple.runner.ask(&Command::new(Verb::Uptime), call).await?;
    Ok(())
}

/// The trees of the runner.
#[derive(Debug)]
pub(crate) struct RunnerTrees {
    pub(crate) runner: Runner,
    pub(crate) memory: Arc<Memory>,
}

#[async_trait]
impl SnapshotBackend for RunnerTrees {
    /// A tree, from whichever source the runner takes it.
    async fn capture(&self, options: &CaptureOptions, call: &Call) -> Result<Snapshot> {
        let command = snapshot_command(self, options);
        let reading = Reading::new(self, options);
        let decoded = self
            .runner
            .run(&command, &|body| reading.parse(body), call)
            .await?;
        Ok(decoded.snapshot)
    }

    /// A capture that is given up ends on the device within its own limits; the next command waits for its turn there.
    fn honours_cancel(&self) -> bool {
        true
    }

    /// Only that the runner has found it is believed: it looks at less than a tree holds.
    async fn find_text(&self, text: &str, call: &Call) -> Result<Option<bool>> {
        let command = Command::new(Verb::FindText).with("text", text);
        let data = self.runner.ask(&command, call).await?;
        Ok(data.found.filter(|found| *found))
    }

    /// Where an element is now, if the runner finds it and calls it hittable.
    async fn confirm_visible(&self, target: &Target, call: &Call) -> Result<Option<Rect>> {
        let Some(identifier) = target
            .node()
            .identifier()
            .filter(|id| !id.trim().is_empty())
        else {
            return Ok(None);
        };
        let command = Command::new(Verb::QuerySelector)
            .with("selectorKey", "id")
            .with("selectorValue", identifier);
        let data = self.runner.ask(&command, call).await?;
        let nodes = data.nodes.unwrap_or_default();
        let found = nodes
            .first()
            .filter(|node| data.found == Some(true) && node.hittable);
        Ok(found
            .and_then(|node| node.rect)
            .map(|place| Rect::new(place.x, place.y, place.width, place.height))
            .filter(|rect| rect.is_usable()))
    }
}

/// One more tree from a runner that is about to be given up, from the source that is named.
pub(crate) async fn last_capture(
    apple: &Apple,
    options: &CaptureOptions,
    source: Option<&str>,
    call: &Call,
) -> Result<Snapshot, RunnerFailure> {
    let trees = &apple.trees;
    let mut command = snapshot_command(trees, options);
    if let Some(source) = source {
        command = command.with("preferredBackend", source);
    }
    let reading = Reading::new(trees, options);
    let decoded = trees
        .runner
        .ask_last(&command, &|body| reading.parse(body), call)
        .await?;
    Ok(decoded.snapshot)
}

/// The whole screen is asked for, whatever the options leave out: that is the view's business.
fn snapshot_command(trees: &RunnerTrees, options: &CaptureOptions) -> Command {
    let command =
        Command::new(Verb::Snapshot).up_to(trees.runner.config().max_capture, "max_capture");
    if options.raw {
        command.with("raw", true)
    } else {
        command
    }
}

/// What is known about a capture that is under way.
struct Reading<'a> {
    options: &'a CaptureOptions,
    app: Option<String>,
    lineage: Option<String>,
    number: u64,
    scale: f64,
    limits: Limits,
}

impl<'a> Reading<'a> {
    fn new(trees: &RunnerTrees, options: &'a CaptureOptions) -> Self {
        let app = trees.runner.app();
        let limits = Limits {
            bytes: trees.runner.config().max_capture,
            ..Limits::default()
        };
        Self {
            options,
            lineage: app
                .as_ref()
                .map(|app| format!("{app}#{}", trees.memory.launches())),
            app,
            number: trees.memory.next_capture(),
            scale: trees.memory.scale(),
            limits,
        }
    }

    fn parse(&self, body: &[u8]) -> Option<Result<(Decoded, Meta), RunnerError>> {
        let number = self.number.to_string();
        let facts = Facts {
            app: self.app.as_deref(),
            lineage: self.lineage.as_deref(),
            scale: self.scale,
            handle: Some(&number),
            ..Facts::default()
        };
        match tree::decode(body, self.options.clone(), &facts, &self.limits) {
            Ok(decoded) => {
                let meta = Meta {
                    fatal: decoded.fatal.clone(),
                    busy: decoded.busy,
                };
                Some(Ok((decoded, meta)))
            }
            Err(DecodeError::Refused {
                code,
                message,
                hint,
            }) => Some(Err(RunnerError::new(&code, &message, hint.as_deref()))),
            Err(DecodeError::Malformed | DecodeError::TooLarge { .. }) => None,
        }
    }
}

pub(crate) async fn screenshot(apple: &Apple, call: &Call) -> Result<Screenshot> {
    let png = match runners_picture(apple, call).await {
        Ok(png) => png,
        // A runner that can't see any more is when a picture is wanted most.
        Err(error) => match apple.runner.launcher().apps() {
            Apps::Simulator(simctl) => simctl
                .screenshot(apple.runner.config().max_picture, &Apple::patience(call))
                .await
                .map_err(|_| error)?,
            _ => return Err(error),
        },
    };
    // Pixels of the picture for each point of the screen.
    let viewport = apple.memory.viewport().filter(|rect| rect.is_usable());
    let scale = match (width(&png), viewport) {
        (Some(width), Some(viewport)) => f64::from(width) / viewport.width,
        _ => 0.0,
    };
    if scale > 0.0 {
        apple.memory.set_scale(scale);
    }
    Ok(Screenshot { png, scale })
}

async fn runners_picture(apple: &Apple, call: &Call) -> Result<Vec<u8>> {
    // In Base64, with the envelope around it.
    let limit = apple.runner.config().max_picture / 3 * 4 + (1 << 20);
    let command = Command::new(Verb::Screenshot)
        .with("inlineScreenshot", true)
        .up_to(limit, "max_picture");
    let data = apple.runner.ask(&command, call).await?;
    let decode = |text| base64::engine::general_purpose::STANDARD.decode(text).ok();
    data.image_base64
        .and_then(decode)
        .filter(|png| width(png).is_some())
        .ok_or_else(|| {
            Error::new(ErrorCode::CommandFailed, "the runner gave no picture")
                .with_reason("picture_unreadable")
                .with_retriable(true)
        })
}

/// The width of a PNG in pixels: it stands at a fixed place.
fn width(png: &[u8]) -> Option<u32> {
    let header = png.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let width = header.get(8..)?.first_chunk()?;
    Some(u32::from_be_bytes(*width)).filter(|width| *width > 0)
}

pub(crate) async fn alert(apple: &Apple, call: &Call) -> Result<Option<Alert>> {
    match apple
        .runner
        .ask(&alert::command(Verb::AlertGet, call), call)
        .await
    {
        Ok(data) => Ok(Some(
            Alert::new(data.message.unwrap_or_default())
                .with_buttons(data.items.unwrap_or_default()),
        )),
        Err(failure) if failure.code() == Some(alert::ABSENT) => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

pub(crate) async fn clipboard(apple: &Apple, call: &Call) -> Result<String> {
    let Apps::Simulator(simctl) = apple.runner.launcher().apps() else {
        return Err(Error::unsupported(Operation::ReadClipboard));
    };
    let bytes = simctl.read_clipboard(&Apple::patience(call)).await?;
    String::from_utf8(bytes)
        .map_err(|_| Error::new(ErrorCode::CommandFailed, "the clipboard holds no text"))
}

/// The keyboard as a tree shows it. A tree that proves no absence proves none of the keyboard's either.
pub(crate) async fn keyboard(apple: &Apple, call: &Call) -> Result<Keyboard> {
    let options = CaptureOptions::default();
    let snapshot = apple.trees.capture(&options, call).await?;
    // The runner may leave the keyboard itself out and give its keys.
    let parts = snapshot
        .nodes()
        .filter(|node| matches!(node.role(), Role::Keyboard | Role::Key))
        .filter_map(|node| node.usable_bounds());
    let shown = parts.reduce(|all, part| {
        let (x, y) = (all.x.min(part.x), all.y.min(part.y));
        Rect::new(
            x,
            y,
            all.right().max(part.right()) - x,
            all.bottom().max(part.bottom()) - y,
        )
    });
    Ok(match shown {
        Some(frame) => Keyboard::Visible { frame },
        None if snapshot.proves_absence() => Keyboard::Absent,
        None => Keyboard::Unknown,
    })
}

pub(crate) async fn app_state(apple: &Apple, call: &Call) -> Result<AppState> {
    let Some(app) = apple.runner.app() else {
        return Err(Error::invalid(
            "app",
            "no app was named or opened, so there is none to ask about",
        ));
    };
    let data = apple
        .runner
        .ask(&Command::new(Verb::AppState), call)
        .await?;
    let in_front = data.application_state.as_deref() == Some("runningForeground");
    Ok(AppState::new(in_front.then_some(app), None))
}
