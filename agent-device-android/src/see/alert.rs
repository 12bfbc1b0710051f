//! The alert in a tree: a dialog of the app, of the permission controller, or of the system.
//!
//! Buttons are known by their resource ids, which no language changes. Only a dialog that an app has built by itself is read
//! by where its buttons are.

use agent_device_core::{
    Role,
    action::Alert,
    geometry::Rect,
    snapshot::{Flag, Node, NodeId, Snapshot},
};

use crate::hierarchy::SYSTEM_DIALOG;

/// The framework's ids come first: a dialog has either these or those of its owner.
const ACCEPT: &[&str] = &[
    "button1",
    "permission_allow_button",
    "permission_allow_foreground_only_button",
    "permission_allow_always_button",
    "permission_allow_one_time_button",
    "aerr_close",
];
const DISMISS: &[&str] = &[
    "button2",
    "permission_deny_button",
    "permission_deny_and_dont_ask_again_button",
    "permission_no_upgrade_button",
    "permission_no_upgrade_and_dont_ask_again_button",
    "aerr_wait",
];
/// How the names of other buttons begin that a permission controller has, which are its maker's.
const ACCEPTS: &str = "permission_allow";
const DISMISSES: &str = "permission_deny";
const NEUTRAL: &str = "button3";
const TEXTS: &[&str] = &["alertTitle", "permission_message", "message"];

/// The package whose windows are the system's own dialogs.
pub(crate) const SYSTEM: &str = "android";
/// The packages whose windows ask for permissions.
pub(crate) const PERMISSIONS: [&str; 4] = [
    "com.android.permissioncontroller",
    "com.google.android.permissioncontroller",
    "com.android.packageinstaller",
    "com.google.android.packageinstaller",
];

/// An open alert, and what of the tree answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) alert: Alert,
    pub(crate) accept: Option<NodeId>,
    pub(crate) dismiss: Option<NodeId>,
    /// Where a prompt takes its answer.
    pub(crate) field: Option<NodeId>,
}

/// The topmost alert of the screen.
pub(crate) fn find(screen: &Snapshot) -> Option<Found> {
    let mut shown = screen.nodes().filter(is_shown);
    let panel = shown
        .find(|node| matches!(node.role(), Role::Alert | Role::Dialog))
        .or_else(|| window_that_asks(screen))?;
    let inside = || panel.descendants().filter(is_shown);
    let all: Vec<(Node<'_>, Rect)> = inside()
        .filter(|node| node.role() == Role::Button)
        .filter_map(|node| Some((node, node.usable_bounds()?)))
        .collect();
    let enabled = |node: &Node<'_>| node.flag(Flag::Enabled) != Some(false);
    let buttons: Vec<Node<'_>> = all.iter().map(|(node, _)| *node).filter(enabled).collect();
    if buttons.is_empty() {
        return None;
    }
    let by_id = |ids: &[&str], prefix: &str| {
        let known = |id: &&str| buttons.iter().find(|node| name(**node) == Some(id));
        let like = |node: &&Node<'_>| name(**node).is_some_and(|name| name.starts_with(prefix));
        let found = ids.iter().find_map(known);
        found
            .or_else(|| buttons.iter().find(like))
            .map(|node| node.id())
    };
    let (mut accept, mut dismiss) = (by_id(ACCEPT, ACCEPTS), by_id(DISMISS, DISMISSES));
    if let [(only, _)] = &all[..] {
        // There is no choice: "OK" may be any of the framework's three.
        accept = Some(only.id());
    } else if accept.is_none() && dismiss.is_none() {
        // A button that can't be pressed now has its place nevertheless: the other one does not become it.
        let usable = |id: &NodeId| buttons.iter().any(|node| node.id() == *id);
        let (first, last) = by_place(&all);
        (accept, dismiss) = (first.filter(usable), last.filter(usable));
    }
    let field = inside().find(|node| node.is(Flag::Editable));
    Some(Found {
        alert: Alert::new(text(panel)).with_buttons(
            buttons
                .iter()
                .filter_map(|node| node.label().map(str::to_owned)),
        ),
        accept,
        dismiss,
        field: field.map(Node::id),
    })
}

/// A window without a panel that a dialog has, but with the text and a button of one. Only the platform's own count: an app
/// may call anything `message` and `button1`.
fn window_that_asks(screen: &Snapshot) -> Option<Node<'_>> {
    let named = |ids: &'static [&'static str]| {
        screen
            .nodes()
            .filter(|node| is_shown(node) && is_of_the_platform(*node))
            .filter(move |node| name(*node).is_some_and(|name| ids.contains(&name)))
    };
    let window = |node: Node<'_>| node.ancestors().last().map(Node::id);
    named(TEXTS).find_map(|text| {
        let around = window(text)?;
        let mut buttons = named(ACCEPT).chain(named(DISMISS));
        let asks = buttons.any(|button| window(button) == Some(around));
        asks.then(|| screen.get(around))?
    })
}

