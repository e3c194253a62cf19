//! Run-time library of the run copies of kernels: places, slices, closures and operations with the GPU's meaning.
//!
//! Nothing here is for hand-written code. The copies use raw pointers for references; that they are valid is what rustc
//! proved of the user's own text, and every index is checked.

pub mod atomic;
mod message;
mod ops;
mod option;
mod order;
pub mod overflow;
pub mod pointer;
mod slice;

pub use super::memory::Memory;
pub use half::{bf16, f16};
pub use message::{Output, Shown, Text, Word, Words, panic, print, text, too_wide};
pub use ops::{
    Float, Fused, Half, Summand, add_mul, clamp, clamp_int, max, min, mul_add, product, step, sum,
};
pub use option::{Option, holds_value, is_some, payload, scan, to_std_option, try_fold, value_or_zeros};
pub use order::{by_order, order, order_of_keys, value_with_key, with_keys};
pub use slice::{Slice, at, at_of, lane, lane_of, load, load_matrix, load_matrix_transposed, store, unsize};

pub use crate::device::{
    Bf16x2, Bf16x4, Bf16x8, F16x2, F16x4, F16x8, F32x2, F32x4, F64x2, I32x2, I32x4, U32x2, U32x4,
};
pub use crate::device::{
    Dim3, barrier, block, block_dim, block_idx, dot4, fast, global_idx, global_size, grid_barrier, grid_dim,
    nanosleep, special, thread_fence, thread_fence_block, thread_fence_system, thread_idx,
};

/// The functions of clusters.
pub mod cluster {
    pub use self::shared as shared_mut;
    pub use super::slice::Variable;
    pub use crate::device::cluster::{block_idx, block_rank, blocks, sync};

    /// The address in shared memory of another block: copies have none.
    pub fn address(_address: u32, _rank: u32) -> u32 {
        0
    }

    /// The variable of another block of the cluster that this one is here.
    #[track_caller]
    pub fn shared<V: Variable>(variable: V, rank: usize) -> V {
        super::slice::check(rank, blocks());
        variable.of_block(rank)
    }
}

/// The functions of warps, with those that only the library calls.
pub mod warp {
    pub use crate::device::warp::products::*;
    pub use crate::device::warp::*;

    /// Some warps of a block are to come here together: the compiler checks it.
    pub fn party() {}

    /// All threads of a block are to come here together: the compiler checks it.
    pub fn whole_block() {}
}

/// Facts that are known of the architecture, with what only the library asks for.
pub mod target {
    pub use crate::device::target::*;

    /// Copies multiply fragments, with the same bits.
    pub fn has_warpgroups() -> bool {
        false
    }

    /// Copies ask the launch.
    pub fn block_threads() -> usize {
        0
    }

    /// Copies convert by integers, with the same bits.
    pub fn converts_small_floats() -> bool {
        false
    }
}

/// Returns true if a thread of the launch panicked, which ends the others of copies.
pub fn has_panicked() -> bool {
    false
}

/// Waits at a barrier with a number for so many threads.
#[track_caller]
pub fn barrier_of_warps(id: usize, threads: usize) {
    fiber::come(id, threads, true, std::panic::Location::caller());
}

/// Comes to a barrier with a number without waiting.
#[track_caller]
pub fn arrival_of_warps(id: usize, threads: usize) {
    fiber::come(id, threads, false, std::panic::Location::caller());
}

/// The address of a matrix's tensor map: copies have none.
pub fn tensor_map<S>(_elements: S) -> usize {
    0
}

/// The traits whose methods the copies call.
pub mod prelude {
    pub use super::Half as _;
    pub use crate::device::{Float as _, Int as _, Number as _};
}

use std::mem::MaybeUninit;

/// A closure's value: a pointer to it. Any bytes are one, so that a variable may be of this type before it has a value.
pub struct Callable<F: ?Sized>(MaybeUninit<*mut F>);

impl<F: ?Sized> Callable<F> {
    /// Of the closure behind the pointer.
    pub fn new(closure: *mut F) -> Callable<F> {
        Callable(MaybeUninit::new(closure))
    }

