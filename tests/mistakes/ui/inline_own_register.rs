use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_idx().x;
    y[i] = unsafe { inline_ptx!(".reg .b32 %r1;", "mov.u32 %r1, 1;", "mov.u32 {d}, %r1;", d = out(u32)) };
}

fn main() {}
