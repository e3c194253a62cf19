//! Kernels below the roofline of the device: `cargo run --release -p examples -- roofline --svg roofline.svg`.
//!
//! Without a GPU, or with `--simulator`, times are those that the simulator's profiler models.

use std::path::PathBuf;

use clap::Args;
use comfy_table::Cell;
use examples::plot::{self, RooflinePoint};
use examples::roofline::{Roofline, measure};
use indicatif::ProgressBar;

use super::{Device, Json, bar, right, table};

/// Measures what memory and arithmetic allow, and how near kernels come.
#[derive(Args)]
pub struct Options {
    /// Only kernels whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    #[command(flatten)]
    device: Device,
    /// Elements of each run.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1024..))]
    elements: Option<u32>,
    /// Timed runs of each kernel on a GPU, or as many as there is time for; the median counts.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Draws the plot here.
    #[arg(long)]
    svg: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let gpu = options.device.gpu();
    println!("{}", gpu.describe());
    let spinner = ProgressBar::new_spinner();
    let elements = options.elements.map(|elements| elements as usize);
    let measured = measure(&gpu, &options.only, elements, options.rounds, |what| {
        spinner.set_message(what.to_owned());
        spinner.tick();
    });
    spinner.finish_and_clear();
    let mut measured = measured?;
    if measured.kernels.is_empty() {
        return Err(format!("no kernel's name contains `{}`", options.only));
    }
    measured.kernels.sort_by(|a, b| a.intensity.total_cmp(&b.intensity));
    print(&measured);
    if let Some(path) = &options.svg {
        let point = |point: &examples::roofline::Point| RooflinePoint {
            name: point.kernel.clone(),
            intensity: point.intensity,
            speed: point.speed,
        };
        // A kernel without operations has no point on logarithmic axes.
        let points: Vec<RooflinePoint> = measured.kernels.iter().map(point).collect();
        let points: Vec<RooflinePoint> = points.into_iter().filter(|point| point.speed > 0.0).collect();
        let modelled = if measured.modelled { ", modelled" } else { "" };
        let title = format!("Roofline of {}{modelled}", measured.device);
        plot::roofline(path, &title, measured.bytes_per_second, measured.operations_per_second, &points)?;
    }
    options.json.write(&measured)?;
    Ok(true)
}

fn print(measured: &Roofline) {
    let Roofline { bytes_per_second, operations_per_second, .. } = measured;
    println!(
        "memory {:.0} GB/s by a copy, arithmetic {:.2} TFLOP/s by multiply-adds: they meet at {:.1} FLOP/byte",
        bytes_per_second / 1e9,
        operations_per_second / 1e12,
        operations_per_second / bytes_per_second
    );
    let mut table = table(["kernel", "what", "FLOP/byte", "GFLOP/s", "of the roof", ""]);
    for point in &measured.kernels {
        table.add_row([
            Cell::new(&point.kernel),
            Cell::new(&point.what),
            right(format!("{:.2}", point.intensity)),
            right(format!("{:.0}", point.speed / 1e9)),
            right(format!("{:.0} %", 100.0 * point.of_roof)),
            Cell::new(bar(point.of_roof)),
        ]);
    }
    println!("{table}");
}
