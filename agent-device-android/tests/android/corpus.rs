//! Trees of real apps and devices, as their authors published them: every file decodes to as many nodes as it has, or is an
//! error of a known kind. Then the same files cut and damaged.

use std::{collections::BTreeMap, fs, path::PathBuf};

use agent_device_android::{
    adb::DeviceState,
    hierarchy::{DecodeError, Decoded, Facts, Limits, decode},
};
use agent_device_core::{
    Role, Snapshot,
    snapshot::{CaptureOptions, Flag, TextField},
};

use crate::peers::say_once;

/// How the permission prompt marks a name of the other direction.
const BIDI: &str = "\u{200e}\u{202b}";

fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    if folder.is_dir() {
        return Some(folder);
    }
    // No peer but a set of files that not every checkout has beside it.
    say_once("skipped: corpus: put captures into ../shared/corpus");
    None
}

fn files() -> Option<BTreeMap<String, Vec<u8>>> {
    let entries = fs::read_dir(folder()?.join("android")).unwrap();
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    };
    Some(entries.map(|entry| file(entry.unwrap())).collect())
}

fn read(document: &[u8]) -> Result<Decoded, DecodeError> {
    decode(
        document,
        CaptureOptions::default(),
        &Facts::default(),
        &Limits::default(),
    )
}

/// Nodes and depth of each file, by the table of the corpus.
fn table() -> Option<BTreeMap<String, (usize, usize)>> {
    let text = fs::read_to_string(folder()?.join("README.md")).unwrap();
    let android = text.split("## ios").next().unwrap();
    let row = |line: &str| {
        // The third column may hold an escaped bar.
        let line = line.replace("\\|", "/");
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let name = cells.get(1)?.to_string();
        let nodes = cells.get(5)?.parse().ok()?;
        let depth = cells.get(6)?.parse().ok()?;
        Some((name, (nodes, depth)))
    };
    Some(android.lines().filter_map(row).collect())
}

fn depth(snapshot: &Snapshot) -> usize {
    snapshot
        .nodes()
        .map(|node| usize::from(node.depth()) + 1)
        .max()
        .unwrap_or_default()
}

#[test]
fn every_capture_has_the_nodes_that_its_author_saw() {
    let (Some(files), Some(table)) = (files(), table()) else {
        return;
    };
    assert!(files.len() >= 62 && table.len() == files.len());
    for (name, bytes) in &files {
        let (nodes, levels) = table[name];
        let decoded = match read(bytes) {
            Ok(decoded) => decoded,
            Err(error) => {
                assert_eq!(
                    (name.as_str(), error),
                    ("maestro_studio_screen.json", DecodeError::NoHierarchy)
                );
                continue;
            }
        };
        let snapshot = &decoded.snapshot;
        // The table counts the hierarchy itself.
        assert_eq!(snapshot.len(), nodes - 1, "{name}");
        if levels > 0 {
            assert_eq!(depth(snapshot), levels - 1, "{name}");
        }
        assert!(!snapshot.info().truncated, "{name}");
        // 16 bytes for each level of detail is the node's own size; the text is a part of the document.
        assert!(snapshot.memory() <= bytes.len() + 160 * 2 * nodes, "{name}");
        let bounded = snapshot.nodes().filter(|node| node.bounds().is_some());
        assert_eq!(
            bounded.count(),
            snapshot.len(),
            "{name}: every node has its place"
        );
        let classless = snapshot.nodes().filter(|node| node.native_type().is_none());
        assert_eq!(classless.count(), 0, "{name}");
        let view = snapshot.view().to_string();
        assert!(decoded.counts.meaningful == 0 || !view.is_empty(), "{name}");
    }
}

