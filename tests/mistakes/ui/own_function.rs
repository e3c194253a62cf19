use kernel_runtime::prelude::*;

fn square(v: f32) -> f32 {
    v * v
}

#[kernel]
fn squares(x: &mut [f32]) {
    x[0] = square(x[0]);
}

fn main() {
    square(1.0);
}
