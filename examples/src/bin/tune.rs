//! Occupancy against instruction-level parallelism: the same kernel with 1, 2, 4 and 8 independent chains a thread, in
//! blocks of 64, 128 and 256 threads. A table of the times for each launch size, the best marked; it is what `over(n)` runs.
//!
//! `tune [--simulator] [--cache FILE]`: with a file, what is in it is not measured again.

use std::process::ExitCode;

use comfy_table::{Cell, CellAlignment, Table, presets};
use examples::ilp::sweep;
use examples::random;
use kernel_runtime::Tuning;
use kernel_runtime::prelude::*;
use kernel_runtime::tune::{Cost, TuningRow};

/// Launch sizes: on a GPU those that fill it little, well and for long.
const SIZES_ON_A_GPU: &[usize] = &[1 << 14, 1 << 20, 1 << 26];
const SIZES_ON_THE_SIMULATOR: &[usize] = &[1 << 14, 1 << 18];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (simulator, cache) = match arguments[..] {
        [] => (false, None),
        ["--simulator"] => (true, None),
        ["--cache", file] => (false, Some(file)),
        ["--simulator", "--cache", file] | ["--cache", file, "--simulator"] => (true, Some(file)),
        _ => {
            eprintln!("usage: tune [--simulator] [--cache FILE]");
            return ExitCode::from(2);
        }
    };
    match run(simulator, cache) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(simulator: bool, cache: Option<&str>) -> Result<()> {
    let gpu = if simulator { Gpu::simulator(Arch::Sm90) } else { Gpu::new()? };
    if let Some(file) = cache {
        gpu.tuning_cache(file)?;
    }
    println!("{}", gpu.describe());
    let sizes = if gpu.is_simulator() { SIZES_ON_THE_SIMULATOR } else { SIZES_ON_A_GPU };
    for &n in sizes {
        let x = gpu.upload(&random(12, n))?;
        let mut out = gpu.zeros::<f32>(n)?;
        let report = sweep(&x, &mut out).over(n).run()?;
        println!("\n{report}");
        if let Some(tuning) = &report.tuning {
            println!("{}", table(tuning));
        }
    }
    for tuning in sweep::TUNED.tunings(&gpu) {
        if let Some(note) = &tuning.note {
            println!("\nnote on {}: {note}", tuning.size);
        }
    }
    Ok(())
}

/// Block sizes down, unrolling across.
fn table(tuning: &Tuning) -> String {
    let what = if tuning.estimated { "estimated cycles" } else { "median time" };
    let from = if tuning.from_cache { ", read from the cache" } else { "" };
    let columns = distinct(tuning.rows.iter().map(|row| setting(row, "UNROLL")));
    let blocks = distinct(tuning.rows.iter().map(|row| setting(row, "block")));
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(
        std::iter::once("block".to_owned()).chain(columns.iter().map(|unroll| format!("unroll {unroll}"))),
    );
    for block in &blocks {
        let mut row = vec![Cell::new(block)];
        for unroll in &columns {
            let of_both =
                |row: &&TuningRow| (setting(row, "UNROLL"), setting(row, "block")) == (*unroll, *block);
            let text = tuning.rows.iter().find(of_both).map(shown).unwrap_or_default();
            row.push(Cell::new(text).set_alignment(CellAlignment::Right));
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
