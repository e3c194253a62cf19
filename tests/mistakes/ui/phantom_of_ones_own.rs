use kernel_runtime::prelude::*;

#[derive(Clone, Copy)]
pub struct PhantomData<T>(pub T);

#[derive(Clone, Copy, Element)]
#[repr(C)]
pub struct Tagged {
    pub value: f32,
    pub tag: PhantomData<u32>,
}

fn main() {}
