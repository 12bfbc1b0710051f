//! Filling, by the kind of the field.

use agent_device_core::{
    Error, Interactor as _, Result,
    action::{Action, FieldState, Performed, Text},
    dispatch::rows::{core, webdriver as rows},
    reason,
};
use agent_device_testbed::page::EventKind;
use serde_json::Value;

use crate::harness::*;

async fn fill(bench: &Bench, id: &str, text: impl Into<Text>) -> Result<Performed> {
    let snapshot = capture(&bench.browser).await;
    act(
        &bench.browser,
        Action::Fill(by_id(&snapshot, id), text.into()),
    )
    .await
}

async fn value(bench: &Bench) -> Value {
    bench.script("var it = document.getElementById('it'); return it.value === undefined ? it.textContent : it.value").await
}

/// Fills `it` and returns how it was done and what it holds by the page's own account.
async fn filled(bench: &Bench, html: &str, text: &str) -> (Performed, String) {
    bench.show(html).await;
    let performed = fill(bench, "it", text.to_owned())
        .await
        .unwrap_or_else(|error| panic!("{html}: {error:?}"));
    (
        performed,
        value(bench).await.as_str().unwrap_or_default().to_owned(),
    )
}

#[tokio::test]
async fn each_kind_of_field_is_filled_in_its_own_way() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let long = "0123456789".repeat(1000);
    for (html, text, method) in [
        ("<input id=it>", "plain", "element"),
        ("<input id=it value=old>", "new", "element"),
        ("<input id=it value=old>", "", "element"),
        (
            "<input id=it type=email value=a@b>",
            "c@d.example",
            "element",
        ),
        ("<input id=it type=number value=7>", "-12.5", "element"),
        (
            "<input id=it type=search value=x>",
            "日本語 😀 e\u{301} \u{202e}rtl",
            "element",
        ),
        (
            "<textarea id=it>old\ntext</textarea>",
            "two\nlines",
            "element",
        ),
        ("<textarea id=it></textarea>", "a\ttab", "script"),
        ("<textarea id=it></textarea>", &long, "script"),
        (
            "<div id=it contenteditable role=textbox aria-label=x>old <b>rich</b></div>",
            "new",
            "element",
        ),
        (
            "<div id=it contenteditable role=textbox aria-label=x>old</div>",
            "",
            "element",
        ),
        (
            "<input id=it type=date value=2020-01-01>",
            "2026-11-30",
            "script",
        ),
        ("<input id=it type=date value=2020-01-01>", "", "script"),
        ("<input id=it type=time>", "23:59", "script"),
        (
            "<input id=it type=datetime-local>",
            "2026-11-30T09:30",
            "script",
        ),
        ("<input id=it type=month>", "2026-11", "script"),
        ("<input id=it type=week>", "2026-W49", "script"),
        ("<input id=it type=color>", "#ff8800", "script"),
        ("<input id=it type=range min=0 max=10>", "7", "script"),
    ] {
        let (performed, holds) = filled(&bench, html, text).await;
        assert_eq!(holds, text, "{html}");
        assert_eq!(performed.method, Some(method), "{html}");
        assert_eq!(
            performed.field,
            Some(FieldState::Text(text.into())),
            "{html}"
        );
    }
    let choice = "<select id=it><option value=a>Apple<option value=b>Pear<option disabled value=c>Plum</select>";
    let (performed, holds) = filled(&bench, choice, "Pear").await;
    assert_eq!((performed.method, holds.as_str()), (Some("script"), "b"));
    assert_eq!(filled(&bench, choice, "b").await.1, "b");
}

#[tokio::test]
async fn what_a_field_can_t_hold_is_refused_before_anything_is_sent() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let choice = "<select id=it><option value=a>Apple<option disabled value=c>Plum</select>";
    for (html, text) in [
        ("<input id=it type=date>", "30.11.2026"),
        ("<input id=it type=color>", "red"),
        ("<input id=it type=range>", ""),
        ("<input id=it type=checkbox>", "on"),
        ("<input id=it type=radio>", "on"),
        ("<input id=it>", "two\nlines"),
        ("<input id=it>", "enter\u{e007}"),
        ("<input id=it type=file>", "relative.txt"),
        ("<input id=it type=file>", "/no/such/file"),
        ("<button id=it>It</button>", "text"),
        (choice, "Cherry"),
        (choice, "Plum"),
    ] {
        bench
            .show(&format!(
                "{html}<script>oninput = onchange = function () {{ log('text', 'any') }}</script>"
            ))
            .await;
        let error: Error = fill(&bench, "it", text.to_owned()).await.unwrap_err();
        assert!(error.dispatched().is_no(), "{html} {text}: {error:?}");
        assert!(
            bench.app.events().is_empty(),
            "{html} {text}: {:?}",
            bench.app.events()
        );
    }
}

