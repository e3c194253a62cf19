use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let t = (n, 2);
    y[0] = t.2;
}

fn main() {}
