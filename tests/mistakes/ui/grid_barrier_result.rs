use kernel_runtime::prelude::*;

#[kernel(cooperative)]
fn k(x: &mut [u32]) {
    x[global_idx().x] = grid_barrier();
}

fn main() {}
