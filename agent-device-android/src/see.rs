//! Looking: hierarchies, pictures, and what else the device tells.

use std::{borrow::Cow, time::Duration};

use agent_device_core::{
    Call, Error, ErrorCode, Result, Snapshot,
    action::{AppState, Screenshot},
    geometry::Rect,
    snapshot::{CaptureOptions, Keyboard},
};

use crate::{
    helper::{Command, Facts, Helper},
    hierarchy::{self, Limits},
};

pub(crate) async fn capture(
    helper: &Helper,
    app: Option<&str>,
    options: &CaptureOptions,
    call: &Call,
) -> Result<Snapshot> {
    let (facts, document, source) = helper.snapshot(call).await?;
    let facts = hierarchy_facts(&facts, app, source, helper.config.bare_ids);
    let limits = Limits {
        bytes: helper.config.max_capture,
        ..Limits::default()
    };
    let decoded = hierarchy::decode(&document, options.clone(), &facts, &limits)?;
    Ok(decoded.snapshot)
}

fn hierarchy_facts<'a>(
    facts: &Facts,
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
        display,
        scale: 1.0,
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
}

/// Reads without waiting for a quiet screen.
pub(crate) async fn viewport(helper: &Helper, call: &Call) -> Result<Viewport> {
    let reply = helper.read(Command::new("viewport", "0"), call).await?;
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
    })
}

pub(crate) async fn keyboard(helper: &Helper, call: &Call) -> Result<Keyboard> {
    Ok(match viewport(helper, call).await?.keyboard {
        Some(frame) => Keyboard::Visible { frame },
        None => Keyboard::Absent,
    })
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

pub(crate) async fn screenshot(helper: &Helper, call: &Call) -> Result<Screenshot> {
    let command = Command::new("screenshot", "png").up_to(helper.config.max_picture);
    let reply = helper.read(command, call).await?;
    let png = whole_png(reply.body()).ok_or_else(|| {
        Error::new(
            ErrorCode::CommandFailed,
            "the picture is cut short or no PNG",
        )
        .with_reason("android_picture_unreadable")
        .with_hint("Take another one.")
        .with_retriable(true)
    })?;
    Ok(Screenshot {
        png: png.to_vec(),
        // Coordinates are pixels of the display.
        scale: 1.0,
    })
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
