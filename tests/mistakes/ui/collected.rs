use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let v = x.iter().map(|v| v * 2.0).collect::<Vec<_>>();
    y[0] = v[0];
}

fn main() {}
