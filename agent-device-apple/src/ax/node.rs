//! What the attributes of an element mean: XCTest's names and numbers, UIKit's traits and classes.

use std::borrow::Cow;

use agent_device_core::{
    Role,
    snapshot::{Flag, NodeBuilder},
};

use crate::tree::{Said, kind_of};

/// `UIAccessibilityTraits` (UIKit's `UIAccessibilityConstants.h`).
mod traits {
    pub(super) const SELECTED: u64 = 1 << 3;
    pub(super) const NOT_ENABLED: u64 = 1 << 8;
    pub(super) const HEADER: u64 = 1 << 16;
}

/// `XCUIElement.ElementType` of UIKit's classes, for elements that don't say theirs.
const CLASSES: &[(&str, u64)] = &[
    ("UIButton", 9),
    ("UICollectionView", 32),
    ("UICollectionViewCell", 75),
    ("UIImageView", 43),
    ("UILabel", 48),
    ("UINavigationBar", 21),
    ("UIScrollView", 46),
    ("UISearchBar", 45),
    ("UISegmentedControl", 37),
    ("UISlider", 33),
    ("UIStepper", 79),
    ("UISwitch", 40),
    ("UITabBar", 22),
    ("UITableView", 26),
    ("UITableViewCell", 75),
    ("UITextField", 49),
    ("UITextView", 52),
    ("UIToolbar", 24),
    ("UIWebView", 58),
    ("UIWindow", 4),
    ("WKWebView", 58),
];

/// The class of what stands for the content of another process.
const REMOTE: &str = "AXRemoteElement";
/// XCUIElementTypeOther: an element that is nothing in particular.
const OTHER: u64 = 1;

/// What has been read of one element.
#[derive(Debug, Default)]
pub(super) struct Facts<'a> {
    pub(super) class: Option<Cow<'a, str>>,
    pub(super) base_class: Option<Cow<'a, str>>,
    pub(super) label: Option<Cow<'a, str>>,
    pub(super) value: Option<Cow<'a, str>>,
    pub(super) placeholder: Option<Cow<'a, str>>,
    pub(super) identifier: Option<Cow<'a, str>>,
    pub(super) automation_type: Option<u64>,
    pub(super) traits: Option<u64>,
}

impl Facts<'_> {
    fn kind(&self) -> (&'static str, Role) {
        let by_class = |class: &Option<Cow<'_, str>>| {
            let class = class.as_deref()?;
            CLASSES
                .iter()
                .find(|(name, _)| *name == class)
                .map(|(_, raw)| *raw)
        };
        let raw = self
            .automation_type
            .filter(|raw| *raw > OTHER)
            .or_else(|| by_class(&self.class))
            .or_else(|| by_class(&self.base_class))
            .unwrap_or(OTHER);
        kind_of(raw)
    }

    /// Whether the element says that it doesn't react.
    pub(super) fn is_disabled(&self) -> bool {
        self.traits
            .is_some_and(|bits| bits & traits::NOT_ENABLED != 0)
    }

    /// Writes the facts into the node. What the element doesn't say stays absent.
    pub(super) fn write(&self, node: &mut NodeBuilder<'_>) {
        let (word, role) = self.kind();
        node.role(role);
        Said {
            role,
            kind: Some(word),
            label: self.label.as_deref(),
            identifier: self.identifier.as_deref(),
            value: self.value.as_deref(),
            placeholder: self.placeholder.as_deref(),
            enabled: self.traits.map(|_| !self.is_disabled()),
            selected: self.traits.map(|bits| bits & traits::SELECTED != 0),
            focused: None,
        }
        .write(node);
        if self.traits.is_some_and(|bits| bits & traits::HEADER != 0) {
            node.flag(Flag::Heading, true);
        }
        if self.class.as_deref() == Some(REMOTE) {
            node.flag(Flag::Opaque, true);
        }
    }
}
