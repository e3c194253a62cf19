use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_idx().x;
    y[i] = unsafe { inline_ptx!("add.rn.f32 {d}, {a}, {a};", d = out(u32), a = in(u64) x[i] as u64) };
}

fn main() {}
