//! Devices of the testbed: one of each API level for the whole process, brought up by the first test that needs it and lent
//! to one test at a time.

use std::{
    io::{PipeWriter, pipe},
    process::{Output, Stdio},
    time::{Duration, Instant},
};

use agent_device_android::adb::{AdbDevice, AdbServer};
use agent_device_core::Call;
use tokio::{
    process::Command,
    sync::{Mutex, MutexGuard, OnceCell},
};

use crate::peers::{at_root, skip};

/// A device that runs.
#[derive(Debug)]
struct Running {
    address: String,
    name: String,
    /// The device goes when this end of the pipe is closed. Statics are never dropped, but the kernel closes what a process
    /// holds, however the process ends. Nobody but us holds ours.
    leash: Option<PipeWriter>,
}

/// Nothing in here belongs to a runtime: each test has its own.
static LEVELS: [(u32, Mutex<Option<Running>>); 4] = [
    (23, Mutex::const_new(None)),
    (29, Mutex::const_new(None)),
    (34, Mutex::const_new(None)),
    (36, Mutex::const_new(None)),
];

/// A device as it is after a start, and nobody else's until this is dropped.
#[derive(Debug)]
pub(crate) struct TestbedDevice {
    pub(crate) address: String,
    name: String,
    _turn: MutexGuard<'static, Option<Running>>,
}

impl TestbedDevice {
    pub(crate) async fn up() -> Option<Self> {
        Self::up_at(34).await
    }

    /// One of this API level. `AGENT_DEVICE_TESTBED_DEVICE` names one that runs already: it is taken for its own level.
    pub(crate) async fn up_at(api: u32) -> Option<Self> {
        let (_, level) = LEVELS.iter().find(|(each, _)| *each == api)?;
        let mut turn = level.lock().await;
        if turn.is_none() {
            *turn = given(api).await;
        }
        // Whatever the last test did, failed tests included. A device that can't be put right makes way for another.
        if let Some(running) = &*turn {
            let started = Instant::now();
            let reset = device(&["reset", &running.name]).await;
            println!("device of API {api} reset in {:?}", started.elapsed());
            if !reset.status.success() {
                assert!(running.leash.is_some(), "not ours: {reset:?}");
                println!("another device of API {api}, since: {reset:?}");
                device(&["down", "--name", &running.name]).await;
                *turn = None;
            }
        }
        if turn.is_none() {
            *turn = start(api).await;
        }
        let Running { address, name, .. } = turn.as_ref()?;
        Some(Self {
            address: address.clone(),
            name: name.clone(),
            _turn: turn,
        })
    }

    /// The device at this server, ready for use.
    pub(crate) async fn on(&self, server: &AdbServer) -> AdbDevice {
        let call = Call::standalone(Duration::from_secs(30));
        server.connect(&self.address, &call).await.unwrap();
        let device = server.device(self.address.as_str()).unwrap();
        device.wait_for("device", &call).await.unwrap();
        device
    }

    /// Puts the device into an odd state: `device fault` with these words.
    pub(crate) async fn fault(&self, words: &[&str]) {
        let output = device(&[&["fault", &self.name], words].concat()).await;
        assert!(output.status.success(), "{words:?}: {output:?}");
    }
}

async fn device(words: &[&str]) -> Output {
    let mut command = Command::new(at_root("testbed/android/device"));
    command.args(words).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(Duration::from_secs(120), command.output()).await;
    output.expect("the testbed answers").unwrap()
}

/// The device that the caller of the tests has named, if it is of this level.
async fn given(api: u32) -> Option<Running> {
    static GIVEN: OnceCell<Option<(u32, String, String)>> = OnceCell::const_new();
    let find = async || {
        let address = std::env::var("AGENT_DEVICE_TESTBED_DEVICE").ok()?;
        let list = device(&["list"]).await;
        let list = String::from_utf8_lossy(&list.stdout).into_owned();
        let line = list.lines().find(|line| line.contains(&address));
        let name = line.and_then(|line| line.split(' ').next());
        let name = name.expect("the device is one of the testbed's").to_owned();
        let level = ["exec", &name, "getprop", "ro.build.version.sdk"];
        let level = device(&level).await;
        let level = String::from_utf8_lossy(&level.stdout).trim().parse();
        Some((level.unwrap(), address, name))
    };
    let (level, address, name) = GIVEN.get_or_init(find).await.clone()?;
    (level == api).then_some(Running {
        address,
        name,
        leash: None,
    })
}

async fn start(api: u32) -> Option<Running> {
    let api = api.to_string();
    let name = format!("tests-{}-{api}", std::process::id());
    let (stdin, leash) = pipe().unwrap();
    let mut up = Command::new(at_root("testbed/android/device"));
    up.args(["up", "--api", &api, "--name", &name, "--until-stdin-ends"])
        .stdin(stdin)
        .kill_on_drop(true);
    let up = tokio::time::timeout(Duration::from_secs(900), up.output()).await;
    let how = format!("root on Linux, then testbed/android/device prepare --api {api}");
    let Ok(Ok(up)) = up else {
        skip("android device", &how);
        return None;
    };
    let text = String::from_utf8_lossy(&up.stdout);
    let address = text
        .split("\"address\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let Some(address) = address.filter(|_| up.status.success()) else {
        println!("{}", String::from_utf8_lossy(&up.stderr));
        skip("android device", &how);
        return None;
    };
    println!("device of API {api} up: {}", text.trim());
    Some(Running {
        address: address.to_owned(),
        name,
        leash: Some(leash),
    })
}
