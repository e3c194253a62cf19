use kernel_runtime::prelude::*;

#[kernel(cooperative)]
fn k(x: &mut [f32]) {
    let i = global_idx().x;
    let sum = block::reduce_add(x[i]);
    let mut rounds = 0;
    while (rounds as f32) < sum {
        x[i] += 1.0;
        grid_barrier();
        rounds += 1;
    }
}

fn main() {}
