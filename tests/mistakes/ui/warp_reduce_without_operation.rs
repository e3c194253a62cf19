use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    #[warp_reduce]
    let v = x[i];
    y[i] = v;
}

fn main() {}
