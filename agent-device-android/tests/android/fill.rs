//! Filling a field, step by step, against a helper that follows a script: what went out before something failed is counted
//! exactly, and what the field holds is told as the device tells it.

use std::sync::Arc;

use agent_device_core::{
    Call, Device, Interactor as _, Role, Snapshot,
    action::{Action, FieldState, Target, Text, Touch},
    geometry::{Point, Rect},
    snapshot::{CaptureOptions, Flag, Quality, SnapshotBuilder, SnapshotInfo, TextField},
};

use crate::{
    helper_golden::{done, follow, reply, screen, service},
    peers::{Step, okay},
};

/// The field that is meant.
pub(crate) fn field() -> Touch {
    let mut tree = SnapshotBuilder::new(CaptureOptions::default());
    tree.root(Role::TextField)
        .unwrap()
        .bounds(Rect::new(0.0, 0.0, 100.0, 40.0))
        .text(TextField::Identifier, "com.app:id/name")
        .flag(Flag::Editable, true);
    let snapshot: Snapshot = tree.finish(SnapshotInfo::new("x", Quality::healthy("x")));
    let id = snapshot.nodes().next().unwrap().id();
    Touch {
        point: Point::new(10.0, 20.0),
        target: Target::new(Arc::new(snapshot), id),
    }
}

/// A screen whose field `id` has the focus and shows this.
pub(crate) fn focused(id: &str, attributes: &str) -> String {
    format!(
        "<hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" bounds=\"[0,0][90,90]\"><node \
         class=\"android.widget.EditText\" resource-id=\"{id}\" focused=\"true\" editable=\"true\" {attributes} \
         bounds=\"[0,0][100,40]\" /></node></hierarchy>"
    )
}

/// A keyboard with a field of its own that has the focus, over an app.
fn in_keyboard() -> String {
    format!(
        "<hierarchy rotation=\"0\"><node window-type=\"2\" class=\"android.widget.FrameLayout\" bounds=\"[0,50][90,90]\"><node \
         class=\"android.widget.EditText\" resource-id=\"com.keys:id/search\" focused=\"true\" editable=\"true\" \
         bounds=\"[0,50][90,60]\" /></node><node window-type=\"1\" class=\"android.widget.FrameLayout\" \
         bounds=\"[0,0][90,90]\"><node class=\"android.widget.EditText\" resource-id=\"{NAME}\" editable=\"true\" \
         bounds=\"[0,0][100,40]\" /></node></hierarchy>"
    )
}

pub(crate) const NAME: &str = "com.app:id/name";

fn refused(action: &str, number: u32) -> Vec<Step> {
    let text = "ok=false\nstarted=false\nerrorType=java.lang.IllegalStateException\nmessage=no\n";
    reply(action, number, text)
}

fn captured(action: &str, number: u32) -> Vec<Step> {
    let text = "ok=false\nstarted=false\nerrorType=ImeCaptureException\nmessage=no\n";
    reply(action, number, text)
}

fn failed(action: &str, number: u32) -> Vec<Step> {
    let text = "ok=false\nstarted=true\nerrorType=java.lang.IllegalStateException\nmessage=no\n";
    reply(action, number, text)
}

fn lost() -> Vec<Step> {
    service(vec![okay(), Step::Line, Step::Reset])
}

/// A name, what the device answers, and what the failure says: whether it is a no, after how many steps, and why.
type Row = (&'static str, Vec<Vec<Step>>, bool, u32, &'static str);

