use kernel_runtime::prelude::*;

#[kernel(checks(overflow))]
fn k(x: &[u32], out: &mut [u32]) {
    let mut sum = 0u32;
    #[ilp(4)]
    for i in 0..x.len() {
        sum += x[i];
    }
    out[0] = sum;
}

fn main() {}
