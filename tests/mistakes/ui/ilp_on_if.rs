use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], out: &mut [f32]) {
    #[ilp(4)]
    if x.len() > 0 {
        out[0] = x[0];
    }
}

fn main() {}
