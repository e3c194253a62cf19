use kernel_runtime::prelude::*;

#[kernel(deny_checks)]
fn gather(at: &[u32], x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < out.len() {
        out[i] = x[at[i] as usize];
    }
}

fn main() {}
