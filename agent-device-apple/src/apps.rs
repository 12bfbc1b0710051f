//! The apps of a device: what is installed, installing, data, permissions. All of it by Xcode's tools, so that it needs no
//! runner.

use std::path::Path;

use agent_device_core::{
    Call, Error, ErrorCode, Result,
    dispatch::{Effect, disclose, rows::core},
};

use crate::{
    act::app::{before, check_bundle, installed, mutate, not_installed, simulator_app, wake},
    backend::Apple,
    runner::Apps as Manager,
    tools::{InstalledApp, Patience, Simctl},
};

/// Which apps are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AppKind {
    /// All of them.
    #[default]
    All,
    /// Those that somebody has installed.
    Installed,
    /// Those that came with the system.
    System,
}

/// What an app may be allowed to do, by the services of `simctl help privacy`. Simulators have no camera, and notifications are
/// none of these services.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Permission {
    /// Everything of the following.
    All,
    /// Calendars.
    Calendar,
    /// Contacts, in full.
    Contacts,
    /// Contacts, their basic facts.
    ContactsLimited,
    /// The place of the device while the app is used.
    Location,
    /// The place of the device at all times.
    LocationAlways,
    /// Pictures, in full.
    Photos,
    /// Adding pictures.
    PhotosAdd,
    /// The media library.
    MediaLibrary,
    /// Recording sound.
    Microphone,
    /// Motion and fitness.
    Motion,
    /// Reminders.
    Reminders,
    /// Being used by Siri.
    Siri,
    /// A service of another version of Xcode, by its own word.
    Named(String),
}

impl Permission {
    fn service(&self) -> Result<&str> {
        Ok(match self {
            Self::All => "all",
            Self::Calendar => "calendar",
            Self::Contacts => "contacts",
            Self::ContactsLimited => "contacts-limited",
            Self::Location => "location",
            Self::LocationAlways => "location-always",
            Self::Photos => "photos",
            Self::PhotosAdd => "photos-add",
            Self::MediaLibrary => "media-library",
            Self::Microphone => "microphone",
            Self::Motion => "motion",
            Self::Reminders => "reminders",
            Self::Siri => "siri",
            Self::Named(word) => {
                let letter = |c: char| c.is_ascii_lowercase() || c == '-';
                if word.is_empty() || word.starts_with('-') || !word.chars().all(letter) {
                    return Err(Error::invalid(
                        "permission",
                        "the name of the permission is no word of small letters and hyphens",
                    ));
                }
                word
            }
        })
    }
}

/// The apps of one device. Opening and closing them is the device's own: it also makes an app the one under test.
///
/// A simulator that sleeps is booted. A Mac, a runner that somebody else keeps, and devices with iOS 16 or earlier have no tool for
/// their apps: every operation is refused with `UNSUPPORTED_OPERATION` (`no`).
///
/// # What is known about dispatch
///
/// Each operation is settled by what it has itself sent. What it asks beforehand (is the app there, is the device known) reaches
/// no app, so that a failure up to there is a `no`. Once a tool was told to change something every failure is `unknown`, also a
/// refusal in words, with the number of changes that were made before in `dispatched_steps`. What was sent is counted in the
/// ledger of `call`.
#[derive(Clone, Debug)]
pub struct Apps {
    manager: Manager,
}

impl Apple {
    /// The apps of this device. No runner is started for them.
    pub fn apps(&self) -> Apps {
        Apps {
            manager: self.runner.launcher().apps(),
        }
    }
}

/// Ends an operation by what it has sent itself: `call` is nested for it, for it may serve several.
async fn settled<T>(
    effect: Effect,
    call: &Call,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    work.await
        .map_err(|error| disclose(effect, call.ledger(), error))
}

fn unsupported(message: &'static str, hint: &'static str) -> Error {
    let row = core::REFUSAL_UNSUPPORTED;
    Error::refused(row, ErrorCode::UnsupportedOperation, message)
        .with_reason("unsupported-device-kind")
        .with_hint(hint)
}

fn unmanaged() -> Error {
    unsupported(
        "no tool manages the apps of this device",
        "Xcode's tools manage those of simulators, and of devices with iOS 17 or later. Install the app with Xcode.",
    )
}

