use kernel_runtime::prelude::*;

#[kernel]
fn first_half(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if warp::lane_id() < 16 {
        #[warp_reduce(add)]
        let sum = x[i];
        out[i] = sum;
    }
}

fn main() {}
