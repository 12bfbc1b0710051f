import XCTest

@testable import RunnerCore

/// A device whose backends answer as they are told and whose time passes only when they say so.
private final class Device {
    var now = 1_000.0
    var abandoned = false
    var asked: [AcquisitionRequest] = []
    var tiers: [BackendKind] = []
    var answers: [BackendKind: (AcquisitionRequest) throws(CaptureFailure) -> Acquisition] = [:]
    var modal: ((Double) -> ModalProbe)?
    var remembersSlowness = true
    var present: Set<BackendKind> = [.tree, .queries, .privateAX]
    let memory = CaptureMemory()
    let app = CaptureTarget(bundleId: "com.example.app", pid: 7)

    struct Backend: SnapshotBackend {
        let kind: BackendKind
        let device: Device

        func acquire(_ request: AcquisitionRequest) throws(CaptureFailure) -> Acquisition {
            device.asked.append(request)
            device.tiers.append(kind)
            guard let answer = device.answers[kind] else { throw CaptureFailure.failed("\(kind.rawValue) is broken") }
            return try answer(request)
        }
    }

    init() {
        for kind in BackendKind.allCases { answers[kind] = { _ in Device.screen("\(kind.rawValue)") } }
        warmUp()
    }

    /// The first capture of a process is exempt from the penalty; most rules are about the others.
    func warmUp() { memory.begin(app) }

    static let viewport = Rect(0, 0, 320, 240)

    static func tree(_ nodes: [NodeAttributes]) -> RawTree {
        var tree = RawTree()
        tree.append(NodeAttributes(.application, label: "Shop", frame: viewport), under: nil)
        for attributes in nodes { tree.append(attributes, under: 0) }
        return tree
    }

    static func screen(_ label: String, count: Int = 1) -> Acquisition {
        let buttons = (0..<count).map { _ in NodeAttributes(.button, label: label, frame: Rect(0, 0, 50, 20)) }
        return Acquisition(tree: tree(buttons), viewport: viewport)
    }

    static func sparse(_ containers: Int) -> Acquisition {
        Acquisition(
            tree: tree(Array(repeating: NodeAttributes(.scrollView, frame: Rect(0, 0, 50, 20)), count: containers)), viewport: viewport)
    }

    func slow(_ kind: BackendKind, by seconds: Double, then answer: Result<Acquisition, CaptureFailure>? = nil) {
        answers[kind] = { [unowned self] _ throws(CaptureFailure) in
            now += seconds
            return try (answer ?? .success(Device.screen(kind.rawValue))).get()
        }
    }

    func fail(_ kind: BackendKind, _ failure: CaptureFailure) {
        answers[kind] = { _ throws(CaptureFailure) in throw failure }
    }

    func hang(_ kind: BackendKind) {
        answers[kind] = { [unowned self] request throws(CaptureFailure) in
            now += request.slice
            abandoned = true
            throw CaptureFailure.timedOut
        }
    }

    @discardableResult
    func capture(_ options: SnapshotOptions = SnapshotOptions(), startedAt: Double? = nil) throws(RunnerError) -> CaptureOutcome {
        asked = []
        tiers = []
        let driver = CaptureDriver(
            .init(
                backends: BackendKind.allCases.filter(present.contains).map { Backend(kind: $0, device: self) },
                presenter: Presenter(policy: .cursorProjected), memory: memory, uptime: { self.now },
                hasAbandonedWork: { self.abandoned }, probeModal: modal, remembersSlowness: remembersSlowness))
        return try driver.capture(options, of: app, startedAt: startedAt ?? now)
    }
}

final class CapturePlanTests: XCTestCase {
    private let device = Device()
    private let interactive = SnapshotOptions(PresentationOptions(interactiveOnly: true))
    private let raw = SnapshotOptions(PresentationOptions(raw: true))
    private let rejected = CaptureFailure.axRejected("Failed to get matching snapshot: kAXErrorIllegalArgument")

    // MARK: The plan

