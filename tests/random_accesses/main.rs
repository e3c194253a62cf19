//! Random kernels whose indices have every origin do the same on the CPU, on the simulator with checks and without, and on a GPU where
//! there is one, in buffers of all sizes; the sanitizer finds no access outside of them.
//!
//! `build.rs` writes the kernels: half as many as the environment's `RANDOM_KERNELS` says when the test is built, from the seed
//! `RANDOM_SEED`. `RANDOM_LAUNCHES` says how many launches each has. Kernels may panic: then they do so everywhere, and what other threads wrote is equal.
// The parser says it before the module's own `allow` is known.
#![allow(break_with_label_and_loop)]

use std::fmt::Write;

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::{Arch, ChecksTaken, DeviceBuffer, Error, Gpu, Launch, Result};

#[allow(warnings, arithmetic_overflow, unconditional_panic, clippy::all)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/random_accesses.rs"));
}

/// Threads of each launch: two blocks of two warps.
const THREADS: usize = 128;

/// A generated kernel.
pub struct Program {
    text: &'static str,
    cpu: for<'a> fn(i32, usize, &'a Inputs, &'a mut Outputs) -> CpuLaunch<'a>,
    device: for<'a> fn(i32, usize, &'a DeviceInputs, &'a mut DeviceOutputs) -> Launch<'a>,
}

/// Slices that kernels read.
pub struct Inputs {
    x: Vec<i32>,
    b: Vec<u8>,
    h: Vec<u16>,
    w: Vec<i64>,
    g: Vec<u32>,
}

/// As before, on a device.
pub struct DeviceInputs {
    x: DeviceBuffer<i32>,
    b: DeviceBuffer<u8>,
    h: DeviceBuffer<u16>,
    w: DeviceBuffer<i64>,
    g: DeviceBuffer<u32>,
}

/// Slices that kernels write.
#[derive(Debug, PartialEq)]
pub struct Outputs {
    out: Vec<u32>,
    y: Vec<u8>,
}

/// As before, on a device.
pub struct DeviceOutputs {
    out: DeviceBuffer<u32>,
    y: DeviceBuffer<u8>,
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        self.0 ^ (self.0 >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) % n as u64) as usize
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Arguments and lengths of a launch.
#[derive(Debug)]
struct Shape {
    n: i32,
    m: usize,
    /// Of `x`, `b`, `h`, `w`, `g`, `out` and `y`.
    lengths: [usize; 7],
    seed: u64,
}

impl Shape {
    fn new(random: &mut Random) -> Shape {
        const LENGTHS: &[usize] = &[
            0, 1, 2, 3, 5, 16, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 130, 160, 191, 192, 255, 256, 257,
            260,
        ];
        // Either all have room for most indices, or each is chosen by itself; those that are written have room as a rule.
        let all = random.of(&[None, None, Some(256), Some(600), Some(128)]);
        let mut lengths = std::array::from_fn(|_| all.unwrap_or_else(|| random.of(LENGTHS)));
        for written in &mut lengths[5..] {
            *written = random.of(&[*written, THREADS, 4 * THREADS, 4 * THREADS]);
        }
        let m = match random.below(5) {
            0 => lengths[random.below(7)],
            1 => random.of(&[usize::MAX, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 63, (1 << 32) + 3, 1 << 30]),
            _ => random.below(40),
        };
        let n = match random.below(4) {
            0 => random.of(&[i32::MAX, i32::MIN, -1, i32::MAX - 1, 1 << 16]),
            _ => random.below(70) as i32 - 8,
        };
        Shape { n, m, lengths, seed: random.next() }
    }

    fn inputs(&self) -> Inputs {
        let mut random = Random(self.seed);
        // Few bits as often as many.
        let mut word = || {
            let word = random.next();
            match random.below(4) {
                0 => word,
                1 => u64::MAX - (word & 7),
                _ => (word >> 20) & 31,
            }
        };
        let [x, b, h, w, g, ..] = self.lengths;
        Inputs {
            x: (0..x).map(|_| word() as i32).collect(),
            b: (0..b).map(|_| word() as u8).collect(),
            h: (0..h).map(|_| word() as u16).collect(),
            w: (0..w).map(|_| word() as i64).collect(),
            g: (0..g).map(|_| word() as u32).collect(),
        }
    }

