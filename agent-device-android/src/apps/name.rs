//! How callers name apps, activities and places.

use agent_device_core::{Error, Result};

/// What an app is opened by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry<'a> {
    /// The settings of the device.
    Settings,
    /// `package/activity`.
    Activity {
        package: &'a str,
        activity: &'a str,
    },
    Package(&'a str),
    /// A part of the package's name.
    Part(&'a str),
}

impl<'a> Entry<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self> {
        if text == "settings" {
            return Ok(Self::Settings);
        }
        if let Some((package, activity)) = text.split_once('/') {
            check_package(package)?;
            check_activity(activity)?;
            return Ok(Self::Activity { package, activity });
        }
        if is_package(text) {
            return Ok(Self::Package(text));
        }
        let part = !text.is_empty()
            && text.len() <= 255
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.')
            && !text.starts_with('.');
        if part {
            Ok(Self::Part(text))
        } else {
            Err(Error::invalid(
                "app",
                "the name of the app is no package and no part of one",
            ))
        }
    }
}

/// A package is words with dots between them.
fn is_package(package: &str) -> bool {
    let word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_alphabetic())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let valid = package.len() <= 255 && package.contains('.') && package.split('.').all(word);
    valid || package == "android"
}

pub(crate) fn check_package(package: &str) -> Result<()> {
    if is_package(package) {
        Ok(())
    } else {
        Err(Error::invalid("app", "the name of the app is no package"))
    }
}

/// A class, whole or behind its package.
fn check_activity(activity: &str) -> Result<()> {
    let name = activity.strip_prefix('.').unwrap_or(activity);
    let word = |word: &str| {
        word.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '$')
            && word
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    if !name.is_empty() && name.len() <= 500 && name.split('.').all(word) {
        Ok(())
    } else {
        Err(Error::invalid(
            "app",
            "the name of the activity is no class",
        ))
    }
}

/// An address that some app may open: a scheme, and nothing that a shell or `am` would read differently.
pub(crate) fn check_url(url: &str) -> Result<()> {
    let scheme = url.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    if scheme && !url.chars().any(char::is_control) {
        Ok(())
    } else {
        Err(Error::invalid("url", "the address is not an absolute URL"))
    }
}

/// The port of this machine that an address leads to. Seen from the device, `localhost` is the device.
pub(crate) fn local_port(url: &str) -> Option<u16> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let place = authority
        .rsplit_once('@')
        .map_or(authority, |(_, place)| place);
    let (host, port) = place.rsplit_once(':')?;
    let local = host.eq_ignore_ascii_case("localhost") || host == "127.0.0.1" || host == "[::1]";
    port.parse().ok().filter(|port| local && *port > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_names_holds() {
        for (text, wanted) in [
            ("settings", Entry::Settings),
            ("com.example.app", Entry::Package("com.example.app")),
            ("android", Entry::Package("android")),
            ("a.b_c", Entry::Package("a.b_c")),
            ("shop", Entry::Part("shop")),
            ("example.shop", Entry::Package("example.shop")),
            (
                "com.x.y/.Main",
                Entry::Activity {
                    package: "com.x.y",
                    activity: ".Main",
                },
            ),
            (
                "com.x.y/com.z.Ünï$Inner",
                Entry::Activity {
                    package: "com.x.y",
                    activity: "com.z.Ünï$Inner",
                },
            ),
        ] {
            assert_eq!(Entry::parse(text).unwrap(), wanted, "{text}");
        }
        for bad in [
            "",
            "-n",
            ".com",
            "com.x/",
            "com/.Y",
            "com.x y",
            "a b",
            "x;id",
            "com.x.y/a b",
            "com.x.y/.",
        ] {
            let error = Entry::parse(bad).unwrap_err();
            assert!(error.dispatched().is_no(), "{bad}");
        }
        for bad in ["", "-n", "com", "com..x", "com.x/.Y", "com.1x"] {
            assert!(check_package(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_address_has_a_scheme_and_no_surprises() {
        for good in [
            "https://x/y?a=b&c",
            "fixture://late?delay=2000",
            "mailto:a@b",
            "a+b-c.d:e",
        ] {
            assert!(check_url(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "x",
            "-n:x",
            ":x",
            "ht tp://x",
            "http://x\n",
            "/path:x",
            "1a:x",
        ] {
            assert!(check_url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_addresses_of_this_machine_need_a_way_to_it() {
        for (url, port) in [
            ("http://localhost:3000/x", Some(3000)),
            ("http://LOCALHOST:3000", Some(3000)),
            ("ws://127.0.0.1:80?x", Some(80)),
            ("exp://[::1]:8081#a", Some(8081)),
            ("http://me:pw@localhost:1/", Some(1)),
            ("http://localhost/", None),
            ("http://localhost:0/", None),
            ("http://localhost:99999/", None),
            ("http://localhost.example.org:80/", None),
            ("http://example.org:80/?u=http://localhost:5/", None),
            ("mailto:localhost:5", None),
        ] {
            assert_eq!(local_port(url), port, "{url}");
        }
    }
}
