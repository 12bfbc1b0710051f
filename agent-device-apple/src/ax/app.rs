//! Which process of the app is meant.

use super::{failure::AxFailure, guest::Host};
use crate::tools::{Patience, start_time};

/// A process of an app. Its number alone would name another one later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: u32,
    /// Names this process and no other, earlier or later.
    pub(super) generation: String,
}

impl Process {
    /// Asks the simulator's launchd for the app.
    pub(super) async fn find(
        host: &Host,
        bundle: &str,
        patience: &Patience,
    ) -> Result<Self, AxFailure> {
        let list = host.launchctl_list(patience).await?;
        let Some((pid, label)) = running(&list, bundle) else {
            return Err(AxFailure::NotRunning {
                bundle: bundle.to_owned(),
            });
        };
        // Processes of a simulator are processes of the Mac.
        let started = start_time(pid, patience).await.unwrap_or_default();
        Ok(Self {
            pid,
            generation: format!("{}:{bundle}:{pid}:{label}:{started}", host.udid()),
        })
    }

    /// Whether a process has this number. One that has ended makes room for the app's next.
    pub(super) fn is_alive(&self) -> bool {
        let pid = i32::try_from(self.pid)
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
    }
}

/// The process and the label of an app in the output of `launchctl list`: number, last exit code and label, by tabs. UIKit apps
/// have labels of the form `UIKitApplication:<bundle>[<id>]…`.
fn running<'a>(list: &'a str, bundle: &str) -> Option<(u32, &'a str)> {
    list.lines().find_map(|line| {
        let mut columns = line.split('\t');
        let pid = columns.next()?.trim().parse().ok()?;
        let label = columns.nth(1)?.trim();
        let rest = label
            .strip_prefix("UIKitApplication:")?
            .strip_prefix(bundle)?;
        rest.starts_with('[').then_some((pid, label))
    })
}

#[cfg(test)]
mod tests {
    use super::running;

    #[test]
    fn an_app_is_found_by_its_whole_name() {
        let list = "PID\tStatus\tLabel\n-\t0\tUIKitApplication:com.x[1][rb-legacy]\n12\t0\tcom.apple.x\n\
                    13\t0\tUIKitApplication:com.x.more[2][rb-legacy]\n14\t-9\tUIKitApplication:com.x[3][rb-legacy]\n";
        assert_eq!(
            running(list, "com.x"),
            Some((14, "UIKitApplication:com.x[3][rb-legacy]"))
        );
        assert_eq!(running(list, "com.x.more").map(|(pid, _)| pid), Some(13));
        for (list, bundle) in [
            (list, "com"),
            (list, "com.y"),
            ("", "com.x"),
            ("14", "com.x"),
            ("x\ty\tUIKitApplication:com.x[", "com.x"),
        ] {
            assert_eq!(running(list, bundle), None, "{bundle}");
        }
    }
}
