use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_idx().x;
    let v = x[i] as u8;
    y[i] = unsafe { inline_ptx!("mov.u32 {d}, {a};", d = out(u32), a = in(u8) v) };
}

fn main() {}
