//! The simulator's speed on one core: thread instructions per second, and multiply-adds of tensor cores, with the sanitizer and the profiler on and
//! off.
//!
//! `cargo run --release -p examples --bin simulator-speed`. Each cell is the best of several runs by the clock of the
//! thread, interleaved so that all of them see the same machine; the results of the kernels are checked.

use std::process::ExitCode;

use clap::Parser;
use comfy_table::Cell;
use examples::intensity::{matmul_groups, matmul_tensor};
use examples::tables::{self, right};
use kernel_runtime::prelude::*;

/// Rows and columns of a tile of the matrix product.
const TILE: u32 = 16;

/// Elements of the element-wise kernel.
const ELEMENTS: usize = 1 << 21;
/// Rows and columns of the matrices.
const SIDE: usize = 256;
/// Rounds, of which the fastest counts.
const ROUNDS: usize = 5;

/// `y = a x + y`
#[kernel(launch_bounds(256))]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// `c = a b` for square matrices of `n` rows, a multiple of the tile, with tiles in shared memory.
#[kernel(block(16, 16))]
fn matrix_product(n: u32, a: &[f32], b: &[f32], c: &mut [f32]) {
    let mut tile_a = shared::<[[f32; 16]; 16]>();
    let mut tile_b = shared::<[[f32; 16]; 16]>();
    let (x, y) = (thread_idx().x, thread_idx().y);
    let n = n as usize;
    let column = block_idx().x * 16 + x;
    let row = block_idx().y * 16 + y;
    let mut sum = 0.0f32;
    let mut start = 0usize;
    while start < n {
        tile_a[y][x] = a[row * n + start + x];
        tile_b[y][x] = b[(start + y) * n + column];
        barrier();
        #[unroll]
        for k in 0..16usize {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        barrier();
        start += 16;
    }
    c[row * n + column] = sum;
}

/// The instruments that are switched on.
struct Mode {
    name: &'static str,
    sanitize: bool,
    profile: bool,
}

const MODES: &[Mode] = &[
    Mode { name: "plain", sanitize: false, profile: false },
    Mode { name: "profiler", sanitize: false, profile: true },
    Mode { name: "sanitizer", sanitize: true, profile: false },
    Mode { name: "both", sanitize: true, profile: true },
];

/// Measures the simulator's speed on one core, with the sanitizer and the profiler on and off.
#[derive(Parser)]
struct Options {}

fn main() -> ExitCode {
    sigpipe::reset();
    let Options {} = Options::parse();
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Thread instructions per second of a run, in units of 10⁹.
type Run = fn(&Gpu, &Mode) -> Result<f64>;

fn measure() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let pool = match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool,
        Err(error) => return Err(Error::Internal { what: format!("no thread pool: {error}") }),
    };
    let kernels: [(&str, Run); 2] = [("saxpy", run_saxpy), ("matrix product", run_product)];
    let mut best = [[0.0f64; MODES.len()]; 2];
    for _ in 0..ROUNDS {
        for (row, (_, run)) in best.iter_mut().zip(kernels) {
            for (cell, mode) in row.iter_mut().zip(MODES) {
                *cell = cell.max(pool.install(|| run(&gpu, mode))?);
            }
        }
    }
    let header = ["kernel"].into_iter().chain(MODES.iter().map(|mode| mode.name));
    let mut table = tables::table(header.collect::<Vec<_>>());
    for (row, (name, _)) in best.iter().zip(kernels) {
        let cells = row.iter().map(|speed| right(format!("{speed:.2}")));
        table.add_row([Cell::new(name)].into_iter().chain(cells));
    }
    println!("{table}\nG thread instructions per second on one core, the best of {ROUNDS} runs");
    let products: [(&str, Arch, Run); 2] =
        [("`mma`", Arch::Sm90, run_fragments), ("`wgmma`", Arch::Sm90a, run_groups)];
    for (name, arch, run) in products {
        let gpu = Gpu::simulator(arch);
        let mut best = [0.0f64; MODES.len()];
        for _ in 0..ROUNDS {
            for (cell, mode) in best.iter_mut().zip(MODES) {
                *cell = cell.max(pool.install(|| run(&gpu, mode))?);
            }
        }
        let cells = best.iter().zip(MODES).map(|(speed, mode)| format!("{} {:.0}", mode.name, 1e3 * speed));
        println!("M multiply-adds per second by {name}: {}", cells.collect::<Vec<_>>().join(", "));
    }
    Ok(())
}

