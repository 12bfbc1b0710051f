//! Chromium's own route to the page: half the fixed cost of a script, and half the cost of each byte of its reply.
//!
//! It evaluates in the top document only, can be handed no elements, and hands none out. A library that was evaluated once stays
//! in the browser for as long as its document lives; a call of it sends no source and runs code that is optimised already.

use serde_json::{Value, json};

use super::unreadable;
use crate::{
    client::{Command, Turn},
    error::{Kind, ReadFailure},
    page::{self, Act, Limits},
};

/// A document is worth a library, which costs a round trip of its own, when it is captured this often in a row.
const WORTH: u32 = 3;

/// Whether the route can do it: the top document, without references.
pub(super) fn serves(turn: &Turn<'_>) -> bool {
    turn.evaluates() && !turn.memory.in_frame && turn.memory.roots.known().is_empty()
}

/// One command of the browser's protocol. `None`: the driver has no such route, and is not asked again.
async fn run(
    turn: &mut Turn<'_>,
    method: &str,
    params: Value,
) -> Result<Option<Value>, ReadFailure> {
    let config = turn.session().client().config();
    let (time, size) = (config.capture_timeout, config.max_capture_bytes);
    let body = json!({"cmd": method, "params": params});
    let command = Command::post(Kind::Read, "goog/cdp/execute", body);
    match turn.read(command.within(time).up_to(size)).await {
        Ok(value) => {
            turn.memory.evaluates = Some(true);
            Ok(Some(value))
        }
        Err(failure) if failure.is_route_refusal() => {
            turn.memory.evaluates = Some(false);
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

fn text(mut answer: Value) -> Option<String> {
    match answer.pointer_mut("/result/value").map(Value::take) {
        Some(Value::String(text)) => Some(text),
        // It threw.
        _ => None,
    }
}

/// The library of the document, if it is still that document.
async fn call(turn: &mut Turn<'_>, arguments: Value) -> Result<Option<String>, ReadFailure> {
    let Some(library) = turn.memory.library.clone() else {
        return Ok(None);
    };
    let params = json!({
        "objectId": library,
        "functionDeclaration": page::CALL_LIBRARY,
        "arguments": arguments,
        "returnByValue": true,
        "silent": true,
    });
    match run(turn, "Runtime.callFunctionOn", params).await {
        Ok(answer) => Ok(answer.and_then(text)),
        Err(failure) if failure.open_dialog().is_some() => Err(failure),
        // It died with its document.
        Err(failure) if failure.code().is_some() => {
            turn.memory.library = None;
            turn.memory.looks = 0;
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// Evaluates an expression that ends in the library and keeps it.
pub(super) async fn load(turn: &mut Turn<'_>, expression: &str) -> Result<bool, ReadFailure> {
    turn.memory.library = None;
    let params = json!({"expression": expression, "awaitPromise": true, "silent": true});
    let answer = run(turn, "Runtime.evaluate", params).await?;
    let library = answer
        .as_ref()
        .and_then(|answer| answer.pointer("/result/objectId"))
        .and_then(Value::as_str)
        .filter(|id| id.len() <= 1000);
    turn.memory.library = library.map(str::to_owned);
    Ok(turn.memory.library.is_some())
}

async fn evaluate(turn: &mut Turn<'_>, expression: String) -> Result<Option<String>, ReadFailure> {
    let params = json!({"expression": expression, "returnByValue": true, "silent": true});
    Ok(run(turn, "Runtime.evaluate", params).await?.and_then(text))
}

/// A capture. `None`: by the other route, please.
pub(super) async fn capture(
    turn: &mut Turn<'_>,
    limits: Limits,
) -> Result<Option<String>, ReadFailure> {
    turn.memory.looks = turn.memory.looks.saturating_add(1);
    if turn.memory.library.is_none() && turn.memory.looks >= WORTH {
        load(turn, page::library_expression()).await?;
    }
    if let Some(reply) = call(turn, page::capture_call_arguments(limits)).await? {
        return Ok(Some(reply));
    }
    if !turn.evaluates() {
        return Ok(None);
    }
    evaluate(turn, page::capture_expression(limits)).await
}

/// An act that only reads.
pub(super) async fn ask(
    turn: &mut Turn<'_>,
    act: Act<'_>,
    target: &page::Target,
) -> Result<Option<String>, ReadFailure> {
    let called = call(turn, page::act_call_arguments(act, target)).await?;
    if called.is_some() || !turn.evaluates() {
        return Ok(called);
    }
    evaluate(turn, page::act_expression(act, target)).await
}

/// Whether an element that left the page held this value when it went. A driver takes no element that is out of the page; the
/// browser itself still knows it, by the number at the end of the driver's name for it.
pub(crate) async fn held(turn: &mut Turn<'_>, element: &str, value: &str) -> bool {
    const HOLDS: &str =
        "function(wanted){return(this.isContentEditable?this.textContent:this.value)===wanted}";
    let number = element
        .rsplit_once(".e.")
        .map(|(_, number)| number.parse::<u64>());
    let Some(Ok(number)) = number.filter(|_| turn.evaluates() && !turn.memory.in_frame) else {
        return false;
    };
    let node = run(turn, "DOM.resolveNode", json!({"backendNodeId": number})).await;
    let Some(object) = node.ok().flatten().and_then(|node| {
        let id = node.pointer("/object/objectId")?.as_str()?;
        Some(id.to_owned())
    }) else {
        return false;
    };
    let params = json!({
        "objectId": object,
        "functionDeclaration": HOLDS,
        "arguments": [{"value": value}],
        "returnByValue": true,
        "silent": true,
    });
    let answer = run(turn, "Runtime.callFunctionOn", params).await;
    answer.is_ok_and(|answer| {
        answer.and_then(|answer| answer.pointer("/result/value")?.as_bool()) == Some(true)
    })
}

/// Waits until the document is parsed, at most `limit`, and leaves the library in it.
pub(crate) async fn parsed(
    turn: &mut Turn<'_>,
    limit: std::time::Duration,
) -> Result<bool, ReadFailure> {
    // `interactive` is not enough: deferred scripts, which make the page, run after it and before the event.
    let expression = format!(
        "new Promise(function(done){{var entry=performance.getEntriesByType('navigation')[0];\
         if(document.readyState==='complete'||entry&&entry.domContentLoadedEventEnd>0)done();\
         else{{document.addEventListener('DOMContentLoaded',done);window.addEventListener('load',done);setTimeout(done,{})}}\
         }}).then(function(){{return {}}})",
        limit.as_millis(),
        page::library_expression()
    );
    turn.memory.looks = 0;
    if !load(turn, &expression).await? && !turn.evaluates() {
        return Err(unreadable());
    }
    Ok(turn.memory.library.is_some())
}
