use kernel_runtime::prelude::*;

const THREADS: u32 = 256;

#[kernel(launch_bounds(THREADS))]
fn double(x: &mut [f32]) {
    x[0] *= 2.0;
}

fn main() {
    let _ = THREADS;
}
