//! Roles and names of the walker against the browser's own, element by element.

use std::{collections::BTreeMap, time::Duration};

use agent_device_core::{Call, SnapshotBackend as _, snapshot::CaptureOptions};
use agent_device_testbed::page::FixtureServer;
use agent_device_webdriver::Chromium;
use serde_json::{Value, json};

use crate::harness::have_chromium;

const PAGE: &str = include_str!("../pages/roles.html");

/// Words for which the walker and Chromium's `computedrole` differ on purpose: Chromium answers with names of its own where
/// ARIA has none. Nothing to say is the same as a plain text or container.
const RENAMED: &[(&str, &str)] = &[
    ("none", ""),
    ("generic", ""),
    ("text", ""),
    ("LabelText", ""),
    ("Legend", ""),
    ("Figcaption", ""),
    ("Abbr", ""),
    ("Ruby", ""),
    ("DescriptionList", "list"),
    ("DisclosureTriangle", "button"),
    ("LayoutTable", "table"),
    ("LayoutTableRow", "row"),
    ("LayoutTableCell", "cell"),
    ("ColorWell", "color"),
    ("Date", "date"),
    ("DateTime", "datetime"),
    ("InputTime", "time-input"),
    ("Iframe", "iframe"),
    ("Canvas", "canvas"),
    ("Video", "video"),
    ("Audio", "audio"),
    ("MathMLMath", "math"),
    ("RootWebArea", "document"),
];

/// Gives every element a name by which it is found in the snapshot, and returns the elements that are safe to ask about: asking
/// about one in a form with a field called `parentNode` hangs chromedriver, and an inert one has no role for Chromium.
const LABEL_ALL: &str = "
    var all = document.body.querySelectorAll('*'), out = [];
    for (var i = 0; i < all.length; i++) {
        var e = all[i], inForm = e.closest('form');
        if (inForm && inForm.querySelector('[name=parentNode]') || e.closest('[inert]')) continue;
        if (!e.id) e.setAttribute('data-testid', 'nth-' + i);
        out.push([e.id || 'nth-' + i, e, e.textContent.replace(/\\s+/g, ' ').trim()]);
    }
    return out;";

fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn same_word(word: &str) -> &str {
    RENAMED
        .iter()
        .find(|(theirs, _)| *theirs == word)
        .map_or(word, |(_, ours)| ours)
}

struct Raw {
    http: reqwest::Client,
    session: String,
}

impl Raw {
    async fn value(&self, request: reqwest::RequestBuilder) -> Value {
        let reply = request
            .timeout(Duration::from_secs(20))
            .send()
            .await
            .unwrap();
        let body: Value = serde_json::from_slice(&reply.bytes().await.unwrap()).unwrap();
        body["value"].clone()
    }

    async fn script(&self, script: &str) -> Value {
        let body = json!({ "script": script, "args": [] }).to_string();
        let url = format!("{}/execute/sync", self.session);
        let request = self
            .http
            .post(url)
            .header("content-type", "application/json");
        self.value(request.body(body)).await
    }

    async fn ask(&self, element: &str, what: &str) -> String {
        let url = format!("{}/element/{element}/{what}", self.session);
        let value = self.value(self.http.get(url)).await;
        value
            .as_str()
            .map(str::to_owned)
            .unwrap_or_else(|| panic!("{what}: {value}"))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn roles_and_names_are_those_of_the_browser() {
    if !have_chromium() {
        return;
    }
    let app = FixtureServer::start().await.unwrap();
    app.serve("/roles", PAGE);
    let driver = Chromium::builder()
        .window(1200, 1000)
        .start_driver()
        .await
        .unwrap();
    let address = driver.address();
    let browser = driver.open().await.unwrap();
    browser
        .navigate(&format!("{}/roles", app.origin()))
        .await
        .unwrap();
    let raw = Raw {
        http: reqwest::Client::builder().no_proxy().build().unwrap(),
        session: format!("http://{address}/session/{}", browser.session_id()),
    };

    let labelled = raw.script(LABEL_ALL).await;
    let call = Call::standalone(Duration::from_secs(30));
    let snapshot = browser
        .capture(&CaptureOptions::raw(), &call)
        .await
        .unwrap();
    let mut nodes = BTreeMap::new();
    for node in snapshot.nodes() {
        if let (Some(name), Some(handle)) = (node.identifier(), node.handle()) {
            let role = handle.split(' ').next().unwrap_or_default();
            nodes.insert(
                name.to_owned(),
                (role.to_owned(), normal(node.label().unwrap_or_default())),
            );
        }
    }

    let mut compared = 0;
    let mut wrong = Vec::new();
    for entry in labelled.as_array().unwrap() {
        let name = entry[0].as_str().unwrap();
        let Some((role, label)) = nodes.get(name) else {
            // Not emitted: hidden, or a container without a meaning.
            continue;
        };
        let element = entry[1].as_object().unwrap().values().next().unwrap();
        let element = element.as_str().unwrap();
        let theirs = raw.ask(element, "computedrole").await;
        if same_word(&theirs) != same_word(role) {
            wrong.push(format!("{name}: role {role}, the browser says {theirs}"));
        }
        // The bullets of a password field within a name show its length: the walker leaves them out.
        let their_label = normal(&raw.ask(element, "computedlabel").await.replace('•', ""));
        // An element that takes no name from its content shows its text as its label: selectors look for what is seen.
        let shown_text = their_label.is_empty() && entry[2] == *label.as_str();
        // A video's own name outranks the browser's message that it can't be played.
        let unplayable = role == "video";
        if *label != their_label && !shown_text && !unplayable {
            wrong.push(format!(
                "{name} ({role}): name {label:?}, the browser says {their_label:?}"
            ));
        }
        compared += 1;
    }
    browser.close().await.unwrap();
    app.stop().await;
    assert!(
        wrong.is_empty(),
        "{} of {compared}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(compared >= 150, "only {compared} elements were compared");
    println!("{compared} elements compared");
}
