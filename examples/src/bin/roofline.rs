//! Kernels below the roofline of the device: `cargo run --release -p examples --bin roofline -- --svg roofline.svg`.
//!
//! Without a GPU, or with `--simulator`, times are those that the simulator's profiler models.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use comfy_table::{Cell, CellAlignment, Table, presets};
use examples::plot::{self, RooflinePoint};
use examples::roofline::{Roofline, measure};
use indicatif::ProgressBar;
use kernel_runtime::prelude::*;

/// Measures what memory and arithmetic allow, and how near kernels come.
#[derive(Parser)]
#[command(name = "roofline")]
struct Options {
    /// Only kernels whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// The CUDA device.
    #[arg(long, default_value_t = 0)]
    device: u32,
    /// The simulator even where there is a GPU.
    #[arg(long)]
    simulator: bool,
    /// Elements of each run.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1024..))]
    elements: Option<u32>,
    /// Timed runs of each kernel on a GPU, of which the median counts.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Draws the plot here.
    #[arg(long)]
    svg: Option<PathBuf>,
    /// Writes the measurements here as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let cuda = if options.simulator { None } else { Gpu::cuda(options.device).ok() };
    let gpu = cuda.unwrap_or_else(|| Gpu::simulator(Arch::Sm90));
    println!("{}", gpu.describe());
    let bar = ProgressBar::new_spinner();
    let elements = options.elements.map(|elements| elements as usize);
    let measured = measure(&gpu, &options.only, elements, options.rounds, |what| {
        bar.set_message(what.to_owned());
        bar.tick();
    });
    bar.finish_and_clear();
    let mut measured = measured?;
    measured.kernels.sort_by(|a, b| a.intensity.total_cmp(&b.intensity));
    print(&measured);
    if let Some(path) = &options.svg {
        let point = |point: &examples::roofline::Point| RooflinePoint {
            name: point.kernel.clone(),
            intensity: point.intensity,
            speed: point.speed,
        };
        // What counts no operations has no place on logarithmic axes.
        let points: Vec<RooflinePoint> = measured.kernels.iter().map(point).collect();
        let points: Vec<RooflinePoint> = points.into_iter().filter(|point| point.speed > 0.0).collect();
        let modelled = if measured.modelled { ", modelled" } else { "" };
        let title = format!("Roofline of {}{modelled}", measured.device);
        plot::roofline(path, &title, measured.bytes_per_second, measured.operations_per_second, &points)?;
    }
    if let Some(path) = &options.json {
        let text = serde_json::to_string_pretty(&measured).map_err(|error| error.to_string())?;
        std::fs::write(path, text).map_err(|error| format!("`{}`: {error}", path.display()))?;
    }
    Ok(())
}

fn print(measured: &Roofline) {
    let Roofline { bytes_per_second, operations_per_second, .. } = measured;
    println!(
        "memory {:.0} GB/s by a copy, arithmetic {:.2} TFLOP/s by multiply-adds: they meet at {:.1} operations per byte",
        bytes_per_second / 1e9,
        operations_per_second / 1e12,
        operations_per_second / bytes_per_second
    );
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(["kernel", "what", "operations per byte", "GFLOP/s", "of the roof", ""]);
    for point in &measured.kernels {
        let filled = (20.0 * point.of_roof).round().clamp(0.0, 20.0) as usize;
        table.add_row([
            Cell::new(&point.kernel),
            Cell::new(&point.what),
            right(format!("{:.2}", point.intensity)),
            right(format!("{:.0}", point.speed / 1e9)),
            right(format!("{:.0} %", 100.0 * point.of_roof)),
            Cell::new("█".repeat(filled) + &"░".repeat(20 - filled)),
        ]);
    }
    println!("{table}");
}
