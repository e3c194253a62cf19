//! Times the precisions of products of `f32` of `kernel-library`, and measures their errors, beside cuBLAS's where it is found; and the ladder from tf32 by
//! halves to floats and integers of 8 bits by `mma.sync`, of which a step down is faster and less exact, and a product of which half of the left matrix is left out.
//!
//! `cargo run --release -p examples --bin precisions [--size n]… [--rounds n]`. It needs a CUDA device; cuBLAS as the program `cublas` finds it. All run in turns,
//! in one process and on the same random numbers. An error is the root of the sum of squares of the differences from products in `f64`, as a part of
//! that of these products, over 4,096 elements.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use comfy_table::Cell;
use cudarc::driver::CudaContext;
use examples::cublas::{Cublas, CublasError};
use examples::intensity::narrow;
use examples::random;
use examples::tables::{self, right};
use kernel_library::{Precision, Workspace, matmul};
use kernel_runtime::Sparse24;
use kernel_runtime::prelude::*;

/// Times products of `f32` of each precision, and measures their errors.
#[derive(Parser)]
#[command(name = "precisions")]
struct Options {
    /// Rows and columns. May be given several times.
    #[arg(long = "size", default_values_t = [1024, 2048, 4096, 8191, 8192])]
    sizes: Vec<usize>,
    /// Timed runs of each.
    #[arg(long, default_value_t = 31)]
    rounds: usize,
    /// The CUDA device.
    #[arg(long, default_value_t = 0)]
    device: u32,
}

/// Rounds that warm up caches and clocks.
const WARM_UP: usize = 3;
/// Rows and columns whose elements are compared.
const COMPARED: usize = 64;

type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A way to multiply.
#[derive(Clone, Copy)]
enum Way {
    /// By `kernel-library`; the right matrix is transposed, or as it is.
    Ours(Precision, bool),
    /// By `mma.sync`, of A Bᵀ with elements that are rounded before; sums are in `f32`.
    Narrow(Narrow),
    Theirs(Theirs),
}

/// Elements of a product by cuBLAS.
#[derive(Clone, Copy, PartialEq)]
enum Theirs {
    Tf32,
    F32,
    /// Of A Bᵀ.
    I8,
}

/// The elements of a product by `mma.sync`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Narrow {
    Tf32,
    F16,
    Bf16,
    E4M3,
    /// Multiples of 1 / [`STEPS`], with sums in `i32`.
    I8,
    /// Halves, of which two of four neighbours in a row of A are kept.
    Sparse,
}

/// Steps of `i8` between 0 and 1; the numbers here are from −0.5 to 0.5.
const STEPS: f32 = 254.0;

const WAYS: [Way; 15] = [
    Way::Ours(Precision::Tf32, false),
    Way::Ours(Precision::Tf32, true),
    Way::Ours(Precision::Tf32x3, false),
    Way::Ours(Precision::Tf32x3, true),
    Way::Ours(Precision::F32, false),
    Way::Ours(Precision::F32, true),
    Way::Narrow(Narrow::Tf32),
    Way::Narrow(Narrow::F16),
    Way::Narrow(Narrow::Bf16),
    Way::Narrow(Narrow::E4M3),
    Way::Narrow(Narrow::I8),
    Way::Narrow(Narrow::Sparse),
    Way::Theirs(Theirs::Tf32),
    Way::Theirs(Theirs::F32),
    Way::Theirs(Theirs::I8),
];

impl Way {
    fn name(self) -> String {
        match self {
            Way::Ours(precision, _) => format!("{precision:?}"),
            Way::Narrow(narrow) => format!("{narrow:?} by `mma`"),
            Way::Theirs(Theirs::Tf32) => "cuBLAS, tf32".to_owned(),
            Way::Theirs(Theirs::F32) => "cuBLAS, f32".to_owned(),
            Way::Theirs(Theirs::I8) => "cuBLAS, i8".to_owned(),
        }
    }

    fn is_transposed(self) -> bool {
        matches!(self, Way::Ours(_, true) | Way::Narrow(_) | Way::Theirs(Theirs::I8))
    }

    fn has_integers(self) -> bool {
        matches!(self, Way::Narrow(Narrow::I8) | Way::Theirs(Theirs::I8))
    }
}

/// Square matrices of a size on the device.
struct Matrices {
    size: usize,
    a: DeviceBuffer<f32>,
    b: DeviceBuffer<f32>,
    c: DeviceBuffer<f32>,
    workspace: Workspace,
    narrow: Rounded,
}

