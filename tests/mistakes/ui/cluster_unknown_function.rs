use kernel_runtime::prelude::*;

#[kernel(cluster(2))]
fn k(x: &mut [u32]) {
    x[global_idx().x] = cluster::num_blocks() as u32;
    cluster::barrier();
}

fn main() {}
