//! Our kernels against nvcc's, the same algorithms line for line: `cargo run --release -p examples -- versus`.
//!
//! Checks that the results agree, times both in turns in one process, and prints ours by theirs with the spread, registers,
//! spills, instructions of the machine and of its hottest loop, and the geometric mean of the ratios. Without a GPU, or with
//! `--simulator`, the results are compared on the simulator and the code by the assembler.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use comfy_table::{Cell, Table};
use examples::plot::{self, Ratio};
use examples::toolchain::MissingTool;
use examples::versus::{
    Checked, Classes, Code, Disassembler, Pair, Set, Source, Times, Twins, check, geometric_mean, pairs, time,
};
use kernel_runtime::prelude::*;
use kernel_runtime::{ChecksTaken, Coarsening, RemarkKind};
use serde::Serialize;

use super::{Device, Json, right};

/// Compares our kernels with nvcc's.
#[derive(Args)]
pub struct Options {
    /// The kernels: those that the compiler was tuned on, or those of public suites, written as users would.
    #[arg(long, value_enum, default_value_t = Kernels::Own)]
    set: Kernels,
    /// Only kernels whose name or topic contains this.
    #[arg(long)]
    only: Option<String>,
    #[command(flatten)]
    device: Device,
    /// Elements of each timed run; 2^28 unless said otherwise.
    #[arg(long)]
    elements: Option<usize>,
    /// Timed runs of each kernel.
    #[arg(long, default_value_t = 41)]
    rounds: usize,
    /// A folder with `<topic>.ptx` of the C++, where nvcc is not found.
    #[arg(long, value_name = "FOLDER")]
    ptx: Option<PathBuf>,
    /// Keeps the PTX of the C++ in this folder, for `--ptx` where nvcc is not found.
    #[arg(long, value_name = "FOLDER")]
    save_ptx: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
    /// Draws the ratios here: of the times, or of the instructions where nothing is timed.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// A set of pairs, as an option.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kernels {
    /// Those of the examples' topics.
    Own,
    /// Those of PolyBench, Rodinia, llm.c, the CUDA samples and their like.
    Users,
}

impl Kernels {
    fn set(self) -> Set {
        match self {
            Kernels::Own => Set::Own,
            Kernels::Users => Set::Users,
        }
    }
}

/// Elements of the runs whose results are compared: not a multiple of any block.
const CHECKED: usize = (1 << 20) + 5;
/// Elements of those runs on the simulator.
const CHECKED_ON_THE_SIMULATOR: usize = (1 << 12) + 5;

/// Results of a pair.
struct Row {
    pair: &'static Pair,
    checked: Checked,
    /// Checks that are left in the version that ran.
    left: usize,
    times: Option<Times>,
    /// Elements of the timed runs.
    elements: usize,
    /// Registers of a thread and bytes of its local memory, by the driver; none on the simulator.
    loaded: Option<[(u32, u32); 2]>,
    code: Option<(Code, Code)>,
}

impl Row {
    /// Elements that a thread does by the coarsened version, or 1: those of `coarsen(n)` are not counted.
    fn each(&self) -> u32 {
        match self.checked.coarsening {
            Coarsening::Taken { elements } => elements,
            _ => 1,
        }
    }

    /// Bytes that our kernel has to move, per second of its median time.
    fn bytes_per_second(&self) -> Option<f64> {
        let (ours, _) = self.times.as_ref()?.medians();
        Some((self.pair.bytes)(self.elements) as f64 / ours.as_secs_f64())
    }
}

