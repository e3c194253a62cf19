use kernel_runtime::prelude::*;

#[kernel(cooperative, coarsen(4))]
fn k(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        x[i] = 1.0;
    }
}

fn main() {}
