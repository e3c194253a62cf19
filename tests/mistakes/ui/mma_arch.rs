use kernel_runtime::prelude::*;

#[kernel(block(32), arch(sm_75, sm_80))]
fn product(d: &mut [F32x4]) {
    let sum = warp::mma(F16x4::splat(f16::ONE), F16x2::splat(f16::ONE), F32x4::splat(0.0));
    d[thread_idx().x] = warp::mma(F16x8::splat(f16::ONE), F16x4::splat(f16::ONE), sum);
}

fn main() {}
