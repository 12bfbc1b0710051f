use agent_device_core::{Error, ErrorCode, dispatch::rows};

fn main() {
    let _ = Error::refused(rows::core::REFUSAL_BECAUSE_I_SAY_SO, ErrorCode::CommandFailed, "trust me");
}
