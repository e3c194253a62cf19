use kernel_runtime::prelude::*;

#[kernel(launch_bounds(256), tune(block = [128, 512]))]
fn one(x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel(launch_bounds(256), tune(N = [128, 512], block = N))]
fn two<const N: usize>(x: &mut [f32]) {
    x[0] = 1.0;
}

fn main() {
    let _ = (one::TUNED, two::TUNED);
}