impl Apps {
    /// The bundle ids of the apps, sorted.
    ///
    /// # Errors
    ///
    /// A tool is missing, failed, or did not answer within 20 s.
    ///
    /// # Cancel safety
    ///
    /// The simulator may be booted. Else safe: it only reads.
    pub async fn list(&self, kind: AppKind, call: &Call) -> Result<Vec<String>> {
        let call = &call.nested();
        let patience = Patience::of(call);
        let listed = async {
            Ok(match &self.manager {
                Manager::Simulator(simctl) => {
                    wake(simctl, call).await?;
                    simctl.list_apps(&patience).await?
                }
                Manager::Device(devicectl) => {
                    let listed = devicectl.list_apps(&patience).await?;
                    listed.ok_or_else(unmanaged)?
                }
                Manager::Runner => return Err(unmanaged()),
            })
        };
        let all = settled(Effect::Observes, call, listed).await?;
        let wanted = |app: &InstalledApp| match kind {
            AppKind::All => true,
            AppKind::Installed => !app.is_system,
            AppKind::System => app.is_system,
        };
        let wanted = all.into_iter().filter(wanted).map(|app| app.bundle);
        let mut bundles: Vec<String> = wanted.collect();
        bundles.sort_unstable();
        bundles.dedup();
        Ok(bundles)
    }

    /// Whether the app of this bundle id is installed.
    ///
    /// # Errors
    ///
    /// It is no bundle id, or a tool is missing or did not answer within 20 s.
    ///
    /// # Cancel safety
    ///
    /// The simulator may be booted. Else safe: it only reads.
    pub async fn is_installed(&self, app: &str, call: &Call) -> Result<bool> {
        let call = &call.nested();
        settled(Effect::Observes, call, self.has(app, call)).await
    }

    async fn has(&self, app: &str, call: &Call) -> Result<bool> {
        check_bundle(app)?;
        match &self.manager {
            Manager::Simulator(simctl) => Ok(simulator_app(simctl, app, call).await?.is_some()),
            Manager::Device(devicectl) => {
                let there = devicectl.has_app(app, &Patience::of(call)).await;
                before(call, there)?.ok_or_else(unmanaged)
            }
            Manager::Runner => Err(unmanaged()),
        }
    }

    /// Installs an app of this machine: an `.app` folder; a device takes an `.ipa` file as well. One that is installed is replaced, and keeps its data.
    ///
    /// # Errors
    ///
    /// There is nothing at the path (`INVALID_ARGS`, before any tool runs); the device did not take it, or not within 120 s
    /// (`unknown`): the tool's words are in `details.stderr`.
    ///
    /// # Cancel safety
    ///
    /// The app may be installed or not.
    pub async fn install(&self, path: impl AsRef<Path>, call: &Call) -> Result<()> {
        let call = &call.nested();
        let patience = Patience::of(call);
        settled(Effect::Mutates, call, async {
            let path = &app_at(path.as_ref())?;
            match &self.manager {
                Manager::Simulator(simctl) => {
                    wake(simctl, call).await?;
                    Ok(mutate(call, simctl.install(path, &patience)).await?)
                }
                Manager::Device(devicectl) => {
                    if !before(call, devicectl.is_managed(&patience).await)? {
                        return Err(unmanaged());
                    }
                    Ok(mutate(call, devicectl.install(path, &patience)).await?)
                }
                Manager::Runner => Err(unmanaged()),
            }
        })
        .await
    }

    /// Uninstalls an app, with its data. What it keeps in the keychain stays.
    ///
    /// # Errors
    ///
    /// It is not installed (`APP_NOT_INSTALLED`, `no`), or the device did not uninstall it within 20 s.
    ///
    /// # Cancel safety
    ///
    /// The app may be uninstalled or not.
    pub async fn uninstall(&self, app: &str, call: &Call) -> Result<()> {
        let call = &call.nested();
        let patience = Patience::of(call);
        settled(Effect::Mutates, call, async {
            // The tools call it a success when nothing was there.
            installed(app, self.has(app, call).await?)?;
            match &self.manager {
                Manager::Simulator(simctl) => {
                    mutate(call, simctl.uninstall(app, &patience)).await?
                }
                Manager::Device(devicectl) => {
                    mutate(call, devicectl.uninstall(app, &patience)).await?;
                }
                Manager::Runner => return Err(unmanaged()),
            }
            Ok(())
        })
        .await
    }

