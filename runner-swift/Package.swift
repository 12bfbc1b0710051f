// swift-tools-version: 6.0
import PackageDescription

// No dependencies, on purpose: the runner is built on the user's machine, often behind a firewall.
// Language mode 6: the compiler proves that what crosses from a connection's thread to the main thread may do so.
let package = Package(
    name: "Runner",
    platforms: [.iOS(.v15), .tvOS(.v15), .macOS(.v13), .visionOS(.v1)],
    products: [
        .library(name: "RunnerCore", targets: ["RunnerCore"]),
        .executable(name: "runner-sim", targets: ["RunnerSim"]),
        .executable(name: "ax-peer", targets: ["AXPeer"]),
    ],
    targets: [
        .target(name: "RunnerCore"),
        .executableTarget(name: "RunnerSim", dependencies: ["RunnerCore"]),
        .testTarget(name: "RunnerCoreTests", dependencies: ["RunnerCore"]),
        .testTarget(name: "RunnerSimTests", dependencies: ["RunnerCore", "RunnerSim"]),
        .target(name: "AXService"),
        .executableTarget(name: "AXPeer", dependencies: ["AXService"]),
        .testTarget(name: "AXServiceTests", dependencies: ["AXService"]),
    ],
    swiftLanguageModes: [.v6]
)
