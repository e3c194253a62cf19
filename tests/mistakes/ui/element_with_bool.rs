use kernel_runtime::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    time: f32,
    hit: bool,
    name: &'static str,
}

fn main() {}
