use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32) {
    if n < 0 {
        panic!(n);
    }
}

fn main() {}
