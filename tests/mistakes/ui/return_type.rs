use kernel_runtime::prelude::*;

#[kernel]
fn first(x: &[f32]) -> f32 {
    x[0]
}

fn main() {}
