//! One pass over a reply: `{"ok", "data": {"nodes": […], …}, "error"}`, members in any order.

use std::ops::Range;

use agent_device_core::{
    Role, Snapshot,
    geometry::{Direction, Rect},
    snapshot::{
        BuildError, CaptureOptions, NodeId, QualityReason, QualityState, SnapshotBuilder,
        SnapshotInfo, TextField,
    },
};
use serde::de::DeserializeSeed as _;

use super::{
    DecodeError, Decoded, Facts, Limits,
    element::role,
    members::{Beside, Envelope},
    quality::{Verdict, unjudged},
    write::Said,
};

/// Decodes the runner's reply to a snapshot command.
///
/// # Errors
///
/// It is no reply, it is too large, or the runner says that it failed.
pub fn decode(
    reply: &[u8],
    options: CaptureOptions,
    facts: &Facts<'_>,
    limits: &Limits,
) -> Result<Decoded, DecodeError> {
    if reply.len() > limits.bytes {
        return Err(DecodeError::TooLarge {
            limit: limits.bytes,
        });
    }
    // A node takes some 200 bytes on the wire, a fifth of them text.
    let builder = SnapshotBuilder::with_capacity(options, reply.len() / 200, reply.len() / 5);
    let mut tree = Tree::new(builder, facts, limits);
    // Checked once as a whole: serde_json would check every text and every key by itself.
    let reply = std::str::from_utf8(reply).map_err(|_| DecodeError::Malformed)?;
    let mut json = serde_json::Deserializer::from_str(reply);
    let envelope = Envelope { tree: &mut tree }
        .deserialize(&mut json)
        .map_err(|_| DecodeError::Malformed)?;
    json.end().map_err(|_| DecodeError::Malformed)?;
    if !envelope.ok {
        let error = envelope.error.unwrap_or_default();
        let cut = |text: String| text.chars().take(500).collect::<String>();
        return Err(DecodeError::Refused {
            code: cut(error.code.unwrap_or_default()),
            message: cut(error.message),
            hint: error.hint.map(cut),
        });
    }
    let data = envelope.data.unwrap_or_default();
    let fatal = data
        .fatal
        .then(|| data.fatal_reason.clone().unwrap_or_default());
    let busy = data.busy;
    Ok(Decoded {
        snapshot: tree.finish(data, facts),
        fatal,
        busy,
    })
}

/// The tree as it grows, and room for one node whose parent is known only at its end.
pub(super) struct Tree {
    builder: SnapshotBuilder,
    max_nodes: usize,
    max_depth: usize,
    truncated: bool,
    handle: Option<String>,
    viewport: Option<(Role, Rect)>,
    /// The roots and windows that can stand for the viewport have been seen.
    pub(super) text: String,
    pub(super) node: Node,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) kind: Option<Range<usize>>,
    pub(super) label: Option<Range<usize>>,
    pub(super) identifier: Option<Range<usize>>,
    pub(super) value: Option<Range<usize>>,
    pub(super) placeholder: Option<Range<usize>>,
    pub(super) rect: Option<Rect>,
    pub(super) enabled: Option<bool>,
    pub(super) focused: Option<bool>,
    pub(super) selected: Option<bool>,
    pub(super) above: bool,
    pub(super) below: bool,
    pub(super) depth: usize,
    pub(super) parent: Option<usize>,
}

impl Tree {
    fn new(builder: SnapshotBuilder, facts: &Facts<'_>, limits: &Limits) -> Self {
        Self {
            builder,
            max_nodes: limits.nodes,
            max_depth: limits.depth,
            truncated: false,
            handle: facts.handle.map(str::to_owned),
            viewport: None,
            text: String::new(),
            node: Node::default(),
        }
    }

    fn finish(mut self, data: Beside, facts: &Facts<'_>) -> Snapshot {
        // On an iPhone the runner leaves out what lies beside the screen and says where it is; elsewhere it doesn't.
        let viewport = self.viewport.map(|(_, rect)| rect);
        self.builder.derive_outside(viewport);
        let nodes = self.builder.len();
        let quality = data.quality.as_ref().and_then(Verdict::quality);
        let acquisition = data.quality.as_ref().and_then(Verdict::acquisition);
        let mut quality = quality.unwrap_or_else(|| unjudged(nodes));
        if nodes == 0 && quality.state != QualityState::Sparse {
            quality.state = QualityState::Sparse;
            quality.reason = Some(QualityReason::NoNodes);
        }
        let mut info = SnapshotInfo::new(producer(facts), quality);
        info.viewport = viewport;
        info.scale = facts.scale;
        info.truncated = self.truncated || data.truncated;
        info.app = facts.app.map(str::to_owned);
        info.lineage = facts.lineage.map(str::to_owned);
        info.system_surface = data.surface.map(|surface| surface.bundle_id);
        info.acquisition = acquisition;
        self.builder.finish(info)
    }

