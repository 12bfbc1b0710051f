//! What decoding a hierarchy costs beside a bare scan of the same bytes: every event and every attribute, nothing kept; and what
//! reading it from a device costs beside the least that must be done: a blocking socket of one's own to the same adb server, the
//! same two requests, and that scan.
//!
//! For the second part `AGENT_DEVICE_BENCH_DEVICE` names a device of the adb server that the environment names. The device only
//! prints a file: what the helper itself takes is no part of it.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench that unwraps in vain has failed"
)]

use std::{
    fmt::Write as _,
    hint::black_box,
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use agent_device_android::{
    adb::{AdbServer, Endpoint, ShellCommand},
    hierarchy::{Facts, Limits, decode},
};
use agent_device_core::{Call, snapshot::CaptureOptions};
use criterion::{Criterion, criterion_group, criterion_main};
use quick_xml::{Reader, events::Event};

/// A screen as the helper writes it: a status bar, a keyboard and an app with a list of rows, each a group with a picture, two
/// texts, a field and a button.
fn screen(nodes: usize) -> String {
    let mut out = String::from(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">",
    );
    let mut count = 0;
    let mut window = |out: &mut String, kind: u32, package: &str, bounds: &str, leads: bool| {
        let _ = write!(
            out,
            "<node index=\"{count}\" window-index=\"{count}\" window-type=\"{kind}\" window-layer=\"{kind}\" window-active=\"{leads}\" \
             window-focused=\"{leads}\" window-bounds=\"{bounds}\" editable=\"false\" class=\"android.widget.FrameLayout\" \
             package=\"{package}\" visible-to-user=\"true\" drawing-order=\"0\" enabled=\"true\" selected=\"false\" \
             password=\"false\" bounds=\"{bounds}\">"
        );
        count += 1;
    };
    window(
        &mut out,
        2,
        "com.google.android.inputmethod.latin",
        "[0,1600][1080,2400]",
        false,
    );
    out.push_str("</node>");
    window(&mut out, 3, "com.android.systemui", "[0,0][1080,80]", false);
    out.push_str("</node>");
    window(&mut out, 1, "com.example.shop", "[0,0][1080,2400]", true);
    let _ = write!(
        out,
        "<node index=\"0\" editable=\"false\" class=\"androidx.recyclerview.widget.RecyclerView\" package=\"com.example.shop\" \
         resource-id=\"com.example.shop:id/list\" visible-to-user=\"true\" drawing-order=\"1\" enabled=\"true\" focusable=\"true\" \
         selected=\"false\" scrollable=\"true\" can-scroll-forward=\"true\" can-scroll-backward=\"false\" password=\"false\" \
         bounds=\"[0,80][1080,2400]\">"
    );
    let mut left = nodes.saturating_sub(4);
    let mut row = 0_i64;
    while left > 0 {
        let top = 80 + row * 160;
        let bounds = |x: i64, y: i64, w: i64, h: i64| {
            format!("[{},{}][{},{}]", x, top + y, x + w, top + y + h)
        };
        let node = |out: &mut String,
                    order: u32,
                    class: &str,
                    extra: &str,
                    bounds: &str,
                    leaf: bool| {
            let _ = write!(
                out,
                "<node index=\"{order}\" {extra} editable=\"{}\" class=\"{class}\" package=\"com.example.shop\" \
                 visible-to-user=\"true\" drawing-order=\"{order}\" enabled=\"true\" selected=\"false\" password=\"false\" \
                 bounds=\"{bounds}\"{}",
                class.ends_with("EditText"),
                if leaf { " />" } else { ">" }
            );
        };
        node(
            &mut out,
            u32::try_from(row % 1000).unwrap() + 1,
            "android.view.ViewGroup",
            "clickable=\"true\" focusable=\"true\"",
            &bounds(0, 0, 1080, 160),
            false,
        );
        left -= 1;
        let leaves = [
            ("android.widget.ImageView", format!("resource-id=\"com.example.shop:id/picture\" content-desc=\"Picture of article {row}\""), bounds(20, 20, 120, 120)),
            ("android.widget.TextView", format!("text=\"Article {row} &amp; more\" resource-id=\"com.example.shop:id/title\""), bounds(160, 20, 500, 60)),
            ("android.widget.TextView", format!("text=\"{row}.99 €\" resource-id=\"com.example.shop:id/price\""), bounds(160, 80, 300, 60)),
            ("android.widget.EditText", format!("text=\"{row}\" hint=\"Quantity\" hint-showing=\"false\" selection-start=\"1\" selection-end=\"1\" clickable=\"true\" focusable=\"true\" resource-id=\"com.example.shop:id/quantity\""), bounds(700, 20, 150, 120)),
            ("android.widget.Button", "text=\"Add to basket\" clickable=\"true\" focusable=\"true\" resource-id=\"com.example.shop:id/add\"".to_owned(), bounds(880, 20, 180, 120)),
        ];
        for (order, (class, extra, bounds)) in leaves.iter().enumerate().take(left) {
            node(
                &mut out,
                u32::try_from(order).unwrap() + 1,
                class,
                extra,
                bounds,
                true,
            );
        }
        left = left.saturating_sub(leaves.len());
        out.push_str("</node>");
        row += 1;
    }
    out.push_str("</node></node></hierarchy>");
    out
}

fn scan(document: &[u8]) -> usize {
    let text = std::str::from_utf8(document).unwrap();
    let mut reader = Reader::from_str(text);
    let mut attributes = 0;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(element) | Event::Empty(element) => {
                for attribute in element.attributes().with_checks(false) {
                    attributes += black_box(attribute.unwrap()).value.len().min(1);
                }
            }
            Event::Eof => return attributes,
            _ => {}
        }
    }
}