    func testTheRegularPlanIsTreeQueriesPrivateAndTheRawPlanLeavesQueriesOut() {
        let all = Set(BackendKind.allCases)
        func tiers(_ options: SnapshotOptions, _ available: Set<BackendKind> = all, penalised: Bool = false) -> [BackendKind] {
            CapturePlan(options, available: available, isPenalised: penalised).tiers.map(\.backend)
        }
        XCTAssertEqual(tiers(SnapshotOptions()), [.tree, .queries, .privateAX])
        XCTAssertEqual(tiers(raw), [.tree, .privateAX])
        XCTAssertEqual(tiers(SnapshotOptions(), [.tree, .queries]), [.tree, .queries])
        XCTAssertEqual(tiers(SnapshotOptions(), penalised: true), [.privateAX])
        XCTAssertEqual(tiers(raw, penalised: true), [.tree, .privateAX], "raw is exempt from the penalty")
        XCTAssertEqual(tiers(SnapshotOptions(), [.tree, .queries], penalised: true), [.tree, .queries])
    }

    func testAPreferredBackendMakesAPlanOfOneWhereItCanBeForced() {
        let all = Set(BackendKind.allCases)
        func plan(_ options: SnapshotOptions, _ available: Set<BackendKind> = all) -> CapturePlan {
            CapturePlan(options, available: available, isPenalised: false)
        }
        let pinned = plan(SnapshotOptions(preferredBackend: .privateAX))
        XCTAssertEqual(pinned.tiers.map(\.backend), [.privateAX])
        XCTAssertEqual(pinned.deviation, .requestedBackend)
        XCTAssertNil(plan(SnapshotOptions(preferredBackend: .tree)).deviation, "the usual first backend")
        XCTAssertEqual(plan(SnapshotOptions(preferredBackend: .tree)).tiers.count, 1)
        XCTAssertEqual(plan(SnapshotOptions(preferredBackend: .queries)).tiers.count, 3, "not forceable")
        XCTAssertEqual(plan(SnapshotOptions(preferredBackend: .privateAX), [.tree, .queries]).tiers.count, 2, "not available")
        XCTAssertEqual(
            plan(SnapshotOptions(PresentationOptions(raw: true), preferredBackend: .privateAX)).tiers.count, 2, "raw ignores it")
        XCTAssertEqual(
            plan(SnapshotOptions(customActions: true)).tiers.map(\.backend), [.privateAX], "only it reads custom actions")
    }

    func testRawIgnoresInteractiveOnly() {
        XCTAssertFalse(SnapshotOptions(PresentationOptions(interactiveOnly: true, raw: true)).presentation.interactiveOnly)
    }

    // MARK: The verdict

    func testTheFirstBackendMakesAHealthySnapshot() throws {
        let outcome = try device.capture()
        XCTAssertEqual(device.tiers, [.tree])
        XCTAssertEqual(outcome.quality.state, .healthy)
        XCTAssertEqual(outcome.quality.backend, .tree)
        XCTAssertNil(outcome.quality.reasonCode)
        XCTAssertEqual(outcome.health, .healthy)
        XCTAssertFalse(outcome.truncated)
        XCTAssertEqual(outcome.nodes.map(\.label), ["Shop", "tree"])
    }

    func testALaterBackendMakesARecoveredSnapshotThatNamesTheFirstFailure() throws {
        let table: [(CaptureFailure, Quality.Reason)] = [
            (rejected, .axRejected), (.failed("x"), .captureFailed), (.timedOut, .budget),
        ]
        for (failure, reason) in table {
            device.fail(.tree, failure)
            device.fail(.queries, .failed("second"))
            let outcome = try device.capture()
            XCTAssertEqual(outcome.quality.state, .recovered)
            XCTAssertEqual(outcome.quality.backend, .privateAX)
            XCTAssertEqual(outcome.quality.reasonCode, reason)
            XCTAssertNil(outcome.runnerFatalReason)
            device.memory.reset()
        }
    }

    func testASparseTreeIsNotTakenForAnEmptyScreen() throws {
        device.answers[.tree] = { _ in Device.sparse(3) }
        let outcome = try device.capture()
        XCTAssertEqual(device.tiers, [.tree, .queries])
        XCTAssertEqual(outcome.quality.state, .recovered)
        XCTAssertEqual(outcome.quality.reasonCode, .sparseTree)
    }

    func testTheLargestSparseTreeIsTheAnswerWhenNothingBetterComes() throws {
        device.answers[.tree] = { _ in Device.sparse(1) }
        device.answers[.queries] = { _ in Device.sparse(5) }
        device.answers[.privateAX] = { _ in Device.sparse(3) }
        let outcome = try device.capture()
        XCTAssertEqual(outcome.quality.state, .sparse)
        XCTAssertEqual(outcome.quality.backend, .queries)
        XCTAssertTrue(outcome.truncated)
        XCTAssertNil(outcome.runnerFatalReason)
    }

