use kernel_runtime::prelude::*;

#[kernel(arch(sm_75))]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_idx().x;
    y[i] = unsafe { inline_ptx!("redux.sync.add.u32 {d}, {a}, 0xffffffff;", d = out(u32), a = in(u32) x[i]) };
}

fn main() {}
