//! The effect of attributes on bandwidth: kernels with and without them against a copy of 16 bytes per thread, in one run.
//!
//! `cargo run --release -p examples --bin attribute-speed [--elements n] [--rounds n] [--simulator]`. Each round runs every
//! kernel once, so that clocks and neighbours are the same for all; the medians of the rounds count. Results are checked
//! before. On the simulator times mean nothing, and the table has instructions instead.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use comfy_table::{Cell, Table};
use examples::divergence::{threshold_branch, threshold_coarse};
use examples::ilp::{sum_ahead, sum_four, sum_ilp, sum_one};
use examples::occupancy::{copy_16_bytes, scale, scale_coarse, vector_add, vector_add_coarse};
use examples::tables::{self, right};
use kernel_runtime::Kernel;
use kernel_runtime::prelude::*;
use rayon::prelude::*;

/// Measures the effect of attributes on bandwidth, beside a copy.
#[derive(Parser)]
struct Options {
    /// Elements of each buffer; 2^28 on a GPU and 2^14 on the simulator unless said otherwise.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    elements: Option<u32>,
    /// Timed runs of each kernel, of which the median counts; 51 on a GPU and 1 on the simulator unless said otherwise.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// The simulator even where there is a GPU.
    #[arg(long)]
    simulator: bool,
}

