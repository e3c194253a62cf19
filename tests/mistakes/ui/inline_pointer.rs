use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_idx().x;
    let p = x.as_ptr();
    y[i] = unsafe { inline_ptx!("ld.u32 {d}, [{p}];", d = out(u32), p = in(*const u32) p) };
}

fn main() {}
