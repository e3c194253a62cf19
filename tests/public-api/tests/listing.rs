//! The public items of each crate that users depend on, beside this file: `UPDATE_EXPECT=1 cargo test -p public-api` writes them anew.

use expect_test::{ExpectFile, expect_file};
use public_api::listing;

fn check(name: &str, expected: ExpectFile) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let listing = listing(format!("{root}/{name}").as_ref()).unwrap_or_else(|error| panic!("{error}"));
    expected.assert_eq(&listing);
}

#[test]
fn kernel_runtime() {
    check("kernel-runtime", expect_file!["kernel_runtime.txt"]);
}

#[test]
fn kernel_runtime_core() {
    check("kernel-runtime-core", expect_file!["kernel_runtime_core.txt"]);
}

#[test]
fn kernel_library() {
    check("kernel-library", expect_file!["kernel_library.txt"]);
}

/// The listing has what is public and leaves out what is not.
#[test]
fn a_crate_of_each_kind_of_item() {
    check("tests/public-api/tests/sample", expect_file!["sample.txt"]);
}
