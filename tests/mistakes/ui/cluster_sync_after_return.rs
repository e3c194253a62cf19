use kernel_runtime::prelude::*;

#[kernel(cluster(2))]
fn k(x: &mut [f32]) {
    let i = global_idx().x;
    if i >= x.len() {
        return;
    }
    x[i] = 1.0;
    cluster::sync();
}

fn main() {}
