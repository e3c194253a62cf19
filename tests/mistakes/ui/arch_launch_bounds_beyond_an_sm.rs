use kernel_runtime::prelude::*;

#[kernel(arch(sm_75, sm_90), launch_bounds(256, 8))]
fn double(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        x[i] *= 2.0;
    }
}

fn main() {}
