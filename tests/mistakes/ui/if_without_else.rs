use kernel_runtime::prelude::*;

#[kernel]
fn scale(a: f32, n: u32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    let v: f32 = if n > 0 {
        a
    };
    y[i] = v;
}

fn main() {}