    func testAScopeThatMatchesNothingIsNotAnUnreadableScreen() throws {
        let outcome = try device.capture(SnapshotOptions(PresentationOptions(scope: "nothing like it")))
        XCTAssertEqual(device.tiers, [.tree])
        XCTAssertEqual(outcome.quality.state, .healthy)
        XCTAssertEqual(outcome.nodes, [])
    }

    func testADepthLimitDoesNotMakeATreeSparse() throws {
        let outcome = try device.capture(SnapshotOptions(PresentationOptions(depth: 0)))
        XCTAssertEqual(outcome.quality.state, .healthy)
        XCTAssertEqual(outcome.nodes.count, 1)
    }

    func testOnlyAnUnscopedRawCaptureLimitsTheDepthThatIsAcquired() throws {
        func depth(raw: Bool, scope: String? = nil) throws -> Int? {
            try device.capture(SnapshotOptions(PresentationOptions(depth: 2, scope: scope, raw: raw)))
            return device.asked[0].depth
        }
        XCTAssertEqual(try depth(raw: true), 2)
        XCTAssertEqual(try depth(raw: true, scope: "  "), 2, "a blank scope is none")
        XCTAssertNil(try depth(raw: true, scope: "tree"), "its root may lie anywhere")
        XCTAssertNil(try depth(raw: false), "presented levels are not levels of the tree")
    }

    func testWindowsThatWereNotTurnedAreReadInNativeSpace() throws {
        var tree = RawTree()
        let app = tree.append(NodeAttributes(.application, frame: Rect(0, 0, 874, 402)), under: nil)
        let turned = tree.append(NodeAttributes(.window, frame: Rect(0, 0, 874, 402)), under: app)
        tree.append(NodeAttributes(.button, label: "turned", frame: Rect(10, 20, 30, 40)), under: turned)
        let native = tree.append(NodeAttributes(.window, frame: Rect(0, 0, 402, 874)), under: app)
        let host = tree.append(NodeAttributes(.other, frame: Rect(0, 0, 402, 874)), under: native)
        tree.append(NodeAttributes(.keyboard, label: "keyboard", frame: Rect(2, 75, 202, 724)), under: host)
        func frames(_ orientation: InterfaceOrientation?) throws -> [String?: Rect?] {
            device.answers[.tree] = { _ in
                Acquisition(
                    tree: tree, viewport: Rect(0, 0, 874, 402),
                    windowSpace: orientation.map { WindowSpace(size: Size(874, 402), orientation: $0) })
            }
            let nodes = try device.capture(SnapshotOptions(PresentationOptions(raw: true))).nodes
            return Dictionary(nodes.filter { $0.label != nil }.map { ($0.label, $0.rect) }) { first, _ in first }
        }
        XCTAssertEqual(try frames(.landscapeRight), ["turned": Rect(10, 20, 30, 40), "keyboard": Rect(75, 198, 724, 202)])
        XCTAssertEqual(try frames(.landscapeLeft), ["turned": Rect(10, 20, 30, 40), "keyboard": Rect(75, 2, 724, 202)])
        for same in [InterfaceOrientation.portrait, nil] {
            XCTAssertEqual(try frames(same), ["turned": Rect(10, 20, 30, 40), "keyboard": Rect(2, 75, 202, 724)])
        }
    }

    func testAnIncompleteTreeIsTruncatedAndSaysDownToWhere() throws {
        device.answers[.tree] = { _ in
            var acquisition = Device.screen("deep", count: 20)
            acquisition.effectiveDepth = 39
            return acquisition
        }
        let outcome = try device.capture()
        XCTAssertEqual(outcome.quality.state, .healthy)
        XCTAssertEqual(outcome.quality.effectiveDepth, 39)
        XCTAssertTrue(outcome.truncated)
    }

    // MARK: Refusals of the accessibility service

    func testARejectedCompactViewFailsClosedToItsRootAndEndsTheSession() throws {
        device.fail(.tree, rejected)
        device.answers[.queries] = { _ in Device.sparse(5) }
        device.fail(.privateAX, rejected)
        let outcome = try device.capture(interactive)
        XCTAssertEqual(outcome.nodes.count, 1)
        XCTAssertEqual(outcome.nodes[0].type, "Application")
        XCTAssertEqual(outcome.nodes[0].rect, .zero)
        XCTAssertFalse(outcome.nodes[0].isHittable)
        XCTAssertTrue(outcome.truncated)
        XCTAssertEqual(outcome.quality.state, .sparse)
        XCTAssertEqual(outcome.quality.backend, .tree)
        XCTAssertEqual(outcome.quality.reasonCode, .axRejected)
        XCTAssertEqual(outcome.runnerFatalReason, "ax_snapshot_unavailable")
        XCTAssertTrue(outcome.invalidatesTarget)
        XCTAssertEqual(outcome.health, .unavailable)
    }

