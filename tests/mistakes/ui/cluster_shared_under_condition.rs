use kernel_runtime::prelude::*;

#[kernel(cluster(2))]
fn k(y: &mut [f32]) {
    let mut tile = shared::<[f32; 64]>();
    tile[thread_idx().x] = 1.0;
    cluster::sync();
    if cluster::shared(&tile, 0)[thread_idx().x] > 0.0 {
        cluster::sync();
    }
    if cluster::shared(&tile, 0)[0] > 0.0 {
        cluster::sync();
    }
    y[0] = tile[0];
}

fn main() {}
