//! Occupancy against instruction-level parallelism: the same kernel with 1, 2, 4 and 8 independent chains a thread, in
//! blocks of 64, 128 and 256 threads. A table of the times for each launch size, the best marked; it is what `over(n)` runs.
//!
//! `--cache FILE` keeps what was measured: what is in the file is not measured again.

use std::path::PathBuf;

use clap::Args;
use comfy_table::Cell;
use examples::ilp::sweep;
use examples::random;
use kernel_runtime::Tuning;
use kernel_runtime::prelude::*;
use kernel_runtime::tune::{Cost, TuningRow};
use serde::Serialize;

use super::{Device, Json, right};

/// Launch sizes: on a GPU those that fill it little, well and for long.
const SIZES_ON_A_GPU: &[usize] = &[1 << 14, 1 << 20, 1 << 26];
const SIZES_ON_THE_SIMULATOR: &[usize] = &[1 << 14, 1 << 18];

/// Finds the best block size and number of chains for each launch size.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    device: Device,
    /// Launch sizes; three on a GPU and two on the simulator unless said otherwise.
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    elements: Vec<u32>,
    /// Reads what was measured before from this file, and writes what is measured now.
    #[arg(long)]
    cache: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let gpu = options.device.gpu();
    let records = tune(&gpu, options).map_err(|error| error.to_string())?;
    options.json.write(&records)?;
    Ok(true)
}

/// Tunes for each launch size, prints the tables, and tells what is in them.
fn tune(gpu: &Gpu, options: &Options) -> Result<Vec<Record>> {
    if let Some(file) = &options.cache {
        gpu.tuning_cache(file)?;
    }
    println!("{}", gpu.describe());
    let usual = if gpu.is_simulator() { SIZES_ON_THE_SIMULATOR } else { SIZES_ON_A_GPU };
    let asked: Vec<usize> = options.elements.iter().map(|&n| n as usize).collect();
    let mut records = Vec::new();
    for &n in if asked.is_empty() { usual } else { &asked } {
        let x = gpu.upload(&random(12, n))?;
        let mut out = gpu.zeros::<f32>(n)?;
        let report = sweep(&x, &mut out).over(n).run()?;
        println!("\n{report}");
        if let Some(tuning) = &report.tuning {
            println!("{}", of_tuning(tuning));
            records.extend(tuning.rows.iter().map(|row| Record::new(n, row)));
        }
    }
    for tuning in sweep::TUNED.tunings(gpu) {
        if let Some(note) = &tuning.note {
            println!("\nnote on {}: {note}", tuning.size);
        }
    }
    Ok(records)
}

/// A table cell's record in JSON.
#[derive(Serialize)]
struct Record {
    elements: usize,
    block: &'static str,
    unroll: &'static str,
    cost: Cost,
    best: bool,
}

impl Record {
    fn new(elements: usize, row: &TuningRow) -> Record {
        Record {
            elements,
            block: setting(row, "block"),
            unroll: setting(row, "UNROLL"),
            cost: row.cost.clone(),
            best: row.chosen,
        }
    }
}

/// Block sizes down, unrolling across.
fn of_tuning(tuning: &Tuning) -> String {
    let what = if tuning.estimated { "estimated cycles" } else { "median time" };
    let from = if tuning.from_cache { ", read from the cache" } else { "" };
    let columns = distinct(tuning.rows.iter().map(|row| setting(row, "UNROLL")));
    let blocks = distinct(tuning.rows.iter().map(|row| setting(row, "block")));
    let header = columns.iter().map(|unroll| format!("unroll {unroll}"));
    let mut table = super::table(std::iter::once("block".to_owned()).chain(header).collect::<Vec<_>>());
    for block in &blocks {
        let mut row = vec![Cell::new(block)];
        for unroll in &columns {
            let of_both =
                |row: &&TuningRow| (setting(row, "UNROLL"), setting(row, "block")) == (*unroll, *block);
            let text = tuning.rows.iter().find(of_both).map(shown).unwrap_or_default();
            row.push(right(text));
        }
        table.add_row(row);
    }
    format!("{} ({what}{from}; the best is marked *)\n{table}", tuning.size)
}

/// `12.3µs`, the best with a mark.
fn shown(row: &TuningRow) -> String {
    let mark = if row.chosen { "* " } else { "" };
    let cost = match &row.cost {
        Cost::EstimatedCycles(cycles) => format!("{cycles:.0}"),
        Cost::Nanoseconds(_) | Cost::Skipped(_) => row.cost.to_string(),
    };
    format!("{mark}{cost}")
}

/// The value of one of the things that are tuned.
fn setting(row: &TuningRow, name: &str) -> &'static str {
    row.settings.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
}

fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}
