use kernel_runtime::prelude::*;

#[kernel(arch(sm_80))]
fn k(y: &mut [u32]) {
    let i = global_idx().x;
    y[i] = special::cluster_ctarank();
}

fn main() {}
