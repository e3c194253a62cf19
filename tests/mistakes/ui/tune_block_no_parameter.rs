use kernel_runtime::prelude::*;

#[kernel(tune(N = [1, 2], block = BLOCK, per_thread = M))]
fn one<const N: usize>(x: &mut [f32]) {
    x[N] = 1.0;
}

#[kernel(tune(N = [1, 2], block = 128))]
fn two<const N: usize>(x: &mut [f32]) {
    x[N] = 1.0;
}

fn main() {
    let _ = (one::TUNED, two::TUNED);
}
