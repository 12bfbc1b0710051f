use agent_device_core::{Dispatched, Proof, dispatch::rows};

fn main() {
    let _ = Dispatched::No(Proof(rows::core::READ_ONLY));
}
