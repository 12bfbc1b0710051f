#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agent_device_android::fuzzing::log_lines(data));
