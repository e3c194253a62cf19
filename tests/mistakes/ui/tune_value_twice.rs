use kernel_runtime::prelude::*;

#[kernel(tune(N = [1, 2, 1], block = [64, 64]))]
fn one<const N: usize>(x: &mut [f32]) {
    x[N] = 1.0;
}

#[kernel(tune(N = [1, 2], N = [3]))]
fn two<const N: usize>(x: &mut [f32]) {
    x[N] = 1.0;
}

fn main() {
    let _ = (one::TUNED, two::TUNED);
}
