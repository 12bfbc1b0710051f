//! The page under a real browser, and its server under raw requests.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::{
    call,
    chrome::{Chrome, reference, with_chrome},
};
use crate::page::{Event, EventKind, FixtureServer, SCREENS, zoo};

const SOON: Duration = Duration::from_secs(5);

fn kinds(events: &[Event]) -> Vec<(EventKind, String)> {
    events
        .iter()
        .map(|event| (event.kind, event.element.clone()))
        .collect()
}

/// Waits for one event and sees that it is the only one. A touch may become a click after its command has returned.
async fn holds(server: &FixtureServer, pointer: &str, kind: EventKind, element: &str) {
    let log = server
        .wait_for(|log| log.iter().any(|event| event.kind == kind), SOON)
        .await;
    let log = log.unwrap_or_else(|error| panic!("{pointer}: {error}"));
    assert_eq!(kinds(&log), [(kind, element.to_owned())], "{pointer}");
}

/// Opens a screen and empties the log of its opening.
async fn open(chrome: &Chrome, server: &FixtureServer, screen: &str) {
    chrome.go(&server.url(screen)).await;
    let opening = server.events();
    assert_eq!(
        opening
            .last()
            .map(|event| (event.kind, event.detail.clone())),
        Some((EventKind::Navigate, json!(screen)))
    );
    server.clear();
}

#[tokio::test]
async fn two_clicks_are_two_taps_in_the_log_at_the_moment_they_return() {
    with_chrome(|chrome| async move {
        let server = FixtureServer::start().await.unwrap();
        open(&chrome, &server, "counter").await;
        chrome.click("#counter").await;
        chrome.click("#counter").await;
        chrome.click("#dead").await;
        let log = server.events();
        assert_eq!(
            kinds(&log),
            [
                (EventKind::Tap, "counter".to_owned()),
                (EventKind::Tap, "counter".to_owned())
            ]
        );
        assert!(
            log.iter()
                .all(|event| event.trusted && event.screen == "counter")
        );
        assert!(log[0].seq < log[1].seq);
        assert_eq!(chrome.text("#counter").await, "Counter: 2");

        chrome
            .run("document.querySelector('#counter').click()")
            .await;
        assert!(
            !server.events()[2].trusted,
            "a click by script is told from one by a pointer"
        );
    })
    .await;
}

#[tokio::test]
async fn a_hold_is_a_long_press_and_two_quick_taps_are_one_double_tap() {
    with_chrome(|chrome| async move {
        let server = FixtureServer::start().await.unwrap();
        open(&chrome, &server, "counter").await;
        for kind in ["mouse", "touch"] {
            let (x, y) = chrome.centre("#hold").await;
            let to = json!({ "type": "pointerMove", "duration": 0, "x": x, "y": y });
            let (down, up) = (
                json!({ "type": "pointerDown", "button": 0 }),
                json!({ "type": "pointerUp", "button": 0 }),
            );
            let pause = json!({ "type": "pause", "duration": 600 });
            if kind == "mouse" {
                chrome.point(kind, json!([to, down, pause])).await;
                holds(&server, "while it is held", EventKind::LongPress, "hold").await;
                chrome.point(kind, json!([up])).await;
            } else {
                // chromedriver 156 doesn't lift a finger that an earlier command put down.
                chrome.point(kind, json!([to, down, pause, up])).await;
            }
            holds(&server, kind, EventKind::LongPress, "hold").await;
            server.clear();
            chrome.point(kind, json!([to, down, up])).await;
            holds(&server, kind, EventKind::Tap, "hold").await;
            server.clear();
            let (x, y) = chrome.centre("#double").await;
            let to = json!({ "type": "pointerMove", "duration": 0, "x": x, "y": y });
            chrome.point(kind, json!([to, down, up])).await;
            holds(&server, kind, EventKind::Tap, "double").await;
            tokio::time::sleep(Duration::from_millis(500)).await;
            server.clear();
            chrome.point(kind, json!([to, down, up, down, up])).await;
            holds(&server, kind, EventKind::DoubleTap, "double").await;
            server.clear();
        }
    })
    .await;
}

