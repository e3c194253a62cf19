use kernel_runtime::prelude::*;

#[kernel]
fn sum(pairs: &[(f32, u32)], y: &mut [f32]) {
    y[0] = pairs[0].0;
}

fn main() {}
