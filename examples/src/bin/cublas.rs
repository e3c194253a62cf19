//! Our products of matrices of `f32` beside cuBLAS's `sgemm`, in one process, on the same data.
//!
//! `cargo run --release -p examples --bin cublas [--size n]… [--rounds n] [--only name] [--json file]`. It needs a CUDA device, and
//! cuBLAS of CUDA 12 or 13: from a toolkit or the Python package `nvidia-cublas`, found by `PATH`, or where the environment variable
//! CUBLAS says.
//!
//! cuBLAS is asked for `f32` throughout, without `tf32`, and held to it: the product with the identity has to give the same bits. Then
//! all elements of a product of random numbers are compared, and both are timed in turns on one stream, between events.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use comfy_table::{Cell, CellAlignment, Table, presets};
use cudarc::driver::{CudaContext, CudaStream};
use examples::cublas::Cublas;
use examples::intensity::matmul::{matmul_double_buffered, matmul_registers};
use examples::intensity::matmul_async::kernels::matmul_async;
use examples::random;
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

/// A product of ours, by 256 threads for each tile.
struct Product {
    kernel: &'static Kernel,
    launch: for<'a> fn(&'a mut Matrices) -> Launch<'a>,
}

static PRODUCTS: &[Product] = &[
    Product {
        kernel: &matmul_registers::KERNEL,
        launch: |of| matmul_registers(of.size, &of.a, &of.b, &mut of.ours).grid(of.grid),
    },
    Product {
        kernel: &matmul_double_buffered::KERNEL,
        launch: |of| matmul_double_buffered(of.size, &of.a, &of.b, &mut of.ours).grid(of.grid),
    },
    Product {
        kernel: &matmul_async::KERNEL,
        launch: |of| matmul_async(of.size, &of.a_elements, &of.b, &mut of.ours).grid(of.grid),
    },
];

/// Square matrices, row by row.
struct Matrices {
    size: usize,
    /// A block for each tile.
    grid: (u32, u32),
    /// The first factor, in vectors of four.
    a: DeviceBuffer<F32x4>,
    /// The first factor in elements.
    a_elements: DeviceBuffer<f32>,
    /// The second factor.
    b: DeviceBuffer<F32x4>,
    /// The product by us.
    ours: DeviceBuffer<F32x4>,
    /// The product by cuBLAS.
    theirs: DeviceBuffer<F32x4>,
}

impl Matrices {
    fn new(gpu: &Gpu, size: usize, a: &[f32], b: &[f32]) -> Result<Matrices> {
        let vectors = |elements: &[f32]| -> Vec<F32x4> {
            let vector = |part: &[f32]| F32x4::new(part[0], part[1], part[2], part[3]);
            elements.par_chunks_exact(4).map(vector).collect()
        };
        let tiles = (size / TILE) as u32;
        Ok(Matrices {
            size,
            grid: (tiles, tiles),
            a: gpu.upload(&vectors(a))?,
            a_elements: gpu.upload(a)?,
            b: gpu.upload(&vectors(b))?,
            ours: gpu.zeros(size * size / 4)?,
            theirs: gpu.zeros(size * size / 4)?,
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
        let [a, b, c] = [&of.a, &of.b, &of.theirs].map(|matrix| matrix.as_device_ptr().address());
        // SAFETY: matrices of this size, which live until the stream is waited for: whoever calls this waits. Only this uses the third.
        Ok(unsafe { self.cublas.product(of.size, a, b, c) }?)
    }

    /// Both products.
    fn products(&self, of: &mut Matrices, ours: &Product) -> Outcome<[Vec<f32>; 2]> {
        (ours.launch)(of).start(&self.stream)?;
        let asked = self.start_theirs(of);
        self.stream.synchronize()?;
        asked?;
        let elements = |matrix: &DeviceBuffer<F32x4>| -> Result<Vec<f32>> {
            Ok(matrix.to_vec()?.into_iter().flat_map(F32x4::to_array).collect())
        };
        Ok([elements(&of.ours)?, elements(&of.theirs)?])
    }

    /// Compares both products: the mistake in either, or else the largest difference, relative to the larger element.
    fn compare(&self, ours: &Product, size: usize) -> Outcome<std::result::Result<f32, String>> {
        // Numbers of 24 bits from 0 to 1.
        let (a, b) = (random(40, size * size), random(41, size * size));
        let identity: Vec<f32> =
            (0..size * size).map(|at| if at / size == at % size { 1.0 } else { 0.0 }).collect();
        let gpu = self.stream.gpu();
        let same = self.products(&mut Matrices::new(gpu, size, &a, &identity)?, ours)?;
        for (who, product) in ["ours", "cuBLAS"].into_iter().zip(&same) {
            if let Some(at) = product.iter().zip(&a).position(|(found, expected)| found != expected) {
                let (found, expected) = (product[at], a[at]);
                return Ok(Err(format!("{who} times the identity is {found} at {at} instead of {expected}")));
            }
        }
        // Of sums of n products without a sign, in whatever order, each is within a factor of 1 ± n u / (1 − n u) of the true one
        // (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1).
        let rounding = size as f32 * f32::EPSILON / 2.0;
        let allowed = 2.0 * rounding / (1.0 - rounding);
        let [ours, theirs] = self.products(&mut Matrices::new(gpu, size, &a, &b)?, ours)?;
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
        let mut matrices = Matrices::new(self.stream.gpu(), size, &a, &b)?;
        let (mut start, mut end) = (self.stream.record()?, self.stream.record()?);
        let mut times = Times::default();
        for round in 0..rounds + WARM_UP {
            for turn in 0..2 {
                let is_ours = (round + turn) % 2 == 0;
                self.stream.record_again(&mut start)?;
                let asked = match is_ours {
                    true => (ours.launch)(&mut matrices).start(&self.stream).map_err(Into::into),
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
    println!("{}\ncuBLAS: {}, f32 without tf32\n", gpu.describe(), bench.cublas.describe()?);
    let only = options.only.as_deref().unwrap_or_default();
    let mut rows = Vec::new();
    for &size in &options.sizes {
        for product in PRODUCTS.iter().filter(|product| product.kernel.name().contains(only)) {
            let difference = bench.compare(product, size)?;
            let times = bench.time(product, size, options.rounds)?;
            rows.push(Row { kernel: product.kernel, size, difference, times });
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
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header([
        "kernel",
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
            size: row.size,
            results_agree: row.difference.is_ok(),
            largest_difference: row.difference.as_ref().ok().copied(),
            our_seconds: seconds(&row.times.ours),
            cublas_seconds: seconds(&row.times.theirs),
            part_of_cublas: row.speed(),
        }
    }
}
