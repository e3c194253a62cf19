use kernel_runtime::prelude::*;

#[kernel(block(32))]
fn load(x: &[f16], y: &mut [f32]) {
    y[thread_idx().x] = F16x2::load_matrix(x, 8 * warp::lane_id()).x.to_f32();
}

fn main() {}
