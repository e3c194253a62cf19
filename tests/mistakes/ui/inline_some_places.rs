use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_idx().x;
    let s;
    y[i] = unsafe { inline_ptx!("mov.u32 {d}, 1;", "mov.u32 {e}, 2;", d = out(u32) s, e = out(u32)) };
}

fn main() {}
