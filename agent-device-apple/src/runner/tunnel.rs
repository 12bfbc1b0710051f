//! The address of a phone in CoreDevice's tunnel, for phones that are not on a cable.

use std::{
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::usbmux::Usbmux;
use crate::tools::{Devicectl, Patience};

/// How long the tool may take: it waits for the phone for 15 s itself.
const LOOK_UP: Duration = Duration::from_secs(18);

/// The ways to a phone.
#[derive(Debug)]
pub(crate) struct Tunnel {
    usbmux: Usbmux,
    devicectl: Devicectl,
    known: Mutex<Option<IpAddr>>,
}

impl Tunnel {
    pub(crate) fn new(usbmux: Usbmux, devicectl: Devicectl) -> Self {
        Self {
            usbmux,
            devicectl,
            known: Mutex::default(),
        }
    }

    pub(crate) fn usbmux(&self) -> &Usbmux {
        &self.usbmux
    }

    /// The address, if it was asked for and has not failed since: asking takes a second.
    pub(crate) fn known(&self) -> Option<IpAddr> {
        *self.slot()
    }

    /// Asks for the address. Whether there is one.
    pub(crate) async fn ask(&self, patience: &Patience) -> bool {
        let patience = patience.within(LOOK_UP);
        let found = self.devicectl.tunnel_address(&patience).await;
        *self.slot() = found.ok().flatten();
        self.known().is_some()
    }

    /// Whether there was an address to forget.
    pub(crate) fn forget(&self) -> bool {
        self.slot().take().is_some()
    }

    fn slot(&self) -> MutexGuard<'_, Option<IpAddr>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
