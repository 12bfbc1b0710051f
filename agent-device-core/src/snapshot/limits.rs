/// How much of what a device sends is read into a snapshot: for decoders, whose bytes come from apps under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The size of what was sent in bytes: 64 MiB. More is an error.
    pub bytes: usize,
    /// How many nodes are taken: 100 000. More of them make the snapshot truncated.
    pub nodes: usize,
    /// How deep a node may lie: 1 024 levels. Deeper ones make the snapshot truncated.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            nodes: 100_000,
            depth: 1024,
        }
    }
}
