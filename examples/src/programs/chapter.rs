//! The chapter: runs its kernels, checks each against plain Rust, and shows the effects that it tells of, in tables.
//!
//! `cargo run --release -p examples -- chapter` runs all of it; `--only divergence` a topic, `--only 22` a row of the list. On a
//! GPU kernels are timed with events; without one the simulator counts, and its profiler models the time.

use std::time::Instant;

use clap::Args;
use comfy_table::{Cell, CellAlignment};
use examples::chapter::{COLUMNS, Compared, EFFECTS, Effect, Lab, Measured};
use examples::toolchain::Ptxas;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::{Device, Json, table};

/// Shows what the kernels of the chapter are about.
#[derive(Args)]
pub struct Options {
    /// Only this row of the list, or what has this in its topic or title.
    #[arg(long)]
    only: Option<String>,
    #[command(flatten)]
    device: Device,
    /// Elements of each run; as many as show the effect unless said otherwise.
    #[arg(long, value_parser = clap::value_parser!(u32).range(32..))]
    elements: Option<u32>,
    /// Timed runs of each kernel on a GPU, or as many as there is time for.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    #[command(flatten)]
    json: Json,
}

/// Runs and prints, and tells whether all was right.
pub fn run(options: &Options) -> Result<bool, String> {
    let effects: Vec<&Effect> = EFFECTS.iter().filter(|effect| wanted(effect, options)).collect();
    if effects.is_empty() {
        let only = options.only.as_deref().unwrap_or_default();
        let mut topics: Vec<&str> = EFFECTS.iter().map(|effect| effect.topic).collect();
        topics.dedup();
        return Err(format!("nothing is about `{only}`\nhelp: topics are {}", topics.join(", ")));
    }
    let gpu = options.device.gpu();
    gpu.profile_launches(gpu.is_simulator());
    println!("{}", gpu.describe());
    let elements = options.elements.map(|elements| elements as usize);
    let lab = Lab { gpu, rounds: options.rounds, elements, ptxas: Ptxas::find().ok() };
    let start = Instant::now();
    let bar = ProgressBar::new(effects.len() as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}");
    bar.set_style(style.map_err(|error| error.to_string())?);
    let mut records = Vec::new();
    let mut failures = 0;
    for effect in effects {
        bar.set_message(effect.title);
        let measured = effect.measure(&lab);
        bar.suspend(|| match &measured {
            Ok(measured) => print(effect, measured),
            Err(problem) => eprintln!("{problem}"),
        });
        bar.inc(1);
        match measured {
            Ok(measured) => records.push(Record::new(effect, measured)),
            Err(_) => failures += 1,
        }
    }
    bar.finish_and_clear();
    let how = match lab.gpu.is_simulator() {
        true => "instructions are those of PTX, counted per warp, and times are what the profiler models",
        false => "times are medians, between events",
    };
    println!("\n{} effects in {:.1?}; {how}.", records.len(), start.elapsed());
    options.json.write(&records)?;
    Ok(failures == 0)
}

fn wanted(effect: &Effect, options: &Options) -> bool {
    let Some(only) = options.only.as_deref() else { return true };
    match only.parse::<u32>() {
        Ok(row) => effect.row == row,
        Err(_) => effect.topic.contains(only) || effect.title.contains(only),
    }
}

/// The table of an effect, what is the same of all below it.
fn print(effect: &Effect, measured: &[Measured]) {
    println!("\n{} · {}, row {}\n{}", effect.title, effect.topic, effect.row, effect.shows);
    let Some(first) = measured.first() else { return };
    let mut header = vec![Cell::new("what")];
    let mut rows: Vec<Vec<Cell>> = measured.iter().map(|it| vec![Cell::new(&it.variant)]).collect();
    let mut of_all = Vec::new();
    for column in COLUMNS {
        let cells: Vec<Option<String>> = measured.iter().map(|it| (column.cell)(it, first)).collect();
        let says_nothing = column.is_ratio && matches!(effect.compared, Compared::Apart(_));
        if says_nothing || cells.iter().all(Option::is_none) {
            continue;
        }
        let alignment = if column.is_text { CellAlignment::Left } else { CellAlignment::Right };
        match &cells[0] {
            Some(same) if measured.len() > 1 && cells.iter().all(|cell| cell.as_ref() == Some(same)) => {
                of_all.push(format!("{} {same}", column.heading));
            }
            Some(_) | None => {
                header.push(Cell::new(column.heading).set_alignment(alignment));
                for (row, cell) in rows.iter_mut().zip(cells) {
                    row.push(Cell::new(cell.unwrap_or_default()).set_alignment(alignment));
                }
            }
        }
    }
    let mut table = table(header);
    table.add_rows(rows);
    println!("{table}");
    if !of_all.is_empty() {
        println!("all: {}", of_all.join(", "));
    }
}

/// An effect's record in JSON.
#[derive(Serialize)]
struct Record {
    row: u32,
    topic: &'static str,
    title: &'static str,
    measured: Vec<Measured>,
}

impl Record {
    fn new(effect: &Effect, measured: Vec<Measured>) -> Record {
        Record { row: effect.row, topic: effect.topic, title: effect.title, measured }
    }
}
