#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agent_device_apple::fuzzing::runner_reply(data));