/// Compares, prints, and returns true if all results were right.
pub fn run(options: &Options) -> Result<bool, String> {
    let gpu = options.device.gpu();
    let wanted = |pair: &&Pair| {
        let only = options.only.as_deref().unwrap_or_default();
        pair.topic.contains(only) || pair.kernel.name().contains(only)
    };
    let pairs: Vec<&'static Pair> = pairs(options.set.set()).filter(wanted).collect();
    if pairs.is_empty() {
        return Err(format!("no kernel or topic contains `{}`", options.only.as_deref().unwrap_or_default()));
    }
    println!("{}", gpu.describe());
    let twins = Twins::load(&gpu, &Source::find(options.ptx.clone())?, &pairs)?;
    if let Some(folder) = &options.save_ptx {
        twins.save(folder)?;
    }
    let disassembler = Disassembler::find();
    if let Err(missing) = &disassembler {
        println!("without registers and instructions: {missing}");
    }
    let mut rows = Vec::new();
    for pair in pairs {
        rows.push(row(&gpu, pair, &twins, &disassembler, options)?);
    }
    for Row { pair, checked, .. } in &rows {
        if let Err(wrong) = &checked.results {
            println!("{}: {wrong}", pair.kernel.name());
        }
        let (which, test) = match checked.checks {
            ChecksTaken::Failed(test) => ("all", test),
            ChecksTaken::Partly(test) => ("some", test),
            ChecksTaken::Only | ChecksTaken::CheckFree | ChecksTaken::Asked => continue,
        };
        let name = pair.kernel.name();
        println!("{name} ran with {which} checks, for buffers as long as what is indexed: not {test}");
    }
    println!("{}", of_rows(&rows));
    summarize(&rows);
    if let Some(path) = &options.svg {
        draw(path, &gpu, &rows)?;
    }
    options.json.write(&rows.iter().map(Record::new).collect::<Vec<_>>())?;
    Ok(rows.iter().all(|row| row.checked.results.is_ok()))
}

fn row(
    gpu: &Gpu,
    pair: &'static Pair,
    twins: &Twins,
    disassembler: &Result<Disassembler, MissingTool>,
    options: &Options,
) -> Result<Row, String> {
    let twin = twins.function(pair)?;
    let said = |error: Error| format!("{}: {error}", pair.kernel.name());
    let elements = if gpu.is_simulator() { CHECKED_ON_THE_SIMULATOR } else { CHECKED };
    let checked = check(gpu, pair, &twin, elements).map_err(said)?;
    let elements = options.elements.unwrap_or(1 << 28);
    let times = if gpu.is_simulator() {
        None
    } else {
        Some(time(gpu, pair, &twin, elements, options.rounds).map_err(said)?)
    };
    let variant = pair.kernel.variant(gpu).map_err(said)?;
    let ran = match (checked.checks, checked.coarsening, variant.coarsened) {
        (_, Coarsening::Taken { .. }, Some(coarsened)) => coarsened.variant,
        (ChecksTaken::CheckFree, ..) => variant.usual(),
        (ChecksTaken::Partly(_), ..) => variant.check_free.last().map_or(variant, |partly| partly.variant),
        (ChecksTaken::Only | ChecksTaken::Failed(_) | ChecksTaken::Asked, ..) => variant,
    };
    let code = match (disassembler, twins.text(pair)) {
        (Ok(disassembler), Some(text)) => {
            let ours = disassembler.code(variant.ptx, ran.entry, gpu.arch())?;
            Some((ours, disassembler.code(text, pair.twin, gpu.arch())?))
        }
        _ => None,
    };
    let loaded = if gpu.is_simulator() {
        None
    } else {
        let ours = match checked.coarsening {
            Coarsening::Taken { .. } => pair.kernel.coarsened_attributes(gpu).map_err(said)?,
            _ => pair.kernel.check_free_attributes(gpu).map_err(said)?,
        };
        let ours = match ours {
            Some(attributes) => attributes,
            None => pair.kernel.attributes(gpu).map_err(said)?,
        };
        Some([&ours, twin.attributes()].map(|attributes| (attributes.registers, attributes.local_bytes)))
    };
    let left = pair.kernel.report_of(ran).places(|kind| matches!(kind, RemarkKind::CheckLeft { .. }));
    Ok(Row { pair, checked, left, times, elements, loaded, code })
}

/// Returns true if a launch guard failed.
fn has_failed(row: &Row) -> bool {
    matches!(row.checked.checks, ChecksTaken::Failed(_) | ChecksTaken::Partly(_))
}

