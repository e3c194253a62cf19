use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    let mut v = 0.0;
    #[warp_scan(add)]
    {
        v = x[i];
    }
    y[i] = v;
}

fn main() {}
