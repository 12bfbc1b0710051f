//! An open dialog of the browser as a tree of its own.
//!
//! While it is open no script runs, so nothing behind it can be seen. Drivers tell its text and nothing about its place or
//! its buttons: the two that can be pressed stand for accepting and dismissing, and their rectangles are only there so that
//! they can be named as targets. They are pressed by command, never by coordinates.

use agent_device_core::{
    Role,
    geometry::Rect,
    snapshot::{
        CaptureOptions, Flag, Keyboard, Node, Quality, Snapshot, SnapshotBuilder, SnapshotInfo,
        TextField,
    },
};

const PRODUCER: &str = "webdriver-dialog";
/// When no page was captured before.
const SCREEN: Rect = Rect::new(0.0, 0.0, 800.0, 600.0);

/// A button of a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Button {
    Accept,
    Dismiss,
}

impl Button {
    pub(crate) const ALL: [Self; 2] = [Self::Accept, Self::Dismiss];

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Accept => "OK",
            Self::Dismiss => "Cancel",
        }
    }

    fn handle(self) -> &'static str {
        match self {
            Self::Accept => "dialog:accept",
            Self::Dismiss => "dialog:dismiss",
        }
    }

    /// The button that a node of a dialog's tree stands for.
    pub(crate) fn of(node: Node<'_>) -> Option<Self> {
        (node.snapshot().info().producer == PRODUCER)
            .then(|| {
                Self::ALL
                    .into_iter()
                    .find(|button| node.handle() == Some(button.handle()))
            })
            .flatten()
    }
}

/// Whether the node belongs to a dialog's tree.
pub(crate) fn holds(node: Node<'_>) -> bool {
    node.snapshot().info().producer == PRODUCER
}

pub(super) fn snapshot(text: &str, viewport: Option<Rect>, options: &CaptureOptions) -> Snapshot {
    let viewport = viewport.unwrap_or(SCREEN);
    let mut builder = SnapshotBuilder::new(options.clone());
    let third = Rect::new(
        viewport.width / 3.0,
        viewport.height / 3.0,
        viewport.width / 3.0,
        viewport.height / 3.0,
    );
    if let Ok(mut dialog) = builder.root(Role::Alert) {
        dialog
            .bounds(third)
            .text(TextField::Label, text)
            .text(TextField::NativeType, "dialog");
        let dialog = dialog.id();
        for (at, button) in Button::ALL.into_iter().enumerate() {
            let half = third.width / 2.0;
            let left = if at == 0 { third.x } else { third.x + half };
            let bounds = Rect::new(left, third.y + third.height / 2.0, half, third.height / 2.0);
            if let Ok(mut node) = builder.child(dialog, Role::Button) {
                node.bounds(bounds)
                    .text(TextField::Label, button.label())
                    .text(TextField::Handle, button.handle())
                    .flag(Flag::Enabled, true)
                    .flag(Flag::Interactive, true);
            }
        }
    }
    let mut info = SnapshotInfo::default();
    info.quality = Quality::healthy("dialog");
    info.producer = PRODUCER;
    info.viewport = Some(viewport);
    info.keyboard = Keyboard::Absent;
    info.system_surface = Some("dialog".to_owned());
    builder.finish(info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialog_is_an_alert_with_two_buttons_that_know_what_they_do() {
        let tree = snapshot("Delete item?", None, &CaptureOptions::default());
        let nodes: Vec<_> = tree.nodes().collect();
        assert_eq!(nodes.len(), 3);
        assert_eq!(
            (nodes[0].role(), nodes[0].label()),
            (Role::Alert, Some("Delete item?"))
        );
        assert_eq!(Button::of(nodes[0]), None);
        assert_eq!(Button::of(nodes[1]), Some(Button::Accept));
        assert_eq!(Button::of(nodes[2]), Some(Button::Dismiss));
        assert!(nodes[1].usable_bounds().is_some());
    }
}
