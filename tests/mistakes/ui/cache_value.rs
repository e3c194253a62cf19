use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    y[i] = cache::load_cs(x[i]);
}

fn main() {}
