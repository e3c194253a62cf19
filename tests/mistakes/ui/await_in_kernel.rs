use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let v = async { n };
    y[0] = 1;
}

fn main() {}
