use kernel_runtime::prelude::*;

#[kernel(coarsen(4))]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    let mut j = i;
    while j < y.len() {
        y[j] = x[j];
        j += global_size().x;
    }
}

fn main() {}
