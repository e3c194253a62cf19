//! Our products of matrices of `f32`, `f16` and `bf16` beside cuBLAS's, in one process, on the same data.
//!
//! `cargo run --release -p examples --bin cublas [--size n]… [--rounds n] [--only name] [--json file]`. It needs a CUDA device, and
//! cuBLAS of CUDA 12 or 13: from a toolkit or the Python package `nvidia-cublas`, found by `PATH`, or where the environment variable
//! CUBLAS says.
//!
//! For `f32` cuBLAS is asked for `f32` throughout, without `tf32`, and held to it: the product with the identity has to give the same
//! bits. Elements of 16 bits are multiplied by the tensor cores of both, with sums in `f32`. Then all elements of a product of random
//! numbers are compared, and both are timed in turns on one stream, between events.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use comfy_table::{Cell, Table};
use cudarc::driver::{CudaContext, CudaStream};
use examples::cublas::{Cublas, Half};
use examples::intensity::matmul::{matmul_double_buffered, matmul_registers};
use examples::intensity::matmul_async::kernels::matmul_async;
use examples::intensity::{matmul_groups as groups, matmul_tensor as tensor};
use examples::random;
use examples::tables::{self, right};
use examples::versus::Times;
use kernel_runtime::prelude::*;
use kernel_runtime::{Kernel, Launch};
use rayon::prelude::*;
use serde::Serialize;

/// Compares our matrix products with cuBLAS's.
#[derive(Parser)]
#[command(name = "cublas")]
struct Options {
    /// Rows and columns: multiples of 128. May be given several times.
    #[arg(long = "size", default_values_t = [4096])]
    sizes: Vec<usize>,
    /// Timed runs of each.
    #[arg(long, default_value_t = 31)]
    rounds: usize,
    /// Only kernels whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// The CUDA device.
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// Writes the measurements here as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// Rows and columns of a block's part of the product.
const TILE: usize = 128;
/// Rounds that warm up caches and clocks.
const WARM_UP: usize = 3;

/// A product of ours, by a block for each tile.
struct Product {
    kernel: &'static Kernel,
    element: Element,
    launch: for<'a> fn(&'a mut Matrices) -> Result<Launch<'a>>,
}

/// The elements of the matrices.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    F32,
    F16,
    Bf16,
}

impl Element {
    fn name(self) -> &'static str {
        match self {
            Element::F32 => "f32",
            Element::F16 => "f16",
            Element::Bf16 => "bf16",
        }
    }

    /// The nearest number that such an element has.
    fn round(self, number: f32) -> f32 {
        match self {
            Element::F32 => number,
            Element::F16 => f16::from_f32(number).to_f32(),
            Element::Bf16 => bf16::from_f32(number).to_f32(),
        }
    }

    /// The largest relative error of rounding to it.
    fn unit(self) -> f32 {
        match self {
            Element::F32 => 0.0,
            Element::F16 => f16::EPSILON.to_f32() / 2.0,
            Element::Bf16 => bf16::EPSILON.to_f32() / 2.0,
        }
    }
}

static PRODUCTS: &[Product] = &[
    Product {
        kernel: &matmul_registers::KERNEL,
        element: Element::F32,
        launch: |of| Ok(matmul_registers(of.size, &of.f32.a, &of.f32.b, &mut of.f32.ours).grid(of.grid)),
    },
    Product {
        kernel: &matmul_double_buffered::KERNEL,
        element: Element::F32,
        launch: |of| Ok(matmul_double_buffered(of.size, &of.f32.a, &of.f32.b, &mut of.f32.ours).grid(of.grid)),
    },
    Product {
        kernel: &matmul_async::KERNEL,
        element: Element::F32,
        launch: |of| Ok(matmul_async(of.size, &of.a_elements, &of.f32.b, &mut of.f32.ours).grid(of.grid)),
    },
    Product {
        kernel: tensor::matmul_tensor::kernel::<f16>(),
        element: Element::F16,
        launch: |of| tensor::launch_f16(&of.f16.a, &of.f16.b, &mut of.f16.ours, [of.size; 3]),
    },
    Product {
        kernel: tensor::matmul_tensor::kernel::<bf16>(),
        element: Element::Bf16,
        launch: |of| tensor::launch_bf16(&of.bf16.a, &of.bf16.b, &mut of.bf16.ours, [of.size; 3]),
    },
    Product {
        kernel: groups::matmul_groups::kernel::<f16>(),
        element: Element::F16,
        launch: |of| groups::launch_f16(&of.f16.a, &of.f16.b, &mut of.f16.ours, [of.size; 3]),
    },
    Product {
        kernel: groups::matmul_groups::kernel::<bf16>(),
        element: Element::Bf16,
        launch: |of| groups::launch_bf16(&of.bf16.a, &of.bf16.b, &mut of.bf16.ours, [of.size; 3]),
    },
];

