use kernel_runtime::prelude::*;

#[kernel(block(32))]
fn product(d: &mut [F32x4]) {
    d[thread_idx().x] = warp::mma(F16x8::splat(f16::ONE), F16x2::splat(f16::ONE), F32x4::splat(0.0));
}

#[kernel(block(32))]
fn of_f32(d: &mut [F32x4]) {
    d[thread_idx().x] = warp::mma(F32x4::splat(1.0), F32x2::splat(1.0), F32x4::splat(0.0));
}

fn main() {}
