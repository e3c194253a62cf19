use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let m = 4;
    let a = [0; m];
    y[0] = a[0];
}

fn main() {}