    fn outputs(&self) -> Outputs {
        Outputs {
            out: (0..self.lengths[5] as u32).collect(),
            y: (0..self.lengths[6]).map(|i| i as u8 ^ 0x55).collect(),
        }
    }

    /// The results of a kernel on the CPU, and whether a thread panicked.
    fn on_the_cpu(&self, program: &Program) -> (bool, Outputs) {
        let (inputs, mut outputs) = (self.inputs(), self.outputs());
        let ran = (program.cpu)(self.n, self.m, &inputs, &mut outputs).grid(2).block(64).run();
        (ran.is_err(), outputs)
    }

    /// As before, on a device, with the version that ran; an error is one that is no panic.
    fn on_a_device(
        &self,
        gpu: &Gpu,
        program: &Program,
        is_checked: bool,
    ) -> std::result::Result<((bool, Outputs), Option<ChecksTaken>), String> {
        let run = || -> Result<_> {
            let Inputs { x, b, h, w, g } = self.inputs();
            let inputs = DeviceInputs {
                x: gpu.upload(&x)?,
                b: gpu.upload(&b)?,
                h: gpu.upload(&h)?,
                w: gpu.upload(&w)?,
                g: gpu.upload(&g)?,
            };
            let Outputs { out, y } = self.outputs();
            let mut outputs = DeviceOutputs { out: gpu.upload(&out)?, y: gpu.upload(&y)? };
            let launch = (program.device)(self.n, self.m, &inputs, &mut outputs).grid(2).block(64);
            let ran = launch.checked(is_checked).run();
            let taken = match ran {
                Ok(report) => Some(report.checks),
                Err(Error::KernelPanicked { .. }) => None,
                Err(error) => return Err(error),
            };
            let left = Outputs { out: outputs.out.to_vec()?, y: outputs.y.to_vec()? };
            Ok(((taken.is_none(), left), taken))
        };
        run().map_err(|error| error.to_string())
    }
}

/// The number in a variable of the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn every_kernel_does_the_same_everywhere() {
    let devices: Vec<Gpu> = [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0)).collect();
    let launches = number("RANDOM_LAUNCHES").unwrap_or(12);
    let mut wrong = Vec::new();
    let (mut finished, mut panicked, mut versions) = (0, 0, [0; 3]);
    for (index, program) in generated::KERNELS.iter().enumerate() {
        let mut random = Random(index as u64 ^ 0x9e37_79b9);
        for _ in 0..launches {
            let shape = Shape::new(&mut random);
            let expected = shape.on_the_cpu(program);
            *(if expected.0 { &mut panicked } else { &mut finished }) += 1;
            let mut found = Vec::new();
            for gpu in &devices {
                for is_checked in [true, false] {
                    found.push(shape.on_a_device(gpu, program, is_checked).map(|(left, taken)| {
                        match taken {
                            Some(ChecksTaken::CheckFree) => versions[0] += 1,
                            Some(ChecksTaken::Partly(_)) => versions[1] += 1,
                            _ => versions[2] += 1,
                        }
                        left
                    }));
                }
            }
            if let Some(at) = found.iter().position(|found| found.as_ref() != Ok(&expected)) {
                let mut told = format!("kernel {index}, {shape:?}\n{}\n", program.text);
                let _ = match &found[at] {
                    Err(error) => writeln!(told, "device {at}: {error}"),
                    Ok((is_panic, left)) => {
                        let differ =
                            |a: &[u32], b: &[u32]| (0..a.len()).filter(|&i| a[i] != b[i]).collect::<Vec<_>>();
                        let wide = |y: &[u8]| y.iter().map(|&y| y.into()).collect::<Vec<u32>>();
                        writeln!(
                            told,
                            "device {at} panics: {is_panic}, the CPU {}; elements of `out` {:?}, of `y` {:?}",
                            expected.0,
                            differ(&left.out, &expected.1.out),
                            differ(&wide(&left.y), &wide(&expected.1.y))
                        )
                    }
                };
                println!("{told}");
                wrong.push(index);
                break;
            }
        }
    }
    let kernels = generated::KERNELS.len();
    println!(
        "{kernels} kernels: {finished} launches finished, {panicked} panicked; {versions:?} without, with some, with all checks"
    );
    assert!(wrong.is_empty(), "{} of {kernels} kernels differ: {wrong:?}", wrong.len());
    assert!(finished * 4 > panicked, "few launches finish");
    assert!(versions[0] * 8 > finished, "few launches take the version without checks");
}
