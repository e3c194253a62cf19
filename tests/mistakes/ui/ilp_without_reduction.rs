use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], out: &mut [f32]) {
    #[ilp(4)]
    for i in 0..out.len() {
        out[i] = x[i];
    }
}

fn main() {}
