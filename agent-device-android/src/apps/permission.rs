//! Permissions by the words of users, and what Android calls them.
//!
//! Which names a word stands for changed with Android 13, which split storage and brought notifications.

use std::borrow::Cow;

/// What an app may be allowed to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Permission {
    /// Taking pictures.
    Camera,
    /// Recording sound.
    Microphone,
    /// The place of the device, precise and coarse.
    Location,
    /// Reading and writing contacts.
    Contacts,
    /// Reading and writing calendars.
    Calendar,
    /// Making calls and reading their state.
    Phone,
    /// Sending and reading messages.
    Sms,
    /// Pictures of the device.
    Photos,
    /// Showing notifications.
    Notifications,
    /// Finding and reaching devices nearby.
    Nearby,
    /// Recognising what its user does.
    Activity,
    /// Android's own name of any other: `android.permission.BODY_SENSORS`.
    Named(String),
}

impl Permission {
    /// Android's names, all of those that an app of any age may ask for. Which ones it asks for is the app's matter.
    pub(crate) fn names(&self, api: u32) -> Vec<Cow<'_, str>> {
        let names: &[&'static str] = match self {
            Self::Camera => &["CAMERA"],
            Self::Microphone => &["RECORD_AUDIO"],
            Self::Location => &["ACCESS_FINE_LOCATION", "ACCESS_COARSE_LOCATION"],
            Self::Contacts => &["READ_CONTACTS", "WRITE_CONTACTS"],
            Self::Calendar => &["READ_CALENDAR", "WRITE_CALENDAR"],
            Self::Phone => &["CALL_PHONE", "READ_PHONE_STATE"],
            Self::Sms => &["SEND_SMS", "READ_SMS", "RECEIVE_SMS"],
            // An app that aims at an older Android still asks for the old one.
            Self::Photos if api >= 33 => &["READ_MEDIA_IMAGES", "READ_EXTERNAL_STORAGE"],
            Self::Photos => &["READ_EXTERNAL_STORAGE"],
            Self::Notifications if api >= 33 => &["POST_NOTIFICATIONS"],
            Self::Notifications => &[],
            Self::Nearby if api >= 31 => &["BLUETOOTH_CONNECT", "BLUETOOTH_SCAN"],
            Self::Nearby => &["ACCESS_FINE_LOCATION"],
            Self::Activity if api >= 29 => &["ACTIVITY_RECOGNITION"],
            Self::Activity => &[],
            Self::Named(name) => return vec![Cow::Borrowed(name)],
        };
        names
            .iter()
            .map(|name| Cow::Owned(format!("android.permission.{name}")))
            .collect()
    }

    /// The operation that goes beside it, by the word of `appops`.
    pub(crate) fn operation(&self) -> Option<&'static str> {
        (*self == Self::Notifications).then_some("POST_NOTIFICATION")
    }

    pub(crate) fn is_valid(&self) -> bool {
        let Self::Named(name) = self else {
            return true;
        };
        let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
        name.contains('.') && name.len() <= 255 && name.bytes().all(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_permissions_follows_the_android_of_the_device() {
        let short = |permission: &Permission, api| {
            let names = permission.names(api);
            let cut = |name: &Cow<'_, str>| name.replace("android.permission.", "");
            names.iter().map(cut).collect::<Vec<_>>().join(" ")
        };
        for (permission, api, wanted) in [
            (Permission::Camera, 23, "CAMERA"),
            (Permission::Photos, 32, "READ_EXTERNAL_STORAGE"),
            (
                Permission::Photos,
                33,
                "READ_MEDIA_IMAGES READ_EXTERNAL_STORAGE",
            ),
            (Permission::Notifications, 32, ""),
            (Permission::Notifications, 33, "POST_NOTIFICATIONS"),
            (Permission::Nearby, 30, "ACCESS_FINE_LOCATION"),
            (Permission::Nearby, 31, "BLUETOOTH_CONNECT BLUETOOTH_SCAN"),
            (Permission::Activity, 28, ""),
            (Permission::Activity, 29, "ACTIVITY_RECOGNITION"),
            (Permission::Named("com.x.MINE".into()), 23, "com.x.MINE"),
        ] {
            assert_eq!(short(&permission, api), wanted, "{permission:?} {api}");
        }
        for bad in ["", "CAMERA", "-x.y", "a.b c", "a.b;c"] {
            assert!(!Permission::Named(bad.into()).is_valid(), "{bad}");
        }
    }
}