/// Both matrices with narrow elements, and what is left of the first one when it is pruned.
struct Rounded {
    halves: [DeviceBuffer<f16>; 2],
    brains: [DeviceBuffer<bf16>; 2],
    bytes: [DeviceBuffer<E4M3>; 2],
    integers: [DeviceBuffer<i8>; 2],
    /// The product of these.
    sums: DeviceBuffer<i32>,
    kept: DeviceBuffer<F16x2>,
    /// The halves of the second matrix.
    pairs: DeviceBuffer<F16x2>,
    places: DeviceBuffer<u32>,
}

impl Rounded {
    fn new(gpu: &Gpu, size: usize, numbers: [&[f32]; 2]) -> Result<Rounded> {
        fn of<T: Element>(
            gpu: &Gpu,
            numbers: [&[f32]; 2],
            round: fn(f32) -> T,
        ) -> Result<[DeviceBuffer<T>; 2]> {
            let one = |numbers: &[f32]| gpu.upload(&numbers.iter().map(|&x| round(x)).collect::<Vec<_>>());
            Ok([one(numbers[0])?, one(numbers[1])?])
        }
        let [left, right] =
            numbers.map(|numbers| -> Vec<f16> { numbers.iter().map(|&x| f16::from_f32(x)).collect() });
        let sparse = Sparse24::prune(&left, size, size)?;
        Ok(Rounded {
            halves: of(gpu, numbers, f16::from_f32)?,
            brains: of(gpu, numbers, bf16::from_f32)?,
            bytes: of(gpu, numbers, E4M3::from_f32)?,
            integers: of(gpu, numbers, |x| (STEPS * x).round() as i8)?,
            sums: gpu.zeros(size * size)?,
            kept: gpu.upload(&narrow::in_pairs(sparse.values()))?,
            pairs: gpu.upload(&narrow::in_pairs(&right))?,
            places: gpu.upload(sparse.metadata())?,
        })
    }
}

/// One stream, on which all work.
struct Bench {
    stream: Stream,
    cublas: Option<Cublas>,
}

impl Bench {
    fn start(&self, way: Way, of: &mut Matrices) -> Outcome<()> {
        let Matrices { size, a, b, c, workspace, narrow: rounded } = of;
        let size = *size;
        match (way, &self.cublas) {
            (Way::Ours(precision, transposed), _) => {
                let (a, b) = (a.matrix(size, size)?, b.matrix(size, size)?);
                let product =
                    matmul(a, b, c.matrix_mut(size, size)?).precision(precision).workspace(workspace);
                let product = if transposed { product.transposed() } else { product };
                Ok(product.start(&self.stream)?)
            }
            (Way::Narrow(which), _) => {
                let Rounded { halves, brains, bytes, integers, sums, kept, pairs, places } = rounded;
                let launch = match which {
                    Narrow::Tf32 => narrow::launch_tf32(a, b, c, [size; 3])?,
                    Narrow::F16 => narrow::launch_f16(&halves[0], &halves[1], c, [size; 3])?,
                    Narrow::Bf16 => narrow::launch_bf16(&brains[0], &brains[1], c, [size; 3])?,
                    Narrow::E4M3 => narrow::launch_e4m3(&bytes[0], &bytes[1], c, [size; 3])?,
                    Narrow::I8 => narrow::launch_i8(&integers[0], &integers[1], sums, [size; 3])?,
                    Narrow::Sparse => {
                        let launch = narrow::matmul_sparse(size, size, &*kept, &*places, &*pairs, c);
                        launch.grid(((size / 32) as u32, (size / 64) as u32))
                    }
                };
                Ok(launch.start(&self.stream)?)
            }
            (Way::Theirs(theirs), Some(cublas)) => {
                let [a, b, c] = [a, b, c].map(|matrix| matrix.as_device_ptr().address());
                let [left, right] =
                    rounded.integers.each_mut().map(|matrix| matrix.as_device_ptr().address());
                let sums = rounded.sums.as_device_ptr().address();
                // SAFETY: matrices of this size, which live until the stream is waited for: whoever calls this waits. Nobody else uses the third.
                Ok(unsafe {
                    match theirs {
                        Theirs::Tf32 => cublas.tf32_product(size, [a, b, c]),
                        Theirs::F32 => cublas.product(size, a, b, c),
                        Theirs::I8 => cublas.byte_product(size, [left, right, sums]),
                    }
                }?)
            }
            (Way::Theirs(_), None) => Ok(()),
        }
    }