#[tokio::test(flavor = "multi_thread")]
async fn what_went_out_before_a_fill_failed_is_counted() {
    let tap = || done("tap", 3, "");
    let look = |number| screen(number, &focused(NAME, "text=\"old\""));
    let elsewhere = |number| screen(number, &focused("com.app:id/other", "text=\"\""));
    let never: Vec<_> = (4..60).map(elsewhere).collect();
    let table: Vec<Row> = vec![
        (
            "the focus tap is refused",
            vec![refused("tap", 3)],
            true,
            0,
            "android_helper_refused",
        ),
        (
            "the focus tap fails",
            vec![failed("tap", 3)],
            false,
            0,
            "android_helper_failed",
        ),
        (
            "the focus tap is lost",
            vec![lost()],
            false,
            0,
            "android_helper_lost",
        ),
        (
            "the focus goes elsewhere: a search field of the keyboard, another field",
            [vec![tap()], never].concat(),
            false,
            1,
            "text_entry_focus_not_observed",
        ),
        (
            "the focus goes to the keyboard's own field",
            vec![tap(), screen(4, &in_keyboard())],
            false,
            1,
            "ime_capture",
        ),
        (
            "the text is refused",
            vec![tap(), look(4), refused("settext", 5)],
            false,
            1,
            "android_helper_refused",
        ),
        (
            "a field of the keyboard takes the focus just before the text",
            vec![tap(), look(4), captured("settext", 5)],
            false,
            1,
            "ime_capture",
        ),
        (
            "the text fails",
            vec![tap(), look(4), failed("settext", 5)],
            false,
            1,
            "android_helper_failed",
        ),
        (
            "the text is lost",
            vec![tap(), look(4), lost()],
            false,
            1,
            "android_helper_lost",
        ),
    ];
    for (name, scripts, no, steps, reason) in table {
        let (_peer, android) = follow(scripts).await;
        let android = Arc::new(android);
        let device = Device::new(Arc::clone(&android));
        let fill = device.perform(Action::Fill(field(), "new".into()));
        let error = fill.await.unwrap_err();
        let said = (
            error.dispatched().is_no(),
            error.dispatched_steps(),
            error.reason(),
        );
        assert_eq!(said, (no, steps, Some(reason)), "{name}: {error:?}");
        // Its last words would wait for a peer that goes with this runtime.
        std::mem::forget(android);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_field_holds_is_told_as_the_device_tells_it() {
    let text = |text: &str| Some(FieldState::Text(text.to_owned()));
    let table: Vec<(&str, Text, &str, &str, Option<FieldState>)> = vec![
        ("exactly", "new".into(), "", "text=\"new\"", text("new")),
        (
            "formatted",
            "5551".into(),
            "",
            "text=\"555-1\"",
            text("555-1"),
        ),
        (
            "kept as it was",
            "new".into(),
            "",
            "text=\"old\"",
            text("old"),
        ),
        (
            "emptied: the hint shows",
            "".into(),
            "",
            "text=\"Name\" hint=\"Name\" hint-showing=\"true\"",
            text(""),
        ),
        (
            "emptied: a value that reads like the hint is no hint",
            "".into(),
            "",
            "text=\"Name\" hint=\"Name\" hint-showing=\"false\"",
            text("Name"),
        ),
        (
            "a secret: only how much",
            Text::secret("new"),
            "fieldPassword=true\nlengthAfter=3\n",
            "password=\"true\" text=\"•••\"",
            Some(FieldState::Length(3)),
        ),
        (
            "a secret whose length is not told",
            Text::secret("new"),
            "fieldPassword=true\n",
            "password=\"true\" text=\"•••\"",
            Some(FieldState::Unreadable),
        ),
    ];
    for (name, wanted, facts, shown, held) in table {
        let action = if wanted.expose().is_empty() {
            "clear"
        } else {
            "settext"
        };
        let mut scripts = vec![
            done("tap", 3, ""),
            screen(4, &focused(NAME, "text=\"old\"")),
            done(action, 5, facts),
        ];
        // A value counts when it was seen twice, or when it is the one that was wanted; the old one not before its time is over.
        scripts.extend((6..60).map(|number| screen(number, &focused(NAME, shown))));
        let (_peer, android) = follow(scripts).await;
        let call = Call::standalone(std::time::Duration::from_secs(10));
        let fill = Action::Fill(field(), wanted);
        let performed = android.perform(&fill, &call).await.unwrap();
        assert_eq!(performed.field, held, "{name}: {performed:?}");
        assert_eq!(call.ledger().steps(), 2, "{name}");
        std::mem::forget(android);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_needs_a_field_with_the_focus() {
    let (_peer, android) = follow(vec![refused("text", 3)]).await;
    let android = Arc::new(android);
    let device = Device::new(Arc::clone(&android));
    let error = device.type_text("x").await.unwrap_err();
    assert!(error.dispatched().is_no(), "{error:?}");
    assert_eq!(error.dispatched_steps(), 0);
    std::mem::forget(android);
}

/// A field that its app renders itself, after a while.
#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_is_drawn_late_is_waited_for() {
    let shows = |number, text: &str| screen(number, &focused(NAME, &format!("text=\"{text}\"")));
    let mut scripts = vec![done("tap", 3, ""), shows(4, "old"), done("settext", 5, "")];
    scripts.extend((6..11).map(|number| shows(number, "old")));
    scripts.push(shows(11, "new"));
    let (_peer, android) = follow(scripts).await;
    let call = Call::standalone(std::time::Duration::from_secs(10));
    let fill = Action::Fill(field(), "new".into());
    let performed = android.perform(&fill, &call).await.unwrap();
    assert_eq!(performed.field, Some(FieldState::Text("new".to_owned())));
    std::mem::forget(android);
}
