//! An enum with data in a struct that is to be an element, and in page-locked memory: it has bytes that hold nothing.

use kernel_runtime::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C, u32)]
pub enum Hit {
    Miss,
    At { t: f32 },
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
pub struct Ray {
    pub from: [f32; 3],
    pub hits: [Hit; 2],
}

fn main() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let _ = gpu.upload(&[Hit::Miss]);
    let _ = gpu.pinned::<Hit>(3);
}
