use kernel_runtime::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C, align(16))]
struct Aligned<T> {
    x: T,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Mixed<T> {
    x: T,
    y: u32,
}

fn main() {}
