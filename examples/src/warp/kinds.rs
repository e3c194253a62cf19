//! Reductions and scans five ways: through shared memory, through shuffles, by attributes of the warp and of the block, and by
//! the instruction that some architectures have.

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::from_slice;
use crate::warp::BLOCKS;
use crate::{Example, Outcome, random};

/// The kernels, which share what a thread does alone.
#[kernel_module]
pub mod kernels {
    use kernel_runtime::prelude::*;

    /// The largest of a thread's elements, a grid's width apart.
    #[device]
    fn largest(x: &[f32]) -> f32 {
        let mut largest = f32::NEG_INFINITY;
        let mut i = global_idx().x;
        while i < x.len() {
            largest = largest.max(x[i]);
            i += global_size().x;
        }
        largest
    }

    /// The sum of a thread's products.
    #[device]
    fn products(x: &[f32], y: &[f32]) -> f32 {
        let mut sum = 0.0f32;
        let mut i = global_idx().x;
        while i < x.len() && i < y.len() {
            sum += x[i] * y[i];
            i += global_size().x;
        }
        sum
    }

    /// Maxima of blocks by halving in shared memory.
    #[kernel(block(256))]
    pub fn max_shared(x: &[f32], maxima: &mut [f32]) {
        let mut tile = shared::<[f32; 256]>();
        let thread = thread_idx().x;
        tile[thread] = largest(x);
        barrier();
        let mut half = 128;
        while half > 0 {
            if thread < half {
                tile[thread] = tile[thread].max(tile[thread + half]);
            }
            barrier();
            half /= 2;
        }
        if thread == 0 {
            maxima[block_idx().x] = tile[0];
        }
    }

    /// Maxima of blocks: shuffles in each warp, shared memory between them.
    #[kernel(block(256))]
    pub fn max_shuffles(x: &[f32], maxima: &mut [f32]) {
        let mut of_warps = shared::<[f32; 8]>();
        let mut own = largest(x);
        #[unroll]
        for step in 0..5 {
            own = own.max(warp::shfl_xor(own, 16 >> step));
        }
        let lane = warp::lane_id();
        if lane == 0 {
            of_warps[warp::warp_id()] = own;
        }
        barrier();
        if warp::warp_id() == 0 {
            let mut own = of_warps[lane % 8];
            #[unroll]
            for step in 0..3 {
                own = own.max(warp::shfl_xor(own, 4 >> step));
            }
            if lane == 0 {
                maxima[block_idx().x] = own;
            }
        }
    }

    /// Maxima of blocks by those of their warps.
    #[kernel(block(256))]
    pub fn max_warps(x: &[f32], maxima: &mut [f32]) {
        let mut of_warps = shared::<[f32; 8]>();
        #[warp_reduce(max)]
        let of_warp = largest(x);
        let lane = warp::lane_id();
        if lane == 0 {
            of_warps[warp::warp_id()] = of_warp;
        }
        barrier();
        if warp::warp_id() == 0 {
            #[warp_reduce(max, width = 8)]
            let of_block = of_warps[lane % 8];
            if lane == 0 {
                maxima[block_idx().x] = of_block;
            }
        }
    }

    /// Maxima of blocks in one line.
    #[kernel(block(256))]
    pub fn max_block(x: &[f32], maxima: &mut [f32]) {
        #[block_reduce(max)]
        let of_block = largest(x);
        if thread_idx().x == 0 {
            maxima[block_idx().x] = of_block;
        }
    }

    /// Maxima of blocks by the instruction of sm_80 for integers: floats that are not negative have the order of their bits.
    #[kernel(block(256), arch(sm_80))]
    pub fn max_redux(x: &[f32], maxima: &mut [f32]) {
        let mut of_warps = shared::<[u32; 8]>();
        #[redux(max)]
        let of_warp = largest(x).max(0.0).to_bits();
        let lane = warp::lane_id();
        if lane == 0 {
            of_warps[warp::warp_id()] = of_warp;
        }
        barrier();
        if warp::warp_id() == 0 {
            #[redux(max)]
            let of_block = of_warps[lane % 8];
            if lane == 0 {
                maxima[block_idx().x] = f32::from_bits(of_block);
            }
        }
    }

