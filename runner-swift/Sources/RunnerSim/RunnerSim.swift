import Foundation
import RunnerCore

/// The runner on a simulated device: the real server, session and handlers over the fixture app.
///
/// Takes its port as the real one does (`AGENT_DEVICE_RUNNER_PORT`; 0 or absent: one that is free), says both ports on standard
/// error, and ends with `shutdown`.
@main
enum RunnerSim {
    static func main() throws {
        let time = SystemTime()
        let markers = Markers.standardError
        let device = SimDevice(time: time)
        let gate = MainThreadGate(executor: MainQueue(), time: time, markers: markers)
        let drivers = Drivers(
            platform: .iOS, target: SimTarget(device: device), elements: SimElements(device: device),
            gestures: SimGestures(device: device), text: SimText(device: device), keyboard: SimKeyboard(device: device),
            alerts: SimAlerts(device: device), screen: SimScreen(device: device), snapshots: SimSnapshots(device: device))
        let session = Session(
            handler: CommandHandlers(drivers, time: time, failures: device), gate: gate, time: time, failures: device, markers: markers)

        let control = Control(device: device)
        let beside = try Server { control.answer($0) }
        beside.start()
        markers.write("SIM_CONTROL_PORT", "\(beside.port)")

        let runner = try Runner(RunnerOptions(environment: ProcessInfo.processInfo.environment), session: session, markers: markers)
        Thread.detachNewThread {
            runner.runUntilShutdown()
            exit(0)
        }
        dispatchMain()
    }
}
