//! The scalar types of kernels.

/// A scalar type that kernels know.
pub trait Scalar: Copy + 'static + sealed::Sealed {
    /// What uninitialised memory holds on the CPU: a value that no sane result contains, so that reading it shows.
    const POISON: Self;
    /// Its bits, zero above its width.
    fn to_word(self) -> u64;
    /// The value with these bits.
    fn from_word(word: u64) -> Self;
}

mod sealed {
    /// Keeps the scalar types to those of the language.
    pub trait Sealed {}
}

macro_rules! scalars {
    ($($ty:ident, $poison:expr, |$value:ident| $to:expr, |$word:ident| $from:expr;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Scalar for $ty {
            const POISON: $ty = $poison;
            fn to_word(self) -> u64 {
                let $value = self;
                $to
            }
            fn from_word($word: u64) -> $ty {
                $from
            }
        }
    )*};
}

scalars! {
    bool, true, |v| u64::from(v), |w| w != 0;
    i8, 0x4d, |v| u64::from(v as u8), |w| w as i8;
    i16, 0x4d4d, |v| u64::from(v as u16), |w| w as i16;
    i32, 0x4d4d_4d4d, |v| u64::from(v as u32), |w| w as i32;
    i64, 0x4d4d_4d4d_4d4d_4d4d, |v| v as u64, |w| w as i64;
    isize, 0x4d4d_4d4d_4d4d_4d4d, |v| v as u64, |w| w as isize;
    u8, 0xcd, |v| u64::from(v), |w| w as u8;
    u16, 0xcdcd, |v| u64::from(v), |w| w as u16;
    u32, 0xcdcd_cdcd, |v| u64::from(v), |w| w as u32;
    u64, 0xcdcd_cdcd_cdcd_cdcd, |v| v, |w| w;
    usize, 0xcdcd_cdcd_cdcd_cdcd, |v| v as u64, |w| w as usize;
    f32, f32::NAN, |v| u64::from(v.to_bits()), |w| f32::from_bits(w as u32);
    f64, f64::NAN, |v| v.to_bits(), |w| f64::from_bits(w);
}
