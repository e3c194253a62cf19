use kernel_runtime::prelude::*;

#[kernel(checks(bounds))]
fn scale(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    y[i] = a * x[i];
}

fn main() {}
