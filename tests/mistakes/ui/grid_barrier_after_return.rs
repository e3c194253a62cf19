use kernel_runtime::prelude::*;

#[kernel(cooperative)]
fn k(x: &mut [f32]) {
    if block_idx().x >= 4 {
        return;
    }
    x[global_idx().x] = 1.0;
    grid_barrier();
}

fn main() {}
