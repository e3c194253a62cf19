use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let mut v = n;
    let r = &v;
    *r = 3;
    y[0] = v;
}

fn main() {}
