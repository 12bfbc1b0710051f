import RunnerCore

/// The way to the fixture app and its device beside the runner, for tests: on a listener of its own, so that nothing here depends
/// on what is tested. Beside the app's own requests (`App.answer`):
///
/// | request | what it does |
/// | --- | --- |
/// | `GET /faults`, `POST /faults?NAME=NUMBER` | what is armed; arms |
/// | `POST /mend` | forgets all faults and ends what hangs |
struct Control {
    let device: SimDevice

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        do {
            if let answer = try device.withApp({ app, now in try app.answer(request, now: now) }) {
                return HTTPResponse(json: answer)
            }
            switch (request.method, request.path) {
            case ("GET", "/faults"): break
            case ("POST", "/faults"):
                for (name, value) in App.parse(request.query) {
                    guard let fault = Fault(rawValue: name), let number = Int(value), number >= 0 else {
                        throw RunnerError(.invalidArguments, "\(name)=\(value) is no fault")
                    }
                    device.arm(fault, number)
                }
            case ("POST", "/mend"): device.clearFaults()
            default: return .unknown(request)
            }
        } catch {
            return HTTPResponse(refusing: error)
        }
        let faults = device.faults.map { JSON.Member($0.0.rawValue, .integer($0.1)) }
        return HTTPResponse(json: .object([.init("faults", .object(faults))]))
    }
}
