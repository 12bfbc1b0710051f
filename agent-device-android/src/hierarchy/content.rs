//! Whether a tree is what a person would see, or what is left when the app's own window could not be read.

use agent_device_core::snapshot::{Quality, QualityReason, QualityState};

use super::Facts;

/// Packages of the system itself.
const SYSTEM: [&str; 2] = ["android", "com.android.systemui"];
/// Input methods that are known without asking the device.
const INPUT_METHODS: [&str; 4] = [
    "com.google.android.inputmethod.latin",
    "com.samsung.android.honeyboard",
    "com.touchtype.swiftkey",
    "com.microsoft.swiftkey",
];

pub(super) fn is_system(package: &str) -> bool {
    SYSTEM.contains(&package)
}

pub(super) fn is_input_method(package: &str, facts: &Facts<'_>) -> bool {
    facts.input_method == Some(package) || INPUT_METHODS.contains(&package)
}

/// Parts of every window that the framework itself builds: that they are there says nothing of the app.
pub(super) fn is_skeleton(id: &str) -> bool {
    let name = id.split_once(":id/").map_or(id, |(_, name)| name);
    matches!(
        name,
        "content"
            | "statusBarBackground"
            | "navigationBarBackground"
            | "decor_content_parent"
            | "action_bar_root"
            | "action_mode_bar_stub"
    )
}

/// The panel of a dialog: of the framework and of AppCompat, and of the permission controller.
pub(super) fn is_dialog_panel(id: &str) -> bool {
    let name = id.split_once(":id/").map(|(_, name)| name);
    matches!(name, Some("parentPanel" | "grant_dialog"))
}

/// Whether a resource id names the status bar or the navigation bar.
pub(super) fn is_system_bar(id: &str) -> bool {
    id.strip_prefix("com.android.systemui:id/")
        .is_some_and(|name| name.contains("status_bar") || name.contains("navigation_bar"))
}

/// What was counted in a tree. *Meaningful* is a node that can be seen and has a text, a description or a resource id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// All nodes.
    pub nodes: usize,
    /// Windows, by their roots. 0 for a dump that doesn't tell windows apart.
    pub windows: usize,
    /// Windows of apps.
    pub app_windows: usize,
    /// Meaningful nodes.
    pub meaningful: usize,
    /// Those in windows of apps.
    pub in_app_windows: usize,
    /// Those of the app that should be on the screen.
    pub of_app: usize,
    /// Those of the input method.
    pub of_input_method: usize,
    /// Those that don't belong to the system.
    pub not_system: usize,
    /// Those of the system's window that is active or has the focus, without status bar and navigation bar.
    pub of_system_surface: usize,
    /// Those in windows of apps that the framework has not built by itself, as it does in every window.
    pub(super) of_apps_own: usize,
    /// Nodes that don't belong to the system.
    pub(super) foreign_nodes: usize,
    pub(super) alert_button: bool,
    pub(super) alert_content: bool,
}

/// Whether a tree is what a person would see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// It is.
    Usable,
    /// A dialog of the system is open.
    SystemDialog,
    /// A surface of the system lies over the app: notification shade, quick settings.
    SystemSurface,
    /// The app's window could not be read, or not yet: capture again.
    Unusable(Unusable),
}

/// Why a tree can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unusable {
    /// There is nothing in it.
    EmptyHelperOutput,
    /// The window of the app is there and has next to no content.
    ContentPoorAppWindow,
    /// Only windows of the system are there.
    SystemWindowOnly,
}

impl Unusable {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EmptyHelperOutput => "empty-helper-output",
            Self::ContentPoorAppWindow => "content-poor-app-window",
            Self::SystemWindowOnly => "system-window-only",
        }
    }
}

impl Content {
    /// Judges what was counted. The first rule that holds decides.
    pub(super) fn of(counts: &Counts, facts: &Facts<'_>) -> Self {
        if counts.nodes == 0 || facts.root_present == Some(false) {
            return Self::Unusable(Unusable::EmptyHelperOutput);
        }
        if counts.alert_button && counts.alert_content {
            return Self::SystemDialog;
        }
        let windows = counts.windows > 0;
        if windows && counts.app_windows == 0 && counts.of_system_surface >= 3 {
            return Self::SystemSurface;
        }
        let poor = Self::Unusable(Unusable::ContentPoorAppWindow);
        if facts.app.is_some() {
            let none = counts.of_app == 0 && counts.in_app_windows < 2;
            let one = counts.of_app == 1 && counts.meaningful > 1;
            if (none || one) && counts.of_input_method >= 2 {
                return Self::Usable;
            }
            if none || one {
                return poor;
            }
        } else {
            let several = facts.windows.is_some_and(|windows| windows > 1);
            if counts.app_windows > 0 && counts.in_app_windows < 2
                || !windows && several && counts.not_system < 2
            {
                return poor;
            }
        }
        // Nothing of its own, and yet something to see: a canvas, or content that is not told yet.
        if counts.app_windows > 0 && counts.of_apps_own == 0 && facts.picture_shows == Some(true) {
            return poor;
        }
        if windows && counts.app_windows == 0 || !windows && counts.foreign_nodes == 0 {
            return Self::Unusable(Unusable::SystemWindowOnly);
        }
        Self::Usable
    }

