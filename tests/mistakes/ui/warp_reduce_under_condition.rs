use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    let mut v = x[i];
    if warp::lane_id() < 16 {
        #[warp_reduce(add)]
        let sum = v;
        v = sum;
    }
    y[i] = v;
}

fn main() {}