    /// Deletes the data of an app of a simulator, as if it had just been installed: it is uninstalled, and installed again from a
    /// copy of itself, for the tools know no other way. What it keeps in the keychain stays.
    ///
    /// # Errors
    ///
    /// It is not installed (`APP_NOT_INSTALLED`, `no`), this is no simulator (`UNSUPPORTED_OPERATION`, `no`), or one of the two
    /// steps failed (`unknown`): if `dispatched_steps` is 1, it is uninstalled.
    ///
    /// # Cancel safety
    ///
    /// The app may be cleared or not, or uninstalled.
    pub async fn clear(&self, app: &str, call: &Call) -> Result<()> {
        let call = &call.nested();
        let patience = Patience::of(call);
        settled(Effect::Mutates, call, async {
            check_bundle(app)?;
            let simctl = self.simulator()?;
            let folder = simulator_app(simctl, app, call).await?;
            let folder = folder.ok_or_else(|| not_installed(app))?;
            let copied = simctl.copy_app(&folder, &patience).await;
            let (_scratch, copy) = before(call, copied)?;
            mutate(call, simctl.uninstall(app, &patience)).await?;
            mutate(call, simctl.install(&copy, &patience))
                .await
                .map_err(|failure| {
                    Error::from(failure)
                        .with_hint("The app is uninstalled now: install it again from its build.")
                })
        })
        .await
    }

    /// Allows an app of a simulator something.
    ///
    /// # Errors
    ///
    /// The app is not installed (`APP_NOT_INSTALLED`, `no`), this is no simulator (`UNSUPPORTED_OPERATION`, `no`), or the simulator
    /// did not change it (`unknown`): it may not know the permission.
    ///
    /// # Cancel safety
    ///
    /// The permission may be changed or not. The system may end the app when one changes.
    pub async fn grant(&self, app: &str, permission: &Permission, call: &Call) -> Result<()> {
        self.change("grant", app, permission, call).await
    }

    /// Forbids an app of a simulator something.
    ///
    /// # Errors
    ///
    /// As [`grant`](Self::grant).
    ///
    /// # Cancel safety
    ///
    /// As [`grant`](Self::grant).
    pub async fn revoke(&self, app: &str, permission: &Permission, call: &Call) -> Result<()> {
        self.change("revoke", app, permission, call).await
    }

    /// Takes a permission back in such a way that the app asks for it again.
    ///
    /// # Errors
    ///
    /// As [`grant`](Self::grant).
    ///
    /// # Cancel safety
    ///
    /// As [`grant`](Self::grant).
    pub async fn reset(&self, app: &str, permission: &Permission, call: &Call) -> Result<()> {
        self.change("reset", app, permission, call).await
    }

    async fn change(
        &self,
        verb: &str,
        app: &str,
        permission: &Permission,
        call: &Call,
    ) -> Result<()> {
        let call = &call.nested();
        let patience = Patience::of(call);
        settled(Effect::Mutates, call, async {
            let service = permission.service()?;
            let simctl = self.simulator()?;
            // The tool calls it a success when the app is not there.
            installed(app, self.has(app, call).await?)?;
            Ok(mutate(call, simctl.privacy(verb, service, app, &patience)).await?)
        })
        .await
    }

    fn simulator(&self) -> Result<&Simctl> {
        match &self.manager {
            Manager::Simulator(simctl) => Ok(simctl),
            _ => Err(unsupported(
                "only simulators let the data and permissions of apps be changed",
                "Uninstall the app and install it again; answer the system's questions with accept_alert and dismiss_alert.",
            )),
        }
    }
}

/// An app of this machine, by a path that no tool takes for an option.
fn app_at(path: &Path) -> Result<std::path::PathBuf> {
    let unreadable = |source| {
        Error::invalid("path", "there is no app at the path")
            .with_detail("path", path.display().to_string())
            .with_source(source)
    };
    let meta = std::fs::metadata(path).map_err(unreadable)?;
    if !meta.is_dir() && !meta.is_file() {
        return Err(unreadable(std::io::ErrorKind::InvalidInput.into()));
    }
    std::path::absolute(path).map_err(unreadable)
}
