use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    #[redux(add, width = 8)]
    let n = i as u32;
    let v = n as f32;
    y[i] = v;
}

fn main() {}
