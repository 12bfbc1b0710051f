#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agent_device_android::fuzzing::shell_frames(data));
