//! The costly threshold without divergence: a scan puts the elements of each side together, and each side is a kernel of its own.

use kernel_runtime::prelude::*;

use crate::runs::{each, together};
use crate::{Example, random};

/// Number of elements of each block that lie above the threshold.
#[kernel(block(256))]
pub fn count_above(threshold: f32, x: &[f32], counts: &mut [u32]) {
    let i = global_idx().x;
    let above = i < x.len() && x[i] > threshold;
    let count = block::count(above);
    if thread_idx().x == 0 {
        counts[block_idx().x] = count;
    }
}

/// The counts added up: where each block's elements start. One block goes over all of them; the whole sum comes last.
#[kernel(block(1024))]
pub fn starts_of_blocks(counts: &[u32], starts: &mut [u32]) {
    let mut before = 0u32;
    let mut first = 0;
    while first < counts.len() {
        let i = first + thread_idx().x;
        let count = if i < counts.len() { counts[i] } else { 0 };
        #[block_scan(add, exclusive)]
        let below = count;
        if i < counts.len() {
            starts[i] = before + below;
        }
        before += block::reduce_add(count);
        first += 1024;
    }
    if thread_idx().x == 0 {
        starts[counts.len()] = before;
    }
}

/// The indices of the elements above the threshold, then those of the others.
#[kernel(block(256))]
pub fn partition(threshold: f32, x: &[f32], starts: &[u32], order: &mut [u32]) {
    let i = global_idx().x;
    let above = i < x.len() && x[i] > threshold;
    #[block_scan(add, exclusive)]
    let rank = above as u32;
    if i < x.len() {
        let above_before = starts[block_idx().x] + rank;
        let all_above = starts[grid_dim().x];
        // Of the elements before this one, those that are not above are below.
        let place = if above { above_before } else { all_above + i as u32 - above_before };
        // Always true, by the counts; such a guard costs as much as a bounds check.
        if (place as usize) < order.len() {
            order[place as usize] = i as u32;
        }
    }
}

/// One side, for the elements that are above: no warp computes both, but it reads and writes here and there.
#[kernel]
pub fn costly_above(order: &[u32], starts: &[u32], x: &[f32], out: &mut [f32]) {
    let k = global_idx().x;
    let above = starts[starts.len() - 1] as usize;
    if k < above {
        let i = order[k] as usize;
        if i < x.len() {
            let value = x[i];
            out[i] = fast::sin(value) * fast::cos(value) + (value + 1.0).sqrt();
        }
    }
}

/// The other side, for the rest.
#[kernel]
pub fn costly_below(order: &[u32], starts: &[u32], x: &[f32], out: &mut [f32]) {
    let k = global_idx().x + starts[starts.len() - 1] as usize;
    if k < order.len() {
        let i = order[k] as usize;
        if i < x.len() {
            let value = x[i];
            out[i] = fast::exp(value) + fast::ln(value.abs() + 1.0);
        }
    }
}

const TOPIC: &str = "divergence";

/// Kernels that belong to the run of another.
pub static PARTS: &[&kernel_runtime::Kernel] =
    &[&count_above::KERNEL, &starts_of_blocks::KERNEL, &partition::KERNEL, &costly_below::KERNEL];

/// One run of all five kernels.
pub static EXAMPLES: &[Example] =
    &[Example::new(&costly_above::KERNEL, TOPIC, "two costly sides, partitioned", 8, |gpu, n| {
        let host: Vec<f32> = random(3, n).into_iter().map(|value| value - 0.5).collect();
        each(gpu, &host, 1e-5, super::costly_reference, |x, out| {
            let blocks = n.div_ceil(256);
            let mut counts = gpu.zeros::<u32>(blocks)?;
            let mut starts = gpu.zeros::<u32>(blocks + 1)?;
            let mut order = gpu.zeros::<u32>(n)?;
            Ok(together([
                count_above(0.0, x, &mut counts).over(n).run()?,
                starts_of_blocks(&counts, &mut starts).grid(1).run()?,
                partition(0.0, x, &starts, &mut order).over(n).run()?,
                costly_above(&order, &starts, x, &mut *out).over(n).run()?,
                costly_below(&order, &starts, x, out).over(n).run()?,
            ]))
        })
    })];
