use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let name = "kernel";
    y[0] = n;
}

fn main() {}
