//! Parts of a slice that one thread has for itself. The parts of different threads are disjoint in every launch along x; in
//! others each of these functions panics, by a condition that launch guards test on the host.

use super::vocabulary::*;

/// Ends the thread unless the blocks of the grid are in a line along x.
pub fn partition_needs_a_line_of_blocks() {
    if grid_dim().y != 1 || grid_dim().z != 1 {
        panic!("expected a grid along x alone, as parts of slices are given out by the index along x");
    }
}

/// Ends the thread unless all threads of the grid are in a line along x.
pub fn partition_needs_a_line_of_threads() {
    partition_needs_a_line_of_blocks();
    if block_dim().y != 1 || block_dim().z != 1 {
        panic!("expected blocks along x alone, as parts of slices are given out by the index along x");
    }
}

/// `per_thread`
pub fn slice_per_thread<T>(s: &mut [T]) -> Option<&mut T> {
    partition_needs_a_line_of_threads();
    let i = global_idx().x;
    if i < s.len() { Some(&mut s[i]) } else { None }
}

/// `chunk_per_thread`
pub fn slice_chunk_per_thread<T>(s: &mut [T], n: usize) -> &mut [T] {
    partition_needs_a_line_of_threads();
    let i = global_idx().x;
    let len = s.len();
    // A product that wraps would give two threads one chunk.
    let start = match i.checked_mul(n) {
        Some(start) if start < len => start,
        _ => len,
    };
    let n = if n < len - start { n } else { len - start };
    &mut s[start..start + n]
}

/// `per_warp`
pub fn slice_per_warp<T>(s: &mut [T]) -> Option<&mut T> {
    partition_needs_a_line_of_blocks();
    let size = block_dim();
    let threads = size.x * size.y * size.z;
    let first = block_idx().x * ((threads + 31) >> 5);
    let i = first + warp::warp_id();
    if warp::lane_id() == 0 && i < s.len() { Some(&mut s[i]) } else { None }
}

/// `per_block`
pub fn slice_per_block<T>(s: &mut [T]) -> Option<&mut T> {
    partition_needs_a_line_of_blocks();
    let thread = thread_idx();
    let i = block_idx().x;
    if thread.x == 0 && thread.y == 0 && thread.z == 0 && i < s.len() { Some(&mut s[i]) } else { None }
}
