use kernel_runtime::prelude::*;

#[kernel]
fn stage(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; 256]>();
    let t = thread_idx().x;
    let i = global_idx().x;
    if i < x.len() {
        tile[t] = x[i];
        barrier();
        out[i] = tile[255 - t];
    }
}

fn main() {}
