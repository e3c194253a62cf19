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

#[derive(Clone, Copy, Element)]
#[r#repr(C, r#align(16))]
struct RawAligned<T> {
    x: T,
}

struct Pick<const EVEN: bool, T>(T);
trait Of {
    type Type;
}
impl<T> Of for Pick<true, T> {
    type Type = u8;
}
impl<T> Of for Pick<false, T> {
    type Type = u32;
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct ByLine<T> {
    x: <Pick<{ line!() % 2 == 0 }, T> as Of>::Type,
    y: <Pick<{ line!() % 2 == 0 }, T> as Of>::Type,
}

#[derive(Clone, Copy, Element)]
#[repr(C, packed)]
struct Packed {
    tag: u8,
    length: u32,
}

#[derive(Clone, Copy, Element)]
#[repr(u8, u32)]
enum TwoNumbers {
    One = 1,
}

fn main() {}