    /// Adds the node that has been read.
    pub(super) fn push(&mut self) -> Result<(), BuildError> {
        let node = std::mem::take(&mut self.node);
        let at = self.builder.len();
        if at >= self.max_nodes || node.depth >= self.max_depth {
            self.truncated = true;
            return Ok(());
        }
        let text =
            |range: &Option<Range<usize>>| range.clone().and_then(|range| self.text.get(range));
        let kind = text(&node.kind);
        let role = kind.map_or(Role::Other, role);
        // Nodes come in document order, each with the index of its parent. One that says otherwise is placed by its depth.
        let parent = node.parent.filter(|parent| *parent < at && node.depth > 0);
        let placed = match parent {
            Some(parent) => self
                .builder
                .child(NodeId::at(parent), role)
                .map(|new| new.id()),
            None => self.builder.at_depth(node.depth, role).map(|new| new.id()),
        };
        let id = match placed {
            Err(BuildError::NotInDocumentOrder { .. }) => {
                self.builder.at_depth(node.depth, role)?.id()
            }
            placed => placed?,
        };
        let Some(mut new) = self.builder.edit(id) else {
            return Ok(());
        };
        if let Some(rect) = node.rect {
            new.bounds(rect);
            let better = |(known, _): &(Role, Rect)| {
                *known != Role::Application && role == Role::Application
            };
            if let Some((_, viewport)) = self.viewport
                && rect.width == 0.0
                && rect.height == 0.0
            {
                for side in Direction::ALL
                    .into_iter()
                    .filter(|side| is_beyond(rect, viewport, *side))
                {
                    new.outside(side);
                }
            }
            if (role.is_root() || at == 0)
                && rect.is_usable()
                && self.viewport.as_ref().is_none_or(better)
            {
                self.viewport = Some((role, rect));
            }
        }
        Said {
            role,
            kind,
            label: text(&node.label),
            identifier: text(&node.identifier),
            value: text(&node.value),
            placeholder: text(&node.placeholder),
            enabled: node.enabled,
            selected: node.selected,
            focused: node.focused,
        }
        .write(&mut new);
        if node.above {
            new.hidden_content(Direction::Up);
        }
        if node.below {
            new.hidden_content(Direction::Down);
        }
        if at == 0
            && let Some(handle) = self.handle.take()
        {
            new.text(TextField::Handle, &handle);
        }
        self.text.clear();
        Ok(())
    }
}

/// What can't be seen has no size, and its origin is still where it lies.
fn is_beyond(rect: Rect, viewport: Rect, side: Direction) -> bool {
    match side {
        Direction::Up => rect.y < viewport.y,
        Direction::Down => rect.y >= viewport.bottom(),
        Direction::Left => rect.x < viewport.x,
        Direction::Right => rect.x >= viewport.right(),
    }
}

