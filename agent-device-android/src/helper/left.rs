//! What a host that died may have left on the device: asked for in the same breath as the helper is started, and put in order by
//! whoever connects next.

use agent_device_core::{Call, Result};

use super::{keyboard, rotation};
use crate::{adb::AdbDevice, apps::ports};

/// Prints the records before everything else.
pub(super) const START: &str = "echo agentDeviceKeyboard=$(settings get secure agent_device_keyboard_before 2>/dev/null); \
     echo agentDeviceRotation=$(settings get secure agent_device_rotation_before 2>/dev/null); \
     echo agentDevicePorts=$(settings get secure agent_device_ports 2>/dev/null); exec am instrument -w \"$@\"";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) keyboard: bool,
    pub(super) rotation: bool,
    pub(super) ports: bool,
}

impl Left {
    /// By what a start printed.
    pub(super) fn read(printed: &str) -> Self {
        let is_set = |head: &str| {
            let mut values = printed
                .lines()
                .filter_map(|line| line.trim().strip_prefix(head));
            values.any(|value| !value.is_empty() && value != "null")
        };
        Self {
            keyboard: is_set("agentDeviceKeyboard="),
            rotation: is_set("agentDeviceRotation="),
            ports: is_set("agentDevicePorts="),
        }
    }

    /// What is left besides this.
    pub(super) fn without(self, other: Self) -> Self {
        Self {
            keyboard: self.keyboard && !other.keyboard,
            rotation: self.rotation && !other.rotation,
            ports: self.ports && !other.ports,
        }
    }

    /// Puts it in order. What failed is tried again with the next command.
    pub(super) async fn recover(&mut self, device: &AdbDevice, call: &Call) -> Result<()> {
        if self.rotation {
            rotation::recover(device, call).await?;
            self.rotation = false;
        }
        if self.keyboard {
            keyboard::recover(device, call).await?;
            self.keyboard = false;
        }
        if self.ports {
            ports::recover(device, call).await?;
            self.ports = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_record_leads_back() {
        for record in [keyboard::RECORD, rotation::RECORD, ports::RECORD] {
            assert!(START.contains(record));
        }
        let none = Left::default();
        let keyboard = Left {
            keyboard: true,
            ..none
        };
        let rotation = Left {
            rotation: true,
            ..none
        };
        let led = Left {
            ports: true,
            ..none
        };
        for (printed, wanted) in [
            (
                "agentDeviceKeyboard=com.x/.Y\r\nINSTRUMENTATION_STATUS: a=b\n",
                keyboard,
            ),
            (
                "agentDeviceKeyboard=null\nagentDeviceRotation=1,0\n",
                rotation,
            ),
            (
                "agentDeviceRotation=null\nagentDevicePorts=8081,9000\n",
                led,
            ),
            ("agentDeviceKeyboard=\n", none),
            ("", none),
            ("x=y\n", none),
        ] {
            assert_eq!(Left::read(printed), wanted, "{printed}");
        }
        assert_eq!(led.without(led), none);
        assert_eq!(led.without(keyboard), led);
    }
}