#[tokio::test]
async fn the_login_logs_texts_and_of_a_secret_its_length_alone() {
    with_chrome(|chrome| async move {
        let server = FixtureServer::start().await.unwrap();
        open(&chrome, &server, "login").await;
        assert_eq!(
            chrome
                .run("return document.querySelector('#sign-in').disabled")
                .await,
            json!(true)
        );
        chrome.type_into("#email", "a@b.c").await;
        chrome.type_into("#password", "hunter2").await;
        chrome.type_into("#phone", "5551234567").await;
        assert_eq!(chrome.value("#phone").await, "(555) 123-4567");
        assert_eq!(chrome.value("#city").await, "City");
        chrome.clear("#city").await;
        chrome.click("#sign-in").await;

        let log = server.events();
        let last = |element: &str| {
            log.iter()
                .rfind(|event| event.element == element)
                .map(|event| (event.kind, event.detail.clone()))
        };
        assert_eq!(last("email"), Some((EventKind::Text, json!("a@b.c"))));
        assert_eq!(
            last("password"),
            Some((EventKind::Text, json!({ "length": 7 })))
        );
        assert_eq!(
            last("phone"),
            Some((EventKind::Text, json!("(555) 123-4567")))
        );
        assert_eq!(last("city"), Some((EventKind::Clear, Value::Null)));
        assert_eq!(last("sign-in"), Some((EventKind::Tap, Value::Null)));
        assert!(
            !serde_json::to_string(&log).unwrap().contains("hunter"),
            "the secret is in the log"
        );
        assert_eq!(chrome.text("#welcome").await, "Welcome, a@b.c");
        assert_eq!(chrome.text("#sign-ins").await, "Sign-ins: 1");

        chrome.clear("#password").await;
        assert_eq!(server.events_of(EventKind::Clear, "password").len(), 1);
        assert_eq!(
            chrome
                .run("return document.querySelector('#sign-in').disabled")
                .await,
            json!(true)
        );
    })
    .await;
}

#[tokio::test]
async fn dialogs_are_logged_with_their_button_and_a_queue_one_by_one() {
    with_chrome(|chrome| async move {
        let server = FixtureServer::start().await.unwrap();
        open(&chrome, &server, "alert").await;
        chrome.click("#delete-item").await;
        assert_eq!(chrome.get("alert/text").await, json!("Delete item?"));
        assert_eq!(
            kinds(&server.events()),
            [(EventKind::Tap, "delete-item".to_owned())],
            "an open dialog is no answer"
        );
        chrome.post("alert/accept", json!({})).await;
        let log = server.wait_for(|log| log.len() == 2, SOON).await.unwrap();
        assert_eq!(
            (log[1].kind, &log[1].detail),
            (
                EventKind::Alert,
                &json!({ "message": "Delete item?", "button": "Delete" })
            )
        );
        assert_eq!(chrome.text("#result").await, "Result: deleted");

        server.clear();
        chrome.click("#delete-two").await;
        chrome.post("alert/dismiss", json!({})).await;
        server.wait_for(|log| log.len() == 2, SOON).await.unwrap();
        assert_eq!(
            chrome.get("alert/text").await,
            json!("Delete the next item?")
        );
        chrome.post("alert/accept", json!({})).await;
        let log = server.wait_for(|log| log.len() == 3, SOON).await.unwrap();
        let buttons: Vec<_> = log
            .iter()
            .filter_map(|event| event.detail["button"].as_str())
            .collect();
        assert_eq!(buttons, ["Cancel", "Delete"]);
        assert_eq!(chrome.text("#result").await, "Result: 1 deleted");
    })
    .await;
}

#[tokio::test]
async fn all_four_buttons_behind_frames_and_shadows_can_be_clicked() {
    with_chrome(|chrome| async move {
        let server = FixtureServer::start().await.unwrap();
        open(&chrome, &server, "frames").await;
        for name in ["same", "cross"] {
            let frame = chrome.find(&format!("#frame-{name}")).await;
            chrome
                .post(
                    "frame",
                    json!({ "id": { (super::chrome::ELEMENT): frame } }),
                )
                .await;
            assert_eq!(
                chrome
                    .run("try { return parent.document !== null } catch { return false }")
                    .await,
                json!(name == "same")
            );
            chrome.click(&format!("#{name}")).await;
            chrome.post("frame", json!({ "id": null })).await;
        }
        for name in ["open", "closed"] {
            let host = chrome.find(&format!("#host-{name}")).await;
            let root = chrome.get(&format!("element/{host}/shadow")).await;
            let root = root["shadow-6066-11e4-a52e-4f735466cecf"]
                .as_str()
                .unwrap()
                .to_owned();
            let query = json!({ "using": "css selector", "value": format!("#{name}-button") });
            let button = reference(&chrome.post(&format!("shadow/{root}/element"), query).await);
            chrome.click_on(&button).await;
        }
        let tapped: Vec<_> = server
            .events()
            .into_iter()
            .map(|event| (event.kind, event.screen, event.element))
            .collect();
        let expected = ["same", "cross", "open-button", "closed-button"];
        assert_eq!(
            tapped,
            expected.map(|element| (EventKind::Tap, "frames".to_owned(), element.to_owned()))
        );
    })
    .await;
}

