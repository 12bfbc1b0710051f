//! Looking: hierarchies, pictures, and what else the device tells.

mod alert;
mod fresh;

use std::{borrow::Cow, time::Duration};

use agent_device_core::{
    Call, Error, ErrorCode, Result, Snapshot,
    action::{Alert, AppState, Orientation, Screenshot},
    geometry::Rect,
    snapshot::{CaptureOptions, Keyboard},
};

use crate::{
    adb::ShellCommand,
    backend::Memory,
    error::TOO_LARGE,
    helper::{Command, Facts, Helper, HelperFailure},
    hierarchy::{self, Content, Limits, Occlusion, SYSTEM_DIALOG},
};
pub(crate) use alert::{Found as FoundAlert, PERMISSIONS, SYSTEM, find as find_alert};
pub(crate) use fresh::{Mark, capture, fingerprint};

/// One look, whatever it shows.
pub(crate) async fn tree(
    helper: &Helper,
    memory: &Memory,
    options: &CaptureOptions,
    call: &Call,
) -> Result<Snapshot> {
    Ok(look(helper, memory, options, call).await?.snapshot)
}

/// One look, and what is known about it.
pub(crate) struct Look {
    pub(crate) snapshot: Snapshot,
    pub(crate) fingerprint: u64,
    /// What the app shows is not in it, or not yet.
    pub(crate) poor: bool,
}

async fn look(
    helper: &Helper,
    memory: &Memory,
    options: &CaptureOptions,
    call: &Call,
) -> Result<Look> {
    let (told, document, source) = helper.snapshot(call).await?;
    let app = memory.app();
    let mut facts = hierarchy_facts(&told, app.as_deref(), source, helper.config.bare_ids);
    // It may have turned since: the next touch is checked against what is now.
    if let Some(display) = facts.display {
        memory.set_display(display);
    }
    let limits = Limits {
        bytes: helper.config.max_capture,
        ..Limits::default()
    };
    let mut decoded = hierarchy::decode(&document, options.clone(), &facts, &limits)?;
    let fingerprint = fingerprint(&document);
    if let Some(window) = decoded.hollow {
        facts.picture_shows = picture_shows(helper, memory, fingerprint, window, call).await;
        if facts.picture_shows == Some(true) {
            decoded = hierarchy::decode(&document, options.clone(), &facts, &limits)?;
        }
    }
    Ok(Look {
        fingerprint,
        poor: matches!(decoded.content, Content::Unusable(_)),
        snapshot: with_details(decoded.snapshot, &told, decoded.occlusion),
    })
}

/// What the helper tells of a capture, under its own names.
const DETAILS: [&str; 6] = [
    "captureMode",
    "windowCount",
    "nodeCount",
    "missingRootWindowTypes",
    "truncatedBy",
    "displayChanged",
];

fn with_details(snapshot: Snapshot, told: &Facts, occlusion: Occlusion) -> Snapshot {
    let told = DETAILS
        .into_iter()
        .filter_map(|key| Some((key, told.get(key)?)))
        .filter(|(_, value)| !value.is_empty());
    let snapshot = told.fold(snapshot, |snapshot, (key, value)| {
        // Everything from a device is bounded.
        snapshot.with_detail(key, value.chars().take(100).collect::<String>())
    });
    // Then that nothing is marked as covered says nothing.
    match occlusion {
        Occlusion::Scanned => snapshot,
        Occlusion::NoDrawingOrder => snapshot.with_detail(UNSCANNED, "no-drawing-order"),
        Occlusion::GaveUp => snapshot.with_detail(UNSCANNED, "gave-up"),
    }
}

const UNSCANNED: &str = "occlusionScanUnavailable";

/// Whether there is more than one colour within `window`. `None`: the device makes no pictures.
async fn picture_shows(
    helper: &Helper,
    memory: &Memory,
    fingerprint: u64,
    window: Rect,
    call: &Call,
) -> Option<bool> {
    if let known @ Some(_) = memory.picture_shows(fingerprint) {
        return known;
    }
    if !memory.helper_does("screenshot-blank") {
        return None;
    }
    let edges =
        [window.x, window.y, window.right(), window.bottom()].map(|edge| format!("{edge:.0}"));
    let payload = format!("blank:{}", edges.join(","));
    let reply = helper
        .read(Command::new("screenshot", &payload), call)
        .await;
    let shows = !reply.ok()?.facts.is("blank")?;
    memory.pictured(fingerprint, shows);
    Some(shows)
}

/// The open alert.
pub(crate) async fn alert(helper: &Helper, memory: &Memory, call: &Call) -> Result<Option<Alert>> {
    let screen = tree(helper, memory, &CaptureOptions::raw(), call).await?;
    Ok(find_alert(&screen).map(|found| found.alert))
}

