//! Misuse that must not compile.

/// The compiler whose words the expected outputs hold. Another one says the same in other words.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn misuse_of_proofs_and_waits_does_not_compile() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    #[expect(
        clippy::disallowed_methods,
        reason = "a test that asks the compiler for its version"
    )]
    let version = std::process::Command::new(rustc)
        .arg("--version")
        .output()
        .unwrap()
        .stdout;
    let version = String::from_utf8_lossy(&version);
    let required = std::env::var("AGENT_DEVICE_REQUIRE_PEERS").is_ok_and(|peers| peers == "all");
    if !version.starts_with(COMPILER) && !required {
        eprintln!(
            "skipped: {COMPILER}: the expected outputs are those of that compiler, not of {version}"
        );
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
