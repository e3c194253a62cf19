//! Products of bytes, four at once.

use ptx_sim::dot4 as of_words;

/// Four bytes in a word, the lowest first: `i8` in an `i32`, `u8` in an `u32`.
pub trait FourBytes<Other>: Copy {
    /// The type of the sum: `u32` if both are unsigned, else `i32`.
    type Sum;
    /// See [`dot4`].
    fn dot4(self, other: Other, sum: Self::Sum) -> Self::Sum;
}

macro_rules! words {
    ($($a:ident $b:ident $sum:ident;)*) => {$(
        impl FourBytes<$b> for $a {
            type Sum = $sum;
            fn dot4(self, other: $b, sum: $sum) -> $sum {
                of_words(self as u32, other as u32, sum as u32, $a::MIN != 0, $b::MIN != 0) as $sum
            }
        }
    )*};
}
words! {
    u32 u32 u32;
    u32 i32 i32;
    i32 u32 i32;
    i32 i32 i32;
}

/// The products of the four bytes of `a` and those of `b`, added to `c`; it wraps. One instruction, `dp4a` (PTX ISA).
///
/// An `i32` has four `i8`, a `u32` four `u8`; the sum is a `u32` if both are, else an `i32`.
pub fn dot4<A: FourBytes<B>, B>(a: A, b: B, c: A::Sum) -> A::Sum {
    a.dot4(b, c)
}
