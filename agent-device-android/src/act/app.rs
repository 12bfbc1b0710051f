//! Opening and closing apps, by the device's shell.

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    action::{OpenTarget, Performed},
    dispatch::{DispatchDisclosure as _, Verdict, rows::android_helper as rows},
};

use crate::{
    adb::{ShellCommand, ShellOutput},
    backend::Memory,
    helper::Helper,
};

const MAIN: &str = "android.intent.action.MAIN";
const LAUNCHER: &str = "android.intent.category.LAUNCHER";

/// A command of the shell that the app may notice: the one place where such a thing goes out.
async fn mutate(helper: &Helper, command: &ShellCommand, call: &Call) -> Result<ShellOutput> {
    let guard = call.send();
    let result = helper.device.shell(command, call).await;
    match &result {
        Ok(_) => guard.landed(),
        Err(error) => match error.verdict() {
            Some(Verdict::No(row)) => guard.refused(row),
            _ => guard.uncertain(),
        },
    }
    result?.checked(command)
}

pub(super) async fn open(
    helper: &Helper,
    memory: &Memory,
    target: &OpenTarget,
    call: &Call,
) -> Result<Performed> {
    let command = match target {
        OpenTarget::App(package) => {
            check_package(package)?;
            installed(helper, package, call).await?;
            let start = ShellCommand::new("am")?.args(["start", "-W"])?;
            match entrance(helper, package, call).await? {
                Some(activity) => start.args(["-n", &activity])?,
                None => start.args(["-a", MAIN, "-c", LAUNCHER, "-p", package])?,
            }
        }
        OpenTarget::Url(url) => {
            if !url.contains(':') || url.starts_with('-') || url.chars().any(char::is_control) {
                return Err(Error::invalid("url", "the address is not an absolute URL"));
            }
            ShellCommand::new("am")?.args([
                "start",
                "-W",
                "-a",
                "android.intent.action.VIEW",
                "-d",
                url,
            ])?
        }
        _ => {
            return Err(Error::unsupported(
                agent_device_core::action::Operation::Open,
            ));
        }
    };
    let output = mutate(helper, &command, call).await?;
    // The command ends with 0 also when nothing was started.
    let text = format!("{}\n{}", output.stdout_text(), output.stderr_text());
    if let Some(line) = text.lines().find(|line| line.starts_with("Error:")) {
        return Err(
            Error::new(ErrorCode::CommandFailed, "the device opened nothing")
                .uncertain(rows::OPEN_FAILED)
                .with_reason("android_open_failed")
                .with_detail("printed", line.chars().take(500).collect::<String>())
                .with_hint("Check that an app on the device opens this."),
        );
    }
    if let OpenTarget::App(package) = target {
        memory.set_app(package);
    }
    Ok(Performed::new())
}

pub(super) async fn close(
    helper: &Helper,
    memory: &Memory,
    app: Option<&str>,
    call: &Call,
) -> Result<Performed> {
    let app = app
        .map(str::to_owned)
        .or_else(|| memory.app())
        .ok_or_else(|| Error::invalid("app", "no app was opened: name the one to close"))?;
    check_package(&app)?;
    installed(helper, &app, call).await?;
    let command = ShellCommand::new("am")?.args(["force-stop", &app])?;
    mutate(helper, &command, call).await?;
    Ok(Performed::new())
}

/// The activity by which an app is entered. Only a read is sent; devices before Android 7 don't know the question.
async fn entrance(helper: &Helper, package: &str, call: &Call) -> Result<Option<String>> {
    let ask = ShellCommand::new("cmd")?.args([
        "package",
        "resolve-activity",
        "--brief",
        "-a",
        MAIN,
        "-c",
        LAUNCHER,
        package,
    ])?;
    let output = helper.device.shell(&ask, call).await?;
    let text = output.stdout_text();
    let own = format!("{package}/");
    let found = text
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with(&own));
    Ok(found.map(str::to_owned))
}

/// Whether the package manager knows the app. Only a read is sent.
async fn installed(helper: &Helper, package: &str, call: &Call) -> Result<()> {
    let command = ShellCommand::new("pm")?.args(["path", package])?;
    let output = helper.device.shell(&command, call).await?;
    if output.stdout_text().contains("package:") {
        return Ok(());
    }
    Err(Error::refused(
        rows::APP_NOT_INSTALLED,
        ErrorCode::AppNotInstalled,
        "the app is not installed on the device",
    )
    .with_detail("app", package))
}

/// A package is words with dots between them.
fn check_package(package: &str) -> Result<()> {
    let word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_alphabetic())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let valid = package.len() <= 255 && package.contains('.') && package.split('.').all(word);
    if valid || package == "android" {
        Ok(())
    } else {
        Err(Error::invalid("app", "the name of the app is no package"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_told_from_an_option() {
        for good in ["com.example.app", "dev.agentdevice.fixture", "a.b_c"] {
            assert!(check_package(good).is_ok(), "{good}");
        }
        for bad in [
            "", "-n", "com", "com..x", ".com", "com.x/.Y", "com.x y", "com.1x",
        ] {
            assert!(check_package(bad).is_err(), "{bad}");
        }
    }
}
