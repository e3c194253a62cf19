use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    const ZERO: i32 = 0;
    const BAD: i32 = 7 / ZERO;
    y[0] = BAD + n;
}

fn main() {}
