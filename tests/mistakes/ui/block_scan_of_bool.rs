use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    #[block_scan(add)]
    let positive = x[i] > 0.0;
    let v = positive as u32 as f32;
    y[i] = v;
}

fn main() {}
