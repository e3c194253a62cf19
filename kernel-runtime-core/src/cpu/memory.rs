//! Shared memory of a block: variables that every thread of it sees, each of one type.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::{TypeId, type_name};
use std::cell::RefCell;
use std::ptr::NonNull;

use half::{bf16, f16};

use crate::device::{
    Bf16x2, Bf16x4, Bf16x8, Dim3, F16x2, F16x4, F16x8, F32x2, F32x4, F64x2, I32x2, I32x4, U32x2, U32x4,
};

/// The value of every byte of memory that nobody has written: one that no sane result contains, so that reading it shows.
const POISON: u8 = 0xcd;

/// A type of variables in shared memory.
///
/// A GPU gives them whatever is in memory, and takes any byte but zero for `true`. To rustc other bytes than 0 and 1 are no `bool` at all, and
/// a program that reads one has no meaning. So memory here holds values of its type from the start.
///
/// # Safety
/// [`poison`](Memory::poison) writes a value of the type, and all bytes zero are one. Where [`ANY_BYTES`](Memory::ANY_BYTES), all bytes are values of the type, and
/// it has no padding.
pub unsafe trait Memory: Copy + 'static {
    /// Any bytes are a value.
    const ANY_BYTES: bool;

    /// Writes a value that nobody has written.
    ///
    /// # Safety
    /// The place is valid for writes, and aligned.
    unsafe fn poison(place: *mut Self);
}

/// `true`, for types that `bytemuck` says it of.
#[allow(clippy::extra_unused_type_parameters)]
const fn is_plain<T: bytemuck::Pod>() -> bool {
    true
}

macro_rules! any_bytes {
    ($($ty:ty)*) => {$(
        // SAFETY: plain data of which any bytes are a value: `bytemuck::Pod` says so.
        unsafe impl Memory for $ty {
            const ANY_BYTES: bool = is_plain::<$ty>();

            unsafe fn poison(place: *mut $ty) {
                // SAFETY: by this function's condition.
                unsafe { place.cast::<u8>().write_bytes(POISON, size_of::<$ty>()) }
            }
        }
    )*};
}
any_bytes! {
    () i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64
    F32x2 F32x4 U32x2 U32x4 I32x2 I32x4 F64x2 F16x2 F16x4 F16x8 Bf16x2 Bf16x4 Bf16x8
}

// SAFETY: three numbers, one after the other.
unsafe impl Memory for Dim3 {
    const ANY_BYTES: bool = size_of::<Dim3>() == 3 * size_of::<usize>();

    unsafe fn poison(place: *mut Dim3) {
        // SAFETY: by this function's condition; any bytes are numbers.
        unsafe { place.cast::<u8>().write_bytes(POISON, size_of::<Dim3>()) }
    }
}

// SAFETY: `true` is a `bool`.
unsafe impl Memory for bool {
    const ANY_BYTES: bool = false;

    unsafe fn poison(place: *mut bool) {
        // SAFETY: by this function's condition. A byte that is not zero is `true` on a GPU.
        unsafe { place.write(POISON != 0) }
    }
}

// SAFETY: each element is such a value, and nothing is between them.
unsafe impl<T: Memory, const N: usize> Memory for [T; N] {
    const ANY_BYTES: bool = T::ANY_BYTES;

    unsafe fn poison(place: *mut [T; N]) {
        for index in 0..N {
            // SAFETY: by this function's condition; the element is there.
            unsafe { T::poison(place.cast::<T>().add(index)) }
        }
    }
}

macro_rules! tuples {
    ($([$($name:ident $index:tt)*])*) => {$(
        // SAFETY: each field is such a value. They leave no padding where their sizes add up to the whole.
        unsafe impl<$($name: Memory),*> Memory for ($($name,)*) {
            const ANY_BYTES: bool =
                $($name::ANY_BYTES &&)* size_of::<($($name,)*)>() == 0 $(+ size_of::<$name>())*;

            unsafe fn poison(place: *mut ($($name,)*)) {
                // SAFETY: by this function's condition; fields are aligned in the whole.
                unsafe { $($name::poison(&raw mut (*place).$index);)* }
            }
        }
    )*};
}
// As many as tuples can be compared with `==`.
tuples! {
    [A 0]
    [A 0 B 1]
    [A 0 B 1 C 2]
    [A 0 B 1 C 2 D 3]
    [A 0 B 1 C 2 D 3 E 4]
    [A 0 B 1 C 2 D 3 E 4 F 5]
    [A 0 B 1 C 2 D 3 E 4 F 5 G 6]
    [A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7]
    [A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8]
    [A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9]
    [A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10]
    [A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11]
}