#[tokio::test]
async fn a_page_that_restores_the_old_text_is_cleared_by_keys() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    // Like a controlled input: it takes what an input event brings, and puts back what it knows on every other change.
    let controlled = "<input id=it><script>
        var it = document.getElementById('it'), state = 'old'; it.value = state;
        it.addEventListener('input', function () { state = it.value });
        it.addEventListener('change', function () { it.value = state });
        it.addEventListener('focus', function () { it.value = state });
        it.addEventListener('blur', function () { it.value = state });
    </script>";
    let (performed, holds) = filled(&bench, controlled, "new").await;
    assert_eq!((performed.method, holds.as_str()), (Some("keys"), "new"));
    let (performed, holds) = filled(&bench, controlled, "").await;
    assert_eq!((performed.method, holds.as_str()), (Some("keys"), ""));
}

#[tokio::test]
async fn the_login_fields_of_the_app_hold_what_they_are_given() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.open("login").await;
    fill(&bench, "email", "anna@example.com").await.unwrap();
    let performed = fill(&bench, "phone", "5551234567").await.unwrap();
    assert_eq!(
        performed.field,
        Some(FieldState::Text("(555) 123-4567".into()))
    );
    let secret = "corr3ct-horse";
    let performed = fill(&bench, "password", Text::secret(secret))
        .await
        .unwrap();
    assert_eq!(performed.field, Some(FieldState::Length(secret.len())));
    let shown = format!("{performed:?} {:?}", bench.app.events());
    assert!(!shown.contains(secret));
    let performed = fill(&bench, "city", "").await.unwrap();
    assert_eq!(performed.field, Some(FieldState::Text(String::new())));
    let snapshot = capture(&bench.browser).await;
    act(&bench.browser, Action::Tap(by_id(&snapshot, "sign-in")))
        .await
        .unwrap();
    assert_eq!(bench.app.events_of(EventKind::Tap, "sign-in").len(), 1);
}

#[tokio::test]
async fn a_field_in_a_frame_is_filled() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench
        .app
        .serve("/inner", "<!doctype html><input id=inner value=old>");
    let cross = format!("{}/inner", bench.app.cross_origin());
    for url in ["/inner", &cross] {
        bench
            .show(&format!(
                "<iframe src='{url}' style='width:400px;height:200px'></iframe>"
            ))
            .await;
        // The frame loads after the document around it.
        let snapshot = loop {
            let snapshot = capture(&bench.browser).await;
            if snapshot
                .nodes()
                .any(|node| node.identifier() == Some("inner"))
            {
                break snapshot;
            }
        };
        let fill = Action::Fill(by_id(&snapshot, "inner"), "new".into());
        let performed = act(&bench.browser, fill).await.unwrap();
        assert_eq!(
            performed.field,
            Some(FieldState::Text("new".into())),
            "{url}"
        );
        let again = capture(&bench.browser).await;
        let field = again
            .nodes()
            .find(|node| node.identifier() == Some("inner"))
            .unwrap();
        assert_eq!(field.value(), Some("new"), "{url}");
        assert_eq!(again.info().app, snapshot.info().app);
        act(&bench.browser, Action::Focus(by_id(&again, "inner")))
            .await
            .unwrap();
        let typed = act(&bench.browser, Action::TypeText("er".into())).await;
        assert_eq!(typed.unwrap().method, Some("keys"), "{url}");
        let typed = capture(&bench.browser).await;
        let field = by_id(&typed, "inner").target.unwrap();
        assert_eq!(field.node().value(), Some("newer"), "{url}");
    }
}

