//! Accounting of allocated memory: an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// Bytes that this thread holds, and the most of them since [`most`] began. Freed elsewhere, they stay counted here.
    static HELD: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
}

/// The largest single piece that anybody asked for since [`largest`] was last called.
static LARGEST: AtomicUsize = AtomicUsize::new(0);

fn taken(bytes: usize) {
    LARGEST.fetch_max(bytes, Ordering::Relaxed);
    // While a thread ends its counters are gone, and nobody asks.
    _ = HELD.try_with(|held| {
        held.set(held.get().wrapping_add(bytes));
        MOST.with(|most| most.set(most.get().max(held.get())));
    });
}

fn given_back(bytes: usize) {
    _ = HELD.try_with(|held| held.set(held.get().saturating_sub(bytes)));
}

// SAFETY: the system's allocator does it all; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        given_back(layout.size());
        // SAFETY: by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        taken(size);
        given_back(layout.size());
        // SAFETY: by the caller.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Calls it; with the most bytes that this thread held in the meantime beyond what it held before.
pub fn most<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    MOST.set(before);
    let result = run();
    (result, MOST.get() - before)
}

/// The largest piece of memory that any thread asked for since the last call.
pub fn largest() -> usize {
    LARGEST.swap(0, Ordering::Relaxed)
}