/// Processor time of this thread where Linux tells it: other programs do not disturb that. Else the time of day.
fn seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(wall_seconds, |nanoseconds| nanoseconds / 1e9)
}

fn wall_seconds() -> f64 {
    std::time::UNIX_EPOCH.elapsed().map_or(0.0, |elapsed| elapsed.as_secs_f64())
}

/// Multiply-adds per second of a product of `f16` by tensor cores, in units of 10⁹.
fn products(gpu: &Gpu, mode: &Mode, launch: Halves) -> Result<f64> {
    let ones = gpu.upload(&vec![f16::ONE; SIDE * SIDE])?;
    let mut c = gpu.zeros::<f16>(SIDE * SIDE)?;
    let launch = launch(&ones, &ones, &mut c, [SIDE; 3])?;
    gpu.profile_launches(mode.profile);
    let start = seconds();
    launch.sanitize(mode.sanitize).run()?;
    let took = seconds() - start;
    assert!(
        c.to_vec()?.iter().all(|sum| sum.to_f32() == SIDE as f32),
        "the product of tensor cores is wrong"
    );
    Ok((SIDE * SIDE * SIDE) as f64 / took / 1e9)
}

/// The launch of a product.
type Halves = for<'a> fn(
    &'a DeviceBuffer<f16>,
    &'a DeviceBuffer<f16>,
    &'a mut DeviceBuffer<f16>,
    [usize; 3],
) -> Result<kernel_runtime::Launch<'a>>;

fn run_fragments(gpu: &Gpu, mode: &Mode) -> Result<f64> {
    products(gpu, mode, matmul_tensor::launch_f16)
}

fn run_groups(gpu: &Gpu, mode: &Mode) -> Result<f64> {
    products(gpu, mode, matmul_groups::launch_f16)
}

/// Runs a launch on this thread.
fn speed(run: impl FnOnce() -> Result<LaunchReport>) -> Result<f64> {
    let start = seconds();
    let report = run()?;
    let took = seconds() - start;
    Ok(report.stats.map_or(0.0, |stats| stats.thread_instructions as f64) / took / 1e9)
}

fn run_saxpy(gpu: &Gpu, mode: &Mode) -> Result<f64> {
    let x: Vec<f32> = (0..ELEMENTS).map(|i| i as f32).collect();
    let (x, mut y) = (gpu.upload(&x)?, gpu.upload(&vec![1.0f32; ELEMENTS])?);
    gpu.profile_launches(mode.profile);
    let speed = speed(|| saxpy(2.0, &x, &mut y).over(ELEMENTS).block(256).sanitize(mode.sanitize).run())?;
    assert!(y.to_vec()?.iter().enumerate().all(|(i, &y)| y == 2.0 * i as f32 + 1.0), "saxpy is wrong");
    Ok(speed)
}

fn run_product(gpu: &Gpu, mode: &Mode) -> Result<f64> {
    let element = |i: usize| (i % 7) as f32;
    let a: Vec<f32> = (0..SIDE * SIDE).map(element).collect();
    let (da, mut c) = (gpu.upload(&a)?, gpu.zeros::<f32>(SIDE * SIDE)?);
    let blocks = SIDE as u32 / TILE;
    let launch = matrix_product(SIDE as u32, &da, &da, &mut c).grid((blocks, blocks));
    gpu.profile_launches(mode.profile);
    let speed = speed(|| launch.sanitize(mode.sanitize).run())?;
    let c = c.to_vec()?;
    for (row, column) in [(0, 0), (3, 77), (SIDE - 1, SIDE - 1)] {
        let expected: f32 = (0..SIDE).map(|k| a[row * SIDE + k] * a[k * SIDE + column]).sum();
        assert!(c[row * SIDE + column] == expected, "the matrix product is wrong");
    }
    Ok(speed)
}
