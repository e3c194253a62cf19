use kernel_runtime::prelude::*;

#[kernel(tune(UNROL = [1, 2]))]
fn scale<const UNROLL: usize>(x: &mut [f32]) {
    for step in 0..UNROLL {
        x[step] = 1.0;
    }
}

fn main() {
    let _ = scale::TUNED;
}
