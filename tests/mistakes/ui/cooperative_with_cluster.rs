use kernel_runtime::prelude::*;

#[kernel(cluster(2), cooperative)]
fn k(x: &mut [f32]) {
    let i = global_idx().x;
    grid_barrier();
    if i < x.len() {
        x[i] = 1.0;
    }
}

fn main() {}
