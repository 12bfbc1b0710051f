//! The Apple parts: the simulated runner on any machine, and what only a Mac can prove, as a report to attach.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use crate::{cargo_path, peer, quickstart, root};

const FIXTURE: &str = "org.example.proving-ground";
/// What the runner is built for beside the simulator that it is run on.
const OTHERS: [&str; 4] = [
    "generic/platform=tvOS Simulator",
    "generic/platform=visionOS Simulator",
    "platform=macOS",
    "generic/platform=iOS",
];
const PROJECT: &str = "runner-swift/Xcode/AgentDeviceRunner.xcodeproj";

// --- the demo ----------------------------------------------------------------------------------------------------------------

/// The quickstart on the simulated runner.
pub(crate) fn demo() -> Result<(), String> {
    // It ends with this process, whatever ends that.
    let mut child = Command::new(root().join("runner-swift/runner-sim"))
        .arg("--until-stdin-ends")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("runner-sim can't be started: {error}"))?;
    let shown = ports(&mut child)
        .ok_or_else(|| {
            "runner-sim did not start; it needs root on Debian to build Swift's root".to_owned()
        })
        .and_then(|(runner, control)| quickstart(&format!("apple:{runner}:{control}")));
    let _ = child.kill();
    let _ = child.wait();
    shown
}

/// The ports of the runner and of its app, which it says on standard error. The first start builds it.
fn ports(child: &mut Child) -> Option<(u16, u16)> {
    let mut lines = BufReader::new(child.stderr.take()?).lines();
    let (mut runner, mut control) = (None, None);
    while let Some(Ok(line)) = lines.next() {
        let port = |mark: &str| line.rsplit_once(mark)?.1.trim().parse::<u16>().ok();
        control = control.or(port("AGENT_DEVICE_RUNNER_SIM_CONTROL_PORT="));
        runner = runner.or(port("AGENT_DEVICE_RUNNER_PORT="));
        if let (Some(runner), Some(control)) = (runner, control) {
            // What it says later is of no interest, and must not fill the pipe.
            std::thread::spawn(move || lines.for_each(drop));
            return Some((runner, control));
        }
    }
    None
}

/// The quickstart on a booted simulator of this Mac, through the real runner.
pub(crate) fn demo_on(udid: &str) -> Result<(), String> {
    require_xcode()?;
    let run: Runs<'_> = &mut |command| run_within(command, minutes(20));
    build_fixture(run)?;
    install_fixture(udid, run)?;
    let port = launch_fixture(udid, run)?;
    quickstart(&format!("apple:{udid}:{port}"))
}

// --- the way to a simulator --------------------------------------------------------------------------------------------------

/// How a command is run.
type Runs<'a> = &'a mut dyn FnMut(&mut Command) -> Result<(), String>;

const fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

/// The same as `run`, for tools that may hang.
fn run_within(command: &mut Command, limit: Duration) -> Result<(), String> {
    command.current_dir(root());
    eprintln!("> {command:?}");
    let mut child = command
        .spawn()
        .map_err(|error| format!("{command:?} can't be started: {error}"))?;
    match end_within(&mut child, limit).map_err(|error| error.to_string())? {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(format!("{command:?} failed: {status}")),
        None => Err(format!("{command:?} did not end within {limit:?}")),
    }
}

/// How a process ended. `None`: it did not, and was killed.
fn end_within(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// What a short question to a tool is answered with.
fn told_by(command: &mut Command) -> std::io::Result<String> {
    let mut child = command
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let stdout = child.stdout.take();
    // Read beside the wait, so that a full pipe doesn't hold the tool up.
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        stdout.map(|mut stdout| stdout.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    });
    match end_within(&mut child, minutes(1))? {
        Some(_) => Ok(reader.join().unwrap_or_default()),
        None => Err(std::io::ErrorKind::TimedOut.into()),
    }
}

fn require_xcode() -> Result<(), String> {
    match ["xcrun", "xcodebuild"]
        .iter()
        .find(|tool| !peer::on_path(tool))
    {
        None => Ok(()),
        Some(tool) => Err(format!(
            "a simulator needs a Mac with Xcode 16 or newer: {tool} is not on PATH"
        )),
    }
}

fn work_folder() -> PathBuf {
    root().join("target/apple-verify")
}

fn simctl(arguments: &[&str]) -> Command {
    let mut command = Command::new("xcrun");
    command.arg("simctl").args(arguments);
    command
}

fn build_fixture(run: Runs<'_>) -> Result<(), String> {
    run(Command::new("xcodebuild")
        .args([
            "build",
            "-project",
            PROJECT,
            "-scheme",
            "AgentDeviceFixture",
        ])
        .args(["-destination", "generic/platform=iOS Simulator"])
        .args([
            "ONLY_ACTIVE_ARCH=YES",
            "CODE_SIGNING_ALLOWED=NO",
            "-derivedDataPath",
        ])
        .arg(work_folder().join("fixture")))
}

