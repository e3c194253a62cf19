//! The shapes that pairs share: lengths of inputs and outputs, launches of the C++ kernels, and pairs made of them.

use kernel_runtime::{Kernel, Launch, PtxFunction, PtxLaunch};

use crate::unrolling::LENGTH;
use crate::versus::{Data, Lens, Pair};

/// Threads of a block, for kernels that leave it open: the same for both.
pub const BLOCK: u32 = 256;
/// More SMs than any device has.
const MOST_SMS: u32 = 256;

/// A launch of ours.
pub type Ours = for<'a> fn(&'a mut Data) -> Launch<'a>;
/// A launch of the C++ kernel.
pub type Theirs = for<'a> fn(&PtxFunction, &'a mut Data) -> PtxLaunch<'a>;

/// One output for each element.
pub const fn maps(inputs: usize) -> fn(usize) -> Lens {
    match inputs {
        0 => |n| Lens { x: 1, y: 1, out: n, ..Lens::NONE },
        1 => |n| Lens { x: n, y: 1, out: n, ..Lens::NONE },
        _ => |n| Lens { x: n, y: n, out: n, ..Lens::NONE },
    }
}

/// A matrix of `LENGTH` rows, and one output for each column.
pub fn columns(n: usize) -> Lens {
    let columns = (n / LENGTH).max(1);
    Lens { x: LENGTH * columns, y: LENGTH * columns, out: columns, ..Lens::NONE }
}

/// One output for each thread of a grid of one block per SM.
pub fn strided(n: usize) -> Lens {
    Lens { x: n, y: 1, out: (MOST_SMS * BLOCK) as usize, ..Lens::NONE }
}

/// Two inputs, and one output for each thread of a grid of one block per SM.
pub fn strided_both(n: usize) -> Lens {
    Lens { y: n, ..strided(n) }
}

/// Neighbours beyond the last element.
pub fn neighbours(n: usize) -> Lens {
    Lens { x: n + 3, y: 1, out: n, ..Lens::NONE }
}

impl Data {
    /// The length of the output.
    pub(super) fn len(&self) -> u32 {
        self.out.len() as u32
    }
}

/// A pair that makes an element of each element of `x`.
pub const fn of_one(
    (kernel, topic, twin): (&'static Kernel, &'static str, &'static str),
    what: &'static str,
    tolerance: f32,
    ours: Ours,
) -> Pair {
    Pair {
        kernel,
        topic,
        twin,
        what,
        attribute: None,
        lens: maps(1),
        bytes: |n| 8 * n as u64,
        tolerance,
        ours,
        theirs: |twin, data| {
            let len = data.len();
            twin.launch().arg(&data.x).arg(&mut data.out).arg(len).over(data.n).block(BLOCK)
        },
    }
}

/// A pair that makes a number of the elements of `x` of each block of one per SM.
pub const fn of_blocks(
    (kernel, topic, twin): (&'static Kernel, &'static str, &'static str),
    (what, attribute): (&'static str, Option<&'static str>),
    tolerance: f32,
    ours: Ours,
) -> Pair {
    Pair {
        kernel,
        topic,
        twin,
        what,
        attribute,
        lens: strided,
        bytes: |n| 4 * n as u64,
        tolerance,
        ours,
        theirs: |twin, data| {
            let (len, blocks) = (data.x.len() as u32, data.blocks);
            twin.launch().arg(&data.x).arg(len).arg(&mut data.out).grid(blocks).block(BLOCK)
        },
    }
}

/// A pair that makes a number of the elements of two inputs of each block of one per SM.
pub const fn of_blocks_of_two(
    names: (&'static Kernel, &'static str, &'static str),
    what: (&'static str, Option<&'static str>),
    tolerance: f32,
    ours: Ours,
) -> Pair {
    Pair {
        lens: strided_both,
        bytes: |n| 8 * n as u64,
        theirs: |twin, data| {
            let (len, blocks) = (data.x.len() as u32, data.blocks);
            twin.launch().arg(&data.x).arg(&data.y).arg(len).arg(&mut data.out).grid(blocks).block(BLOCK)
        },
        ..of_blocks(names, what, tolerance, ours)
    }
}
