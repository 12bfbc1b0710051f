/// What both ends of the socket agree on. The host's half is `agent-device-apple/src/ax/wire.rs`; a test of each request and
/// reply through the real socket holds the two together.
public enum Wire {
    public static let protocolVersion = 1
    /// Changes whenever the meaning of a request or a reply changes. Whether the guest is the one that was built from the
    /// host's own source is proven by the build cache, not by this.
    public static let sourceVersion = "agent-device-ax-1"
    public static let describe = "describe"

    /// What the guest accepts, whoever asks.
    public enum Limit {
        public static let frame = 16 << 20
        public static let nodes = 10_000
        public static let depth = 128
        public static let milliseconds = 120_000
        /// A name that is longer than this is a mistake, and it would be echoed with every reply.
        public static let name = 1024
    }

    /// How often one description may ask the app's accessibility server.
    public static let reads = 32
    /// How often one read that is refused as too deep is asked again with half the levels.
    public static let halvings = 2

    /// The names of what a node says, as XCTest spells its accessibility attributes.
    public enum Key {
        public static let elementType = "XC_kAXXCAttributeElementType"
        public static let elementBaseType = "XC_kAXXCAttributeElementBaseType"
        public static let label = "XC_kAXXCAttributeLabel"
        public static let value = "XC_kAXXCAttributeValue"
        public static let placeholder = "XC_kAXXCAttributePlaceholderValue"
        public static let identifier = "XC_kAXXCAttributeIdentifier"
        public static let frame = "XC_kAXXCAttributeFrame"
        public static let automationType = "XC_kAXXCAttributeAutomationType"
        public static let traits = "XC_kAXXCAttributeTraits"
        public static let children = "XC_kAXXCAttributeChildren"
    }
}
