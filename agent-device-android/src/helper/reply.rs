//! What the helper answers: a block of headers, an empty line, a body.

use super::HelperFailure;
use crate::error::{AdbFailure, Phase};

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Helper,
    Keyboard,
}

impl Protocol {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Helper => "android-snapshot-helper-v1",
            Self::Keyboard => "android-ime-helper-v1",
        }
    }
}

const FORMAT: &str = "uiautomator-xml";
/// Headers are small; a reply whose head is larger is none.
const MAX_HEAD: usize = 256 * 1024;

/// Headers by name, in no order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts(Vec<(String, String)>);

impl Facts {
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = text.lines().filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            Some((key.to_owned(), value.to_owned()))
        });
        Self(pairs.collect())
    }

    pub(crate) fn push(&mut self, key: &str, value: &str) {
        self.0.push((key.to_owned(), value.to_owned()));
    }

    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn is(&self, key: &str) -> Option<bool> {
        match self.get(key)? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }

    pub(crate) fn speaks(&self, protocol: Protocol) -> bool {
        self.get("agentDeviceProtocol") == Some(protocol.name())
    }

    /// What the helper says about a failure of its own.
    pub(crate) fn failure(&self) -> HelperFailure {
        let kind = self.get("errorType").unwrap_or_default().to_owned();
        let message: String = self
            .get("message")
            .unwrap_or("no message")
            .chars()
            .take(500)
            .collect();
        // Only its word for it counts: a helper that says nothing may have begun.
        if self.is("started") == Some(false) {
            HelperFailure::Refused { kind, message }
        } else {
            HelperFailure::Failed { kind, message }
        }
    }
}

/// A reply that says `ok`.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) facts: Facts,
    bytes: Vec<u8>,
    body: usize,
}

impl Reply {
    pub(crate) fn body(&self) -> &[u8] {
        self.bytes.get(self.body..).unwrap_or_default()
    }

    pub(crate) fn into_body(mut self) -> Vec<u8> {
        self.bytes.drain(..self.body);
        self.bytes
    }

    /// Checks a reply against the request that it should answer.
    pub(crate) fn read(
        bytes: Vec<u8>,
        id: &str,
        protocol: Protocol,
    ) -> Result<Self, HelperFailure> {
        if bytes.is_empty() {
            return Err(HelperFailure::Lost(AdbFailure::Lost {
                phase: Phase::Requested,
                source: None,
            }));
        }
        let unreadable = |what| HelperFailure::Unreadable { what };
        let head = bytes.get(..bytes.len().min(MAX_HEAD)).unwrap_or_default();
        let end = memchr::memmem::find(head, b"\n\n")
            .ok_or_else(|| unreadable("its headers have no end"))?;
        let text = std::str::from_utf8(&bytes[..end])
            .map_err(|_| unreadable("its headers are no text"))?;
        let facts = Facts::parse(text);
        if !facts.speaks(protocol) {
            return Err(unreadable("it speaks another protocol"));
        }
        if facts
            .get("outputFormat")
            .is_some_and(|format| format != FORMAT)
        {
            return Err(unreadable("it has another format"));
        }
        if facts.get("requestId") != Some(id) {
            // Before it has read the request the helper knows no id: then it says so with an empty one and a refusal.
            if facts.get("requestId") != Some("") || facts.is("ok") != Some(false) {
                return Err(unreadable("it answers another request"));
            }
        }
        match facts.is("ok") {
            Some(true) => {}
            Some(false) => return Err(facts.failure()),
            None => return Err(unreadable("it says neither yes nor no")),
        }
        let body = end + 2;
        if let Some(length) = facts.get("byteLength") {
            if length.parse() != Ok(bytes.len() - body) {
                return Err(unreadable("its body is cut short"));
            }
        } else if bytes.len() != body {
            return Err(unreadable("it has a body without a length"));
        }
        Ok(Self { facts, bytes, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "agentDeviceProtocol=android-snapshot-helper-v1\noutputFormat=uiautomator-xml\n";

    fn read(rest: &str) -> Result<Reply, HelperFailure> {
        let text = format!("{HEAD}{rest}").into_bytes();
        Reply::read(text, "r-1", Protocol::Helper)
    }

    #[test]
    fn a_reply_is_believed_when_everything_fits() {
        let reply = read("ok=true\nrequestId=r-1\nbyteLength=3\na=b=c\n\nxyz").unwrap();
        assert_eq!(reply.body(), b"xyz");
        assert_eq!(reply.facts.get("a"), Some("b=c"));
        for bad in [
            "ok=true\nrequestId=r-1\nbyteLength=3\n\nxy",
            "ok=true\nrequestId=r-2\nbyteLength=0\n\n",
            "ok=true\nrequestId=\nbyteLength=0\n\n",
            "ok=maybe\nrequestId=r-1\n\n",
            "ok=true\nrequestId=r-1\n\nsurplus",
            "ok=true\nrequestId=r-1\n",
        ] {
            let failure = read(bad).unwrap_err();
            assert!(matches!(failure, HelperFailure::Unreadable { .. }), "{bad}");
        }
        let helper = |bytes: &[u8]| Reply::read(bytes.to_vec(), "r-1", Protocol::Helper);
        assert!(helper(b"HTTP/1.1 200 OK\n\n").is_err());
        assert!(helper(&[0xff; 600_000]).is_err());
        let other = format!("{HEAD}ok=true\nrequestId=r-1\nbyteLength=0\n\n");
        assert!(helper(other.as_bytes()).is_ok());
        let keyboard = Reply::read(other.into_bytes(), "r-1", Protocol::Keyboard);
        assert!(keyboard.is_err(), "it is not the one that was asked");
    }

    #[test]
    fn only_a_helper_that_says_so_has_not_begun() {
        let said = |rest: &str| read(&format!("ok=false\nrequestId=r-1\n{rest}\n\n")).unwrap_err();
        assert!(matches!(
            said("started=false"),
            HelperFailure::Refused { .. }
        ));
        for other in ["started=true", "started=no", "message=x"] {
            assert!(
                matches!(said(other), HelperFailure::Failed { .. }),
                "{other}"
            );
        }
        let early = read("ok=false\nrequestId=\nstarted=false\n\n").unwrap_err();
        assert!(matches!(early, HelperFailure::Refused { .. }));
    }
}
