agent_device_core::golden_rows! {
    pub mod acme_rows {
        yes LANDED = "acme.landed": "it was seen", "nobody can know that";
    }
}

fn main() {}
