use kernel_runtime::prelude::*;

#[kernel(cluster(2))]
fn k(x: &mut [f32]) {
    if block_idx().x / 2 == 0 {
        cluster::sync();
    }
    if block_idx().x == 0 {
        x[0] = 1.0;
        cluster::sync();
    }
}

fn main() {}