#[tokio::test]
async fn reset_and_set_reach_open_pages_beside_the_driver() {
    with_chrome(|chrome| async move {
        let server = FixtureServer::start().await.unwrap();
        open(&chrome, &server, "counter").await;
        chrome.click("#counter").await;
        assert_eq!(server.reset("counter").await.unwrap(), 1);
        assert_eq!(chrome.text("#counter").await, "Counter: 0");
        assert_eq!(server.reset("drawer").await.unwrap(), 1);
        assert_eq!(chrome.get("url").await, json!(server.url("drawer")));
        assert_eq!(
            chrome
                .run("return document.querySelectorAll('button').length")
                .await,
            json!(1)
        );
        assert_eq!(server.set("twin", 1).await.unwrap(), 1);
        assert_eq!(
            chrome
                .run("return document.querySelectorAll('button').length")
                .await,
            json!(2)
        );
        chrome.click("#settings-twin").await;
        assert_eq!(
            server.events().len(),
            2,
            "neither a reset nor a knob is an event: {:?}",
            server.events()
        );

        chrome.go(&server.url("drawer")).await;
        assert_eq!(
            chrome
                .run("return document.querySelectorAll('button').length")
                .await,
            json!(2),
            "a knob holds for later pages"
        );
        assert_eq!(
            server.reset("drawer").await.unwrap(),
            1,
            "the page that was left is no longer waited for"
        );
        assert_eq!(
            chrome
                .run("return document.querySelectorAll('button').length")
                .await,
            json!(1)
        );

        chrome.go(&server.url("alert")).await;
        chrome.click("#notice").await;
        server
            .reset("alert")
            .await
            .expect_err("a page behind a dialog can't follow");
        chrome.post("alert/accept", json!({})).await;
        server
            .wait_for(
                |log| log.iter().any(|event| event.kind == EventKind::Alert),
                SOON,
            )
            .await
            .unwrap();
        assert_eq!(
            server.reset("home").await.unwrap(),
            1,
            "it follows when the dialog has gone"
        );

        let begun = Instant::now();
        chrome.go("about:blank").await;
        assert_eq!(server.reset("home").await.unwrap(), 0);
        assert!(begun.elapsed() < SOON);
    })
    .await;
}

#[tokio::test]
async fn rows_of_home_navigate_and_back_returns() {
    with_chrome(|chrome| async move {
        let server = FixtureServer::start().await.unwrap();
        open(&chrome, &server, "home").await;
        chrome.click("#open-late").await;
        assert_eq!(
            chrome
                .run("return document.querySelectorAll('button').length")
                .await,
            json!(0)
        );
        chrome.appears("#continue").await;
        chrome.click("#continue").await;
        assert_eq!(chrome.text("#done").await, "Done");
        chrome.post("back", json!({})).await;
        let log = server.wait_for(|log| log.len() == 5, SOON).await.unwrap();
        let expected = [
            (EventKind::Tap, "open-late".to_owned()),
            (EventKind::Navigate, "open-late".to_owned()),
            (EventKind::Tap, "continue".to_owned()),
            (EventKind::Navigate, "continue".to_owned()),
            (EventKind::Navigate, String::new()),
        ];
        assert_eq!(kinds(&log), expected);
        assert_eq!(log[4].detail, json!("late"));
    })
    .await;
}

