//! A browser capture against its floor, interleaved in one run on one page of one browser.
//!
//! The floor is one `execute/sync` of a script that walks the tree, reads of each element its rectangle, display, visibility,
//! three attributes and text children, and returns a string as long as our reply. Ratios are what counts: the machine is noisy.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench that unwraps in vain has failed"
)]

use std::{
    fmt::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use agent_device_core::{
    Call, Device, SnapshotBackend as _, selector::id, snapshot::CaptureOptions,
};
use agent_device_testbed::page::FixtureServer;
use agent_device_webdriver::{Chromium, WebDriver};
use serde_json::{Value, json};

const FLOOR: &str = "
    var length = arguments[0], out = '', count = 0;
    var walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ELEMENT);
    for (var e = document.documentElement; e; e = walker.nextNode()) {
        var r = e.getBoundingClientRect(), style = getComputedStyle(e), text = '';
        for (var child = e.firstChild; child; child = child.nextSibling) if (child.nodeType === 3) text += child.data;
        out += r.x + ',' + r.y + ',' + r.width + ',' + r.height + style.display + style.visibility +
            e.getAttribute('role') + e.getAttribute('aria-label') + e.id + text;
        count++;
    }
    while (out.length < length) out += out;
    return out.slice(0, length);";

/// The targets of the design, at these numbers of elements.
const TARGETS: &[(usize, f64)] = &[(64, 1.3), (514, 1.5), (5014, 1.5)];

fn page(elements: usize) -> String {
    let mut html = String::from(
        "<!doctype html><title>Bench</title><main id=main><h1>Orders</h1><nav><a href=#a>Home</a> <a href=#b>Help</a></nav>\
         <form><label>Search <input id=search placeholder=Search></label><button id=go type=button>Go</button></form><ul>",
    );
    // html, head, title, body and the 10 above.
    let mut count = 14;
    let mut row = 0;
    while count + 5 <= elements {
        row += 1;
        let _ = write!(
            html,
            "<li class=row id=row-{row}><span>Order {row}</span> <a href=#o{row}>Details of order {row}</a> \
             <button type=button aria-label='Delete order {row}'>Delete</button><p>Shipped to a place number {row}</p></li>"
        );
        count += 5;
    }
    while count < elements {
        html.push_str("<i></i>");
        count += 1;
    }
    html + "</ul></main>"
}

struct Raw {
    http: reqwest::Client,
    url: String,
}

impl Raw {
    async fn floor(&self, length: usize) -> Duration {
        let started = Instant::now();
        let body = json!({ "script": FLOOR, "args": [length] }).to_string();
        let reply = self
            .http
            .post(format!("{}/execute/sync", self.url))
            .header("content-type", "application/json")
            .body(body)
            .send()
            .await
            .unwrap();
        let value: Value = serde_json::from_slice(&reply.bytes().await.unwrap()).unwrap();
        assert_eq!(
            value["value"].as_str().map(|text| text.chars().count()),
            Some(length)
        );
        started.elapsed()
    }
}

async fn capture(browser: &WebDriver) -> Duration {
    let call = Call::standalone(Duration::from_secs(60));
    let started = Instant::now();
    let snapshot = browser
        .capture(&CaptureOptions::default(), &call)
        .await
        .unwrap();
    assert!(!snapshot.is_empty());
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let app = FixtureServer::start().await.unwrap();
    let driver = Chromium::builder().start_driver().await.unwrap();
    let address = driver.address();
    let browser = Arc::new(driver.open().await.unwrap());
    let raw = Raw {
        http: reqwest::Client::builder().no_proxy().build().unwrap(),
        url: format!("http://{address}/session/{}", browser.session_id()),
    };
    let mut missed = Vec::new();
    for (elements, target) in TARGETS {
        let path = format!("/bench-{elements}");
        app.serve(&path, page(*elements));
        browser
            .navigate(&format!("{}{path}", app.origin()))
            .await
            .unwrap();
        let before = browser.requests();
        capture(&browser).await;
        let after = browser.requests();
        let trips = after.total() - before.total();
        let length = usize::try_from(after.received_bytes - before.received_bytes).unwrap();
        let rounds = if *elements > 1000 { 41 } else { 81 };
        let (mut floor, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            floor.push(raw.floor(length).await);
            ours.push(capture(&browser).await);
        }
        let (floor, ours) = (median(floor), median(ours));
        let ratio = ours / floor;
        println!(
            "{elements:>5} elements, {length:>7} bytes: floor {floor:>6.2} ms, capture {ours:>6.2} ms, ratio {ratio:.2} \
             (target {target}), {trips} round trip(s)"
        );
        assert_eq!(
            trips, 1,
            "a capture of a page without foreign frames is one round trip"
        );
        if ratio > *target {
            missed.push(*elements);
        }
    }
    let device = Device::new(Arc::clone(&browser));
    let before = browser.requests().total();
    device.locate(id("go")).press().await.unwrap();
    println!(
        "a press: {} round trips",
        browser.requests().total() - before
    );
    if !missed.is_empty() {
        println!("over target at {missed:?} elements in this run");
    }
    browser.close().await.unwrap();
    app.stop().await;
}