    func testARejectedRegularViewGivesItsBestTreeAndOnlyWithoutOneEndsTheSession() throws {
        device.fail(.tree, rejected)
        device.answers[.queries] = { _ in Device.sparse(5) }
        device.fail(.privateAX, rejected)
        var outcome = try device.capture()
        XCTAssertEqual(outcome.quality.state, .sparse)
        XCTAssertEqual(outcome.nodes.count, 6)
        XCTAssertNil(outcome.runnerFatalReason)
        XCTAssertEqual(outcome.health, .unavailable)
        device.fail(.queries, rejected)
        outcome = try device.capture()
        XCTAssertEqual(outcome.runnerFatalReason, "ax_snapshot_unavailable")
    }

    func testARejectedRawCaptureIsAnError() {
        device.fail(.tree, rejected)
        device.fail(.privateAX, .failed("private"))
        XCTAssertThrowsError(try device.capture(raw)) { XCTAssertEqual(($0 as? RunnerError)?.code, .snapshotFailed) }
        XCTAssertEqual(device.tiers, [.tree, .privateAX])
    }

    func testARawCaptureThatFailsOtherwiseIsAnErrorToo() {
        device.fail(.tree, .timedOut)
        device.fail(.privateAX, .failed("private"))
        XCTAssertThrowsError(try device.capture(raw)) {
            XCTAssertEqual(($0 as? RunnerError)?.code, .commandFailed)
            XCTAssertTrue(($0 as? RunnerError)?.message.contains("timed out") ?? false)
        }
    }

    func testARawTreeThatIsTooLargeIsRefusedAtOnce() {
        device.fail(.tree, .tooLarge(limit: 5_000))
        XCTAssertThrowsError(try device.capture(raw)) { XCTAssertEqual(($0 as? RunnerError)?.code, .rawSnapshotTooLarge) }
        XCTAssertEqual(device.tiers, [.tree])
    }

    func testARegularCaptureThatFailsWithoutARejectionKeepsTheSession() throws {
        for kind in BackendKind.allCases { device.fail(kind, .failed("x")) }
        let outcome = try device.capture(interactive)
        XCTAssertEqual(outcome.quality.state, .sparse)
        XCTAssertEqual(outcome.quality.reasonCode, .captureFailed)
        XCTAssertNil(outcome.runnerFatalReason)
    }

    // MARK: Time

    func testTheTreeGetsAtMostEightSecondsAndAtLeastAHalf() throws {
        try device.capture()
        XCTAssertEqual(device.asked[0].slice, 8)
        try device.capture(startedAt: device.now - 15)
        XCTAssertEqual(device.asked[0].slice, 5)
        try device.capture(startedAt: device.now - 19.9)
        XCTAssertEqual(device.asked[0].slice, 0.5)
    }

    func testAllBackendsShareOneDeadlineOfTwentySeconds() throws {
        device.fail(.tree, .failed("x"))
        device.fail(.queries, .failed("x"))
        let start = device.now
        try device.capture()
        XCTAssertEqual(Set(device.asked.map(\.deadline.uptime)), [start + 20])
        XCTAssertEqual(device.asked.map(\.slice), [8, 20, 20])
        try device.capture(interactive)
        XCTAssertEqual(device.asked[1].slice, 1, "each query of a sweep costs a full tree")
    }

    func testBackendsAreSkippedOnceTheDeadlineHasPassed() throws {
        device.slow(.tree, by: 25, then: .failure(.failed("late")))
        let outcome = try device.capture()
        XCTAssertEqual(device.tiers, [.tree])
        XCTAssertEqual(outcome.quality.state, .sparse)
    }

    func testACaptureThatBeginsTooLateAsksNobody() throws {
        let outcome = try device.capture(startedAt: device.now - 20)
        XCTAssertEqual(device.tiers, [])
        XCTAssertEqual(outcome.quality.reasonCode, .budget)
        XCTAssertThrowsError(try device.capture(raw, startedAt: device.now - 20))
    }

