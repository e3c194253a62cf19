use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let v = vec![n; 4];
    y[0] = v[0];
}

fn main() {}
