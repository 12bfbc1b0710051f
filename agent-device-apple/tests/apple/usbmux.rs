//! Phones on a cable, behind a daemon that speaks usbmuxd's protocol on a real socket, and phones in CoreDevice's tunnel.

use std::{
    io,
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use agent_device_apple::{Apple, AppleTarget, Platform};
use agent_device_core::Interactor as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream, UnixListener, UnixStream},
    task::JoinHandle,
};

use crate::{
    peers::{Folder, Tools, call, tap_at},
    scripted::{Act, Scripted, failed},
};

/// The daemon. Frames as in usbmuxd's `usbmuxd-proto.h`; every port of the phone leads to one address.
pub(crate) struct Daemon {
    folder: Folder,
    plugged: Arc<AtomicBool>,
    /// What a Connect is answered with, if it is not done.
    result: Arc<AtomicU32>,
    task: JoinHandle<()>,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Daemon {
    pub(crate) fn start(serial: &str, behind: SocketAddr) -> Self {
        let folder = Folder::new();
        let listener = UnixListener::bind(folder.path().join("usbmuxd")).unwrap();
        let plugged = Arc::new(AtomicBool::new(true));
        let result = Arc::<AtomicU32>::default();
        let task = {
            let (plugged, serial) = (Arc::clone(&plugged), serial.to_owned());
            let result = Arc::clone(&result);
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    let (plugged, serial) = (Arc::clone(&plugged), serial.clone());
                    let result = Arc::clone(&result);
                    tokio::spawn(async move {
                        let _ = serve(stream, &serial, &plugged, &result, behind).await;
                    });
                }
            })
        };
        Self {
            folder,
            plugged,
            result,
            task,
        }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("usbmuxd")
    }

    /// From now on a Connect is answered with this number, and nothing else happens.
    fn refuse(&self, number: u32) {
        self.result.store(number, Ordering::SeqCst);
    }

    pub(crate) fn plug(&self, is_in: bool) {
        self.plugged.store(is_in, Ordering::SeqCst);
    }
}

fn entry(id: u32, serial: &str, kind: &str) -> String {
    format!(
        "<dict><key>DeviceID</key><integer>{id}</integer><key>MessageType</key><string>Attached</string><key>Properties</key><dict>\
         <key>ConnectionType</key><string>{kind}</string><key>DeviceID</key><integer>{id}</integer><key>SerialNumber</key>\
         <string>{serial}</string></dict></dict>"
    )
}

async fn serve(
    mut stream: UnixStream,
    serial: &str,
    plugged: &AtomicBool,
    result: &AtomicU32,
    behind: SocketAddr,
) -> io::Result<()> {
    loop {
        let mut header = [0; 16];
        stream.read_exact(&mut header).await?;
        let word = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().unwrap());
        assert_eq!((word(4), word(8)), (1, 8), "version and type of the frame");
        let mut payload = vec![0; usize::try_from(word(0)).unwrap() - 16];
        stream.read_exact(&mut payload).await?;
        let text = String::from_utf8(payload).unwrap();
        let value = |key: &str| {
            let rest = text.split_once(&format!("<key>{key}</key>"))?.1;
            let (_, rest) = rest.split_once('>')?;
            Some(rest.split_once('<')?.0.to_owned())
        };
        let is_there = plugged.load(Ordering::SeqCst);
        let (body, connected) = match value("MessageType").as_deref() {
            Some("ListDevices") => {
                let other = entry(7, "ffff", "USB") + &entry(8, serial, "Network");
                let own = if is_there {
                    entry(9, &serial.replace('-', ""), "USB")
                } else {
                    String::new()
                };
                (
                    format!("<key>DeviceList</key><array>{other}{own}</array>"),
                    None,
                )
            }
            Some("Connect") => {
                assert_eq!(value("DeviceID").as_deref(), Some("9"));
                let port: u16 = value("PortNumber").unwrap().parse().unwrap();
                assert_ne!(port.swap_bytes(), 0);
                let refused = result.load(Ordering::SeqCst);
                let upstream = if is_there && refused == 0 {
                    TcpStream::connect(behind).await.ok()
                } else {
                    None
                };
                let number = match (&upstream, refused) {
                    (Some(_), _) => 0,
                    (None, 0) => 3,
                    (None, number) => number,
                };
                let result = format!(
                    "<key>MessageType</key><string>Result</string><key>Number</key><integer>{number}</integer>"
                );
                (result, upstream)
            }
            other => panic!("{other:?}"),
        };
        let plist = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>{body}</dict></plist>"
        );
        let length = u32::try_from(16 + plist.len()).unwrap();
        let mut frame: Vec<u8> = [length, 1, 8, 1]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        frame.extend_from_slice(plist.as_bytes());
        stream.write_all(&frame).await?;
        if let Some(mut upstream) = connected {
            tokio::io::copy_bidirectional(&mut stream, &mut upstream).await?;
            return Ok(());
        }
    }
}

fn phone(udid: &str) -> AppleTarget {
    AppleTarget::Device {
        platform: Platform::Ios,
        udid: udid.to_owned(),
    }
}

