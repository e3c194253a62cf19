use kernel_runtime::prelude::*;

#[kernel(block(32))]
fn product(d: &mut [F32x4]) {
    let mut tile = shared::<[f16; 256]>();
    let lane = warp::lane_id();
    tile[lane] = f16::ONE;
    barrier();
    if lane < 16 {
        let left = F16x8::load_matrix(&tile[..], 8 * lane);
        d[lane] = warp::mma(left, F16x4::splat(f16::ONE), F32x4::splat(0.0));
    }
}

fn main() {}
