//! What differs between the helper of this crate and one that was found on the device.

use agent_device_core::{Error, ErrorCode, Operation, Result};

use super::{Command, HelperFailure, apk};
use crate::config::HelperSource;

/// What every helper of the protocol can do.
const COMMON: [&str; 4] = ["snapshot", "viewport", "gesture", "quit"];

impl HelperSource {
    pub(super) fn runner(&self) -> &str {
        match self {
            Self::Bundled => apk::RUNNER,
            Self::Installed(component) => component,
        }
    }

    pub(super) fn package(&self) -> &str {
        let runner = self.runner();
        runner
            .split_once('/')
            .map_or(runner, |(package, _)| package)
    }

    pub(crate) fn is_bundled(&self) -> bool {
        *self == Self::Bundled
    }

    /// Refuses what the helper does not offer in its place: its own answer would not say that nothing began.
    pub(super) fn admits(&self, command: Command<'_>) -> Result<(), HelperFailure> {
        if self.is_bundled() || COMMON.contains(&command.action) {
            return Ok(());
        }
        Err(HelperFailure::Refused {
            kind: "java.lang.UnsupportedOperationException".to_owned(),
            message: format!("{} has no command {}", self.package(), command.action),
        })
    }

    /// The operations for which another helper has no command, and which nothing else does in its place.
    pub(crate) fn lacks(&self) -> &'static [Operation] {
        match self {
            Self::Bundled => &[],
            Self::Installed(_) => &[
                Operation::DoubleTap,
                Operation::TypeText,
                Operation::Fill,
                Operation::WriteClipboard,
                Operation::ReadClipboard,
            ],
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let (package, class) = self.runner().split_once('/').unwrap_or_default();
        if package.is_empty() || class.is_empty() {
            return Err(Error::new(
                ErrorCode::InvalidArgs,
                "helper is not a component such as com.example.helper/.Runner",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_has_a_package_and_a_class() {
        let found = HelperSource::Installed("com.example.helper/.Runner".to_owned());
        assert_eq!(found.package(), "com.example.helper");
        found.check().unwrap();
        HelperSource::Bundled.check().unwrap();
        for wrong in ["", "com.example.helper", "com.example.helper/", "/.Runner"] {
            let error = HelperSource::Installed(wrong.to_owned()).check();
            assert_eq!(error.unwrap_err().code(), ErrorCode::InvalidArgs, "{wrong}");
        }
    }

    #[test]
    fn what_another_helper_does_not_offer_is_never_sent() {
        let found = HelperSource::Installed("com.example.helper/.Runner".to_owned());
        for action in COMMON {
            found.admits(Command::new(action, "")).unwrap();
        }
        let failure = found.admits(Command::new("tap", "1,2")).unwrap_err();
        let error = Error::from(failure);
        assert!(error.dispatched().is_no());
        assert_eq!(error.code(), ErrorCode::UnsupportedOperation);
    }
}
