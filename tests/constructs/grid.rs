//! Cooperation of all blocks of a grid: barriers of the grid, in every place where one may stand.
//!
//! Six blocks of 64 threads run at once. Each kernel states what its result must be; on devices the checked version runs as well,
//! whose barriers look for threads that have panicked.

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::{DeviceBuffer, Launch};

use crate::harness::devices;

const BLOCKS: usize = 6;
const THREADS: usize = BLOCKS * 64;

fn input() -> Vec<i32> {
    (0..THREADS as i32).map(|i| (i * 53 + 17) % 101 - 40).collect()
}

type Shape = ([u32; 3], [u32; 3]);

fn agree(
    (grid, block): Shape,
    expected: impl Fn(usize, &[i32]) -> i32,
    cpu: impl for<'a> Fn(&'a [i32], &'a mut [i32], &'a mut [i32]) -> CpuLaunch<'a>,
    device: impl for<'a> Fn(
        &'a DeviceBuffer<i32>,
        &'a mut DeviceBuffer<i32>,
        &'a mut DeviceBuffer<i32>,
    ) -> Launch<'a>,
) {
    let x = input();
    let expected: Vec<i32> = (0..THREADS).map(|i| expected(i, &x)).collect();
    let (mut out, mut work) = (vec![0; THREADS], vec![0; 2 * THREADS]);
    cpu(&x, &mut out, &mut work)
        .grid(grid)
        .block(block)
        .run()
        .unwrap_or_else(|error| panic!("on the CPU: {error}"));
    assert_eq!(expected, out, "expected (left), the CPU copy (right)");
    for gpu in devices() {
        for checked in [false, true] {
            let run = || {
                let x = gpu.upload(&x)?;
                let (mut out, mut work) = (gpu.zeros(THREADS)?, gpu.zeros(2 * THREADS)?);
                device(&x, &mut out, &mut work).grid(grid).block(block).checked(checked).run()?;
                out.to_vec()
            };
            let found = run().unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
            assert_eq!(expected, found, "expected (left), {} (right)", gpu.describe());
        }
    }
}

macro_rules! grid {
    ($($title:literal $name:ident $shape:expr, |$x:ident, $out:ident, $work:ident: $ty:ty, $i:ident| $body:block => |$e:ident, $ex:ident| $expected:expr;)*) => {
        /// Titles with the names of their tests.
        pub const TABLE: &[(&str, &str)] = &[$(($title, concat!(module_path!(), "::", stringify!($name)))),*];

        /// The kernels' names and PTX, in which each has a name of its own: so one run of `ptxas` takes many.
        pub fn modules() -> Vec<(&'static str, String)> {
            vec![$((
                stringify!($name),
                $name::construct::KERNEL.ptx().replace("construct", concat!("construct_", stringify!($name)))
            )),*]
        }

        $(
            mod $name {
                use kernel_runtime::prelude::*;

                #[kernel(cooperative)]
                #[allow(unused_variables, unused_braces, clippy::all)]
                pub fn construct($x: &[i32], $out: &mut [i32], $work: $ty) {
                    let $i = global_idx().x;
                    $body
                }
            }

            #[test]
            fn $name() {
                agree(
                    $shape,
                    |$e, $ex| $expected,
                    |x, out, work| $name::construct::cpu(x, out, work),
                    |x, out, work| $name::construct(x, out, work),
                );
            }
        )*
    };
}

const LINE: Shape = ([BLOCKS as u32, 1, 1], [64, 1, 1]);

/// So many iterations in which each element becomes the sum of itself and its right neighbour.
fn rounds(x: &[i32], count: usize) -> Vec<i32> {
    let mut now = x.to_vec();
    for _ in 0..count {
        now = (0..now.len()).map(|i| now[i].wrapping_add(now[(i + 1) % now.len()])).collect();
    }
    now
}

