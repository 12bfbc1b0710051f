//! From what the app shows to a snapshot, as an accessibility service would report it.

use super::app::{Element, Scene, Tree};
use crate::{
    role::Role,
    snapshot::{
        BuildError, CaptureOptions, Flag, Keyboard, NodeId, Quality, QualityReason, QualityState,
        Snapshot, SnapshotBuilder, SnapshotInfo, TextField,
    },
};

/// Picture pixels for each unit of the coordinates.
pub(super) const SCALE: f64 = 0.5;
const SOURCE: &str = "tree";

pub(super) fn keyboard(scene: &Scene) -> Keyboard {
    match scene.keyboard {
        Some(frame) => Keyboard::Visible { frame },
        None => Keyboard::Absent,
    }
}

fn info(scene: &Scene, producer: &'static str) -> SnapshotInfo {
    SnapshotInfo {
        quality: Quality::healthy(SOURCE),
        producer,
        viewport: Some(scene.viewport),
        scale: SCALE,
        app: Some(scene.app.to_owned()),
        title: Some(scene.title.clone()),
        keyboard: keyboard(scene),
        lineage: Some(format!("{}#{}", scene.app, scene.process)),
        system_surface: scene.system_surface.map(str::to_owned),
        ..SnapshotInfo::default()
    }
}

/// The snapshot of a tree.
pub(super) fn snapshot(
    tree: &Tree,
    options: &CaptureOptions,
    producer: &'static str,
) -> Result<Snapshot, BuildError> {
    let scene = match tree {
        Tree::Whole(scene) => scene,
        Tree::RootOnly(scene) => {
            let reason = QualityReason::SparseTree;
            let mut info = info(scene, producer);
            info.quality = Quality::new(QualityState::Sparse, SOURCE, Some(reason));
            return Ok(Snapshot::sparse(reason, info));
        }
    };
    let text = scene.elements.iter().filter_map(|it| it.label.as_ref());
    let text = text.map(String::len).sum::<usize>();
    let mut builder =
        SnapshotBuilder::with_capacity(options.clone(), scene.elements.len(), 2 * text);
    for (at, element) in scene.elements.iter().enumerate() {
        let mut node = match element.parent {
            None => builder.root(element.role)?,
            Some(parent) => builder.child(NodeId::at(parent), element.role)?,
        };
        node.bounds(element.bounds)
            .text(TextField::Handle, &element.key)
            .level(element.level);
        if !element.id.is_empty() {
            node.text(TextField::Identifier, &element.id);
        }
        for (field, text) in [
            (TextField::Label, element.label.as_deref()),
            (TextField::Value, element.value.as_deref()),
            (TextField::Placeholder, element.placeholder),
        ] {
            if let Some(text) = text {
                node.text(field, text);
            }
        }
        let hittable = says_hittable(element).then(|| scene.hittable(at));
        let field = element.field().is_some();
        for (flag, value) in [
            (Flag::Enabled, element.enabled),
            (Flag::Checked, element.checked),
            (Flag::Selected, element.selected),
            (Flag::Focused, element.focused),
            (Flag::HintShowing, element.hint_showing),
            (Flag::Hittable, hittable),
            (Flag::Editable, field.then_some(true)),
            (Flag::Secure, element.secure.then_some(true)),
            (Flag::Interactive, element.act.is_some().then_some(true)),
            (Flag::Scrollable, element.scroll.map(|_| true)),
            (
                Flag::Heading,
                (element.role == Role::Heading).then_some(true),
            ),
        ] {
            node.flag_if_known(flag, value);
        }
        for side in element.outside().iter() {
            node.outside(side);
        }
        for side in element.hidden_content().iter() {
            node.hidden_content(side);
        }
        if let Some(by) = scene.covered_by(at) {
            node.covered_by(NodeId::at(by));
        }
    }
    Ok(builder.finish(info(scene, producer)))
}

/// A touch goes through the root and through groupings, so nobody asks whether it reaches them.
fn says_hittable(element: &Element) -> bool {
    element.says_hittable && element.drawn && element.parent.is_some()
}
