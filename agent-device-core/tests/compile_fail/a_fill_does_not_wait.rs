use agent_device_core::{Device, selector::id};

async fn fill(device: &Device) {
    let _ = device
        .locate(id("email"))
        .fill("anna@example.org")
        .ready_within(std::time::Duration::from_secs(2))
        .await;
}

fn main() {}
