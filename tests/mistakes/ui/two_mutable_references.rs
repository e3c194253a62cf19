use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let mut v = n;
    let a = &mut v;
    let b = &mut v;
    *a += 1;
    *b += 1;
    y[0] = v;
}

fn main() {}