#[test]
fn what_is_special_about_a_capture_survives() {
    let Some(files) = files() else { return };
    let snapshot = |name: &str| read(&files[name]).unwrap().snapshot;
    let has = |snapshot: &Snapshot, text: &str| {
        let fields = [TextField::Label, TextField::Value, TextField::Description];
        snapshot.nodes().any(|node| {
            fields.iter().any(|field| {
                node.text_field(*field)
                    .is_some_and(|found| found.contains(text))
            })
        })
    };
    let login = snapshot("dump_rn_login_password.xml");
    let secret = login.nodes().find(|node| node.is(Flag::Secure)).unwrap();
    assert_eq!(secret.role(), Role::SecureTextField);
    assert_eq!(secret.value(), None);
    assert!(has(
        &snapshot("appium_webview_privacy_bad_utf8.xml"),
        "\u{fffd}"
    ));
    assert!(has(&snapshot("dump_latex_zh.xml"), "\\"));
    assert!(has(&snapshot("dump_chat_terminal_paste.xml"), "\r\n"));
    assert!(has(&snapshot("dump_flutter_catalog.xml"), "\n"));
    assert!(has(&snapshot("dump_permission_prompt_bidi.xml"), BIDI));
    let longest = snapshot("dump_chat_terminal_paste.xml");
    let longest = longest
        .nodes()
        .filter_map(|node| node.label().map(str::len))
        .max();
    assert!(
        longest.unwrap() > 10_000,
        "an attribute of 18 kB is one text"
    );
    let switches = snapshot("dump_samsung_appear_on_top.xml");
    let boxes = switches.nodes().filter(|node| node.checked().is_some());
    assert!(boxes.count() >= 3);
    assert!(snapshot("dump_facebook_reel_hi.xml").info().app.is_some());
    assert_eq!(snapshot("u2_calendar_month.xml").info().app, None);
}

#[test]
fn a_document_that_was_cut_is_an_error_wherever_it_was_cut() {
    let Some(files) = files() else { return };
    for name in [
        "appium_almost_empty.xml",
        "dump_permission_prompt_bidi.xml",
        "u2_minidom_huawei.xml",
        "dump_trailing_tty_line.xml",
        "dump_launcher_480x800.xml",
    ] {
        let bytes = &files[name];
        let end = b"</hierarchy>";
        let whole = bytes
            .windows(end.len())
            .position(|window| window == end)
            .unwrap()
            + end.len();
        for cut in 0..bytes.len() {
            match read(&bytes[..cut]) {
                Ok(_) => assert!(
                    cut >= whole,
                    "{name}: a part was taken for the whole at {cut}"
                ),
                Err(DecodeError::NoHierarchy | DecodeError::CutShort { .. }) => {
                    assert!(cut < whole)
                }
                Err(error) => panic!("{name} at {cut}: {error}"),
            }
        }
    }
}

/// Small and the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).unwrap()
    }
}

#[test]
fn damaged_documents_never_panic_and_never_grow() {
    let Some(files) = files() else { return };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (name, bytes) in &files {
        for _ in 0..12 {
            let mut damaged = bytes.clone();
            for _ in 0..=random.next(20) {
                let at = random.next(damaged.len());
                match random.next(5) {
                    0 => damaged[at] = u8::try_from(random.next(256)).unwrap(),
                    1 => damaged[at] = b"<>\"'=&/ \0"[random.next(9)],
                    2 => drop(
                        damaged.drain(
                            at..(at + random.next(40))
                                .min(bytes.len())
                                .min(damaged.len())
                                .max(at),
                        ),
                    ),
                    3 => damaged.extend_from_within(at..(at + 200).min(damaged.len())),
                    _ => damaged[at] ^= 1 << random.next(8),
                }
            }
            let Ok(decoded) = read(&damaged) else {
                continue;
            };
            let snapshot = decoded.snapshot;
            // A lost byte may become a replacement of three.
            assert!(
                snapshot.memory() <= 4 * damaged.len() + 400 * snapshot.len() + 1024,
                "{name}"
            );
            for options in [
                CaptureOptions::regular(),
                CaptureOptions::interactive(),
                CaptureOptions::raw(),
            ] {
                snapshot.view_as(&options).to_string();
            }
        }
    }
}

#[tokio::test]
async fn outputs_of_adb_devices_are_read_as_they_come() {
    use agent_device_core::Call;
    let Some(folder) = folder() else { return };
    let mut lists = BTreeMap::new();
    for entry in fs::read_dir(folder.join("adb")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if !name.starts_with("adb_devices_") {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap();
        let peer = crate::peers::Scripted::start(vec![vec![
            crate::peers::Step::Request,
            crate::peers::okay_text(&text),
        ]])
        .await;
        let call = Call::standalone(std::time::Duration::from_secs(5));
        lists.insert(name, peer.server.devices(&call).await.unwrap());
    }
    let count = |name: &str| lists[&format!("adb_devices_{name}.txt")].len();
    assert_eq!(count("garbage"), 0);
    assert_eq!(count("usb_and_tcp"), 2);
    assert_eq!(count("long_mixed"), 7);
    assert_eq!(count("devpath_no_colon"), 1);
    let mixed = &lists["adb_devices_server_mismatch.txt"];
    assert_eq!(mixed.len(), 2);
    assert_eq!(mixed[0].state, DeviceState::Unauthorized);
    assert_eq!(mixed[1].model.as_deref(), Some("MyModel"));
}
