//! The address of a phone in CoreDevice's tunnel, for phones that are not on a cable.

use std::{
    net::IpAddr,
    sync::{Mutex, PoisonError},
};

use super::usbmux::Usbmux;
use crate::tools::{Devicectl, Patience};

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

    /// The address; asking the tool for it takes a second, so it is remembered until it fails.
    pub(crate) async fn address(&self, patience: &Patience) -> Option<IpAddr> {
        let known = *self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_some() {
            return known;
        }
        let found = self.devicectl.tunnel_address(patience).await.ok().flatten();
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = found;
        found
    }

    pub(crate) fn forget(&self) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
