//! Class names of views, as roles. The one place where they are looked at.

use agent_device_core::Role;

/// What a class says about its views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) role: Role,
    /// It only arranges its children.
    pub(super) structural: bool,
    /// Text can be typed into it.
    pub(super) editable: bool,
}

/// What was looked up before: a screen has thousands of nodes and a dozen classes.
#[derive(Debug, Default)]
pub(super) struct Classes {
    slots: [Option<(String, Class)>; 16],
}

impl Classes {
    pub(super) fn of(&mut self, name: &str) -> Class {
        let mix = |hash: usize, byte: &u8| hash.wrapping_mul(31).wrapping_add(usize::from(*byte));
        let tail = name
            .as_bytes()
            .iter()
            .rev()
            .step_by(3)
            .take(4)
            .fold(name.len(), mix);
        let slot = &mut self.slots[tail % 16];
        match slot {
            Some((known, class)) if known == name => *class,
            Some((known, known_class)) => {
                known.clear();
                known.push_str(name);
                *known_class = class(name);
                *known_class
            }
            None => slot.insert((name.to_owned(), class(name))).1,
        }
    }
}

/// The longest leaf that is looked up; none that is known is longer.
const LEAF: usize = 32;

/// Looks a class name up by its last part, without case.
pub(super) fn class(name: &str) -> Class {
    let leaf = name.rsplit(['.', '$', '/']).next().unwrap_or_default();
    let mut lower = [0_u8; LEAF];
    let lower = match lower.get_mut(..leaf.len()) {
        Some(lower) => {
            lower.copy_from_slice(leaf.as_bytes());
            lower.make_ascii_lowercase();
            &*lower
        }
        None => &[],
    };
    let role = known(lower);
    let ends_with = |word: &[u8]| {
        lower.ends_with(word)
            || (lower.is_empty() && leaf.len() >= word.len() && {
                let tail = &leaf.as_bytes()[leaf.len() - word.len()..];
                tail.eq_ignore_ascii_case(word)
            })
    };
    let editable = ends_with(b"edittext")
        || ends_with(b"autocompletetextview")
        || ends_with(b"searchautocomplete")
        || role.is_some_and(Role::takes_text) && role != Some(Role::ComboBox);
    let role = role.unwrap_or_else(|| {
        // Toolkits put words before the name of the class that they extend.
        const ENDINGS: &[(&[u8], Role)] = &[
            (b"edittext", Role::TextField),
            (b"autocompletetextview", Role::TextField),
            (b"checkedtextview", Role::Text),
            (b"textview", Role::Text),
            (b"imagebutton", Role::Button),
            (b"actionbutton", Role::Button),
            (b"radiobutton", Role::Radio),
            (b"togglebutton", Role::Switch),
            (b"checkbox", Role::Checkbox),
            (b"button", Role::Button),
            (b"imageview", Role::Image),
            (b"recyclerview", Role::List),
            (b"listview", Role::List),
            (b"gridview", Role::Collection),
            (b"scrollview", Role::ScrollArea),
            (b"viewpager", Role::ScrollArea),
            (b"webview", Role::WebView),
            (b"seekbar", Role::Slider),
            (b"progressbar", Role::ProgressIndicator),
            (b"spinner", Role::ComboBox),
            (b"toolbar", Role::Toolbar),
            (b"tablayout", Role::TabBar),
            (b"layout", Role::Group),
            (b"viewgroup", Role::Group),
        ];
        ENDINGS
            .iter()
            .find(|(ending, _)| ends_with(ending))
            .map_or(Role::Other, |(_, role)| *role)
    });
    Class {
        role,
        structural: role == Role::Group,
        editable,
    }
}

