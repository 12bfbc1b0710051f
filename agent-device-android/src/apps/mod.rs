//! The apps of a device: what is installed, installing, permissions, opening and stopping. All of it by the device's shell, so
//! that it needs no helper.
//!
//! Whatever an app may notice goes out through [`mutate`], once. Each operation that sends such things ends in [`settled`]: it
//! may be called without a [`Device`](agent_device_core::Device), which else sees to it that nothing that was sent is denied.

mod front;
mod name;
mod open;
mod packages;
mod permission;
pub(crate) mod ports;

use std::{io, path::Path};

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    dispatch::{
        DispatchDisclosure as _, Effect, Verdict, disclose,
        rows::{android_adb as rows, core},
    },
    reason,
};

use crate::{
    Android,
    adb::{AdbDevice, ShellCommand, ShellOutput},
    install::{self, InstallMethod, InstallOptions},
};

pub(crate) use front::{Trouble, focused_title, troubled_app};
pub(crate) use name::{Entry, check_package, check_url, local_port};
pub use open::Opened;
pub use packages::AppKind;
pub use permission::Permission;
pub(crate) use ports::Ports;

/// The apps of one device.
///
/// # What is known about dispatch
///
/// Each operation is settled by what it has itself sent. What it asks beforehand (is the app there, which user is it) reaches
/// no app, so that a failure up to there is a `no`. Once a command of `am`, `pm` or `appops` went out, every failure is
/// `unknown`, with the number of those that landed before in `dispatched_steps`: also a refusal in words, because a package
/// manager that says no may have done a part.
///
/// [`Device::open_app`](agent_device_core::Device::open_app) and [`open`](Self::open) are the same operation, and so are
/// closing an app and [`stop`](Self::stop). The device's own also makes it the app under test, and what was sent is counted in
/// its request. Here it is counted in the ledger of `call`.
#[derive(Clone, Debug)]
pub struct Apps {
    device: AdbDevice,
}

impl Android {
    /// The apps of this device.
    pub fn apps(&self) -> Apps {
        Apps::of(self.adb())
    }
}

/// A command of the shell that the app may notice: the one place where such a thing goes out.
pub(crate) async fn mutate(
    device: &AdbDevice,
    command: &ShellCommand,
    call: &Call,
) -> Result<ShellOutput> {
    counted(device.shell(command, call), call).await
}

/// One send, and what became of it.
async fn counted<T>(work: impl Future<Output = Result<T>>, call: &Call) -> Result<T> {
    let guard = call.send();
    let result = work.await;
    match &result {
        Ok(_) => guard.landed(),
        Err(error) => match error.verdict() {
            Some(Verdict::No(row)) => guard.refused(row),
            _ => guard.uncertain(),
        },
    }
    result
}

/// Ends an operation by what it has sent itself: `call` is nested for it, for it may serve several.
fn settled<T>(
    call: &Call,
    work: impl Future<Output = Result<T>>,
) -> impl Future<Output = Result<T>> {
    // On the heap: operations are awaited deep in an action, and their futures are large.
    let work = Box::pin(work);
    async move {
        work.await
            .map_err(|error| disclose(Effect::Mutates, call.ledger(), error))
    }
}

/// Waits for something on this machine, as long as the call lasts. Nothing is sent meanwhile.
async fn bounded<T>(call: &Call, work: impl Future<Output = T>) -> Result<T> {
    let limited = tokio::time::timeout_at(call.deadline(), work);
    let over = match call.cancel().run_until_cancelled(limited).await {
        Some(Ok(done)) => return Ok(done),
        Some(Err(_)) => Error::refused(
            core::REFUSAL_DEADLINE_BEFORE_SEND,
            ErrorCode::CommandFailed,
            "the deadline of the request has passed",
        )
        .with_reason(reason::DEADLINE_EXCEEDED),
        None => Error::refused(
            core::REFUSAL_CANCELED_BEFORE_SEND,
            ErrorCode::CommandFailed,
            "the caller cancelled",
        )
        .with_reason(reason::REQUEST_CANCELED),
    };
    Err(over)
}

