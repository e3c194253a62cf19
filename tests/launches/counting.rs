//! Counts what the process has allocated and not given back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

struct Counting;

static PIECES: AtomicIsize = AtomicIsize::new(0);
static BYTES: AtomicIsize = AtomicIsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does all of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PIECES.fetch_add(1, Ordering::Relaxed);
        BYTES.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: by this function's condition.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        PIECES.fetch_sub(1, Ordering::Relaxed);
        BYTES.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: by this function's condition.
        unsafe { System.dealloc(start, layout) }
    }
}

/// What is allocated.
#[derive(Clone, Copy, Debug)]
pub struct Live {
    pub pieces: isize,
    pub bytes: isize,
}

pub fn live() -> Live {
    Live { pieces: PIECES.load(Ordering::Relaxed), bytes: BYTES.load(Ordering::Relaxed) }
}
