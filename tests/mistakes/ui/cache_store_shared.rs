use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    cache::store_cs(&x[i], y[i]);
}

fn main() {}
