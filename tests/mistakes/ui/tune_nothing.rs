use kernel_runtime::prelude::*;

#[kernel(tune)]
fn one(x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel(tune(per_thread = 2))]
fn two(x: &mut [f32]) {
    x[0] = 1.0;
}

fn main() {
    let _ = (one::TUNED, two::TUNED);
}
