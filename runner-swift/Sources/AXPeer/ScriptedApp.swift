import AXService
import Foundation

/// An accessibility server that follows a script. A handle is the position of an element.
final class ScriptedApp: TreeSource {
    private let script: Script
    /// The process that the present request asks for.
    var asked: Int32 = 0
    private var descriptions = 0
    private var looks = 0
    private var reads = 0

    init(_ script: Script) {
        self.script = script
    }

    func foregroundOwner() throws(Failure) -> Int32? {
        looks += 1
        switch script.owner {
        case .asked: return asked
        case .process(let pid): return pid
        case .file(let path): return (try? String(contentsOfFile: path, encoding: .utf8)).flatMap { Int32($0) }
        case .nobody: return nil
        case .changes: return looks == 1 ? asked : asked + 1
        }
    }

    func application(_ pid: Int32) throws(Failure) -> Int {
        descriptions += 1
        if let failure = script.failure, descriptions <= failure.times {
            throw Failure(failure.code, "as the script says")
        }
        return 0
    }

    func read(_ handle: Int, levels: Int, nodes: Int, seconds: Double) throws(ReadFailure) -> Reading<Int> {
        reads += 1
        script.note("read \(levels)")
        if script.hangOn == reads { while true { sleep(60) } }
        if script.slowMilliseconds > 0 { usleep(script.slowMilliseconds * 1000) }
        guard levels <= script.rejectAbove else { throw .depthRejected }
        let base = script.elements[handle].depth
        var out: [Reading<Int>.Element] = []
        // The position in `out` of the latest element on each level.
        var path: [Int] = []
        for at in script.elements[handle...].indices {
            let element = script.elements[at]
            let depth = element.depth - base
            if at > handle, depth <= 0 { break }
            if depth > 0, depth <= path.count { out[path[depth - 1]].children? += 1 }
            guard depth < levels else { continue }
            path.removeLast(path.count - depth)
            path.append(out.count)
            out.append(
                .init(
                    depth: depth, facts: element.facts, children: script.knowsChildren ? 0 : nil,
                    handle: script.givesHandles ? at : nil))
        }
        return Reading(out)
    }
}
