//! What an element is, in words that don't depend on a platform.
//!
//! Backends map their native type (a class name, an XCUIElement type, an ARIA role) to one of these once, while decoding,
//! and keep the native word beside it. Nothing outside a decoder looks at native words.

use serde::{Serialize, Serializer};

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident = $word:literal),* $(,)?) => {
        /// The platform-neutral kind of an element.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Role {
            /// Nothing of this list; the native type says more.
            #[default]
            Other,
            $($(#[$doc])* $name,)*
        }

        impl Role {
            /// Every role, in declaration order.
            pub const ALL: &[Role] = &[Role::Other, $(Role::$name,)*];

            /// The word of the text grammar, the line form and the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    Role::Other => "other",
                    $(Role::$name => $word,)*
                }
            }
        }
    };
}

roles! {
    /// The application itself: a root.
    Application = "application",
    /// A window: a root.
    Window = "window",
    /// A grouping without a meaning of its own.
    Group = "group",
    /// A push button.
    Button = "button",
    /// A link.
    Link = "link",
    /// Static text.
    Text = "text",
    /// A text field of one line.
    TextField = "text-field",
    /// A text field whose content is secret.
    SecureTextField = "secure-text-field",
    /// A text field of several lines.
    TextView = "text-view",
    /// A search field.
    SearchField = "search",
    /// A field with a list to choose from.
    ComboBox = "combobox",
    /// An entry of a choice.
    Option = "option",
    /// A check box.
    Checkbox = "checkbox",
    /// One of several exclusive choices.
    Radio = "radio",
    /// A group of radio buttons.
    RadioGroup = "radio-group",
    /// An on/off switch.
    Switch = "switch",
    /// A slider.
    Slider = "slider",
    /// A field with up and down steps.
    Stepper = "stepper",
    /// A picker wheel or date field.
    Picker = "picker",
    /// A picture.
    Image = "image",
    /// A heading.
    Heading = "heading",
    /// A list.
    List = "list",
    /// An item of a list.
    ListItem = "list-item",
    /// A collection or grid.
    Collection = "collection",
    /// A table.
    Table = "table",
    /// A row of a table.
    Row = "row",
    /// A cell of a table or collection.
    Cell = "cell",
    /// The head cell of a row or column.
    HeaderCell = "header-cell",
    /// A tree of entries.
    Tree = "tree",
    /// An entry of a tree.
    TreeItem = "tree-item",
    /// A container that scrolls.
    ScrollArea = "scroll-area",
    /// A scroll bar or scroll indicator.
    ScrollBar = "scroll-bar",
    /// A row of tabs.
    TabBar = "tab-bar",
    /// One tab.
    Tab = "tab",
    /// The content that a tab shows.
    TabPanel = "tab-panel",
    /// A bar with navigation controls.
    NavigationBar = "navigation-bar",
    /// A toolbar.
    Toolbar = "toolbar",
    /// A menu.
    Menu = "menu",
    /// A bar of menus.
    MenuBar = "menu-bar",
    /// An entry of a menu.
    MenuItem = "menu-item",
    /// Several segments of which one is chosen.
    SegmentedControl = "segmented-control",
    /// A dialog.
    Dialog = "dialog",
    /// A dialog that asks for an answer.
    Alert = "alert",
    /// A sheet over the screen.
    Sheet = "sheet",
    /// A popover.
    Popover = "popover",
    /// A short hint beside an element.
    Tooltip = "tooltip",
    /// An activity indicator.
    ActivityIndicator = "activity-indicator",
    /// A progress bar.
    ProgressIndicator = "progress-indicator",
    /// A measured value.
    Meter = "meter",
    /// Embedded web content, or a frame.
    WebView = "webview",
    /// A form.
    Form = "form",
    /// A named part of a page.
    Region = "region",
    /// The main content of a page.
    Main = "main",
    /// The head of a page.
    Banner = "banner",
    /// The foot of a page.
    ContentInfo = "content-info",
    /// A part beside the main content.
    Complementary = "complementary",
    /// An article.
    Article = "article",
    /// A figure with its caption.
    Figure = "figure",
    /// A paragraph.
    Paragraph = "paragraph",
    /// A line between groups.
    Separator = "separator",
    /// A message that appears by itself.
    Status = "status",
    /// The on-screen keyboard.
    Keyboard = "keyboard",
    /// A key of the on-screen keyboard.
    Key = "key",
}

impl Role {
    /// The role for a word of the text grammar, matched without case and with `-`, `_` and spaces ignored.
    pub fn parse(word: &str) -> Option<Role> {
        let squash = |text: &str| -> String {
            text.chars()
                .filter(|c| !matches!(c, '-' | '_' | ' '))
                .flat_map(char::to_lowercase)
                .collect()
        };
        let wanted = squash(word);
        Role::ALL
            .iter()
            .copied()
            .find(|role| squash(role.as_str()) == wanted)
    }

    /// Elements that people touch for their own sake. A touch meant for one of these is not passed to an ancestor.
    pub fn is_touch_target(self) -> bool {
        self.takes_text()
            || matches!(
                self,
                Role::Button
                    | Role::Link
                    | Role::MenuItem
                    | Role::Tab
                    | Role::Checkbox
                    | Role::Radio
                    | Role::Switch
                    | Role::Cell
                    | Role::Option
                    | Role::Slider
            )
    }

    /// Elements into which text is typed.
    pub fn takes_text(self) -> bool {
        matches!(
            self,
            Role::TextField
                | Role::SecureTextField
                | Role::TextView
                | Role::SearchField
                | Role::ComboBox
        )
    }

    /// Elements that own a clip and can move their content.
    pub fn scrolls(self) -> bool {
        matches!(
            self,
            Role::ScrollArea | Role::List | Role::Collection | Role::Table | Role::WebView
        )
    }

    /// Roots: a rectangle of one of these can stand for the viewport.
    pub fn is_root(self) -> bool {
        matches!(self, Role::Application | Role::Window)
    }

    /// Surfaces that lie over the content listed before them.
    pub fn is_overlay(self) -> bool {
        matches!(
            self,
            Role::TabBar
                | Role::Toolbar
                | Role::NavigationBar
                | Role::Sheet
                | Role::Dialog
                | Role::Alert
                | Role::Popover
                | Role::Menu
                | Role::Keyboard
        )
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