    /// Dot products of blocks by halving in shared memory.
    #[kernel(block(256))]
    pub fn dot_shared(x: &[f32], y: &[f32], sums: &mut [f32]) {
        let mut tile = shared::<[f32; 256]>();
        let thread = thread_idx().x;
        tile[thread] = products(x, y);
        barrier();
        let mut half = 128;
        while half > 0 {
            if thread < half {
                tile[thread] += tile[thread + half];
            }
            barrier();
            half /= 2;
        }
        if thread == 0 {
            sums[block_idx().x] = tile[0];
        }
    }

    /// Dot products of blocks: shuffles in each warp, shared memory between them.
    #[kernel(block(256))]
    pub fn dot_shuffles(x: &[f32], y: &[f32], sums: &mut [f32]) {
        let mut of_warps = shared::<[f32; 8]>();
        let mut own = products(x, y);
        #[unroll]
        for step in 0..5 {
            own += warp::shfl_xor(own, 16 >> step);
        }
        let lane = warp::lane_id();
        if lane == 0 {
            of_warps[warp::warp_id()] = own;
        }
        barrier();
        if warp::warp_id() == 0 {
            let mut own = of_warps[lane % 8];
            #[unroll]
            for step in 0..3 {
                own += warp::shfl_xor(own, 4 >> step);
            }
            if lane == 0 {
                sums[block_idx().x] = own;
            }
        }
    }

    /// Dot products of blocks in one line.
    #[kernel(block(256))]
    pub fn dot_block(x: &[f32], y: &[f32], sums: &mut [f32]) {
        #[block_reduce(add)]
        let of_block = products(x, y);
        if thread_idx().x == 0 {
            sums[block_idx().x] = of_block;
        }
    }

    /// Sums up to each element of a block, in shared memory: in every step each thread adds what lies twice as far below
    /// (Hillis and Steele, 1986).
    #[kernel(block(256))]
    pub fn scan_shared(x: &[f32], out: &mut [f32]) {
        let mut tile = shared::<[f32; 256]>();
        let thread = thread_idx().x;
        let i = global_idx().x;
        tile[thread] = if i < x.len() { x[i] } else { 0.0 };
        barrier();
        #[unroll]
        for step in 0..8 {
            let distance = 1 << step;
            let below = if thread >= distance { tile[thread - distance] } else { 0.0 };
            barrier();
            tile[thread] += below;
            barrier();
        }
        if i < out.len() {
            out[i] = tile[thread];
        }
    }

    /// Shuffles in each warp, and the warps' sums through shared memory.
    #[kernel(block(256))]
    pub fn scan_shuffles(x: &[f32], out: &mut [f32]) {
        let mut of_warps = shared::<[f32; 8]>();
        let (lane, warp) = (warp::lane_id(), warp::warp_id());
        let i = global_idx().x;
        let mut own = if i < x.len() { x[i] } else { 0.0 };
        #[unroll]
        for step in 0..5 {
            let below = warp::shfl_up(own, 1 << step);
            if lane >= 1 << step {
                own += below;
            }
        }
        if lane == 31 {
            of_warps[warp] = own;
        }
        barrier();
        for before in 0..warp {
            own += of_warps[before];
        }
        if i < out.len() {
            out[i] = own;
        }
    }

    /// A scan of each warp by an attribute, and the warps' sums through shared memory.
    #[kernel(block(256))]
    pub fn scan_warps(x: &[f32], out: &mut [f32]) {
        let mut of_warps = shared::<[f32; 8]>();
        let i = global_idx().x;
        #[warp_scan(add)]
        let in_warp = if i < x.len() { x[i] } else { 0.0 };
        if warp::lane_id() == 31 {
            of_warps[warp::warp_id()] = in_warp;
        }
        barrier();
        let mut before = 0.0f32;
        for warp in 0..warp::warp_id() {
            before += of_warps[warp];
        }
        if i < out.len() {
            out[i] = before + in_warp;
        }
    }

    /// In one line.
    #[kernel(block(256))]
    pub fn scan_block(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        #[block_scan(add)]
        let up_to = if i < x.len() { x[i] } else { 0.0 };
        if i < out.len() {
            out[i] = up_to;
        }
    }
}

use kernels::{dot_block, dot_shared, dot_shuffles};
use kernels::{max_block, max_redux, max_shared, max_shuffles, max_warps};
use kernels::{scan_block, scan_shared, scan_shuffles, scan_warps};

