use kernel_runtime::prelude::*;

#[kernel]
struct Kernel {
    x: f32,
}

fn main() {}
