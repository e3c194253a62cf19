use kernel_runtime::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    let i = global_idx().x;
    cluster::sync();
    x[i] = 1.0;
}

fn main() {}
