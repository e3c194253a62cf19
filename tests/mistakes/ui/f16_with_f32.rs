use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    let h = f16::from_f32(1.5);
    let v = h * 2.0f32;
    y[0] = n;
}

fn main() {}
