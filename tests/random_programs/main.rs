//! Random arithmetic gives the same on the CPU, on the simulator, and on a GPU where there is one, bit for bit.
//!
//! `build.rs` writes the programs, more than 10,000 of them; each runs on every row of inputs, the ends of each type's
//! range among them. All NaNs count as one.

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::{Arch, DeviceBuffer, Gpu, Kernel, Launch};
use tests::toolchain::{EVERYWHERE, Ptxas, require_or_skip};

// rustc says of some constant operands that they overflow; on the GPU they wrap.
#[allow(arithmetic_overflow, unconditional_panic)]
#[allow(missing_docs, unused_assignments, unused_parens, unused_braces, unused_variables, clippy::all)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/random_programs.rs"));
}

/// Rows of inputs, one a thread: more than one warp, so that threads also diverge.
const ROWS: usize = 48;

/// A kernel with its programs.
pub struct Programs {
    name: &'static str,
    kernel: &'static Kernel,
    /// The programs' texts: a third gives integers, a third `f32`, a third `f64`.
    sources: &'static [&'static str],
    cpu: for<'a> fn(&'a Inputs, &'a mut Outputs) -> CpuLaunch<'a>,
    device: for<'a> fn(&'a DeviceInputs, &'a mut DeviceOutputs) -> Launch<'a>,
}

/// Results of the programs: `[row][program]` of each class.
pub struct Outputs {
    ints: Vec<u64>,
    f32s: Vec<f32>,
    f64s: Vec<f64>,
}

/// Results of the programs on a device.
pub struct DeviceOutputs {
    ints: DeviceBuffer<u64>,
    f32s: DeviceBuffer<f32>,
    f64s: DeviceBuffer<f64>,
}

macro_rules! inputs {
    ($($name:ident: $ty:ident, [$($edge:expr),*], |$word:ident| $mixed:expr;)*) => {
        /// Two values of each type a row.
        pub struct Inputs { $($name: Vec<$ty>),* }

        /// The inputs on a device.
        pub struct DeviceInputs { $($name: DeviceBuffer<$ty>),* }

        impl Inputs {
            fn new() -> Inputs {
                let mut state = 0x0123_4567_89ab_cdef_u64;
                // Few bits as often as many.
                let mut mixed = move || {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state ^ (state >> 29)) >> (state >> 58)
                };
                Inputs { $($name: {
                    // Neighbours form a row: the ends meet each other in the first rows, mixed values after them.
                    let edges = [$($edge),*];
                    let mixed = std::iter::repeat_with(|| { let $word = mixed(); $mixed });
                    edges.into_iter().chain(mixed).take(2 * ROWS).collect()
                }),* }
            }

            fn upload(&self, gpu: &Gpu) -> DeviceInputs {
                DeviceInputs { $($name: gpu.upload(&self.$name).expect("inputs are copied")),* }
            }

            /// The inputs of a row, for a message.
            fn row(&self, row: usize) -> String {
                let mut text = String::new();
                $(text += &format!("{}: {:?} ", stringify!($ty), &self.$name[2 * row..2 * row + 2]);)*
                text
            }
        }
    };
}

inputs! {
    i8s: i8, [0, 1, -1, i8::MIN, i8::MAX, -1, 7, 8], |word| word as i8;
    i16s: i16, [0, 1, -1, i16::MIN, i16::MAX, -1, 15, 256], |word| word as i16;
    i32s: i32, [0, 1, -1, i32::MIN, i32::MAX, -1, 31, 65_536], |word| word as i32;
    i64s: i64, [0, 1, -1, i64::MIN, i64::MAX, -1, 63, 1 << 32], |word| word as i64;
    isizes: isize, [0, 1, -1, isize::MIN, isize::MAX, -1, 32, 1 << 31], |word| word as isize;
    u8s: u8, [0, 1, u8::MAX, 128, 127, 2, 8, 9], |word| word as u8;
    u16s: u16, [0, 1, u16::MAX, 32_768, 255, 256, 16, 17], |word| word as u16;
    u32s: u32, [0, 1, u32::MAX, 1 << 31, 65_535, 3, 32, 33], |word| word as u32;
    u64s: u64, [0, 1, u64::MAX, 1 << 63, 1 << 32, 5, 64, 65], |word| word;
    usizes: usize, [0, 1, usize::MAX, 1 << 63, 1 << 32, 5, 0xffff_ffff, 65], |word| word as usize;
    f32s: f32,
        [0.0, -0.0, 1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-45, 2.5, -0.5, -1e-39, 3.5, f32::MIN_POSITIVE, -f32::MAX],
        |word| if word & 1 == 0 { f32::from_bits((word >> 3) as u32) } else { (word as i64) as f32 * 0.37 };
    f64s: f64,
        [0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 5e-324, 2.5, -0.5, -1e-310, 3.5, 1e39, -1e-46],
        |word| if word & 1 == 0 { f64::from_bits(word << 1) } else { (word as i64) as f64 * 0.37 };
}