/// Factors, the product by us and the product by cuBLAS; empty for elements that are not asked for.
struct Buffers<T: kernel_runtime::Element> {
    a: DeviceBuffer<T>,
    b: DeviceBuffer<T>,
    ours: DeviceBuffer<T>,
    theirs: DeviceBuffer<T>,
}

impl<T: kernel_runtime::Element + Default + Clone> Buffers<T> {
    fn new(gpu: &Gpu, a: &[T], b: &[T]) -> Result<Buffers<T>> {
        let none = vec![T::default(); a.len()];
        Ok(Buffers {
            a: gpu.upload(a)?,
            b: gpu.upload(b)?,
            ours: gpu.upload(&none)?,
            theirs: gpu.upload(&none)?,
        })
    }

    /// The addresses of the factors and of the product by cuBLAS.
    fn addresses(&self) -> [u64; 3] {
        [&self.a, &self.b, &self.theirs].map(|matrix| matrix.as_device_ptr().address())
    }
}

/// Square matrices, row by row.
struct Matrices {
    size: usize,
    element: Element,
    /// A block for each tile.
    grid: (u32, u32),
    /// Elements in vectors of four.
    f32: Buffers<F32x4>,
    /// The first factor of `f32` in elements.
    a_elements: DeviceBuffer<f32>,
    f16: Buffers<f16>,
    bf16: Buffers<bf16>,
}

impl Matrices {
    fn new(gpu: &Gpu, element: Element, size: usize, a: &[f32], b: &[f32]) -> Result<Matrices> {
        let none: &[f32] = &[];
        let only = |of: Element| if of == element { [a, b] } else { [none, none] };
        let vectors = |elements: &[f32]| -> Vec<F32x4> {
            let vector = |part: &[f32]| F32x4::new(part[0], part[1], part[2], part[3]);
            elements.par_chunks_exact(4).map(vector).collect()
        };
        let f16s =
            |elements: &[f32]| -> Vec<f16> { elements.par_iter().map(|&x| f16::from_f32(x)).collect() };
        let bf16s =
            |elements: &[f32]| -> Vec<bf16> { elements.par_iter().map(|&x| bf16::from_f32(x)).collect() };
        let (f32s, of_f16, of_bf16) = (only(Element::F32), only(Element::F16), only(Element::Bf16));
        let tiles = (size / TILE) as u32;
        Ok(Matrices {
            size,
            element,
            grid: (tiles, tiles),
            f32: Buffers::new(gpu, &vectors(f32s[0]), &vectors(f32s[1]))?,
            a_elements: gpu.upload(f32s[0])?,
            f16: Buffers::new(gpu, &f16s(of_f16[0]), &f16s(of_f16[1]))?,
            bf16: Buffers::new(gpu, &bf16s(of_bf16[0]), &bf16s(of_bf16[1]))?,
        })
    }

    /// Both products.
    fn products(&self) -> Result<[Vec<f32>; 2]> {
        let vectors = |matrix: &DeviceBuffer<F32x4>| -> Result<Vec<f32>> {
            Ok(matrix.to_vec()?.into_iter().flat_map(F32x4::to_array).collect())
        };
        let f16s = |matrix: &DeviceBuffer<f16>| -> Result<Vec<f32>> {
            Ok(matrix.to_vec()?.into_iter().map(f16::to_f32).collect())
        };
        let bf16s = |matrix: &DeviceBuffer<bf16>| -> Result<Vec<f32>> {
            Ok(matrix.to_vec()?.into_iter().map(bf16::to_f32).collect())
        };
        Ok(match self.element {
            Element::F32 => [vectors(&self.f32.ours)?, vectors(&self.f32.theirs)?],
            Element::F16 => [f16s(&self.f16.ours)?, f16s(&self.f16.theirs)?],
            Element::Bf16 => [bf16s(&self.bf16.ours)?, bf16s(&self.bf16.theirs)?],
        })
    }
}

type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// One stream, on which both work.
struct Bench {
    stream: Stream,
    cublas: Cublas,
}

impl Bench {
    fn new(theirs: &Arc<CudaStream>) -> Outcome<Bench> {
        // SAFETY: nobody captures the stream.
        let stream = unsafe { Stream::from_cudarc(theirs) }?;
        Ok(Bench { stream, cublas: Cublas::on(theirs)? })
    }