#[tokio::test]
async fn a_phone_on_a_cable_is_driven_and_shown_the_token() {
    let runner = Scripted::start(|_, _, _| None).await;
    let daemon = Daemon::start("00008110-001A2B3C", runner.address);
    let tools = Tools::new("exec sleep 600");
    let mut config = tools.config();
    config.usbmux_socket = daemon.socket();
    let phone = Apple::connect(phone("00008110-001A2B3C"), config)
        .await
        .unwrap();
    phone.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
    assert_eq!(runner.requests("tap").len(), 1);
    let bearer = |head: &String| head.to_lowercase().contains("authorization: bearer ");
    assert!(runner.heads().iter().all(bearer), "{:?}", runner.heads());
    phone.close().await;
    assert_eq!(runner.requests("shutdown").len(), 1);
}

#[tokio::test]
async fn a_phone_without_a_cable_is_reached_through_the_tunnel() {
    let runner = Scripted::start(|command, _, _| {
        (command == "tap").then(|| Act::Reply(failed("RUNNER_BUSY")))
    })
    .await;
    // The tunnel's address is that of the machine itself here, and the runner says its port.
    let tools = Tools::new(&crate::peers::says_port(runner.address.port()));
    tools.xcrun(&says_address("127.0.0.1"));
    let mut config = tools.config();
    config.usbmux_socket = "/nowhere/usbmuxd".into();
    let phone = Apple::connect(phone("X"), config).await.unwrap();
    // Until the runner has said its port, nobody listens, and the address is asked for again.
    let asked = || tools.calls().matches("info details").count();
    let before = asked();
    let error = phone.perform(&tap_at(1.0, 1.0), &call()).await.unwrap_err();
    assert!(error.dispatched().is_no(), "{error:?}");
    assert!(before > 0);
    assert_eq!(asked(), before, "the address is remembered");
}

/// The form of `devicectl device info details --json-output`, by the keys that its JSON has (Xcode 15).
fn says_address(address: &str) -> String {
    format!(
        "while [ $# -gt 0 ]; do [ \"$1\" = --json-output ] && file=$2; shift; done\n\
         echo '{{\"info\":{{\"outcome\":\"success\"}},\"result\":{{\"connectionProperties\":{{\"tunnelIPAddress\":\"{address}\",\
         \"tunnelState\":\"connected\"}}}}}}' > \"$file\""
    )
}

#[tokio::test]
async fn a_phone_whose_address_has_changed_keeps_its_runner() {
    let runner = Scripted::start(|_, _, _| None).await;
    let port = runner.address.port();
    let behind = runner.address;
    let before = TcpListener::bind(("127.0.0.2", port)).await.unwrap();
    let tunnel = tokio::spawn(async move {
        while let Ok((mut stream, _)) = before.accept().await {
            let mut upstream = TcpStream::connect(behind).await.unwrap();
            tokio::io::copy_bidirectional(&mut stream, &mut upstream)
                .await
                .unwrap();
        }
    });
    let tools = Tools::new(&crate::peers::says_port(port));
    tools.xcrun(&says_address("127.0.0.2"));
    let mut config = tools.config();
    config.usbmux_socket = "/nowhere/usbmuxd".into();
    let phone = Apple::connect(phone("X"), config.clone()).await.unwrap();
    tunnel.abort();
    let _ = tunnel.await;
    // The tool takes longer than the question whether the runner is there may.
    tools.xcrun(&format!("sleep 0.6\n{}", says_address("127.0.0.1")));
    assert!(config.preflight_timeout < Duration::from_millis(600));
    phone.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
    assert_eq!((phone.starts(), runner.requests("tap").len()), (1, 1));
}

#[tokio::test]
async fn a_start_on_a_phone_that_is_not_there_ends_soon_and_one_that_is_away_for_a_moment_is_waited_for()
 {
    let runner = Scripted::start(|_, _, _| None).await;
    let daemon = Daemon::start("X", runner.address);
    let tools = Tools::new("exec sleep 600");
    tools.xcrun("exit 1");
    let mut config = tools.config();
    config.usbmux_socket = daemon.socket();
    let connect = || Apple::connect(phone("X"), config.clone());
    daemon.plug(false);
    let error = connect().await.unwrap_err();
    assert_eq!(
        error.reason(),
        Some("usbmux_device_unattached"),
        "{error:?}"
    );
    assert!(error.dispatched().is_no());
    let launched = || tools.calls().matches("test-without-building").count();
    let back = async {
        while launched() < 2 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        daemon.plug(true);
    };
    let (phone, ()) = tokio::join!(connect(), back);
    phone.unwrap();
}

#[tokio::test]
async fn a_connection_that_the_daemon_refuses_carried_nothing() {
    let runner = Scripted::start(|_, _, _| None).await;
    let daemon = Daemon::start("U", runner.address);
    let tools = Tools::new("exec sleep 600");
    let mut config = tools.config();
    config.usbmux_socket = daemon.socket();
    config.startup_timeout = Duration::from_millis(800);
    let phone = Apple::connect(phone("U"), config).await.unwrap();
    // 2: the device is not attached any more; 3: nobody listens at its port; 5: a number that nobody has told us of.
    for (number, reason) in [(2, Some("usbmux_device_unattached")), (3, None), (5, None)] {
        daemon.refuse(number);
        let error = phone.perform(&tap_at(1.0, 1.0), &call()).await.unwrap_err();
        assert!(error.dispatched().is_no(), "{number}: {error:?}");
        if reason.is_some() {
            assert_eq!(error.reason(), reason, "{error:?}");
        }
        daemon.refuse(0);
        phone.perform(&tap_at(1.0, 1.0), &call()).await.unwrap();
    }
    assert_eq!(runner.requests("tap").len(), 3);
}
