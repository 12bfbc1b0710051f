//! What comes over an app while something is done to it, step by step: who is in front is told by what is asked for anyway.

use std::{sync::Arc, time::Duration};

use agent_device_android::Android;
use agent_device_core::{
    Call, Device, Interactor as _,
    action::{Action, FieldState, Text, Touch},
    dispatch::{Row, rows::android_helper as rows},
    geometry::{Direction, Point, Rect},
    gesture::ScrollPlan,
};

use crate::{
    fill::{NAME, field},
    helper_golden::{DIALOG, VIEWPORT, done, follow_app, printed, reply, screen},
    peers::{Scripted, Step},
};

const APP: &str = "com.app";

/// The app with its one field, which has the focus.
fn app() -> String {
    format!(
        "<hierarchy rotation=\"0\"><node window-type=\"1\" window-active=\"true\" window-bounds=\"[0,0][90,90]\" \
         class=\"android.widget.FrameLayout\" package=\"{APP}\" bounds=\"[0,0][90,90]\"><node \
         class=\"android.widget.EditText\" resource-id=\"{NAME}\" focused=\"true\" editable=\"true\" \
         text=\"old\" bounds=\"[0,0][90,40]\" />{0}{0}</node></hierarchy>",
        format_args!(
            "<node class=\"android.widget.TextView\" package=\"{APP}\" text=\"a\" bounds=\"[0,40][90,60]\" />"
        )
    )
}

fn focus(title: &str) -> Vec<Step> {
    printed(&format!(
        "  mCurrentFocus=Window{{1a u0 {title}: {APP}}}\n  mFocusedApp=x\n"
    ))
}

fn viewport(number: u32, front: &str) -> Vec<Step> {
    let facts = format!("{VIEWPORT}activePackage={front}\n");
    done("viewport", number, &facts)
}

fn scroll() -> Action {
    let area = Rect::new(0.0, 0.0, 1000.0, 2000.0);
    Action::Scroll(ScrollPlan::new(Direction::Down, Default::default(), area, None, None).unwrap())
}

fn call() -> Call {
    Call::standalone(Duration::from_secs(10))
}

