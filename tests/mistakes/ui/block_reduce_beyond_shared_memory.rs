use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let mut tile = shared::<[f32; 12256]>();
    let i = global_idx().x;
    tile[thread_idx().x] = x[i];
    #[block_reduce(add)]
    let v = x[i];
    y[i] = v + tile[0];
}

fn main() {}
