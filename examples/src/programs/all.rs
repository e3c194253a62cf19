//! Runs every example, over 2²⁰ elements by default, checks each against plain Rust, and prints a table.
//!
//! On the first CUDA device, or on the simulator where there is none (or when asked for with `--simulator`).

use std::time::Duration;

use clap::Args;
use comfy_table::Cell;
use examples::{Example, Outcome, is_beyond_the_device};
use kernel_runtime::occupancy::Occupancy;
use kernel_runtime::prelude::*;

use super::{Device, named, right, table};

const ELEMENTS: u32 = 1 << 20;

/// Runs of each kernel on a GPU, of which the fastest counts: the first ones find cold caches and clocks.
const RUNS_ON_A_GPU: usize = 10;

/// The examples to run.
#[derive(Args)]
pub struct Options {
    /// Only kernels whose name or topic contains this.
    #[arg(long, default_value = "")]
    only: String,
    #[command(flatten)]
    device: Device,
    /// Elements of each run.
    #[arg(long, default_value_t = ELEMENTS, value_parser = clap::value_parser!(u32).range(1..))]
    elements: u32,
}

/// Runs all, prints the table, and tells whether all were right.
pub fn run(options: &Options) -> Result<bool, String> {
    let asked = named(&options.only)?;
    let failures = run_all(&options.device.gpu(), &asked, options.elements as usize);
    if failures > 0 {
        eprintln!("{failures} examples failed");
    }
    Ok(failures == 0)
}

/// Runs all, prints the table, and tells how many failed.
fn run_all(gpu: &Gpu, asked: &[&Example], elements: usize) -> usize {
    println!("{}\n{elements} elements each\n", gpu.describe());
    let mut table = table(header(gpu));
    let mut failures = 0;
    for example in asked {
        match row(gpu, example, elements) {
            Ok(row) => table.add_row(row),
            Err(Failure::Beyond(problem)) => {
                eprintln!("{}: {problem}", example.kernel.name());
                table.add_row([example.kernel.name(), example.about, "not for it"])
            }
            Err(Failure::Wrong(problem)) => {
                failures += 1;
                eprintln!("{}: {problem}", example.kernel.name());
                table.add_row([example.kernel.name(), example.about, "failed"])
            }
        };
    }
    println!("{table}");
    if gpu.is_simulator() {
        println!(
            "Instructions are those of PTX, counted per warp; registers behind the occupancy are estimated."
        );
    }
    failures
}

/// The columns: what can be measured depends on the device.
fn header(gpu: &Gpu) -> Vec<&'static str> {
    // The time that the simulator takes is no time of a kernel.
    let measured: &[&str] =
        if gpu.is_simulator() { &["instructions", "warp efficiency"] } else { &["time", "GB/s"] };
    let mut header = vec!["kernel", "what", "check", "device"];
    header.extend(measured);
    header.push("occupancy");
    header
}

/// The reason why an example has no row.
enum Failure {
    /// The device is too old or too small for it.
    Beyond(String),
    Wrong(String),
}

impl From<String> for Failure {
    fn from(problem: String) -> Failure {
        Failure::Wrong(problem)
    }
}

/// Runs and checks one, and tells its row of the table.
fn row(gpu: &Gpu, example: &Example, elements: usize) -> Result<Vec<Cell>, Failure> {
    let runs = if gpu.is_simulator() { 1 } else { RUNS_ON_A_GPU };
    let mut fastest: Option<Outcome> = None;
    for _ in 0..runs {
        let outcome = (example.run)(gpu, elements).map_err(|error| match is_beyond_the_device(&error) {
            true => Failure::Beyond(error.to_string()),
            false => Failure::Wrong(error.to_string()),
        })?;
        outcome.check()?;
        if fastest.as_ref().is_none_or(|known| outcome.report.time < known.report.time) {
            fastest = Some(outcome);
        }
    }
    let report = fastest.ok_or_else(|| "it was not run".to_owned())?.report;
    let occupancy = example
        .kernel
        .max_active_blocks(gpu, report.block_threads(), report.dynamic_shared)
        .map_err(|error| error.to_string())?;
    let mut row =
        vec![Cell::new(example.kernel.name()), Cell::new(example.about), Cell::new("ok"), Cell::new(gpu)];
    match &report.stats {
        Some(stats) => {
            row.push(right(stats.warp_instructions.to_string()));
            row.push(right(format!("{:.1} %", 100.0 * stats.warp_execution_efficiency())));
        }
        None => {
            row.push(right(time(report.time)));
            let bytes = elements as u64 * u64::from(example.bytes_per_element);
            row.push(right(format!("{:.0}", report.gigabytes_per_second(bytes))));
        }
    }
    row.push(Cell::new(describe(&occupancy)));
    Ok(row)
}

/// `100 %: 8 × 256 per SM, limited by warp slots`
fn describe(occupancy: &Occupancy) -> String {
    let percent = 100.0 * occupancy.fraction();
    let Occupancy { active_blocks, block_threads, limiters, .. } = occupancy;
    format!("{percent:.0} %: {active_blocks} × {block_threads} per SM, limited by {limiters}")
}

fn time(time: Duration) -> String {
    format!("{time:.1?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of all examples are tested in `tests/assemble_examples.rs`; here the program around them.
    #[test]
    fn the_examples_asked_for_are_run() {
        let on_the_simulator = |only: &str| Options {
            only: only.to_owned(),
            device: Device { device: 0, simulator: true },
            elements: 4096,
        };
        assert_eq!(run(&on_the_simulator("transpose")), Ok(true));
        assert!(run(&on_the_simulator("no such example")).is_err());
    }
}