    /// The pointer to the closure.
    ///
    /// # Safety
    /// The value was made by [`Callable::new`].
    pub unsafe fn get(self) -> *mut F {
        // SAFETY: by the condition above it was written.
        unsafe { self.0.assume_init() }
    }
}

thread_local! {
    /// Closures that functions returned, until the block is done. Invariant: each is of `Box::into_raw`, and in no other list.
    static KEPT: std::cell::RefCell<Vec<*mut dyn std::any::Any>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// A closure that its function returns: it outlives the function's frame.
pub fn keep<F: 'static>(closure: F) -> *mut F {
    let pointer = Box::into_raw(Box::new(closure));
    KEPT.with_borrow_mut(|kept| kept.push(pointer));
    pointer
}

/// Frees what [`keep`] has kept, when the blocks of this thread are done.
pub(super) struct Kept;

impl Drop for Kept {
    fn drop(&mut self) {
        for closure in KEPT.take() {
            // SAFETY: by the invariant of `KEPT`; the copies that hold the pointer have ended.
            drop(unsafe { Box::from_raw(closure) });
        }
    }
}

impl<F: ?Sized> Copy for Callable<F> {}

impl<F: ?Sized> Clone for Callable<F> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Structs of the copies derive it; rustc compares no closures in the check copy.
impl<F: ?Sized> PartialEq for Callable<F> {
    fn eq(&self, _: &Self) -> bool {
        false
    }
}

impl<F: ?Sized> PartialOrd for Callable<F> {
    fn partial_cmp(&self, _: &Self) -> std::option::Option<std::cmp::Ordering> {
        None
    }
}

use super::fiber;

/// The calling convention of an instance's copy: a pointer to each argument.
pub type Entry = unsafe fn(&[*const ()]);

/// The copy of a kernel that was refused.
///
/// # Safety
/// Has no conditions.
pub unsafe fn refused(_: &[*const ()]) {}

/// An argument by its number.
///
/// # Safety
/// The pointer is to a value that is laid out as a `T`.
pub unsafe fn arg<T: Copy>(args: &[*const ()], index: usize) -> T {
    // SAFETY: by the condition above.
    unsafe { args[index].cast::<T>().read() }
}

/// A variable before its first assignment.
///
/// # Safety
/// The value is replaced before it is used, or all bytes zero are a value of the type.
pub unsafe fn poison<T>() -> T {
    // SAFETY: by the condition above.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// Storage for a temporary or a closure.
pub fn slot<T>() -> MaybeUninit<T> {
    MaybeUninit::uninit()
}

/// A constant's place, for reading.
pub fn constant<T>(constant: &'static T) -> *mut T {
    std::ptr::from_ref(constant).cast_mut()
}

/// A closure over pointers as one over references.
pub fn by_pointer<T>(mut function: impl FnMut(*mut T) -> bool) -> impl FnMut(&T) -> bool {
    move |item| function(std::ptr::from_ref(item).cast_mut())
}

/// The block's variable with this number.
#[track_caller]
pub fn shared<T: Memory>(number: usize) -> *mut T {
    fiber::shared_variable("shared", number, size_of::<T>()).as_ptr()
}

/// The block's dynamic shared memory.
///
/// # Safety
/// The slice is used by the block's threads alone.
#[track_caller]
pub unsafe fn shared_dyn<T: Memory>() -> Slice<T> {
    let (start, len) = fiber::dynamic_shared("shared_dyn");
    // SAFETY: so many elements are there, as long as the block, and all that is written there fits the type; the rest by the condition above.
    unsafe { Slice::from_raw(start.as_ptr(), len) }
}

/// Stands for PTX that says nothing of the CPU.
#[track_caller]
pub fn inline_ptx() -> ! {
    panic(
        "inline PTX does not run on the CPU: say what does in its place, `inline_ptx!(…, cpu = …)`"
            .to_owned(),
    )
}

/// A point that control never reaches.
#[track_caller]
pub fn unreachable() -> ! {
    panic("internal error: entered unreachable code".to_owned())
}