/// The runner for a kind of device that no test of the report runs on: that it compiles and links is all that is proven.
fn build_runner(destination: &str, run: Runs<'_>) -> Result<(), String> {
    run(Command::new("xcodebuild")
        .args([
            "build-for-testing",
            "-project",
            PROJECT,
            "-scheme",
            "AgentDeviceRunner",
        ])
        .args(["-destination", destination])
        .args([
            "ONLY_ACTIVE_ARCH=YES",
            "CODE_SIGNING_ALLOWED=NO",
            "-derivedDataPath",
        ])
        .arg(work_folder().join("runner")))
}

fn install_fixture(udid: &str, run: Runs<'_>) -> Result<(), String> {
    let app =
        work_folder().join("fixture/Build/Products/Debug-iphonesimulator/AgentDeviceFixture.app");
    run(simctl(&["install", udid]).arg(app))
}

/// Starts the app with a port for tests, and waits until it answers there.
fn launch_fixture(udid: &str, run: Runs<'_>) -> Result<u16, String> {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map_err(|error| error.to_string())?
        .port();
    // simctl hands variables with this prefix on to the app, without it.
    run(
        simctl(&["launch", "--terminate-running-process", udid, FIXTURE])
            .env("SIMCTL_CHILD_AGENT_DEVICE_FIXTURE_PORT", port.to_string()),
    )?;
    let end = Instant::now() + Duration::from_secs(30);
    while !answers(port) {
        if Instant::now() > end {
            return Err(format!("the fixture app does not answer on port {port}"));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(port)
}

/// Whether the app tells its events there.
fn answers(port: u16) -> bool {
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.write_all(b"GET /events HTTP/1.1\r\nHost: app\r\n\r\n")?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply)?;
        Ok(reply)
    };
    ask().is_ok_and(|reply| reply.starts_with("HTTP/1.1 200") && reply.contains("\"events\""))
}

// --- the report --------------------------------------------------------------------------------------------------------------

/// Proves on a Mac what no other machine can: that the runner and the fixture app build, that XCTest, its private calls and
/// UIKit behave as declared, and that the backend conforms through them. Prints a report, and fails if anything in it did.
pub(crate) fn verify(udid: Option<&str>) -> Result<(), String> {
    require_xcode()?;
    fs::create_dir_all(work_folder()).map_err(|error| error.to_string())?;
    let mut report = Report::default();
    report.versions();
    report.step("The Swift package passes its tests", minutes(30), |run| {
        run(Command::new("swift").args(["test", "--package-path", "runner-swift"]))
    });
    for destination in OTHERS {
        let title = format!("Xcode builds the runner for {destination}");
        report.step(&title, minutes(20), |run| build_runner(destination, run));
    }
    let built = report.step("Xcode builds the fixture app", minutes(20), build_fixture);
    let udid = match udid {
        Some(udid) => Some(udid.to_owned()),
        None => first_iphone(),
    };
    let booted = udid.as_deref().and_then(|udid| {
        let boot = |run: Runs<'_>| run(&mut simctl(&["bootstatus", udid, "-b"]));
        report
            .step(&format!("Simulator {udid} boots"), minutes(5), boot)
            .map(|()| udid)
    });
    let port = built.zip(booted).and_then(|((), udid)| {
        report.step("The fixture app is installed", minutes(3), |run| {
            install_fixture(udid, run)
        })?;
        report.step(
            "It starts and answers beside the runner",
            minutes(3),
            |run| launch_fixture(udid, run),
        )
    });
    if let (Some(udid), Some(port)) = (booted, port) {
        let title = "Xcode builds the runner, the backend conforms through it, faults included, and the simulator's \
            accessibility server is read without XCTest";
        report.step(title, minutes(90), |run| {
            run(Command::new(cargo_path())
                .args(["test", "--package", "agent-device-apple", "--test", "apple"])
                // One device: one test at a time.
                .args(["--", "simulator::", "--nocapture", "--test-threads=1"])
                .env("RUST_BACKTRACE", "0")
                .env("AGENT_DEVICE_APPLE_UDID", udid)
                .env("AGENT_DEVICE_FIXTURE_PORT", port.to_string()))
        });
    }
    report.finish(udid.is_some())
}

/// An iPhone that is booted, or else any.
fn first_iphone() -> Option<String> {
    let list = told_by(&mut simctl(&["list", "devices", "available"])).ok()?;
    pick_iphone(&list)
}