    func testAHungTreeIsLeftBehindAndTheQueriesAreSkippedWhileItDrains() throws {
        device.hang(.tree)
        let outcome = try device.capture()
        XCTAssertEqual(device.tiers, [.tree, .privateAX])
        XCTAssertEqual(outcome.quality.state, .recovered)
        XCTAssertEqual(outcome.quality.reasonCode, .budget)
    }

    func testNothingThatSharesTheChannelIsAskedWhileWorkDrains() throws {
        device.abandoned = true
        let outcome = try device.capture()
        XCTAssertEqual(device.tiers, [.privateAX])
        XCTAssertEqual(outcome.quality.reasonCode, .budget)
        device.present = [.tree, .queries]
        XCTAssertEqual(try device.capture().quality.state, .sparse)
        XCTAssertEqual(device.tiers, [])
    }

    // MARK: The penalty

    func testATreeSlowerThanThreeSecondsDefersToThePrivateBackendFor120Seconds() throws {
        device.slow(.tree, by: 3.1)
        XCTAssertEqual(try device.capture().quality.state, .healthy, "slow, but it came")
        let deferred = try device.capture()
        XCTAssertEqual(device.tiers, [.privateAX])
        XCTAssertEqual(deferred.quality.state, .recovered)
        XCTAssertEqual(deferred.quality.reasonCode, .deferred)
        XCTAssertTrue(deferred.quality.reason?.hasPrefix("budget") ?? false)
        device.now += 119
        try device.capture()
        XCTAssertEqual(device.tiers, [.privateAX])
        device.now += 1
        try device.capture()
        XCTAssertEqual(device.tiers, [.tree])
    }

    func testATreeOfThreeSecondsIsNotSlow() throws {
        device.slow(.tree, by: 3)
        try device.capture()
        try device.capture()
        XCTAssertEqual(device.tiers, [.tree])
    }

    func testASlowFailureATimeOutAndASlowSweepArmThePenaltyToo() throws {
        let arm: [(Device) -> Void] = [
            { $0.slow(.tree, by: 4.5, then: .failure(.axRejected("kAXErrorIllegalArgument"))) },
            { $0.fail(.tree, .timedOut) },
            { $0.fail(.tree, .failed("x")); $0.slow(.queries, by: 3.5) },
        ]
        for arm in arm {
            let device = Device()
            arm(device)
            try device.capture()
            try device.capture()
            XCTAssertEqual(device.tiers, [.privateAX])
        }
    }

    func testASlowPrivateBackendArmsNothing() throws {
        device.fail(.tree, .failed("x"))
        device.fail(.queries, .failed("x"))
        device.slow(.privateAX, by: 5)
        try device.capture()
        try device.capture()
        XCTAssertEqual(device.tiers, [.tree, .queries, .privateAX])
    }

    func testRawNeitherObeysNorArmsThePenalty() throws {
        device.slow(.tree, by: 4)
        try device.capture(raw)
        try device.capture()
        XCTAssertEqual(device.tiers, [.tree], "the slow raw capture was not held against the channel")
        let outcome = try device.capture(raw)
        XCTAssertEqual(device.tiers, [.tree])
        XCTAssertEqual(outcome.quality.state, .healthy)
    }

    func testAPenalisedDeviceWithoutAPrivateBackendIsProbedForASecond() throws {
        device.present = [.tree, .queries]
        device.slow(.tree, by: 4)
        try device.capture()
        device.slow(.tree, by: 0.5)
        let outcome = try device.capture()
        XCTAssertEqual(device.asked[0].slice, 1)
        XCTAssertEqual(outcome.quality.state, .healthy)
    }

    func testThePenaltyHoldsForOneBundleAndAnUnknownOneStandsForAll() {
        let memory = CaptureMemory()
        let (a, b) = (CaptureTarget(bundleId: "a", pid: 1), CaptureTarget(bundleId: "b", pid: 2))
        memory.begin(a)
        memory.begin(a)
        memory.penalise(a, at: 0)
        XCTAssertTrue(memory.isPenalised("a", at: 1))
        XCTAssertFalse(memory.isPenalised(b.bundleId, at: 1))
        XCTAssertTrue(memory.isPenalised(nil, at: 1))
        memory.penalise(CaptureTarget(), at: 0)
        XCTAssertTrue(memory.isPenalised(b.bundleId, at: 1))
        XCTAssertFalse(memory.isPenalised("a", at: 120))
    }

