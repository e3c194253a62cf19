use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32) {
    assert_eq!(n);
}

fn main() {}
