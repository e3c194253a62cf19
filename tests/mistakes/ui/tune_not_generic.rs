use kernel_runtime::prelude::*;

#[kernel(tune(UNROLL = [1, 2]))]
fn scale(x: &mut [f32]) {
    x[0] = 1.0;
}

fn main() {
    let _ = scale::TUNED;
}