#[tokio::test]
async fn a_file_is_chosen_by_its_path_and_never_pressed() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let file = std::env::temp_dir().join(format!("ad-choose-{}.txt", std::process::id()));
    std::fs::write(&file, "x").unwrap();
    bench
        .show("<input id=it type=file onchange=\"log('text', this.files[0].name)\">")
        .await;
    let snapshot = capture(&bench.browser).await;
    let error = act(&bench.browser, Action::Tap(by_id(&snapshot, "it")))
        .await
        .unwrap_err();
    assert!(error.dispatched().is_no());
    fill(&bench, "it", file.to_str().unwrap().to_owned())
        .await
        .unwrap();
    let name = file.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(bench.app.events_of(EventKind::Text, &name).len(), 1);
    std::fs::remove_file(&file).unwrap();
}

#[tokio::test]
async fn text_goes_where_the_focus_is_and_nowhere_else() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.show("<input id=it value=ab>").await;
    let error = act(&bench.browser, Action::TypeText("x".into()))
        .await
        .unwrap_err();
    assert_eq!(error.row().unwrap(), rows::TYPE_WITHOUT_FOCUS.row());
    let snapshot = capture(&bench.browser).await;
    act(&bench.browser, Action::Focus(by_id(&snapshot, "it")))
        .await
        .unwrap();
    act(&bench.browser, Action::TypeText("c😀".into()))
        .await
        .unwrap();
    assert_eq!(value(&bench).await, "abc😀");
    let sends = bench.browser.requests().mutations;
    act(&bench.browser, Action::Focus(by_id(&snapshot, "it")))
        .await
        .unwrap();
    assert_eq!(
        bench.browser.requests().mutations,
        sends,
        "it had the focus already"
    );
}

#[tokio::test]
async fn a_field_at_a_place_is_filled() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench
        .show("<input id=it value=old style='position:fixed;left:100px;top:100px'>")
        .await;
    let performed = act(&bench.browser, Action::Fill(at(120.0, 110.0), "new".into()))
        .await
        .unwrap();
    assert_eq!(performed.field, Some(FieldState::Text("new".into())));
    assert_eq!(value(&bench).await, "new");
    assert!(
        bench
            .browser
            .capabilities()
            .offers(agent_device_core::action::Operation::Fill)
    );
}

/// Fills `it` and returns the error, with no dialog left open.
async fn unfilled(bench: &Bench, html: &str, text: &str) -> Error {
    bench.show(html).await;
    let error = fill(bench, "it", text.to_owned()).await.unwrap_err();
    bench.dismiss_dialogs().await.unwrap();
    error
}

#[tokio::test]
async fn a_fill_that_was_cut_short_is_no_success() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let third = "if (this.value.length === 3)";
    for (html, text) in [
        (
            format!("<input id=it oninput=\"{third} alert('Stop')\">"),
            "abcdef",
        ),
        (
            format!("<input id=it oninput=\"{third} this.remove()\">"),
            "abcdef",
        ),
        (
            format!("<input id=it oninput=\"{third} this.outerHTML = '<p>Gone'\">"),
            "abcdef",
        ),
        (
            "<input id=it type=color oninput=\"this.oninput = null; alert('Stop')\">".to_owned(),
            "#ff8800",
        ),
    ] {
        let error = unfilled(&bench, &html, text).await;
        assert_eq!(error.row().unwrap(), core::FILL_UNVERIFIED.row(), "{html}");
        assert_eq!(error.reason(), Some(reason::FILL_UNVERIFIED), "{html}");
        assert!(!error.dispatched().is_no(), "{html}");
        let dialog = html.contains("alert").then(|| Value::from("Stop"));
        assert_eq!(error.detail("dialogText"), dialog.as_ref(), "{html}");
    }
    bench
        .show("<input style='position:fixed;left:100px;top:100px' oninput=\"this.oninput = null; alert('Stop')\">")
        .await;
    let fill = Action::Fill(at(120.0, 110.0), "new".into());
    let error = act(&bench.browser, fill).await.unwrap_err();
    bench.dismiss_dialogs().await.unwrap();
    assert_eq!(error.row().unwrap(), core::FILL_UNVERIFIED.row());
}