fn is_shown(node: &Node<'_>) -> bool {
    node.flag(Flag::VisibleToUser) != Some(false)
}

/// Whether it is the system's or a permission dialog's by its id. A bare one has the package of what is in front.
fn is_of_the_platform(node: Node<'_>) -> bool {
    let info = node.snapshot().info();
    let known = |package| package == SYSTEM || PERMISSIONS.contains(&package);
    match node.identifier().map(|id| id.split_once(":id/")) {
        Some(Some((package, _))) => known(package),
        Some(None) => {
            info.system_surface.as_deref() == Some(SYSTEM_DIALOG)
                || info.app.as_deref().is_some_and(known)
        }
        None => false,
    }
}

/// The last word of a resource id.
fn name(node: Node<'_>) -> Option<&str> {
    let id = node.identifier()?;
    Some(id.rsplit_once(":id/").map_or(id, |(_, name)| name))
}

/// One button accepts. Of several in a row the last one does, of several in a column the first: so the platform lays them out.
fn by_place(buttons: &[(Node<'_>, Rect)]) -> (Option<NodeId>, Option<NodeId>) {
    let mut buttons: Vec<_> = buttons
        .iter()
        .filter(|(node, _)| name(*node) != Some(NEUTRAL))
        .collect();
    let (Some(first), Some(last)) = (buttons.first(), buttons.last()) else {
        return (None, None);
    };
    let row = first.1.center().y.max(last.1.center().y) < first.1.bottom().min(last.1.bottom());
    buttons.sort_by(|(_, a), (_, b)| {
        let key = |rect: &Rect| if row { -rect.x } else { rect.y };
        key(a).total_cmp(&key(b))
    });
    let ids: Vec<_> = buttons.iter().map(|(node, _)| node.id()).collect();
    match &ids[..] {
        [one] => (Some(*one), None),
        [accept, .., dismiss] => (Some(*accept), Some(*dismiss)),
        [] => (None, None),
    }
}

fn text(panel: Node<'_>) -> String {
    let shown = || panel.descendants().filter(is_shown);
    let known = |id: &&str| shown().find(|node| name(*node) == Some(id))?.label();
    let mut texts: Vec<&str> = TEXTS.iter().filter_map(known).collect();
    if texts.is_empty() {
        let says = |node: &Node<'_>| matches!(node.role(), Role::Text | Role::Heading);
        texts = shown().filter(says).filter_map(Node::label).collect();
    }
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use agent_device_core::{Role, snapshot::CaptureOptions};

    use super::*;
    use crate::hierarchy::{Facts, Limits, decode};

    const WHOLE: &str = "[0,0][100,100]";

    /// A dialog of these (class, id, text, bounds) in a window of its own.
    fn screen(nodes: &[(&str, &str, &str, &str)]) -> Snapshot {
        screen_in("android:id/parentPanel", nodes)
    }

    fn screen_in(panel: &str, nodes: &[(&str, &str, &str, &str)]) -> Snapshot {
        let mut xml = String::from("<hierarchy rotation=\"0\">");
        let package = "package=\"com.app\" visible-to-user=\"true\"";
        xml.push_str(&format!(
            "<node window-type=\"1\" window-active=\"true\" window-bounds=\"[0,0][100,100]\" class=\"android.widget.FrameLayout\" \
             {package} bounds=\"[0,0][100,100]\"><node class=\"android.widget.LinearLayout\" \
             resource-id=\"{panel}\" {package} bounds=\"[0,0][100,100]\">"
        ));
        for (class, id, text, bounds) in nodes {
            xml.push_str(&format!(
                "<node class=\"android.widget.{class}\" resource-id=\"{id}\" text=\"{text}\" {package} enabled=\"true\" \
                 clickable=\"true\" bounds=\"{bounds}\" />"
            ));
        }
        xml.push_str("</node></node></hierarchy>");
        decoded(&xml)
    }

    fn decoded(xml: &str) -> Snapshot {
        let options = CaptureOptions::default();
        let (facts, limits) = (Facts::default(), Limits::default());
        let decoded = decode(xml.as_bytes(), options, &facts, &limits);
        decoded.unwrap().snapshot
    }

    fn answers(nodes: &[(&str, &str, &str, &str)]) -> (String, Option<String>, Option<String>) {
        let screen = screen(nodes);
        let found = find(&screen).unwrap();
        let label = |id: Option<NodeId>| screen.get(id?)?.label().map(str::to_owned);
        (found.alert.text, label(found.accept), label(found.dismiss))
    }

    #[test]
    fn buttons_are_known_by_their_ids_wherever_they_are() {
        let (text, accept, dismiss) = answers(&[
            (
                "TextView",
                "android:id/message",
                "Weg damit?",
                "[0,0][100,40]",
            ),
            ("Button", "android:id/button1", "Ja", "[0,50][40,90]"),
            ("Button", "android:id/button3", "Hilfe", "[40,50][60,90]"),
            ("Button", "android:id/button2", "Nein", "[60,50][100,90]"),
        ]);
        assert_eq!(text, "Weg damit?");
        assert_eq!(
            (accept.as_deref(), dismiss.as_deref()),
            (Some("Ja"), Some("Nein"))
        );
        let owner = "com.android.permissioncontroller:id/permission_";
        let (text, accept, dismiss) = answers(&[
            (
                "TextView",
                &format!("{owner}message"),
                "Camera?",
                "[0,0][100,40]",
            ),
            (
                "Button",
                &format!("{owner}deny_button"),
                "No",
                "[0,50][100,70]",
            ),
            (
                "Button",
                &format!("{owner}allow_one_time_button"),
                "Once",
                "[0,70][100,90]",
            ),
        ]);
        assert_eq!(text, "Camera?");
        assert_eq!(
            (accept.as_deref(), dismiss.as_deref()),
            (Some("Once"), Some("No"))
        );
    }

    #[test]
    fn a_single_button_accepts_whichever_it_is() {
        for id in ["button1", "button2", "button3"] {
            let (_, accept, _) = answers(&[(
                "Button",
                &format!("android:id/{id}"),
                "OK",
                "[0,40][100,60]",
            )]);
            assert_eq!(accept.as_deref(), Some("OK"), "{id}");
        }
    }

    #[test]
    fn a_button_that_can_not_be_pressed_now_keeps_its_place() {
        let node = |id: &str, place: &str, enabled: bool| {
            format!(
                "<node class=\"android.widget.Button\" resource-id=\"{id}\" text=\"{id}\" enabled=\"{enabled}\" bounds=\"{place}\" />"
            )
        };
        let no = |id: &str| node(id, "[0,50][40,90]", true);
        let yes = |id: &str| node(id, "[60,50][100,90]", false);
        for (no, yes) in [
            (no("android:id/button2"), yes("android:id/button1")),
            (no("no"), yes("yes")),
        ] {
            let xml = format!(
                "<hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" bounds=\"{WHOLE}\"><node \
                 class=\"android.widget.LinearLayout\" resource-id=\"android:id/parentPanel\" bounds=\"{WHOLE}\">{no}{yes}\
                 </node></node></hierarchy>"
            );
            let found = find(&decoded(&xml)).unwrap();
            assert_eq!(found.accept, None);
            assert!(found.dismiss.is_some());
        }
    }

    #[test]
    fn a_permission_controller_may_have_buttons_of_its_own() {
        let owner = "com.android.permissioncontroller:id/permission_";
        let button = |name: &str| format!("{owner}{name}");
        let (deny, all, one) = (
            button("deny_selected_button"),
            button("allow_all_button"),
            button("allow_button"),
        );
        let deny = ("Button", &*deny, "No", "[0,50][100,60]");
        let all = ("Button", &*all, "All", "[0,60][100,70]");
        let (_, accept, dismiss) = answers(&[deny, all]);
        assert_eq!(
            (accept.as_deref(), dismiss.as_deref()),
            (Some("All"), Some("No"))
        );
        let known = ("Button", &*one, "Allow", "[0,70][100,80]");
        let (_, accept, _) = answers(&[deny, all, known]);
        assert_eq!(accept.as_deref(), Some("Allow"), "a known name comes first");
    }

    #[test]
    fn unknown_buttons_are_known_by_their_places() {
        let (text, accept, dismiss) = answers(&[
            ("TextView", "", "Really?", "[0,0][100,40]"),
            ("Button", "", "Left", "[0,50][40,90]"),
            ("Button", "", "Right", "[60,50][100,90]"),
        ]);
        assert_eq!(text, "Really?");
        assert_eq!(
            (accept.as_deref(), dismiss.as_deref()),
            (Some("Right"), Some("Left"))
        );
        let (_, accept, dismiss) = answers(&[
            ("Button", "", "Top", "[0,40][100,60]"),
            ("Button", "", "Bottom", "[0,70][100,90]"),
        ]);
        assert_eq!(
            (accept.as_deref(), dismiss.as_deref()),
            (Some("Top"), Some("Bottom"))
        );
        let (_, accept, dismiss) = answers(&[("Button", "", "Fine", "[0,40][100,60]")]);
        assert_eq!((accept.as_deref(), dismiss), (Some("Fine"), None));
    }

    #[test]
    fn a_dialog_without_a_panel_is_known_by_its_text_and_its_button() {
        let owner = "com.google.android.permissioncontroller:id/permission_";
        let message = format!("{owner}message");
        let allow = format!("{owner}allow_button");
        let text = ("TextView", &*message, "Camera?", "[0,0][100,40]");
        let button = ("Button", &*allow, "Allow", "[0,50][100,90]");
        let found = find(&screen_in("", &[text, button])).unwrap();
        assert_eq!(found.alert, Alert::new("Camera?").with_buttons(["Allow"]));
        assert!(found.accept.is_some() && found.dismiss.is_none());
        assert_eq!(find(&screen_in("", &[text])), None);
        assert_eq!(find(&screen_in("", &[button])), None);
    }

    #[test]
    fn a_screen_of_an_app_with_names_like_those_of_a_dialog_is_none() {
        let text = ("TextView", "com.app:id/message", "Your order", WHOLE);
        let button = ("Button", "com.app:id/button1", "Pay now", WHOLE);
        assert_eq!(find(&screen_in("", &[text, button])), None);
        let bare = [
            ("TextView", "message", "Your order", WHOLE),
            ("Button", "button1", "Pay now", WHOLE),
        ];
        assert_eq!(find(&screen_in("", &bare)), None);
        let own =
            bare.map(|(class, id, text, bounds)| (class, format!("android:id/{id}"), text, bounds));
        let own: Vec<_> = own
            .iter()
            .map(|(class, id, text, bounds)| (*class, &**id, *text, *bounds))
            .collect();
        assert!(find(&screen_in("", &own)).is_some());
    }

    #[test]
    fn a_panel_without_buttons_and_a_plain_screen_are_no_alerts() {
        assert_eq!(
            find(&screen(&[("TextView", "", "Loading", "[0,0][100,40]")])),
            None
        );
        let panel = screen(&[("TextView", "", "x", "[0,0][9,9]")]);
        assert_eq!(panel.nodes().nth(1).map(Node::role), Some(Role::Alert));
    }
}
