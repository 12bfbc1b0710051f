import Foundation
import RunnerCore

/// The runner on a simulated device: the real server, session and handlers over the fixture app.
///
/// Takes the platform as its argument (iOS, tvOS, macOS or visionOS) and its port as the real one does
/// (`AGENT_DEVICE_RUNNER_PORT`; 0 or absent: one that is free), says both ports on standard error, and ends with `shutdown`, or
/// with its input if it is told to (`--until-stdin-ends`). What happens to the app is also appended to the file that
/// `RUNNER_SIM_EVENTS` names.
@main
enum RunnerSim {
    static func main() throws {
        let time = SystemTime()
        let markers = Markers.standardError
        let environment = ProcessInfo.processInfo.environment
        var arguments = CommandLine.arguments.dropFirst()
        if let leash = arguments.firstIndex(of: "--until-stdin-ends") {
            arguments.remove(at: leash)
            Thread.detachNewThread(endWithInput)
        }
        let name = arguments.first ?? Platform.iOS.rawValue
        guard let platform = Platform(rawValue: name) else {
            throw RunnerError(.invalidArguments, "the platform is one of \(Platform.allCases.map(\.rawValue)), not \(name)")
        }
        let device = SimDevice(platform, time: time, eventSink: environment["RUNNER_SIM_EVENTS"].flatMap(eventFile))
        let gate = MainThreadGate(executor: MainQueue(), time: time, markers: markers)
        let session = device.session(gate: gate, beside: BackgroundQueue("runner-sim.calls"), markers: markers)

        let control = Control(device: device)
        let beside = try Server { control.answer($0) }
        beside.start()
        markers.write("SIM_PROCESS", "\(ProcessInfo.processInfo.processIdentifier)")
        markers.write("SIM_CONTROL_PORT", "\(beside.port)")

        let runner = try Runner(RunnerOptions(environment: environment), session: session, markers: markers)
        Thread.detachNewThread {
            runner.runUntilShutdown()
            exit(0)
        }
        dispatchMain()
    }

    /// However the process at the other end comes to its end, this one does not outlive it.
    private static func endWithInput() {
        while !FileHandle.standardInput.availableData.isEmpty {}
        exit(0)
    }

    /// Appends to a file. A line that was written survives the death of the process.
    private static func eventFile(_ path: String) -> (@Sendable (JSON) -> Void)? {
        if !FileManager.default.fileExists(atPath: path) { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        guard let file = FileHandle(forWritingAtPath: path) else { return nil }
        file.seekToEndOfFile()
        return { line in file.write(Data(line.encoded() + [UInt8(ascii: "\n")])) }
    }
}
