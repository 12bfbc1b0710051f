//! A command line arrives at a shell as it was meant.

use agent_device_android::adb::ShellCommand;
use proptest::prelude::*;

/// What a real `sh` makes of a command line.
#[expect(clippy::disallowed_methods, reason = "the shell is the judge here")]
fn sh(line: &[u8]) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    let output = std::process::Command::new("/bin/sh")
        .arg("-c")
        .arg(std::ffi::OsStr::from_bytes(line))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

pub(crate) fn words() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let hostile = prop_oneof![
        Just(b"'".to_vec()),
        Just(b"\\".to_vec()),
        Just(b"$(reboot)`id`\"".to_vec()),
        Just(b"; exit 3\n".to_vec()),
        Just(b"~ * ? [a] {a,b} !x #y -n".to_vec()),
        Just(Vec::new()),
        proptest::collection::vec(1_u8..=255, 0..40),
        "\\PC{0,20}".prop_map(String::into_bytes),
    ];
    let word = proptest::collection::vec(hostile, 0..4).prop_map(|parts| parts.concat());
    proptest::collection::vec(word, 1..6)
}

pub(crate) fn joined(words: &[Vec<u8>]) -> Vec<u8> {
    words
        .iter()
        .flat_map(|word| [&word[..], b"\0"].concat())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_real_shell_reads_back_every_word(words in words()) {
        let command = ShellCommand::new("printf").unwrap().arg("%s\\0").unwrap();
        let line = command.args(&words).unwrap();
        prop_assert_eq!(sh(line.as_bytes()), joined(&words));
    }

    #[test]
    fn a_script_gets_its_arguments_as_arguments(words in words()) {
        let script = ShellCommand::script("for word in \"$@\"; do printf '%s\\0' \"$word\"; done");
        let line = script.args(&words).unwrap();
        prop_assert_eq!(sh(line.as_bytes()), joined(&words));
    }
}
