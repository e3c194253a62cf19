//! Elements of buffers and parameters of kernels: scalars, and any plain data.

use std::borrow::Cow;
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

/// The bytes of some values, all of them initialised.
pub type Bytes<'a> = Cow<'a, [u8]>;

/// A type that [`DeviceBuffer`](crate::DeviceBuffer)s hold and kernels take: the scalars, the vectors, structs of plain data and enums.
///
/// Every type has it that has [`bytemuck::NoUninit`] and [`bytemuck::CheckedBitPattern`], as what is [`bytemuck::Pod`] has.
/// For a struct of your own write `#[derive(Clone, Copy, Element)] #[repr(C)]` before it, for an enum `#[repr(u32)]`, or
/// `#[repr(C, u32)]` if its variants hold something.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain data, which a GPU buffer or a kernel's parameter has to be",
    label = "expected a scalar, a vector, or a struct of plain data",
    note = "write `#[derive(Clone, Copy, Element)] #[repr(C)]` before a struct of your own; no padding may be in it"
)]
///
/// ```compile_fail,E0200
/// #[derive(Clone, Copy, kernel_runtime::bytemuck::CheckedBitPattern)]
/// #[bytemuck(crate = "kernel_runtime::bytemuck")]
/// #[repr(C)]
/// struct Short(u32);
///
/// impl kernel_runtime::Element for Short {
///     fn bytes_of(_: &[Short]) -> kernel_runtime::Bytes<'_> {
///         (&[]).into() // memory that nobody has written would follow
///     }
/// }
/// ```
///
/// # Safety
/// Derived, never written by hand: `bytes_of` returns `size_of_val(values)` bytes, those of the values, and bytes that hold nothing as zeros.
pub unsafe trait Element: CheckedBitPattern + Send + Sync + 'static {
    /// The first bytes that say of what kind a value is, for messages.
    #[doc(hidden)]
    const NUMBER_BYTES: usize = match size_of::<Self>() {
        whole @ (2 | 4 | 8) => whole,
        _ => 1,
    };

    /// Of an enum with data, the numbers of its variants.
    #[doc(hidden)]
    const NUMBERS: &'static [i128] = &[];

    /// The bytes of these values, as many as they take. Those that hold nothing are zero.
    #[doc(hidden)]
    fn bytes_of(values: &[Self]) -> Bytes<'_>;
}

// SAFETY: all bytes of the values hold something.
unsafe impl<T: NoUninit + CheckedBitPattern + Send + Sync + 'static> Element for T {
    fn bytes_of(values: &[T]) -> Bytes<'_> {
        Cow::Borrowed(bytemuck::cast_slice(values))
    }
}

/// An [`Element`] all of whose bytes hold something: every one but an enum with data, and a struct that holds one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain data without padding, which page-locked memory and fields of other elements hold",
    label = "expected a scalar, a vector, a struct of plain data, or an enum without data",
    note = "write `#[derive(Clone, Copy, Element)] #[repr(C)]` before a struct of your own",
    note = "a struct that holds an enum with data says so: `#[element(holds_enums)]`; in a `#[kernel_module]` it need not"
)]
pub trait WholeElement: Element + NoUninit {}

impl<T: Element + NoUninit> WholeElement for T {}

/// Bytes of values that have some which hold nothing: `write` fills in the others of one value, the rest is zero.
#[doc(hidden)]
pub fn written<T>(values: &[T], write: impl Fn(&T, &mut [u8])) -> Bytes<'_> {
    let mut all = vec![0; size_of_val(values)];
    for (value, bytes) in values.iter().zip(all.chunks_exact_mut(size_of::<T>().max(1))) {
        write(value, bytes);
    }
    Cow::Owned(all)
}

/// Writes a part of a value among its bytes.
///
/// # Safety
/// `P` is `T`, or an array of it, or an array of such arrays.
#[doc(hidden)]
pub unsafe fn write<T: Element, P>(part: &P, bytes: &mut [u8], at: usize) {
    let count = size_of::<P>().checked_div(size_of::<T>()).unwrap_or(0);
    // SAFETY: by this function's condition, an array is as aligned as its elements are.
    let values = unsafe { std::slice::from_raw_parts((&raw const *part).cast::<T>(), count) };
    if let Some(place) = bytes.get_mut(at..at + size_of_val(values)) {
        place.copy_from_slice(&T::bytes_of(values));
    }
}

/// Values from what a device stored: `read` fills the bytes. The error of bytes that are no value of this type is the index
/// of the first and its number.
pub(crate) fn read_vec<T: Element, E>(
    len: usize,
    read: impl FnOnce(&mut [u8]) -> Result<(), E>,
) -> Result<Result<Vec<T>, (usize, u64)>, E> {
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

/// The first of some elements whose bytes are no value of the type: its index, and the number that says of what kind a value is.
///
/// # Safety
/// So many elements are there, aligned and initialised, and nobody writes them.
pub(crate) unsafe fn first_invalid<T: Element>(start: *const u8, len: usize) -> Option<(usize, u64)> {
    // However many there are.
    if size_of::<T>() == 0 {
        return None;
    }
    (0..len).find_map(|index| {
        // SAFETY: inside, by this function's condition; any bytes are a `T::Bits`, which is as large and aligned as `T`.
        let bits = unsafe { &*start.cast::<T::Bits>().add(index) };
        (!T::is_valid_bit_pattern(bits)).then(|| {
            let mut number = [0; 8];
            let count = T::NUMBER_BYTES.min(size_of::<T>()).min(8);
            // SAFETY: the first of its bytes, which are initialised, by this function's condition.
            let bytes = unsafe { std::slice::from_raw_parts(std::ptr::from_ref(bits).cast::<u8>(), count) };
            number[..count].copy_from_slice(bytes);
            (index, u64::from_le_bytes(number))
        })
    })
}

/// Returns true if these bytes are values: what `#[derive(Element)]` asks of each field, which is one or an array of them.
///
/// # Safety
/// So many bytes are there, aligned for the type and initialised, and nobody writes them.
#[doc(hidden)]
pub unsafe fn are_values<T: Element>(place: *const u8, bytes: usize) -> bool {
    let len = bytes.checked_div(size_of::<T>()).unwrap_or(0);
    // SAFETY: so many elements, by this function's condition.
    unsafe { first_invalid::<T>(place, len) }.is_none()
}

/// As [`are_values`], of a type all of whose bytes hold something.
///
/// # Safety
/// As of [`are_values`].
#[doc(hidden)]
pub unsafe fn are_whole_values<T: WholeElement>(place: *const u8, bytes: usize) -> bool {
    // SAFETY: by this function's condition.
    unsafe { are_values::<T>(place, bytes) }
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