/// Columns are those that have something to say: times where there is a GPU, else what the instructions are.
fn of_rows(rows: &[Row]) -> Table {
    let timed = rows.iter().any(|row| row.times.is_some());
    let assembled = rows.iter().any(|row| row.code.is_some());
    let loaded = rows.iter().any(|row| row.loaded.is_some());
    let mut header = vec!["kernel", "results", "checks", "each"];
    if timed {
        header.extend(["ours µs", "nvcc µs", "ours / nvcc", "±", "ours GB/s"]);
    }
    if assembled || loaded {
        header.extend(["registers", "spills"]);
    }
    if assembled {
        header.extend(["SASS", "hot loop", "widest", "64-bit"]);
    }
    if assembled && !timed {
        header.extend(CLASSES);
    }
    let mut table = super::table(header);
    for row in rows {
        let Row { pair, checked, left, times, loaded, code, .. } = row;
        let results = if checked.results.is_ok() { "agree" } else { "DIFFER" };
        let left = match checked.checks {
            ChecksTaken::Failed(_) => format!("all: {left}"),
            ChecksTaken::Partly(_) => format!("some: {left}"),
            ChecksTaken::Only | ChecksTaken::CheckFree | ChecksTaken::Asked => left.to_string(),
        };
        let mut cells =
            vec![Cell::new(name(pair)), Cell::new(results), right(left), right(row.each().to_string())];
        if let Some(times) = times {
            let (ours, theirs) = times.medians();
            cells.extend([ours, theirs].map(|time| right(micros(time))));
            cells.extend([times.ratio(), times.spread()].map(|ratio| right(format!("{ratio:.3}"))));
            cells.push(right(
                row.bytes_per_second().map_or_else(String::new, |it| format!("{:.0}", it / 1e9)),
            ));
        }
        if let Some((ours, theirs)) = code {
            let both = |get: &dyn Fn(&Code) -> u32| right(format!("{} / {}", get(ours), get(theirs)));
            cells.push(both(&|code| code.registers));
            cells.push(both(&|code| code.spills));
            cells.push(both(&Code::instructions));
            cells.push(both(&|code| code.hot.values().sum()));
            cells.push(both(&|code| code.widest));
            cells.push(both(&|code| code.wide_integers));
            if !timed {
                let of_class = |class| both(&|code| code.all.get(class).copied().unwrap_or(0));
                cells.extend(CLASSES.map(of_class));
            }
        }
        if let (None, Some([ours, theirs])) = (code, loaded) {
            cells.push(right(format!("{} / {}", ours.0, theirs.0)));
            cells.push(right(format!("{} / {}", ours.1, theirs.1)));
        }
        table.add_row(cells);
    }
    table
}

/// The kernel of C++ with the attribute that ours has besides.
fn name(pair: &Pair) -> String {
    match pair.attribute {
        Some(attribute) => format!("{} {attribute}", pair.twin),
        None => pair.twin.to_owned(),
    }
}

/// Draws ours by nvcc's: times, or instructions where nothing is timed.
fn draw(path: &Path, gpu: &Gpu, rows: &[Row]) -> Result<(), String> {
    let timed = rows.iter().any(|row| row.times.is_some());
    let ratio = |row: &Row| {
        let (value, spread) = match (&row.times, &row.code) {
            (Some(times), _) => (times.ratio(), times.spread()),
            (None, Some((ours, theirs))) => {
                (f64::from(ours.instructions()) / f64::from(theirs.instructions()), 0.0)
            }
            (None, None) => return None,
        };
        Some(Ratio { name: name(row.pair), value, spread, is_other: row.pair.attribute.is_some() })
    };
    let ratios: Vec<Ratio> = rows.iter().filter_map(ratio).collect();
    let x = if timed { "time, ours / nvcc" } else { "machine instructions, ours / nvcc" };
    plot::ratios(path, [&format!("Our kernels beside nvcc's, {gpu}"), x, "with an attribute"], &ratios)
}

/// Classes of instructions that have a column; all of them are in the JSON.
const CLASSES: [&str; 5] = ["global", "shared", "float", "integer", "control"];

