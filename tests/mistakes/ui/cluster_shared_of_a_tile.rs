use kernel_runtime::prelude::*;

#[kernel(cluster(2), block(128))]
fn k(c: &mut [f32]) {
    let tile = shared::<SharedTile<f16, 64, 32>>();
    let other = cluster::shared(&tile, 1);
    c[0] = 0.0;
}

fn main() {}
