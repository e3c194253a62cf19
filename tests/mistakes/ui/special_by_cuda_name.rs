use kernel_runtime::prelude::*;

#[kernel]
fn k(y: &mut [u64]) {
    let i = global_idx().x;
    y[i] = clock64();
}

fn main() {}
