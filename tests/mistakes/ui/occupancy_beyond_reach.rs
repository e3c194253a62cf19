use kernel_runtime::prelude::*;

#[kernel(arch(sm_86), block(1024), occupancy(min = 0.75))]
fn double(x: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() {
        x[i] *= 2.0;
    }
}

fn main() {}
