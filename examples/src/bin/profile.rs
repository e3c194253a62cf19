//! Profiles kernels of the examples on the simulator: `cargo run --release -p examples --bin profile -- saxpy` tells what
//! bounds one, line by line; without a name there is a table of all. `--html DIR` and `--json DIR` write a page and a file for each.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use comfy_table::{Cell, CellAlignment};
use examples::Example;
use examples::tables;
use kernel_runtime::prelude::*;
use kernel_runtime::profile::Counts;
use kernel_runtime::{Kernel, Profile};

/// Elements of each run: enough to fill the large devices once.
const ELEMENTS: u32 = 1 << 18;

/// Profiles kernels of the examples on the simulator.
#[derive(Parser)]
struct Request {
    /// Kernels, line by line; all of them in a table if none is named.
    #[arg(value_name = "KERNEL")]
    names: Vec<String>,
    /// The simulated architecture.
    #[arg(long, default_value_t = Arch::Sm90)]
    arch: Arch,
    /// Elements of each run.
    #[arg(long, default_value_t = ELEMENTS, value_parser = clap::value_parser!(u32).range(1..))]
    elements: u32,
    /// Writes a page for each into this folder.
    #[arg(long, value_name = "FOLDER")]
    html: Option<PathBuf>,
    /// Writes a file for each into this folder.
    #[arg(long, value_name = "FOLDER")]
    json: Option<PathBuf>,
}

impl Request {
    /// The examples to run: those named, or all.
    fn examples(&self) -> Result<Vec<&'static Example>, String> {
        if self.names.is_empty() {
            return Ok(examples::examples().collect());
        }
        let find = |name: &String| {
            examples::examples().find(|example| example.kernel.name() == name).ok_or_else(|| {
                let known: Vec<&str> = examples::kernels().map(Kernel::name).collect();
                format!("expected the name of a kernel, found `{name}`\nhelp: one of {}", known.join(", "))
            })
        };
        self.names.iter().map(find).collect()
    }
}

fn main() -> ExitCode {
    sigpipe::reset();
    match run(&Request::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn run(request: &Request) -> Result<(), String> {
    let gpu = Gpu::simulator(request.arch);
    gpu.profile_launches(true);
    let mut profiles = Vec::new();
    for example in request.examples()? {
        let name = example.kernel.name();
        let outcome =
            (example.run)(&gpu, request.elements as usize).map_err(|error| format!("{name}: {error}"))?;
        outcome.check().map_err(|wrong| format!("{name}: {wrong}"))?;
        let profile = outcome.report.profile().map_err(|error| error.to_string())?;
        write(request, name, profile)?;
        profiles.push(profile.clone());
    }
    match request.names.is_empty() {
        true => summary(&profiles, request),
        false => profiles.iter().for_each(|profile| println!("{profile}")),
    }
    Ok(())
}

/// Writes the files that were asked for.
fn write(request: &Request, name: &str, profile: &Profile) -> Result<(), String> {
    let files = [
        (&request.html, "html", Profile::to_html as fn(&Profile) -> String),
        (&request.json, "json", Profile::to_json),
    ];
    for (folder, extension, text) in files {
        let Some(folder) = folder else { continue };
        let path = folder.join(format!("{name}.{extension}"));
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text(profile)));
        written.map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// A column of the summary.
struct Column {
    heading: &'static str,
    cell: fn(&Profile) -> String,
}

const COLUMNS: &[Column] = &[
    Column { heading: "bound by", cell: |profile| profile.estimate.regime.as_str().to_owned() },
    Column {
        heading: "most cycles",
        cell: |profile| profile.estimate.bounds.first().map_or_else(String::new, |bound| bound.what.clone()),
    },
    Column { heading: "µs", cell: |profile| format!("{:.1}", 1e6 * profile.estimate.seconds) },
    Column { heading: "instructions", cell: |profile| profile.counts.warp_instructions.to_string() },
    Column {
        heading: "lanes",
        cell: |profile| percent(profile.counts.warp_nonpredicated_execution_efficiency()),
    },
    Column { heading: "branches", cell: |profile| percent(profile.counts.branch_efficiency()) },
    Column { heading: "sectors", cell: |profile| format!("{:.1}", profile.counts.sectors_per_request()) },
    Column { heading: "ideal", cell: |profile| format!("{:.1}", ideal_sectors(&profile.counts)) },
    Column { heading: "conflicts", cell: |profile| profile.counts.bank_conflicts().to_string() },
    Column {
        heading: "occupancy",
        cell: |profile| {
            let occupancy = &profile.occupancy;
            percent(f64::from(occupancy.launched.active_warps) / f64::from(occupancy.max_warps))
        },
    },
    Column { heading: "intensity", cell: |profile| format!("{:.2}", profile.estimate.intensity) },
];

fn percent(fraction: f64) -> String {
    format!("{:.0} %", 100.0 * fraction)
}

fn ideal_sectors(counts: &Counts) -> f64 {
    counts.ideal_sectors as f64 / counts.global_requests.max(1) as f64
}

/// A line for each kernel.
fn summary(profiles: &[Profile], request: &Request) {
    let header = ["kernel"].into_iter().chain(COLUMNS.iter().map(|column| column.heading));
    let mut table = tables::table(header.collect::<Vec<_>>());
    for profile in profiles {
        let cells = COLUMNS.iter().enumerate().map(|(index, column)| {
            let alignment = if index < 2 { CellAlignment::Left } else { CellAlignment::Right };
            Cell::new((column.cell)(profile)).set_alignment(alignment)
        });
        table.add_row([Cell::new(&profile.kernel)].into_iter().chain(cells));
    }
    println!("{table}");
    println!(
        "{} elements each, with the speeds of {}. Instructions of PTX per warp; sectors per request of global memory; \
         the µs are by the greatest bound, modelled.",
        request.elements,
        profiles.first().map_or("", |profile| &profile.device.like)
    );
}
