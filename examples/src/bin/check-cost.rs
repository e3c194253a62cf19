//! The cost of checks on a GPU: the checked version against the check-free one, whose checks launch guards replace, in one run.
//!
//! `cargo run --release -p examples --bin check-cost [--elements n] [--rounds n] [--only name] [--json file]`. Every kernel that
//! is compared with CUDA C++ and has both versions is launched through each in turn, on the same buffers, far beyond the L2 cache;
//! times are between two events on the device, and their medians count. Results of both are compared before, bit for bit.
//! `--code` needs no GPU: it only counts the instructions of the machine, which NVIDIA's assembler makes.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use comfy_table::{Cell, Table};
use examples::tables::{self, right};
use examples::versus::{Code, Data, Disassembler, Lens, Pair, Set, geometric_mean, pairs};
use kernel_runtime::ChecksTaken;
use kernel_runtime::prelude::*;
use serde::Serialize;

/// Compares kernels with checks and without.
#[derive(Parser)]
#[command(name = "check-cost")]
struct Options {
    /// Only kernels whose name or topic contains this.
    #[arg(long)]
    only: Option<String>,
    /// The CUDA device.
    #[arg(long, default_value_t = 0)]
    device: u32,
    /// Elements of each timed run.
    #[arg(long, default_value_t = 1 << 26)]
    elements: usize,
    /// Timed runs of each entry.
    #[arg(long, default_value_t = 41)]
    rounds: usize,
    /// Only the instructions of both entries, for sm_90.
    #[arg(long)]
    code: bool,
    /// Writes the measurements here as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// Elements of the runs whose results are compared: not a multiple of any block.
const COMPARED: usize = (1 << 20) + 5;
/// Rounds that warm up caches and clocks.
const WARM_UP: usize = 5;

/// The times of both versions, one of each a round.
struct Times {
    checked: Vec<Duration>,
    free: Vec<Duration>,
}

struct Row {
    pair: &'static Pair,
    /// The first difference, if there is one.
    wrong: Option<String>,
    times: Option<Times>,
    /// With checks, and without.
    code: Option<[Code; 2]>,
}

fn main() -> ExitCode {
    sigpipe::reset();
    match compare(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures, prints, and tells whether all results were right.
fn compare(options: &Options) -> std::result::Result<bool, String> {
    let gpu = match options.code {
        true => Gpu::simulator(Arch::Sm90),
        false => Gpu::cuda(options.device).map_err(|error| {
            format!(
                "check-cost measures times and needs a CUDA device: {error}\nhelp: `--code` counts instructions without one"
            )
        })?,
    };
    let disassembler = Disassembler::find();
    if let Err(missing) = &disassembler {
        println!("without registers and instructions: {missing}");
    }
    println!("{}", gpu.describe());
    let only = options.only.as_deref().unwrap_or_default();
    let mut rows = Vec::new();
    for pair in pairs(Set::Own) {
        let said = |error: Error| format!("{}: {error}", pair.kernel.name());
        let variant = pair.kernel.variant(&gpu).map_err(said)?;
        let is_wanted = pair.topic.contains(only) || pair.kernel.name().contains(only);
        if !is_wanted || variant.check_free.is_empty() {
            continue;
        }
        let code = match &disassembler {
            Ok(disassembler) => {
                let of = |entry| disassembler.code(variant.ptx, entry, gpu.arch());
                Some([of(variant.entry)?, of(variant.usual().entry)?])
            }
            Err(_) => None,
        };
        let mut row = Row { pair, wrong: None, times: None, code };
        if !options.code {
            row.wrong = differs(&gpu, pair).map_err(said)?;
            row.times = Some(time(&gpu, pair, options).map_err(said)?);
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(format!("no kernel with two entries contains `{only}` in its name or topic"));
    }
    if let Some(path) = &options.json {
        let records: Vec<Record> = rows.iter().map(Record::new).collect();
        let text = serde_json::to_string_pretty(&records).map_err(|error| error.to_string())?;
        std::fs::write(path, text).map_err(|error| format!("`{}`: {error}", path.display()))?;
    }
    let right = rows.iter().all(|row| row.wrong.is_none());
    for Row { pair, wrong, .. } in &rows {
        wrong.iter().for_each(|wrong| println!("{}: {wrong}", pair.kernel.name()));
    }
    if !options.code {
        println!("{} floats, medians of {} rounds", options.elements, options.rounds);
        println!("results {}", if right { "of both entries are the same" } else { "DIFFER" });
    }
    println!("{}", table(&rows));
    summarize(&rows);
    Ok(right)
}

/// Launches one of the entries; it is an error of the program if that is not the one that ran.
fn launch(pair: &Pair, data: &mut Data, checked: bool) -> Result<LaunchReport> {
    let report = (pair.ours)(data).checked(checked).run()?;
    let is_right = match report.checks {
        ChecksTaken::Asked => checked,
        ChecksTaken::CheckFree => !checked,
        ChecksTaken::Only | ChecksTaken::Partly(_) | ChecksTaken::Failed(_) => false,
    };
    assert!(is_right, "{} took {}", pair.kernel.name(), report.checks);
    Ok(report)
}

/// Runs both entries on the same data; what is different, if something is.
fn differs(gpu: &Gpu, pair: &Pair) -> Result<Option<String>> {
    let result = |checked| -> Result<(Vec<f32>, Vec<f32>)> {
        let mut data = Data::new(gpu, pair, COMPARED)?;
        let before = data.results()?;
        launch(pair, &mut data, checked)?;
        Ok((before, data.results()?))
    };
    let ((before, checked), (_, free)) = (result(true)?, result(false)?);
    if before == checked {
        return Ok(Some("nothing was written".to_owned()));
    }
    let first = checked.iter().zip(&free).position(|(a, b)| a.to_bits() != b.to_bits());
    Ok(first.map(|i| format!("element {i} is {} with checks and {} without", checked[i], free[i])))
}

/// Times both in turns, the one that starts changing with the round.
fn time(gpu: &Gpu, pair: &Pair, options: &Options) -> Result<Times> {
    let mut data = Data::new(gpu, pair, options.elements)?;
    let mut times = Times { checked: Vec::new(), free: Vec::new() };
    for round in 0..options.rounds + WARM_UP {
        for turn in 0..2 {
            let checked = (round + turn) % 2 == 0;
            let report = launch(pair, &mut data, checked)?;
            if round >= WARM_UP {
                if checked { &mut times.checked } else { &mut times.free }.push(report.time);
            }
        }
    }
    Ok(times)
}

impl Times {
    fn medians(&self) -> [Duration; 2] {
        [&self.checked, &self.free].map(|times| {
            let mut times = times.clone();
            times.sort_unstable();
            times.get(times.len() / 2).copied().unwrap_or_default()
        })
    }

    /// With checks by without.
    fn ratio(&self) -> f64 {
        let [checked, free] = self.medians();
        checked.as_secs_f64() / free.as_secs_f64()
    }

    /// Half the distance of the quartiles of the ratios of each round.
    fn spread(&self) -> f64 {
        let each = self.checked.iter().zip(&self.free);
        let mut ratios: Vec<f64> =
            each.map(|(checked, free)| checked.as_secs_f64() / free.as_secs_f64()).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let at = |part: f64| ratios.get((ratios.len() as f64 * part) as usize).copied().unwrap_or_default();
        (at(0.75) - at(0.25)) / 2.0
    }
}

impl Row {
    /// Returns true if each output depends only on the inputs at its index: they are as long, or nothing is read of them.
    fn is_element_wise(&self) -> bool {
        let Lens { x, y, out, .. } = (self.pair.lens)(COMPARED);
        out == COMPARED && [x, y].into_iter().all(|len| len == out || len == 1)
    }
}

fn table(rows: &[Row]) -> Table {
    let mut table = tables::table([
        "kernel",
        "element-wise",
        "checked",
        "check-free",
        "checked / free",
        "±",
        "registers",
        "SASS",
    ]);
    for row in rows {
        let mut cells = vec![
            Cell::new(row.pair.kernel.name()),
            Cell::new(if row.is_element_wise() { "yes" } else { "no" }),
        ];
        match &row.times {
            Some(times) => {
                cells
                    .extend(times.medians().map(|time| right(format!("{:.1} µs", time.as_secs_f64() * 1e6))));
                cells.push(right(format!("{:.3}", times.ratio())));
                cells.push(right(format!("{:.3}", times.spread())));
            }
            None => cells.extend([0; 4].map(|_| right("-".to_owned()))),
        }
        match &row.code {
            Some([checked, free]) => {
                cells.push(right(format!("{} / {}", checked.registers, free.registers)));
                cells.push(right(format!("{} / {}", checked.instructions(), free.instructions())));
            }
            None => cells.extend([0; 2].map(|_| right("-".to_owned()))),
        }
        table.add_row(cells);
    }
    table
}

/// The means, and the worst of what was timed.
fn summarize(rows: &[Row]) {
    let element_wise = || rows.iter().filter(|row| row.is_element_wise());
    let ratios = || element_wise().filter_map(|row| Some((row.pair, row.times.as_ref()?.ratio())));
    if let Some(mean) = geometric_mean(ratios().map(|(_, ratio)| ratio)) {
        println!(
            "checked / check-free over {} element-wise kernels: geometric mean {mean:.3}",
            ratios().count()
        );
        if let Some((pair, ratio)) = ratios().max_by(|(_, a), (_, b)| a.total_cmp(b)) {
            println!("worst: {} with {ratio:.3}", pair.kernel.name());
        }
    }
    let instructions = || {
        element_wise()
            .filter_map(|row| row.code.as_ref())
            .map(|[checked, free]| f64::from(checked.instructions()) / f64::from(free.instructions()))
    };
    if let Some(mean) = geometric_mean(instructions()) {
        println!("instructions, checked / check-free: geometric mean {mean:.3}");
    }
}

/// A kernel's record in JSON. Times are in seconds.
#[derive(Serialize)]
struct Record<'a> {
    kernel: &'a str,
    element_wise: bool,
    results_agree: bool,
    checked_seconds: Option<Vec<f64>>,
    check_free_seconds: Option<Vec<f64>>,
    ratio: Option<f64>,
    spread: Option<f64>,
    registers: Option<[u32; 2]>,
    instructions: Option<[u32; 2]>,
}

impl Record<'_> {
    fn new(row: &Row) -> Record<'_> {
        let seconds = |times: &[Duration]| times.iter().map(Duration::as_secs_f64).collect();
        let (times, code) = (row.times.as_ref(), row.code.as_ref());
        Record {
            kernel: row.pair.kernel.name(),
            element_wise: row.is_element_wise(),
            results_agree: row.wrong.is_none(),
            checked_seconds: times.map(|times| seconds(&times.checked)),
            check_free_seconds: times.map(|times| seconds(&times.free)),
            ratio: times.map(Times::ratio),
            spread: times.map(Times::spread),
            registers: code.map(|code| code.each_ref().map(|code| code.registers)),
            instructions: code.map(|code| code.each_ref().map(Code::instructions)),
        }
    }
}
