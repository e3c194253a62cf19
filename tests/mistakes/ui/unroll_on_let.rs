use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], out: &mut [f32]) {
    #[unroll]
    let sum = x[0];
    out[0] = sum;
}

fn main() {}
