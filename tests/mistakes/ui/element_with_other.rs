//! A field of a type of one's own that is no element: one error, at its type.

use kernel_runtime::prelude::*;

#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Kind {
    Dust,
    Gas,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
pub struct Particle {
    pub at: [f32; 3],
    pub kinds: [Kind; 2],
}

fn main() {}
