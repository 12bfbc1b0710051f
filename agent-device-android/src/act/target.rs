//! What a touch is meant for, told to the helper: it looks whether that is still at the point, just before it touches.
//!
//! Meant is an element of this class, with this resource id and this name. Where it is now is not compared: it may move, as
//! long as it still holds the point. A name is told only where the id alone does not say which element is meant: names change by
//! themselves. A field's content and the name of something that is pressed again are left out, too.

use std::fmt::Write as _;

use agent_device_core::{
    Error, ErrorCode,
    action::Target,
    dispatch::rows::android_helper as rows,
    snapshot::{Flag, Node, TextField},
};

/// How the helper calls its refusal.
pub(super) const CHANGED: &str = "TargetChangedException";
/// Longer names are not compared.
const LONGEST_NAME: usize = 4096;

/// The JSON that the helper reads.
pub(super) fn description(target: &Target) -> String {
    let node = target.node();
    let named = !node.is(Flag::Editable) && !target.is_repeated() && !is_unique(node);
    let parts = [
        ("class", node.native_type()),
        ("id", node.identifier()),
        (
            "name",
            node.text_field(TextField::Label)
                .filter(|name| named && name.len() <= LONGEST_NAME),
        ),
    ];
    let mut out = String::from("{");
    for (key, value) in parts {
        let Some(value) = value else { continue };
        let comma = if out.len() > 1 { "," } else { "" };
        let _ = write!(out, "{comma}\"{key}\":\"");
        escape(value, &mut out);
        out.push('"');
    }
    out.push('}');
    out
}

/// Whether no other element of its screen has the same id.
fn is_unique(node: Node<'_>) -> bool {
    let id = node.identifier();
    let mut all = node.snapshot().nodes();
    id.is_some() && !all.any(|other| other.id() != node.id() && other.identifier() == id)
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
}

/// Something else is where the target was, or over it.
pub(super) fn changed(why: &str) -> Error {
    Error::refused(
        rows::TARGET_CHANGED,
        ErrorCode::CommandFailed,
        "another element is where the target was",
    )
    .with_reason("android_target_changed")
    .with_detail("helperMessage", why.chars().take(200).collect::<String>())
    .with_hint("Take a new snapshot and name the target again. Nothing was sent.")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agent_device_core::{
        Role,
        snapshot::{CaptureOptions, Quality, SnapshotBuilder, SnapshotInfo},
    };

    use super::*;

    fn target(editable: bool, alone: bool) -> Target {
        let mut tree = SnapshotBuilder::new(CaptureOptions::default());
        for place in 0..if alone { 1 } else { 2 } {
            let mut node = tree.at_depth(0, Role::Button).unwrap();
            node.text(TextField::NativeType, "android.widget.Button")
                .text(TextField::Identifier, "com.app:id/pay")
                .text(TextField::Label, &format!("Pay \"{place}\"\n\\"))
                .flag(Flag::Editable, editable);
        }
        let snapshot = tree.finish(SnapshotInfo::new("x", Quality::healthy("x")));
        let id = snapshot.nodes().next().unwrap().id();
        Target::new(Arc::new(snapshot), id).unwrap()
    }

    #[test]
    fn a_target_is_told_by_what_does_not_change() {
        let named = "{\"class\":\"android.widget.Button\",\"id\":\"com.app:id/pay\",\"name\":\"Pay \\\"0\\\"\\u000a\\\\\"}";
        let unnamed = "{\"class\":\"android.widget.Button\",\"id\":\"com.app:id/pay\"}";
        assert_eq!(description(&target(false, false)), named);
        assert_eq!(description(&target(false, true)), unnamed);
        assert_eq!(description(&target(true, false)), unnamed);
        assert_eq!(description(&target(false, false).repeated()), unnamed);
    }
}