    fn start_theirs(&self, of: &mut Matrices) -> Outcome<()> {
        // SAFETY: matrices of this size, which live until the stream is waited for: whoever calls this waits. Only this uses the third.
        Ok(unsafe {
            match of.element {
                Element::F32 => {
                    let [a, b, c] = of.f32.addresses();
                    self.cublas.product(of.size, a, b, c)
                }
                Element::F16 => self.cublas.half_product(Half::F16, of.size, of.f16.addresses()),
                Element::Bf16 => self.cublas.half_product(Half::Bf16, of.size, of.bf16.addresses()),
            }
        }?)
    }

    /// Both products.
    fn products(&self, of: &mut Matrices, ours: &Product) -> Outcome<[Vec<f32>; 2]> {
        (ours.launch)(of)?.start(&self.stream)?;
        let asked = self.start_theirs(of);
        self.stream.synchronize()?;
        asked?;
        Ok(of.products()?)
    }

    /// Compares both products: the mistake in either, or else the largest difference, relative to the larger element.
    fn compare(&self, ours: &Product, size: usize) -> Outcome<std::result::Result<f32, String>> {
        // Numbers of 24 bits from 0 to 1, rounded to the elements.
        let (element, numbers) = (ours.element, |seed: u64| random(seed, size * size));
        let a: Vec<f32> = numbers(40).into_iter().map(|number| element.round(number)).collect();
        let b = numbers(41);
        let identity: Vec<f32> =
            (0..size * size).map(|at| if at / size == at % size { 1.0 } else { 0.0 }).collect();
        let gpu = self.stream.gpu();
        let same = self.products(&mut Matrices::new(gpu, element, size, &a, &identity)?, ours)?;
        for (who, product) in ["ours", "cuBLAS"].into_iter().zip(&same) {
            if let Some(at) = product.iter().zip(&a).position(|(found, expected)| found != expected) {
                let (found, expected) = (product[at], a[at]);
                return Ok(Err(format!("{who} times the identity is {found} at {at} instead of {expected}")));
            }
        }
        // Of sums of n products without a sign, in whatever order, each is within a factor of 1 ± n u / (1 − n u) of the true one
        // (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1).
        // Tensor cores cut what rounding would round: twice as much. Then both round to the element.
        let sums = if element == Element::F32 { f32::EPSILON / 2.0 } else { f32::EPSILON };
        let rounding = size as f32 * sums;
        let allowed = 2.0 * (rounding / (1.0 - rounding) + element.unit());
        let [ours, theirs] = self.products(&mut Matrices::new(gpu, element, size, &a, &b)?, ours)?;
        let difference = |(a, b): (&f32, &f32)| (a - b).abs() / a.max(*b);
        let largest = ours.par_iter().zip(&theirs).map(difference).reduce(|| 0.0, f32::max);
        let wrong = ours.iter().zip(&theirs).map(difference);
        let wrong = wrong.enumerate().find(|(_, found)| found.is_nan() || *found > allowed);
        Ok(match wrong {
            None => Ok(largest),
            Some((at, _)) => {
                Err(format!("element {at} is {} of ours and {} of cuBLAS", ours[at], theirs[at]))
            }
        })
    }

    /// Times both in turns, the one that starts changing with the round.
    fn time(&self, ours: &Product, size: usize, rounds: usize) -> Outcome<Times> {
        let (a, b) = (random(40, size * size), random(41, size * size));
        let mut matrices = Matrices::new(self.stream.gpu(), ours.element, size, &a, &b)?;
        let (mut start, mut end) = (self.stream.record()?, self.stream.record()?);
        let mut times = Times::default();
        for round in 0..rounds + WARM_UP {
            for turn in 0..2 {
                let is_ours = (round + turn) % 2 == 0;
                self.stream.record_again(&mut start)?;
                let asked = match is_ours {
                    true => (ours.launch)(&mut matrices)
                        .and_then(|launch| launch.start(&self.stream))
                        .map_err(Into::into),
                    false => self.start_theirs(&mut matrices),
                };
                self.stream.record_again(&mut end)?;
                self.stream.synchronize()?;
                asked?;
                if round >= WARM_UP {
                    let times = if is_ours { &mut times.ours } else { &mut times.theirs };
                    times.push(end.since(&start)?);
                }
            }
        }
        Ok(times)
    }
}

/// A kernel of ours at one size.
struct Row {
    kernel: &'static Kernel,
    element: Element,
    size: usize,
    difference: std::result::Result<f32, String>,
    times: Times,
}