#[tokio::test]
async fn scrolling_is_logged_once_per_rest_and_three_passes_reveal_the_end() {
    with_chrome(|chrome| async move {
        let server = FixtureServer::start().await.unwrap();
        open(&chrome, &server, "list").await;
        let wheel = |x: i64, y: i64, by: i64| {
            let scroll = json!({ "type": "scroll", "duration": 100, "x": x, "y": y, "deltaX": 0, "deltaY": by, "origin": "viewport" });
            json!({ "actions": [{ "type": "wheel", "id": "wheel", "actions": [scroll] }] })
        };
        chrome.post("actions", wheel(200, 200, 300)).await;
        let bottom = json!({ "x": 0, "y": 300 });
        let rests = |log: &[Event]| log.last().is_some_and(|event| event.detail == bottom);
        let log = server.wait_for(rests, SOON).await.unwrap();
        assert!(log.iter().all(|event| event.kind == EventKind::Scroll && event.element == "list"), "{log:?}");
        assert!(log.len() <= 3, "one event per rest and not per frame: {log:?}");

        open(&chrome, &server, "end").await;
        for css in ["#ended", "#stubborn"] {
            let (x, y) = chrome.centre(css).await;
            chrome.post("actions", wheel(x, y, 200)).await;
        }
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(server.events(), [], "nothing has moved");

        open(&chrome, &server, "reveal").await;
        for pass in 1..=3 {
            chrome.appears(&format!("#item-{}", pass * 20)).await;
            assert_eq!(chrome.text("#pages").await, format!("Pages: {pass}"));
            let end = "return document.getElementById('feed-end') !== null";
            assert_eq!(chrome.run(end).await, json!(pass == 3));
            chrome.run("const feed = document.querySelector('#feed'); feed.scrollTop = feed.scrollHeight").await;
            server.wait_for(|log| log.len() == pass, SOON).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(chrome.text("#pages").await, "Pages: 3");
    })
    .await;
}

#[tokio::test]
async fn the_pad_logs_what_two_fingers_did() {
    with_chrome(|chrome| async move {
        let server = FixtureServer::start().await.unwrap();
        open(&chrome, &server, "gesture").await;
        let (x, y) = chrome.centre("#pad").await;
        let finger = |id: &str, from: i64, to: i64| {
            let actions = json!([
                { "type": "pointerMove", "duration": 0, "x": x + from, "y": y },
                { "type": "pointerDown", "button": 0 },
                { "type": "pointerMove", "duration": 200, "x": x + to, "y": y },
                { "type": "pointerUp", "button": 0 },
            ]);
            json!({ "type": "pointer", "id": id, "parameters": { "pointerType": "touch" }, "actions": actions })
        };
        chrome.post("actions", json!({ "actions": [finger("one", -20, -100), finger("two", 20, 100)] })).await;
        let log = server.wait_for(|log| !log.is_empty(), SOON).await.unwrap();
        assert_eq!(kinds(&log), [(EventKind::Stroke, "pad".to_owned())]);
        let detail = &log[0].detail;
        assert_eq!((&detail["pointers"], &detail["type"], &detail["cancelled"]), (&json!(2), &json!("touch"), &json!(false)));
        let ends: Vec<_> = detail["points"].as_array().unwrap().iter().map(|track| {
            let track = track.as_array().unwrap();
            let x_of = |point: &Value| point[1].as_f64().unwrap().round() as i64;
            (x_of(track.first().unwrap()), x_of(track.last().unwrap()))
        }).collect();
        assert_eq!(ends, [(x - 20, x - 100), (x + 20, x + 100)]);
    })
    .await;
}

#[tokio::test]
async fn every_screen_opens_with_what_the_contract_names() {
    with_chrome(|chrome| async move {
        let server = FixtureServer::start().await.unwrap();
        let expected: &[(&str, &[&str])] = &[
            ("counter", &["counter", "dead", "double", "hold"]),
            (
                "login",
                &[
                    "email", "password", "phone", "city", "sign-in", "welcome", "sign-ins",
                ],
            ),
            ("longtext", &["note"]),
            ("late", &[]),
            ("never", &[]),
            ("vanish", &[]),
            ("covered", &["pay", "sheet", "accept"]),
            ("drawer", &["settings"]),
            ("rows", &[]),
            ("wrapper", &["wrapper", "control"]),
            ("childbutton", &["cell", "inner"]),
            (
                "list",
                &["list", "row-1", "row-200", "tab-home", "tab-search"],
            ),
            ("reveal", &["feed", "pages", "item-1"]),
            ("end", &["ended", "stubborn"]),
            ("toggle", &["wifi", "terms", "one", "two"]),
            (
                "alert",
                &["delete-item", "delete-two", "rename", "notice", "result"],
            ),
            ("keyboard", &["field", "tab-home", "tab-search"]),
            ("animate", &["still", "ticker"]),
            ("slow", &["slow"]),
            ("sparse", &[]),
            ("deep", &["deep"]),
            ("zoo", &["zoo-long"]),
            ("gesture", &["pad", "strokes"]),
            (
                "frames",
                &["frame-same", "frame-cross", "host-open", "host-closed"],
            ),
            ("windows", &["open-tab"]),
        ];
        assert_eq!(
            expected
                .iter()
                .map(|(screen, _)| *screen)
                .collect::<Vec<_>>(),
            SCREENS
        );
        for (screen, ids) in expected {
            open(&chrome, &server, screen).await;
            let script = format!(
                "return {}.filter((id) => document.getElementById(id) === null)",
                json!(ids)
            );
            assert_eq!(chrome.run(&script).await, json!([]), "{screen}");
        }
    })
    .await;
}

#[tokio::test]
async fn screens_have_the_shape_that_makes_them_hard() {
    with_chrome(|chrome| async move {
        let server = FixtureServer::start().await.unwrap();
        let rect = "const rect = (id) => document.getElementById(id).getBoundingClientRect();";

        open(&chrome, &server, "longtext").await;
        assert_eq!(chrome.value("#note").await.len(), 5000);

        open(&chrome, &server, "covered").await;
        let over = format!("{rect} const r = rect('pay'); return document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2).id");
        assert_eq!(chrome.run(&over).await, json!("sheet"));
        chrome.click("#accept").await;
        assert_eq!(chrome.run(&over).await, json!("pay"));

        open(&chrome, &server, "drawer").await;
        assert_eq!(chrome.run(&format!("{rect} return rect('settings').x")).await, json!(-320));

        open(&chrome, &server, "wrapper").await;
        let apart = format!("{rect} const a = rect('wrapper'), b = rect('control'); return [b.x - a.x, b.y - a.y, a.right - b.right, a.bottom - b.bottom]");
        assert_eq!(chrome.run(&apart).await, json!([1, 1, 1, 1]));
        chrome.click("#control").await;
        assert_eq!(server.events().len(), 1, "one tap for the pair");

        open(&chrome, &server, "childbutton").await;
        let centre = format!("{rect} const r = rect('cell'); return document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2).id");
        assert_eq!(chrome.run(&centre).await, json!("inner"));

        open(&chrome, &server, "list").await;
        assert_eq!(chrome.run("return [...document.querySelectorAll('[id]')].at(-1).id").await, json!("tab-search"));

        open(&chrome, &server, "deep").await;
        let depth = "let n = 0; for (let e = document.getElementById('deep').parentElement; e.tagName !== 'MAIN'; e = e.parentElement) n++; return n";
        assert_eq!(chrome.run(depth).await, json!(150));
        chrome.click("#deep").await;
        assert_eq!(server.events().len(), 1);

        open(&chrome, &server, "rows").await;
        assert_eq!(chrome.run("return document.querySelectorAll('button:not([id])').length").await, json!(4));
        chrome.click(".cell:nth-child(3) button").await;
        assert_eq!(kinds(&server.events()), [(EventKind::Tap, "delete-3".to_owned())]);

        open(&chrome, &server, "zoo").await;
        for (id, label) in zoo() {
            let seen = chrome.run(&format!("return document.getElementById('{id}').textContent")).await;
            assert_eq!(seen, json!(label), "{id}");
        }

        open(&chrome, &server, "toggle").await;
        chrome.click("#wifi").await;
        chrome.click("#terms").await;
        chrome.click("#two").await;
        chrome.click("label").await;
        let log: Vec<_> = server.events().into_iter().map(|event| (event.kind, event.element, event.detail)).collect();
        let toggle = |element: &str, on: bool| (EventKind::Toggle, element.to_owned(), json!(on));
        assert_eq!(log, [toggle("wifi", true), toggle("terms", true), (EventKind::Tap, "two".to_owned(), Value::Null), toggle("terms", false)]);

        chrome.go(&server.url_with("vanish", &[("appear", "0"), ("leave", "300")])).await;
        tokio::time::sleep(Duration::from_millis(600)).await;
        assert_eq!(chrome.run("return document.getElementById('gone')").await, Value::Null);

        chrome.go(&server.url_with("slow", &[("cost", "200")])).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        chrome.run("return 1").await; // waits for the rest of a turn
        for _ in 0..2 {
            let begun = Instant::now();
            chrome.run("return 1").await;
            let took = begun.elapsed();
            assert!(took > Duration::from_millis(180), "every look waits for a turn of its own: {took:?}");
        }
        chrome.go("about:blank").await;
    })
    .await;
}

#[tokio::test]
async fn a_link_opens_a_tab_and_the_log_shows_it() {
    with_chrome(|chrome| async move {
        let server = FixtureServer::start().await.unwrap();
        open(&chrome, &server, "windows").await;
        chrome.click("#open-tab").await;
        let log = server.wait_for(|log| log.len() == 2, SOON).await.unwrap();
        assert_eq!(
            kinds(&log),
            [
                (EventKind::Tap, "open-tab".to_owned()),
                (EventKind::Navigate, String::new())
            ]
        );
        assert_eq!(
            (log[1].screen.as_str(), &log[1].detail),
            ("opened", &json!("opened"))
        );
        assert_eq!(
            chrome.get("window/handles").await.as_array().map(Vec::len),
            Some(2)
        );
        assert_eq!(
            server.reset("counter").await.unwrap(),
            2,
            "both tabs follow"
        );
    })
    .await;
}

#[tokio::test]
async fn pages_of_a_test_are_served_with_their_headers_and_counted() {
    let server = FixtureServer::start().await.unwrap();
    server.serve_with(
        "/strict",
        "<p>strict",
        &[("content-security-policy", "default-src 'none'")],
    );
    let response = call(server.address(), "GET", "/strict?x=1", "")
        .await
        .unwrap();
    assert_eq!(
        (response.status, response.body.as_slice()),
        (200, b"<p>strict".as_slice())
    );
    let head = String::from_utf8_lossy(&response.raw[..response.head]).into_owned();
    assert!(
        head.contains("content-security-policy: default-src 'none'\r\n"),
        "{head}"
    );
    assert_eq!(
        (server.requests("/strict"), server.requests("/never-asked")),
        (1, 0)
    );
    assert_eq!(
        call(server.address(), "GET", "/no-such-screen", "")
            .await
            .unwrap()
            .status,
        404
    );
}

#[tokio::test]
async fn requests_are_bounded_and_bad_events_refused() {
    let server = FixtureServer::start().await.unwrap();
    assert_eq!(
        call(server.address(), "POST", "/~event", "{}")
            .await
            .unwrap()
            .status,
        400
    );
    let unknown = r#"{"screen":"home","element":"x","kind":"explode"}"#;
    assert_eq!(
        call(server.address(), "POST", "/~event", unknown)
            .await
            .unwrap()
            .status,
        400
    );
    let mut reader = crate::http::Reader::new(TcpStream::connect(server.address()).await.unwrap());
    let head = "POST /~event HTTP/1.1\r\ncontent-length: 9999999\r\n\r\n";
    tokio::io::AsyncWriteExt::write_all(&mut reader.stream, head.as_bytes())
        .await
        .unwrap();
    assert_eq!(reader.response(false, 100).await.unwrap().status, 413);
    assert_eq!(server.events(), []);
    let good = r#"{"screen":"home","element":"x","kind":"tap"}"#;
    assert_eq!(
        call(server.address(), "POST", "/~event", good)
            .await
            .unwrap()
            .status,
        200
    );
    assert_eq!(server.events().len(), 1);
}

#[tokio::test]
async fn a_slow_document_takes_its_time_and_holds_up_nobody() {
    let server = FixtureServer::start().await.unwrap();
    let begun = Instant::now();
    let slow = call(server.address(), "GET", "/~slow?ms=1500", "");
    let quick = async {
        call(server.address(), "GET", "/", "").await.unwrap();
        assert!(begun.elapsed() < Duration::from_millis(1500));
    };
    let (slow, ()) = tokio::join!(slow, quick);
    assert_eq!(slow.unwrap().status, 200);
    assert!(begun.elapsed() >= Duration::from_millis(1500));
}

#[tokio::test]
async fn waiting_in_vain_says_what_the_log_holds() {
    let server = FixtureServer::start().await.unwrap();
    call(
        server.address(),
        "POST",
        "/~event",
        r#"{"screen":"home","element":"x","kind":"tap"}"#,
    )
    .await
    .unwrap();
    let error = server
        .wait_for(|log| log.len() > 1, Duration::from_millis(50))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    assert!(error.to_string().contains("#1 home Tap \"x\""), "{error}");
}

#[tokio::test]
async fn a_stopped_server_refuses() {
    let server = FixtureServer::start().await.unwrap();
    let address = server.address();
    server.stop().await;
    assert!(TcpStream::connect(address).await.is_err());
    let server = FixtureServer::start().await.unwrap();
    let address = server.address();
    drop(server);
    assert!(TcpStream::connect(address).await.is_err());
}
