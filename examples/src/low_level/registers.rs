//! Special registers and single instructions of PTX: where a block runs, products of twice the width, the order of memory for
//! the whole system.

use kernel_runtime::prelude::*;

use crate::runs::each;
use crate::{Example, Outcome, random};

/// Threads that ran on each multiprocessor, by its number modulo 256.
#[kernel]
pub fn threads_per_sm(x: &[f32], counts: &[AtomicU32]) {
    let i = global_idx().x;
    if i < x.len() {
        let sm = (special::smid() & 255) as usize;
        counts[sm].fetch_add(1, Ordering::Relaxed);
    }
}

/// Multiplies 32 bits by 32 bits and adds 64 bits: `mad.wide.u32`, as users who count instructions write it.
#[kernel]
pub fn scattered(x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        let bits = x[i].to_bits();
        // SAFETY: it only computes.
        let wide = unsafe {
            inline_ptx!(
                "mad.wide.u32 {d}, {a}, {b}, {c};",
                d = out(u64), a = in(u32) bits, b = in(u32) 0x9e37_79b9, c = in(u64) 0x1234_5678_9abc,
                options(pure, nomem),
                cpu = a as u64 * b as u64 + c,
            )
        };
        out[i] = (wide >> 40) as f32;
    }
}

/// The reference of [`scattered`].
fn scatter(x: f32) -> f32 {
    ((u64::from(x.to_bits()) * 0x9e37_79b9 + 0x1234_5678_9abc) >> 40) as f32
}

/// The sum in one launch: the block that is last to hand in its part adds all of them up. The parts are ordered by a fence that
/// reaches beyond the device, and read past L1, which is not kept coherent.
#[kernel]
pub fn sum_by_last_block(x: &[f32], parts: &mut [f32], tickets: &[AtomicU32], out: &mut [f32]) {
    let mut own = 0.0;
    let mut i = global_idx().x;
    while i < x.len() {
        own += x[i];
        i += global_size().x;
    }
    #[block_reduce(add)]
    let part = own;
    if thread_idx().x == 0 {
        cache::store_wt(&mut parts[block_idx().x], part);
        thread_fence_system();
        let ticket = tickets[0].system().fetch_add(1, Ordering::AcqRel);
        if ticket as usize + 1 == grid_dim().x {
            let mut total = 0.0;
            for k in 0..grid_dim().x {
                total += cache::load_cg(&parts[k]);
            }
            out[0] = total;
        }
    }
}

const TOPIC: &str = "low_level";

/// Blocks of the sum.
const BLOCKS: u32 = 64;

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(
        &threads_per_sm::KERNEL,
        TOPIC,
        "threads per multiprocessor, `special::smid`",
        0,
        |gpu, n| {
            let x = gpu.upload(&random(42, n))?;
            let mut counts = gpu.zeros::<u32>(256)?;
            let report = threads_per_sm(&x, &mut counts).over(n).run()?;
            let total: u32 = counts.to_vec()?.iter().sum();
            Ok(Outcome { report, output: vec![total as f32], expected: vec![n as f32], tolerance: 1e-6 })
        },
    ),
    Example::new(&scattered::KERNEL, TOPIC, "`mad.wide` by inline PTX", 8, |gpu, n| {
        each(gpu, &random(43, n), 0.0, scatter, |x, out| scattered(x, out).over(n).run())
    }),
    Example::new(&sum_by_last_block::KERNEL, TOPIC, "sum by the last block, system fence", 4, |gpu, n| {
        let host = random(44, n);
        let x = gpu.upload(&host)?;
        let (mut parts, mut tickets) = (gpu.zeros::<f32>(BLOCKS as usize)?, gpu.zeros::<u32>(1)?);
        let mut out = gpu.zeros::<f32>(1)?;
        let report =
            sum_by_last_block(&x, &mut parts, &mut tickets, &mut out).grid(BLOCKS).block(256).run()?;
        let expected = host.iter().map(|&x| f64::from(x)).sum::<f64>() as f32;
        Ok(Outcome { report, output: out.to_vec()?, expected: vec![expected], tolerance: 1e-4 })
    }),
];
