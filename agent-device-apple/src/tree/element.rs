//! The kinds of elements of XCUITest, and the core's role for each.

use agent_device_core::Role;

/// `XCUIElement.ElementType` in the order of its raw values, from 0 (Apple's documentation of XCTest). The runner says the word of
/// some and `Element(<raw>)` for the rest; page sources say `XCUIElementType` and the word.
const TYPES: [(&str, Role); 83] = [
    ("Any", Role::Other),
    ("Other", Role::Other),
    ("Application", Role::Application),
    ("Group", Role::Group),
    ("Window", Role::Window),
    ("Sheet", Role::Sheet),
    ("Drawer", Role::Group),
    ("Alert", Role::Alert),
    ("Dialog", Role::Dialog),
    ("Button", Role::Button),
    ("RadioButton", Role::Radio),
    ("RadioGroup", Role::RadioGroup),
    ("CheckBox", Role::Checkbox),
    ("DisclosureTriangle", Role::Button),
    ("PopUpButton", Role::ComboBox),
    ("ComboBox", Role::ComboBox),
    ("MenuButton", Role::Button),
    ("ToolbarButton", Role::Button),
    ("Popover", Role::Popover),
    ("Keyboard", Role::Keyboard),
    ("Key", Role::Key),
    ("NavigationBar", Role::NavigationBar),
    ("TabBar", Role::TabBar),
    ("TabGroup", Role::TabBar),
    ("Toolbar", Role::Toolbar),
    ("StatusBar", Role::Group),
    ("Table", Role::Table),
    ("TableRow", Role::Row),
    ("TableColumn", Role::Group),
    ("Outline", Role::Tree),
    ("OutlineRow", Role::TreeItem),
    ("Browser", Role::Group),
    ("CollectionView", Role::Collection),
    ("Slider", Role::Slider),
    ("PageIndicator", Role::Slider),
    ("ProgressIndicator", Role::ProgressIndicator),
    ("ActivityIndicator", Role::ActivityIndicator),
    ("SegmentedControl", Role::SegmentedControl),
    ("Picker", Role::Picker),
    ("PickerWheel", Role::Picker),
    ("Switch", Role::Switch),
    ("Toggle", Role::Switch),
    ("Link", Role::Link),
    ("Image", Role::Image),
    ("Icon", Role::Button),
    ("SearchField", Role::SearchField),
    ("ScrollView", Role::ScrollArea),
    ("ScrollBar", Role::ScrollBar),
    ("StaticText", Role::Text),
    ("TextField", Role::TextField),
    ("SecureTextField", Role::SecureTextField),
    ("DatePicker", Role::Picker),
    ("TextView", Role::TextView),
    ("Menu", Role::Menu),
    ("MenuItem", Role::MenuItem),
    ("MenuBar", Role::MenuBar),
    ("MenuBarItem", Role::MenuItem),
    ("Map", Role::Group),
    ("WebView", Role::WebView),
    ("IncrementArrow", Role::Button),
    ("DecrementArrow", Role::Button),
    ("Timeline", Role::Group),
    ("RatingIndicator", Role::Meter),
    ("ValueIndicator", Role::Meter),
    ("SplitGroup", Role::Group),
    ("Splitter", Role::Separator),
    ("RelevanceIndicator", Role::Meter),
    ("ColorWell", Role::Button),
    ("HelpTag", Role::Tooltip),
    ("Matte", Role::Group),
    ("DockItem", Role::Button),
    ("Ruler", Role::Group),
    ("RulerMarker", Role::Group),
    ("Grid", Role::Collection),
    ("LevelIndicator", Role::Meter),
    ("Cell", Role::Cell),
    ("LayoutArea", Role::Group),
    ("LayoutItem", Role::Group),
    ("Handle", Role::Group),
    ("Stepper", Role::Stepper),
    ("Tab", Role::Tab),
    ("TouchBar", Role::Toolbar),
    ("StatusItem", Role::MenuItem),
];

/// The role for a word of the runner or of a page source.
pub(super) fn role(word: &str) -> Role {
    let word = word.strip_prefix("XCUIElementType").unwrap_or(word);
    // Most of what is on a screen.
    match word {
        "Other" => return Role::Other,
        "StaticText" => return Role::Text,
        "Button" => return Role::Button,
        "Cell" => return Role::Cell,
        "Image" => return Role::Image,
        "Key" => return Role::Key,
        "Heading" => return Role::Heading,
        _ => {}
    }
    let raw = word
        .strip_prefix("Element(")
        .and_then(|rest| rest.strip_suffix(')')?.parse::<usize>().ok());
    let found = match raw {
        Some(raw) => TYPES.get(raw),
        None => TYPES.iter().find(|(name, _)| *name == word),
    };
    found.map_or(Role::Other, |(_, role)| *role)
}

/// The word and the role of a raw value; those of `Other` for one that is not known.
#[cfg(all(feature = "host", unix))]
pub(crate) fn kind_of(raw: u64) -> (&'static str, Role) {
    let known = usize::try_from(raw).ok().and_then(|raw| TYPES.get(raw));
    known.copied().unwrap_or(TYPES[1])
}

/// Elements whose value is the state of a box or switch.
pub(super) fn is_checkable(role: Role) -> bool {
    matches!(role, Role::Switch | Role::Checkbox | Role::Radio)
}

/// What such a value says; `None` if it is no state.
pub(super) fn checked(value: &str) -> Option<agent_device_core::snapshot::Checked> {
    use agent_device_core::snapshot::Checked;
    match value {
        "0" | "false" | "off" => Some(Checked::Off),
        "1" | "true" | "on" => Some(Checked::On),
        "2" | "mixed" => Some(Checked::Mixed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_raw_value_has_its_place() {
        // Spot checks of the documented numbers.
        for (raw, name) in [
            (5, "Sheet"),
            (9, "Button"),
            (19, "Keyboard"),
            (20, "Key"),
            (48, "StaticText"),
            (58, "WebView"),
            (75, "Cell"),
            (82, "StatusItem"),
        ] {
            assert_eq!(TYPES[raw].0, name);
            assert_eq!(role(&format!("Element({raw})")), role(name));
            assert_eq!(role(&format!("XCUIElementType{name}")), role(name));
        }
        for odd in ["", "Element(", "Element(99)", "Element(x)", "button", "é"] {
            assert_eq!(role(odd), Role::Other, "{odd}");
        }
    }
}