fn known(leaf: &[u8]) -> Option<Role> {
    Some(match leaf {
        b"view"
        | b"viewgroup"
        | b"framelayout"
        | b"linearlayout"
        | b"relativelayout"
        | b"constraintlayout"
        | b"composeview"
        | b"androidcomposeview"
        | b"viewstub" => Role::Group,
        b"textview" | b"text" | b"checkedtextview" | b"statictext" | b"chronometer"
        | b"textclock" => Role::Text,
        b"button" | b"imagebutton" | b"chip" | b"actionmenuitemview" => Role::Button,
        b"edittext" | b"textfield" | b"textbox" | b"textinputedittext" => Role::TextField,
        b"searchview" | b"searchautocomplete" | b"search" | b"searchbar" => Role::SearchField,
        b"imageview" | b"image" => Role::Image,
        b"recyclerview" | b"listview" | b"expandablelistview" | b"list" => Role::List,
        b"gridview" | b"collection" | b"gallery" => Role::Collection,
        b"scrollview"
        | b"nestedscrollview"
        | b"horizontalscrollview"
        | b"viewpager"
        | b"viewpager2" => Role::ScrollArea,
        b"switch" | b"switchcompat" | b"switchmaterial" | b"materialswitch" | b"togglebutton" => {
            Role::Switch
        }
        b"checkbox" | b"materialcheckbox" => Role::Checkbox,
        b"radiobutton" | b"radio" => Role::Radio,
        b"radiogroup" => Role::RadioGroup,
        b"seekbar" | b"slider" | b"ratingbar" | b"rangeslider" => Role::Slider,
        b"progressbar" | b"progressindicator" => Role::ProgressIndicator,
        b"spinner" => Role::ComboBox,
        b"numberpicker" | b"datepicker" | b"timepicker" | b"calendarview" => Role::Picker,
        b"link" => Role::Link,
        b"cell" => Role::Cell,
        b"toolbar" | b"actionbarcontextview" => Role::Toolbar,
        b"tablayout" | b"tabwidget" | b"bottomnavigationview" => Role::TabBar,
        b"tab" | b"tabview" => Role::Tab,
        b"table" => Role::Table,
        b"tablerow" => Role::Row,
        b"webview" => Role::WebView,
        b"window" => Role::Window,
        b"application" => Role::Application,
        b"menu" => Role::Menu,
        b"menuitem" | b"menu-item" => Role::MenuItem,
        b"dialog" | b"alertdialog" => Role::Dialog,
        b"keyboardview" => Role::Keyboard,
        b"videoview" | b"surfaceview" | b"textureview" => Role::Other,
        _ => return None,
    })
}

/// The role of a view whose class says nothing, by what the app calls it (in English).
pub(super) fn described(role_description: &str) -> Option<Role> {
    let word = role_description.trim();
    if word.len() > LEAF {
        return None;
    }
    Some(match word.to_ascii_lowercase().as_str() {
        "button" => Role::Button,
        "checkbox" | "check box" => Role::Checkbox,
        "switch" | "toggle" => Role::Switch,
        "radio button" => Role::Radio,
        "tab" => Role::Tab,
        "image" => Role::Image,
        "link" => Role::Link,
        "heading" => Role::Heading,
        "slider" => Role::Slider,
        "dropdown list" | "drop-down list" | "dropdown" => Role::ComboBox,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_known_by_their_last_part() {
        for (name, role) in [
            ("android.widget.Button", Role::Button),
            (
                "androidx.appcompat.widget.AppCompatImageButton",
                Role::Button,
            ),
            (
                "com.google.android.material.floatingactionbutton.FloatingActionButton",
                Role::Button,
            ),
            ("android.widget.EditText", Role::TextField),
            (
                "androidx.appcompat.widget.SearchView$SearchAutoComplete",
                Role::SearchField,
            ),
            (
                "com.app.MyVeryLongCustomClassNameForAnEmailEditText",
                Role::TextField,
            ),
            ("android.widget.TextView", Role::Text),
            ("android.view.View", Role::Group),
            ("androidx.recyclerview.widget.RecyclerView", Role::List),
            ("android.widget.HorizontalScrollView", Role::ScrollArea),
            ("androidx.appcompat.widget.SwitchCompat", Role::Switch),
            ("android.widget.SeekBar", Role::Slider),
            ("android.support.v7.app.ActionBar$Tab", Role::Tab),
            ("com.facebook.react.views.view.ReactViewGroup", Role::Group),
            (
                "androidx.coordinatorlayout.widget.CoordinatorLayout",
                Role::Group,
            ),
            ("", Role::Other),
            ("é.ü", Role::Other),
        ] {
            assert_eq!(class(name).role, role, "{name}");
        }
    }

    #[test]
    fn only_fields_are_editable() {
        let editable = |name: &str| class(name).editable;
        assert!(editable("android.widget.EditText"));
        assert!(editable("android.widget.MultiAutoCompleteTextView"));
        assert!(editable(
            "com.app.MyVeryLongCustomClassNameForAnEmailEditText"
        ));
        assert!(!editable("android.widget.TextView"));
        assert!(!editable("android.widget.Spinner"));
    }
}