#[tokio::test]
async fn a_form_that_sends_itself_when_it_is_complete_has_been_filled() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    bench.app.serve("/sent", "<!doctype html><p>Thanks");
    let last = "if (this.value.length === 6)";
    let whole = FieldState::Text("123456".into());
    for (ends, states) in [
        // What is asked first, the old page or the new one, is not known.
        ("location = '/sent'", &[&FieldState::Unreadable, &whole][..]),
        (
            "document.body.innerHTML = '<p>Thanks'",
            &[&FieldState::Unreadable],
        ),
        (
            "this.outerHTML = '<p id=it>Thanks'",
            &[&FieldState::Unreadable],
        ),
        // A framework that renders anew.
        (
            "this.outerHTML = '<input id=it value=' + this.value + '>'",
            &[&whole],
        ),
    ] {
        bench
            .show(&format!("<body><input id=it oninput=\"{last} {ends}\">"))
            .await;
        let performed = fill(&bench, "it", "123456").await.unwrap();
        let state = performed.field.as_ref().unwrap();
        assert!(states.contains(&state), "{ends}: {state:?}");
        assert_eq!(
            performed.warnings.is_empty(),
            *state == whole,
            "{ends}: {performed:?}"
        );
    }
}

/// Types into `it`, which has the focus, and returns what is told beside the success. No dialog stays open.
async fn typed(bench: &Bench, html: &str, text: &str) -> Performed {
    bench
        .show(&format!(
            "{html}<script>document.getElementById('it').focus()</script>"
        ))
        .await;
    let performed = act(&bench.browser, Action::TypeText(text.into())).await;
    bench.dismiss_dialogs().await.unwrap();
    performed.unwrap_or_else(|error| panic!("{html}: {error:?}"))
}

#[tokio::test]
async fn typing_that_was_cut_short_says_so() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    for (html, told) in [
        (
            "<input id=it value=a oninput=\"this.oninput = null; alert('Stop')\">",
            "a dialog is open",
        ),
        (
            "<input id=it value=a oninput='this.remove()'>",
            "asked any more",
        ),
        ("<input id=it value=bcd readonly>", "does not hold"),
        (
            "<input id=it type=password value=a readonly>",
            "does not hold",
        ),
        (
            "<input id=it value=a oninput='this.readOnly = true'>",
            "does not hold",
        ),
        (
            "<div id=it tabindex=0 onkeydown=\"this.onkeydown = null; alert('Stop')\">It</div>",
            "a dialog is open",
        ),
    ] {
        let performed = typed(&bench, html, "bcd").await;
        let [warning] = &performed.warnings[..] else {
            panic!("{html}: {performed:?}")
        };
        assert!(warning.contains(told), "{html}: {warning}");
    }
    for (html, text) in [
        ("<input id=it value=a>", "bcd"),
        ("<input id=it type=password value=a>", "bcd"),
        ("<input id=it value=a>", "\n"),
        (
            "<input id=it oninput='this.value = this.value.toUpperCase()'>",
            "bcd",
        ),
        (
            "<input id=it oninput='this.value = \"+\" + this.value.match(/\\d/g).join(\" \")'>",
            "123",
        ),
        ("<div id=it tabindex=0>It</div>", "bcd"),
    ] {
        let performed = typed(&bench, html, text).await;
        assert!(performed.warnings.is_empty(), "{html}: {performed:?}");
    }
}

#[tokio::test]
async fn what_takes_keys_without_being_a_field_gets_them_once() {
    let Some(bench) = Bench::start().await else {
        return;
    };
    let logs = "onkeydown=\"log('text', event.key)\"";
    for (html, method) in [
        (format!("<input id=it {logs}>"), "element"),
        (
            format!("<div id=it contenteditable {logs}>x</div>"),
            "element",
        ),
        (format!("<div id=it tabindex=0 {logs}>It</div>"), "keys"),
        // As editors of code have it.
        (
            format!(
                "<textarea id=it style='width:0;height:0;padding:0;border:0' {logs}></textarea>"
            ),
            "keys",
        ),
    ] {
        let performed = typed(&bench, &html, "ab").await;
        assert_eq!(performed.method, Some(method), "{html}");
        for key in ["a", "b"] {
            assert_eq!(bench.app.events_of(EventKind::Text, key).len(), 1, "{html}");
        }
    }
}
