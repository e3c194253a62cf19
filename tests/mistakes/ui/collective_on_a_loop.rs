use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    let mut v = x[i];
    #[warp_reduce(add)]
    for j in 0..4 {
        v += x[j];
    }
    y[i] = v;
}

fn main() {}
