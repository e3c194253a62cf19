use kernel_runtime::prelude::*;

#[device]
fn square(v: f32) -> f32 {
    v * v
}

fn main() {}