impl Programs {
    fn per_class(&self) -> usize {
        self.sources.len() / 3
    }

    fn on_cpu(&self, inputs: &Inputs) -> Outputs {
        let len = ROWS * self.per_class();
        let mut out = Outputs { ints: vec![0; len], f32s: vec![0.0; len], f64s: vec![0.0; len] };
        let run = (self.cpu)(inputs, &mut out).grid(1).block(ROWS as u32).run();
        run.unwrap_or_else(|error| panic!("{} on the CPU: {error}", self.name));
        out
    }

    fn on_device(&self, inputs: &DeviceInputs, gpu: &Gpu) -> kernel_runtime::Result<Outputs> {
        let len = ROWS * self.per_class();
        let mut out = DeviceOutputs { ints: gpu.zeros(len)?, f32s: gpu.zeros(len)?, f64s: gpu.zeros(len)? };
        (self.device)(inputs, &mut out).grid(1).block(ROWS as u32).run()?;
        Ok(Outputs { ints: out.ints.to_vec()?, f32s: out.f32s.to_vec()?, f64s: out.f64s.to_vec()? })
    }

    /// The programs that differ, with the first row where they do.
    fn differences(&self, left: &Outputs, right: &Outputs, inputs: &Inputs, device: &str) -> Vec<String> {
        let n = self.per_class();
        let describe = |class: usize, slot: usize, row: usize, values: String| {
            let source = self.sources[class * n + slot];
            format!(
                "{} row {row}: {values} (CPU, {device})\n  {source}\n  with {}",
                self.name,
                inputs.row(row)
            )
        };
        let mut found = Vec::new();
        for slot in 0..n {
            let at = |row: usize| row * n + slot;
            if let Some(row) = (0..ROWS).find(|&row| left.ints[at(row)] != right.ints[at(row)]) {
                let values = format!("{:#x}, {:#x}", left.ints[at(row)], right.ints[at(row)]);
                found.push(describe(0, slot, row, values));
            }
            let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
            if let Some(row) = (0..ROWS).find(|&row| !same(left.f32s[at(row)], right.f32s[at(row)])) {
                let values = format!("{:e}, {:e}", left.f32s[at(row)], right.f32s[at(row)]);
                found.push(describe(1, slot, row, values));
            }
            let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
            if let Some(row) = (0..ROWS).find(|&row| !same(left.f64s[at(row)], right.f64s[at(row)])) {
                let values = format!("{:e}, {:e}", left.f64s[at(row)], right.f64s[at(row)]);
                found.push(describe(2, slot, row, values));
            }
        }
        found
    }
}

#[test]
fn random_programs_agree() {
    let inputs = Inputs::new();
    let programs: usize = generated::KERNELS.iter().map(|kernel| kernel.sources.len()).sum();
    assert!(programs >= 10_000, "only {programs} programs");
    let devices: Vec<Gpu> = [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0)).collect();
    let mut found = Vec::new();
    for gpu in &devices {
        let device_inputs = inputs.upload(gpu);
        for kernel in generated::KERNELS {
            let expected = kernel.on_cpu(&inputs);
            match kernel.on_device(&device_inputs, gpu) {
                Ok(outputs) => {
                    found.extend(kernel.differences(&expected, &outputs, &inputs, &gpu.to_string()))
                }
                Err(error) => found.push(format!("{} on {gpu}: {error}", kernel.name)),
            }
        }
    }
    let count = found.len();
    found.truncate(10);
    assert!(count == 0, "{count} of {programs} programs differ; the first:\n{}", found.join("\n"));
}

#[test]
fn random_programs_are_assembled() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    // The programs are alike: a share of them for each architecture finds what all of them would, sooner.
    std::thread::scope(|scope| {
        for (number, &arch) in EVERYWHERE.iter().enumerate() {
            let share = generated::KERNELS.iter().skip(number).step_by(EVERYWHERE.len());
            let modules: Vec<&str> = share.map(|programs| programs.kernel.ptx()).collect();
            let ptxas = &ptxas;
            scope.spawn(move || {
                for result in ptxas.assemble_batch(&modules, arch) {
                    result.unwrap_or_else(|log| panic!("for {arch}: {log}"));
                }
            });
        }
    });
}
