//! What the role words of the page mean.

use agent_device_core::Role;

pub(super) fn is_wording(word: &str) -> bool {
    matches!(
        word,
        "code"
            | "deletion"
            | "emphasis"
            | "insertion"
            | "mark"
            | "strong"
            | "subscript"
            | "superscript"
            | "suggestion"
            | "term"
            | "time"
            | "definition"
            | "blockquote"
            | "math"
    )
}

/// The core's role for a role word of the page and the tag that has it.
pub(super) fn role(word: &str, tag: &str) -> Role {
    match word {
        "document" if tag == "html" => Role::Application,
        "text" => Role::Text,
        "iframe" => Role::WebView,
        "button" | "doc-backlink" => Role::Button,
        "link" | "doc-biblioref" | "doc-glossref" | "doc-noteref" => Role::Link,
        "textbox" if tag == "textarea" || !tag.starts_with("input") => Role::TextView,
        "textbox" => Role::TextField,
        "searchbox" => Role::SearchField,
        "combobox" => Role::ComboBox,
        // A number field is typed into like any other.
        "spinbutton" if tag.starts_with("input") => Role::TextField,
        "spinbutton" => Role::Stepper,
        "date" | "datetime" | "time-input" | "color" => Role::Picker,
        "option" => Role::Option,
        "checkbox" => Role::Checkbox,
        "radio" => Role::Radio,
        "radiogroup" => Role::RadioGroup,
        "switch" => Role::Switch,
        "slider" => Role::Slider,
        "image" | "canvas" | "graphics-document" | "graphics-symbol" | "doc-cover" => Role::Image,
        "heading" | "doc-subtitle" => Role::Heading,
        "list" | "listbox" | "feed" => Role::List,
        "listitem" | "doc-biblioentry" | "doc-endnote" => Role::ListItem,
        "table" => Role::Table,
        "grid" | "treegrid" => Role::Collection,
        "row" => Role::Row,
        "cell" | "gridcell" => Role::Cell,
        "columnheader" | "rowheader" => Role::HeaderCell,
        "tree" => Role::Tree,
        "treeitem" => Role::TreeItem,
        "scrollbar" => Role::ScrollBar,
        "tablist" => Role::TabBar,
        "tab" => Role::Tab,
        "tabpanel" => Role::TabPanel,
        "navigation" => Role::NavigationBar,
        "toolbar" => Role::Toolbar,
        "menu" => Role::Menu,
        "menubar" => Role::MenuBar,
        "menuitem" | "menuitemcheckbox" | "menuitemradio" => Role::MenuItem,
        "dialog" => Role::Dialog,
        "alertdialog" => Role::Alert,
        "alert" | "status" | "log" | "timer" | "marquee" => Role::Status,
        "tooltip" => Role::Tooltip,
        "progressbar" => Role::ProgressIndicator,
        "meter" => Role::Meter,
        "form" => Role::Form,
        "region" | "search" => Role::Region,
        "main" => Role::Main,
        "banner" => Role::Banner,
        "contentinfo" => Role::ContentInfo,
        "complementary" => Role::Complementary,
        "article" => Role::Article,
        "figure" => Role::Figure,
        "paragraph" | "caption" => Role::Paragraph,
        "separator" | "doc-pagebreak" => Role::Separator,
        "audio" | "video" => Role::Other,
        word if word.starts_with("doc-") => Role::Region,
        _ => Role::Group,
    }
}
