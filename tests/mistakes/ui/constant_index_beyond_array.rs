use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let a = [n, 2, 3];
    y[0] = a[3];
}

fn main() {}
