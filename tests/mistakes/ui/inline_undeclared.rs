use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_idx().x;
    y[i] = unsafe { inline_ptx!("mov.u32 {d}, %tmp;", d = out(u32)) };
}

fn main() {}