    /// The relative error of a product.
    fn error(&self, way: Way, of: &mut Matrices, [a, b]: [&[f32]; 2]) -> Outcome<f64> {
        let asked = self.start(way, of);
        self.stream.synchronize()?;
        asked?;
        let size = of.size;
        let found = if way.has_integers() {
            of.narrow.sums.to_vec()?.into_iter().map(|sum| sum as f32 / (STEPS * STEPS)).collect()
        } else {
            of.c.to_vec()?
        };
        let step = (size / COMPARED).max(1);
        let (mut error, mut all) = (0.0, 0.0);
        for row in (0..size).step_by(step) {
            for column in (0..size).step_by(step) {
                let right =
                    |k: usize| if way.is_transposed() { b[column * size + k] } else { b[k * size + column] };
                let terms = (0..size).map(|k| f64::from(a[row * size + k]) * f64::from(right(k)));
                let expected: f64 = terms.sum();
                error += (f64::from(found[row * size + column]) - expected).powi(2);
                all += expected.powi(2);
            }
        }
        Ok((error / all).sqrt())
    }

    /// The time of each way: in turns, of which each round begins with another one.
    fn times(&self, ways: &[Way], of: &mut Matrices, rounds: usize) -> Outcome<Vec<Duration>> {
        let (mut first, mut last) = (self.stream.record()?, self.stream.record()?);
        // Launches one behind the other, some milliseconds of them: the time of the host is none of theirs.
        let launches = ((1u64 << 37) / (of.size as u64).pow(3).max(1)).clamp(1, 100) as u32;
        let mut times = vec![Vec::new(); ways.len()];
        for round in 0..rounds + WARM_UP {
            for turn in 0..ways.len() {
                let index = (round + turn) % ways.len();
                self.stream.record_again(&mut first)?;
                let asked = (0..launches).try_for_each(|_| self.start(ways[index], of));
                self.stream.record_again(&mut last)?;
                self.stream.synchronize()?;
                asked?;
                if round >= WARM_UP {
                    times[index].push(last.since(&first)? / launches);
                }
            }
        }
        let median = |mut times: Vec<Duration>| {
            times.sort_unstable();
            times.get(times.len() / 2).copied().unwrap_or_default()
        };
        Ok(times.into_iter().map(median).collect())
    }
}

fn run(options: &Options) -> Outcome<()> {
    // Fails with an error where there is no driver; `cudarc`, called next, would panic.
    let gpu = Gpu::cuda(options.device)?;
    let theirs = CudaContext::new(options.device as usize)?.new_stream()?;
    let cublas = match Cublas::on(&theirs) {
        Ok(cublas) => Some(cublas),
        Err(missing @ CublasError::Missing { .. }) => {
            println!("{missing}");
            None
        }
        Err(error) => return Err(error.into()),
    };
    println!("{}", gpu.describe());
    if let Some(cublas) = &cublas {
        println!("cuBLAS: {}", cublas.describe()?);
    }
    // SAFETY: nobody captures the stream.
    let bench = Bench { stream: unsafe { Stream::from_cudarc(&theirs) }?, cublas };
    let is_there = |way: &Way, size: usize| match way {
        Way::Ours(..) => true,
        Way::Narrow(narrow) => *narrow != Narrow::Sparse || size.is_multiple_of(64),
        // Rows of a multiple of four bytes.
        Way::Theirs(Theirs::I8) => bench.cublas.is_some() && size.is_multiple_of(4),
        Way::Theirs(_) => bench.cublas.is_some(),
    };
    let mut table = tables::table(["precision", "product", "size", "time", "TFLOP/s", "error"]);
    for &size in &options.sizes {
        let ways: Vec<Way> = WAYS.into_iter().filter(|way| is_there(way, size)).collect();
        let numbers =
            |seed: u64| -> Vec<f32> { random(seed, size * size).into_iter().map(|x| x - 0.5).collect() };
        let (a, b) = (numbers(40), numbers(41));
        let gpu = bench.stream.gpu();
        let mut matrices = Matrices {
            size,
            a: gpu.upload(&a)?,
            b: gpu.upload(&b)?,
            c: gpu.zeros(size * size)?,
            workspace: Workspace::default(),
            narrow: Rounded::new(gpu, size, [&a, &b])?,
        };
        let errors: Outcome<Vec<f64>> =
            ways.iter().map(|&way| bench.error(way, &mut matrices, [&a, &b])).collect();
        let times = bench.times(&ways, &mut matrices, options.rounds)?;
        for ((way, time), error) in ways.iter().zip(times).zip(errors?) {
            let speed = 2.0 * (size as f64).powi(3) / time.as_secs_f64() / 1e12;
            table.add_row([
                Cell::new(way.name()),
                Cell::new(if way.is_transposed() { "A Bᵀ" } else { "A B" }),
                right(size.to_string()),
                right(format!("{time:.1?}")),
                right(format!("{speed:.1}")),
                right(format!("{error:.1e}")),
            ]);
        }
    }
    println!("\n{table}");
    Ok(())
}

fn main() -> ExitCode {
    sigpipe::reset();
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
