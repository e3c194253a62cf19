//! Counts how often a thread asks the heap for memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does all of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may ask for more when its counter is gone.
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
        // SAFETY: by this function's condition.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: by this function's condition.
        unsafe { System.dealloc(start, layout) }
    }
}

/// The number of requests of this thread so far.
pub fn asked() -> usize {
    ASKED.with(Cell::get)
}
