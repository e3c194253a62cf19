use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let (a, a) = (n, 2);
    y[0] = a;
}

fn main() {}