/// Opens a file of a known size. What is none, such as a pipe, would hold up whoever opens it.
async fn regular_file(path: &Path) -> io::Result<(tokio::fs::File, u64)> {
    let regular = |meta: std::fs::Metadata| {
        if meta.is_file() {
            Ok(meta.len())
        } else {
            Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is no regular file",
            ))
        }
    };
    regular(tokio::fs::metadata(path).await?)?;
    let file = tokio::fs::File::open(path).await?;
    let size = regular(file.metadata().await?)?;
    Ok((file, size))
}

impl Apps {
    /// The apps of this device.
    pub fn of(device: &AdbDevice) -> Self {
        Self {
            device: device.clone(),
        }
    }

    /// The packages of the apps, sorted.
    ///
    /// # Errors
    ///
    /// The device can't be reached or doesn't answer in time.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn list(&self, kind: AppKind, call: &Call) -> Result<Vec<String>> {
        packages::list(&self.device, kind, call).await
    }

    /// The package of the app that this name means: a package, or a part of one that only one app has.
    ///
    /// # Errors
    ///
    /// No app is meant (`APP_NOT_INSTALLED`) or several (`AMBIGUOUS_MATCH`, with `details.candidates`); the device can't be
    /// reached or doesn't answer in time.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn find(&self, name: &str, call: &Call) -> Result<String> {
        packages::resolve(&self.device, name, call).await
    }

    /// Installs an APK file of this machine.
    ///
    /// # Errors
    ///
    /// It is no regular file or can't be read (`no`); the device did not install it: [`InstallFailure::of`](crate::InstallFailure::of) names
    /// why, and `unknown` is all that is known of dispatch. An install that somebody has to confirm on the device's screen ends
    /// with a deadline.
    ///
    /// # Cancel safety
    ///
    /// The app may be installed or not.
    pub async fn install(
        &self,
        apk: impl AsRef<Path>,
        options: &InstallOptions,
        call: &Call,
    ) -> Result<InstallMethod> {
        let path = apk.as_ref();
        let unreadable = |source| {
            Error::invalid("apk", "the APK file can't be read")
                .with_detail("path", path.display().to_string())
                .with_source(source)
        };
        let opened = bounded(call, regular_file(path)).await?;
        let (file, size) = opened.map_err(unreadable)?;
        self.put(file, size, options, call).await
    }

    /// Installs an APK from memory.
    ///
    /// # Errors
    ///
    /// As [`install`](Self::install).
    ///
    /// # Cancel safety
    ///
    /// The app may be installed or not.
    pub async fn install_bytes(
        &self,
        apk: &[u8],
        options: &InstallOptions,
        call: &Call,
    ) -> Result<InstallMethod> {
        self.put(apk, apk.len() as u64, options, call).await
    }

    async fn put(
        &self,
        data: impl tokio::io::AsyncRead + Send + Unpin,
        size: u64,
        options: &InstallOptions,
        call: &Call,
    ) -> Result<InstallMethod> {
        let call = &call.nested();
        let work = install::install(&self.device, data, size, options, call);
        settled(call, counted(work, call)).await
    }

    /// Uninstalls an app, with its data.
    ///
    /// # Errors
    ///
    /// It is not installed (`no`), or the device did not uninstall it.
    ///
    /// # Cancel safety
    ///
    /// The app may be uninstalled or not.
    pub async fn uninstall(&self, package: &str, call: &Call) -> Result<()> {
        let call = &call.nested();
        settled(call, async {
            self.known(package, call).await?;
            let command = ShellCommand::new("pm")?.args(["uninstall", package])?;
            self.package_manager(&command, "the device did not uninstall the app", call)
                .await
        })
        .await
    }

    /// Stops an app and deletes its data, as if it had just been installed. Its permissions go with them.
    ///
    /// # Errors
    ///
    /// It is not installed (`no`), or the device did not clear it.
    ///
    /// # Cancel safety
    ///
    /// The app may be stopped, and cleared or not.
    pub async fn clear(&self, package: &str, call: &Call) -> Result<()> {
        let call = &call.nested();
        settled(call, async {
            self.known(package, call).await?;
            let stop = ShellCommand::new("am")?.args(["force-stop", package])?;
            mutate(&self.device, &stop, call).await?.checked(&stop)?;
            let command = ShellCommand::new("pm")?.args(["clear", package])?;
            self.package_manager(&command, "the device did not clear the app", call)
                .await
        })
        .await
    }

    async fn package_manager(
        &self,
        command: &ShellCommand,
        refusal: &'static str,
        call: &Call,
    ) -> Result<()> {
        let output = mutate(&self.device, command, call).await?;
        if install::says_success(&output) {
            Ok(())
        } else {
            Err(install::refused(refusal, &output))
        }
    }

    /// Opens an app by its package, its activity (`com.x/.Main`), a part of its package's name, or the word `settings`. Waits
    /// until it has drawn, 10 s at most: an app that draws nothing but is in front counts as opened.
    ///
    /// # Errors
    ///
    /// No app is meant, or several, or it is not installed, or the device did not answer these questions (`no`). After the
    /// start was sent, `unknown`: the device opened nothing, the app neither drew nor came to the front, or the connection
    /// was lost.
    ///
    /// # Cancel safety
    ///
    /// The app may be opened.
    pub async fn open(&self, app: &str, call: &Call) -> Result<Opened> {
        let call = &call.nested();
        settled(call, open::app(&self.device, app, call)).await
    }

    /// Opens a link, in the app of this package or in whatever opens such links. For an address of this machine the device gets
    /// a port that leads here; `ports` keeps it.
    pub(crate) async fn open_url(
        &self,
        url: &str,
        package: Option<&str>,
        ports: &Ports,
        call: &Call,
    ) -> Result<Opened> {
        let call = &call.nested();
        settled(call, open::url(&self.device, ports, url, package, call)).await
    }

    /// Stops an app, and waits until it is gone: no process, and not in front, seen twice.
    ///
    /// # Errors
    ///
    /// It is not installed (`no`), or it is still there after 4 s (`unknown`).
    ///
    /// # Cancel safety
    ///
    /// The app may be stopped.
    pub async fn stop(&self, package: &str, call: &Call) -> Result<()> {
        let call = &call.nested();
        settled(call, async {
            self.known(package, call).await?;
            let command = ShellCommand::new("am")?.args(["force-stop", package])?;
            mutate(&self.device, &command, call)
                .await?
                .checked(&command)?;
            front::await_gone(&self.device, package, call).await
        })
        .await
    }

    /// Whether a process of the app runs.
    ///
    /// # Errors
    ///
    /// The device can't be reached, doesn't answer in time, or doesn't tell which processes run.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn is_running(&self, package: &str, call: &Call) -> Result<bool> {
        check_package(package)?;
        let seen = front::look(&self.device, package, call).await?;
        let pids = seen.pids.ok_or_else(|| {
            Error::new(
                ErrorCode::CommandFailed,
                "the device does not tell which processes run",
            )
            .with_reason("android_processes_unknown")
        })?;
        Ok(!pids.is_empty())
    }

    /// The package of the app in front, if the device tells.
    ///
    /// # Errors
    ///
    /// The device can't be reached or doesn't answer in time.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn in_front(&self, call: &Call) -> Result<Option<String>> {
        Ok(front::look(&self.device, "android", call).await?.front)
    }

    /// Allows an app something, for the user who uses the device.
    ///
    /// # Errors
    ///
    /// The app is not installed or the current user can't be told (`no`); the app does not ask for this (`unknown`).
    ///
    /// # Cancel safety
    ///
    /// The permission may be changed or not.
    pub async fn grant(&self, package: &str, permission: &Permission, call: &Call) -> Result<()> {
        let call = &call.nested();
        settled(
            call,
            self.change("grant", "allow", package, permission, call),
        )
        .await?;
        Ok(())
    }

    /// Forbids an app something, for the user who uses the device. Android ends an app from which something is taken: `true`
    /// says that this one ran and does not any more.
    ///
    /// # Errors
    ///
    /// As [`grant`](Self::grant).
    ///
    /// # Cancel safety
    ///
    /// The permission may be changed or not, and the app ended.
    pub async fn revoke(
        &self,
        package: &str,
        permission: &Permission,
        call: &Call,
    ) -> Result<bool> {
        let call = &call.nested();
        settled(call, async {
            let ran = self.is_running(package, call).await?;
            self.change("revoke", "ignore", package, permission, call)
                .await?;
            // A look that fails after the change proves nothing about it.
            let runs = self.is_running(package, call).await.unwrap_or(false);
            Ok(ran && !runs)
        })
        .await
    }

    /// Takes a permission back in such a way that the app may ask for it again.
    ///
    /// # Errors
    ///
    /// As [`grant`](Self::grant).
    ///
    /// # Cancel safety
    ///
    /// The permission may be changed or not, and the app ended.
    pub async fn reset(&self, package: &str, permission: &Permission, call: &Call) -> Result<()> {
        let call = &call.nested();
        settled(call, async {
            let user = self.change("revoke", "default", package, permission, call);
            let (user, names) = user.await?;
            for name in &names {
                // Since Android 12; before, a revoked permission may be asked for anyway, so that its answer does not count.
                let clear = ShellCommand::new("pm")?.args([
                    "clear-permission-flags",
                    "--user",
                    &user,
                    package,
                    name,
                    "user-set",
                    "user-fixed",
                ])?;
                mutate(&self.device, &clear, call).await?;
            }
            Ok(())
        })
        .await
    }

    /// The user who uses the device: the owner, or a profile of work.
    ///
    /// # Errors
    ///
    /// The device can't be reached, doesn't answer in time or doesn't tell.
    ///
    /// # Cancel safety
    ///
    /// Safe: it only reads.
    pub async fn current_user(&self, call: &Call) -> Result<u32> {
        let command = ShellCommand::new("am")?.arg("get-current-user")?;
        let output = self.device.shell(&command, call).await?;
        output.stdout_text().trim().parse().map_err(|_| {
            Error::refused(
                rows::USER_UNKNOWN,
                ErrorCode::CommandFailed,
                "the device does not tell its current user",
            )
            .with_reason("android_user_unknown")
        })
    }

    async fn known(&self, package: &str, call: &Call) -> Result<()> {
        check_package(package)?;
        packages::installed(&self.device, package, call).await
    }

    async fn change(
        &self,
        verb: &str,
        mode: &str,
        package: &str,
        permission: &Permission,
        call: &Call,
    ) -> Result<(String, Vec<String>)> {
        if !permission.is_valid() {
            return Err(Error::invalid(
                "permission",
                "the name of the permission is none of Android's",
            ));
        }
        self.known(package, call).await?;
        let user = self.current_user(call).await?.to_string();
        let level = ShellCommand::new("getprop")?.arg("ro.build.version.sdk")?;
        let level = self.device.shell(&level, call).await?;
        let api = level.stdout_text().trim().parse().unwrap_or(0);
        let names = permission.names(api);
        let (mut changed, mut refusal) = (Vec::new(), None);
        for name in &names {
            let command = ShellCommand::new("pm")?.args([verb, "--user", &user, package, name])?;
            let output = mutate(&self.device, &command, call).await?;
            // One that the app does not ask for is refused; of a group one is enough. Old package managers print the failure
            // and end with 0: their words are all there is.
            let said = format!("{}{}", output.stdout_text(), output.stderr_text());
            if output.code == 0 && !said.contains("Exception") && !said.contains("Failure") {
                changed.push(name.clone().into_owned());
            } else {
                refusal = Some(output);
            }
        }
        if let (true, Some(output)) = (changed.is_empty(), refusal) {
            return Err(
                install::refused("the device did not change the permission", &output)
                    .with_detail("permissions", names)
                    .with_hint("The app's manifest must ask for the permission."),
            );
        }
        if let Some(operation) = permission.operation() {
            let command = ShellCommand::new("appops")?
                .args(["set", "--user", &user, package, operation, mode])?;
            mutate(&self.device, &command, call)
                .await?
                .checked(&command)?;
        }
        Ok((user, changed))
    }
}
