use kernel_runtime::prelude::*;

#[kernel(block(256))]
fn first(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; 32]>();
    if warp::warp_id() == 0 {
        tile[warp::lane_id()] = x[warp::lane_id()];
        barrier();
    }
    out[thread_idx().x] = tile[warp::lane_id()];
}

fn main() {}
