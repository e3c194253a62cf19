use kernel_runtime::prelude::*;

#[kernel(arch(sm_75))]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    y[i] = cache::load_l2_256b(&x[i]);
}

fn main() {}