    func testTheFirstCaptureOfAProcessIsAWarmUpThatArmsNothing() throws {
        let device = Device()
        device.memory.reset()
        device.slow(.tree, by: 6)
        try device.capture()
        try device.capture()
        XCTAssertEqual(device.tiers, [.tree], "the warm-up was exempt")
        try device.capture()
        XCTAssertEqual(device.tiers, [.privateAX])
    }

    func testAPidThatCantBeToldIsNoOtherProcess() {
        let memory = CaptureMemory()
        let (known, unknown) = (CaptureTarget(bundleId: "a", pid: 1), CaptureTarget(bundleId: "a"))
        memory.begin(unknown)
        memory.begin(known)
        memory.penalise(known, at: 0)
        memory.begin(unknown)
        memory.begin(known)
        XCTAssertTrue(memory.isPenalised("a", at: 1))
        memory.begin(unknown)
        memory.begin(CaptureTarget(bundleId: "a", pid: 2))
        XCTAssertFalse(memory.isPenalised("a", at: 1), "it is still remembered which one it was")
        memory.learn(depth: 40, of: unknown, at: 0)
        XCTAssertNil(memory.depthHint(unknown, at: 1), "a lesson belongs to a process")
    }

    func testAnotherPidOrAResetClearsThePenalty() throws {
        let memory = CaptureMemory()
        let old = CaptureTarget(bundleId: "a", pid: 1)
        for forget in [{ memory.begin(CaptureTarget(bundleId: "a", pid: 2)) }, { memory.reset() }] {
            memory.begin(old)
            memory.begin(old)
            memory.penalise(old, at: 0)
            memory.learn(depth: 40, of: old, at: 0)
            XCTAssertTrue(memory.isPenalised("a", at: 1))
            forget()
            XCTAssertFalse(memory.isPenalised("a", at: 1))
            XCTAssertNil(memory.depthHint(old, at: 1))
        }
    }

    func testWherePlatformsHaveNoOtherBackendNothingIsRemembered() throws {
        device.remembersSlowness = false
        device.slow(.tree, by: 6)
        try device.capture()
        try device.capture()
        XCTAssertEqual(device.tiers, [.tree])
    }

    // MARK: Modal surfaces

    private let prompt = ModalSurface(
        title: "Allow?", frame: Rect(20, 60, 280, 120),
        actions: [
            NodeAttributes(.button, label: "Don’t Allow", frame: Rect(20, 140, 140, 40)),
            NodeAttributes(.button, label: "Allow", frame: Rect(160, 140, 140, 40), isEnabled: false),
        ],
        texts: (1...3).map { NodeAttributes(.staticText, label: "text \($0)") } + (1...3).map { NodeAttributes(.textView, label: "view \($0)") })

    func testAModalSurfaceIsTheSnapshotWhateverWasAskedFor() throws {
        device.modal = { _ in .found(self.prompt) }
        for options in [SnapshotOptions(PresentationOptions(depth: 0, scope: "nothing")), raw, interactive] {
            let outcome = try device.capture(options)
            XCTAssertTrue(outcome.isModal)
            XCTAssertEqual(device.tiers, [])
            XCTAssertEqual(
                outcome.nodes.map(\.label), ["Allow?", "Don’t Allow", "Allow", "text 1", "text 2", "view 1", "view 2"])
            XCTAssertEqual(outcome.nodes.map(\.type)[0...1], ["Alert", "Button"])
            XCTAssertEqual(outcome.nodes.map(\.depth), [0, 1, 1, 1, 1, 1, 1])
            XCTAssertEqual(outcome.nodes.map(\.isHittable), [false, true, false, false, false, false, false])
            XCTAssertNoThrow(try Presenter.checkOrder(outcome.nodes))
        }
    }

    func testTheModalProbeGetsFourSecondsOrWhatIsLeft() throws {
        var budgets: [Double] = []
        device.modal = {
            budgets.append($0)
            return .none
        }
        try device.capture()
        try device.capture(startedAt: device.now - 18)
        XCTAssertEqual(budgets, [4, 2])
        device.abandoned = true
        try device.capture()
        XCTAssertEqual(budgets.count, 2, "it would queue behind the abandoned call")
    }

    func testAModalProbeThatTimesOutPenalisesTheChannel() throws {
        device.modal = { _ in .timedOut }
        try device.capture()
        XCTAssertEqual(device.tiers, [.privateAX])
    }
}
