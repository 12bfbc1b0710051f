//! Where a server is: its address, with the credentials taken out of it.

use std::{fmt, net::IpAddr};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{Url, header::HeaderValue};

use agent_device_core::{Error, Result};

/// The address of a WebDriver server. Prints without credentials.
#[derive(Clone)]
pub(crate) struct Endpoint {
    base: Url,
    authorization: Option<HeaderValue>,
}

impl Endpoint {
    /// Takes an address such as `http://127.0.0.1:9515` or `https://user:key@hub/wd/hub`. Credentials given beside it win.
    pub(crate) fn parse(address: &str, credentials: Option<(&str, &str)>) -> Result<Self> {
        let invalid = |why: &str| Error::invalid("endpoint", format!("the endpoint {why}"));
        let mut base = Url::parse(address).map_err(|_| invalid("is not a URL"))?;
        match base.scheme() {
            "http" => {}
            "https" if cfg!(feature = "tls") => {}
            "https" => {
                return Err(invalid(
                    "is https, which needs the cargo feature `tls` of agent-device-webdriver",
                ));
            }
            _ => return Err(invalid("is neither http nor https")),
        }
        if base.host_str().is_none_or(str::is_empty) {
            return Err(invalid("has no host"));
        }
        let in_url = (!base.username().is_empty() || base.password().is_some()).then(|| {
            (
                decoded(base.username()),
                decoded(base.password().unwrap_or_default()),
            )
        });
        let credentials = credentials
            .map(|(user, key)| (user.to_owned(), key.to_owned()))
            .or(in_url);
        let authorization = credentials.map(|(user, key)| {
            let token = STANDARD.encode(format!("{user}:{key}"));
            let mut value = HeaderValue::try_from(format!("Basic {token}"))
                .expect("base64 is a legal header value");
            value.set_sensitive(true);
            value
        });
        base.set_username("").map_err(|()| invalid("has no host"))?;
        base.set_password(None)
            .map_err(|()| invalid("has no host"))?;
        base.set_query(None);
        base.set_fragment(None);
        if !base.path().ends_with('/') {
            let path = format!("{}/", base.path());
            base.set_path(&path);
        }
        Ok(Self {
            base,
            authorization,
        })
    }

    /// The address of a route. The base path survives: `/wd/hub/` and `session` make `/wd/hub/session`.
    pub(crate) fn join(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!(
            "{}{}",
            self.base.path(),
            path.trim_start_matches('/')
        ));
        url
    }

    pub(crate) fn authorization(&self) -> Option<&HeaderValue> {
        self.authorization.as_ref()
    }

    /// Whether the server is on this machine: a proxy of the environment must not answer for it.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.base.host_str().unwrap_or_default();
        host.eq_ignore_ascii_case("localhost")
            || host
                .trim_matches(['[', ']'])
                .parse::<IpAddr>()
                .is_ok_and(|ip| ip.is_loopback())
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.base.scheme() == "https"
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}

/// Undoes percent-encoding; what is not valid stays as it is.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = pair
            .and_then(|pair| std::str::from_utf8(pair).ok())
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match byte {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_survives_the_join() {
        for (base, want) in [
            ("http://h:4444", "http://h:4444/session/1/url"),
            ("http://h:4444/wd/hub", "http://h:4444/wd/hub/session/1/url"),
            ("http://h/wd/hub/", "http://h/wd/hub/session/1/url"),
        ] {
            let endpoint = Endpoint::parse(base, None).unwrap();
            assert_eq!(endpoint.join("/session/1/url").as_str(), want);
            assert_eq!(endpoint.join("session/1/url").as_str(), want);
        }
    }

    #[test]
    fn credentials_leave_the_address_and_print_nowhere() {
        let endpoint = Endpoint::parse("http://me:s%40cret@h/wd", None).unwrap();
        assert_eq!(endpoint.to_string(), "http://h/wd");
        let header = endpoint.authorization().unwrap();
        assert!(header.is_sensitive());
        assert_eq!(
            header.to_str().unwrap(),
            format!("Basic {}", STANDARD.encode("me:s@cret"))
        );
        let shown = format!("{endpoint:?} {header:?}");
        assert!(!shown.contains("cret") && !shown.contains("me:"), "{shown}");
    }

    #[test]
    fn loopback_is_known_in_each_spelling() {
        for (url, want) in [
            ("http://localhost:1", true),
            ("http://127.3.2.1:1", true),
            ("http://[::1]:1", true),
            ("http://example.com", false),
            ("http://10.0.0.1", false),
        ] {
            assert_eq!(Endpoint::parse(url, None).unwrap().is_loopback(), want);
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_repeating_it() {
        for url in [
            "",
            "nonsense",
            "ftp://h",
            "http://",
            "file:///x",
            "http:secret",
        ] {
            if let Err(error) = Endpoint::parse(url, None) {
                assert!(error.dispatched().is_no());
                assert_eq!(error.detail("field").unwrap(), "endpoint");
                assert!(url.is_empty() || !error.message().contains(url) || url == "http://");
            }
        }
        assert!(Endpoint::parse("nonsense", None).is_err());
    }
}
