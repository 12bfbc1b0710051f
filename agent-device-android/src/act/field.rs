//! Which field is meant, when a later screen is looked at: the text goes to whatever has the focus, so this must not be guessed.

use agent_device_core::{
    Snapshot,
    action::Touch,
    geometry::Point,
    snapshot::{Flag, Node, TextField},
};

/// A field as it was when it was chosen.
pub(super) struct Meant {
    point: Point,
    like: Option<Like>,
}

/// What of a field stays while it is filled, and which of the fields with the same it is.
struct Like {
    id: Option<String>,
    class: Option<String>,
    hint: Option<String>,
    nth: usize,
    alone: bool,
}

impl Meant {
    pub(super) fn by(touch: &Touch) -> Self {
        let node = touch.target.as_ref().map(|target| target.node());
        Self {
            point: touch.point,
            like: node.map(Like::of),
        }
    }

    /// The field that is meant on this screen, if it has the focus.
    pub(super) fn focused<'a>(&self, screen: &'a Snapshot) -> Option<Node<'a>> {
        self.among(screen, Flag::Focused)
    }

    /// The field that is meant on this screen.
    pub(super) fn on<'a>(&self, screen: &'a Snapshot) -> Option<Node<'a>> {
        self.focused(screen)
            .or_else(|| self.among(screen, Flag::Editable))
    }

    fn among<'a>(&self, screen: &'a Snapshot, flag: Flag) -> Option<Node<'a>> {
        let here = |node: &Node<'_>| node.bounds().is_some_and(|it| it.contains(self.point));
        let mut nodes = screen.nodes().filter(|node| node.is(flag));
        let Some(like) = &self.like else {
            return nodes.find(here);
        };
        // Rows of a list share an id. A keyboard that slides in moves fields, and leaves their order as it is.
        let all = screen.nodes().filter(|node| like.is(*node));
        let all: Vec<_> = all.map(|node| node.id()).collect();
        let alone = like.alone && all.len() == 1;
        let is_meant = |node: &Node<'_>| match all.iter().position(|id| *id == node.id()) {
            Some(nth) => alone || nth == like.nth || here(node),
            // Without an id its place tells, whatever it calls itself now.
            None => like.id.is_none() && here(node),
        };
        nodes.find(is_meant)
    }
}

impl Like {
    fn of(node: Node<'_>) -> Self {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let mut like = Self {
            id: owned(node.identifier()),
            class: owned(node.native_type()),
            hint: owned(node.text_field(TextField::Placeholder)),
            nth: 0,
            alone: true,
        };
        let all = node.snapshot().nodes().filter(|other| like.is(*other));
        let all: Vec<_> = all.map(|other| other.id()).collect();
        like.nth = all.iter().position(|id| *id == node.id()).unwrap_or(0);
        like.alone = all.len() < 2;
        like
    }

    fn is(&self, node: Node<'_>) -> bool {
        match &self.id {
            Some(id) => node.identifier() == Some(id),
            None => {
                node.is(Flag::Editable)
                    && node.identifier().is_none()
                    && node.native_type() == self.class.as_deref()
                    && node.text_field(TextField::Placeholder) == self.hint.as_deref()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agent_device_core::{
        Role,
        action::Target,
        geometry::Rect,
        snapshot::{CaptureOptions, Quality, SnapshotBuilder, SnapshotInfo},
    };

    use super::*;

    /// Fields of these (id, hint, top), all 100 wide and 10 high, one of which has the focus.
    fn screen(fields: &[(&str, &str, f64)], focused: usize) -> Snapshot {
        let mut tree = SnapshotBuilder::new(CaptureOptions::default());
        tree.root(Role::Group).unwrap();
        for (at, (id, hint, top)) in fields.iter().enumerate() {
            let mut node = tree.at_depth(1, Role::TextField).unwrap();
            node.bounds(Rect::new(0.0, *top, 100.0, 10.0))
                .text(TextField::NativeType, "android.widget.EditText")
                .flag(Flag::Editable, true)
                .flag(Flag::Focused, at == focused);
            for (field, text) in [(TextField::Identifier, id), (TextField::Placeholder, hint)] {
                if !text.is_empty() {
                    node.text(field, text);
                }
            }
        }
        tree.finish(SnapshotInfo::new("x", Quality::healthy("x")))
    }

    /// Whether the field with the focus on `now` is the one that was chosen.
    fn is_meant(before: &[(&str, &str, f64)], chosen: usize, now: &Snapshot) -> bool {
        let screen = Arc::new(screen(before, usize::MAX));
        let node = screen.nodes().nth(chosen + 1).unwrap();
        let point = node.bounds().unwrap().center();
        let touch = Touch {
            point,
            target: Target::new(Arc::clone(&screen), node.id()),
        };
        Meant::by(&touch).focused(now).is_some()
    }

    #[test]
    fn a_row_of_a_list_is_not_taken_for_another_with_the_same_id() {
        let rows = [("quantity", "", 0.0), ("quantity", "", 20.0)];
        assert!(
            !is_meant(&rows, 1, &screen(&rows, 0)),
            "the first row kept the focus"
        );
        assert!(is_meant(&rows, 1, &screen(&rows, 1)));
        let moved = [("quantity", "", -15.0), ("quantity", "", 5.0)];
        assert!(is_meant(&rows, 1, &screen(&moved, 1)));
        assert!(!is_meant(&rows, 1, &screen(&moved, 0)));
    }

    #[test]
    fn a_field_with_an_id_of_its_own_is_known_wherever_it_went() {
        let fields = [("name", "", 0.0), ("street", "", 20.0)];
        let moved = [("name", "", -50.0), ("street", "", -30.0)];
        assert!(is_meant(&fields, 1, &screen(&moved, 1)));
        assert!(!is_meant(&fields, 1, &screen(&moved, 0)));
    }

    #[test]
    fn a_field_without_an_id_is_known_by_its_place_and_by_what_it_asks_for() {
        let fields = [("", "Name", 0.0), ("", "Street", 20.0)];
        let moved = [("", "Name", -50.0), ("", "Street", -30.0)];
        assert!(is_meant(&fields, 1, &screen(&fields, 1)));
        assert!(
            is_meant(&fields, 1, &screen(&moved, 1)),
            "the keyboard pushed it away"
        );
        assert!(!is_meant(&fields, 1, &screen(&moved, 0)));
        // It calls itself something else once it has the focus.
        assert!(is_meant(&fields, 1, &screen(&[("", "", 20.0)], 0)));
    }
}
