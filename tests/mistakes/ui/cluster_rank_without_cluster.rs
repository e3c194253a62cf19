use kernel_runtime::prelude::*;

#[kernel(arch(sm_80))]
fn k(x: &mut [u32]) {
    x[global_idx().x] = cluster::block_rank() as u32;
}

fn main() {}
