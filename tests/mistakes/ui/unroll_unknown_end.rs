use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], out: &mut [f32]) {
    let mut sum = 0.0f32;
    let mut i = 0;
    #[unroll]
    loop {
        if sum > x[i] {
            break;
        }
        sum += x[i];
        i += 1;
    }
    out[0] = sum;
}

fn main() {}
