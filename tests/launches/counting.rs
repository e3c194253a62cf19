//! Counts what the process has allocated and not given back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::sync::atomic::{AtomicIsize, Ordering};

/// Sizes are counted by powers of two, up to this.
const SIZES: usize = 48;

struct Counting;

static BYTES: AtomicIsize = AtomicIsize::new(0);
/// The pieces of more than `2^(i - 1)` and at most `2^i` bytes.
static PIECES: [AtomicIsize; SIZES] = [const { AtomicIsize::new(0) }; SIZES];

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(layout: Layout, pieces: isize) {
    let size = layout.size().next_power_of_two().trailing_zeros() as usize;
    PIECES[size.min(SIZES - 1)].fetch_add(pieces, Ordering::Relaxed);
    BYTES.fetch_add(pieces * layout.size() as isize, Ordering::Relaxed);
}

// SAFETY: the system's allocator does all of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout, 1);
        // SAFETY: by this function's condition.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        count(layout, -1);
        // SAFETY: by this function's condition.
        unsafe { System.dealloc(start, layout) }
    }
}

/// Allocations that are live.
#[derive(Clone, Copy)]
pub struct Live {
    pub bytes: isize,
    sizes: [isize; SIZES],
}

impl Live {
    pub fn pieces(&self) -> isize {
        self.sizes.iter().sum()
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes in {} pieces (", self.bytes, self.pieces())?;
        for (exponent, pieces) in self.sizes.iter().enumerate().filter(|(_, pieces)| **pieces != 0) {
            write!(f, " {pieces} of {}", 1usize << exponent)?;
        }
        f.write_str(" )")
    }
}

pub fn live() -> Live {
    Live {
        bytes: BYTES.load(Ordering::Relaxed),
        sizes: std::array::from_fn(|size| PIECES[size].load(Ordering::Relaxed)),
    }
}
