use kernel_runtime::prelude::*;

#[kernel(block(128), tune(block = [128, 256]))]
fn scale(x: &mut [f32]) {
    x[0] = 1.0;
}

fn main() {
    let _ = scale::TUNED;
}