    pub(super) fn quality(self, source: &'static str) -> Quality {
        match self {
            Self::Usable | Self::SystemDialog | Self::SystemSurface => Quality::healthy(source),
            Self::Unusable(Unusable::EmptyHelperOutput) => {
                Quality::new(QualityState::Sparse, source, Some(QualityReason::NoNodes))
            }
            Self::Unusable(Unusable::ContentPoorAppWindow) => Quality::new(
                QualityState::Sparse,
                source,
                Some(QualityReason::ContentPoorAppWindow),
            ),
            Self::Unusable(Unusable::SystemWindowOnly) => Quality::new(
                QualityState::Sparse,
                source,
                Some(QualityReason::SystemWindowOnly),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_holds_decides() {
        let empty = Content::Unusable(Unusable::EmptyHelperOutput);
        let poor = Content::Unusable(Unusable::ContentPoorAppWindow);
        let system = Content::Unusable(Unusable::SystemWindowOnly);
        let base = Counts {
            nodes: 20,
            windows: 2,
            app_windows: 1,
            meaningful: 10,
            in_app_windows: 8,
            of_apps_own: 8,
            of_app: 8,
            not_system: 8,
            foreign_nodes: 15,
            ..Counts::default()
        };
        let app = Facts {
            app: Some("x"),
            ..Facts::default()
        };
        let any = Facts::default();
        let rootless = Facts {
            root_present: Some(false),
            ..Facts::default()
        };
        let many = Facts {
            windows: Some(3),
            ..Facts::default()
        };
        let hollow = Counts {
            of_apps_own: 0,
            ..base
        };
        let seen = Facts {
            picture_shows: Some(true),
            ..Facts::default()
        };
        let blank = Facts {
            picture_shows: Some(false),
            ..Facts::default()
        };
        let flat = Counts {
            windows: 0,
            app_windows: 0,
            ..base
        };
        for (counts, facts, wanted) in [
            (Counts::default(), &any, empty),
            (base, &rootless, empty),
            (
                Counts {
                    alert_button: true,
                    alert_content: true,
                    of_app: 0,
                    in_app_windows: 0,
                    ..base
                },
                &app,
                Content::SystemDialog,
            ),
            (
                Counts {
                    alert_button: true,
                    of_app: 0,
                    in_app_windows: 0,
                    ..base
                },
                &app,
                poor,
            ),
            (
                Counts {
                    app_windows: 0,
                    of_system_surface: 3,
                    ..base
                },
                &app,
                Content::SystemSurface,
            ),
            (
                Counts {
                    app_windows: 0,
                    of_system_surface: 2,
                    of_app: 0,
                    in_app_windows: 0,
                    ..base
                },
                &app,
                poor,
            ),
            (
                Counts {
                    of_app: 0,
                    in_app_windows: 1,
                    of_input_method: 2,
                    ..base
                },
                &app,
                Content::Usable,
            ),
            (
                Counts {
                    of_app: 0,
                    in_app_windows: 1,
                    ..base
                },
                &app,
                poor,
            ),
            (
                Counts {
                    of_app: 0,
                    in_app_windows: 2,
                    ..base
                },
                &app,
                Content::Usable,
            ),
            (Counts { of_app: 1, ..base }, &app, poor),
            (
                Counts {
                    of_app: 1,
                    meaningful: 1,
                    ..base
                },
                &app,
                Content::Usable,
            ),
            (
                Counts {
                    in_app_windows: 1,
                    ..base
                },
                &any,
                poor,
            ),
            (
                Counts {
                    not_system: 1,
                    ..flat
                },
                &many,
                poor,
            ),
            (
                Counts {
                    not_system: 1,
                    ..flat
                },
                &any,
                Content::Usable,
            ),
            (
                Counts {
                    app_windows: 0,
                    in_app_windows: 0,
                    ..base
                },
                &any,
                system,
            ),
            (
                Counts {
                    foreign_nodes: 0,
                    ..flat
                },
                &any,
                system,
            ),
            (base, &any, Content::Usable),
            (base, &app, Content::Usable),
            (base, &seen, Content::Usable),
            (hollow, &any, Content::Usable),
            (hollow, &seen, poor),
            (hollow, &blank, Content::Usable),
        ] {
            assert_eq!(Content::of(&counts, facts), wanted, "{counts:?} {facts:?}");
        }
    }

    #[test]
    fn bars_of_the_system_are_known_by_their_ids() {
        assert!(is_system_bar(
            "com.android.systemui:id/status_bar_container"
        ));
        assert!(is_system_bar(
            "com.android.systemui:id/navigation_bar_frame"
        ));
        assert!(!is_system_bar("com.android.systemui:id/quick_settings"));
        assert!(!is_system_bar("com.app:id/status_bar"));
    }
}
