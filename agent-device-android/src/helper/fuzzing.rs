//! What the readers of this folder promise of any bytes.

use super::{Ended, HelperFailure, Reply, decode, encode, left::Left, records, reply::Protocol};

pub(crate) fn reply(data: &[u8]) {
    match Reply::read(data.to_vec(), "r-1", Protocol::Helper) {
        Ok(reply) => {
            let body = reply.body().to_vec();
            assert!(data.ends_with(&body));
            assert_eq!(reply.into_body(), body);
        }
        Err(HelperFailure::Unreadable { .. } | HelperFailure::Failed { .. }) => {}
        Err(HelperFailure::Lost(_)) => assert!(data.is_empty()),
        // A `no` needs the helper's own word for it.
        Err(HelperFailure::Refused { .. }) => {
            assert!(memchr::memmem::find(data, b"started=false").is_some());
        }
        Err(other) => unreachable!("{other}"),
    }
}

pub(crate) fn printed(text: &str) {
    if let Ok((facts, document)) = records::snapshot(text) {
        assert!(facts.speaks(Protocol::Helper) && document.len() <= text.len());
    }
    Ended::of(text);
    Left::read(text);
    if let Some(bytes) = decode(text) {
        assert_eq!(decode(&encode(&bytes)), Some(bytes));
    }
}
