use kernel_runtime::prelude::*;

#[kernel]
fn scale(a: f32, n: u32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    const SIZE: u8 = 16 * 16;
    y[i] = SIZE as f32;
}

fn main() {}
