use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let v = F32x4::splat(1.0) + F32x2::splat(2.0);
    y[0] = n;
}

fn main() {}
