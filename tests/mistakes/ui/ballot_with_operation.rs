use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    #[ballot(add)]
    let mask = x[i] > 0.0;
    let v = mask as f32;
    y[i] = v;
}

fn main() {}
