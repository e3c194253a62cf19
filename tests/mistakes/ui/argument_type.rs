use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    fn half(v: f32) -> f32 {
        v * 0.5
    }
    y[0] = half(n) as i32;
}

fn main() {}
