use kernel_runtime::prelude::*;

#[kernel]
fn scale(a: f32, n: u32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    #[vectorize(4)]
    for j in 0..4 {
        y[i] += x[j];
    }
}

fn main() {}