fn decoding(c: &mut Criterion) {
    for nodes in [500, 5000] {
        let document = screen(nodes).into_bytes();
        let read = |document: &[u8]| {
            decode(
                document,
                CaptureOptions::default(),
                &Facts::default(),
                &Limits::default(),
            )
            .unwrap()
        };
        let decoded = read(&document);
        assert_eq!(decoded.snapshot.len(), nodes);
        let turns = 200_000 / nodes;
        // Alternating, so that whatever else the machine does hits both alike.
        let (mut scans, mut decodes) = (Vec::new(), Vec::new());
        for _ in 0..turns {
            let start = Instant::now();
            black_box(scan(black_box(&document)));
            scans.push(start.elapsed());
            let start = Instant::now();
            black_box(read(black_box(&document)));
            decodes.push(start.elapsed());
        }
        scans.sort();
        decodes.sort();
        let at = |times: &[Duration], part: usize| times[times.len() / part].as_secs_f64();
        println!(
            "{nodes} nodes, {} kB: decode / scan = {:.2} at the median ({:.3} / {:.3} ms), {:.2} at the best tenth; {:?}; {} bytes a node, text included",
            document.len() / 1000,
            at(&decodes, 2) / at(&scans, 2),
            at(&decodes, 2) * 1e3,
            at(&scans, 2) * 1e3,
            at(&decodes, 10) / at(&scans, 10),
            decoded.occlusion,
            decoded.snapshot.memory() / nodes,
        );
        c.bench_function(&format!("scan of {nodes} nodes"), |b| {
            b.iter(|| scan(black_box(&document)))
        });
        c.bench_function(&format!("decode of {nodes} nodes"), |b| {
            b.iter(|| read(black_box(&document)))
        });
    }
}

/// Reads what a command prints, in the fewest steps that the adb server allows.
fn floor(port: u16, serial: &str, command: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_nodelay(true).unwrap();
    for request in [
        format!("host:transport:{serial}"),
        format!("exec:{command}"),
    ] {
        let request = format!("{:04x}{request}", request.len());
        stream.write_all(request.as_bytes()).unwrap();
        let mut status = [0; 4];
        stream.read_exact(&mut status).unwrap();
        assert_eq!(&status, b"OKAY");
    }
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    bytes
}

fn reading(_: &mut Criterion) {
    let Ok(serial) = std::env::var("AGENT_DEVICE_BENCH_DEVICE") else {
        println!("skipped: reading from a device: AGENT_DEVICE_BENCH_DEVICE names none");
        return;
    };
    let server = AdbServer::from_env().unwrap();
    let Endpoint::Tcp { port, .. } = *server.endpoint() else {
        panic!("the adb server has no port");
    };
    let device = server.device(serial.as_str()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    for nodes in [500, 5000] {
        let document = screen(nodes).into_bytes();
        let path = format!("/data/local/tmp/agent-device-bench-{nodes}");
        let call = Call::standalone(Duration::from_secs(300));
        let pushed = device.push(&document[..], &path, 0o644, &call);
        runtime.block_on(pushed).unwrap();
        let cat = ShellCommand::new("cat").unwrap().arg(&path).unwrap();
        let (mut floors, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..200 {
            let start = Instant::now();
            let bytes = floor(port, &serial, &format!("cat {path}"));
            black_box(scan(&bytes));
            floors.push(start.elapsed());
            assert_eq!(bytes.len(), document.len());
            let start = Instant::now();
            let bytes = runtime.block_on(device.exec(&cat, &call)).unwrap();
            let options = CaptureOptions::default();
            black_box(decode(&bytes, options, &Facts::default(), &Limits::default()).unwrap());
            ours.push(start.elapsed());
        }
        floors.sort();
        ours.sort();
        let at = |times: &[Duration], part: usize| times[times.len() / part].as_secs_f64();
        println!(
            "{nodes} nodes from a device: ours / floor = {:.2} at the median ({:.2} / {:.2} ms), {:.2} at the best tenth",
            at(&ours, 2) / at(&floors, 2),
            at(&ours, 2) * 1e3,
            at(&floors, 2) * 1e3,
            at(&ours, 10) / at(&floors, 10),
        );
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500));
    targets = decoding, reading
}
criterion_main!(benches);
