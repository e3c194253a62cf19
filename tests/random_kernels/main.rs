//! Random kernels give the same on the CPU, on the simulator, and on a GPU where there is one, bit for bit.
//!
//! `build.rs` writes the kernels: as many as the environment's `RANDOM_KERNELS` says when the test is built, from the seed
//! `RANDOM_SEED`. A kernel that differs is printed whole.
// The parser says it before the module's own `allow` is known.
#![allow(break_with_label_and_loop)]

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::{Arch, DeviceBuffer, Gpu, Kernel, Launch};
use tests::report::holds_against_ptx;

#[allow(warnings, arithmetic_overflow, unconditional_panic, clippy::all)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/random_kernels.rs"));
}

/// Threads of each launch: two blocks of two warps.
const THREADS: usize = 128;

/// A generated kernel.
pub struct Program {
    text: &'static str,
    kernel: &'static Kernel,
    cpu: for<'a> fn(i32, &'a [i32], &'a [f32], &'a mut [u64]) -> CpuLaunch<'a>,
    device: for<'a> fn(
        i32,
        &'a DeviceBuffer<i32>,
        &'a DeviceBuffer<f32>,
        &'a mut DeviceBuffer<u64>,
    ) -> Launch<'a>,
}

fn ints() -> Vec<i32> {
    let edges = [0, 1, -1, i32::MAX, i32::MIN, 255, -128, 65_536, 31, 32];
    let mixed = (0..).scan(0x2545_f491u32, |state, _| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some((*state >> (*state >> 27)) as i32)
    });
    edges.into_iter().chain(mixed).take(2 * THREADS).collect()
}

fn floats() -> Vec<f32> {
    let edges = [0.0, -0.0, 1.0, -2.5, f32::INFINITY, f32::NAN, f32::MAX, 1e-45, 3e9, -3e9];
    let mixed = ints().into_iter().map(|i| i as f32 * 0.001 + (i & 15) as f32);
    edges.into_iter().chain(mixed).take(2 * THREADS).collect()
}

/// The output of a kernel on the CPU.
fn on_the_cpu(program: &Program, n: i32) -> Result<Vec<u64>, String> {
    let mut out = vec![0; THREADS];
    let launch = (program.cpu)(n, &ints(), &floats(), &mut out).grid(2).block(64).run();
    launch.map(|_| out).map_err(|error| error.to_string())
}

fn on_a_device(gpu: &Gpu, program: &Program, n: i32) -> Result<Vec<u64>, String> {
    let run = || {
        let (x, f) = (gpu.upload(&ints())?, gpu.upload(&floats())?);
        let mut out = gpu.zeros(THREADS)?;
        (program.device)(n, &x, &f, &mut out).grid(2).block(64).run()?;
        out.to_vec()
    };
    run().map_err(|error| error.to_string())
}

#[test]
fn every_kernel_gives_the_same_everywhere() {
    let devices: Vec<Gpu> = [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0)).collect();
    let mut wrong = Vec::new();
    // Kernels whose threads have results of their own: nearly all, or the comparison says little.
    let mut various = 0;
    for (index, program) in generated::KERNELS.iter().enumerate() {
        let n = index as i32 % 61 - 30;
        let expected = on_the_cpu(program, n);
        various +=
            usize::from(expected.iter().flatten().any(|&out| Ok(out) != expected.as_ref().map(|all| all[0])));
        for gpu in &devices {
            let found = on_a_device(gpu, program, n);
            if expected.is_err() || expected != found {
                let what = match (&expected, &found) {
                    (Ok(expected), Ok(found)) => {
                        let threads: Vec<usize> = (0..THREADS).filter(|&i| expected[i] != found[i]).collect();
                        format!("threads {threads:?} differ")
                    }
                    (expected, found) => format!(
                        "the CPU ends with {:?}, the other with {:?}",
                        expected.as_ref().err(),
                        found.as_ref().err()
                    ),
                };
                println!(
                    "kernel {index} with n = {n} on {}: {what}\n{}\n{}",
                    gpu.describe(),
                    program.text,
                    program.kernel.ptx()
                );
                wrong.push(index);
            }
        }
    }
    println!("{} kernels on the CPU and on {} devices", generated::KERNELS.len(), devices.len());
    assert!(wrong.is_empty(), "{} of {} kernels differ: {wrong:?}", wrong.len(), generated::KERNELS.len());
    assert!(various * 10 > generated::KERNELS.len() * 9, "only {various} of them have various results");
}

#[test]
fn reports_hold_against_the_ptx() {
    generated::KERNELS.iter().for_each(|program| holds_against_ptx(program.kernel));
}