fn hierarchy_facts<'a>(
    facts: &'a Facts,
    app: Option<&'a str>,
    source: &'static str,
    bare_ids: bool,
) -> hierarchy::Facts<'a> {
    let missing = facts.get("missingRootWindowTypes").map(|types| {
        let types = types.split(',').filter_map(|word| word.trim().parse().ok());
        Cow::Owned(types.collect::<Vec<i32>>())
    });
    let display = facts
        .number("displayWidth")
        .zip(facts.number("displayHeight"));
    hierarchy::Facts {
        source,
        app,
        input_method: facts.get("inputMethod").filter(|name| !name.is_empty()),
        display,
        scale: 1.0,
        density: facts.number("pixelDensity").unwrap_or(0.0),
        bare_ids,
        active_window_only: facts.get("captureMode") == Some("active-window"),
        truncated: facts.is("truncated").unwrap_or(false),
        missing_windows: missing,
        root_present: facts.is("rootPresent"),
        windows: facts.number("windowCount"),
        elapsed: facts.number("elapsedMs").map(Duration::from_millis),
        ..hierarchy::Facts::default()
    }
}

/// Where gestures may go, and what covers a part of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Viewport {
    pub(crate) display: Option<(u32, u32)>,
    pub(crate) keyboard: Option<Rect>,
    pub(crate) package: Option<String>,
    /// In quarter turns, as Android counts them.
    pub(crate) rotation: Option<u8>,
}

/// Reads without waiting for a quiet screen.
pub(crate) async fn viewport(helper: &Helper, call: &Call) -> Result<Viewport> {
    viewport_at_rest(helper, Duration::ZERO, call).await
}

/// Waits so long at most until the screen is quiet.
pub(crate) async fn viewport_at_rest(
    helper: &Helper,
    limit: Duration,
    call: &Call,
) -> Result<Viewport> {
    let limit = limit.as_millis().to_string();
    let reply = helper.read(Command::new("viewport", &limit), call).await?;
    let facts = &reply.facts;
    let edge = |key: &str| facts.number::<i32>(key).map(f64::from);
    let keyboard = match (
        edge("keyboardX"),
        edge("keyboardY"),
        edge("keyboardWidth"),
        edge("keyboardHeight"),
    ) {
        (Some(x), Some(y), Some(width), Some(height)) => Some(Rect::new(x, y, width, height)),
        _ => None,
    };
    let package = facts.get("activePackage").filter(|name| !name.is_empty());
    Ok(Viewport {
        display: facts
            .number("displayWidth")
            .zip(facts.number("displayHeight")),
        keyboard,
        package: package.map(str::to_owned),
        rotation: facts.number("rotation"),
    })
}

/// The package in front once the screen rests, or after so long. Whoever looks next waits for the same rest: it is waited for once.
pub(crate) async fn front_at_rest(
    helper: &Helper,
    memory: &Memory,
    limit: Duration,
    call: &Call,
) -> Result<Option<String>> {
    let viewport = viewport_at_rest(helper, limit.min(call.remaining()), call).await?;
    if let Some(display) = viewport.display {
        memory.set_display(display);
    }
    Ok(viewport.package)
}

/// The package in front on this screen.
pub(crate) fn front(screen: &Snapshot) -> Option<String> {
    let info = screen.info();
    match info.system_surface.as_deref() {
        Some(SYSTEM_DIALOG) => Some(SYSTEM.to_owned()),
        _ => info.app.clone(),
    }
}

impl Viewport {
    /// How the display is held: quarter turns count from how the device is built, upright or on its side.
    pub(crate) fn orientation(&self) -> Option<Orientation> {
        let rotation = self.rotation?;
        ORIENTATIONS
            .into_iter()
            .find(|orientation| self.rotation_of(*orientation) == Some(rotation))
    }

    /// The rotation that gives this orientation.
    pub(crate) fn rotation_of(&self, orientation: Orientation) -> Option<u8> {
        let ((width, height), rotation) = (self.display?, self.rotation?);
        let upright = (height >= width) == (rotation % 2 == 0);
        // From AOSP's DisplayRotation, for devices whose natural orientation is the one and the other.
        Some(match (orientation, upright) {
            (Orientation::Portrait, true) | (Orientation::LandscapeLeft, false) => 0,
            (Orientation::LandscapeLeft, true) | (Orientation::PortraitUpsideDown, false) => 1,
            (Orientation::PortraitUpsideDown, true) | (Orientation::LandscapeRight, false) => 2,
            (Orientation::LandscapeRight, true) | (Orientation::Portrait, false) => 3,
        })
    }
}

const ORIENTATIONS: [Orientation; 4] = [
    Orientation::Portrait,
    Orientation::LandscapeLeft,
    Orientation::PortraitUpsideDown,
    Orientation::LandscapeRight,
];

pub(crate) async fn orientation(helper: &Helper, call: &Call) -> Result<Orientation> {
    viewport(helper, call).await?.orientation().ok_or_else(|| {
        Error::new(
            ErrorCode::CommandFailed,
            "the device does not tell how its display is turned",
        )
        .with_reason("android_orientation_unknown")
    })
}