impl Row {
    /// Multiply-adds count twice.
    fn teraflops(&self, time: Duration) -> f64 {
        2.0 * (self.size as f64).powi(3) / time.as_secs_f64() / 1e12
    }

    /// The part of cuBLAS's speed that ours has.
    fn speed(&self) -> f64 {
        1.0 / self.times.ratio()
    }
}

fn main() -> ExitCode {
    sigpipe::reset();
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures, prints, and returns true if all results were right.
fn run(options: &Options) -> Outcome<bool> {
    if let Some(size) = options.sizes.iter().find(|&&size| size == 0 || size % TILE != 0) {
        return Err(format!("`--size {size}`: expected a multiple of {TILE}, the tile of a block").into());
    }
    // Fails with an error where there is no driver; `cudarc`, called next, would panic.
    let gpu = Gpu::cuda(u32::try_from(options.device)?)?;
    let bench = Bench::new(&CudaContext::new(options.device)?.new_stream()?)?;
    println!(
        "{}\ncuBLAS: {}, f32 without tf32, 16 bits by tensor cores\n",
        gpu.describe(),
        bench.cublas.describe()?
    );
    let only = options.only.as_deref().unwrap_or_default();
    let mut rows = Vec::new();
    for &size in &options.sizes {
        for product in PRODUCTS.iter().filter(|product| product.kernel.name().contains(only)) {
            let difference = bench.compare(product, size)?;
            let times = bench.time(product, size, options.rounds)?;
            rows.push(Row { kernel: product.kernel, element: product.element, size, difference, times });
        }
    }
    if rows.is_empty() {
        return Err(format!("no kernel contains `{only}` in its name").into());
    }
    if let Some(path) = &options.json {
        let records: Vec<Record> = rows.iter().map(Record::new).collect();
        std::fs::write(path, serde_json::to_string_pretty(&records)?)
            .map_err(|error| format!("`{}`: {error}", path.display()))?;
    }
    for Row { kernel, size, difference, .. } in &rows {
        if let Err(wrong) = difference {
            println!("{} of {size} × {size}: {wrong}", kernel.name());
        }
    }
    println!("{}", table(&rows));
    if let Some(best) = rows.iter().max_by(|a, b| a.speed().total_cmp(&b.speed())) {
        let (name, size, speed) = (best.kernel.name(), best.size, 100.0 * best.speed());
        println!("best: {name} at {size} with {speed:.1} % of cuBLAS's speed");
    }
    Ok(rows.iter().all(|row| row.difference.is_ok()))
}

fn table(rows: &[Row]) -> Table {
    let mut table = tables::table([
        "kernel",
        "elements",
        "size",
        "ours",
        "cuBLAS",
        "ours, TFLOP/s",
        "cuBLAS, TFLOP/s",
        "of cuBLAS's speed",
        "±",
        "largest difference",
    ]);
    for row in rows {
        let (ours, theirs) = row.times.medians();
        table.add_row([
            Cell::new(row.kernel.name()),
            Cell::new(row.element.name()),
            right(row.size.to_string()),
            right(format!("{:.1} µs", ours.as_secs_f64() * 1e6)),
            right(format!("{:.1} µs", theirs.as_secs_f64() * 1e6)),
            right(format!("{:.1}", row.teraflops(ours))),
            right(format!("{:.1}", row.teraflops(theirs))),
            right(format!("{:.1} %", 100.0 * row.speed())),
            right(format!("{:.1} %", 100.0 * row.times.spread() * row.speed() * row.speed())),
            right(row.difference.as_ref().map_or("WRONG".to_owned(), |found| format!("{found:.1e}"))),
        ]);
    }
    table
}

/// A kernel's record in JSON at one size. Times are in seconds.
#[derive(Serialize)]
struct Record<'a> {
    kernel: &'a str,
    elements: &'static str,
    size: usize,
    results_agree: bool,
    largest_difference: Option<f32>,
    our_seconds: Vec<f64>,
    cublas_seconds: Vec<f64>,
    part_of_cublas: f64,
}

impl Record<'_> {
    fn new(row: &Row) -> Record<'_> {
        let seconds = |times: &[Duration]| times.iter().map(Duration::as_secs_f64).collect();
        Record {
            kernel: row.kernel.name(),
            elements: row.element.name(),
            size: row.size,
            results_agree: row.difference.is_ok(),
            largest_difference: row.difference.as_ref().ok().copied(),
            our_seconds: seconds(&row.times.ours),
            cublas_seconds: seconds(&row.times.theirs),
            part_of_cublas: row.speed(),
        }
    }
}