fn producer(facts: &Facts<'_>) -> &'static str {
    if facts.producer.is_empty() {
        "apple-runner"
    } else {
        facts.producer
    }
}

#[cfg(test)]
mod tests {
    use agent_device_core::snapshot::{Checked, Flag};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(reply: &[u8]) -> Result<Decoded, DecodeError> {
        let facts = Facts {
            app: Some("com.x"),
            handle: Some("c7"),
            ..Facts::default()
        };
        decode(reply, CaptureOptions::default(), &facts, &Limits::default())
    }

    fn tree(nodes: serde_json::Value) -> Decoded {
        let reply = json!({"data": {"nodes": nodes, "snapshotQuality": {"state": "healthy", "backend": "tree"}}, "ok": true});
        read(reply.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn what_has_no_size_lies_beyond_the_side_that_its_origin_is_beyond() {
        let rect =
            |x: i32, y: i32, size: i32| json!({"x": x, "y": y, "width": size, "height": size});
        let decoded = tree(json!([
            {"type": "Application", "rect": rect(0, 0, 400), "depth": 0},
            {"type": "Button", "rect": rect(10, -40, 0), "depth": 1, "parentIndex": 0},
            {"type": "Button", "rect": rect(400, 10, 0), "depth": 1, "parentIndex": 0},
            {"type": "Button", "rect": rect(0, 0, 0), "depth": 1, "parentIndex": 0},
            {"type": "Button", "rect": rect(10, 500, 40), "depth": 1, "parentIndex": 0},
        ]));
        let beyond = |at: usize, side| {
            let node = decoded.snapshot.nodes().nth(at).unwrap();
            node.outside().has(side)
        };
        assert!(
            beyond(1, Direction::Up) && beyond(2, Direction::Right) && beyond(4, Direction::Down)
        );
        assert!(Direction::ALL.into_iter().all(|side| !beyond(3, side)));
    }

    #[test]
    fn a_reply_becomes_a_tree_with_its_verdict() {
        let decoded = tree(json!([
            {"index": 0, "type": "Application", "label": "App", "rect": {"x": 0, "y": 0, "width": 402, "height": 874}, "enabled": true, "hittable": false, "depth": 0},
            {"index": 1, "type": "Switch", "identifier": "wifi", "value": "1", "rect": {"x": 1, "y": 2.5, "width": 3, "height": 4}, "enabled": true, "hittable": true, "depth": 1, "parentIndex": 0},
            {"index": 2, "type": "SecureTextField", "value": "••••", "depth": 1, "parentIndex": 0, "focused": true},
            {"index": 3, "type": "Table", "hiddenContentBelow": true, "depth": 1, "parentIndex": 0},
            {"index": 4, "type": "Element(5)", "label": "a\u{0}\u{1F600}\"b", "depth": 2, "parentIndex": 3, "later": {"x": []}},
        ]));
        let snapshot = decoded.snapshot;
        let nodes: Vec<_> = snapshot.nodes().collect();
        assert_eq!(nodes.len(), 5);
        assert_eq!(
            snapshot.info().viewport,
            Some(Rect::new(0.0, 0.0, 402.0, 874.0))
        );
        assert_eq!(nodes[0].handle(), Some("c7"));
        assert_eq!(
            nodes[1].flag(Flag::Hittable),
            None,
            "geometry is no hit test"
        );
        assert_eq!(
            (nodes[1].role(), nodes[1].checked(), nodes[1].value()),
            (Role::Switch, Some(Checked::On), None)
        );
        assert_eq!(nodes[1].bounds(), Some(Rect::new(1.0, 2.5, 3.0, 4.0)));
        assert!(
            nodes[2].is(Flag::Secure) && nodes[2].value().is_none() && nodes[2].is(Flag::Focused)
        );
        assert!(nodes[3].hidden_content().has(Direction::Down));
        assert_eq!(
            (nodes[4].role(), nodes[4].label()),
            (Role::Sheet, Some("a\u{0}\u{1F600}\"b"))
        );
        assert_eq!(nodes[4].parent().map(|node| node.id()), Some(nodes[3].id()));
        assert_eq!(nodes[3].flag(Flag::Selected), None, "absent is not false");
        assert_eq!(snapshot.quality().source, "tree");
    }

    #[test]
    fn a_degraded_tree_says_so() {
        let reply = |quality: &str, nodes: &str| {
            format!(
                "{{\"ok\":true,\"data\":{{\"nodes\":{nodes},\"runnerFatal\":true,\"runnerFatalReason\":\"ax\",\"truncated\":true,\"snapshotQuality\":{quality}}}}}"
            )
        };
        let root = "[{\"type\":\"Application\",\"depth\":0}]";
        let sparse = read(
            reply(
                "{\"state\":\"sparse\",\"backend\":\"tree\",\"reasonCode\":\"ax-rejected\"}",
                root,
            )
            .as_bytes(),
        )
        .unwrap();
        assert_eq!(
            sparse.snapshot.quality().reason,
            Some(QualityReason::AxRejected)
        );
        assert_eq!(sparse.fatal.as_deref(), Some("ax"));
        assert!(sparse.snapshot.quality().is_sparse() && !sparse.snapshot.proves_absence());
        // Neither a state nor a source that is not known is a verdict.
        for quality in [
            "null",
            "{}",
            "{\"state\":\"fine\",\"backend\":\"tree\"}",
            "{\"state\":\"healthy\",\"backend\":\"x\"}",
        ] {
            let unjudged = read(reply(quality, root).as_bytes()).unwrap().snapshot;
            assert!(unjudged.quality().is_sparse(), "{quality}");
        }
        let none =
            read(reply("{\"state\":\"healthy\",\"backend\":\"tree\"}", "[]").as_bytes()).unwrap();
        assert!(none.snapshot.quality().is_sparse());
        let deep = "{\"state\":\"recovered\",\"backend\":\"private-ax\",\"reasonCode\":\"deferred\",\"effectiveDepth\":40,\"timing\":{\"acquisitionMs\":12.5}}";
        let deep = read(reply(deep, "[{\"depth\":0},{\"depth\":1}]").as_bytes())
            .unwrap()
            .snapshot;
        assert_eq!(deep.quality().effective_depth, Some(40));
        assert_eq!(
            deep.info().acquisition,
            Some(std::time::Duration::from_micros(12_500))
        );
    }

    #[test]
    fn a_failure_keeps_its_code() {
        let refused = read(
            br#"{"ok":false,"error":{"code":"IOS_AX_SNAPSHOT_FAILED","message":"no","hint":"h"}}"#,
        );
        let Err(DecodeError::Refused { code, hint, .. }) = refused else {
            panic!()
        };
        assert_eq!(
            (code.as_str(), hint.as_deref()),
            ("IOS_AX_SNAPSHOT_FAILED", Some("h"))
        );
    }

    #[test]
    fn trees_that_lie_about_their_order_are_placed_by_depth() {
        let decoded = tree(json!([
            {"type": "Application", "depth": 0},
            {"type": "Window", "depth": 1, "parentIndex": 99},
            {"type": "Cell", "depth": 1, "parentIndex": 0},
            {"type": "Button", "depth": 2, "parentIndex": 1},
            {"type": "Other", "depth": 40, "parentIndex": null},
        ]));
        let depths: Vec<_> = decoded.snapshot.nodes().map(|node| node.depth()).collect();
        assert_eq!(depths, [0, 1, 1, 2, 3]);
    }

    #[test]
    fn limits_make_a_tree_truncated() {
        let nodes: Vec<_> = (0..50)
            .map(|depth| json!({"type": "Other", "depth": depth}))
            .collect();
        let reply = json!({"ok": true, "data": {"nodes": nodes}}).to_string();
        for (limits, count) in [
            (
                Limits {
                    nodes: 10,
                    ..Limits::default()
                },
                10,
            ),
            (
                Limits {
                    depth: 20,
                    ..Limits::default()
                },
                20,
            ),
        ] {
            let snapshot = decode(
                reply.as_bytes(),
                CaptureOptions::default(),
                &Facts::default(),
                &limits,
            )
            .unwrap()
            .snapshot;
            assert!(snapshot.len() == count && snapshot.info().truncated);
        }
        let small = Limits {
            bytes: 10,
            ..Limits::default()
        };
        let error = decode(
            reply.as_bytes(),
            CaptureOptions::default(),
            &Facts::default(),
            &small,
        )
        .unwrap_err();
        assert_eq!(error, DecodeError::TooLarge { limit: 10 });
    }

    #[test]
    fn what_is_no_reply_is_refused() {
        for reply in [
            "",
            "{}",
            "[]",
            "{\"ok\":true}x",
            "{\"ok\":true,\"data\":{\"nodes\":[{\"depth\":-1}]}}",
            "{\"data\":{}}",
        ] {
            assert_eq!(
                read(reply.as_bytes()).unwrap_err(),
                DecodeError::Malformed,
                "{reply}"
            );
        }
        let deep = format!(
            "{{\"ok\":true,\"data\":{{\"nodes\":[{{\"actions\":{}",
            "[".repeat(100_000)
        );
        assert_eq!(read(deep.as_bytes()).unwrap_err(), DecodeError::Malformed);
        assert!(
            read(br#"{"ok":true,"data":null}"#)
                .unwrap()
                .snapshot
                .quality()
                .is_sparse()
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read(&bytes);
        }

        #[test]
        fn no_tree_makes_it_panic(nodes in proptest::collection::vec((0_usize..9, proptest::option::of(0_usize..40), ".{0,12}", any::<f64>()), 0..60)) {
            let count = nodes.len();
            let nodes: Vec<_> = nodes.into_iter().map(|(depth, parent, text, number)| json!({
                "type": text, "label": text, "depth": depth, "parentIndex": parent, "rect": {"x": number, "y": 1, "width": number, "height": 2},
            })).collect();
            let decoded = tree(json!(nodes));
            prop_assert_eq!(decoded.snapshot.len(), count);
        }
    }
}
