use kernel_runtime::prelude::*;

#[kernel(cluster(2))]
fn k(x: &[f32], y: &mut [f32]) {
    let tile = shared::<[f32; 64]>();
    y[0] = cluster::shared(x, 1)[0] + cluster::shared(&tile[..], 1)[0];
}

fn main() {}
