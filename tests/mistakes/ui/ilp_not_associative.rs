use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], out: &mut [f32]) {
    let mut sum = 0.0f32;
    #[ilp(4)]
    for i in 0..x.len() {
        sum = sum * 0.5 + x[i];
    }
    out[0] = sum;
}

fn main() {}
