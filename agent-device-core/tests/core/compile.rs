//! Misuse that must not compile.

#[test]
fn misuse_of_proofs_and_waits_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