/// Once the screen rests: a keyboard slides in after its field has the focus. That there is none is told by all windows only: what
/// gestures are kept from has no floating keyboards.
pub(crate) async fn keyboard(helper: &Helper, memory: &Memory, call: &Call) -> Result<Keyboard> {
    let limit = helper.config.quiet_limit.min(call.remaining());
    match viewport_at_rest(helper, limit, call).await?.keyboard {
        Some(frame) => Ok(Keyboard::Visible { frame }),
        None => {
            let screen = tree(helper, memory, &CaptureOptions::raw(), call).await?;
            Ok(screen.info().keyboard)
        }
    }
}

pub(crate) async fn app_state(helper: &Helper, call: &Call) -> Result<AppState> {
    Ok(AppState::new(viewport(helper, call).await?.package, None))
}

pub(crate) async fn clipboard(helper: &Helper, call: &Call) -> Result<String> {
    let command = Command::new("getclipboard", "").up_to(helper.config.max_capture);
    let reply = helper.read(command, call).await?;
    let text = reply.into_body();
    String::from_utf8(text)
        .map_err(|_| Error::new(ErrorCode::CommandFailed, "the clipboard holds no text"))
}

/// A picture by the helper, else by the device's own program.
pub(crate) async fn screenshot(helper: &Helper, call: &Call) -> Result<Screenshot> {
    let command = Command::new("screenshot", "png").up_to(helper.config.max_picture);
    let png = match helper.read(command, call).await {
        Ok(reply) => whole_png(reply.body()).map(<[u8]>::to_vec),
        // There is no time for another one, or another one is as large.
        Err(failure) if call.remaining().is_zero() || failure.is_too_large() => {
            return Err(failure.into());
        }
        Err(failure) => whole_png(&screencap(helper, failure, call).await?).map(<[u8]>::to_vec),
    };
    let png = png.ok_or_else(|| {
        Error::new(
            ErrorCode::CommandFailed,
            "the picture is cut short or no PNG",
        )
        .with_reason("android_picture_unreadable")
        .with_hint("Take another one. Of a window that forbids it (FLAG_SECURE) there is none, or a black one.")
        .with_retriable(true)
    })?;
    Ok(Screenshot {
        png,
        // Coordinates are pixels of the display.
        scale: 1.0,
    })
}

async fn screencap(helper: &Helper, failure: HelperFailure, call: &Call) -> Result<Vec<u8>> {
    let command = ShellCommand::new("screencap")?.arg("-p")?;
    let limit = helper.config.max_picture;
    match helper.device.exec_up_to(limit, &command, call).await {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.reason() == Some(TOO_LARGE) => Err(error),
        Err(error) => {
            let answered = failure.is_answer();
            let told = Error::from(failure).with_detail("screencap", error.message());
            Err(if answered {
                told.with_source(error).with_hint(
                    "Of a window that forbids it (FLAG_SECURE) there is no picture. Android 6 may lack the program for it, too.",
                )
            } else {
                told
            })
        }
    }
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The picture from its signature to its last chunk. Some devices print a warning before it.
fn whole_png(bytes: &[u8]) -> Option<&[u8]> {
    let start = memchr::memmem::find(bytes, PNG)?;
    let png = bytes.get(start..)?;
    let mut at = PNG.len();
    loop {
        let length = u32::from_be_bytes(*png.get(at..)?.first_chunk()?);
        let kind: &[u8; 4] = png.get(at + 4..)?.first_chunk()?;
        // Length, kind, content, checksum.
        let end = at
            .checked_add(usize::try_from(length).ok()?)?
            .checked_add(12)?;
        if end > png.len() {
            return None;
        }
        if kind == b"IEND" {
            return png.get(..end);
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_count_from_how_the_device_is_built() {
        let held = |width, height, rotation| Viewport {
            display: Some((width, height)),
            rotation: Some(rotation),
            ..Viewport::default()
        };
        for (viewport, orientation) in [
            (held(1080, 2400, 0), Orientation::Portrait),
            (held(2400, 1080, 1), Orientation::LandscapeLeft),
            (held(1080, 2400, 2), Orientation::PortraitUpsideDown),
            (held(2400, 1080, 3), Orientation::LandscapeRight),
            // A tablet that is built to lie on its side.
            (held(2560, 1600, 0), Orientation::LandscapeLeft),
            (held(1600, 2560, 3), Orientation::Portrait),
        ] {
            assert_eq!(viewport.orientation(), Some(orientation), "{viewport:?}");
        }
        assert_eq!(Viewport::default().orientation(), None);
    }

    fn chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len()).unwrap().to_be_bytes();
        [&length[..], kind, content, &[0; 4]].concat()
    }

    #[test]
    fn a_picture_is_cut_out_whole_or_refused() {
        let png = [PNG.to_vec(), chunk(b"IDAT", b"IEND"), chunk(b"IEND", b"")].concat();
        assert_eq!(whole_png(&png), Some(&png[..]));
        let noisy = [b"[Warning] several displays\n", &png[..], b"\nbye"].concat();
        assert_eq!(whole_png(&noisy), Some(&png[..]));
        for cut in 0..png.len() {
            assert_eq!(whole_png(&png[..cut]), None, "{cut}");
        }
        let wild = [PNG, &[255; 64]].concat();
        assert_eq!(whole_png(&wild), None);
    }
}