/// Of lines such as `    iPhone 16 (6A8A2F7C-0D3B-4C55-9D3E-111111111111) (Shutdown)`. A name may hold parentheses too.
fn pick_iphone(list: &str) -> Option<String> {
    let number = |line: &str| {
        let is_number = |word: &&str| {
            word.len() == 36
                && word
                    .bytes()
                    .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
        };
        line.split(['(', ')']).find(is_number).map(str::to_owned)
    };
    let phones = || {
        list.lines()
            .filter(|line| line.trim_start().starts_with("iPhone"))
    };
    let booted = phones().find(|line| line.contains("(Booted)"));
    booted.or_else(|| phones().next()).and_then(number)
}

/// What was found, as Markdown.
#[derive(Default)]
struct Report {
    text: String,
    failed: u32,
    steps: u32,
}

impl Report {
    fn versions(&mut self) {
        self.text.push_str("# agent-device on a Mac\n\n```text\n");
        let tools: [&[&str]; 5] = [
            &["git", "rev-parse", "HEAD"],
            &["sw_vers"],
            &["xcodebuild", "-version"],
            &["swift", "--version"],
            &["xcrun", "simctl", "list", "runtimes"],
        ];
        for tool in tools {
            let said = told_by(Command::new(tool[0]).args(&tool[1..]))
                .unwrap_or_else(|error| format!("{error}\n"));
            self.text.push_str(&format!("$ {}\n{said}", tool.join(" ")));
        }
        self.text.push_str("```\n\n");
    }

    /// Runs a step with its output in a file of its own, whose end is in the report if it fails. Each of its commands may take
    /// as long as `limit`.
    fn step<Found>(
        &mut self,
        title: &str,
        limit: Duration,
        body: impl FnOnce(Runs<'_>) -> Result<Found, String>,
    ) -> Option<Found> {
        self.steps += 1;
        eprintln!("{}. {title}", self.steps);
        let log = work_folder().join(format!("step-{}.log", self.steps));
        let began = Instant::now();
        let mut run_logged = |command: &mut Command| {
            let file = fs::File::create(&log).map_err(|error| error.to_string())?;
            let same = file.try_clone().map_err(|error| error.to_string())?;
            run_within(
                command.stdin(Stdio::null()).stdout(file).stderr(same),
                limit,
            )
        };
        let outcome = body(&mut run_logged);
        let seconds = began.elapsed().as_secs();
        match outcome {
            Ok(found) => {
                self.text
                    .push_str(&format!("- passed: {title} ({seconds} s)\n"));
                Some(found)
            }
            Err(why) => {
                self.failed += 1;
                let said = fs::read(&log).unwrap_or_default();
                let said = String::from_utf8_lossy(&said);
                let lines: Vec<&str> = said.lines().collect();
                let end = lines[lines.len().saturating_sub(30)..].join("\n");
                self.text.push_str(&format!(
                    "- **failed**: {title} ({seconds} s): {why}\n\n```text\n{end}\n```\n\n"
                ));
                None
            }
        }
    }

    /// Prints it and keeps it.
    fn finish(mut self, had_simulator: bool) -> Result<(), String> {
        if !had_simulator {
            self.failed += 1;
            self.text
                .push_str("- **failed**: `xcrun simctl list devices available` names no iPhone\n");
        }
        let file = work_folder().join("report.md");
        fs::write(&file, &self.text).map_err(|error| error.to_string())?;
        println!("{}", self.text);
        eprintln!("the report is in {}", file.display());
        if self.failed == 0 {
            Ok(())
        } else {
            Err(format!("{} of it did not hold", self.failed))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_hangs_is_ended_and_told() {
        let short = Duration::from_millis(200);
        let began = Instant::now();
        let error = run_within(Command::new("sleep").arg("600"), short).unwrap_err();
        assert!(error.contains("did not end within"), "{error}");
        assert!(began.elapsed() < Duration::from_secs(20));
        assert!(run_within(&mut Command::new("true"), minutes(1)).is_ok());
        let error = run_within(&mut Command::new("false"), minutes(1)).unwrap_err();
        assert!(error.contains("failed"), "{error}");
        let told = told_by(Command::new("seq").arg("100000")).unwrap();
        assert!(told.ends_with("99999\n100000\n"));
    }

    const LIST: &str = "== Devices ==\n-- iOS 18.2 --\n    iPad Pro (11-inch) (00000000-0000-4000-8000-000000000001) (Booted)\n    \
        iPhone SE (3rd generation) (00000000-0000-4000-8000-000000000002) (Shutdown) \n    \
        iPhone 16 (00000000-0000-4000-8000-000000000003) (Booted) \n";

    #[test]
    fn a_booted_iphone_is_preferred_and_an_ipad_is_none() {
        assert_eq!(
            pick_iphone(LIST).as_deref(),
            Some("00000000-0000-4000-8000-000000000003")
        );
        let none_booted = LIST.replace("000003) (Booted)", "000003) (Shutdown)");
        assert_eq!(
            pick_iphone(&none_booted).as_deref(),
            Some("00000000-0000-4000-8000-000000000002")
        );
        assert_eq!(pick_iphone("== Devices ==\n"), None);
    }
}
