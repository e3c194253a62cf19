//! Every mistake in `ui/` is one error, at the right token, saying what to do. `TRYBUILD=overwrite` blesses.

#[test]
fn mistakes_are_reported() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
