use agent_device_core::{Error, ErrorCode, dispatch::rows};

fn main() {
    let _ = Error::refused(rows::core::UNCLASSIFIED, ErrorCode::CommandFailed, "not a proof");
}