/// The mean and the worst of what was timed.
fn summarize(rows: &[Row]) {
    let same = || rows.iter().filter(|row| row.pair.attribute.is_none());
    let ratios = || same().filter_map(|row| Some((row.pair, row.times.as_ref()?.ratio())));
    if let Some(mean) = geometric_mean(ratios().map(|(_, ratio)| ratio)) {
        println!("ours / nvcc over {} kernels: geometric mean {mean:.3}", ratios().count());
        if let Some((pair, ratio)) = ratios().max_by(|(_, a), (_, b)| a.total_cmp(b)) {
            println!("worst: {} with {ratio:.3}", pair.twin);
        }
    }
    let instructions = || {
        same()
            .filter_map(|row| row.code.as_ref())
            .map(|(ours, theirs)| f64::from(ours.instructions()) / f64::from(theirs.instructions()))
    };
    if let Some(mean) = geometric_mean(instructions()) {
        println!("instructions, ours / nvcc: geometric mean {mean:.3}");
    }
    let left = rows.iter().filter(|row| row.left > 0).count();
    let failed = rows.iter().filter(|row| has_failed(row)).count();
    println!(
        "{left} of {} kernels have checks left, {failed} of them as a test of the host failed",
        rows.len()
    );
    let wide =
        |get: fn(&(Code, Code)) -> u32| rows.iter().filter_map(|row| row.code.as_ref()).map(get).sum::<u32>();
    let [ours, theirs] = [wide(|code| code.0.wide_integers), wide(|code| code.1.wide_integers)];
    println!("64-bit integer instructions but addresses: {ours} of ours, {theirs} of nvcc's");
    println!("Pairs of numbers are ours / nvcc; with an attribute, against the kernel without it in C++.");
}

fn micros(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e6)
}

/// A pair's record in JSON. Times are in seconds.
#[derive(Serialize)]
struct Record<'a> {
    kernel: &'a str,
    what: &'a str,
    twin: &'a str,
    topic: &'a str,
    attribute: Option<&'a str>,
    results_agree: bool,
    /// Those of the version that ran, on buffers exactly as long as what is indexed.
    checks_left: usize,
    /// Set if that was the checked version, as a launch guard failed.
    tests_failed: bool,
    /// Elements of a thread of the coarsened version, if that runs.
    coarsened: Option<u32>,
    ours_seconds: Option<Vec<f64>>,
    nvcc_seconds: Option<Vec<f64>>,
    ratio: Option<f64>,
    ours_bytes_per_second: Option<f64>,
    /// Registers and bytes of local memory of ours and of nvcc's, by the driver.
    loaded: Option<[(u32, u32); 2]>,
    ours: Option<CodeRecord<'a>>,
    nvcc: Option<CodeRecord<'a>>,
}

#[derive(Serialize)]
struct CodeRecord<'a> {
    registers: u32,
    spill_bytes: u32,
    instructions: &'a Classes,
    hot_loop: &'a Classes,
    widest_access_bits: u32,
    wide_integers: u32,
}

impl Record<'_> {
    fn new(row: &Row) -> Record<'_> {
        let seconds = |times: &[Duration]| times.iter().map(Duration::as_secs_f64).collect();
        let times = row.times.as_ref();
        let code = row.code.as_ref();
        Record {
            kernel: row.pair.kernel.name(),
            what: row.pair.what,
            twin: row.pair.twin,
            topic: row.pair.topic,
            attribute: row.pair.attribute,
            results_agree: row.checked.results.is_ok(),
            checks_left: row.left,
            tests_failed: has_failed(row),
            coarsened: Some(row.each()).filter(|&each| each > 1),
            ours_seconds: times.map(|times| seconds(&times.ours)),
            nvcc_seconds: times.map(|times| seconds(&times.theirs)),
            ratio: times.map(Times::ratio),
            ours_bytes_per_second: row.bytes_per_second(),
            loaded: row.loaded,
            ours: code.map(|(ours, _)| CodeRecord::new(ours)),
            nvcc: code.map(|(_, theirs)| CodeRecord::new(theirs)),
        }
    }
}

impl CodeRecord<'_> {
    fn new(code: &Code) -> CodeRecord<'_> {
        CodeRecord {
            registers: code.registers,
            spill_bytes: code.spills,
            instructions: &code.all,
            hot_loop: &code.hot,
            widest_access_bits: code.widest,
            wide_integers: code.wide_integers,
        }
    }
}
