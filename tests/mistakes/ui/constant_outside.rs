use kernel_runtime::prelude::*;

const SCALE: f32 = 2.0;

#[kernel]
fn double(x: &mut [f32]) {
    x[0] *= SCALE;
}

fn main() {
    let _ = SCALE;
}
