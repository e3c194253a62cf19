use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let a: [i32; 3] = [n, 2];
    y[0] = a[0];
}

fn main() {}
