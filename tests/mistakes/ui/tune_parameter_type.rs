use kernel_runtime::prelude::*;

#[kernel(tune(T = [f32, f64]))]
fn scale<T: Float>(x: &mut [T]) {
    x[0] = T::ONE;
}

fn main() {
    let _ = scale::TUNED;
}
