use kernel_runtime::prelude::*;

#[kernel(cluster(2))]
fn k(y: &mut [f32]) {
    let mut tile = shared::<[f32; 64]>();
    cluster::shared(&tile, 1)[0] = 1.0;
    cluster::shared_mut(&tile, 1)[0] = 1.0;
    y[0] = tile[0];
}

fn main() {}
