use kernel_runtime::prelude::*;

#[allow(non_camel_case_types)]
type f64 = f32;

#[kernel]
fn fill(y: &mut [f64]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = 1.0;
    }
}

fn main() {}
