//! The scalar types: what a kernel takes by value and what buffers hold.

use std::fmt;

use bytemuck::Pod;

// `usize` is 64 bits wide in kernels; the host's has to be the same.
const _: () = assert!(size_of::<usize>() == 8, "kernel-runtime needs a 64-bit host");

/// A scalar type of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum ScalarType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
    F32,
    F64,
}

impl ScalarType {
    /// Every type with its name in Rust and its size in bytes, as a PTX parameter and in memory; `bool` is one byte.
    pub const TABLE: &[(ScalarType, &str, usize)] = &[
        (ScalarType::Bool, "bool", 1),
        (ScalarType::I8, "i8", 1),
        (ScalarType::I16, "i16", 2),
        (ScalarType::I32, "i32", 4),
        (ScalarType::I64, "i64", 8),
        (ScalarType::Isize, "isize", 8),
        (ScalarType::U8, "u8", 1),
        (ScalarType::U16, "u16", 2),
        (ScalarType::U32, "u32", 4),
        (ScalarType::U64, "u64", 8),
        (ScalarType::Usize, "usize", 8),
        (ScalarType::F32, "f32", 4),
        (ScalarType::F64, "f64", 8),
    ];

    /// The name in Rust.
    pub const fn name(self) -> &'static str {
        Self::TABLE[self as usize].1
    }

    /// Size and alignment in bytes.
    pub const fn bytes(self) -> usize {
        Self::TABLE[self as usize].2
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A type that kernels take by value and that [`DeviceBuffer`](crate::DeviceBuffer)s hold: every scalar of Rust that a
/// GPU has.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that a GPU buffer or kernel parameter can have",
    label = "expected a scalar: bool, i8 to i64, u8 to u64, isize, usize, f32 or f64"
)]
pub trait Element: sealed::Sealed + Copy + Send + Sync + fmt::Debug + PartialEq + 'static {
    /// Which type it is.
    const TYPE: ScalarType;
    /// The plain data that it is stored as: itself, but `u8` for `bool`, which not every byte is.
    type Stored: Pod;

    /// The bytes of a slice, as the device stores them.
    fn bytes(slice: &[Self]) -> &[u8];

    /// Values from what the device stored; `Err` with the index of the first that is not a value of this type, and
    /// its byte.
    fn from_stored(stored: Vec<Self::Stored>) -> Result<Vec<Self>, (usize, u8)>;
}

macro_rules! plain_elements {
    ($($ty:ident $variant:ident),*) => {$(
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const TYPE: ScalarType = ScalarType::$variant;
            type Stored = $ty;

            fn bytes(slice: &[$ty]) -> &[u8] {
                bytemuck::cast_slice(slice)
            }

            fn from_stored(stored: Vec<$ty>) -> Result<Vec<$ty>, (usize, u8)> {
                Ok(stored)
            }
        }
    )*};
}

plain_elements!(i8 I8, i16 I16, i32 I32, i64 I64, isize Isize);
plain_elements!(u8 U8, u16 U16, u32 U32, u64 U64, usize Usize, f32 F32, f64 F64);

impl sealed::Sealed for bool {}
impl Element for bool {
    const TYPE: ScalarType = ScalarType::Bool;
    type Stored = u8;

    fn bytes(slice: &[bool]) -> &[u8] {
        bytemuck::cast_slice(slice)
    }

    fn from_stored(stored: Vec<u8>) -> Result<Vec<bool>, (usize, u8)> {
        match stored.iter().position(|&byte| byte > 1) {
            Some(index) => Err((index, stored[index])),
            None => Ok(stored.into_iter().map(|byte| byte == 1).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Element>() {
        assert_eq!(T::TYPE.bytes(), size_of::<T>());
        assert_eq!(T::TYPE.bytes(), size_of::<T::Stored>());
        assert_eq!(T::TYPE.name(), std::any::type_name::<T>());
    }

    #[test]
    fn the_table_agrees_with_rust() {
        check::<bool>();
        check::<i8>();
        check::<i16>();
        check::<i32>();
        check::<i64>();
        check::<isize>();
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
        check::<usize>();
        check::<f32>();
        check::<f64>();
        assert!(ScalarType::TABLE.iter().enumerate().all(|(index, row)| row.0 as usize == index));
    }

    #[test]
    fn a_byte_that_is_no_bool_is_told() {
        assert_eq!(bool::from_stored(vec![0, 1]), Ok(vec![false, true]));
        assert_eq!(bool::from_stored(vec![0, 1, 2]), Err((2, 2)));
    }
}