grid! {
    "`grid_barrier`" once LINE, |x, out, work: &mut [i32], i| {
        work[i] = x[i] + 1;
        grid_barrier();
        out[i] = work[(i + 100) % x.len()];
    } => |i, x| x[(i + 100) % x.len()] + 1;
    "`grid_barrier` in a loop" rounds_in_place LINE, |x, out, work: &mut [i32], i| {
        let n = x.len();
        out[i] = x[i];
        for _ in 0..5 {
            grid_barrier();
            let v = out[i] + out[(i + 1) % n];
            grid_barrier();
            out[i] = v;
        }
    } => |i, x| rounds(x, 5)[i];
    "`grid_barrier` between two buffers in turn" rounds_in_turn LINE, |x, out, work: &mut [i32], i| {
        let n = x.len();
        work[i] = x[i];
        for round in 0..7usize {
            grid_barrier();
            let (from, to) = (round % 2 * n, (round + 1) % 2 * n);
            work[to + i] = work[from + i] + work[from + (i + 1) % n];
        }
        out[i] = work[n + i];
    } => |i, x| rounds(x, 7)[i];
    "`grid_barrier` in a function" in_function LINE, |x, out, work: &mut [i32], i| {
        fn publish(work: &mut [i32], at: usize, value: i32) { work[at] = value; grid_barrier(); }
        publish(work, i, x[i] * 3);
        out[i] = work[x.len() - 1 - i];
    } => |i, x| x[x.len() - 1 - i] * 3;
    "`grid_barrier` under a condition that is the same for all" conditional LINE, |x, out, work: &mut [i32], i| {
        work[i] = x[i];
        if grid_dim().x > 1 && x[3] != 1000 {
            grid_barrier();
        } else {
            barrier();
        }
        out[i] = work[i ^ 64];
    } => |i, x| x[i ^ 64];
    "`grid_barrier` while a value in memory says so" while_changing LINE, |x, out, work: &mut [i32], i| {
        if i == 0 {
            work[0] = 5;
        }
        grid_barrier();
        let mut turns = 0;
        while work[0] > 0 {
            grid_barrier();
            if i == x.len() - 1 {
                work[0] -= 1;
            }
            turns += 1;
            grid_barrier();
        }
        out[i] = turns + x[i];
    } => |i, x| x[i] + 5;
    "`grid_barrier` after sums of blocks" sums LINE, |x, out, work: &mut [i32], i| {
        let total = block::reduce_add(x[i]);
        if thread_idx().x == 0 {
            work[block_idx().x] = total;
        }
        grid_barrier();
        let mut sum = 0;
        for b in 0..grid_dim().x {
            sum += work[b];
        }
        out[i] = sum - x[i];
    } => |i, x| x.iter().sum::<i32>() - x[i];
    "`grid_barrier` between atomics" atomics LINE, |x, out, work: &[AtomicI32], i| {
        work[i % 7].fetch_add(x[i], Ordering::Relaxed);
        grid_barrier();
        out[i] = work[i % 7].load(Ordering::Relaxed);
    } => |i, x| (i % 7..x.len()).step_by(7).map(|k| x[k]).sum::<i32>();
    "blocks that wait for later ones by atomics" later_blocks LINE, |x, out, work: &[AtomicI32], i| {
        let left = (grid_dim().x - 1 - block_idx().x) as i32;
        if thread_idx().x == 0 {
            while work[0].load(Ordering::Acquire) != left {}
            work[1].fetch_add(x[i] * (left + 1), Ordering::Relaxed);
            work[0].store(left + 1, Ordering::Release);
        }
        grid_barrier();
        out[i] = work[1].load(Ordering::Relaxed) + x[i];
    } => |i, x| (0..6).map(|b| x[64 * b] * (6 - b as i32)).sum::<i32>() + x[i];
    "`grid_barrier` of shared memory and warps" shared_too LINE, |x, out, work: &mut [i32], i| {
        let mut tile = shared::<[i32; 64]>();
        let t = thread_idx().x;
        tile[t] = warp::shfl_xor(x[i], 1);
        grid_barrier();
        work[i] = tile[63 - t];
        grid_barrier();
        out[i] = work[(i + 64) % x.len()];
    } => |i, x| { let k = (i + 64) % x.len(); x[(k / 64 * 64 + 63 - k % 64) ^ 1] };
    "`grid_barrier` of blocks in three dimensions" three_axes ([3, 1, 2], [4, 8, 2]), |x, out, work: &mut [i32], unused| {
        let (b, n, t) = (block_idx(), block_dim(), thread_idx());
        let i = (b.z * 3 + b.x) * 64 + (t.z * n.y + t.y) * n.x + t.x;
        work[i] = x[i] + 2;
        grid_barrier();
        out[i] = work[(i + 70) % x.len()];
    } => |i, x| x[(i + 70) % x.len()] + 2;
    "`grid_barrier` over a loop of the grid's stride" strided ([2, 1, 1], [32, 1, 1]), |x, out, work: &mut [i32], i| {
        let mut k = i;
        while k < x.len() {
            work[k] = x[k];
            k += global_size().x;
        }
        grid_barrier();
        let mut k = i;
        while k < x.len() {
            out[k] = work[x.len() - 1 - k] - x[k];
            k += global_size().x;
        }
    } => |i, x| x[x.len() - 1 - i] - x[i];
    "one block that waits for itself" one_block ([1, 1, 1], [384, 1, 1]), |x, out, work: &mut [i32], i| {
        work[i] = x[i];
        grid_barrier();
        out[i] = work[(i + 1) % x.len()];
    } => |i, x| x[(i + 1) % x.len()];
}