const TOPIC: &str = "warp";

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(&max_shared::KERNEL, TOPIC, "maximum through shared memory", 4, |gpu, n| {
        maxima(gpu, n, |x, out| max_shared(x, out).grid(BLOCKS).run())
    }),
    Example::new(&max_shuffles::KERNEL, TOPIC, "maximum through shuffles", 4, |gpu, n| {
        maxima(gpu, n, |x, out| max_shuffles(x, out).grid(BLOCKS).run())
    }),
    Example::new(&max_warps::KERNEL, TOPIC, "maximum by `#[warp_reduce(max)]`", 4, |gpu, n| {
        maxima(gpu, n, |x, out| max_warps(x, out).grid(BLOCKS).run())
    }),
    Example::new(&max_block::KERNEL, TOPIC, "maximum by `#[block_reduce(max)]`", 4, |gpu, n| {
        maxima(gpu, n, |x, out| max_block(x, out).grid(BLOCKS).run())
    }),
    Example::new(&max_redux::KERNEL, TOPIC, "maximum by `#[redux(max)]` of bits", 4, |gpu, n| {
        maxima(gpu, n, |x, out| max_redux(x, out).grid(BLOCKS).run())
    }),
    Example::new(&dot_shared::KERNEL, TOPIC, "dot product through shared memory", 8, |gpu, n| {
        dots(gpu, n, |x, y, out| dot_shared(x, y, out).grid(BLOCKS).run())
    }),
    Example::new(&dot_shuffles::KERNEL, TOPIC, "dot product through shuffles", 8, |gpu, n| {
        dots(gpu, n, |x, y, out| dot_shuffles(x, y, out).grid(BLOCKS).run())
    }),
    Example::new(&dot_block::KERNEL, TOPIC, "dot product by `#[block_reduce(add)]`", 8, |gpu, n| {
        dots(gpu, n, |x, y, out| dot_block(x, y, out).grid(BLOCKS).run())
    }),
    Example::new(&scan_shared::KERNEL, TOPIC, "scan through shared memory", 8, |gpu, n| {
        scans(gpu, n, |x, out| scan_shared(x, out).over(n).run())
    }),
    Example::new(&scan_shuffles::KERNEL, TOPIC, "scan through shuffles", 8, |gpu, n| {
        scans(gpu, n, |x, out| scan_shuffles(x, out).over(n).run())
    }),
    Example::new(&scan_warps::KERNEL, TOPIC, "scan by `#[warp_scan(add)]`", 8, |gpu, n| {
        scans(gpu, n, |x, out| scan_warps(x, out).over(n).run())
    }),
    Example::new(&scan_block::KERNEL, TOPIC, "scan by `#[block_scan(add)]`", 8, |gpu, n| {
        scans(gpu, n, |x, out| scan_block(x, out).over(n).run())
    }),
];

/// The elements of each block of a grid-stride loop, combined.
fn of_blocks<T>(elements: &[T], start: f64, combine: impl Fn(f64, &T) -> f64) -> Vec<f32> {
    let blocks = BLOCKS as usize;
    let mut results = vec![start; blocks];
    for (block, part) in elements.chunks(256).enumerate() {
        results[block % blocks] = part.iter().fold(results[block % blocks], &combine);
    }
    results.into_iter().map(|result| result as f32).collect()
}

fn maxima(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    // An element for every block: the maximum of nothing depends on the way.
    let host = random(50, n.max(256 * BLOCKS as usize));
    let expected = of_blocks(&host, f64::NEG_INFINITY, |largest, &x| largest.max(x.into()));
    from_slice(gpu, &host, expected, 0.0, launch)
}

fn dots(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let (host_x, host_y) = (random(51, n), random(52, n));
    let pairs: Vec<(f32, f32)> = host_x.iter().copied().zip(host_y.iter().copied()).collect();
    let expected = of_blocks(&pairs, 0.0, |sum, &(x, y)| sum + f64::from(x) * f64::from(y));
    let y = gpu.upload(&host_y)?;
    from_slice(gpu, &host_x, expected, 1e-5, |x, out| launch(x, &y, out))
}

fn scans(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let host = random(53, n);
    let running = |block: &[f32]| {
        let sums = block.iter().scan(0.0f64, |sum, &x| {
            *sum += f64::from(x);
            Some(*sum as f32)
        });
        sums.collect::<Vec<f32>>()
    };
    let expected = host.par_chunks(256).flat_map_iter(running).collect();
    from_slice(gpu, &host, expected, 1e-5, launch)
}