/// A device that has shown this, and follows these scripts from then on.
async fn shown(document: &str, scripts: Vec<Vec<Step>>) -> (Scripted, Arc<Android>, Device) {
    let scripts = [vec![screen(3, document)], scripts].concat();
    let (peer, android) = follow_app(scripts, Some(APP)).await;
    let android = Arc::new(android);
    let device = Device::new(Arc::clone(&android));
    device.snapshot().await.unwrap();
    (peer, android, device)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_that_falls_silent_under_a_scroll_is_opened_again() {
    let scripts = vec![
        done("gesture", 4, ""),
        viewport(5, "android"),
        focus("Application Not Responding"),
        screen(6, DIALOG),
        done("tap", 7, ""),
        screen(8, &app()),
        printed("package:com.app\n"),
        printed("priority=0\ncom.app/.Main\n"),
        printed("Starting: Intent { x }\nStatus: ok\nActivity: com.app/.Main\n"),
        viewport(9, APP),
    ];
    let (_peer, android, device) = shown(&app(), scripts).await;
    let error = device.perform(scroll()).await.unwrap_err();
    assert_eq!(error.reason(), Some("android_app_not_responding"));
    // The scroll, the dialog's button, the start.
    assert_eq!(error.dispatched_steps(), 3, "{error:?}");
    assert_eq!(error.row(), Some(rows::APP_REOPENED.row()));
    std::mem::forget(android);
}

/// The dialog was in front a moment ago, and looking at it is refused: a `no` that is not one for the scroll.
#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_is_refused_after_a_scroll_does_not_deny_the_scroll() {
    let begun = || vec![done("gesture", 4, ""), viewport(5, "android")];
    let refused = || {
        let text =
            "ok=false\nstarted=false\nerrorType=java.lang.IllegalStateException\nmessage=no\n";
        reply("snapshot", 6, text)
    };
    let silent = vec![focus("Application Not Responding"), refused()];
    let (_peer, android, device) = shown(&app(), [begun(), silent].concat()).await;
    let error = device.perform(scroll()).await.unwrap_err();
    assert!(!error.dispatched().is_no(), "{error:?}");
    assert_eq!(error.dispatched_steps(), 1, "{error:?}");
    std::mem::forget(android);

    // That it can't be told whose dialog it is fails nothing.
    let (_peer, android, _device) = shown(&app(), [begun(), vec![vec![]]].concat()).await;
    let call = call();
    let scrolled = android.perform(&scroll(), &call).await.unwrap();
    assert_eq!(scrolled.warnings, ["a dialog of the system is open"]);
    assert_eq!(call.ledger().steps(), 1);
    std::mem::forget(android);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_that_crashes_under_a_text_is_named() {
    let both = DIALOG.replace("</hierarchy>", &app()["<hierarchy rotation=\"0\">".len()..]);
    let both = both.replace("\"old\"", "\"new\"");
    let crash = || focus("Application Error");
    let typed = vec![done("text", 4, "activePackage=android\n"), crash()];
    let tapped = |settext: &str| {
        vec![
            done("tap", 4, ""),
            screen(5, &app()),
            done("settext", 6, settext),
        ]
    };
    let filled = [
        tapped("activePackage=com.app\n"),
        vec![screen(7, &both), crash()],
    ];
    let secret = "activePackage=android\nfieldPassword=true\nlengthAfter=3\n";
    let secret = [tapped(secret), vec![crash()]].concat();
    for (action, scripts, held) in [
        (Action::TypeText("x".into()), typed, None),
        (
            Action::Fill(field(), "new".into()),
            filled.concat(),
            Some(FieldState::Text("new".to_owned())),
        ),
        (
            Action::Fill(field(), Text::secret("new")),
            secret,
            Some(FieldState::Length(3)),
        ),
    ] {
        let (_peer, android, _device) = shown(&app(), scripts).await;
        let done = android.perform(&action, &call()).await;
        let done = done.unwrap_or_else(|error| panic!("{action:?}: {error:?}"));
        assert_eq!(
            done.warnings,
            ["the app has crashed: a dialog of the system says so"],
            "{action:?}"
        );
        assert_eq!(done.field, held);
        std::mem::forget(android);
    }
}

/// What has no target of its own would go to the dialog.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_done_to_the_dialog_about_a_crash_by_mistake() {
    for action in [scroll(), Action::TypeText("x".into())] {
        let scripts = vec![focus("Application Error")];
        let (_peer, android, device) = shown(DIALOG, scripts).await;
        let error = device.perform(action).await.unwrap_err();
        let row = error.row().map(Row::id);
        assert_eq!(row, Some(rows::BLOCKED_BY_DIALOG.row().id()), "{error:?}");
        assert!(error.dispatched().is_no(), "{error:?}");
        assert!(error.hint().contains("open it again"), "{}", error.hint());
        std::mem::forget(android);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_way_that_is_free_costs_nothing() {
    for (action, scripts) in [
        (scroll(), vec![done("gesture", 4, ""), viewport(5, APP)]),
        (
            Action::TypeText("x".into()),
            vec![done("text", 4, "activePackage=com.app\n")],
        ),
    ] {
        let asked = scripts.len();
        let (peer, android, _device) = shown(&app(), scripts).await;
        let before = peer.requests().len();
        let done = android.perform(&action, &call()).await.unwrap();
        assert_eq!(done.warnings, Vec::<&str>::new());
        // Each is the device and a service of it.
        assert_eq!(peer.requests().len() - before, asked * 2, "{action:?}");
        std::mem::forget(android);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_press_after_which_nobody_can_be_seen_says_so() {
    let press = Action::Tap(Touch {
        point: Point::new(10.0, 50.0),
        target: None,
    });
    let text = "ok=false\nstarted=false\nerrorType=java.lang.IllegalStateException\nmessage=no\n";
    let scripts = vec![done("tap", 4, ""), reply("viewport", 5, text)];
    let (_peer, android, _device) = shown(&app(), scripts).await;
    let pressed = android.perform(&press, &call()).await.unwrap();
    assert_eq!(
        pressed.warnings,
        ["whether the press led out of the app is not known"]
    );
    std::mem::forget(android);
}
