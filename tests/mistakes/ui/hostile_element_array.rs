use kernel_runtime::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Array<const N: usize> {
    a: u8,
    b: [u32; N],
}

fn main() {}
