//! What the runner prints while it starts: lines that begin with a mark. They only wake who waits; that a runner is ready is
//! proven by an answered request.

/// A line of the runner that means something here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// It listens.
    Ready,
    /// The port at which it listens.
    Port(u16),
    /// It can't listen, and ends.
    ListenerFailed(String),
}

/// xcodebuild puts a time and a process in front of what the runner prints.
pub(crate) fn marker_in(line: &str) -> Option<Marker> {
    let rest = &line[line.find("AGENT_DEVICE_RUNNER_")? + "AGENT_DEVICE_RUNNER_".len()..];
    if rest.starts_with("LISTENER_READY") {
        return Some(Marker::Ready);
    }
    if let Some(why) = rest.strip_prefix("LISTENER_FAILED=") {
        return Some(Marker::ListenerFailed(
            why.trim().chars().take(300).collect(),
        ));
    }
    let port = rest.strip_prefix("PORT=")?.trim();
    port.parse().ok().filter(|port| *port > 0).map(Marker::Port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_behind_what_stands_before_them() {
        let line = "2026-11-30 10:00:00.000 AgentDeviceRunnerUITests-Runner[41:99] AGENT_DEVICE_RUNNER_PORT=52123";
        assert_eq!(marker_in(line), Some(Marker::Port(52123)));
        assert_eq!(
            marker_in("AGENT_DEVICE_RUNNER_LISTENER_READY"),
            Some(Marker::Ready)
        );
        assert_eq!(
            marker_in("x AGENT_DEVICE_RUNNER_LISTENER_FAILED=address in use"),
            Some(Marker::ListenerFailed("address in use".into()))
        );
        for line in [
            "",
            "AGENT_DEVICE_RUNNER_PORT=0",
            "AGENT_DEVICE_RUNNER_PORT=x",
            "AGENT_DEVICE_RUNNER_DESIRED_PORT=1",
            "LISTENER_READY",
        ] {
            assert_eq!(marker_in(line), None, "{line}");
        }
    }
}
