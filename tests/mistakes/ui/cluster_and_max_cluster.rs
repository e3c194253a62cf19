use kernel_runtime::prelude::*;

#[kernel(launch_bounds(128, 1, 4), cluster(2))]
fn double(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        x[i] *= 2.0;
    }
}

fn main() {}
