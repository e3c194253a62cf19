use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_idx().x;
    y[i] = unsafe { inline_ptx!("{ mov.u32 {d}, 1; }", d = out(u32)) };
}

fn main() {}
