use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], out: &mut [f32]) {
    let mut sum = 0.0f32;
    #[ilp(1000)]
    for i in 0..x.len() {
        sum += x[i];
    }
    out[0] = sum;
}

fn main() {}
