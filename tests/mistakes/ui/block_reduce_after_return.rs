use kernel_runtime::prelude::*;

#[kernel]
fn total(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i >= x.len() {
        return;
    }
    let sum = block::reduce_add(x[i]);
    if thread_idx().x == 0 {
        out[block_idx().x] = sum;
    }
}

fn main() {}
