use kernel_runtime::prelude::*;

#[kernel]
fn positive(x: &[f32], out: &mut [u32]) {
    let i = global_idx().x;
    let value = x[i];
    if value > 0.0 {
        out[i] = warp::ballot(value > 1.0);
    }
}

fn main() {}
