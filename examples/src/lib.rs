//! Programs that show what agent-device is for: `cargo xtask demo`.
