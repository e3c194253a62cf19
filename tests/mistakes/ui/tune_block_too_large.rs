use kernel_runtime::prelude::*;

#[kernel(tune(block = [0, 128, 2048, (64, 32)]))]
fn scale(x: &mut [f32]) {
    x[0] = 1.0;
}

fn main() {
    let _ = scale::TUNED;
}
