use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_idx().x;
    unsafe { inline_ptx!(out(u32) y[i]) };
}

fn main() {}
