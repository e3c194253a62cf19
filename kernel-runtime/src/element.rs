//! Elements of buffers and parameters of kernels: scalars, and any plain data.

use std::fmt;

use bytemuck::{CheckedBitPattern, NoUninit};

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
    F16,
    Bf16,
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
        (ScalarType::F16, "f16", 2),
        (ScalarType::Bf16, "bf16", 2),
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

/// The type of a buffer's elements, or of a parameter that is not a scalar.
#[derive(Clone, Copy, Debug, Eq)]
pub struct ElementType {
    /// Its name in Rust.
    pub name: &'static str,
    /// Its size in bytes.
    pub bytes: usize,
    /// Its alignment in bytes.
    pub align: usize,
}

impl ElementType {
    /// That of `T`.
    pub const fn of<T>(name: &'static str) -> ElementType {
        ElementType { name, bytes: size_of::<T>(), align: align_of::<T>() }
    }
}

/// Names differ in how much of the path is written.
impl PartialEq for ElementType {
    fn eq(&self, other: &ElementType) -> bool {
        (self.bytes, self.align) == (other.bytes, other.align)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The name of a type without the path to it; as it is where it is made of others.
pub(crate) fn short_name(name: &'static str) -> &'static str {
    match name.contains(['<', '[', '(']) {
        true => name,
        false => name.rsplit("::").next().unwrap_or(name),
    }
}

/// A type that [`DeviceBuffer`](crate::DeviceBuffer)s hold and kernels take: the scalars, the vectors, and structs of
/// plain data.
///
/// Every type has it that has [`bytemuck::NoUninit`] and [`bytemuck::CheckedBitPattern`], as what is [`bytemuck::Pod`] has.
/// For a struct of your own write `#[derive(Clone, Copy, Element)] #[repr(C)]` before it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain data, which a GPU buffer or a kernel's parameter has to be",
    label = "expected a scalar, a vector, or a struct of plain data",
    note = "write `#[derive(Clone, Copy, Element)] #[repr(C)]` before a struct of your own; no padding may be in it"
)]
pub trait Element: NoUninit + CheckedBitPattern + Send + Sync + 'static {}

impl<T: NoUninit + CheckedBitPattern + Send + Sync + 'static> Element for T {}

/// Values from what a device stored: `read` fills the bytes. The error of bytes that are no value of this type is the index
/// of the first and its first byte.
pub(crate) fn read_vec<T: Element, E>(
    len: usize,
    read: impl FnOnce(&mut [u8]) -> Result<(), E>,
) -> Result<Result<Vec<T>, (usize, u8)>, E> {
    let mut values = Vec::<T>::with_capacity(len);
    let start = values.as_mut_ptr();
    // SAFETY: the capacity is there; zeros are written before anything is read.
    let bytes = unsafe {
        start.write_bytes(0, len);
        std::slice::from_raw_parts_mut(start.cast::<u8>(), len * size_of::<T>())
    };
    read(bytes)?;
    // SAFETY: zeros or what was read is in all of them.
    if let Some(invalid) = unsafe { first_invalid::<T>(start.cast(), len) } {
        return Ok(Err(invalid));
    }
    // SAFETY: every element was checked.
    unsafe { values.set_len(len) };
    Ok(Ok(values))
}

/// The first of some elements whose bytes are no value of the type: its index and its first byte.
///
/// # Safety
/// So many elements are there, aligned and initialised, and nobody writes them.
pub(crate) unsafe fn first_invalid<T: Element>(start: *const u8, len: usize) -> Option<(usize, u8)> {
    // However many there are.
    if size_of::<T>() == 0 {
        return None;
    }
    (0..len).find_map(|index| {
        // SAFETY: inside, by this function's condition; any bytes are a `T::Bits`, which is as large and aligned as `T`.
        let bits = unsafe { &*start.cast::<T::Bits>().add(index) };
        // SAFETY: its first byte; an element of no bytes is valid, or there is none.
        (!T::is_valid_bit_pattern(bits)).then(|| (index, unsafe { *std::ptr::from_ref(bits).cast::<u8>() }))
    })
}

/// Returns true if these bytes are values: what `#[derive(Element)]` asks of each field, which is one or an array of them.
///
/// # Safety
/// So many bytes are there, aligned for the type and initialised, and nobody writes them.
pub unsafe fn are_values<T: Element>(place: *const u8, bytes: usize) -> bool {
    let len = bytes.checked_div(size_of::<T>()).unwrap_or(0);
    // SAFETY: so many elements, by this function's condition.
    unsafe { first_invalid::<T>(place, len) }.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Element>(scalar: ScalarType) {
        assert_eq!(scalar.bytes(), size_of::<T>());
        assert!(std::any::type_name::<T>().ends_with(scalar.name()));
    }

    #[test]
    fn the_table_agrees_with_rust() {
        check::<bool>(ScalarType::Bool);
        check::<i8>(ScalarType::I8);
        check::<i16>(ScalarType::I16);
        check::<i32>(ScalarType::I32);
        check::<i64>(ScalarType::I64);
        check::<isize>(ScalarType::Isize);
        check::<u8>(ScalarType::U8);
        check::<u16>(ScalarType::U16);
        check::<u32>(ScalarType::U32);
        check::<u64>(ScalarType::U64);
        check::<usize>(ScalarType::Usize);
        check::<half::f16>(ScalarType::F16);
        check::<half::bf16>(ScalarType::Bf16);
        check::<f32>(ScalarType::F32);
        check::<f64>(ScalarType::F64);
        assert!(ScalarType::TABLE.iter().enumerate().all(|(index, row)| row.0 as usize == index));
    }

    #[test]
    fn a_byte_that_is_no_bool_is_told() {
        let read = |bytes: &[u8]| {
            let fill = |place: &mut [u8]| -> Result<(), ()> {
                place.copy_from_slice(bytes);
                Ok(())
            };
            read_vec::<bool, ()>(bytes.len(), fill)
        };
        assert_eq!(read(&[0, 1]), Ok(Ok(vec![false, true])));
        assert_eq!(read(&[0, 1, 2]), Ok(Err((2, 2))));
    }
}
