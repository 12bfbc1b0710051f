//! The adb program in place of a socket, and answers that are larger than what is read: what is known of them.

use std::time::Duration;

use agent_device_android::{
    AdbConfig, Android, AndroidConfig, HelperInstall,
    adb::{AdbDevice, AdbServer, Endpoint, Remote, ShellCommand},
};
use agent_device_core::{
    Call, Error, Interactor as _, action::Screenshot, dispatch::rows::android_adb as rows,
};

use crate::{
    helper_golden::{READY, VIEWPORT, done, reply, service},
    peers::{Folder, Scripted, Step, fake_adb, okay},
};

fn call() -> Call {
    Call::standalone(Duration::from_secs(20))
}

fn by_program(folder: &Folder, script: &str) -> AdbDevice {
    let mut config = AdbConfig::default();
    config.program = Some(fake_adb(folder, script));
    let server = AdbServer::new(Endpoint::Program("localfilesystem:/x".into()), config);
    server.device("x").unwrap()
}

#[tokio::test]
async fn a_service_of_the_adb_program_reaches_no_app_and_a_command_may() {
    let folder = Folder::new("adb-services");
    let device = by_program(&folder, "echo 'cannot bind listener' >&2; exit 1");
    let server = device.server().clone();
    for (name, error) in [
        (
            "forward",
            device.forward(&Remote::Tcp(1), &call()).await.err(),
        ),
        ("reverse", device.reverse(1, 2, &call()).await.err()),
        ("reverses", device.reverses(&call()).await.err()),
        ("forwards", server.forwards(&call()).await.err()),
        ("devices", server.devices(&call()).await.err()),
        ("state", device.state(&call()).await.err()),
        (
            "connect",
            server.connect("192.0.2.1:1", &call()).await.err(),
        ),
    ] {
        let error = error.unwrap();
        assert_eq!(error.row(), Some(rows::HOST_SERVICE_FAILED.row()), "{name}");
        assert_eq!(error.detail("exitCode"), Some(&1.into()), "{name}");
    }
    let id = ShellCommand::new("id").unwrap();
    let error = device.exec(&id, &call()).await.unwrap_err();
    assert_eq!(error.row(), Some(rows::INPUT_TAP_FAILED.row()));
    let output = device.shell(&id, &call()).await.unwrap();
    let error = output.checked(&id).unwrap_err();
    assert_eq!(error.row(), Some(rows::INPUT_TAP_FAILED.row()));

    // One that hangs: a port may be there, and no app has noticed; a command may have run.
    let hung = by_program(&folder, "sleep 60");
    let short = || Call::standalone(Duration::from_millis(200));
    let error = hung.reverse(1, 2, &short()).await.unwrap_err();
    assert_eq!(error.row(), Some(rows::HOST_SERVICE_LOST.row()));
    let error = hung.exec(&id, &short()).await.unwrap_err();
    assert_eq!(error.row(), Some(rows::TIMEOUT_AFTER_REQUEST.row()));

    // Files need a socket: refused before anything is started.
    let error = hung.push(&b"x"[..], "/x", 0o644, &call()).await;
    assert!(error.unwrap_err().dispatched().is_no());
}

fn chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_be_bytes();
    [&length[..], kind, content, &[0; 4]].concat()
}

/// A picture of this size by the device's own program, for a helper that makes none.
async fn picture(size: usize, limit: usize) -> Result<Screenshot, Error> {
    let png = [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IDAT", &vec![7; size]),
        chunk(b"IEND", b""),
    ]
    .concat();
    let refused =
        "ok=false\nstarted=false\nerrorType=java.lang.IllegalStateException\nmessage=no\n";
    let mut config = AdbConfig::default();
    config.max_output = 1000;
    let peer = Scripted::start_with(
        vec![
            service(vec![
                okay(),
                Step::Send(crate::peers::frame(1, READY)),
                Step::Hang,
            ]),
            done("ping", 1, ""),
            done("viewport", 2, VIEWPORT),
            reply("screenshot", 3, refused),
            service(vec![okay(), Step::Send(png)]),
        ],
        config,
    )
    .await;
    let device = peer.server.device("x").unwrap().with_features("shell_v2");
    let mut config = AndroidConfig::default();
    config.install = HelperInstall::Never;
    config.max_picture = limit;
    let android = Android::connect(device, config).await.unwrap();
    let taken = android.screenshot(&call()).await;
    // Its last words would wait for a peer that goes with this runtime.
    std::mem::forget(android);
    taken
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_has_a_limit_of_its_own() {
    let size = 40_000;
    assert!(picture(size, 50_000).await.unwrap().png.len() > size);
    let error = picture(size, 30_000).await.unwrap_err();
    assert_eq!(error.reason(), Some("output_too_large"), "{error:?}");
    assert!(error.hint().contains("max_picture"), "{}", error.hint());
}
