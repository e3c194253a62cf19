use kernel_runtime::prelude::*;

#[kernel(block(48))]
fn product(d: &mut [F32x4]) {
    d[thread_idx().x] = warp::mma(F16x8::splat(f16::ONE), F16x4::splat(f16::ONE), F32x4::splat(0.0));
}

fn main() {}
