use kernel_runtime::prelude::*;

#[kernel(deny_checks)]
fn divide(by: &[u32], out: &mut [u32]) {
    let i = global_idx().x;
    if i < out.len() {
        out[i] = 1000 / by[i];
    }
}

fn main() {}
