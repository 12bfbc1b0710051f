//! What captures, decisions and the seam cost: `cargo bench -p agent-device-benches`.
