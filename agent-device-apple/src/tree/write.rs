//! What an element says of itself, as facts of a node: the same rules whichever way it was read.

use agent_device_core::{
    Role,
    snapshot::{Checked, Flag, NodeBuilder, TextField},
};

use super::element::{checked, is_checkable};

/// What an element says of itself. What it doesn't say stays absent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said<'a> {
    pub(crate) role: Role,
    /// XCUITest's word for its type.
    pub(crate) kind: Option<&'a str>,
    pub(crate) label: Option<&'a str>,
    pub(crate) identifier: Option<&'a str>,
    pub(crate) value: Option<&'a str>,
    pub(crate) placeholder: Option<&'a str>,
    pub(crate) enabled: Option<bool>,
    pub(crate) selected: Option<bool>,
    pub(crate) focused: Option<bool>,
}

impl Said<'_> {
    pub(crate) fn write(&self, node: &mut NodeBuilder<'_>) {
        for (field, text) in [
            (TextField::NativeType, self.kind),
            (TextField::Label, self.label),
            (TextField::Identifier, self.identifier),
            (TextField::Placeholder, self.placeholder),
        ] {
            if let Some(text) = text {
                node.text(field, text);
            }
        }
        self.write_value(node);
        node.flag_if_known(Flag::Enabled, self.enabled)
            .flag_if_known(Flag::Selected, self.selected)
            .flag_if_known(Flag::Focused, self.focused);
        if self.role.takes_text() {
            node.flag(Flag::Editable, true);
        }
        if self.role.scrolls() {
            node.flag(Flag::Scrollable, true);
        }
    }

    fn write_value(&self, node: &mut NodeBuilder<'_>) {
        // The dots of a secret field tell its length.
        let Some(value) = self.value.filter(|_| self.role != Role::SecureTextField) else {
            return;
        };
        // A field shows its placeholder as its value as long as it is empty.
        let hint = self.role.takes_text() && self.placeholder == Some(value) && !value.is_empty();
        match checked(value).filter(|_| is_checkable(self.role)) {
            Some(state) => {
                node.flag(Flag::Checked, state == Checked::On);
                if state == Checked::Mixed {
                    node.flag(Flag::Mixed, true);
                }
            }
            None if hint => {
                node.text(TextField::Value, "")
                    .flag(Flag::HintShowing, true);
            }
            None => {
                node.text(TextField::Value, value);
            }
        }
    }
}
