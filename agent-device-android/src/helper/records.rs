//! What a run of the helper prints: records of status, and a result.

use super::{Facts, HelperFailure, decode, reply::Protocol};

/// More chunks than this are no hierarchy that would be read.
const MAX_CHUNKS: usize = 64 * 1024;

/// The hierarchy that a run for one capture prints in chunks.
pub(super) fn snapshot(printed: &str) -> Result<(Facts, Vec<u8>), HelperFailure> {
    let unreadable = |what| HelperFailure::Unreadable { what };
    let mut chunks: Vec<Option<Vec<u8>>> = Vec::new();
    let mut status = Facts::default();
    let mut result = Facts::default();
    for line in printed.lines() {
        if let Some(pair) = line.strip_prefix("INSTRUMENTATION_STATUS: ") {
            if let Some((key, value)) = pair.split_once('=') {
                status.push(key, value);
            }
        } else if line.starts_with("INSTRUMENTATION_STATUS_CODE:") {
            take_chunk(&std::mem::take(&mut status), &mut chunks).map_err(unreadable)?;
        } else if let Some(pair) = line.strip_prefix("INSTRUMENTATION_RESULT: ")
            && let Some((key, value)) = pair.split_once('=')
        {
            result.push(key, value);
        }
    }
    if !result.speaks(Protocol::Helper) {
        return Err(unreadable("it holds no result"));
    }
    if result.is("ok") != Some(true) {
        return Err(result.failure());
    }
    if chunks.is_empty() {
        return Err(unreadable("it holds no hierarchy"));
    }
    let mut document = Vec::new();
    for chunk in chunks {
        document.extend(chunk.ok_or_else(|| unreadable("a part of the hierarchy is missing"))?);
    }
    Ok((result, document))
}

fn take_chunk(status: &Facts, chunks: &mut Vec<Option<Vec<u8>>>) -> Result<(), &'static str> {
    let Some(payload) = status.get("payloadBase64") else {
        return Ok(());
    };
    if !status.speaks(Protocol::Helper) {
        return Ok(());
    }
    let count: usize = status.number("chunkCount").unwrap_or(0);
    let index: usize = status.number("chunkIndex").unwrap_or(usize::MAX);
    if chunks.is_empty() && (1..=MAX_CHUNKS).contains(&count) {
        chunks.resize(count, None);
    }
    if chunks.len() != count {
        return Err("the parts of the hierarchy disagree");
    }
    let place = chunks.get_mut(index).ok_or("a part has no place")?;
    let bytes = decode(payload).ok_or("a part is no base64")?;
    match place.replace(bytes) {
        None => Ok(()),
        Some(_) => Err("a part came twice"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::helper::encode;

    fn chunk(index: usize, count: usize, text: &str) -> String {
        format!(
            "INSTRUMENTATION_STATUS: agentDeviceProtocol=android-snapshot-helper-v1\r\nINSTRUMENTATION_STATUS: \
             chunkIndex={index}\nINSTRUMENTATION_STATUS: chunkCount={count}\nINSTRUMENTATION_STATUS: payloadBase64={}\n\
             INSTRUMENTATION_STATUS_CODE: 1\n",
            encode(text.as_bytes())
        )
    }

    const END: &str = "INSTRUMENTATION_RESULT: agentDeviceProtocol=android-snapshot-helper-v1\nINSTRUMENTATION_RESULT: ok=true\n\
         INSTRUMENTATION_RESULT: truncated=false\nINSTRUMENTATION_CODE: 0\n";

    #[test]
    fn a_whole_hierarchy_is_put_together_and_no_part_is_taken_for_it() {
        let whole = [chunk(1, 2, "b"), chunk(0, 2, "a"), END.to_owned()].concat();
        let (facts, document) = snapshot(&whole).unwrap();
        assert_eq!(
            (facts.is("truncated"), document.as_slice()),
            (Some(false), &b"ab"[..])
        );
        for bad in [
            [chunk(0, 2, "a"), END.to_owned()].concat(),
            [chunk(0, 2, "a"), chunk(0, 2, "a"), END.to_owned()].concat(),
            [chunk(0, 2, "a"), chunk(1, 3, "b"), END.to_owned()].concat(),
            chunk(0, 1, "a"),
            END.to_owned(),
            "INSTRUMENTATION_FAILED: dev.agentdevice.helper/.HelperInstrumentation\n".to_owned(),
            "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"
                .to_owned(),
            String::new(),
        ] {
            assert!(snapshot(&bad).is_err(), "{bad}");
        }
    }
}
