//! Inputs of the kernels, and the comparison of their results.
//!
//! Every kernel has the parameters `(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32])`.

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::{Arch, DeviceBuffer, Error, Gpu, IntoDim3, Kernel, Launch, Result};
use tests::toolchain::assemble_everywhere;

/// The scalar argument.
pub const N: i32 = 37;

/// Length of every slice.
pub const LEN: usize = 512;

/// The result of a run: the outputs, or the error that ended it.
pub type Outcome = Result<(Vec<u64>, Vec<f32>), String>;

/// Integers: the ends of their range first, then mixed ones.
pub fn ints() -> Vec<i32> {
    let edges = [0, 1, -1, 2, -2, i32::MAX, i32::MIN, i32::MIN + 1, 255, 256, -128, 65_535, 31, 32, 33];
    let mixed = (0..).scan(0x2545_f491u32, |state, _| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some((*state >> (*state >> 27)) as i32)
    });
    edges.into_iter().chain(mixed).take(LEN).collect()
}

/// Floats: special ones first, then mixed ones.
pub fn floats() -> Vec<f32> {
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.5,
        -2.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e-45,
        -1e-40,
        16_777_217.0,
        3e9,
        -3e9,
    ];
    let mixed = ints().into_iter().map(|i| i as f32 * 0.001 + (i & 15) as f32);
    edges.into_iter().chain(mixed).take(LEN).collect()
}

/// The devices that there are: the simulator, and a GPU if there is one.
fn devices() -> Vec<Gpu> {
    let simulator = Gpu::simulator(Arch::Sm90);
    [simulator].into_iter().chain(Gpu::cuda(0)).collect()
}

/// A panic as text, the same for every place where the kernel runs.
fn ending(error: Error) -> String {
    match error {
        Error::KernelPanicked { message, file, line, column, block, thread, .. } => {
            format!("{file}:{line}:{column}: {message} in {thread:?} of {block:?}")
        }
        other => other.to_string(),
    }
}

/// Assembles a kernel for every architecture, runs it everywhere and compares.
pub fn agree(
    kernel: &Kernel,
    grid: impl IntoDim3 + Copy,
    block: impl IntoDim3 + Copy,
    cpu: impl for<'a> Fn(i32, &'a [i32], &'a [f32], &'a mut [u64], &'a mut [f32]) -> CpuLaunch<'a>,
    device: impl for<'a> Fn(
        i32,
        &'a DeviceBuffer<i32>,
        &'a DeviceBuffer<f32>,
        &'a mut DeviceBuffer<u64>,
        &'a mut DeviceBuffer<f32>,
    ) -> Launch<'a>,
) -> Outcome {
    let _: Option<Vec<_>> = assemble_everywhere(kernel.ptx());
    let (ints, floats) = (ints(), floats());
    let (mut out, mut results) = (vec![0; LEN], vec![0.0; LEN]);
    let expected =
        cpu(N, &ints, &floats, &mut out, &mut results).grid(grid).block(block).run().map_err(ending);
    for gpu in devices() {
        let run = || -> Result<_> {
            let (ints, floats) = (gpu.upload(&ints)?, gpu.upload(&floats)?);
            let (mut out, mut results) = (gpu.zeros(LEN)?, gpu.zeros(LEN)?);
            let end = device(N, &ints, &floats, &mut out, &mut results).grid(grid).block(block).run();
            Ok((end, out.to_vec()?, results.to_vec()?))
        };
        let (end, gpu_out, gpu_results) = run().expect("buffers are copied");
        let end = end.map(|_| ()).map_err(ending);
        assert_eq!(expected, end, "CPU (left) and {} (right) end differently", gpu.describe());
        for i in 0..LEN {
            assert_eq!(out[i], gpu_out[i], "out[{i}] on the CPU (left) and {} (right)", gpu.describe());
            let (left, right) = (results[i], gpu_results[i]);
            let same = left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan());
            assert!(same, "results[{i}] is {left} on the CPU and {right} on {}", gpu.describe());
        }
    }
    expected.map(|()| (out, results))
}

/// A test for each kernel of a module: `name: grid, block;`.
macro_rules! cases {
    ($module:ident: $($kernel:ident: $grid:expr, $block:expr;)*) => {$(
        #[test]
        fn $kernel() {
            let outcome = crate::harness::agree(
                &$module::$kernel::KERNEL,
                $grid,
                $block,
                |n, ints, floats, out, results| $module::$kernel::cpu(n, ints, floats, out, results),
                |n, ints, floats, out, results| $module::$kernel(n, ints, floats, out, results),
            );
            let (out, results) = outcome.unwrap_or_else(|error| panic!("{error}"));
            let touched = out.iter().any(|&v| v != 0) || results.iter().any(|&v| v != 0.0);
            assert!(touched, "the kernel writes something");
        }
    )*};
}
pub(crate) use cases;