fn main() -> ExitCode {
    sigpipe::reset();
    match measure(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Buffers that the kernels work on.
struct Data {
    /// On the host: numbers from −0.5 to 0.5.
    host: [Vec<f32>; 2],
    x: DeviceBuffer<f32>,
    y: DeviceBuffer<f32>,
    out: DeviceBuffer<f32>,
    sums: DeviceBuffer<f32>,
    /// Blocks of the sums: one for each SM.
    blocks: u32,
}

/// Threads per block of the sums.
const SUM_BLOCK: u32 = 256;
const THRESHOLD: f32 = 0.25;
/// Each run of the scaling kernels turns the signs, so that nothing grows.
const FACTOR: f32 = -1.0;

/// A kernel with what it is compared with.
struct Row {
    kernel: &'static Kernel,
    what: &'static str,
    /// The kernel without the attribute, if there is one.
    plain: Option<&'static Kernel>,
    /// Bytes read and written per element.
    bytes: u64,
    run: fn(&mut Data) -> Result<LaunchReport>,
    check: Check,
}

/// The expected output of a kernel.
enum Check {
    /// Each element of `out`, by those of `x` and `y`.
    Out(fn(f32, f32) -> f32),
    /// Each element of `y`, by what it was.
    InPlace(fn(f32) -> f32),
    /// The sum of the sums, but for rounding.
    Sum,
}

/// The first row is what the others are compared with.
static ROWS: &[Row] = &[
    Row {
        kernel: &copy_16_bytes::KERNEL,
        what: "copy, 16 bytes a thread",
        plain: None,
        bytes: 8,
        run: |data| {
            copy_16_bytes(&data.x, &mut data.out).over(data.host[0].len().div_ceil(4)).block(256).run()
        },
        check: Check::Out(|x, _| x),
    },
    Row {
        kernel: &vector_add::KERNEL,
        what: "vector add",
        plain: None,
        bytes: 12,
        run: |data| vector_add(&data.x, &data.y, &mut data.out).over(data.host[0].len()).block(256).run(),
        check: Check::Out(|x, y| x + y),
    },
    Row {
        kernel: &vector_add_coarse::KERNEL,
        what: "vector add, coarsen(4)",
        plain: Some(&vector_add::KERNEL),
        bytes: 12,
        run: |data| {
            vector_add_coarse(&data.x, &data.y, &mut data.out).over(data.host[0].len()).block(256).run()
        },
        check: Check::Out(|x, y| x + y),
    },
    Row {
        kernel: &scale::KERNEL,
        what: "scale in place",
        plain: None,
        bytes: 8,
        run: |data| scale(FACTOR, &mut data.y).over(data.host[0].len()).block(256).run(),
        check: Check::InPlace(|y| y * FACTOR),
    },
    Row {
        kernel: &scale_coarse::KERNEL,
        what: "scale in place, coarsen(4)",
        plain: Some(&scale::KERNEL),
        bytes: 8,
        run: |data| scale_coarse(FACTOR, &mut data.y).over(data.host[0].len()).block(256).run(),
        check: Check::InPlace(|y| y * FACTOR),
    },
    Row {
        kernel: &threshold_branch::KERNEL,
        what: "threshold",
        plain: None,
        bytes: 8,
        run: |data| {
            threshold_branch(THRESHOLD, &data.x, &mut data.out).over(data.host[0].len()).block(256).run()
        },
        check: Check::Out(threshold),
    },
    Row {
        kernel: &threshold_coarse::KERNEL,
        what: "threshold, coarsen(4)",
        plain: Some(&threshold_branch::KERNEL),
        bytes: 8,
        run: |data| {
            threshold_coarse(THRESHOLD, &data.x, &mut data.out).over(data.host[0].len()).block(256).run()
        },
        check: Check::Out(threshold),
    },
    Row {
        kernel: &sum_one::KERNEL,
        what: "grid-stride sum, one block per SM",
        plain: None,
        bytes: 4,
        run: |data| sum_one(&data.x, &mut data.sums).grid(data.blocks).block(SUM_BLOCK).run(),
        check: Check::Sum,
    },
    Row {
        kernel: &sum_four::KERNEL,
        what: "the same, four accumulators by hand",
        plain: Some(&sum_one::KERNEL),
        bytes: 4,
        run: |data| sum_four(&data.x, &mut data.sums).grid(data.blocks).block(SUM_BLOCK).run(),
        check: Check::Sum,
    },
    Row {
        kernel: &sum_ilp::KERNEL,
        what: "the same, #[ilp(4)]",
        plain: Some(&sum_one::KERNEL),
        bytes: 4,
        run: |data| sum_ilp(&data.x, &mut data.sums).grid(data.blocks).block(SUM_BLOCK).run(),
        check: Check::Sum,
    },
    Row {
        kernel: &sum_ahead::KERNEL,
        what: "the same, #[prefetch(2)]",
        plain: Some(&sum_one::KERNEL),
        bytes: 4,
        run: |data| sum_ahead(&data.x, &mut data.sums).grid(data.blocks).block(SUM_BLOCK).run(),
        check: Check::Sum,
    },
];

fn threshold(x: f32, _: f32) -> f32 {
    if x > THRESHOLD { x } else { 0.0 }
}

impl Data {
    fn new(gpu: &Gpu, elements: usize) -> Result<Data> {
        let host = [1, 2].map(|seed| {
            let mut numbers = examples::random(seed, elements);
            numbers.par_iter_mut().for_each(|number| *number -= 0.5);
            numbers
        });
        let blocks = gpu.attributes().sms.min(elements.div_ceil(SUM_BLOCK as usize) as u32);
        Ok(Data {
            x: gpu.upload(&host[0])?,
            y: gpu.upload(&host[1])?,
            out: gpu.zeros(elements)?,
            sums: gpu.zeros((blocks * SUM_BLOCK) as usize)?,
            blocks,
            host,
        })
    }

    /// Runs a kernel once and compares; what is wrong if something is.
    fn check(&mut self, row: &Row) -> Result<Option<String>> {
        self.y.copy_from_slice(&self.host[1])?;
        self.out.set_zero()?;
        (row.run)(self)?;
        let [x, y] = &self.host;
        let wrong = |found: &[f32], expected: &(dyn Fn(usize) -> f32 + Sync)| {
            let differs = |&i: &usize| found[i].to_bits() != expected(i).to_bits();
            let first = (0..found.len()).into_par_iter().find_first(differs);
            first.map(|i| format!("element {i} is {}, expected {}", found[i], expected(i)))
        };
        Ok(match row.check {
            // The copy leaves a rest of up to three elements.
            Check::Out(expected) => {
                let end = x.len() - x.len() % 4;
                wrong(&self.out.to_vec()?[..end], &|i| expected(x[i], y[i]))
            }
            Check::InPlace(expected) => wrong(&self.y.to_vec()?, &|i| expected(y[i])),
            Check::Sum => {
                let found: f64 = self.sums.to_vec()?.into_iter().map(f64::from).sum();
                let expected: f64 = x.par_iter().map(|&x| f64::from(x)).sum();
                // Each thread rounds its own sums, of numbers up to 0.5.
                let allowed = 1e-6 * x.len() as f64;
                let right = (found - expected).abs() <= allowed;
                (!right).then(|| format!("the sum is {found}, expected {expected} within {allowed}"))
            }
        })
    }
}

/// Checks, measures and prints; whether all results were right.
fn measure(options: &Options) -> Result<bool> {
    let gpu = if options.simulator { Gpu::simulator(Arch::Sm90) } else { Gpu::new()? };
    let is_simulator = gpu.is_simulator();
    let elements = options.elements.unwrap_or(if is_simulator { 1 << 14 } else { 1 << 28 }) as usize;
    let rounds = options.rounds.unwrap_or(if is_simulator { 1 } else { 51 }) as usize;
    println!("{}\n{elements} floats, medians of {rounds} rounds", gpu.describe());
    let mut data = Data::new(&gpu, elements)?;

    let mut right = true;
    for row in ROWS {
        if let Some(wrong) = data.check(row)? {
            println!("{}: {wrong}", row.kernel.name());
            right = false;
        }
    }
    println!("results {}\n", if right { "verified" } else { "WRONG" });

    let mut reports: Vec<Vec<LaunchReport>> = ROWS.iter().map(|_| Vec::new()).collect();
    // The first rounds find cold clocks.
    for round in 0..rounds + rounds.min(5) {
        for (row, reports) in ROWS.iter().zip(&mut reports) {
            let report = (row.run)(&mut data)?;
            if round >= rounds.min(5) {
                reports.push(report);
            }
        }
    }
    println!("{}", table(elements, &reports));
    Ok(right)
}

/// The medians.
fn table(elements: usize, reports: &[Vec<LaunchReport>]) -> Table {
    let mut table = tables::table([
        "kernel",
        "what",
        "grid × block",
        "median",
        "GB/s",
        "of the copy",
        "× plain",
        "instructions",
    ]);
    let medians = reports.iter().map(|reports| median(reports.iter().map(|report| report.time)));
    let rates = ROWS.iter().zip(medians).map(|(row, time)| (time, rate(row.bytes * elements as u64, time)));
    let rates: Vec<(Duration, f64)> = rates.collect();
    for ((row, reports), (time, rate)) in ROWS.iter().zip(reports).zip(&rates) {
        let Some(report) = reports.first() else { continue };
        let mut cells = vec![
            Cell::new(row.kernel.name()),
            Cell::new(row.what),
            right(format!("{} × {}", report.grid[0], report.block[0])),
        ];
        match &report.stats {
            Some(stats) => {
                cells.extend([0; 4].map(|_| right("-".to_owned())));
                cells.push(right(stats.warp_instructions.to_string()));
            }
            None => {
                cells.push(right(format!("{time:.1?}")));
                cells.push(right(format!("{rate:.0}")));
                cells.push(right(format!("{:.1} %", 100.0 * rate / rates[0].1)));
                let plain = row.plain.and_then(|plain| {
                    ROWS.iter().zip(&rates).find(|(other, _)| other.kernel.name() == plain.name())
                });
                cells.push(right(plain.map_or(String::new(), |(_, plain)| format!("{:.2}", rate / plain.1))));
                cells.push(right("-".to_owned()));
            }
        }
        table.add_row(cells);
    }
    table
}

/// Bytes per second, in units of 10⁹.
fn rate(bytes: u64, time: Duration) -> f64 {
    bytes as f64 / time.as_secs_f64() / 1e9
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
