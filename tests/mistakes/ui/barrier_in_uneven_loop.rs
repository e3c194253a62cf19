use kernel_runtime::prelude::*;

#[kernel]
fn sums(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; 256]>();
    let t = thread_idx().x;
    let mut sum = 0.0;
    for i in (t..x.len()).step_by(block_dim().x) {
        tile[t] = x[i];
        barrier();
        sum += tile[t ^ 1];
        barrier();
    }
    out[t] = sum;
}

fn main() {}