/// The alignment of variables: as any type in shared memory may want it.
const ALIGN: usize = 128;

/// The shared memory of a block: variables by number.
#[derive(Default)]
pub struct SharedMemory {
    variables: RefCell<Vec<Variable>>,
}

/// A variable: some elements of a type.
struct Variable {
    number: usize,
    /// Size asked for.
    bytes: usize,
    /// Allocated with `layout` until this is dropped, and initialised: where `ty` is not of any bytes, as elements of it. Pointers that were
    /// handed out are copies of this one.
    start: NonNull<u8>,
    layout: Layout,
    ty: Type,
}

/// Type of a variable.
#[derive(Clone, Copy)]
struct Type {
    id: TypeId,
    name: &'static str,
    any_bytes: bool,
}

impl Type {
    fn of<T: Memory>() -> Type {
        Type { id: TypeId::of::<T>(), name: type_name::<T>(), any_bytes: T::ANY_BYTES }
    }

    /// Returns true if a value written as one type is a value of the other.
    fn fits(&self, other: &Type) -> bool {
        self.id == other.id || self.any_bytes && other.any_bytes
    }

    /// Its name without the path.
    fn short_name(&self) -> &'static str {
        self.name.rsplit("::").next().unwrap_or(self.name)
    }
}

impl SharedMemory {
    /// Returns true if an address is in it.
    pub fn holds(&self, address: *const u8) -> bool {
        let within = |variable: &Variable| {
            address.addr().wrapping_sub(variable.start.as_ptr().addr()) < variable.layout.size()
        };
        self.variables.borrow().iter().any(within)
    }

    /// The number of the variable that begins at an address, and its bytes.
    pub fn number_of(&self, start: *const u8) -> Option<(usize, usize)> {
        let variables = self.variables.borrow();
        let known = variables.iter().find(|variable| variable.start.as_ptr().cast_const() == start);
        known.map(|variable| (variable.number, variable.bytes))
    }

    /// The variable of this number, which is made when it is first asked for: as many elements of a type as so many bytes hold. It lives as
    /// long as this.
    ///
    /// # Panics
    /// If it has fewer bytes, or elements of another type for which not all bytes are values.
    #[track_caller]
    pub fn variable<T: Memory>(&self, number: usize, bytes: usize) -> NonNull<T> {
        const { assert!(align_of::<T>() <= ALIGN, "no type is aligned to more") };
        let ty = Type::of::<T>();
        let mut variables = self.variables.borrow_mut();
        let Some(known) = variables.iter().find(|variable| variable.number == number) else {
            let variable = Variable::new::<T>(number, bytes);
            let start = variable.start.cast();
            variables.push(variable);
            return start;
        };
        if !known.ty.fits(&ty) || bytes > known.layout.size() {
            let [before, now] = [known.ty.short_name(), ty.short_name()];
            drop(variables);
            std::panic::panic_any(format!(
                "shared memory of a block holds `{before}`, and is taken for `{now}`: not all bytes are values of both, so that it \
                 cannot be run on the CPU\nhelp: take it for numbers, and compare with `!= 0` in place of `bool`"
            ));
        }
        known.start.cast()
    }
}

impl Variable {
    fn new<T: Memory>(number: usize, bytes: usize) -> Variable {
        // No block has more memory than 32 bits count.
        let Ok(layout) = Layout::from_size_align(bytes.max(1), ALIGN) else {
            handle_alloc_error(Layout::new::<T>())
        };
        // SAFETY: the layout has at least one byte.
        let Some(start) = NonNull::new(unsafe { alloc(layout) }) else { handle_alloc_error(layout) };
        // SAFETY: so many bytes were just allocated.
        unsafe { start.write_bytes(POISON, layout.size()) };
        if !T::ANY_BYTES && size_of::<T>() > 0 {
            for index in 0..bytes / size_of::<T>() {
                // SAFETY: the element is inside, and aligned by the check in `variable`.
                unsafe { T::poison(start.cast::<T>().add(index).as_ptr()) };
            }
        }
        Variable { number, bytes, start, layout, ty: Type::of::<T>() }
    }
}

impl Drop for Variable {
    fn drop(&mut self) {
        // SAFETY: allocated once with this layout, freed once: the block is over.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
