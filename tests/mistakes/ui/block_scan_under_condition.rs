use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    let mut v = x[i];
    if thread_idx().x > 3 {
        #[block_scan(add)]
        let sum = v;
        v = sum;
    }
    y[i] = v;
}

fn main() {}
