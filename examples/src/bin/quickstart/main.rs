//! The main job in a page of code: sign in, wait for a late button, and see what a lost reply discloses.
//!
//! `cargo xtask demo` runs it on the simulated device, `cargo xtask demo chromium` on a real browser, `cargo xtask
//! demo android` on the testbed's device or on a phone, `cargo xtask demo apple` on the simulated runner or on a simulator.

use std::time::{Duration, Instant};

use agent_device_core::{
    Device, Dispatched, Result,
    selector::{id, label},
    text::FillCheck,
};

mod stage;
use stage::Stage;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let stage =
        match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [] | ["--device", "sim"] => Stage::simulated(),
            ["--device", "chromium"] => Stage::chromium().await?,
            ["--device", "android"] => Stage::android(None).await?,
            ["--device", device] if device.starts_with("android:") => {
                Stage::android(device.strip_prefix("android:")).await?
            }
            ["--device", device] if device.starts_with("apple:") => {
                Stage::apple(device.trim_start_matches("apple:")).await?
            }
            _ => return Err(
                "usage: quickstart [--device sim|chromium|android[:SERIAL]|apple:RUNNER:CONTROL]"
                    .into(),
            ),
        };
    let device = stage.device();

    stage.open("login").await?;
    sign_in(&device).await?;

    stage.open("late").await?;
    wait_for_the_late_button(&device).await?;

    stage.open("counter").await?;
    stage.lose_the_next_reply();
    press_once_whatever_happens(&device).await?;
    let taps = stage.taps("counter").await?;
    println!("  the app's own log: {taps} tap(s)");

    stage.close().await?;
    if taps == 1 {
        Ok(())
    } else {
        Err(format!("one press was asked for, and the app's own log has {taps}").into())
    }
}

/// Fill clears, types and verifies. A press resolves its target, guards it and taps once.
async fn sign_in(device: &Device) -> Result<()> {
    println!("sign in");
    let clock = Instant::now();
    let email = device.locate(id("email")).fill("anna@example.org").await?;
    step("fill email", clock, verdict(email.fill));
    let clock = Instant::now();
    let password = device.locate(id("password")).fill("correct horse").await?;
    step("fill password", clock, verdict(password.fill));
    let clock = Instant::now();
    let pressed = device.locate(label("Sign in")).press().await?;
    step(
        "press Sign in",
        clock,
        &format!("at {:.0},{:.0}", pressed.point.x, pressed.point.y),
    );
    let welcome = device
        .locate(id("welcome"))
        .wait(Duration::from_secs(5))
        .await?;
    println!("  {}", welcome.text);
    Ok(())
}

/// A scripted press waits for its target, and for nothing else.
async fn wait_for_the_late_button(device: &Device) -> Result<()> {
    println!("a button that is not there yet");
    let clock = Instant::now();
    if let Err(error) = device.locate(label("Continue")).press().await {
        step(
            "press at once",
            clock,
            &format!("{} (dispatched: {})", error, error.dispatched().as_str()),
        );
    }
    let clock = Instant::now();
    let pressed = device
        .locate(label("Continue"))
        .press()
        .ready_within(Duration::from_secs(2))
        .await?;
    let polls = pressed.readiness.map_or(1, |readiness| readiness.polls);
    step("press when ready", clock, &format!("after {polls} looks"));
    device
        .locate(label("Done"))
        .wait(Duration::from_secs(5))
        .await?;
    Ok(())
}

/// The rule for every failure: resend on `no`, look first on `unknown`.
async fn press_once_whatever_happens(device: &Device) -> Result<()> {
    println!("a reply that gets lost");
    let clock = Instant::now();
    let Err(error) = device.locate(id("counter")).press().await else {
        step("press", clock, "it landed: the device could be asked");
        return Ok(());
    };
    step("press", clock, &format!("{error}"));
    match error.dispatched() {
        Dispatched::No(proof) => {
            println!(
                "  dispatched: no ({}): safe to press again",
                proof.row().id()
            );
            device.locate(id("counter")).press().await?;
        }
        Dispatched::Unknown => {
            println!("  dispatched: unknown: look before pressing again");
            let counter = device.locate(id("counter"));
            let text = counter.wait(Duration::from_secs(10)).await?.text;
            if text.ends_with('0') {
                println!("  the screen says {text:?}: it did not land, so press again");
                counter.press().await?;
            } else {
                println!("  the screen says {text:?}: it landed, no second press");
            }
        }
    }
    Ok(())
}

fn verdict(check: Option<FillCheck>) -> &'static str {
    match check {
        Some(FillCheck::Verified) => "the field holds it",
        Some(FillCheck::Reformatted) => "the app reformatted it",
        Some(FillCheck::Unobserved) | None => "the field can't be read",
    }
}

fn step(what: &str, clock: Instant, result: &str) {
    println!(
        "  {what:<18} {:>5} ms  {result}",
        clock.elapsed().as_millis()
    );
}
